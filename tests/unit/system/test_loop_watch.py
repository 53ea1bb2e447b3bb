"""Rank of the joints and size of projection along a motion (the practical checks of the thesis, 5.10.2)."""

from __future__ import annotations

import pickle
from dataclasses import replace
from math import cos, sin
from typing import Any, cast

import numpy as np
import pytest

import pliant as pl
from pliant.system.limits.loop_watch import loop_watch
from pliant.system.samples import Samples
from pliant_gallery import pendulum

START = 10 * pl.DEG


def parallelogram(space: bool, angle: float = START) -> pl.Model:
    """Build two cranks of 0.2 m at the distance 0.5 m, whose bars are all on one line at the angle 0: there it may go
    over into an antiparallelogram, and its joints depend on each other.
    """
    m = pl.Model("parallelogram", plane=None if space else "xy")
    ground, inertia = m.add(pl.Ground()), (0.01, 0.01, 0.01) if space else 0.01
    x, y, pad = 0.2 * cos(angle), 0.2 * sin(angle), (0.0,) * space
    places = {"first": (x / 2, y / 2), "coupler": (x + 0.25, y), "second": (0.5 + x / 2, y / 2)}
    turns: dict[str, Any] = {} if space else {name: {"angle": 0.0} for name in places}
    first, coupler, second = (
        m.add(pl.Body(name, mass=1.0, inertia=inertia, position=(*at, *pad), **turns.get(name, {})))
        for name, at in places.items()
    )
    pin = pl.Revolute if not space else pl.Spherical
    m.add(pl.Revolute(ground.at(0, 0, *pad), first.at(-x / 2, -y / 2, *pad), name="pin"))
    m.add(pl.Revolute(first.at(x / 2, y / 2, *pad), coupler.at(-0.25, 0.0, *pad), name="knee"))
    m.add(pin(coupler.at(0.25, 0.0, *pad), second.at(x / 2, y / 2, *pad), name="elbow"))
    m.add(pl.Revolute(ground.at(0.5, 0, *pad), second.at(-x / 2, -y / 2, *pad), name="other"))
    return m


@pytest.mark.parametrize("space", [False, True])
@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
def test_a_four_bar_loses_a_rank_where_its_bars_are_in_line(space: bool) -> None:
    """8 conditions of three bodies with one freedom in the plane; in space 18, one of them redundant."""
    full = 17 if space else 8
    for angle, rank in ((START, full), (0.0, full - 1)):
        system = pl.compile(parallelogram(space, angle))
        found = loop_watch(system, Samples.of(system.start()))
        assert found["joint_rank"][1].tolist() == [rank]


@pytest.mark.parametrize("formulation", ["dae", "udwadia_kalaba"])
@pytest.mark.parametrize("space", [False, True])
@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
def test_the_margin_tells_of_a_singular_pose_that_is_passed(space: bool, formulation: str) -> None:
    """The pose is reached after 10 deg / 1 rad/s at -1 rad/s: the margin vanishes there as the angle's sine does."""
    system = pl.compile(parallelogram(space), formulation=formulation)
    push = {"first": (0.0, 0.0, -1.0) if space else -1.0}
    end, how = (2.0, {"step": START / 50.5}) if formulation == "dae" else (0.9, {"accuracy": 1e-8})
    run = pl.transient(system, end_time=end * START, push=push, **cast(Any, how))
    angle = START - run.time.values
    assert run.joint_margin.dims == ("time",)
    per_sine = run.joint_margin.values / np.abs(np.sin(angle))
    np.testing.assert_allclose(per_sine, per_sine[0], rtol=0.01)  # linear in the sine but for a hundredth
    assert np.all(run.joint_rank.values == (17 if space else 8))
    assert np.max(run.joint_projection.values) < 1e-9


def test_the_projection_is_the_least_displacement_that_closes_the_joints() -> None:
    """A disc on a pin at its centre, displaced by (3, -4) mm: as much, in lengths of the model."""
    m = pl.Model("disc")
    ground, disc = m.add(pl.Ground(), pl.Body("disc", mass=1.0, inertia=0.1, position=(0.0, 0.0), angle=0.3))
    m.add(pl.Revolute(ground.at(0, 0), disc.at(), name="pin"))
    m.add(pl.Force(disc.at(0.2, 0.0), y=1.0))
    system = pl.compile(m)
    moved = system.moved(system.start().q, np.array([3e-3, -4e-3, 0.0]))
    found = loop_watch(system, Samples.of(replace(system.start(), q=moved)))
    assert found["joint_projection"][1][0] == pytest.approx(4e-3 / system.length_scale, rel=1e-12)
    assert found["joint_margin"][1][0] == pytest.approx(1.0, rel=1e-12)


def test_drift_is_seen_and_is_no_part_of_the_dataset() -> None:
    """Without stabilisation joints of Udwadia-Kalaba drift apart; a file and a copy hold no such variables."""
    system = pl.compile(pendulum.model(angle=0.0), formulation="udwadia_kalaba")
    drifts, holds = (
        pl.transient(system, end_time=2.0, accuracy=1e-4, constraints=word) for word in ("none", "projection")
    )
    assert np.max(drifts.joint_projection.values) > 10.0 * np.max(holds.joint_projection.values)
    assert "joint_rank" not in drifts.data
    assert drifts.joint_rank.values.tolist() == [system.constraints] * drifts.time.size
    with pytest.raises(AttributeError, match="joint_rank"):
        _ = pickle.loads(pickle.dumps(drifts)).joint_rank
