"""Equilibria of an arm: Newton on ``V_Q = loads`` with the exact tangent, in steps that halve where it fails."""

from __future__ import annotations

import numpy as np

from pliant.errors import ConvergenceError, SingularError
from pliant.formulations.kinked import linear, telling
from pliant.formulations.kinked.motion import workspace_of
from pliant.formulations.kinked.starting import begin_from
from pliant.formulations.kinked.system import Kinked
from pliant.solvers.runge_kutta import Record
from pliant.solvers.stability import growth
from pliant.system.layout import Layout
from pliant.system.state import Equilibrium, State

ITERATIONS = 40
CONVERGED = 1e-11  # last step, in lengths of the model and radians
SMALLEST = 1e-4  # part of the load
REACH = 0.3  # largest step of Newton, likewise
LEFT = 1e-8  # what a step may leave unbalanced, of the loads
ROUNDING = 1e-13  # and of the largest stiffness; a smaller one is none


def find_equilibrium(system: Kinked, start: State, *, time: float, load_steps: int) -> Equilibrium:
    """Equilibrium near ``start`` under the loads and drives at ``time``."""
    u, unit = system.inputs(time)[0], system.units
    q, _ = begin_from(system, start, None)
    for joint, signal in system.driven:
        q[joint] = u[signal]
    done, step, iterations, taken = 0.0, 1.0 / load_steps, 0, 0
    if _balanced(system, q, u):
        done = 1.0
    while done < 1.0:
        part = min(1.0, done + step)
        found, count = _newton(system, q, _part(u, part))
        iterations += count
        if found is None:
            step *= 0.5
            if step < SMALLEST:
                raise ConvergenceError(
                    f"No equilibrium of {system.model.name!r} was found beyond {100.0 * done:.3g} % of its loads. A "
                    "joint may have nothing to hold it: drive it (Motion), weld it, add a TorsionSpring, or give the "
                    "beams angles nearer to where it rests."
                )
            continue
        q, done, taken = found, part, taken + 1
    r = _free(system, system.residual(q, 0.0 * q, 0.0 * q, signals=u))
    loads = system.residual(q, 0.0 * q, 0.0 * q, signals=u, strained=False)
    scale = system.observed.length_scale
    unstable, neutral = stability(system, q, time)
    place, rest, _ = system.observe(q)
    state = State(place, rest, rest.copy(), np.zeros(system.observed.constraints), time)
    return Equilibrium(
        state=state,
        iterations=iterations,
        load_steps=taken,
        residual=float(np.max(np.abs(r) * unit) / scale),
        force_scale=max(float(np.max(np.abs(loads) * unit)), system.applied(u)) / scale,
        constraint_error=0.0,
        unstable_directions=unstable,
        neutral=neutral,
        own=variables_at_rest(system, q, time),
        rounding=system.balance(state)[2] / scale,
    )


def _balanced(system: Kinked, q: np.ndarray, u: np.ndarray) -> bool:
    """Whether nothing pushes at all."""
    r = _free(system, system.residual(q, 0.0 * q, 0.0 * q, signals=u))
    stiffness = np.abs(system.stiffness) * system.units * system.units[:, None]
    return bool(np.max(np.abs(r) * system.units) <= 1e-14 * np.max(stiffness))


def _part(u: np.ndarray, part: float) -> np.ndarray:
    scaled = part * u
    scaled[Layout.ONE], scaled[Layout.TIME] = u[Layout.ONE], u[Layout.TIME]
    return scaled


def _free(system: Kinked, r: np.ndarray) -> np.ndarray:
    r[[joint for joint, _ in system.driven]] = 0.0
    return r


def _newton(system: Kinked, start: np.ndarray, u: np.ndarray) -> tuple[np.ndarray | None, int]:
    """Equilibrium under signals u, or None."""
    q, unit, still = start.copy(), system.units, np.zeros_like(start)
    free = np.setdiff1d(np.arange(q.size), [joint for joint, _ in system.driven])
    for iteration in range(1, ITERATIONS + 1):
        r = system.residual(q, still, still, signals=u)[free] * unit[free]
        k = linear.tangents(system, q, still, still, u).stiffness[np.ix_(free, free)] * unit[free] * unit[free, None]
        step = np.linalg.lstsq(k, -r, rcond=ROUNDING)[0]
        size = float(np.max(np.abs(step), initial=0.0))
        if not np.isfinite(size):
            return None, iteration
        q[free] += unit[free] * step * min(1.0, REACH / max(size, 1e-300))
        if size <= CONVERGED:
            loads = system.residual(q, still, still, signals=u, strained=False)[free] * unit[free]
            least = LEFT * np.max(np.abs(loads)) + ROUNDING * np.max(np.abs(k))
            return (q if np.max(np.abs(r + k @ step)) <= least else None), iteration
    return None, ITERATIONS


def stability(system: Kinked, q: np.ndarray, time: float) -> tuple[int | None, str]:
    """Directions in which an equilibrium is unstable (None if some are neutral), and the joints that are neutral."""
    found = linear.tangents(system, q, 0.0 * q, 0.0 * q, system.inputs(time)[0])
    free = np.setdiff1d(np.arange(q.size), [joint for joint, _ in system.driven])
    if not free.size:
        return 0, ""
    pick = np.ix_(free, free)
    try:
        return growth(found.stiffness[pick], found.damping[pick], found.mass[pick])[0], ""
    except SingularError:
        unit, names = system.units[free], np.array(system.names)[free]
        _, sizes, directions = np.linalg.svd(found.stiffness[pick] * unit * unit[:, None])
        moves = np.max(np.abs(directions[sizes <= max(ROUNDING * sizes[0], sizes[-1])]), axis=0)
        return None, ", ".join(names[moves > 0.3 * np.max(moves)][:4])


def variables_at_rest(system: Kinked, q: np.ndarray, time: float) -> dict[str, object]:
    """Variables of a rest, as those of a motion of one instant."""
    record = Record(np.array([time]), q[None], np.zeros((1, q.size)), np.zeros((1, 2)))
    return telling.Recorded(system, workspace_of(system), record).variables()
