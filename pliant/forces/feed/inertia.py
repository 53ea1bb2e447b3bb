"""Inertia of a point of a beam that is fed, as Lagrange has it, in the freedoms of the nodes and l.

A point at s of the free length moves with ``v = V + b (l./l) X``, where V = x. and X = x_xi are those of the nodes of
its element and ``b = (1 - s) / share``: xi grows by ``b l./l`` at what passes there. With the mass ``c l`` of the point

    f_i = c (n_i (l. v + l v.) - b l. n_i' v),     f_l = c (b (v.' X + v V') - v^2/2 + b (l./l) v X)

V' = x._xi. Derivatives follow by the chain rule, with v and v. = A + b ((l../l - l.^2/l^2) X + (l./l) V').
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant._jit import kernel


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


class Factors(NamedTuple):
    """Of stiffness, damping and mass."""

    ck: float
    cc: float
    cm: float


@kernel
def speeds(x: Passing, b: float, by: Feeding) -> tuple[float, float]:
    """v and v."""
    l, d = by.length, by.rate
    return x.V + b * d / l * x.X, x.A + b * ((by.change / l - d * d / (l * l)) * x.X + d / l * x.V_slope)


@kernel
def pushes(x: Passing, b: float, by: Feeding) -> tuple[float, float, float]:
    """Of a mass c = 1: what n_i and n_i' are multiplied with in f_i, and f_l."""
    v, vt = speeds(x, b, by)
    l, d = by.length, by.rate
    return d * v + l * vt, -b * d * v, b * (vt * x.X + v * x.V_slope) - 0.5 * v * v + b * d / l * v * x.X


@kernel
def add_tangent(
    T: np.ndarray, shapes: tuple[np.ndarray, np.ndarray, int], place: tuple[int, int], c: float, x: Passing, b: float,
    by: Feeding, f: Factors,
) -> None:  # fmt: skip
    """T += ck f_q + cc f_v + cm f_a. Shapes are n_i, n_i' and their number; the place is that of the component of the
    first node, and the freedoms of a node.
    """
    (n, dn, count), (first, width) = shapes, place
    l, d, dd = by.length, by.rate, by.change
    v, vt = speeds(x, b, by)
    end = T.shape[0] - 1
    spin = dd / l - d * d / (l * l)
    # by l, its rate and its change
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
