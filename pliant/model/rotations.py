"""Rotations in space: unit quaternions (w, x, y, z), orientations that users may give, and helpers to write them.

A quaternion p turns vectors: ``rotate(p, x) = R(p) x``. Products chain as matrices do, ``R(p q) = R(p) R(q)``. All
functions of arrays work along the last axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, sin, sqrt
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pliant.errors import ModelError
from pliant.model import checks
from pliant.model.formulas import Formula

Array = NDArray[np.float64]
Vector = tuple[float, float, float]


class HasMatrix(Protocol):
    """A rotation of another library, such as scipy's."""

    def as_matrix(self) -> Array:
        """Return its (3, 3) matrix."""
        ...


Orientation: TypeAlias = ArrayLike | HasMatrix
"""Any form of a rotation: vector, quaternion (w, x, y, z), matrix, or a rotation of another library."""

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
NEXT, LAST = [1, 2, 0], [2, 0, 1]
IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])
ORTHONORMAL = 1e-6  # largest deviation of a given matrix from a rotation; the nearest rotation is used
FORMS = (
    "a rotation vector of 3 numbers (rad), a unit quaternion (w, x, y, z), a 3 x 3 rotation matrix, or an object with "
    "as_matrix()"
)
HINT = "Try pl.rotation(z=30 * pl.DEG)."


# --- quaternions


def product(p: ArrayLike, q: ArrayLike) -> Array:
    """Return the quaternion of first q, then p: ``R(p q) = R(p) R(q)``."""
    a, b = np.broadcast_arrays(np.asarray(p, float), np.asarray(q, float))
    if a.ndim == 1:  # plain numbers are quicker than arrays with four entries
        (s, x, y, z), (t, u, v, w) = a.tolist(), b.tolist()
        turned = x * t + s * u + (y * w - z * v), y * t + s * v + (z * u - x * w), z * t + s * w + (x * v - y * u)
        return np.array([s * t - (x * u + y * v + z * w), *turned])
    scalar = a[..., :1] * b[..., :1] - np.sum(a[..., 1:] * b[..., 1:], axis=-1, keepdims=True)
    vector = a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + cross(a[..., 1:], b[..., 1:])
    return np.concatenate([scalar, vector], axis=-1)


def cross(a: Array, b: Array) -> Array:
    """Return ``a x b``; numpy's own takes five times as long for a few vectors."""
    return np.asarray(a[..., NEXT] * b[..., LAST] - a[..., LAST] * b[..., NEXT])


def conjugate(p: ArrayLike) -> Array:
    """Return the opposite rotation."""
    return np.asarray(p, float) * (1.0, -1.0, -1.0, -1.0)


def rotate(p: ArrayLike, x: ArrayLike) -> Array:
    """Return ``R(p) x``."""
    q, v = np.asarray(p, float), np.asarray(x, float)
    if q.ndim == v.ndim == 1:
        (s, a, b, c), (x, y, z) = q.tolist(), v.tolist()
        i, j, k = 2.0 * (b * z - c * y), 2.0 * (c * x - a * z), 2.0 * (a * y - b * x)
        return np.array([x + s * i + (b * k - c * j), y + s * j + (c * i - a * k), z + s * k + (a * j - b * i)])
    twice = 2.0 * cross(q[..., 1:], v)
    return np.asarray(v + q[..., :1] * twice + cross(q[..., 1:], twice))


def exponential(vector: ArrayLike) -> Array:
    """Return the quaternion of a rotation vector (axis times angle).

    >>> exponential([0.0, 0.0, np.pi]).round(12)
    array([0., 0., 0., 1.])
    """
    v = np.asarray(vector, float)
    if v.ndim == 1:
        x, y, z = v.tolist()
        half = 0.5 * sqrt(x * x + y * y + z * z)
        part = 0.5 * sin(half) / half if half else 0.5
        return np.array([cos(half), part * x, part * y, part * z])
    half = 0.5 * np.linalg.norm(v, axis=-1, keepdims=True)
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * v], axis=-1)


def logarithm(p: ArrayLike) -> Array:
    """Return the rotation vector of a unit quaternion, of an angle up to pi."""
    q = np.asarray(p, float)
    q = np.where(q[..., :1] < 0.0, -q, q)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    half = np.arctan2(sine, q[..., :1])
    return np.asarray(2.0 * q[..., 1:] / np.sinc(half / np.pi))


def matrix(p: ArrayLike) -> Array:
    """Return (..., 3, 3) rotation matrices: column k is the turned axis k."""
    given = np.asarray(p, float)
    w, x, y, z = given.tolist() if given.ndim == 1 else np.moveaxis(given, -1, 0)
    full = np.array(
        [
            [0.5 - y * y - z * z, x * y - w * z, x * z + w * y],
            [x * y + w * z, 0.5 - x * x - z * z, y * z - w * x],
            [x * z - w * y, y * z + w * x, 0.5 - x * x - y * y],
        ]
    )
    return 2.0 * full if given.ndim == 1 else np.asarray(2.0 * np.moveaxis(full, (0, 1), (-2, -1)))


def quaternion(turned: ArrayLike) -> Array:
    """Return the unit quaternion, w >= 0, of one rotation matrix: the eigenvector of Bar-Itzhack's matrix."""
    m = np.asarray(turned, float)
    k = np.empty((4, 4))
    k[0, 0] = np.trace(m)
    k[0, 1:] = k[1:, 0] = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    k[1:, 1:] = m + m.T - np.trace(m) * np.eye(3)
    p = np.linalg.eigh(k)[1][:, -1]
    return np.asarray(p if p[0] >= 0.0 else -p)


def between(start: ArrayLike, end: ArrayLike) -> Array:
    """Return the smallest rotation from one unit vector to another; half a turn about any normal axis if opposite."""
    a, b = np.asarray(start, float), np.asarray(end, float)
    if a @ b < -1.0 + 1e-12:
        across = np.cross(a, np.eye(3)[np.argmin(np.abs(a))])
        return np.array([0.0, *(across / np.linalg.norm(across))])
    p = np.array([1.0 + a @ b, *np.cross(a, b)])
    return np.asarray(p / np.linalg.norm(p))


# --- what a user gives


def rotation(
    axis: str | Sequence[float] | None = None, angle: float | Sequence[float] | None = None, **turns: float
) -> Vector:
    """Return an orientation, as a rotation vector (rad), from rotations about axes.

    rotation(z=a)              about one axis
    rotation(z=a, y=b, x=c)    in this order, each about the already rotated axes: Rz(a) Ry(b) Rx(c)
    rotation("zxz", (a, b, c)) with a repeated axis: Euler angles
    rotation(axis, a)          about any axis, "x", "y", "z" or 3 numbers

    Angles may be parameters; several turns then give a quaternion (w, x, y, z).

    >>> from math import pi
    >>> rotation(z=pi / 2)
    (0.0, 0.0, 1.5707963267948966)
    >>> np.round(rotation(z=pi / 2, x=pi / 2), 6).tolist()  # x to y, y to z, z to x
    [1.2092, 1.2092, 1.2092]
    """
    if (axis is None) != (angle is None) or (axis is None) == (not turns):
        raise ModelError("rotation: give an axis and its angle, or turns by name: rotation(z=0.5), rotation(z=a, x=b).")
    if isinstance(axis, str):
        angles = (angle,) if len(axis) == 1 and not isinstance(angle, (Sequence, np.ndarray)) else angle
        given: Any = angles
        values = given if _has_formulas(given) else checks.numbers("rotation", "angle", given)
        if len(values) != len(axis):
            raise checks.refuse("rotation", "angle", angle, f"as many angles as axes, {len(axis)}")
        steps = list(zip(axis, values, strict=True))
    elif axis is not None:
        direction = unit("rotation", "axis", axis)
        if isinstance(angle, Formula):
            return _along(direction, angle)
        vector = checks.number("rotation", "angle", angle) * np.array(direction)
        return _triple(vector)
    else:
        steps = list(turns.items())
    p = IDENTITY
    for letter, _ in steps:
        checks.choice("rotation", "axis", letter, AXES)
    if _has_formulas([value for _, value in steps]):
        return _of_formulas(steps)
    for letter, value in steps:
        turn = checks.angle("rotation", letter, value, hint="Give it in radians.")
        if len(steps) == 1:
            return _triple(turn * np.array(AXES[letter]))
        p = product(p, exponential(turn * np.array(AXES[letter])))
    return _triple(logarithm(p))


def _has_formulas(values: Any) -> bool:
    return isinstance(values, tuple | list) and any(isinstance(each, Formula) for each in values)


def _of_formulas(steps: Sequence[tuple[str, Any]]) -> Any:
    """Return the rotation vector of one turn with parameters, or the quaternion of several turns."""
    [(first, angle), *others] = steps
    if not others:
        return _along(AXES[first], angle)
    p: list[Any] = [1.0, 0.0, 0.0, 0.0]
    for letter, value in steps:
        half = 0.5 * (value if isinstance(value, Formula) else checks.angle("rotation", letter, value))
        c, s, k = np.cos(half), np.sin(half), 1 + list(AXES).index(letter)
        i, j = 1 + k % 3, 1 + (k + 1) % 3  # the two following axes
        pairs = ((0, k, -s), (k, 0, s), (i, j, s), (j, i, -s))
        turned = {to: _summed((p[to], c), (p[of], by)) for to, of, by in pairs}
        p = [turned[place] for place in range(4)]
    return tuple(p)


def _along(axis: Sequence[float], angle: Formula) -> Any:
    return tuple(_summed((angle, x)) for x in axis)


def _summed(*products: tuple[Any, Any]) -> Any:
    """Sum products of formulas and numbers; products with a zero are left out."""
    terms = [a * b for a, b in products if all(isinstance(each, Formula) or each for each in (a, b))]
    return sum(terms[1:], terms[0]) if terms else 0.0


def orientation(owner: str, argument: str, value: Orientation) -> Vector:
    """Return the rotation vector of any form of rotation from a user.

    >>> np.round(orientation("Marker", "orientation", [[0, -1, 0], [1, 0, 0], [0, 0, 1]]), 6).tolist()
    [0.0, 0.0, 1.570796]
    """
    if hasattr(value, "as_matrix"):
        value = value.as_matrix()
    rows: Any = value.tolist() if isinstance(value, np.ndarray) else value
    if isinstance(rows, str) or not isinstance(rows, Sequence) or len(rows) not in (3, 4):
        raise checks.refuse(owner, argument, value, FORMS, HINT)
    if len(rows) == 4:
        p = np.array(checks.numbers(owner, argument, rows))
        if abs(np.linalg.norm(p) - 1.0) > ORTHONORMAL:
            raise checks.refuse(owner, argument, value, "a quaternion (w, x, y, z) of length 1", HINT)
        return _triple(logarithm(p / np.linalg.norm(p)))
    if not any(isinstance(row, Sequence) for row in rows):
        x, y, z = (checks.angle(owner, f"{argument}[{i}]", row, hint=HINT) for i, row in enumerate(rows))
        return x, y, z
    m = np.array(square(owner, argument, rows, 3))
    if np.max(np.abs(m @ m.T - np.eye(3))) > ORTHONORMAL or np.linalg.det(m) < 0.0:
        raise checks.refuse(
            owner, argument, value, "a rotation matrix: columns of length 1, across, right-handed", HINT
        )
    return _triple(logarithm(quaternion(m)))


def square(owner: str, argument: str, value: Any, size: int) -> tuple[tuple[float, ...], ...]:
    """Return a square matrix of finite numbers, as nested tuples."""
    rows = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(rows, Sequence) or len(rows) != size:
        raise checks.refuse(owner, argument, value, f"a {size} x {size} matrix")
    found = tuple(checks.numbers(owner, f"{argument}[{i}]", row) for i, row in enumerate(rows))
    if any(len(row) != size for row in found):
        raise checks.refuse(owner, argument, value, f"a {size} x {size} matrix")
    return found


def unit(owner: str, argument: str, value: str | Sequence[float]) -> Vector:
    """Return a direction, "x", "y", "z" or 3 numbers, as a unit vector."""
    if isinstance(value, str) and value in AXES:
        return AXES[value]
    allowed = '"x", "y", "z" or 3 numbers, not all zero'
    if isinstance(value, str) or not isinstance(value, (Sequence, np.ndarray)) or len(value) != 3:
        raise checks.refuse(owner, argument, value, allowed)
    v = np.array(checks.numbers(owner, argument, value))
    if np.linalg.norm(v) < checks.SMALLEST:
        raise checks.refuse(owner, argument, value, allowed)
    return _triple(v / np.linalg.norm(v))


def _triple(v: Array) -> Vector:
    return float(v[0]) + 0.0, float(v[1]) + 0.0, float(v[2]) + 0.0
