"""The velocities a motion starts with: sparse equations, and dense ones where conditions depend on each other."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest
import scipy.sparse as sparse

import pliant as pl
from pliant.solvers.nonlinear import equilibrium, stability
from pliant.solvers.stepping import consistent_start as starting


def problem(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    root = rng.standard_normal((12, 12))
    rows = rng.standard_normal((5, 12))
    return root @ root.T + 0.1 * np.eye(12), rows, rng.standard_normal(5), rng.standard_normal(12)


def test_nearest_is_the_same_sparse_and_dense(rng: np.random.Generator) -> None:
    cost, rows, wanted, start = problem(rng)
    found = starting._nearest(sparse.csc_matrix(cost), sparse.csr_matrix(rows), wanted, start)
    np.testing.assert_allclose(found, starting._nearest_dense(cost, rows, wanted, start), atol=1e-10)
    np.testing.assert_allclose(rows @ found, wanted, atol=1e-12)


def test_dependent_conditions_are_left_to_the_dense_way(rng: np.random.Generator) -> None:
    cost, rows, wanted, start = problem(rng)
    rows, wanted = np.vstack([rows, rows[:1]]), np.append(wanted, wanted[0])
    found = starting._nearest_dense(cost, rows, wanted, start)
    np.testing.assert_allclose(found, starting._nearest_dense(cost, rows[:-1], wanted[:-1], start), atol=1e-10)


def test_driven_arm_starts_as_a_rigid_body() -> None:
    m = pl.Model("arm", plane=None)
    ground = m.add(pl.Ground())
    steel = pl.Material("steel", youngs_modulus=2.1e11, poisson_ratio=0.3, density=7850.0)
    arm = m.add(pl.Beam("arm", length=1.0, section=pl.Section.circle(5e-3, steel)))
    m.add(
        pl.Revolute(ground.at(0, 0, 0), arm.at(s=0), axis="z"),
        pl.Motion(ground.at(0, 0, 0), arm.at(s=0), angle=pl.Expression("2*t"), axis="z"),
    )
    run = pl.transient(pl.compile(m, elements=8), end_time=1e-4, step=1e-4)
    np.testing.assert_allclose(run.velocity.sel(marker="arm/tip")[0], [0.0, 2.0, 0.0], atol=1e-9)


@pytest.mark.parametrize(("angle", "unstable"), [(-pi / 2, 0), (pi / 2, 2)])
def test_moment_of_zero_is_judged_as_none(angle: float, unstable: int) -> None:
    """A dead moment in space has no potential, unless it is zero: then pivots show what the growing motions show."""
    m = pl.Model("pendulum", plane=None)
    ground = m.add(pl.Ground())
    rod = m.add(pl.Link("rod", length=1.0, mass=1.0, position=(0, 0, 0), orientation=(0.0, -angle, 0.0)))
    m.add(pl.Universal(ground.at(0, 0, 0), rod.at(s=0, orientation=(0.0, angle, 0.0))), pl.Gravity())
    m.add(pl.Moment(rod.at(s=1), x=0.0, y=0.0, z=0.0, name="torque"))
    system = pl.compile(m)
    assert not system.conservative
    state = system.start()
    u = system.signals(np.zeros(1))[0]
    gamma = equilibrium.stiffness_scale(system, state.q, state.lam, u, system.scratch())
    lam = equilibrium.reactions(system, state, u, system.scratch())
    state.lam[:] = lam
    assert stability.unstable_directions(system, state, u, gamma, system.scratch()).number == unstable
    assert stability.growing(system, state)[0] == unstable
