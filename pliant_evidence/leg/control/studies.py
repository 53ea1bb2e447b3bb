"""Studies of the controlled leg: growing perturbations beside the linear prediction, and how far the design reaches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import cos, pi, sin
from typing import NamedTuple

import numpy as np
import xarray as xr

from pliant.analyses.motion.monte_carlo import monte_carlo
from pliant.control.comparison import overshoot, predict, settling_time
from pliant.control.controllers.controller import Controller
from pliant.results import Result
from pliant_gallery.leg.control import Q3, Posture, run

BACK = 0.01  # rad: q3 is held if it ends nearer to its posture than this, for good
PACE = 7.6  # 1/s, of the motor's design: a push of PACE rad/s weighs as much as a displacement of 1 rad


class Answer(NamedTuple):
    """Motion of a displaced leg under a controller, beside the linear design."""

    size: float  # rad, displacement of the lower link
    time: np.ndarray
    nonlinear: np.ndarray  # deviation of q3, rad
    linear: np.ndarray
    run: Result
    prediction: xr.Dataset

    @property
    def overshoots(self) -> tuple[float, float]:
        """Nonlinear and linear, as parts of the first deviation."""
        return overshoot(self.nonlinear), overshoot(self.linear)

    def settling_times(self, band: float = 0.05) -> tuple[float, float]:
        """Return nonlinear and linear, s, to a part of the first deviation."""
        nonlinear, linear = (settling_time(self.time, x, band=band) for x in (self.nonlinear, self.linear))
        return nonlinear, linear

    @property
    def difference(self) -> float:
        """Largest distance of the two, as a part of the largest deviation of the linear one."""
        return float(np.max(np.abs(self.nonlinear - self.linear)) / np.max(np.abs(self.linear)))

    @property
    def left(self) -> float:
        """Deviation at the end, as a part of the first one."""
        return float(abs(self.nonlinear[-1] / self.nonlinear[0]))


def answers(at: Posture, controller: Controller, sizes: Sequence[float], *, end_time: float = 4.0) -> Iterator[Answer]:
    """Let go from equilibria with the lower link held elsewhere, at sizes rad from its posture."""
    for size in sizes:
        start = at.displaced(size)
        found = run(at, controller, start, end_time=end_time)
        linear = predict(controller, at.plant, start=start, end_time=end_time)
        prediction = linear.y.sel(output=Q3).values - at.q3
        yield Answer(size, found.time.values, q3(found) - at.q3, prediction, found, linear)


def q3(motion: Result) -> np.ndarray:
    """Return the angle of the upper link over time, rad."""
    return np.asarray(motion.angle.sel(body="upper link").values)


def region(
    at: Posture, controller: Controller | None, *, reach: float, runs: int, seed: int = 0, end_time: float = 4.0
) -> Result:
    """Return random starts within ``reach`` (rad): the lower link displaced and pushed, in all directions.

    Over ``run``: angle (rad) and rate (rad/s) of the start, its size (rad), and whether q3 was held (1) or not (0).
    """

    def trial(random: np.random.Generator) -> dict[str, float]:
        size, direction = reach * random.random(), 2.0 * pi * random.random()
        angle, rate = size * cos(direction), PACE * size * sin(direction)
        start = at.displaced(angle)
        motion = run(at, controller, start, end_time=end_time, push={"lower link": rate}, partial=True)
        late = q3(motion)[-500:]
        held = motion.outcome.ok and np.max(np.abs(late - at.q3)) < BACK
        return {"size": size, "angle": angle, "rate": rate, "held": float(held)}

    return monte_carlo(trial, runs=runs, seed=seed)
