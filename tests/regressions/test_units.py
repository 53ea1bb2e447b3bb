"""Models of micrometres and of kilometres answered otherwise than in metres, silently."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import pliant as pl

pytestmark = pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
SIZES = pytest.mark.parametrize("size", [1e-6, 1e3])


def in_units(model: pl.Model, size: float) -> pl.Model:
    """Return the mechanism in units that make it so large."""
    return model.scaled(pl.Scales(length=1.0 / size))


def crane() -> pl.Model:
    """Build two bodies and a beam in space, a slide among their joints."""
    m = pl.Model("crane", plane=None)
    ground, foot = m.add(pl.Ground(), pl.Body("foot", mass=1.0, inertia=0.02, position=(0.3, 0.0, 0.0)))
    arm = m.add(pl.Beam("arm", length=0.6, section=pl.Section.rectangle(0.03, 0.01, pl.STEEL), position=(0.6, 0, 0)))
    head = m.add(pl.Body("head", mass=0.5, inertia=0.01, position=(1.3, 0.0, 0.0)))
    m.add(pl.Revolute(ground.at(0, 0, 0), foot.at(-0.3), name="pin"), pl.Weld(foot.at(0.3), arm.at(s=0)))
    m.add(pl.TorsionSpring("coil", ground.at(0, 0, 0), foot.at(-0.3), stiffness=40.0))
    m.add(pl.Prismatic(arm.at(s=1), head.at(-0.1), name="slide"))
    m.add(pl.Spring("pull", ground.at(2.0, 0.5, 0.3), head.at(), stiffness=50.0, rest_length=0.3))
    m.add(pl.Gravity(x=0.0, y=-9.81, z=0.0))
    return m


@SIZES
@pytest.mark.parametrize("damped", [False, True])
def test_modes_of_small_and_large_mechanisms(size: float, damped: bool) -> None:
    """Frequencies came out as zeros."""
    plain, other = (
        pl.modal(pl.compile(model, elements=2), modes=4, damped=damped) for model in (crane(), in_units(crane(), size))
    )
    np.testing.assert_allclose(other.frequency_hz, plain.frequency_hz, rtol=1e-7)


@SIZES
def test_a_mechanism_that_is_balanced_where_it_starts_stays_there(size: float) -> None:
    """The rounding of its angles was treated as a gap in metres, and it fell over."""
    tilt = Rotation.from_rotvec([0.3, -0.2, 0.1])
    m = pl.Model("pole", plane=None)
    ground = m.add(pl.Ground())
    pole = m.add(
        pl.Body("pole", mass=1.0, inertia=0.1, position=tilt.apply([0.0, 0.5, 0.0]), orientation=tilt.as_matrix())
    )
    m.add(pl.Revolute(ground.at(0, 0, 0, orientation=tilt.as_matrix()), pole.at(0.0, -0.5, 0.0)))
    down = tilt.apply([0.0, -9.81, 0.0])
    m.add(pl.Gravity(x=down[0], y=down[1], z=down[2]))
    rest = pl.statics(pl.compile(in_units(m, size)))
    assert rest.outcome.stable is False
    np.testing.assert_allclose(rest.orientation.values[0], pl.statics(pl.compile(m)).orientation.values[0], atol=1e-9)


@SIZES
def test_a_drive_that_is_already_running_pushes_in_the_same_way(size: float) -> None:
    """Inertia about a point was lost beside what kept the equations regular."""
    m = pl.Model("whip")
    ground, crank = m.add(pl.Ground(), pl.Link("crank", length=0.3, mass=1.0, angle=0.0))
    lash = m.add(pl.Link("lash", length=0.5, mass=0.4, angle=0.7))
    m.add(pl.Revolute(ground.at(0, 0), crank.at(s=0)), pl.Revolute(crank.at(s=1), lash.at(s=0)))
    m.add(pl.Motion(ground.at(0, 0), crank.at(s=0), angle=pl.Expression("3*t")))
    plain, other = (pl.transient(pl.compile(model), end_time=0.01, step=1e-3) for model in (m, in_units(m, size)))
    np.testing.assert_allclose(other.angular_velocity, plain.angular_velocity, atol=1e-8)
    # the lash starts with least kinetic energy: its momentum about the pin that drags it equals a free body's
    spin = plain.angular_velocity.sel(body="lash").values[0]
    assert spin == pytest.approx(-3.0 * 0.3 * np.cos(0.7) * 0.25 / (0.5**2 / 3.0), rel=1e-9)


@SIZES
def test_tendons_of_any_length_are_linearised(size: float) -> None:
    """A change of the rest length by 1e-7 m is much in a micrometre model."""
    m = pl.Model("bow")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=pl.Section.rectangle(0.02, 0.004, pl.STEEL)))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)))
    m.add(pl.Tendon("cable", ground.at(0.2, 0.5), beam.at(s=1), stiffness=500.0, rest_length=0.85))
    gains = []
    for model, length in ((m, 1.0), (in_units(m, size), size)):
        system = pl.compile(model, elements=3)
        robot = pl.Kinetostatics(system, platform="beam/tip", motors=["cable/rest_length", "cable/tension"])
        start = pl.statics(system)
        pose = robot.forward((0.85 * length, 0.0), start=start)
        gains.append(pose.jacobian[:2, 0])  # of the tip by the rest length: m/m
    np.testing.assert_allclose(gains[1], gains[0], rtol=1e-6)


@SIZES
def test_auto_counts_the_same_elements(size: float) -> None:
    """A cantilever of half a micrometre lost three of the first six modes, and so half the elements."""

    def taken(size: float) -> object:
        m = pl.Model("cantilever")
        ground = m.add(pl.Ground())
        section = pl.Section.rectangle(0.02 * size, 0.002 * size, pl.STEEL)
        beam = m.add(pl.Beam("beam", length=0.5 * size, section=section, angle=0.0))
        m.add(pl.Weld(ground.at(0, 0), beam.at(s=0), angle=0.0))
        return pl.compile(m, elements="auto").settings["elements"]

    assert taken(size) == taken(1.0)
