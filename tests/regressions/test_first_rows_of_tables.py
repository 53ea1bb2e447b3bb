"""Rows of tables were silently lost: those whose first cell is missing, if none before them begins with a number
(headings were called NaN), and of pages and sheets all from the first word or empty row on.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pliant as pl
from pliant.errors import FileError, OptionError

TIP = "position:beam/tip:y"


@pytest.mark.parametrize(("gap", "mark"), [("", ","), ("NaN", ","), ("n/a", ";"), ("-", "\t")])
def test_rows_that_begin_with_a_gap_are_kept(tmp_path: Path, gap: str, mark: str) -> None:
    rows = [["y [mm]", "F [N]"], [gap, "1"], ["2", "2"]]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(mark.join(row) for row in rows))
    found = pl.Measurement(path, {TIP: "y"}, signals={"load/y": "F"})
    np.testing.assert_array_equal(found.values[TIP], [np.nan, 2e-3])
    np.testing.assert_array_equal(found.settings["load/y"], [1.0, 2.0])


def test_units_after_a_solidus(tmp_path: Path) -> None:
    """Units after a solidus follow ISO 80000; they were no part of the heading's units."""
    path = tmp_path / "table.csv"
    path.write_text("t / ms,y / mm,v/w\n0,1,1\n5,2,1\n")
    found = pl.Measurement(path, {TIP: "y", "angle:arm": "v/w"}, time="t")
    np.testing.assert_allclose(found.x, [0.0, 5e-3])
    np.testing.assert_allclose(found.values[TIP], [1e-3, 2e-3])


@pytest.mark.parametrize("step", ["1 ms", [1e-3], -1e-3])
def test_a_step_that_is_no_number_is_refused(step: object) -> None:
    """The command ended in an error of Python's, after the motion."""
    with pytest.raises(OptionError, match="give seconds"):
        pl.Measurement({"t": [0.0, 0.1], "y": [1.0, 2.0]}, {TIP: "y"}, time="t", step=step)  # type: ignore[arg-type]


def page(path: Path, rows: list[list[str]]) -> Path:
    cells = ["".join(f"<td>{cell}</td>" for cell in row) for row in rows]
    path.write_text("<table>" + "".join(f"<tr>{row}</tr>" for row in cells) + "</table>")
    return path


def test_pages_and_sheets_are_read_to_their_end(tmp_path: Path) -> None:
    rows = [["t [s]", "y [mm]"], ["0", "1"], ["", ""], ["1", "-"], ["2", "3"], ["t [s]", "z"], ["0", "7"]]
    found = pl.Measurement(page(tmp_path / "a.htm", rows), {TIP: "y"}, time="t")
    np.testing.assert_array_equal(found.x, [0.0, 1.0, 2.0])
    rows[3][1] = "1,5"
    with pytest.raises(FileError, match="row 2 of the numbers: '1,5' is no number"):
        pl.Measurement(page(tmp_path / "b.htm", rows), {TIP: "y"}, time="t")
