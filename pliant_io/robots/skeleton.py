"""Model -> records of a robot: its rigid skeleton as assembled, with what could not be said of it.

The pose as assembled is the zero position. Beams become rigid links of the same mass; point masses become part of their
bodies; joints beyond a tree, joints that the format does not know, and all forces are left out and named.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant.errors import ModelError
from pliant.model import Beam, Ground, Marker, Model, rotations
from pliant.model.bodies.rigid import RigidBody
from pliant.system.assembly.assembly import assemble, refuse
from pliant.system.packing.build import length_scale
from pliant_io.robots.robot_reader import Pose, RobotJoint, RobotLink, at_joints
from pliant_io.robots.visuals import visual_of

KINDS = {(): "fixed", ("rz",): "continuous", ("x",): "prismatic", ("rx", "ry", "rz"): "spherical"}
"""Kinds of joints, by what they leave free in their own frames."""
AXES = {"rz": (0.0, 0.0, 1.0), "x": (1.0, 0.0, 0.0)}
WORLD = "world"
POINTS = 64  # along a beam, for its centre and inertia


def skeleton(model: Model, kinds: tuple[str, ...]) -> tuple[list[RobotLink], list[RobotJoint], list[str]]:
    """Links, the world first, and joints from it outwards, of kinds that a format knows; and what was left out."""
    space = model.promoted()
    assembly = assemble(space, length_scale(space))
    if assembly.gap and not space.beams:
        refuse(assembly)
    left_out = [f"{part.owner}" for part in model.forces]
    places: dict[str, Pose] = {WORLD: Pose(np.eye(3), np.zeros(3))}
    seen = [visual_of(each) for ground in space if isinstance(ground, Ground) for _, each in ground.figures(True)]
    links = {WORLD: RobotLink(WORLD, visuals=tuple(seen))}
    bodies = [*space.bodies, *space.beams]
    if WORLD in {body.name for body in bodies}:
        raise ModelError(
            f'Model "{model.name}": a body is called {WORLD!r}, which such files call the ground. Rename it.'
        )
    for body in bodies:
        point, turn = assembly.pose[body]
        places[body.name] = Pose(rotations.matrix(turn), np.asarray(point, float))
        links[body.name] = _link(space, body)
        if isinstance(body, Beam):
            left_out.append(f"{body.owner}: its flexibility")
    joints, closing = _tree(space, places, kinds)
    told = {joint.name for joint in model.joints}  # without what keeps a planar model in its plane
    left_out += [f"joint {name}: {why}" for name, why in closing if name in told]
    moved, joined = at_joints(links, places, joints)
    return moved, joined, left_out


def _link(model: Model, body: Any) -> RobotLink:
    """Mass, centre and inertia in the frame of the body, point masses included."""
    parts: list[tuple[float, np.ndarray, np.ndarray]] = []
    if isinstance(body, RigidBody):
        parts.append((body.mass, np.array([*body.centre_of_mass, 0.0][:3]), body.inertia_matrix))
    else:
        ends = np.linspace(0.0, 1.0, POINTS + 1)
        middle, piece = 0.5 * (ends[1:] + ends[:-1]), body.length / POINTS
        points, turns = body.rest_pose_in_space(middle)
        for s, point, turn in zip(middle.tolist(), points, turns, strict=True):
            section, R = body.section_at(s), rotations.matrix(turn)
            bar = np.diag([0.0, 1.0, 1.0]) * section.mass_per_length * piece**3 / 12.0
            own = R @ (section.rotary_about_axis * piece + bar) @ R.T
            parts.append((section.mass_per_length * piece, point + R @ np.asarray(section.centre, float), own))
    for lump in model.point_masses:
        if lump.marker.body is body:
            at = _frame(lump.marker)
            parts.append((lump.mass, at.p, at.R @ lump.inertia_matrix @ at.R.T))
    mass = sum(part[0] for part in parts)
    centre = sum((m * p for m, p, _ in parts), np.zeros(3)) / (mass or 1.0)
    inertia = np.zeros((3, 3))
    for m, p, J in parts:
        d = p - centre
        inertia += J + m * (d @ d * np.eye(3) - np.outer(d, d))
    visuals = tuple(visual_of(each) for _, each in body.figures(spatial=True))
    return RobotLink(body.name, mass, centre, inertia, visuals)


def _frame(marker: Marker) -> Pose:
    """Of a marker in the frame of its body."""
    own = Pose(rotations.matrix(marker.turn), marker.point)
    if not isinstance(marker.body, Beam):
        return own
    points, turns = marker.body.rest_pose_in_space(np.array([marker.s or 0.0]))
    return Pose(rotations.matrix(turns[0]), points[0]) @ own


def _tree(
    model: Model, places: dict[str, Pose], kinds: tuple[str, ...]
) -> tuple[list[RobotJoint], list[tuple[str, str]]]:
    """Joints with their places, from the world outwards; those that are not taken, and why."""
    found: list[RobotJoint] = []
    left: list[tuple[str, str]] = []
    waiting, reached = list(model.joints), {WORLD}
    while True:
        for joint in waiting:
            ends = [WORLD if isinstance(m.body, Ground) else m.body.name for m in (joint.a, joint.b)]
            if (ends[0] in reached) == (ends[1] in reached):
                continue
            free = tuple(word for word in ("x", "y", "z", "rx", "ry", "rz") if word not in joint.locks)
            kind = KINDS.get(free, "")
            if kind not in kinds or joint.coordinate:
                left.append((joint.name, f"a {type(joint).__name__}, which the format does not have"))
                waiting.remove(joint)
                break
            near, far = (0, 1) if ends[0] in reached else (1, 0)
            marker, frame = ((joint.a, joint.frame_a), (joint.b, joint.frame_b))[near]
            place = places[ends[near]] @ _frame(marker) @ Pose(rotations.matrix(frame), np.zeros(3))
            axis = np.array(AXES.get(free[0] if free else "", (1.0, 0.0, 0.0))) * (1.0 if near == 0 else -1.0)
            found.append(RobotJoint(joint.name, kind, ends[near], ends[far], place, axis))
            reached.add(ends[far])
            waiting.remove(joint)
            break
        else:
            loose = [name for name in places if name not in reached]
            if not loose:
                left += [(each.name, "a drive" if each.coordinate else "it closes a loop") for each in waiting]
                return found, left
            found.append(RobotJoint(f"free {loose[0]}", "floating", WORLD, loose[0], places[loose[0]], np.ones(3)))
            reached.add(loose[0])
