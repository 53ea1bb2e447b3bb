"""Uncertainty: first order and samples against closed forms, branches, limits, mistakes, files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import pliant as pl
from pliant.errors import OptionError, OtherBranch
from pliant.results import Outcome
from pliant_evidence.optimise.designs import snapping, strip


def linear(x: float, y: float) -> dict[str, Any]:
    return {"sum": 3.0 * x - 4.0 * y, "course": np.array([x, y, x + y])}


NORMAL = {"x": stats.norm(1.0, 0.1), "y": stats.norm(2.0, 0.2)}


def test_a_linear_function_is_known_in_closed_form() -> None:
    found = pl.uncertainty(linear, to=NORMAL, samples=1024, limits=["sum >= -5"], seed=3)
    exact = np.hypot(0.3, 0.8)
    known = found.first_order["sum"]
    assert known.mean == pytest.approx(-5.0)
    assert known.std == pytest.approx(exact, rel=1e-9)
    assert known.shares == pytest.approx({"x": 0.09 / exact**2, "y": 0.64 / exact**2})
    assert found.ok, found
    assert found.sampled["sum"].std == pytest.approx(exact, rel=0.01)
    assert found.interval("sum")[1] == pytest.approx(-5.0 + 1.96 * exact, abs=0.14)  # twice what 1024 random ones leave
    half = found.probability("sum >= -5")
    assert half.first_order == pytest.approx(0.5)
    assert half.low < 0.5 < half.high
    assert half.value == pytest.approx(0.5, abs=0.01)
    assert found.sampled["course"].std == pytest.approx([0.1, 0.2, np.hypot(0.1, 0.2)], rel=0.02)
    assert np.shape(found.interval("course")[0]) == (3,)


def test_parameters_that_scatter_together() -> None:
    """Var(3x - 4y) = 9 sx^2 + 16 sy^2 - 24 rho sx sy."""
    found = pl.uncertainty(linear, to=NORMAL, samples=1024, correlation={("y", "x"): 0.8})
    exact = np.sqrt(0.09 + 0.64 - 2 * 0.8 * 0.3 * 0.8)
    known = found.first_order["sum"]
    assert known.std == pytest.approx(exact, rel=1e-9)
    assert sum(known.shares.values()) == pytest.approx(1.0)
    assert known.shares["x"] == pytest.approx((0.09 - 0.8 * 0.3 * 0.8) / exact**2)  # it takes away
    assert found.ok, found
    assert found.sampled["sum"].std == pytest.approx(exact, rel=0.01)
    seen = np.corrcoef(np.asarray(found.record.data["point"].values), rowvar=False)
    assert seen[0, 1] == pytest.approx(0.8, abs=0.01)
    for given, said in (
        ({("x", "z"): 0.5}, "'z' does not scatter"),
        ({("x", "y"): 1.5}, "between -1 and 1"),
        ({("x", "x"): 0.5}, "pairs of names"),
        ({("x", "y"): 0.5, ("y", "x"): 0.4}, "given twice"),
    ):
        with pytest.raises(OptionError, match=said):
            pl.uncertainty(linear, to=NORMAL, correlation=given)
    three = {**NORMAL, "z": stats.norm(0.0, 1.0)}
    with pytest.raises(OptionError, match="positive definite"):
        pl.uncertainty(lambda x, y, z: x, to=three, correlation={("x", "y"): 0.9, ("y", "z"): 0.9, ("x", "z"): -0.9})
    with pytest.raises(OptionError, match="independent parameters only"):
        pl.uncertainty(linear, to=NORMAL, correlation={("x", "y"): 0.5}, indices=True)


def test_what_was_identified_scatters_as_it_is_known() -> None:
    from pliant_fit.identification.example import example

    found = pl.uncertainty(lambda E, rho: E / 1e9 - rho / 10.0, to=example(), samples=256)
    exact = np.sqrt(4.0 + 1.0 - 2.0 * 0.4 * 2.0 * 1.0)  # E: 2e9, rho: 10, correlation 0.4
    assert found.first_order["value"].std == pytest.approx(exact, rel=1e-6)
    assert found.sampled["value"].std == pytest.approx(exact, rel=0.03)


def test_samples_whose_analyses_are_not_ok_are_told() -> None:
    system = pl.compile(strip(), elements=2)
    coarse = pl.Quantity("min:position:beam/tip:y", analysis=_failing, name="reached")
    found = pl.uncertainty(system, to={"h": 1e-6}, of=[coarse], samples=2)
    assert not found.ok
    assert "2 of 2 samples have analyses that are not ok" in found.outcome.message


def _failing(system: Any) -> pl.Result:
    run = pl.transient(system, end_time=0.01, step=1e-3)
    return run.judged(Outcome(False, "it is coarse", {}))


def test_a_curved_function_is_told() -> None:
    found = pl.uncertainty(lambda x: x**2, to={"x": stats.norm(0.0, 1.0)}, samples=256)
    assert not found.ok
    assert "value: first order is off by" in found.outcome.message
    assert found.sampled["value"].mean == pytest.approx(1.0, abs=0.05)  # first order says 0 ± 0


def test_indices_of_a_product() -> None:
    to = {"x": (0.0, 1.0), "y": (0.0, 1.0)}
    found = pl.uncertainty(lambda x, y: x * y, to=to, samples=512, indices=True).indices["value"]
    assert [found.first[name] for name in "xy"] == pytest.approx([3.0 / 7.0] * 2, abs=0.02)
    assert [found.total[name] for name in "xy"] == pytest.approx([4.0 / 7.0] * 2, abs=0.02)


def test_a_strip_scatters_as_its_thickness_and_files_keep_it(tmp_path: Path) -> None:
    to = {"h": 2e-5, "L": stats.uniform(0.49, 0.02)}
    found = pl.uncertainty(pl.compile(strip(), elements=2), to=to, of=["stiffness:beam/tip:y"], samples=16)
    known = found.first_order["stiffness:beam/tip:y"]
    parts = 3.0 * 0.01, 3.0 * 0.02 / np.sqrt(12.0) / 0.5
    assert known.std / known.mean == pytest.approx(np.hypot(*parts), rel=2e-3)
    assert found.sampled["stiffness:beam/tip:y"].std == pytest.approx(known.std, rel=0.25)
    assert found.snaps.value == 0.0
    again = pl.load_uncertainty(found.save(tmp_path / "found.nc"))
    assert str(again) == str(found)


def test_how_probable_it_is_that_a_truss_snaps() -> None:
    system = pl.compile(snapping())
    limit = -float(pl.path(system, "push/y", to=-20.0).event_parameter.values[0])
    found = pl.uncertainty(system, to={"push": stats.norm(-limit + 0.1, 0.2)}, of=["position:top(0, 0):y"], samples=64)
    exact = stats.norm(-limit + 0.1, 0.2).cdf(-limit)
    assert found.snaps.low < exact < found.snaps.high
    assert found.snaps.value == pytest.approx(exact, abs=0.05)
    assert not found.ok
    assert "not on the branch of the means" in found.outcome.message
    assert np.all(found.samples("position:top(0, 0):y") > 0.0)
    with pytest.raises(OptionError, match="Narrow the spreads"):
        pl.uncertainty(
            system, to={"push": (-limit - 0.1, -limit + 0.2)}, of=["position:top(0, 0):y"], samples=8, indices=True
        )


def test_a_model_that_has_snapped_at_the_means_is_told() -> None:
    """The truss, whose limit is 3 N, hangs at 4.5 N: none of the samples snaps, which answers another question."""
    system, meant = pl.compile(snapping()), {"push": stats.norm(-4.5, 0.2)}
    found = pl.uncertainty(system, to=meant, of=["position:top(0, 0):y"], samples=16)
    assert not found.ok
    assert "at the means: the model has left the branch it begins on (OtherBranch)" in found.outcome.message
    with pytest.warns(OtherBranch):
        hangs = pl.statics(system.with_parameters(push=-4.5))
    said = pl.uncertainty(
        system.with_parameters(push=-4.5), to=meant, of=["position:top(0, 0):y"], samples=16, start=hangs
    )
    assert said.ok, said


def test_a_parameter_may_matter_together_with_others_only() -> None:
    """x y at x = y = 0: neither has a slope, nor changes anything by itself."""
    found = pl.uncertainty(lambda x, y: x * y, to={"x": (-1.0, 1.0), "y": (-1.0, 1.0)}, samples=64)
    assert found.sampled["value"].std == pytest.approx(1.0 / 3.0, rel=0.1)
    assert not found.ok  # first order knows nothing of it


def test_a_clamped_end_does_not_scatter() -> None:
    """Rounding at one place of a shape is no deviation that first order misses."""
    shape = pl.Quantity(lambda of, rest: rest.shape.values[:, 1], name="shape")
    system = pl.compile(strip(), elements=2)
    found = pl.uncertainty(system.with_signals({"load/y": -1.0}), to={"h": 4e-5}, of=[shape], samples=16)
    assert found.sampled["shape"].std[0] < 1e-12 < found.sampled["shape"].std[-1]
    assert found.ok, found


def test_mistakes_are_named() -> None:
    system = pl.compile(strip(), elements=2)
    for to, said in (
        ({}, "give a mapping"),
        ({"h": -1.0}, "above 0"),
        ({"h": (2.0, 1.0)}, "range"),
        ({"h": stats.cauchy()}, "no finite mean"),
        ({"hh": 1.0}, "about which value"),
        ({"hh": (0.0, 1.0)}, "no parameter 'hh'"),
    ):
        with pytest.raises(OptionError, match=said):
            pl.uncertainty(system, to=to, of=["mass"])
    with pytest.raises(OptionError, match="nothing depends on 'L'"):
        pl.uncertainty(system, to={"h": 1e-5, "L": 1e-3}, of=[lambda of, rest: of.model.parameters["h"].value])
    with pytest.raises(OptionError, match="power of 2"):
        pl.uncertainty(system, to={"h": 1e-5}, of=["mass"], samples=100)
    first = pl.uncertainty(system, to={"h": 1e-5}, of=["mass"], samples=0)
    assert not first.ok
    assert "without samples it is not checked" in first.outcome.message
    for ask in (lambda: first.snaps, lambda: first.samples("mass"), lambda: first.probability("mass <= 1")):
        with pytest.raises(OptionError):
            ask()
    assert first.interval("mass")[0] < first.first_order["mass"].mean
