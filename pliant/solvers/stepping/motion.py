"""Options of a motion in time (`Plan`), and its result (`TimeHistory`)."""

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

ENDS = np.array([[0.0, 1.0], [0.5, 0.5]])  # parts of a step at which signals are evaluated, and their weights
KEEP_FEWER = "keeping fewer instants (every=, times=), a larger step or a shorter time"


@cache
def most_bytes() -> float:
    """Return the limit for the records of a motion: an eighth of the memory, as error estimates need up to three
    motions, and the variables of a result are as large again.
    """
    try:
        return 0.125 * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # unknown on this operating system
        return np.inf


def silent(time: float) -> None:
    """Show no progress."""


@quick
@dataclass(frozen=True)
class Plan:
    """Options of a motion from a state.

    method      of time stepping
    step        largest size of equal steps; without it they adapt
    accuracy    largest local error of a step, as a part of the model's size (and in rad)
    tolerances  (relative, absolute) of every coordinate and velocity in SI units, instead
    every       keep every n-th step
    looks       smallest number of instants for checks, if fewer are kept
    times       instants to report; a method that cannot reach them within its steps keeps every step instead
    velocity    initial velocities, NaN where not given
    report      is called with the time reached
    sampler     controller
    landmarks   instants at which adaptive steps must end: signals change between them
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
        """Refuse options that do not apply to a formulation or method."""
        for name in names:
            if getattr(self, name) is not None:
                raise OptionError(f"{name}: {why}")

    def checked_tolerances(self) -> tuple[float, float] | None:
        """Return the tolerances, or None; OptionError if they are not two numbers in their ranges."""
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
        """Return the options of the method and of the size of the steps."""
        sizes = {name: getattr(self, name) for name in ("step", "accuracy", "tolerances", "every")}
        return self.method.settings() | {name: value for name, value in sizes.items() if value is not None}


@dataclass
class TimeHistory:
    """States over time and the outcome of the run."""

    time: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    work: np.ndarray  # (time, 2) energy supplied and dissipated since the start
    last: Any  # State to continue from
    duration: float = 0.0
    steps: int = 0
    strides: tuple[tuple[float, float, int], ...] = ()  # all equal steps: from, to, number
    tries: tuple[tuple[float, int, bool], ...] = ()  # all: size of steps, number, whether one failed
    rule: np.ndarray = field(default_factory=lambda: ENDS)  # (2, nodes): evaluation of a signal by a step
    iterations: int = 0  # of Newton; or as in ``counted``
    cut_backs: int = 0
    constraint_error: float = 0.0
    opening: float | None = None  # largest of the joints, in lengths of the model and radians; None: unknown
    local_error: float | None = None  # largest of a step; None: unknown
    local_sum: float | None = None  # sum of the local errors of all steps
    unordered: float | None = None  # largest energy of an impact with unresolved order among others
    time_error: float | None = None  # of positions, estimated by a second solution
    energy_error: float | None = None  # largest over all steps; None: over those kept
    energy_at_work: float | None = None
    energy_range: float | None = None  # the larger of the ranges of kinetic and potential energy
    message: str = "reached the end"
    remark: str = ""  # of the method, after the message
    ok: bool = True
    interrupted: bool = False
    counted: str = "iterations"
    used: dict[str, Any] = field(default_factory=dict)  # options, with defaults
    impacts: bool = False  # whether velocities jump at impacts
    lossless: bool = False  # whether the method dissipates no energy itself
    advice: str = "a smaller step=, or an accuracy= instead of a fixed step"
    own: Mapping[str, Any] = field(default_factory=dict)  # variables that a formulation adds, by name
    interior: np.ndarray | None = None  # states inside rods (formulation "shooting")
    looks: TimeHistory | None = None  # more instants, for checks, if only some were requested
    loop: Any = None  # controller
    system: Any = None  # the system of the motion, if it differs from the given one


def failure(motion: TimeHistory) -> ConvergenceError:
    """Return the error of a failed run without partial=True."""
    return ConvergenceError(
        f"The motion {motion.message}. Try {motion.advice}. partial=True returns what was computed."
    )
