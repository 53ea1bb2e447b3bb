"""Nonlinear least squares with confidence intervals, without mechanics.

    min  sum rho(r^2),   r(u) = d(u) / sigma,      covariance  s^2 (J^T J)^-1

Noise that is not given is estimated group by group from the residuals, and the weights follow (iterated). For robust
losses the covariance is the M-estimator's, ``sum psi^2 / (n - k) / mean(psi')^2 (J^T J)^-1`` (Huber, Robust Statistics,
1981, 6.6); for dependent residuals it follows Newey and West (Econometrica 55, 1987).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from pliant._libraries import optimize

LOSSES = ("linear", "soft_l1", "huber", "cauchy")
PASSES = 12
SETTLED = 0.01  # relative change of the estimated noise at convergence
FLOOR = 1e-9  # of the measured values: least noise
TIGHT = 1e-9  # tolerance of the search; the effect of one more step is checked separately
SMALL = 1e-7  # of a size: a smaller step has no effect, whatever the noise
NEAR = 1e-6  # of a size: distance at which a parameter is at its bound
MAD = 1.482602218505602  # standard deviation over median absolute deviation of a normal distribution

Evaluated = tuple[np.ndarray, np.ndarray]
Function = Callable[[np.ndarray], np.ndarray]


class Data(NamedTuple):
    """Attributes of every difference.

    group   number of its group of equal noise
    series  number of its quantity in its measurement
    block   number of its measurement
    row     of the measurement
    unit    reference of its noise: 1, or the measured value
    """

    group: np.ndarray
    series: np.ndarray
    block: np.ndarray
    row: np.ndarray
    unit: np.ndarray

    def weight(self, noise: np.ndarray) -> np.ndarray:
        """Return one over the noise of every difference."""
        return np.asarray(1.0 / (noise[self.group] * self.unit))


class Noise(NamedTuple):
    """Noise of every group: given, or NaN, and the size of its measured values."""

    given: np.ndarray
    size: np.ndarray


class Fitted(NamedTuple):
    """Result of the search.

    u         unknowns over their sizes
    r, jac    residuals over the noise, and their derivatives
    noise     of every group
    scale     s: of residuals over the given noise, 1 where it was estimated
    free      parameters that are not held by a bound
    remaining largest change by one more step, in standard errors
    """

    u: np.ndarray
    r: np.ndarray
    jac: np.ndarray
    noise: np.ndarray
    scale: float
    free: np.ndarray
    remaining: float
    evaluations: int
    converged: bool
    message: str


def slopes_of(loss: str, r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return psi(r) = rho'(r^2) r and its derivative.

    >>> [each.round(3).tolist() for each in slopes_of("huber", np.array([0.5, -3.0]))]
    [[0.5, -1.0], [1.0, 0.0]]
    """
    z = r * r
    if loss == "linear":
        first, second = np.ones_like(z), np.zeros_like(z)
    elif loss == "soft_l1":
        first, second = (1.0 + z) ** -0.5, -0.5 * (1.0 + z) ** -1.5
    elif loss == "huber":
        far = np.maximum(z, 1.0)
        first, second = far**-0.5, np.where(z > 1.0, -0.5 * far**-1.5, 0.0)
    else:
        first, second = 1.0 / (1.0 + z), -1.0 / (1.0 + z) ** 2
    return first * r, first + 2.0 * second * z


def penalty(loss: str, r: np.ndarray) -> float:
    """Return ``sum rho(r^2)``.

    >>> [penalty(loss, np.array([3.0])) for loss in ("linear", "huber")]
    [9.0, 5.0]
    """
    z = r * r
    if loss == "linear":
        found = z
    elif loss == "soft_l1":
        found = 2.0 * (np.sqrt(1.0 + z) - 1.0)
    elif loss == "huber":
        found = np.where(z > 1.0, 2.0 * np.sqrt(z) - 1.0, z)
    else:
        found = np.log1p(z)
    return float(np.sum(found))


def solve(
    difference: Function,
    derivative: Function,
    start: np.ndarray,
    bounds: tuple[np.ndarray, np.ndarray],
    *,
    data: Data,
    noise: Noise,
    loss: str = "linear",
    most: int = 100,
) -> Fitted:
    """Solve the least squares of differences over their noise, which is estimated where it is not given."""
    sigma = np.where(np.isnan(noise.given), noise.size, noise.given)
    u, evaluations, message, status = start, 0, "", 1
    search = not np.all(np.isfinite(noise.given))
    for _ in range(PASSES):
        if evaluations >= most:
            break
        weight = data.weight(sigma)
        found = optimize.least_squares(
            lambda v, w=weight: difference(v) * w,
            u,
            lambda v, w=weight: derivative(v) * w[:, None],
            bounds=bounds,
            loss=loss,
            method="trf",
            ftol=TIGHT,
            xtol=TIGHT,
            gtol=TIGHT,
            max_nfev=most - evaluations,
        )
        u, evaluations, status, message = found.x, evaluations + found.nfev, found.status, str(found.message)
        if not search:
            break
        before, sigma = sigma, _noise(difference(u) / data.unit, data, noise, u.size, loss)
        single = sigma.size == 1 and loss == "linear"
        if single or np.all(np.abs(sigma - before) <= SETTLED * before):
            break
    weight = data.weight(sigma)
    r, jac = difference(u) * weight, derivative(u) * weight[:, None]
    free = _free(u, jac.T @ slopes_of(loss, r)[0], bounds)
    return Fitted(
        u, r, jac, sigma, _scale(r, noise, data, int(free.sum())), free, _remaining(r, jac, free, loss), evaluations,
        status > 0, message,
    )  # fmt: skip


def _noise(d: np.ndarray, data: Data, noise: Noise, count: int, loss: str) -> np.ndarray:
    """Estimate standard deviations of the groups from the residuals."""
    found = noise.given.copy()
    share = 1.0 - count / d.size
    for k in np.flatnonzero(np.isnan(noise.given)):
        own = d[data.group == k]
        middle = float(np.sqrt(np.mean(own**2))) if loss == "linear" else MAD * float(np.median(np.abs(own)))
        found[k] = max(middle / np.sqrt(share), FLOOR * noise.size[k])
    return found


def _scale(r: np.ndarray, noise: Noise, data: Data, count: int) -> float:
    """Return the residuals' size over the given noise, at least 1; estimated noise is no reference."""
    given = np.isfinite(noise.given)[data.group]
    if not np.any(given):
        return 1.0
    own = r[given]
    return max(1.0, float(np.sqrt(np.sum(own**2) / max(own.size - count * own.size / r.size, 1.0))))


def freedoms(fitted: Fitted, data: Data, noise: Noise) -> float:
    """Return the noise's degrees of freedom: of the smallest group with estimated noise; otherwise of all values."""
    n = fitted.r.size
    share = max(1.0 - int(fitted.free.sum()) / n, 0.0)
    sizes = [int(np.sum(data.group == k)) for k in np.flatnonzero(np.isnan(noise.given))]
    return max(share * min(sizes or [n]), 1.0)


def _free(u: np.ndarray, gradient: np.ndarray, bounds: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Return the parameters not held by a bound; one at a bound whose gradient points inside is free."""
    low = (u - bounds[0] < NEAR) & (gradient > 0.0)
    high = (bounds[1] - u < NEAR) & (gradient < 0.0)
    return ~(low | high)


def _remaining(r: np.ndarray, jac: np.ndarray, free: np.ndarray, loss: str) -> float:
    """Return the next Gauss-Newton step in standard errors, along directions known better than their size."""
    psi, bend = slopes_of(loss, r)
    own = jac[:, free]
    if not own.size:
        return 0.0
    u, s, _ = np.linalg.svd(own, full_matrices=False)
    known = s > 1.0
    spread = float(np.sqrt(np.mean(psi**2))) / max(float(np.mean(bend)), 1e-3)
    step = np.abs(u.T @ psi)[known] / max(float(np.mean(bend)), 1e-3)
    counts = step / s[known] > SMALL
    return float(np.max(step[counts], initial=0.0)) / max(spread, 1e-300)


def covariance(fitted: Fitted, loss: str) -> np.ndarray:
    """Return the covariance of all u; NaN for parameters held at a bound. The others are as uncertain as if these were
    free: noise may have driven them to the bound, and with them the correlated parameters. Directions without influence
    are infinite.
    """
    n, k = fitted.r.size, int(fitted.free.sum())
    psi, bend = slopes_of(loss, fitted.r)
    spread = float(np.sum(psi**2)) / max(n - k, 1) / max(float(np.mean(bend)), 1e-3) ** 2
    if loss == "linear":
        spread = fitted.scale**2
    return _of_free(fitted, spread * inverse(fitted.jac))


def _of_free(fitted: Fitted, matrix: np.ndarray) -> np.ndarray:
    """Return the matrix with NaN for parameters at a bound."""
    return np.where(np.outer(fitted.free, fitted.free), matrix, np.nan)


def inverse(jac: np.ndarray) -> np.ndarray:
    """Return (J^T J)^-1; undetermined directions become huge, not lost."""
    _, s, vt = np.linalg.svd(jac, full_matrices=False)
    s = np.maximum(s, 1e-14 * max(float(np.max(s, initial=0.0)), 1e-300))
    return (vt.T / s**2) @ vt


def clustered(fitted: Fitted, loss: str, data: Data, reach: Sequence[int]) -> np.ndarray:
    """Return the covariance for dependent residuals in a row, and over as many rows as ``reach`` says, by measurement:
    ``B S B``, B = (J^T J)^-1, S the sum of products of the rows' scores with weights 1 - l/(L + 1). No variance is
    below its value for independent residuals.
    """
    own = fitted.jac
    psi, bend = slopes_of(loss, fitted.r)
    n, k = own.shape
    scores = own * psi[:, None] / max(float(np.mean(bend)), 1e-3)
    total = np.zeros((k, k))
    for block, longest in enumerate(reach):
        inside = data.block == block
        rows = int(data.row[inside].max()) + 1
        g = np.zeros((rows, k))
        np.add.at(g, data.row[inside], scores[inside])
        total += g.T @ g
        for lag in range(1, min(longest, rows - 1) + 1):
            cross = g[lag:].T @ g[:-lag]
            total += (1.0 - lag / (longest + 1.0)) * (cross + cross.T)
    bread = inverse(own)
    found = bread @ total @ bread * n / max(n - k, 1)
    plain = covariance(fitted, loss)
    with np.errstate(divide="ignore", invalid="ignore"):
        grown = np.sqrt(np.maximum(1.0, np.nan_to_num(np.diag(plain) / np.diag(found), posinf=1.0)))
    return _of_free(fitted, found * np.outer(grown, grown))
