"""What is asked of PACOMA: its rest, one leg in its place, dockings."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import NamedTuple

import pliant as pl
from pliant import robots
from pliant.gallery import pacoma
from pliant.gallery.leg import LEG
from pliant.robots.pretension import crank_angles

GRAVITY = LEG.gravity


@cache
def standing() -> robots.Pretension:
    """The robot without weight, bent by its tendons."""
    return robots.pretension(pacoma.robot(), elements=pacoma.ELEMENTS)


def in_the_plane() -> robots.Robot:
    """One leg whose motor and anchor lie in the plane of its crank, as those of the thesis: table 5.2 in space."""
    robot = robots.alone(pacoma.robot(), 1)
    foot, anchor = (0.0, LEG.lower_pivot[0], 0.0), (0.0, LEG.upper_length, 0.0)
    return replace(robot, legs=(replace(robot.legs[0], foot=foot, anchor=anchor, turn=0.0),))


class Weighed(NamedTuple):
    """A leg with weight, its platform held, its motor loose."""

    rest: pl.Result
    angle: float  # of the crank (rad)
    tension: float  # N


def weighed(robot: robots.Robot) -> Weighed:
    """A robot of one leg: bent by its tendon in the jig, then the weight comes."""
    bent = robots.pretension(robot, elements=pacoma.ELEMENTS)
    held = replace(robot.platform, held=True)
    loose = replace(bent.standing.robot, platform=held, gravity=(0.0, 0.0, -GRAVITY)).loosened([0.0])
    system = pl.compile(loose.model(), elements=pacoma.ELEMENTS)
    way = pl.path(system, "gravity/z", start=bent.bent.equilibrium(-1), begin=0.0, to=-GRAVITY)
    rest = way.equilibrium(-1)
    return Weighed(rest, crank_angles(loose, rest)[0], float(rest.tension[0]))
