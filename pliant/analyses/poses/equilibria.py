"""Equilibria of a robot as plain numbers: Newton for poses and for motor angles, and properties of each.

Largest strains of beams, quickly: one row of factors a section, computed once.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pliant.analyses.poses.effector import AtPose, Effector, Target
from pliant.analyses.poses.pose import Pose
from pliant.elements._fibres import stretches
from pliant.errors import SingularError
from pliant.model import Section
from pliant.solvers.nonlinear.inverse import Inverse
from pliant.solvers.nonlinear.inverse_step import SMALLEST_STEP, Reached
from pliant.solvers.nonlinear.pose_path import PoseFollower
from pliant.system.capabilities import HasInverse
from pliant.system.samples import Samples
from pliant.system.state import State


class Strains:
    """Strain at the surface of every beam, ``|e| + |k_y| width/2 + |k_z| height/2``: the strain at the corner of a
    rectangle, at most 1.41 times too large for a round section. Sections of unknown size count with their middle only.
    Sections with a law of large strains have the strain of their fibres.
    """

    def __init__(self, system: HasInverse) -> None:
        self.observer = system.observer()
        self.beams, where = self.observer.sections()
        known, spatial = {beam.name: beam for beam in system.model.beams}, system.space.quaternions
        rows = [_per_force(known[name].section_at(s), spatial) for name, s in zip(self.beams, where, strict=True)]
        self.per_force = np.array(rows).reshape(-1, system.space.width)
        self.laws = {
            k: known[name].section_at(s)
            for k, (name, s) in enumerate(zip(self.beams, where, strict=True))
            if known[name].section.hyperelastic
        }
        self.firsts = [k for k, name in enumerate(self.beams) if k == 0 or name != self.beams[k - 1]]
        self.names = [self.beams[k] for k in self.firsts]

    def largest(self, state: State, u: np.ndarray) -> dict[str, float]:
        """Return the largest strains in a state at rest, by the name of the beam."""
        return dict(zip(self.names, self.rows(Samples.of(state), u)[0].tolist(), strict=True))

    def rows(self, samples: Samples, u: np.ndarray) -> np.ndarray:
        """Return (states, beams) strains in many states at rest."""
        if not self.per_force.size:
            return np.zeros((len(samples.q), 0))
        return self.under(self.observer.values("resultant", samples, u))

    def under(self, resultants: np.ndarray) -> np.ndarray:
        """Return (states, beams) strains under resultants (states, sections, width)."""
        strain = np.einsum("kij,ij->ki", np.abs(resultants), self.per_force)
        for k, section in self.laws.items():
            for row, own in zip(strain, resultants[:, k], strict=True):
                row[k] = stretches(section, own).strain
        return np.maximum.reduceat(strain, self.firsts, axis=1)


def _per_force(section: Section, spatial: bool) -> list[float]:
    """Return the strain at the surface under unit section resultants; shear and torsion do not count."""
    height, width = section.height or 0.0, section.width or 0.0
    if not spatial:
        return [1.0 / section.axial_stiffness, 0.0, 0.5 * height / section.bending_stiffness]
    stretching, _, _, _, about_y, about_z = np.diag(section.stiffness).tolist()
    return [1.0 / stretching, 0.0, 0.0, 0.0, 0.5 * width / about_y, 0.5 * height / about_z]


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
        """Return the system of the robot."""
        return self.effector.system

    def with_signals(self, u: np.ndarray) -> HasInverse:
        """Return the robot with these values of signals."""
        return self.system.with_signals(self.system.named(u))

    def follower(self, task: int, stability: bool = True) -> PoseFollower | None:
        """Return the compiled follower of rows of poses, or of signals (``task`` 0); None if that is not possible."""
        return self.inverse.follower(self.effector.frame_of_node(task), stability)

    def toward(
        self, target: Target, start: State, u: np.ndarray, *, step: float = SMALLEST_STEP, limit: int = LIMIT
    ) -> Reached:
        """Find the equilibrium at a pose, or the last one on the way there."""
        goal = AtPose(self.effector, target)
        return self.inverse.toward(goal, start, u, gamma=self.inverse.gamma, step=step, limit=limit)

    def describe(self, found: Reached) -> Pose:
        """Describe an equilibrium completely; see `Inverse.yielding`."""
        system, effector, q, lam, u = self.system, self.effector, found.state.q, found.state.lam, found.signals
        pose, motion = effector.pose_and_map(q)
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
