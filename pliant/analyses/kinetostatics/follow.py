"""A trajectory of a robot: motors along a row of poses, on one branch of solutions, watched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pliant.analyses._common import numbers, result
from pliant.analyses.kinetostatics.arrival import arrive
from pliant.analyses.kinetostatics.effector import Target
from pliant.analyses.kinetostatics.pose import Pose
from pliant.analyses.kinetostatics.refusals import over_limit
from pliant.analyses.kinetostatics.table import Poses, table, targets
from pliant.errors import Interrupted, SingularError, UnreachableError
from pliant.results import Check, Outcome, Result
from pliant.results.progress import progress
from pliant.system.state import State

if TYPE_CHECKING:
    from pliant.analyses.kinetostatics.robot import Kinetostatics

UNLIKE = 0.3  # part of the motors' change by which the Jacobians may be wrong
CUTS = 5  # how often the way between two poses is halved


def along(robot: Kinetostatics, poses: Poses, start: State, u: np.ndarray, time: Sequence[float] | None) -> Result:
    """See `Kinetostatics.follow`."""
    asked, _ = targets(robot, poses, start, grid=False)
    if time is not None:
        numbers("time", time, len(asked), f"{len(asked)} instants, one for every pose")
    found: list[Pose | None] = [None] * len(asked)
    jump, trouble, finished = np.zeros(len(asked), bool), "", True
    with progress("trajectory", len(asked)) as report:
        for k, target in enumerate(asked):
            try:
                before = found[k - 1] if k else None
                if before is None:
                    found[k] = arrive(robot, target, start, u)
                else:
                    found[k], jump[k] = _advance(robot, before, target, CUTS)
            except KeyboardInterrupt:
                trouble, finished = f"interrupted at pose {k}", False
                break
            except (UnreachableError, SingularError) as error:
                trouble = f"ended before pose {k}: {error}"
                break
            report(k + 1)
    data = table(robot, found, asked, {}, ("pose",)).assign(jump=("pose", jump))
    if time is not None:
        data = data.assign_coords(time=("pose", np.asarray(time, float), {"units": "s"}))
    answer = result(robot.system, "trajectory", data, _outcome(robot, found, jump, trouble), {})
    if not finished:
        raise Interrupted("The trajectory was interrupted. What was computed is in this exception's .result.", answer)
    return answer


def _advance(robot: Kinetostatics, before: Pose, target: Target, cuts: int) -> tuple[Pose, bool]:
    """The next pose, and whether it is on another branch however finely the way is cut."""
    pose = arrive(robot, target, before.state, before.signals)
    if _foretold(robot, before, pose):
        return pose, False
    if not cuts:
        return pose, True
    middle, left = _advance(robot, before, robot.effector.halfway(before.state.q, target), cuts - 1)
    pose, again = _advance(robot, middle, target, cuts - 1)
    return pose, left or again


def _foretold(robot: Kinetostatics, before: Pose, after: Pose) -> bool:
    """Whether the motors changed as the Jacobians at both ends say (trapezoidal rule)."""
    effector = robot.effector
    way = effector.apart(effector.at(before.state.q), effector.at(after.state.q))[: effector.task]
    try:
        slopes = [np.linalg.solve(pose.jacobian[: effector.task], way) for pose in (before, after)]
    except np.linalg.LinAlgError:
        return False
    change, said = after.motors - before.motors, 0.5 * (slopes[0] + slopes[1])
    return bool(np.max(np.abs(change - said)) <= UNLIKE * np.max(np.abs(said)) + 1e-9)


def _outcome(robot: Kinetostatics, found: list[Pose | None], jump: np.ndarray, trouble: str) -> Outcome:
    reached = [pose for pose in found if pose is not None]
    words = [f"{len(reached)} of {len(found)} poses followed", *([trouble] if trouble else [])]
    if jump.any():
        words.append(f"jump to another branch at pose {', '.join(map(str, np.flatnonzero(jump)))}")
    unstable = [k for k, pose in enumerate(found) if pose is not None and pose.stable is False]
    if unstable:
        words.append(f"unstable at {len(unstable)} poses, first at {unstable[0]}")
    beyond = [(k, pose) for k, pose in enumerate(found) if pose is not None and pose.limit_margin < 0.0]
    if beyond:
        first, pose = beyond[0]
        words.append(f"beyond limits at {len(beyond)} poses, first at {first}: {over_limit(robot, pose)}")
    figures = {
        "poses": len(reached),
        "unstable": len(unstable),
        "beyond_limits": len(beyond),
        "jumps": int(jump.sum()),
        "largest_condition": max((pose.condition for pose in reached), default=0.0),
        "iterations": sum(pose.iterations for pose in reached),
    }
    checks = {
        "poses not followed": len(found) - len(reached),
        "jumps to another branch": figures["jumps"],
        "unstable poses": len(unstable),
        "poses beyond limits": len(beyond),
    }
    return Outcome(not trouble, "; ".join(words), figures, tuple(Check(name, n, 0) for name, n in checks.items()))
