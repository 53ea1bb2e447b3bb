"""Errors that used to come raw out of other libraries: each has a name, says what is wrong and what is near."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import xarray as xr

import pliant as pl
from pliant.errors import ConvergenceError, LabelError, OptionError, PliantError
from pliant.solvers.stepping import alpha_stepping
from pliant.solvers.stepping.drivers import Driver
from pliant.system.state import State
from pliant_testing.results.planar import example_motion, example_path


@pytest.fixture(scope="module")
def pendulum():
    m = pl.Model("pendulum")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=-1.5))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity(), pl.Force(arm.at(s=1), x=0.0, name="push"))
    return pl.compile(m)


def remade(result, data):
    return pl.Result(data, result.kind, result.outcome, result.provenance)


# --- labels ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda run: run.position.sel(marker="beam/tpi"), "position has no marker 'beam/tpi'. Did you mean beam/tip"),
        (lambda run: run.position.sel(marker=["beam/tip", "beam/tpi"]), "no marker 'beam/tpi'. Did you mean"),
        (lambda run: run.position.sel({"marker": "beam/tpi"}, drop=True), "no marker 'beam/tpi'. Did you mean"),
        (lambda run: run.position.loc[{"axis": "z"}], "position has no axis 'z'. Known are: x, y."),
        (lambda run: run.position.isel(time=0).sel(marker="beam/tpi"), "no marker 'beam/tpi'"),
        (lambda run: (2.0 * run.position).sel(marker="beam/tpi"), "no marker 'beam/tpi'"),
        (lambda run: run.position.sel(axis="x").sel(marker="beam/tpi"), "no marker 'beam/tpi'"),
        (lambda run: run.shape.sel(part="baem"), "shape has no part 'baem'. Did you mean beam"),
        (lambda run: run.position.sel(marekr="beam/tip"), "position has no dimension 'marekr'. Did you mean marker"),
        (lambda run: run.position.sel(time=0.01234), 'time 0.01234. They go from 0.0 to 2.0; method="nearest"'),
    ],
)
def test_labels_that_are_not_there_are_named(ask, message):
    with pytest.raises(LabelError) as refused:
        ask(example_motion())
    assert message in str(refused.value)
    assert isinstance(refused.value, PliantError)
    assert isinstance(refused.value, KeyError)  # as xarray's own


def test_arrays_of_results_are_arrays_of_xarray():
    run = example_motion()
    position = run.position
    assert repr(position) == repr(run.data["position"])
    assert position.identical(run.data["position"])
    assert np.shares_memory(position.values, run.data["position"].values)
    assert type(run.data["position"]) is xr.DataArray  # as it was
    assert position.to_dataset().equals(run.data["position"].to_dataset())
    assert position.sel(marker="beam/tip").dims == ("time", "axis")
    assert position.copy(deep=True).equals(position)


# --- states ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [["path_q"], ["path_lam"], ["path_q", "path_lam"]])
def test_a_path_without_its_states_is_refused(pendulum, missing):
    walk = pl.path(pendulum, "push/x", to=3.0)
    cut = remade(walk, walk.data.drop_vars(missing))
    with pytest.raises(OptionError, match=f"no variable '{missing[0]}'"):
        cut.equilibrium()
    with pytest.raises(OptionError, match=f"no variable '{missing[0]}'"):
        pl.statics(pendulum, start=cut)


def test_a_branch_of_a_path_without_its_states_is_refused(pendulum):
    walk = example_path()
    kinds = np.full(walk.event_kind.shape, "bifurcation")
    cut = remade(walk, walk.data.drop_vars("path_q").assign_coords(event_kind=("event", kinds)))
    with pytest.raises(OptionError, match="no variable 'path_q'"):
        pl.branch(pendulum, cut, 0)


@pytest.mark.parametrize("name", ["q", "v", "a", "lam"])
def test_half_a_state_is_refused(pendulum, name):
    rest = pl.statics(pendulum)
    half = remade(rest, rest.data.drop_vars(f"state_{name}"))
    with pytest.raises(OptionError, match=f"start: its state has no {name}"):
        pl.transient(pendulum, start=half, end_time=0.1, step=1e-2)
    with pytest.raises(OptionError, match=f"at: its state has no {name}"):
        pl.modal(pendulum, at=half)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("v", np.zeros(1)),
        ("a", np.zeros(1)),
        ("abar", np.zeros(1)),
        ("change", np.zeros((2, 3))),
        ("q", np.zeros((2, 3))),
        ("time", np.zeros(0)),
    ],
)
def test_a_state_of_other_shapes_is_refused(pendulum, name, value):
    rest = pl.statics(pendulum)
    dims = tuple(f"other_{k}" for k in range(value.ndim))
    data = rest.data.drop_vars(f"state_{name}", errors="ignore").assign({f"state_{name}": (dims, value)})
    with pytest.raises(OptionError, match=r"its state is damaged: \w+ has the shape"):
        pl.transient(pendulum, start=remade(rest, data), end_time=0.1, step=1e-2)


@pytest.mark.parametrize("value", [[np.nan], [np.inf], ["a"], [None]])
def test_a_state_that_holds_no_numbers_is_refused(value):
    with pytest.raises(OptionError, match="its state is damaged: q holds something other than finite numbers"):
        State.read({"q": value, "v": [0.0], "a": [0.0], "lam": [0.0]})


# --- statics -----------------------------------------------------------------------------------------------------


def test_statics_that_run_away_come_back():
    """A chain in which next to nothing holds its first joint: the search for a balanced start went to infinity."""
    m, masses = pl.Model("chain"), (0.0020059252578434523, 57.691198261877695, 0.08315588079432527)
    ground, *links = m.add(
        pl.Ground(), *(pl.Link(f"link {k}", length=1.0, mass=mass, angle=0.0) for k, mass in enumerate(masses))
    )
    tips = [link.at(s=1) for link in links]
    for begin, link in zip((ground.at(0, 0), *tips), links, strict=False):
        m.add(pl.Revolute(begin, link.at(s=0)))
    m.add(
        pl.Spring(
            "thread", ground.at(0, 2.5082653532779755), tips[0],
            stiffness=7.389689050254197e-11, rest_length=1.1256124137599903,
        ),
        pl.Force(tips[1], x=0.0, y=-2.965460031075651e-08),
        pl.Gravity(),
    )  # fmt: skip
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        rest = pl.statics(pl.compile(m))
    np.testing.assert_allclose(rest.angle, -0.5 * np.pi, atol=1e-6)  # it hangs
    assert not [each for each in warned if not issubclass(each.category, pl.errors.PliantWarning)]


# --- memory ------------------------------------------------------------------------------------------------------


@pytest.fixture
def small_memory(monkeypatch):
    """Limit the memory to the first chunk of steps, which is short."""
    room = Driver.make_room
    monkeypatch.setattr(alpha_stepping, "QUICK_WORK", 300)

    def make_room(self, count):
        if self.record_count > 50:
            raise MemoryError
        room(self, count)

    monkeypatch.setattr(Driver, "make_room", make_room)


@pytest.mark.parametrize("options", [{"step": 1e-3}, {"accuracy": 1e-8}, {"method": "GeneralizedAlpha"}])
def test_motion_that_fills_the_memory_is_stopped(pendulum, small_memory, options):
    with pytest.raises(ConvergenceError, match=r"the memory holds no more instants.*every="):
        pl.transient(pendulum, end_time=20.0, **options)
    kept = pl.transient(pendulum, end_time=20.0, partial=True, **options)
    assert not kept.outcome.ok
    assert "the memory holds no more instants" in kept.outcome.message
    assert kept.time.size > 50
    further = pl.transient(pendulum, start=kept, end_time=float(kept.state["time"][0]) + 0.01, step=1e-3)
    assert further.outcome.ok


# --- FMU ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "elements", [pl.Exact(4, order=2), {"beam": pl.Exact(3)}, {"beam": 3}, pl.Corotational(4), np.int64(4)]
)
def test_an_fmu_takes_every_kind_of_elements(tmp_path, elements):
    pytest.importorskip("pythonfmu")
    fmpy = pytest.importorskip("fmpy")
    m = pl.Model("strip")
    strip = pl.Section.rectangle(0.02, 0.002, pl.STEEL)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=strip))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=0.1, name="push"))
    path = pl.export(
        m, tmp_path / "a.fmu", inputs=["push/x"], outputs=["position:beam/tip:y"], step=1e-3, elements=elements
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pl.errors.PliantWarning)  # the step is coarse: it is the same in both
        run = pl.transient(pl.compile(m, elements=elements), end_time=0.01, step=1e-3)
    ran = fmpy.simulate_fmu(str(path), stop_time=0.01, output_interval=1e-3)
    here = run.position.sel(marker="beam/tip", axis="y").values[-1]
    assert float(ran[-1][1]) == pytest.approx(here, rel=1e-9)
