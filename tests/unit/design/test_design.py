"""Quantities as functions of parameters: named numbers, branches, derivatives, mistakes."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.design.quantities import constraint
from pliant.design.responses import Responses
from pliant.errors import OptionError
from pliant_evidence.optimise.designs import snapping, strip
from pliant_evidence.sensitivities import models


def tip_force(_: Any, rest: pl.Result) -> Any:
    return rest.reaction.sel(joint="clamp").values


def test_values_and_slopes_of_a_strip_follow_beam_theory() -> None:
    names = ["mass", "stiffness:beam/tip:y", "frequency_hz:1", "position:beam/tip:y", "largest_strain"]
    responses = Responses(
        pl.compile(strip(), elements=pl.Exact(2, order=3)),
        over=["h", "L"],
        of=[*names, pl.Quantity(tip_force, name="clamp")],
    )
    x = np.array([2e-3, 0.5])
    answer, slopes = responses(x), responses.slopes(x)
    assert answer.ok
    assert answer.stable
    stiffness = 3 * 210e9 * 0.02 * x[0] ** 3 / 12 / x[1] ** 3
    assert answer.values["stiffness:beam/tip:y"] == pytest.approx(stiffness, rel=1e-3)  # shear
    powers = {"mass": (1, 1), "stiffness:beam/tip:y": (3, -3), "frequency_hz:1": (1, -2), "largest_strain": (-2, 1)}
    for name, exact in powers.items():
        assert np.allclose(slopes.by[name] * x / answer.values[name], exact, atol=2e-3), name
    assert slopes.how["mass"] == "explicit"
    assert slopes.how["frequency_hz:1"] == "implicit"
    assert slopes.how["clamp"] == "neighbouring equilibria"
    assert slopes.by["clamp"].shape == (3, 2)
    assert slopes.by["clamp"][2, 1] == pytest.approx(0.01, rel=1e-5)  # the moment of the force


def test_other_analyses_are_differenced_and_critical_loads_are_not() -> None:
    load = pl.Quantity("critical_load", analysis=partial(pl.path, parameter="push/y", to=-20.0))
    final = pl.Quantity(
        "position:top(0, 0):y", analysis=lambda of, rest: pl.transient(of, start=rest, end_time=0.01, times=[0.01])
    )
    responses = Responses(pl.compile(models.truss()), over=["k"], of=[load, final])
    slopes = responses.slopes([1000.0])
    assert slopes.how == {"critical_load": "implicit", "position:top(0, 0):y": "central differences"}
    assert 1000.0 * slopes.by["critical_load"][0] == pytest.approx(
        responses([1000.0]).values["critical_load"], rel=1e-6
    )
    rest = pl.statics(responses.system)
    exact = pl.sensitivity(responses.system, rest, of=["position"], to=["k"]).derivative.position
    moved = exact.sel(parameter="k", marker="top(0, 0)", axis="y").item()  # a motion from rest stays at rest
    assert slopes.by["position:top(0, 0):y"][0] == pytest.approx(moved, rel=1e-5)


def test_goals_of_motions_by_equal_steps_are_differentiated_on_their_equations() -> None:
    free = pl.Quantity("max:position:top(0, 0):y", analysis=partial(pl.transient, end_time=0.05, step=1e-3,
                       push={"top": (0.0, 0.3, 0.0)}), name="free")  # fmt: skip
    rest = pl.Quantity(
        lambda run: float(run.position.values[-1, 0, 1]),
        analysis=lambda of, rest: pl.transient(of, start=rest, end_time=0.05, step=1e-3, push={"top": (0.0, 0.3, 0.0)}),
        name="from rest",
    )
    responses = Responses(pl.compile(models.truss()), over=["k"], of=[free, rest])
    slopes = responses.slopes([1000.0])
    assert slopes.how == {"free": "motion", "from rest": "motion"}
    for name in slopes.by:
        sides = [float(responses([1000.0 + h]).values[name]) for h in (1.0, -1.0)]
        assert slopes.by[name][0] == pytest.approx((sides[0] - sides[1]) / 2.0, rel=1e-5)
        assert slopes.by[name][0] != 0.0


def test_a_branch_that_ends_is_told() -> None:
    responses = Responses(pl.compile(snapping()), over=["push"], of=["position:top(0, 0):y"])
    assert not responses([-1.0]).left
    beyond = responses([-25.0])  # the truss snaps at about 3 N
    assert beyond.values["position:top(0, 0):y"] < 0.0
    assert "OtherBranch" in beyond.left
    assert "push = " in beyond.left
    assert not beyond.ok
    back = responses([-2.0])  # from the nearest equilibrium of the first branch
    assert back.values["position:top(0, 0):y"] > 0.0
    assert back.ok


def test_a_design_that_cannot_be_assembled_is_an_answer_that_failed() -> None:
    responses = Responses(pl.compile(models.slider_crank()), over=["l"], of=["position:slide(0, 0):x"])
    assert responses([0.3]).ok
    assert responses([0.01]).failed
    assert responses([0.31]).ok


def test_texts_and_signs_make_constraints() -> None:
    assert repr(constraint("mass <= 0.2")) == "mass <= 0.2"
    assert constraint(pl.Constraint("mass", low=1.0, high=2.0)).sides == [(1.0, 1.0), (-1.0, 2.0)]
    assert constraint("angle:crank == 1").sides == [(1.0, 1.0)]
    for wrong, said in (("mass", "no constraint"), ("mass <= few", "no number")):
        with pytest.raises(OptionError, match=said):
            constraint(wrong)
    with pytest.raises(OptionError, match="Swap"):
        pl.Constraint("mass", low=2.0, high=1.0)
    with pytest.raises(OptionError, match="two bounds"):
        bool(1.0 <= pl.Quantity("mass") <= 2.0)


def test_mistakes_are_named() -> None:
    system = pl.compile(strip(), elements=pl.Exact(2, order=3))
    with pytest.raises(OptionError, match=r"no parameter 'hh'.*h"):
        Responses(system, over=["hh"], of=["mass"])
    with pytest.raises(OptionError, match=r"over=\['h'\]"):
        Responses(system, over="h", of=["mass"])
    with pytest.raises(OptionError, match="two quantities"):
        Responses(system, of=["mass", pl.Quantity(tip_force, name="mass")])
    for name, said in (("stiffness:beam/tip:q", "axis"), ("frequency_hz:x", "which mode"), ("positon:a:y", "Did you")):
        with pytest.raises(OptionError, match=said):
            Responses(system, of=[name])({"h": 2e-3, "L": 0.5})
    with pytest.raises(OptionError, match=r'"h": 0.5 is beyond its bounds'):
        Responses(system, over=["h", "L"], of=["mass"])([0.5, 2e-3])
    with pytest.raises(OptionError, match="give 2 values"):
        Responses(system, over=["h", "L"], of=["mass"])([2e-3])
