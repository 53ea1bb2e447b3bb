"""Superelements keep the contracts of all parts: derivatives, work, rigid motion, files; in the plane and in space."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant_testing import contracts
from pliant_testing.probe import Probe

PLACES = {False: [(0.2, 0.1), (1.0, 0.2), (0.4, 0.9)], True: [(0.2, 0.1, -0.1), (1.0, 0.2, 0.3), (0.4, 0.9, 0.5)]}


def matrices(spatial: bool, modes: int, rng: np.random.Generator) -> dict[str, Any]:
    """Return matrices of a structure of three nodes in no particular shape, free of everything."""
    width = 6 if spatial else 3
    size = 3 * width + modes
    place = np.array(PLACES[spatial])
    moved = np.zeros((size, width))
    for i, point in enumerate(place - place[0]):
        turned = np.cross(np.eye(3), [*point, 0.0][:3]).T
        whole = np.block([[np.eye(3), turned], [np.zeros((3, 3)), np.eye(3)]])
        moved[width * i : width * (i + 1)] = whole if spatial else whole[np.ix_([0, 1, 5], [0, 1, 5])]
    still = np.eye(size) - moved @ np.linalg.pinv(moved)
    half, axes = rng.standard_normal((size, size)), 2 + spatial
    mass = np.zeros((size, size))
    for point in rng.standard_normal((12, 3)):  # of points that move with the whole, and as they like besides
        whole = np.hstack([np.eye(3), np.cross(np.eye(3), [*point[:axes], 0.0][:3]).T])
        rigid = whole if spatial else whole[:2, [0, 1, 5]]
        field = rigid @ np.linalg.pinv(moved) + 0.3 * rng.standard_normal((axes, size)) @ still
        mass += 0.4 * field.T @ field
    return {"mass": mass, "stiffness": 50.0 * still @ half @ half.T @ still, "damping": 0.02}


def structure(spatial: bool, modes: int = 2, *, gravity: bool = True) -> tuple[pl.Model, pl.ReducedBody]:
    """Return a structure that hangs on a pin."""
    model = pl.Model("structure", plane=None if spatial else "xy")
    body = pl.reduced_body(
        "plate", dict(zip("abc", PLACES[spatial], strict=True)), **matrices(spatial, modes, np.random.default_rng(3))
    )
    ground = model.add(pl.Ground())
    model.add(*body)
    model.add(pl.Revolute(ground.at(0, 0), body.at("a")))
    if gravity:
        model.add(pl.Gravity(x=2.0, y=-9.81, **({"z": 3.0} if spatial else {})))
    return model, body


@pytest.mark.parametrize("spatial", [False, True])
def test_it_keeps_the_contracts(spatial: bool) -> None:
    model, _ = structure(spatial)
    probe, rng = Probe("Superelement", model), np.random.default_rng(1)
    lam = rng.standard_normal(probe.system.constraints)
    at = probe.random(rng, 0.2, accelerated=True)
    contracts.check_rates(probe, at)
    contracts.check_stiffness(probe, at, lam)
    contracts.check_symmetry(probe, at)
    contracts.check_work(probe, at)
    contracts.check_file(probe, at)


@pytest.mark.parametrize("spatial", [False, True])
def test_it_does_not_care_where_it_is(spatial: bool) -> None:
    model, _ = structure(spatial, gravity=False)
    probe, rng = Probe("Superelement", model), np.random.default_rng(2)
    at = probe.random(rng, 0.2)
    force = probe.force(at)
    turn, shift = rng.standard_normal(3), rng.standard_normal(3)
    carried = probe.carried_back(probe.force(probe.carried(at, turn, shift)), turn)
    assert np.allclose(carried, force, rtol=0.0, atol=1e-9 * np.max(np.abs(force)))


@pytest.mark.parametrize("spatial", [False, True])
def test_moved_as_a_whole_it_has_no_strain_and_weighs_what_it_weighs(spatial: bool) -> None:
    model, body = structure(spatial)
    probe = Probe("Superelement", model)
    at = probe.random(np.random.default_rng(0), 0.0)
    still = type(at)(at.q, 0.0 * at.v, 0.0 * at.a)
    weight = probe.force(still)
    width = 6 if spatial else 3
    mass = body.superelement.total_mass
    summed = weight[: 3 * width].reshape(3, width).sum(axis=0)[: 2 + spatial]
    assert np.allclose(summed, [-2.0 * mass, 9.81 * mass, -3.0 * mass][: 2 + spatial], rtol=1e-12)
