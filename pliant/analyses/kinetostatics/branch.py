"""Whether two poses of a robot are on one branch of solutions: their Jacobians tell of the way between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pliant.analyses.kinetostatics.pose import Pose
from pliant.analyses.kinetostatics.targets import Targets
from pliant.solvers.pursuit import Found

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


def foretold(robot: Kinetostatics, before: Seen, after: Seen, *, driven: bool = False) -> np.ndarray:
    """(poses,) whether the motors changed as the Jacobians at both ends say (trapezoidal rule); where the motors are
    ``driven``, whether the platform moved so.
    """
    effector, length = robot.effector, robot.equilibria.length
    ways = effector.all_apart(before.places, after.places)[:, : effector.task]
    change = after.motors - before.motors
    slopes = [each.jacobians[:, : effector.task] for each in (before, after)]
    scale = np.ones(effector.task)
    if driven:
        said = 0.5 * np.einsum("kij,kj->ki", slopes[0] + slopes[1], change)
        change = ways
        scale[: before.places.points.shape[1]] = 1.0 / length
    else:
        regular = np.all([np.abs(np.linalg.det(each)) > 0.0 for each in slopes], axis=0)
        first, second = (np.where(regular[:, None, None], each, np.eye(effector.task)) for each in slopes)
        said = 0.5 * (np.linalg.solve(first, ways[:, :, None]) + np.linalg.solve(second, ways[:, :, None]))[:, :, 0]
        said[~regular] = np.inf
    off, size = (np.max(np.abs(each) * scale, axis=1) for each in (change - said, said))
    return np.asarray((off <= UNLIKE * size + ROUNDING) & np.isfinite(size))


def on_one_branch(robot: Kinetostatics, before: Pose, after: Pose, *, driven: bool = False) -> bool:
    """The same of two poses."""
    return bool(foretold(robot, Seen.of(robot, before), Seen.of(robot, after), driven=driven)[0])
