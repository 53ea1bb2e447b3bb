"""Studies of PACOMA: its rest, one leg in its place, dockings."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

import pliant as pl
from pliant.model import rotations
from pliant_evidence.pacoma import theory
from pliant_gallery import pacoma, robots
from pliant_gallery.leg import LEG
from pliant_gallery.pacoma import docking
from pliant_gallery.pacoma.control import Controlled
from pliant_gallery.robots.pretension import crank_angles

GRAVITY = LEG.gravity


@cache
def standing() -> robots.Pretension:
    """Return the robot without weight, bent by its tendons."""
    return robots.pretension(pacoma.robot(), elements=pacoma.ELEMENTS)


def in_the_plane() -> robots.Robot:
    """Return one leg whose motor and anchor lie in the plane of its crank, as in the thesis: table 5.2 in space."""
    robot = robots.alone(pacoma.robot(), 1)
    foot, anchor = (0.0, LEG.lower_pivot[0], 0.0), (0.0, LEG.upper_length, 0.0)
    return replace(robot, legs=(replace(robot.legs[0], foot=foot, anchor=anchor, turn=0.0),))


class Weighed(NamedTuple):
    """A leg with weight, its platform held, its motor loose."""

    rest: pl.Result
    angle: float  # of the crank (rad)
    tension: float  # N


def weighed(robot: robots.Robot) -> Weighed:
    """Return a robot of one leg: bent by its tendon in the jig, then the weight comes."""
    bent = robots.pretension(robot, elements=pacoma.ELEMENTS)
    held = replace(robot.platform, held=True)
    loose = replace(bent.standing.robot, platform=held, gravity=(0.0, 0.0, -GRAVITY)).loosened([0.0])
    system = pl.compile(loose.model(), elements=pacoma.ELEMENTS)
    way = pl.path(system, "gravity/z", start=bent.bent.equilibrium(-1), begin=0.0, to=-GRAVITY)
    rest = way.equilibrium(-1)
    return Weighed(rest, crank_angles(loose, rest)[0], float(rest.tension[0]))


@cache
def docked(encounter: docking.Encounter, end_time: float = 0.5, step: float = 5e-4) -> tuple[pl.Result, docking.Strike]:
    """Return a docking, and what is read off it."""
    run = docking.dock(encounter, end_time=end_time, step=step)
    return run, docking.strike(encounter, run)


def damped(damping: float, pull: float = 89.0) -> docking.Encounter:
    """Return the docking at 7.5 degrees with a damper (N s/m) and tendons that pull so much (N) along straight leaves.

    The motors turn so that the platform stands where it stood.
    """
    leaf = pacoma.LEAF
    rest_length = leaf.length - pull / leaf.tendon_stiffness
    kind = replace(leaf, tendon_damping=damping, tendon_rest_length=rest_length)
    chord = replace(kind, length=theory.bent(kind).chord)
    return docking.Encounter(kind=kind, home=robots.straightened(pacoma.robot(chord)).legs[0].angle)


def approach(degrees: float, speed: float, kind: robots.LegKind = pacoma.LEAF) -> docking.Encounter:
    """Return a docking with another misalignment and speed (m/s)."""
    target = replace(docking.TARGET, misalignment=np.deg2rad(degrees), speed=speed)
    return docking.Encounter(kind=kind, target=target)


@cache
def controlled(gear: robots.GearedDrive | None = None) -> Controlled:
    """Return the robot with torques at its motors, and controllers for it; `pacoma.GEARED`: with motors as built."""
    return Controlled(gear=gear)


def docked_under(
    controller: Any, end_time: float = 1.0, gear: robots.GearedDrive | None = None
) -> tuple[pl.Result, docking.Strike]:
    """Return the docking at 7.5 degrees with motors that a controller moves; None: they hold their angles."""
    encounter = docking.Encounter(loose=controller is not None, gear=gear)
    law = {} if controller is None else {"controller": controller}
    run = docking.dock(encounter, end_time=end_time, step=5e-4, **law)
    return run, docking.strike(encounter, run)


def yielded(run: pl.Result) -> np.ndarray:
    """Return how far the platform is from where it stands on the chaser (m), in the chaser's axes, over time."""
    platform, base = (run.position.sel(marker=name).values for name in (pacoma.PLATFORM, "base(0, 0)"))
    back = run.marker_orientation.sel(marker="base(0, 0)").values * (1.0, -1.0, -1.0, -1.0)
    place = rotations.rotate(back, platform - base)
    return np.linalg.norm(place - place[0], axis=1)


def settled(damping: float = 150.0) -> tuple[float, float]:
    """Return the height of the platform (m) 4 s after weight came to the weightless robot at once, and in statics."""
    kind = replace(pacoma.LEAF, tendon_damping=damping)
    begun = robots.pretension(pacoma.robot(kind), elements=pacoma.ELEMENTS).standing
    heavy = replace(begun.robot, gravity=(0.0, 0.0, -GRAVITY))
    system = pl.compile(heavy.model(), elements=pacoma.ELEMENTS)
    run = pl.transient(system, start=begun.rest, end_time=4.0, step=2e-3, every=10, spectral_radius=0.8)
    rest = pl.statics(system, start=begun.rest)
    last = run.position.sel(marker=pacoma.PLATFORM, axis="z")
    return float(last[-1]), float(rest.position.sel(marker=pacoma.PLATFORM, axis="z"))
