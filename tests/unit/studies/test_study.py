"""Studies: designs, what enters a model and how, rows of runs that failed, stores that are resumed, refinement."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import pliant as pl
from pliant.errors import ConvergenceError, FileError, OptionError
from pliant.jit import cache
from pliant.studies import rows
from pliant.studies.designs import generator
from pliant.studies.job import Job
from pliant.studies.journal import Ledger

pytest.importorskip("zarr")

STRIP = pl.Section.rectangle(0.02, 0.001, pl.STEEL)
TIP = "position:strip/tip:y"


def strip(load: float = 0.0, length: float = 0.5) -> pl.Model:
    m = pl.Model("strip")
    ground, beam = m.add(pl.Ground(), pl.Beam("strip", length=length, section=STRIP))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=load, name="load"))
    return m


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def run_here(*given: Any, **options: Any) -> pl.Result:
    """Run in this process, by one thread."""
    return pl.study(*given, on="threads", workers=1, **options)


# --- designs -----------------------------------------------------------------------------------------------------


def test_a_grid_has_every_combination_and_keeps_kinds_of_values() -> None:
    found = run_here(lambda a, b, c: {"told": f"{a!r} {b!r} {c!r}"}, over={"a": [1, 2], "b": [0.5], "c": ["x", "y"]})
    assert found.told.dims == ("a", "b", "c")
    assert found.told.values.ravel().tolist() == ["1 0.5 'x'", "1 0.5 'y'", "2 0.5 'x'", "2 0.5 'y'"]


def test_points_one_by_one() -> None:
    found = run_here(lambda a, b: {"sum": a + b}, over=[{"a": 1.0, "b": 2.0}, {"b": 5.0, "a": 3.0}])
    assert found.data["sum"].values.tolist() == [3.0, 8.0]
    assert found.data["a"].dims == ("run",)


@pytest.mark.parametrize("kind", [pl.Random, pl.LatinHypercube, pl.Sobol])
def test_samples_fill_their_ranges_and_repeat(kind: Any) -> None:
    over = {"u": (2.0, 4.0), "n": stats.norm(1.0, 0.1)}
    one, same, other = (kind(over, runs=200, seed=seed).points() for seed in (3, 3, 4))
    assert all(np.array_equal(one[name], same[name]) for name in over)
    assert not np.array_equal(one["u"], other["u"])
    assert 2.0 <= one["u"].min() < 2.1
    assert 3.9 < one["u"].max() <= 4.0
    assert stats.kstest(one["n"], "norm", (1.0, 0.1)).pvalue > 0.01
    if kind is not pl.LatinHypercube:
        assert np.array_equal(kind(over, runs=64, seed=3).points()["n"], one["n"][:64])


def test_monte_carlo_draws_as_numpy_spawns() -> None:
    children = np.random.SeedSequence(7).spawn(5)
    for k, child in enumerate(children):
        assert generator(7, k).random() == np.random.default_rng(child).random()


@pytest.mark.parametrize(
    "over, message",
    [
        ({}, "at least one"),
        ({"x": []}, "give a row of numbers"),
        ({"x": [1.0, np.nan]}, "finite"),
        ({"x": [1.0, 1.0]}, "1.0 is there twice"),
        ({"status": [1.0]}, "what is varied needs a name"),
        ({"y": [1.0]}, r"the function takes \(x\)"),
        ([{"x": 1.0}, {"y": 1.0}], "point 1 has y"),
        (3.0, "give a mapping"),
    ],
)
def test_designs_that_make_no_sense_are_refused(over: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        run_here(lambda x: {"y": x}, over=over)


@pytest.mark.parametrize("options", [{"runs": 0}, {"runs": 2.5}, {"runs": 4, "seed": -1}])
def test_samples_refuse_nonsense(options: Any) -> None:
    with pytest.raises(OptionError, match="give a whole number"):
        pl.Sobol({"x": (0.0, 1.0)}, **options)
    with pytest.raises(OptionError, match=r"x=\(1\.0, 0\.0\): give \(least, most\)"):
        pl.Sobol({"x": (1.0, 0.0)}, runs=4)


# --- models, systems and functions -----------------------------------------------------------------------------


def test_a_system_is_given_signals_and_answers_as_statics_does() -> None:
    system = pl.compile(strip(), elements=4)
    loads = [-2.0, -1.0, 0.0]
    found = run_here(system, over={"load/y": loads}, analysis=pl.statics, keep=[TIP])
    for load in loads:
        rest = pl.statics(system.with_signals({"load/y": load}))
        assert found.data[TIP].sel({"load/y": load}).item() == rest.position.sel(marker="strip/tip", axis="y").item()
    assert found.data[TIP].attrs["units"] == "m"
    assert found.stable.values.tolist() == [1, 1, 1]
    assert found.outcome.ok


def test_processes_find_the_same_bits_as_this_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A function within a function, which no worker can import by its name, with a system and a start in it. In the
    workers nothing is compiled: there it would be an error.
    """
    monkeypatch.syspath_prepend(Path(__file__).parents[3])  # where workers find `strip`
    system = pl.compile(strip(), elements=4)
    rest, mine = pl.statics(system), os.getpid()

    def bent(load: float, length: float) -> pl.Result:
        if os.getpid() != mine:
            cache._claim = None  # type: ignore[assignment]
        if length == 0.5:
            return pl.statics(system.with_signals({"load/y": load}), start=rest)
        return pl.statics(pl.compile(strip(load, length), elements=4))

    over = {"load": np.linspace(-2.0, 0.0, 5), "length": [0.4, 0.5]}
    one = run_here(bent, over=over, keep=[TIP])
    two = pl.study(bent, over=over, keep=[TIP], workers=2, out=tmp_path / "a.zarr")
    assert two.data.identical(one.data)
    raw = xr.open_zarr(tmp_path / "a.zarr", consolidated=False)
    assert raw.sizes["run"] == 10
    assert raw["position_strip_tip_y"].attrs["name"] == TIP


def test_functions_of_results_keep_arrays_with_labels() -> None:
    times = np.linspace(0.0, 0.1, 5)
    fall = partial(pl.transient, end_time=0.1, step=5e-4, times=times)
    keep = {"tip": lambda run: run.position.sel(marker="strip/tip", axis="y"), "last": lambda run: run.angle[-1, 0]}
    found = run_here(pl.compile(strip(), elements=2), over={"load/y": [-1.0, -0.5]}, analysis=fall, keep=keep)
    assert found.tip.dims == ("load/y", "time")
    assert np.array_equal(found.time, times)
    assert found.tip.attrs["units"] == "m"


def test_a_run_whose_instants_differ_is_refused() -> None:
    def released(step: float) -> pl.Result:
        return pl.transient(pl.compile(strip(-1.0), elements=2), end_time=0.1, step=step)

    keep = {"tip": lambda run: run.position.sel(marker="strip/tip", axis="y")}
    found = run_here(released, over={"step": [5e-4, 1e-3]}, keep=keep)
    assert found.status.values.tolist() == [rows.OK, rows.FAILED]
    assert "an array of 101 and does not fit that of the first, an array of 201" in found.reason.values[1]


def test_unstable_and_other_branches_are_marked() -> None:
    def leaf(load: float) -> pl.Result:
        m = pl.Model("column")
        ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=STRIP, angle=90 * pl.DEG))
        m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=-load, name="load"))
        return pl.statics(pl.compile(m, elements=6))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = run_here(leaf, over={"load": [0.1, 2.0]}, keep=["angle:beam"])  # Euler's is 0.86 N
        alone = leaf(2.0)
    assert found.stable.values.tolist() == [1, int(bool(alone.outcome.stable))]
    assert found.other_branch.values.tolist() == [False, "Buckled" in alone.outcome.warnings]
    assert found.warnings.values.tolist() == ["", ", ".join(alone.outcome.warnings)]
    assert alone.outcome.warnings


def test_signals_and_analyses_that_are_missing_are_refused() -> None:
    with pytest.raises(OptionError, match=r"no signal and no parameter of the model\. Did you mean .*load/y"):
        run_here(strip(), over={"load/z": [1.0]}, analysis=pl.statics)
    with pytest.raises(OptionError, match="give an analysis"):
        run_here(strip(), over={"load/y": [1.0]})
    with pytest.raises(OptionError, match="function of a random generator"):
        run_here(strip(), over=pl.MonteCarlo(runs=2), analysis=pl.statics)
    with pytest.raises(OptionError, match="on='cloud': choose"):
        pl.study(strip(), over={"load/y": [1.0]}, analysis=pl.statics, on="cloud")


# --- runs that fail ------------------------------------------------------------------------------------------------


def hard(x: float) -> dict[str, float]:
    if x == 2.0:
        raise ConvergenceError("no solution at 2")
    if x == 3.0:
        raise ZeroDivisionError("by nothing")
    return {"y": x, "z": 1.0} if x == 4.0 else {"y": x}


def test_failed_runs_are_rows_with_their_reason() -> None:
    found = run_here(hard, over={"x": [1.0, 2.0, 3.0, 4.0, 5.0]})
    assert found.status.values.tolist() == [1, 3, 3, 3, 1]
    assert np.array_equal(found.y.values, [1.0, np.nan, np.nan, np.nan, 5.0], equal_nan=True)
    assert found.reason.values[1:3].tolist() == ["no solution at 2", "ZeroDivisionError: by nothing"]
    assert "this run returned y, z" in found.reason.values[3]
    assert not found.outcome.ok
    assert found.outcome.failed_runs == 3


def test_columns_are_those_of_the_first_run_that_tells_anything() -> None:
    """Also where the first ones fail, and whoever is quicker."""
    found = pl.study(hard, over=[{"x": x} for x in (2.0, 2.0, 4.0, 1.0, 4.0)], on="threads", workers=3)
    assert found.status.values.tolist() == [3, 3, 1, 3, 1]
    none = run_here(hard, over=[{"x": 2.0}] * 7)
    assert none.outcome.message.startswith("7 of 7 runs computed, 7 failed")


def test_a_mistake_in_the_first_run_is_raised_and_leaves_no_store(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="first run failed: ZeroDivisionError: by nothing"):
        run_here(hard, over={"x": [3.0, 1.0]}, out=tmp_path / "a.zarr")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(OptionError, match="'x', a name that the study itself uses"):
        run_here(lambda x: {"x": x}, over={"x": [3.0, 1.0]})
    with pytest.raises(OptionError, match="it must give a Result"):
        run_here(strip, over={"load": [0.0]})


def test_a_run_that_kills_its_workers_is_a_failed_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pliant.studies.study.DEATHS", 2)

    def deadly(x: float) -> dict[str, float]:
        if x == 3.0:
            import os

            os._exit(7)
        return {"y": x}

    found = pl.study(deadly, over={"x": np.arange(8.0)}, workers=1, out=tmp_path / "a.zarr")
    assert found.status.values.tolist() == [1, 1, 1, 3, 1, 1, 1, 1]
    assert "the worker died: its worker ended with 7" in found.reason.values[3]
    with pytest.raises(OptionError, match="first run failed: the worker died"):
        pl.study(deadly, over={"x": [3.0, 4.0]}, workers=1)


# --- stores --------------------------------------------------------------------------------------------------------


def test_resuming_computes_what_is_missing_only(tmp_path: Path) -> None:
    calls: list[float] = []
    interrupts = iter([KeyboardInterrupt])

    def double(x: float) -> dict[str, float]:
        if x == 3.0 and (interrupt := next(interrupts, None)) is not None:
            raise interrupt
        calls.append(x)
        return {"y": 2.0 * x}

    options: dict[str, Any] = {"over": {"x": np.arange(6.0)}, "out": tmp_path / "a.zarr"}
    with pytest.raises(KeyboardInterrupt) as stopped:
        run_here(double, **options)
    half: Any = stopped.value.result  # type: ignore[attr-defined]
    assert half.outcome.ok is False
    assert half.outcome.waiting <= 3  # the thread may have done the next one by then
    with pytest.raises(FileError, match="resume=True"):
        run_here(double, **options)
    found = run_here(double, **options, resume=True)
    assert sorted(calls) == np.arange(6.0).tolist()
    assert found.y.values.tolist() == (2.0 * np.arange(6.0)).tolist()
    run_here(double, **options, resume=True)
    assert len(calls) == 6
    assert [path.name for path in tmp_path.iterdir()] == ["a.zarr"]


class Killed(BaseException):
    """An end of the process, imitated."""


def test_a_kill_at_any_write_loses_and_repeats_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Writes of arrays are counted; at the k-th the study ends, before it or behind it, for every k."""
    import zarr

    from pliant.studies import study as engine
    from pliant.studies.store import Store

    for name, value in (("AHEAD", 1), ("LARGEST", 1)):  # every run is written by itself
        monkeypatch.setattr(engine, name, value)
    monkeypatch.setattr(Store, "interval", 0.0)
    write, budget, calls = zarr.Array.__setitem__, [10**9], [0]

    def limited(array: Any, place: Any, value: Any) -> None:
        budget[0] -= 1
        if budget[0] == 0:
            raise Killed
        write(array, place, value)

    def trial(x: float) -> dict[str, Any]:
        calls[0] += 1
        if x == 1.0:
            raise ConvergenceError("here none")
        return {"y": 2.0 * x, "word": f"{x}", "course": x * np.arange(3.0)}

    monkeypatch.setattr(zarr.Array, "__setitem__", limited)
    options: dict[str, Any] = {"over": {"x": np.arange(4.0)}, "resume": True}
    run_here(trial, **options, out=tmp_path / "whole.zarr")
    writes, whole = 10**9 - budget[0], contents(tmp_path / "whole.zarr")
    assert writes > 30
    for k in range(1, writes + 1, 3):
        calls[0], budget[0] = 0, k
        with pytest.raises(Killed):
            run_here(trial, **options, out=tmp_path / f"{k}.zarr")
        budget[0] = 10**9
        run_here(trial, **options, out=tmp_path / f"{k}.zarr")
        assert contents(tmp_path / f"{k}.zarr") == whole
        assert calls[0] == 4


def test_another_study_is_not_resumed(tmp_path: Path) -> None:
    path = tmp_path / "a.zarr"
    run_here(strip(), over={"load/y": [-1.0, 0.0]}, analysis=pl.statics, keep=[TIP], out=path)
    same = {"analysis": pl.statics, "keep": [TIP], "out": path, "resume": True}
    with pytest.raises(FileError, match=r"its values of 'load/y' are others"):
        run_here(strip(), over={"load/y": [-1.0, 0.5]}, **same)
    with pytest.raises(FileError, match="its keep is"):
        run_here(strip(), over={"load/y": [-1.0, 0.0]}, **(same | {"keep": ["angle:strip"]}))
    with pytest.raises(FileError, match="its model is"):
        run_here(strip(length=0.6), over={"load/y": [-1.0, 0.0]}, **same)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "precious.txt").write_text("x")
    with pytest.raises(FileError, match="not a study"):
        run_here(strip(), over={"load/y": [-1.0]}, **(same | {"out": tmp_path / "own"}))
    assert (tmp_path / "own" / "precious.txt").exists()
    assert pl.open_study(path).outcome.ok


def test_a_store_has_one_writer(tmp_path: Path) -> None:
    def nested(x: float) -> dict[str, float]:
        with pytest.raises(FileError, match="another study is writing"):
            run_here(nested, over={"x": [1.0]}, out=tmp_path / "a.zarr", resume=True)
        return {"y": pl.open_study(tmp_path / "a.zarr").outcome.waiting}  # readable meanwhile

    assert run_here(nested, over={"x": [1.0, 2.0]}, out=tmp_path / "a.zarr").y.values.tolist() == [2.0, 1.0]


def test_rows_keep_their_bits() -> None:
    values, head = rows.encoded({"a": 0.1 + 0.2, "b": np.pi * np.arange(3.0), "c": "word\n", "n": np.nan}, {})
    row = rows.Row(3, rows.OK, values=values, head=head)
    (again,) = rows.read(rows.line(row) + b'{"run": 4, "sta')
    assert again.head == head
    assert again.values["a"] == 0.1 + 0.2
    assert np.array_equal(again.values["b"].numbers, np.pi * np.arange(3.0))  # type: ignore[union-attr]
    assert again.values["c"] == "word\n"


def test_many_runs_of_a_stub(tmp_path: Path) -> None:
    """10,000 here; a million by ``python -m tests.soak.studies``."""
    count = 10_000
    found = pl.study(lambda x: x, over=pl.Random({"x": (0.0, 1.0)}, runs=count), out=tmp_path / "a.zarr", on="threads")
    assert np.array_equal(found.value, found.data["x"])
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) < 40


# --- refinement ------------------------------------------------------------------------------------------------------


def circle(x: float, y: float) -> dict[str, Any]:
    if x > 1.9:
        raise ConvergenceError("too far")
    return {"inside": x * x + y * y < 1.0}


def test_refinement_finds_a_border_and_leaves_the_rest_alone(tmp_path: Path) -> None:
    over = pl.Refined({"x": np.linspace(0.0, 2.0, 5), "y": np.linspace(0.0, 2.0, 5)}, by="inside", levels=4)
    found = run_here(circle, over=over, out=tmp_path / "a.zarr")
    x, y, inside = found.data["x"].values, found.data["y"].values, found.inside.values
    fine = 0.5 / 2**4
    for angle in np.linspace(0.05, 0.5 * np.pi - 0.05, 40):  # everywhere along the circle both sides are near
        away = np.hypot(x - np.cos(angle), y - np.sin(angle))
        assert away[inside == 1.0].min() < 2.0 * fine
        assert away[inside == 0.0].min() < 2.0 * fine
    assert found.outcome.runs < 0.35 * 65 * 65
    assert np.unique(np.stack([x, y]), axis=1).shape[1] == x.size  # no point twice
    again = run_here(circle, over=over, out=tmp_path / "a.zarr", resume=True)
    assert again.data.identical(found.data)


def test_refinement_bisects_the_border_of_what_fails() -> None:
    """The quarters of bisection towards 1.3; runs that fail are alike, and unlike those that do not."""

    def beyond(x: float) -> dict[str, float]:
        if x < 1.3:
            raise ConvergenceError("too near")
        return {"side": 1.0}

    found = run_here(beyond, over=pl.Refined({"x": [0.0, 1.0, 2.0]}, by="side", levels=4))
    assert sorted(found.data["x"].values.tolist()) == [0.0, 1.0, 1.25, 1.3125, 1.375, 1.5, 2.0]


def test_a_run_that_is_told_twice_counts_once() -> None:
    """A worker that was thought dead may still report a run that another has computed again."""
    ledger = Ledger(2)
    ledger.begin({"x": np.array([0.0, 1.0])})
    for value in (1.0, 2.0):
        values, head = rows.encoded({"y": value}, {})
        ledger.enter([rows.Row(0, rows.OK, values=values, head=head)])
        ledger.flush()
    np.testing.assert_array_equal(ledger.arrays["y"], [1.0, np.nan])


def test_refinement_ends_at_the_runs_allowed_and_goes_by_jumps() -> None:
    snapping = lambda x: {"angle_of": x if x < 0.7 else x + 1.0}  # noqa: E731
    found = run_here(snapping, over=pl.Refined({"x": [0.0, 0.5, 1.0]}, by="angle_of", jump=0.6, levels=3, runs=100))
    assert sorted(found.data["x"].values.tolist()) == [0.0, 0.5, 0.625, 0.6875, 0.75, 1.0]
    few = run_here(snapping, over=pl.Refined({"x": [0.0, 0.5, 1.0]}, by="angle_of", jump=0.6, levels=9, runs=5))
    assert few.outcome.runs == 5
    with pytest.raises(OptionError, match="by='angel': the runs return angle_of"):
        run_here(snapping, over=pl.Refined({"x": [0.0, 1.0]}, by="angel"))
    with pytest.raises(OptionError, match="numbers that increase"):
        pl.Refined({"x": [1.0, 0.0]})


def test_a_job_needs_no_workers_and_no_extra() -> None:
    """A study needs neither zarr nor dask in memory and in threads."""
    program = (
        "import sys\nfor name in ('zarr', 'distributed', 'dask', 'cloudpickle'): sys.modules[name] = None\n"
        "import pliant as pl\nprint(pl.study(lambda x: {'y': x}, over={'x': [1.0, 2.0]}, on='threads').outcome.ok)\n"
        "try: pl.study(lambda x: {'y': x}, over={'x': [1.0]}, out='a.zarr', on='threads')\n"
        "except pl.errors.OptionError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[0] == "True"
    assert "pip install pliant[study]" in done.stdout
    assert Job(float, keep=()).row(0, {}).status == rows.OK


def test_signals_that_are_varied_have_their_units(tmp_path: Path) -> None:
    over = {"load/x": [-1.0, 0.0], "load/y": [-2.0, 0.0]}
    for out in (None, tmp_path / "strip.zarr"):
        found = pl.study(strip(), over=over, analysis=pl.statics, keep=[TIP], on="threads", out=out)
        assert [found.data[name].attrs["units"] for name in over] == ["N", "N"]
    assert pl.plot_map(found, TIP).get_xlabel() == "load/x [N]"


def test_a_page_shows_how_far_a_study_is(tmp_path: Path) -> None:
    """Made anew as runs arrive; a browser loads it again until all are there."""
    page, versions = pl.StudyPage(tmp_path / "progress.html", every=0.0), list[str]()

    def look(so_far: pl.Result) -> None:
        page(so_far)
        versions.append(page.path.read_text())

    def root(x: float) -> dict[str, float]:
        if x < 0.0:
            raise ValueError("no <b>root</b>")
        return {"root": x**0.5}

    pl.study(root, over={"x": [4.0, -1.0, -2.0, -3.0, 9.0, 16.0]}, on="threads", watch=look)
    assert "1 of 6 runs" in versions[0]
    assert "http-equiv='refresh'" in versions[0]
    assert "6 of 6 runs" in versions[-1]
    assert "http-equiv='refresh'" not in versions[-1]
    assert "no &lt;b&gt;root&lt;/b&gt;</td><td>3</td>" in versions[-1]
    assert "<td>2</td><td>3</td><td>4</td>" in versions[-1]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["progress.html"]
    with pytest.raises(OptionError, match="does not exist"):
        pl.StudyPage(tmp_path / "nowhere" / "progress.html")
