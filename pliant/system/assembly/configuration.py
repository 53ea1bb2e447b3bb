"""Coordinates of all nodes in the assembled pose, and the placed rest shapes of beams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import cos, sin
from typing import Any

import numpy as np

from pliant.model import rotations
from pliant.model.bodies.beams import rest_poses
from pliant.system.assembly.assembly import Assembly
from pliant.system.numbering.numbering import BeamMesh
from pliant.system.numbering.planar_layout import Layout
from pliant.system.numbering.space import Space
from pliant.system.numbering.spatial_layout import SpatialLayout


def _configuration(layout: Layout, assembly: Assembly) -> np.ndarray:
    """Return the coordinates of all nodes in the assembled pose; beams get their placed rest shape."""
    q = layout.space.still(layout.ground)
    for body in layout.rigid_bodies:
        x, y, theta = assembly.pose[body]
        cx, cy = body.centre_of_mass
        k = 3 * layout.body_node(body)
        q[k : k + 3] = x + cos(theta) * cx - sin(theta) * cy, y + sin(theta) * cx + cos(theta) * cy, theta
    lay_in_plane(layout.beams, assembly.pose)
    for mesh in layout.beams:
        q[3 * mesh.nodes[0] : 3 * mesh.nodes[-1] + 3] = mesh.pose.ravel()
        q[mesh.stretch] = 1.0
    return q


def _configuration_in_space(layout: SpatialLayout, assembly: Any) -> np.ndarray:
    """Return the coordinates of all nodes in the assembled pose of a spatial model."""
    q, nodes = layout.space.still(layout.ground), layout.ground
    six, frames = q[: 6 * nodes].reshape(-1, 6), q[layout.space.frames(nodes) :].reshape(-1, 4)
    for body in layout.rigid_bodies:
        point, turn = assembly.pose[body]
        k = layout.body_node(body)
        six[k, :3] = point + rotations.rotate(turn, (*body.centre_of_mass, 0.0)[:3])
        frames[k] = turn
    lay_in_space(layout.beams, assembly.pose)
    for mesh in layout.beams:
        six[mesh.nodes, :3], frames[mesh.nodes] = mesh.pose, mesh.turn
    return q


def lay_alone(meshes: Sequence[BeamMesh], space: Space) -> None:
    """Set the rest shapes of meshes, each in axes of its own."""
    if space.quaternions:
        lay_in_space(meshes, {mesh.beam: (np.zeros(3), rotations.IDENTITY) for mesh in meshes})
    else:
        lay_in_plane(meshes, {mesh.beam: np.zeros(3) for mesh in meshes})


def lay_in_plane(meshes: Sequence[BeamMesh], frames: Mapping[Any, Any]) -> None:
    """Set the rest shapes of planar meshes, given the frames of their beams."""
    if not meshes:
        return
    beams, counts = [mesh.beam for mesh in meshes], [mesh.nodes.size for mesh in meshes]
    rest = rest_poses(beams, [mesh.s for mesh in meshes])
    x, y, theta = np.repeat([frames[beam] for beam in beams], counts, axis=0).T
    c, s = np.cos(theta), np.sin(theta)
    across = np.array([c * rest[:, 0] - s * rest[:, 1] + x, s * rest[:, 0] + c * rest[:, 1] + y, rest[:, 2] + theta])
    for mesh, pose in zip(meshes, np.split(across.T, np.cumsum(counts)[:-1]), strict=True):
        mesh.pose = pose


def lay_in_space(meshes: Sequence[BeamMesh], frames: Mapping[Any, Any]) -> None:
    """Set the rest shapes of spatial meshes, given the frames of their beams."""
    for mesh in meshes:
        point, turn = frames[mesh.beam]
        places, turns = mesh.beam.rest_pose_in_space(mesh.s)
        mesh.pose = point + rotations.rotate(turn, places)
        mesh.turn = rotations.product(turn, turns)


def assembled_coordinates(layout: Any, assembly: Assembly) -> np.ndarray:
    """Return the coordinates of all nodes in the assembled pose."""
    return (_configuration_in_space if layout.space.quaternions else _configuration)(layout, assembly)
