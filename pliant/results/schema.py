"""Names, dimensions and units of the variables in a result, and the checks every result must pass.

The table for readers is at the top of `result.py`; a test keeps the two together. Variables of forces are declared by
the forces (`Load.results`), with units and the dimension of their names (the attribute `listed_along`).
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

import numpy as np

from pliant._lazy import ANALYSES as GROUP
from pliant._lazy import entries, loaded
from pliant._libraries import xarray as xr
from pliant.errors import PliantError


class ResultError(PliantError, ValueError):
    """Error: the numbers for a result are invalid (NaN, missing labels, wrong dimensions)."""


# name: (dimensions after the optional leading one, which is time for a motion and point for a path; units)
VARIABLES: dict[str, tuple[tuple[str, ...], str]] = {
    "position": (("marker", "axis"), "m"),
    "velocity": (("marker", "axis"), "m/s"),
    "acceleration": (("marker", "axis"), "m/s²"),
    "angle": (("body",), "rad"),
    "orientation": (("body", "quaternion"), "1"),
    "rotation": (("body", "axis"), "rad"),
    "marker_angle": (("marker",), "rad"),
    "marker_orientation": (("marker", "quaternion"), "1"),
    "angular_velocity": (("body",), "rad/s"),
    "shape": (("station", "axis"), "m"),
    "resultant": (("section", "component"), "N, N, N m"),
    "channel_tension": (("channel_place",), "N"),
    "sleeve_angle": (("sleeve_place",), "rad"),
    "reaction": (("joint", "wrench"), "N, N, N m"),
    "joint_reaction": (("joint", "wrench"), "N, N, N m"),
    "joint_angle": (("joint",), "rad"),
    "joint_rate": (("joint",), "rad/s"),
    "joint_travel": (("joint",), "m"),
    "joint_speed": (("joint",), "m/s"),
    "drive_effort": (("joint",), "N"),
    "drive_power": (("joint",), "W"),
    "motor_torque": (("motor",), "N m"),
    "motor_power": (("motor",), "W"),
    "energy": (("energy_kind",), "J"),
    "ground_position": (("ground", "axis"), "m"),
    "frequency_hz": (("mode",), "Hz"),
    "damping_ratio": (("mode",), "1"),
    "eigenvalue": (("mode",), "1/s"),
    "modal_mass": (("mode",), "kg"),
    "mode_shape": (("mode", "station", "axis"), "m"),
    "mode_position": (("mode", "marker", "axis"), "m"),
    "event_shape": (("event", "station", "axis"), "m"),
    "open_ends": (("open_joint", "end", "axis"), "m"),
}

_SIX = "N, N, N, N m, N m, N m"

# differences in space, where `axis` is x, y, z
IN_SPACE: dict[str, tuple[tuple[str, ...], str]] = {
    "angular_velocity": (("body", "axis"), "rad/s"),
    "resultant": (("section", "component"), _SIX),
    "reaction": (("joint", "wrench"), _SIX),
    "joint_reaction": (("joint", "wrench"), _SIX),
}

# dimension: the analysis whose results have it
ANALYSES = {"mode": "pl.modal", "time": "pl.transient", "point": "pl.path", "event": "pl.path"}

# dimension: its labels in the plane, and in space
LABELS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "axis": (("x", "y"), ("x", "y", "z")),
    "quaternion": ((), ("w", "x", "y", "z")),
    "component": (("N", "V", "M"), ("N", "Vy", "Vz", "T", "My", "Mz")),
    "wrench": (("Fx", "Fy", "M"), ("Fx", "Fy", "Fz", "Mx", "My", "Mz")),
}

# dimension: coordinates that must lie along it, the first of them a label (unique) when it bears the dimension's name
COORDINATES: dict[str, tuple[str, ...]] = {
    "time": ("time",),
    "point": ("point", "parameter", "arclength", "unstable_directions", "stable"),
    "event": ("event_kind", "event_parameter", "event_point"),
    "mode": ("mode",),
    "marker": ("marker",),
    "body": ("body",),
    "joint": ("joint",),
    "motor": ("motor",),
    "ground": ("ground",),
    "open_joint": ("open_joint",),
    "axis": ("axis",),
    "quaternion": ("quaternion",),
    "component": ("component",),
    "wrench": ("wrench",),
    "energy_kind": ("energy_kind",),
    "station": ("part", "part_kind", "s"),
    "section": ("beam", "section_s"),
    "channel_place": ("channel", "channel_s"),
    "sleeve_place": ("sleeve", "sleeve_s"),
}

COORDINATE_UNITS = {"time": "s"}
UNIT = 1e-6  # how much the length of a quaternion may differ from one
LINE_KINDS = ("beam", "rigid", "line")
PART_KINDS = (*LINE_KINDS, "outline", "edge", "rod", "tube", "rail", "wall", "stroke")

EVENT_KINDS = ("limit point", "bifurcation", "flutter", "end of flutter")

# kind of result: the dimension it must have
KINDS: dict[str, str | None] = {
    "sketch": None,
    "statics": None,
    "modes": "mode",
    "motion": "time",
    "path": "point",
    "sweep": "frequency_hz",
    "campbell": "rate",
    "basins": None,
    "trials": "run",
    "study": None,
    "workspace": None,
    "trajectory": "pose",
    "optimisation": "evaluation",
    "uncertainty": None,
}
STUDIES = (
    "sweep",
    "campbell",
    "basins",
    "trials",
    "study",
    "workspace",
    "trajectory",
    "optimisation",
    "uncertainty",
)  # of many motions or poses: they name their variables freely


def declare(kind: str, *, along: str | None = None, **variables: tuple[tuple[str, ...], str]) -> None:
    """Add a kind of result, for an analysis of another package.

    along      the dimension that such a result must have, if any
    variables  those that it has beside variables of pliant: dimensions after that one, and units

    >>> declare("drop", lowest_height=((), "m"))
    """
    for name, stated in variables.items():
        if VARIABLES.get(name, stated) != stated:
            raise ResultError(f"{kind}: a variable {name} of results is {VARIABLES[name]} already; choose another name")
    if KINDS.get(kind, along) != along:
        raise ResultError(f"a kind of result {kind!r} along {KINDS[kind]!r} exists already; choose another name")
    KINDS[kind] = along
    VARIABLES.update(variables)


def checked(data: xr.Dataset, kind: str) -> xr.Dataset:
    """Return a shallow copy of `data` with units filled in; ResultError names the first defect."""
    return completed(data.copy(), kind)


def completed(data: xr.Dataset, kind: str, *, whole: bool = True) -> xr.Dataset:
    """Fill in the units of data that nobody else holds, whole or a part. Raises as `checked` does."""
    if kind not in KINDS:
        for entry in entries(GROUP):  # the module of one may declare it
            loaded(entry, "its kinds of results are not known")
    if kind not in KINDS:
        raise ResultError(f"a result cannot be of kind {kind!r}; the kinds are {', '.join(KINDS)}")
    needed, sizes, indexes = KINDS[kind], data.sizes, data.xindexes
    if whole and needed is not None and needed not in sizes:
        raise ResultError(f"a {kind} result needs the dimension {needed!r}; it has {', '.join(map(str, sizes))}")
    in_space = is_spatial(data)
    known = {} if kind in STUDIES else VARIABLES | IN_SPACE if in_space else VARIABLES
    for dimension in map(str, sizes):
        index = indexes[dimension].to_pandas_index() if dimension in indexes else None
        if index is None and dimension in data.variables:
            index = data.variables[dimension].to_index()
        _check_labels(data, dimension, index, in_space)
    if "time" in sizes and np.any(np.diff(data.variables["time"].values) <= 0.0):
        raise ResultError("times of a result must increase strictly")
    if "part_kind" in data.coords and not (held := set(data.variables["part_kind"].values.tolist())) <= set(PART_KINDS):
        raise ResultError(f"part_kind may hold {', '.join(PART_KINDS)}, not {sorted(held)}")
    if whole and "event" in sizes:
        _check_events(data)
    for name, variable in data.variables.items():
        _check_variable(str(name), variable, known, data.coords)
        units = known[str(name)][1] if name in known else COORDINATE_UNITS.get(str(name))
        if units is not None:
            variable.attrs.setdefault("units", units)
    return data


def is_spatial(data: xr.Dataset) -> bool:
    """Return whether a result is of a spatial model: one of its dimensions has a length found only in space."""
    sizes = data.sizes
    return any(sizes.get(name) == len(in_space) for name, (_, in_space) in LABELS.items())


def _check_labels(data: xr.Dataset, dimension: str, index: Any, in_space: bool) -> None:
    """Check the labels along a dimension: all needed ones, each once. ``index``: the dimension's own, or None."""
    for name in COORDINATES.get(dimension, ()):
        if name not in data.coords or data.variables[name].dims != (dimension,):
            raise ResultError(f"dimension {dimension!r} of a result needs the coordinate {name!r} along it")
    if index is not None and not index.is_unique:
        raise ResultError(f"labels along {dimension!r} must differ; {index[index.duplicated()][0]!r} occurs twice")
    if dimension in LABELS:
        labels, wanted = () if index is None else tuple(index), LABELS[dimension][in_space]
        if labels != wanted:
            where, got = "in space" if in_space else "in the plane", ", ".join(map(str, labels))
            raise ResultError(f"labels along {dimension!r} {where} are {', '.join(wanted) or 'none'}; not {got}")


def _check_events(data: xr.Dataset) -> None:
    """Check that the events of a path are of a known kind, each at one of its points."""
    unknown = sorted(set(data["event_kind"].values.tolist()) - set(EVENT_KINDS))
    if unknown:
        raise ResultError(f"an event of a path may be a {', '.join(EVENT_KINDS)}; not {unknown[0]!r}")
    points, count = data["event_point"].values, data.sizes.get("point", 0)
    if np.any((points < 0) | (points >= count)):
        raise ResultError(f"event_point must number the points of the path, 0 to {count - 1}; it is {points.tolist()}")


def _check_variable(
    name: str, variable: xr.Variable, known: dict[str, tuple[tuple[str, ...], str]], labels: Container[Any]
) -> None:
    if name in known:
        dims = known[name][0]
        if variable.dims[-len(dims) :] != dims or variable.ndim > len(dims) + 1:
            raise ResultError(
                f"{name} has dimensions {variable.dims}; it must have {dims}, or time or point before them"
            )
    along = variable.attrs.get("listed_along")
    if along and (variable.dims[-1:] != (along,) or variable.ndim > 2 or along not in labels):
        raise ResultError(
            f"{name} has dimensions {variable.dims}; it must have {(along,)}, labelled by names of parts, or time or "
            "point before it"
        )
    if variable.dtype.kind in "fc" and "nan_means" not in variable.attrs:
        bad = ~np.isfinite(variable.values)
        if bad.any():
            first = tuple(int(i) for i in np.argwhere(bad)[0])
            where = ", ".join(f"{dim} {i}" for dim, i in zip(variable.dims, first, strict=True))
            raise ResultError(
                f"{name} holds {variable.values[first]} at {where or 'its only place'} ({bad.sum()} such values); "
                "a result must be finite, unless the attribute 'nan_means' of the variable says what NaN stands for"
            )
    turning = name in ("orientation", "marker_orientation")
    if turning and np.any(np.abs(np.linalg.norm(variable.values, axis=-1) - 1.0) > UNIT):
        raise ResultError(f"{name} holds quaternions (w, x, y, z), whose length must be 1")


def events(data: xr.Dataset) -> list[tuple[str, float, int]]:
    """Return kind, parameter and point of every event of a path."""
    if "event" not in data.sizes:
        return []
    return list(zip(*(data[name].values.tolist() for name in COORDINATES["event"]), strict=True))


def parameter_label(data: xr.Dataset) -> tuple[str, str]:
    """Return words for the parameter of a path, and its units: ("rest length of tendon", "m")."""
    return parameter_words(data["parameter"].attrs)


def parameter_words(attrs: Mapping[Any, Any]) -> tuple[str, str]:
    """Return words and units for the attributes of a parameter."""
    part, slash, quantity = str(attrs.get("name", "parameter")).rpartition("/")
    words = quantity.replace("_", " ")
    return f"{words} of {part}" if slash else words, str(attrs.get("units", "1"))


def format_value(value: float, units: str, form: str = ".6g") -> str:
    """Format a value with its units."""
    return f"{value:{form}}" if units == "1" else f"{value:{form}} {units}"


def units_of(array: xr.DataArray, label: str | None = None) -> str:
    """Return the units of a variable, or of one component of it if components differ ("N, N, N m")."""
    units = str(array.attrs.get("units", "1")).split(", ")
    if len(units) == 1 or label is None:
        return units[0]
    return units[array[array.dims[-1]].values.tolist().index(label)]


def analysis_of(name: str) -> str:
    """Return the analysis whose results alone have a variable or coordinate of that name; empty if unknown.

    >>> analysis_of("frequency_hz"), analysis_of("arclength"), analysis_of("position")
    ('pl.modal', 'pl.path', '')
    """
    along = [*VARIABLES.get(name, ((), ""))[0], *(each for each, names in COORDINATES.items() if name in names)]
    return next((ANALYSES[each] for each in along if each in ANALYSES), "")
