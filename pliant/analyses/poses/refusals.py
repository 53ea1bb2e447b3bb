"""Reasons why a robot cannot satisfy a request: the leg, motor or joint, the value, what to try."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pliant.analyses.poses.effector import Target, worded
from pliant.analyses.poses.pose import Pose
from pliant.errors import AssemblyError, LimitError, PliantError, SingularError, UnreachableError
from pliant.solvers.nonlinear.inverse_step import Reached
from pliant.system.state import State

if TYPE_CHECKING:
    from pliant.analyses.poses.robot import Kinetostatics

NEARLY, BESIDE = 1e3, 10.0  # condition numbers called singular where Newton stops: anywhere, right before the pose
ARRIVED = 0.98  # of the way: right before the pose
STRETCH = 0.02  # of a beam's length: no metal takes so much
SPACE_WAYS = ("along x", "along y", "along z", "about x", "about y", "about z")


def over_limit(robot: Kinetostatics, found: Pose | np.ndarray, to_hold: Target | None = None) -> LimitError:
    """Name the motor that is furthest beyond its limits, and the pose to hold if there is one."""
    motors = found.motors if isinstance(found, Pose) else found
    beyond = np.maximum(robot.limits[:, 0] - motors, motors - robot.limits[:, 1])
    worst = int(np.argmax(beyond))
    low, high = robot.limits[worst]
    held = worded(found.position, found.orientation) if isinstance(found, Pose) else to_hold
    place = "" if held is None else f" to hold {held}"
    error = LimitError(
        f"Motor {robot.motors[worst]!r} would have to be at {motors[worst]:.6g}{place}; its limits are {low:g} and "
        f"{high:g} ({int(np.sum(beyond > 0.0))} motor(s) beyond theirs). Ask for another pose, or widen limits=."
    )
    error.pose = found if isinstance(found, Pose) else None  # type: ignore[attr-defined]
    return error


def singular(robot: Kinetostatics, pose: Pose, way: str = "") -> SingularError:
    """Name the direction in which the motors cannot move the platform, and the measure."""
    return SingularError(
        f"{worded(pose.position, pose.orientation)} is a singular pose of {robot.system.model.name!r}{way}: the motors "
        f"cannot move the platform {_lost(pose)} (condition number {pose.condition:.3g}, manipulability "
        f"{pose.manipulability:.3g}, softest stiffness {pose.softest:.3g} N/m). Ask for a pose on this side of it, or "
        "start from a pose beyond it (start=)."
    )


def not_reached(robot: Kinetostatics, found: Reached, target: Target) -> PliantError:
    """Return the error of a singular pose in the way, or of a pose out of reach, with the leg that is stretched
    most.
    """
    way = f", {100.0 * found.share:.3g} % of the way to {target}"
    try:
        last = robot.equilibria.describe(found)
    except SingularError as error:
        return error
    if not last.condition < (BESIDE if found.share > ARRIVED else NEARLY):
        return singular(robot, last, way)
    return UnreachableError(
        f"{target} was not reached: Newton stopped {100.0 * found.share:.3g} % of the way{_loads(robot, found)}, at "
        f"{worded(last.position, last.orientation)}. There the motors move the platform least {_lost(last)} (condition "
        f"number {last.condition:.3g}), least of all {_idlest(robot, last)}, and the softest stiffness is "
        f"{last.softest:.3g} N/m.{robot.reach.tightest(robot.effector.at(found.state.q))} Ask for a "
        "nearer pose or a smaller load, or start from one that was found (start=)."
    )


def _loads(robot: Kinetostatics, found: Reached) -> str:
    """Return a remark on loads other than the loads of the system, as they may be the reason."""
    own, values = robot.system.named(robot.system.signals(np.zeros(1))[0]), robot.system.named(found.signals)
    other = [name for name in values if name not in robot.motors and values[name] != own[name]]
    told_of = ", ".join(f"{name} = {values[name]:g}" for name in other)
    return f" with {told_of}" if other else ""


def torn(robot: Kinetostatics, pose: Pose) -> str:
    """Return a sentence about a beam that is stretched or squeezed as no metal can be, and its leg; empty
    without one.
    """
    if pose.strain <= STRETCH:
        return ""
    pulled = robot.system.lengthenings(pose.state.q)
    name = max(pulled, key=lambda name: abs(pulled[name]))
    if abs(pulled[name]) <= STRETCH:
        return ""
    beam = robot.system.model.part(name)
    leg = next((leg for leg in robot.legs if beam.name in leg.parts), None)
    where = f" of leg {leg.name!r} (joints {', '.join(map(repr, leg.joints))})" if leg else ""
    short = "short" if pulled[name] > 0.0 else "long"
    return (
        f"beam {beam.name!r}{where} would be {'stretched' if pulled[name] > 0.0 else 'compressed'} by "
        f"{abs(pulled[name]) * beam.length:.3g} m: at {beam.length:.4g} m it is too {short}."
    )


def not_assembled(robot: Kinetostatics, start: State, u: np.ndarray, error: PliantError) -> PliantError:
    """Name the joint that stays open at given motors; return the given error if all can be closed."""
    opened = robot.system.stays_open(start.q, u)
    if opened is None:
        return error
    joint = robot.system.model.part(opened.name)
    tied = {marker.body.name for marker in joint.markers}
    leg = next((leg for leg in robot.legs if joint.name in leg.joints or tied & set(leg.parts)), None)
    where = f" of leg {leg.name!r}" if leg else ""
    return AssemblyError(
        f"The legs cannot be assembled at these motors: joint {joint.name!r}{where} stays open by "
        f"{opened.gap:.3g} {'rad' if opened.angular else 'm'}. Bring the motors nearer to those of a pose that was "
        "found, or give the leg another length."
    )


def _lost(pose: Pose) -> str:
    """Return the direction of the smallest singular value."""
    ways = ("along x", "along y", "about z") if pose.position.size == 2 else SPACE_WAYS
    return ways[int(np.argmax(np.abs(np.linalg.svd(pose.task_jacobian)[0][:, -1])))]


def _idlest(robot: Kinetostatics, pose: Pose) -> str:
    """Return the motor with the largest part in the smallest singular value."""
    return repr(robot.motors[int(np.argmax(np.abs(np.linalg.svd(pose.task_jacobian)[2][-1])))])
