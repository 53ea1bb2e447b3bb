"""Motion in space: what must be kept is kept, the order is two, and one-freedom and rigid solutions are met."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import pliant as pl
from pliant.gallery import spatial_dynamics as models
from pliant.gallery.spatial_dynamics import theory
from pliant.model import rotations
from pliant.validation import Row, absolute, at_most, case, order

SPIN = 100.0  # rad/s of the rod: 0.1 rad in a step of 1 ms
TURN = np.array([0.4, -0.7, 1.1])  # of the world, as a rotation vector
SHIFT = np.array([3.0, -2.0, 1.0])


@case("spatial-dynamics", source="conserved quantities; IFToMM benchmark A04; Simo, Vu-Quoc 1988; Euler's equations")
def spatial_dynamics() -> Iterator[Row]:
    """Momentum and energy in free flight, a stiff rod that spins fast, order two, frame indifference, Bricard's loop."""
    yield from _thrown()
    yield from _rod()
    yield from _top()
    yield from _swing()
    yield from _bricard()


def fly(**options: Any) -> pl.Result:
    """The thrown beam, 10 s."""
    system = pl.compile(models.thrown(), elements=10)
    return pl.transient(system, end_time=10.0, **{"step": 0.05, "scheme": "momentum", **options})


def spin(speed: tuple[float, float, float], **options: Any) -> pl.Result:
    """The rod, spinning about its centre, 0.2 s in steps of 1 ms."""
    system = pl.compile(models.rod(), elements=8)
    at_base = np.cross(speed, (-0.5, 0.0, 0.0))
    return pl.transient(system, end_time=0.2, step=1e-3, push={"rod": (*at_base, *speed)}, **options)


def drifts(run: pl.Result) -> tuple[float, float]:
    """Largest changes of momentum and of kinetic plus potential energy, as parts of the largest of each."""
    momentum, energy = run.momentum.values, run.energy.sel(energy_kind=["kinetic", "potential"]).sum("energy_kind").values
    parts = [np.max(np.abs(p - p[0])) / np.max(np.abs(p)) for p in (momentum[:, :3], momentum[:, 3:]) if np.any(p)]
    return float(max(parts)), float(np.max(np.abs(energy - energy[0])) / np.max(np.abs(energy)))


def _thrown() -> Iterator[Row]:
    run = fly()
    time, momentum = run.time.values, run.momentum.values
    pulse = np.interp(time, models.PULSE.times, models.PULSE.values)
    tip = run.position.sel(marker="beam/tip").values
    middle, moment, h = 0.5 * (tip[1:] + tip[:-1]), 0.5 * (pulse[1:] + pulse[:-1]), np.diff(time)
    force = np.outer(moment / 10.0, (1.0, 0.0, 0.0))
    turning = np.cross(middle, force) + np.outer(moment, (0.0, 1.0, 0.5))
    gained = np.cumsum(h[:, None] * np.hstack([force, turning]), axis=0)
    scale = np.max(np.abs(gained))
    off = np.max(np.abs(momentum[1:] - gained)) / scale
    yield at_most("thrown beam, momentum less impulse of the loads", "1", off, limit=1e-10)
    yield absolute("thrown beam, speed of its centre after the throw", "m/s", 5.0, momentum[-1, 0] / 10.0, tolerance=1e-10)
    after = run.sel(time=slice(5.0, None))
    kept, energy = drifts(after)
    yield at_most("thrown beam, drift of momentum in flight", "1", kept, limit=1e-10)
    # the method is of order two; at 50 ms this is its error, and it does not grow
    yield at_most("thrown beam, drift of energy in flight, steps of 50 ms", "1", energy, limit=2e-3)


def _rod() -> Iterator[Row]:
    for name, speed in (("across", (0.0, 0.0, SPIN)), ("along", (SPIN, 0.0, 0.0)), ("tumbling", (SPIN, 0.3 * SPIN, SPIN))):
        momentum, energy = drifts(spin(speed, scheme="momentum"))
        yield at_most(f"rod spinning {name} by 0.1 rad a step, drift of momentum", "1", momentum, limit=1e-10)
        yield at_most(f"rod spinning {name}, drift of energy", "1", energy, limit=1e-6)
        ended = spin(speed)
        yield at_most(f"rod spinning {name}, cut-backs of generalized-alpha", "1", ended.outcome.cut_backs, limit=0)


def _top() -> Iterator[Row]:
    given, end = (1.0, 8.0, 0.5), 2.0
    exact, _ = theory.free_top(given, end)
    system = pl.compile(models.top())
    for name, options in (("generalized-alpha", {}), ("momentum", {"scheme": "momentum"})):
        steps, errors = (4e-3, 2e-3, 1e-3), []
        for h in steps:
            run = pl.transient(system, end_time=end, step=h, push={"top": given}, **options)
            errors.append(float(np.max(np.abs(rotations.matrix(run.quaternion.values[-1, 0]) - exact))))
        yield order(f"free top, order of {name}", steps, errors)
        yield at_most(f"free top, {name}, error of the axes at 1 ms", "1", errors[-1], limit=1e-3)
    momentum, energy = drifts(run)
    yield at_most("free top, drift of momentum", "1", momentum, limit=1e-10)
    yield at_most("free top, drift of energy", "1", energy, limit=1e-10)


def swung(elements: Any, step: float, **options: Any) -> np.ndarray:
    """(3,) the bob of the swing after 0.5 s."""
    system = pl.compile(models.swing(), elements=elements)
    run = pl.transient(system, end_time=0.5, step=step, push={"bob": (0.0, 2.0, 0.0)}, **options)
    return np.asarray(run.position.sel(marker="bob/centre").values[-1])


def _swing() -> Iterator[Row]:
    steps = (4e-3, 2e-3, 1e-3)
    for name, options in (("generalized-alpha", {}), ("momentum", {"scheme": "momentum"})):
        fine = swung(4, 1.25e-4, **options)
        errors = [float(np.max(np.abs(swung(4, h, **options) - fine))) for h in steps]
        yield order(f"swing with a rod and two joints, order of {name}", steps, errors)


def _bricard() -> Iterator[Row]:
    system = pl.compile(models.bricard())
    steps = (1e-2, 5e-3, 2.5e-3)
    for name, options in (("generalized-alpha", {"spectral_radius": 0.9}), ("momentum", {"scheme": "momentum"})):
        errors = []
        for h in steps:
            run = pl.transient(system, end_time=10.0, step=h, **options)
            exact = theory.bricard(run.time.values)
            errors.append(float(np.max(np.abs(run.position.sel(marker="bar 3/tip").values - exact))))
        yield order(f"Bricard, order of {name} over 10 s", steps, errors)
