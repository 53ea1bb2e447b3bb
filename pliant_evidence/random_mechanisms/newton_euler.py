"""Newton's and Euler's equations of rigid bodies in space with joints, dense and by hand: nothing of pliant in it.

Velocities are (v, w) of every body: of its centre of mass in global axes, and of its rotation in its own. A joint is
made of three kinds of conditions, differentiated twice by hand,

    n . (p_b - p_a) = 0,    n . m = constant,    |p_b - p_a|^2 = constant,

with p = r + R d, n = R_a nu, m = R_b mu. Of all accelerations with A x'' = b, those with Z^T (M x'' - Q) = 0 are taken,
Z = null space of A: redundant rows and parts without mass need no care.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

RANK = 1e-9  # of the largest singular value: smaller ones are zero


class Body(NamedTuple):
    """A rigid body: principal inertias about its centre of mass, in its own axes."""

    mass: float
    inertia: np.ndarray  # (3)
    place: np.ndarray
    turn: np.ndarray  # (3, 3)


class End(NamedTuple):
    """A point of a body, and axes there; both in the axes of the body. Body -1 is the ground."""

    body: int
    point: np.ndarray
    axes: np.ndarray  # (3, 3), columns


class Joint(NamedTuple):
    """A joint of this kind (a key of CONDITIONS, or "Distance")."""

    kind: str
    a: End
    b: End


class Spring(NamedTuple):
    """A spring with a damper between two points."""

    a: End
    b: End
    stiffness: float
    damping: float
    rest_length: float


CONDITIONS = {  # axes of a along which points do not part; axes of a and of b that stay perpendicular
    "Spherical": ("xyz", ()),
    "Universal": ("xyz", ("xy",)),
    "Revolute": ("xyz", ("xz", "yz")),
    "Cylindrical": ("xy", ("xz", "yz")),
    "Prismatic": ("yz", ("xy", "xz", "yz")),
    "Weld": ("xyz", ("xy", "xz", "yz")),
}


class Vector(NamedTuple):
    """A vector, its rate and what its second rate is without accelerations; its rate by the velocities."""

    value: np.ndarray
    rate: np.ndarray
    bend: np.ndarray
    slope: np.ndarray  # (3, 6 n)

    def __sub__(self, other: Vector) -> Vector:
        return Vector(*(x - y for x, y in zip(self, other, strict=True)))


class Mechanism:
    """Bodies, joints, springs and gravity at a pose and with velocities (6 n)."""

    def __init__(
        self, bodies: Sequence[Body], joints: Sequence[Joint], springs: Sequence[Spring], gravity: np.ndarray
    ) -> None:
        self.bodies, self.joints, self.springs, self.gravity = list(bodies), list(joints), list(springs), gravity
        self.size = 6 * len(self.bodies)

    def turned(self, body: int, vector: np.ndarray, velocity: np.ndarray) -> Vector:
        """Return a vector that is fixed in a body."""
        slope = np.zeros((3, self.size))
        if body < 0:
            return Vector(vector, np.zeros(3), np.zeros(3), slope)
        turn, w = self.bodies[body].turn, velocity[6 * body + 3 : 6 * body + 6]
        slope[:, 6 * body + 3 : 6 * body + 6] = -turn @ skew(vector)
        rate = np.cross(w, vector)
        return Vector(turn @ vector, turn @ rate, turn @ np.cross(w, rate), slope)

    def point(self, end: End, velocity: np.ndarray) -> Vector:
        """Return a point of a body."""
        arm, k = self.turned(end.body, end.point, velocity), 6 * end.body
        if end.body < 0:
            return arm
        arm.slope[:, k : k + 3] = np.eye(3)
        return arm._replace(value=arm.value + self.bodies[end.body].place, rate=arm.rate + velocity[k : k + 3])

    def constraints(self, velocity: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return a and b of all joints."""
        rows: list[np.ndarray] = []
        target: list[float] = []

        def product(x: Vector, y: Vector) -> None:
            rows.append(x.value @ y.slope + y.value @ x.slope)
            target.append(-float(x.bend @ y.value + 2.0 * x.rate @ y.rate + x.value @ y.bend))

        for joint in self.joints:
            way = self.point(joint.b, velocity) - self.point(joint.a, velocity)
            if joint.kind == "Distance":
                product(way, way)
                continue
            kept, square = CONDITIONS[joint.kind]
            of_a, of_b = (
                {name: self.turned(end.body, end.axes[:, i], velocity) for i, name in enumerate("xyz")}
                for end in (joint.a, joint.b)
            )
            for name in kept:
                product(of_a[name], way)
            for pair in square:
                product(of_a[pair[0]], of_b[pair[1]])
        return np.array(rows).reshape(-1, self.size), np.array(target)

    def mass(self) -> np.ndarray:
        """Return M."""
        return np.diag(np.concatenate([np.append(np.full(3, body.mass), body.inertia) for body in self.bodies]))

    def force(self, velocity: np.ndarray) -> np.ndarray:
        """Return Q: gravity, gyroscopic moments and springs."""
        q = np.zeros(self.size)
        for k, body in enumerate(self.bodies):
            w = velocity[6 * k + 3 : 6 * k + 6]
            q[6 * k : 6 * k + 3] = body.mass * self.gravity
            q[6 * k + 3 : 6 * k + 6] = -np.cross(w, body.inertia * w)
        for spring in self.springs:
            way = self.point(spring.b, velocity) - self.point(spring.a, velocity)
            length = float(np.linalg.norm(way.value))
            along = way.value / length
            pull = spring.stiffness * (length - spring.rest_length) + spring.damping * float(along @ way.rate)
            q -= pull * (along @ way.slope)
        return q

    def free(self) -> np.ndarray:
        """Return Z: velocities that the joints allow, as columns."""
        rows, _ = self.constraints(np.zeros(self.size))
        return null_space(rows)

    def accelerations(self, velocity: np.ndarray) -> np.ndarray:
        """Return x'' with A x'' = b and Z^T (M x'' - Q) = 0."""
        rows, target = self.constraints(velocity)
        free, mass = null_space(rows), self.mass()
        some = np.linalg.lstsq(rows, target, rcond=RANK)[0] if rows.size else np.zeros(self.size)
        missing = free.T @ (self.force(velocity) - mass @ some)
        return np.asarray(some + free @ np.linalg.solve(free.T @ mass @ free, missing))


def skew(v: np.ndarray) -> np.ndarray:
    """Return the matrix of v x."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def null_space(rows: np.ndarray) -> np.ndarray:
    """Return columns that span the null space."""
    if not rows.size:
        return np.eye(rows.shape[1])
    _, values, vectors = np.linalg.svd(rows)
    return np.asarray(vectors[int(np.sum(values > RANK * values[0])) :].T)
