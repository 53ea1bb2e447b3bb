"""The workspace of a robot: many poses, each started from the nearest that was found before."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from pliant.analyses.common import result, whole
from pliant.analyses.parallel import Stopped, Tick, in_parallel, processors
from pliant.analyses.poses.arrival import arrive
from pliant.analyses.poses.columns import of_poses
from pliant.analyses.poses.effector import Target
from pliant.analyses.poses.pose import Pose
from pliant.analyses.poses.table import table
from pliant.analyses.poses.targets import Poses, Targets, targets
from pliant.errors import Interrupted, SingularError, UnreachableError
from pliant.results import Outcome, Result
from pliant.system.state import State

if TYPE_CHECKING:
    from pliant.analyses.poses.robot import Kinetostatics

SMALLEST_STEP = 1.0 / 4.0  # of the way from the nearest pose found
BATCH = 16  # poses that do not wait for each other
LIMIT = 8  # iterations of Newton over such a step


def explore(robot: Kinetostatics, poses: Poses, start: State, u: np.ndarray, workers: int | None) -> Result:
    """Explore poses; see `Kinetostatics.workspace`."""
    if workers is not None:
        whole("workers", workers)
    requested, axes = targets(robot, poses, start, grid=True)
    search = _Search(robot, requested, start, u)
    threads = min(workers or processors(), len(requested))
    finished = in_parallel("workspace", [search.run] * threads, total=len(requested), workers=threads)
    poses_found = [search.found[k] for k in np.argsort(search.order)]
    data = table(robot, of_poses(robot, poses_found), requested, axes, tuple(axes) if axes else ("pose",))
    figures = {
        "poses": int(search.tried.sum()),
        **{name: int(data.values(name).sum()) for name in ("reachable", "stable", "usable")},
        "iterations": sum(pose.iterations for pose in search.found if pose is not None),
    }
    message = f"{figures['reachable']} of {figures['poses']} poses reached, {figures['usable']} usable"
    outcome = Outcome(finished, message, figures)
    found = result(robot.system, "workspace", data, outcome, {"platform": robot.effector.marker.label})
    if not finished:
        raise Interrupted("The workspace was interrupted. What was computed is in this exception's .result.", found)
    return found


class _Search:
    """Poses to be found, in the order of their distance from the start; threads share what they find.

    A pose starts from the nearest one found in the batches before its own: what comes out does not depend on the number
    of threads.
    """

    def __init__(self, robot: Kinetostatics, requested: Targets, start: State, u: np.ndarray) -> None:
        self.robot, self.u, self.start = robot, u, start
        places = np.array([_coordinates(robot, target) for target in requested])
        away = np.linalg.norm(places - _coordinates(robot, robot.effector.at(start.q)), axis=1)
        self.order = np.argsort(away, kind="stable")
        self.requested = [requested[k] for k in self.order]
        self.places, self.away = places[self.order], away[self.order]
        self.found: list[Pose | None] = [None] * len(requested)
        self.missing = np.full(len(requested), np.inf)  # 0 where a pose was found, to be added to distances
        self.tried = np.zeros(len(requested), bool)
        self.queue, self.change, self.ended = iter(range(len(requested))), threading.Condition(), False

    def run(self, tick: Tick) -> None:
        """Find poses until all were tried."""
        try:
            while (k := self._next()) is not None:
                tick()
                with suppress(UnreachableError, SingularError):
                    self.found[k] = self._find(k)
                with self.change:
                    self.missing[k] = np.inf if self.found[k] is None else 0.0
                    self.tried[k] = True
                    self.change.notify_all()
        except BaseException as error:
            with self.change:  # others may be waiting for this pose
                self.ended = True
                self.change.notify_all()
            if not isinstance(error, Stopped):
                raise

    def _next(self) -> int | None:
        """Return the number of a pose, once all batches before its own have been tried."""
        with self.change:
            k = next(self.queue, None)
            if k is not None:
                self.change.wait_for(lambda: self.ended or bool(self.tried[: _before(k)].all()))
            return None if self.ended else k

    def _find(self, k: int) -> Pose:
        """Find the pose, from the nearest one found or from the start."""
        robot, target, first = self.robot, self.requested[k], _before(k)
        state, u = self.start, self.u
        distances = np.linalg.norm(self.places[:first] - self.places[k], axis=1) + self.missing[:first]
        near = int(np.argmin(distances)) if first else 0
        nearest = self.found[near] if first and distances[near] < self.away[k] else None
        if nearest is not None:
            state, u = nearest.state, nearest.signals
        return arrive(robot, target, state, u, step=SMALLEST_STEP, limit=LIMIT)


def _before(k: int) -> int:
    """Return how many poses come before the batch of pose k; batches have 1, 1, 2, 4, 8, 16, 16, ... poses."""
    return k - k % BATCH if k >= BATCH else 1 << k.bit_length() - 1 if k else 0


def _coordinates(robot: Kinetostatics, target: Target) -> np.ndarray:
    """Return coordinates of a pose, in platform sizes and radians, for distances."""
    return np.concatenate([target.position / robot.equilibria.length, np.atleast_1d(target.rotation)])
