"""The leg in the studio: its tendon buckles the leaf; released, it falls, or a motor under LQR returns it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pliant as pl
from pliant.results import Result
from pliant_gallery.leg import LEG, LEG_LOWER_HELD, LegParameters, model
from pliant_gallery.leg.control import LENGTH, Q1, Q3, Q3_RATE, STRAIN, TORQUE, by_motor
from pliant_gallery.leg.stages import LIGHT_DAMPER, REST_LENGTH, WEIGHT, pretension
from pliant_studio.session.mechanism import Mechanism, Reading, Release, Slider, Values, compiled


def upper_held(values: Values) -> pl.Model:
    """Make the leg with its upper link held level."""
    return model(parameters(values), hold="q3")


def lower_held(values: Values) -> pl.Model:
    """Make the leg with its lower link held at an angle from x."""
    leg = model(parameters(values), hold=None)
    pivot, link = leg.part("ground").at(*LEG.lower_pivot), leg.part("lower link").at(s=0)
    leg.add(pl.Motion(pivot, link, angle=values["lower_angle"], name="hold"))
    return leg


def parameters(values: Values) -> LegParameters:
    """Return the values that describe the leg."""
    known: dict[str, Any] = {name: x for name, x in values.items() if name in LegParameters.__dataclass_fields__}
    return LegParameters(**known)


def bent_outward(system: Any, values: Values) -> Result:
    """Find the rest: shorten the tendon without weight until the leaf buckles outward, then add the weight."""
    return pretension(system, parameters(values)).rest


def fall(system: Any, rest: Result, values: Values, choice: str) -> Release:
    """Release the hold."""
    return Release(compiled(model(parameters(values), hold=None), values), rest)


def by_torque(system: Any, rest: Result, values: Values, choice: str) -> Release:
    """Replace the hold by a motor: with the torque that keeps the lower link along x, or with LQR about it."""
    angle = values["lower_angle"]
    posture = pl.path(system, "hold/angle", start=rest, begin=angle, to=0.0).equilibrium() if angle else rest
    torque = float(posture.reaction.sel(joint="hold", wrench="M"))
    free = compiled(model(parameters(values), hold=None, motor=torque), values)
    if choice != "LQR":
        return Release(free, rest)
    equilibrium = pl.statics(free, start=posture)
    outputs = [Q1, Q3, Q3_RATE, LENGTH, STRAIN]
    plant = pl.linearise(free, at=equilibrium, inputs=[TORQUE, REST_LENGTH], outputs=outputs)
    return Release(free, rest, by_motor(plant).controller)


MILLI = 1e3
READINGS = (
    Reading("lower link, q1", "deg", "angle:lower link", 1.0 / pl.DEG),
    Reading("upper link, q3", "deg", "angle:upper link", 1.0 / pl.DEG),
    Reading("tension of the tendon", "N", "tension:tendon"),
    Reading("distance of the leaf's ends", "mm", "line_length:tendon", MILLI),
    Reading("middle of the leaf, x", "mm", "position:leaf@0.5:x", MILLI),
)


def _sliders(given: LegParameters, *more: Slider) -> tuple[Slider, ...]:
    """Return the sliders of both variants, with additional ones at second place."""
    tendon = Slider(
        *("tendon_rest_length", "rest length of the tendon", "mm", 120.0, 480.0),
        *(round(MILLI * given.tendon_rest_length, 2), 0.01, MILLI, {REST_LENGTH: 1.0}),
    )
    return (
        tendon,
        *more,
        Slider("tendon_pull", "force added to the tendon", "N", 0.0, 40.0, 0.0, 0.01, 1.0, {"tendon/tension": 1.0}),
        Slider("gravity", "weight, g", "m/s²", 0.0, 20.0, given.gravity, 0.01, 1.0, {WEIGHT: -1.0}),
        Slider("tendon_stiffness", "stiffness of the tendon", "N/m", 150.0, 800.0, given.tendon_stiffness, 0.001),
        Slider("leaf_thickness", "thickness of the leaf", "mm", 0.9, 1.6, 1.2, 0.01, MILLI),
        Slider("lower_mass", "mass of the lower link", "kg", 0.1, 3.0, given.lower_mass, 0.01),
        Slider("upper_mass", "mass of the upper link", "kg", 0.1, 3.0, given.upper_mass, 0.01),
        Slider("tendon_damping", "damper of the tendon", "N s/m", 0.0, 3000.0, given.tendon_damping, 1.0),
        Slider("elements", "elements of the leaf", "", 2.0, 40.0, 10.0, 1.0, anew=True),
    )


MECHANISMS = (
    Mechanism(
        name="leg",
        about="A tendon buckles the titanium leaf between two links; the upper link is held level.",
        sliders=_sliders(LEG),
        readings=READINGS,
        model=upper_held,
        rest=bent_outward,
        release=fall,
        end_time=3.0,
        releases={"let go": "lets the upper link go: the leg falls"},
    ),
    Mechanism(
        name="leg-motor",
        about="The same leg with its lower link held; then a motor there takes over, alone or with LQR.",
        sliders=_sliders(
            replace(LEG_LOWER_HELD, tendon_damping=LIGHT_DAMPER),
            Slider(
                "lower_angle", "angle of the lower link", "deg", -6.0, 6.0, 3.0, 0.01, 1 / pl.DEG, {"hold/angle": 1.0}
            ),
        ),
        readings=READINGS,
        model=lower_held,
        rest=bent_outward,
        release=by_torque,
        end_time=4.0,
        releases={
            "constant torque": "puts the motor in place of the hold, with the torque of 0 deg",
            "LQR": "the motor's torque brings the lower link back to 0 deg (LQR on an estimate from two sensors)",
        },
    ),
)
