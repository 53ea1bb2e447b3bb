"""Rods fed through a sleeve: what pushes them out, their shapes, their motion."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from math import cos, pi, sin
from typing import Any

import numpy as np

import pliant as pl
from pliant.errors import PliantWarning
from pliant_evidence.fed_rod import theory
from pliant_gallery import fed_rod
from pliant_testing.validation import Row, at_most, case, relative

FINE = pl.Exact(12, order=3)
SHOOTING: dict[str, Any] = {"formulation": "shooting", "subintervals": 6}
ROUNDING = 1e-8  # of the length and of the largest force, where elements of order 3 are all but exact
SOFT = pl.Section(  # stretches and shears by per cents
    axial_stiffness=60.0,
    shear_stiffness=40.0,
    bending_stiffness=1.0,
    mass_per_length=0.1,
    bending_stiffness_y=0.7,
    torsional_stiffness=0.5,
    shear_stiffness_z=50.0,
)
LOADS = {"plane": (0.4, 1.2), "space": (-0.5, 1.0, -0.7)}
SPRING, RELAXED = 4.0, 0.8  # N/m, m
FIRST = 1.8751040687119611  # of cos x cosh x = -1
SWEEP, TIME = 0.5, 0.5  # m, s: the rod of 1 m grows by half


@case("fed-rod", source="Bigoni et al. 2015; shooting; Galerkin method for extruded rods, written separately")
def fed_rods() -> Iterator[Row]:
    """A rod that slides through a sleeve: statics, modes, motion, in the plane and in space."""
    for words, load in LOADS.items():
        yield from sleeves(words, load)
        yield from springs(words, load)
        yield from pushes(words, load)
        yield from flights(words, len(load))
    yield from modes()
    yield from columns()
    yield from extruded()


def sleeves(words: str, load: tuple[float, ...]) -> Iterator[Row]:
    """Check a rod driven to several lengths: the tip, and what the drive has to hold."""
    force = np.array((*load, 0.0)[:3])
    for name, section, by in (
        ("thin rod", fed_rod.SECTION, {"elements": FINE}),
        ("soft rod", SOFT, {"elements": FINE}),
        ("thin rod by shooting", fed_rod.SECTION, SHOOTING),
        ("soft rod by shooting", SOFT, SHOOTING),
    ):
        system = pl.compile(fed_rod.model(load=load, section=section), **by)
        for fed in (-0.3, 0.0, 0.5):
            rest = pl.statics(system.with_signals({"motor/x": pl.Constant(fed)}))
            tip, push = theory.pushed_out(force, 1.0 + fed, section)
            found = np.asarray(rest.position.sel(marker="rod/tip"))
            what = f"{words}, {name}, fed by {fed:g} m"
            off = float(np.linalg.norm(found - tip[: found.size])) / (1.0 + fed)
            yield at_most(f"{what}: tip", "L", off, limit=ROUNDING, kind="independent code")
            held = -float(rest.reaction.sel(joint="motor", wrench="Fx"))
            yield relative(f"{what}: force out of the sleeve", "N", push, held, tolerance=1e-6, kind="exact")


def springs(words: str, load: tuple[float, ...]) -> Iterator[Row]:
    """Check a free carriage on a spring: the length at which the rod stays."""
    model = fed_rod.model(load=load, feed=None, length=RELAXED)
    ground, carriage = model.part("ground"), model.part("carriage")
    behind = (-1.0, *(0.0,) * (len(load) - 1))
    model.add(pl.Spring("spring", ground.at(*behind), carriage.at(), stiffness=SPRING, rest_length=1.0))
    rest = pl.statics(pl.compile(model, elements=FINE))
    x = float(rest.position.sel(marker=next(k for k in rest.marker.values if "carriage" in k), axis="x"))
    expected = theory.balanced_length(np.array((*load, 0.0)[:3]), fed_rod.SECTION, SPRING, RELAXED, 1.6)
    yield relative(
        f"{words}: free length on a spring", "m", expected, RELAXED + x, tolerance=1e-6, kind="independent code"
    )


def pushes(words: str, load: tuple[float, ...]) -> Iterator[Row]:
    """Check a straight rod, pushed from rest: it is a rigid mass, stock and all."""
    model = fed_rod.model(load=tuple(0.0 for _ in load), feed=None)
    model.add(pl.Force(model.part("carriage").at(), x=0.3, name="push"))
    motion = pl.transient(pl.compile(model, elements=pl.Exact(2, order=2)), end_time=0.5, step=1e-3)
    exact = 0.5 * 0.3 * 0.5**2 / (0.2 + 0.1 * 2.0)
    found = float(motion.position.sel(marker="rod/tip", axis="x")[-1]) - 1.0
    yield relative(f"{words}: a rod pushed from rest", "m", exact, found, tolerance=1e-6, kind="exact")


def flights(words: str, axes: int) -> Iterator[Row]:
    """Check a body that carries sleeve and carriage, free to fly: a spring throws the bent rod out."""
    motion = pl.transient(pl.compile(thrown(axes), elements=pl.Exact(4, order=2)), end_time=0.4, step=2.5e-4)
    energy = np.asarray(motion.energy.sel(energy_kind=["kinetic", "potential"]).sum("energy_kind"))
    moved = float(np.max(np.asarray(motion.energy.sel(energy_kind="kinetic"))))
    yield at_most(
        f"{words}: energy of a free flight", "1", float(np.ptp(energy)) / moved, limit=1e-4, kind="conservation law"
    )
    momentum = np.asarray(motion.momentum)
    scale = float(np.sqrt(2.0 * moved * 0.7))  # of all its mass
    drift = float(np.max(np.abs(momentum[:, :axes] - momentum[0, :axes]))) / scale
    yield at_most(f"{words}: momentum of a free flight", "1", drift, limit=1e-6, kind="conservation law")


def thrown(axes: int) -> pl.Model:
    """Build a body that turns as it starts; a compressed spring pushes the carriage."""
    m = pl.Model("thrown", plane=None if axes == 3 else "xy")
    zero = (0.0,) * axes
    inertia = (2e-2, 3e-2, 4e-2) if axes == 3 else 4e-2
    base = m.add(pl.Body("base", mass=0.4, inertia=inertia, position=zero, angle=0.0, free=True))
    rod = m.add(pl.Beam("rod", length=0.8, section=SOFT))
    carriage = m.add(pl.Body("carriage", mass=0.1, inertia=1e-3 if axes == 2 else (1e-3,) * 3, position=zero))
    m.add(pl.Weld(base.at(), rod.at(s=0), angle=0.0), pl.Prismatic(base.at(), carriage.at()))
    m.add(pl.Feed("feed", rod, guide=base.at(), carriage=carriage.at(), stock=1.0))
    behind = (-0.5, *zero[1:])
    m.add(pl.Spring("spring", base.at(*behind), carriage.at(), stiffness=10.0, rest_length=0.7))
    spring: dict[str, Any] = {"stiffness": 2.0, "rest_length": 0.1}
    m.add(pl.Spring("cord", base.at(*(0.0, 0.5, 0.2)[:axes]), rod.at(s=1), **spring))  # it bends the rod
    return m


def modes() -> Iterator[Row]:
    """Check that a rod held in the sleeve is a clamped rod of its free length."""
    for words, load in (("plane", (0.0, 0.0)), ("space", (0.0, 0.0, 0.0))):
        system = pl.compile(fed_rod.model(load=load), elements=FINE).with_signals({"motor/x": pl.Constant(0.4)})
        found = float(pl.modal(system, at=pl.statics(system)).frequency_hz[0])
        section = fed_rod.SECTION
        exact = FIRST**2 / 1.4**2 * np.sqrt(section.bending_stiffness / section.mass_per_length) / (2.0 * pi)
        yield relative(f"{words}: first frequency, fed by 0.4 m", "Hz", exact, found, tolerance=1e-5, kind="exact")


def columns() -> Iterator[Row]:
    """Check that a rod under a force along it buckles where it is fed to the length ``pi/2 sqrt(EI/P)``."""
    for words, load in (("plane", (-1.0, 0.0)), ("space", (-1.0, 0.0, 0.0))):
        system = pl.compile(fed_rod.model(load=load), elements=FINE)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PliantWarning)  # that it has buckled at the end of the path
            found = 1.0 + float(pl.path(system, "motor/x", begin=0.0, to=0.9).event_parameter[0])
        yield relative(f"{words}: length at which it buckles", "m", 0.5 * pi, found, tolerance=1e-5, kind="exact")


def growth(t: float) -> tuple[float, float, float]:
    """Return the free length of the extruded rod, and its rates."""
    w = pi / TIME
    return 1.0 + 0.5 * SWEEP * (1.0 - cos(w * t)), 0.5 * SWEEP * w * sin(w * t), 0.5 * SWEEP * w * w * cos(w * t)


def extruded() -> Iterator[Row]:
    """Check a rod fed half as long again in half a second, small deflections: against a Galerkin method."""
    feed = pl.Expression(f"{0.5 * SWEEP} * (1 - cos({pi / TIME} * t))")
    for words, load in (("plane", (0.0, 1e-3)), ("space", (0.0, 0.0, 1e-3))):
        system = pl.compile(fed_rod.model(load=load, feed=feed), elements=pl.Exact(4, order=3))
        motion = pl.transient(system, start=pl.statics(system), end_time=TIME, step=1e-3)
        found = np.asarray(motion.position.sel(marker="rod/tip", axis="xyz"[len(load) - 1]))
        expected = theory.Extruded(fed_rod.SECTION, 1e-3, growth).tips(np.asarray(motion.time))
        off = float(np.max(np.abs(found - expected)) / np.max(np.abs(expected)))
        yield at_most(
            f"{words}: tip of a rod that is extruded", "largest deflection", off, limit=1e-3, kind="independent code"
        )
