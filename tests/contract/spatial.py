"""Stand-ins for the layout and the assembly of a system in space, with which families are tested alone."""

from __future__ import annotations

import inspect
from types import SimpleNamespace
from typing import Any

import numpy as np

from pliant.kernels.sums import Instant, Into
from pliant.system.numbering.space import SPACE
from tests.contract.meshes import as_packed


def product(p, q):
    """Return the quaternions p q."""
    p, q = np.asarray(p), np.asarray(q)
    u, v = p[..., 1:], q[..., 1:]
    scalar = p[..., 0] * q[..., 0] - np.sum(u * v, axis=-1)
    return np.concatenate((scalar[..., None], p[..., :1] * v + q[..., :1] * u + np.cross(u, v)), axis=-1)


def exponential(theta):
    """Return unit quaternions of rotation vectors."""
    theta = np.asarray(theta, float)
    half = 0.5 * np.linalg.norm(theta, axis=-1, keepdims=True)
    return np.concatenate((np.cos(half), 0.5 * np.sinc(half / np.pi) * theta), axis=-1)


def matrix(p):
    """Return rotation matrices of unit quaternions."""
    p = np.asarray(p)
    return np.stack([rotated(p, np.broadcast_to(axis, (*p.shape[:-1], 3))) for axis in np.eye(3)], axis=-1)


def rotated(p, x):
    """Return R(p) x."""
    u, w = p[..., 1:], p[..., :1]
    return x + 2 * np.cross(u, np.cross(u, x) + w * x)


def marker(node, arm=(0.0, 0.0, 0.0), turn=(0.0, 0.0, 0.0)):
    """Return a frame on a node, turned by a rotation vector."""
    return SimpleNamespace(node=node, arm=arm, turn=exponential(turn))


class Layout:
    """So many nodes, and the ground after them."""

    ONE, TIME, ZERO = 0, 1, 2
    space = SPACE
    bordered = False

    def __init__(self, nodes: int, **parts: Any) -> None:
        self.ground = nodes
        self.freedoms = 6 * nodes
        self.length_scale = 1.0
        self.idle: list[Any] = []
        self.beams: list[Any] = []
        self.rigid_bodies: list[Any] = []
        self.model = SimpleNamespace(point_masses=[], forces=[])
        self.signals = [1.0, 0.0, 0.0]
        self.given: list[tuple[type, Any]] = []
        self.__dict__.update(parts)

    def keep(self, name, make):
        self.kept = make()
        return self.kept

    def forces(self, kind):
        return [force for of, force in self.given if of is kind]

    def signal(self, value, owner, quantity):
        self.signals.append(float(value))
        return len(self.signals) - 1

    def is_constant(self, k):
        return k != self.TIME

    def node(self, marker):
        return marker.node

    def arm(self, marker):
        return np.asarray(marker.arm, float)

    def turn(self, marker):
        return np.asarray(marker.turn, float)

    def spinless(self):
        return []

    def gravity(self):
        return []

    def place(self, marker, q=None):
        q = self.assembled if q is None else q
        return q[6 * marker.node :][:3] + rotated(q[self.freedoms + 6 + 4 * marker.node :][:4], np.array(marker.arm))

    def body_node(self, body):
        return body.node

    def mesh(self, beam):
        return next(mesh for mesh in self.beams if mesh.beam is beam)

    def dofs(self, nodes, count=1):
        table = np.asarray(nodes, np.int64).reshape(-1, count, 1)
        return np.ascontiguousarray((6 * table + np.arange(6)).reshape(-1, 6 * count), np.uint32)

    def frames(self, nodes, count=1):
        table = np.asarray(nodes, np.int64).reshape(-1, count)
        return np.ascontiguousarray(6 * (self.ground + 1) + 4 * table, np.uint32)

    def configuration(self, places, turns):
        """Return q of the nodes' places and quaternions, with the ground."""
        q = np.zeros(10 * (self.ground + 1))
        q[: self.freedoms].reshape(-1, 6)[:, :3] = places
        q[self.freedoms + 6 : -4] = np.ravel(turns)
        q[-4] = 1.0
        return q

    def moved(self, q, step):
        """Return q after a step in the exponential chart: points move, sections turn by R exp(theta)."""
        n = self.freedoms
        q = q.copy()
        step = np.asarray(step)[:n].reshape(-1, 6)
        q[:n].reshape(-1, 6)[:, :3] += step[:, :3]
        turns = q[n + 6 : -4].reshape(-1, 4)
        turns[:] = product(turns, exponential(step[:, 3:]))
        return q

    def rigid(self, q, turn, shift):
        """Return q after a rigid motion: a rotation vector about the origin, then a translation."""
        n, p = self.freedoms, exponential(turn)
        q = q.copy()
        places, turns = q[:n].reshape(-1, 6)[:, :3], q[n + 6 : -4].reshape(-1, 4)
        places[:] = rotated(np.broadcast_to(p, (len(places), 4)), places) + shift
        turns[:] = product(np.broadcast_to(p, turns.shape), turns)
        return q


def call(kernel, part, known):
    """Call a kernel by the names of its parameters."""
    names = list(inspect.signature(getattr(kernel, "py_func", kernel)).parameters)[1:]
    known = known | {"now": Instant(*(known.get(n) for n in Instant._fields))} if "now" in names else known
    known = known | {"into": Into(*(known.get(n) for n in Into._fields))} if "into" in names else known
    return kernel(part, *(known[name] for name in names))


class Assembly:
    """One family's residual and dense matrices."""

    def __init__(self, family: Any, layout: Layout) -> None:
        self.family, self.layout, self.n = family, layout, layout.freedoms
        part = family.pack(layout)
        i, j = np.tril_indices(part.dofs.shape[1])
        row, column = np.maximum(part.dofs[:, i], part.dofs[:, j]), np.minimum(part.dofs[:, i], part.dofs[:, j])
        self.dump = self.n * (self.n + 1) // 2
        slots = np.where(row < self.n, row.astype(np.int64) * (row + 1) // 2 + column, self.dump)
        self.part = part._replace(slots=as_packed(slots))
        self.still = np.zeros(self.n + 6)
        self.stress = np.zeros(family.stress_size(self.part) if hasattr(family, "stress_size") else 0)
        self.u = np.asarray(layout.signals, float)

    def assemble(self, q, v=None, a=None, *, ck=0.0, cc=0.0, cm=0.0, mixed=False):
        """Return residual and tangent, the skew part included."""
        known: dict[str, Any] = {"q": q, "v": self.still if v is None else v, "a": self.still if a is None else a}
        known |= {"ck": ck, "cc": cc, "cm": cm, "mixed": mixed, "stress": self.stress, "u": self.u}
        known |= {"r": np.zeros(self.n + 6), "s": np.zeros(self.dump + 1), "w": np.zeros(self.dump + 1)}
        call(self.family.add, self.part, known)
        lower, skew = np.zeros((self.n, self.n)), np.zeros((self.n, self.n))
        lower[np.tril_indices(self.n)], skew[np.tril_indices(self.n)] = known["s"][:-1], known["w"][:-1]
        assert np.all(np.diag(skew) == 0.0)
        return known["r"][: self.n], lower + np.tril(lower, -1).T + skew - skew.T

    def residual(self, q, v=None, a=None):
        return self.assemble(q, v, a)[0]

    def energy(self, q, v=None):
        known = {"q": q, "v": self.still if v is None else v, "u": self.u}
        return call(self.family.energy, self.part, known)

    def power(self, q, v):
        return call(self.family.power, self.part, {"q": q, "v": v, "u": self.u})

    def chart_residual(self, q, step, v=None, a=None):
        """Return the residual at a step from q, in its exponential chart: moments T(theta)^T m, right Jacobian T."""
        r = self.residual(self.layout.moved(q, step), v, a).copy()
        for k in range(self.layout.ground):
            r[6 * k + 3 : 6 * k + 6] = right_jacobian(step[6 * k + 3 : 6 * k + 6]).T @ r[6 * k + 3 : 6 * k + 6]
        return r

    def chart_tangent(self, q, v=None, a=None, step=1e-3):
        """Return the derivative of that by the step, by central differences of sixth order."""
        return derivative(lambda x: self.chart_residual(q, x, v, a), np.zeros(self.n + 6), step)

    def check_tangents(self, q, v, a=None, tolerance=1e-8):
        """Check that the matrices are the derivatives of the residual, and that forces lose the power they state."""
        close(self.assemble(q, v, a, ck=1.0)[1], self.chart_tangent(q, v, a), 10 * tolerance)
        close(self.assemble(q, v, a, cc=1.0)[1], derivative(lambda x: self.residual(q, x, a), v), tolerance)
        if a is not None:
            close(self.assemble(q, v, a, cm=1.0)[1], derivative(lambda x: self.residual(q, v, x), a), tolerance)


def cross_matrix(a):
    """Return skew(a) x = a x x."""
    return np.cross(np.eye(3), a)


def right_jacobian(theta):
    """Return the body spin = T theta' along R exp(theta)."""
    X, angle = cross_matrix(theta), np.linalg.norm(theta)
    if angle < 1e-6:
        return np.eye(3) - X / 2 + X @ X / 6
    return np.eye(3) - (1 - np.cos(angle)) / angle**2 * X + (angle - np.sin(angle)) / angle**3 * X @ X


def derivative(function, x, step=1e-3, ground=6):
    """Return the Jacobian by central differences of sixth order; the last entries of x, the ground's, stay."""
    columns = []
    for k in range(x.size - ground):
        d = np.zeros_like(x)
        d[k] = step
        first, second, third = (function(x + m * d) - function(x - m * d) for m in (1, 2, 3))
        columns.append((45 * first - 9 * second + third) / (60 * step))
    return np.array(columns).T


def close(actual, expected, tolerance):
    """Check that two arrays are equal relative to the largest entry."""
    assert np.max(np.abs(actual - expected)) <= tolerance * np.max(np.abs(expected))
