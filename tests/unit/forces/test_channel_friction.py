"""Friction of tendons in channels: the capstan's law along a bent rod."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ModelError, OptionError
from pliant_testing import contracts
from pliant_testing.probe import Probe
from tests.unit.forces.test_channel_tendons import FINE, SECTION, arm

SPACES = pytest.mark.parametrize(("plane", "offset"), [("xy", 0.02), (None, (0.02, 0.0))], ids=["plane", "space"])


@pytest.mark.parametrize(
    ("plane", "offset"), [("xy", (0.1, -0.03, 0.06)), (None, ((0.1, 0.02), (0.03, 0.06), (0.05, -0.03)))],
    ids=["plane", "space"],
)  # fmt: skip
@pytest.mark.parametrize("sliding", [1, -1, 0])
def test_its_stiffness_is_the_derivative_of_its_force(plane: str | None, offset: Any, sliding: int) -> None:
    model = pl.Model("rough", plane=plane)
    where = (0.1, 0.2) if plane else (0.1, 0.2, 0.3)
    beam = model.add(pl.Beam("beam", length=1.3, section=SECTION, curvature=0.8, position=where, angle=0.3, free=True))
    model.add(
        pl.ChannelTendon("pull", beam, offset=offset, tension=3e5, friction=0.4, sliding=sliding, friction_speed=3.0)
    )
    for order in (1, 2):
        probe = Probe("a rough channel", model, elements=pl.Exact(3, order=order), tolerance=1e-6)
        at = probe.random(np.random.default_rng(5), 0.05 / order)
        contracts.check_stiffness(probe, replace(at, v=0.0 * at.v, a=0.0 * at.a), np.zeros(0))
        for speed in (1.0, 5.0):  # creeping, sliding
            moving = replace(at, v=speed * at.v)
            contracts.check_stiffness(probe, moving, np.zeros(0))
            contracts.check_rates(probe, moving)
            contracts.check_work(probe, moving)


@SPACES
@pytest.mark.parametrize("sliding", [1, -1])
def test_the_capstan(plane: str | None, offset: Any, sliding: int) -> None:
    """The angle is ``sliding log(1 + sliding mu y T s / EI)/mu`` if ``EI kappa = T y``: kappa' = -mu kappa^2."""
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


@SPACES
@pytest.mark.parametrize("start", [0.0, 0.5])
def test_tensions_along_it_are_told(plane: str | None, offset: Any, start: float) -> None:
    """``T exp(-mu theta)`` with ``theta = log(1 + mu y T s / EI) / mu`` is ``T / (1 + mu y T s / EI)``."""
    mu, tension = 0.5, 200.0
    model = arm(offset, plane=plane, tension=tension, friction=mu, start=start)
    rest = pl.statics(pl.compile(model, elements=pl.Exact(8, order=3)))
    s = rest.channel_s.values
    assert list(rest.channel_tension.channel.values) == ["pull"] * len(s)
    assert s == pytest.approx(np.linspace(start, 1.0, len(s)))
    exact = tension / (1.0 + mu * tension * 0.02 * 0.5 * (s - start) / 2.0)
    assert rest.channel_tension.values == pytest.approx(exact, rel=1e-6)
    smooth = pl.statics(pl.compile(arm(offset, plane=plane, tension=tension), elements=FINE))
    assert smooth.channel_tension.values == pytest.approx(tension)


def test_a_channel_outside_its_disks_is_refused() -> None:
    with pytest.raises(ModelError, match=r'"pull": offset at s = 1 .*within its disks of 0.01 m radius.*0.02 m off'):
        arm((0.005, 0.02), tension=1.0, disk_radius=0.01)
    with pytest.raises(ModelError, match=r"offset at s = 0\.02 .*within its disks"):  # 17 places saw none of it
        arm(lambda s: 0.008 + 0.004 * np.sin(16 * np.pi * s) ** 2, tension=1.0, disk_radius=0.01)
    arm((0.006, 0.008), tension=1.0, plane=None, disk_radius=0.01)
    with pytest.raises(ModelError, match=r"disk_radius = 0.0"):
        arm(0.0, tension=1.0, disk_radius=0.0)


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
    for sliding in (2, True):
        with pytest.raises(ModelError, match=r"sliding.*1 \(pulled out at its entry\), -1"):
            arm(0.02, friction=0.1, tension=1.0, sliding=sliding)
    with pytest.raises(ModelError, match=r"friction_speed = 0"):
        arm(0.02, friction=0.1, tension=1.0, friction_speed=0.0)
    system = pl.compile(arm(0.02, tension=1.0, friction=0.4), elements=FINE)
    for ask in (
        lambda: pl.modal(system),
        lambda: pl.linearise(system, inputs=["pull/tension"], outputs=["position:arm/tip:y"]),
    ):
        with pytest.raises(ModelError, match=r'ChannelTendon "pull": .* holds one side only. Give sliding=0'):
            ask()


@SPACES
def test_modes_have_to_be_told_what_friction_does(plane: str | None, offset: Any) -> None:
    rough = pl.compile(arm(offset, plane=plane, tension=20.0, friction=0.4, sliding=0), elements=FINE)
    smooth = pl.compile(arm(offset, plane=plane, tension=20.0), elements=FINE)
    with pytest.raises(OptionError, match=r"pull.*friction"):
        pl.modal(rough)
    with pytest.raises(OptionError, match="pull"):
        pl.modal(rough, friction="stuck")
    free = pl.modal(rough, friction="free").frequency_hz.values
    assert free == pytest.approx(pl.modal(smooth).frequency_hz.values, rel=1e-9)
    assert pl.statics(rough).outcome.stable


def test_let_off_it_slides_back_near_its_entry_and_sticks_beyond() -> None:
    """Pulled to T1 the curvature is ``1/(1/k1 + mu s)``; let off to T2 it is ``1/(1/k2 - mu s)`` up to where both meet.

    It differs by the creep at friction_speed, which a smaller one makes smaller.
    """
    mu, first, last, length = 0.5, 2.0, 1.5, 0.5  # curvatures T y / EI at the entry
    meet = (1.0 / last - 1.0 / first) / (2.0 * mu)
    pulled = np.log(1.0 + mu * first * length) / mu
    let_off = (np.log((1.0 + mu * first * length) / (1.0 + mu * first * meet)) - np.log(1.0 - mu * last * meet)) / mu
    off = []
    for speed in (1e-3, 1e-4):
        model = arm(
            0.02, tension=pl.Table((0.0, 1.0, 1.2, 2.0), (20.0, 200.0, 200.0, 150.0)), friction=mu, sliding=0,
            friction_speed=speed, damping=pl.Rayleigh(stiffness=2e-3, mass=0.0),
        )  # fmt: skip
        system = pl.compile(model, elements=FINE)
        run = pl.transient(system, start=pl.statics(system), end_time=2.0, step=0.01)
        angle = run.marker_angle.sel(marker="arm/tip")
        energy = run.energy.isel(time=-1)
        off.append([float(angle.sel(time=1.2)) - pulled, float(angle[-1]) - let_off])
        assert run.outcome.ok
        assert abs(energy.sel(energy_kind="balance")) < 2e-4 * energy.sel(energy_kind="supplied")
        assert np.all(np.diff(run.energy.sel(energy_kind="dissipated")) > -1e-12)
    assert np.all(np.abs(off[1]) < 0.02 * pulled)
    assert np.all(np.abs(off[1]) < 0.4 * np.abs(off[0]))


@SPACES
def test_a_rest_with_an_assumed_direction_stays(plane: str | None, offset: Any) -> None:
    system = pl.compile(arm(offset, plane=plane, tension=100.0, friction=0.4), elements=FINE)
    rest = pl.statics(system)
    run = pl.transient(system, start=rest, end_time=0.02, step=1e-3)
    assert float(abs(run.position.isel(time=-1) - rest.position).max()) < 1e-9
