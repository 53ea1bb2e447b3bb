"""A robot standing: compiled, in equilibrium, its motors driven or giving the torques that keep it there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from pliant.analyses.statics import statics
from pliant.results import Result
from pliant.robots.robot import Robot
from pliant.system.compile import compile


class Standing(NamedTuple):
    """A robot, its system and an equilibrium of it."""

    robot: Robot
    system: Any
    rest: Result


def stand(robot: Robot, *, elements: Any = None) -> Standing:
    """The equilibrium of a robot near the pose in which it is described.

    Its platform is held there at first, so that the legs bend as they do in that pose, and then let go. A robot whose
    motors give torques is held by its cranks too; what they need then are the torques of the robot returned.

    >>> from pliant.robots import LeafLeg, Platform, planar
    >>> robot = planar(LeafLeg(), legs=3, platform=Platform((0.0, 0.0), mass=2.0, inertia=0.02))
    >>> stand(robot, elements=4).rest.outcome.stable
    True
    """
    driven = replace(robot, drive="angle")
    held = replace(driven, platform=replace(robot.platform, held=True))
    options = {} if elements is None else {"elements": elements}
    system = compile(driven.model(), **options)
    rest = statics(system, start=statics(compile(held.model(), **options)))
    if robot.drive == "angle":
        return Standing(robot, system, rest)
    loose = driven.loosened(torques(driven, rest))
    system = compile(loose.model(), **options)
    return Standing(loose, system, statics(system, start=rest))


def torques(robot: Robot, rest: Result) -> np.ndarray:
    """(legs,) torques (N m) with which the motors of a robot hold its cranks at rest."""
    names = [name.partition("/")[0] for name in robot.motors]
    wrench = rest.reaction.sel(joint=names)
    if not robot.spatial:
        return np.asarray(wrench.sel(wrench="M").values)
    about = wrench.sel(wrench=["Mx", "My", "Mz"]).values
    axes = np.array([[np.cos(leg.turn), np.sin(leg.turn), 0.0] for leg in robot.legs])  # x of the motors' frames
    return np.asarray(np.sum(axes * about, axis=1))
