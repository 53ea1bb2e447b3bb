"""PACOMA in the studio: motors turned, tendons shortened, the platform pushed, with weight or in orbit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pliant as pl
from pliant.results import Result
from pliant_gallery import pacoma, robots
from pliant_studio.session.mechanism import Mechanism, Reading, Release, Slider, Values

LEGS = range(1, 7)


def loaded(values: Values) -> pl.Model:
    """Make the robot at the angle of its motors, with weight and a push on its platform."""
    leaf = replace(pacoma.LEAF, tendon_rest_length=values["rest_length"], tendon_damping=values["damper"])
    weight = (0.0, 0.0, -values["gravity"])
    robot = pacoma.robot(leaf, mass=values["mass"], gravity=weight, load_at=None).turned([values["motors"]] * 6).model()
    x, y, z = (values[f"push_{axis}"] for axis in "xyz")
    robot.add(pl.Force(robot.part("platform").at(), x=x, y=y, z=z, name="push"))
    return robot


def at_rest(system: Any, values: Values) -> Result:
    """Find the rest: leaves bent outward in a jig, released in orbit, then loaded."""
    elements = pl.Exact(int(values["elements"]), order=2)
    orbit = robots.stand(pacoma.robot().turned([pacoma.HOME] * 6), elements=elements)
    return pl.statics(system, start=orbit.rest)


def unloaded(system: Any, rest: Result, values: Values, choice: str) -> Release:
    """Release the push at once."""
    return Release(system.with_signals({f"push/{axis}": 0.0 for axis in "xyz"}), rest)


MECHANISMS = (
    Mechanism(
        name="pacoma",
        about="The robot of the thesis: a platform on six titanium leaves, each bent outward by a tendon.",
        sliders=(
            Slider(
                *("motors", "angle of all motors", "deg", -5.0, 34.5, 14.78, 0.01, 1.0 / pl.DEG),
                {f"motor {leg}/angle": 1.0 for leg in LEGS},
            ),
            Slider("push_x", "push on the platform, x", "N", -2.0, 2.0, 0.0, 0.01, 1.0, {"push/x": 1.0}),
            Slider("push_y", "push on the platform, y", "N", -2.0, 2.0, 0.0, 0.01, 1.0, {"push/y": 1.0}),
            Slider("push_z", "push on the platform, z", "N", -20.0, 20.0, -5.0, 0.1, 1.0, {"push/z": 1.0}),
            Slider("gravity", "weight, g", "m/s²", 0.0, 9.81, 0.0, 0.01, 1.0, {"gravity/z": -1.0}),
            Slider(
                *("rest_length", "rest length of the tendons", "mm", 120.0, 240.0, 169.67, 0.01, 1e3),
                {f"tendon {leg}/rest_length": 1.0 for leg in LEGS},
            ),
            Slider("mass", "mass of the platform", "kg", 0.1, 2.0, 1.0, 0.01),
            Slider("damper", "dampers of the tendons", "N s/m", 0.0, 3000.0, 1500.0, 1.0),
            Slider("elements", "elements of a leaf", "", 4.0, 12.0, 4.0, 1.0, anew=True),
        ),
        readings=(
            Reading("platform, x", "mm", "position:platform(0, 0):x", 1e3),
            Reading("platform, y", "mm", "position:platform(0, 0):y", 1e3),
            Reading("platform, z", "mm", "position:platform(0, 0):z", 1e3),
            Reading("tension of tendon 1", "N", "tension:tendon 1"),
            Reading("torque of motor 1", "N m", "reaction:motor 1:Mx"),
        ),
        model=loaded,
        rest=at_rest,
        release=unloaded,
        end_time=0.5,
        step=2e-3,
        releases={"push gone": "takes the push away at once: the platform springs back"},
    ),
)
