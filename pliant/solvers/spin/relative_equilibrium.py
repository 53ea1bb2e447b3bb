"""Relative equilibria: Newton in turning axes, and their stability.

K, symmetric for loads with a potential V, is the Hessian of V - T0 on the motions that the joints allow, with T0 the
kinetic energy of the spin. If it is positive the relative equilibrium is stable (Routh 1884), and damping in the
turning parts does not change that. If not, gyroscopic forces may still hold it: the eigenvalues decide, and
damping destroys that stability (Thomson, Tait 1879; Chetaev 1961).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pliant._libraries import linalg as dense
from pliant._libraries import sparse
from pliant.errors import ConvergenceError
from pliant.forces.state_force import callbacks
from pliant.joints import rows as joints
from pliant.kernels.sums import Instant, Into
from pliant.linalg import eigen, ldl
from pliant.linalg import rounding as digits
from pliant.linalg.gyroscopic import gyroscopic
from pliant.solvers.nonlinear import equilibrium, newton
from pliant.solvers.nonlinear.branch_check import SAME, Multiplied, bases, prefer
from pliant.solvers.nonlinear.ramp import ramp
from pliant.solvers.nonlinear.stability import DENSE_LIMIT, allowed_motions
from pliant.solvers.stepping.status import DONE, NOT_CONVERGED, SINGULAR
from pliant.system.equations import Scratch
from pliant.system.packing import fused
from pliant.system.packing.coupling import coupling_matrix
from pliant.system.packing.dry_laws import rubbing, without_dry
from pliant.system.state import Equilibrium, State

if TYPE_CHECKING:
    from pliant.solvers.spin.rotating import Rotating
    from pliant.solvers.spin.turning_axes import TurningAxes

BALANCED = 1e-12  # of the forces at work: a start below is already an equilibrium
GROWS = 1e-9  # of an eigenvalue: a larger real part is not rounding
PAIRED = 1e-7  # of an undamped eigenvalue: rounding moves equal eigenvalues apart by its root


class Residual(NamedTuple):
    """Right-hand side of Newton, largest unbalanced force times the length scale, widest gap of a joint."""

    right: np.ndarray
    force: float
    gap: float


def residual(
    system: Rotating,
    axes: TurningAxes,
    lam: np.ndarray,
    u: np.ndarray,
    scratch: Scratch,
    *,
    gamma: float = 0.0,
    mixed: bool = False,
) -> Residual:
    """Return the residual at rest in turning axes; the tangent at fixed velocities stays in ``scratch``."""
    equations, n = system.equations, system.freedoms
    r, g, s, w = scratch.r, scratch.g, scratch.s, scratch.w
    for array in (r, s, w):
        array[:] = 0.0
    v, a = axes.velocity, axes.acceleration
    fused.add(equations.parts, Instant(axes.q, v, a, u), Into(1.0, 0.0, 0.0, r, s, w), scratch.stress, mixed)
    joints.add(equations.rows, axes.q, lam, u, joints.Saddle(1.0, gamma, r, g, s))
    callbacks.reraise()
    force = float(np.max(np.abs(r[:n]) / equations.weight, initial=0.0))
    gap = float(np.max(np.abs(g) * np.sqrt(equations.rows.weight), initial=0.0))
    return Residual(-np.concatenate([r[:n], g]), force, gap)


def tangent(
    system: Rotating,
    q: np.ndarray,
    lam: np.ndarray,
    u: np.ndarray,
    scratch: Scratch,
    *,
    gamma: float = 0.0,
    mixed: bool = False,
) -> tuple[Any, Residual]:
    """Return Newton's augmented matrix, ``[K + gamma G^T G, G^T; G, 0]``, and the residual."""
    equations, axes = system.equations, system.axes(q)
    found = residual(system, axes, lam, u, scratch, gamma=gamma, mixed=mixed)
    more = system.spin_stiffness(axes, u)
    far = coupling_matrix(equations.parts, system.freedoms, q, axes.velocity, 1.0, 0.0)
    more = (more if far is None else more + far).tocoo()
    matrix = ldl.to_csc(equations.pattern, scratch.s, scratch.w)
    return matrix + sparse.coo_matrix((more.data, (more.row, more.col)), shape=matrix.shape).tocsc(), found


def stiffness_scale(system: Rotating, q: np.ndarray, lam: np.ndarray, u: np.ndarray, scratch: Scratch) -> float:
    """Return the weight gamma of the augmented term: the largest stiffness, including centrifugal terms."""
    force = residual(system, system.axes(q), lam, u, scratch).force
    diagonal = scratch.s[: system.freedoms][~system.angular]
    inertia = system.spin.rate**2 * system.mass
    return max(float(np.max(np.abs(diagonal), initial=0.0)), inertia, force / system.length_scale**2) or 1.0


def find_equilibrium(system: Rotating, start: State, *, time: float, load_steps: int) -> Equilibrium:
    """Find the relative equilibrium near ``start`` under the loads and drives at ``time``.

    A start in equilibrium is kept, stable or not. Otherwise loads and centrifugal forces grow together from zero, in
    ``load_steps`` steps, then in more. If following the start leads to another, stable one, this is returned.
    """
    scratch, target = system.scratch(), system.signals(np.array([time]))[0]
    lam = reactions(system, start.q, target, scratch)
    axes = system.axes(start.q)
    loads = residual(system, axes, np.zeros_like(lam), target, scratch).force
    here = residual(system, axes, lam, target, scratch)
    if here.force <= BALANCED * loads and here.gap <= BALANCED * system.length_scale:
        return judge(system, _resting(start.q.copy(), lam, time), target, 0, 0)
    failures: list[ConvergenceError] = []
    for steps in (load_steps, max(8, 4 * load_steps)):
        q, lam = start.q.copy(), np.zeros(system.constraints)
        try:
            iterations, taken = follow(system, target, q, lam, steps, scratch)
        except ConvergenceError as error:
            failures.append(error)
            continue
        found = judge(system, _resting(q, lam, time), target, iterations, taken)
        return compared(system, start, found, target, scratch)
    raise failures[0]


def compared(system: Rotating, start: State, found: Equilibrium, target: np.ndarray, scratch: Scratch) -> Equilibrium:
    """Choose between Newton's result and the equilibrium that following the start leads to (branch_check.py)."""
    far = equilibrium.distance(system, found.state.q, start.q)
    q, lam, share = Spun(system, start, target).follow(far)
    if share < 1.0:
        return replace(found, snapped=share)
    if equilibrium.distance(system, found.state.q, q) <= SAME * far:
        return found
    status, count, _ = settle(system, target, q, lam, scratch)
    there = judge(system, _resting(q, lam, found.state.time), target, count, 0) if status == DONE else None
    return prefer(found, there)


class Spun(Multiplied):
    """Homotopy from a start to a relative equilibrium, with growing loads and square of the rate."""

    system: Rotating

    def __init__(self, system: Rotating, start: State, target: np.ndarray) -> None:
        scratch = system.scratch()
        gamma = stiffness_scale(system, start.q, start.lam, target, scratch)
        rest = equilibrium.unloaded(system, start.q, target)
        super().__init__(system, start, bases(system, rest, target), target, gamma, scratch)

    def increment(self, q: np.ndarray, lam: np.ndarray, t: float) -> np.ndarray | None:
        """Return Newton's increment; None if the matrix is singular."""
        slower = self.system.at_rate(self.system.spin.rate * np.sqrt(t))
        u = self.base + t * self.along
        matrix, left = tangent(slower, q, lam, u, self.scratch, gamma=self.gamma, mixed=True)
        try:
            step = sparse.linalg.splu(matrix).solve(left.right + (1.0 - t) * self.held(q))
        except RuntimeError:  # exactly singular
            return None
        return step if np.all(np.isfinite(step)) else None


def follow(
    system: Rotating, target: np.ndarray, q: np.ndarray, lam: np.ndarray, steps: int, scratch: Scratch
) -> tuple[int, int]:
    """Step from zero to the full loads and rate, in place; a step is halved on failure and doubled after success.
    Returns iterations and steps.
    """
    base = system.unloaded(q, target)
    iterations, status, size = 0, DONE, 0.0

    def advance(at: tuple[np.ndarray, np.ndarray], share: float) -> tuple[np.ndarray, np.ndarray] | None:
        nonlocal iterations, status, size
        slower = system.at_rate(system.spin.rate * np.sqrt(share))
        status, count, size = settle(slower, base + share * (target - base), q, lam, scratch)
        iterations += count
        if status == DONE and not equilibrium.winds_up(system, q, at[0]):
            return q.copy(), lam.copy()
        q[:], lam[:] = at
        return None

    smallest = equilibrium.SMALLEST_LOAD_STEP if steps > 1 else 1.0
    _, done, taken = ramp(advance, (q.copy(), lam.copy()), smallest=smallest, steps=steps)
    if done < 1.0:
        raise ConvergenceError(
            f"No relative equilibrium of {system.model.name!r} at {system.spin.rate:g} rad/s was found: Newton "
            f"stopped at {100.0 * done:.3g} % of the loads (last increment {size:.2g} of the length scale"
            f"{', singular' if status == SINGULAR else ''}). Start from a nearer state (start=), or follow the "
            "path over the rate: path(system, 'spin rate', spin=..., to=...)."
        )
    return iterations, taken


def settle(system: Rotating, u: np.ndarray, q: np.ndarray, lam: np.ndarray, scratch: Scratch) -> tuple[int, int, float]:
    """Run Newton with mixed integration points, in place. Returns (status, iterations, last increment)."""
    equations, n, size, wide = system.equations, system.freedoms, 0.0, 0
    gamma = stiffness_scale(system, q, lam, u, scratch)
    scratch.trial[:] = 0.0
    fused.stretch(equations.parts, q, scratch.trial, scratch.stress)
    for iteration in range(1, equilibrium.LIMIT + 1):
        matrix, left = tangent(system, q, lam, u, scratch, gamma=gamma, mixed=True)
        try:
            step = sparse.linalg.splu(matrix).solve(left.right)
        except RuntimeError:  # exactly singular
            return SINGULAR, iteration, size
        size, before = float(np.max(np.abs(step[:n]) * equations.weight, initial=0.0)), size
        wide += size > newton.WIDE
        if not np.isfinite(size) or wide > newton.MOST_WIDE:
            return NOT_CONVERGED, iteration, size
        scale = min(1.0, newton.LARGEST_MIXED / size) if size > 0.0 else 1.0
        scratch.trial[:n] = scale * step[:n]
        fused.stretch(equations.parts, q, scratch.trial, scratch.stress)
        q[:] = system.moved(q, scale * step[:n])
        lam += scale * step[n:]
        if scale == 1.0 and (size <= equilibrium.TOLERANCE or iteration > 4 and 0.5 * before < size < 1e-9):
            return DONE, iteration, size
    return NOT_CONVERGED, equilibrium.LIMIT, size


def reactions(system: Rotating, q: np.ndarray, u: np.ndarray, scratch: Scratch) -> np.ndarray:
    """Return the multipliers that best hold a configuration: least squares of f + G^T lambda."""
    force = -residual(system, system.axes(q), np.zeros(system.constraints), u, scratch).right[: system.freedoms]
    jacobian = np.zeros((system.constraints, system.size))
    joints.jacobian_dense(system.equations.rows, q, u, jacobian)
    unit, width = 1.0 / system.weight, np.sqrt(system.equations.rows.weight)
    moments = (width[:, None] * jacobian[:, : system.freedoms] * unit).T
    if not moments.size:
        return np.zeros(system.constraints)
    return np.asarray(width * dense.lstsq(moments, -unit * force, cond=1e-12, lapack_driver="gelsy")[0])


def judge(system: Rotating, state: State, u: np.ndarray, iterations: int, load_steps: int) -> Equilibrium:
    """Compute the residual and stability of a relative equilibrium."""
    scratch = system.scratch()
    unbalanced, loads, rounding = _forces(system, state, u, scratch)
    length = system.length_scale
    gap = residual(system, system.axes(state.q), state.lam, u, scratch).gap
    pushes = np.abs(state.lam) / np.sqrt(system.equations.rows.weight)
    scale = max(float(np.max(pushes, initial=0.0)), loads / length)
    found = stability(system, state)
    return Equilibrium(
        state,
        iterations,
        load_steps,
        unbalanced / length,
        scale,
        gap,
        found.growing if found.lost <= 1.0 else None,
        found.neutral,
        rounding=rounding / length,
        lost=found.lost,
        falling=found.falling,
    )


def balance(system: Rotating, state: State) -> tuple[float, float, float]:
    """Return the largest unbalanced moment (N m) of a state, the largest load, and the bound for rounding."""
    return _forces(system, state, system.signals(np.array([state.time]))[0], system.scratch())


def _forces(system: Rotating, state: State, u: np.ndarray, scratch: Scratch) -> tuple[float, float, float]:
    gamma = stiffness_scale(system, state.q, state.lam, u, scratch)
    axes = system.axes(state.q)
    loads = residual(system, axes, np.zeros_like(state.lam), u, scratch).force
    unbalanced = residual(system, axes, state.lam, u, scratch).force
    return unbalanced, loads, equilibrium.ROUNDING * gamma * system.length_scale**2


class Stability(NamedTuple):
    """Numbers of growing motions, of oscillating ones among them, and of directions in which V - T0 falls; None:
    unknown.

    negative  directions in which the tangent is negative, by rounding or not
    neutral  parts that can move freely
    lost     relative effect of rounding on the stiffness of the softest direction
    """

    growing: int | None
    fluttering: int
    falling: int | None
    negative: int
    neutral: str = ""
    lost: float = 0.0


def stability(system: Rotating, state: State) -> Stability:
    """Assess small motions about a relative equilibrium, for models that are not large."""
    if system.freedoms > DENSE_LIMIT:
        return Stability(None, 0, None, 0)
    matrices = system.matrices(state)
    basis = allowed_motions(system, matrices.jacobian)
    if not basis.shape[1]:
        return Stability(0, 0, 0, 0)
    parts = matrices.stiffness, without_dry(matrices.damping, rubbing(system, state)), matrices.mass
    stiffness, damping, mass = (basis.T @ (matrix @ basis) for matrix in parts)
    values, vectors = dense.eigh(0.5 * (stiffness + stiffness.T))
    noise = digits.NOISE * digits.rounding(matrices.stiffness, basis @ vectors)
    still = np.abs(values) <= noise
    shares = noise / digits.NOISE / np.maximum(np.abs(values), 1e-300)
    neutral, lost = "", float(np.max(shares, where=~still, initial=0.0))
    if np.any(still):
        mode = np.max(np.abs(basis @ vectors[:, still]) * system.weight[:, None], axis=1)
        names = system.node_owners()
        moving = np.flatnonzero(mode > 0.3 * mode.max())
        neutral = ", ".join(sorted({names[i // system.space.width] for i in moving})[:4])
    falling, negative = int(np.sum(values < -noise)), int(np.sum(values < 0.0))
    if falling == 0 and system.conservative and not neutral:
        return Stability(0, 0, 0, negative, lost=lost)
    nothing = np.zeros((0, len(stiffness)))
    lossy = np.max(np.abs(damping + damping.T), initial=0.0) > GROWS * np.max(np.abs(damping), initial=0.0)
    solve = eigen.damped if lossy or not system.conservative else gyroscopic
    found, shapes = solve(stiffness, damping, mass, nothing, 2 * len(stiffness))
    off = digits.NOISE * digits.rounding(matrices.stiffness, basis @ shapes)
    doubt = digits.shares(off, damping, mass, found, shapes)
    grows = found.real > np.maximum(GROWS if lossy else PAIRED, doubt) * np.abs(found)
    twins = np.where(found.imag != 0.0, 2, 1)  # one of every pair is in the list
    growing, fluttering = int(np.sum(twins[grows])), int(np.sum(twins[grows & (found.imag != 0.0)]))
    return Stability(growing, fluttering, falling if system.conservative else None, negative, neutral, lost)


def _resting(q: np.ndarray, lam: np.ndarray, time: float) -> State:
    return State(q, np.zeros_like(q), np.zeros_like(q), lam, time)
