"""The workspace of a robot: many poses, each started from the nearest that was found before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.analyses._common import result, whole
from pliant.analyses._parallel import Stopped, Tick, in_parallel, processors
from pliant.analyses.kinetostatics.effector import Target
from pliant.analyses.kinetostatics.legs import check_reach
from pliant.analyses.kinetostatics.pose import Pose
from pliant.analyses.kinetostatics.table import table, targets
from pliant.errors import Interrupted, SingularError, UnreachableError
from pliant.formulations.dae.system import State
from pliant.results import Outcome, Result

if TYPE_CHECKING:
    from pliant.analyses.kinetostatics.robot import Kinetostatics

SMALLEST_STEP = 1.0 / 4.0  # of the way from the nearest pose found
LIMIT = 8  # iterations of Newton over such a step


def explore(robot: Kinetostatics, poses: Any, u: np.ndarray, start: State, workers: int | None) -> Result:
    """See `Kinetostatics.workspace`."""
    if workers is not None:
        whole("workers", workers)
    asked, axes, _ = targets(robot, poses, grid=True)
    search = _Search(robot, asked, u, start)
    threads = min(workers or processors(), len(asked))
    shares = np.array_split(search.order(), threads)
    tasks = [lambda tick, share=share: search.run(share, tick) for share in shares]
    finished = in_parallel("workspace", tasks, total=len(asked), workers=threads)
    data = table(robot, search.found, asked, axes, tuple(axes) if axes else ("pose",))
    figures = {
        "poses": int(search.tried.sum()),
        **{name: int(data[name].sum()) for name in ("reachable", "stable", "usable")},
        "iterations": sum(pose.iterations for pose in search.found if pose is not None),
    }
    message = f"{figures['reachable']} of {figures['poses']} poses reached, {figures['usable']} usable"
    outcome = Outcome(finished, message, figures)
    found = result(robot.system, "workspace", data, outcome, {"platform": robot.effector.marker.label})
    if not finished:
        raise Interrupted("The workspace was interrupted. What was computed is in this exception's .result.", found)
    return found


class _Search:
    """Poses to be found; threads share what they find."""

    def __init__(self, robot: Kinetostatics, asked: list[Target], u: np.ndarray, start: State) -> None:
        self.robot, self.asked, self.u, self.start = robot, asked, u, start
        self.found: list[Pose | None] = [None] * len(asked)
        self.tried = np.zeros(len(asked), bool)
        self.places = np.array([_coordinates(robot, target) for target in asked])
        self.known = np.full(len(asked), np.inf)  # 0 where a pose was found, to be added to distances
        self.from_start = np.linalg.norm(self.places - _coordinates(robot, robot.effector.at(start.q)), axis=1)

    def order(self) -> np.ndarray:
        """From the start outwards: every pose then has a neighbour that was tried before."""
        return np.argsort(self.from_start, kind="stable")

    def run(self, share: np.ndarray, tick: Tick) -> None:
        """Find the poses with these numbers."""
        for k in share.tolist():
            try:
                tick()
                self.found[k] = self.find(k)
                self.known[k] = 0.0 if self.found[k] is not None else np.inf
            except Stopped:
                return
            except (UnreachableError, SingularError):
                pass
            self.tried[k] = True

    def find(self, k: int) -> Pose | None:
        """The pose, from the nearest one found or from the start."""
        robot, target = self.robot, self.asked[k]
        check_reach(robot.effector, robot.legs, target)
        distances = np.linalg.norm(self.places - self.places[k], axis=1) + self.known
        near = int(np.argmin(distances))
        nearest = self.found[near] if distances[near] < self.from_start[k] else None
        state, u = (self.start, self.u) if nearest is None else (nearest.state, nearest.signals)
        found = robot.equilibria.toward(target, state, u, step=SMALLEST_STEP, limit=LIMIT)
        return robot.equilibria.describe(found, stability=False) if found.share == 1.0 else None


def _coordinates(robot: Kinetostatics, target: Target) -> np.ndarray:
    """Of a pose, in platform sizes and radians, for distances."""
    return np.concatenate([target.position / robot.equilibria.length, np.atleast_1d(target.rotation)])
