"""Allocation of a wanted wrench to many actuators: a quadratic programme with bounds.

    least |W (u - u0)|^2     with  map u = wrench,  lower <= u <= upper

Two steps. First find the wrench nearest to the wanted one, measured by V: least squares with bounds, by active sets. If
nothing is missing, the wanted wrench is reachable; else every actuator that could reduce the missing part is at a
bound, and stays there. Then find, among all u that make this wrench, the one nearest to u0.

Two solvers: least squares with bounds, and the shortest of all solutions of equations with bounds.

The second uses the method of multipliers (Hestenes 1969, Powell 1969), which takes few steps if rho is large:

    x = least of |x|^2 + rho |goal - matrix x + y / rho|^2 within bounds,      y <- y + rho (goal - matrix x)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pliant.control import checks
from pliant.control.checks import PerActuator
from pliant.errors import ConvergenceError, OptionError

PENALTY = 1e6  # initial rho for a map with largest singular value 1
STIFFEST = 1e6  # largest root of rho for such a map
STEPS = 100  # steps of the method of multipliers
ROUNDING = 1e-13  # relative to the wrench


def nearest(
    matrix: np.ndarray, goal: np.ndarray, low: np.ndarray, high: np.ndarray, start: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Find least |x| with ``matrix x = goal`` within bounds, from a feasible start; also return the multipliers."""
    largest, x, multipliers = float(np.linalg.norm(matrix, 2)) if matrix.size else 0.0, start, np.zeros(goal.size)
    if largest == 0.0:
        return np.clip(np.zeros_like(start), low, high), multipliers
    size = max(float(np.linalg.norm(goal)), largest * float(np.linalg.norm(start)))
    root, last = np.sqrt(PENALTY) / largest, np.inf
    for _ in range(STEPS):
        stacked = np.vstack([root * matrix, np.eye(x.size)])
        x = bounded(stacked, np.r_[root * goal + multipliers / root, np.zeros(x.size)], low, high, x)
        gap = goal - matrix @ x
        multipliers = multipliers + root**2 * gap
        left = float(np.linalg.norm(gap))
        if left <= ROUNDING * size:
            break
        root, last = root * (3.0 if left > 0.1 * last and root * largest < STIFFEST else 1.0), left
    free = (x > low) & (x < high)
    if free.any():  # polish both without rho, which is only rounding by now
        x[free] = np.clip(_least(matrix[:, free], goal - matrix[:, ~free] @ x[~free]), low[free], high[free])
        multipliers = multipliers + _least(matrix[:, free].T, x[free] - matrix[:, free].T @ multipliers)
    return x, multipliers


def _least(matrix: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """Return the shortest least-squares solution."""
    return np.asarray(np.linalg.lstsq(matrix, goal, rcond=1e-13)[0])


def bounded(matrix: np.ndarray, goal: np.ndarray, low: np.ndarray, high: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Find least |matrix x - goal| within bounds: active sets, from a start within the bounds.

    Minimise with the variables at bounds held; stop at the first bound met and hold it too; at the minimum release the
    one that pulls inward most. Every minimum is lower than the one before, so no active set repeats.

    >>> bounded(np.eye(2), np.array([2.0, -1.0]), np.zeros(2), np.ones(2), np.zeros(2))
    array([1., 0.])
    """
    x = np.clip(start, low, high)
    free = (x > low) & (x < high)
    for _ in range(20 * x.size + 20):
        step = np.zeros_like(x)
        step[free] = _least(matrix[:, free], goal - matrix @ x) if free.any() else 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(step > 0.0, (high - x) / step, np.where(step < 0.0, (low - x) / step, np.inf))
        first = int(np.argmin(room))
        if room[first] < 1.0:
            x = np.clip(x + max(0.0, room[first]) * step, low, high)
            x[first] = high[first] if step[first] > 0.0 else low[first]
            free[first] = False
            continue
        x = np.clip(x + step, low, high)
        pull = matrix.T @ (goal - matrix @ x)
        inward = np.where(x <= low, pull, -pull)
        inward[free | (low == high)] = 0.0
        worst = int(np.argmax(inward))
        noise = 1e-14 * np.linalg.norm(matrix[:, worst]) * max(np.linalg.norm(goal), np.linalg.norm(matrix @ x))
        if inward[worst] <= noise:
            return x
        free[worst] = True
    raise ConvergenceError("allocate: the active-set method did not converge. Give weights that differ less.")


REACHED = 1e-9  # of the wrench: missing share of a wrench that is still reached
PUSHED = 1e-9  # of the missing part: an actuator that would reduce it by less is not held at its bound


@dataclass(frozen=True, eq=False)
class WrenchMap:
    """``wrench = matrix u``: the wrench of actuators on a fixed body, about an operating point.

    components  names of the wrench's components, such as "Fx", "Fy", "M"
    actuators   names of the signals
    matrix      components by actuators: N per N, N m per N m ...
    values      of the actuators at the operating point

    >>> pair = WrenchMap(("Fx",), ("left", "right"), np.array([[-1.0, 1.0]]), np.zeros(2))
    >>> pair.null_space().tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """

    components: tuple[str, ...]
    actuators: tuple[str, ...]
    matrix: np.ndarray
    values: np.ndarray

    def null_space(self, weights: PerActuator = 1.0) -> np.ndarray:
        """Return the (actuators, actuators) projector onto changes of the actuators that produce no wrench: ``1 -
        inverse matrix``.
        """
        return np.asarray(np.eye(len(self.actuators)) - self.inverse(weights) @ self.matrix)

    def inverse(self, weights: PerActuator = 1.0) -> np.ndarray:
        """Return the (actuators, components) weighted pseudo-inverse: ``u = inverse wrench`` are the smallest changes
        by weights, without bounds.
        """
        cheap = 1.0 / _weights("WrenchMap", weights, self.actuators) ** 2
        return np.asarray((self.matrix * cheap).T @ np.linalg.pinv((self.matrix * cheap) @ self.matrix.T, rcond=1e-12))


@dataclass(frozen=True, eq=False)
class Allocation:
    """Result of `allocate`.

    values     of the actuators
    wrench     wanted wrench; `reached`: the wrench that the values make
    feasible   whether both agree, to 1e-9 of the wanted wrench
    active     actuators at a bound: {name: "lower" or "upper"}
    residual   of the conditions of an optimum (Karush, Kuhn and Tucker), over the largest of their terms
    message    in words, with what to try if the wrench is out of reach
    """

    actuators: tuple[str, ...]
    components: tuple[str, ...]
    values: np.ndarray
    wrench: np.ndarray
    reached: np.ndarray
    feasible: bool
    active: dict[str, str]
    residual: float
    message: str

    @property
    def missing(self) -> np.ndarray:
        """Return wanted less reached wrench."""
        return self.wrench - self.reached

    def __getitem__(self, actuator: str) -> float:
        return float(self.values[self.actuators.index(actuator)])

    def __str__(self) -> str:
        return self.message


def allocate(
    wrench: ArrayLike | Mapping[str, float],
    map: WrenchMap | ArrayLike,
    *,
    lower: PerActuator = 0.0,
    upper: PerActuator = np.inf,
    preferred: PerActuator = None,
    weights: PerActuator = 1.0,
    wrench_weights: PerActuator = 1.0,
) -> Allocation:
    """Find actuator forces within bounds that produce a wrench, as near as possible to preferred forces.

    wrench          one number for each component; or a mapping from components to numbers, the others being zero
    map             `WrenchMap`, or a matrix, components by actuators
    lower, upper    bounds of the actuators, for all or by name; tendons pull, so lower is 0 unless given
    preferred       u0, for all or by name; default: the values of the map, or 0 for a matrix; moved into the bounds
    weights         W of every actuator, positive; 1 / (its largest force) makes different actuators comparable
    wrench_weights  V of every component, used to find the nearest wrench if this one is out of reach; 1 / (deviation
                    that matters)

    A wrench out of reach raises no error: ``feasible`` is then False, ``reached`` is the nearest wrench within the
    bounds, and ``message`` explains.

    >>> pull = [[1.0, -1.0, 0.0], [0.0, 1.0, 1.0]]  # three tendons in a plane
    >>> found = allocate([2.0, 1.0], pull, upper=10.0)
    >>> found.values.round(6).tolist(), found.feasible, found.active
    ([2.0, 0.0, 1.0], True, {'u2': 'lower'})
    >>> allocate([2.0, -1.0], pull, upper=10.0).reached.round(6).tolist()
    [2.0, 0.0]
    """
    task = _task(wrench, map, lower, upper, preferred, weights, wrench_weights)
    return _allocation(task, *_solve(task))


@dataclass(frozen=True, eq=False)
class _Task:
    components: tuple[str, ...]
    actuators: tuple[str, ...]
    matrix: np.ndarray
    wrench: np.ndarray
    low: np.ndarray
    high: np.ndarray
    preferred: np.ndarray
    weights: np.ndarray
    wrench_weights: np.ndarray

    @property
    def size(self) -> float:
        """Return the weighted size of the wrench; for zero, of the preferred actuators' wrench, or 1."""
        sizes = (self.wrench, self.matrix @ self.preferred)
        return next((size for size in (float(np.linalg.norm(self.wrench_weights * w)) for w in sizes) if size), 1.0)

    @property
    def scaled(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return map, wrench and bounds in ``x = W (u - u0)``, wrenches times V: ``matrix x = goal``."""
        v, w = self.wrench_weights, self.weights
        matrix = v[:, None] * self.matrix / w
        goal = v * (self.wrench - self.matrix @ self.preferred)
        return matrix, goal, w * (self.low - self.preferred), w * (self.high - self.preferred)


def _solve(task: _Task) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return actuators, multipliers of the wrench, and the actuators held at bounds for the nearest wrench."""
    matrix, goal, low, high = task.scaled
    x = bounded(matrix, goal, low, high, np.zeros_like(low))
    missing = goal - matrix @ x
    push, free = matrix.T @ missing, np.ones(x.size, bool)
    if np.linalg.norm(missing) > REACHED * task.size:
        free = np.abs(push) <= PUSHED * np.linalg.norm(matrix, axis=0) * np.linalg.norm(missing)
        goal = matrix @ x
    else:
        goal = goal - missing  # the rounding left
    x[free], multipliers = nearest(matrix[:, free], goal - matrix[:, ~free] @ x[~free], low[free], high[free], x[free])
    return np.clip(task.preferred + x / task.weights, task.low, task.high), multipliers, ~free


def _allocation(task: _Task, u: np.ndarray, multipliers: np.ndarray, stuck: np.ndarray) -> Allocation:
    reached = task.matrix @ u
    missing = task.wrench_weights * (task.wrench - reached)
    share = float(np.linalg.norm(missing)) / task.size
    feasible = bool(share <= REACHED)
    at = np.where(u <= task.low, "lower", np.where(u >= task.high, "upper", ""))
    active = {name: str(bound) for name, bound in zip(task.actuators, at, strict=True) if bound}
    if feasible:
        held = ", ".join(f"{name} at its {bound} bound" for name, bound in active.items())
        message = f"wrench reached, {share:.1e} of it missing" + (f"; {held}" if held else "")
    else:
        blame = [name for name, one in zip(task.actuators, stuck, strict=True) if one]
        message = _out_of_reach(task, missing, share, {name: active[name] for name in blame if name in active})
    residual = _residual(task, u, multipliers, stuck, missing)
    return Allocation(task.actuators, task.components, u, task.wrench, reached, feasible, active, residual, message)


def _residual(task: _Task, u: np.ndarray, multipliers: np.ndarray, stuck: np.ndarray, missing: np.ndarray) -> float:
    """Return the largest push of an actuator that could still give way, over the largest push of all.

    An actuator is pushed towards its preferred value and by the multipliers of the wrench; actuators stuck at a bound
    by the missing wrench, which must push them outward.
    """
    scaled = task.wrench_weights[:, None] * task.matrix / task.weights
    home, lead = task.weights * (task.preferred - u), scaled.T @ multipliers
    outward = scaled.T @ missing
    push = np.where(stuck, outward, home + lead)
    left = np.where(u <= task.low, np.maximum(push, 0.0), np.where(u >= task.high, np.minimum(push, 0.0), push))
    left[task.low == task.high] = 0.0
    largest = np.where(stuck, np.max(np.abs(outward), initial=0.0), max(np.max(np.abs(home)), np.max(np.abs(lead))))
    return float(np.max(np.abs(left) / np.maximum(largest, 1e-300), initial=0.0))


def _out_of_reach(task: _Task, missing: np.ndarray, share: float, stuck: Mapping[str, str]) -> str:
    gaps = zip(task.components, missing / task.wrench_weights, strict=True)
    parts = ", ".join(f"{name} {gap:.4g}" for name, gap in gaps if abs(gap) > 1e-9 * np.max(np.abs(task.wrench)))
    missed = f"wrench out of reach: {share:.3g} of it is missing ({parts}); "
    if not stuck:
        return f"{missed}no actuator acts that way. Ask for another wrench, or add an actuator."
    bounds = ", ".join(f"{name} at its {bound} bound" for name, bound in stuck.items())
    return f"{missed}{bounds}. Ask for less this way, or widen the bounds of {', '.join(stuck)}."


def _task(
    wrench: ArrayLike | Mapping[str, float],
    map: WrenchMap | ArrayLike,
    lower: PerActuator,
    upper: PerActuator,
    preferred: PerActuator,
    weights: PerActuator,
    wrench_weights: PerActuator,
) -> _Task:
    owner = "allocate"
    given = map if isinstance(map, WrenchMap) else _bare(owner, map)
    if given.matrix.shape != (len(given.components), len(given.actuators)) or not np.all(np.isfinite(given.matrix)):
        raise OptionError(
            f"{owner}: the map must hold finite numbers, {len(given.components)} components by {len(given.actuators)} "
            f"actuators; its shape is {given.matrix.shape}."
        )
    names, components = given.actuators, given.components
    zero = np.zeros(len(components))
    if isinstance(wrench, Mapping):
        wanted = checks.per_name(owner, "wrench", wrench, components, zero)
    else:
        wanted = np.array([checks.number(owner, "wrench", each) for each in np.ravel(np.asarray(wrench, object))])
    if wanted.size != zero.size:
        raise OptionError(
            f"{owner}: wrench has {wanted.size} components; the map has {zero.size}: {', '.join(components)}."
        )
    low = _bounds(owner, "lower", lower, names, -np.inf)
    high = _bounds(owner, "upper", upper, names, np.inf)
    for name, least, most in zip(names, low, high, strict=True):
        if not least <= most:
            raise OptionError(f"{owner}: bounds of {name!r}: lower = {least:g} is above upper = {most:g}.")
        if least == np.inf or most == -np.inf:
            raise OptionError(f"{owner}: bounds of {name!r}: {least:g} to {most:g} leave no finite value.")
    first = _bounds(owner, "preferred", preferred, names, 0.0) if preferred is not None else given.values
    v = _weights(owner, wrench_weights, components, "wrench_weights")
    return _Task(
        components,
        names,
        given.matrix,
        wanted,
        low,
        high,
        np.clip(first, low, high),
        _weights(owner, weights, names),
        v,
    )


def _bare(owner: str, matrix: Any) -> WrenchMap:
    try:
        found = np.array(matrix, float)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.ndim != 2 or not found.size or not np.all(np.isfinite(found)):
        raise OptionError(f"{owner}: map={matrix!r:.60}: give a WrenchMap, or finite numbers, components by actuators.")
    rows, columns = found.shape
    return WrenchMap(
        tuple(f"w{i + 1}" for i in range(rows)), tuple(f"u{i + 1}" for i in range(columns)), found, np.zeros(columns)
    )


def _bounds(owner: str, argument: str, value: Any, names: Sequence[str], missing: float) -> np.ndarray:
    """Return one number an actuator; infinite numbers are allowed, NaN is not."""
    if isinstance(value, Mapping):
        checks.positions(owner, argument, value, names)
        value = [value.get(name, missing) for name in names]
    try:
        found = np.broadcast_to(np.asarray(value, float), (len(names),)).copy()
    except (TypeError, ValueError):
        raise OptionError(
            f"{owner}: {argument}={value!r:.60}: give one number, {len(names)} of them, or some by name."
        ) from None
    if np.any(np.isnan(found)) or (argument == "preferred" and not np.all(np.isfinite(found))):
        raise OptionError(f"{owner}: {argument} holds {found[~np.isfinite(found)][0]}; give numbers.")
    return found


def _weights(owner: str, value: Any, names: Sequence[str], argument: str = "weights") -> np.ndarray:
    found = _bounds(owner, argument, value, names, 1.0)
    if not (np.all(found > 0.0) and np.all(np.isfinite(found))):
        bad = names[int(np.argmin(np.where(np.isfinite(found), found, -np.inf)))]
        raise OptionError(f"{owner}: {argument} of {bad!r} must be positive and finite.")
    return found
