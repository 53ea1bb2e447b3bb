"""The second Python that helps to compile runs no file of the working folder, and starts no host of a Python."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import pliant as pl
from pliant._threads import python_command
from pliant.errors import OptionError
from pliant.jit import assistant

HOME = Path(pl.__file__).parents[1]
RUN = "open('was_run', 'a').write(__file__)\n"
STRANGE = ("pliant/__init__", "pliant/warm_up", "numba", "numpy", "runpy", "typing", "sitecustomize", "usercustomize")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a working folder with files of a stranger, named as what a helper imports."""
    here = tmp_path / "here"
    (here / "pliant").mkdir(parents=True)
    for name in STRANGE:
        (here / f"{name}.py").write_text(RUN)
    monkeypatch.chdir(here)
    return here


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """Return helpers that are started, by a process that has started none yet."""
    helpers, start = list[subprocess.Popen[bytes]](), subprocess.Popen

    def popen(*words: Any, **options: Any) -> Any:
        helpers.append(start(*words, **options))
        return helpers[-1]

    monkeypatch.setattr(assistant.subprocess, "Popen", popen)
    monkeypatch.setattr(assistant, "_expected", set())
    monkeypatch.setattr(assistant, "_helped", set())
    monkeypatch.delenv(assistant.QUIET)
    return helpers


def help_with_nothing() -> None:
    """Call for help with a formulation that needs no kernels."""
    assistant.expect("none", "planar", all_missing=lambda: True)


def test_files_of_the_working_folder_are_not_run(folder: Path, started: list[subprocess.Popen[bytes]]) -> None:
    """`python -m pliant.warm_up` was started there: a folder of the name pliant was enough."""
    help_with_nothing()
    assert [each.wait(60.0) for each in started] == [0]
    assert not (folder / "was_run").exists()


@pytest.mark.parametrize("first", ["", ".", "here", "link", "no pliant"])
def test_it_imports_the_pliant_of_this_process(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    """A process in that folder imports this pliant, also where an editable finder knows it and `sys.path` does not."""
    (tmp_path / "where.py").write_text("import pliant, sys; print(pliant.__file__, *sys.argv[1:], flush=True)")
    (tmp_path / "link").symlink_to(folder)
    others = [str(tmp_path), *(each for each in sys.path if Path(each or ".").resolve() != HOME)]
    added = {"here": [str(folder)], "link": [str(tmp_path / "link")], "no pliant": []}.get(first, [first])
    monkeypatch.setattr(sys, "path", [*added, *others])
    command = python_command("where", "one", "two words")
    answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert answer == f"{pl.__file__} one two words\n"
    assert not (folder / "was_run").exists()


@pytest.fixture(params=["empty", "none", "host", "host of a name like Python", "gone", "beside", "folder", "broken"])
def embedded(request: pytest.FixtureRequest, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a value that `sys.executable` may have where Python runs inside of another program."""
    for name in ("host", "python-in-host.sh", "python3"):
        (folder / name).write_text("#!/bin/sh\ntouch was_run\n")
        (folder / name).chmod(0o755)
    (folder / "folder").mkdir()
    (folder / "folder" / "python3").mkdir()
    (folder / "python").write_bytes(b"\0")  # not a program
    name = {"empty": "", "none": None, "gone": "/no/such/python", "beside": "python3"} | {
        kind: str(folder / file)
        for kind, file in (
            ("host", "host"),
            ("host of a name like Python", "python-in-host.sh"),
            ("folder", "folder/python3"),
            ("broken", "python"),
        )
    }
    monkeypatch.setattr(sys, "executable", name[request.param])
    return str(request.param)


def test_hosts_of_a_python_are_not_started(embedded: str, folder: Path, started: list[subprocess.Popen[bytes]]) -> None:
    """A first computation raised PermissionError or TypeError, or the host was started with `-m pliant.warm_up`."""
    help_with_nothing()
    assert started == []
    assert not (folder / "was_run").exists()
    if embedded != "broken":  # known when it is started
        with pytest.raises(OptionError, match=r"sys\.executable is .*, not a Python.*on=\"threads\""):
            pl.study(lambda x: {"y": x}, over={"x": [1.0]}, workers=1)
