"""Where one looks from: straight on at a plane, from above and aside in space, as near as the page is wide and high."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pliant.results.parts import Array

FIELD = np.radians(12.0)  # of view onto a plane: narrow, so that what is nearer looks hardly larger
FIELD_IN_SPACE = np.radians(45.0)
ASIDE = np.array([1.15, -1.55, 0.8])  # to the eye, in space
ROOM = (1.45, 1.16)  # of the height and width of something in a plane
ROOM_IN_SPACE = 1.3
ANOTHER = 0.05  # change of the ratio of width to height that is seen


class Look(NamedTuple):
    """What is looked at.

    middle  of it
    way     towards the eye, of length 1
    along   of its corners (corner,), towards the eye from the middle
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
        """Angle of view, upright."""
        return float(FIELD if self.planar else FIELD_IN_SPACE)

    @property
    def up(self) -> tuple[float, float, float]:
        """What is upwards."""
        return (0.0, 1.0, 0.0) if self.planar else (0.0, 0.0, 1.0)

    def eye(self, aspect: float) -> Array:
        """Where the eye is, for a page with this ratio of width to height."""
        away = self.along + np.maximum(self.high, self.wide / min(max(aspect, 0.1), 10.0))
        return self.middle + float(np.max(away)) * self.way


def look(low: Array, high: Array, planar: bool) -> Look:
    """At all that lies between two corners (3,).

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


def look_at(server: Any, low: Array, high: Array, planar: bool) -> None:
    """Grid, upward direction and first camera for all that lies between two corners (3,)."""
    seen, size = look(low, high, planar), max(float((high - low).max()), 1e-9)
    _grid(server, seen, min(low[2], 0.0), size)
    server.scene.set_up_direction("+y" if planar else "+z")
    server.scene.world_axes.visible = False
    camera, server.look = server.initial_camera, seen
    camera.fov, camera.near = seen.field, 0.01 * size
    camera.position, camera.look_at = tuple(seen.eye(1.0)), tuple(seen.middle)


def _grid(server: Any, seen: Look, floor: float, size: float) -> None:
    cell = 10.0 ** np.floor(np.log10(0.5 * size))
    cell *= max(k for k in (1.0, 2.0, 5.0) if k * cell <= 0.5 * size) / 2.0
    reach, dark = 2.0 * np.ceil(0.75 * size / cell) * cell, getattr(server, "dark", False)
    snapped = np.round(seen.middle / (2.0 * cell)) * 2.0 * cell
    server.scene.add_grid(
        "/grid", reach, reach, plane="xy", cell_size=cell, section_size=2.0 * cell,
        position=(snapped[0], snapped[1], -0.03 * size if seen.planar else floor),
        cell_color=(40, 44, 48) if dark else (226, 229, 233),
        section_color=(66, 71, 77) if dark else (205, 210, 216),
    )  # fmt: skip


def face_again(server: Any) -> None:
    """Take those who look on to where all is seen."""
    for client in server.get_clients().values():
        face(server, client)


def face(server: Any, client: Any) -> None:
    """Take one who looks on to where all is seen, on a page as wide and high as theirs."""
    seen: Look = server.look
    client.faced = (client.camera.aspect, seen.eye(client.camera.aspect))
    with client.atomic():
        client.camera.up_direction = seen.up
        client.camera.fov = seen.field
        client.camera.position = tuple(client.faced[1])
        client.camera.look_at = tuple(seen.middle)


def welcome(server: Any, client: Any) -> None:
    """One who opens the page sees all, also when the page is turned or becomes wider, until they look elsewhere."""

    def resized(_: Any) -> None:
        aspect, eye = client.faced
        there = np.allclose(client.camera.position, eye, atol=1e-3 * float(np.linalg.norm(eye - server.look.middle)))
        if there and abs(client.camera.aspect - aspect) > ANOTHER * aspect:
            face(server, client)

    if hasattr(server, "look"):
        face(server, client)
        client.camera.on_update(resized)
