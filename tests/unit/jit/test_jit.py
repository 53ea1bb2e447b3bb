"""The kernel decorator and its cache folder."""

from __future__ import annotations

import gc
import os
import shutil
import socket
import subprocess
import sys
from collections import namedtuple
from pathlib import Path
from types import FunctionType

import numba
import pytest

import pliant as pl
from pliant import jit
from pliant.jit import assistant, cache
from pliant.jit.address import address
from pliant.jit.fingerprint import fingerprint, signature_words
from pliant_gallery import pendulum

compiled = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="plain Python is not compiled")

PROGRAM = """
from pliant.jit import kernel
from callee import twice

@kernel
def four_times(x):
    return twice(twice(x))

print(four_times(1.5), hasattr(four_times, "py_func"))
"""
CALLEE = """
from pliant.jit import kernel

@kernel
def twice(x):
    return 2.0 * x
"""

TUPLE = """
from collections import namedtuple
from pliant.jit import kernel

Pair = namedtuple("Pair", ('first', 'second'))

@kernel
def first(pair):
    return pair.first

print(first(Pair(1.0, 2.0)))
"""

SAME_NAME = """
import os
from pliant.jit import kernel

def make(number):
    scope = {"__name__": "nowhere"}
    exec(f"def f(x): return x + {number}", scope)
    return kernel(scope["f"])

made = [make(number) for number in os.environ["NUMBERS"].split()]
first, last = made[0], made[-1]
first(1.0), last(1.0)

@kernel
def both(x):
    return first(x), last(x)

print(both(1.0))
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "callee.py").write_text(CALLEE)
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the program, which was run once, and of its cache."""
    folder = tmp_path_factory.mktemp("prepared")
    (folder / "callee.py").write_text(CALLEE)
    (folder / "program.py").write_text(PROGRAM)
    assert run(folder / "program.py", PLIANT_CACHE_DIR=str(folder / "cache")) == "6.0 True"
    return folder


@pytest.fixture
def ran(prepared: Path, tmp_path: Path) -> Path:
    """Return the program in a folder of its own, with a cache that has its kernels."""
    shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)
    return tmp_path / "program.py"


def run(program: Path, **environment: str) -> str:
    """Return the output of the program in a fresh interpreter without bytecode, which hides edits within a second."""
    command = [sys.executable, "-B", str(program)]
    finished = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | environment)
    return finished.stdout.strip()


def test_kernels_are_compiled_once_and_found_again(ran: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    files = {path: path.stat().st_ino for path in cache.rglob("*.kernel")}
    assert files
    assert run(ran, PLIANT_CACHE_DIR=str(cache)) == "6.0 True"
    assert {path: path.stat().st_ino for path in cache.rglob("*.kernel")} == files


def test_kernels_run_as_plain_python(program: Path, tmp_path: Path) -> None:
    assert run(program, PLIANT_CACHE_DIR=str(tmp_path / "cache"), NUMBA_DISABLE_JIT="1") == "6.0 False"


def test_kernels_work_where_nothing_can_be_written(program: Path) -> None:
    assert run(program, PLIANT_CACHE_DIR=str(program / "a file is no folder")) == "6.0 True"


def test_division_follows_numpy() -> None:
    def inverse(x: float) -> float:
        return 1.0 / x

    compiled = jit.kernel(inverse)
    if hasattr(compiled, "py_func"):
        assert compiled(0.0) == float("inf")


def test_other_users_of_numba_keep_their_cache_folder() -> None:
    before = numba.config.CACHE_DIR
    jit.kernel(lambda x: x)
    assert before == numba.config.CACHE_DIR


def edited(program: Path, name: str, old: str, new: str, tmp_path: Path) -> tuple[str, int]:
    """Return what the program prints, and how many kernels it compiled, after an edit of one of its files."""
    cache = tmp_path / "cache"
    if not cache.exists():
        run(program, PLIANT_CACHE_DIR=str(cache))
    before = set(cache.rglob("*.kernel"))
    path = program.parent / name
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    return run(program, PLIANT_CACHE_DIR=str(cache)), len(set(cache.rglob("*.kernel")) - before)


def test_an_edited_callee_in_another_file_is_noticed(ran: Path, tmp_path: Path) -> None:
    assert edited(ran, "callee.py", "2.0 * x", "3.0 * x", tmp_path) == ("13.5 True", 2)


def test_an_edited_constant_that_a_file_only_passes_on_is_noticed(program: Path, tmp_path: Path) -> None:
    (program.parent / "numbers_of_ours.py").write_text("FACTOR = 2.0\n")
    (program.parent / "passed_on.py").write_text("from numbers_of_ours import FACTOR\n")
    text = CALLEE.replace("@kernel", "from passed_on import FACTOR\n\n@kernel").replace("2.0", "FACTOR")
    (program.parent / "callee.py").write_text(text)
    assert edited(program, "numbers_of_ours.py", "2.0", "3.0", tmp_path) == ("13.5 True", 2)


def test_fields_of_a_named_tuple_in_another_order_are_noticed(program: Path, tmp_path: Path) -> None:
    program.write_text(TUPLE)
    assert edited(program, "program.py", "('first', 'second')", "('second', 'first')", tmp_path) == ("2.0", 1)


def test_comments_docstrings_and_places_do_not_count(program: Path, tmp_path: Path) -> None:
    text = CALLEE.replace("return", '"""Twice."""\n    return')
    (program.parent / "callee.py").write_text(text)
    assert edited(program, "callee.py", "Twice.", "Two times.", tmp_path) == ("6.0 True", 0)
    elsewhere = tmp_path / "a clone"
    shutil.copytree(program.parent, elsewhere, ignore=shutil.ignore_patterns("cache", "a clone"))
    before = set((tmp_path / "cache").rglob("*.kernel"))
    assert run(elsewhere / "program.py", PLIANT_CACHE_DIR=str(tmp_path / "cache")) == "6.0 True"
    assert set((tmp_path / "cache").rglob("*.kernel")) == before


def test_a_linked_kernel_is_not_part_of_its_callers(program: Path, tmp_path: Path) -> None:
    (program.parent / "callee.py").write_text(CALLEE.replace("kernel", "linked_kernel"))
    said, compiled = edited(program, "callee.py", "2.0 * x", "3.0 * x", tmp_path)
    assert (said, compiled) == ("13.5 True", 1)  # the new answer, and the caller not compiled again


def test_a_linked_kernel_that_returns_another_type_has_its_callers_compiled_again(
    program: Path, tmp_path: Path
) -> None:
    (program.parent / "callee.py").write_text(CALLEE.replace("kernel", "linked_kernel").replace("2.0 * x", "int(x)"))
    program.write_text(PROGRAM.replace("twice(twice(x))", "twice(x) / 4"))
    assert edited(program, "callee.py", "int(x)", "2.0 * x", tmp_path)[0] == "0.75 True"


def test_a_damaged_file_is_compiled_again(ran: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    for path in cache.rglob("*.kernel"):
        path.write_bytes(path.read_bytes()[:-7] + b"rubbish")
    assert run(ran, PLIANT_CACHE_DIR=str(cache)) == "6.0 True"
    assert jit.health(cache / "kernels")._replace(size=0) == (2, 0, 0, 0, 0)  # both whole again


def test_two_processes_share_the_work(program: Path, tmp_path: Path) -> None:
    environment = os.environ | {"PLIANT_CACHE_DIR": str(tmp_path / "cache")}
    both = [
        subprocess.Popen([sys.executable, str(program)], stdout=subprocess.PIPE, text=True, env=environment)
        for _ in range(2)
    ]
    assert [each.communicate()[0].strip() for each in both] == ["6.0 True"] * 2
    assert len(list((tmp_path / "cache").rglob("*.kernel"))) == 2
    assert not list((tmp_path / "cache").rglob("*.claim"))


def test_a_claim_of_a_process_that_died_does_not_hold(ran: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    for path in cache.rglob("*.kernel"):
        path.with_suffix(".claim").write_text(f"{socket.gethostname()} {dead.pid}")
        path.unlink()
    assert run(ran, PLIANT_CACHE_DIR=str(cache)) == "6.0 True"


def test_kernels_that_nobody_uses_are_removed_and_nothing_else(tmp_path: Path) -> None:
    old, new, other = (tmp_path / name for name in ("old.kernel", "new.kernel", "swept"))
    for path in (old, new, other):
        path.write_text("")
    os.utime(old, (1e9, 1e9))
    os.utime(other, (1e9, 1e9))
    cache._remove_old(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.kernel", "swept"]


def test_kernels_of_one_name_from_different_processes_are_told_apart(tmp_path: Path) -> None:
    """Numba numbers kernels in each process: without names of their own the linker takes one for both."""
    (tmp_path / "program.py").write_text(SAME_NAME)
    for numbers in ("1.0", "2.0"):
        run(tmp_path / "program.py", PLIANT_CACHE_DIR=str(tmp_path / "cache"), NUMBERS=numbers)
    cache = {path.name for path in (tmp_path / "cache").rglob("f-*.kernel")}
    said = run(tmp_path / "program.py", PLIANT_CACHE_DIR=str(tmp_path / "cache"), NUMBERS="1.0 2.0")
    assert said == "(2.0, 3.0)"
    assert {path.name for path in (tmp_path / "cache").rglob("f-*.kernel")} == cache  # it was not compiled again


def _inner(x: float) -> None: ...


def _outer(x: float) -> None:
    _inner(x)


def test_callers_of_a_kernel_that_is_linked_otherwise_are_compiled_again() -> None:
    """Code that jumps to a kernel is not code that looks up where it is."""
    ways = [jit.linked_kernel(_inner), jit.lazy_kernel(_inner), jit.kernel(_inner)]
    found = {fingerprint(FunctionType(_outer.__code__, {"_inner": way})) for way in ways}
    assert len(found) == len(ways)


def test_equal_code_with_tuples_of_two_packages_is_told_apart() -> None:
    """A folder that was copied: its classes are others, though their names and fields are not."""
    kinds = [namedtuple("Arrays", ("first",), module=module) for module in ("one.planar", "other.planar")]
    assert len({signature_words(numba.typeof(kind(1.0))) for kind in kinds}) == 2


@compiled
def test_a_constant_argument_makes_no_version_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "cache_folder", lambda: None)  # compiled here, whatever is kept

    @jit.kernel
    def shifted(x: float, n: int) -> float:
        return x + n

    @jit.kernel
    def twice(x: float, n: int) -> float:
        return shifted(x, 1) + shifted(x, 2) + shifted(x, n)

    assert twice(1.0, 3) == 9.0
    assert len(shifted.overloads) == 1  # type: ignore[attr-defined]


@compiled
def test_machine_code_is_made_of_what_is_called_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "cache_folder", lambda: None)  # compiled here, whatever is kept

    @jit.kernel
    def taken_in(x: float) -> float:
        return x + 1.0

    @jit.entry_kernel
    def called(x: float) -> float:
        return taken_in(x)

    signature = numba.float64(numba.float64)
    assert address(called, signature) != 0
    made = {each: next(iter(each.overloads.values())).library for each in (taken_in, called)}  # type: ignore[attr-defined]
    assert [library._emitted for library in made.values()] == [False, True]


@compiled
def test_the_garbage_collector_works_again_after_a_kernel_that_cannot_be_compiled() -> None:
    @jit.kernel
    def wrong(x: float) -> float:
        return x.nothing  # type: ignore[attr-defined,no-any-return]

    with pytest.raises(numba.TypingError, match="nothing"):
        wrong(1.0)
    assert gc.isenabled()


def test_compiling_everything_is_said_once(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(assistant.subprocess, "Popen", lambda command, **options: started.append(command))
    monkeypatch.setattr("pliant.system.compile.nothing_compiled", lambda: True)  # a missing or empty folder
    monkeypatch.setattr(assistant, "_expected", set())
    monkeypatch.setattr(assistant, "_helped", set())
    monkeypatch.delenv(assistant.QUIET)
    for _ in range(2):
        pl.compile(pendulum.model())
    assert capfd.readouterr().err == "pliant: compiling kernels, once; this takes some seconds.\n"
    assert [command[-2:] for command in started] == [["dae", "planar"]]
