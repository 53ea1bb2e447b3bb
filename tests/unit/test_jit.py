"""The kernel decorator and its cache folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from pliant import _jit

PROGRAM = """
from pliant._jit import kernel
from callee import twice

@kernel
def four_times(x):
    return twice(twice(x))

print(four_times(1.5), hasattr(four_times, "py_func"))
"""
CALLEE = """
from pliant._jit import kernel

@kernel
def twice(x):
    return 2.0 * x
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "callee.py").write_text(CALLEE)
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def run(program: Path, **environment: str) -> str:
    """Output of the program in a fresh interpreter."""
    finished = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, check=True, env=os.environ | environment
    )
    return finished.stdout.strip()


def test_kernels_are_compiled_once_and_found_again(program: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert run(program, PLIANT_CACHE_DIR=str(cache)) == "6.0 True"
    files = {path: path.stat().st_mtime_ns for path in cache.rglob("*.nb*")}
    assert files
    assert run(program, PLIANT_CACHE_DIR=str(cache)) == "6.0 True"
    assert {path: path.stat().st_mtime_ns for path in cache.rglob("*.nb*")} == files


def test_kernels_run_as_plain_python(program: Path, tmp_path: Path) -> None:
    assert run(program, PLIANT_CACHE_DIR=str(tmp_path / "cache"), NUMBA_DISABLE_JIT="1") == "6.0 False"


def test_kernels_work_where_nothing_can_be_written(program: Path) -> None:
    assert run(program, PLIANT_CACHE_DIR=str(program / "a file is no folder")) == "6.0 True"


def test_division_follows_numpy() -> None:
    def inverse(x: float) -> float:
        return 1.0 / x

    compiled = _jit.kernel(inverse)
    if hasattr(compiled, "py_func"):
        assert compiled(0.0) == float("inf")


def test_other_users_of_numba_keep_their_cache_folder() -> None:
    before = numba.config.CACHE_DIR
    _jit.kernel(lambda x: x)
    assert before == numba.config.CACHE_DIR


@pytest.mark.parametrize("edited, changes", [("solvers/newton.py", True), ("cli/app.py", False)])
def test_cache_key_follows_the_sources_of_kernels(tmp_path: Path, edited: str, changes: bool) -> None:
    for name in ("solvers/newton.py", "cli/app.py"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("from pliant._jit import kernel\nx = 1\n" if "solvers" in name else "x = 1\n")
    before = _jit.source_hash(tmp_path)
    assert _jit.source_hash(tmp_path) == before
    (tmp_path / edited).write_text((tmp_path / edited).read_text().replace("1", "2"))
    assert (_jit.source_hash(tmp_path) != before) is changes


def test_cache_key_follows_the_place_of_the_sources(tmp_path: Path) -> None:
    """Numba looks for what was compiled from this very file; the mark "complete" must not hold for a copy of it."""
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "newton.py").write_text("from pliant._jit import kernel\n")
    assert _jit.source_hash(tmp_path / "here") != _jit.source_hash(tmp_path / "there")


def test_old_cache_folders_are_removed_and_nothing_else(tmp_path: Path) -> None:
    for age in range(5):
        folder = tmp_path / f"{age:016x}"
        folder.mkdir()
        os.utime(folder, (1e9 - age, 1e9 - age))
    (tmp_path / "notes").mkdir()
    _jit._prune(tmp_path, keep=2)
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{0:016x}", f"{1:016x}", "notes"]
