"""Records of a robot, independent of the file format: links with inertia, joints with origins; and the common base of
the readers: names, numbers and vectors of XML elements.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element

import numpy as np

from pliant.errors import FileError, nearest
from pliant_io.robots.poses import IDENTITY as IDENTITY
from pliant_io.robots.poses import Pose as Pose
from pliant_io.robots.visuals import Visual

LARGEST = 1e12  # largest valid number in a file: beyond it arithmetic would overflow
LONGEST = 70  # longest name, in characters; pliant allows 80
COUNTS = {3: "three", 4: "four", 6: "six"}


@dataclass(frozen=True, eq=False)
class RobotLink:
    """Mass (kg), and centre and inertia (kg m^2, about the centre) in the link's frame, and its shapes."""

    name: str
    mass: float = 0.0
    centre: np.ndarray = field(default_factory=lambda: np.zeros(3))
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))
    visuals: tuple[Visual, ...] = ()


@dataclass(frozen=True, eq=False)
class RobotJoint:
    """A joint between two links; `origin` is the joint's frame, and at zero the child's, in the parent's frame.

    kind       "revolute", "continuous", "prismatic", "spherical", "universal" (about x, then y of the frame), "fixed"
               or "floating"
    stiffness  of a spring about or along the axis (N m/rad, N/m), unstressed at `rest` (rad, m)
    """

    name: str
    kind: str
    parent: str
    child: str
    origin: Pose
    axis: np.ndarray
    damping: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0


class Robot(NamedTuple):
    """A whole robot, with omissions: (kind, part)."""

    name: str
    links: dict[str, RobotLink]
    joints: list[RobotJoint]
    left_out: list[str]


@dataclass
class Reader:
    """Reader of names and numbers from elements; FileError names the invalid element."""

    path: Path
    left_out: list[str] = field(default_factory=list)

    def name(self, element: Element, what: str) -> str:
        """Return a name that pliant allows; changed names are reported."""
        given = self.word(element, "name", f"a {what}")
        return self.usable(given, what)

    def usable(self, given: str, what: str) -> str:
        found = re.sub(r"[^\w .+-]", "_", given).strip()
        if not found[:1].isalnum() or found == "ground":  # a reserved name
            found = f"{what} {found}".strip()
        note = f"{what} {given!r}: called {found!r} here"
        if found != given and note not in self.left_out:
            self.left_out.append(note)
        return found

    def apart(self, joint: RobotJoint, links: Mapping[str, RobotLink]) -> RobotJoint:
        """Rename a joint that has the name of a link: allowed in such a file, but not in a model."""
        if joint.name not in links:
            return joint
        self.left_out.append(f"joint {joint.name!r}: called 'joint {joint.name}' here, apart from the link")
        return replace(joint, name=f"joint {joint.name}")

    def word(self, element: Element | None, key: str, owner: str) -> str:
        text = None if element is None else element.get(key)
        if not text or len(text) > LONGEST:
            raise FileError(f"{self.path}: {owner} has {'too long a' if text else 'no'} {key}")
        return self.usable(text, "link") if key == "link" else text

    def vector(self, element: Element | None, key: str, owner: str, default: tuple[float, ...]) -> np.ndarray:
        text = None if element is None else element.get(key)
        if text is None:
            return np.array(default)
        return self.numbers(text, key, owner, len(default))

    def numbers(self, text: str, key: str, owner: str, count: int) -> np.ndarray:
        """Parse `count` numbers from a text."""
        words = text.split()
        if len(words) != count:
            raise FileError(f"{self.path}: {owner}: {key}={text!r:.60} must be {COUNTS.get(count, count)} numbers")
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


def checked(reader: Reader, name: str, links: Iterable[RobotLink], joints: Iterable[RobotJoint]) -> Robot:
    """Make a robot, checking that names are unique and that joints connect existing links."""
    path, every, all_joints = reader.path, list(links), list(joints)
    for what, names in (("link", [each.name for each in every]), ("joint", [each.name for each in all_joints])):
        twice = [name for name, count in Counter(names).items() if count > 1]
        if twice:
            raise FileError(f"{path}: {what} {twice[0]!r} occurs twice")
    known = {each.name: each for each in every}
    if not known:
        raise FileError(f"{path}: the robot has no link")
    for each in all_joints:
        for end in (each.parent, each.child):
            if end not in known:
                raise FileError(
                    f"{path}: joint {each.name!r} names a link {end!r} that is missing. {nearest(end, known)}"
                )
    return Robot(name, known, [reader.apart(each, known) for each in all_joints], reader.left_out)


def at_joints(
    links: Mapping[str, RobotLink], places: Mapping[str, Pose], joints: Iterable[RobotJoint]
) -> tuple[list[RobotLink], list[RobotJoint]]:
    """Convert links and joints from global places to `Robot`: the frame of a link is at its joint.

    places  of the frames of links
    joints  with the places of their frames as `origin`
    """
    joined = list(joints)
    frames = {**places, **{joint.child: joint.origin for joint in joined}}
    moved = []
    for name, link in links.items():
        own = frames[name].inverse() @ places[name]
        visuals = tuple(each.moved(own) for each in link.visuals)
        centre, inertia = own.R @ link.centre + own.p, own.R @ link.inertia @ own.R.T
        moved.append(replace(link, centre=centre, inertia=inertia, visuals=visuals))
    return moved, [replace(each, origin=frames[each.parent].inverse() @ each.origin) for each in joined]
