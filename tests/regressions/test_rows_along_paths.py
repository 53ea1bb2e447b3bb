"""Measurements were compared with paths that turn back by a curve through several branches, and rows beyond the end
of an experiment with its last state, both silently; loads along a path had to be without units.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import pliant as pl
from pliant.errors import OptionError
from pliant_cli.app import app

RISE, HEIGHTS = 0.2, np.linspace(0.19, 0.14, 8)
LOADS = 2e3 * (np.hypot(1.0, HEIGHTS) - np.hypot(1.0, RISE)) * HEIGHTS / np.hypot(1.0, HEIGHTS)
NAME = "position:top:y"


def truss(stiffness: float = 1000.0) -> pl.Model:
    """Build two springs that snap through at 3.02 N."""
    m, k = pl.Model("truss"), pl.Parameter("k", stiffness, low=100.0, high=3000.0)
    ground, top = m.add(pl.Ground(), pl.Body("top", mass=1.0, inertia=1.0, position=(0.0, RISE), angle=0.0))
    up = 90 * pl.DEG
    m.add(pl.Prismatic(ground.at(0, 0, angle=up), top.at(angle=up)), pl.Force(top.at(), y=0.0, name="load"))
    for name, x in (("left", -1.0), ("right", 1.0)):
        m.add(pl.Spring(name, ground.at(x, 0), top.at(), k, float(np.hypot(1.0, RISE))))
    return m


def pressed(to: float, **how: Any) -> pl.Measurement:
    seen = {"F [N]": LOADS, "y [mm]": 1e3 * HEIGHTS + 0.01 * (-1.0) ** np.arange(8)}
    follow = partial(pl.path, parameter="load/y", to=to, step=0.01)
    return pl.Measurement(seen, {NAME: "y"}, time="F", experiment=follow, error=1e-5, name="press", **how)


def test_along_a_path() -> None:
    found = pl.identify(pl.compile(truss(1100.0)), parameters=["k"], measurements=[pressed(-2.8)])
    assert found.values["k"] == pytest.approx(1000.0, rel=1e-3)


def test_rows_beyond_its_end_are_refused() -> None:
    with pytest.raises(OptionError, match=r"from -2\.78.* to -0\.71.* N, the path goes from -2 to 0"):
        pl.identify(pl.compile(truss()), parameters=["k"], measurements=[pressed(-2.0)])


def test_other_units_are_refused() -> None:
    with pytest.raises(OptionError, match="'F' is in mm, the path in N"):
        pl.identify(pl.compile(truss()), parameters=["k"], measurements=[pressed(-3.0, units={"F": "mm"})])


def test_rows_of_other_loads_are_not_compared_with_an_equilibrium() -> None:
    """All of them were, with the equilibrium of one load."""
    seen = pl.Measurement({"F [N]": LOADS, "y [m]": HEIGHTS}, {NAME: "y"}, signals={"load/y": "F"})
    system = pl.compile(truss())
    row = seen.against(pl.statics(system.with_signals({"load/y": float(LOADS[2])}))).rows[0]
    assert row.count == 1
    assert row.rms < 1e-9
    with pytest.raises(OptionError, match="in no row load/y = 0"):
        seen.against(pl.statics(system))


def test_on_the_command_line(tmp_path: Path) -> None:
    """The command demanded a time."""
    result, table = tmp_path / "path.nc", tmp_path / "press.csv"
    pl.path(pl.compile(truss()), "load/y", to=-3.0, step=0.01).save(result)
    np.savetxt(table, np.stack([-LOADS, 1e3 * HEIGHTS], axis=1), delimiter=",", header="F [N],y [mm]", comments="")
    words = ["compare", str(result), str(table), "--columns", f"load/y=F*-1,{NAME}=y"]
    told = CliRunner().invoke(app, [*words, "--json", "--tolerance", "0.01"])
    assert told.exit_code == 0, told.output
    assert json.loads(told.output)["rms"] < 1e-4


def test_a_path_that_turns_back_is_refused() -> None:
    seen = pl.Measurement({"F [N]": LOADS, "y [m]": HEIGHTS}, {NAME: "y"}, signals={"load/y": "F"})
    system = pl.compile(truss())
    assert seen.against(pl.path(system, "load/y", to=-3.0)).rows[0].rms < 1e-3
    with pytest.raises(OptionError, match="turns back"):
        seen.against(pl.path(system, "load/y", to=-6.0))
