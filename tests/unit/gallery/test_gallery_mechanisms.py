"""Flexure stage, boom, finger, gripper, delta and walker of the gallery: what theory knows of them."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np
import pytest

import pliant as pl
from pliant_gallery import boom, cable_finger, delta, flexure_stage, gripper, walker


def test_a_stage_on_four_leaves() -> None:
    """48 EI/L^3 along x, less shear (3e-4), and its frequency, with 13/35 of the leaves' mass."""
    stage = flexure_stage
    system = pl.compile(stage.model(), elements=pl.Exact(2, order=2))
    exact = 48.0 * stage.LEAF.bending_stiffness / stage.LENGTH**3
    stiffness = pl.stiffness(system, marker="stage").matrix
    assert stiffness[0, 0] == pytest.approx(exact, rel=1e-3)
    assert np.all(np.diag(stiffness)[1:3] > 100.0 * exact)
    mass = stage.MASS + 13.0 / 35.0 * 4.0 * stage.LEAF.mass_per_length * stage.LENGTH
    assert float(pl.modal(system).frequency_hz[0]) == pytest.approx(sqrt(exact / mass) / (2.0 * pi), rel=1e-3)


def test_a_boom_is_a_cantilever_with_a_mass_on_its_tip() -> None:
    """1 + cos x cosh x + r x (cos x sinh x - sin x cosh x) = 0 at the frequency, r the ratio of the masses."""
    system = pl.compile(boom.model(), elements=pl.Exact(2, order=3)).with_signals({"motor/x": 0.9})
    length, section = boom.STOWED + 0.9, boom.TUBE
    omega = 2.0 * pi * float(pl.modal(system).frequency_hz[0])
    x = length * sqrt(omega) * (section.mass_per_length / section.bending_stiffness) ** 0.25
    ratio = boom.INSTRUMENT / (section.mass_per_length * length)
    slope = ratio * x * (np.cos(x) * np.sinh(x) - np.sin(x) * np.cosh(x))
    assert 1.0 + np.cos(x) * np.cosh(x) + slope == pytest.approx(0.0, abs=1e-3)


def test_the_work_of_a_tendon_is_in_the_hinges_of_the_finger() -> None:
    path = pl.path(pl.compile(cable_finger.model()), "tendon/tension", to=2.0, step=0.02)
    length = path.line_length.values[:, 0]
    work = -np.trapezoid(path.parameter.values, length)
    angles = np.diff(path.angle.values[-1], prepend=0.0)
    assert work == pytest.approx(0.5 * np.sum(np.array(cable_finger.HINGES) * angles**2), rel=1e-4)
    assert length[0] - length[-1] > 0.01


def test_jaws_share_a_small_force_with_the_object() -> None:
    rest = pl.statics(pl.compile(gripper.model(grip=0.1), elements=pl.Exact(1, order=3)))
    leaves = 24.0 * gripper.LEAF.bending_stiffness / gripper.LENGTH**3
    share = 2.0 * gripper.OBJECT / (2.0 * gripper.OBJECT + leaves)
    assert -float(rest.tension[0]) == pytest.approx(0.1 * share, rel=1e-3)


def test_motors_of_the_delta_are_those_of_rigid_rods() -> None:
    robot = pl.Kinetostatics(pl.compile(delta.model(), elements=1), platform="platform", motors=delta.MOTORS)
    place, home = np.array([0.06, -0.04, -0.36]), np.array([0.0, 0.0, delta.HEIGHT])
    turns = (0.0, 2.0 * pi / 3.0, 4.0 * pi / 3.0)
    rigid = [delta.arm_angle(place, turn) - delta.arm_angle(home, turn) for turn in turns]
    assert robot.inverse(place).motors == pytest.approx(rigid, abs=1e-8)


def test_the_foot_of_an_unloaded_walker_is_where_rigid_bars_lead_it() -> None:
    system = pl.compile(walker.model(), elements=2)
    for angle in (0.5, 2.5):
        rest = pl.statics(system.with_signals({"motor/angle": angle}))
        assert rest.position.sel(marker="coupler/tip").values == pytest.approx(walker.foot(angle), abs=1e-9)
    lowest = np.array([walker.foot(angle)[1] for angle in np.linspace(0.6 * pi, 1.4 * pi, 21)])
    assert np.ptp(lowest) < 0.01 * walker.CRANK * 4.0
