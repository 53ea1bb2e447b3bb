"""Sleeves around a beam: forces are Lagrange's of their energy, matrices their derivatives, wherever the beam is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import pliant as pl
from pliant_testing import contracts
from pliant_testing.parts import beam
from pliant_testing.probe import Probe

SOFT = pl.Material("soft", youngs_modulus=40.0, poisson_ratio=0.3, density=5.0)


def probe(*, order: int = 2, gravity: bool = False) -> Probe:
    """Return two sleeves, one of them along the middle of the beam, straight up to its half."""
    model = pl.Model("sleeves", plane=None)
    inside = model.add(beam(True))
    model.add(
        pl.Sleeve("first", inside, outer_radius=0.4, inner_radius=0.3, material=SOFT, curvature=0.8, angle=0.7),
        pl.Sleeve(
            "second",
            inside,
            outer_radius=0.6,
            inner_radius=0.5,
            material=SOFT,
            curvature=-1.3,
            start=0.25,
            end=0.75,
            curved_from=0.5,
            angle=-0.4,
        ),
    )
    if gravity:
        model.add(pl.Gravity(x=1.3, y=-2.0, z=0.7))
    return Probe("Sleeve", model, None, pl.Exact(4, order=order))


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("size", [0.05, 0.2])
def test_forces_are_those_of_the_energy_and_matrices_their_derivatives(order: int, size: float) -> None:
    asked = probe(order=order)
    at = asked.random(np.random.default_rng(3), size, accelerated=True)
    still = replace(at, v=0.0 * at.v, a=0.0 * at.a)
    contracts.check_work(asked, at)
    contracts.check_rates(asked, at)
    contracts.check_stiffness(asked, still, np.zeros(asked.system.constraints))
    contracts.check_stiffness(asked, at, np.zeros(asked.system.constraints))
    contracts.check_symmetry(asked, still)


def test_it_does_not_care_where_it_is() -> None:
    asked, rng = probe(), np.random.default_rng(5)
    contracts.check_place(asked, asked.random(rng, 0.1), rng.standard_normal(3), rng.standard_normal(3))


def test_weight_acts_on_its_mass() -> None:
    asked = probe(gravity=True)
    contracts.check_work(asked, asked.random(np.random.default_rng(6), 0.1, accelerated=True))
    system = asked.system
    inside = system.model.part("beam").mass
    sleeves = [part.mass for part in system.model.forces if isinstance(part, pl.Sleeve)]
    assert system.mass == pytest.approx(inside + sum(sleeves), rel=1e-12)
    q, zero = system.initial, np.zeros(system.size)
    u = system.signals(np.zeros(1))[0]
    force = system.unbalanced(q, zero, zero, u)[: 6 * system.layout.moving].reshape(-1, 6)[:, :3].sum(axis=0)
    assert force == pytest.approx(-system.mass * np.array([1.3, -2.0, 0.7]), rel=1e-9)


def test_file_and_units() -> None:
    asked = probe()
    at = asked.random(np.random.default_rng(6), 0.1)
    contracts.check_file(asked, at)
    contracts.check_units(asked, at)


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
def test_a_free_flight_keeps_momentum_and_energy() -> None:
    asked = probe()
    system, at = asked.system, asked.random(np.random.default_rng(8), 0.02)
    start = replace(system.start(), q=at.q, v=at.v)
    motion = pl.transient(system, start=start, end_time=0.05, step=5e-4, spectral_radius=1.0)
    momentum = motion.momentum.values
    assert np.max(np.abs(momentum - momentum[0])) < 1e-4 * np.max(np.abs(momentum))
    energy = motion.energy.sel(energy_kind=["kinetic", "potential"]).sum("energy_kind").values
    assert np.ptp(energy) < 1e-3 * energy[0]
