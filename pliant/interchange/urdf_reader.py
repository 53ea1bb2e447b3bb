"""What a URDF file says, as plain records: links with inertia, joints with origins. Nothing is built here.

Format: wiki.ros.org/urdf/XML. Angles "rpy" turn about fixed x, then y, then z: ``R = Rz(yaw) Ry(pitch) Rx(roll)``.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element

import numpy as np

from pliant.errors import FileError, nearest
from pliant.interchange.safe_xml import read_xml
from pliant.model import rotations

LARGEST = 1e12  # of any number in a file: beyond it is a slip, and arithmetic would overflow
LONGEST = 70  # characters of a name; pliant holds 80
MOVING = ("revolute", "continuous", "prismatic")
TYPES = (*MOVING, "fixed", "floating")


class Pose(NamedTuple):
    """A frame in another one: ``x -> R x + p``."""

    R: np.ndarray
    p: np.ndarray

    def __matmul__(self, other: Pose) -> Pose:
        return Pose(self.R @ other.R, self.R @ other.p + self.p)


IDENTITY = Pose(np.eye(3), np.zeros(3))


@dataclass(frozen=True, eq=False)
class UrdfLink:
    """Mass (kg), and centre and inertia (kg m^2, about the centre) in the link's frame."""

    name: str
    mass: float = 0.0
    centre: np.ndarray = field(default_factory=lambda: np.zeros(3))
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))


@dataclass(frozen=True, eq=False)
class UrdfJoint:
    """A joint between two links; `origin` is the joint's frame, and at zero the child's, in the parent's frame."""

    name: str
    kind: str
    parent: str
    child: str
    origin: Pose
    axis: np.ndarray
    damping: float = 0.0


class Robot(NamedTuple):
    """All of it, and what was seen and not taken: (what, of which part)."""

    name: str
    links: dict[str, UrdfLink]
    joints: list[UrdfJoint]
    left_out: list[str]


def read_robot(path: Path) -> Robot:
    """Read a file; FileError names the element that is wrong."""
    reader = _Reader(path)
    root = read_xml(path, "robot")
    name = reader.name(root, "robot")
    links = [reader.link(each) for each in root.findall("link")]
    joints = [reader.joint(each) for each in root.findall("joint")]
    for tag in dict.fromkeys(each.tag for each in root if each.tag not in ("link", "joint")):
        count = len(root.findall(tag))
        reader.left_out.append(f"{tag}: {count} element{'s' * (count != 1)}")
    for what, names in (("link", [each.name for each in links]), ("joint", [each.name for each in joints])):
        twice = [name for name, count in Counter(names).items() if count > 1]
        if twice:
            raise FileError(f"{path}: {what} {twice[0]!r} occurs twice")
    known = {each.name: each for each in links}
    joints = [reader.apart(each, known) for each in joints]
    if not known:
        raise FileError(f"{path}: the robot has no link")
    for each in joints:
        for end in (each.parent, each.child):
            if end not in known:
                raise FileError(
                    f"{path}: joint {each.name!r} names a link {end!r} that is missing. {nearest(end, known)}"
                )
    return Robot(name, known, joints, reader.left_out)


@dataclass
class _Reader:
    path: Path
    left_out: list[str] = field(default_factory=list)

    def link(self, element: Element) -> UrdfLink:
        name = self.name(element, "link")
        for tag in dict.fromkeys(each.tag for each in element if each.tag != "inertial"):
            count = len(element.findall(tag))
            self.left_out.append(f"link {name}: {tag}" + (f" ({count})" if count > 1 else ""))
        inertial = element.find("inertial")
        if inertial is None:
            return UrdfLink(name)
        owner = f"link {name!r}"
        frame = self.origin(inertial, owner)
        mass = self.number(inertial.find("mass"), "value", owner)
        moments = inertial.find("inertia")
        xx, xy, xz, yy, yz, zz = (
            self.number(moments, key, owner, 0.0 if moments is None else None)
            for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        )
        own = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        return UrdfLink(name, mass, frame.p, frame.R @ own @ frame.R.T)

    def joint(self, element: Element) -> UrdfJoint:
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
        return UrdfJoint(name, kind, parent, child, self.origin(element, owner), axis, damping)

    def _tell(self, element: Element, name: str, kind: str) -> None:
        """What is in a joint and not taken."""
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

    def name(self, element: Element, what: str) -> str:
        """A name that pliant can hold: others are changed, and that is told."""
        given = self.word(element, "name", f"a {what}")
        return self.usable(given, what)

    def usable(self, given: str, what: str) -> str:
        found = re.sub(r"[^\w .+-]", "_", given).strip()
        if not found[:1].isalnum() or found == "ground":  # that is pliant's own
            found = f"{what} {found}".strip()
        note = f"{what} {given!r}: called {found!r} here"
        if found != given and note not in self.left_out:
            self.left_out.append(note)
        return found

    def apart(self, joint: UrdfJoint, links: Mapping[str, UrdfLink]) -> UrdfJoint:
        """A joint may have the name of a link in such a file, but not in a model."""
        if joint.name not in links:
            return joint
        self.left_out.append(f"joint {joint.name!r}: called 'joint {joint.name}' here, apart from the link")
        return replace(joint, name=f"joint {joint.name}")

    def word(self, element: Element | None, key: str, owner: str) -> str:
        text = None if element is None else element.get(key)
        if not text or len(text) > LONGEST:
            raise FileError(f"{self.path}: {owner} has {'too long a' if text else 'no'} {key}")
        return self.usable(text, "link") if key == "link" else text

    def origin(self, element: Element, owner: str) -> Pose:
        origin = element.find("origin")
        roll, pitch, yaw = self.vector(origin, "rpy", owner, (0.0, 0.0, 0.0))
        turned = [rotations.matrix(rotations.exponential(v)) for v in ((roll, 0, 0), (0, pitch, 0), (0, 0, yaw))]
        return Pose(turned[2] @ turned[1] @ turned[0], self.vector(origin, "xyz", owner, (0.0, 0.0, 0.0)))

    def vector(self, element: Element | None, key: str, owner: str, default: tuple[float, ...]) -> np.ndarray:
        text = None if element is None else element.get(key)
        if text is None:
            return np.array(default)
        words = text.split()
        if len(words) != 3:
            raise FileError(f"{self.path}: {owner}: {key}={text!r:.60} must be three numbers")
        return np.array([self._finite(word, key, owner) for word in words])

    def number(self, element: Element | None, key: str, owner: str, default: float | None = None) -> float:
        text = None if element is None else element.get(key)
        if text is None:
            if default is None:
                raise FileError(f"{self.path}: {owner} lacks {key}")
            return default
        return self._finite(text, key, owner)

    def _finite(self, text: str, key: str, owner: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not abs(value) <= LARGEST:
            raise FileError(f"{self.path}: {owner}: {key}={text!r:.60} must be a number of at most {LARGEST:g}")
        return value
