"""URDF -> Model: the rigid part of a robot description, with a report of what was not taken."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from pliant_io.robots.robot import Imported, imported
from pliant_io.robots.urdf_reader import read_robot


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
