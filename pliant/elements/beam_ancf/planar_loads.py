"""Weight and loads per length of planar ANCF cables, ``W_k = int f S_k ds`` with the element's cubics.

``r -= P^T W (u_x, u_y)`` in the coordinates z of `cubics`; without the share of the slopes errors would only fall with
the square of the element length.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from pliant.elements import _beams, _sections
from pliant.elements.beam_ancf import planar
from pliant.elements.beam_ancf.cubics import place, pull_back, shapes, velocity
from pliant.errors import ModelError
from pliant.jit import allocating_kernel
from pliant.kernels.beam_points.shapes import gauss
from pliant.kernels.circle import cos_sin


class Arrays(NamedTuple):
    """Arrays of loads, one row an element and a load on it."""

    dofs: np.ndarray  # (n, 8) as in `planar`
    slots: np.ndarray  # (n, 36)
    carried: np.ndarray  # (n, 4) W_k
    signals: np.ndarray  # (n, 2)
    steady: np.ndarray  # 1 if it is constant in time: it then has a potential


def pack(layout: Any) -> Arrays:
    """Pack gravity and distributed loads on beams whose options are Ancf."""
    mine = planar.meshes(layout)
    rows = [_dofs(mesh) for mesh in mine]
    dofs, carried, signals, steady = [np.zeros((0, 8), int)], [np.zeros((0, 4))], [np.zeros((0, 2), int)], [np.zeros(0)]
    for mesh in mine:
        if any(layout.drag_along(mesh)):
            raise ModelError(_refused(mesh, "drag"))
    for load in layout.loads_along(mine):
        mesh = mine[load.beam]
        if load.follower:
            raise ModelError(_refused(mesh, "a distributed load that follows its sections"))
        n = len(rows[load.beam])
        dofs.append(rows[load.beam])
        carried.append(_carried(mesh, load))
        signals.append(np.tile(load.signals, (n, 1)))
        steady.append(np.full(n, load.steady))
    found = np.ascontiguousarray(np.concatenate(dofs), np.uint32)
    return Arrays(
        found,
        _beams.empty_slots(len(found)),
        np.concatenate(carried),
        np.ascontiguousarray(np.concatenate(signals), np.uint32),
        np.concatenate(steady).astype(np.uint32),
    )


def _refused(mesh: Any, what: str) -> str:
    return (
        f"{mesh.beam.owner}: {what} along elements Ancf(...) is not computed. Compile it with elements=pl.Exact(...) "
        "or pl.Corotational(...)."
    )


def _dofs(mesh: Any) -> np.ndarray:
    rows, stretch = _beams.rows([mesh]).dofs, mesh.stretch
    return np.hstack((rows, np.stack((stretch[:-1], stretch[1:]), axis=1)))


def _carried(mesh: Any, load: Any) -> np.ndarray:
    """Return (elements, 4) W_k of a load."""
    x, weight = gauss(planar.MASS_POINTS)
    end = np.asarray(mesh.s)
    s = end[:-1, None] + np.diff(end)[:, None] * x
    factor = np.array([load.factor(place) for place in s.ravel().tolist()]).reshape(s.shape)
    if load.per_mass:
        factor = factor * _sections.values([mesh], 1, x, attrgetter("mass_per_length"))
    lengths = np.diff(end) * mesh.beam.length
    return np.array([L * (weight * f) @ shapes(x, L)[0] for L, f in zip(lengths, factor, strict=True)])


@allocating_kernel
def add(part: Arrays, q: np.ndarray, u: np.ndarray, ck: float, r: np.ndarray, s: np.ndarray) -> None:
    """Subtract the loads from r; slopes that turn and stretch give them a stiffness."""
    f = np.zeros((4, 2))
    for e in range(part.steady.size):
        fx, fy = u[part.signals[e, 0]], u[part.signals[e, 1]]
        for k in range(4):
            f[k, 0], f[k, 1] = -part.carried[e, k] * fx, -part.carried[e, k] * fy
        pull_back(part.dofs, e, q, f, r)
        for i in range(2):
            cosine, sine = cos_sin(q[part.dofs[e, 2 + 3 * i]])
            along, across = cosine * f[2 * i + 1, 0] + sine * f[2 * i + 1, 1], cosine * f[2 * i + 1, 1]
            across -= sine * f[2 * i + 1, 0]
            angle, stretch = 2 + 3 * i, 6 + i
            s[part.slots[e, angle * (angle + 1) // 2 + angle]] -= ck * q[part.dofs[e, stretch]] * along
            s[part.slots[e, stretch * (stretch + 1) // 2 + angle]] += ck * across


@allocating_kernel
def energy(part: Arrays, q: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Return the potential of the steady loads."""
    z, potential = np.zeros((4, 2)), 0.0
    for e in range(part.steady.size):
        if part.steady[e]:
            place(part.dofs, e, q, z)
            for k in range(4):
                work = u[part.signals[e, 0]] * z[k, 0] + u[part.signals[e, 1]] * z[k, 1]
                potential -= part.carried[e, k] * work
    return 0.0, potential


@allocating_kernel
def power(part: Arrays, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Return the power of the loads that have no potential."""
    z, supplied = np.zeros((4, 2)), 0.0
    for e in range(part.steady.size):
        if not part.steady[e]:
            velocity(part.dofs, e, q, v, z)
            for k in range(4):
                work = u[part.signals[e, 0]] * z[k, 0] + u[part.signals[e, 1]] * z[k, 1]
                supplied += part.carried[e, k] * work
    return supplied, 0.0
