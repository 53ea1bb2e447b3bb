"""Test of two poses of a robot for one branch of solutions: their Jacobians predict the way between."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.analyses.poses.pose import Pose
from pliant.analyses.poses.targets import Targets
from pliant.solvers.nonlinear.inverse import Inverse
from pliant.solvers.nonlinear.inverse_step import Reached
from pliant.solvers.nonlinear.pose_path_kernel import EquilibriumRow
from pliant.system.capabilities import can
from pliant.system.limits.offered import HasContactDistances
from pliant.system.state import State

if TYPE_CHECKING:
    from pliant.analyses.poses.robot import Kinetostatics

UNLIKE = 0.3  # part of the change by which the Jacobians may be wrong
ROUNDING = 1e-9  # rad, or lengths of the platform


@dataclass(frozen=True)
class Loads:
    """Signals besides the motors that change along a row, by their numbers."""

    robot: Kinetostatics
    numbers: list[int]

    @staticmethod
    def changing(robot: Kinetostatics, signals: np.ndarray) -> Loads:
        """Return the loads of signals (poses, all)."""
        changing = np.flatnonzero(np.any(signals != signals[0], axis=0))
        return Loads(robot, np.setdiff1d(changing, robot.equilibria.motors).tolist())

    @cached_property
    def inverse(self) -> Inverse:
        """Return the solver for derivatives of equilibria by the loads."""
        return self.robot.system.inverse(self.numbers)

    def slope(self, state: State, u: np.ndarray) -> np.ndarray:
        """Return (width, loads) d(position, rotation)/d(loads) at an equilibrium, motors held; NaN if singular."""
        effector = self.robot.effector
        if not self.numbers:
            return np.zeros((effector.width, 0))
        nothing = np.zeros((0, state.lam.size + self.robot.system.freedoms))
        found = self.inverse.yielding(Reached(state, u, 0, 0, 1.0), nothing)
        motion = effector.pose_and_map(state.q)[1]
        slope = (found.by_signal[:, effector.freedoms] @ motion.T).T
        return slope if found.regular else np.full_like(slope, np.nan)


@dataclass(frozen=True)
class PoseRow:
    """Poses with their motors and loads, and the Jacobians of both."""

    places: Targets
    motors: np.ndarray
    jacobians: np.ndarray
    loads: np.ndarray
    slopes: np.ndarray

    @staticmethod
    def of(loads: Loads, pose: Pose) -> PoseRow:
        """Return a single pose as a row."""
        place = Targets.of([loads.robot.effector.at(pose.state.q)])
        slope = loads.slope(pose.state, pose.signals)
        return PoseRow(place, pose.motors[None], pose.jacobian[None], pose.signals[None, loads.numbers], slope[None])

    @staticmethod
    def along(loads: Loads, found: EquilibriumRow, count: int) -> PoseRow:
        """Return the first poses of a row."""
        robot, q, u = loads.robot, found.q[:count], found.u[:count]
        slopes = [loads.slope(resting(*each), each[2].copy()) for each in zip(q, found.lam, u, strict=False)]
        places = Targets(*robot.effector.at_all(q))
        motors, jacobians = u[:, robot.equilibria.motors], found.jacobian[:count].copy()
        return PoseRow(places, motors, jacobians, u[:, loads.numbers], np.array(slopes))

    def only(self, k: int) -> PoseRow:
        """Return one pose."""
        one = slice(k, k + 1)
        return PoseRow(self.places.only(k), self.motors[one], self.jacobians[one], self.loads[one], self.slopes[one])

    def before(self, others: PoseRow) -> PoseRow:
        """Return the poses before each pose of a row: this single pose, then all of the row but the last."""
        return PoseRow(
            Targets(
                np.concatenate([self.places.points, others.places.points[:-1]]),
                np.concatenate([self.places.turns, others.places.turns[:-1]]),
            ),
            np.concatenate([self.motors, others.motors[:-1]]),
            np.concatenate([self.jacobians, others.jacobians[:-1]]),
            np.concatenate([self.loads, others.loads[:-1]]),
            np.concatenate([self.slopes, others.slopes[:-1]]),
        )


def as_predicted(
    robot: Kinetostatics, before: PoseRow, after: PoseRow, *, driven: bool = False, corner: bool = False
) -> np.ndarray:
    """Return (poses,) whether the motors changed as the Jacobians at both ends predict (trapezoidal rule), with the
    effect of loads; if the motors are ``driven``, whether the platform moved so. Around a ``corner`` each Jacobian
    holds for a part of the way.
    """
    effector, length = robot.effector, robot.equilibria.length
    ways = effector.all_apart(before.places, after.places)[:, : effector.task]
    change = after.motors - before.motors
    loads = after.loads - before.loads
    given = [np.einsum("kij,kj->ki", each.slopes[:, : effector.task], loads) for each in (before, after)]
    slopes = [each.jacobians[:, : effector.task] for each in (before, after)]
    regular = np.ones(len(change), bool)
    if driven:
        scale = np.ones(effector.task)
        scale[: before.places.points.shape[1]] = 1.0 / length
        first, second = (
            scale * (np.einsum("kij,kj->ki", each, change) + moved) for each, moved in zip(slopes, given, strict=True)
        )
        change = scale * ways
    else:
        regular = np.all([np.abs(np.linalg.det(each)) > 0.0 for each in slopes], axis=0)
        whole = (np.where(regular[:, None, None], each, np.eye(effector.task)) for each in slopes)
        first, second = (
            np.linalg.solve(each, (ways - moved)[:, :, None])[:, :, 0] for each, moved in zip(whole, given, strict=True)
        )
    share = _share(change, first, second) if corner else 0.5
    said = second + share * (first - second)
    off, size = (np.max(np.abs(each), axis=1) for each in (change - said, said))
    return np.asarray((off <= UNLIKE * size + ROUNDING) & np.isfinite(size) & regular)


def _share(change: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return (poses, 1) the part of the way for which the first of two predictions holds, to fit a change best."""
    apart = first - second
    far = np.sum(apart * apart, axis=1, keepdims=True)
    along = np.sum((change - second) * apart, axis=1, keepdims=True)
    return np.clip(np.divide(along, far, out=np.full_like(far, 0.5), where=far > 0.0), 0.0, 1.0)


def on_one_branch(robot: Kinetostatics, before: Pose, after: Pose, *, driven: bool = False) -> bool:
    """Return whether two poses are on one branch. A pose that is unstable under other loads is not ok anyway, and
    passes.
    """
    one, other = _both(robot, before, after)
    return (after.stable is False and bool(other.loads.size)) or bool(as_predicted(robot, one, other, driven=driven)[0])


def around_corner(robot: Kinetostatics, before: Pose, after: Pose, *, driven: bool = False) -> bool:
    """Return whether two poses are on one branch with a contact that opens or closes between them."""
    system: Any = robot.system
    if not can(system, HasContactDistances) or not any(force.unilateral for force in system.model.forces):
        return False
    here, there = (system.closed_contacts(pose.state.q) for pose in (before, after))
    if np.array_equal(here, there):
        return False
    return bool(as_predicted(robot, *_both(robot, before, after), driven=driven, corner=True)[0])


def _both(robot: Kinetostatics, before: Pose, after: Pose) -> tuple[PoseRow, PoseRow]:
    loads = Loads.changing(robot, np.stack([before.signals, after.signals]))
    return PoseRow.of(loads, before), PoseRow.of(loads, after)


def resting(q: np.ndarray, lam: np.ndarray, u: np.ndarray) -> State:
    """Return the state of an equilibrium."""
    return State(q.copy(), np.zeros_like(q), np.zeros_like(q), lam.copy(), float(u[1]))
