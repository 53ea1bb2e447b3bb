"""Tables of other programs: read as they are written, refused by line where they are damaged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.io

import pliant as pl
from pliant.errors import FileError, OptionError
from pliant_compare.courses import Course
from pliant_compare.other_programs import Other, read_other
from pliant_fit.measurements.tables import read_columns
from pliant_gallery import pendulum

ADAMS = """Adams/View model name: MODEL_1
Analysis: Last_Run

Time (sec)\tTIP.Y (mm)\tCRANK (deg)
0.0\t0.0\t90.0
1.0E-001\t-4.905E+001\t45.0
2.0E-001\t-1.962E+002\t0.0
"""
EXUDYN = """#Exudyn implicit second order time integration sensor output file
#measure Node number = 0
#OutputVariableType = Position
#columns contain: time, comma separated sensor values (e.g, x,y,z position coordinates)
#number of sensor values = 3
#
0,1,0,0
0.1,1,-0.04905,0
0.2,1,-0.1962,0
"""
TIP = "position:arm/tip:y"


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_a_table_of_adams(tmp_path: Path) -> None:
    file = written(tmp_path, "run.tab", ADAMS)
    other = read_other(file, f"time=Time,{TIP}=TIP.Y,angle:crank=3")
    assert other.courses[TIP].values == pytest.approx([0.0, -0.04905, -0.1962])  # mm became m
    assert other.courses["angle:crank"].values == pytest.approx([np.pi / 2, np.pi / 4, 0.0])
    assert other.courses[TIP].x == pytest.approx([0.0, 0.1, 0.2])


def test_columns_by_spaces(tmp_path: Path) -> None:
    file = written(tmp_path, "run.txt", "a title of some words\n TIME   TIP_Y\n 0.0   0.0\n 0.1  -4.9\n")
    assert read_other(file, f"time=TIME,{TIP}=TIP_Y*1e-3").courses[TIP].values == pytest.approx([0.0, -0.0049])


def test_a_sensor_of_exudyn(tmp_path: Path) -> None:
    """A table of Exudyn 1.13 is read: columns have no names."""
    other = read_other(written(tmp_path, "tip.txt", EXUDYN), f"time=1,{TIP}=3")
    assert other.courses[TIP].values == pytest.approx([0.0, -0.04905, -0.1962])


def test_a_csv_file_with_semicolons_and_decimal_commas(tmp_path: Path) -> None:
    columns = read_columns(written(tmp_path, "a.csv", "time;tip\n0,0;1,5\n0,1;2,5\n"))
    assert columns["tip"].tolist() == [1.5, 2.5]


def test_a_file_of_matlab(tmp_path: Path) -> None:
    path = tmp_path / "a.mat"
    scipy.io.savemat(path, {"t": np.array([0.0, 0.1]), "q": np.array([[1.0, 2.0], [3.0, 4.0]]), "note": "words"})
    assert read_other(path, f"time=t,{TIP}=q[2]").courses[TIP].values.tolist() == [2.0, 4.0]


def test_our_own_csv_files_need_no_columns(tmp_path: Path) -> None:
    run = pl.transient(pl.compile(pendulum.model(angle=0.0)), end_time=0.05, step=1e-2)
    other = read_other(pl.export(run, tmp_path / "run.csv"))
    assert other.courses["angle:bob 1"].values == pytest.approx(run.angle.values[:, 0], abs=1e-15)
    found = pl.compare_results({"ours": run, "theirs": other}, tolerance=1e-12)
    assert found.ok
    assert len(found.rows) > 3


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.csv", "time,y\n0,1\n0.1,oops\n", "line 3, column 2: 'oops' is no number"),
        ("a.csv", "time,y\n0,1\n0.1\n", "row 2 of the numbers has 1 columns, the first has 2"),
        ("a.csv", "time,y\n0,1\n0.1,inf\n", "line 3, column 2: inf is not finite"),
        ("a.csv", "time,y\n0,1\n0.1,nan\n", "y has no values"),
        ("a.csv", "time,y\n0,1\n0.2,2\n0.1,3\n", "does not increase from 0.2 to 0.1, rows 2 and 3"),
        ("a.csv", "time,y\n0,1\n", "two or more are needed"),
        ("a.csv", "time,time\n0,1\n", "several columns are called 'time'"),
        ("a.csv", "words\nwithout numbers\n", "no line begins with a number"),
        ("a.csv", "", "no line begins with a number"),
        ("a.csv", "time\n0\n1\n", "nothing along it"),
        ("a.doc", "", "a table is a file .csv"),
        ("a.mat", "no MATLAB file", "cannot be read as a MATLAB file"),
    ],
)
def test_damaged_files_are_refused_by_name(tmp_path: Path, name: str, text: str, told: str) -> None:
    with pytest.raises(FileError, match=r"a\.(csv|doc|mat)") as refused:
        read_other(written(tmp_path, name, text))
    assert told in str(refused.value)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"time,y\n\xff\xfe0,1\n")
    with pytest.raises(FileError, match="no text"):
        read_other(path)
    with pytest.raises(FileError, match="no such file"):
        read_other(tmp_path / "b.csv")


def test_columns_that_are_not_there_are_named(tmp_path: Path) -> None:
    file = written(tmp_path, "a.tab", ADAMS)
    with pytest.raises(OptionError, match=r"no column 'TIP\.Z'.*TIP\.Y"):
        read_other(file, f"time=1,{TIP}=TIP.Z")
    with pytest.raises(OptionError, match="which column is the time"):
        read_other(file, f"{TIP}=2")
    with pytest.raises(OptionError, match="write"):
        read_other(file, "time=1,,")


def test_units_and_names_that_are_not_ours_are_refused() -> None:
    x, ours = np.arange(3.0), Course("m", np.arange(3.0), np.arange(3.0))
    with pytest.raises(OptionError, match="is in furlong, ours in m"):
        Other("theirs", {TIP: Course("furlong", x, x)}).matched({TIP: ours})
    with pytest.raises(OptionError, match=r"none of its columns.*position:arm/tip:y"):
        Other("theirs", {"position:arm/tip": Course("", x, x)}).matched({TIP: ours})


def test_columns_without_heading_or_numbers_do_not_hide_the_others(tmp_path: Path) -> None:
    text = "measured by, somebody\ntime [s],,y [mm],force [N],\n0,,1,,\n0.1,,2,,\n0.2,7,,,\n"
    columns = read_columns(written(tmp_path, "a.csv", text), gaps=True)
    assert list(columns) == ["time [s]", "2", "y [mm]", "force [N]"]
    assert columns["y [mm]"][:2].tolist() == [1.0, 2.0]
    assert np.all(np.isnan(columns["force [N]"]))  # a column of which nothing was written is not one that is not there


def test_text_of_other_programs(tmp_path: Path) -> None:
    wide, western = tmp_path / "wide.csv", tmp_path / "western.csv"
    wide.write_bytes("time [s],y [µm]\n0,1\n1,2\n".encode("utf-16"))
    western.write_bytes("time [s],y [µm]\n0,1\n1,2\n".encode("cp1252"))
    assert list(read_columns(wide)) == ["time [s]", "y [µm]"]
    with pytest.raises(FileError, match="Save it as UTF-8"):
        read_columns(western)


def test_missing_cells_are_left_out_and_told(tmp_path: Path) -> None:
    other = read_other(written(tmp_path, "a.csv", "time,y\n0,1\n0.1,\n0.2,3\n0.3,NaN\n"), "time,y")
    assert other.courses["y"].x.tolist() == [0.0, 0.2]
    assert other.notes == ("y: 2 of 4 values are missing",)
