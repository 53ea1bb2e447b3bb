"""Equilibria under follower forces were not found in independent coordinates: the flow along the forces circles around
them, and its steps were held back by the symmetric part of a stiffness without a potential. The reference: equations of
straight rods in a row with masses at their ends and equal springs, by hand (as H. Ziegler, Ing.-Arch. 20, 1952)."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

import pliant as pl

LENGTH, SPRING, MASSES = 0.3, 1.0, (0.9, 0.3, 0.5)


def row(load: float) -> pl.Model:
    m = pl.Model("row")
    end = m.add(pl.Ground()).at(0, 0)
    for k, (mass, angle) in enumerate(zip(MASSES, (0.3, -0.2, 0.1), strict=True)):
        rod = m.add(pl.Link(f"rod {k}", length=LENGTH, mass=mass, centre=1.0, inertia=0.0, angle=pi / 2 + angle))
        m.add(pl.Revolute(end, rod.at(s=0)))
        straight = pi / 2 if k == 0 else 0.0
        m.add(pl.TorsionSpring(f"spring {k}", end, rod.at(s=0), stiffness=SPRING, rest_angle=straight))
        end = rod.at(s=1)
    m.add(pl.Force(end, x=-load, follower=True))
    return m


def grows(load: float) -> int:
    """Count growing motions: with the rods' angles the force is P l (a_i - a_n), inertia l^2 the mass beyond."""
    n = len(MASSES)
    stiffness = SPRING * (2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1))
    stiffness[-1, -1] = SPRING
    stiffness += load * LENGTH * (np.outer(np.ones(n), np.eye(n)[-1]) - np.eye(n))
    beyond = np.cumsum(MASSES[::-1])[::-1]
    inertia = LENGTH**2 * np.array([[beyond[max(i, j)] for j in range(n)] for i in range(n)])
    rates = np.sqrt(-np.linalg.eigvals(np.linalg.solve(inertia, stiffness)).astype(complex))
    return int(np.sum(rates.real > 1e-6))


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
@pytest.mark.parametrize("formulation", ["relative", "dae"])
@pytest.mark.parametrize("load", [4.0, 10.0, 20.0, 30.0])
def test_rods_in_a_row_are_found_straight(load: float, formulation: str) -> None:
    rest = pl.statics(pl.compile(row(load), formulation=formulation))
    assert rest.outcome.ok
    assert rest.outcome.unstable_directions == grows(load)
    np.testing.assert_allclose(rest.position.sel(marker="rod 2/tip"), (0.0, 3.0 * LENGTH), atol=1e-9)
