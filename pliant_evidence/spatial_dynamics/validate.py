"""Motion in space: what must be kept is kept, the order is two, one-freedom and rigid solutions are met."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import pliant as pl
from pliant.model import rotations
from pliant_evidence.conservation import joints_closed
from pliant_evidence.spatial_dynamics import theory
from pliant_gallery import spatial_dynamics as models
from pliant_testing.validation import Row, absolute, at_most, case, order

SPIN = 100.0  # rad/s of the rod: 0.1 rad in a step of 1 ms
SPINS = {"across": (0.0, 0.0, SPIN), "along": (SPIN, 0.0, 0.0), "both ways": (SPIN, 0.3 * SPIN, SPIN)}
SCHEMES: dict[str, dict[str, Any]] = {"generalized-alpha": {}, "momentum": {"scheme": "momentum"}}


@case("spatial-dynamics", source="conserved quantities; IFToMM benchmark A04; Simo, Vu-Quoc 1988; Euler's equations")
def spatial_dynamics() -> Iterator[Row]:
    """Momentum and energy in free flight, a stiff rod that spins fast, order two, frame indifference, Bricard."""
    yield from outside()
    yield from itertools.chain(_swing(), _promoted())


def outside() -> Iterator[Row]:
    """Check against references from outside: laws of conservation, Euler's equations, the benchmark."""
    yield from itertools.chain(_thrown(), _rod(), _top(), _bricard())


def fly(**options: Any) -> pl.Result:
    """Return the thrown beam, 10 s by the momentum scheme in steps of 50 ms."""
    system = pl.compile(models.thrown(), elements=10)
    return pl.transient(system, end_time=10.0, **{"step": 0.05, **SCHEMES["momentum"], **options})


def spin(speed: tuple[float, float, float], **options: Any) -> pl.Result:
    """Return the rod, spinning about its centre."""
    system = pl.compile(models.rod(), elements=8)
    push = (*np.cross(speed, (-0.5, 0.0, 0.0)).tolist(), *speed)
    return pl.transient(system, push={"rod": push}, **{"end_time": 1.0, "step": 1e-3, **options})


def drifts(run: pl.Result, *, since: float = 0.0) -> tuple[float, float]:
    """Return the largest changes of momentum, linear or angular, and of total energy, as parts of the largest."""
    late = run.time.values > since - 1e-9
    momentum, energy = run.momentum.values[late], run.energy.values[late, :2].sum(axis=1)
    scale = max(float(np.max(np.abs(momentum))), 1e-300)
    return float(np.max(np.abs(momentum - momentum[0]))) / scale, float(np.ptp(energy) / np.max(np.abs(energy)))


def impulse(run: pl.Result) -> np.ndarray:
    """Return the (steps, 6) impulse of the loads on the thrown beam, its tip halfway in every step."""
    time, tip = run.time.values, run.position.sel(marker="beam/tip").values
    pulse = np.interp(time, models.PULSE.times, models.PULSE.values)
    middle, moment = 0.5 * (tip[1:] + tip[:-1]), 0.5 * (pulse[1:] + pulse[:-1])
    force = np.outer(moment / 10.0, (1.0, 0.0, 0.0))
    turning = np.cross(middle, force) + np.outer(moment, (0.0, 1.0, 0.5))
    return np.asarray(np.cumsum(np.diff(time)[:, None] * np.hstack([force, turning]), axis=0))


def _thrown() -> Iterator[Row]:
    run = fly()
    given, momentum = impulse(run), run.momentum.values
    off = float(np.max(np.abs(momentum[1:] - given)) / np.max(np.abs(given)))
    yield at_most("thrown beam, momentum less impulse of its loads", "1", off, limit=1e-10, kind="conservation law")
    speed = float(momentum[-1, 0]) / 10.0
    yield absolute("thrown beam, speed of its centre afterwards", "m/s", 5.0, speed, tolerance=1e-10, kind="exact")
    kept, energy = drifts(run, since=5.0)
    yield at_most("thrown beam in flight, drift of momentum", "1", kept, limit=1e-10, kind="conservation law")
    steps, errors = (0.05, 0.025, 0.0125), [energy]
    errors += [drifts(fly(step=h), since=5.0)[1] for h in steps[1:]]
    yield order("thrown beam in flight, order of the change of energy", steps, errors, kind="conservation law")


def _rod() -> Iterator[Row]:
    for name, speed in SPINS.items():
        run = spin(speed, **SCHEMES["momentum"])
        momentum, energy = drifts(run)
        what = f"rod spinning {name}, 0.1 rad a step"
        yield at_most(f"{what}, drift of momentum", "1", momentum, limit=1e-10, kind="conservation law")
        yield at_most(f"{what}, change of energy", "1", energy, limit=1e-5, kind="conservation law")
        yield at_most(f"{what}, steps cut", "1", run.outcome.cut_backs, limit=0.0, kind="itself")


def _top() -> Iterator[Row]:
    given, end, steps = (1.0, 2.0, 8.0), 2.0, (8e-3, 4e-3, 2e-3)
    exact, system = theory.free_top(given, end), pl.compile(models.top())
    for name, options in SCHEMES.items():
        errors = []
        for h in steps:
            run = pl.transient(system, end_time=end, step=h, push={"top": given}, **options)
            errors.append(float(np.max(np.abs(rotations.matrix(run.orientation.values[-1, 0]) - exact))))
        yield order(f"free top, order of {name}", steps, errors, kind="independent code")
    momentum, energy = drifts(run)
    yield at_most("free top, drift of momentum", "1", momentum, limit=1e-10, kind="conservation law")
    yield at_most("free top, drift of energy", "1", energy, limit=1e-10, kind="conservation law")


def swung(
    elements: Any = 4, *, step: float, turn: Any = (0, 0, 0), shift: Any = (0, 0, 0), **options: Any
) -> np.ndarray:
    """Return (steps, 3) the bob of the swing for 0.25 s, its path seen in world axes that were turned and moved."""
    R = Rotation.from_rotvec(turn).as_matrix()
    system = pl.compile(models.swing(turn=turn, shift=shift), elements=elements)
    push = (*(R @ (0.0, 2.0, 0.0)).tolist(), 0.0, 0.0, 0.0)
    run = pl.transient(system, end_time=0.25, step=step, push={"bob": push}, **options)
    return np.asarray((run.position.sel(marker="bob(0, 0)").values - shift) @ R)


def _swing() -> Iterator[Row]:
    steps = (5e-4, 2.5e-4, 1.25e-4)
    for name, options in SCHEMES.items():
        fine = swung(step=3.125e-5, **options)[-1]
        errors = [float(np.max(np.abs(swung(step=h, **options)[-1] - fine))) for h in steps]
        yield order(f"rod and bob on joints, order of {name}", steps, errors, kind="itself")
        plain = swung(step=2e-3, **options)
        seen = swung(step=2e-3, turn=(0.4, -0.7, 1.1), shift=(3.0, -2.0, 1.0), **options)
        off = float(np.max(np.abs(plain - seen)))
        yield at_most(
            f"rod and bob in a world turned and moved, {name}", "m", off, limit=1e-11, kind="conservation law"
        )
    exact, other = swung(pl.Exact(6, order=3), step=1e-3)[-1], swung(pl.Corotational(24), step=1e-3)[-1]
    # elements that share neither strains nor frames; 24 co-rotational ones are within 0.1 % of the rod's length
    for axis, reference, found in zip("xyz", other, exact, strict=True):
        yield absolute(
            f"rod and bob after 0.25 s, co-rotational beside exact, {axis}",
            "m",
            reference,
            found,
            tolerance=1e-3,
            kind="other formulation",
        )


def _promoted() -> Iterator[Row]:
    flat = pl.Model("flail")
    ground, handle = flat.add(pl.Ground(), pl.Link("handle", length=0.5, mass=0.3, angle=0.0))
    tail = flat.add(pl.Beam("tail", length=1.0, section=models.SOFT, angle=0.4))
    flat.add(pl.Revolute(ground.at(0, 0), handle.at(s=0)), pl.Revolute(handle.at(s=1), tail.at(s=0)), pl.Gravity())
    # lumped: beams in space lump their rotary inertia, planar beams by default do not
    systems = [pl.compile(each, elements=pl.Exact(4, mass="lumped")) for each in (flat, flat.promoted())]
    for name, options in SCHEMES.items():
        runs = [pl.transient(system, end_time=0.5, step=2e-3, **options) for system in systems]
        one, two = (run.position.sel(marker="tail/tip").values[:, :2] for run in runs)
        off = float(np.max(np.abs(one - two)))
        yield at_most(f"planar flail beside the same in space, {name}", "m", off, limit=1e-11, kind="other formulation")


def _bricard() -> Iterator[Row]:
    system, steps, exact = pl.compile(models.bricard()), (1e-2, 5e-3, 2.5e-3), theory.bricard(np.linspace(0, 10, 1001))
    for name, options in SCHEMES.items():
        errors = []
        for every, h in zip((1, 2, 4), steps, strict=True):
            run = pl.transient(system, end_time=10.0, step=h, every=every, **options)
            errors.append(float(np.max(np.abs(run.position.sel(marker="bar 3/tip").values - exact))))
        yield order(f"Bricard for 10 s, order of {name}", steps, errors, kind="independent code")
        yield at_most(
            f"Bricard for 10 s, {name}, largest error of a corner", "m", errors[-1], limit=2e-4, kind="independent code"
        )
        yield joints_closed(f"Bricard for 10 s, {name}, joints open", run)
        share = run.outcome.energy_error / run.outcome.energy_range
        yield at_most(f"Bricard for 10 s, {name}, energy", "1", share, limit=1e-4, kind="conservation law")
