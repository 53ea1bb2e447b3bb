"""PACOMA's motors as built: what a leg on one of them does, in closed form, and the docking with all six.

The platform held, the crank of a leg without weight works against leaf and tendon along the chord c. Where both are in
balance it feels, with ``c' = dc/dq`` of the crank's angle q, d of the tendon's damper and the inertia I of crank, shaft
and rotor (``n^2 J``),

    I q'' + d c'^2 q' + k c'^2 q = n K i,    k = T'(c) - P'(c)
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from math import cos, pi, sin, sqrt
from typing import Any

import numpy as np

import pliant as pl
from pliant.errors import PliantWarning
from pliant_evidence.pacoma import theory, two_bodies
from pliant_gallery import pacoma, robots
from pliant_gallery.pacoma.control import CALM, ENCODERS, LEGS, SAMPLE_TIME, STIFF
from pliant_gallery.pacoma.docking import Encounter, dock, strike
from pliant_gallery.robots import frames
from pliant_gallery.robots.pretension import crank_angles
from pliant_testing.validation import Row, absolute, at_most, relative

GEAR = pacoma.GEARED
MESH = 1e-3  # four cubic elements a leaf, and leaves of a thousandth of their mass
TONES = (1.0, 4.0, 16.0)  # Hz
PUSH = 5.0  # N on the platform, downward


def rows() -> Iterator[Row]:
    """Check statics, stops, modes, linear model, motion and closed loop."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # neutral without a controller
        yield from statics()
        yield from one_leg()
        yield from docking()


def statics() -> Iterator[Row]:
    """Check currents that hold the platform under a push: six legs alike, each a two-force member in the pose found."""
    robot = pacoma.robot(gear=GEAR).turned([pacoma.HOME] * 6)
    held = robots.stand(robot, elements=pacoma.ELEMENTS)
    pressed = pl.statics(held.system.with_signals({"load/z": -PUSH}), start=held.rest)
    loose = robots.loosen(robots.Standing(robot, held.system, pressed), elements=pacoma.ELEMENTS).robot
    currents = [leg.torque / GEAR.per_ampere for leg in loose.legs]
    tip, ball = (pressed.position.sel(marker=name).values for name in ("crank 1/tip", "leaf 1/tip"))
    along = (ball - tip) / np.linalg.norm(ball - tip)
    wanted = PUSH / 6.0 / along[2] * float(along @ _turning(robot, pacoma.HOME)) / (GEAR.ratio * GEAR.torque_constant)
    for what, found in (("least", min(currents)), ("largest", max(currents))):
        yield relative(f"geared: {what} current under 5 N", "A", wanted, found, tolerance=1e-6, kind="exact")


def one_leg() -> Iterator[Row]:
    """Check a leg on its motor, the platform held: frequency, response to current, and pressed into its stop."""
    kind = two_bodies.without_mass()
    for name, gear in (("ideal", None), ("geared", GEAR)):
        whole = pacoma.robot(kind, gear=gear).turned([pacoma.HOME] * 6)
        robot = robots.alone(whole, 1).loosened([0.0])
        leg = robots.stand(robot, elements=pacoma.ELEMENTS)
        chord = theory.chords(robot)[0]
        along = (chord.ball - chord.tip) / np.linalg.norm(chord.ball - chord.tip)
        lever = float(along @ _turning(robot, pacoma.HOME))
        inertia, stiffness = two_bodies.crank_inertia(robot), theory.leg_stiffness(kind) * lever**2
        told = None if gear is None else "free"  # without the losses of its gears, which would hold it
        first = float(pl.modal(leg.system, at=leg.rest, modes=1, friction=told).frequency_hz[0])
        reference = sqrt(stiffness / inertia) / (2.0 * pi)
        exact: dict[str, Any] = {"tolerance": MESH, "kind": "exact"}
        yield relative(f"{name} motor: crank against its leaf", "Hz", reference, first, **exact)
        outputs = ["joint_angle:pivot 1"]
        linear = pl.linearise(leg.system, at=leg.rest, inputs=list(robot.motors), outputs=outputs, friction=told)
        found = linear.frequency_response([2.0 * pi * tone for tone in TONES]).values.reshape(-1)
        unit = 1.0 if gear is None else gear.ratio * gear.torque_constant
        for tone, value in zip(TONES, found, strict=True):
            s = 2j * pi * tone
            wanted = unit / (inertia * s**2 + kind.tendon_damping * lever**2 * s + stiffness)
            differs = abs(value - wanted) / abs(wanted)
            yield at_most(f"{name} motor: response at {tone:g} Hz differs", "1", differs, limit=MESH, kind="exact")
        if gear is not None:
            yield from crank_stop(robot, leg)


def crank_stop(robot: robots.Robot, leg: robots.Standing) -> Iterator[Row]:
    """Check more current than the drive passes on: the crank goes into its stop, by the rest of the motor's torque.

    At the angle found, leaf and tendon pull with ``T(c) - P(c)`` of the elastica.
    """
    asked = {"motor 1/current": -2.0 * float(GEAR.largest_current or 0.0)}
    driven = leg.system.with_signals(asked)
    rest = pl.statics(driven, start=leg.rest)
    angle = crank_angles(robot, rest)[0]
    tip, ball = (rest.position.sel(marker=name).values for name in ("crank 1/tip", "leaf 1/tip"))
    chord = float(np.linalg.norm(ball - tip))
    kind = theory._leaf(robot.legs[0])
    pull = kind.tendon_stiffness * (chord - kind.tendon_rest_length) - theory.elastica(chord).load
    lever = float((ball - tip) @ _turning(robot, angle)) / chord
    torque = -GEAR.ratio * GEAR.torque_constant * float(GEAR.largest_current or 0.0) + pull * lever
    wanted = float(GEAR.lower or 0.0) + torque / GEAR.stop_stiffness
    yield absolute("geared motor: crank pressed into its stop", "rad", wanted, angle, tolerance=1e-6, kind="exact")


def docking() -> Iterator[Row]:
    """Check the PD of every motor through its current, beside two rigid bodies on cranks that turn."""
    end, light = 0.12, two_bodies.without_mass()
    held = Encounter(kind=light, chaser_mass=None, gear=GEAR)
    gains = {"stiff": STIFF, "calm": CALM, "sample_time": SAMPLE_TIME}
    references = two_bodies.Driven(held.robot(held=True), held.target, **gains).strike(end, samples=301)
    stiff, calm = (gain / (GEAR.ratio * GEAR.torque_constant) for gain in (STIFF, CALM))
    pins = {f"motor {k}/current": {f"joint_angle:pivot {k}": stiff, f"joint_rate:pivot {k}": calm} for k in LEGS}
    law = pl.Controller.proportional(pins, sample_time=SAMPLE_TIME, output_values=dict.fromkeys(ENCODERS, pacoma.HOME))
    encounter = replace(held, loose=True)
    found = strike(encounter, dock(encounter, end_time=end, step=4e-4, controller=law))
    for quantity, unit, reference in zip(("peak", "impulse", "damper"), ("N", "N s", "J"), references, strict=True):
        computed, what = getattr(found, quantity), f"docking, PD of geared motors: {quantity}"
        yield relative(what, unit, reference, computed, tolerance=5e-3, kind="independent code")


def _turning(robot: robots.Robot, angle: float) -> np.ndarray:
    """Return (3,) how the tip of the first crank moves with its angle (m/rad), where that is so much."""
    leg = robot.legs[0]
    way = frames.about_z(leg.turn) @ (0.0, -sin(angle), cos(angle))
    return np.asarray(leg.kind.crank_length * way)
