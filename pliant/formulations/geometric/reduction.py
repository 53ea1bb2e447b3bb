"""The pose of a one-freedom mechanism as a function of one angle y, and its equation of motion.

    q = gamma(y),   v = G y' + h,   a = G y'' + b,   G = d gamma / dy
    (G^T M G) y'' = -G^T (M b - f)

All follow from the rows of the joints and one more row that picks y: ``[g_q; e_y] v = [-g_t; y']``,
``[g_q; e_y] a = [-v^T g_qq v - g_tt; y'']``. Source: thesis 2.5, eqs. 2.5 and 2.6; h and the explicit dependence on time are
there for prescribed motions.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from pliant.errors import SingularError
from pliant.forces.state_force import callbacks
from pliant.formulations.dae.system import System
from pliant.joints import rows as joints
from pliant.model import Model
from pliant.model.bodies import RigidBody
from pliant.system import fused

REGULAR = 1e-5  # smallest over largest singular value of [g_q; e_y]; below, the pose counts as a dead centre of y
CONVERGED = 1e-10  # last Newton increment, in lengths of the model and radians; the error left is about its square
ITERATIONS = 25
SMALLEST_STEP = 1e-9  # rad, of the continuation in y
STARTS = 64  # of the search for branches


class Frame(NamedTuple):
    """Pseudo-inverse of the scaled rows ``[g_q; e_y]`` at a pose."""

    inverse: np.ndarray  # (coordinates, rows + 1)
    conditioning: float

    @property
    def tangent(self) -> np.ndarray:
        """G = d gamma / dy"""
        return self.inverse[:, -1]


class Point(NamedTuple):
    """One instant of the reduced motion; coordinates as in the system with multipliers."""

    q: np.ndarray
    v: np.ndarray
    tangent: np.ndarray
    bias: np.ndarray  # acceleration at y'' = 0
    second: float  # y''

    @property
    def a(self) -> np.ndarray:
        """Acceleration."""
        return self.bias + self.second * self.tangent


@dataclass(frozen=True)
class Reduced:
    """A rigid mechanism with one freedom, described by the angle y of one body (formulation "geometric")."""

    dae: System
    body: RigidBody
    settings: Mapping[str, Any] = field(init=False)
    formulation: str = field(init=False, default="geometric")

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", {"formulation": "geometric", "coordinate": self.body.name})

    def __repr__(self) -> str:
        return f"Reduced({self.model.name!r}: one coordinate, the angle of {self.body.name!r}, formulation 'geometric')"

    @property
    def model(self) -> Model:
        """The model it was made from."""
        return self.dae.model

    @property
    def index(self) -> int:
        """Place of y among the coordinates of the system with multipliers."""
        return self._angle_index(self.body)

    def gamma(self, y: float, near: np.ndarray | None = None, *, time: float = 0.0) -> np.ndarray:
        """Pose at y on the branch of ``near`` (the assembled one unless given), followed in y as far as needed.

        SingularError where a dead centre of y lies between.
        """
        q = (self.dae.initial if near is None else near).copy()
        u = self._signals(time)
        pose = self._close(q, float(q[self.index]), u)
        if pose is None:
            raise SingularError(self.dead_centre(q, time))
        q, step = pose, y - float(q[self.index])
        while q[self.index] != y:
            frame = self.frame(q, time)
            remaining = y - float(q[self.index])
            step = remaining if abs(step) >= abs(remaining) else step
            target = y if step == remaining else float(q[self.index]) + step
            ahead = q.copy()
            ahead[:-3] += step * frame.tangent
            found = self._close(ahead, target, u, limit=0.2 * self._size(step * frame.tangent))
            if found is None or frame.conditioning < REGULAR:
                step *= 0.5
                if abs(step) < SMALLEST_STEP or frame.conditioning < REGULAR:
                    raise SingularError(self.dead_centre(q, time))
                continue
            q, step = found, 2.0 * step
        return q

    def branches(self, y: float, *, time: float = 0.0) -> list[np.ndarray]:
        """All assembled poses at y, found by Newton from many scattered starts, the same in every call.

        The branch nearest to the assembled configuration comes first. An empty list: no pose exists at this y.
        """
        generator = np.random.default_rng(0)
        initial, u = self.dae.initial, self._signals(time)
        centres = initial[:-3].reshape(-1, 3)[:, :2]
        found: list[np.ndarray] = []
        for start in range(STARTS):
            q = initial.copy()
            if start:
                nodes = q[:-3].reshape(-1, 3)
                nodes[:, :2] += self.dae.length_scale * generator.uniform(-1.0, 1.0, centres.shape)
                nodes[:, 2] += generator.uniform(-np.pi, np.pi, len(nodes))
            pose = self._close(q, y, u)
            if pose is None or self.frame(pose, time).conditioning < REGULAR:
                continue
            if all(self._distance(pose, other) > 1e-6 for other in found):
                found.append(pose)
        return sorted(found, key=lambda pose: self._distance(pose, initial))

    def frame(self, q: np.ndarray, time: float) -> Frame:
        """Rows of the joints and of y at a pose, inverted."""
        return self._frame(q, self._signals(time), self.index)

    def point(self, y: float, rate: float, near: np.ndarray, time: float) -> Point:
        """Pose, velocity and acceleration at y, y' and a time, on the branch of ``near``."""
        dae = self.dae
        q = self.gamma(y, near, time=time)
        frame = self.frame(q, time)
        if frame.conditioning < REGULAR:
            raise SingularError(self.dead_centre(q, time))
        u = self._signals(time)
        speeds, seconds = (table[0] for table in dae.signal_rates(np.array([time])))
        v, drift, curve = np.zeros(q.size), np.zeros(dae.constraints), np.zeros(dae.constraints)
        joints.velocity(dae.equations.rows, q, v, u, speeds, drift)
        v[:-3] = frame.inverse @ np.append(-drift, rate)
        joints.bias(dae.equations.rows, q, v, u, seconds, curve)
        bias = frame.inverse @ np.append(-curve, 0.0)
        force = self.unbalanced(q, v, bias, u)
        mass = frame.tangent @ (self.unbalanced(q, v, bias + frame.tangent, u) - force)
        if not mass > 0.0:
            raise SingularError(
                f"Coordinate {self.body.name!r} at {y:.6g} rad: no mass moves with it, so its acceleration is not determined. "
                "Give the moving bodies mass."
            )
        return Point(q, v, frame.tangent, bias, float(-(frame.tangent @ force) / mass))

    def multipliers(self, point: Point, time: float) -> np.ndarray:
        """Joint forces lambda of ``M a - f + g_q^T lambda = 0``; of least norm where joints are redundant."""
        u = self._signals(time)
        jacobian = np.zeros((self.dae.constraints, point.q.size))
        joints.jacobian_dense(self.dae.equations.rows, point.q, u, jacobian)
        return np.linalg.lstsq(jacobian[:, :-3].T, -self.unbalanced(point.q, point.v, point.a, u), rcond=1e-12)[0]

    def power(self, point: Point, time: float) -> tuple[float, float]:
        """Power fed in by loads and drives, and taken out by dampers (W)."""
        dae, u = self.dae, self._signals(time)
        supplied, dissipated = fused.power(dae.equations.parts, point.q, point.v, u)
        if dae.driving:
            rates = dae.signal_rates(np.array([time]))[0][0]
            supplied += joints.power(dae.equations.rows, self.multipliers(point, time), rates)
        return supplied, dissipated

    def unbalanced(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, u: np.ndarray) -> np.ndarray:
        """M a - f: inertia less all applied forces, the joints left out."""
        scratch = self.dae.scratch()
        acceleration = np.append(a, np.zeros(3))
        parts, r, s, w, stress = self.dae.equations.parts, scratch.r, scratch.s, scratch.w, scratch.stress
        fused.add(parts, q, v, acceleration, u, 0.0, 0.0, 0.0, r, s, w, stress, False)
        callbacks.reraise()
        return np.asarray(r[:-3])

    def dead_centre(self, q: np.ndarray, time: float) -> str:
        """What to tell about a pose where y does not determine the motion."""
        u = self._signals(time)
        others = {
            body.name: self._frame(q, u, self._angle_index(body)).conditioning
            for body in self.dae.layout.rigid_bodies
            if body is not self.body
        }
        best = max(others, key=lambda name: others[name], default="")
        advice = "Compile with formulation='dae', which passes through."
        if others and others[best] > 100.0 * REGULAR:
            advice = f"The angle of {best!r} is regular there: try coordinate={best!r}, or formulation='dae'."
        return (
            f"Coordinate {self.body.name!r}: at {q[self.index]:.6g} rad (t = {time:.6g} s) the mechanism is at a dead centre, where "
            f"this angle no longer determines the pose of the other parts. {advice}"
        )

    def move(
        self, *, end_time: float, start: Any = None, push: Any = None, times: Any = None, accuracy: float | None = None
    ) -> Any:
        """Motion by adaptive Runge-Kutta as a Result; the options are those of ``transient``."""
        motion = importlib.import_module("pliant.formulations.geometric.motion")
        return motion.result(self, end_time=end_time, start=start, push=push, times=times, accuracy=accuracy)

    def _signals(self, time: float) -> np.ndarray:
        return np.asarray(self.dae.signals(np.array([time]))[0])

    def _angle_index(self, body: RigidBody) -> int:
        return 3 * self.dae.layout.body_node(body) + 2

    def _scales(self) -> tuple[np.ndarray, np.ndarray]:
        """Sizes of coordinates and of rows, so that lengths and angles compare."""
        length, rows = self.dae.length_scale, self.dae.equations.rows
        return np.tile([length, length, 1.0], self.dae.freedoms // 3), np.where(rows.kind == joints.ANGLE, 1.0, length)

    def _size(self, move: np.ndarray) -> float:
        return float(np.max(np.abs(move / self._scales()[0])))

    def _frame(self, q: np.ndarray, u: np.ndarray, index: int) -> Frame:
        columns, lines = self._scales()
        stack = np.zeros((lines.size + 1, q.size))
        joints.jacobian_dense(self.dae.equations.rows, q, u, stack[:-1])
        stack[-1, index] = 1.0
        scaled = stack[:, :-3] * columns
        scaled[:-1] /= lines[:, None]
        left, sizes, right = np.linalg.svd(scaled, full_matrices=False)
        conditioning = float(sizes[-1] / sizes[0])
        inverse = (right.T / np.maximum(sizes, 1e-14 * sizes[0])) @ left.T * columns[:, None]
        inverse[:, :-1] /= lines
        return Frame(inverse, conditioning)

    def _close(self, q: np.ndarray, y: float, u: np.ndarray, limit: float = np.inf) -> np.ndarray | None:
        """Newton on the joints at given y. None if it does not converge or moves further than ``limit`` in a step."""
        q, gap = q.copy(), np.zeros(self.dae.constraints)
        for _ in range(ITERATIONS):
            joints.residual(self.dae.equations.rows, q, u, gap)
            move = self._frame(q, u, self.index).inverse @ np.append(-gap, y - q[self.index])
            size = self._size(move)
            if not size <= max(limit, CONVERGED):
                return None
            q[:-3] += move * min(1.0, 1.0 / max(size, 1e-300))
            if size <= CONVERGED:
                joints.residual(self.dae.equations.rows, q, u, gap)
                q[self.index] = y
                return q if np.max(np.abs(gap / self._scales()[1]), initial=0.0) <= 1e-9 else None
        return None

    def _distance(self, one: np.ndarray, other: np.ndarray) -> float:
        """Largest difference of two poses, turns of 2 pi not counted."""
        difference = (one - other)[:-3] / self._scales()[0]
        difference[2::3] = np.abs(np.sin(0.5 * difference[2::3])) * 2.0
        return float(np.max(np.abs(difference)))
