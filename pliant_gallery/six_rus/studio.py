"""The 6-RUS continuum robot in the studio: motors turned, platform pushed, the push released."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pliant as pl
from pliant.results import Result
from pliant_gallery.six_rus import LEGS, PUBLISHED, model
from pliant_studio.session.mechanism import Mechanism, Reading, Release, Slider, Values


def loaded(values: Values) -> pl.Model:
    """Make the robot with a platform that has mass, and a push on it."""
    mass = values["mass"]
    robot = model(
        replace(PUBLISHED, rod_radius=values["rod_radius"]),
        motors=values["motors"],
        platform_mass=mass,
        platform_inertia=(0.01 * mass, 0.01 * mass, 0.02 * mass),  # a disc of radius 0.2 m
        weightless=True,
    )
    robot.add(pl.Gravity(z=-values["gravity"]))
    x, y, z = (values[f"push_{axis}"] for axis in "xyz")
    robot.add(pl.Force(robot.part("platform").at(), x=x, y=y, z=z, name="push"))
    return robot


def at_rest(system: Any, values: Values) -> Result:
    """Find the rest of the platform."""
    return pl.statics(system)


def unloaded(system: Any, rest: Result, values: Values, choice: str) -> Release:
    """Release the push at once."""
    return Release(system.with_signals({f"push/{axis}": 0.0 for axis in "xyz"}), rest)


MECHANISMS = (
    Mechanism(
        name="six-rus",
        about="A platform on six curved rods of titanium, each on a crank that a motor turns.",
        sliders=(
            Slider(
                *("motors", "angle of all motors", "deg", 5.0, 45.0, 22.9, 0.1, 1.0 / pl.DEG),
                {f"motor {leg}/angle": 1.0 for leg in LEGS},
            ),
            Slider("push_x", "push on the platform, x", "N", -15.0, 15.0, 0.0, 0.1, 1.0, {"push/x": 1.0}),
            Slider("push_y", "push on the platform, y", "N", -15.0, 15.0, 0.0, 0.1, 1.0, {"push/y": 1.0}),
            Slider("push_z", "push on the platform, z", "N", -30.0, 30.0, -5.0, 0.1, 1.0, {"push/z": 1.0}),
            Slider("gravity", "weight, g", "m/s²", 0.0, 20.0, 9.81, 0.01, 1.0, {"gravity/z": -1.0}),
            Slider("mass", "mass of the platform", "kg", 0.1, 2.0, 0.3, 0.01),
            Slider("rod_radius", "radius of the rods", "mm", 1.5, 3.0, 2.0, 0.05, 1e3),
            Slider("elements", "elements of a rod", "", 2.0, 10.0, 3.0, 1.0, anew=True),
        ),
        readings=(
            Reading("platform, x", "mm", "position:platform(0, 0):x", 1e3),
            Reading("platform, y", "mm", "position:platform(0, 0):y", 1e3),
            Reading("platform, z", "mm", "position:platform(0, 0):z", 1e3),
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
