"""How much room a robot has: how far its platform goes from a pose, in every direction, until something stops it.

    area = 1/2 integral of r^2,   volume = 1/3 integral of r^3      over directions of rays from the centre

Gauss and Legendre along z, equal angles about it. A ray ends where the first of the margins vanishes, which lies
between two poses and is found by a cubic through four of them: so the room changes smoothly with the robot, and can be
a goal of `optimise`, as a count of poses cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from pliant.analyses.common import numbers, whole
from pliant.analyses.poses.pose import Pose
from pliant.errors import OptionError
from pliant.results import Result

if TYPE_CHECKING:
    from pliant.analyses.poses.robot import Kinetostatics

FINER = 8  # poses between two of which only the first is reached
LEVELS = 3  # how often

Edge = tuple[float, str]


@dataclass(frozen=True)
class Room:
    """How far a platform can move from a pose in every direction, with constant orientation.

    centre   where the rays begin (m)
    ways     (rays, axes) their directions
    radii    (rays,) how far they go (m)
    stopped  what ends each ray: "motor limits", "strain", "stability", "condition", "reach" (nothing stopped it), "no
             pose"
    weights  (rays,) angle that each ray represents; their sum is 2 pi in the plane, 4 pi in space

    >>> Room(np.zeros(2), np.eye(2), np.ones(2), ("reach",) * 2, np.full(2, np.pi)).size.__round__(4)  # a circle
    3.1416
    """

    centre: np.ndarray
    ways: np.ndarray
    radii: np.ndarray
    stopped: tuple[str, ...]
    weights: np.ndarray

    @property
    def size(self) -> float:
        """Return the volume (m^3), in the plane the area (m^2)."""
        axes = self.centre.size
        return float(self.weights @ self.radii**axes) / axes

    @property
    def ends(self) -> np.ndarray:
        """Return the (rays, axes) ends of the rays (m)."""
        return np.asarray(self.centre + self.radii[:, None] * self.ways)


def explore(
    robot: Kinetostatics,
    start: Pose,
    load: Mapping[str, float],
    *,
    reach: float,
    steps: int,
    condition: float,
    rays: int,
    symmetry: int,
) -> Room:
    """Explore the free range; see `Kinetostatics.room`."""
    for name, value in (("steps", steps), ("rays", rays), ("symmetry", symmetry)):
        whole(name, value)
    for name, given, least in (("reach", reach, 0.0), ("condition", condition, 1.0)):
        numbers(name, given, 1, "a finite number")
        if not given > least:
            raise OptionError(f"{name}={given!r}: give a number above {least:g}.")
    if steps < 4 or rays < 3:
        raise OptionError(f"steps={steps}, rays={rays}: give 4 steps and 3 rays at least.")
    centre = np.asarray(start.position, float)
    ways, weights = _directions(centre.size, rays, symmetry)
    found = [
        _edge(partial(robot.follow, load=load, start=start), way * reach, steps, condition, centre) for way in ways
    ]
    return Room(centre, ways, reach * np.array([r for r, _ in found]), tuple(why for _, why in found), weights)


def _directions(axes: int, rays: int, symmetry: int) -> tuple[np.ndarray, np.ndarray]:
    """Return directions in the first of ``symmetry`` equal parts, and the share of each in the whole. ``rays``: about
    z, all around; in space half as many rows of them.
    """
    around = max(1, -(-rays // symmetry))
    angle = 2.0 * np.pi * (np.arange(around) + 0.5) / (around * symmetry)
    flat, share = np.stack([np.cos(angle), np.sin(angle)], axis=1), 2.0 * np.pi / around
    if axes == 2:
        return flat, np.full(around, share)
    height, weight = np.polynomial.legendre.leggauss(max(2, rays // 2))
    out = np.sqrt(1.0 - height**2)
    ways = [np.column_stack([r * flat, np.full(around, z)]) for r, z in zip(out, height, strict=True)]
    return np.concatenate(ways), np.repeat(weight, around) * share


def _edge(
    follow: Callable[[np.ndarray], Result], way: np.ndarray, steps: int, condition: float, centre: np.ndarray
) -> Edge:
    """Return the end of a ray, as a part of its length, and its reason."""
    step = 1.0 / steps
    places, why, far = step * np.arange(steps + 1), "no pose", 0.0
    for level in range(LEVELS):
        run = follow(centre + places[:, None] * way)
        margins = _margins(run, condition)
        stable, found = np.asarray(run.raw("stable"), bool), np.asarray(run.raw("reachable"), bool)
        worst = np.min(np.nan_to_num(list(margins.values()), nan=-1.0), axis=0)
        over = np.flatnonzero(~(stable & found & (worst >= 0.0)))
        if not over.size:
            return 1.0, "reach"
        k = int(over[0])
        if not k:
            return 0.0, _reason(margins, k) if found[k] and stable[k] else "no pose"
        if found[k] and stable[k] and level:
            why, last = _reason(margins, k), slice(max(k - 3, 0), k + 1)
            return _crossing(places[last], margins[why][last]), why
        far, why = float(places[k - 1]), "stability" if found[k] else "no pose"
        step /= FINER
        places = np.concatenate([places[:k], far + step * np.arange(1, FINER + 1)])
    return far, why


def _reason(margins: dict[str, np.ndarray], k: int) -> str:
    return min(margins, key=lambda name: float(margins[name][k]))


def _margins(run: Result, condition: float) -> dict[str, np.ndarray]:
    """Return the margins of all poses, by what may stop them: each vanishes at its limit."""
    return {
        "motor limits": np.asarray(run.raw("limit_margin")),
        "strain": np.asarray(run.raw("strain_margin")),
        "condition": 1.0 / np.asarray(run.raw("condition")) - 1.0 / condition,
    }


def _crossing(places: np.ndarray, margins: np.ndarray) -> float:
    """Return the place where a margin vanishes between the last two of up to four places: on the polynomial through
    all.
    """
    from scipy.interpolate import BarycentricInterpolator
    from scipy.optimize import brentq

    if places.size == 1:
        return 0.0
    return float(brentq(BarycentricInterpolator(places, margins), places[-2], places[-1]))
