"""Controllers in the time loop on mechanisms whose equations are known by hand; margins; noise."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.optimize import brentq

import pliant as pl
from pliant.control.design.observer import direct
from pliant.control.models.open_loop import closed_loop
from pliant.errors import PliantWarning
from pliant_evidence.control_suite import arm, equations
from pliant_evidence.control_suite.rows import compared
from pliant_gallery import flexible_joint, furuta
from pliant_testing.validation import Row, at_most, case, relative

T = 0.01  # s, of all samples
STEP = 5e-4
TICK = 0.04  # s, of the samples of predictive control
UPRIGHT = 0.5 * math.pi


@case("control-suite", source="Lagrangians by hand, integrated by scipy; poles; Kalman 1960")
def control_suite() -> Iterator[Row]:
    """Cart-pendulum, Furuta, elastic joint and flexible arm in closed loop; margins; variance of an estimate."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)
        yield from itertools.chain(
            cart(), swung_up(), predictive(), rotary(), elastic(), arm.rows(), margins(), estimate()
        )


def cart_model(angle: float = UPRIGHT) -> pl.Model:
    """Build a cart on rails with a pole that stands on it, or hangs."""
    m = pl.Model("cart and pole")
    ground, body = m.add(pl.Ground(), pl.Body("cart", mass=equations.CART, inertia=1.0))
    pole = m.add(pl.Link("pole", length=equations.LENGTH, mass=equations.POLE, angle=angle))
    m.add(
        pl.Prismatic(ground.at(0, 0), body.at(0, 0), name="rail"), pl.Revolute(body.at(0, 0), pole.at(s=0), name="pin")
    )
    m.add(pl.Force(body.at(0, 0), x=0.0, name="push"), pl.Gravity(y=-equations.GRAVITY))
    return m


SEEN = ["position:cart(0, 0):x", "angle:pole", "velocity:cart(0, 0):x", "angular_velocity:pole"]
WEIGHTS, EFFORT = {SEEN[0]: 4.0, SEEN[1]: 10.0}, 0.05


def upright() -> tuple[Any, pl.LinearModel]:
    """Return the system, and its linear model upright."""
    system = pl.compile(cart_model())
    return system, pl.linearise(system, inputs=["push/x"], outputs=SEEN)


def balanced() -> tuple[Any, pl.LinearModel, pl.Controller]:
    """Return the system, its linear model upright, and an LQR that reads all states."""
    system, plant = upright()
    gain = pl.lqr(plant, outputs=WEIGHTS, inputs={"push/x": EFFORT}, sample_time=T)
    return system, plant, pl.state_feedback(gain, outputs=SEEN)


def cart() -> Iterator[Row]:
    """Check a hard push with a limited force: far from linear."""
    system, _, controller = balanced()
    controller = controller.limited(low=-6.0, high=6.0)
    run = pl.transient(system, end_time=2.0, step=STEP, controller=controller, push={"pole": 1.5}, estimate=False)

    def law(t: float, q: np.ndarray, v: np.ndarray) -> float:
        reading = np.concatenate([q, v]) - controller.y0
        return float(np.clip((controller.Dy @ reading)[0], -6.0, 6.0))

    start = run.measured.values[0]
    places, inputs = equations.played(equations.cart, law, start[:2], start[2:], sample_time=T, samples=200)
    yield from compared("cart and pole, LQR with limits", run, run.measured.values[:, :2], places, inputs)
    yield at_most("cart and pole: angle left after 2 s", "rad", abs(places[-1, 1] - UPRIGHT), limit=0.05, kind="itself")


def swung_up() -> Iterator[Row]:
    """Check a pole that hangs, is swung up by its energy, caught on either side and held: three controllers in turn."""
    _, _, hold = balanced()
    sides = [replace(hold, y0=hold.y0 - np.array([0.0, turn, 0.0, 0.0])) for turn in (0.0, 2.0 * math.pi)]
    swing = pl.FunctionController(
        function=lambda t, y: equations.swinging(t, np.array([y[name] for name in SEEN])),
        inputs=("push/x",), outputs=tuple(SEEN), sample_time=T,
    )  # fmt: skip
    turns = pl.switched(
        [swing, *(side.limited(low=-12.0, high=12.0) for side in sides)],
        choose=lambda t, y, present: equations.in_charge(y[SEEN[1]], y[SEEN[3]], present),
    )
    system = pl.compile(cart_model(-UPRIGHT))
    run = pl.transient(system, end_time=6.0, step=STEP, controller=turns, estimate=False)
    now = {"present": 0}

    def law(t: float, q: np.ndarray, v: np.ndarray) -> float:
        present = now["present"] = equations.in_charge(q[1], v[1], now["present"])
        if present == 0:
            return equations.swinging(t, np.concatenate([q, v]))
        reading = np.concatenate([q, v]) - sides[present - 1].y0
        return float(np.clip((hold.Dy @ reading)[0], -12.0, 12.0))

    start = np.array([0.0, -UPRIGHT])
    places, inputs = equations.played(equations.cart, law, start, np.zeros(2), sample_time=T, samples=600)
    yield from compared("cart and pole swung up", run, run.measured.values[:, :2], places, inputs)
    left = abs((places[-1, 1] - UPRIGHT + math.pi) % (2.0 * math.pi) - math.pi)
    yield at_most("cart and pole swung up: angle left after 6 s", "rad", left, limit=0.05, kind="itself")


def predictive() -> Iterator[Row]:
    """Check the MPC with a limited force, against plans that scipy finds for the linear model by hand."""
    system, sampled = upright()
    sampled, horizon, limit = sampled.discretise(TICK), 25, 4.0
    gain = pl.lqr(sampled, outputs=WEIGHTS, inputs={"push/x": EFFORT})
    seen = direct(sampled, outputs=SEEN, sample_time=TICK)
    controller = pl.mpc(gain, seen, horizon=horizon, low=-limit, high=limit)
    run = pl.transient(system, end_time=3.0, step=STEP, controller=controller, push={"pole": 1.2}, estimate=False)
    planner = equations.Planner(TICK, (4.0, 10.0, 0.0, 0.0), EFFORT, horizon, limit)
    start = run.measured.values[0]
    places, inputs = equations.played(
        equations.cart, lambda t, q, v: planner(np.concatenate([q, v])), start[:2], start[2:],
        sample_time=TICK, samples=round(3.0 / TICK),
    )  # fmt: skip
    yield from compared("cart and pole, MPC", run, run.measured.values[:, :2], places, inputs)
    pushing = int(np.sum(np.abs(inputs) >= limit * (1.0 - 1e-9)))
    yield at_most(
        "cart and pole, MPC: 5 over samples at the limit", "1", 5.0 / max(pushing, 1), limit=1.0, kind="itself"
    )
    most = float(abs(run.applied).max())
    yield at_most("cart and pole, MPC: largest force, of its limit", "1", most / limit, limit=1.0, kind="exact")
    left = float(run.estimate.sel(controller_state="KKT residual").max())
    yield at_most("cart and pole, MPC: conditions left", "1", left, limit=1e-9, kind="exact")


def rotary() -> Iterator[Row]:
    """Check Furuta's pendulum in space, swung by a torque that depends on time and on readings of its pins."""

    def torque(t: float, arm: float, rate: float, pole: float) -> float:
        return 0.12 * math.cos(6.5 * t) - 0.05 * arm - 0.01 * rate + 0.02 * math.sin(pole)

    names = ("joint_angle:base", "joint_angle:hinge", "joint_rate:base")
    law = pl.FunctionController(
        function=lambda t, y: torque(t, y[names[0]], y[names[2]], y[names[1]]),
        inputs=("motor/torque",), outputs=names, sample_time=T,
    )  # fmt: skip
    run = pl.transient(pl.compile(furuta.model()), end_time=1.5, step=STEP, controller=law, estimate=False)
    zero = np.zeros(2)
    places, inputs = equations.played(
        equations.furuta, lambda t, q, v: torque(t, q[0], v[0], q[1]), zero, zero, sample_time=T, samples=150
    )
    yield from compared("Furuta's pendulum, a function", run, run.measured.values[:, :2], places, inputs)
    yield at_most("Furuta's pendulum: 1 rad over the swing", "1", 1.0 / np.ptp(places[:, 1]), limit=1.0, kind="itself")


def elastic() -> Iterator[Row]:
    """Check the cascade on an elastic joint: the link's angle sets the rotor's, at half the rate of the inner loop."""
    outer = pl.Controller.proportional({"reference of angle:rotor": {"angle:link": 0.5}}, sample_time=2.0 * T)
    outer = replace(outer, u0=np.array([-UPRIGHT])).following({"angle:link": -1.0})
    inner = pl.Controller.proportional(
        {"motor/torque": {"angle:rotor": 12.0, "angular_velocity:rotor": 0.8}}, sample_time=T
    )
    run = pl.transient(
        pl.compile(flexible_joint.model()), end_time=2.0, step=STEP, controller=[inner, outer], estimate=False
    )
    held = {"aim": 0.0}

    def law(t: float, q: np.ndarray, v: np.ndarray) -> float:
        if round(t / T) % 2 == 0:
            held["aim"] = -UPRIGHT + 0.5 * (-1.0 - q[1])
        return 12.0 * (held["aim"] - q[0]) - 0.8 * v[0]

    start = np.full(2, -UPRIGHT)
    places, inputs = equations.played(equations.elastic, law, start, np.zeros(2), sample_time=T, samples=200)
    measured = run.measured.sel(output=["angle:rotor", "angle:link"]).values
    measured[1::2, 1] = places[1:200:2, 1]  # read at every other sample only
    yield from compared("elastic joint, cascade of two rates", run, measured, places, inputs)


def margins() -> Iterator[Row]:
    """Check margins of the cart's loop, from frequencies, against the gains at which its poles leave the circle."""
    _, plant, controller = balanced()
    found = pl.margins(controller, plant)

    def growth(factor: float) -> float:
        changed = replace(plant, B=factor * plant.B, second_order=None)
        return float(np.max(np.abs(np.linalg.eigvals(closed_loop(controller, changed))))) - 1.0

    for word, value, low, high in (("rise", found.gain, 1.0, 1e3), ("fall", found.gain_down, 1e-3, 1.0)):
        exact = brentq(growth, low, high, xtol=1e-12) if growth(low) * growth(high) < 0.0 else math.nan
        yield relative(f"cart and pole: gain may {word} to", "1", exact, value, tolerance=1e-6, kind="exact")


def estimate() -> Iterator[Row]:
    """Check the variance of the error of a Kalman filter in a motion with white noise, beside the one it promises."""
    m = pl.Model("mass")
    ground, body = m.add(pl.Ground(), pl.Body("mass", mass=1.0, inertia=1.0))
    place, speed = "position:mass(0, 0):x", "velocity:mass(0, 0):x"
    m.add(pl.Prismatic(ground.at(0, 0), body.at(0, 0)), pl.Force(body.at(0, 0), x=0.0, name="motor"))
    m.add(pl.Force(body.at(0, 0), x=0.0, name="gust"))
    system = pl.compile(m)
    plant = pl.linearise(system, inputs=["motor/x", "gust/x"], outputs=[place, speed])
    gain = pl.lqr(plant, outputs={place: 1.0}, inputs={"motor/x": 1.0}, sample_time=T)
    seen = pl.kalman(plant, process_noise={"gust/x": 0.2}, measurement_noise={place: 0.01}, sample_time=T)
    controller = pl.lqg(gain, seen).with_noise({place: 0.01}, seed=1)
    blown = system.with_signals({"gust/x": pl.WhiteNoise(0.2, hold=T, seed=2)})
    run = pl.transient(blown, end_time=80.0, step=T, controller=controller, estimate=False)
    moved = np.stack([run.position.sel(marker="mass(0, 0)", axis="x"), run.velocity.sel(marker="mass(0, 0)", axis="x")])
    error = plant.C @ run.estimate.values[:, :2].T - moved[:, :-1]
    promised = np.diag(plant.C @ np.asarray(seen.covariance) @ plant.C.T)
    for word, unit, value, exact in zip(("place", "speed"), ("m", "m/s"), error, promised, strict=True):
        rms = float(np.sqrt(np.mean(value[200:] ** 2)))
        # some 800 errors that do not depend on each other: 3 standard deviations of their rms are 7.5 %
        yield relative(
            f"mass: rms of the estimate's error, {word}", unit, math.sqrt(exact), rms, tolerance=0.1, kind="exact"
        )
