"""A study went on in the store of another one, whose rows it took for its own, where these differed by the mesh, a
signal that both hold, options of the analysis or its start, or on the command line by anything but names."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import pliant as pl
from pliant.errors import FileError
from pliant_cli.app import app

OVER = {"load/y": [-2.0, -1.0]}


def strip(elements: int = 4, **signals: float) -> Any:
    m = pl.Model("strip")
    section = pl.Section.rectangle(20e-3, 1e-3, pl.STEEL)
    ground, beam = m.add(pl.Ground(), pl.Beam("strip", length=0.5, section=section))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), name="load"))
    return pl.compile(m, elements=elements).with_signals({f"load/{axis}": value for axis, value in signals.items()})


def found(path: Path, system: Any, analysis: Any = pl.statics) -> pl.Result:
    keep = ["position:strip/tip:y"]
    return pl.study(system, over=OVER, analysis=analysis, keep=keep, out=path, resume=True, on="threads")


def test_only_the_same_study_goes_on(tmp_path: Path) -> None:
    path, bent = tmp_path / "strip.zarr", pl.statics(strip(y=-0.5))
    first = found(path, strip(x=1.0, y=3.0), partial(pl.statics, start=bent, load_steps=2))
    again = found(path, strip(x=1.0), partial(pl.statics, start=pl.statics(strip(y=-0.5)), load_steps=2))
    np.testing.assert_array_equal(again.data["position:strip/tip:y"], first.data["position:strip/tip:y"])
    for other, analysis, differs in (
        (strip(3, x=1.0), partial(pl.statics, start=bent, load_steps=2), "elements=3"),
        (strip(x=2.0), partial(pl.statics, start=bent, load_steps=2), "load/x"),
        (strip(x=1.0), partial(pl.statics, start=bent), "load_steps"),
        (strip(x=1.0), partial(pl.statics, start=pl.statics(strip(y=0.5)), load_steps=2), "start"),
        (strip(x=1.0), pl.statics, "statics"),
    ):
        with pytest.raises(FileError, match=differs):
            found(path, other, analysis)


def test_command_goes_on_with_the_same_only(tmp_path: Path) -> None:
    file, store = tmp_path / "strip.toml", tmp_path / "strip.zarr"
    strip().model.save(file)
    command = ["study", str(file), "statics", "--over", "load/y=-2:-1:2", "--out", str(store), "--resume"]
    assert CliRunner().invoke(app, command).exit_code == 0
    assert CliRunner().invoke(app, command).exit_code == 0
    for more in (["--set", "load/x=1.0"], ["--elements", "2"]):
        told = CliRunner().invoke(app, [*command, *more])
        assert told.exit_code != 0
        assert "of another study" in str(told.exception)
    file.write_text(file.read_text().replace("0.5", "0.6"))
    assert "of another study" in str(CliRunner().invoke(app, command).exception)
