"""Equilibria of an arm: Newton on ``V_Q = loads`` with the exact tangent, in load steps that halve after a failure."""

from __future__ import annotations

import numpy as np

from pliant.errors import ConvergenceError, SingularError
from pliant.solvers.nonlinear.homotopy import Homotopy
from pliant.solvers.nonlinear.stability import growth
from pliant.solvers.ode.runge_kutta import Record
from pliant.system.numbering.planar_layout import Layout
from pliant.system.state import Equilibrium, State
from pliant_papers.kinked import linear, outputs
from pliant_papers.kinked.motion import workspace_of
from pliant_papers.kinked.starting import begin_from
from pliant_papers.kinked.system import Kinked

ITERATIONS = 40
CONVERGED = 1e-11  # last step, in lengths of the model and radians
SMALLEST = 1e-4  # part of the load
REACH = 0.3  # largest step of Newton, likewise
LEFT = 1e-8  # largest residual force of a step, as a share of the loads
ROUNDING = 1e-13  # of the largest stiffness; a smaller one is zero


def find_equilibrium(system: Kinked, start: State, *, time: float, load_steps: int) -> Equilibrium:
    """Find the equilibrium near ``start`` under the loads and drives at ``time``."""
    u, unit = system.inputs(time)[0], system.units
    q, _ = begin_from(system, start, None)
    begin = q.copy()
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
                    "beams angles nearer to the equilibrium."
                )
            continue
        q, done, taken = found, part, taken + 1
    share = Relative(system, begin, u).follow(float(np.max(np.abs(q - begin) / unit))).share
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
        snapped=share if share < 1.0 else 0.0,
    )


class Relative(Homotopy):
    """Homotopy of the relative coordinates from a pose to the equilibrium under signals ``u``; driven coordinates have
    their final values. Increments belong to the free coordinates, in units.
    """

    def __init__(self, system: Kinked, q: np.ndarray, u: np.ndarray) -> None:
        self.system, self.q, self.lam = system, q.copy(), np.zeros(0)
        for joint, signal in system.driven:
            self.q[joint] = u[signal]
        self.free = np.setdiff1d(np.arange(q.size), [joint for joint, _ in system.driven])
        self.unit, still = system.units[self.free], 0.0 * q
        holds = {
            k: system.residual(self.q, still, still, signals=_part(u, k))[self.free] * self.unit for k in (0.0, 1.0)
        }
        self.part = min(holds, key=lambda k: float(np.max(np.abs(holds[k]), initial=0.0)))
        self.u, self.hold = u, holds[self.part]

    def rests(self) -> bool:
        """Return whether the pose is stable, by the eigenvalues of the tangent's symmetric part."""
        k = self.linear(self.q, 0.0)[1]
        return bool(k.size and np.linalg.eigvalsh(0.5 * (k + k.T))[0] > ROUNDING * np.max(np.abs(k)))

    def linear(self, q: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
        """Return H and its derivative."""
        u, still = _part(self.u, self.part + t * (1.0 - self.part)), 0.0 * q
        r = self.system.residual(q, still, still, signals=u)[self.free] * self.unit
        k = linear.tangents(self.system, q, still, still, u).stiffness[np.ix_(self.free, self.free)]
        return r - (1.0 - t) * self.hold, k * self.unit * self.unit[:, None]

    def moved(self, q: np.ndarray, lam: np.ndarray, step: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Return the pose after an increment, or a copy without one."""
        after = q.copy()
        after[self.free] += 0.0 if step is None else self.unit * step
        return after, lam

    def increment(self, q: np.ndarray, lam: np.ndarray, t: float) -> np.ndarray | None:
        """Return Newton's increment; None if the matrix is singular."""
        r, k = self.linear(q, t)
        try:
            step = np.linalg.solve(k, -r)
        except np.linalg.LinAlgError:
            return None
        return step if np.all(np.isfinite(step)) else None

    def size(self, step: np.ndarray) -> float:
        """Return the largest change, in lengths of the model and radians."""
        return float(np.max(np.abs(step), initial=0.0))

    def apart(self, q: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Return the increment from one pose to another."""
        return np.asarray((other - q)[self.free] / self.unit)


def _balanced(system: Kinked, q: np.ndarray, u: np.ndarray) -> bool:
    """Return whether all forces are zero."""
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
    """Return the equilibrium under signals u, or None, and the iterations."""
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
    """Return the number of unstable directions (None if some are neutral), and the joints that are neutral."""
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
    """Return the variables at rest, as of a motion of one instant."""
    record = Record(np.array([time]), q[None], np.zeros((1, q.size)), np.zeros((1, 2)))
    return outputs.Recorded(system, workspace_of(system), record).variables()
