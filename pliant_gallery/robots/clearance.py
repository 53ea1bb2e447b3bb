"""Clearance of a spatial robot's leaves, as strips with width and thickness.

A leaf is a ruled surface: its centre line, a cubic through the places and tangents in a result (`legs.STATIONS`), and
across it straight lines as wide as the leaf. The distance of two leaves is the least distance of two such lines, found
on a grid of lines, and then on ever finer ones around the nearest pair. Cranks, tendons and platform are not checked.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from pliant._libraries import xarray as xr
from pliant.errors import ModelError, PartsTouch, warn
from pliant.model import rotations
from pliant.results import Result
from pliant_gallery.robots.legs import STATIONS, LeafLeg
from pliant_gallery.robots.robot import Robot

LINES = 25  # across a leaf, of every grid
ZOOMS = 4  # each a twelfth as wide as the one before
LABELS = ("base", "@0.25", "@0.5", "@0.75", "tip")


def clearance(robot: Robot, result: Result) -> xr.DataArray:
    """Return distances between the surfaces of every two leaves (m), over ``pair`` and the result's time or point.

    Zero if they touch or pass through each other, with a warning (`PartsTouch`). The centre lines between the stations
    of a leaf bent like PACOMA's are off by 0.2 mm at most.
    """
    kinds = {k: leg.kind for k, leg in enumerate(robot.legs, 1) if isinstance(leg.kind, LeafLeg)}
    if not robot.spatial or len(kinds) < 2:
        raise ModelError(
            f'Robot "{robot.name}": clearance is for leaves in space, of which it has '
            f"{len(kinds) * robot.spatial}; give a spatial robot with two leaves at least."
        )
    leaves = {k: _Leaf(kind, k, result) for k, kind in kinds.items()}
    lead, pairs = next(iter(leaves.values())).lead, list(combinations(kinds, 2))
    steps = range(next(iter(leaves.values())).places.shape[0])
    found = np.array([[_apart(leaves[i], leaves[j], step) for step in steps] for i, j in pairs])
    names = [f"leaf {i}, leaf {j}" for i, j in pairs]
    data = xr.DataArray(
        found if lead else found[:, 0],
        dims=("pair", *lead),
        coords={"pair": names} | {dim: result.data[dim] for dim in lead if dim in result.data.coords},
        attrs={"units": "m", "long_name": "clearance"},
    )
    _warn_if_touching(robot, data)
    return data


def _warn_if_touching(robot: Robot, data: xr.DataArray) -> None:
    least = data.min([dim for dim in data.dims if dim != "pair"])
    touching = [str(name) for name, value in zip(least.pair.values, least.values, strict=True) if value <= 0.0]
    if touching:
        warn(
            PartsTouch,
            f'Robot "{robot.name}": {"; ".join(touching[:3])}{" and others" if len(touching) > 3 else ""} touch or '
            'pass through each other: 0 m apart. Let the leaves bow to the other side (LeafLeg(bow="out")), make them '
            "narrower, or set the legs further apart.",
        )


class _Leaf:
    """Centre line and width of one leaf at every time or point of a result."""

    def __init__(self, kind: LeafLeg, number: int, result: Result) -> None:
        markers = [f"leaf {number}{'' if end.startswith('@') else '/'}{end}" for end in LABELS]
        places = result.position.sel(marker=markers)
        self.lead = tuple(str(dim) for dim in places.dims if dim not in ("marker", "axis"))
        turns = result.marker_orientation.sel(marker=markers).transpose(*self.lead, "marker", "quaternion").values
        self.places = places.transpose(*self.lead, "marker", "axis").values.reshape(-1, len(markers), 3)
        quaternions = turns.reshape(-1, len(markers), 4)
        self.tangents = kind.length * rotations.rotate(quaternions, np.array([1.0, 0.0, 0.0]))
        self.across = 0.5 * kind.width * rotations.rotate(quaternions, np.array([0.0, 0.0, 1.0]))
        self.half = 0.5 * kind.thickness

    def lines(self, step: int, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return middles and half widths (n, 3) of the lines across the leaf at fractions s of its length."""
        knots = np.array(STATIONS)
        k = np.clip(np.searchsorted(knots, s, side="right") - 1, 0, knots.size - 2)
        h = knots[k + 1] - knots[k]
        x = ((s - knots[k]) / h)[:, None]
        r, t, w = self.places[step], h[:, None] * self.tangents[step][k], self.across[step]
        t_next = h[:, None] * self.tangents[step][k + 1]
        middle = (1 + 2 * x) * (1 - x) ** 2 * r[k] + x * (1 - x) ** 2 * t
        middle += x**2 * (3 - 2 * x) * r[k + 1] + x**2 * (x - 1) * t_next
        return middle, (1 - x) * w[k] + x * w[k + 1]


def _apart(one: _Leaf, other: _Leaf, step: int) -> float:
    """Return the least distance of two leaves' surfaces."""
    middle, reach, best = np.array([0.5, 0.5]), 0.5, np.inf
    for _ in range(ZOOMS):
        s = np.clip(middle[:, None] + reach * np.linspace(-1.0, 1.0, LINES), 0.0, 1.0)
        apart = _segments(*one.lines(step, s[0]), *other.lines(step, s[1]))
        i, j = np.unravel_index(np.argmin(apart), apart.shape)
        middle, reach, best = np.array([s[0, i], s[1, j]]), reach / 12.0, min(best, float(apart[i, j]))
    return max(0.0, best - one.half - other.half)


def _segments(p: np.ndarray, u: np.ndarray, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return (n, m) least distances of lines p + a u and q + b v with a, b within [-1, 1].

    The squared distance is convex in (a, b): its minimum is inside, or on one of four sides.
    """
    w = p[:, None] - q[None]
    uu, vv, uv = np.sum(u * u, 1)[:, None], np.sum(v * v, 1)[None], u @ v.T
    uw, vw = np.einsum("ik,ijk->ij", u, w), np.einsum("jk,ijk->ij", v, w)

    def along_u(b: np.ndarray | float) -> np.ndarray:
        return np.clip((uv * b - uw) / uu, -1.0, 1.0)

    def along_v(a: np.ndarray | float) -> np.ndarray:
        return np.clip((uv * a + vw) / vv, -1.0, 1.0)

    inside = np.clip((uv * vw - uw * vv) / np.maximum(uu * vv - uv**2, 1e-300), -1.0, 1.0)
    candidates = [(inside, along_v(inside))]
    candidates += [(np.full_like(uw, end), along_v(end)) for end in (-1.0, 1.0)]
    candidates += [(along_u(end), np.full_like(uw, end)) for end in (-1.0, 1.0)]
    squares = [np.sum((w + a[..., None] * u[:, None] - b[..., None] * v[None]) ** 2, axis=2) for a, b in candidates]
    return np.asarray(np.sqrt(np.min(squares, axis=0)))
