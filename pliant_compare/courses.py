"""Courses: quantities of results that can be compared, by names common to plane and space, along time or a path.

Quantities in space are converted to planar ones where possible: ``rotation:crank:z`` is ``angle:crank`` there. Those
without counterpart are left out, and so are modes that leave the plane.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from pliant.errors import OptionError
from pliant.results.quantities import Quantity, along, quantities
from pliant.results.result import Result
from pliant.results.schema import events, units_of

LEFT_OUT = (
    "velocity", "angular_velocity", "line_rate", "acceleration", "momentum", "energy", "reaction", "resultant",
    "orientation", "marker_orientation", "eigenvalue", "modal_mass", "effective_mass",
    "joint_angle", "joint_rate", "joint_travel", "joint_speed", "drive_effort", "drive_power",
    "joint_reaction", "motor_torque", "motor_power",
)  # fmt: skip
"""Kinds of quantities that are compared on demand only: they follow from others, or methods differ most there."""
IN_PLANE = {
    "rotation": {"z": ""},
    "angular_velocity": {"z": ""},
    "resultant": {"N": "N", "Vy": "V", "Mz": "M"},
    "reaction": {"Fx": "Fx", "Fy": "Fy", "Mz": "M"},
    "orientation": {},
    "marker_orientation": {},
    "effective_mass": {"x": "x", "y": "y"},
}
KINDS = {"marker_angle": "angle", "line_length": "position", "gap": "position"}
"""Of which kind a quantity is that has another name."""
AXES = {"x": "x", "y": "y"}
SAME = 1e-9  # of the largest: places closer than this are equal
OUT_OF_PLANE = 0.5  # of a mode's squared displacements
TWISTED = 1e2  # ratio to the axes' displacements: edges of sections, which are drawn, move more only if beams twist
TURN = 2.0 * np.pi
STILL = 1e-6


class Course(NamedTuple):
    """A quantity at the places ``x`` (time, parameter of a path); one value without places."""

    units: str
    x: np.ndarray
    values: np.ndarray

    @property
    def last(self) -> float:
        """Return the last value."""
        return float(self.values[-1])

    @property
    def size(self) -> float:
        """Return the range of the values, or the size of a single value."""
        return float(np.ptp(self.values) if self.values.size > 1 else abs(self.values[0]))


def courses(result: Result, *, everything: bool = False, in_plane: bool = False) -> dict[str, Course]:
    """Return all quantities by name. ``in_plane``: planar names for a planar model computed in space."""
    if result.kind == "modes":
        found = _modes(result, in_plane)
    else:
        found = list(quantities(result))
        found += _events(result) if result.kind == "path" else []
    x = _places(result)
    named: dict[str, Course] = {}
    for each in found:
        name = _planar(each.name) if in_plane else each.name
        if name is None or (name.partition(":")[0] in LEFT_OUT and not everything):
            continue
        values = np.atleast_1d(np.real(each.values)).astype(float)
        if each.units == "rad" and values.size > 1:
            values = np.unwrap(values)
        named[name] = Course(each.units, x if values.size == x.size else np.zeros(values.size), values)
    return named


def kind(name: str) -> str:
    """Return the kind of a quantity: all lengths, all angles. Every frequency and event is its own."""
    first = name.partition(":")[0]
    if first in ("frequency_hz", "event"):
        return name
    return KINDS.get(first, first)


def vector(name: str) -> str:
    """Return the vector of a component: ``position:tip`` for ``position:tip:x``; otherwise the name."""
    first, _, last = name.rpartition(":")
    return first if last in ("x", "y", "z") else name


def scales(found: Mapping[str, Course]) -> dict[str, float]:
    """Return the references of differences, by name: the range of all quantities of a kind. Less than a millionth of
    their size (of a radian) is no motion; damping ratios have the reference 1.
    """
    sizes: dict[str, float] = {}
    for name, each in found.items():
        still = STILL * float(np.max(np.abs(each.values)))
        least = {"rad": STILL}.get(each.units, max(still, 1e-300))
        size = 1.0 if kind(name) == "damping_ratio" else max(each.size, least)
        sizes[kind(name)] = max(sizes.get(kind(name), 0.0), size)
    return {name: sizes[kind(name)] for name in found}


def apart(one: Course, other: Course) -> tuple[np.ndarray, np.ndarray]:
    """Return places and differences, the other less the one, where both are known.

    If places differ, the denser course is interpolated by splines to the other's. If one turns back (a path past a
    limit point), the last values are compared. Angles are compared modulo whole turns.
    """
    x, a, y, b = one.x, one.values, other.x, other.values
    if x.shape == y.shape and np.allclose(x, y, rtol=0.0, atol=SAME * max(1.0, float(np.max(np.abs(x))))):
        return x, _turned(b - a, one.units)
    if min(x.size, y.size) < 2 or np.any(np.diff(x) <= 0.0) or np.any(np.diff(y) <= 0.0):
        return x[-1:], _turned(b[-1:] - a[-1:], one.units)
    inside = _common(x, y)
    from scipy.interpolate import CubicSpline

    at = (x if x.size <= y.size else y)[inside]
    one_there = a[inside] if x.size <= y.size else CubicSpline(x, a)(at)
    other_there = CubicSpline(y, b)(at) if x.size <= y.size else b[inside]
    return at, _turned(other_there - one_there, one.units)


def _common(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the places of the coarser of two courses that both cover."""
    coarse, fine = sorted((x, y), key=len)
    slack = SAME * (fine[-1] - fine[0])
    inside: np.ndarray = (coarse >= fine[0] - slack) & (coarse <= fine[-1] + slack)
    if not inside.any():
        raise OptionError("compare: the motions have no instant in common.")
    return inside


def _turned(difference: np.ndarray, units: str) -> np.ndarray:
    return difference - TURN * np.round(difference[0] / TURN) if units == "rad" else difference


def _places(result: Result) -> np.ndarray:
    main = along(result)
    if main in (None, "mode"):
        return np.zeros(1)
    return np.asarray(result.data["parameter" if main == "point" else main].values, float)


def _modes(result: Result, in_plane: bool) -> list[Quantity]:
    """Return one quantity for each mode; damping ratios if they were computed."""
    data, modes = result.data, np.arange(result.data.sizes["mode"])
    if in_plane:
        axes, drawn = np.abs(result.mode_shape.values) ** 2, np.abs(data["mode_shape"].values) ** 2
        out = axes[..., 2].sum(axis=1) >= OUT_OF_PLANE * axes.sum(axis=(1, 2))
        edges = drawn[:, data["part_kind"].values == "edge"]
        twisted = edges.max(axis=(1, 2), initial=0.0) > TWISTED * axes.max(axis=(1, 2))
        modes = modes[~(out | twisted)]
    return [
        Quantity(f"{each.name}:{number + 1}", each.units, each.values[mode])
        for each in quantities(result)
        for number, mode in enumerate(modes)
    ]


def _events(result: Result) -> Iterator[Quantity]:
    """Yield the points where a path turns or branches."""
    units, times = units_of(result.data["parameter"]), dict[str, int]()
    for word, value, _ in events(result.data):
        times[word] = times.get(word, 0) + 1
        yield Quantity(f"event:{word}:{times[word]}", units, np.array(value))


def _planar(name: str) -> str | None:
    """Return the planar name of a quantity in space; None without one."""
    first, *labels = name.split(":")
    if first in ("position", "velocity", "acceleration"):
        return name if labels[-1] in AXES else None
    if first not in IN_PLANE:
        return name
    said = IN_PLANE[first].get(labels[-1])
    if said is None:
        return None
    return ":".join([{"rotation": "angle"}.get(first, first), *labels[:-1], *([said] if said else [])])
