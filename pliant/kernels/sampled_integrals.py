"""The integral of a function sampled at many instants, and the error of the integral that time steps compute."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.jit import kernel
from pliant.kernels.vectors import more


class Looks(NamedTuple):
    """Ascending instants and the values of the function, linear in between."""

    time: np.ndarray
    value: np.ndarray


@kernel
def parts_of(step: float, fewest: int, apart: float) -> int:
    """Return the number of parts of a step: at least ``fewest``, none longer than ``apart``."""
    return max(fewest, int(np.ceil(step / apart * (1.0 - 1e-12))))


@kernel
def count(ends: np.ndarray, fewest: int, apart: float) -> int:
    """Return the number of instants that `divide` makes."""
    total = 0
    for k in range(ends.size - 1):
        total += parts_of(ends[k + 1] - ends[k], fewest, apart) + 1
    return total


@kernel
def divide(ends: np.ndarray, fewest: int, apart: float, just: float, time: np.ndarray) -> None:
    """Compute ascending instants that divide every step into parts; its end instants are moved inwards by ``just`` of
    the step.
    """
    i = 0
    for k in range(ends.size - 1):
        h = ends[k + 1] - ends[k]
        parts = parts_of(h, fewest, apart)
        for j in range(parts + 1):
            time[i] = ends[k] + h * min(max(j / parts, just), 1.0 - just)
            i += 1


@kernel
def integrate(look: Looks, rest: float, integral: np.ndarray) -> float:
    """Compute the integral of value - rest up to every instant by the trapezoidal rule. Return its range."""
    integral[0] = low = high = 0.0
    for i in range(1, integral.size):
        area = (look.time[i] - look.time[i - 1]) * (0.5 * (look.value[i] + look.value[i - 1]) - rest)
        integral[i] = integral[i - 1] + area
        low, high = min(low, integral[i]), max(high, integral[i])
    return high - low


@kernel
def follow(
    ends: np.ndarray,
    look: Looks,
    rest: float,
    integral: np.ndarray,
    rule: np.ndarray,
    values: np.ndarray,
    missed: np.ndarray,
) -> float:
    """Compute the integration error of every step, ``missed = int u dt - h sum b_i u(t + c_i h)`` with rule = (c, b), c
    ascending and u = value - rest. Return the largest error of the accumulated integral at any instant. Within a step,
    u is linear between its nodes, and the integral is as at the step's end. ``values``: workspace for u at the nodes.
    """
    i = j = 0
    total, most = 0.0, 0.0
    for k in range(missed.size):
        h, coarse, straight = ends[k + 1] - ends[k], 0.0, 0.0
        for n in range(values.size):
            i = place(look.time, ends[k] + h * rule[0, n], i)
            values[n] = between(look.time, look.value, ends[k] + h * rule[0, n], i) - rest
            coarse += h * rule[1, n] * values[n]
            if n:
                straight += 0.5 * h * (rule[0, n] - rule[0, n - 1]) * (values[n] + values[n - 1])
        straight += h * (rule[0, 0] * values[0] + (1.0 - rule[0, -1]) * values[-1])
        n, area, last, value = 0, 0.0, 0.0, values[0]  # nodes passed, integral up to the last one
        while j < look.time.size and look.time[j] <= ends[k + 1]:
            at = (look.time[j] - ends[k]) / h
            while n < values.size and rule[0, n] <= at:
                area += 0.5 * h * (rule[0, n] - last) * (value + values[n])
                last, value, n = rule[0, n], values[n], n + 1
            here = value if n == values.size else value + (values[n] - value) * (at - last) / (rule[0, n] - last)
            sight = area + 0.5 * h * (at - last) * (value + here) + (coarse - straight) * at
            most = more(most, abs(total + sight - integral[j]))
            j += 1
        begin, i = i, place(look.time, ends[k + 1], i)
        begin = place(look.time, ends[k], begin)
        whole = between(look.time, integral, ends[k + 1], i) - between(look.time, integral, ends[k], begin)
        missed[k] = whole - coarse
        total += coarse
    return most


@kernel
def place(x: np.ndarray, at: float, i: int) -> int:
    """Return the interval of ascending x that contains a point (the first or last one beyond the ends), searching from
    interval i.
    """
    while i > 0 and x[i] > at:
        i -= 1
    while i < x.size - 2 and x[i + 1] < at:
        i += 1
    return i


@kernel
def between(x: np.ndarray, y: np.ndarray, at: float, i: int) -> float:
    """Interpolate y linearly at a point of interval i, between x[i] and x[i + 1]; constant beyond them."""
    share = (at - x[i]) / (x[i + 1] - x[i])
    return y[i] + min(max(share, 0.0), 1.0) * (y[i + 1] - y[i])
