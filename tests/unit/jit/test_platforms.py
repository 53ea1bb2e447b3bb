"""Differences on Windows: tested from elsewhere, with its modules imitated."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path
from types import ModuleType

import pytest

from pliant.errors import FileError
from pliant.jit import cache
from pliant.studies import store


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")


@pytest.mark.usefixtures("windows")
def test_asking_whether_a_process_lives_does_not_interrupt_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Signal 0 is Ctrl-C there."""
    sent = list[int]()
    monkeypatch.setattr(os, "kill", lambda number, signal: sent.append(number))
    (tmp_path / "a.claim").write_text(f"{socket.gethostname()} 4711")
    assert cache._is_valid_claim(f"{socket.gethostname()} 4711", tmp_path / "a.claim")
    assert sent == []


@pytest.mark.usefixtures("windows")
def test_one_study_writes_into_a_store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    held = list[int]()

    def locking(file: int, way: int, count: int) -> None:
        if held:
            raise PermissionError(13, "Permission denied")
        held.append(file)

    imitated = ModuleType("msvcrt")
    imitated.__dict__.update(locking=locking, LK_NBLCK=2)
    monkeypatch.setitem(sys.modules, "msvcrt", imitated)
    file = store._locked(tmp_path / "lock", tmp_path)
    assert held == [file]
    with pytest.raises(FileError, match="another study is writing"):
        store._locked(tmp_path / "lock", tmp_path)
    os.close(file)


@pytest.mark.usefixtures("windows")
def test_kernels_are_kept_where_windows_keeps_caches(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("PLIANT_CACHE_DIR", raising=False)
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    assert cache.cache_root() == tmp_path / "pliant" / "cache"
