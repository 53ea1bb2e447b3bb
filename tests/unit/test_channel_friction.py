"""Friction of tendons in channels: the capstan's law along a bent rod."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ModelError
from pliant.testing import contracts
from pliant.testing.probe import Probe
from tests.unit.test_channel_tendons import FINE, SECTION, arm

SPACES = pytest.mark.parametrize(("plane", "offset"), [("xy", 0.02), (None, (0.02, 0.0))], ids=["plane", "space"])


@pytest.mark.parametrize(
    ("plane", "offset"), [("xy", (0.1, -0.03, 0.06)), (None, ((0.1, 0.02), (0.03, 0.06), (0.05, -0.03)))],
    ids=["plane", "space"],
)  # fmt: skip
@pytest.mark.parametrize("sliding", [1, -1])
def test_its_stiffness_is_the_derivative_of_its_force(plane: str | None, offset: Any, sliding: int) -> None:
    model = pl.Model("rough", plane=plane)
    where = (0.1, 0.2) if plane else (0.1, 0.2, 0.3)
    beam = model.add(pl.Beam("beam", length=1.3, section=SECTION, curvature=0.8, position=where, angle=0.3, free=True))
    model.add(pl.ChannelTendon("pull", beam, offset=offset, tension=30.0, friction=0.4, sliding=sliding))
    for order in (1, 2):
        probe = Probe("a rough channel", model, elements=pl.Exact(3, order=order), tolerance=1e-6)
        at = probe.random(np.random.default_rng(5), 0.05 / order)
        contracts.check_stiffness(probe, replace(at, v=0.0 * at.v, a=0.0 * at.a), np.zeros(0))


@SPACES
@pytest.mark.parametrize("sliding", [1, -1])
def test_the_capstan(plane: str | None, offset: Any, sliding: int) -> None:
    """With ``EI kappa = T y`` the angle is ``sliding log(1 + sliding mu y T s / EI)/mu``: kappa' = -mu kappa^2."""
    mu, tension = 0.5, 200.0
    system = pl.compile(
        arm(offset, plane=plane, tension=tension, friction=mu, sliding=sliding), elements=pl.Exact(8, order=3)
    )
    rest = pl.statics(system)
    name = "marker_angle" if plane else "marker_orientation"
    found = getattr(rest, name).sel(marker="arm/tip").values
    angle = float(found) if plane else 2.0 * float(np.arctan2(found[3], found[0]))
    reached = sliding * mu * tension * 0.02 * 0.5 / 2.0
    assert angle == pytest.approx(np.log(1.0 + reached) / (sliding * mu), rel=1e-6)
    assert rest.outcome.ok


@SPACES
def test_it_takes_the_lead_of_the_pull_and_lags_behind_the_release(plane: str | None, offset: Any) -> None:
    """Hysteresis: the same tension bends less when it is pulled than without friction, and more when it is let in."""
    heights = []
    for mu, sliding in ((0.3, 1), (0.0, 1), (0.3, -1)):
        model = arm(offset, plane=plane, tension=100.0, friction=mu, sliding=sliding)
        rest = pl.statics(pl.compile(model, elements=FINE))
        heights.append(float(rest.position.sel(marker="arm/tip", axis="y")))
    assert heights[0] < heights[1] < heights[2]


def test_a_path_of_the_tension_is_followed() -> None:
    system = pl.compile(arm(0.02, tension=1.0, friction=0.4), elements=FINE)
    along = pl.path(system, "pull/tension", to=100.0)
    rest = pl.statics(system.with_signals({"pull/tension": 100.0}))
    last = along.position.sel(marker="arm/tip").values[-1]
    assert last == pytest.approx(rest.position.sel(marker="arm/tip").values, abs=1e-8)


def test_what_it_refuses() -> None:
    with pytest.raises(ModelError, match=r'"pull".*friction = 0.3.*tension= alone'):
        arm(0.02, friction=0.3, stiffness=10.0, shortening=0.01)
    with pytest.raises(ModelError, match=r"friction = -0.1"):
        arm(0.02, friction=-0.1, tension=1.0)
    for sliding in (0, 2, True):
        with pytest.raises(ModelError, match=r"sliding.*1 \(pulled out at its entry\) or -1"):
            arm(0.02, friction=0.1, tension=1.0, sliding=sliding)
    system = pl.compile(arm(0.02, tension=1.0, friction=0.4), elements=FINE)
    for ask in (
        lambda: pl.transient(system, end_time=0.1),
        lambda: pl.modal(system),
        lambda: pl.linearise(system, inputs=["pull/tension"], outputs=["position:arm/tip:y"]),
    ):
        with pytest.raises(ModelError, match=r'ChannelTendon "pull": its friction .* at rest only'):
            ask()
