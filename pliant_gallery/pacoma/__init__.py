"""PACOMA, a robot for docking satellites, in space: a platform on six legs of crank, titanium leaf and tendon.

Leaf, tendon, damper, crank, and the heights and radii of motors and platform are from the planar leg (table 5.2;
`gallery.leg.LEG`): motors on a circle of 0.150 m, anchors on one of 0.190 m, the platform 0.400 m above the motors. The
platform has the mass of the leg's upper link, which replaces it there. The thesis does not give the positions of motors
and anchors on their circles: they are in pairs as in the published study of the robot (`gallery.six_rus`), moved to
those radii. Inertia of the platform (a disc) is ours.
"""

from __future__ import annotations

from math import atan2, cos, pi, sin
from typing import Any

import pliant as pl
from pliant.results import Result
from pliant_gallery import robots, six_rus
from pliant_gallery.leg import LEG

ELEMENTS = pl.Exact(4, order=3)
HEIGHT = LEG.upper_pivot[1]
RADIUS = LEG.upper_length  # of the platform (m)
HOME = 0.2579  # angle of all motors at rest (rad), from `robots.pretension(robot())`
CHORD = 0.38931  # from crank to platform there (m), of all leaves
RANGE = 20 * pi / 180  # of a motor, on either side of its rest (rad)
YIELD = 880e6 / LEG.youngs_modulus  # strain at which titanium alloy yields; ours
PLATFORM = "platform(0, 0)"
LEAF = robots.LeafLeg(
    LEG.lower_length,
    LEG.leaf_length,
    crank_mass=LEG.lower_mass,
    damping=LEG.damping_ratio,
    width=LEG.leaf_width,
    thickness=LEG.leaf_thickness,
    tendon_stiffness=LEG.tendon_stiffness,
    tendon_rest_length=LEG.tendon_rest_length,
    tendon_damping=LEG.tendon_damping,
    bow="out",
)
"""A leg of it, as the thesis has it in the plane, with the prototype's damper."""
GEARED = robots.GearedDrive(
    0.1,
    ratio=6.0,
    rotor_inertia=5e-5,
    efficiency=0.95,
    largest_current=15.0,
    stall_current=40.0,
    no_load_speed=200.0,
    lower=HOME - RANGE,
    upper=HOME + RANGE,
)
"""Its motors: quasi-direct drives through a small parallelogram, within +-20 degrees (thesis 1.2); numbers are ours."""


def robot(kind: robots.LegKind = LEAF, *, mass: float = LEG.upper_mass, **options: Any) -> robots.Robot:
    """Return the robot as data, its cranks near the angles of straight leaves.

    kind  of all legs: `replace(LEAF, tendon_damping=15.0)` has another damper
    mass  of the platform (kg)

    Other options are fields of `robots.Robot`: gravity, base, gear (`gear=GEARED`: motors as built, else ideal ones).

    >>> robot().legs[0].kind.bow, len(robot().legs)
    ('out', 6)
    """
    disc = 0.25 * mass * RADIUS**2
    platform = robots.Platform((0.0, 0.0, HEIGHT), mass=mass, inertia=(disc, disc, 2.0 * disc))
    study = six_rus.PUBLISHED
    motors, anchors = study.motor(1), study.anchor(5)
    wide, apart = (
        atan2(motors[0], motors[1]),
        atan2(anchors[0], -anchors[1]),
    )  # half of the angle between a pair
    side = 1.5 / cos(pi / 6)  # of `paired`: from a point's distance to the side of the triangle
    return robots.paired(
        kind,
        platform=platform,
        motor_spacing=LEG.lower_pivot[0] * sin(wide),
        motor_side=side * LEG.lower_pivot[0] * cos(wide),
        platform_spacing=RADIUS * sin(apart),
        platform_side=side * RADIUS * cos(apart),
        angle=LEG.straight()[0],
        name="PACOMA",
        **options,
    )


def model(**options: Any) -> pl.Model:
    """Make the robot with its motors at rest for bent leaves, without weight; options as of `robot`.

    >>> model()
    <Model "PACOMA": 7 rigid bodies, 6 beams, 30 joints, 7 forces>
    """
    return robot(**options).turned([HOME] * 6).model()


def start(system: Any) -> Result:
    """Find the equilibrium of its pictures, leaves bent out: statics alone finds straight ones, which are unstable."""
    return robots.stand(robot().turned([HOME] * 6), elements=ELEMENTS).rest
