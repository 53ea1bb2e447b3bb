"""Likelihood intervals: ends of confidence intervals of a nonlinear model.

    sum rho((r + z J d)^2) - sum rho(r^2)    change of the misfit at the end z of an interval, by the linear model
    sum rho(r(u + q z d)^2) - sum rho(r^2)   by the model itself; the interval ends at equality

d = C e_k / sqrt(C_kk) changes parameter k by its standard error, and the others with it: the likelihood interval (D. M.
Bates, D. G. Watts, Nonlinear Regression Analysis and Its Applications, 1988, chapter 6). The others are corrected once,
by a Gauss-Newton step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant_fit.identification.fitting import Fitted, inverse, penalty

STRAIGHT = 0.1  # relative difference of the misfit at the end of an interval that is accepted as linear
PASSES = 5
FARTHEST = 3.0  # largest ratio of lengths of an interval: beyond, it is unknown


def reaches(task: Any, fitted: Fitted, loss: str, times: float) -> tuple[np.ndarray, list[str]]:
    """Return by parameter of the model how many times longer its interval is than in the linear model, below and above;
    and the names with unknown intervals.
    """
    found = np.ones((fitted.u.size, 2))
    lost = []
    free = np.flatnonzero(fitted.free)
    spread = inverse(fitted.jac[:, free])
    for place, k in enumerate(free.tolist()):
        if k >= len(task.parameters):
            continue  # offsets, shifts and frames act on differences alone
        way = np.zeros(fitted.u.size)
        way[free] = spread[:, place] / np.sqrt(spread[place, place])
        for side, sign in enumerate((-1.0, 1.0)):
            end = sign * times * fitted.scale * way
            factor = _factor(task, fitted, loss, end, [other for other in free.tolist() if other != k])
            found[k, side] = min(factor, FARTHEST)
            if not 1.0 / FARTHEST < factor < FARTHEST and task.names[k] not in lost:
                lost.append(task.names[k])
    return found, lost


def _factor(task: Any, fitted: Fitted, loss: str, end: np.ndarray, others: list[int]) -> float:
    """Return the factor of the way to an interval's end at which the misfit has its intended size."""
    here = penalty(loss, fitted.r)
    wanted = penalty(loss, fitted.r + fitted.jac @ end) - here
    if not wanted > 0.0:
        return 1.0
    weight = task.data.weight(fitted.noise)
    mine = fitted.jac[:, others]

    def rise(factor: float) -> float:
        u = fitted.u + factor * end
        r = task.difference(u) * weight
        if not np.all(np.isfinite(r)):
            return np.inf
        first = penalty(loss, r) - here
        if abs(first / (wanted * factor**2) - 1.0) <= STRAIGHT or not others:
            return first
        u[others] -= inverse(mine) @ mine.T @ r
        r = task.difference(u) * weight
        return min(first, penalty(loss, r) - here) if np.all(np.isfinite(r)) else first

    factor = 1.0
    for number in range(PASSES):
        ratio = rise(factor) / wanted
        if not np.isfinite(ratio):
            return factor if number else 1.0  # no model there, as beyond a bound
        if abs(ratio - 1.0) <= STRAIGHT or not 1.0 / FARTHEST < factor < FARTHEST:
            return factor
        factor /= np.sqrt(max(ratio, 1e-3))
    return factor
