"""MJCF -> Model: the rigid part of a MuJoCo model, with a report of the omissions.

First the file is read as records: bodies with inertia, joints with places.

Format: mujoco.readthedocs.io, XML reference. Bodies are nested; angles are in degrees unless <compiler> selects
radians, quaternions are (w, x, y, z), Euler angles turn about the moving axes x, y, z unless "eulerseq" differs.

Volume and moments of inertia of simple solids of even density, about their centres; the axis of round ones is z.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import pi
from os import PathLike
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from pliant.errors import FileError
from pliant.model import rotations
from pliant_io.robots.robot import Imported, imported
from pliant_io.robots.robot_reader import IDENTITY, Pose, Reader, Robot, RobotJoint, RobotLink, at_joints, checked
from pliant_io.robots.safe_xml import read_xml
from pliant_io.robots.visuals import Visual, read_mesh_beside


def solid(kind: str, size: list[float]) -> tuple[float, np.ndarray] | None:
    """Return volume (m^3) and principal moments per mass (m^2); None if the kind has no known volume.

    kind  "sphere" (radius), "capsule" and "cylinder" (radius, half length), "box" (half sides), "ellipsoid" (semi-axes)

    >>> volume, moments = solid("cylinder", [0.1, 0.5])
    >>> round(volume, 6), moments.round(6)  # pi r^2 l, and (3 r^2 + l^2) / 12, r^2 / 2
    (0.031416, array([0.085833, 0.085833, 0.005   ]))
    """
    needed = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}.get(kind)
    if needed is None or len(size) < needed or min(size[:needed]) <= 0.0:
        return None
    if kind == "sphere":
        r = size[0]
        return 4.0 / 3.0 * pi * r**3, np.full(3, 0.4 * r**2)
    if kind == "box":
        x, y, z = (2.0 * each for each in size[:3])
        return x * y * z, np.array([y**2 + z**2, x**2 + z**2, x**2 + y**2]) / 12.0
    if kind == "ellipsoid":
        a, b, c = size[:3]
        return 4.0 / 3.0 * pi * a * b * c, np.array([b**2 + c**2, a**2 + c**2, a**2 + b**2]) / 5.0
    r, length = size[0], 2.0 * size[1]
    tube = pi * r**2 * length
    across, along = (3.0 * r**2 + length**2) / 12.0, 0.5 * r**2
    if kind == "cylinder":
        return tube, np.array([across, across, along])
    ball = 4.0 / 3.0 * pi * r**3  # two half balls, whose centres are 3 r / 8 from their flat faces
    whole, share = tube + ball, ball / (tube + ball)
    caps = 0.4 * r**2 + 0.25 * length**2 + 0.375 * r * length
    return whole, np.array([*[(1.0 - share) * across + share * caps] * 2, (1.0 - share) * along + share * 0.4 * r**2])


GRAVITY = (0.0, 0.0, -9.81)
DENSITY = 1000.0  # kg/m^3
WORLD = "world"
KINDS = {"hinge": "continuous", "slide": "prismatic", "ball": "spherical", "free": "floating"}
SAME = 1e-9  # of places and of right angles
TURNS = ("quat", "euler", "axisangle", "xyaxes", "zaxis")
NOTED = ("range", "armature", "frictionloss", "actuatorfrcrange", "ref", "springdamper")
LAWS = ("damping", "stiffness")
ALTERED = ("mesh", "shellinertia")  # fitted to a mesh, or hollow: the volume does not follow from the size
READ = ("body", "geom", "joint", "freejoint", "inertial")  # elements of a body
COMPILED = ("angle", "eulerseq", "inertiafromgeom", "inertiagrouprange", "settotalmass", "meshdir")
IDLE = (  # settings of <compiler> without effect on the values read here
    *("coordinate", "autolimits", "usethread", "strippath", "texturedir", "assetdir", "fitaabb", "convexhull"),
    *("discardvisual", "fusestatic", "exactmeshinertia", "alignfree", "saveinertial"),
)
FLUID = ("density", "viscosity", "wind")
HIDDEN = 3  # groups of shapes from this one on are hidden, as in MuJoCo
Vector = tuple[float, float, float]


def read_mjcf(path: Path) -> tuple[Robot, Vector]:
    """Read a robot and gravity; FileError names the invalid element."""
    root = read_xml(path, "mujoco")
    reader = _Reader(path, root)
    bodies = root.findall("worldbody")
    if len(bodies) != 1:
        raise FileError(f"{path}: has {len(bodies)} elements <worldbody>; one is needed")
    world = RobotLink(WORLD, visuals=reader.visuals(bodies[0], WORLD, "main"))
    reader.links[WORLD], reader.places[WORLD] = world, IDENTITY
    for body in bodies[0].findall("body"):
        reader.body(body, WORLD)
    if len(reader.links) == 1:
        raise FileError(f"{path}: nothing moves: <worldbody> has no <body>")
    links, joints = at_joints(reader.weighed(), reader.places, reader.joints)
    name = reader.usable(root.get("model") or "MuJoCo Model", "robot")
    return checked(reader, name, links, joints), reader.gravity()


class _Reader(Reader):
    """Reader of nested bodies, with the defaults of their classes."""

    def __init__(self, path: Path, root: Element) -> None:
        super().__init__(path)
        self.links: dict[str, RobotLink] = {}
        self.places: dict[str, Pose] = {}
        self.joints: list[RobotJoint] = []
        self.defaults: dict[str, dict[str, dict[str, str]]] = {"main": {}}
        self._refuse(root)
        compiler, self.option = _section(root, "compiler"), _section(root, "option")
        self.off = {key for flags in self.option.findall("flag") for key, said in flags.items() if said == "disable"}
        said = compiler.attrib
        self.degree = 1.0 if said.get("angle", "degree") == "radian" else np.pi / 180.0
        self.sequence = said.get("eulerseq", "xyz")
        self.from_shapes = said.get("inertiafromgeom", "auto")
        self.groups = self.vector(compiler, "inertiagrouprange", "compiler", (-np.inf, np.inf))
        self.total_mass = self.number(compiler, "settotalmass", "compiler", -1.0)
        told = [key for key in said if key not in COMPILED + IDLE]
        self.left_out += [f"compiler: {key} {said[key]}" for key in told]
        for each in root.findall("default"):
            self._default(each, "main", self.defaults["main"])
        self.folder = said.get("meshdir", "")
        named = [(each, each.get("name") or Path(each.get("file", "")).stem) for each in root.findall("asset/mesh")]
        self.meshes = {name: self._mesh(each) for each, name in named}
        known = ("worldbody", "compiler", "option", "default", *(["asset"] if named else []))
        for tag, count in Counter(each.tag for each in root if each.tag not in known).items():
            self.left_out.append(f"{tag}: {count} element{'s' * (count != 1)}")

    def _refuse(self, root: Element) -> None:
        """Refuse elements that would change the meaning of the rest."""
        for tag, hint in (("include", "Put its content in its place"), ("replicate", "Write the copies out")):
            if root.find(f".//{tag}") is not None:
                raise FileError(f"{self.path}: <{tag}> is not read: no other file is opened. {hint}.")
        if root.find("compiler[@coordinate='global']") is not None:
            raise FileError(
                f"{self.path}: <compiler>: global coordinates are not read. Give places in the parent body."
            )
        if root.find(".//frame") is not None:
            raise FileError(f"{self.path}: <frame> is not read. Give bodies and shapes their places in the body.")

    def _default(self, element: Element, name: str, above: dict[str, dict[str, str]]) -> None:
        """Store the attributes of a class: inherited ones, overridden by its own."""
        own = {tag: dict(given) for tag, given in above.items()}
        for each in element:
            if each.tag != "default":
                own[each.tag] = {**own.get(each.tag, {}), **each.attrib}
        self.defaults[element.get("class") or name] = own
        for each in element.findall("default"):
            self._default(each, element.get("class") or name, own)

    def whole(self, element: Element, inherited: str) -> Element:
        """Return an element with the defaults of its class."""
        known = element.get("class") or inherited
        if known not in self.defaults:
            raise FileError(f"{self.path}: <{element.tag}> is of class {known!r:.40}, which <default> does not have")
        return Element(element.tag, {**self.defaults[known].get(element.tag, {}), **element.attrib})

    def body(self, element: Element, parent: str, above: Pose = IDENTITY, inherited: str = "main") -> None:
        """Read a body, its joints, and all nested bodies."""
        given = element.get("name") or f"body {len(self.links)}"
        name = self.usable(given, "body")
        if name in self.links:
            raise FileError(f"{self.path}: body {name!r} occurs twice")
        owner, inherited = f"body {name!r}", element.get("childclass") or inherited
        place = above @ self.pose(element, owner)
        link = replace(self._link(element, name, inherited), visuals=self.visuals(element, name, inherited))
        self.links[name], self.places[name] = link, place
        self._join(element, name, parent, place, inherited)
        if self.number(element, "gravcomp", owner, 0.0):
            self.left_out.append(f"body {name}: gravcomp {element.get('gravcomp')}")
        for tag, count in Counter(each.tag for each in element if each.tag not in READ).items():
            self.left_out.append(f"body {name}: {tag}" + (f" ({count})" if count > 1 else ""))
        for each in element.findall("body"):
            self.body(each, name, place, inherited)

    def weighed(self) -> dict[str, RobotLink]:
        """Return all links, their masses scaled to the sum given in <compiler>, if any."""
        sum_ = sum(link.mass for name, link in self.links.items() if name != WORLD)
        if self.total_mass <= 0.0 or not sum_:
            return self.links
        share = self.total_mass / sum_
        return {
            name: replace(link, mass=share * link.mass, inertia=share * link.inertia)
            for name, link in self.links.items()
        }

    def gravity(self) -> Vector:
        """Return gravity from <option>, which may be switched off; a fluid is reported as omitted."""
        for key in FLUID:
            if any(self.numbers(text := self.option.get(key, ""), key, "option", len(text.split()))):
                self.left_out.append(f"option: {key} {text}")
        if "gravity" in self.off:
            return 0.0, 0.0, 0.0
        x, y, z = self.vector(self.option, "gravity", "option", GRAVITY).tolist()
        return x, y, z

    def visuals(self, element: Element, name: str, inherited: str) -> tuple[Visual, ...]:
        """Return the shapes of a body, without hidden groups."""
        found = []
        for geom in (self.whole(each, inherited) for each in element.findall("geom")):
            kind, size, frame = self._sized(geom, f"body {name!r}: geom")
            if self.number(geom, "group", "geom", 0.0) >= HIDDEN:
                continue
            if kind == "mesh" and geom.get("mesh", "") in self.meshes:
                mesh = self.meshes[geom.get("mesh", "")]
                found += [] if mesh is None else [Visual(frame, "mesh", mesh)]
            elif solid(kind, size) is not None:
                double = {"box": [2.0 * each for each in size[:3]], "sphere": size[:1], "ellipsoid": size[:3]}
                found.append(Visual(frame, kind, tuple(double.get(kind, [size[0], 2.0 * size[-1]]))))
        return tuple(found)

    def _mesh(self, element: Element) -> tuple[Any, Any] | None:
        """Return points and triangles of a mesh: in the file itself, or beside it."""
        owner = f"mesh {element.get('name') or element.get('file')}"
        scale = self.vector(element, "scale", owner, (1.0, 1.0, 1.0))
        if (text := element.get("vertex")) is None:
            file = "/".join(filter(None, (self.folder, element.get("file", ""))))
            return read_mesh_beside(self.path, file, scale, owner, self.left_out)
        points = self.numbers(text, "vertex", owner, len(text.split()))
        faces = self.numbers(element.get("face", ""), "face", owner, len(element.get("face", "").split()))
        if len(points) % 3 or len(faces) % 3 or not len(faces):
            self.left_out.append(f"{owner}: a mesh without faces")
            return None
        return points.reshape(-1, 3) * scale, faces.reshape(-1, 3)

    def _link(self, element: Element, name: str, inherited: str) -> RobotLink:
        owner, inertial = f"body {name!r}", element.find("inertial")
        if inertial is not None and self.from_shapes != "true":
            return self._inertial(inertial, name, owner)
        shapes = [self.whole(each, inherited) for each in element.findall("geom")]
        first, last = self.groups
        parts = [self._shape(each, name) for each in shapes if first <= self.number(each, "group", owner, 0.0) <= last]
        mass = sum(part.mass for part in parts)
        if not mass:
            return RobotLink(name)
        centre = sum((part.mass * part.centre for part in parts), np.zeros(3)) / mass
        inertia = np.zeros((3, 3))
        for part in parts:
            d = part.centre - centre
            inertia = inertia + part.inertia + part.mass * (d @ d * np.eye(3) - np.outer(d, d))
        return RobotLink(name, mass, centre, inertia)

    def _inertial(self, element: Element, name: str, owner: str) -> RobotLink:
        frame, mass = self.pose(element, owner), self.number(element, "mass", owner)
        if (text := element.get("fullinertia")) is not None:
            xx, yy, zz, xy, xz, yz = self.numbers(text, "fullinertia", owner, 6)
            own = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        else:
            own = np.diag(self.vector(element, "diaginertia", owner, (0.0, 0.0, 0.0)))
        return RobotLink(name, mass, frame.p, frame.R @ own @ frame.R.T)

    def _shape(self, geom: Element, name: str) -> RobotLink:
        """Return a shape's mass properties, at its place in the body; zero mass without a known volume."""
        owner, kind = f"body {name!r}: geom", geom.get("type", "sphere")
        given = None if geom.get("mass") is None else self.number(geom, "mass", owner)
        if given == 0.0:
            return RobotLink(name)
        kind, size, frame = self._sized(geom, owner)
        altered = [word for word in ALTERED if kind != "mesh" and geom.get(word, "false") != "false"]
        found = None if altered else solid(kind, size)
        if found is None:
            told = [f"geom of type {kind}", *altered, *([] if given is None else [f"mass {given:g}"])]
            self.left_out.append(f"body {name}: {', '.join(told)}")
            return RobotLink(name)
        volume, unit = found  # unit: inertia per mass
        mass = self.number(geom, "density", owner, DENSITY) * volume if given is None else given
        return RobotLink(name, mass, frame.p, mass * frame.R @ np.diag(unit) @ frame.R.T)

    def _sized(self, geom: Element, owner: str) -> tuple[str, list[float], Pose]:
        """Return kind, size and place of a shape in its body."""
        kind, text = geom.get("type", "sphere"), geom.get("size", "")
        size = [float(each) for each in self.numbers(text, "size", owner, len(text.split()))] if text else []
        frame = self.pose(geom, owner)
        if size and (ends := geom.get("fromto")) is not None and kind in ("capsule", "cylinder", "box", "ellipsoid"):
            a, b = self.numbers(ends, "fromto", owner, 6).reshape(2, 3)
            half = 0.5 * float(np.linalg.norm(b - a))
            size = [size[0], half] if kind in ("capsule", "cylinder") else [size[0], size[0], half]
            frame = Pose(_towards(b - a), 0.5 * (a + b))
        return kind, size, frame

    def _join(self, element: Element, name: str, parent: str, place: Pose, inherited: str) -> None:
        given = [self.whole(each, inherited) for each in element.findall("joint")]
        if element.find("freejoint") is not None:
            given.append(Element("joint", {"type": "free"}))
        if not given:
            self.joints.append(RobotJoint(f"{name} fixed", "fixed", parent, name, place, np.array([1.0, 0.0, 0.0])))
            return
        kinds = [each.get("type", "hinge") for each in given]
        for kind in kinds:
            if kind not in KINDS:
                raise FileError(
                    f"{self.path}: body {name!r}: a joint of type {kind!r:.40}; known are {', '.join(KINDS)}"
                )
        owner = f"body {name!r}: joint"
        if len(given) == 1:
            self._one(given[0], KINDS[kinds[0]], name, parent, place)
            return
        points = [self.vector(each, "pos", owner, (0.0, 0.0, 0.0)) for each in given]
        axes = [self._axis(each, owner) for each in given]
        together = all(np.allclose(point, points[0], atol=SAME) for point in points) and set(kinds) == {"hinge"}
        if together and len(given) == 2 and abs(axes[0] @ axes[1]) < SAME:
            frame = Pose(np.stack([*axes, np.cross(axes[0], axes[1])], axis=1), points[0])
            self._note(given, name, NOTED + LAWS)
            self.joints.append(self._named(given[0], "universal", name, parent, place @ frame))
        elif together and len(given) == 3 and abs(np.linalg.det(axes)) > SAME:
            self._note(given, name, NOTED + LAWS)
            self.joints.append(self._named(given[0], "spherical", name, parent, place @ Pose(np.eye(3), points[0])))
        else:
            raise FileError(
                f"{self.path}: body {name!r} has {len(given)} joints ({', '.join(kinds)}). This reads one, two hinges "
                "at one place and at right angles, or three hinges at one place. Give each joint a body of its own."
            )

    def _one(self, joint: Element, kind: str, name: str, parent: str, place: Pose) -> None:
        owner = f"body {name!r}: joint"
        frame = place @ Pose(np.eye(3), self.vector(joint, "pos", owner, (0.0, 0.0, 0.0)))
        self._note([joint], name, NOTED + LAWS if kind in ("spherical", "floating") else NOTED)
        turned = self.degree if kind == "continuous" else 1.0
        law: dict[str, Any] = {}
        if kind in ("continuous", "prismatic"):
            law = {
                "axis": self._axis(joint, owner),
                "damping": 0.0 if "damper" in self.off else self.number(joint, "damping", owner, 0.0),
                "stiffness": 0.0 if "spring" in self.off else self.number(joint, "stiffness", owner, 0.0),
                "rest": turned * (self.number(joint, "springref", owner, 0.0) - self.number(joint, "ref", owner, 0.0)),
            }
        self.joints.append(self._named(joint, kind, name, parent, frame, **law))

    def _note(self, joints: list[Element], name: str, keys: tuple[str, ...]) -> None:
        """Report omitted properties of joints (`NOTED`); springs and dampers too, without a single axis."""
        for each in joints:
            for key in keys:
                if each.get(key) is not None:
                    self.left_out.append(f"joint {self._name(each, name)}: {key} {each.get(key)}")

    def _name(self, joint: Element, body: str) -> str:
        return self.usable(joint.get("name") or f"{body} joint", "joint")

    def _named(
        self, joint: Element, kind: str, name: str, parent: str, frame: Pose, axis: Any = (0, 0, 1), **law: float
    ) -> RobotJoint:
        return RobotJoint(self._name(joint, name), kind, parent, name, frame, np.asarray(axis, float), **law)

    def _axis(self, joint: Element, owner: str) -> np.ndarray:
        axis = self.vector(joint, "axis", owner, (0.0, 0.0, 1.0))
        length = float(np.linalg.norm(axis))
        if not length > 0.0:
            raise FileError(f"{self.path}: {owner}: its axis is (0, 0, 0); give a direction")
        return axis / length

    def pose(self, element: Element, owner: str) -> Pose:
        """Return position and orientation of an element."""
        place = self.vector(element, "pos", owner, (0.0, 0.0, 0.0))
        given = [key for key in TURNS if element.get(key) is not None]
        if len(given) > 1:
            raise FileError(f"{self.path}: {owner} is turned by {' and '.join(given)}; give one of them")
        return Pose(self._turn(element, given[0], owner) if given else np.eye(3), place)

    def _turn(self, element: Element, key: str, owner: str) -> np.ndarray:
        text = element.get(key, "")
        match key:
            case "quat":
                q = self.numbers(text, key, owner, 4)
                if not np.linalg.norm(q) > 0.0:
                    raise FileError(f"{self.path}: {owner}: quat={text!r:.60} has no length")
                return rotations.matrix(q / np.linalg.norm(q))
            case "axisangle":
                *axis, angle = self.numbers(text, key, owner, 4).tolist()
                length = float(np.linalg.norm(axis)) or 1.0
                return rotations.matrix(rotations.exponential(self.degree * angle / length * np.array(axis)))
            case "euler":
                return self._euler(self.numbers(text, key, owner, 3))
            case "zaxis":
                return _towards(self.numbers(text, key, owner, 3))
        x, y = self.numbers(text, key, owner, 6).reshape(2, 3)
        x = x / np.linalg.norm(x)
        y = y - (x @ y) * x
        y = y / np.linalg.norm(y)
        return np.stack([x, y, np.cross(x, y)], axis=1)

    def _euler(self, angles: np.ndarray) -> np.ndarray:
        """Return the matrix of Euler angles: small letters turn about moving axes, capital ones about fixed axes."""
        turn = np.eye(3)
        for letter, angle in zip(self.sequence, angles, strict=True):
            one = rotations.matrix(rotations.exponential(self.degree * angle * np.eye(3)["xyz".index(letter.lower())]))
            turn = turn @ one if letter.islower() else one @ turn
        return turn


def _section(root: Element, tag: str) -> Element:
    """Merge all sections of one name; later values override."""
    whole = Element(tag)
    for each in root.findall(tag):
        whole.attrib.update(each.attrib)
        whole.extend(each)
    return whole


def _towards(way: np.ndarray) -> np.ndarray:
    """Return the smallest rotation from z to a direction."""
    z, length = np.array([0.0, 0.0, 1.0]), float(np.linalg.norm(way))
    if not length:
        return np.eye(3)
    axis = np.cross(z, way / length)
    sine, angle = float(np.linalg.norm(axis)), float(np.arctan2(np.linalg.norm(axis), way[2] / length))
    if not sine:
        return np.eye(3) if way[2] > 0.0 else np.diag([1.0, -1.0, -1.0])
    return rotations.matrix(rotations.exponential(angle / sine * axis))


def load_mjcf(path: str | PathLike[str]) -> Imported:
    """Read the rigid part of an MJCF file as a spatial model at its zero position.

    Bodies with their inertia, or the inertia of their shapes (sphere, capsule, cylinder, box, ellipsoid); hinges with
    damper and spring, slides, balls, free bodies; two hinges at one place at right angles are a Cardan joint, three a
    ball; defaults and gravity. The marker of a body is at its joint. Bodies are drawn with their shapes and meshes
    (.stl and .obj, in the folder of the file). ``left_out`` lists the omissions: actuators, contacts, tendons, limits,
    friction, armature. No other file is opened, and nothing is executed.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "arm.xml"
    >>> geom = '<geom type="capsule" fromto="0 0 0 0 0 -1" size="0.05"/>'
    >>> body = f'<body name="arm" pos="0 0 2"><joint name="hinge" axis="0 1 0"/>{geom}</body>'
    >>> _ = path.write_text(f'<mujoco model="pendulum"><worldbody>{body}</worldbody></mujoco>')
    >>> found = load_mjcf(path)
    >>> found.model, round(found.model.part("arm").mass, 4)
    (<Model "pendulum": 1 rigid body, 0 beams, 1 joint, 1 force>, 8.3776)
    """
    file = Path(path)
    robot, gravity = read_mjcf(file)
    return imported(file, robot, gravity)
