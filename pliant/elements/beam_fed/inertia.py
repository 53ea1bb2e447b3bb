"""Inertia of a point of a beam that is fed, by Lagrange's equations, in the freedoms of the nodes and l.

A point at s of the free length moves with ``v = V + b (l./l) X``, where V = x. and X = x_xi belong to the nodes of its
element and ``b = (1 - s) / share``: xi grows by ``b l./l`` for material that passes there. With the mass ``c l`` of the
point

    f_i = c (n_i (l. v + l v.) - b l. n_i' v),     f_l = c (b (v.' X + v V') - v^2/2 + b (l./l) v X)

V' = x._xi. Derivatives follow by the chain rule, with v and v. = A + b ((l../l - l.^2/l^2) X + (l./l) V'). Rotations of
sections in the plane do not flow: b = 0. Damping of all motion, alpha, is a drag ``alpha c l v`` on a point, with the
power ``alpha c l v^2``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.elements.beam_fed.rows import Arrays, Stock
from pliant.elements.beam_fed.sums import Behind, Work, along, bow
from pliant.jit import kernel
from pliant.kernels.sums import Instant, Into


class Feeding(NamedTuple):
    """Free length and its rates."""

    length: float
    rate: float
    change: float


class Passing(NamedTuple):
    """One component at a point: X, V, V', A."""

    X: float
    V: float
    V_slope: float
    A: float


class Acting(NamedTuple):
    """Arguments of a beam's inertia and weight: its feeding, gravity, whether it moves, factors of the matrices."""

    by: Feeding
    gravity: tuple[float, float, float]
    moving: bool
    ck: float
    cc: float
    cm: float


@kernel
def moves(part: Arrays | Stock, beam: int, now: Instant, into: Into) -> bool:
    """Return whether inertia is needed."""
    if into.cc != 0.0 or into.cm != 0.0:
        return True
    for e in range(part.first[beam], part.first[beam + 1]):
        for k in part.dofs[e]:
            if now.v[k] != 0.0 or now.a[k] != 0.0:
                return True
    return False


@kernel
def gravity_of(part: Arrays | Stock, u: np.ndarray) -> tuple[float, float, float]:
    """Return the acceleration of all gravity."""
    x, y, z = 0.0, 0.0, 0.0
    for k in range(part.signals.shape[0]):
        x += u[part.signals[k, 0]]
        y += u[part.signals[k, 1]]
        if part.signals.shape[1] > 2:
            z += u[part.signals[k, 2]]
    return x, y, z


@kernel
def acting_on(part: Arrays | Stock, beam: int, length: float, work: Work | Behind, now: Instant, into: Into) -> Acting:
    """Return the feeding and motion of a beam of a free length."""
    change = along(part.pair, beam, work.slope, now.a) + bow(part.pair, beam, work.bend, now.v)
    by = Feeding(length, along(part.pair, beam, work.slope, now.v), change)
    return Acting(by, gravity_of(part, now.u), moves(part, beam, now, into), into.ck, into.cc, into.cm)


@kernel
def speeds(x: Passing, b: float, by: Feeding) -> tuple[float, float]:
    """Return v and v., the velocity and its rate."""
    l, d = by.length, by.rate
    return x.V + b * d / l * x.X, x.A + b * ((by.change / l - d * d / (l * l)) * x.X + d / l * x.V_slope)


@kernel
def pushes(x: Passing, b: float, by: Feeding) -> tuple[float, float, float]:
    """Return, for a mass c = 1, the factors of n_i and n_i' in f_i, and f_l."""
    v, vt = speeds(x, b, by)
    l, d = by.length, by.rate
    return d * v + l * vt, -b * d * v, b * (vt * x.X + v * x.V_slope) - 0.5 * v * v + b * d / l * v * x.X


@kernel
def add_tangent(
    T: np.ndarray, shapes: tuple[np.ndarray, np.ndarray, int], place: tuple[int, int], c: float, x: Passing, b: float,
    f: Acting,
) -> None:  # fmt: skip
    """Add ck f_q + cc f_v + cm f_a to T. Shapes are n_i, n_i' and their number; the place gives the component's row at
    the first node, and the freedoms of a node.
    """
    (n, dn, count), (first, width), by = shapes, place, f.by
    l, d, dd = by.length, by.rate, by.change
    v, vt = speeds(x, b, by)
    end = T.shape[0] - 1
    spin = dd / l - d * d / (l * l)
    # by l, its rate and the rate of that
    v_l = -f.ck * b * d / (l * l) * x.X + f.cc * b * x.X / l
    vt_l = f.ck * b * ((2.0 * d * d / l - dd) / (l * l) * x.X - d / (l * l) * x.V_slope)
    vt_l += f.cc * b * (x.V_slope / l - 2.0 * d / (l * l) * x.X) + f.cm * b * x.X / l
    for j in range(count):
        column = first + width * j
        v_j = f.ck * b * d / l * dn[j] + f.cc * n[j]
        vt_j = b * (f.ck * spin + f.cc * d / l) * dn[j] + f.cm * n[j]
        for i in range(count):
            T[first + width * i, column] += c * (n[i] * (d * v_j + l * vt_j) - b * d * dn[i] * v_j)
        row = b * (vt_j * x.X + v_j * x.V_slope) - v * v_j + b * d / l * v_j * x.X
        T[end, column] += c * (row + b * dn[j] * (f.ck * (vt + d / l * v) + f.cc * v))
        by_length = n[j] * (d * v_l + l * vt_l) - b * d * dn[j] * v_l
        T[column, end] += c * (by_length + f.ck * n[j] * vt + f.cc * (n[j] - b * dn[j]) * v)
    own = b * (vt_l * x.X + v_l * x.V_slope) - v * v_l + b * d / l * v_l * x.X
    T[end, end] += c * (own + b * v * x.X * (f.cc / l - f.ck * d / (l * l)))


@kernel
def add_drag(
    T: np.ndarray, shapes: tuple[np.ndarray, int], place: tuple[int, int], size: float, flow: float, cc: float
) -> None:
    """Add cc f_v of the drag ``size`` times the velocity ``n_i v_i + flow l.`` of a point to T."""
    (n, count), (first, width), end = shapes, place, T.shape[0] - 1
    for i in range(count):
        row = first + width * i
        for j in range(count):
            T[row, first + width * j] += cc * size * n[i] * n[j]
        T[row, end] += cc * size * n[i] * flow
        T[end, row] += cc * size * n[i] * flow
    T[end, end] += cc * size * flow * flow


@kernel
def flowing(part: Arrays, beam: int, e: int, m: int, axis: int) -> tuple[float, float]:
    """Return mass c of a component at point m of element e, per free length, and b."""
    p, flows = part.order[e], axis < part.direction.shape[1]
    c = part.mass_weight[p, m] * part.share[e] * part.density[beam, 0 if flows else 1]
    b = (1.0 - part.start[e]) / part.share[e] - part.mass_point[p, m]
    return c, b if flows else 0.0


@kernel
def passing(part: Arrays, e: int, m: int, axis: int, now: Instant) -> tuple[float, Passing]:
    """Return a component at point m of element e: x, and the state of its inertia."""
    p, width, x, X, V, V_slope, A = part.order[e], part.pair.shape[1] // 2, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(p + 1):
        n, dn, k = part.mass_shape[p, m, i], part.mass_slope[p, m, i], part.dofs[e, width * i + axis]
        x += n * now.q[k]
        X += dn * now.q[k]
        V += n * now.v[k]
        V_slope += dn * now.v[k]
        A += n * now.a[k]
    return x, Passing(X, V, V_slope, A)


@kernel
def add_mass(part: Arrays, beam: int, e: int, acting: Acting, now: Instant, T: np.ndarray, r: np.ndarray) -> float:
    """Add inertia, drag and weight of element e. Returns the force on l."""
    force, p, width, end, alpha = 0.0, part.order[e], part.pair.shape[1] // 2, T.shape[0] - 1, part.alpha[beam]
    for m in range(p + 1):
        n, dn = part.mass_shape[p, m], part.mass_slope[p, m]
        for axis in range(3):
            c, b = flowing(part, beam, e, m, axis)
            weight = c * acting.gravity[axis]
            if weight == 0.0 and not acting.moving:
                continue
            x, at = passing(part, e, m, axis, now)
            force -= weight * x
            if weight != 0.0:
                for i in range(p + 1):
                    k = width * i + axis
                    r[part.dofs[e, k]] -= acting.by.length * weight * n[i]
                    T[k, end] -= acting.ck * weight * n[i]
                    T[end, k] -= acting.ck * weight * n[i]
            if acting.moving:
                one, other, along_it = pushes(at, b, acting.by)
                if alpha > 0.0:
                    size, flow = alpha * acting.by.length, b * at.X / acting.by.length
                    drag = size * speeds(at, b, acting.by)[0]
                    one, along_it = one + drag, along_it + flow * drag
                    add_drag(T, (n, p + 1), (axis, width), c * size, flow, acting.cc)
                force += c * along_it
                for i in range(p + 1):
                    r[part.dofs[e, width * i + axis]] += c * (n[i] * one + dn[i] * other)
                add_tangent(T, (n, dn, p + 1), (axis, width), c, at, b, acting)
    return force


@kernel
def mass_energy(part: Arrays, beam: int, e: int, acting: Acting, now: Instant) -> tuple[float, float]:
    """Return kinetic energy of element e, and potential energy of its weight."""
    kinetic, potential = 0.0, 0.0
    for m in range(part.order[e] + 1):
        for axis in range(3):
            c, b = flowing(part, beam, e, m, axis)
            x, at = passing(part, e, m, axis, now)
            velocity = speeds(at, b, acting.by)[0]
            kinetic += 0.5 * c * acting.by.length * velocity * velocity
            potential -= c * acting.by.length * acting.gravity[axis] * x
    return kinetic, potential


@kernel
def moving_with(length: float, rate: float) -> Acting:
    """Return the arguments of energies in motion, for a free length and its rate."""
    return Acting(Feeding(length, rate, 0.0), (0.0, 0.0, 0.0), True, 0.0, 0.0, 0.0)
