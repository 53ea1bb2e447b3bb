"""Shapes of a model as items: points, pieces from point to point, hulls, floors.

A ball is a point; a capsule its two ends and the piece between them; a tube the nodes of its beam and the pieces
between these; a hull (hulls.py) its corners, in space its edges, and itself. Points of balls meet each other; every
point meets pieces, hulls and floors; pieces and edges meet each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from pliant.forces import Collisions
from pliant.forces._dry import Dry, changed
from pliant.forces.collisions.hulls import Core, core_of
from pliant.model import Beam, Ground, rotations

BALL, END, PIECE, EDGE, HULL, FLOOR = range(6)
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
    arms: np.ndarray  # (items, 6) of both points in the axes of their nodes; of a floor its marker and its normal; of
    # a hull its middle, and its reach from there
    radius: np.ndarray
    hull: np.ndarray  # (items) number of the hull that it belongs to; NONE
    room: np.ndarray  # (items) radius of the largest ball in its shape
    first_face: np.ndarray  # (hulls + 1)
    faces: np.ndarray  # (faces, 6) a point and the normal, in the axes of the hull's node
    first_side: np.ndarray  # (faces + 1)
    sides: np.ndarray  # (sides, 9) both ends of a side of a face, and what points into the face from it
    body: np.ndarray
    owner: np.ndarray
    meets: np.ndarray  # (bodies, bodies)
    law: np.ndarray  # (parts, 5)
    elastic: np.ndarray  # (parts, 5) the same without damping and friction


class Item(NamedTuple):
    """A point, a piece or a floor of one body."""

    kind: int
    nodes: tuple[int, int]
    arms: np.ndarray
    radius: float
    body: Any
    owner: int
    hull: Core | None = None
    """That it belongs to."""


def touches(layout: Any) -> list[Collisions]:
    """The parts of the family, in the order of their readings."""
    return list(layout.forces(Collisions))


def items(layout: Any, part: Collisions, owner: int, frame: Frame, spatial: bool) -> Iterator[Item]:
    """Shapes and floors of one part."""
    for marker, radius, length, shape in zip(part.among, part.radii, part.lengths, part.shapes, strict=True):
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
        if shape is not None:
            yield from _solid(core_of(part, shape, radius, spatial).placed(axes, arm), node, radius, body, owner)
            continue
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


def _solid(hull: Core, node: int, radius: float, body: Any, owner: int) -> Iterator[Item]:
    """Corners, edges, and the whole of a hull."""
    at = node, node
    for corner in hull.corners:
        yield Item(END, at, np.append(corner, corner), radius, body, owner, hull)
    for ends in hull.edges:
        yield Item(EDGE, at, ends.ravel(), radius, body, owner, hull)
    middle = hull.corners.mean(axis=0)
    reach = float(np.linalg.norm(hull.corners - middle, axis=1).max())
    yield Item(HULL, at, np.append(middle, (reach, 0.0, 0.0)), radius, body, owner, hull)


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
    known, hulls = list(numbers), [item.hull for item in found if item.hull is not None and item.kind == HULL]
    faces = [face for hull in hulls for face in hull.faces]
    law = np.array([part.law for part in parts], float).reshape(-1, 5)
    numbered = {id(hull): k for k, hull in enumerate(hulls)}
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
        hull=np.array([numbered.get(id(item.hull), NONE) for item in found], np.uint32),
        room=np.array([item.hull.room if item.hull else item.radius for item in found], float),
        first_face=np.cumsum([0, *(len(hull.faces) for hull in hulls)]).astype(np.uint32),
        faces=np.array([np.append(face.point, face.normal) for face in faces], float).reshape(-1, 6),
        first_side=np.cumsum([0, *(len(face.sides) for face in faces)]).astype(np.uint32),
        sides=np.array([side.ravel() for face in faces for side in face.sides], float).reshape(-1, 9),
        body=np.array([bodies[item.body] for item in found], np.uint32),
        owner=np.array([item.owner for item in found], np.uint32),
        meets=np.array(meets, np.uint32).reshape(len(bodies), len(bodies)),
        law=law,
        elastic=law * (1.0, 1.0, 0.0, 0.0, 1.0),
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
            fields = ("kind", "nodes", "arms", "radius", "hull", "room", "body", "owner")
            rough = part._replace(**{name: getattr(part, name)[own].copy() for name in fields})
            yield Dry(each, rough, changed(rough, "law", 3, 0.0), always=True)
