"""Control of the leg, with a motor at the lower pivot or a tendon whose length is driven.

The lower link is held (q1 = 0) while the leg is pretensioned, and statics finds the torque of the hold. A motor with
that torque keeps the posture without the hold, but loosely: the open loop sways at 0.26 Hz, falls if released 0.05 rad
away, and creeps for ten seconds with the prototype's damper.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import pliant as pl
from pliant.control.controllers.controller import Controller
from pliant.control.design.observer import Observer
from pliant.control.design.regulator import Gain
from pliant.control.models.linear_model import LinearModel
from pliant.results import Result
from pliant_gallery.leg import LEG_LOWER_HELD, model
from pliant_gallery.leg.stages import LIGHT_DAMPER, REST_LENGTH, pretension

ELEMENTS = pl.Exact(10, order=2)
SAMPLE_TIME = 1e-3  # s
DAMPER = LEG_LOWER_HELD.tendon_damping  # N s/m, of the prototype; the light one is for studies of control

TORQUE = "motor/torque"
Q1, Q3, Q3_RATE = "angle:lower link", "angle:upper link", "angular_velocity:upper link"
LENGTH, STRAIN = "line_length:tendon", "strain:leaf@0.25"
FEW = (Q1, LENGTH)
"""Encoder of the lower link and length of the tendon: what a prototype can read."""
ENCODERS = (Q1, Q3, LENGTH)
"""Encoders of both links and length of the tendon."""
MANY = (Q1, Q3, LENGTH, STRAIN)
"""Both encoders, the tendon's length and a strain gauge at a quarter of the leaf."""
MODES = 3  # the sway, the tendon's length (creep or a damped oscillation), the leaf's first bending


class Posture(NamedTuple):
    """The leg at its operating point."""

    held: Any  # system with the lower link held
    rest: Result  # its equilibrium
    free: Any  # system with the motor instead of the hold
    equilibrium: Result  # the same posture, held by the motor's constant torque
    plant: LinearModel  # linear model about it

    @property
    def q3(self) -> float:
        """Return the controlled angle, rad."""
        return float(self.equilibrium.angle.sel(body="upper link"))

    def displaced(self, angle: float) -> Result:
        """Find the equilibrium with the lower link held at another angle (rad): a start for the released leg."""
        return pl.statics(self.held.with_signals({"hold/angle": angle}), start=self.rest)


class Design(NamedTuple):
    """A controller and its parts."""

    small: LinearModel
    gain: Gain
    observer: Observer
    controller: Controller


def posture(damping: float = LIGHT_DAMPER, *, elements: Any = ELEMENTS) -> Posture:
    """Pretension the leg, replace the hold by a motor with its torque, and linearise."""
    given = replace(LEG_LOWER_HELD, tendon_damping=damping)
    held = pl.compile(model(given, hold="q1"), elements=elements)
    rest = pretension(held, given).rest
    torque = float(rest.reaction.sel(joint="hold", wrench="M"))
    free = pl.compile(model(given, hold=None, motor=torque), elements=elements)
    equilibrium = pl.statics(free, start=rest)
    outputs = [Q1, Q3, Q3_RATE, LENGTH, STRAIN]
    plant = pl.linearise(free, at=equilibrium, inputs=[TORQUE, REST_LENGTH], outputs=outputs)
    return Posture(held, rest, free, equilibrium, plant)


def by_motor(plant: LinearModel, *, length: float = 1e-3) -> Design:
    """Control q3 by the torque, from an encoder and the tendon's length. Weights: 1 / (as bad as 1 N m)^2.

    These sensors hardly measure the bending of the leaf, so its strain weighs little and its bending decays by itself.

    length  m, of the tendon: with 0.05 mm the motor accelerates the creep due to the prototype's damper
    """
    outputs = {Q3: 0.1**-2, LENGTH: length**-2, STRAIN: 1e-3**-2}
    return _design(plant, outputs, {TORQUE: 1.0}, FEW, speed=15.0)


def by_motor_and_gauge(plant: LinearModel, *, integral: Any = ()) -> Design:
    """Control q3 and damp the leaf's bending by the torque, with a strain gauge: ten times the weight on strain."""
    outputs = {Q3: 0.1**-2, LENGTH: 1e-3**-2, STRAIN: 1e-4**-2}
    return _design(plant, outputs, {TORQUE: 1.0}, MANY, speed=40.0, integral=integral)


def by_tendon(plant: LinearModel) -> Design:
    """Control q3 by the tendon's rest length, with constant motor torque; 20 mm weigh as much as 0.05 rad.

    It cannot damp the bending of the leaf. A faster observer (1.8 1/s) would make it try: see the margins.
    """
    weights = {Q3: 0.05**-2, Q3_RATE: 0.3**-2}
    return _design(plant, weights, {REST_LENGTH: 0.02**-2}, ENCODERS, speed=2.0)


def _design(plant: LinearModel, outputs: Any, inputs: Any, sensors: Any, *, speed: float, integral: Any = ()) -> Design:
    """Design an LQR on the kept modes, and an observer whose errors decay at least at ``speed`` (1/s)."""
    small = pl.reduce(plant, modes=MODES)
    gain = pl.lqr(small, outputs=outputs, inputs=inputs, integral=integral, sample_time=SAMPLE_TIME)
    observer = pl.luenberger(small, speed=speed, outputs=sensors, sample_time=SAMPLE_TIME)
    return Design(small, gain, observer, pl.lqg(gain, observer, track=[Q3]))


def run(at: Posture, controller: Controller | None, start: Result, *, end_time: float = 4.0, **options: Any) -> Result:
    """Compute the released leg under a controller, two steps a sample, of which one is kept."""
    return pl.transient(
        at.free, start=start, end_time=end_time, step=0.5 * SAMPLE_TIME, every=2, controller=controller, **options
    )
