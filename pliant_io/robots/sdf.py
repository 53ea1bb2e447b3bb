"""SDF -> Model: the rigid part of a model of Gazebo, with a report of what was not taken."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from pliant_io.robots.robot import Imported, imported
from pliant_io.robots.sdf_reader import read_sdf


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
