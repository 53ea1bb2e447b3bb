"""Tables that were refused, or whose columns had wrong names: a row of units below the heading, a heading with an empty
cell before it, structures of MATLAB.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from pliant_fit.measurements.tables import read_columns


@pytest.mark.parametrize(
    ("name", "text", "columns"),
    [
        ("units.csv", "Report 7\n\nF,tip x,no\nN,mm,-\n1,2,3\n4,5,6\n", ["F [N]", "tip x [mm]", "no"]),
        ("braces.tab", "F\ttip\n[N]\t[mm]\n1\t2\n3\t4\n", ["F [N]", "tip [mm]"]),
        ("empty.tab", "! Adams request\n\tF\ttip x\ttip y\n1\t2\t3\n", ["F", "tip x", "tip y"]),
        ("alone.csv", "m,s\n1,2\n", ["m", "s"]),
        ("page.htm", "<table><tr><th>F<th>tip<tr><td>N<td>mm<tr><td>1<td>2</table>", ["F [N]", "tip [mm]"]),
    ],
)
def test_headings(tmp_path: Path, name: str, text: str, columns: list[str]) -> None:
    """Names and units stand in two rows."""
    path = tmp_path / name
    path.write_text(text)
    found = read_columns(path)
    assert list(found) == columns
    assert found[columns[0]][0] == 1.0


def test_structures(tmp_path: Path) -> None:
    """Structures are read as a laboratory saves them."""
    path = tmp_path / "run.mat"
    savemat(path, {"run": {"F": np.arange(3.0), "camera": {"x": np.arange(3.0), "y": np.ones(3)}}})
    assert list(read_columns(path)) == ["run.F", "run.camera.x", "run.camera.y"]
