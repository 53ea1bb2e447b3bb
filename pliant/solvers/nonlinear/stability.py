"""Stability of an equilibrium: directions in which it is unstable, motions that grow, parts that move freely."""

from __future__ import annotations

import warnings
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from pliant._libraries import linalg as dense
from pliant.errors import ConvergenceError, SingularError
from pliant.forces import Gravity
from pliant.jit import kernel
from pliant.linalg import eigen, ldl
from pliant.linalg import rounding as digits
from pliant.model import Model
from pliant.solvers.nonlinear import newton, stiffness_from_forces
from pliant.system.equations import Scratch
from pliant.system.packing.dry_laws import rubbing, without_dry
from pliant.system.state import State
from pliant.system.system import System

DENSE_LIMIT = 1500  # freedoms up to which whole matrices are used
SLOWEST = 24  # modes of a large model that are searched first for growing motions
CLEARLY = 1e-3  # of an eigenvalue: a larger real part is neither rounding nor due to nearly equal modes
FAR = 1e9  # terms of a pivot, or the largest stiffness of rigid parts, over it: smaller ratios are far from rounding
SOFTENINGS = 4  # inverse iterations for the softest direction
AMPLITUDE = 0.05  # of the model, or rad: largest amplitude for forces
NOTHING = 0.005  # of the rounding of the stiffness: a smaller stiffness from forces is zero


class Count(NamedTuple):
    """Number of unstable directions; None if unknown."""

    number: int | None
    more: bool = False  # whether there may be others


def unstable_directions(system: System, state: State, u: np.ndarray, gamma: float, scratch: Scratch) -> Count:
    """Return the number of admissible directions in which the equilibrium is unstable.

    Conservative systems, and loads without potential that vanish in this state (a zero moment): negative pivots of the
    saddle matrix minus the multipliers (exact inertia). Others: growing motions. For a large model only its slowest
    modes are searched first, which can prove instability; stability, or the total number, needs the whole spectrum.
    None if the model is too large for that, or at the edge of slipping, where friction holds one side.
    """
    newton.assemble(system.equations, state.q, state.lam, u, gamma, 0.0, False, scratch)
    if system.conservative or not (np.any(scratch.w[:-1]) or any(force.opaque for force in system.model.forces)):
        status, negatives = ldl.factor(system.equations.pattern, scratch.s, scratch.factors)
        if status != 0:
            raise SingularError("singular tangent")
        return Count(int(negatives) - system.constraints)
    if found := clearly_growing(system, state):
        return Count(found, more=True)
    return Count(growing(system, state)[0])


def doubt(system: System, state: State, u: np.ndarray, gamma: float, count: int | None, scratch: Scratch) -> float:
    """Return the relative effect of rounding on the softest stiffness: from 1 on, stability is unknown. Raises
    SingularError if this direction has no stiffness.

    ``scratch`` holds the factors of the saddle matrix, which may be lost. Zero if all its pivots are far from rounding
    and ``count`` is zero. The stiffness of rigid parts is a difference of reactions: its error is the rounding, and the
    softness of redundant rows, of the largest stiffness ``gamma`` (N/m). Among beams, a free one and a very thin one
    look alike in the matrix; the forces along the direction distinguish them (stiffness_from_forces.py).
    """
    n, pattern, work = system.freedoms, system.equations.pattern, scratch.factors
    pivots, square = 1.0 / np.abs(scratch.s[: work.terms.size]), system.equations.weight**2
    stiffest, beams = gamma * system.length_scale**2, bool(system.layout.beams)
    reach = 0.0 if beams else stiffest * np.max(square / pivots[:n], initial=0.0)
    if not (count or max(np.max(work.terms / pivots, initial=0.0), reach) > FAR):
        return 0.0
    x = _any_direction(n).copy()
    softness = max(soften(pattern, scratch.s, work, square, x, np.empty(n + system.constraints)), 1e-300)
    newton.assemble(system.equations, state.q, state.lam, u, 0.0, 0.0, False, scratch)
    rounding = digits.EPS * ldl.magnitude(pattern, scratch.s, x)
    noise = digits.EPS if beams else max(digits.EPS, float(np.max(system.equations.rows.softness, initial=0.0)))
    largest = max(rounding, noise * stiffest)
    if largest > softness and not (beams and _costs(system, state, x) > NOTHING * largest):
        raise SingularError("singular tangent")
    return float((rounding if beams else largest) / softness)


@kernel
def soften(
    pattern: ldl.Pattern, s: np.ndarray, work: ldl.Workspace, square: np.ndarray, x: np.ndarray, y: np.ndarray
) -> float:
    """Turn a direction x to the softest one, by inverse iterations with the factors in s. Returns its stiffness."""
    n, along, size = x.size, 0.0, 1.0
    for _ in range(SOFTENINGS):
        y[:] = 0.0
        for i in range(n):
            y[i] = square[i] * x[i]
        ldl.solve(pattern, s, work, y)
        along, size = 0.0, 0.0
        for i in range(n):
            along += square[i] * x[i] * y[i]
            size += square[i] * y[i] * y[i]
        for i in range(n):
            x[i] = y[i] / np.sqrt(size)
    return abs(along) / size


@lru_cache(maxsize=16)
def _any_direction(size: int) -> np.ndarray:
    """Return a fixed random vector, with a share of all directions."""
    return np.random.default_rng(0).standard_normal(size)


def _costs(system: System, state: State, x: np.ndarray) -> float:
    """Return the stiffness of a direction, from forces."""
    return float(abs(stiffness_from_forces.stiffness(system, state, x[:, None], np.array([AMPLITUDE]))[0, 0]))


def allowed_motions(system: System, jacobian: np.ndarray) -> np.ndarray:
    """Return a basis of the motions that the joints allow (m, rad), orthonormal in lengths of the model and radians.

    Rows are scaled to their direction, without units.
    """
    unit = 1.0 / system.equations.weight
    scaled = jacobian * unit
    sizes = np.linalg.norm(scaled, axis=1, keepdims=True)
    return np.asarray(unit[:, None] * eigen.null_space(scaled / np.where(sizes > 0.0, sizes, 1.0)))


def growing(system: System, state: State) -> tuple[int | None, int]:
    """Return the number of growing motions about an equilibrium, and of the oscillating ones among them (flutter).

    From ``(K + lambda C + lambda^2 M) x = 0`` on the motions allowed, solved for 1 / lambda so that the slow ones are
    exact and massless parts do no harm; dry friction is left out. None if the model is large.
    """
    if any(force.one_sided for force in system.model.forces):
        return None, 0  # at the edge of slipping friction holds one side
    if system.freedoms > DENSE_LIMIT:
        return None, 0
    matrices = system.matrices(state)
    basis, damping = allowed_motions(system, matrices.jacobian), without_dry(matrices.damping, rubbing(system, state))
    return growth(*(basis.T @ (matrix @ basis) for matrix in (matrices.stiffness, damping, matrices.mass)))


def clearly_growing(system: System, state: State) -> int:
    """Return the number of clearly growing motions among the slowest of a large undamped model; 0 proves nothing."""
    if system.freedoms <= eigen.DENSE_LIMIT or any(force.one_sided for force in system.model.forces):
        return 0
    matrices = system.matrices(state)
    if without_dry(matrices.damping, rubbing(system, state)).count_nonzero():
        return 0  # modes damped by stiffness cluster at one place, where shift-invert takes longer than all of them
    plain = matrices.in_units(1.0 / system.equations.weight)
    return clear_growth(plain.stiffness, plain.mass, plain.ties)


def clear_growth(stiffness: Any, mass: Any, ties: Any) -> int:
    """Count the growing motions of ``(K + lambda^2 M) x + G^T l = 0``, ``G x = 0``, sparse, by shift-invert near zero.

    Counted motions do grow: rounding that moves x^* K x by a part e moves two equal modes by its root.
    """
    try:
        squares, shapes = eigen.undamped(stiffness, mass, ties, SLOWEST, False)
    except (ConvergenceError, RuntimeError):  # not found, or the saddle matrix is singular
        return 0
    values = np.sqrt(-squares.astype(complex))  # one of each pair, with a real part of at least zero
    size = np.abs(values)
    heavy = np.abs(np.sum(shapes.conj() * (mass @ shapes), axis=0)) * size**2
    off = digits.NOISE * digits.rounding(stiffness, shapes)
    grows = (values.real > CLEARLY * size) & (values.real**2 * heavy > off * size**2)
    pairs = grows & (np.abs(values.imag) > CLEARLY * size)
    return int(np.sum(grows & ~pairs)) + 2 * int(np.sum(pairs & (values.imag > 0.0)))


def growth(stiffness: np.ndarray, damping: np.ndarray, mass: np.ndarray) -> tuple[int, int]:
    """Count the growing motions, and the oscillating ones, of ``(K + lambda C + lambda^2 M) x = 0``; SingularError if K
    is singular. Massless motions, which only add blurred eigenvalues 1 / lambda = 0, are left out: with ``M = L L^T``,
    ``x / lambda = -K^-1 (C x + L y)`` and ``y / lambda = L^T x``.
    """
    root = massive(mass)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", dense.LinAlgWarning)
            inertia = dense.solve(stiffness, root)
            if np.any(damping):
                lag, none = dense.solve(stiffness, damping), np.zeros((root.shape[1],) * 2)
                values = dense.eigvals(np.block([[-lag, -inertia], [root.T, none]]))
            else:
                squares = dense.eigvals(root.T @ inertia).astype(complex)  # 1 / omega^2
                squares.imag[np.abs(squares.imag) <= 1e-9 * np.max(np.abs(squares), initial=0.0)] = 0.0
                values = np.sqrt(-squares)  # one of each pair, with a real part of at least zero
    except (dense.LinAlgError, dense.LinAlgWarning) as error:
        raise SingularError("singular tangent") from error
    limit = 1e-10 * np.max(np.abs(values), initial=0.0) + 1e-9 * np.abs(values)
    grows = values.real > limit
    return int(np.sum(grows)), int(np.sum(grows & (np.abs(values.imag) > limit)))


def massive(mass: np.ndarray) -> np.ndarray:
    """Return L of ``M = L L^T``, with a column for every motion with mass, however coordinates mix them with others."""
    sizes = np.sqrt(np.maximum(np.diag(mass), 0.0))
    unit = np.where(sizes > 0.0, sizes, 1.0)
    values, turned = dense.eigh(0.5 * (mass + mass.T) / np.outer(unit, unit))
    heavy = values > len(mass) * digits.NOISE * digits.EPS * np.max(values, initial=0.0)
    return np.asarray(unit[:, None] * turned[:, heavy] * np.sqrt(values[heavy]))


def softest(system: System, state: State) -> tuple[float, np.ndarray]:
    """Return the lowest eigenvalue of the stiffness (N m) on motions the joints allow, and its direction (m, rad)."""
    matrices = system.matrices(state)
    basis = allowed_motions(system, matrices.jacobian)
    stiffness = basis.T @ (matrices.stiffness @ basis)
    values, vectors = dense.eigh(0.5 * (stiffness + stiffness.T), subset_by_index=(0, 0))
    return float(values[0]), np.asarray(basis @ vectors[:, 0])


def movers(system: System, state: State) -> str:
    """Return the names of the parts that move in the softest admissible direction."""
    if system.freedoms > DENSE_LIMIT:
        return "some part"
    matrices = system.matrices(state)
    basis = allowed_motions(system, matrices.jacobian)
    if not basis.shape[1]:
        return "nothing"
    values, vectors = dense.eigh(basis.T @ (matrices.stiffness @ basis))
    mode = np.abs(basis @ vectors[:, np.argmin(np.abs(values))]) * system.equations.weight
    names = system.freedom_owners()
    return ", ".join(sorted({names[i] for i in np.flatnonzero(mode > 0.3 * mode.max())})[:4])


def sliding(model: Model) -> str:
    """Return the end of a message about contacts that could hold parts by friction; empty without such contacts."""
    rough = [force.name for force in model.forces if force.unilateral and getattr(force, "friction", False)]
    return f" Friction of {rough[0]!r} is left out: statics(..., friction='stuck') lets contacts hold." if rough else ""


def unheld(model: Model, names: str, otherwise: str) -> str:
    """Return a message about the free parts ``names`` (`movers`): what could hold them, what to do ``otherwise``, that
    a beam may be too thin, and that friction of contacts is left out.
    """
    weight = any(isinstance(force, Gravity) for force in model.forces)
    thin = (
        " If it is a very thin beam (EA L^2/EI above 1e11), double precision ends here: take fewer elements, or "
        "smaller EA and GA."
    )
    holds = "a joint or a spring" if weight else "a joint, a spring or gravity"
    beams = {beam.name for beam in model.beams} & set(names.split(", "))
    return (
        f"{names} can move without any force changing. Add {holds} that holds it, or {otherwise}."
        f"{thin if beams else ''}{sliding(model)}"
    )
