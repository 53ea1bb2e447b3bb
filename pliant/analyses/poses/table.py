"""Poses of a robot as the labelled table of `workspace` and `follow`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant._libraries import xarray as xr
from pliant.analyses.common import signal_units
from pliant.analyses.poses.columns import Columns
from pliant.analyses.poses.targets import Targets
from pliant.results.lazy_arrays import Pending

if TYPE_CHECKING:
    from pliant.analyses.poses.robot import Kinetostatics

NOT_FOUND = {"nan_means": "the pose was not reached, or not computed"}
TORQUE_UNITS = {"rad": "N m", "m": "N"}
UNITS = {"limit_margin": "", "strain": "1", "strain_margin": "1", "condition": "1", "softest": "N/m"}


def table(
    robot: Kinetostatics,
    found: Columns,
    places: Targets,
    axes: Mapping[str, np.ndarray],
    dims: tuple[str, ...],
) -> Pending:
    """Return a table with one entry for every pose, along the dimensions ``dims``."""
    shape = tuple(axes[name].size for name in dims) if axes else (len(places),)
    limit = np.inf if robot.strain_limit is None else robot.strain_limit
    unit = signal_units(robot.system, robot.motors[0])
    numbers = {
        "limit_margin": found.limit_margin.reshape(shape),
        "strain": found.strain.reshape(shape),
        "strain_margin": limit - found.strain.reshape(shape),
        "condition": found.condition.reshape(shape),
        "softest": found.softest.reshape(shape),
    }
    reachable, stable = found.reached.reshape(shape), found.stable.reshape(shape)
    usable = reachable & stable & (numbers["limit_margin"] >= 0.0) & (numbers["strain_margin"] >= 0.0)
    torque_unit = TORQUE_UNITS.get(unit or "", "")
    along, wide = (*dims, "motor_name"), (*shape, len(robot.motors))
    variables: dict[str, Any] = {
        "reachable": (dims, reachable),
        "stable": (dims, stable),
        "usable": (dims, usable),
        **{name: (dims, values, NOT_FOUND | {"units": UNITS[name] or unit or ""}) for name, values in numbers.items()},
        "motor": (along, found.motors.reshape(wide), NOT_FOUND | {"units": unit or ""}),
        "torque": (along, found.torques.reshape(wide), NOT_FOUND | {"units": torque_unit}),
        "position": ((*dims, "axis"), places.points.reshape(*shape, -1), NOT_FOUND | {"units": "m"}),
        "rotation": ((*dims, "turn_axis"), places.rotations.reshape(*shape, -1), NOT_FOUND | {"units": "rad"}),
    }
    spatial = robot.system.space.quaternions
    coords = {
        **axes,
        "motor_name": list(robot.motors),
        "axis": list(robot.system.space.axes),
        "turn_axis": list("xyz") if spatial else ["z"],
    }
    return Pending(variables, coords, lambda variables, coords: xr.Dataset(variables, coords))
