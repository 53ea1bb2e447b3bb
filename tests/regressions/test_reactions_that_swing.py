"""Joints kept by positions alone: positions were right, reactions up to 23 times too large, and the motion was ok."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import PliantWarning
from pliant_gallery import pendulum


@pytest.mark.parametrize(("radius", "step", "ok"), [(1.0, 5e-3, False), (0.97, 5e-3, True)])
def test_reactions_that_grow_are_not_ok(radius: float, step: float, ok: bool) -> None:
    """A pendulum let go from the horizontal is held by at most three times its weight, 29.43 N."""
    system = pl.compile(pendulum.model(angle=0.0))
    with pytest.warns(PliantWarning):
        run = pl.transient(
            system, end_time=5.0, step=step, method=pl.GeneralizedAlpha(radius, constraints="position")
        )  # fmt: skip
    assert run.outcome.ok is ok
    largest = float(np.max(np.linalg.norm(run.reaction.sel(wrench=["Fx", "Fy"]), axis=-1)))
    assert (largest == pytest.approx(3.0 * 9.81, rel=1e-2)) is ok
    assert [check.name for check in run.outcome.failed] == ([] if ok else ["reactions"])


@pytest.mark.parametrize("how", ["position", "projection"])
def test_reactions_that_swing_after_a_ramp_are_not_ok(how: str) -> None:
    m = pl.Model("arm")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0))
    ends: Any = ground.at(0, 0), arm.at(s=0)
    m.add(pl.Revolute(*ends), pl.Motion(*ends, name="drive", angle=pl.Ramp(0.0, 1.0, 0.0, 0.3)))
    run = pl.transient(pl.compile(m), end_time=0.6, step=0.01, constraints=how)
    late = run.reaction.sel(joint="drive", wrench="M")[-20:]  # the arm rests, and nothing pulls
    assert run.outcome.ok is bool(
        np.max(np.abs(late)) < 1e-3 * np.max(np.abs(run.reaction.sel(joint="drive", wrench="M")))
    )
    assert run.outcome.ok is (how == "projection")
