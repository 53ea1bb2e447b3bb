"""The protocols are the whole truth: a formulation outside the package, with one coordinate, runs the analyses."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ellipj, ellipk

import pliant as pl
from pliant.analyses.modes.resolution import SHORT
from pliant.analyses.motion import time_error
from pliant.errors import CapabilityError, ModelError, OptionError
from pliant.solvers.stepping.motion import Plan
from pliant.system.capabilities import (
    QUESTIONS,
    Compiled,
    HasEquations,
    HasInverse,
    HasJointDynamics,
    Observed,
    Observer,
    can,
    members,
    offers,
)
from pliant.system.compile import formulation_names, formulations_with, kind_of
from pliant.system.limits.offered import (
    HasBeamLimits,
    HasContactDistances,
    HasRotationLimits,
    HasSignalFunctions,
    HasStrainLimits,
    ResolvesWaves,
)
from pliant_gallery import cantilever, pendulum

LENGTH, MASS, STIFFNESS = 0.5, 3.0, 2.0


pytestmark = pytest.mark.usefixtures("strangers")


def strut(stiffness: float = STIFFNESS, x: object = 0.0, y: object = 0.0) -> Any:
    from strange_parts.strut.build import model

    return pl.compile(model(stiffness, x, y), formulation="strut")


def test_statics_rests_where_moments_balance() -> None:
    rest = pl.statics(strut(x=-3.0, y=-1.0))
    exact = brentq(lambda phi: STIFFNESS * phi + LENGTH * (-3.0 * np.cos(phi) - np.sin(phi)), 0.0, 1.5, xtol=1e-15)
    assert float(rest.angle.sel(body="bob")) == pytest.approx(exact, abs=1e-14)
    assert rest.outcome.stable
    np.testing.assert_allclose(rest.position.values, [[-LENGTH * np.sin(exact), LENGTH * np.cos(exact)]], atol=1e-14)


def test_modes_are_those_of_one_freedom() -> None:
    shaken = pl.modal(strut(y=-1.0), modes=1)
    squared = (STIFFNESS - LENGTH) / (MASS * LENGTH**2)
    assert float(shaken.frequency_hz[0]) == pytest.approx(np.sqrt(squared) / (2.0 * np.pi), rel=1e-13)
    assert float(shaken.effective_mass.sel(axis="x")[0]) == pytest.approx(MASS, rel=1e-13)
    assert float(shaken.modal_mass[0]) == pytest.approx(MASS, rel=1e-13)  # shapes are scaled to 1 m


def test_motion_is_that_of_a_pendulum() -> None:
    begin, g, times = 2.0, 9.81, np.linspace(0.1, 2.0, 20)
    pendulum = strut(0.0, 0.0, MASS * g)  # pulled upwards: it hangs, upside down
    at = pl.transient(pendulum, end_time=1e-9)  # for a state to change
    state = at.data.assign(state_q=("state_q_index", [begin]), state_v=("state_v_index", [0.0])).assign(
        state_time=("state_time_index", [0.0])
    )
    run = pl.transient(pendulum, start=pl.Result(state, "motion", at.outcome, at.provenance), end_time=2.0, times=times)
    modulus = np.sin(0.5 * begin)
    sn = ellipj(ellipk(modulus**2) - np.sqrt(g / LENGTH) * times, modulus**2)[0]
    np.testing.assert_allclose(run.angle.sel(body="bob"), 2.0 * np.arcsin(modulus * sn), atol=1e-9)
    assert run.outcome.energy_error < 1e-9


def test_path_meets_the_buckling_load_and_its_branch() -> None:
    column, critical = strut(y=-1.0), STIFFNESS / LENGTH
    straight = pl.path(column, "load/y", to=-1.5 * critical)
    assert straight.event_kind.values.tolist() == ["bifurcation"]
    assert float(straight.event_parameter[0]) == pytest.approx(-critical, rel=1e-6)
    assert straight.stable.values[[0, -1]].tolist() == [True, False]
    bent = pl.branch(column, straight, toward=("bob", (-1.0, 0.0)), to=-1.5 * critical)
    phi = bent.angle.sel(body="bob").values[1:]
    assert np.all(phi > 0.0)
    np.testing.assert_allclose(bent.parameter.values[1:], -critical * phi / np.sin(phi), rtol=1e-9)


def test_linear_model_is_exact() -> None:
    stiffness = STIFFNESS - LENGTH  # under a load of 1 N
    plant = pl.linearise(strut(y=-1.0), inputs=["load/x"], outputs=["position:bob(0, 0):x", "angle:bob"])
    np.testing.assert_allclose(plant.A, [[0.0, 1.0], [-stiffness / (MASS * LENGTH**2), 0.0]], rtol=1e-10, atol=1e-14)
    gain = plant.frequency_response(0.0).values.real.ravel()
    np.testing.assert_allclose(gain, [LENGTH**2 / stiffness, -LENGTH / stiffness], rtol=1e-9)


def test_it_compiles_its_mechanism_only() -> None:
    assert "strut" in formulation_names()
    m = pl.Model("pendulum", plane="xy")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)))
    with pytest.raises(ModelError, match="the formulation 'strut' knows a rod on a torsion spring only"):
        pl.compile(m, formulation="strut")
    with pytest.raises(ModelError, match="'strut' is for planar models"):
        pl.compile(m.promoted(), formulation="strut")


def test_what_it_does_not_offer_is_refused_by_name() -> None:
    column = strut()
    with pytest.raises(
        CapabilityError, match=r"HasInverse.*'strut' does not.*formulation='dae' or 'shooting' or 'udwadia_kalaba'"
    ):
        pl.inverse_statics(column, {"bob": (0.0, 0.5)}, signals=["load/x", "load/y"])
    with pytest.raises(CapabilityError, match="imperfect needs a system that offers Bendable"):
        pl.imperfect(column, pl.path(column, "load/y", to=-6.0), amplitude=1e-3)
    moving = pl.transient(strut(x=1.0), end_time=0.1)
    with pytest.raises(OptionError, match=r"moving in that state; the formulation 'strut'.*formulation='dae'"):
        pl.linearise(strut(x=1.0), at=moving, inputs=["load/x"], outputs=["angle:bob"], frozen=True)
    with pytest.raises(OptionError, match="there is no body 'arm'"):
        pl.linearise(column, inputs=["load/x"], outputs=["angle:arm"])


def test_checks_that_it_cannot_answer_are_listed_with_the_reason(tmp_path: Path) -> None:
    from strange_parts.strut.build import build, model

    m = model(y=-1.0)
    m.add(pl.Contact("floor", m.part("ground").at(0, 0), m.part("bob").at(), radius=0.1, stiffness=1e4))
    m.add(pl.Beam("hair", length=0.1, section=pl.Section.rectangle(1e-3, 1e-3, pl.STEEL)))
    beams = {"largest strain": "the formulation does not offer HasStrainLimits"}
    depths = {"depth of contacts": "the formulation does not offer HasContactDistances"}
    rest, run = pl.statics(build(m)), pl.transient(build(m), end_time=0.1)
    assert rest.outcome.ok
    assert rest.outcome.not_checked == beams | depths
    assert run.outcome.not_checked == beams | depths | {
        "signals between steps": "the formulation does not offer HasSignalFunctions",
        "error in time": "there is no second motion, and the method has no local errors",
    }
    assert str(rest.outcome).startswith("ok, not checked: largest strain, depth of contacts; equilibrium found")
    assert pl.load_result(run.save(tmp_path / "run.nc")).outcome.not_checked == run.outcome.not_checked
    shaken = pl.modal(build(m), modes=1).outcome
    assert shaken.not_checked == {SHORT: "the formulation does not offer ResolvesWaves"}


def test_what_its_model_lacks_is_not_listed() -> None:
    assert pl.statics(strut(x=1.0)).outcome.not_checked == {}
    assert pl.modal(strut(), modes=1).outcome.not_checked == {}


def test_unknown_loads_make_steps_of_first_order() -> None:
    from strange_parts.strut.build import Strut

    class Smooth(Strut):
        """A strut that knows its loads: they never change."""

        changing: ClassVar[dict[str, Any]] = {}

        def abrupt(self) -> bool:
            return False

    plan, column = Plan(end_time=1.0, method=pl.GeneralizedAlpha(0.9), step=0.1), strut()
    assert [time_error._order(kind(column.model, column.given), plan) for kind in (Strut, Smooth)] == [1, 2]


@pytest.mark.parametrize("name", formulation_names())
def test_formulations_of_pliant_answer_all_checks(name: str) -> None:
    system = pl.compile((cantilever if name == "shooting" else pendulum).model(), formulation=name)
    checks = HasEquations, HasSignalFunctions, HasRotationLimits, HasBeamLimits, HasContactDistances, ResolvesWaves
    assert [each.__name__ for each in checks if not can(system.observed, each)] == []
    assert can(system.observed.observer(), HasStrainLimits)


def test_it_has_all_members_of_what_it_is_asked_for() -> None:
    from strange_parts.strut.build import Sight

    assert members(Observed) | members(Compiled) <= set(dir(strut()))
    assert members(Observer) <= set(dir(Sight(strut())))
    assert not can(strut(), HasInverse)


@pytest.mark.parametrize("name", formulation_names())
def test_every_formulation_answers_some_question(name: str) -> None:
    kind = kind_of(name)
    assert offers(kind, Compiled)
    assert any(offers(kind, question) for question in QUESTIONS)


def test_every_question_is_answered_by_the_first_formulation() -> None:
    of_trees = {HasJointDynamics}  # needs coordinates of joints
    assert all(formulations_with(question)[0] == "dae" for question in set(QUESTIONS) - of_trees)
