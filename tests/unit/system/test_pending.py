"""Results whose variables are computed when they are read."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import xarray as xr

import pliant as pl
from pliant.results import Outcome, Provenance
from pliant.results.lazy_arrays import Pending
from pliant.results.schema import ResultError
from pliant.system.observation.lazy_arrays import Deferred
from pliant_gallery import pendulum, spinning_beam
from pliant_gallery.examples import column


def arch() -> pl.Model:
    """Build a beam in the plane that a tendon holds, above a floor."""
    m = pl.Model("arch")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=pl.Section.rectangle(0.02, 2e-3, pl.STEEL)))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Gravity())
    m.add(pl.Spring("cord", ground.at(0.5, 0.5), beam.at(s=1), stiffness=20.0, rest_length=0.3, damping=0.1))
    m.add(pl.Contact("floor", ground.at(0, -0.5), beam.at(s=1), radius=0.01, stiffness=1e4))
    return m


def top() -> pl.Model:
    """Build a body on a ball, in space."""
    m = pl.Model("top", plane=None)
    ground, body = m.add(pl.Ground(), pl.Body("body", mass=1.0, inertia=(0.01, 0.02, 0.03), position=(0, 0, -0.3)))
    m.add(pl.Spherical(ground.at(0, 0, 0), body.at(0, 0, 0.3)), pl.Gravity())
    return m


QUESTIONS: dict[str, Callable[[Any], pl.Result]] = {
    "statics": pl.statics,
    "modes": lambda system: pl.modal(system, modes=3),
    "motion": lambda system: pl.transient(system, end_time=0.01, step=1e-3, estimate=False),
}


@pytest.mark.parametrize("model", [arch, top])
@pytest.mark.parametrize("question", ["statics", "modes", "motion"])
@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
def test_a_variable_alone_is_that_of_the_whole(model: Callable[[], pl.Model], question: str) -> None:
    system = pl.compile(model(), elements=4)
    one, whole = QUESTIONS[question](system), QUESTIONS[question](system)
    names = [str(name) for name in whole.data.variables]
    assert len(names) > 20
    for name in names:
        xr.testing.assert_identical(xr.DataArray(getattr(one, name)), xr.DataArray(getattr(whole, name)))
    assert "data" not in one.__dict__
    xr.testing.assert_identical(one.data, whole.data)
    state = one.state
    assert state is not None
    np.testing.assert_array_equal(state["q"], whole.data["state_q"].values)


@pytest.mark.parametrize("model", [arch, top])
@pytest.mark.parametrize("question", ["statics", "modes", "motion"])
@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
def test_a_dataset_is_as_xarray_makes_it(model: Callable[[], pl.Model], question: str) -> None:
    pending = QUESTIONS[question](pl.compile(model(), elements=4)).__dict__["_pending"]
    made, public = pending.whole(), xr.Dataset(dict(pending.variables), dict(pending.coords))
    public = public.isel(time=0, drop=True) if pending.rest else public
    xr.testing.assert_identical(made, public)
    assert set(made.indexes) == set(public.indexes)
    for name, label in made.indexes.items():
        assert label.equals(public.indexes[name])
    assert {name: each.dtype for name, each in made.variables.items()} == {
        name: each.dtype for name, each in public.variables.items()
    }


def test_nothing_is_computed_before_it_is_asked_for_and_then_once() -> None:
    asked: list[str] = []

    def made(name: str) -> Any:
        asked.append(name)
        return ("mode",), np.ones(2)

    variables = Deferred({name: lambda name=name: made(name) for name in ("frequency_hz", "modal_mass")})
    pending: Any = Pending(variables, {"mode": [1, 2]}, xr.Dataset)
    found = pl.Result(pending, "modes", Outcome(True, ""), Provenance("m", "modal"))
    assert not asked
    assert found.frequency_hz.attrs["units"] == "Hz"
    assert found.raw("frequency_hz") is not None
    assert asked == ["frequency_hz"]
    assert found.raw("nothing") is None
    with pytest.raises(AttributeError, match="no variable 'modal_mas'"):
        _ = found.modal_mas
    assert found.data.sizes == {"mode": 2}
    assert asked == ["frequency_hz", "modal_mass"]


def test_a_variable_that_is_not_finite_is_refused_when_it_is_asked_for() -> None:
    pending: Any = Pending({"modal_mass": ("mode", np.array([np.nan]))}, {"mode": [1]}, xr.Dataset)
    found = pl.Result(pending, "modes", Outcome(True, ""), Provenance("m", "modal"))
    with pytest.raises(ResultError, match="modal_mass holds nan at mode 0"):
        _ = found.modal_mass


def test_it_can_be_sent_to_another_process() -> None:
    run = pl.transient(pl.compile(pendulum.model(angle=0.5)), end_time=0.01, step=1e-3)
    again = pickle.loads(pickle.dumps(run))
    xr.testing.assert_identical(again.data, run.data)
    assert again.outcome == run.outcome


def test_functions_of_the_user_are_asked_while_the_analysis_runs() -> None:
    """A function of the user may have changed when the result is looked at."""
    m, calls = pendulum.model(angle=0.5), []

    def push(time: float, pose: np.ndarray, velocity: np.ndarray) -> tuple[float, float, float]:
        calls.append(time)
        return 0.0, 0.0, 0.0

    m.add(pl.StateForce("hand", m.bodies[0].at(), push))
    run = pl.transient(pl.compile(m), end_time=0.01, step=1e-3, estimate=False)
    before = len(calls)
    assert run.energy.size > 0
    assert run.data.sizes["time"] == 11
    assert len(calls) == before > 0


def test_spinning_systems_show_the_same() -> None:
    system = pl.compile(spinning_beam.model(case=1), elements=2)
    one, whole = (pl.transient(system, end_time=0.02, step=5e-3, estimate=False) for _ in range(2))
    xr.testing.assert_identical(xr.DataArray(one.resultant), xr.DataArray(whole.data["resultant"]))


def test_a_point_of_a_path_is_the_same_before_and_after_its_data_are_made() -> None:
    system = pl.compile(column(), elements=4)
    path = pl.path(system, "load/x", to=-1.0)
    before = path.equilibrium(1)
    assert "_pending" in path.__dict__
    xr.testing.assert_identical(before.data, pl.Result(path.data, *_rest_of(path)).equilibrium(1).data)
    assert "event_kind" not in before.data.variables
    np.testing.assert_array_equal(before.state["q"], path.data["path_q"].values[1])


def _rest_of(path: pl.Result) -> tuple[Any, ...]:
    return path.kind, path.outcome, path.provenance


def test_a_quantity_by_name_labels_its_variable_only() -> None:
    """Studies ask for one number of every run."""
    from pliant.results.quantities import number

    m = pl.Model("pendulum")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=-90 * pl.DEG))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
    system = pl.compile(m)
    for result, name in (
        (pl.statics(system), "angle:arm"),
        (pl.modal(system), "frequency_hz:1"),
        (pl.transient(system, end_time=0.01, step=1e-3), "max:position:arm/tip:y"),
    ):
        found = number(result, name)
        assert "_pending" in vars(result)
        assert number(type(result)(result.data, result.kind, result.outcome, result.provenance), name) == found


def test_a_model_compiled_again_has_the_same_pattern() -> None:
    m = pl.Model("pendulum")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
    first, second = pl.compile(m), pl.compile(m)
    assert first.equations.pattern is second.equations.pattern
