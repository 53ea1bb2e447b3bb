"""Robots whose motors turn their cranks through gear box and parallelogram: plane, space, stops, what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ModelError
from pliant_gallery import pacoma, robots
from pliant_gallery.robots.pretension import crank_angles

GEAR = replace(pacoma.GEARED, lower=None, upper=None)
PLATFORM = robots.Platform((0.0, 0.0), mass=2.0, inertia=0.02)


def flat(**options: object) -> robots.Robot:
    return robots.planar(robots.LeafLeg(), legs=3, platform=PLATFORM, **options)


def test_in_the_plane_it_stands_as_without_and_its_rotors_slow_it_down() -> None:
    """Cranks as heavy as crank, shaft and rotor together have the same modes."""
    ideal, geared = (robots.stand(robot, elements=4) for robot in (flat(), flat(gear=GEAR)))
    np.testing.assert_allclose(
        geared.rest.position.sel(marker="platform(0, 0)"), ideal.rest.position.sel(marker="platform(0, 0)"), atol=1e-9
    )
    more = GEAR.ratio**2 * GEAR.rotor_inertia + 0.5 * GEAR.shaft_mass * GEAR.shaft_radius**2
    kind = robots.LeafLeg()
    heavy = robots.LeafLeg(crank_mass=kind.crank_mass + 3.0 * more / kind.crank_length**2)
    lumped = robots.stand(robots.planar(heavy, legs=3, platform=PLATFORM), elements=4)
    found = []
    for standing in (geared, lumped, ideal):
        loose = robots.loosen(standing, elements=4)
        told = "free" if standing is geared else None  # its gears lose power, and would hold at rest
        assert loose.robot.motors[0] == ("motor 1/current" if standing is geared else "motor 1/torque")
        found.append(np.sort(pl.modal(loose.system, at=loose.rest, modes=8, friction=told).frequency_hz.values)[3:])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-5)
    assert np.all(found[0][:2] < 0.97 * found[2][:2])


def test_a_crank_in_space_stops_where_its_range_ends() -> None:
    robot = robots.alone(pacoma.robot(gear=pacoma.GEARED).turned([pacoma.HOME] * 6), 1).loosened([0.0])
    leg = robots.stand(robot, elements=pl.Exact(4, order=2))
    limit = float(pacoma.GEARED.largest_current or 0.0)
    for sign, end in ((-1.0, pacoma.GEARED.lower), (1.0, pacoma.GEARED.upper)):
        rests = [
            pl.statics(leg.system.with_signals({"motor 1/current": sign * share * limit}), start=leg.rest)
            for share in (1.0, 3.0)
        ]
        turned = [crank_angles(robot, rest)[0] for rest in rests]
        assert 0.0 < sign * (turned[0] - end) < 9.0 / pacoma.GEARED.stop_stiffness
        assert turned[1] == pytest.approx(turned[0], abs=1e-9)  # more current is cut off


def test_bad_drives_are_refused() -> None:
    with pytest.raises(ModelError, match=r"GearedDrive: lower, upper = .*both ends, or none"):
        robots.GearedDrive(0.1, lower=-0.3)
    with pytest.raises(ModelError, match=r"GearedDrive: offset = 0.*"):
        robots.GearedDrive(0.1, offset=0.0)
    with pytest.raises(ModelError, match=r"gear = 6"):
        flat(gear=6.0)
    with pytest.raises(ModelError, match=r"GearedDrive: ratio = 0.*not zero.*ratio=1"):
        replace(GEAR, ratio=0.0)
