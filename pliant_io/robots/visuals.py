"""Shapes of links in robot files, and the outlines of bodies made from them."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from pliant.errors import FileError, ModelError
from pliant.model import rotations
from pliant.model.bodies.mesh_files import read_mesh, write_stl
from pliant.model.bodies.outlines import Box, Cylinder, Mesh, Outline, Sphere
from pliant_io.robots.poses import Pose

DEEPEST = 8  # levels of parent folders searched for its packages


class Visual(NamedTuple):
    """A shape at a place in the frame of its link.

    kind  "box" (three sides), "cylinder" (radius, length; along z), "sphere" (radius), "capsule" (radius, length
          between the centres of its ends; along z), "ellipsoid" (three semi-axes), "mesh" (points, triangles)
    """

    place: Pose
    kind: str
    size: tuple[Any, ...]

    def moved(self, frame: Pose) -> Visual:
        """Return the shape in another frame, in which the pose of the link is `frame`."""
        return self._replace(place=frame @ self.place)

    def outline(self) -> Outline:
        """Return the outline of the body; raise ModelError for an invalid size."""
        R, size = self.place.R, self.size
        if self.kind == "capsule":  # the axis of an outline is along x
            R = R @ np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
        turn = rotations.logarithm(rotations.quaternion(R)).tolist()
        at: dict[str, Any] = {"position": tuple(self.place.p.tolist()), "orientation": tuple(turn)}
        if self.kind == "ellipsoid":
            ball = Sphere(1.0).surface
            return Mesh(ball.points * np.array(size), ball.triangles, **at)  # type: ignore[arg-type]
        kinds: dict[str, type[Outline]] = {
            "box": Box,
            "cylinder": Cylinder,
            "sphere": Sphere,
            "capsule": Sphere,
            "mesh": Mesh,
        }
        return kinds[self.kind](*size, **at)


def visual_of(outline: Outline) -> Visual:
    """Return the shape of an outline; shapes that such files do not know become meshes."""
    turn = np.zeros(3) if outline.orientation is None else outline.orientation
    place = Pose(rotations.matrix(rotations.exponential(turn)), np.array(outline.position))  # type: ignore[arg-type]
    match outline:
        case Box():
            return Visual(place, "box", (outline.x, outline.y, outline.z))
        case Cylinder():
            return Visual(place, "cylinder", (outline.radius, outline.length))
        case Sphere() if not outline.length:
            return Visual(place, "sphere", (outline.radius,))
    surface = outline.surface
    return Visual(Pose(np.eye(3), np.zeros(3)), "mesh", (surface.points, surface.triangles))


def shape_of(visuals: list[Visual], owner: str, left_out: list[str]) -> tuple[Outline, ...] | None:
    """Return outlines of a body; report shapes that cannot be read."""
    found = []
    for visual in visuals:
        try:
            found.append(visual.outline())
        except ModelError as error:
            left_out.append(f"{owner}: visual ({error})")
    return tuple(found) or None


def read_mesh_beside(
    path: Path, uri: str, scale: np.ndarray, owner: str, left_out: list[str]
) -> tuple[Any, Any] | None:
    """Return points and triangles of a mesh named in a robot file, if it is in the same folder or package; otherwise
    report it and return None.
    """
    try:
        points, triangles = read_mesh(_beside(path, uri))
    except FileError as error:
        left_out.append(f"{owner}: visual ({error})")
        return None
    return points * scale, triangles


def _beside(path: Path, uri: str) -> Path:
    """Return the path of a mesh: relative to the file, or in the package "package://name/..." or "model://name/..."."""
    scheme, mark, rest = uri.partition("://")
    words = PurePosixPath((rest if mark else uri).replace("\\", "/")).parts
    home = path.resolve().parent
    if (
        not words
        or ".." in words
        or PurePosixPath(*words).is_absolute()
        or (mark and scheme not in ("package", "model"))
    ):
        raise FileError(f"mesh {uri!r:.80} is not beside the file; others are not opened")
    folders = [home, *home.parents][:DEEPEST]
    places = [home.joinpath(*words)] if not mark else [
        place
        for folder in folders
        for place in (folder.joinpath(*words), *([folder.joinpath(*words[1:])] if folder.name == words[0] else []))
    ]  # fmt: skip
    found = next((place for place in places if place.is_file() and not place.is_symlink()), None)
    if found is None:
        raise FileError(f"mesh {uri!r:.80} was not found")
    return found


def write_urdf_visuals(link: Element, visuals: tuple[Visual, ...], path: Path, text: Any, angles: Any) -> None:
    """Write the shapes of a link; meshes as STL files in a folder beside the file."""
    for k, visual in enumerate(visuals):
        element = SubElement(link, "visual")
        SubElement(element, "origin", xyz=text(visual.place.p), rpy=text(angles(visual.place.R)))
        geometry = SubElement(element, "geometry")
        if visual.kind == "mesh":
            folder = path.with_name(f"{path.stem}_meshes")
            folder.mkdir(exist_ok=True)
            name = "".join(c if c.isalnum() else "_" for c in link.get("name", "link"))
            write_stl(folder / f"{name}_{k}.stl", *visual.size)
            SubElement(geometry, "mesh", filename=f"{folder.name}/{name}_{k}.stl")
            continue
        keys = {"box": ("size",), "cylinder": ("radius", "length"), "sphere": ("radius",)}[visual.kind]
        sizes = [visual.size] if visual.kind == "box" else [[each] for each in visual.size]
        SubElement(geometry, visual.kind, {key: text(size) for key, size in zip(keys, sizes, strict=True)})


def write_mjcf_visuals(body: Element, visuals: tuple[Visual, ...], assets: Element, place: Any, text: Any) -> None:
    """Write the shapes of a body, without contact and mass."""
    for visual in visuals:
        look = {"contype": "0", "conaffinity": "0", "mass": "0", "group": "1", **place(visual.place)}
        if visual.kind == "mesh":
            points, triangles = visual.size
            name = f"mesh {len(assets) + 1}"
            faces = " ".join(str(int(k)) for k in np.ravel(triangles))
            SubElement(assets, "mesh", name=name, vertex=text(points), face=faces)
            SubElement(body, "geom", {"type": "mesh", "mesh": name, **look})
            continue
        halves = {"box": [0.5 * each for each in visual.size], "sphere": visual.size}
        size = halves.get(visual.kind, (visual.size[0], 0.5 * visual.size[-1]))
        SubElement(body, "geom", {"type": visual.kind, "size": text(size), **look})
