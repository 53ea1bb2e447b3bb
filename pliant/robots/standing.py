"""A robot standing: compiled, in equilibrium, its motors driven or giving the torques that keep it there."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from pliant.analyses.statics import statics
from pliant.errors import PliantWarning
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

    Leaves are bent there with the platform held, and then it is let go. A robot whose motors give torques is held by
    its cranks too; the torques they need are those of the robot returned.

    >>> from pliant.robots import LeafLeg, Platform, planar
    >>> robot = planar(LeafLeg(), legs=3, platform=Platform((0.0, 0.0), mass=2.0, inertia=0.02))
    >>> stand(robot, elements=4).rest.outcome.stable
    True
    """
    driven = replace(robot, drive="angle")
    system, start = _compiled(driven, elements), None
    if robot.tendons:
        held = replace(driven, platform=replace(robot.platform, held=True))
        start = statics(_compiled(held, elements))
    found = Standing(driven, system, statics(system, start=start))
    return found if robot.drive == "angle" else loosen(found, elements=elements)


def loosen(standing: Standing, *, elements: Any = None) -> Standing:
    """The same equilibrium with motors that give the torques which held the cranks. It is rarely stable."""
    loose = standing.robot.loosened(torques(standing.robot, standing.rest))
    system = _compiled(loose, elements)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # the outcome tells
        return Standing(loose, system, statics(system, start=standing.rest))


def _compiled(robot: Robot, elements: Any) -> Any:
    return compile(robot.model(), **({} if elements is None else {"elements": elements}))


def torques(robot: Robot, rest: Result) -> np.ndarray:
    """(legs,) torques (N m) with which the motors of a robot hold its cranks at rest."""
    names = [name.partition("/")[0] for name in robot.motors]
    wrench = rest.reaction.sel(joint=names)
    if not robot.spatial:
        return np.asarray(wrench.sel(wrench="M").values)
    about = wrench.sel(wrench=["Mx", "My", "Mz"]).values
    axes = np.array([[np.cos(leg.turn), np.sin(leg.turn), 0.0] for leg in robot.legs])  # x of the motors' frames
    return np.asarray(np.sum(axes * about, axis=1))
