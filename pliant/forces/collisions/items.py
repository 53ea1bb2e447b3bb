"""Shapes of a model as items: points, pieces from point to point, floors.

A ball is a point; a capsule its two ends and the piece between them; a tube the nodes of its beam and the pieces
between these. Points of balls meet each other; every point meets pieces and floors; pieces meet each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from pliant.forces import Collisions
from pliant.forces._dry import Dry, changed
from pliant.model import Beam, Ground, rotations

BALL, END, PIECE, FLOOR = range(4)
NONE = 2**32 - 1
Frame = Callable[[Any, Any], tuple[np.ndarray, np.ndarray]]


class Arrays(NamedTuple):
    """Items of all parts; ``dofs`` has a row for every pair of nodes that forces may couple."""

    dofs: np.ndarray  # (rows, 6), in space (rows, 12)
    slots: np.ndarray
    base: np.ndarray  # (nodes) first freedom
    frames: np.ndarray  # (nodes) places of the quaternions, in space
    row: np.ndarray  # (nodes, nodes) of dofs
    kind: np.ndarray  # (items) floors are the last
    nodes: np.ndarray  # (items, 2)
    arms: np.ndarray  # (items, 6) of both points in the axes of their nodes; of a floor its marker and its normal
    radius: np.ndarray
    body: np.ndarray
    owner: np.ndarray
    meets: np.ndarray  # (bodies, bodies)
    law: np.ndarray  # (parts, 5)


class Item(NamedTuple):
    """A point, a piece or a floor of one body."""

    kind: int
    nodes: tuple[int, int]
    arms: np.ndarray
    radius: float
    body: Any
    owner: int


def touches(layout: Any) -> list[Collisions]:
    """The parts of the family, in the order of their readings."""
    return list(layout.forces(Collisions))


def items(layout: Any, part: Collisions, owner: int, frame: Frame, spatial: bool) -> Iterator[Item]:
    """Shapes and floors of one part."""
    for marker, radius, length in zip(part.among, part.radii, part.lengths, strict=True):
        body = marker.body
        if isinstance(body, Beam):
            nodes = layout.mesh(body).nodes.tolist()
            for node in nodes:
                yield Item(END, (node, node), np.zeros(6), radius, body, owner)
            for node, following in zip(nodes, nodes[1:], strict=False):
                yield Item(PIECE, (node, following), np.zeros(6), radius, body, owner)
            continue
        node = layout.node(marker)
        axes, arm = frame(marker, rotations.IDENTITY)
        ends = [arm - 0.5 * length * axes[:, 0], arm + 0.5 * length * axes[:, 0]]
        for end in ends if length else ends[:1]:
            yield Item(END if length else BALL, (node, node), np.append(end, end), radius, body, owner)
        if length:
            yield Item(PIECE, (node, node), np.concatenate(ends), radius, body, owner)
    for marker in part.floors:
        node = layout.node(marker)
        axes, arm = frame(marker, part.frame_a)
        normal = axes[:, 2 if spatial else 1]
        yield Item(FLOOR, (node, node), np.concatenate([arm, normal]), 0.0, marker.body, owner)


def pack(layout: Any, frame: Frame, spatial: bool) -> Arrays:
    """All items of a model."""
    parts = touches(layout)
    found = [each for k, part in enumerate(parts) for each in items(layout, part, k, frame, spatial)]
    found.sort(key=lambda item: item.kind == FLOOR)
    numbers = {node: k for k, node in enumerate(sorted({layout.ground, *(n for x in found for n in x.nodes)}))}
    bodies = {body: k for k, body in enumerate(dict.fromkeys(item.body for item in found))}
    pairs = [(joint.a.body, joint.b.body) for joint in layout.model.joints]
    joined = {frozenset(pair) for pair in pairs if not any(isinstance(body, Ground) for body in pair)}
    meets = [[a is not b and frozenset((a, b)) not in joined for a in bodies] for b in bodies]
    rows = _rows(found, numbers, layout.ground)
    row = np.full((len(numbers), len(numbers)), NONE, np.uint32)
    for k, (a, b) in enumerate(rows):
        row[numbers[a], numbers[b]] = row[numbers[b], numbers[a]] = k
        if b == layout.ground:
            row[numbers[a], numbers[a]] = k
    known = list(numbers)
    return Arrays(
        dofs=layout.dofs(rows if found else [], 2),
        slots=np.empty((len(rows) if found else 0, 0), np.uint32),
        base=(layout.space.width * np.array(known)).astype(np.uint32),
        frames=layout.frames(known).ravel() if spatial else np.zeros(len(known), np.uint32),
        row=row,
        kind=np.array([item.kind for item in found], np.uint32),
        nodes=np.array([[numbers[n] for n in item.nodes] for item in found], np.uint32).reshape(-1, 2),
        arms=np.array([item.arms for item in found], float).reshape(-1, 6),
        radius=np.array([item.radius for item in found], float),
        body=np.array([bodies[item.body] for item in found], np.uint32),
        owner=np.array([item.owner for item in found], np.uint32),
        meets=np.array(meets, np.uint32).reshape(len(bodies), len(bodies)),
        law=np.array([part.law for part in parts], float).reshape(-1, 5),
    )


def _rows(found: list[Item], numbers: dict[int, int], ground: int) -> list[tuple[int, int]]:
    """Pairs of nodes that forces may couple: each with the ground, and all of a part."""
    alone = [(node, ground) for node in numbers if node != ground]
    of_parts: dict[int, set[int]] = {}
    for item in found:
        of_parts.setdefault(item.owner, set()).update(node for node in item.nodes if node != ground)
    pairs = {pair for nodes in of_parts.values() for pair in combinations(sorted(nodes), 2)}
    return [*(alone or [(ground, ground)]), *sorted(pairs)]


def places(part: Arrays) -> int:
    """How many there are at which it may touch: every pair of items."""
    return int(part.kind.size**2)


def rigid(part: Arrays) -> Arrays:
    """The same as conditions: no forces, which couple no nodes."""
    nodes = part.base.size - 1
    return part._replace(law=np.zeros_like(part.law), dofs=part.dofs[:nodes].copy())


def rubbing(part: Arrays) -> bool:
    """Friction makes the tangent unsymmetric in motion."""
    return bool(np.any(part.law[:, 3]))


def dry(part: Arrays, layout: Any) -> Iterator[Dry]:
    """Parts that rub."""
    for k, each in enumerate(touches(layout)):
        if each.friction:
            own = part.owner == k
            fields = ("kind", "nodes", "arms", "radius", "body", "owner")
            rough = part._replace(**{name: getattr(part, name)[own].copy() for name in fields})
            yield Dry(each, rough, changed(rough, "law", 3, 0.0), always=True)
