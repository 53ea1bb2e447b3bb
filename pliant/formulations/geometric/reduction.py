"""The pose of a one-freedom mechanism as a function of one angle y, and its equation of motion.

    q = gamma(y),   v = G y' + h,   a = G y'' + b,   G = d gamma / dy
    (G^T M G) y'' = -G^T (M b - f)

All follow from the rows of the joints and one more row that picks y: ``[g_q; e_y] v = [-g_t; y']`` and
``[g_q; e_y] a = [-v^T g_qq v - g_tt; y'']``. Source: thesis 2.5, eqs. 2.5 and 2.6; h and g_t are there for prescribed
motions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from pliant.errors import SingularError
from pliant.forces.state_force import callbacks
from pliant.joints import rows as joints
from pliant.kernels.sums import Instant, Into
from pliant.model import Model
from pliant.model.bodies import RigidBody
from pliant.model.signals import SignalLike
from pliant.solvers.methods import DOP853, Kinds
from pliant.solvers.motion import Motion, Plan
from pliant.system import fused
from pliant.system.layout import Layout
from pliant.system.state import State
from pliant.system.system import System

REGULAR = 1e-5  # smallest over largest singular value of [g_q; e_y]; below, a pose counts as a dead centre of y
CONVERGED = 1e-10  # last Newton increment, in lengths of the model and radians; the error left is about its square
CLOSED = 1e-9  # largest gap of a row that redundant rows may leave, likewise
ITERATIONS = 25
CORRECTION = 0.3  # of a Newton step against the one before, on the way along a branch
SMALLEST_STEP = 1e-6  # rad, of the continuation in y
STARTS = 64  # of the search for branches


class Inputs(NamedTuple):
    """Signals and their first two derivatives (of those that drive joints) at a time."""

    time: float
    u: np.ndarray
    rate: np.ndarray
    second: np.ndarray


class Frame(NamedTuple):
    """Pseudo-inverse of the rows ``[g_q; e_y]`` at a pose, and how near to singular they are."""

    inverse: np.ndarray  # (coordinates, rows + 1)
    conditioning: float

    @property
    def tangent(self) -> np.ndarray:
        """G"""
        return self.inverse[:, -1]


class Point(NamedTuple):
    """One instant of the motion. ``q``, ``v`` and ``a`` carry the ground's three zeros at their end."""

    inputs: Inputs
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    second: float  # y''


@dataclass(frozen=True)
class Reduced:
    """A rigid mechanism with one freedom, described by the angle y of one body (formulation "geometric").

    observed  nodes, joints and forces of the same model: in whose coordinates states are, and what results show
    body      whose angle is y
    """

    methods: ClassVar[Kinds] = (DOP853,)

    observed: System
    body: RigidBody
    formulation: str = field(init=False, default="geometric")

    @property
    def model(self) -> Model:
        """The model it was made from."""
        return self.observed.model

    @property
    def settings(self) -> Mapping[str, Any]:
        """What it was made with."""
        return {"formulation": self.formulation, **self.observed.settings, "coordinate": self.body.name}

    def with_signals(self, signals: Mapping[str, SignalLike]) -> Reduced:
        """The same mechanism with some signals replaced; see `System.with_signals`."""
        return Reduced(self.observed.with_signals(signals), self.body)

    @cached_property
    def index(self) -> int:
        """Place of y in q."""
        return self._angle(self.body)

    def __repr__(self) -> str:
        return f"Reduced({self.model.name!r}: the angle of {self.body.name!r}, formulation {self.formulation!r})"

    def gamma(self, y: float, near: np.ndarray | None = None, *, time: float = 0.0) -> np.ndarray:
        """Pose at y on the branch of ``near`` (the assembled pose unless given).

        The branch is followed in y with steps that halve where the pose turns quickly; SingularError if a dead centre
        lies between.
        """
        start = self.observed.initial if near is None else near
        return self._follow(y, start, self.inputs(time))

    def branches(self, y: float, *, time: float = 0.0) -> list[np.ndarray]:
        """All poses at y, found by Newton from scattered starts (the same in every call).

        The one nearest to the assembled pose comes first. The list is empty if nothing can be assembled at this y.
        """
        generator, u = np.random.default_rng(0), self.inputs(time).u
        found: list[np.ndarray] = []
        for start in range(STARTS):
            q = self.observed.initial.copy()
            if start:
                q[:-3] += self._columns * generator.uniform(-1.0, 1.0, q.size - 3)
                q[2:-3:3] = generator.uniform(-np.pi, np.pi, q.size // 3 - 1)
            pose = self._close(q, y, u)
            if pose is not None and all(self._distance(pose, other) > 1e-6 for other in found):
                found.append(pose)
        return sorted(found, key=lambda pose: self._distance(pose, self.observed.initial))

    def tangent(self, q: np.ndarray, *, time: float = 0.0) -> np.ndarray:
        """G = d gamma / dy at a pose."""
        return self._regular_frame(q, self.inputs(time)).tangent

    def conditioning(self, q: np.ndarray, *, time: float = 0.0) -> float:
        """Smallest over largest singular value of the scaled rows [g_q; e_y]: zero at a dead centre of y."""
        return self._frame(q, self.inputs(time).u, self.index).conditioning

    def point(self, y: float, rate: float, near: np.ndarray, time: float) -> Point:
        """Pose, velocity and acceleration at y and y', on the branch of ``near``."""
        inputs, rows = self.inputs(time), self.observed.equations.rows
        q = self._follow(y, near, inputs)
        frame = self._regular_frame(q, inputs)
        v, a, known = np.zeros(q.size), np.zeros(q.size), np.zeros(self.observed.constraints + 1)
        joints.velocity(rows, q, v, inputs.u, inputs.rate, known[:-1])
        known *= -1.0
        known[-1] = rate
        v[:-3] = frame.inverse @ known
        joints.bias(rows, q, v, inputs.u, inputs.second, known[:-1])
        known *= -1.0
        known[-1] = 0.0
        a[:-3] = frame.inverse @ known
        force = self.unbalanced(q, v, a, inputs.u)
        step = np.append(frame.tangent, np.zeros(3))
        mass = float(frame.tangent @ (self.unbalanced(q, v, a + step, inputs.u) - force))
        if not mass > 0.0:
            raise SingularError(
                f"Coordinate {self.body.name!r}: no mass moves with it at {y:.6g} rad, so that its acceleration is not "
                "determined. Give the bodies that move mass."
            )
        second = -float(frame.tangent @ force) / mass
        return Point(inputs, q, v, a + second * step, second)

    def multipliers(self, point: Point) -> np.ndarray:
        """Joint forces lambda of ``M a - f + g_q^T lambda = 0``; those of least norm where joints are redundant."""
        u = point.inputs.u
        jacobian = np.zeros((self.observed.constraints, point.q.size))
        joints.jacobian_dense(self.observed.equations.rows, point.q, u, jacobian)
        force = self.unbalanced(point.q, point.v, point.a, u)
        return np.linalg.lstsq(jacobian[:, :-3].T, -force, rcond=1e-12)[0]

    def power(self, point: Point) -> tuple[float, float]:
        """Power that loads and drives feed in, and that dampers take out (W)."""
        equations = self.observed.equations
        supplied, dissipated = fused.power(equations.parts, point.q, point.v, point.inputs.u)
        if self.observed.driving:
            supplied += joints.power(equations.rows, self.multipliers(point), point.inputs.rate)
        return supplied, dissipated

    def unbalanced(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, u: np.ndarray) -> np.ndarray:
        """M a - f: inertia less everything applied, the joints left out."""
        r, s, w, stress = self._scratch
        r[:] = 0.0
        fused.add(self.observed.equations.parts, Instant(q, v, a, u), Into(0.0, 0.0, 0.0, r, s, w), stress, False)
        callbacks.reraise()
        return r[:-3].copy()

    def inputs(self, time: float) -> Inputs:
        """Signals at a time."""
        signals, at = self.observed.layout.signals, np.array([time])
        u = self._steady.copy()
        u[Layout.TIME] = time
        for k in self._changing:
            u[k] = np.asarray(signals[k].signal(at, signals[k].name)).reshape(-1)[0]
        return Inputs(time, u, *(table[0] for table in self.observed.signal_rates(at)))

    def dead_centre(self, q: np.ndarray, time: float) -> str:
        """What to say of a pose at which y does not determine the motion."""
        u = self.inputs(time).u
        bodies = [body for body in self.observed.layout.rigid_bodies if body is not self.body]
        others = {body.name: self._frame(q, u, self._angle(body)).conditioning for body in bodies}
        best = max(others, key=lambda name: others[name], default="")
        advice = "Compile with formulation='dae'."
        if others.get(best, 0.0) > 100.0 * REGULAR:
            advice = f"The angle of {best!r} is regular there: try coordinate={best!r}, or formulation='dae'."
        return (
            f"Coordinate {self.body.name!r} is at a dead centre at {q[self.index]:.6g} rad (t = {time:.6g} s): there "
            f"this angle does not determine how the other parts move. {advice}"
        )

    def move(self, begin: State, plan: Plan) -> Motion:
        """Motion in time; see motion.py."""
        from pliant.formulations.geometric.motion import move

        return move(self, begin, plan)

    def _angle(self, body: RigidBody) -> int:
        return 3 * self.observed.layout.body_node(body) + 2

    @cached_property
    def _columns(self) -> np.ndarray:
        """Sizes of the coordinates, so that lengths and angles compare."""
        return np.tile([self.observed.length_scale, self.observed.length_scale, 1.0], self.observed.freedoms // 3)

    @cached_property
    def _lines(self) -> np.ndarray:
        """Sizes of the rows, and of y."""
        angles = joints.angular(self.observed.equations.rows)
        return np.append(np.where(angles, 1.0, self.observed.length_scale), 1.0)

    @cached_property
    def _scales(self) -> np.ndarray:
        """Factors that make [g_q; e_y] free of units."""
        return np.asarray(self._columns / self._lines[:, None])

    @cached_property
    def _steady(self) -> np.ndarray:
        return np.asarray(self.observed.signals(np.zeros(1))[0])

    @cached_property
    def _changing(self) -> list[int]:
        return [k for k, named in enumerate(self.observed.layout.signals) if k != Layout.TIME and not named.constant]

    @cached_property
    def _scratch(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        scratch = self.observed.scratch()
        return scratch.r, scratch.s, scratch.w, scratch.stress

    def _size(self, move: np.ndarray) -> float:
        return float(np.max(np.abs(move / self._columns)))

    def _distance(self, one: np.ndarray, other: np.ndarray) -> float:
        """Largest difference of two poses; whole turns do not count."""
        difference = (one - other)[:-3]
        difference[2::3] = 2.0 * np.sin(0.5 * difference[2::3])
        return self._size(difference)

    def _regular_frame(self, q: np.ndarray, inputs: Inputs) -> Frame:
        frame = self._frame(q, inputs.u, self.index)
        if frame.conditioning < REGULAR:
            raise SingularError(self.dead_centre(q, inputs.time))
        return frame

    def _frame(self, q: np.ndarray, u: np.ndarray, index: int) -> Frame:
        stack = np.zeros((self._lines.size, q.size))
        joints.jacobian_dense(self.observed.equations.rows, q, u, stack[:-1])
        stack[-1, index] = 1.0
        left, sizes, right = np.linalg.svd(stack[:, :-3] * self._scales, full_matrices=False)
        inverse = (right.T / np.maximum(sizes, 1e-15)) @ left.T
        return Frame(inverse * self._scales.T, float(sizes[-1] / sizes[0]))

    def _follow(self, y: float, near: np.ndarray, inputs: Inputs) -> np.ndarray:
        """From a pose to y, in one step or, where corrections are large, in several."""
        q, step = near, y - near[self.index]
        while True:
            rest = y - q[self.index]
            last = abs(step) >= abs(rest)
            found = self._close(q, y if last else q[self.index] + step, inputs.u, careful=True)
            if found is not None and last:
                return found
            if found is None and not abs(step) > SMALLEST_STEP:
                raise SingularError(self.dead_centre(q, inputs.time))
            q, step = (q, 0.5 * (rest if last else step)) if found is None else (found, 2.0 * step)

    def _close(self, start: np.ndarray, y: float, u: np.ndarray, *, careful: bool = False) -> np.ndarray | None:
        """Newton on the joints at y; its first step from a closed pose is the one along G.

        None if it fails or, when ``careful``, if a correction is not small against the one before: another branch may
        be near.
        """
        q, known, limit = start.copy(), np.zeros(self._lines.size), np.inf
        for _ in range(ITERATIONS):
            joints.residual(self.observed.equations.rows, q, u, known[:-1])
            known[-1] = q[self.index] - y
            move = self._frame(q, u, self.index).inverse @ known
            size = self._size(move)
            if not size <= limit:  # also when it is not a number
                return None
            q[:-3] -= move if size <= 1.0 else move / size
            if size <= CONVERGED:
                q[self.index] = y
                joints.residual(self.observed.equations.rows, q, u, known[:-1])
                return q if np.max(np.abs(known / self._lines)[:-1], initial=0.0) <= CLOSED else None
            if careful:
                limit = max(CORRECTION * size, CONVERGED)
        return None
