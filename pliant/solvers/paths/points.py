"""What a path of equilibria is made of: points, events, and where it is to end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

LIMIT_POINT, BIFURCATION, FLUTTER, FLUTTER_ENDS = "limit point", "bifurcation", "flutter", "end of flutter"


@dataclass(frozen=True)
class Point:
    """An equilibrium on a path, and the direction in which the path goes on: (dq, dlambda, dp), of length one."""

    q: np.ndarray
    lam: np.ndarray
    p: float
    tangent: np.ndarray
    arclength: float
    unstable: int | None  # directions; None where they cannot be counted
    flutter: int  # of them, those that oscillate
    softness: float  # eigenvalue of the tangent nearest to zero, in the metric of the path; nan where there is none
    force: float
    gap: float
    growing: int | None = None  # motions, where gyroscopic forces may hold unstable directions

    @property
    def stable(self) -> bool:
        """Whether nothing grows."""
        return (self.unstable if self.growing is None else self.growing) == 0

    def same_way(self, other: Point) -> bool:
        """Whether the parameter grows at both, or falls at both."""
        return self.tangent[-1] * other.tangent[-1] > 0.0

    def alike(self, other: Point) -> bool:
        """Whether the same motions grow at both."""
        return (self.unstable, self.flutter) == (other.unstable, other.flutter)


@dataclass(frozen=True)
class Event:
    """A place where stability changes: ``direction`` (coordinates only) is the critical one."""

    kind: str
    point: Point
    parameter: float
    direction: np.ndarray
    multiplicity: int = 1  # how many directions become critical at once
    index: int = -1  # among the points of the path


@dataclass
class Trace:
    """A path: its points, what happened on it, and why it ended."""

    points: list[Point]
    events: list[Event] = field(default_factory=list)
    reached: bool = False
    message: str = ""
    rejected: int = 0
    farthest: float = 0.0  # distance from its first point so far
    may_close: bool = False  # whether it has also reached its end where it comes back to its first point


@dataclass(frozen=True)
class Goals:
    """Where a path ends: at values of the parameter, or where a gauge changes sign."""

    parameter: tuple[float, ...]
    gauge: Callable[[Point], float] | None = None
    event: str = ""  # a kind of event that ends it
    barriers: tuple[float, ...] = ()  # of these values, those that cannot be passed and were not asked for
