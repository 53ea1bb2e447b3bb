"""An analysis, a command, a reader and a formulation of another package: found without a list edited."""

from __future__ import annotations

import json
from math import sqrt
from pathlib import Path

import pytest

import pliant as pl
from pliant.errors import OptionError, PliantWarning
from pliant_cli import main
from pliant_cli.app import app

pytestmark = pytest.mark.usefixtures("strangers")
MASS, STIFFNESS, G = 2.0, 1800.0, 9.81


@pytest.fixture(autouse=True)
def commands() -> object:
    """The commands are again what they were."""
    known = list(app.registered_commands)
    yield
    app.registered_commands[:] = known


@pytest.fixture
def hanging(tmp_path: Path) -> Path:
    path = tmp_path / "row.hanging"
    path.write_text(f"{MASS} {STIFFNESS}\n")
    return path


def run(*words: object) -> int:
    with pytest.raises(SystemExit) as end:
        main(list(map(str, words)))
    return int(end.value.code or 0)


def test_an_analysis_is_a_name_of_pliant(tmp_path: Path) -> None:
    from strange_parts.hanging import read_hanging

    assert "drop_test" in dir(pl)
    assert "drop_test" in pl.__all__
    (tmp_path / "row.hanging").write_text(f"{MASS} {STIFFNESS}\n")
    system = pl.compile(read_hanging(tmp_path / "row.hanging"))
    found = pl.drop_test(system, start=pl.statics(system), height=0.5)  # type: ignore[attr-defined]
    assert found.outcome.ok
    assert found.deepest.units == "m"
    speed = sqrt(2.0 * G * 0.5)
    assert float(found.deepest.sel(body="body1")) == pytest.approx(speed * sqrt(MASS / STIFFNESS), rel=1e-4)
    assert float(found.hardest.sel(line="spring1")) == pytest.approx(
        MASS * G + speed * sqrt(MASS * STIFFNESS), rel=1e-4
    )
    found.save(tmp_path / "drop.nc")
    assert pl.load_result(tmp_path / "drop.nc").kind == "drop"
    with pytest.raises(OptionError, match=r"drop_test: height = 'high' is not allowed; it must be a number.*written"):
        pl.drop_test(system, height="high")  # type: ignore[attr-defined]


def test_an_analysis_is_a_step(hanging: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = "--option", "height=0.5", "--option", "label=7", "--out", tmp_path / "out"
    assert run("run", hanging, "statics", "drop_test", *options, "--json") == 0
    row = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert row["step"] == "drop_test"
    deepest = row["quantities"]["deepest:body1"]
    assert deepest["value"] == pytest.approx(sqrt(2.0 * G * 0.5 * MASS / STIFFNESS), rel=1e-4)
    stored = pl.load_result(tmp_path / "out" / "drop_test.nc")
    assert stored.provenance.settings["label"] == "7"
    assert run("run", hanging, "drop_test", "--option", "height=0.5") == 0
    assert "deepest  body1" in capsys.readouterr().out


def test_options_are_refused_by_name(hanging: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("run", hanging, "drop_test", "--option", "heigth=1") == 2
    assert "heigth: an option of none of the steps drop_test. Did you mean height?" in capsys.readouterr().err
    assert run("run", hanging, "drop_test", "--option", "height=high") == 2
    assert "--option height=high: height must be a number." in capsys.readouterr().err
    assert run("run", hanging, "statics", "--option", "height=1") == 2
    assert run("run", hanging, "droptest") == 2
    assert "Did you mean drop_test?" in capsys.readouterr().err


def test_a_name_of_pliant_is_not_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import EntryPoint, EntryPoints

    from pliant import _lazy
    from pliant.analyses.workflow import foreign

    other = EntryPoint("statics", "strange_parts.drop:drop_test", "pliant.analyses")
    monkeypatch.setattr(_lazy, "entries", lambda group: EntryPoints([other] if group == other.group else []))
    monkeypatch.setattr("pliant.analyses.workflow.entries", _lazy.entries)
    with pytest.warns(
        PliantWarning, match=r"strange_parts.drop:drop_test \(pliant.analyses\): pliant has a name statics"
    ):
        assert "statics" in dir(pl)
    assert foreign() == ()
    assert _lazy.elsewhere() == {}


def test_analyses_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list", "analyses", "--json") == 0
    rows = {row["name"]: row for row in map(json.loads, capsys.readouterr().out.splitlines())}
    assert {"statics", "transient", "modal", "path", "drop_test"} <= set(rows)
    assert rows["drop_test"]["module"] == "strange_parts.drop"
    assert rows["drop_test"]["usage"].startswith("drop_test(system, height=, start=None")
    assert rows["drop_test"]["summary"].startswith("Return how far bodies move down")


def test_a_command_is_added_and_broken_ones_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    m = pl.Model("pair", plane="xy")
    m.add(pl.Ground(), *(pl.Body(name, mass=1.5, inertia=1.0, free=True) for name in "ab"))
    m.save(tmp_path / "pair.toml")
    assert run("weigh", tmp_path / "pair.toml", "--gravity", "2") == 0
    said = capsys.readouterr()
    assert said.out == "6 N\n"
    first, second = sorted(said.err.splitlines())
    assert first.startswith("Note: The entry point broken = strange_parts.missing:broken (pliant.commands) cannot be")
    assert second.endswith("strange_parts.weigh:weigh: `pliant run` exists already; the command needs another name.")
    assert run("doctor", "--help") == 0
    assert capsys.readouterr().err == ""


def test_a_reader_takes_files_of_its_suffix(hanging: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("run", hanging, "statics", "--set", "length=0.3", "--json") == 0
    values = json.loads(capsys.readouterr().out)["quantities"]
    assert values["position:body1(0, 0):y"]["value"] == pytest.approx(-0.3 - MASS * G / STIFFNESS, rel=1e-9)


def test_a_formulation_is_used_on_a_model_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from strange_parts.strut.build import model

    model(2.0, x=-3.0, y=-1.0).save(tmp_path / "strut.toml")
    angles = []
    for name in ("strut", "dae"):
        assert run("run", tmp_path / "strut.toml", "statics", "--formulation", name, "--json") == 0
        angles.append(json.loads(capsys.readouterr().out)["quantities"]["angle:bob"]["value"])
    assert angles[0] == pytest.approx(angles[1], abs=1e-9)
