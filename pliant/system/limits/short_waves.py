"""How much of the velocities of beams is in waves too short for their meshes.

The velocities of a beam's nodes are projected onto what its mesh carries: rigid motion, and cosines along the beam of
wave numbers up to that at which a wave of bending is off by ``SHARE`` of its frequency
(`system/limits/mesh_resolution.py`). What is
left is in shorter waves, or in noise from node to node.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from math import ceil, sqrt
from typing import Any, NamedTuple

import numpy as np

from pliant.elements._options import BeamElement
from pliant.system.limits.mesh_resolution import ORDERS, SCALES, order_of, shear_of
from pliant.system.system import System

SHARE = 0.2  # of a frequency: what waves that the mesh still carries may be off by
PIECE = 32  # elements of a long beam that are looked at together
MOST, INSTANTS = 10_000, 50  # velocities of all instants that are looked at, unless these would be fewer instants


class Alike(NamedTuple):
    """Beams whose meshes carry the same waves: names, freedoms (beams, nodes, axes) of their places, and what they
    carry, orthonormal (functions, nodes).
    """

    names: list[str]
    freedoms: np.ndarray
    carried: np.ndarray


def shortest(system: System, v: np.ndarray) -> tuple[float, str]:
    """The root mean square of velocities in short waves, of the beam that has most of them, over that of the fastest
    beam; and its name. ``v``: (instants, freedoms and more).
    """
    worst, fastest, name = 0.0, 0.0, ""
    for each in _alike(system):
        moving = v[:: min(ceil(len(v) * each.freedoms.size / MOST), ceil(len(v) / INSTANTS))][:, each.freedoms]
        carried = each.carried @ moving
        whole = np.einsum("tbna,tbna->b", moving, moving)
        left = (whole - np.einsum("tbka,tbka->b", carried, carried)) / moving[:, 0].size
        k = int(np.argmax(left))
        fastest = max(fastest, float(np.max(whole)) / moving[:, 0].size)
        if left[k] > worst:
            worst, name = float(left[k]), each.names[k]
    return (sqrt(worst / fastest) if fastest > 0.0 else 0.0), name


def _alike(system: System) -> list[Alike]:
    """All beams of a system that have elements and a mass; long ones in pieces, as what is linear in their elements."""
    known = vars(system)
    if "_alike" not in known:
        groups = dict[Any, list[tuple[str, np.ndarray]]]()
        for mesh in system.layout.beams:
            options: Any = mesh.options
            if isinstance(options, BeamElement) and mesh.beam.mass > 0.0:
                for place, elements, nodes in _pieces(mesh):
                    key = place, elements, order_of(options), shear_of(options)
                    groups.setdefault(key, []).append((mesh.beam.name, nodes))
        axes, width = np.arange(len(system.space.axes)), system.space.width
        known["_alike"] = [
            Alike(
                [name for name, _ in pieces],
                width * np.stack([nodes for _, nodes in pieces])[:, :, None] + axes,
                _carried(*key),
            )
            for key, pieces in groups.items()
        ]
    found: list[Alike] = known["_alike"]
    return found


def _pieces(mesh: Any) -> Iterator[tuple[tuple[float, ...], int, np.ndarray]]:
    """Places of nodes from 0 to 1 within pieces of a beam, their numbers of elements, and the nodes."""
    order, count = mesh.options.order, len(mesh.connectivity)
    ends = np.linspace(0.0, count, ceil(count / PIECE) + 1).round().astype(int)
    for first, last in pairwise(ends.tolist()):
        part = slice(first * order, last * order + 1)
        s = mesh.s[part]
        yield tuple(((s - s[0]) / (s[-1] - s[0])).round(9).tolist()), last - first, mesh.nodes[part]


@cache
def _carried(s: tuple[float, ...], elements: int, order: int, shear: float) -> np.ndarray:
    """What so many elements carry: cosines, and what is linear along them."""
    far = (SHARE / (shear * SCALES[order - ORDERS[0]])) ** (0.5 / order)  # k h
    count, at = min(int(far * elements / np.pi), len(s) - 2), np.array(s)
    columns = [at, *(np.cos(k * np.pi * at) for k in range(max(count, 0) + 1))]
    return np.ascontiguousarray(np.linalg.qr(np.stack(columns, axis=1))[0].T)
