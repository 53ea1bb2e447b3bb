"""A robot for a control loop: one pose after the other in compiled code, each from the last."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from pliant.analyses.poses.arrival import arrive
from pliant.analyses.poses.branch import UNLIKE, on_one_branch
from pliant.analyses.poses.pose import Pose
from pliant.analyses.poses.refusals import over_limit
from pliant.analyses.poses.targets import Targets
from pliant.errors import OptionError, OtherBranch, UnstableEquilibrium, nearest, warn
from pliant.model.rotations import Orientation
from pliant.solvers.nonlinear import pose_path_kernel
from pliant.solvers.nonlinear.held_frame import POSE, lead
from pliant.solvers.nonlinear.inverse_step import Reached
from pliant.solvers.nonlinear.pose_path import PoseFollower
from pliant.solvers.nonlinear.pose_path_kernel import REACHED
from pliant.system.state import State

if TYPE_CHECKING:
    from pliant.analyses.poses.robot import Kinetostatics


class PoseStepper:
    """Follows a sequence of poses one by one, as a control loop needs them; made by `Kinetostatics.stepper`.

    motors       values of the motors that hold the robot (rad or m)
    torques      torques or forces of the motors (N m or N)
    position, orientation   of the platform (m, rotation vector or angle)
    unstable_directions     number, with the motors held; None if not determined
    jacobian, compliance    as of a `Pose`; None without stability
    iterations   of Newton for the last pose
    careful      number of poses so far that the fast compiled solver could not confirm and that a slower one found

    >>> import pliant as pl
    >>> from pliant_gallery.examples import two_links
    >>> motors = ["shoulder/angle", "elbow/angle"]
    >>> loop = pl.Kinetostatics(pl.compile(two_links()), platform="lower/tip", motors=motors).stepper()
    >>> for x in (0.0, 0.01, 0.02):
    ...     angles = loop.inverse((x, 1.0))
    >>> loop.stable, loop.position.round(6).tolist()
    (True, [0.02, 1.0])
    """

    def __init__(self, robot: Kinetostatics, pose: Pose, stability: bool = True) -> None:
        self.robot, self.careful, self.stability = robot, 0, stability
        self.jacobian: np.ndarray | None
        self.compliance: np.ndarray | None
        self._ways: dict[int, PoseFollower | None] = {}
        self._at: PoseFollower | None = None
        self._target, self._way = np.zeros(POSE), np.zeros(robot.effector.width)
        self._take(pose)

    def inverse(
        self,
        position: ArrayLike,
        orientation: Orientation | float | None = None,
        *,
        load: Mapping[str, float] | None = None,
    ) -> np.ndarray:
        """Find the motors that hold the platform at a pose, as `Kinetostatics.inverse`, from the last one.

        Raises UnreachableError, SingularError or LimitError; the stepper then stays at the last pose. Warns when poses
        become unstable, and when the robot jumps to another branch. The reach of legs and the strain of beams are not
        checked here; `follow` checks them.
        """
        u, effector = self._given(load), self.robot.effector
        target = effector.target(position, orientation, self._home)
        self._target[:] = Targets.of([target]).packed[0]
        if self._quickly(effector.task, u):
            return self.motors
        before = self.pose()
        u[self.robot.equilibria.motors] = before.motors
        self._carefully(before, arrive(self.robot, target, before.state, u), driven=False)
        return self.motors

    def forward(self, motors: ArrayLike, *, load: Mapping[str, float] | None = None) -> np.ndarray:
        """Find the position of the platform for values of the motors, as `Kinetostatics.forward`, from the last
        pose.
        """
        u = self._given(load)
        try:
            u[self.robot.equilibria.motors] = motors
        except (TypeError, ValueError):
            raise OptionError(f"motors={motors!r:.60}: give {len(self.robot.motors)} numbers.") from None
        if not np.all(np.isfinite(u)):
            raise OptionError(f"motors={motors!r:.60}: give {len(self.robot.motors)} finite numbers.")
        if self._quickly(0, u):
            return self.position
        before = self.pose()
        self._carefully(before, self.robot.resting(before.state, u), driven=True)
        return self.position

    @property
    def stable(self) -> bool | None:
        """Return whether small disturbances die out with the motors held; None if not determined."""
        return None if self.unstable_directions is None else self.unstable_directions == 0

    @property
    def torques(self) -> np.ndarray:
        """Return the torques or forces with which the motors hold the robot."""
        return np.asarray(self.robot.equilibria.inverse.slopes.by_drive @ self._lam)

    @property
    def position(self) -> np.ndarray:
        """Return the position of the platform."""
        return self._home.position

    @property
    def orientation(self) -> float | np.ndarray:
        """Return the rotation vector, or the angle in the plane."""
        turn: float | np.ndarray = self._home.rotation
        return turn

    def pose(self) -> Pose:
        """Return the present pose."""
        q = self._q.copy()
        state = State(q, np.zeros_like(q), np.zeros_like(q), self._lam.copy(), float(self._u[1]))
        return self.robot.equilibria.describe(Reached(state, self._u.copy(), self.iterations, 1, 1.0))

    def _given(self, load: Mapping[str, float] | None) -> np.ndarray:
        """Return all signals, with some loads replaced."""
        u = self._u.copy()
        for name, value in (load or {}).items():
            if name not in self.robot.system.signal_names or name in self.robot.motors:
                raise OptionError(f"load: {name!r} is no load. {nearest(str(name), self.robot.system.signal_names)}")
            u[self.robot.system.signal_number(name)] = value
        return u

    def _quickly(self, task: int, u: np.ndarray) -> bool:
        """Move in compiled code from the present state; False if that is uncertain, and nothing is changed."""
        if task not in self._ways:
            self._ways[task] = self.robot.equilibria.follower(task, self.stability)
        follower = self._ways[task]
        if follower is None:
            return False
        if self._at is not follower:
            follower.begin(self._q, self._lam, self._u)
            self._at = follower
        track, work = follower.track, follower.track.work
        steady = np.array_equal(u, self._u) or self._same_loads(u)
        status, iterations, _ = pose_path_kernel.approach(track, self._target, u, follower.q, follower.lam, follower.u)
        motors = follower.u[self.robot.equilibria.motors]
        if status != REACHED or (steady and not self._as_predicted(work, motors, task)):
            self._at = None
            return False
        self._check_limits(motors)
        unstable = self._unstable(follower) if follower.tells else -1
        self._note(follower.q.copy(), follower.lam.copy(), follower.u.copy(), unstable, int(iterations))
        self._slope, self.compliance = work.jacobian.copy(), work.compliance.copy() if follower.tells else None
        self.jacobian = self._slope if follower.tells else None
        return True

    def _unstable(self, follower: PoseFollower) -> int:
        """Return the number of unstable directions of the last equilibrium, between nodes too; negative if unknown."""
        nodes, stress = int(follower.track.work.negatives[0]), follower.track.scratch.stress
        hidden = self.robot.equilibria.inverse.hidden(follower.q[None], follower.u[None], stress[None])
        return nodes if hidden is None else nodes + int(hidden[0]) if hidden[0] >= 0 else nodes or -1

    def _same_loads(self, u: np.ndarray) -> bool:
        motors = self.robot.equilibria.motors
        return np.array_equal(np.delete(u, motors), np.delete(self._u, motors))

    def _as_predicted(self, work: pose_path_kernel.Workspace, motors: np.ndarray, task: int) -> bool:
        """Return whether the motors, or the platform, moved as the Jacobians at both ends predict; see branch.py."""
        effector = self.robot.effector
        held, change = effector.task, motors - self.motors
        lead(len(effector.system.space.axes), work.home, work.pose, self._way)
        way, slopes = self._way[:held], (self._slope[:held], work.jacobian[:held])
        if not task:
            said = 0.5 * (slopes[0] + slopes[1]) @ change
            return bool(np.max(np.abs(way - said)) <= UNLIKE * np.max(np.abs(said)) + 1e-9)
        try:
            said = 0.5 * (np.linalg.solve(slopes[0], way) + np.linalg.solve(slopes[1], way))
        except np.linalg.LinAlgError:
            return False
        return bool(np.max(np.abs(change - said)) <= UNLIKE * np.max(np.abs(said)) + 1e-9)

    def _check_limits(self, motors: np.ndarray) -> None:
        limits = self.robot.limits
        if np.any(motors < limits[:, 0]) or np.any(motors > limits[:, 1]):
            self._at = None
            raise over_limit(self.robot, motors)

    def _carefully(self, before: Pose, pose: Pose, *, driven: bool) -> None:
        """Take a pose that was found by itself."""
        self._check_limits(pose.motors)
        self.careful += 1
        if not on_one_branch(self.robot, before, pose, driven=driven):
            warn(
                OtherBranch,
                f"{self.robot.system.model.name!r} moved from position {before.position} to {pose.position}, but its "
                "motors did not move as the Jacobians predict: it may have jumped to another branch. Ask for poses "
                "nearer to each other.",
            )
        self._take(pose)

    def _take(self, pose: Pose) -> None:
        self._at = None
        unstable = -1 if pose.unstable_directions is None else pose.unstable_directions
        self._note(pose.state.q, pose.state.lam, pose.signals, unstable, pose.iterations)
        self._slope = pose.jacobian
        self.jacobian, self.compliance = pose.jacobian, pose.compliance

    def _note(self, q: np.ndarray, lam: np.ndarray, u: np.ndarray, unstable: int, iterations: int) -> None:
        """Store the present state of the robot."""
        was = getattr(self, "unstable_directions", 0)
        self._q, self._lam, self._u, self.iterations = q, lam, u, iterations
        self.motors, self._home = u[self.robot.equilibria.motors], self.robot.effector.at(q)
        self.unstable_directions = None if unstable < 0 else unstable
        if self.unstable_directions and not was:
            warn(
                UnstableEquilibrium,
                f"From here on poses of {self.robot.system.model.name!r} are unstable in {unstable} direction(s) with "
                f"the motors held, at position {self.position}. Turn back, or hold the platform.",
            )
