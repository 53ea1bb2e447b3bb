"""The package of strangers, installed for a test as pip would: files, and what its pyproject.toml says of them."""

from __future__ import annotations

import shutil
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import pliant as pl
from pliant._lazy import elsewhere
from pliant.analyses.workflow import foreign
from pliant.model.kinds import KINDS, Kind

SOURCE = Path(__file__).parent / "package"
collect_ignore = ["package"]  # it is imported from where it is installed, not from here


def install(folder: Path) -> Path:
    """The package in a folder, with the description that an installer would write: no network, no build."""
    project = tomllib.loads((SOURCE / "pyproject.toml").read_text())["project"]
    shutil.copytree(SOURCE / "strange_parts", folder / "strange_parts", ignore=shutil.ignore_patterns("__pycache__"))
    about = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    about.mkdir()
    head = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (about / "METADATA").write_text(head + "".join(f"Requires-Dist: {name}\n" for name in project["dependencies"]))
    groups = project["entry-points"].items()
    text = [f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in each.items()) for group, each in groups]
    (about / "entry_points.txt").write_text("\n".join(text))
    return folder


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the package is installed."""
    return install(tmp_path_factory.mktemp("site"))


@pytest.fixture
def strangers(site: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The package can be imported, and is found by its entry points; its parts are known again in every test."""
    monkeypatch.syspath_prepend(str(site))
    loaded = {name: module for name, module in sys.modules.items() if name.startswith("strange_parts")}
    for module in loaded.values():
        KINDS.update({kind.__name__: kind for kind in vars(module).values() if _of_the_package(kind)})
    _forget()
    yield
    _forget()


def _forget() -> None:
    """Search for entry points again."""
    from pliant.system import compile as compiling

    for each in (elsewhere, foreign, compiling.formulation_names, compiling._elsewhere):
        each.cache_clear()
    for name in ("drop_test", "Magnet", "Rack", "Bernoulli"):
        vars(pl).pop(name, None)


def _of_the_package(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, Kind) and kind.__module__.startswith("strange_parts")
