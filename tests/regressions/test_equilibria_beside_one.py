"""Equilibria beside one were found at the time 0, at rest and without friction, however that one was found: derivatives
of functions at 0.5 s, and what `uncertainty` and `optimise` began with, belonged to other loads, ok.
"""

from __future__ import annotations

from typing import Any

import pytest

import pliant as pl
from pliant.errors import OptionError

h = pl.Parameter("h", 2e-3, unit="m")


def strip(formulation: str = "dae", end: float = -8.0) -> Any:
    m = pl.Model("strip")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=pl.Section.rectangle(0.02, h, pl.STEEL)))
    grows = pl.Ramp(0.0, end, 0.0, 1.0, smooth=False)
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=grows, name="load"))
    return pl.compile(m, formulation=formulation, elements=pl.Exact(2, order=2))


def height(_: object, rest: pl.Result) -> float:
    return float(rest.position.sel(marker="beam/tip", axis="y").item())


@pytest.mark.parametrize("formulation", ["dae", "relative"])
def test_are_at_its_time(formulation: str) -> None:
    system = strip(formulation)
    half, still = pl.statics(system, time=0.5), strip(formulation).with_signals({"load/y": -4.0})
    found = pl.sensitivity(system, half, of={"y": height}, to=["h"])
    same = pl.sensitivity(still, pl.statics(still), of={"y": height}, to=["h"])
    assert float(found.derivative.y.item()) == pytest.approx(float(same.derivative.y.item()), rel=1e-6)


def test_scatter_at_its_time_and_in_its_spin() -> None:
    system = strip()
    found = pl.uncertainty(system, to={"h": 2e-6}, of=[height], start=pl.statics(system, time=0.5), samples=16)
    assert found.first_order["height"].mean < -0.01  # at the time 0 nothing bends it
    free = strip(end=0.0).with_signals({"load/y": 0.0})
    spun = pl.statics(free, spin=30.0)
    found = pl.uncertainty(free, to={"h": 2e-6}, of=["frequency_hz:1"], start=spun, samples=16)
    there = float(pl.modal(free, at=spun).frequency_hz[0])
    assert found.first_order["frequency_hz:1"].mean == pytest.approx(there, rel=1e-9)


def test_of_joints_at_the_edge_of_slipping() -> None:
    m, mu = pl.Model("pendulum"), pl.Parameter("mu", 0.5)
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=-90 * pl.DEG))
    pin = m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0), name="pin"))
    m.add(pl.Gravity(), pl.Friction(pin, mu, radius=0.1))
    system = pl.compile(m)
    rest = pl.statics(system, friction={"pin": -1})
    found = pl.sensitivity(system, rest, of=["position:arm/tip:x"], to=["mu"])
    slope = float(found.derivative["position:arm/tip:x"].item())  # sin = mu r / (l / 2)
    assert slope == pytest.approx(0.2, rel=1e-9)


def test_of_another_system_are_refused() -> None:
    system = strip("relative", end=0.0)
    bent = pl.statics(system.with_signals({"load/y": -4.0}))
    with pytest.raises(OptionError, match="not where this system is at rest"):
        pl.sensitivity(system, bent, of=["position"], to=["h"])
