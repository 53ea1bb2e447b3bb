"""Robots of other programs as models: the rigid part of a description, with a report of the omissions.

The root link is the ground. Links joined by fixed joints become one body about their common centre of mass; every link
stays a marker of its own name. Revolute and continuous joints become pins, with their dampers and springs; prismatic
ones slides.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from pliant.errors import FileError, ModelError
from pliant.forces import Gravity, TorsionSpring
from pliant.joints import Prismatic, Revolute, Spherical, Universal
from pliant.model import Body, Ground, Marker, Model, Outline, rotations
from pliant_io.robots.robot_reader import IDENTITY, Pose, Robot, RobotJoint, RobotLink
from pliant_io.robots.visuals import shape_of

BALLS = {"spherical": Spherical, "universal": Universal}


@dataclass(frozen=True)
class Imported:
    """A model, and the omitted contents of its file."""

    model: Model
    left_out: tuple[str, ...]

    def __str__(self) -> str:
        lines = [f"  {line}" for line in self.left_out] or ["  nothing"]
        return "\n".join([f"{self.model!r}", "Not taken:", *lines])


@dataclass
class _Group:
    """Links that fixed joints make one body, each with its frame in the first link's."""

    first: str
    frames: dict[str, Pose]
    place: Pose = IDENTITY
    mass: float = 0.0
    centre: np.ndarray = field(default_factory=lambda: np.zeros(3))
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))
    carrier: Body | Ground | None = None

    def weigh(self, links: dict[str, RobotLink]) -> None:
        """Compute mass, centre, and inertia about the centre by Steiner's theorem."""
        parts = [(links[name], frame) for name, frame in self.frames.items()]
        self.mass = sum(link.mass for link, _ in parts)
        if self.mass:
            self.centre = sum((m.mass * (at.R @ m.centre + at.p) for m, at in parts), np.zeros(3)) / self.mass
        for link, at in parts:
            d = at.R @ link.centre + at.p - self.centre
            self.inertia = (
                self.inertia + at.R @ link.inertia @ at.R.T + link.mass * (d @ d * np.eye(3) - np.outer(d, d))
            )

    def shape(self, links: dict[str, RobotLink], left_out: list[str]) -> tuple[Outline, ...] | None:
        """Return the shapes of all its links, in the frame of the body."""
        away = Pose(np.eye(3), -self.centre)
        seen = [each.moved(away @ frame) for name, frame in self.frames.items() for each in links[name].visuals]
        return shape_of(seen, f"link {self.first}", left_out)

    def marker(self, frame: Pose, name: str | None = None) -> Marker:
        """Return a frame, given in the first link's frame, as a marker of the body."""
        if self.carrier is None:
            raise FileError(f"link {self.first!r} is not placed yet")
        x, y, z = (frame.p - self.centre).tolist()
        turn = rotations.logarithm(rotations.quaternion(frame.R))
        return self.carrier.at(x, y, z, orientation=tuple(turn.tolist()), name=name)


def imported(path: Path, robot: Robot, gravity: tuple[float, float, float]) -> Imported:
    """Make a spatial model of a robot at its zero position; the root link is the ground."""
    groups, moving, root = _groups(path, robot)
    model, left_out = Model(robot.name, plane=None), list(robot.left_out)
    base = groups[root]
    if any(robot.links[name].mass for name in base.frames):
        left_out.append(f"link {base.first}: mass and inertia (it is the ground)")
    base.carrier, base.centre = model.add(Ground(shape=base.shape(robot.links, left_out))), np.zeros(3)
    for joint in moving:
        parent, child = groups[joint.parent], groups[joint.child]
        child.weigh(robot.links)
        child.place = parent.place @ parent.frames[joint.parent] @ joint.origin
        _add(path, model, child, child.shape(robot.links, left_out), free=joint.kind == "floating")
        _connect(model, joint, parent, child, left_out)
    for group in {id(each): each for each in groups.values()}.values():
        for name, frame in group.frames.items():
            model.add(group.marker(frame, name))
    if any(gravity):
        x, y, z = gravity
        model.add(Gravity(x, y, z=z))
    return Imported(model, tuple(left_out))


def _groups(path: Path, robot: Robot) -> tuple[dict[str, _Group], list[RobotJoint], str]:
    """Return the body of every link, the moving joints from the root outwards, and the root."""
    order = _from_the_root(path, robot)
    carried = {name: link.mass for name, link in robot.links.items()}  # mass of a link and its descendants
    for joint in reversed(order):
        carried[joint.parent] += carried[joint.child]
    root = order[0].parent if order else next(iter(robot.links))
    groups, moving = {root: _Group(root, {root: IDENTITY})}, []
    for joint in order:
        parent, idle = groups[joint.parent], joint.kind != "fixed" and not carried[joint.child]
        if idle:
            robot.left_out.append(f"joint {joint.name}: its freedom (nothing on it has mass)")
        if joint.kind == "fixed" or idle:
            parent.frames[joint.child] = parent.frames[joint.parent] @ joint.origin
            groups[joint.child] = parent
        else:
            groups[joint.child] = _Group(joint.child, {joint.child: IDENTITY})
            moving.append(joint)
    return groups, moving, root


def _from_the_root(path: Path, robot: Robot) -> list[RobotJoint]:
    """Return all joints, parents before children; raise unless they form one tree."""
    twice = [name for name, count in Counter(joint.child for joint in robot.joints).items() if count > 1]
    if twice:
        raise FileError(f"{path}: link {twice[0]!r} is the child of two joints; a URDF file describes a tree")
    children = {joint.child for joint in robot.joints}
    roots = [name for name in robot.links if name not in children]
    if len(roots) != 1:
        what = f"several roots, {', '.join(roots[:5])}" if roots else "no root: its joints go round in a circle"
        raise FileError(f"{path}: the robot has {what}; it must be one tree")
    below: dict[str, list[RobotJoint]] = {name: [] for name in robot.links}
    for joint in robot.joints:
        below[joint.parent].append(joint)
    order, reached = [], roots
    while reached:
        further = [joint for name in reached for joint in below[name]]
        order += further
        reached = [joint.child for joint in further]
    if len(order) < len(robot.joints):
        lost = next(joint for joint in robot.joints if joint not in order)
        raise FileError(f"{path}: joint {lost.name!r} goes round in a circle; a URDF file describes a tree")
    return order


def _add(path: Path, model: Model, group: _Group, shape: tuple[Outline, ...] | None, *, free: bool) -> None:
    """Add the body of a group, at its place."""
    turn = rotations.logarithm(rotations.quaternion(group.place.R))
    try:
        group.carrier = model.add(
            Body(
                group.first,
                mass=group.mass,
                inertia=group.inertia.tolist(),
                position=tuple((group.place.R @ group.centre + group.place.p).tolist()),
                orientation=tuple(turn.tolist()),
                shape=shape,
                free=free,
            )
        )
    except ModelError as error:
        raise FileError(f"{path}: link {group.first!r}: {error}") from error


def _connect(model: Model, joint: RobotJoint, parent: _Group, child: _Group, left_out: list[str]) -> None:
    """Add a joint, and its damper."""
    if joint.kind == "floating":
        return
    a, b = parent.marker(parent.frames[joint.parent] @ joint.origin), child.marker(IDENTITY)
    if joint.kind in (*BALLS, "prismatic"):
        where = "of a slide" if joint.kind == "prismatic" else f"of a {joint.kind} joint"
        given = {"damping": joint.damping, "stiffness": joint.stiffness}
        left_out += [f"joint {joint.name}: {what} {size:g} ({where})" for what, size in given.items() if size]
    if joint.kind in BALLS:
        model.add(BALLS[joint.kind](a, b, name=joint.name))
        return
    axis = tuple((joint.axis / np.linalg.norm(joint.axis)).tolist())
    if joint.kind == "prismatic":
        model.add(Prismatic(a, b, axis=axis, name=joint.name))
        return
    model.add(Revolute(a, b, axis=axis, name=joint.name))
    if joint.damping or joint.stiffness:
        name = f"{joint.name} {'spring' if joint.stiffness else 'damper'}"
        model.add(TorsionSpring(name, a, b, joint.stiffness, joint.rest, joint.damping, axis=axis))


def load_robot(path: Path) -> Imported:
    """Read a robot in the format of its root element: URDF, MJCF or SDF."""
    from pliant_io.robots.mjcf import load_mjcf
    from pliant_io.robots.safe_xml import read_xml
    from pliant_io.robots.sdf import load_sdf
    from pliant_io.robots.urdf import load_urdf

    readers = {"mujoco": load_mjcf, "robot": load_urdf, "sdf": load_sdf}
    return readers[read_xml(path, *readers).tag](path)
