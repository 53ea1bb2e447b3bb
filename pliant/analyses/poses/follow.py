"""A trajectory of a robot: motors along a row of poses, or poses along a row of motors, on one branch, watched.

Compiled code goes along the row (solvers/nonlinear/pose_path_kernel.py). What it loses, or what does not look like
the same branch, is
found again by the careful way: one pose, from the one before, the way between cut where the Jacobians deny it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pliant.analyses.checks import of_channels, of_depths, of_feeds
from pliant.analyses.common import numbers, result
from pliant.analyses.poses.arrival import SINGULAR
from pliant.analyses.poses.branch import Loads, PoseRow, as_predicted, resting
from pliant.analyses.poses.columns import nothing, of_poses, of_row
from pliant.analyses.poses.pose import Pose
from pliant.analyses.poses.refusals import STRETCH, over_limit
from pliant.analyses.poses.rows import Row
from pliant.analyses.poses.table import table
from pliant.analyses.poses.targets import Targets
from pliant.errors import AssemblyError, ConvergenceError, Interrupted, LimitError, OptionError, SingularError
from pliant.results import Check, Outcome, Result
from pliant.results.progress import progress
from pliant.results.records import Unchecked, judged
from pliant.solvers.nonlinear.inverse_step import Reached
from pliant.solvers.nonlinear.pose_path import PoseFollower
from pliant.solvers.nonlinear.pose_path_kernel import EquilibriumRow

if TYPE_CHECKING:
    from pliant.analyses.poses.robot import Kinetostatics

MISSED = 1e-9  # by which a pose may be missed, in lengths of the model and radians
BATCH = 256  # poses between two looks at the keyboard


def along(robot: Kinetostatics, row: Row, time: Sequence[float] | None, stability: bool) -> Result:
    """Follow a row of poses; see `Kinetostatics.follow` and `Kinetostatics.drive`."""
    count = len(row.signals)
    if not isinstance(stability, bool):
        raise OptionError(f"stability={stability!r:.60}: give True or False.")
    if time is not None:
        numbers("time", time, count, f"{count} instants, one for every pose")
    walk = Walk(robot, row, stability)
    walk.run()
    data = table(robot, walk.columns, walk.places, {}, ("pose",)).assign({"jump": ("pose", walk.jump)})
    if time is not None:
        data = replace(data, coords={**data.coords, "time": ("pose", np.asarray(time, float), {"units": "s"})})
    answer = result(robot.system, "trajectory", data, walk.outcome(), {})
    if not walk.finished:
        raise Interrupted("The trajectory was interrupted. What was computed is in this exception's .result.", answer)
    return answer


class Walk:
    """The poses found along a row."""

    def __init__(self, robot: Kinetostatics, row: Row, stability: bool) -> None:
        self.stability = stability
        self.robot, self.row, self.count = robot, row, len(row.signals)
        self.columns, self.jump = nothing(robot, self.count), np.zeros(self.count, bool)
        self.places = row.targets if row.task else Targets.unknown(robot.effector.at(row.start.q), self.count)
        self.trouble, self.finished = "", True
        self.worst: dict[str, Check | Unchecked] = {}  # the largest value of every check of configurations
        given = row.signals if row.begin is None else np.vstack([row.begin.signals, row.signals])
        self.loads = Loads.changing(robot, given)
        self._last: PoseRow | None = None  # the pose before, to be compared with

    def run(self) -> None:
        """Follow the row until it ends."""
        follower = self.robot.equilibria.follower(self.row.task, self.stability)
        found = None if follower is None else follower.allocate(min(BATCH, self.count))
        before = self._begin(follower)
        k = 0
        with progress("trajectory", self.count) as report:
            try:
                while k < self.count:
                    if before is not None and follower is not None and found is not None:
                        done, whole = self._quickly(k, follower, found)
                        k += done
                        before = before if not done or k == self.count else self._described(found, done - 1)
                        report(k)
                        if whole:
                            continue
                    before, self.jump[k] = self.row.careful(k, before if k else None)
                    self._take(k, before)
                    if follower is not None:
                        follower.begin(before.state.q, before.state.lam, before.signals)
                    k += 1
                    report(k)
            except KeyboardInterrupt:
                self.trouble, self.finished = f"interrupted at pose {k}", False
            except (AssemblyError, ConvergenceError, LimitError, SingularError) as error:
                self.trouble = f"ended before pose {k}: {error}"

    def _begin(self, follower: PoseFollower | None) -> Pose | None:
        """Return a pose to start from, completely known: compiled code continues from there at once."""
        pose = self.row.begin
        if pose is None or follower is None:
            return None
        follower.begin(pose.state.q, pose.state.lam, pose.signals)
        self._last = PoseRow.of(self.loads, pose)
        return pose

    def _take(self, k: int, pose: Pose) -> None:
        """Note a pose that was found by itself."""
        self.columns.put(k, of_poses(self.robot, [pose]))
        self._watch(pose.state.q[None])
        self._last = PoseRow.of(self.loads, pose)
        if not self.row.task:
            self.places.put(k, self._last.places)

    def _quickly(self, k: int, follower: PoseFollower, found: EquilibriumRow) -> tuple[int, bool]:
        """Follow poses in compiled code from pose k on. Return how many are certain, and whether these are a whole
        batch.
        """
        end = min(k + BATCH, self.count)
        reached = follower.follow(self.row.packed[k:end], self.row.signals[k:end], found)
        if not reached:
            return 0, False
        seen, columns = PoseRow.along(self.loads, found, reached), of_row(self.robot, found, reached, follower.tells)
        sure = ~(columns.condition > SINGULAR) & (columns.strain <= STRETCH)
        sure &= self.robot.reach.within(seen.places.points, seen.places.turns)
        if self.row.task:
            sure &= self._at_their_places(k, seen.places)
        else:
            sure &= columns.limit_margin >= 0.0
        if self._last is not None:
            before = self._last.before(seen)
            unstable = (columns.unstable > 0) & np.any(before.loads != seen.loads, axis=1)  # as that, and not ok
            sure &= unstable | as_predicted(self.robot, before, seen, driven=not self.row.task)
        good = reached if sure.all() else int(np.argmin(sure))
        if good:
            self.columns.put(k, columns.first(good))
            self._watch(found.q[:good])
            self._last = seen.only(good - 1)
            if not self.row.task:
                self.places.put(k, seen.places.first(good))
        return good, good == end - k

    def _watch(self, q: np.ndarray) -> None:
        """Check feeds and channels of beams, and depths of shapes in each other, in configurations (poses,
        coordinates).
        """
        for check in (check for look in (of_feeds, of_channels, of_depths) for check in look(self.robot.system, q)):
            known = self.worst.get(check.name)
            if not (isinstance(known, Check) and isinstance(check, Check) and known.value >= check.value):
                self.worst[check.name] = check

    def _at_their_places(self, k: int, places: Targets) -> np.ndarray:
        """Return which of the poses from k on are at their targets."""
        effector, requested = self.robot.effector, self.row.targets
        wanted = Targets(requested.points[k : k + len(places)], requested.turns[k : k + len(places)])
        off = np.abs(effector.all_apart(wanted, places))
        off[:, : places.points.shape[1]] /= self.robot.system.length_scale
        return np.asarray(np.max(off[:, : effector.task], axis=1) < MISSED)

    def _described(self, found: EquilibriumRow, k: int) -> Pose:
        """Return a complete description of an equilibrium of a row."""
        q, lam, u = found.q[k].copy(), found.lam[k].copy(), found.u[k].copy()
        iterations, strides = int(found.iterations[k]), int(found.strides[k])
        return self.robot.equilibria.describe(Reached(resting(q, lam, u), u, iterations, strides, 1.0))

    def outcome(self) -> Outcome:
        """Return the outcome of the row."""
        found, robot = self.columns, self.robot
        reached = int(found.reached.sum())
        words = [f"{reached} of {self.count} poses followed", *([self.trouble] if self.trouble else [])]
        if self.jump.any():
            words.append(f"jump to another branch at pose {', '.join(map(str, np.flatnonzero(self.jump)))}")
        unstable = np.flatnonzero(found.reached & (found.unstable > 0))
        if unstable.size:
            words.append(f"unstable at {unstable.size} poses, first at {unstable[0]}")
        unknown = np.flatnonzero(found.reached & (found.unstable < 0))
        if not self.stability and unknown.size:
            words.append("stability was not requested")
        elif unknown.size:
            words.append(f"stability not known at {unknown.size} poses, first at {unknown[0]}")
        beyond = np.flatnonzero(found.reached & (found.limit_margin < 0.0))
        if beyond.size:
            held = over_limit(robot, found.motors[beyond[0]], self.places[int(beyond[0])])
            words.append(f"beyond limits at {beyond.size} poses, first at {beyond[0]}: {held}")
        figures = {
            "poses": reached,
            "unstable": int(unstable.size),
            "beyond_limits": int(beyond.size),
            "jumps": int(self.jump.sum()),
            "largest_condition": float(np.max(found.condition[found.condition > 0.0], initial=0.0)),
            "iterations": int(found.iterations.sum()),
        }
        checks = {
            "poses not followed": self.count - reached,
            "jumps to another branch": figures["jumps"],
            "unstable poses": figures["unstable"],
            "poses of unknown stability": int(unknown.size) if self.stability else 0,
            "poses beyond limits": figures["beyond_limits"],
        }
        made = judged("", {}, [*(Check(name, n, 0) for name, n in checks.items()), *self.worst.values()])
        words += [f"{check}: {check.advice}" for check in made.failed if check.name in self.worst]
        return replace(made, ok=not self.trouble, message="; ".join(words), figures=figures)
