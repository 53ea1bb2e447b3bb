"""Modules that are imported when they are needed, and the collector of garbage meanwhile."""

from __future__ import annotations

import gc
import sys
from types import ModuleType

import pytest

from pliant import _lazy


@pytest.mark.parametrize(
    ("made", "modules", "left_alone"),
    [(0, 1, True), (0, 0, False), (_lazy.FEW, 1, False)],
    ids=["young", "nothing imported", "at work"],
)
def test_what_a_young_process_imports_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, made: int, modules: int, left_alone: bool
) -> None:
    frozen: list[bool] = []
    monkeypatch.setattr(gc, "freeze", lambda: frozen.append(True))
    monkeypatch.setattr(_lazy, "_settled", sys.getallocatedblocks() - made)
    gc.enable()
    with _lazy.uncollected():
        assert not gc.isenabled()
        for k in range(modules):
            monkeypatch.setitem(sys.modules, f"imported {k}", ModuleType("imported"))
        with _lazy.uncollected():  # of a module that imports others
            pass
        assert not frozen
    assert gc.isenabled()
    assert bool(frozen) == left_alone
