"""Stability margins of a loop: gain, phase, delay and disk margins, and the peak of its sensitivity.

With L the loop opened at one place, the others being closed, S = 1 / (1 + L) and T = 1 - S:

    gain     L(w) = -1/g: the loop is on the verge of stability with g times its gain; the nearest g above and below 1
    phase    |L(w)| = 1: the least |180 degrees + arg L|
    delay    the same crossings: least (180 degrees + arg L) / w, the lag being positive
    disk     alpha = 2 / max |S - T|: gain and phase may change together, by any factor (2 + d) / (2 - d), |d| < alpha;
             alone by (2 + alpha) / (2 - alpha), or by 2 atan(alpha / 2) (P. Seiler, A. Packard, P. Gahinet 2020)
    peak     max |S|; its inverse is the distance of L from -1

Several loops at once are bounded by the structured size of S - T and S, so that the margin is a safe bound, and does
not depend on units.

Structured size: an upper bound of the structured singular value of a matrix, with perturbations of each loop.

    mu(M) <= least over D of sigma_max(D M D^-1),   D = diag(e^x)

exact for up to three loops (J. C. Doyle 1982). It does not depend on the units of the loops, as sigma_max(M) does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pliant.control.controllers.controller import Controller
from pliant.control.models.loop_response import LoopResponse, frequencies, peak
from pliant.control.models.open_loop import compensator, open_loop
from pliant.control.models.poles import continuous, describe
from pliant.errors import PliantWarning, ThinMargin, warn

if TYPE_CHECKING:
    from pliant.control.design.regulator import Gain
    from pliant.control.models.linear_model import LinearModel

ROUNDS = 12  # of Osborne's balancing
LARGEST = 12.0  # largest x: a factor of 1e5 between the loops
POWERS = (16.0, 1e6)  # p of (sum of sigma^p)^(1/p), the second close to the largest sigma


def balanced(M: np.ndarray) -> np.ndarray:
    """Return x of scales that balance rows and columns of M (or of each of several): near the least bound, and cheap
    (E. E. Osborne 1960).
    """
    size = np.abs(M) ** 2 * (1.0 - np.eye(M.shape[-1]))
    x = np.zeros(M.shape[:-1])
    for _ in range(ROUNDS):
        for i in range(M.shape[-1]):
            weight = np.exp(2.0 * (x[..., i, None] - x))
            row, column = np.sum(size[..., i, :] * weight, axis=-1), np.sum(size[..., :, i] / weight, axis=-1)
            both = (row > 0.0) & (column > 0.0)
            x[..., i] -= 0.25 * np.log(np.where(both, row, 1.0) / np.where(both, column, 1.0))
    return x


def bound(M: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return sigma_max(D M D^-1), for one matrix or each of several."""
    scale = np.exp(np.clip(x, -LARGEST, LARGEST))
    return np.linalg.norm(M * scale[..., :, None] / scale[..., None, :], 2, axis=(-2, -1))


def least_bound(M: np.ndarray) -> float:
    """Find the least bound: a convex problem in x (R. Sezginer, M. Overton 1990), from Osborne's scales on, by BFGS:
    first for a smooth sum of all singular values, then for the largest, which has kinks where two meet (A. S. Lewis, M.
    L. Overton 2013). Any x gives a bound.

    >>> float(round(least_bound(np.array([[0.0, 100.0], [0.01, 0.0]])), 6))
    1.0
    """
    from scipy.optimize import minimize

    x = balanced(M)
    least = float(bound(M, x))
    if len(M) < 2 or least <= 0.0:
        return least
    for power in POWERS:
        x = minimize(_summed, x, (M, power), "BFGS", jac=True, options={"gtol": 1e-8, "maxiter": 300}).x
        x = x - x.mean()
        least = min(least, float(bound(M, x)))
    return least


def _summed(x: np.ndarray, M: np.ndarray, power: float) -> tuple[float, np.ndarray]:
    """Return log (sum of sigma^p)^(1/p) of D M D^-1 and its derivative; log sigma by x_i has |u_i|^2 - |v_i|^2."""
    scale = np.exp(np.clip(x - x.mean(), -LARGEST, LARGEST))
    left, sigma, right = np.linalg.svd(M * scale[:, None] / scale)
    share = (sigma / sigma[0]) ** power
    total = float(np.sum(share))
    slope = (np.abs(left) ** 2 - np.abs(right.T) ** 2) @ share / total
    return float(np.log(sigma[0]) + np.log(total) / power), slope


LEAST_DISK = 0.4
"""Disk margin below which a design is warned about: a gain of 1.5 times, or a lag of 22.6 degrees, may upset it."""
GROWING = 1e-7  # relative to the fastest pole, or beyond 1 if sampled: smaller growth is rounding


@dataclass(frozen=True)
class LoopMargins:
    """Margins of one loop, the others being closed.

    name          the input (or output) at which it is opened
    gain          factor up to which its gain may rise; infinite: any
    gain_down     factor to which it may fall; zero: to nothing
    phase         rad; infinite where the loop gain is never one
    delay         s, before the loop is unstable; in a sampled loop exact for whole samples
    disk          alpha; at most 2 for any loop, which corresponds to an infinite gain margin
    sensitivity   peak of |S|
    crossover     rad/s: the highest frequency at which the loop gain is one; zero if none
    """

    name: str
    gain: float
    gain_down: float
    phase: float
    delay: float
    disk: float
    sensitivity: float
    crossover: float

    def __repr__(self) -> str:
        phase = "any phase" if math.isinf(self.phase) else f"phase {math.degrees(self.phase):.3g} deg"
        return (
            f"{self.name}: gain {self.gain_down:.4g} ... {self.gain:.4g}, {phase}, delay {self.delay:.3g} s, "
            f"disk {self.disk:.3g}, sensitivity {self.sensitivity:.3g}, crossover {self.crossover / 2 / math.pi:.3g} Hz"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Margins:
    """Result of `margins`.

    loops         margins of every loop, one at a time
    disk          alpha of all loops changing at once: a lower bound, exact for up to three loops
    sensitivity   peak of the structured size of S, for all loops at once
    at            where the loops are opened
    unstable      poles of the closed loop that grow, in words: then there is no margin
    compensator   growing poles of the controller alone, in words: without the plant or a sensor it is unstable
    """

    loops: tuple[LoopMargins, ...]
    disk: float
    sensitivity: float
    at: str
    unstable: tuple[str, ...]
    compensator: tuple[str, ...]

    def __repr__(self) -> str:
        words = [repr(one) for one in self.loops]
        if len(self.loops) > 1:
            words.append(f"all at once: disk {self.disk:.3g}, sensitivity {self.sensitivity:.3g}")
        words += [f"unstable: {one}" for one in self.unstable]
        words += [f"the controller alone is unstable: {one}" for one in self.compensator]
        return f"Margins({'ok' if self.ok else 'thin'}, at the {self.at}: {'; '.join(words)})"

    @property
    def ok(self) -> bool:
        """Return whether the loop is stable and its disk margin is not below `LEAST_DISK`."""
        return not self.unstable and self.disk >= LEAST_DISK

    @property
    def gain(self) -> float:
        """Return the least factor by which the gain of one loop may rise."""
        return min(one.gain for one in self.loops)

    @property
    def gain_down(self) -> float:
        """Return the least reduction of the gain of one loop: the largest of the factors."""
        return max(one.gain_down for one in self.loops)

    @property
    def phase(self) -> float:
        """Return the least phase margin of a loop, rad."""
        return min(one.phase for one in self.loops)

    @property
    def delay(self) -> float:
        """Return the least delay margin of a loop, s."""
        return min(one.delay for one in self.loops)


def margins(design: Controller | Gain, model: LinearModel | None = None, *, at: str = "inputs") -> Margins:
    """Compute gain, phase, delay and disk margins of a design, and its sensitivity; a disk margin below `LEAST_DISK`
    gives a warning.

    design  a controller, or a gain of `lqr` as state feedback
    model   the plant of a controller; give the full model to check a controller that was designed on a reduced one
    at      "inputs" or "outputs": where the loops are opened

    `lqg` and `state_feedback` check these margins of every design, on its own model.

    >>> import pliant as pl
    >>> cart = pl.LinearModel([[0, 1], [0, 0]], [[0], [1]], [[1, 0], [0, 1]], [[0], [0]])
    >>> found = margins(pl.lqr(cart, Q=[1, 1], R=1))  # |1 + L| >= 1 of every LQR: 60 degrees and half the gain
    >>> found.gain, round(found.disk, 3), found.phase > 60 * pl.DEG, found.ok
    (inf, 1.309, True, True)
    """
    found = compute_margins(design, model, at=at)
    warn_of(found)
    return found


def compute_margins(design: Controller | Gain, model: LinearModel | None = None, *, at: str = "inputs") -> Margins:
    """Compute the margins without warnings."""
    loop = open_loop(design, model, at=at)
    alone = unstable_compensator(design) if isinstance(design, Controller) else ()
    unstable = _growing(loop.A - loop.B @ loop.C, loop.sample_time)
    if unstable:
        nothing = (LoopMargins(name, 1.0, 1.0, 0.0, 0.0, 0.0, math.inf, 0.0) for name in loop.input_names)
        return Margins(tuple(nothing), 0.0, math.inf, at, unstable, alone)
    return _of_loop(loop, at, alone)


def unstable_compensator(controller: Controller) -> tuple[str, ...]:
    """Describe the growing poles of a controller alone; integrals are left out."""
    return _growing(compensator(controller).A, controller.sample_time)


def warn_of(found: Margins) -> None:
    """Warn of an unstable loop, thin margins, and a controller that is unstable alone."""
    if found.unstable:
        warn(PliantWarning, f"margins: the closed loop is unstable: {'; '.join(found.unstable)}.")
    elif not found.ok:
        together = "" if len(found.loops) == 1 else ", all loops at once"
        gain, lag = (2.0 + found.disk) / (2.0 - found.disk), math.degrees(2.0 * math.atan(0.5 * found.disk))
        warn(
            ThinMargin,
            f"margins: the disk margin at the {found.at} is {found.disk:.3g}{together}, below {LEAST_DISK:g}: a gain "
            f"of {gain:.4g} times, or a lag of {lag:.3g} degrees, may make the loop unstable. Give the inputs more "
            "weight, make the regulator slower or the observer faster, or sample faster.",
        )
    if found.compensator:
        warn(
            PliantWarning,
            f"margins: the controller by itself is unstable ({'; '.join(found.compensator)}): only the plant "
            "stabilises it, and it diverges if a sensor fails. Make it slower, or measure more outputs.",
        )


def _growing(A: np.ndarray, sample_time: float | None) -> tuple[str, ...]:
    values = np.linalg.eigvals(A).astype(complex)
    if sample_time is None:
        growing = values[values.real > GROWING * np.max(np.abs(values), initial=0.0)]
    else:
        growing = values[np.abs(values) > 1.0 + GROWING]
    return tuple(describe(pole) for pole in continuous(growing, sample_time) if pole.imag >= 0.0)


def _of_loop(loop: LinearModel, at: str, alone: tuple[str, ...]) -> Margins:
    response, omega, count = LoopResponse(loop), frequencies(loop), len(loop.input_names)

    def sensitivity(w: np.ndarray) -> np.ndarray:
        return np.linalg.inv(np.eye(count) + response(np.atleast_1d(w)))

    S, S0 = sensitivity(omega), sensitivity(np.zeros(1))[0]
    loops = []
    for i, name in enumerate(loop.input_names):

        def one(w: float, i: int = i) -> complex:
            return complex(1.0 / sensitivity(np.array([w]))[0, i, i] - 1.0)

        loops.append(_of_one(name, one, omega, S[:, i, i], complex(S0[i, i]), loop.sample_time))
    if count == 1:
        return Margins(tuple(loops), loops[0].disk, loops[0].sensitivity, at, (), alone)
    half = 0.5 * np.eye(count)
    disk = 1.0 / _structured_peak(lambda w: sensitivity(np.array([w]))[0] - half, omega, S - half)
    largest = _structured_peak(lambda w: sensitivity(np.array([w]))[0], omega, S)
    return Margins(tuple(loops), disk, largest, at, (), alone)


def _of_one(
    name: str, loop: Callable[[float], complex], omega: np.ndarray, S: np.ndarray, S0: complex, T: float | None
) -> LoopMargins:
    """Compute margins from the sensitivity on a grid, of a loop that is evaluated between its points."""
    L = 1.0 / S - 1.0
    steady = 1.0 / S0 - 1.0 if S0 else complex(-np.inf)
    gains = [steady.real] if S0 else []  # L is real at rest and at half the sampling rate
    if T is not None:
        gains.append(float(L[-1].real))
    crossed = _crossings(lambda w: loop(w).imag, omega, L.imag, L.real < 0.0)
    gains += [loop(w).real for w in crossed]
    factors = [-1.0 / gain for gain in gains if gain < 0.0]
    unity = _crossings(lambda w: math.log(max(abs(loop(w)), 1e-300)), omega, np.log(np.maximum(np.abs(L), 1e-300)))
    lags = [(w, float(np.angle(-loop(w))) % (2.0 * math.pi)) for w in unity]
    disk, _ = peak(lambda w: abs(1.0 / (1.0 + loop(w)) - 0.5), omega, np.abs(S - 0.5))
    largest, _ = peak(lambda w: abs(1.0 / (1.0 + loop(w))), omega, np.abs(S))
    return LoopMargins(
        name=name,
        gain=min((g for g in factors if g > 1.0), default=math.inf),
        gain_down=max((g for g in factors if g < 1.0), default=0.0),
        phase=min((min(lag, 2.0 * math.pi - lag) for _, lag in lags), default=math.inf),
        delay=min((lag / w for w, lag in lags), default=math.inf),
        disk=1.0 / max(disk, abs(S0 - 0.5)),
        sensitivity=max(largest, abs(S0)),
        crossover=max(unity, default=0.0),
    )


def _crossings(
    function: Callable[[float], float], omega: np.ndarray, values: np.ndarray, where: np.ndarray | None = None
) -> list[float]:
    """Find frequencies at which a function changes its sign, between points of a grid (both `where`, if given)."""
    from scipy.optimize import brentq

    changes = np.sign(values[:-1]) * np.sign(values[1:]) < 0.0
    if where is not None:
        changes &= where[:-1] & where[1:]
    return [float(brentq(function, omega[k], omega[k + 1], xtol=1e-12 * omega[k + 1])) for k in np.flatnonzero(changes)]


def _structured_peak(function: Callable[[float], np.ndarray], omega: np.ndarray, values: np.ndarray) -> float:
    """Find the largest structured size over frequency. Cheap bounds select the frequencies: the highest are refined
    until no other bound is above.
    """
    sizes = bound(values, balanced(values))
    done = np.zeros(sizes.size, bool)
    while not done[k := int(np.argmax(sizes))]:
        sizes[k], done[k] = least_bound(values[k]), True
    near = slice(max(0, k - 1), min(sizes.size, k + 2))
    return peak(lambda w: least_bound(function(w)), omega[near], sizes[near])[0]
