"""`pliant doctor`: what is missing or wrong is reported and fails, what is optional does not."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import pliant
from pliant import jit
from pliant.jit import cache
from pliant_cli.commands import doctor


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Compute nothing, and use a cache of its own."""
    monkeypatch.setattr(jit, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(doctor, "_self_test", lambda: iter(()))


def findings(capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    code = doctor.run(as_json=True)
    return code, {each["what"]: each for each in map(json.loads, capsys.readouterr().out.splitlines())}


def test_all_is_well_here(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = findings(capsys)
    assert code == 0, found
    assert found["pliant"]["found"].startswith(f"{pliant.__version__} in ")
    assert {"python", "platform", "processors", "threads", "kernel cache", "kernels", *doctor.NEEDED} < set(found)
    assert "0.498488 Hz" in found["self-test: pendulum"]["found"]
    assert sum(name.startswith("self-test") for name in found) == 4


@pytest.mark.usefixtures("quick")
def test_an_extra_may_be_missing_and_a_library_may_not(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "EXTRAS", {"no_such_extra": "pip install 'pliant[none]'"})
    code, found = findings(capsys)
    assert (code, found["no_such_extra"]["ok"]) == (0, None)
    assert "pip install" in found["no_such_extra"]["found"]
    assert doctor.run(as_json=False) == 0
    assert "pip install 'pliant[none]'" in capsys.readouterr().out  # brackets are no markup
    monkeypatch.setattr(doctor, "NEEDED", ("no-such-library",))
    code, found = findings(capsys)
    assert (code, found["no-such-library"]) == (1, {"what": "no-such-library", "found": "missing", "ok": False})


@pytest.mark.usefixtures("quick")
def test_settings_are_shown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    monkeypatch.setenv("PLIANT_NO_ASSISTANT", "1")
    found = findings(capsys)[1]
    assert "OPENBLAS_NUM_THREADS=3" in found["threads"]["found"]
    assert "PLIANT_NO_ASSISTANT=1" in found["settings"]["found"]


@pytest.mark.usefixtures("quick")
def test_a_damaged_kernel_is_noticed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert findings(capsys)[1]["kernels"] == {"what": "kernels", "found": "none compiled yet", "ok": True}
    text = b"machine code"
    (tmp_path / "good-1.kernel").write_bytes(cache.hashlib.sha256(text).digest() + text)
    assert findings(capsys)[0] == 0
    (tmp_path / "bad-1.kernel").write_bytes(cache.hashlib.sha256(text).digest() + text[:-1])
    code, found = findings(capsys)
    assert (code, found["kernels"]["ok"]) == (1, False)
    assert found["kernels"]["found"].startswith("2 compiled, 0 MB, 1 damaged")


def test_claims_are_of_the_living_and_the_dead(tmp_path: Path) -> None:
    ended = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True)
    for name, number in (("mine", os.getpid()), ("dead", int(ended.stdout))):
        (tmp_path / f"{name}.claim").write_text(f"{socket.gethostname()} {number}")
    assert jit.health(tmp_path) == (0, 0, 0, 1, 1)


@pytest.mark.usefixtures("quick")
def test_a_cache_that_cannot_be_written_is_not_ok(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jit, "cache_folder", lambda: None)
    code, found = findings(capsys)
    assert code == 1
    assert "PLIANT_CACHE_DIR" in found["kernel cache"]["found"]


def test_signs_that_an_encoding_lacks_do_not_stop_a_command() -> None:
    """Windows writes cp1252 into pipes and files, which has no ✓."""
    code = "import sys; from pliant_cli import _replace_unwritable as write; write(); print('\\u2713 done')"
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True)
    assert done.stdout.split() == [b"?", b"done"]
