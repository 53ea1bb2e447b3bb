"""MJCF -> Model: the rigid part of a MuJoCo model, with a report of what was not taken."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from pliant_io.robots.mjcf_reader import read_mjcf
from pliant_io.robots.robot import Imported, imported


def load_mjcf(path: str | PathLike[str]) -> Imported:
    """Read the rigid part of an MJCF file as a spatial model at its zero position.

    Bodies with their inertia, or that of their shapes (sphere, capsule, cylinder, box, ellipsoid); hinges with damper
    and spring, slides, balls, free bodies; two hinges at one place at right angles are a Cardan joint, three a ball;
    defaults and gravity. The marker of a body is at its joint. Bodies are drawn with their shapes and meshes (.stl and
    .obj, in the folder of the file). ``left_out`` lists what was not read: actuators, contacts, tendons, limits,
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
