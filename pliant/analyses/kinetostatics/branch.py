"""Whether two poses of a robot are on one branch of solutions: their Jacobians tell of the way between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pliant.analyses.kinetostatics.pose import Pose
from pliant.analyses.kinetostatics.targets import Targets
from pliant.solvers.pursuit import Found
from pliant.system.gaps import Gaps
from pliant.system.system import System

if TYPE_CHECKING:
    from pliant.analyses.kinetostatics.robot import Kinetostatics

UNLIKE = 0.3  # part of the change by which the Jacobians may be wrong
ROUNDING = 1e-9  # rad, or lengths of the platform


@dataclass(frozen=True)
class Seen:
    """Poses with their motors and Jacobians."""

    places: Targets
    motors: np.ndarray
    jacobians: np.ndarray

    @staticmethod
    def of(robot: Kinetostatics, pose: Pose) -> Seen:
        """A single one."""
        return Seen(Targets.of([robot.effector.at(pose.state.q)]), pose.motors[None], pose.jacobian[None])

    @staticmethod
    def along(robot: Kinetostatics, found: Found, count: int) -> Seen:
        """The first of a row."""
        motors = found.u[:count, robot.equilibria.motors]
        return Seen(Targets(*robot.effector.at_all(found.q[:count])), motors, found.jacobian[:count].copy())

    def only(self, k: int) -> Seen:
        """One of them."""
        return Seen(self.places.only(k), self.motors[k : k + 1], self.jacobians[k : k + 1])

    def before(self, others: Seen) -> Seen:
        """Itself, a single pose, and then all of a row but the last: those before each of the row."""
        return Seen(
            Targets(
                np.concatenate([self.places.points, others.places.points[:-1]]),
                np.concatenate([self.places.turns, others.places.turns[:-1]]),
            ),
            np.concatenate([self.motors, others.motors[:-1]]),
            np.concatenate([self.jacobians, others.jacobians[:-1]]),
        )


def foretold(
    robot: Kinetostatics, before: Seen, after: Seen, *, driven: bool = False, corner: bool = False
) -> np.ndarray:
    """(poses,) whether the motors changed as the Jacobians at both ends say (trapezoidal rule); where the motors are
    ``driven``, whether the platform moved so. Around a ``corner`` the one Jacobian holds for some of the way, the other
    for the rest.
    """
    effector, length = robot.effector, robot.equilibria.length
    ways = effector.all_apart(before.places, after.places)[:, : effector.task]
    change = after.motors - before.motors
    slopes = [each.jacobians[:, : effector.task] for each in (before, after)]
    regular = np.ones(len(change), bool)
    if driven:
        scale = np.ones(effector.task)
        scale[: before.places.points.shape[1]] = 1.0 / length
        first, second = (scale * np.einsum("kij,kj->ki", each, change) for each in slopes)
        change = scale * ways
    else:
        regular = np.all([np.abs(np.linalg.det(each)) > 0.0 for each in slopes], axis=0)
        whole = (np.where(regular[:, None, None], each, np.eye(effector.task)) for each in slopes)
        first, second = (np.linalg.solve(each, ways[:, :, None])[:, :, 0] for each in whole)
    share = _share(change, first, second) if corner else 0.5
    said = second + share * (first - second)
    off, size = (np.max(np.abs(each), axis=1) for each in (change - said, said))
    return np.asarray((off <= UNLIKE * size + ROUNDING) & np.isfinite(size) & regular)


def _share(change: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(poses, 1) of which part of the way the first of two predictions holds, to fit a change best."""
    apart = first - second
    far = np.sum(apart * apart, axis=1, keepdims=True)
    along = np.sum((change - second) * apart, axis=1, keepdims=True)
    return np.clip(np.divide(along, far, out=np.full_like(far, 0.5), where=far > 0.0), 0.0, 1.0)


def on_one_branch(robot: Kinetostatics, before: Pose, after: Pose, *, driven: bool = False) -> bool:
    """The same of two poses."""
    return bool(foretold(robot, Seen.of(robot, before), Seen.of(robot, after), driven=driven)[0])


def around_corner(robot: Kinetostatics, before: Pose, after: Pose, *, driven: bool = False) -> bool:
    """The same of two poses between which something begins to touch, or ceases to."""
    system = robot.system
    if not isinstance(system, System) or not any(force.unilateral for force in system.model.forces):
        return False
    here, there = (np.sort(Gaps(system).closed(pose.state.q)[0]) for pose in (before, after))
    if np.array_equal(here, there):
        return False
    return bool(foretold(robot, Seen.of(robot, before), Seen.of(robot, after), driven=driven, corner=True)[0])
