"""Equilibria of a robot as plain numbers: Newton for poses and for motor angles, and what is known of each."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pliant.analyses.poses.effector import AtPose, Effector, Target
from pliant.analyses.poses.pose import Pose
from pliant.analyses.poses.strains import Strains
from pliant.errors import SingularError
from pliant.solvers.nonlinear.inverse import Inverse
from pliant.solvers.nonlinear.inverse_step import SMALLEST_STEP, Reached
from pliant.solvers.nonlinear.pose_path import Pursuer
from pliant.system.capabilities import HasInverse
from pliant.system.state import State

LIMIT = 20  # iterations of Newton over a step of the way


@dataclass
class Equilibria:
    """Solver of one robot. Does not change once made: threads may share it."""

    effector: Effector
    motors: list[int]  # numbers of their signals
    limits: np.ndarray  # (motors, 2)
    length: float
    inverse: Inverse = field(init=False)
    strains: Strains = field(init=False)

    def __post_init__(self) -> None:
        self.inverse, self.strains = self.system.inverse(self.motors), Strains(self.system)

    @property
    def system(self) -> HasInverse:
        """The robot."""
        return self.effector.system

    def with_signals(self, u: np.ndarray) -> HasInverse:
        """The robot whose signals have these values."""
        return self.system.with_signals(self.system.named(u))

    def pursuer(self, task: int, stability: bool = True) -> Pursuer | None:
        """Follows rows of poses, or of signals (``task`` 0), in compiled code; None where that is not possible."""
        return self.inverse.pursuer(self.effector.frame_of_node(task), stability)

    def toward(
        self, target: Target, start: State, u: np.ndarray, *, step: float = SMALLEST_STEP, limit: int = LIMIT
    ) -> Reached:
        """The equilibrium at a pose, or the last one on the way there."""
        goal = AtPose(self.effector, target)
        return self.inverse.toward(goal, start, u, gamma=self.inverse.gamma, step=step, limit=limit)

    def describe(self, found: Reached) -> Pose:
        """All that is known of an equilibrium; see `Inverse.yielding`."""
        system, effector, q, lam, u = self.system, self.effector, found.state.q, found.state.lam, found.signals
        pose, motion = effector.seen(q)
        pushes = np.zeros((effector.width, lam.size + system.freedoms))
        pushes[:, effector.freedoms] = motion
        yielding = self.inverse.yielding(found, pushes)
        if not yielding.regular:
            raise SingularError(
                f"{pose} is a singular pose of {system.model.name!r}: with the motors held, its tangent "
                "stiffness has no inverse, the platform can move without any force. Ask for a pose beside it."
            )
        moved, slope = yielding.by_signal, yielding.signals
        by_motor, by_force = (part[:, effector.freedoms] @ motion.T for part in (moved, yielding.by_force))
        motors = u[self.motors]
        gaps = np.concatenate([motors - self.limits[:, 0], self.limits[:, 1] - motors])
        return Pose(
            position=pose.position,
            orientation=pose.rotation,
            motors=motors,
            torques=slope.gap @ lam,
            unstable_directions=yielding.unstable,
            limit_margin=float(np.min(gaps)),
            strains=self.strains.largest(found.state, u),
            residual=yielding.residual,
            iterations=found.iterations,
            jacobian=by_motor.T.copy(),
            compliance=by_force.T.copy(),
            motor_stiffness=np.hstack([slope.force, slope.gap]) @ moved.T,
            length=self.length,
            task=effector.task,
            state=found.state,
            signals=u,
        )
