"""A beam that is fed: forces are Lagrange's of its energy, matrices their derivatives, wherever its guide moves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant_testing import contracts
from pliant_testing.parts import example
from pliant_testing.probe import Probe

SPACES = ("planar", "spatial")


def probe(space: str, *, gravity: bool = True, order: int = 2, beta: float = 0.0) -> Probe:
    """Return a beam whose guide and carriage are bodies that move freely, under gravity."""
    made, feed = example(pl.Feed, space, {"stock": 0.7})
    model = pl.Model(made.name, plane=made.plane)
    beam, *bodies = (made.part(name) for name in ("beam", "first", "second"))
    damped = model.add(replace(beam, damping=pl.Rayleigh(stiffness=beta)) if beta else beam)
    model.add(*bodies, replace(feed, beam=damped))
    if gravity:
        model.add(pl.Gravity(x=1.3, y=-2.0, **({"z": 0.7} if space == "spatial" else {})))
    return Probe(f"Feed, {space}", model, None, pl.Exact(2, order=order))


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize(("size", "beta"), [(0.05, 0.0), (0.2, 0.0), (0.2, 0.03)])
def test_power_is_what_the_energy_gains(space: str, size: float, beta: float) -> None:
    """The forces, for all velocities and accelerations, are d/dt T_v - T_q + V_q along the velocity, and what is
    dissipated.
    """
    asked = probe(space, beta=beta)
    at = asked.random(np.random.default_rng(3), size, accelerated=True)
    contracts.check_work(asked, at)
    assert (asked.power(at)[1] > 0.0) == (beta > 0.0)


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize(("order", "beta"), [(1, 0.0), (3, 0.0), (3, 0.03)])
def test_matrices_at_rest_are_derivatives(space: str, order: int, beta: float) -> None:
    asked = probe(space, order=order, beta=beta)
    at = asked.random(np.random.default_rng(4), 0.1)
    still = replace(at, v=0.0 * at.v)
    contracts.check_rates(asked, still)
    contracts.check_stiffness(asked, still, np.zeros(asked.system.constraints))
    contracts.check_symmetry(asked, still)


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("beta", [0.0, 0.03])
def test_it_does_not_care_where_it_is(space: str, beta: float) -> None:
    asked = probe(space, gravity=False, beta=beta)
    rng = np.random.default_rng(5)
    at = asked.random(rng, 0.1)
    contracts.check_place(asked, at, rng.standard_normal(3), rng.standard_normal(3))


@pytest.mark.parametrize("space", SPACES)
def test_file_and_units(space: str) -> None:
    asked = probe(space)
    at = asked.random(np.random.default_rng(6), 0.1)
    contracts.check_file(asked, at)
    contracts.check_units(asked, at)


@pytest.mark.parametrize("space", SPACES)
def test_it_is_the_beam_that_is_not_fed_while_the_carriage_is_where_it_was(space: str) -> None:
    """Forces on the nodes, which move, of a straight beam that is damped; a curved one is interpolated otherwise."""
    forces: list[Any] = []
    for fed in (True, False):
        asked = probe(space)
        model = pl.Model("alone", plane=asked.model.plane)
        beam, *bodies = (asked.model.part(name) for name in ("beam", "first", "second"))
        straight = model.add(replace(beam, curvature=0.0, damping=pl.Rayleigh(stiffness=0.03)))
        model.add(*bodies)
        feed = asked.model.part("part")
        if fed:
            model.add(replace(feed, beam=straight))
        system = pl.compile(model, elements=pl.Exact(2, order=2))
        at = system.moved(system.initial, np.random.default_rng(7).standard_normal(system.freedoms) * 0.1)
        held = 2 * system.space.width  # freedoms of the bodies: not moved
        at[:held] = system.initial[:held]
        if system.space.quaternions:
            frames = system.space.frames(system.nodes)
            at[frames : frames + 8] = system.initial[frames : frames + 8]
        v, zero = np.zeros((2, system.size))
        free = slice(held + system.space.width, system.freedoms)  # the first node has the stock behind it
        v[free] = np.random.default_rng(8).standard_normal(free.stop - free.start)
        forces.append(system.unbalanced(at, v, zero, system.signals(np.zeros(1))[0])[held:])
    assert np.allclose(*forces, rtol=0.0, atol=1e-12 * np.max(np.abs(forces[0])))
    assert np.max(np.abs(forces[0])) > 1.0
