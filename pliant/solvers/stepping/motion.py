"""What a motion in time is asked for (`Plan`), and what it is found to be (`TimeHistory`)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from pliant._frozen import quick
from pliant.errors import ConvergenceError, OptionError
from pliant.solvers.stepping.methods import Method

ENDS = np.array([[0.0, 1.0], [0.5, 0.5]])  # of a step: where signals are looked at, and how they are weighed
KEEP_FEWER = "keeping fewer instants (every=, times=), a larger step or a shorter time"


@cache
def most_bytes() -> float:
    """How large the records of a motion may be: an eighth of the memory, as errors are told by up to three motions, and
    what a result shows is as large again.
    """
    try:
        return 0.125 * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # a system that does not tell
        return np.inf


def silent(time: float) -> None:
    """No progress is shown."""


@quick
@dataclass(frozen=True)
class Plan:
    """What a formulation is asked to do from a state.

    method      how a step is made
    step        largest size of steps that are equal; without it they adapt
    accuracy    largest local error of a step, as a part of the model's size (and in rad)
    tolerances  (relative, absolute) of every coordinate and velocity in SI units, instead
    every       keep every n-th step
    looks       instants, at least, that the motion is judged by where fewer are kept
    times       instants to report; a method that cannot reach them within its steps keeps every step instead
    velocity    velocities to begin with, NaN where nothing is asked for
    report      is called with how far the motion has come
    sampler     a controller at work
    landmarks   instants at which steps that adapt have to end: signals change between them
    """

    end_time: float
    method: Method
    step: float | None = None
    accuracy: float | None = None
    tolerances: tuple[float, float] | None = None
    every: int = 1
    looks: int = 100
    times: np.ndarray | None = None
    velocity: np.ndarray | None = None
    report: Callable[[float], None] = silent
    sampler: Any = None
    landmarks: np.ndarray = field(default_factory=lambda: np.empty(0))

    def refuse(self, *names: str, why: str) -> None:
        """Refuse options that do not go with a formulation or method."""
        for name in names:
            if getattr(self, name) is not None:
                raise OptionError(f"{name}: {why}")

    def checked_tolerances(self) -> tuple[float, float] | None:
        """The tolerances, or None if there are none; OptionError if they are not two parts of what they bound."""
        if self.tolerances is None:
            return None
        try:
            part, least = (float(x) for x in self.tolerances)
        except (TypeError, ValueError):
            part = least = float("nan")
        if not (0.0 <= part < 1.0 and 0.0 < least < np.inf):
            raise OptionError(f"tolerances={self.tolerances!r}: give (relative, absolute), such as (1e-8, 1e-10).")
        return part, least

    def settings(self) -> dict[str, Any]:
        """Options of the method and of the size of the steps."""
        sizes = {name: getattr(self, name) for name in ("step", "accuracy", "tolerances", "every")}
        return self.method.settings() | {name: value for name, value in sizes.items() if value is not None}


@dataclass
class TimeHistory:
    """States over time and how the run went."""

    time: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    work: np.ndarray  # (time, 2) energy supplied and dissipated since the start
    last: Any  # State to go on from
    duration: float = 0.0
    steps: int = 0
    strides: tuple[tuple[float, float, int], ...] = ()  # equal steps, all there were: from, to, how many
    tries: tuple[tuple[float, int, bool], ...] = ()  # all: the size of steps, how many were taken, whether one failed
    rule: np.ndarray = field(default_factory=lambda: ENDS)  # (2, nodes): what a step sees of a signal
    iterations: int = 0  # of Newton; or what ``counted`` says
    cut_backs: int = 0
    constraint_error: float = 0.0
    opening: float | None = None  # largest of the joints, in lengths of the model and radians; None: not known
    local_error: float | None = None  # largest of a step; None: not known by itself
    local_sum: float | None = None  # sum of the local errors of all steps
    unordered: float | None = None  # largest energy of an impact whose order among others was not resolved
    time_error: float | None = None  # of positions, estimated by a second solution
    energy_error: float | None = None  # largest over all steps; None: of those kept
    energy_at_work: float | None = None
    energy_range: float | None = None  # the larger one of the kinetic and of the potential energy
    message: str = "reached the end"
    remark: str = ""  # of the method, after the message
    ok: bool = True
    interrupted: bool = False
    counted: str = "iterations"
    used: dict[str, Any] = field(default_factory=dict)  # options, with those that were not given
    impacts: bool = False  # whether velocities jump where something strikes
    lossless: bool = False  # whether the method takes no energy away by itself
    advice: str = "a smaller step=, or an accuracy= instead of a fixed step"
    own: Mapping[str, Any] = field(default_factory=dict)  # variables that a formulation adds, by name
    interior: np.ndarray | None = None  # what is inside rods (formulation "shooting")
    looks: TimeHistory | None = None  # more instants, for those who judge, where only some were asked for
    loop: Any = None  # a controller that was at work
    system: Any = None  # whose parts describe the motion, where it is not the one that was asked


def failure(motion: TimeHistory) -> ConvergenceError:
    """The error a failed run raises unless a partial result was asked for."""
    return ConvergenceError(
        f"The motion {motion.message}. Try {motion.advice}. partial=True returns what was computed."
    )
