"""Assembly: joints that disagree a little, and models of any size."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import pliant as pl
from pliant.errors import AssemblyError, PliantWarning


def door(tilt: float) -> pl.Model:
    """Build a door on two hinges, the upper axis tilted."""
    m = pl.Model("door", plane=None)
    ground, door = m.add(pl.Ground(), pl.Body("door", mass=20.0, inertia=(2.0, 1.0, 1.5), position=(0.4, 0, 1.0)))
    m.add(pl.Revolute(ground.at(0, 0, 0.3), door.at(-0.4, 0, -0.7), name="low"))
    m.add(pl.Revolute(ground.at(0, 0, 1.7, orientation=(tilt, 0.0, 0.0)), door.at(-0.4, 0, 0.7), name="high"))
    m.add(pl.Gravity(x=0.0, y=-3.0, z=-9.81))
    return m


def twice_pinned(apart: float, size: float = 1.0) -> pl.Model:
    """Build two bars, the first of which is pinned to the ground twice, at points so far apart (of the size)."""
    m = pl.Model("bars")
    ground, a = m.add(pl.Ground(), pl.Link("a", length=size, mass=1.0, position=(0.0, 0.0)))
    b = m.add(pl.Link("b", length=0.5 * size, mass=1.0))
    m.add(pl.Revolute(ground.at(0, 0), a.at(s=0)), pl.Revolute(ground.at(0, apart * size), a.at(s=0), name="again"))
    m.add(pl.Revolute(a.at(s=1), b.at(s=0)), pl.Gravity())
    return m


def compiled(model: pl.Model) -> pl.System:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # redundant joints
        return pl.compile(model)


@pytest.mark.parametrize("apart", [3e-12, 1e-11, 1e-10, 9e-10])
def test_joints_that_disagree_a_little_leave_parts_where_they_were_guessed(apart: float) -> None:
    np.testing.assert_allclose(compiled(door(apart)).initial[:3], (0.4, 0.0, 1.0), atol=1e-8)
    for size in (1e-6, 1.0, 1e3):
        np.testing.assert_allclose(compiled(twice_pinned(apart, size)).initial[[2, 5]], 0.0, atol=1e-8)


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e3])
def test_joints_that_disagree_more_are_refused_by_name(size: float) -> None:
    with pytest.raises(AssemblyError, match=f"Joint 'again' cannot be closed: {1e-8 * size:.3g} m remain"):
        compiled(twice_pinned(1e-8, size))
    with pytest.raises(AssemblyError, match=r"Joint 'high' cannot be closed: 1e-08 rad remain"):
        compiled(door(1e-8))


@pytest.mark.parametrize("tilt", [1e-13, 1e-11, 1e-10, 9e-10])
def test_a_door_whose_hinges_disagree_swings_as_one_that_fits(tilt: float) -> None:
    inertia = 1.5 + 20.0 * 0.16
    exact = solve_ivp(
        lambda t, y: [y[1], -20.0 * 3.0 * 0.4 * math.cos(y[0]) / inertia], (0.0, 1.0), [0.0, 0.0], rtol=1e-10
    )
    swung = pl.transient(compiled(door(tilt)), end_time=1.0, step=1e-3)
    turn = swung.orientation.values[-1, 0]
    assert abs(2.0 * math.atan2(turn[3], turn[0]) - exact.y[0, -1]) < 1e-5
    weight = swung.reaction.values[-1, :, 2].sum()
    assert abs(weight - 20.0 * 9.81) < 1e-4  # a disagreement must not become an acceleration


@pytest.mark.parametrize("arm", [1e-9, 1e-7, 1e-3, 1.0, 1e3])
def test_a_hinge_of_any_size_closes(arm: float) -> None:
    for seed in range(40):
        random = np.random.default_rng(seed)
        body, tilt = (Rotation.from_rotvec(random.normal(size=3)) for _ in range(2))
        m = pl.Model("hinge", plane=None)
        ground = m.add(pl.Ground())
        link = m.add(pl.Body("link", mass=1e-9, inertia=1e-20, position=(arm, 0, 0), orientation=body.as_matrix()))
        foot = link.at(*body.inv().apply([-arm, 0, 0]), orientation=(body.inv() * tilt).as_matrix())
        m.add(pl.Revolute(ground.at(0, 0, 0, orientation=tilt.as_matrix()), foot))
        np.testing.assert_allclose(pl.compile(m).initial[:3], (arm, 0, 0), atol=1e-12 * arm)
