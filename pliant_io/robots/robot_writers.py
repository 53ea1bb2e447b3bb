"""Model -> URDF, MJCF: the rigid skeleton of a model for other programs. A warning names the omissions.

The skeleton as assembled is converted to records of a robot first.

The pose as assembled is the zero position. Beams become rigid links of the same mass; point masses become part of their
bodies; joints beyond a tree, joints that the format does not know, and all forces are omitted and named.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ElementTree, SubElement, indent

import numpy as np

from pliant.errors import ModelError, NotWritten, warn
from pliant.forces import Gravity
from pliant.model import Beam, Ground, Marker, Model, rotations
from pliant.model.bodies.rigid import RigidBody
from pliant.model.signals.base import Constant
from pliant.system.assembly.assembly import assemble, refuse
from pliant.system.packing.build import length_scale
from pliant.whole_files import whole_file
from pliant_io.robots.robot_reader import Pose, RobotJoint, RobotLink, at_joints
from pliant_io.robots.visuals import visual_of, write_mjcf_visuals, write_urdf_visuals

KINDS = {(): "fixed", ("rz",): "continuous", ("x",): "prismatic", ("rx", "ry", "rz"): "spherical"}
"""Kinds of joints, by what they leave free in their own frames."""
AXES = {"rz": (0.0, 0.0, 1.0), "x": (1.0, 0.0, 0.0)}
WORLD = "world"
POINTS = 64  # along a beam, for its centre and inertia


def skeleton(model: Model, kinds: tuple[str, ...]) -> tuple[list[RobotLink], list[RobotJoint], list[str]]:
    """Return links, the world first, joints from it outwards, of kinds that a format knows; and the omissions."""
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
    told = {joint.name for joint in model.joints}  # without joints that keep a planar model in its plane
    left_out += [f"joint {name}: {why}" for name, why in closing if name in told]
    moved, joined = at_joints(links, places, joints)
    return moved, joined, left_out


def _link(model: Model, body: Any) -> RobotLink:
    """Return mass, centre and inertia in the frame of the body, point masses included."""
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
    """Return the pose of a marker in the frame of its body."""
    own = Pose(rotations.matrix(marker.turn), marker.point)
    if not isinstance(marker.body, Beam):
        return own
    points, turns = marker.body.rest_pose_in_space(np.array([marker.s or 0.0]))
    return Pose(rotations.matrix(turns[0]), points[0]) @ own


def _tree(
    model: Model, places: dict[str, Pose], kinds: tuple[str, ...]
) -> tuple[list[RobotJoint], list[tuple[str, str]]]:
    """Return joints with their places, from the world outwards; and omitted ones with reasons."""
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


UPPER = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
MJCF_KINDS = {"continuous": "hinge", "prismatic": "slide", "spherical": "ball"}


def write_urdf(model: Model, path: Path) -> None:
    """Write links with inertia; continuous, prismatic, fixed and floating joints. Such files contain no gravity."""
    links, joints, left_out = skeleton(model, ("fixed", "continuous", "prismatic"))
    root = Element("robot", name=model.name)
    for link in links:
        element = SubElement(root, "link", name=link.name)
        write_urdf_visuals(element, link.visuals, path, _text, _roll_pitch_yaw)
        if link.mass:
            inertial = SubElement(element, "inertial")
            SubElement(inertial, "origin", xyz=_text(link.centre))
            SubElement(inertial, "mass", value=_text([link.mass]))
            SubElement(inertial, "inertia", {key: _text([value]) for key, value in _moments(link).items()})
    for joint in joints:
        element = SubElement(root, "joint", name=joint.name, type=joint.kind)
        SubElement(element, "origin", xyz=_text(joint.origin.p), rpy=_text(_roll_pitch_yaw(joint.origin.R)))
        SubElement(element, "parent", link=joint.parent)
        SubElement(element, "child", link=joint.child)
        if joint.kind in MJCF_KINDS:
            SubElement(element, "axis", xyz=_text(joint.axis))
        if joint.kind == "prismatic":
            SubElement(element, "limit", lower="-1e9", upper="1e9", effort="0", velocity="0")  # required by the format
    _write(root, path, left_out)


def write_mjcf(model: Model, path: Path) -> None:
    """Write bodies with inertia, hinges, slides, balls, free bodies, and constant gravity."""
    links, joints, left_out = skeleton(model, ("fixed", *MJCF_KINDS))
    root = Element("mujoco", model=model.name)
    SubElement(root, "compiler", angle="radian")
    SubElement(root, "option", gravity=_text(_gravity(model, left_out)))
    assets, elements = Element("asset"), {WORLD: SubElement(root, "worldbody")}
    known = {link.name: link for link in links}
    write_mjcf_visuals(elements[WORLD], known[WORLD].visuals, assets, _place, _text)
    for joint in joints:  # from the world outwards
        body = SubElement(elements[joint.parent], "body", {"name": joint.child, **_place(joint.origin)})
        elements[joint.child], link = body, known[joint.child]
        if joint.kind == "floating":
            SubElement(body, "freejoint", name=joint.name)
        elif joint.kind != "fixed":
            axis = {} if joint.kind == "spherical" else {"axis": _text(joint.axis)}
            SubElement(body, "joint", {"name": joint.name, "type": MJCF_KINDS[joint.kind], **axis})
        if link.mass:
            m = _moments(link)
            full = [m[key] for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")]
            SubElement(body, "inertial", pos=_text(link.centre), mass=_text([link.mass]), fullinertia=_text(full))
        write_mjcf_visuals(body, link.visuals, assets, _place, _text)
    if len(assets):
        root.insert(1, assets)
    _write(root, path, left_out)


def _gravity(model: Model, left_out: list[str]) -> np.ndarray:
    """Return the gravity along x, y, z from all parts with constant gravity."""
    total = np.zeros(3)
    for part in model.forces:
        if isinstance(part, Gravity):
            given = [getattr(part, axis) for axis in ("x", "y", "z")[: 3 if model.spatial else 2]]
            if all(isinstance(each, Constant) for each in given):
                total[: len(given)] += [each.value for each in given]
                left_out.remove(part.owner)
    return total


def _moments(link: RobotLink) -> dict[str, float]:
    J = link.inertia
    return dict(zip(UPPER, (J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2]), strict=True))


def _place(pose: Pose) -> dict[str, str]:
    return {"pos": _text(pose.p), "quat": _text(rotations.quaternion(pose.R))}


def _roll_pitch_yaw(R: np.ndarray) -> np.ndarray:
    """Return the angles of ``R = Rz(yaw) Ry(pitch) Rx(roll)``."""
    pitch = np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0]))
    if np.hypot(R[0, 0], R[1, 0]) > 1e-9:
        return np.array([np.arctan2(R[2, 1], R[2, 2]), pitch, np.arctan2(R[1, 0], R[0, 0])])
    return np.array([np.arctan2(-R[1, 2], R[1, 1]), pitch, 0.0])  # pitch of plus or minus 90 degrees


def _text(numbers: object) -> str:
    return " ".join(repr(float(each) + 0.0) for each in np.asarray(numbers, float).reshape(-1))


def _write(root: Element, path: Path, left_out: list[str]) -> None:
    indent(root)
    with whole_file(path) as part:
        ElementTree(root).write(part, encoding="utf-8", xml_declaration=True)
    if left_out:
        warn(NotWritten, f"{path.name} holds the rigid skeleton; not written: {'; '.join(left_out)}.")
