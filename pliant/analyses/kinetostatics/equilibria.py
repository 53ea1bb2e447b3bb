"""Equilibria of a robot as plain numbers: Newton for poses and for motor angles, and what is known of each."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pliant.analyses.kinetostatics.effector import AtPose, Effector, Target
from pliant.analyses.kinetostatics.pose import Pose
from pliant.analyses.kinetostatics.strains import Strains
from pliant.errors import SingularError
from pliant.formulations.dae.generalized_alpha import DONE
from pliant.solvers import newton, tangent
from pliant.solvers.equilibrium import PLAIN, newton_with, spun, stiffness_scale
from pliant.solvers.multipliers import Multipliers
from pliant.solvers.reach import SMALLEST_STEP, Reached, reach
from pliant.solvers.slopes import Slopes
from pliant.solvers.stability import growing
from pliant.system.state import State

LIMIT = 20  # iterations of Newton over a step of the way


@dataclass
class Equilibria:
    """Solver of one robot. Does not change once made: threads may share it."""

    effector: Effector
    motors: list[int]  # numbers of their signals
    limits: np.ndarray  # (motors, 2)
    length: float
    slopes: Slopes = field(init=False)
    strains: Strains = field(init=False)
    gamma: float = field(init=False)

    def __post_init__(self) -> None:
        system, home = self.system, self.system.start()
        self.slopes, self.strains = Slopes(system, self.motors), Strains(system)
        self.gamma = stiffness_scale(system, home.q, home.lam, system.signals(np.zeros(1))[0], system.scratch())

    @property
    def system(self) -> Multipliers:
        """The robot."""
        return self.effector.system

    def with_signals(self, u: np.ndarray) -> Multipliers:
        """The robot whose signals have these values."""
        return self.system.with_signals(self.system.named(u))

    def toward(
        self, target: Target, start: State, u: np.ndarray, *, step: float = SMALLEST_STEP, limit: int = LIMIT
    ) -> Reached:
        """The equilibrium at a pose, or the last one on the way there."""
        goal = AtPose(self.effector, target)
        return reach(self.system, start, u, self.slopes, goal, gamma=self.gamma, smallest_step=step, limit=limit)

    def driven(self, start: State, u: np.ndarray) -> Reached | None:
        """The equilibrium for signals by one run of Newton, if that gets there without winding anything up."""
        q, lam, scratch = start.q.copy(), start.lam.copy(), self.system.scratch()
        status, iterations, _ = newton_with(PLAIN, self.system, u, q, lam, scratch)
        if status != DONE or spun(self.system, q, start.q):
            return None
        return Reached(State(q, np.zeros_like(q), np.zeros_like(q), lam, float(u[1])), u, iterations, 1, 1.0)

    def describe(self, found: Reached) -> Pose:
        """All that is told of an equilibrium, from one factorisation of its tangent; where loads have no potential,
        stability takes an eigenvalue problem besides.
        """
        system, effector, q, lam, u = self.system, self.effector, found.state.q, found.state.lam, found.signals
        scratch = system.scratch()
        slope = self.slopes.evaluate(q, lam, u, self.gamma, scratch)
        force, _ = newton.assemble(system.equations, q, lam, u, self.gamma, 0.0, False, scratch)
        regular, count = tangent.factorise(system, scratch)
        if not regular:
            raise SingularError(
                f"{effector.at(q)} is a singular pose of {system.model.name!r}: with the motors held, its tangent "
                "stiffness has no inverse, the platform can move without any force. Ask for a pose beside it."
            )
        motion = effector.motion(q)
        pushed = np.zeros((effector.width, lam.size + system.freedoms))
        pushed[:, effector.freedoms] = motion
        moved = slope.right_side()
        tangent.solve(system, scratch, (*pushed, *moved))
        by_motor, by_force = (part[:, effector.freedoms] @ motion.T for part in (moved, pushed))
        if not system.conservative:
            count = growing(self.with_signals(u), found.state)[0]
        motors, pose = u[self.motors], effector.at(q)
        gaps = np.concatenate([motors - self.limits[:, 0], self.limits[:, 1] - motors])
        return Pose(
            position=pose.position,
            orientation=pose.rotation,
            motors=motors,
            torques=slope.gap @ lam,
            unstable_directions=count,
            limit_margin=float(np.min(gaps)),
            strains=self.strains.largest(q),
            residual=float(force / system.length_scale),
            iterations=found.iterations,
            jacobian=by_motor.T.copy(),
            compliance=by_force.T.copy(),
            motor_stiffness=np.hstack([slope.force, slope.gap]) @ moved.T,
            length=self.length,
            task=effector.task,
            state=found.state,
            signals=u,
        )
