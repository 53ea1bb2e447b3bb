"""Shapes of bodies: polygons, boxes, cylinders, balls, hulls, meshes; rails and walls. Pictures use them, and
`Collisions` uses its own.
"""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from pliant._libraries import spatial_geometry
from pliant.errors import FileError, ModelError
from pliant.model import checks, rotations
from pliant.model.bodies.mesh_files import MOST, read_mesh
from pliant.model.bodies.triangles import Triangles, lathe, prism, triangulate
from pliant.model.kinds import Kind
from pliant.model.markers import Marker
from pliant.model.rotations import Orientation

Array = npt.NDArray[np.float64]

ROUND = 24
"""Sides that a circle is drawn with."""
CORNERS = 1000  # of a plate: the time of cutting it into triangles grows as their square
RING = 0.05  # drawn thickness of a ring, as a share of its radius


class Surface(NamedTuple):
    """Triangles: points (n, 3) in the frame of the body (m), and the numbers of their corners (m, 3)."""

    points: Array
    triangles: Triangles


class Track(NamedTuple):
    """A "rail" or a "wall" in pictures, along the x axis of a frame on a marker; the outside of a wall is along y."""

    kind: str
    marker: Marker
    turn: Array
    """Quaternion that takes the axes of the frame to those of the marker."""
    followers: tuple[Marker, ...]
    """What moves along it, and shows how long it has to be."""


class Stroke(NamedTuple):
    """A short line (n, 3) in the axes of a frame on a marker."""

    marker: Marker
    turn: Array
    points: Array


@dataclass(frozen=True, eq=False)
class Outline(Kind, abstract=True):
    """The shape of a body in pictures, given in the body's frame: `Link` has it at its base, `Body` at its centre of
    mass.

    position     of the shape's own origin (m), (x, y) or (x, y, z)
    orientation  of its axes, as a rotation; a number turns about z (rad)

    >>> Box(0.2, 0.1, 0.1, position=(0.1, 0), orientation=np.pi / 2).surface.points[:, 1].max().round(9)
    np.float64(0.1)
    """

    units: ClassVar = {"position": "m", "orientation": "rad"}

    _: KW_ONLY
    position: tuple[float, ...] = (0.0, 0.0, 0.0)
    orientation: Orientation | float | None = None

    def __post_init__(self) -> None:
        owner = type(self).__name__
        place = checks.point(owner, "position", self.position)
        self._set(position=(*place, 0.0)[:3])
        if isinstance(self.orientation, (int, float)):
            self._set(orientation=(0.0, 0.0, checks.angle(owner, "orientation", self.orientation)))
        if self.orientation is not None:
            self._set(orientation=rotations.orientation(owner, "orientation", self.orientation))

    @cached_property
    def surface(self) -> Surface:
        """Return the triangles in the frame of the body."""
        points, triangles = self._own()
        R = np.eye(3) if self.orientation is None else rotations.matrix(rotations.exponential(self.orientation))  # type: ignore[arg-type]
        return Surface(points @ R.T + np.asarray(self.position), triangles)

    @property
    def dent(self) -> float:
        """Return the largest distance of the surface from its convex hull (m): 0 if it is convex."""
        return 0.0

    @abstractmethod
    def _own(self) -> tuple[Array, Triangles]:
        """Return points and triangles in the shape's own axes."""


@dataclass(frozen=True, eq=False)
class Polygon(Outline):
    """A plate: its corners in the x-y plane, in order, around it.

    points     (x, y) of 3 to 1000 corners (m); sides do not cross. A repeated corner, such as the first at the
               end, is taken once
    thickness  along z (m), half of it on either side; 0: a sheet

    >>> plate = Polygon([(0, 0), (0.1, 0), (0.05, 0.08)], thickness=5e-3)
    >>> plate.surface.points.shape, len(plate.surface.triangles)
    ((6, 3), 8)
    """

    units: ClassVar = {"points": "m", "thickness": "m"}

    points: Sequence[tuple[float, float]]
    thickness: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(thickness=checks.not_negative("Polygon", "thickness", self.thickness))
        corners = np.asarray(_table("Polygon", "points", self.points, 2))
        corners = corners[np.any(corners != np.roll(corners, -1, axis=0), axis=1)]
        hint = f"Give 3 to {CORNERS} corners (x, y), in order around the plate, whose sides do not cross."
        if not 3 <= len(corners) <= CORNERS or triangulate(corners) is None:
            raise checks.refuse("Polygon", "points", self.points, "the corners of a plate", hint)
        self._set(points=tuple((float(x), float(y)) for x, y in corners))

    @property
    def dent(self) -> float:
        corners = np.asarray(self.points)
        return _dent(corners, 0.5 * (corners + np.roll(corners, -1, axis=0)))

    def _own(self) -> tuple[Array, Triangles]:
        return prism(np.asarray(self.points), self.thickness)


@dataclass(frozen=True, eq=False)
class Box(Outline):
    """A block with sides along x, y and z (m), its middle at `position`.

    >>> Box(0.1, 0.02, 0.02, position=(0.05, 0)).surface.points.max(axis=0).tolist()
    [0.1, 0.01, 0.01]
    """

    units: ClassVar = {"x": "m", "y": "m", "z": "m"}

    x: float
    y: float
    z: float

    def __post_init__(self) -> None:
        super().__post_init__()
        for key in ("x", "y", "z"):
            self._set(**{key: checks.positive("Box", key, getattr(self, key), hint="Give its side in metres.")})

    def _own(self) -> tuple[Array, Triangles]:
        corners = 0.5 * np.array([(-self.x, -self.y), (self.x, -self.y), (self.x, self.y), (-self.x, self.y)])
        return prism(corners, self.z)


@dataclass(frozen=True, eq=False)
class Cylinder(Outline):
    """A cylinder about z, its middle at `position`: in the plane a disc.

    radius, length  m

    >>> Cylinder(0.05, 0.01).surface.points[:, 2].max()
    np.float64(0.005)
    """

    units: ClassVar = {"radius": "m", "length": "m"}

    radius: float
    length: float

    def __post_init__(self) -> None:
        super().__post_init__()
        for key in ("radius", "length"):
            self._set(**{key: checks.positive("Cylinder", key, getattr(self, key), hint="Give it in metres.")})

    def _own(self) -> tuple[Array, Triangles]:
        turns = 2.0 * np.pi / ROUND * np.arange(ROUND)
        return prism(self.radius * np.column_stack([np.cos(turns), np.sin(turns)]), self.length)


@dataclass(frozen=True, eq=False)
class Sphere(Outline):
    """A ball, its middle at `position`; with a `length` a capsule along x, between the centres of its round ends.

    radius, length  m

    >>> bool(np.isclose(np.linalg.norm(Sphere(0.1).surface.points, axis=1), 0.1).all())
    True
    """

    units: ClassVar = {"radius": "m", "length": "m"}

    radius: float
    length: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(
            radius=checks.positive("Sphere", "radius", self.radius, hint="Give it in metres."),
            length=checks.not_negative("Sphere", "length", self.length),
        )

    def _own(self) -> tuple[Array, Triangles]:
        turns = np.linspace(0.0, np.pi, ROUND // 2 + 1)
        half = 0.5 * self.length * np.where(turns > 0.5 * np.pi, 1.0, -1.0)
        if self.length:  # both round ends have a rim
            k = ROUND // 4
            turns, half = np.insert(turns, k, turns[k]), np.insert(half, k + 1, 0.5 * self.length)
        return lathe(half - self.radius * np.cos(turns), self.radius * np.sin(turns), ROUND)


@dataclass(frozen=True, eq=False)
class Hull(Outline):
    """The convex hull of points, given in any order.

    points  (x, y, z) of at least 4 that are not all in one plane (m), or (x, y) of at least 3 for a sheet

    >>> pyramid = Hull([(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1), (0.01, 0.01, 0.01)])
    >>> len(pyramid.surface.triangles)
    4
    """

    units: ClassVar = {"points": "m"}

    points: Sequence[tuple[float, ...]]

    def __post_init__(self) -> None:
        super().__post_init__()
        columns = 2 if _width(self.points) == 2 else 3
        given = _table("Hull", "points", self.points, columns)
        self._set(points=tuple(map(tuple, given.tolist())))
        if _hull(given) is None:
            few = f"at least {columns + 1} points that are not all in one {'plane' if columns == 3 else 'line'}"
            raise checks.refuse("Hull", "points", self.points, few, "A sheet has points (x, y).")

    def _own(self) -> tuple[Array, Triangles]:
        given = np.asarray(self.points)
        found: Any = _hull(given)
        corners = given[found.vertices]
        if given.shape[1] == 2:
            return prism(corners, 0.0)
        number = np.zeros(len(given), np.int64)
        number[found.vertices] = np.arange(len(found.vertices))
        a, b, c = (given[found.simplices[:, k]] for k in range(3))
        inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), found.equations[:, :3]) < 0.0
        triangles = np.where(inward[:, None], found.simplices[:, ::-1], found.simplices)
        return corners, number[triangles]


@dataclass(frozen=True, eq=False)
class Mesh(Outline):
    """Triangles. `Mesh.read` takes them from a file.

    vertices   (x, y, z) of the corners (m)
    triangles  three numbers of corners each, counted from 0

    >>> Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)]).triangles
    ((0, 1, 2),)
    """

    units: ClassVar = {"vertices": "m", "triangles": "1"}

    vertices: Sequence[tuple[float, float, float]]
    triangles: Sequence[tuple[int, int, int]]

    def __post_init__(self) -> None:
        super().__post_init__()
        points = np.asarray(_table("Mesh", "vertices", self.vertices, 3))
        numbers = np.asarray(_table("Mesh", "triangles", self.triangles, 3))
        if len(numbers) > MOST or len(points) > 3 * MOST:
            raise ModelError(f"Mesh: it has {len(numbers)} triangles; at most {MOST} are drawn. Simplify it first.")
        if np.any(numbers != np.rint(numbers)) or np.any((numbers < 0) | (numbers >= len(points))):
            raise checks.refuse("Mesh", "triangles", self.triangles, f"numbers of vertices, 0 to {len(points) - 1}")
        self._set(
            vertices=tuple(map(tuple, points.tolist())), triangles=tuple(map(tuple, numbers.astype(int).tolist()))
        )

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        *,
        scale: float | Sequence[float] = 1.0,
        position: tuple[float, ...] = (0.0, 0.0, 0.0),
        orientation: Orientation | float | None = None,
    ) -> Mesh:
        """Read a file .stl (text or binary) or .obj; `scale` converts its numbers to metres: 1e-3 for millimetres. The
        model keeps the triangles, not the file.

        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "plate.obj"
        >>> _ = path.write_text("v 0 0 0\\nv 100 0 0\\nv 0 50 0\\nf 1 2 3\\n")
        >>> Mesh.read(path, scale=1e-3).vertices[1]
        (0.1, 0.0, 0.0)
        """
        points, triangles = read_mesh(path)
        factors = checks.numbers("Mesh.read", "scale", scale if isinstance(scale, Sequence) else (scale,) * 3)
        if len(factors) != 3 or not all(factors):
            raise checks.refuse("Mesh.read", "scale", scale, "a number other than 0, or three", "1e-3: millimetres.")
        try:
            return cls(points * factors, triangles, position=position, orientation=orientation)  # type: ignore[arg-type]
        except ModelError as error:
            raise FileError(f"{path}: {error}") from error

    @property
    def dent(self) -> float:
        points, triangles = self._own()
        if np.ptp(points[:, 2]) > 0.0:
            return _dent(points[np.unique(triangles)], points[triangles].mean(axis=1))
        sides, times = np.unique(np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)), axis=0, return_counts=True)
        rim = points[sides[times == 1], :2]  # edge of a sheet: sides of one triangle only
        return _dent(rim.reshape(-1, 2), rim.mean(axis=1))

    def _own(self) -> tuple[Array, Triangles]:
        return np.asarray(self.vertices, float).reshape(-1, 3), np.asarray(self.triangles, np.int64).reshape(-1, 3)


def funnel(bottom: float, top: float, depth: float, turn: tuple[float, ...], spatial: bool) -> Mesh:
    """Return the inside of a cone about z (about y in the plane), between two radii (m); depth 0: a ring."""
    thin = RING * bottom
    if not spatial:
        side = np.array([(bottom, 0.0), (bottom + thin, 0.0), (top + thin, depth or thin), (top, depth or thin)])
        points, triangles = prism(side, 0.0)
        both = np.vstack([points, points * (-1.0, 1.0, 1.0)])
        return Mesh(both, np.vstack([triangles, triangles + 4]))  # type: ignore[arg-type]
    points, triangles = lathe(np.array([0.0, depth or thin]), np.array([bottom, top]), ROUND)
    return Mesh(points[:, [1, 2, 0]], triangles, orientation=turn)  # type: ignore[arg-type]


def outlines(owner: str, given: Any) -> tuple[Outline, ...] | None:
    """Return the argument `shape` as a tuple: one outline or several."""
    if given is None:
        return None
    found = tuple(given) if isinstance(given, tuple | list) else (given,)
    for each in found:
        checks.instance(owner, "shape", each, Outline, "Try Polygon(points), Box(x, y, z) or Mesh.read(path).")
    return found or None


def _width(values: Any) -> int:
    """Return the number of values in the first of some rows."""
    try:
        return len(values[0])
    except (TypeError, IndexError, KeyError):
        return 0


def _hull(points: Array) -> Any:
    """Return the convex hull of points; None if they are flat."""
    try:
        return spatial_geometry.ConvexHull(points)
    except (spatial_geometry.QhullError, ValueError):
        return None


def _dent(points: Array, between: Array) -> float:
    """Return the depth of points, and of points between them on sides or triangles, in their hull; 0 if flat."""
    found = _hull(points)
    if found is None:
        return 0.0
    height = np.vstack([points, between]) @ found.equations[:, :-1].T + found.equations[:, -1]
    return max(0.0, -float(height.max(axis=1).min()))


def _table(owner: str, key: str, values: Any, columns: int) -> Array:
    """Return (n, columns) finite numbers, or raise."""
    try:
        found = np.asarray(values, float)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.ndim != 2 or found.shape[1] != columns or not np.all(np.abs(found) <= checks.LARGEST):
        raise checks.refuse(owner, key, values, f"rows of {columns} numbers")
    return found
