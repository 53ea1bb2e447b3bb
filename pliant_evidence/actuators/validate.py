"""Motors with gear boxes, brakes, play and linkages against closed forms, in the plane and in space."""

from __future__ import annotations

from collections.abc import Iterator
from math import exp, pi, sqrt
from typing import Any

import numpy as np

import pliant as pl
from pliant_evidence.actuators.models import (
    CONSTANT,
    INERTIA,
    RATIO,
    ROTOR,
    atwood,
    driven,
    hoist,
    level,
    shaft,
    tackle,
)
from pliant_testing.validation import Row, absolute, case, relative

SPACES = {"plane": "xy", "space": None}
STALL, NO_LOAD = 4.0, 300.0  # A, rad/s of the rotor


@case("actuators", source="closed forms of shafts and pendulums")
def actuators() -> Iterator[Row]:
    """Reflected inertia, limits of current and speed, efficiency, brake, play, parallelogram, ropes."""
    for space, plane in SPACES.items():
        yield from motor(space, plane)
        yield from brake(space, plane)
        yield from play(space, plane)
        yield from linkage(space, plane)
        yield from ropes(space, plane)


def motor(space: str, plane: str | None) -> Iterator[Row]:
    """Check a wheel that a motor turns."""
    exact: dict[str, Any] = {"kind": "exact"}
    end, torque = 0.2, RATIO * CONSTANT * 2.0
    spun = spin(pl.transient(pl.compile(driven(plane, 2.0, rotor=True)), end_time=end, step=1e-3))
    felt = torque / (INERTIA + RATIO**2 * ROTOR) * end
    yield relative(f"{space}: speed with a rotor of n^2 J", "rad/s", felt, spun, tolerance=1e-9, **exact)
    cut = spin(pl.transient(pl.compile(driven(plane, 9.0, largest_current=2.0)), end_time=end, step=1e-3))
    yield relative(f"{space}: current cut off", "rad/s", torque / INERTIA * end, cut, tolerance=1e-9, **exact)
    limits: dict[str, Any] = {"stall_current": STALL, "no_load_speed": NO_LOAD}
    hurried = pl.compile(driven(plane, 9.0, **limits))
    rate = RATIO**2 * CONSTANT * STALL / (INERTIA * NO_LOAD)  # 1/s, with which it comes to its no-load speed
    run = spin(pl.transient(hurried, end_time=0.5, step=1e-3))
    reference = NO_LOAD / RATIO * (1.0 - exp(-0.5 * rate))
    yield relative(f"{space}: speed on the line to no load", "rad/s", reference, run, tolerance=1e-5, **exact)
    at = pl.statics(pl.compile(held(plane, 9.0, **limits)))
    holding = float(np.abs(at.reaction.sel(joint="hold").values).max())
    reference = RATIO * CONSTANT * STALL
    yield relative(f"{space}: torque at rest, statics", "N m", reference, holding, tolerance=1e-9, **exact)
    stiffness = 20.0
    sprung = driven(plane, 9.0, **limits)
    sprung.add(pl.TorsionSpring("spring", sprung.part("ground").at(0, 0), sprung.part("wheel").at(), stiffness))
    system = pl.compile(sprung)
    seen = ["angular_velocity:wheel" if plane else "angular_velocity:wheel:z"]
    linear = pl.linearise(system, at=pl.statics(system), inputs=["motor/current"], outputs=seen)
    poles, exact_poles = np.linalg.eigvals(linear.A), np.roots([1.0, rate, stiffness / INERTIA])
    found, reference = (float(np.abs(roots.real).max()) for roots in (poles, exact_poles))
    yield relative(f"{space}: decay of the linear model", "1/s", reference, found, tolerance=1e-6, **exact)
    for current, begin, share in ((2.0, 0.0, 0.8), (-2.0, 100.0, 1.0 / 0.8)):
        system = pl.compile(driven(plane, current, efficiency=0.8, speed=1e-4))
        went = spin(pl.transient(system, end_time=end, step=1e-3, push={"wheel": turning(plane, begin)}))
        reference = begin + share * np.sign(current) * torque / INERTIA * end
        name = f"{space}: speed, motor {'drives' if begin == 0.0 else 'is driven'}, efficiency 0.8"
        yield relative(name, "rad/s", reference, went, tolerance=1e-3, **exact)


def brake(space: str, plane: str | None) -> Iterator[Row]:
    """Check a wheel that is braked to rest."""
    m, housing, wheel = shaft(plane)
    m.add(pl.Brake("brake", housing, wheel, 0.5, speed=1e-3))
    run = pl.transient(pl.compile(m), end_time=0.5, step=1e-3, push={"wheel": turning(plane, 10.0)})
    turned = float(np.sum(0.5 * (spins(run)[1:] + spins(run)[:-1]) * np.diff(run.time.values)))
    reference = INERTIA * 10.0**2 / (2.0 * 0.5)
    yield relative(f"{space}: angle to rest under a brake", "rad", reference, turned, tolerance=1e-3, kind="exact")
    lost, energy = float(run.energy.sel(energy_kind="dissipated")[-1]), 0.5 * INERTIA * 10.0**2
    yield relative(f"{space}: energy in the brake", "J", energy, lost, tolerance=1e-3, kind="conservation law")


def play(space: str, plane: str | None) -> Iterator[Row]:
    """Check a wheel that flies to and fro between the ends of its play: ``2 gap / w + 2 pi sqrt(J / k)`` a period."""
    gap, stiffness, speed = 0.2, 2000.0, 5.0
    m, housing, wheel = shaft(plane)
    m.add(pl.Backlash("play", housing, wheel, gap=gap, stiffness=stiffness))
    period = 2.0 * gap / speed + 2.0 * pi * sqrt(INERTIA / stiffness)
    run = pl.transient(pl.compile(m), end_time=period, step=period / 2000.0, push={"wheel": turning(plane, speed)})
    at = spins(run)
    yield relative(
        f"{space}: speed after one way to and fro", "rad/s", speed, float(at[-1]), tolerance=1e-3, kind="exact"
    )
    back = run.time.values[np.nonzero(at < 0.0)[0][0]]  # a quarter of the period, with half of its gap
    reference = 0.5 * gap / speed + 0.5 * pi * sqrt(INERTIA / stiffness)
    yield absolute(
        f"{space}: instant at which it turns back", "s", reference, back, tolerance=period / 1e3, kind="exact"
    )


def linkage(space: str, plane: str | None) -> Iterator[Row]:
    """Check a pendulum whose load does not turn: ``sqrt(g / l) / 2 pi``, whatever its inertia."""
    system = pl.compile(level(plane))
    hanging = pl.statics(system)
    found = float(pl.modal(system, at=hanging, modes=1).frequency_hz[0])
    reference = sqrt(9.81 / 0.4) / (2.0 * pi)
    yield relative(f"{space}: frequency with a parallelogram", "Hz", reference, found, tolerance=1e-8, kind="exact")


def ropes(space: str, plane: str | None) -> Iterator[Row]:
    """Check speeds of weights on ropes."""
    g, end = 9.81, 0.3
    drum = INERTIA / 0.05**2 + 2.0
    cases = {
        "Atwood's machine": (atwood(plane), "left", g * (2.0 - 3.0) / (3.0 + 2.0)),
        "block in a tackle": (tackle(plane), "block", -g * (3.0 + 2.0 * 2.0) / (3.0 + 4.0 * 2.0)),
        "weight on a drum": (hoist(plane, 1.4), "load", (1.4 / 0.05 - 2.0 * g) / drum),
    }
    for name, (model, body, acceleration) in cases.items():
        run = pl.transient(pl.compile(model), end_time=end, step=1e-3)
        found = float(run.velocity.sel(marker=f"{body}(0, 0)", axis="y")[-1])
        yield relative(f"{space}: speed of {name}", "m/s", acceleration * end, found, tolerance=1e-9, kind="exact")


def held(plane: str | None, current: float, **options: Any) -> pl.Model:
    """Build the driven wheel, held."""
    m = driven(plane, current, **options)
    m.add(pl.Motion(m.part("ground").at(0, 0), m.part("wheel").at(), angle=0.0, name="hold"))
    return m


def turning(plane: str | None, speed: float) -> tuple[float, ...]:
    """Return a spin about z as a push."""
    return (0.0, 0.0, speed) if plane else (0.0, 0.0, 0.0, 0.0, 0.0, speed)


def spins(run: pl.Result) -> np.ndarray:
    """Return the angular velocity of the wheel about z (rad/s)."""
    found = run.angular_velocity.sel(body="wheel")
    return np.asarray((found.sel(axis="z") if "axis" in found.dims else found).values)


def spin(run: pl.Result) -> float:
    """Return the crank's speed at the end."""
    return float(spins(run)[-1])
