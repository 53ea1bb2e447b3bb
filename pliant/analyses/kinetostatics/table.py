"""Poses of a robot as a labelled table: what `workspace` and `follow` tell of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from pliant._libraries import xarray as xr
from pliant.analyses._common import signal_units
from pliant.analyses.kinetostatics.effector import Target
from pliant.analyses.kinetostatics.pose import Pose
from pliant.errors import OptionError, nearest
from pliant.model.rotations import Orientation
from pliant.system.state import State

if TYPE_CHECKING:
    from pliant.analyses.kinetostatics.robot import Kinetostatics

FORMS = 'Give {"x": [...], "z": [...]}, or a list of positions or of pairs (position, orientation).'
NOT_FOUND = {"nan_means": "the pose was not reached, or not computed"}
TORQUE_UNITS = {"rad": "N m", "m": "N"}
UNITS = {"limit_margin": "", "strain": "1", "strain_margin": "1", "condition": "1", "softest": "N/m"}


Asked = tuple[list[Target], dict[str, np.ndarray]]


Poses: TypeAlias = Mapping[str, ArrayLike] | Sequence[ArrayLike | tuple[ArrayLike, Orientation]]
"""Components by name, numbers or rows; or a list of positions, or of pairs of position and orientation."""


def targets(robot: Kinetostatics, poses: Poses, start: State, *, grid: bool) -> Asked:
    """Poses asked for, in a row, and the axes of their grid if they have one; what is left out is as at the start."""
    home = robot.effector.at(start.q)
    if isinstance(poses, Mapping):
        return _by_name(robot, poses, home, grid=grid)
    found = []
    listed: Any = poses if isinstance(poses, Sequence | np.ndarray) else ()
    for entry in listed:
        pair = isinstance(entry, Sequence | np.ndarray) and len(entry) == 2 and np.ndim(entry[0]) == 1
        position, orientation = entry if pair else (entry, None)
        found.append(robot.effector.target(position, orientation, home))
    if not found:
        raise OptionError(f"poses={poses!r:.60}: none was given. {FORMS}")
    return found, {}


def _by_name(robot: Kinetostatics, poses: Mapping[str, Any], home: Target, *, grid: bool) -> Asked:
    for name in poses:
        if name not in robot.effector.axes:
            raise OptionError(f"poses: {name!r} is no part of a pose. {nearest(str(name), robot.effector.axes)}")
    values = {name: _row(name, value) for name, value in poses.items()}
    fixed = {name: float(value) for name, value in values.items() if value.ndim == 0}
    axes = {name: value for name, value in values.items() if value.ndim == 1}
    if not axes or not (grid or len({value.size for value in axes.values()}) == 1):
        raise OptionError(f"poses: {', '.join(poses)}: give {'a row' if grid else 'rows of equal length'} of values.")
    rows = product(*axes.values()) if grid else zip(*axes.values(), strict=True)
    found = [robot.effector.from_numbers(fixed | dict(zip(axes, map(float, row), strict=True)), home) for row in rows]
    return found, axes if grid else {}


def _row(name: str, value: Any) -> np.ndarray:
    try:
        row = np.asarray(value, float)
    except (TypeError, ValueError):
        row = np.empty(0)
    if row.ndim > 1 or not row.size or not np.all(np.isfinite(row)):
        raise OptionError(f"poses: {name}={value!r}: give a finite number or a row of them.")
    return row


def table(
    robot: Kinetostatics,
    found: Sequence[Pose | None],
    asked: Sequence[Target],
    axes: Mapping[str, np.ndarray],
    dims: tuple[str, ...],
) -> xr.Dataset:
    """One entry for every pose asked for, along the dimensions ``dims``."""
    shape = tuple(axes[name].size for name in dims) if axes else (len(found),)
    motors = len(robot.motors)

    def column(value: Any, *more: int) -> np.ndarray:
        rows = [np.full(more, np.nan) if pose is None else value(pose) for pose in found]
        return np.array(rows, float).reshape(*shape, *more)

    limit = np.inf if robot.strain_limit is None else robot.strain_limit
    unit = signal_units(robot.system, robot.motors[0])
    numbers = {
        "limit_margin": column(lambda pose: pose.limit_margin),
        "strain": column(lambda pose: pose.strain),
        "strain_margin": column(lambda pose: limit - pose.strain),
        "condition": column(lambda pose: pose.condition),
        "softest": column(lambda pose: pose.softest),
    }
    reachable = np.array([pose is not None for pose in found]).reshape(shape)
    stable = np.array([pose is not None and pose.stable is True for pose in found]).reshape(shape)
    usable = reachable & stable & (numbers["limit_margin"] >= 0.0) & (numbers["strain_margin"] >= 0.0)
    variables: dict[str, Any] = {
        "reachable": (dims, reachable),
        "stable": (dims, stable),
        "usable": (dims, usable),
        **{name: (dims, values, NOT_FOUND | {"units": UNITS[name] or unit or ""}) for name, values in numbers.items()},
        "motor": ((*dims, "motor_name"), column(lambda pose: pose.motors, motors), NOT_FOUND | {"units": unit or ""}),
        "torque": (
            (*dims, "motor_name"),
            column(lambda pose: pose.torques, motors),
            NOT_FOUND | {"units": TORQUE_UNITS.get(unit or "", "")},
        ),
        "position": ((*dims, "axis"), np.array([each.position for each in asked]).reshape(*shape, -1), {"units": "m"}),
        "rotation": (
            (*dims, "turn_axis"),
            np.array([np.atleast_1d(each.rotation) for each in asked]).reshape(*shape, -1),
            {"units": "rad"},
        ),
    }
    spatial = robot.system.space.quaternions
    coords = {
        **axes,
        "motor_name": list(robot.motors),
        "axis": list(robot.system.space.axes),
        "turn_axis": list("xyz") if spatial else ["z"],
    }
    return xr.Dataset(variables, coords)
