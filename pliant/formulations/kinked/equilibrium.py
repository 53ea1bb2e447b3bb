"""Equilibria of an arm: Newton on ``V_Q = loads`` with the exact tangent, in steps that halve where it fails."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from pliant.errors import ConvergenceError
from pliant.formulations.dae.equilibrium import Equilibrium
from pliant.formulations.dae.system import State
from pliant.formulations.kinked import linear, telling
from pliant.formulations.kinked.motion import make_room
from pliant.formulations.kinked.starting import begin_from
from pliant.formulations.kinked.system import Kinked
from pliant.solvers.runge_kutta import Record
from pliant.system.layout import Layout

ITERATIONS = 40
CONVERGED = 1e-11  # last step, in lengths of the model and radians
SMALLEST = 1e-4  # part of the load
REACH = 0.3  # largest step of Newton, likewise
FLAT = 1e-9  # omega^2 against the largest: a motion that no force resists


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
                    "joint may have nothing to hold it: drive it (Motion), weld it or add a TorsionSpring."
                )
            continue
        q, done, taken = found, part, taken + 1
    r = _free(system, system.residual(q, 0.0 * q, 0.0 * q, signals=u))
    loads = system.residual(q, 0.0 * q, 0.0 * q, signals=u, strained=False)
    scale = system.dae.length_scale
    unstable, neutral = stability(system, q, time)
    place, rest, _ = system.observe(q)
    state = State(place, rest, rest.copy(), np.zeros(system.dae.constraints), time)
    return Equilibrium(
        state=state,
        iterations=iterations,
        load_steps=taken,
        residual=float(np.max(np.abs(r) * unit) / scale),
        force_scale=float(np.max(np.abs(loads) * unit) / scale),
        constraint_error=0.0,
        unstable_directions=unstable,
        neutral=neutral,
        own=_told(system, q, time),
    )


def _balanced(system: Kinked, q: np.ndarray, u: np.ndarray) -> bool:
    """Whether nothing pushes at all."""
    r = _free(system, system.residual(q, 0.0 * q, 0.0 * q, signals=u))
    return bool(np.max(np.abs(r) * system.units) <= 1e-14 * np.max(np.abs(system.stiffness)))


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
        k = linear.tangents(system, q, still, still, u).stiffness[np.ix_(free, free)]
        move = unit[free] * np.linalg.lstsq(k * unit[free] * unit[free, None], -r, rcond=1e-13)[0]
        size = float(np.max(np.abs(move / unit[free]), initial=0.0))
        if not np.isfinite(size):
            return None, iteration
        q[free] += move * min(1.0, REACH / max(size, 1e-300))
        if size <= CONVERGED:
            fine = np.max(np.abs(r)) <= 1e-6 * max(np.max(np.abs(k * unit[free] * unit[free, None])), 1e-300)
            return (q if fine else None), iteration
    return None, ITERATIONS


def stability(system: Kinked, q: np.ndarray, time: float) -> tuple[int | None, str]:
    """Directions in which an equilibrium is unstable (None if some are neutral), and the joints that are neutral."""
    found = linear.tangents(system, q, 0.0 * q, 0.0 * q, system.inputs(time)[0])
    free = np.setdiff1d(np.arange(q.size), [joint for joint, _ in system.driven])
    if not free.size:
        return 0, ""
    pick = np.ix_(free, free)
    values, vectors = scipy.linalg.eig(found.stiffness[pick], found.mass[pick])
    flat = np.abs(values) <= FLAT * np.max(np.abs(values))
    if np.any(flat):
        names = np.array(system.names)[free]
        moving = np.max(np.abs(vectors[:, flat]), axis=1) > 0.3 * np.max(np.abs(vectors[:, flat]))
        return None, ", ".join(names[moving][:4])
    return int(np.sum(np.sqrt(-values.astype(complex)).real > 1e-6 * np.sqrt(np.abs(values)))), ""


def _told(system: Kinked, q: np.ndarray, time: float) -> dict[str, object]:
    record = Record(np.array([time]), q[None], np.zeros((1, q.size)), np.zeros((1, 2)))
    return telling.Told(system, make_room(system), record).variables()
