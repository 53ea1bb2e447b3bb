"""Robots as data: what they say of themselves, what they refuse, and the models they make."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ModelError
from pliant.model.files.io import dumps, loads
from pliant_gallery import six_leg
from pliant_gallery.robots import Base, LeafLeg, Leg, Platform, Robot, RodLeg, paired, planar, stand

PLATE = Platform((0.0, 0.0), mass=2.0, inertia=0.02)
BLOCK = Platform((0.0, 0.0, 0.45), mass=0.5, inertia=(2e-3, 2e-3, 4e-3))
COARSE = six_leg.ELEMENTS


@pytest.mark.parametrize(
    "robot",
    [
        planar(LeafLeg(), legs=3, platform=PLATE),
        planar(LeafLeg(), legs=6, platform=PLATE, gravity=(0.0, -9.81), drive="torque"),
        planar(
            RodLeg(), legs=6, platform=PLATE, base=Base(5.0, 0.1, x=pl.Sine(0.01, frequency_hz=1.0), y=0.0, angle=0.0)
        ),
        paired(RodLeg(), platform=BLOCK, base=Base(5.0, (0.1, 0.1, 0.1))),
        paired(LeafLeg(), platform=BLOCK, angle=0.9),
    ],
    ids=lambda robot: f"{robot.name}, {type(robot.legs[0].kind).__name__}",
)
def test_every_robot_makes_a_model_that_survives_its_file(robot: Robot) -> None:
    model = robot.model()
    assert {"platform", "crank 1", f"{robot.legs[0].kind.member} 1"} <= {part.name for part in model}
    assert dumps(loads(dumps(model))) == dumps(model)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda r: replace(r, legs=()), "no legs"),
        (
            lambda r: replace(r, legs=(r.legs[0], replace(r.legs[1], anchor=r.legs[0].anchor), *r.legs[2:])),
            "legs 1 and 2 have the same anchor",
        ),
        (
            lambda r: replace(r, legs=(*r.legs[:2], replace(r.legs[2], foot=(2.0, 0.0)))),
            "leg 3 cannot reach.*crank is 0.12 m long and its leaf 0.5 m",
        ),
        (
            lambda r: replace(r, legs=(replace(r.legs[0], foot=(0.1, 0.1, 0.1)), *r.legs[1:])),
            "leg 1: foot .* 2 coordinates",
        ),
        (lambda r: replace(r, drive="torques"), "drive"),
        (lambda r: replace(r, gravity=(0.0, 0.0, -9.81)), "gravity .* 2 numbers"),
        (lambda r: replace(r, load_at=(0.0, 0.0, 0.1)), "load_at .* 2 numbers"),
        (lambda r: replace(r, legs=r.legs[0]), "legs .* a sequence"),
        (lambda r: replace(r, legs=(replace(r.legs[0], kind="leaf"),)), "leg 1: kind = 'leaf' .* Try LeafLeg"),
        (lambda r: replace(r, legs=(replace(r.legs[0], angle="up"),)), "leg 1: angle = 'up'"),
        (lambda r: replace(r, platform=replace(r.platform, turn=(0.0, 0.0, 1.0))), "turn of the platform .* an angle"),
        (lambda r: replace(r, base="rail"), "base = 'rail' .* a Base"),
        (lambda r: r.turned([0.1, 0.2]), r"angles = \[0.1, 0.2\] .* 3 numbers"),
        (lambda r: r.loosened([0.1, 0.2, np.nan]), "torques.2. = nan"),
        (
            lambda r: replace(r, legs=(replace(r.legs[0], kind=LeafLeg(crank_length=0.9, length=0.1)),)),
            "leg 1 cannot reach.* make it shorter",
        ),
    ],
)
def test_what_cannot_stand_is_refused_by_name(wrong: object, words: str) -> None:
    robot = planar(LeafLeg(), legs=3, platform=PLATE)
    with pytest.raises(ModelError, match=words):
        wrong(robot)  # type: ignore[operator]


def test_kinds_and_arrangements_refuse_bad_numbers() -> None:
    with pytest.raises(ModelError, match="three legs at least"):
        planar(LeafLeg(), legs=2, platform=PLATE)
    with pytest.raises(ModelError, match="LeafLeg: thickness"):
        LeafLeg(thickness=-0.001)
    with pytest.raises(ModelError, match="chord"):
        planar(LeafLeg(), legs=3, platform=PLATE, chord=0.01)
    with pytest.raises(ModelError, match="Leg 1: its crank ends on its anchor"):
        Robot("flat", PLATE, (Leg(LeafLeg(), (0.0, 0.0), (0.12, 0.0)),)).model()
    with pytest.raises(ModelError, match="Leg 1: its crank ends on its anchor"):  # but for rounding
        Robot("flat", PLATE, (Leg(LeafLeg(), (0.22, 0.0), (0.1, 0.0), turn=np.pi),)).model()
    with pytest.raises(ModelError, match="paired: motor_side = -1"):
        paired(RodLeg(), platform=BLOCK, motor_side=-1.0)
    with pytest.raises(ModelError, match="planar: skew"):
        planar(LeafLeg(), legs=3, platform=PLATE, skew="much")  # type: ignore[arg-type]


def test_platform_on_a_moving_base_goes_along_with_it() -> None:
    """A base that is somewhere else carries the whole equilibrium with it."""
    here = stand(planar(LeafLeg(), legs=3, platform=PLATE), elements=COARSE)
    far = planar(LeafLeg(), legs=3, platform=PLATE, base=Base(5.0, 0.1, x=0.01, y=0.0, angle=0.0))
    there = stand(far, elements=COARSE)
    moved = there.rest.position.sel(marker=six_leg.WHERE).values - here.rest.position.sel(marker=six_leg.WHERE).values
    np.testing.assert_allclose(moved, [0.01, 0.0], atol=1e-9)


def test_a_robot_that_floats_keeps_its_momentum() -> None:
    """Base and platform are free: after a push nothing acts from outside."""
    robot = planar(LeafLeg(), legs=3, platform=PLATE, base=Base(5.0, 0.1, x=0.0, y=0.0, angle=0.0))
    rest = stand(robot, elements=COARSE).rest
    loose = pl.compile(replace(robot, base=Base(5.0, 0.1)).model(), elements=COARSE)
    run = pl.transient(loose, start=rest, end_time=0.1, step=1e-3, push={"platform": (0.1, 0.0, 0.0)})
    assert run.outcome.ok
    momentum = run.momentum.values
    assert np.max(np.abs(momentum - momentum[0])) < 1e-9 * np.max(np.abs(momentum[0]))
    assert momentum[0, 0] > 0.1 * PLATE.mass * 0.99


def test_spatial_leaf_legs_stand_by_their_symmetry() -> None:
    standing = stand(paired(LeafLeg(), platform=BLOCK, angle=0.9), elements=pl.Exact(4, order=2))
    assert standing.rest.outcome.stable
    x, y, _ = standing.rest.position.sel(marker=six_leg.WHERE).values
    assert np.hypot(x, y) < 1e-9
    lengths = standing.rest.line_length.values
    np.testing.assert_allclose(lengths, lengths[0], rtol=1e-9)


def test_torques_hold_what_the_drives_held() -> None:
    robot = planar(LeafLeg(), legs=6, platform=PLATE, gravity=(0.0, -9.81))
    driven, loose = (stand(replace(robot, drive=drive), elements=COARSE) for drive in ("angle", "torque"))
    for variable in ("position", "angle"):
        np.testing.assert_allclose(driven.rest.data[variable], loose.rest.data[variable], atol=1e-8)
    assert max(abs(leg.torque) for leg in loose.robot.legs) > 0.1
