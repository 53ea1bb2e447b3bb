"""A force given by a Python function of time and motion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import atan2
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from pliant.model import checks
from pliant.model.markers import Marker
from pliant.model.parts import USE_AT, Load


@dataclass(frozen=True, eq=False)
class StateForce(Load):
    """Force and moment at a marker from a Python function of time and of the marker's motion.

    function  ``(t, pose, velocity) -> (fx, fy, moment)``; pose = (x, y, angle) and velocity = (x', y', angle') of the
              marker in global axes, as arrays of 3; N and N m. In space ``-> (fx, fy, fz, mx, my, mz)``; pose = (x, y,
              z, qw, qx, qy, qz), the quaternion from the marker's axes to global ones, and velocity = (x', y', z',
              wx, wy, wz), all in global axes

    It is called in every iteration, and prevents the time loop from being compiled as a whole: use it for trials, and
    prefer springs, Drag or a signal of time where possible. It cannot be saved to a file.

    >>> from pliant.model import Link
    >>> tip = Link("arm", length=1.0, mass=1.0).at(s=1)
    >>> StateForce("cubic spring", tip, lambda t, pose, velocity: (0.0, -1e3 * pose[1] ** 3, 0.0)).marker
    <Marker arm/tip>
    """

    idles: ClassVar[bool] = True
    opaque: ClassVar[bool] = True

    name: str
    marker: Marker
    function: Callable[..., ArrayLike]

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.instance(self.owner, "marker", self.marker, Marker, USE_AT)
        if not callable(self.function):
            raise checks.refuse(self.owner, "function", self.function, "a function (t, pose, velocity)")

    def unscalable(self) -> str:
        return "its function computes in SI units. Scale results instead: result.scaled(scales)."

    def said_in_space(self) -> dict[str, object]:
        return {"function": _InPlane(self.function)}


@dataclass(frozen=True)
class _InPlane:
    """A planar function in a spatial model: it receives x, y and the angle about z, and its force acts along them."""

    function: Callable[..., ArrayLike]

    def __call__(self, t: float, pose: np.ndarray, velocity: np.ndarray) -> tuple[float, ...]:
        x, y, _, w, _, _, z = pose
        flat = np.array([x, y, 2.0 * atan2(z, w)])
        fx, fy, moment = np.asarray(self.function(t, flat, velocity[[0, 1, 5]]), float)
        return fx, fy, 0.0, 0.0, 0.0, moment
