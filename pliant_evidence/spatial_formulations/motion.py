"""Rods in space in motion: shooting with implicit steps against exact frequencies, conservation and finite elements."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from math import cos, cosh, pi, sin, sinh
from typing import Any

import numpy as np
from scipy.optimize import brentq

import pliant as pl
from pliant_gallery import spatial_dynamics
from pliant_testing.validation import Row, at_most, order

RUBBER = pl.Material("rubber", youngs_modulus=2e8, density=1200.0, poisson_ratio=0.4)
FINE: dict[str, Any] = {"elements": pl.Exact(8, order=3)}
TIP = 5.0  # mass at the tip of a cantilever over its own


def rows() -> Iterator[Row]:
    """Check against references from outside, and once against finite elements."""
    yield from chain(cantilever(), slider_crank(), flight(), spinning())


def more_rows() -> Iterator[Row]:
    """Check other comparisons with finite elements."""
    yield from chain(pendulum(), thrown())


def slider_crank_model() -> pl.Model:
    """Build a slider-crank out of its plane: the slider 5 cm below the crank, the connecting rod a soft beam."""
    m = pl.Model("spatial slider-crank", plane=None)
    ground = m.add(pl.Ground())
    crank, slider, rod = m.add(
        pl.Link("crank", length=0.1, mass=0.1, inertia=(1e-5, 1e-4, 1e-4), orientation=(0.0, 0.0, 0.5)),
        pl.Body("slider", mass=0.1, inertia=(1e-5, 1e-5, 1e-5)),
        pl.Beam("rod", length=0.3, section=pl.Section.circle(4e-3, RUBBER), damping=pl.Rayleigh(0.0, 1e-4)),
    )
    m.add(
        pl.Revolute(ground.at(0, 0, 0.05), crank.at(s=0), axis="z"), pl.Universal(crank.at(s=1), rod.at(s=0)),
        pl.Spherical(rod.at(s=1), slider.at(0, 0, 0)), pl.Prismatic(ground.at(0, 0, 0), slider.at(0, 0, 0), axis="x"),
        pl.Gravity(),
    )  # fmt: skip
    return m


def cantilever() -> Iterator[Row]:
    """Check that a cantilever with a heavy tip passes its rest position after a quarter period (closed form)."""
    section = pl.Section.general(
        stiffness=np.diag([1e5, 1e5, 1e5, 3.0, 1.0, 2.0]), mass_per_length=1.0, rotary_inertia=1e-8,
        rotary_inertia_y=1e-8,
    )  # fmt: skip
    m = pl.Model("rod", plane=None)
    ground, rod, tip = m.add(
        pl.Ground(), pl.Beam("rod", length=1.0, section=section), pl.Body("tip", mass=TIP, inertia=(1e-6,) * 3)
    )
    m.add(pl.Weld(ground.at(0, 0), rod.at(s=0)), pl.Weld(rod.at(s=1), tip.at(0, 0)))
    m.add(pl.Force(rod.at(s=1), y=2e-3, z=1e-3, name="load"))
    system = pl.compile(m, formulation="shooting", subintervals=2)
    free, rest = system.with_signals({"load/y": 0.0, "load/z": 0.0}), pl.statics(system)
    root = brentq(lambda b: 1 + cos(b) * cosh(b) + TIP * b * (cos(b) * sinh(b) - sin(b) * cosh(b)), 0.5, 1.5)
    for axis, stiffness in (("y", 2.0), ("z", 1.0)):
        quarter = 0.5 * pi / (root**2 * stiffness**0.5)
        run = pl.transient(free, start=rest, end_time=quarter, step=quarter / 50, estimate=False)
        place, speed = (run.data[name].sel(marker="rod/tip", axis=axis).values[-1] for name in ("position", "velocity"))
        late, name = (
            abs(float(place / (quarter * speed))),
            f"cantilever with a heavy tip, shooting: quarter period, {axis}",
        )
        yield at_most(name, "1", late, limit=2e-4, kind="exact")


def slider_crank() -> Iterator[Row]:
    """Check the soft link of a spatial slider-crank, by shooting and by finite elements."""
    model, push = slider_crank_model(), {"crank": (0.0, 0.0, 20.0)}
    yield from _compared("slider-crank with a soft link", model, 0.03, 5e-4, 1e-6, subintervals=5, push=push)


def pendulum() -> Iterator[Row]:
    """Check a soft rod on a ball joint that falls with a body at its tip, damped along it and against the ground."""
    m = pl.Model("pendulum", plane=None)
    soft = pl.Section.rectangle(0.02, 0.01, RUBBER)
    damping = pl.Rayleigh(0.5, 1e-3, relative_to="ground")
    ground, rod, bob = m.add(
        pl.Ground(), pl.Beam("rod", length=0.5, section=soft, damping=damping),
        pl.Body("bob", mass=0.05, inertia=(1e-5, 2e-5, 1e-5)),
    )  # fmt: skip
    m.add(pl.Spherical(ground.at(0, 0), rod.at(s=0)), pl.Weld(rod.at(s=1), bob.at(0, 0, 0)))
    m.add(pl.Gravity(x=2.0, y=-9.0, z=1.0))
    yield from _compared("pendulum with a soft rod", m, 0.1, 2e-3, 1e-6, subintervals=5)


def thrown() -> Iterator[Row]:
    """Check Simo and Vu-Quoc's beam, whose sections have much inertia of their own, thrown into the air."""
    yield from _compared("thrown beam", spatial_dynamics.thrown(), 1.0, 0.1, 1e-4, subintervals=20)


def flight() -> Iterator[Row]:
    """Check that a soft rod that tumbles freely keeps momentum and energy, as well as steps of this size do."""
    m = pl.Model("free", plane=None)
    m.add(pl.Beam("rod", length=0.5, section=pl.Section.rectangle(0.02, 0.01, RUBBER), free=True))
    push = {"rod": (0.0, 0.0, 1.0, 3.0, 8.0, 20.0)}
    system = pl.compile(m, formulation="shooting", subintervals=5)
    run = pl.transient(system, end_time=0.1, step=1e-3, push=push, estimate=False)
    momentum, energy = run.momentum.values, run.energy.values
    for name, part, limit in (("linear", slice(0, 3), 1e-10), ("angular", slice(3, 6), 1e-4)):
        drift = np.max(np.abs(momentum[:, part] - momentum[0, part])) / np.linalg.norm(momentum[0, part])
        row = f"tumbling rod, shooting: drift of {name} momentum"
        yield at_most(row, "1", float(drift), limit=limit, kind="conservation law")
    off = float(np.max(np.abs(energy[:, 4])) / energy[0, 0])
    yield at_most("tumbling rod, shooting: energy balance", "1", off, limit=1e-3, kind="conservation law")


def spinning() -> Iterator[Row]:
    """Check that a thin steel rod spins about its centre without numerical damping: as a rigid one, but for 1e-6 of its
    length by which it is stretched; steps extrapolated to fourth order.
    """
    rate, end = 20.0, 0.08
    exact = 0.5 * np.array([cos(rate * end), sin(rate * end), 0.0])
    push = {"rod": (0.0, -0.5 * rate, 0.0, 0.0, 0.0, rate)}
    for name, way in (("shooting", {"formulation": "shooting", "subintervals": 8}), ("elements", FINE)):
        system = pl.compile(spatial_dynamics.rod(), **way)
        far, near = (
            pl.transient(system, end_time=end, step=h, push=push, spectral_radius=1.0, estimate=False)
            .position.sel(marker="rod/tip")
            .values[-1]
            for h in (4e-3, 2e-3)
        )
        off = float(np.max(np.abs(near + (near - far) / 3.0 - exact)))
        yield at_most(f"spinning rod, {name}: tip", "m", off, limit=1e-5, kind="exact")
    chain_of_8 = pl.compile(spatial_dynamics.rod(), formulation="udwadia_kalaba", elements=8)
    run = pl.transient(chain_of_8, end_time=end, push=push, method="SDIRK4", accuracy=1e-6, estimate=False)
    off = float(np.max(np.abs(run.position.sel(marker="rod/tip").values[-1] - exact)))
    yield at_most("spinning rod, chain of 8: tip", "m", off, limit=1e-5, kind="exact")


def _compared(
    name: str, model: pl.Model, end: float, step: float, limit: float, *, subintervals: int, **options: Any
) -> Iterator[Row]:
    """Compare places of all markers at all instants of the longest step, extrapolated to order four."""
    found = []
    for way in ({"formulation": "shooting", "subintervals": subintervals}, FINE):
        system = pl.compile(model, **way)
        far, near, nearer = (
            pl.transient(system, end_time=end, step=step / k, every=k, estimate=False, **options).position.values
            for k in (1, 2, 4)
        )
        found.append(nearer + (nearer - near) / 3.0)
        errors = [float(np.max(np.abs(each - found[-1]))) for each in (far, near, nearer)]
        if way is not FINE:
            yield order(f"{name}, shooting: order of the steps", [step, step / 2, step / 4], errors, kind="itself")
    off = float(np.max(np.abs(found[0] - found[1])) / np.max(np.ptp(found[1], axis=0)))
    yield at_most(f"{name}, shooting: places from those of elements", "1", off, limit=limit, kind="other formulation")
