"""Shapes of a model as items: points, pieces from point to point, hulls, floors.

A ball is a point; a capsule its two ends and the piece between them; a tube the nodes of its beam and the pieces
between these; a hull its corners, in space its edges, and itself. Points of balls meet each other; every
point meets pieces, hulls and floors; pieces and edges meet each other.

Convex hulls with rounded edges and corners are converted at compile to corners, edges and faces of their core.

A hull of half-spaces ``n . x <= d`` rounded with radius R contains all points within R of its core

    { x : n . x <= d - R for all half-spaces }

so that its faces stay where they were given, and its edges and corners become round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from pliant._libraries import optimize, spatial_geometry
from pliant.errors import ModelError
from pliant.forces import Collisions
from pliant.forces._dry import Dry, changed
from pliant.model import Beam, Ground, checks, rotations
from pliant.model.bodies.outlines import Outline

FLAT = 1e-6  # of its extent: a hull thinner than this is refused
DENT = 1e-4  # of its extent: a shape that is further from its hull is not convex
SAME = 1e-9  # of its extent, and of a unit vector: faces nearer to each other are merged
MOST_CORNERS = 256


class Face(NamedTuple):
    """A flat face."""

    point: np.ndarray
    normal: np.ndarray
    sides: list[np.ndarray]
    """(3, 3) both ends of each side, equal corners in the plane, and the direction from it into the face."""


class Core(NamedTuple):
    """The core of a rounded hull, in space; in the plane its faces are the sides of a polygon, and it has no edges."""

    corners: np.ndarray
    edges: list[np.ndarray]
    faces: list[Face]
    room: float
    """Radius of the largest ball in the hull with its rounding."""

    def placed(self, axes: np.ndarray, place: np.ndarray) -> Core:
        """Return the core in other axes."""
        faces = [
            Face(axes @ each.point + place, axes @ each.normal, [_turned(side, axes, place) for side in each.sides])
            for each in self.faces
        ]
        edges = [ends @ axes.T + place for ends in self.edges]
        return self._replace(corners=self.corners @ axes.T + place, edges=edges, faces=faces)


def _turned(side: np.ndarray, axes: np.ndarray, place: np.ndarray) -> np.ndarray:
    return np.vstack([side[:2] @ axes.T + place, side[2] @ axes.T])


def core_of(part: Any, shape: Outline, radius: float, spatial: bool) -> Core:
    """Return the core of a shape of a part, without its rounding."""
    what, axes = f"{part.owner}: the {type(shape).__name__}", 3 if spatial else 2
    given = shape.surface.points[:, :axes]
    extent = float(np.ptp(given, axis=0).max())
    planes, room, middle = _half_spaces(what, given, extent)
    if shape.dent > DENT * extent:
        hint = "Give Hull(points) to take its convex hull, or several convex shapes, each on a marker of its own."
        raise ModelError(f"{what} is not convex: its surface is up to {shape.dent:.3g} m within its hull. {hint}")
    if not radius < room:
        hint = f"It rounds the edges of {type(shape).__name__}, in which the largest ball has a radius of {room:.6g} m."
        raise checks.refuse(part.owner, "radius", radius, f"below {room:.6g}", hint)
    inner = planes + np.append(np.zeros(axes), radius)
    within = spatial_geometry.HalfspaceIntersection(inner, middle).intersections
    return _built(spatial_geometry.ConvexHull(_apart(within, SAME * extent)), room, SAME * extent)


def _half_spaces(what: str, given: np.ndarray, extent: float) -> tuple[np.ndarray, float, np.ndarray]:
    """Return the half-spaces (normal, offset) of a hull, radius and centre of the largest ball in it."""
    axes = given.shape[1]
    enough = f"Give at least {axes + 1} points that are not all in one {'plane' if axes == 3 else 'line'}."
    try:
        found = spatial_geometry.ConvexHull(given)
    except (spatial_geometry.QhullError, ValueError) as error:
        raise ModelError(f"{what} is flat, or a point. {enough}") from error
    if len(found.vertices) > MOST_CORNERS:
        raise ModelError(f"{what} has {len(found.vertices)} corners; at most {MOST_CORNERS} can collide. Simplify it.")
    planes = np.unique(found.equations, axis=0)
    room, middle = _largest_ball(planes, extent)
    if not room > FLAT * extent:
        raise ModelError(f"{what} is flat: the largest ball in it has a radius of {room:.3g} m. {enough}")
    return planes, room, middle


def _largest_ball(planes: np.ndarray, extent: float) -> tuple[float, np.ndarray]:
    """Return radius and centre of the largest ball within half-spaces, by linear programming in units of the extent,
    because its tolerances are absolute.
    """
    normals, offsets = planes[:, :-1], planes[:, -1] / extent
    wanted = np.append(np.zeros(normals.shape[1]), -1.0)
    columns = np.column_stack([normals, np.ones(len(normals))])
    free = [(None, None)] * normals.shape[1]
    best = optimize.linprog(wanted, A_ub=columns, b_ub=-offsets, bounds=[*free, (0.0, None)])
    return (extent * float(best.x[-1]), extent * best.x[:-1]) if best.success else (0.0, np.zeros(normals.shape[1]))


def _apart(points: np.ndarray, near: float) -> np.ndarray:
    """Return the points without those near an earlier one."""
    kept = points[:1]
    for point in points[1:]:
        if np.abs(kept - point).max(axis=1).min() > near:
            kept = np.vstack([kept, point])
    return kept


def _built(found: Any, room: float, near: float) -> Core:
    """Merge triangles in one plane to faces, with their sides, which are edges; for a polygon build its sides."""
    axes = found.points.shape[1]
    points = np.pad(found.points, ((0, 0), (0, 3 - axes)))
    normals = np.pad(found.equations[:, :-1], ((0, 0), (0, 3 - axes)))
    face = _faces(found.equations, found.neighbors, near)
    faces, edges = [], dict[tuple[int, ...], np.ndarray]()
    for number in np.unique(face):
        sides = []
        members = np.flatnonzero(face == number)
        middle = points[found.simplices[members]].mean(axis=(0, 1))
        for side in _sides(found, face, members):
            ends = points[list(side)]
            into = middle - ends[0]
            if axes == 3:
                across = np.cross(normals[members[0]], ends[1] - ends[0])
                into = across * np.sign(across @ into)
                edges[tuple(sorted(side))] = ends
            sides.append(np.vstack([ends[0], ends[-1], into / np.linalg.norm(into)]))
        faces.append(Face(sides[0][0], normals[members[0]], sides))
    return Core(points[found.vertices], list(edges.values()), faces, room)


def _faces(equations: np.ndarray, neighbors: np.ndarray, near: float) -> np.ndarray:
    """Return the number of the face of every triangle: neighbours in one plane are one face."""
    face = np.arange(len(equations))
    allowed = np.append(np.full(equations.shape[1] - 1, SAME), near)
    for k, others in enumerate(neighbors):
        for other in others:
            if np.all(np.abs(equations[k] - equations[other]) <= allowed):
                face[face == face[other]] = face[k]
    return face


def _sides(found: Any, face: np.ndarray, members: np.ndarray) -> Iterator[tuple[int, ...]]:
    """Yield the corners of the sides of a face: the sides of its triangles next to another face."""
    for k in members:
        for i, other in enumerate(found.neighbors[k]):
            if face[other] != face[k]:
                yield tuple(int(corner) for corner in np.delete(found.simplices[k], i))


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
    arms: np.ndarray  # (items, 6) of both points in the axes of their nodes; for a floor its marker and its normal; for
    # a hull its middle, and its reach from there
    radius: np.ndarray
    hull: np.ndarray  # (items) number of the item's hull; NONE
    room: np.ndarray  # (items) radius of the largest ball in its shape
    first_face: np.ndarray  # (hulls + 1)
    faces: np.ndarray  # (faces, 6) a point and the normal, in the axes of the hull's node
    first_side: np.ndarray  # (faces + 1)
    sides: np.ndarray  # (sides, 9) both ends of a side of a face, and the direction from it into the face
    body: np.ndarray
    owner: np.ndarray
    meets: np.ndarray  # (bodies, bodies)
    law: np.ndarray  # (parts, 5)
    elastic: np.ndarray  # (parts, 5) law without damping and friction


class Item(NamedTuple):
    """A point, a piece or a floor of one body."""

    kind: int
    nodes: tuple[int, int]
    arms: np.ndarray
    radius: float
    body: Any
    owner: int
    hull: Core | None = None
    """Hull of the item."""


def touches(layout: Any) -> list[Collisions]:
    """Return the parts of the family, in the order of their readings."""
    return list(layout.forces(Collisions))


def items(layout: Any, part: Collisions, owner: int, frame: Frame, spatial: bool) -> Iterator[Item]:
    """Yield the shapes and floors of one part."""
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
    """Yield the corners and edges of a hull, and the hull."""
    at = node, node
    for corner in hull.corners:
        yield Item(END, at, np.append(corner, corner), radius, body, owner, hull)
    for ends in hull.edges:
        yield Item(EDGE, at, ends.ravel(), radius, body, owner, hull)
    middle = hull.corners.mean(axis=0)
    reach = float(np.linalg.norm(hull.corners - middle, axis=1).max())
    yield Item(HULL, at, np.append(middle, (reach, 0.0, 0.0)), radius, body, owner, hull)


def pack(layout: Any, frame: Frame, spatial: bool) -> Arrays:
    """Pack all items of a model."""
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
    """Return the pairs of nodes that forces may couple: each node with the ground, and all pairs of a part."""
    alone = [(node, ground) for node in numbers if node != ground]
    of_parts: dict[int, set[int]] = {}
    for item in found:
        of_parts.setdefault(item.owner, set()).update(node for node in item.nodes if node != ground)
    pairs = {pair for nodes in of_parts.values() for pair in combinations(sorted(nodes), 2)}
    return [*(alone or [(ground, ground)]), *sorted(pairs)]


def places(part: Arrays) -> int:
    """Return the number of possible places of contact: all pairs of items."""
    return int(part.kind.size**2)


def rigid(part: Arrays) -> Arrays:
    """Return the items as conditions: without forces, so that no nodes are coupled."""
    nodes = part.base.size - 1
    return part._replace(law=np.zeros_like(part.law), dofs=part.dofs[:nodes].copy())


def rubbing(part: Arrays) -> bool:
    """Return whether there is friction, which makes the tangent unsymmetric in motion."""
    return bool(np.any(part.law[:, 3]))


def dry(part: Arrays, layout: Any) -> Iterator[Dry]:
    """Yield the parts with friction."""
    for k, each in enumerate(touches(layout)):
        if each.friction:
            own = part.owner == k
            fields = ("kind", "nodes", "arms", "radius", "hull", "room", "body", "owner")
            rough = part._replace(**{name: getattr(part, name)[own].copy() for name in fields})
            yield Dry(each, rough, changed(rough, "law", 3, 0.0), always=True)
