"""Properties of many poses, as columns of numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.analyses.poses.pose import Pose, condition, softest, task_jacobian
from pliant.solvers.nonlinear.pose_path_kernel import EquilibriumRow
from pliant.system.samples import Samples

if TYPE_CHECKING:
    from pliant.analyses.poses.robot import Kinetostatics


@dataclass(frozen=True)
class Columns:
    """One entry per pose, NaN for poses not reached; ``unstable`` is negative if unknown."""

    reached: np.ndarray
    unstable: np.ndarray
    limit_margin: np.ndarray
    strain: np.ndarray
    condition: np.ndarray
    softest: np.ndarray
    motors: np.ndarray
    torques: np.ndarray
    iterations: np.ndarray

    @property
    def stable(self) -> np.ndarray:
        """Return which poses are stable for certain."""
        return np.asarray(self.reached & (self.unstable == 0))

    def first(self, count: int) -> Columns:
        """Return the first poses."""
        return Columns(*(getattr(self, name)[:count] for name in self.__dataclass_fields__))

    def put(self, k: int, other: Columns) -> None:
        """Write others from place k on."""
        for name in self.__dataclass_fields__:
            rows = getattr(other, name)
            getattr(self, name)[k : k + len(rows)] = rows


def nothing(robot: Kinetostatics, count: int) -> Columns:
    """Return columns of poses that were not reached."""
    lines = (np.full(count, np.nan) for _ in range(4))
    wide = (np.full((count, len(robot.motors)), np.nan) for _ in range(2))
    return Columns(
        np.zeros(count, bool), np.full(count, -1), next(lines), next(lines), next(lines), next(lines), next(wide),
        next(wide), np.zeros(count, int),
    )  # fmt: skip


def of_poses(robot: Kinetostatics, poses: Sequence[Pose | None]) -> Columns:
    """Return the columns of single poses."""
    motors = len(robot.motors)

    def column(value: Callable[[Pose], Any], *more: int) -> np.ndarray:
        rows = [np.full(more, np.nan) if pose is None else value(pose) for pose in poses]
        return np.array(rows, float).reshape(len(poses), *more)

    unstable = [-1 if pose is None or pose.unstable_directions is None else pose.unstable_directions for pose in poses]
    return Columns(
        reached=np.array([pose is not None for pose in poses], bool),
        unstable=np.array(unstable, int),
        limit_margin=column(lambda pose: pose.limit_margin),
        strain=column(lambda pose: pose.strain),
        condition=column(lambda pose: pose.condition),
        softest=column(lambda pose: pose.softest),
        motors=column(lambda pose: pose.motors, motors),
        torques=column(lambda pose: pose.torques, motors),
        iterations=np.array([0 if pose is None else pose.iterations for pose in poses]),
    )


def of_row(robot: Kinetostatics, found: EquilibriumRow, count: int, yielding: bool) -> Columns:
    """Return the columns of the first equilibria of a row, with their compliance if known for each."""
    equilibria, effector = robot.equilibria, robot.effector
    q, lam, u = found.q[:count], found.lam[:count], found.u[:count]
    still, motors = np.zeros_like(q), u[:, equilibria.motors]
    kept = equilibria.inverse.resultants(q, u, found.stress[:count])
    samples = Samples(u[:, 1], q, still, still, lam, signals=u)
    strains = equilibria.strains.rows(samples, u) if kept is None else equilibria.strains.under(kept)
    gaps = np.concatenate([motors - robot.limits[:, 0], robot.limits[:, 1] - motors], axis=1)
    points, unknown = len(effector.system.space.axes), np.full(count, np.nan)
    square = task_jacobian(found.jacobian[:count], effector.task, points, equilibria.length)
    return Columns(
        reached=np.ones(count, bool),
        unstable=_unstable(robot, found, count) if yielding else found.unstable[:count],
        limit_margin=np.min(gaps, axis=1),
        strain=np.max(strains, axis=1, initial=0.0),
        condition=condition(square) if yielding else unknown,
        softest=softest(found.compliance[:count], equilibria.length) if yielding else unknown,
        motors=motors,
        torques=lam @ equilibria.inverse.slopes.by_drive.T,
        iterations=found.iterations[:count],
    )


def _unstable(robot: Kinetostatics, found: EquilibriumRow, count: int) -> np.ndarray:
    """Return (count,) unstable directions, between nodes too; negative if unknown."""
    hidden = robot.equilibria.inverse.hidden(found.q[:count], found.u[:count], found.stress[:count])
    unstable = found.unstable[:count]
    return unstable if hidden is None else np.where(hidden < 0, np.where(unstable > 0, unstable, -1), unstable + hidden)
