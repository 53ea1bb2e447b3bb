"""Moves of a robot to a pose: the equilibrium there, or the reason why it has none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pliant.analyses.poses.effector import Target
from pliant.analyses.poses.equilibria import LIMIT
from pliant.analyses.poses.pose import Pose
from pliant.analyses.poses.refusals import not_reached, singular, torn
from pliant.errors import UnreachableError
from pliant.solvers.nonlinear.inverse_step import SMALLEST_STEP
from pliant.system.state import State

if TYPE_CHECKING:
    from pliant.analyses.poses.robot import Kinetostatics

SINGULAR = 1e8  # condition number beyond which a pose is called singular


def arrive(
    robot: Kinetostatics,
    target: Target,
    start: State,
    u: np.ndarray,
    *,
    step: float = SMALLEST_STEP,
    limit: int = LIMIT,
) -> Pose:
    """Return the pose, from a state and its signals; UnreachableError or SingularError if that fails."""
    robot.reach.check(target)
    found = robot.equilibria.toward(target, start, u, step=step, limit=limit)
    if found.share < 1.0:
        raise not_reached(robot, found, target)
    pose = robot.equilibria.describe(found)
    if pose.condition > SINGULAR:
        raise singular(robot, pose)
    if reason := torn(robot, pose):
        raise UnreachableError(f"{target} cannot be reached: {reason} Ask for a pose that it can reach.")
    return pose
