"""How far intervals reach where a model is not linear over them.

    sum rho((r + z J d)^2) - sum rho(r^2)    what the linear model says of the misfit at the end z of an interval
    sum rho(r(u + q z d)^2) - sum rho(r^2)   what the model says; where both are equal the interval ends

d = C e_k / sqrt(C_kk) changes parameter k by its standard error, and the others as they follow it: the likelihood
interval (D. M. Bates, D. G. Watts, Nonlinear Regression Analysis and Its Applications, 1988, chapter 6). The others
are corrected once, by a step of Gauss and Newton.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant_fit.identification.fitting import Fitted, inverse, penalty

STRAIGHT = 0.1  # of the misfit at the end of an interval: what may differ from the linear model
PASSES = 5
FARTHEST = 3.0  # times an interval may be longer or shorter: beyond, it is not known


def reaches(task: Any, fitted: Fitted, loss: str, times: float) -> tuple[np.ndarray, list[str]]:
    """By parameter of the model, how many times longer than in the linear model its interval is, below and above; and
    names of those whose interval cannot be told.
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
    """How many times the way to the end of an interval is to be gone until the misfit is as large as it should be."""
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
            return factor if number else 1.0  # there is no such model, as beyond a bound
        if abs(ratio - 1.0) <= STRAIGHT or not 1.0 / FARTHEST < factor < FARTHEST:
            return factor
        factor /= np.sqrt(max(ratio, 1e-3))
    return factor
