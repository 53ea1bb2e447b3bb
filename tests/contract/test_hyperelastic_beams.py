"""Beams whose sections answer large strains: what holds of every element holds of these."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import pliant as pl
from pliant_testing import contracts
from pliant_testing.parts import beam
from pliant_testing.probe import Kinematics, Probe

LAWS = [pl.FibreLaw("circle"), pl.FibreLaw("rectangle", mooney=0.4), pl.FibreLaw("circle", inner=0.6, mooney=1.0)]


def probe_of(law: pl.FibreLaw, space: str, order: int, **given: object) -> Probe:
    """Build the probe of one beam with a law, its section so soft that strains are tenths."""
    spatial = space == "spatial"
    model = pl.Model("rubber", plane=None if spatial else "xy")
    made = beam(spatial, **given)
    section = replace(made.section, law=law)
    model.add(replace(made, section=section))
    return Probe(f"{law!r} in {space}", model, elements=pl.Exact(2, order=order), tolerance=1e-6)


@pytest.mark.parametrize("space", ["planar", "spatial"])
@pytest.mark.parametrize(("law", "order"), list(zip(LAWS, (1, 2, 3), strict=True)), ids=repr)
def test_forces_derivatives_work_and_units(law, order, space):
    probe = probe_of(law, space, order, damping=pl.Rayleigh(0.3, 0.02))
    rng = np.random.default_rng(4)
    start = probe.system.start()
    force = probe.force(Kinematics(start.q, start.v, start.a))
    probe.same("it is not free of stress at rest", force, 0.0 * force, size=300.0, tolerance=1e-12)
    at = probe.random(rng, 0.2 / order**2, accelerated=True)
    still = replace(at, v=0.0 * at.v, a=0.0 * at.a)
    contracts.check_stiffness(probe, still, np.zeros(0))
    contracts.check_rates(probe, at)
    contracts.check_symmetry(probe, at)
    contracts.check_work(probe, at)
    contracts.check_place(probe, still, rng.standard_normal(3), rng.standard_normal(3))
    contracts.check_units(probe, at)
