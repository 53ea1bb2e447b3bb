"""Runge-Kutta for x'' = f(x, x', t) on flat arrays: tables, stages, error, size of the step, records.

The stages are x_i = x + h sum a_ij v_j and v_i = v + h sum a_ij x''_j; the last one is the new state. The step follows
the error of this step and of the one before (Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, 1993,
II.4), which keeps it quiet where stability, not accuracy, is the limit. The loop itself, with what a formulation has to
do at a stage, is the formulation's; its ``run`` has the fields used here.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import DOP853, RK23, RK45

from pliant._jit import kernel
from pliant.errors import OptionError

COMPILED = {"RK23": RK23, "RK45": RK45, "DOP853": DOP853}
SAFETY, SHRINK, GROW, MEMORY = 0.9, 0.2, 6.0, 0.2


class Table(NamedTuple):
    """Coefficients of a method with as many stages as ``c``; ``e`` and ``e3`` take the last stage too."""

    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    e: np.ndarray
    e3: np.ndarray  # zero unless the method has a second estimate
    order: float  # of the error estimate
    gamma: float  # diagonal of the stages between first and last; 0: explicit
    inner_a: np.ndarray  # (k, stages + 1 + k) stages besides, for instants within a step; none: a quintic does
    inner_c: np.ndarray  # (k)
    inner: np.ndarray  # (4, stages + 1 + k) of the polynomial that they make


class Tolerance(NamedTuple):
    """What is allowed of the error of a step: place + part |x| of positions, pace + part |v| of velocities."""

    part: float
    place: np.ndarray  # (n)
    pace: np.ndarray  # (n)
    gap: float  # of the joints, in units of their allowed errors, from which they are closed; 0: never


class Record(NamedTuple):
    """Instants recorded."""

    time: np.ndarray
    q: np.ndarray
    v: np.ndarray
    spent: np.ndarray


@kernel
def combine(table: Table, stage: int, h: float, run: Any, n: int) -> None:
    """Place and speed of a stage from those before it; of the last, the new state."""
    last = table.c.size
    weights = table.b
    if stage < last:
        weights = table.a[stage]
    elif stage > last:
        weights = table.inner_a[stage - last - 1]
    for i in range(n):
        x, y = 0.0, 0.0
        for j in range(stage):
            x += weights[j] * run.speed[j, i]
            y += weights[j] * run.push[j, i]
        run.place[stage, i] = run.q[i] + h * x
        run.speed[stage, i] = run.v[i] + h * y


@kernel
def error(table: Table, tolerance: Tolerance, h: float, run: Any, n: int) -> float:
    """Largest error of the step, in units of what is allowed."""
    last = table.c.size
    fifth, third = 0.0, 0.0
    for i in range(n):
        x5, y5, x3, y3 = 0.0, 0.0, 0.0, 0.0
        for j in range(last + 1):
            x5 += table.e[j] * run.speed[j, i]
            y5 += table.e[j] * run.push[j, i]
            x3 += table.e3[j] * run.speed[j, i]
            y3 += table.e3[j] * run.push[j, i]
        place = tolerance.place[i] + tolerance.part * max(abs(run.q[i]), abs(run.place[last, i]))
        pace = tolerance.pace[i] + tolerance.part * max(abs(run.v[i]), abs(run.speed[last, i]))
        here = max(abs(x5) / place, abs(y5) / pace)
        if not here <= fifth:  # NaN is passed on
            fifth = here
        third = max(third, max(abs(x3) / place, abs(y3) / pace))
    if third == 0.0:
        return h * fifth
    return h * fifth * fifth / np.sqrt(fifth * fifth + 0.01 * third * third)


@kernel
def shrunk(table: Table, size: float) -> float:
    """Factor on a step whose error was too large, or that failed (infinite)."""
    return max(SHRINK, SAFETY * size ** (-1.0 / (table.order + 1.0))) if size < np.inf else 0.5


@kernel
def grown(table: Table, size: float, clock: np.ndarray) -> float:
    """Factor on a step that was accepted; its error is left in the clock for the next."""
    power = 1.0 / (table.order + 1.0)
    size = max(size, 1e-4)
    factor = SAFETY * size ** (power * (0.75 * MEMORY - 1.0)) * clock[2] ** (power * MEMORY)
    clock[2] = size
    return min(GROW, max(SHRINK, factor))


@kernel
def keep(run: Any, record: Record, time: float, q: np.ndarray, v: np.ndarray, supplied: float, lost: float) -> None:
    """Record a state."""
    m = run.counts[3]
    record.time[m] = time
    for i in range(record.q.shape[1]):
        record.q[m, i] = q[i]
        record.v[m, i] = v[i]
    record.spent[m, 0], record.spent[m, 1] = supplied, lost
    run.counts[3] += 1


@kernel
def within(table: Table, slopes: np.ndarray, i: int, s: float, h: float, whole: float) -> float:
    """How far a quantity has come at the part s of a step, from its slopes at the stages and from its whole way: of
    seventh order (Hairer, Norsett, Wanner I, II.6).
    """
    first, final, y = h * slopes[0, i], h * slopes[table.c.size, i], 0.0
    for k in range(3, -1, -1):
        part = 0.0
        for j in range(table.inner.shape[1]):
            part += table.inner[k, j] * slopes[j, i]
        y = (y + h * part) * (s if k % 2 == 1 else 1.0 - s)
    y = (y + 2.0 * whole - first - final) * s
    y = (y + first - whole) * (1.0 - s)
    return (y + whole) * s


@kernel
def between(
    table: Table, run: Any, record: Record, time: float, h: float, supplied: float, lost: float, last: int
) -> None:
    """Record an instant within a step: by the method's own polynomial or, if it has none, by a quintic in position,
    whose slope is the velocity, and a cubic in energy (Hermite).
    """
    s, m, own = (time - run.clock[0]) / h, run.counts[3], table.inner_c.size > 0
    record.time[m] = time
    for i in range(record.q.shape[1]):
        if own:
            record.q[m, i] = run.q[i] + within(table, run.speed, i, s, h, run.place[last, i] - run.q[i])
            record.v[m, i] = run.v[i] + within(table, run.push, i, s, h, run.speed[last, i] - run.v[i])
            continue
        q, v, a = run.q[i], h * run.v[i], h * h * run.push[0, i]
        d = run.place[last, i] - q - v - 0.5 * a
        e = h * run.speed[last, i] - v - a
        f = h * h * run.push[last, i] - a
        c3, c4, c5 = 10.0 * d - 4.0 * e + 0.5 * f, -15.0 * d + 7.0 * e - f, 6.0 * d - 3.0 * e + 0.5 * f
        record.q[m, i] = q + s * (v + s * (0.5 * a + s * (c3 + s * (c4 + s * c5))))
        record.v[m, i] = (v + s * (a + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)))) / h
    for i in range(2):
        d = (supplied if i == 0 else lost) - run.spent[i]
        if own:
            record.spent[m, i] = run.spent[i] + within(table, run.power, i, s, h, d)
        else:
            p, f = h * run.power[0, i], h * run.power[last, i]
            record.spent[m, i] = run.spent[i] + s * (p + s * (3.0 * d - 2.0 * p - f + s * (p + f - 2.0 * d)))
    run.counts[3] += 1


_NONE_WITHIN = np.zeros((0, 0)), np.zeros(0), np.zeros((4, 0))


def coefficients(method: str, *, within: bool = False) -> Table:
    """Table of a method; those of the explicit ones are scipy's. ``within``: with what it has for instants in steps."""
    if method == "SDIRK4":
        return _sdirk4()
    known: Any = COMPILED[method]
    main = known.E5 if hasattr(known, "E5") else known.E
    second = known.E3 if hasattr(known, "E3") else np.zeros_like(main)
    stages = known.C.size
    a = np.zeros((stages, stages))
    a[:, : known.A.shape[1]] = known.A
    b, c, e, e3 = (np.ascontiguousarray(x, float) for x in (known.B, known.C, main, second))
    inner: Any = _NONE_WITHIN
    if within and hasattr(known, "A_EXTRA"):
        inner = tuple(np.ascontiguousarray(x, float) for x in (known.A_EXTRA, known.C_EXTRA, known.D))
    return Table(a, b, c, e, e3, float(known.error_estimator_order), 0.0, *inner)


def _sdirk4() -> Table:
    """Five implicit stages of order 4, L-stable, estimate of order 3 (Hairer, Wanner, Solving Ordinary Differential
    Equations II, 1996, table IV.6.5); a first stage that only holds the start comes before them.
    """
    a = np.zeros((6, 6))
    a[1, 1] = 1 / 4
    a[2, 1:3] = 1 / 2, 1 / 4
    a[3, 1:4] = 17 / 50, -1 / 25, 1 / 4
    a[4, 1:5] = 371 / 1360, -137 / 2720, 15 / 544, 1 / 4
    a[5, 1:6] = 25 / 24, -49 / 48, 125 / 16, -85 / 12, 1 / 4
    third = np.array([0.0, 59 / 48, -17 / 96, 225 / 32, -85 / 12, 0.0])
    e = np.append(a[5] - third, 0.0)
    return Table(a, a[5].copy(), a.sum(axis=1), e, np.zeros(7), 3.0, 1 / 4, *_NONE_WITHIN)


def allowed(tolerances: Any) -> tuple[float, float] | None:
    """The tolerances, checked."""
    if tolerances is None:
        return None
    try:
        part, least = (float(x) for x in tolerances)
    except (TypeError, ValueError):
        part = least = float("nan")
    if not (0.0 <= part < 1.0 and 0.0 < least < np.inf):
        raise OptionError(f"tolerances={tolerances!r}: give (relative, absolute), such as (1e-8, 1e-10).")
    return part, least
