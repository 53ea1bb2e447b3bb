"""`pliant identify` put a parameter into the place of a number that the model makes a parameter itself: refused as "not
a number". And a first column that is no time was called the time.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import pliant as pl
from pliant.errors import FileError
from pliant_cli.app import app

MODEL = """
import pliant as pl

def model(k=60.0):
    m = pl.Model("spring")
    ground, block = m.add(pl.Ground(), pl.Body("block", mass=2.0, inertia=0.1, position=(1.0, 0.0)))
    stiffness = pl.Parameter("k", k, low=1.0, unit="N/m")
    m.add(
        pl.Prismatic(ground.at(0, 0), block.at()),
        pl.Spring("spring", ground.at(0, 0), block.at(), stiffness, rest_length=1.0),
        pl.Force(block.at(), x=0.0, name="push"),
    )
    return m
"""


def test_the_name_of_both_is_found(tmp_path: Path) -> None:
    """Exit code 0, and the stiffness."""
    model, weights = tmp_path / "spring.py", tmp_path / "weights.csv"
    model.write_text(MODEL)
    rows = [f"{f},{1.0 + f / 80.0 + 1e-5 * e}" for f, e in zip((1, 2, 3, 4), (1, -2, 0, 1), strict=True)]
    weights.write_text("\n".join(['push/x [N],"position:block(0, 0):x [m]"', *rows]))
    said = CliRunner().invoke(app, ["identify", str(model), str(weights), "--find", "k"])
    assert said.exit_code == 0, said.output
    assert "80.0" in said.output or "79.9" in said.output


def test_a_first_column_that_is_no_time(tmp_path: Path) -> None:
    """The first column is named."""
    path = tmp_path / "loads.csv"
    path.write_text("load [N],tip [m]\n-1,0.1\n-2,0.2\n")
    with pytest.raises(FileError, match="first column, load, which is taken for the time, does not increase"):
        pl.read_other(path)
