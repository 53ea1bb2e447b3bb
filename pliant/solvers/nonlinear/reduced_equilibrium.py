"""Equilibrium in independent coordinates y, at which the forces on them, F(y), vanish.

Implicit steps follow the flow y' = -F to its end, and become Newton's as the forces vanish (C. T. Kelley, D. E. Keyes,
SIAM J. Numer. Anal. 35, 1998); a balanced start is kept, stable or not. Forces and increments are in lengths of the
model and radians.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from pliant.errors import ConvergenceError, SingularError
from pliant.joints import rows as joints
from pliant.linalg import rounding as digits
from pliant.solvers.nonlinear import equilibrium
from pliant.solvers.nonlinear.stability import growth
from pliant.system.packing.dry_laws import rubbing, without_dry
from pliant.system.state import Equilibrium, State
from pliant.system.system import System

LIMIT = 200
CONVERGED = 1e-11  # last increment
BALANCED = 1e-9  # Newton increment below which a pose is kept, even if unstable
REACH = 0.5  # largest increment
ROUNDING = digits.NOISE * digits.EPS  # stiffness that is rounding, relative to the stiffest direction
SMALLEST = 2.0**-12  # smallest step of the drives, as a fraction of their way


class Slope(Protocol):
    """Equations at a pose: F, its derivative, displacements of the nodes with y (n, freedoms), and the largest force
    that contributes to F.
    """

    @property
    def gradient(self) -> np.ndarray: ...
    @property
    def stiffness(self) -> np.ndarray: ...
    @property
    def basis(self) -> np.ndarray: ...
    @property
    def loads(self) -> float: ...


class Landscape(Protocol):
    """A mechanism that can be moved along its independent coordinates."""

    def slope(self, q: np.ndarray) -> Slope:
        """Compute forces and stiffness at a pose."""
        ...

    def moved(self, q: np.ndarray, at: Slope, step: np.ndarray) -> np.ndarray | None:
        """Return the pose after an increment of y; None if the mechanism cannot reach it."""
        ...


def flow(landscape: Landscape, q: np.ndarray) -> tuple[np.ndarray | None, int, bool]:
    """Return the pose at the end of the flow or None, iterations, and whether Newton would have gone elsewhere. For
    loads without potential the flow may circle around a pose for ever: then use Newton's method alone.
    """
    found, iterations, slid = _followed(landscape, q, _shift)
    if found is not None or _symmetric(landscape.slope(q).stiffness):
        return found, iterations, slid
    found, more, _ = _followed(landscape, q, lambda at, values: 0.0)
    return found, iterations + more, False


def _followed(
    landscape: Landscape, q: np.ndarray, shifted: Callable[[Slope, np.ndarray], float]
) -> tuple[np.ndarray | None, int, bool]:
    """Follow the flow by implicit steps ``(K + shift) dy = -F``. Directions whose stiffness is rounding, relative to
    the stiffest direction or the forces at work, do not move: the spin of a rod between two balls.
    """
    slid = False
    for iteration in range(1, LIMIT + 1):
        at = landscape.slope(q)
        values = _growths(at.stiffness)
        least = ROUNDING * max(float(np.max(np.abs(values))), at.loads)
        newton = _solved(at.stiffness, -at.gradient, least)
        shift = shifted(at, values)
        if np.max(np.abs(at.basis @ newton)) <= BALANCED:
            shift = 0.0
        elif values[0] < -least:
            slid = True
        step = _solved(at.stiffness + shift * np.eye(newton.size), -at.gradient, least)
        size = float(np.max(np.abs(at.basis @ step)))
        found = landscape.moved(q, at, step * min(1.0, REACH / max(size, REACH)))
        if found is None:
            return None, iteration, slid
        q = found
        if size <= CONVERGED:
            return q, iteration, slid
    return None, LIMIT, slid


def _shift(at: Slope, values: np.ndarray) -> float:
    """Return the shift of the tangent: its most negative eigenvalue, positive, plus a term scaled with the forces."""
    return float(max(0.0, -values[0]) + np.max(np.abs(at.gradient)) / REACH)


def _symmetric(stiffness: np.ndarray) -> bool:
    return bool(np.max(np.abs(stiffness - stiffness.T)) <= ROUNDING * np.max(np.abs(stiffness)))


def _growths(stiffness: np.ndarray) -> np.ndarray:
    """Return the rates at which the flow returns along its directions, in ascending order; below zero it leaves. For
    loads without potential these are real parts: the symmetric part alone may be negative where the flow spirals in.
    """
    if _symmetric(stiffness):
        return np.asarray(np.linalg.eigvalsh(0.5 * (stiffness + stiffness.T)))
    return np.sort(np.linalg.eigvals(stiffness).real)


def _solved(matrix: np.ndarray, right: np.ndarray, least: float) -> np.ndarray:
    """Return the least x with matrix x nearest to right, without directions of singular values below ``least``."""
    left, sizes, motions = np.linalg.svd(matrix)
    inverse = np.divide(1.0, sizes, out=np.zeros_like(sizes), where=sizes > least)
    return np.asarray(motions.T @ (inverse * (left.T @ right)))


def driven(
    system: System,
    nodes: np.ndarray,
    u: np.ndarray,
    steps: int,
    closed: Callable[[np.ndarray, np.ndarray], np.ndarray | None],
    pose: np.ndarray,
) -> tuple[np.ndarray, int]:
    """Move the drives from their values at a configuration of the nodes to the signals u. Returns the pose and the
    number of steps; ``closed`` returns the pose near another that closes the joints under signals, or None.
    """
    rows = system.equations.rows
    numbers, base = np.unique(rows.signal[rows.gain != 0.0]), u.copy()
    base[numbers] = equilibrium.unloaded(system, nodes, u)[numbers]
    done, step, taken = 0.0, 1.0 / steps, 0
    while done < 1.0:
        step = min(step, 1.0 - done)
        found = closed(pose, base + (done + step) * (u - base))
        if found is not None:
            pose, done, step, taken = found, done + step, 2.0 * step, taken + 1
            continue
        step *= 0.5
        if step < SMALLEST:
            raise ConvergenceError(
                f"No equilibrium of {system.model.name!r} was found: its drives come to {100.0 * done:.3g} % of their "
                "way only, where the joints allow no more, or are at a dead centre. Check them at this time."
            )
    return pose, taken


def judge(system: System, state: State, at: Slope, iterations: int, load_steps: int) -> Equilibrium:
    """Return residual and stability of an equilibrium, by the eigenvalues of the reduced stiffness or, for loads
    without potential, the motions that grow. A direction is neutral if its stiffness is within rounding of the nodes'
    stiffness (`digits.rounding`), the stiffest direction and the forces at work; forces along it must balance.
    """
    unbalanced, loads, rounding = equilibrium.balance(system, state)
    pushes = np.abs(state.lam) / np.sqrt(system.equations.rows.weight)
    scale = max(float(np.max(pushes, initial=0.0)), loads / system.length_scale)
    values, vectors = np.linalg.eigh(0.5 * (at.stiffness + at.stiffness.T))
    matrices, scaled = system.matrices(state), at.basis / system.weight[:, None]
    least = ROUNDING * (np.max(np.abs(values), initial=0.0) + scale * system.length_scale)
    noise = digits.NOISE * digits.rounding(matrices.stiffness, scaled @ vectors) + least
    free = np.abs(values) <= noise
    count: int | None = int(np.sum(values < -noise))
    if np.max(np.abs(vectors.T @ at.gradient)[free], initial=0.0) > max(BALANCED * scale * system.length_scale, least):
        rounding = 0.0  # forces along a neutral direction do not balance
    if any(force.one_sided for force in system.model.forces):
        count = None  # friction at the limit of slipping acts on one side only
    elif not system.conservative:
        damping = without_dry(matrices.damping, rubbing(system, state))
        try:
            count = growth(*(scaled.T @ (each @ scaled) for each in (matrices.stiffness, damping, matrices.mass)))[0]
        except SingularError:
            count, free = None, np.ones(1, bool)
    gap = np.zeros(system.constraints)
    joints.residual(system.equations.rows, state.q, system.signals(np.array([state.time]))[0], gap)
    return Equilibrium(
        state=state,
        iterations=iterations,
        load_steps=load_steps,
        residual=unbalanced / system.length_scale,
        force_scale=scale,
        constraint_error=float(np.max(np.abs(gap), initial=0.0)),
        unstable_directions=count,
        neutral=_movers(system, at) if np.any(free) else "",
        rounding=rounding / system.length_scale,
    )


def _movers(system: System, at: Slope) -> str:
    """Return the names of the parts that move in the softest direction."""
    values, vectors = np.linalg.eigh(0.5 * (at.stiffness + at.stiffness.T))
    moves = np.abs(at.basis @ vectors[:, np.argmin(np.abs(values))])
    owners = np.array(system.freedom_owners())
    return ", ".join(sorted(set(owners[moves > 0.3 * np.max(moves)].tolist()))[:4])
