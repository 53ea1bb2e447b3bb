"""Stresses carried on from increment to increment: the same motions in fewer increments, where axes are stiff."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.solvers import alpha_run
from pliant.solvers.alpha_stepping import to_rounding
from pliant.solvers.carried_stress import COST, LONGEST, TRIED, choose
from pliant.solvers.drivers import named


def leaf(plane: str | None, elements: Any, thickness: float = 5e-4) -> Any:
    """A swinging leaf of steel, half a metre long: EA is some millions of times EI / L^2."""
    model = pl.Model("leaf", plane=plane)
    strip = pl.Section.rectangle(0.02, thickness, pl.STEEL)
    ground, beam = model.add(pl.Ground(), pl.Beam("leaf", length=0.5, section=strip))
    origin, axis = ((0, 0), {}) if plane else ((0, 0, 0), {"axis": "z"})
    model.add(pl.Revolute(ground.at(*origin), beam.at(s=0), **axis), pl.Gravity(y=-9.81))
    return pl.compile(model, elements=elements)


def swing(system: Any, **options: Any) -> pl.Result:
    return pl.transient(system, end_time=0.5, step=5e-3, estimate=False, partial=True, **options)


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")  # steps are long on purpose
@pytest.mark.parametrize("plane", ["xy", None])
@pytest.mark.parametrize("elements", [pl.Exact(8), pl.Exact(3, order=3), pl.Corotational(8)])
def test_stiff_axes_cost_few_increments(plane: str | None, elements: Any) -> None:
    """Without carrying a step takes 4 to 5; what it finds is what Newton finds to rounding."""
    system = leaf(plane, elements)
    run = swing(system)
    assert run.outcome.iterations < 3.2 * run.outcome.steps
    with to_rounding():
        sharp = swing(system)
    np.testing.assert_allclose(run.position, sharp.position, atol=2e-5)


def after(increments: list[tuple[int, int]]) -> list[bool]:
    """Whether stresses are carried in each step, if one without and with them takes so many increments."""
    memory, carried = named(alpha_run.MEMORY), []
    for without, within in increments:
        carried.append(bool(memory["carried"]))
        choose(memory, within if carried[-1] else without)
    return carried


def test_the_way_of_fewer_increments_is_taken() -> None:
    tried = int(TRIED)
    assert not any(after([(1, 1)] * 500))
    stiff = after([(4, 2)] * 500)
    assert not any(stiff[:tried])
    assert all(stiff[tried : 2 * tried])
    assert np.mean(stiff[tried:]) > 0.7
    soft = after([(2, 2)] * 4000)
    assert np.mean(soft) < 0.05
    assert TRIED / LONGEST * (COST - 1.0) < 0.002  # what trying on costs in the long run


def test_a_way_that_gets_worse_is_left() -> None:
    found = after([(4, 2)] * 1000 + [(2, 4)] * 3000)
    assert np.mean(found[:1000]) > 0.8
    assert np.mean(found[2500:]) < 0.1


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
def test_a_motion_goes_on_after_steps_that_failed() -> None:
    """A stop that is struck makes steps fail, which are taken in parts: stresses begin anew then."""
    model = pl.Model("door")
    strip = pl.Section.rectangle(0.02, 5e-4, pl.STEEL)
    ground, beam = model.add(pl.Ground(), pl.Beam("leaf", length=0.5, section=strip))
    pin = model.add(pl.Revolute(ground.at(0, 0), beam.at(s=0), name="pin"))
    model.add(pl.Gravity(y=-9.81), pl.Stop(pin, lower=-0.4, stiffness=2e3, damping=0.1))
    system = pl.compile(model, elements=pl.Exact(3, order=3))
    run = swing(system)
    assert run.outcome.message.startswith("reached the end")
    with to_rounding():
        sharp = swing(system)
    np.testing.assert_allclose(run.position, sharp.position, atol=1e-3)
