"""URDF -> Model: the rigid part of a robot description, with a report of the omissions.

First the file is read as records: links with inertia, joints with origins.

Format: wiki.ros.org/urdf/XML. Angles "rpy" turn about fixed x, then y, then z: ``R = Rz(yaw) Ry(pitch) Rx(roll)``.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from pliant.errors import FileError
from pliant.model import rotations
from pliant_io.robots.robot import Imported, imported
from pliant_io.robots.robot_reader import Pose, Reader, Robot, RobotJoint, RobotLink, checked
from pliant_io.robots.safe_xml import read_xml
from pliant_io.robots.visuals import Visual, read_mesh_beside

MOVING = ("revolute", "continuous", "prismatic")
SHAPES = {"box": ("size",), "cylinder": ("radius", "length"), "sphere": ("radius",), "mesh": ()}
TYPES = (*MOVING, "fixed", "floating")


def read_robot(path: Path) -> Robot:
    """Read a file; FileError names the invalid element."""
    reader = _Reader(path)
    root = read_xml(path, "robot")
    name = reader.name(root, "robot")
    links = [reader.link(each) for each in root.findall("link")]
    joints = [reader.joint(each) for each in root.findall("joint")]
    for tag in dict.fromkeys(each.tag for each in root if each.tag not in ("link", "joint")):
        count = len(root.findall(tag))
        reader.left_out.append(f"{tag}: {count} element{'s' * (count != 1)}")
    return checked(reader, name, links, joints)


class _Reader(Reader):
    def link(self, element: Element) -> RobotLink:
        name = self.name(element, "link")
        visuals = tuple(filter(None, (self.visual(each, f"link {name}") for each in element.findall("visual"))))
        for tag in dict.fromkeys(each.tag for each in element if each.tag not in ("inertial", "visual")):
            count = len(element.findall(tag))
            self.left_out.append(f"link {name}: {tag}" + (f" ({count})" if count > 1 else ""))
        inertial = element.find("inertial")
        if inertial is None:
            return RobotLink(name, visuals=visuals)
        owner = f"link {name!r}"
        frame = self.origin(inertial, owner)
        mass = self.number(inertial.find("mass"), "value", owner)
        moments = inertial.find("inertia")
        xx, xy, xz, yy, yz, zz = (
            self.number(moments, key, owner, 0.0 if moments is None else None)
            for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        )
        own = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        return RobotLink(name, mass, frame.p, frame.R @ own @ frame.R.T, visuals)

    def visual(self, element: Element, owner: str) -> Visual | None:
        """Return a shape; report an unknown one and return None."""
        geometry = element.find("geometry")
        shape = None if geometry is None else next((each for each in geometry if each.tag in SHAPES), None)
        if shape is None:
            self.left_out.append(f"{owner}: visual")
            return None
        place = self.origin(element, owner)
        if shape.tag == "mesh":
            scale = self.vector(shape, "scale", owner, (1.0, 1.0, 1.0))
            mesh = read_mesh_beside(self.path, shape.get("filename", ""), scale, owner, self.left_out)
            return None if mesh is None else Visual(place, "mesh", mesh)
        if shape.tag == "box":
            return Visual(place, "box", tuple(self.vector(shape, "size", owner, (0.0, 0.0, 0.0)).tolist()))
        return Visual(place, shape.tag, tuple(self.number(shape, key, owner) for key in SHAPES[shape.tag]))

    def joint(self, element: Element) -> RobotJoint:
        name, kind = self.name(element, "joint"), element.get("type", "")
        owner = f"joint {name!r}"
        if kind not in TYPES:
            raise FileError(f"{self.path}: {owner} is of type {kind!r:.40}; this reads {', '.join(TYPES)}")
        parent, child = (self.word(element.find(tag), "link", f"{owner}: {tag}") for tag in ("parent", "child"))
        axis = self.vector(element.find("axis"), "xyz", owner, (1.0, 0.0, 0.0))
        if kind in MOVING and not np.linalg.norm(axis) > 0.0:
            raise FileError(f"{self.path}: {owner}: its axis is (0, 0, 0); give a direction")
        self._tell(element, name, kind)
        dynamics = element.find("dynamics")
        damping = 0.0 if dynamics is None else self.number(dynamics, "damping", owner, 0.0)
        return RobotJoint(name, kind, parent, child, self.origin(element, owner), axis, damping)

    def _tell(self, element: Element, name: str, kind: str) -> None:
        """Report the omitted contents of a joint."""
        limit, dynamics = element.find("limit"), element.find("dynamics")
        if limit is not None and kind in MOVING:
            keys = ("lower", "upper", "effort", "velocity")
            given = ", ".join(f"{key} {limit.get(key)}" for key in keys if limit.get(key) is not None)
            self.left_out.append(f"joint {name}: limit ({given})")
        if dynamics is not None and self.number(dynamics, "friction", f"joint {name!r}", 0.0):
            self.left_out.append(f"joint {name}: friction {dynamics.get('friction')}")
        taken = ("parent", "child", "origin", "axis", "limit", "dynamics")
        for tag in dict.fromkeys(each.tag for each in element if each.tag not in taken):
            self.left_out.append(f"joint {name}: {tag}")

    def origin(self, element: Element, owner: str) -> Pose:
        origin = element.find("origin")
        roll, pitch, yaw = self.vector(origin, "rpy", owner, (0.0, 0.0, 0.0))
        turned = [rotations.matrix(rotations.exponential(v)) for v in ((roll, 0, 0), (0, pitch, 0), (0, 0, yaw))]
        return Pose(turned[2] @ turned[1] @ turned[0], self.vector(origin, "xyz", owner, (0.0, 0.0, 0.0)))


def load_urdf(path: str | PathLike[str], *, gravity: float = 9.81) -> Imported:
    """Read the rigid part of a URDF file as a spatial model at its zero position.

    gravity  m/s^2 along -z, which such files do not contain; 0: none

    Bodies are drawn with their visual shapes and meshes (.stl and .obj, in the folder of the file or in its package).
    ``left_out`` lists what was not read: collision shapes, limits, friction, transmissions, mimics. No other file is
    opened, and nothing is executed.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "arm.urdf"
    >>> arm = '<link name="arm"><inertial><mass value="1"/></inertial><visual/></link>'
    >>> hinge = '<joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/></joint>'
    >>> _ = path.write_text(f'<robot name="r"><link name="base"/>{arm}{hinge}</robot>')
    >>> found = load_urdf(path)
    >>> found.model, found.left_out
    (<Model "r": 1 rigid body, 0 beams, 1 joint, 1 force>, ('link arm: visual',))
    """
    path = Path(path)
    return imported(path, read_robot(path), (0.0, 0.0, -gravity))
