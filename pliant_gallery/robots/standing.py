"""Robot at rest: compiled, in equilibrium, its motors driven or giving the torques that keep it there."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from pliant.analyses.statics.statics import statics
from pliant.errors import ConvergenceError, PliantWarning
from pliant.model import rotations
from pliant.results import Result
from pliant.system.compile import compile
from pliant_gallery.robots.robot import Robot

BOWED = 1e-3  # of a leaf's length: a leaf nearer to its chord is straight


class Standing(NamedTuple):
    """A robot, its system and an equilibrium."""

    robot: Robot
    system: Any
    rest: Result


def stand(robot: Robot, *, elements: Any = None) -> Standing:
    """Find the equilibrium of a robot near its described pose.

    Leaves are bent with the platform held, and then it is released. A robot whose motors give torques is first held by
    its cranks; the robot returned has the torques they need.

    >>> from pliant_gallery.robots import LeafLeg, Platform, planar
    >>> robot = planar(LeafLeg(), legs=3, platform=Platform((0.0, 0.0), mass=2.0, inertia=0.02))
    >>> stand(robot, elements=4).rest.outcome.stable
    True
    """
    driven, start = replace(robot, drive="angle"), None
    if robot.tendons:
        held = replace(driven, platform=replace(robot.platform, held=True))
        start = statics(compiled(held, elements))
    found = rested(driven, start, elements)
    check_sides(found)
    return found if robot.drive == "angle" else loosen(found, elements=elements)


def loosen(standing: Standing, *, elements: Any = None) -> Standing:
    """Return the equilibrium with motors that give the torques that held the cranks. It is rarely stable."""
    loose = standing.robot.loosened(torques(standing.robot, standing.rest))
    system = compiled(loose, elements)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # the outcome reports them
        return Standing(loose, system, statics(system, start=standing.rest))


def rested(robot: Robot, start: Result | None, elements: Any) -> Standing:
    """Find the equilibrium from a start."""
    system = compiled(robot, elements)
    return Standing(robot, system, statics(system, start=start))


def check_sides(standing: Standing) -> None:
    """Refuse a rest in which a leaf does not bow to its given side."""
    rest, spatial = standing.rest, standing.robot.spatial
    for k, leg in enumerate(standing.robot.legs, 1):
        if leg.kind.member != "leaf":
            continue
        leaf = standing.system.model.part(f"leaf {k}")
        line = rest.shape.values[rest.part.values == leaf.name]
        base, middle, tip = line[0], line[len(line) // 2], line[-1]
        left = (
            _left(rest, k) if spatial else np.array([base[1] - tip[1], tip[0] - base[0]]) / np.linalg.norm(tip - base)
        )
        deflection = float((middle - 0.5 * (base + tip)) @ left)
        if (deflection if leaf.bow == "left" else -deflection) < BOWED * leaf.length:
            raise ConvergenceError(
                f'Robot "{standing.robot.name}", {leaf.name}: it was to bow to its {leaf.bow}, but its middle '
                f"rests {abs(deflection):.3g} m to its {'left' if deflection > 0.0 else 'right'}. Bend it by its "
                "tendon (robots.pretension), shorten tendon_rest_length, or put the platform nearer to the cranks."
            )


def _left(rest: Result, k: int) -> np.ndarray:
    """Return y of a leaf's section at its middle, in space."""
    turn = rest.marker_orientation.sel(marker=f"leaf {k}@0.5").values
    return np.asarray(rotations.rotate(turn, np.array([0.0, 1.0, 0.0])))


def compiled(robot: Robot, elements: Any) -> Any:
    """Compile its system."""
    return compile(robot.model(), **({} if elements is None else {"elements": elements}))


def torques(robot: Robot, rest: Result) -> np.ndarray:
    """Return the (legs,) torques (N m) with which the motors of a robot hold its cranks at rest."""
    names = [name.partition("/")[0] for name in robot.motors]
    wrench = rest.reaction.sel(joint=names)
    if not robot.spatial:
        return np.asarray(wrench.sel(wrench="M").values)
    about = wrench.sel(wrench=["Mx", "My", "Mz"]).values
    axes = np.array([[np.cos(leg.turn), np.sin(leg.turn), 0.0] for leg in robot.legs])  # x of the motors' frames
    return np.asarray(np.sum(axes * about, axis=1))
