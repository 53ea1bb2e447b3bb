"""Robot of a mechanism: signals that can be motors, and its platform."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import pliant as pl
from pliant.errors import OptionError
from pliant.joints.motion import Motion
from pliant.joints.winch import Winch
from pliant.model import Body
from pliant.results import Result
from pliant_studio.session.session import Session

COUNTS = {2: (2, 3), 3: (3, 6)}  # motors for a position, and for a pose, by the number of axes


def motors(session: Session) -> list[str]:
    """Return signals that can hold a pose: drives, winches, shortened tendons."""
    model = session.mechanism.model(session.values)
    drives = {part.name for part in model.joints if isinstance(part, Motion | Winch)}
    found = [each.name for each in session.system.layout.signals if each.constant and "/" in each.name]
    first = [name for name in found if name.rpartition("/")[0] in drives]
    return first + [name for name in found if name.endswith(("/rest_length", "/shortening"))]


def platforms(session: Session) -> list[str]:
    """Return bodies and markers that can be the platform: platforms first, then loaded ones, bodies, markers."""
    model = session.mechanism.model(session.values)
    frames = [body.name for body in reversed(model.bodies) if isinstance(body, Body)]
    named = [name for name in frames if "platform" in name.lower()]
    markers = [str(name) for name in reversed(session.rest.data["marker"].values)]
    loaded = [marker.label for part in model.forces if isinstance(part, pl.Force) for marker in part.markers]
    first = [*named, *(label for label in loaded if label in markers)]
    return list(dict.fromkeys([*first, *frames, *markers, *(body.name for body in model.bodies)]))


@dataclass
class Robot:
    """Motors and platform of a session's mechanism, and its present pose.

    >>> from pliant_gallery.examples import two_links
    >>> from pliant_studio.session.any_model import of_model
    >>> session = Session(of_model(two_links()))
    >>> robot = Robot.of(session, "lower/tip", motors(session))
    >>> robot.reach((0.0, 1.0))
    >>> robot.pose.motors.round(4).tolist()
    [0.5236, 2.0944]
    >>> robot.drive([0.5, 0.5])
    >>> robot.pose.position.round(6).tolist()
    [1.417885, 1.320897]
    """

    solver: Any
    names: tuple[str, ...]
    pose: Any

    @classmethod
    def of(cls, session: Session, platform: str, names: list[str]) -> Robot:
        """Make the robot of a session's present state."""
        if session.trouble:
            raise OptionError(f"A robot needs an equilibrium to start from, and none was found: {session.trouble}")
        wanted = COUNTS[session.rest.data.sizes["axis"]]
        if len(names) not in wanted:
            raise OptionError(
                f"{len(names)} motors ({', '.join(names) or 'none'}): {wanted[0]} hold a place, {wanted[1]} a pose. "
                "Choose so many."
            )
        solver = pl.Kinetostatics(session.system, platform=platform, motors=names)
        return cls(solver, tuple(names), solver.forward(_now(session, names), start=session.rest))

    def reach(self, position: Any, orientation: Any = None) -> None:
        """Move the platform to a position, or a pose."""
        self.pose = self.solver.inverse(position, orientation, start=self.pose)

    def drive(self, values: Any) -> None:
        """Set the motors."""
        self.pose = self.solver.forward(np.asarray(values, float), start=self.pose)

    @property
    def shown(self) -> Result:
        """Return the pose as a result."""
        found: Result = self.solver.result(self.pose)
        return found


def _now(session: Session, names: list[str]) -> np.ndarray:
    """Return the values of signals in the system of a session."""
    known = {each.name: each for each in session.system.layout.signals}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise OptionError(f"There is no signal {unknown[0]!r}. Known are {', '.join(known)}.")
    return np.array([float(known[name].at(None)) for name in names])
