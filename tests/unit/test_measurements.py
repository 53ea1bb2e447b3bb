"""Measurements: files of laboratories, units, time, gaps, frames; what is wrong is named with what to try."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import pliant as pl
from pliant.errors import DoubtfulUnits, FileError, OptionError
from pliant.gallery import pendulum
from pliant.measurements.agreement import fit
from pliant.measurements.alignment import delay, rigid, small_motion
from pliant.measurements.tables import read_columns

ANGLE = "angle:bob 1"
TRC = """PathFileType\t4\t(X/Y/Z)\twalk.trc
DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits
100\t100\t2\t2\tmm
Frame#\tTime\ttip\t\t\tbase\t\t
\t\tX1\tY1\tZ1\tX2\tY2\tZ2
1\t0.00\t1\t2\t3\t4\t5\t6
2\t0.01\t1.5\t\t3\t4\t5\t6
"""
REQUEST = """<html><body><h1>Last_Run</h1><table><tr><th>Time (sec)</th><th>TIP.Y (mm)</th></tr>
<tr><td>0.0</td><td>0.0</td></tr><tr><td>0.1</td><td>-4.905E+001</td></tr></table></body></html>"""


@pytest.fixture(scope="module")
def swing() -> pl.Result:
    return pl.transient(pl.compile(pendulum.model(angle=0.0)), end_time=1.0, step=2e-3)


def seen(run: pl.Result, **changed: np.ndarray) -> dict[str, np.ndarray]:
    return {"t": run.time.values, "q": run.angle.sel(body="bob 1").values} | changed


def written(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text)
    return folder / name


def test_motion_capture(tmp_path: Path) -> None:
    file = written(tmp_path, "walk.trc", TRC)
    found = pl.Measurement(file, {"position:arm/tip:y": "tip:y"}, time="Time")
    assert found.values["position:arm/tip:y"] == pytest.approx([2e-3, np.nan], nan_ok=True)
    assert found.notes == ("position:arm/tip:y: 1 of 2 values are missing, and left out",)


def test_a_page_of_requests_of_adams(tmp_path: Path) -> None:
    found = pl.Measurement(written(tmp_path, "run.htm", REQUEST), {"position:arm/tip:y": "TIP.Y"}, time="Time")
    assert found.values["position:arm/tip:y"] == pytest.approx([0.0, -0.04905])
    assert found.x == pytest.approx([0.0, 0.1])


def test_lists_of_points_are_poses(tmp_path: Path) -> None:
    file = written(tmp_path, "poses.xyz", "# mm\np1 1 2 3\np2 4 5 6\np1 7 8 9\np2 1 1 1\n")
    assert read_columns(file)["p2:z"].tolist() == [6.0, 1.0]
    found = pl.Measurement(file, {"position:p1:x": "p1:x"}, units={"p1:x": "mm"})
    assert found.values["position:p1:x"] == pytest.approx([1e-3, 7e-3])


def test_netcdf_with_its_units(tmp_path: Path) -> None:
    data = xr.Dataset({"y": ("t", [1.0, 2.0], {"units": "mm"}), "t": ("t", [0.0, 0.1], {"units": "s"})})
    data.to_netcdf(tmp_path / "a.nc", engine="scipy")
    found = pl.Measurement(tmp_path / "a.nc", {"position:arm/tip:y": "y"}, time="t")
    assert found.values["position:arm/tip:y"] == pytest.approx([1e-3, 2e-3])


def test_a_spreadsheet_is_read_or_refused_with_what_to_do(tmp_path: Path) -> None:
    try:
        import openpyxl  # noqa: F401
    except ImportError:
        with pytest.raises(FileError, match=r"save the sheet as \.csv"):
            pl.Measurement(written(tmp_path, "a.xlsx", ""), {"angle:arm": "q"})


def test_empty_cells_are_gaps(tmp_path: Path) -> None:
    file = written(tmp_path, "a.csv", "t,q\n0,1\n0.1,\n0.2,NaN\n0.3,4\n")
    found = pl.Measurement(file, {ANGLE: "q"}, time="t")
    assert np.isnan(found.values[ANGLE]).tolist() == [False, True, True, False]


def test_gaps_in_time_are_told() -> None:
    found = pl.Measurement({"t": [0.0, 0.1, 0.2, 0.9, 1.0], "q": np.ones(5)}, {ANGLE: "q"}, time="t")
    assert found.notes == ("1 gaps in time, the longest from 0.2 to 0.9 s",)


@pytest.mark.parametrize(
    ("source", "options", "told"),
    [
        ({"t": [0.0, 0.2, 0.1], "q": [1, 2, 3]}, {"time": "t"}, "from 0.2 to 0.1, rows 2 and 3. Sort the rows"),
        ({"t": [0.0, 0.1, 0.0], "q": [1, 2, 3]}, {"time": "t"}, "several recordings? Take one, rows=slice(0, 2)"),
        ({"t": [0.0, np.nan, 1.0], "q": [1, 2, 3]}, {"time": "t"}, "time is missing in row 2"),
        ({"t": [0.0, 0.1], "q": [np.nan, np.nan]}, {"time": "t"}, "has no value: all 2 are missing"),
        ({"t": [0.0, 0.1], "q": [1, 2]}, {"time": "T0"}, "there is no column 'T0'"),
        ({"t": [0.0, 0.1], "q": [1, 2]}, {"time": "t", "units": {"q": "furlong"}}, "'furlong', which is not known"),
        ({"t [mm]": [0.0, 0.1], "q": [1, 2]}, {"time": "t"}, "is in mm, not in s"),
        ({"t": [0.0, 0.1, 0.2], "q": [1, 2]}, {"time": "t"}, "not equally long (t: 3, q: 2)"),
        ({"q": [1, 2]}, {"begin": {"load/y": 1.0}}, "begin is of a motion"),
        ({"f": [1, 2], "q": [1, 2]}, {"frequency": "f"}, "drive=, a signal"),
        ({"t": [0.0, 0.1], "q": [1, 2]}, {"time": "t", "error": -1.0}, "error=-1.0 of angle:bob 1"),
        ({"t": [0.0, 0.1], "q": [0, 2]}, {"time": "t", "error": "2 %"}, "is 0 in row 1"),
        ({"t": [0.0, 0.1], "q": [1, 2]}, {"time": "t", "offset": ["angle:x"]}, "'angle:x' is none of its quantities"),
        ({"t": [0.0, 0.1], "q": [[1, 2]]}, {"time": "t"}, "has the shape (1, 2)"),
        ({"t": [0.0, 0.1], "q": [1, 2]}, {"time": "t", "rows": [5]}, "it has 2 rows"),
        ({"t": [0.0, 0.1], "q": [1, 2]}, {"time": "t", "shift": "auto"}, "shift='auto'"),
    ],
)
def test_what_is_wrong_is_named(source: dict[str, list[float]], options: dict[str, object], told: str) -> None:
    with pytest.raises((OptionError, FileError)) as refused:
        pl.Measurement(source, {ANGLE: "q"}, **options)
    assert told in str(refused.value)


def test_columns_that_nobody_mapped_are_asked_for() -> None:
    with pytest.raises(OptionError, match="Say which is which"):
        pl.Measurement({"t": [0.0, 1.0], "q": [1.0, 2.0]}, time="t")


def test_degrees_and_millimetres_that_nobody_told_are_doubted(swing: pl.Result) -> None:
    degrees = seen(swing, q=np.degrees(swing.angle.sel(body="bob 1").values))
    with pytest.raises(OptionError, match="looks as if it were in deg"):
        pl.Measurement(degrees, {ANGLE: "q"}, time="t").against(swing)
    found = pl.Measurement(degrees, {ANGLE: "q"}, time="t", units={"q": "deg"}).against(swing)
    assert found.rms[ANGLE] < 1e-12
    place = swing.position.sel(marker=swing.position.marker.values[0], axis="y").values
    name = f"position:{swing.position.marker.values[0]}:y"
    if np.ptp(place) > 0.0:
        with pytest.raises(OptionError, match="in mm"):
            pl.Measurement({"t": swing.time.values, "y": 1e3 * place}, {name: "y"}, time="t").against(swing)
    with pytest.warns(DoubtfulUnits):
        pl.Measurement(degrees, {ANGLE: "q"}, time="t", units={"q": "rad"}).against(swing)


def test_units_of_something_else_are_refused(swing: pl.Result) -> None:
    found = pl.Measurement(seen(swing), {ANGLE: "q"}, time="t", units={"q": "N"})
    with pytest.raises(OptionError, match="was measured in N, and is in rad"):
        found.against(swing)


def test_unknown_quantities_are_answered_with_the_nearest(swing: pl.Result) -> None:
    with pytest.raises(OptionError, match="Did you mean angle:bob 1"):
        pl.Measurement(seen(swing), {"angle:bob1": "q"}, time="t").against(swing)


def test_figures_of_an_agreement(swing: pl.Result) -> None:
    noise = 0.01 * np.random.default_rng(1).standard_normal(swing.time.size)
    q = swing.angle.sel(body="bob 1").values
    found = pl.Measurement(seen(swing, q=q - 0.2 + noise), {ANGLE: "q"}, time="t").against(swing).row(ANGLE)
    assert found.bias == pytest.approx(0.2, abs=1e-3)
    assert found.rms == pytest.approx(np.hypot(0.2, 0.01), rel=0.01)
    assert abs(found.peak) == pytest.approx(np.max(np.abs(0.2 - noise)), rel=1e-9)
    assert abs(found.delay) < 1e-3
    assert found.coherence > 0.99


def test_noise_has_no_coherence() -> None:
    rng = np.random.default_rng(2)
    t = np.linspace(0.0, 1.0, 512)
    found = fit("angle:x", "rad", t, rng.standard_normal(512), rng.standard_normal(512), moving=True)
    assert found.coherence < 0.4


@pytest.mark.parametrize("late", [-0.21, 0.0, 0.137])
def test_delays_are_found(late: float) -> None:
    t = np.linspace(0.0, 3.0, 700)
    course = lambda s: np.where(s > 0, np.exp(-s) * np.sin(11 * s), 0.0)  # noqa: E731
    assert delay(t, course(t - late), t, course(t)) == pytest.approx(late, abs=2e-3)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_frames_are_found(dimensions: int) -> None:
    rng = np.random.default_rng(3)
    points = rng.standard_normal((7, dimensions))
    moved = small_motion(0.7 * rng.standard_normal(3 if dimensions == 2 else 6), dimensions)
    there = points @ moved[:-1, :-1].T + moved[:-1, -1]
    there[2] = np.nan
    assert rigid(points, there) == pytest.approx(moved, abs=1e-12)


def test_a_path_is_compared_along_its_signal() -> None:
    m = pl.Model("strip")
    strip = pl.Section.rectangle(0.02, 2e-3, pl.STEEL)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=strip))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=0.0, name="load"))
    path = pl.path(pl.compile(m, elements=4), "load/y", to=-2.0)
    name = "position:beam/tip:y"
    middle = float(np.interp(1.0, -path.parameter.values, path.position.sel(marker="beam/tip", axis="y").values))
    found = pl.Measurement({"F": [-1.0], "y": [middle]}, {name: "y"}, signals={"load/y": "F"}).against(path)
    assert found.rms[name] < 2e-5
