"""Share of the velocities of beams in waves too short for their meshes.

The velocities of a beam's nodes are projected onto the waves that its mesh resolves: rigid motion, and cosines along
the beam up to the wave number at which the frequency of a bending wave has the relative error ``SHARE``
(`system/limits/mesh_resolution.py`). The rest is in shorter waves, or in noise from node to node.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pliant.elements._options import BeamElement
from pliant.system.limits.mesh_resolution import ORDERS, SCALES, order_of, shear_of

if TYPE_CHECKING:
    from pliant.system.system import System

SHARE = 0.2  # largest relative error of the frequency of a resolved wave
PIECE = 32  # elements per piece of a long beam
MOST, INSTANTS = 10_000, 50  # number of velocities evaluated; least number of instants


class Group(NamedTuple):
    """Beams whose meshes resolve the same waves: names, freedoms (beams, nodes, axes) of their points, and these waves,
    orthonormal (functions, nodes).
    """

    names: list[str]
    freedoms: np.ndarray
    carried: np.ndarray


def short_wave_share(system: System, v: np.ndarray) -> tuple[float, str]:
    """Return the root mean square of velocities in short waves, for the beam with the largest, over the velocity of the
    fastest beam; and its name. ``v``: (instants, freedoms and more).
    """
    worst, fastest, name = 0.0, 0.0, ""
    for each in _groups(system):
        moving = v[:: min(ceil(len(v) * each.freedoms.size / MOST), ceil(len(v) / INSTANTS))][:, each.freedoms]
        carried = each.carried @ moving
        whole = np.einsum("tbna,tbna->b", moving, moving)
        left = (whole - np.einsum("tbka,tbka->b", carried, carried)) / moving[:, 0].size
        k = int(np.argmax(left))
        fastest = max(fastest, float(np.max(whole)) / moving[:, 0].size)
        if left[k] > worst:
            worst, name = float(left[k]), each.names[k]
    return (sqrt(worst / fastest) if fastest > 0.0 else 0.0), name


def _groups(system: System) -> list[Group]:
    """Return all beams of a system with elements and mass; long ones in pieces, whose linear part is resolved."""
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
            Group(
                [name for name, _ in pieces],
                width * np.stack([nodes for _, nodes in pieces])[:, :, None] + axes,
                _resolved(*key),
            )
            for key, pieces in groups.items()
        ]
    found: list[Group] = known["_alike"]
    return found


def _pieces(mesh: Any) -> Iterator[tuple[tuple[float, ...], int, np.ndarray]]:
    """Yield the positions of nodes from 0 to 1 within pieces of a beam, their numbers of elements, and the nodes."""
    order, count = mesh.options.order, len(mesh.connectivity)
    ends = np.linspace(0.0, count, ceil(count / PIECE) + 1).round().astype(int)
    for first, last in pairwise(ends.tolist()):
        part = slice(first * order, last * order + 1)
        s = mesh.s[part]
        yield tuple(((s - s[0]) / (s[-1] - s[0])).round(9).tolist()), last - first, mesh.nodes[part]


@cache
def _resolved(s: tuple[float, ...], elements: int, order: int, shear: float) -> np.ndarray:
    """Return the resolved waves of a number of elements: cosines, and a linear function."""
    far = (SHARE / (shear * SCALES[order - ORDERS[0]])) ** (0.5 / order)  # k h
    count, at = min(int(far * elements / np.pi), len(s) - 2), np.array(s)
    columns = [at, *(np.cos(k * np.pi * at) for k in range(max(count, 0) + 1))]
    return np.ascontiguousarray(np.linalg.qr(np.stack(columns, axis=1))[0].T)
