"""Points and events of a path of equilibria, and its goals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

LIMIT_POINT, BIFURCATION, FLUTTER, FLUTTER_ENDS = "limit point", "bifurcation", "flutter", "end of flutter"


@dataclass(frozen=True)
class Point:
    """Equilibrium on a path, and the direction of the path there: (dq, dlambda, dp), of length one."""

    q: np.ndarray
    lam: np.ndarray
    p: float
    tangent: np.ndarray
    arclength: float
    unstable: int | None  # directions; None if they cannot be counted
    flutter: int  # oscillating ones among them
    softness: float  # eigenvalue of the tangent nearest to zero, in the metric of the path; nan if unknown
    force: float
    gap: float
    growing: int | None = None  # motions, if gyroscopic forces may hold unstable directions

    @property
    def stable(self) -> bool:
        """Return whether nothing grows."""
        return (self.unstable if self.growing is None else self.growing) == 0

    def same_way(self, other: Point) -> bool:
        """Return whether the parameter grows at both, or falls at both."""
        return self.tangent[-1] * other.tangent[-1] > 0.0

    def alike(self, other: Point) -> bool:
        """Return whether the same motions grow at both."""
        return (self.unstable, self.flutter) == (other.unstable, other.flutter)


@dataclass(frozen=True)
class Event:
    """Change of stability: ``direction`` (coordinates only) is the critical one."""

    kind: str
    point: Point
    parameter: float
    direction: np.ndarray
    multiplicity: int = 1  # number of directions that become critical at once
    index: int = -1  # among the points of the path


@dataclass
class Trace:
    """Path with its points, its events, and the reason for its end."""

    points: list[Point]
    events: list[Event] = field(default_factory=list)
    reached: bool = False
    message: str = ""
    rejected: int = 0
    farthest: float = 0.0  # distance from its first point so far
    may_close: bool = False  # whether its return to the first point is also an end


@dataclass(frozen=True)
class Goals:
    """End of a path: values of the parameter, or a change of sign of a gauge."""

    parameter: tuple[float, ...]
    gauge: Callable[[Point], float] | None = None
    event: str = ""  # kind of event that ends it
    barriers: tuple[float, ...] = ()  # values among these that cannot be passed and were not requested
