"""Optimisation: known optima, prices, starts, choices, what has none, what is refused, files, Ctrl-C."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import Interrupted, OptionError


def slide(**bounds: float) -> pl.Model:
    """Build a mass on two springs: any function of k and m has a closed form."""
    k = pl.Parameter("k", 100.0, low=bounds.get("k_low", 10.0), high=bounds.get("k_high", 1000.0))
    mass = pl.Parameter("mass", 2.0, low=0.5, high=10.0)
    m = pl.Model("slide")
    ground, body = m.add(pl.Ground(), pl.Body("body", mass=mass, inertia=1.0, position=(1.0, 0.0), angle=0.0))
    m.add(pl.Prismatic(ground.at(0, 0), body.at()), pl.Spring("s", ground.at(0, 0), body.at(), k, 1.0))
    m.add(pl.Spring("idle", ground.at(0, 0), body.at(), 50.0, 1.0, damping=pl.Parameter("c", 1.0, low=0.0, high=9.0)))
    return m


def values(name: str) -> Any:
    """Return a parameter as a quantity."""
    return lambda system, _: system.model.parameters[name].value


def plain(function: Any) -> pl.Quantity:
    """Return a function of the system alone: no equilibrium is found for it."""
    return pl.Quantity(function, analysis=lambda system: system)


def rosenbrock(system: Any) -> float:
    x, y = (system.model.parameters[name].value for name in ("k", "mass"))
    return float((1.0 - x / 100.0) ** 2 + 100.0 * (y - (x / 100.0) ** 2) ** 2) + 1.0


@pytest.mark.parametrize("method", ["SLSQP", "trust-constr"])
def test_the_lightest_slide_of_a_frequency(method: str) -> None:
    wanted: list[Any] = ["frequency_hz:1 <= 1.5", pl.Quantity(values("k"), name="k", unit="N/m") >= 200.0]
    found = pl.optimise(slide(), minimise="mass", subject_to=wanted, over=["k", "mass"], method=method)
    exact = 250.0 / (2.0 * np.pi * 1.5) ** 2
    assert found.ok, found
    assert found.values["k"] == pytest.approx(200.0, rel=1e-5)
    assert found.values["mass"] == pytest.approx(exact, rel=1e-5)
    prices = {each.text: each.price for each in found.active}
    assert prices["k >= 200"] == pytest.approx(exact / 250.0, rel=1e-3)  # dm/dk at a frequency
    assert prices["frequency_hz:1 <= 1.5"] == pytest.approx(-2.0 * exact / 1.5, rel=1e-3)
    assert "k >= 200 holds it back: 2 N/m more costs 22.5 g of mass (0.8 %)" in str(found)
    assert found.model is not None
    assert found.model.parameters["mass"].value == found.values["mass"]


def test_a_bound_of_a_parameter_has_a_price_and_a_maximum_is_one() -> None:
    found = pl.optimise(slide(), maximise="frequency_hz:1", subject_to=["mass >= 1"], over=["k", "mass"])
    assert found.ok, found
    assert found.values == pytest.approx({"k": 1000.0, "mass": 1.0}, rel=1e-6)
    top = np.sqrt(1050.0) / (2.0 * np.pi)
    prices = {each.text: each.price for each in found.active}
    assert prices["k <= 1000"] == pytest.approx(0.5 * top / 1050.0, rel=1e-4)
    assert prices["mass >= 1"] == pytest.approx(-0.5 * top, rel=1e-4)
    assert all("costs" in each.words for each in found.active)


def test_a_curved_valley_and_its_history(tmp_path: Path) -> None:
    found = pl.optimise(slide(), minimise=plain(rosenbrock), over=["k", "mass"])
    assert found.ok, found
    assert found.values == pytest.approx({"k": 100.0, "mass": 1.0}, rel=1e-3)
    tried = found.history
    assert tried.design.sizes["evaluation"] == tried.response.sizes["evaluation"] >= 3
    again = pl.load_optimum(found.save(tmp_path / "found.nc"))
    assert str(again) == str(found)
    assert again.model is not None
    assert again.model.parameters == found.model.parameters  # type: ignore[union-attr]


def wavy(system: Any) -> float:
    x = system.model.parameters["k"].value / 100.0
    return float(np.cos(3.0 * x) + 0.1 * (x - 6.0) ** 2 + 3.0)


def test_more_starts_find_the_deeper_valley() -> None:
    one = pl.optimise(slide(), minimise=plain(wavy), over=["k"])
    many = pl.optimise(slide(), minimise=plain(wavy), over=["k"], starts=6)
    assert one.ok
    assert many.ok
    assert many.result["wavy"] < one.result["wavy"] - 1.0
    assert "of 6 starts" in many.outcome.message


def hill(system: Any) -> float:
    x = (system.model.parameters["k"].value - 100.0) / 100.0
    return float(2.0 + x**4 - x**2)


def test_a_stationary_maximum_is_left() -> None:
    found = pl.optimise(slide(), minimise=plain(hill), over=["k"])
    assert found.ok, found
    assert abs(found.values["k"] - 100.0) == pytest.approx(100.0 * np.sqrt(0.5), rel=1e-3)


def test_better_designs_are_told_on_the_way_and_a_cost_of_a_regulator_is_a_quantity() -> None:
    """A mass on a free slide, Q of its place and R of the push 1: x'Px from 1 m is sqrt(2 m)."""
    m = pl.Model("cart")
    mass = pl.Parameter("m", 0.5, low=0.1, high=10.0, unit="kg")
    ground, cart = m.add(pl.Ground(), pl.Body("cart", mass=mass, inertia=1.0, position=(0.0, 0.0)))
    m.add(pl.Prismatic(ground.at(0, 0), cart.at()), pl.Force(cart.at(), x=0.0, name="push"))

    def cost(system: Any, rest: pl.Result) -> float:
        plant = pl.linearise(system, at=rest, inputs=["push/x"], outputs=["position:cart(0, 0):x"])
        gain = pl.lqr(plant, outputs={"position:cart(0, 0):x": 1.0}, inputs={"push/x": 1.0})
        x = np.linalg.lstsq(np.vstack([plant.C, plant.C @ plant.A]), [1.0, 0.0], rcond=None)[0]  # 1 m, at rest
        return float(x @ gain.riccati @ x)

    shown: list[dict[str, float]] = []
    limit = pl.Quantity(cost, name="cost") <= 2.0
    found = pl.optimise(m, maximise="mass", subject_to=[limit], seen=shown.append)
    assert found.ok, found
    assert found.values["m"] == pytest.approx(2.0, rel=1e-5)
    assert len(shown) >= 2
    assert shown[-1]["m"] == pytest.approx(2.0, rel=1e-3)
    assert [each["m"] for each in shown] == sorted(each["m"] for each in shown)


def test_the_natural_curvature_of_a_beam_is_a_parameter() -> None:
    """Bent upwards at rest so that a load at its tip brings that to its height: k L^2 / 2 = F L^3 / 3 EI."""
    bend = pl.Parameter("k", 0.01, low=0.0, high=1.0, unit="1/m", scale=0.1)
    m = pl.Model("strip")
    section = pl.Section.rectangle(0.02, 2e-3, pl.STEEL)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=section, curvature=bend))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=-0.1))
    level = pl.Constraint("position:beam/tip:y", low=0.0, high=0.0)
    coarse = pl.optimise(pl.compile(m, elements=2), minimise=values("k"), subject_to=[level])
    assert "mesh" in coarse.outcome.message  # 6 % off
    found = pl.optimise(pl.compile(m, elements=pl.Exact(2, order=3)), minimise=values("k"), subject_to=[level])
    assert found.ok, found
    wanted = 2.0 * 0.1 * 0.5 / (3.0 * section.bending_stiffness)
    assert found.values["k"] == pytest.approx(wanted, rel=1e-3)


def test_choices_are_all_tried() -> None:
    found = pl.optimise(
        slide(), minimise="mass", subject_to=["frequency_hz:1 <= 2"], over=["mass"], choices={"k": [50.0, 20.0, 90.0]}
    )
    assert found.ok
    assert found.choice == {"k": 20.0}
    assert "the best of 3 choices" in found.outcome.message
    made = pl.optimise(
        lambda count: slide(k_low=10.0 * count), minimise="mass", over=["mass"], choices={"count": [1, 2]}
    )
    assert made.values["mass"] == pytest.approx(0.5)


def test_constraints_that_cannot_be_met_are_named() -> None:
    found = pl.optimise(slide(), minimise="mass", subject_to=["frequency_hz:1 >= 20", "mass >= 1"], over=["k", "mass"])
    assert not found.ok
    assert "frequency_hz:1 >= 20 reaches" in found.outcome.message
    assert "Relax" in found.outcome.message
    stiff, light = (
        np.sqrt(1050.0) / (2.0 * np.pi),
        np.sqrt(1050.0 / 0.5) / (2.0 * np.pi),
    )  # at a mass of 1 kg, of 0.5 kg
    missed = found.record.outcome.figures["violation"]
    assert 1.0 - light / 20.0 - 1e-6 <= missed <= 1.0 - stiff / 20.0 + 1e-6  # of the bound that is missed most
    assert stiff - 1e-6 <= found.result["frequency_hz:1"] <= light + 1e-6


def test_mistakes_are_named() -> None:
    m = slide()
    with pytest.raises(OptionError, match=r"nothing depends on 'c'.*Take it out"):
        pl.optimise(m, minimise="mass", over=["mass", "c"])
    with pytest.raises(OptionError, match="one of minimise= and maximise="):
        pl.optimise(m)
    with pytest.raises(OptionError, match="method='simplex'"):
        pl.optimise(m, minimise="mass", method="simplex")
    with pytest.raises(OptionError, match="give a list of constraints"):
        pl.optimise(m, minimise="mass", subject_to="mass <= 1")
    with pytest.raises(OptionError, match="is an array"):
        pl.optimise(m, minimise=lambda _, rest: rest.position.values, over=["mass"])
    with pytest.raises(OptionError, match="its function gave 'x'"):
        pl.optimise(m, minimise=plain(lambda _: "x"), over=["mass"])
    with pytest.raises(OptionError, match="no parameter 'masss'"):
        pl.optimise(m, minimise="mass", over=["masss"])
    free = pl.Model("free")
    ground, body = free.add(
        pl.Ground(), pl.Body("body", mass=pl.Parameter("mass", 1.0), inertia=1.0, position=(1, 0), angle=0.0)
    )
    free.add(pl.Prismatic(ground.at(0, 0), body.at()), pl.Spring("s", ground.at(0, 0), body.at(), 9.0, 1.0))
    with pytest.raises(OptionError, match=r'"mass" has no bounds'):
        pl.optimise(free, minimise="mass", starts=3)


def test_bounds_without_a_design_are_named() -> None:
    rod = pl.Parameter("rod", 0.01, low=0.005, high=0.02, unit="m")
    m = pl.Model("short")
    ground, crank = m.add(pl.Ground(), pl.Link("crank", length=0.1, mass=0.2, angle=1.0))
    bar, block = m.add(pl.Link("bar", length=rod, mass=0.3), pl.Body("block", mass=0.5, inertia=1e-4))
    m.add(pl.Revolute(ground.at(0, 0), crank.at(s=0)), pl.Motion(ground.at(0, 0), crank.at(s=0), angle=1.0))
    m.add(pl.Revolute(crank.at(s=1), bar.at(s=0)), pl.Revolute(bar.at(s=1), block.at()))
    m.add(pl.Prismatic(ground.at(0, 0), block.at()))
    with pytest.raises(OptionError, match=r"no design: .*cannot be closed.*Give its parameters other values"):
        pl.optimise(m, maximise="position:block(0, 0):x", over=["rod"])
    with pytest.raises(OptionError, match="none of them gives a design"):
        pl.optimise(lambda kind: m, maximise="position:block(0, 0):x", over=["rod"], choices={"kind": ["one"]})


def test_ctrl_c_keeps_the_best_so_far() -> None:
    count = [0]

    def slow(system: Any) -> float:
        count[0] += 1
        if count[0] > 12:
            raise KeyboardInterrupt
        return rosenbrock(system)

    with pytest.raises(Interrupted) as told:
        pl.optimise(slide(), minimise=plain(slow), over=["k", "mass"])
    best: Any = told.value.result
    assert not best.ok
    assert "interrupted" in best.outcome.message
    assert best.result["slow"] <= rosenbrock(pl.compile(slide()))
