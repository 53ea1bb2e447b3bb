"""Gear pairs and screws: exact reduced inertias, many turns, statics, and what is refused."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ModelError
from pliant.model.files import io

TEETH = 17, 51
INERTIAS = 0.02, 0.5


def pair(plane: str | None, *, teeth: tuple[int, int] = TEETH, torque: float = 1.5) -> pl.Model:
    """Build a pinion and a wheel in bearings, the pinion driven by a torque."""
    m = pl.Model("gear pair", plane=plane)
    ground = m.add(pl.Ground())
    wheels = [m.add(pl.Body(n, mass=1.0, inertia=j)) for n, j in zip(("pinion", "wheel"), INERTIAS, strict=True)]
    m.add(pl.Revolute(ground.at(0, 0), wheels[0].at()), pl.Revolute(ground.at(0.3, 0), wheels[1].at()))
    m.add(
        pl.Gear(
            wheels[0].at(), wheels[1].at(), carrier=ground.at(0, 0), teeth_a=teeth[0], teeth_b=teeth[1], name="mesh"
        )
    )
    m.add(pl.Motor("motor", ground.at(0, 0), wheels[0].at(), torque))
    return m


@pytest.mark.parametrize("teeth", [(17, 51), (17, -51)])
@pytest.mark.parametrize("plane", ["xy", None])
def test_gear_pair_turns_as_its_reduced_inertia(plane: str | None, teeth: tuple[int, int]) -> None:
    """``phi'' = M / (I_1 + I_2 (z_1 / z_2)^2)``, and both wheels have turned many times."""
    torque, end = 1.5, 1.5
    run = pl.transient(pl.compile(pair(plane, teeth=teeth)), end_time=end, step=2.5e-3)
    ratio = teeth[0] / teeth[1]
    wanted = torque / (INERTIAS[0] + INERTIAS[1] * ratio**2)
    spin = run.angular_velocity.sel(time=end).values
    spin = spin if plane else spin[:, 2]
    assert spin[0] == pytest.approx(wanted * end, rel=1e-9)
    assert spin[1] == pytest.approx(-ratio * wanted * end, rel=1e-9)
    assert 0.5 * wanted * end**2 > 2.0 * 2.0 * pi  # more than two turns
    assert run.outcome.constraint_error < 1e-9
    pushed = run.reaction.sel(joint="mesh").values[-1, -1]
    assert pushed == pytest.approx(-ratio * wanted * INERTIAS[1], rel=1e-6)


@pytest.mark.parametrize("plane", ["xy", None])
def test_gear_pair_holds_a_torque(plane: str | None) -> None:
    m = pair(plane, torque=0.0)
    ground, pinion, wheel = m.part("ground"), m.part("pinion"), m.part("wheel")
    m.add(
        pl.Motion(ground.at(0, 0), pinion.at(), angle=0.4, name="held"),
        pl.Motor("load", ground.at(0.3, 0), wheel.at(), 6.0),
    )
    rest = pl.statics(pl.compile(m).with_signals({"held/angle": 5.0}))
    held = rest.reaction.sel(joint="held").values[-1]
    assert held == pytest.approx(6.0 * TEETH[0] / TEETH[1], rel=1e-9)


def test_a_planetary_gear_in_the_plane() -> None:
    """The sun is driven, the ring stands: the arm turns by ``z_s / (z_s + z_r)`` of the sun."""
    m = pl.Model("planetary")
    ground = m.add(pl.Ground())
    sun, arm, planet = (m.add(pl.Body(name, mass=1.0, inertia=0.1)) for name in ("sun", "arm", "planet"))
    m.add(pl.Revolute(ground.at(0, 0), sun.at()), pl.Revolute(ground.at(0, 0), arm.at()))
    m.add(
        pl.Revolute(arm.at(0.2, 0), planet.at()),
        pl.Motion(ground.at(0, 0), sun.at(), angle=pl.Ramp(0.0, 20.0, 0.0, 1.0)),
    )
    m.add(pl.Gear(sun.at(), planet.at(), carrier=arm.at(), teeth_a=20, teeth_b=16))
    m.add(pl.Gear(planet.at(), ground.at(0, 0), carrier=arm.at(), teeth_a=16, teeth_b=-52))
    run = pl.transient(pl.compile(m), end_time=1.0, step=5e-3)
    assert float(run.angle.sel(body="arm")[-1]) == pytest.approx(20.0 * 20 / (20 + 52), rel=1e-9)


def test_nut_moves_as_with_the_reduced_mass_of_its_spin() -> None:
    """``a = F / (m + I (2 pi / p)^2)`` of a nut that a force drives along a screw, over many turns."""
    mass, inertia, pitch, force, end = 2.0, 1e-3, 0.01, 30.0, 0.8
    m = pl.Model("screw", plane=None)
    ground, nut = m.add(pl.Ground(), pl.Body("nut", mass=mass, inertia=inertia))
    m.add(pl.Screw(ground.at(0, 0, 0), nut.at(), pitch=pitch, name="thread"), pl.Force(nut.at(), z=force))
    run = pl.transient(pl.compile(m), end_time=end, step=1e-3)
    acceleration = force / (mass + inertia * (2.0 * pi / pitch) ** 2)
    travel = run.position.sel(marker="nut(0, 0)").values[-1]
    np.testing.assert_allclose(travel, [0.0, 0.0, 0.5 * acceleration * end**2], rtol=1e-9, atol=1e-12)
    assert run.angular_velocity.sel(body="nut").values[-1, 2] == pytest.approx(
        2.0 * pi / pitch * acceleration * end, rel=1e-9
    )
    assert travel[2] > 2.0 * pitch  # more than two turns
    reaction = run.reaction.sel(joint="thread").values[-1]
    assert reaction[2] == pytest.approx(mass * acceleration - force, rel=1e-6)
    assert reaction[5] == pytest.approx(inertia * 2.0 * pi / pitch * acceleration, rel=1e-6)


def test_both_are_saved_and_loaded() -> None:
    m = pair(None)
    nut = m.add(pl.Body("nut", mass=1.0, inertia=1.0))
    m.add(pl.Screw(m.part("ground").at(0, 0, 1), nut.at(), pitch=-2e-3, axis="x"))
    twin = io.loads(io.dumps(m))
    assert [(type(one), one.name) for one in twin.joints] == [(type(one), one.name) for one in m.joints]
    assert (twin.joints[2].teeth_b, twin.joints[3].pitch) == (51, -2e-3)


def test_what_is_refused() -> None:
    ground, one, other = pl.Ground(), pl.Body("one", mass=1.0, inertia=1.0), pl.Body("other", mass=1.0, inertia=1.0)
    with pytest.raises(ModelError, match=r"pitch = 0\.0 is not allowed; it must be not zero"):
        pl.Screw(ground.at(0, 0, 0), one.at(), pitch=0.0)
    with pytest.raises(ModelError, match="a Screw needs space"):
        pl.Model("m").add(ground, one, pl.Screw(ground.at(0, 0), one.at(), pitch=1.0))
    with pytest.raises(ModelError, match=r"teeth_a = 1\.5 is not allowed; it must be a whole number"):
        pl.Gear(one.at(), other.at(), carrier=ground.at(0, 0), teeth_a=1.5, teeth_b=3)
    with pytest.raises(ModelError, match=r"carrier = .* on a part other than the two wheels"):
        pl.Gear(one.at(), other.at(), carrier=one.at(1, 0), teeth_a=1, teeth_b=3)
