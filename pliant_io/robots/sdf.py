"""SDF -> Model: the rigid part of a model of Gazebo, with a report of the omissions.

First the file is read as records: links with inertia, joints with places.

Format: sdformat.org/spec. Poses are "x y z roll pitch yaw" (fixed axes, radians), or a quaternion with
``rotation_format="quat_xyzw"``; links are placed in the model, joints in their child, unless "relative_to" names a link
or a joint. Links without a joint to the world are free.
"""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from pliant.errors import FileError, nearest
from pliant.model import rotations
from pliant_io.robots.robot import Imported, imported
from pliant_io.robots.robot_reader import IDENTITY, Pose, Reader, Robot, RobotJoint, RobotLink, at_joints, checked
from pliant_io.robots.safe_xml import read_xml
from pliant_io.robots.visuals import Visual, read_mesh_beside

WORLD = "world"
GRAVITY = (0.0, 0.0, -9.8)
KINDS = {
    "revolute": "continuous",
    "continuous": "continuous",
    "prismatic": "prismatic",
    "ball": "spherical",
    "fixed": "fixed",
}
SHAPES = {
    "box": ("size",),
    "cylinder": ("radius", "length"),
    "sphere": ("radius",),
    "capsule": ("radius", "length"),
    "ellipsoid": ("radii",),
    "mesh": (),
}
MODEL = "__model__"
TAKEN = {
    "world": ("model", "gravity"),
    "model": ("link", "joint", "pose", "static"),
    "link": ("pose", "inertial", "gravity", "visual"),
    "inertial": ("pose", "mass", "inertia"),
    "joint": ("parent", "child", "pose", "axis"),
    "axis": ("xyz", "dynamics", "use_parent_model_frame"),
    "dynamics": ("damping", "spring_stiffness", "spring_reference"),
}
YES, NO = ("true", "1"), ("false", "0")
IN_THE_MODEL = (1, 4)  # up to this version, axes of joints are in the axes of the model
Vector = tuple[float, float, float]


def read_sdf(path: Path) -> tuple[Robot, Vector]:
    """Read the only model of a file, and gravity; FileError names the invalid element."""
    root = read_xml(path, "sdf")
    models = list(root.iter("model"))
    if len(models) != 1:
        raise FileError(f"{path}: has {len(models)} elements <model>; one is read. Split the file.")
    if root.find(".//include") is not None:
        raise FileError(f"{path}: <include> is not read: no other file is opened. Put its content in its place.")
    reader = _Reader(path, models[0], root.get("version", ""))
    world = root.find("world")
    if world is not None:
        reader.tell(world, "world")
    gravity = GRAVITY if world is None or world.find("gravity") is None else reader.triple(world, "gravity", "world")
    return reader.robot(), gravity


class _Reader(Reader):
    """Reader of the links and joints of one model."""

    def __init__(self, path: Path, model: Element, version: str) -> None:
        super().__init__(path)
        self.model = model
        numbered = version.split(".")
        known = len(numbered) == 2 and all(each.isdigit() for each in numbered)
        self.in_the_model = known and tuple(map(int, numbered)) <= IN_THE_MODEL
        self.named = {self.name(each, each.tag): each for each in model if each.tag in ("link", "joint")}
        self.places: dict[str, Pose] = {}

    def robot(self) -> Robot:
        name = self.name(self.model, "robot")
        links = {WORLD: RobotLink(WORLD)}
        base = self.pose(self.model, "model")
        for element in self.model.findall("link"):
            link = self.link(element)
            links[link.name] = link
        joints = [self.joint(each) for each in self.model.findall("joint")]
        for tag in dict.fromkeys(
            each.tag for each in self.model if each.tag not in ("link", "joint", "pose", "static")
        ):
            self.left_out.append(f"{tag}: {len(self.model.findall(tag))}")
        places = {WORLD: IDENTITY, **{each: base @ self.place(each) for each in links if each != WORLD}}
        tied = {joint.child for joint in joints}
        static = self.said(self.model, "static") in YES
        for each in links:
            if each != WORLD and each not in tied:
                kind = "fixed" if static else "floating"
                joints.append(RobotJoint(f"{kind} {each}", kind, WORLD, each, places[each], np.array([1.0, 0.0, 0.0])))
        if static:
            joints = [replace(each, kind="fixed") for each in joints]
        moved, joined = at_joints(links, places, joints)
        return checked(self, name, moved, joined)

    def link(self, element: Element) -> RobotLink:
        name, inertial = self.name(element, "link"), element.find("inertial")
        visuals = tuple(filter(None, (self.visual(each, f"link {name}") for each in element.findall("visual"))))
        self.tell(element, f"link {name}")
        if self.said(element, "gravity") in NO:
            self.left_out.append(f"link {name}: gravity, switched off")
        if inertial is None:  # the format's default
            return RobotLink(name, 1.0, np.zeros(3), np.eye(3), visuals)
        if inertial.get("auto", "").strip() in YES:
            raise FileError(
                f"{self.path}: link {name!r}: its inertia follows from collision shapes (auto), which are not read. "
                "Give mass and inertia."
            )
        self.tell(inertial, f"link {name}")
        owner, frame = f"link {name!r}", self.pose(inertial, f"link {name!r}")
        mass = self.value(inertial, "mass", owner, 1.0)
        moments = inertial.find("inertia")
        defaults = {"ixx": 1.0, "iyy": 1.0, "izz": 1.0}
        xx, xy, xz, yy, yz, zz = (
            self.value(moments, key, owner, defaults.get(key, 0.0))
            for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        )
        own = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        return RobotLink(name, mass, frame.p, frame.R @ own @ frame.R.T, visuals)

    def visual(self, element: Element, owner: str) -> Visual | None:
        """Return a shape; report an unknown one and return None."""
        geometry, place = element.find("geometry"), self.pose(element, owner)
        shape = None if geometry is None else next((each for each in geometry if each.tag in SHAPES), None)
        if shape is None:
            self.left_out.append(f"{owner}: visual")
            return None
        if shape.tag == "mesh":
            scale = np.array(self.triple(shape, "scale", owner) if shape.find("scale") is not None else (1.0, 1.0, 1.0))
            mesh = read_mesh_beside(self.path, (shape.findtext("uri") or "").strip(), scale, owner, self.left_out)
            return None if mesh is None else Visual(place, "mesh", mesh)
        sizes = SHAPES[shape.tag]
        size = self.triple(shape, sizes[0], owner) if len(sizes) == 1 and sizes[0] in ("size", "radii") else None
        return Visual(place, shape.tag, size or tuple(self.value(shape, key, owner, 0.0) for key in sizes))

    def joint(self, element: Element) -> RobotJoint:
        name, given = self.name(element, "joint"), element.get("type", "")
        owner = f"joint {name!r}"
        if given not in KINDS:
            raise FileError(f"{self.path}: {owner} is of type {given!r:.40}; this reads {', '.join(KINDS)}.")
        parent, child = (self.end(element, tag, owner) for tag in ("parent", "child"))
        self.tell(element, f"joint {name}")
        axis, damping, stiffness, rest = np.array([0.0, 0.0, 1.0]), 0.0, 0.0, 0.0
        said = element.find("axis")
        if said is not None:
            axis = np.array(self.triple(said, "xyz", owner))
            seen = said.find("xyz")
            if seen is not None and seen.get("expressed_in"):
                axis = self.place(name).R.T @ self.place(self.known(seen.get("expressed_in", ""), owner)).R @ axis
            if not np.linalg.norm(axis) > 0.0:
                raise FileError(f"{self.path}: {owner}: its axis is (0, 0, 0); give a direction")
            in_the_model = self.said(said, "use_parent_model_frame")
            if in_the_model in YES or (self.in_the_model and in_the_model not in NO):
                axis = self.place(name).R.T @ axis
            self.tell(said, f"joint {name}")
            dynamics = said.find("dynamics")
            if dynamics is not None:
                self.tell(dynamics, f"joint {name}")
                damping = self.value(dynamics, "damping", owner, 0.0)
                stiffness = self.value(dynamics, "spring_stiffness", owner, 0.0)
                rest = self.value(dynamics, "spring_reference", owner, 0.0)
        origin = self.pose(self.model, "model") @ self.place(name)
        return RobotJoint(name, KINDS[given], parent, child, origin, axis, damping, stiffness, rest)

    def place(self, name: str, seen: tuple[str, ...] = ()) -> Pose:
        """Return the pose of a link or a joint in the model."""
        if name == MODEL:
            return IDENTITY
        if name not in self.places:
            element, owner = self.named[name], f"{self.named[name].tag} {name!r}"
            if name in seen:
                raise FileError(f"{self.path}: {owner}: its pose is relative to itself")
            pose = element.find("pose")
            beside = "" if pose is None else pose.get("relative_to", "")
            home = self.end(element, "child", owner) if element.tag == "joint" else MODEL
            above = self.place(self.known(beside, owner) if beside else home, (*seen, name))
            self.places[name] = above @ self.pose(element, owner)
        return self.places[name]

    def known(self, name: str, owner: str) -> str:
        found = name if name == MODEL else self.usable(name, "link")
        if found != MODEL and found not in self.named:
            raise FileError(f"{self.path}: {owner} names a frame {name!r:.40}. {nearest(name, self.named)}")
        return found

    def end(self, element: Element, tag: str, owner: str) -> str:
        text = (element.findtext(tag) or "").strip()
        if text == WORLD and tag == "parent":
            return WORLD
        if not text:
            raise FileError(f"{self.path}: {owner} has no {tag}")
        return self.known(text, owner)

    def pose(self, element: Element, owner: str) -> Pose:
        pose = element.find("pose")
        if pose is None or not (pose.text or "").strip():
            return IDENTITY
        text, degree = (pose.text or "").split(), 1.0
        if pose.get("frame"):
            raise FileError(
                f"{self.path}: {owner}: <pose frame={pose.get('frame', '')!r:.40}> is of SDF before 1.7, whose "
                "programs did not agree on it. Write relative_to= with the name of a link or a joint, or leave it out."
            )
        if pose.get("rotation_format") == "quat_xyzw":
            x, y, z, a, b, c, d = self.numbers(" ".join(text), "pose", owner, 7)
            return Pose(rotations.matrix(np.array([d, a, b, c]) / np.linalg.norm([d, a, b, c])), np.array([x, y, z]))
        if pose.get("degrees", "").strip() in YES:
            degree = np.pi / 180.0
        x, y, z, *turns = self.numbers(" ".join(text), "pose", owner, 6)
        roll, pitch, yaw = (degree * each for each in turns)
        turned = [rotations.matrix(rotations.exponential(v)) for v in ((roll, 0, 0), (0, pitch, 0), (0, 0, yaw))]
        return Pose(turned[2] @ turned[1] @ turned[0], np.array([x, y, z]))

    def said(self, element: Element, tag: str) -> str:
        return (element.findtext(tag) or "").strip()

    def value(self, element: Element | None, tag: str, owner: str, default: float) -> float:
        text = None if element is None else element.findtext(tag)
        return default if text is None else float(self.numbers(text, tag, owner, 1)[0])

    def triple(self, element: Element, tag: str, owner: str) -> Vector:
        x, y, z = self.numbers(element.findtext(tag) or "", tag, owner, 3).tolist()
        return x, y, z

    def tell(self, element: Element, owner: str) -> None:
        """Report the omitted contents of an element."""
        for tag in dict.fromkeys(each.tag for each in element if each.tag not in TAKEN[element.tag]):
            count = len(element.findall(tag))
            self.left_out.append(f"{owner}: {tag}" + (f" ({count})" if count > 1 else ""))


def load_sdf(path: str | PathLike[str]) -> Imported:
    """Read the rigid part of an SDF file with one model, as a spatial model at its zero position.

    Links with their inertia, revolute, continuous, prismatic, ball and fixed joints with damper and spring, poses
    relative to other links and joints, the gravity of the world. Links without connection to the world are free. Bodies
    are drawn with their visual shapes and meshes (.stl and .obj, in the folder of the file or in its package).
    ``left_out`` lists what was not read: collision shapes, limits, friction, sensors, plugins. No other file is opened,
    and nothing is executed.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "arm.sdf"
    >>> arm = '<link name="arm"><inertial><mass>2</mass></inertial><visual name="v"/></link>'
    >>> ends, axis = "<parent>world</parent><child>arm</child>", "<axis><xyz>0 1 0</xyz></axis>"
    >>> pin = f'<joint name="pin" type="revolute">{ends}{axis}</joint>'
    >>> _ = path.write_text(f'<sdf version="1.7"><model name="m">{arm}{pin}</model></sdf>')
    >>> found = load_sdf(path)
    >>> found.model, found.left_out
    (<Model "m": 1 rigid body, 0 beams, 1 joint, 1 force>, ('link arm: visual',))
    """
    file = Path(path)
    robot, gravity = read_sdf(file)
    return imported(file, robot, gravity)
