"""Paths in relative coordinates, with the events and branches of formulation "dae"."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant_gallery import buckling

COARSE: dict[str, Any] = {"elements": pl.Exact(4, order=2)}


def both(make: Callable[[], pl.Model], parameter: Any, **way: Any) -> list[tuple[Any, pl.Result]]:
    """Return system and path of "dae" and of "relative"."""
    options = COARSE if make().beams else {}
    found = []
    for formulation in ("dae", "relative"):
        system = pl.compile(make(), formulation=formulation, **options)
        found.append((system, pl.path(system, parameter, **way)))
    return found


def agree(one: pl.Result, other: pl.Result, within: float = 1e-6) -> None:
    assert other.outcome.ok
    assert one.event_kind.values.tolist() == other.event_kind.values.tolist()
    if one.event_parameter.size:
        np.testing.assert_allclose(other.event_parameter.values, one.event_parameter.values, rtol=within)
    assert one.unstable_directions.values[-1] == other.unstable_directions.values[-1]
    np.testing.assert_allclose(other.position.values[-1], one.position.values[-1], atol=1e-7)


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
def test_a_column_buckles_and_its_branch_is_followed() -> None:
    (dae, one), (relative, other) = both(lambda: buckling.column(supports="clamped-free"), {"load/x": -1.0}, to=4.0)
    agree(one, other)
    assert float(other.event_parameter[0]) == pytest.approx(np.pi**2 / 4.0, rel=1e-4)
    bent = [pl.branch(system, path, 0, side=1, to=3.0) for system, path in ((dae, one), (relative, other))]
    agree(*bent)
    np.testing.assert_allclose(bent[1].reaction.values[-1], bent[0].reaction.values[-1], atol=1e-6)


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
@pytest.mark.parametrize("follower", [False, True])
def test_pendulums_buckle_or_flutter(follower: bool) -> None:
    (_, one), (_, other) = both(lambda: buckling.double_pendulum(follower=follower), {"load/x": -1.0}, to=4.0)
    agree(one, other)
    assert other.event_kind.values[0] == ("flutter" if follower else "bifurcation")


def driven() -> pl.Model:
    """Build a crank that a motor turns, a soft coupler, a slider on a spring: a loop that p drives."""
    m = pl.Model("driven loop")
    ground = m.add(pl.Ground())
    crank = m.add(pl.Link("crank", length=0.15, mass=0.2, angle=1.0))
    arm = m.add(pl.Beam("arm", length=0.5, section=pl.Section.rectangle(0.02, 1e-3, pl.STEEL)))
    slider = m.add(pl.Body("slider", mass=0.3, inertia=1e-4))
    m.add(
        pl.Revolute(ground.at(0, 0), crank.at(s=0), name="shaft"),
        pl.Revolute(crank.at(s=1), arm.at(s=0)),
        pl.Revolute(arm.at(s=1), slider.at(0, 0)),
        pl.Prismatic(ground.at(0, 0), slider.at(0, 0)),
        pl.Spring("spring", ground.at(0.9, 0), slider.at(0, 0), stiffness=100.0, rest_length=0.3),
        pl.Gravity(),
    )
    m.add(pl.Motion(ground.at(0, 0), crank.at(s=0), angle=1.0, name="motor"))
    return m


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
def test_a_drive_of_a_loop_is_followed() -> None:
    (_, one), (_, other) = both(driven, "motor/angle", begin=1.0, to=1.4)
    agree(one, other)
    np.testing.assert_allclose(other.reaction.values[-1], one.reaction.values[-1], atol=1e-5)
