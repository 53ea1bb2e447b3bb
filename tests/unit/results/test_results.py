"""Result: labels, units, checks, saving and loading; the records that travel with it; the progress bar."""

from __future__ import annotations

import contextlib
import copy
import io
import os
import pickle
import re
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

from pliant.errors import FileError, OptionError, PliantError
from pliant.results import Outcome, Provenance, Result, ResultError, load_result, result, schema
from pliant.results.progress import progress
from pliant_testing.results.planar import example_modes, example_motion, example_path, example_statics
from pliant_testing.results.spatial import spatial_motion

EXAMPLES = {"motion": example_motion, "statics": example_statics, "modes": example_modes, "path": example_path}


def remade(original: Result, data: xr.Dataset) -> Result:
    return Result(data, original.kind, original.outcome, original.provenance)


# --- access, labels, units ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("labels", [{"marker": "beam/tip"}, {"marker": "beam/tip", "axis": "x"}, {"axis": ["x"]}])
def test_selecting_by_names_gives_what_xarray_gives(labels: dict[str, object]) -> None:
    places = example_motion().position
    xr.testing.assert_identical(places.sel(**labels), xr.DataArray.sel(places, **labels))


def test_variables_are_attributes_with_units():
    run = example_motion()
    assert run.position.dims == ("time", "marker", "axis")
    assert run.position.sel(marker="beam/tip", axis="y").values[0] == pytest.approx(-0.7)
    assert run.position.attrs["units"] == "m"
    assert run.time.attrs["units"] == "s"
    assert "position" in dir(run)
    assert schema.units_of(run.resultant, "V") == "N"
    assert schema.units_of(run.resultant, "M") == "N m"


def test_units_given_are_kept():
    run = example_motion()
    data = run.data.copy()
    data["position"].attrs["units"] = "1"
    assert remade(run, data).position.attrs["units"] == "1"


def test_the_given_dataset_is_left_alone():
    data = xr.Dataset({"angle": (("time", "body"), [[0.0], [1.0]])}, {"time": [0.0, 1.0], "body": ["link"]})
    Result(data, "motion", Outcome(True, ""), Provenance("m", "transient"))
    assert "units" not in data["angle"].attrs


def test_unknown_variable_lists_what_exists():
    with pytest.raises(AttributeError, match=r"no variable 'positon'.*position.*It has .*energy"):
        _ = example_motion().positon


def test_axes_of_length_one_stay():
    run = example_motion()
    assert run.reaction.sizes == {"time": 61, "joint": 1, "wrench": 3}
    assert example_statics().reaction.sizes == {"joint": 1, "wrench": 3}


def test_state_is_kept_by_symbol():
    state = example_motion().state
    assert state is not None
    np.testing.assert_array_equal(state["q"], np.arange(6.0))
    assert state["lam"].shape == (0,)
    assert example_statics().state is None


def test_copies_and_pickles():
    run = example_motion()
    for other in (copy.copy(run), pickle.loads(pickle.dumps(run))):
        xr.testing.assert_identical(other.data, run.data)
        assert other.outcome == run.outcome


@pytest.mark.parametrize("kind", EXAMPLES)
def test_reprs_are_short_and_telling(kind):
    run = EXAMPLES[kind]()
    text, markup = repr(run), run._repr_html_()
    assert len(text.splitlines()) < 20
    for part in (kind, "swinging link and beam", "ok: ", "shape("):
        assert part in text
    assert markup.startswith("<div>")
    assert "shape(" in markup
    assert "state_q" not in text


def test_html_repr_escapes_names():
    run = example_statics()
    evil = Result(run.data, run.kind, run.outcome, Provenance("<script>x</script>", "statics"))
    assert "<script>" not in evil._repr_html_()


def test_variables_of_forces_lie_along_their_names():
    run = spatial_motion()
    assert run.tension.attrs["units"] == "N"
    tension = run.data["tension"].rename(line="cable")
    for data in (run.data.drop_vars("line"), run.data.drop_vars("tension").assign(tension=tension)):
        with pytest.raises(ResultError, match=r"it must have \('line',\), labelled by names of parts"):
            remade(run, data)


def test_table_of_variables_matches_the_schema():
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in (result.__doc__ or "").splitlines()]
    rows = [row for row in rows if len(row) >= 4 and row[0] in schema.VARIABLES]
    assert {row[0]: (tuple(row[1].split(", ")), row[2]) for row in rows} == schema.VARIABLES


# --- paths -------------------------------------------------------------------------------------------------------


def test_a_path_shows_its_span_and_events():
    text = repr(example_path())
    assert "x of push 0 to 4.33333 N (41 points); limit point at 2.7, limit point at 1.63333" in text
    assert "path_q" not in text
    halfway = example_path().data.isel(point=slice(0, 29), event=[0])
    assert "x of push 0 to 1.63333 N, between 0 and 2.7 (29 points); limit point at 2.7" in repr(
        remade(example_path(), halfway)
    )
    assert "no events" in repr(remade(example_path(), example_path().data.drop_dims("event")))


def test_many_events_are_counted():
    path = example_path()
    many = remade(path, path.data.isel(event=[0, 1] * 5))
    assert repr(many).count("limit point at") == 6
    assert "4 more" in repr(many)


def test_a_point_of_a_path_is_an_equilibrium():
    path = example_path()
    rest = path.equilibrium(20)
    assert rest.kind == "statics"
    xr.testing.assert_equal(rest.shape, path.shape.isel(point=20).drop_vars(["point", *schema.COORDINATES["point"]]))
    assert {"point", "event", "path_q", "parameter", "stable"}.isdisjoint({*rest.data.variables, *rest.data.dims})
    np.testing.assert_array_equal(rest.state["q"], path.path_q.values[20])
    np.testing.assert_array_equal(rest.state["lam"], path.path_lam.values[20])
    assert not rest.state["v"].any()
    assert rest.state["time"] == [0.0]
    assert (rest.outcome.stable, rest.outcome.unstable_directions) == (False, 1)
    assert rest.outcome.message == "point 20 of a path, x of push 2.16667 N, unstable in 1 direction(s)"
    assert rest.provenance.settings["parameter"] == "push/x"
    assert rest.provenance.settings["value"] == pytest.approx(100 * (0.125 / 3 - 0.125 + 0.105))
    assert rest.provenance.created == path.provenance.created


def test_the_last_point_unless_another_is_named():
    path = example_path()
    for last in (path.equilibrium(), path.equilibrium(40), path.equilibrium(np.int64(-1))):
        np.testing.assert_array_equal(last.state["q"], path.path_q.values[-1])
        assert last.provenance.settings["point"] == 40
        assert last.outcome.stable is True


def test_undetermined_stability_is_not_called_unstable():
    path = example_path()
    unknown = remade(path, path.data.assign_coords(unstable_directions=("point", np.full(41, -1))))
    outcome = unknown.equilibrium(0).outcome
    assert (outcome.stable, outcome.unstable_directions) == (None, None)
    assert "stability not determined" in outcome.message


def test_the_time_of_a_path_is_that_of_its_points():
    path = example_path()
    later = Result(path.data, "path", path.outcome, Provenance("m", "path", {"parameter": "push/x", "time": 2.5}))
    assert later.equilibrium().state["time"] == [2.5]


@pytest.mark.parametrize("point", [41, -42, 1.0, True, "last"])
def test_points_that_are_not_there_are_refused(point):
    with pytest.raises(OptionError, match=r"the points of this path are 0 to 40; -1 is the last"):
        example_path().equilibrium(point)


@pytest.mark.parametrize("kind", ["motion", "statics", "modes"])
def test_only_a_path_has_points(kind):
    with pytest.raises(OptionError, match=f"this is a {kind} result; only a path has points"):
        EXAMPLES[kind]().equilibrium()


@pytest.mark.parametrize(
    "spoil, message",
    [
        (lambda d: d.drop_vars("arclength"), "needs the coordinate 'arclength'"),
        (lambda d: d.assign_coords(event_kind=("event", ["limit point", "snap"])), "not 'snap'"),
        (lambda d: d.assign_coords(event_point=("event", [3, 41])), "0 to 40; it is"),
        (lambda d: d.drop_dims("point"), "needs the dimension 'point'"),
    ],
)
def test_malformed_paths_are_refused(spoil, message):
    path = example_path()
    with pytest.raises(ResultError, match=message):
        remade(path, spoil(path.data))


def test_a_path_without_events_survives_a_file(tmp_path):
    path = example_path()
    plain = remade(path, path.data.isel(event=[]))
    loaded = load_result(plain.save(tmp_path / "path.nc"))
    assert loaded.event_kind.shape == (0,)
    assert loaded.stable.dtype == bool
    xr.testing.assert_identical(loaded.equilibrium(3).data, plain.equilibrium(3).data)


# --- refusals ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_refused(bad):
    run = example_motion()
    data = run.data.copy(deep=True)
    data["position"].values[3, 1, 0] = bad
    with pytest.raises(ResultError, match=r"position holds .* at time 3, marker 1, axis 0 \(1 such values\)"):
        remade(run, data)


def test_complex_nan_is_refused():
    run = example_modes()
    data = run.data.copy(deep=True)
    data["eigenvalue"].values[1] = complex(0.0, np.nan)
    with pytest.raises(ResultError, match="eigenvalue holds"):
        remade(run, data)


def test_declared_nan_is_allowed_and_survives_a_file(tmp_path):
    run = example_modes()
    data = run.data.copy(deep=True)
    data["damping_ratio"].values[0] = np.nan
    data["damping_ratio"].attrs["nan_means"] = "rigid-body mode"
    loaded = load_result(remade(run, data).save(tmp_path / "modes.nc"))
    xr.testing.assert_equal(loaded.data, data)


@pytest.mark.parametrize(
    "spoil, message",
    [
        (lambda d: d.assign_coords(time=d.time[::-1].values), "increase strictly"),
        (lambda d: d.drop_vars("marker"), "'marker' of a result needs the coordinate 'marker'"),
        (lambda d: d.drop_vars("part_kind"), "needs the coordinate 'part_kind'"),
        (lambda d: d.assign_coords(marker=["tip", "tip"]), "'tip' occurs twice"),
        (lambda d: d.assign(position=d.position.transpose("time", "axis", "marker")), "position has dimensions"),
        (lambda d: d.assign(save=d.time), "cannot be called 'save'"),
        (lambda d: d.assign(outcome=d.time), "cannot be called 'outcome'"),
        (lambda d: d.assign_coords(part_kind=("station", ["rope"] * d.sizes["station"])), "part_kind may hold"),
        (lambda d: d.isel(time=0, drop=True), "needs the dimension 'time'"),
    ],
)
def test_malformed_data_is_refused(spoil, message):
    run = example_motion()
    with pytest.raises(ResultError, match=message):
        remade(run, spoil(run.data))


def test_unknown_kind_is_refused():
    with pytest.raises(ResultError, match=r"'tour'.*statics, modes, motion"):
        Result(example_statics().data, "tour", Outcome(True, ""), Provenance("m", "a"))


# --- records -----------------------------------------------------------------------------------------------------


def test_outcome_figures():
    outcome = Outcome(np.True_, "done", {"steps": np.int64(3), "residual": np.float64(1.25e-9), "stable": False})
    assert outcome.ok is True
    assert type(outcome.steps) is int
    assert repr(outcome) == "ok: done (steps 3, residual 1.25e-09, stable no)"
    assert repr(Outcome(False, "diverged at 0.3 s")) == "failed: diverged at 0.3 s"
    with pytest.raises(AttributeError, match=r"no figure 'step'. Did you mean steps"):
        _ = outcome.step
    with pytest.raises(AttributeError):
        outcome.ok = False


def test_provenance_is_filled_in_and_plain():
    import pliant

    record = Provenance("four-bar", "transient", {"times": np.array([0.0, 1.0]), "start": object, "n": (1, 2)})
    assert record.version == pliant.__version__
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", record.created)
    assert record.settings["times"] == [0.0, 1.0]
    assert record.settings["n"] == [1, 2]
    assert isinstance(record.settings["start"], str)


# --- files -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", EXAMPLES)
def test_round_trip(kind, tmp_path):
    run = EXAMPLES[kind]()
    loaded = load_result(run.save(tmp_path / "run.nc"))
    xr.testing.assert_identical(loaded.data, run.data)
    for name, variable in run.data.variables.items():
        assert loaded.data[name].dtype.kind == variable.dtype.kind
    assert (loaded.kind, loaded.outcome, loaded.provenance) == (run.kind, run.outcome, run.provenance)
    assert set(loaded.data.coords) == set(run.data.coords)


def test_names_beyond_ascii_and_flags_survive(tmp_path):
    run = example_motion()
    data = run.data.assign_coords(marker=["bielle/extrémité", "β"]).assign(cut=("time", run.data.time.values > 1.0))
    data.attrs["note"] = "µ = 0.3"
    loaded = load_result(remade(run, data).save(tmp_path / "run.nc"))
    assert loaded.marker.values.tolist() == ["bielle/extrémité", "β"]
    assert loaded.cut.dtype == bool
    assert loaded.data.attrs == {"note": "µ = 0.3"}


def test_file_is_netcdf_3_with_real_numbers_and_units(tmp_path):
    path = example_modes().save(tmp_path / "modes.nc")
    assert path.read_bytes()[:4] == b"CDF\x02"
    raw = xr.load_dataset(path, engine="scipy")
    assert {"eigenvalue_real", "eigenvalue_imag"} <= set(raw.data_vars)
    assert raw["frequency_hz"].attrs["units"] == "Hz"
    assert "swinging link and beam" in raw.attrs["pliant_provenance"]


def test_saving_refuses_to_overwrite(tmp_path):
    path = tmp_path / "run.nc"
    example_statics().save(path)
    before = path.read_bytes()
    with pytest.raises(FileError, match=r"exists already.*overwrite=True"):
        example_motion().save(path)
    assert path.read_bytes() == before
    example_motion().save(path, overwrite=True)
    assert load_result(path).kind == "motion"


def test_failed_save_leaves_nothing_and_keeps_the_old_file(tmp_path):
    run = example_statics()
    path = run.save(tmp_path / "run.nc")
    before = path.read_bytes()
    unfit = remade(run, run.data.assign(huge=("n", np.array([2**40]))))  # netCDF 3 has no 64-bit integers
    with pytest.raises(FileError, match="netCDF 3 cannot hold"):
        unfit.save(path, overwrite=True)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_full_disk_is_a_file_error(tmp_path, monkeypatch):
    def no_space(self, path, **options):
        path.write_bytes(b"CDF")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(xr.Dataset, "to_netcdf", no_space)
    with pytest.raises(FileError, match="No space left"):
        example_statics().save(tmp_path / "run.nc")
    assert list(tmp_path.iterdir()) == []


def test_bad_places_are_refused(tmp_path):
    run = example_statics()
    with pytest.raises(FileError, match="does not exist; create it"):
        run.save(tmp_path / "no" / "run.nc")
    with pytest.raises(FileError, match="is a directory"):
        run.save(tmp_path, overwrite=True)
    with pytest.raises(FileError, match="No such file"):
        load_result(tmp_path / "absent.nc")


@pytest.mark.parametrize("content", [b"", b"CDF", b"\x89HDF\r\n\x1a\n" + bytes(100), b"PK\x03\x04", b"time,x\n0,1\n"])
def test_foreign_files_are_refused(content, tmp_path):
    path = tmp_path / "foreign.nc"
    path.write_bytes(content)
    with pytest.raises(FileError, match="is not a pliant result"):
        load_result(path)


def test_other_netcdf_is_refused(tmp_path):
    path = tmp_path / "other.nc"
    xr.Dataset({"temperature": ("time", [1.0, 2.0])}).to_netcdf(path, engine="scipy")
    with pytest.raises(FileError, match="lacks the attribute pliant_format"):
        load_result(path)


def test_other_format_version_is_refused(tmp_path):
    path = tmp_path / "future.nc"
    xr.Dataset(attrs={"pliant_format": 99}).to_netcdf(path, engine="scipy")
    with pytest.raises(FileError, match="format 99 and this pliant reads format 1"):
        load_result(path)


@pytest.mark.parametrize("kind", EXAMPLES)
def test_truncated_files_are_refused(kind, tmp_path):
    content = EXAMPLES[kind]().save(tmp_path / "run.nc").read_bytes()
    path = tmp_path / "short.nc"
    for length in np.linspace(4, len(content) - 8, 25).astype(int):
        path.write_bytes(content[:length])
        with pytest.raises(FileError, match="truncated or damaged"):
            load_result(path)


def test_damaged_header_never_escapes_as_another_error(tmp_path):
    content = example_modes().save(tmp_path / "run.nc").read_bytes()
    path, random = tmp_path / "damaged.nc", np.random.default_rng(7)
    for place in random.integers(4, 3000, size=60):
        damaged = bytearray(content)
        damaged[place] ^= 1 << int(random.integers(8))
        path.write_bytes(damaged)
        with contextlib.suppress(FileError):
            load_result(path)


# --- progress ----------------------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr("pliant.results.progress.sys", SimpleNamespace(stderr=screen))
    monkeypatch.setattr("pliant.results.progress.PATIENCE", 0.0)
    monkeypatch.setattr("pliant.results.progress.INTERVAL", 0.0)
    monkeypatch.delenv("PLIANT_QUIET", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    return screen


def test_bar_on_a_terminal(terminal):
    with progress("transient", 2.0) as report:
        report(0.5)
        report(1.0)
    assert "transient" in terminal.getvalue()
    assert "50%" in terminal.getvalue()


def test_bar_goes_away_when_the_work_fails(terminal):
    def failing_work() -> None:
        with progress("transient", 2.0) as report:
            report(0.5)
            raise PliantError("stop")

    with pytest.raises(PliantError, match="stop"):
        failing_work()
    assert terminal.getvalue().endswith("\x1b[?25h\r\x1b[1A\x1b[2K")  # cursor shown again, line erased


@pytest.mark.parametrize("how", ["quiet", "not a terminal", "quick"])
def test_silence(how, terminal, monkeypatch):
    if how == "quiet":
        monkeypatch.setenv("PLIANT_QUIET", "1")
    elif how == "not a terminal":
        monkeypatch.setattr(Terminal, "isatty", lambda self: False)
    else:
        monkeypatch.setattr("pliant.results.progress.PATIENCE", 60.0)
    with progress("transient", 2.0) as report:
        report(1.0)
    assert terminal.getvalue() == ""


def test_progress_alone_imports_nothing_heavy():
    code = "import sys, pliant.results.progress; print({'rich', 'xarray', 'numpy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ, check=True)
    assert done.stdout.strip() == "set()"
