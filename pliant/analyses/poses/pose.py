"""A pose of a robot in equilibrium: motors, loads on them, stability, stiffness, margins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import OptionError, SingularError
from pliant.system.state import State

RIGID = 1e-12  # of the largest compliance: a direction that gives way less is rigid


@dataclass(frozen=True, repr=False)
class Pose:
    """A pose found by `Kinetostatics`, as plain numbers; `robot.result(pose)` makes a labelled Result of it.

    position             of the platform (m)
    orientation          rotation vector, or angle in the plane (rad)
    motors               values of the motors, in the order in which they were named (rad or m)
    torques              torques or forces of the motors that hold the robot (N m or N)
    unstable_directions  number of directions in which the equilibrium is unstable with the motors held; None if not
                         determined
    limit_margin         smallest distance of a motor from its limit (rad or m); negative beyond it, inf without limits
    strains              largest strain at the surface of every beam, by name: ``|e| + |k_y| width/2 + |k_z| height/2``,
                         from its rest shape
    residual             largest unbalanced force (N)
    iterations           of Newton
    jacobian             d(position, rotation)/d(motors), rotations about global axes
    compliance           motion of the platform (m, rad) under a unit force and moment on it, motors held
    motor_stiffness      d(torques)/d(motors), platform free

    >>> import pliant as pl
    >>> m = pl.Model("strip")
    >>> strip = pl.Section.rectangle(0.02, 0.001, pl.STEEL)
    >>> ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=strip))
    >>> parts = m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), x=0.0, y=0.0, name="pull"))
    >>> robot = pl.Kinetostatics(pl.compile(m, elements=8), platform="beam/tip", motors=["pull/x", "pull/y"])
    >>> pose = robot.inverse((0.45, 0.2))
    >>> pose.stable, round(pose.orientation, 2), pose.motors.round(1).tolist()
    (True, 0.61, [2.4, 3.3])
    """

    position: np.ndarray
    orientation: float | np.ndarray
    motors: np.ndarray
    torques: np.ndarray
    unstable_directions: int | None
    limit_margin: float
    strains: Mapping[str, float]
    residual: float
    iterations: int
    jacobian: np.ndarray
    compliance: np.ndarray
    motor_stiffness: np.ndarray
    length: float  # that makes metres comparable with radians
    task: int  # components of the pose that the motors hold
    state: State = field(repr=False)
    signals: np.ndarray = field(repr=False)

    @property
    def stable(self) -> bool | None:
        """Return whether small disturbances die out with the motors held; None if not determined."""
        return None if self.unstable_directions is None else self.unstable_directions == 0

    @property
    def strain(self) -> float:
        """Return the largest strain of all beams."""
        return max(self.strains.values(), default=0.0)

    @property
    def stiffness(self) -> np.ndarray:
        """Return force and moment on the platform for a unit motion of it, motors held: the inverse of the
        compliance.
        """
        return inverse(self.compliance, self.length, "the platform")

    def compliance_with(self, motor_stiffness: ArrayLike) -> np.ndarray:
        """Return the compliance with elastic motors: one stiffness, or one for each motor (N m/rad or N/m).

        ``C + J (diag(k) + K_m)^-1 J^T`` with the motor stiffness K_m that the legs add.
        """
        try:
            springs = np.broadcast_to(np.asarray(motor_stiffness, float), self.motors.shape)
        except (TypeError, ValueError):
            springs = np.zeros(1)
        if not np.all(np.isfinite(springs) & (springs > 0.0)):
            raise OptionError(
                f"motor_stiffness={motor_stiffness!r}: give positive numbers, one or one for every motor "
                f"({self.motors.size})."
            )
        return self.compliance + self.jacobian @ np.linalg.solve(
            np.diag(springs) + self.motor_stiffness, self.jacobian.T
        )

    @property
    def task_jacobian(self) -> np.ndarray:
        """Return the square Jacobian of the coordinates that the motors control, with lengths in sizes of the
        platform.
        """
        return task_jacobian(self.jacobian, self.task, self.position.size, self.length)

    @property
    def singular_values(self) -> np.ndarray:
        """Return the singular values of the square Jacobian, largest first."""
        return np.asarray(np.linalg.svd(self.task_jacobian, compute_uv=False))

    @cached_property
    def condition(self) -> float:
        """Return the ratio of the largest to the smallest singular value: infinite if the motors lose a direction."""
        return float(condition(self.task_jacobian))

    @property
    def manipulability(self) -> float:
        """Return the product of the singular values (Yoshikawa 1985): zero if the motors lose a direction."""
        return float(np.prod(self.singular_values))

    @property
    def softest(self) -> float:
        """Return the least eigenvalue of the stiffness (N/m), rotations measured at the platform's edge; negative
        beyond a singular pose, where the platform is unstable.
        """
        return float(softest(self.compliance, self.length))

    def __repr__(self) -> str:
        motors = ", ".join(f"{value:.6g}" for value in self.motors)
        stable = {True: "stable", False: "UNSTABLE", None: "stability not determined"}[self.stable]
        place = ", ".join(f"{x:.6g}" for x in without_rounding(self.position))
        return f"Pose(position ({place}), motors ({motors}), {stable}, condition {self.condition:.3g})"


def task_jacobian(jacobian: np.ndarray, task: int, points: int, length: float) -> np.ndarray:
    """Return the rows of Jacobians that the motors hold, with metres in sizes of the platform."""
    found = jacobian[..., :task, :].copy()
    found[..., :points, :] /= length
    return found


def condition(square: np.ndarray) -> np.ndarray:
    """Return the ratio of the largest to the smallest singular value, of one matrix or many; infinite if the latter is
    zero.
    """
    values = np.linalg.svd(square, compute_uv=False)
    with np.errstate(divide="ignore"):
        return np.asarray(values[..., 0] / values[..., -1])


def softest(compliance: np.ndarray, length: float) -> np.ndarray:
    """Return the least eigenvalue of the stiffness, of one compliance or many; see `Pose.softest`."""
    scaled = compliance * _edge(compliance, length)
    values = np.linalg.eigvalsh(0.5 * (scaled + np.swapaxes(scaled, -1, -2)))
    rounding = np.abs(values) <= RIGID * np.max(np.abs(values), axis=-1, keepdims=True)
    stiff = 1.0 / np.where(rounding, 1.0, values)
    return np.asarray(np.min(np.where(rounding, np.inf, stiff), axis=-1))


def _edge(compliance: np.ndarray, length: float) -> np.ndarray:
    """Return factors that make every entry of a compliance m/N, with rotations and moments taken at the platform's
    edge.
    """
    scale = np.ones(compliance.shape[-1])
    scale[2 if scale.size == 3 else 3 :] = length
    return np.outer(scale, scale)


def inverse(compliance: np.ndarray, length: float, of: str) -> np.ndarray:
    """Return the stiffness of a compliance; refuse a singular one."""
    scale = _edge(compliance, length)
    condition = np.linalg.cond(compliance * scale)
    if not condition < 1e14:
        raise SingularError(
            f"The compliance of {of} has no inverse (condition number {condition:.2g}): it is rigid in some "
            "direction. Use .compliance."
        )
    return np.asarray(scale * np.linalg.inv(compliance * scale))


def without_rounding(values: Any) -> np.ndarray:
    """Return numbers to show, with zeros for those that are negligible beside the largest."""
    shown = np.atleast_1d(np.asarray(values, float))
    return np.where(np.abs(shown) > 1e-9 * np.max(np.abs(shown), initial=0.0), shown, 0.0)
