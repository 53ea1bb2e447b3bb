"""Measurements: files of laboratories, units, time, gaps, frames; what is wrong is named with what to try."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import pliant as pl
from pliant.errors import DoubtfulUnits, FileError, OptionError
from pliant_fit.measurements.agreement import fit
from pliant_fit.measurements.alignment import delay, moved_by, rigid
from pliant_fit.measurements.tables import read_columns
from pliant_gallery import pendulum

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


def columns(run: pl.Result, **changed: np.ndarray) -> dict[str, np.ndarray]:
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


SHEET = """<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>
<row r="1"><c r="A1" t="s"><v>0</v></c></row>
<row r="3"><c r="A3" t="s"><v>1</v></c><c r="B3" t="inlineStr"><is><t>q [deg]</t></is></c></row>
<row r="4"><c r="A4"><v>0</v></c><c r="B4"><f>A4*2</f><v>1.5</v></c></row>
<row r="5"><c r="A5"><v>0.1</v></c><c r="B5" t="e"><v>#N/A</v></c></row>
<row r="6"><c r="A6"><v>0.2</v></c></row>
<row r="7"><c r="A7"><v>0.3</v></c><c r="B7"><v>-4.5E-1</v></c></row></sheetData></worksheet>"""


def workbook(folder: Path, sheet: str = SHEET) -> Path:
    """Write a workbook as Excel does: the sheet, texts apart, and who is who."""
    from zipfile import ZipFile

    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    link = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    with ZipFile(folder / "bench.xlsx", "w") as book:
        book.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{main}" xmlns:r="{link}"><sheets><sheet name="a" r:id="rId7"/></sheets></workbook>',
        )
        book.writestr("xl/_rels/workbook.xml.rels", '<R><R Id="rId7" Target="worksheets/sheet1.xml"/></R>')
        book.writestr(
            "xl/sharedStrings.xml",
            f'<sst xmlns="{main}"><si><t>our bench</t></si><si><r><t>t </t></r><r><t>[s]</t></r></si></sst>',
        )
        book.writestr("xl/worksheets/sheet1.xml", sheet)
    return folder / "bench.xlsx"


def test_spreadsheets(tmp_path: Path) -> None:
    found = pl.Measurement(workbook(tmp_path), {"angle:arm": "q"}, time="t")
    assert found.x.tolist() == [0.0, 0.1, 0.2, 0.3]
    assert np.degrees(found.values["angle:arm"])[[0, 3]] == pytest.approx([1.5, -0.45])
    assert "2 of 4 values are missing" in found.notes[0]
    with pytest.raises(FileError, match="cannot be read as a spreadsheet"):
        pl.Measurement(written(tmp_path, "a.xlsx", "no archive"), {"angle:arm": "q"})


def c3d(folder: Path, *, order: str = "<", scale: float = -1.0, frames: int = 3) -> Path:
    """Write two points, an analog channel with two samples a frame; the second point is lost in the second frame."""
    import struct

    def parameter(name: str, kind: int, sizes: list[int], data: bytes) -> bytes:
        body = struct.pack("bB", kind, len(sizes)) + bytes(sizes) + data + b"\0"
        return struct.pack("bb", len(name), 1) + name.encode() + struct.pack(f"{order}H", 2 + len(body)) + body

    header = struct.pack(f"{order}HHHHHfHHf", 2, 2, 11, 10 + frames, 10, scale, 3, 2, 100.0)
    block = bytes([2, 0x50]) + header
    known = bytes([1, 0x50, 1, 84 if order == "<" else 86])
    known += struct.pack("bb", 5, -1) + b"POINT" + struct.pack(f"{order}H", 3) + b"\0"
    known += parameter("LABELS", -1, [4, 2], b"tip hip ") + parameter("UNITS", -1, [2], b"mm")
    known += parameter("RATE", 4, [], struct.pack(f"{order}f", 100.0)) + b"\0\0"
    kind = "f" if scale < 0.0 else "h"
    size = 1.0 if scale < 0.0 else scale
    data = b""
    for k in range(3):
        points = [[1.0 + k, 2.0, 3.0, 0.0], [4.0, 5.0 - k, 6.0, -1.0 if k == 1 else 0.0]]
        row = [x / size if i < 3 else x for point in points for i, x in enumerate(point)]
        data += struct.pack(f"{order}10{kind}", *(x if kind == "f" else round(x) for x in (*row, 7.0, 8.0)))
    path = folder / "walk.c3d"
    path.write_bytes(block.ljust(512, b"\0") + known.ljust(512, b"\0") + data)
    return path


@pytest.mark.parametrize(("order", "scale"), [("<", -1.0), (">", -1.0), ("<", 0.5)])
def test_binary_motion_capture(tmp_path: Path, order: str, scale: float) -> None:
    wanted = {"position:leaf/tip:x": "tip:x", "position:hip(0, 0):y": "hip:y"}
    found = pl.Measurement(c3d(tmp_path, order=order, scale=scale), wanted, time="Time")
    assert found.x == pytest.approx([0.10, 0.11, 0.12])  # its first frame is number 11
    assert found.values["position:leaf/tip:x"] == pytest.approx([1e-3, 2e-3, 3e-3])
    assert found.values["position:hip(0, 0):y"] == pytest.approx([5e-3, np.nan, 3e-3], nan_ok=True)


def test_damaged_motion_capture_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="5 frames are announced, 3 are there"):
        pl.Measurement(c3d(tmp_path, frames=5), {"position:a:x": "tip:x"})
    whole = c3d(tmp_path).read_bytes()
    for content in (b"text", whole[:520], whole[:1] + b"X" + whole[2:], whole[:515] + bytes([85]) + whole[516:]):
        (tmp_path / "bad.c3d").write_bytes(content)
        with pytest.raises(FileError, match=r"bad\.c3d"):
            pl.Measurement(tmp_path / "bad.c3d", {"position:a:x": "tip:x"})


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
        (
            {"t": [0.0, 0.1], "q": [1, 2]},
            {"time": "t", "offset": ["angle:x"]},
            "'angle:x' is not one of its quantities",
        ),
        ({"t": [0.0, 0.1], "q": [[1, 2]]}, {"time": "t"}, "has the shape (1, 2)"),
        ({"t": [0.0, 0.1], "q": [1, 2]}, {"time": "t", "rows": [5]}, "it has 2 rows"),
        ({"t": [0.0, 0.1], "q": [1, 2]}, {"time": "t", "shift": "auto"}, "shift='auto'"),
    ],
)
def test_what_is_wrong_is_named(source: dict[str, list[float]], options: dict[str, object], told: str) -> None:
    with pytest.raises((OptionError, FileError)) as refused:
        pl.Measurement(source, {ANGLE: "q"}, **options)
    assert told in str(refused.value)


def test_infinite_values_are_not_missing_ones() -> None:
    with pytest.raises(OptionError, match="'q' is infinite in row 2"):
        pl.Measurement({"t": [0.0, 0.1], "q": [1.0, np.inf]}, {ANGLE: "q"}, time="t")


def test_columns_that_nobody_mapped_are_asked_for() -> None:
    with pytest.raises(OptionError, match="Say which is which"):
        pl.Measurement({"t": [0.0, 1.0], "q": [1.0, 2.0]}, time="t")


def test_degrees_and_millimetres_that_nobody_told_are_doubted(swing: pl.Result) -> None:
    degrees = columns(swing, q=np.degrees(swing.angle.sel(body="bob 1").values))
    with pytest.raises(OptionError, match="seems to be in deg"):
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
    found = pl.Measurement(columns(swing), {ANGLE: "q"}, time="t", units={"q": "N"})
    with pytest.raises(OptionError, match="was measured in N, but its unit is rad"):
        found.against(swing)


def test_unknown_quantities_are_answered_with_the_nearest(swing: pl.Result) -> None:
    with pytest.raises(OptionError, match="Did you mean angle:bob 1"):
        pl.Measurement(columns(swing), {"angle:bob1": "q"}, time="t").against(swing)


def test_figures_of_an_agreement(swing: pl.Result) -> None:
    noise = 0.01 * np.random.default_rng(1).standard_normal(swing.time.size)
    q = swing.angle.sel(body="bob 1").values
    found = pl.Measurement(columns(swing, q=q - 0.2 + noise), {ANGLE: "q"}, time="t").against(swing).row(ANGLE)
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
    moved = moved_by(0.7 * rng.standard_normal(3 if dimensions == 2 else 6), dimensions)
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
