"""Evidence is found by entry points: ours, a stranger's, none, one that is gone."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from pliant.errors import OptionError
from pliant_testing import discovery

STRANGE = '''"""A stranger's case."""

from pliant_testing.validation import absolute, case


@case("strange", source="a stranger")
def strange():
    """One is one."""
    yield absolute("one", "1", 1.0, 1.0, tolerance=0.0, kind="exact")
'''


def found(monkeypatch: pytest.MonkeyPatch, *packages: str) -> None:
    """Let there be only these packages."""
    entries = [EntryPoint("name", package, discovery.GROUP) for package in packages]
    monkeypatch.setattr(discovery, "entry_points", lambda group: entries if group == discovery.GROUP else [])


def test_ours_is_declared_and_installed() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
    assert project["entry-points"][discovery.GROUP] == {"pliant": "pliant_evidence"}
    assert "pliant_evidence" in discovery.packages(), "make install"


def test_every_file_with_cases_is_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found(monkeypatch, "pliant_evidence", "pliant_evidence")  # installed twice: from a clone and beside it
    names = discovery.module_names("validate.py")
    assert "pliant_evidence.leg.control.validate" in names
    assert len(names) == len(set(names)) > 20


def test_a_stranger_brings_a_case(tmp_path: Path) -> None:
    about = tmp_path / "magnets-1.0.dist-info"
    home = tmp_path / "magnets" / "evidence" / "pull"
    about.mkdir()
    home.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: magnets\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[pliant.evidence]\nmagnets = magnets.evidence\n")
    for folder in (home, home.parent, home.parent.parent):
        (folder / "__init__.py").write_text("")
    (home / "validate.py").write_text(STRANGE)
    program = "from pliant import validation; print(validation.run('strange').ok, len(validation.CASES.names()) > 1)"
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    told = subprocess.check_output([sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": path}, text=True)
    assert told.split() == ["True", "True"]


def test_no_evidence_installed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    found(monkeypatch)
    cases: discovery.Registry[int] = discovery.Registry("validation case", "validate.py")
    assert cases.names() == []
    for names in ([], ["fourbar"]):
        with pytest.raises(OptionError, match=r"No installed package brings a validation case: .*install pliant again"):
            cases.chosen(names)


@pytest.mark.parametrize("package", ["no_such_package", "no_such_package.evidence", "pliant.errors"])
def test_an_entry_point_without_package_is_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found(monkeypatch, package)
    with pytest.raises(OptionError, match=f"{package!r} of 'pliant.evidence' names no package"):
        discovery.module_names("validate.py")
