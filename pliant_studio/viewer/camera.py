"""Camera: straight on at a plane, from above and aside in space, as near as the size of the page allows.

A scene is drawn in units of the mechanism's size, since viser has fixed distances in it. viser has no orthographic
camera: a plane is viewed with a field of 0.3 degrees, from so far that overlapping parts are displaced by less than a
tenth of a pixel.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pliant.results.drawing.parts import Array

FIELD = np.radians(0.3)  # field of view for a plane
FIELD_IN_SPACE = np.radians(45.0)
ASIDE = np.array([1.15, -1.55, 0.8])  # direction to the eye, in space
ROOM = (1.45, 1.16)  # margins of height and width in a plane
ROOM_IN_SPACE = 1.3
ANOTHER = 0.05  # change of the aspect ratio that is noticeable
NEAREST, FARTHEST = 0.2, 100.0  # of the distance to the target: nothing is drawn beyond
BELOW = 0.085  # of the size: distance of the scale bar below everything
LENGTHS = {"km": 1e3, "m": 1.0, "mm": 1e-3, "µm": 1e-6, "nm": 1e-9}


class Look(NamedTuple):
    """Geometry of a view.

    middle  of the scene
    way     unit vector towards the eye
    along   of its corners (corner,), from the middle towards the eye
    high    distance of the eye at which they fit into the height of a page
    wide    the same for the width of a page that is as wide as high
    """

    middle: Array
    way: Array
    along: Array
    high: Array
    wide: Array
    planar: bool

    @property
    def field(self) -> float:
        """Return the vertical angle of view."""
        return float(FIELD if self.planar else FIELD_IN_SPACE)

    @property
    def up(self) -> tuple[float, float, float]:
        """Return the upward direction."""
        return (0.0, 1.0, 0.0) if self.planar else (0.0, 0.0, 1.0)

    def eye(self, aspect: float) -> Array:
        """Return the position of the eye, for a page with this aspect ratio."""
        away = self.along + np.maximum(self.high, self.wide / min(max(aspect, 0.1), 10.0))
        return self.middle + float(np.max(away)) * self.way


def look(low: Array, high: Array, planar: bool) -> Look:
    """Return the view of everything between two corners (3,).

    >>> flat = look(np.zeros(3), np.array([1.0, 0.1, 0.0]), True)
    >>> wide, narrow = (flat.eye(aspect)[2] for aspect in (2.0, 0.5))
    >>> bool(narrow > 3.9 * wide)
    True
    """
    half = np.maximum(0.5 * (high - low), 0.05 * float((high - low).max()) + 1e-9)
    corners = half * np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    way = np.array([0.0, 0.0, 1.0]) if planar else ASIDE / np.linalg.norm(ASIDE)
    right = np.cross((0.0, 1.0, 0.0) if planar else (0.0, 0.0, 1.0), way)
    right = right / np.linalg.norm(right)
    room = ROOM if planar else (ROOM_IN_SPACE, ROOM_IN_SPACE)
    tangent = np.tan(0.5 * (FIELD if planar else FIELD_IN_SPACE))
    up, aside = (
        np.abs(corners @ each) * share / tangent
        for each, share in zip((np.cross(way, right), right), room, strict=True)
    )
    along = np.zeros(len(corners)) if planar else corners @ way
    return Look(0.5 * (low + high), way, along, up, aside, planar)


def look_at(server: Any, low: Array, high: Array, planar: bool, scale: float) -> None:
    """Set grid, scale bar, upward direction and first camera for everything between two corners (3,) of the scene, in
    which a metre is as long as `scale`.
    """
    seen, size = look(low, high, planar), max(float((high - low).max()), 1e-9)
    _grid(server, seen, low, size, scale)
    server.scene.set_up_direction("+y" if planar else "+z")
    server.scene.world_axes.visible = False
    camera, server.look, eye = server.initial_camera, seen, seen.eye(1.0)
    away = float(np.linalg.norm(eye - seen.middle))
    camera.fov, camera.near, camera.far = seen.field, _near(seen, away), FARTHEST * away
    camera.position, camera.look_at = tuple(eye), tuple(seen.middle)


def _near(seen: Look, away: float) -> float:
    """Return the near clipping distance: in space one may move inside."""
    return (NEAREST if seen.planar else 0.01) * away


def _grid(server: Any, seen: Look, low: Array, size: float, scale: float) -> None:
    cell = 10.0 ** np.floor(np.log10(0.5 * size / scale))
    cell *= max(k for k in (1.0, 2.0, 5.0) if k * cell <= 0.5 * size / scale) / 2.0
    dark, floor, bar = getattr(server, "dark", False), min(low[2], 0.0), 2.0 * cell * scale
    reach = np.ceil(1.5 * size / bar) * bar
    snapped = np.round(seen.middle / bar) * bar
    server.scene.add_grid(
        "/grid", reach, reach, plane="xy", cell_size=0.5 * bar, section_size=bar,
        position=(snapped[0], snapped[1], -0.03 * size if seen.planar else floor),
        cell_color=(40, 44, 48) if dark else (226, 229, 233),
        section_color=(66, 71, 77) if dark else (205, 210, 216),
    )  # fmt: skip
    begin = np.array([low[0], low[1] - BELOW * size, 0.0 if seen.planar else floor])
    ends = np.array([[begin, begin + (bar, 0.0, 0.0)]])
    colour = (190, 195, 200) if dark else (70, 76, 82)
    server.scene.add_line_segments("/scale", ends, colour, thickness=0.005 * size)
    server.scene.add_label(
        "/scale/length", length_in_words(2.0 * cell), position=tuple(ends[0].mean(axis=0)), anchor="top-center",
        font_screen_scale=0.85,
    )  # fmt: skip


def length_in_words(metres: float) -> str:
    """Format a length in a unit that makes it a short number.

    >>> [length_in_words(value) for value in (0.2, 5e-6, 1.0, 2000.0)]
    ['200 mm', '5 µm', '1 m', '2 km']
    """
    unit = next((unit for unit, size in LENGTHS.items() if metres >= 0.999 * size), "nm")
    return f"{metres / LENGTHS[unit]:.3g} {unit}"


def face_again(server: Any) -> None:
    """Reset all clients' cameras to show everything."""
    for client in server.get_clients().values():
        face(server, client)


def face(server: Any, client: Any) -> None:
    """Set one client's camera to show everything, for the size of its page."""
    seen: Look = server.look
    client.faced = (client.camera.aspect, seen.eye(client.camera.aspect))
    with client.atomic():
        client.camera.up_direction = seen.up
        client.camera.fov = seen.field
        client.camera.position = tuple(client.faced[1])
        client.camera.look_at = tuple(seen.middle)


def welcome(server: Any, client: Any) -> None:
    """Show everything to a new client, also after its page is turned or resized, until it moves the camera; the near
    clipping distance follows the eye.
    """

    def moved(_: Any) -> None:
        camera, (aspect, eye) = client.camera, client.faced
        home = float(np.linalg.norm(eye - server.look.middle))
        there = np.allclose(camera.position, eye, atol=1e-3 * home)
        if there and abs(camera.aspect - aspect) > ANOTHER * aspect:
            face(server, client)
        near = _near(server.look, min(float(np.linalg.norm(camera.position - camera.look_at)), home))
        if not 0.5 * near < camera.near < 2.0 * near:
            camera.near = near

    if hasattr(server, "look"):
        face(server, client)
        client.camera.on_update(moved)
