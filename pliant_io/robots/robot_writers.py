"""Model -> URDF, MJCF: the rigid skeleton of a model for other programs. A warning names what is left out."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element, ElementTree, SubElement, indent

import numpy as np

from pliant.errors import NotWritten, warn
from pliant.forces import Gravity
from pliant.model import Model, rotations
from pliant.model.signals.base import Constant
from pliant.whole_files import written_whole
from pliant_io.robots.robot_reader import Pose, RobotLink
from pliant_io.robots.skeleton import WORLD, skeleton
from pliant_io.robots.visuals import write_mjcf_visuals, write_urdf_visuals

UPPER = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
MJCF_KINDS = {"continuous": "hinge", "prismatic": "slide", "spherical": "ball"}


def write_urdf(model: Model, path: Path) -> None:
    """Links with their inertia, continuous, prismatic, fixed and floating joints. Gravity is no part of such files."""
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
            SubElement(element, "limit", lower="-1e9", upper="1e9", effort="0", velocity="0")  # the format wants one
    _write(root, path, left_out)


def write_mjcf(model: Model, path: Path) -> None:
    """Bodies with their inertia, hinges, slides, balls, free bodies, and gravity where it is constant."""
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
    """Along x, y, z: that of all parts that do not change in time."""
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
    """Angles of ``R = Rz(yaw) Ry(pitch) Rx(roll)``."""
    pitch = np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0]))
    if np.hypot(R[0, 0], R[1, 0]) > 1e-9:
        return np.array([np.arctan2(R[2, 1], R[2, 2]), pitch, np.arctan2(R[1, 0], R[0, 0])])
    return np.array([np.arctan2(-R[1, 2], R[1, 1]), pitch, 0.0])  # looking straight up or down


def _text(numbers: object) -> str:
    return " ".join(repr(float(each) + 0.0) for each in np.asarray(numbers, float).reshape(-1))


def _write(root: Element, path: Path, left_out: list[str]) -> None:
    indent(root)
    with written_whole(path) as part:
        ElementTree(root).write(part, encoding="utf-8", xml_declaration=True)
    if left_out:
        warn(NotWritten, f"{path.name} holds the rigid skeleton; not written: {'; '.join(left_out)}.")
