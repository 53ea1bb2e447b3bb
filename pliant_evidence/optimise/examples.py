"""Optimisations that run: what each wants, and how it is computed."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np
from scipy import linalg

import pliant as pl
from pliant_evidence.optimise import designs
from pliant_gallery.six_rus.kinetostatics import LIMITS, MOTORS

SPEED = 0.05  # m/s of a satellite
RATIO = 0.05  # of the masses of a tuned damper
STATIONS = 4
FINE = pl.Exact(2 * (STATIONS - 1), order=3)
SPACINGS, SIDES = np.linspace(0.05, 0.13, 5), np.linspace(0.17, 0.33, 5)  # m: where motors are tried
PUSH = -80.0  # N: more than half a bistable beam bears


@cache
def cantilever() -> pl.Optimum:
    """Return the lightest strip with the stiffness of a uniform one."""
    system = pl.compile(designs.cantilever(STATIONS), elements=FINE)
    wanted = 1.0 / float(pl.stiffness(system, marker="beam/tip").compliance[1, 1])
    return pl.optimise(system, minimise="mass", subject_to=[pl.Quantity("stiffness:beam/tip:y") >= wanted])


@cache
def column() -> pl.Optimum:
    """Return the column that bears most with the mass of a uniform one."""
    system = pl.compile(designs.column(STATIONS), elements=FINE)
    load = pl.Quantity(
        "critical_load", analysis=partial(pl.path, parameter="load/x", to=-1000.0, begin=0.0, until="bifurcation")
    )
    mass = sum(beam.mass for beam in system.model.beams)
    return pl.optimise(system, minimise=load, subject_to=[pl.Quantity("mass") <= mass])


def response(system: Any, rest: pl.Result) -> pl.LinearModel:
    """Build small motions of the big mass of a tuned damper under a push."""
    return pl.linearise(system, at=rest, inputs=["push/x"], outputs=["position:big(0, 0):x"])


def shaking(system: Any, rest: pl.Result) -> float:
    """Return the root mean square of the big mass under white noise: ``A P + P A^T = -B B^T``."""
    model = response(system, rest)
    spread = linalg.solve_continuous_lyapunov(model.A, -model.B @ model.B.T)
    return float(np.sqrt((model.C @ spread @ model.C.T)[0, 0]))


def resonances(system: Any, rest: pl.Result) -> list[float]:
    """Return peaks of the response of the big mass, the slower first; of one that has no peak the other's."""
    model = response(system, rest)
    rates = np.linspace(5.0, 14.0, 181)
    sizes = _sizes(model, rates)
    found = []
    for k in range(1, rates.size - 1):
        if sizes[k - 1] < sizes[k] >= sizes[k + 1]:
            fine = np.linspace(rates[k - 1], rates[k + 1], 101)
            found.append(parabola(_sizes(model, fine)))
    return [found[0], found[-1]]


def _sizes(model: pl.LinearModel, rates: np.ndarray) -> np.ndarray:
    """Return ``|C (i w - A)^-1 B|``."""
    values, vectors = np.linalg.eig(model.A)
    left, right = model.C @ vectors, np.linalg.solve(vectors, model.B)
    return np.abs((left[0] * right[:, 0] / (1j * rates[:, None] - values)).sum(axis=1))


def parabola(values: np.ndarray) -> float:
    """Return the largest value between equally spaced ones, by a parabola through the three around the largest."""
    k = int(np.clip(np.argmax(values), 1, values.size - 2))
    below, here, above = values[k - 1 : k + 2]
    bend = below - 2.0 * here + above
    return float(here - (above - below) ** 2 / (8.0 * bend)) if bend < 0.0 else float(here)


@cache
def quietest() -> pl.Optimum:
    """Return the tuned damper of the least motion under white noise."""
    system = pl.compile(designs.tuned_damper(ratio=RATIO))
    return pl.optimise(system, minimise=pl.Quantity(shaking, name="shaking"))


@cache
def equal_peaks() -> pl.Optimum:
    """Return the tuned damper of the least resonance: the first peak least, the second no larger."""
    system = pl.compile(designs.tuned_damper(ratio=RATIO))
    first = pl.Quantity(lambda of, rest: resonances(of, rest)[0], name="first peak")
    apart = pl.Quantity(lambda of, rest: resonances(of, rest)[1] / resonances(of, rest)[0], name="second over first")
    return pl.optimise(system, minimise=first, subject_to=[apart <= 1.0])


def docked(system: Any) -> pl.Result:
    """Return the first quarter of a second after a satellite has touched."""
    return pl.transient(system, end_time=0.25, step=2.5e-4, push={"satellite": (-SPEED, 0.0, 0.0)})


def peak(run: pl.Result) -> float:
    """Return the largest force of the ring (N)."""
    return parabola(np.abs(run.tension.values[:, 0]))


@cache
def bumper() -> pl.Optimum:
    """Return the damper with which a satellite docks at the least peak force."""
    system = pl.compile(designs.bumper())
    return pl.optimise(system, minimise=pl.Quantity(peak, analysis=docked, name="peak force", unit="N"), over=["c"])


@cache
def leaf_and_tendon() -> pl.Optimum:
    """Return the lightest leaf and the tendon for a platform of 900 N/m and 8 Hz, the leaf strained by 1e-4 at most."""
    system = pl.compile(designs.leaf_and_tendon(), elements=pl.Exact(1, order=3))
    wanted = ["stiffness:platform:x >= 900", "frequency_hz:1 >= 8", "largest_strain <= 1e-4"]
    return pl.optimise(system, minimise="mass", subject_to=wanted)


def pushed_through(system: Any, rest: pl.Result) -> pl.Result:
    """Return the path on which a bistable beam is pushed, up to where it snaps."""
    return pl.path(system, "push/y", to=PUSH, begin=0.0, until="bifurcation", start=rest)


def pushed_back(system: Any, rest: pl.Result) -> pl.Result:
    """Compute the equilibrium from the other side."""
    beyond = pl.statics(system.with_signals({"push/y": PUSH}), start=rest)
    snapped = pl.statics(system, start=beyond)
    return pl.path(system, "push/y", to=-PUSH, begin=0.0, until="bifurcation", start=snapped)


FORWARD = pl.Quantity("critical_load", analysis=pushed_through, name="snap", unit="N")
BACK = pl.Quantity("critical_load", analysis=pushed_back, name="snap back", unit="N")


@cache
def bistable() -> pl.Optimum:
    """Optimise half of the lightest bistable beam that snaps at 20 N and back at 9 N."""
    system = pl.compile(designs.bistable(), elements=pl.Exact(4, order=3))
    wanted = [pl.Constraint(FORWARD, low=-20.0, high=-20.0), pl.Constraint(BACK, low=9.0, high=9.0)]
    return pl.optimise(system, minimise="mass", subject_to=wanted)


def coupling(system: Any, rest: pl.Result) -> float:
    """Return how much a push along x turns a stage's tool, over the effects of pushes and moments by themselves."""
    found = pl.stiffness(system, marker="stage/tool", at=rest).compliance
    return float(found[0, 2] / np.sqrt(found[0, 0] * found[2, 2]))


@cache
def stage() -> pl.Optimum:
    """Return the stage that is stiffest upright, soft along x, and does not turn when its tool is pushed."""
    system = pl.compile(designs.stage(), elements=pl.Exact(1, order=3))
    turns, soft = pl.Quantity(coupling), pl.Quantity("stiffness:stage/tool:x")
    wanted = [pl.Constraint(turns, low=0.0, high=0.0), soft <= 2e4]
    return pl.optimise(system, maximise="stiffness:stage/tool:y", subject_to=wanted)


def workspace(system: Any, rest: pl.Result | None) -> float:
    """Return the volume (m^3) that the platform of the 6-RUS reaches from half a metre above its motors: within the
    limits of these, stable, and where its Jacobian is well conditioned.
    """
    robot = pl.Kinetostatics(system, platform="platform", motors=MOTORS, limits=LIMITS)
    return robot.room(reach=0.5, start=robot.inverse((0.0, 0.0, 0.5)), rays=6, steps=8, symmetry=3).size


@cache
def motors() -> tuple[pl.Model, float]:
    """Return the 6-RUS with its motors where it has most stable workspace, of places on a grid, and that workspace. The
    volume has kinks, where what stops a ray changes from a motor to the Jacobian: no search by derivatives settles.
    """
    begun = pl.compile(designs.six_rus_robot(), elements=pl.Exact(2, order=3))
    placed = [begun.with_parameters(spacing=spacing, side=side) for spacing in SPACINGS for side in SIDES]
    rooms = [workspace(system, None) for system in placed]
    best = int(np.argmax(rooms))
    return placed[best].model, rooms[best]
