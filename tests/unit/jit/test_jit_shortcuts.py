"""Shortcuts in compiling give the code that numba gives without them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

from pliant.jit import FLAGS, shortcuts
from pliant.jit.link import Kernel
from pliant.linalg import ldl

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="plain Python is not compiled")

rng = np.random.default_rng(5)
LINE, SHEET = rng.standard_normal(7), rng.standard_normal((4, 5))
BLOCK, PLACES = rng.standard_normal((3, 2, 4)), np.array([3, 0, 2], np.uint32)


def _elements(line: Any, sheet: Any, block: Any, places: Any) -> Any:
    """Read elements by numbers of every kind, from the end too, of whole and of strided arrays."""
    total = line[-1] + line[2] * sheet[1, -2] - sheet[-1][3]
    for k in range(-3, 3):
        total += line[k] * block[k, -1, 0] + sheet[::2, 1:][-1, k]
    for place in places:
        total -= sheet[place, place] * line[place]
        line[place] = total
        sheet[place, -1] += 2
    line[-2] = 3
    return total


def _rest(line: Any, sheet: Any, block: Any, places: Any) -> Any:
    """Use whole arrays, lists, closures, numbers of several kinds, errors."""
    weights = np.array([float(k) for k in range(len(line))])
    if len(line) > 99:
        raise ValueError("too long")

    def square(x: float) -> float:
        return x * x

    flags = line > 0.0
    line[:] = np.sqrt(np.abs(line)) + weights * square(1.5)
    counts = [places[0], places[1]]
    return line[0] + sheet[0].max() + flags[2] + len(counts) + max(3, len(line)) + (True and 2)


def _made(function: Callable[..., Any], *, usable: bool, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return a function's result and its changed arguments, compiled with shortcuts or without."""
    monkeypatch.setattr(shortcuts, "usable", usable)
    kernel = Kernel(function, FLAGS | {"_nrt": True})
    arrays = [each.copy() for each in (LINE, SHEET, BLOCK, PLACES)]
    return [float(kernel(*arrays)), *(each.tolist() for each in arrays)]


@pytest.mark.parametrize("function", [_elements, _rest])
def test_results_are_those_of_numba_and_of_python(
    function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = _made(function, usable=True, monkeypatch=monkeypatch)
    assert quick == _made(function, usable=False, monkeypatch=monkeypatch)
    arrays = [each.copy() for each in (LINE, SHEET, BLOCK, PLACES)]
    assert quick[0] == pytest.approx(float(function(*arrays)), rel=1e-13)
    for ours, theirs in zip(quick[1:], arrays, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-13)


def test_they_are_taken_with_this_numba_and_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shortcuts.usable
    before = [getattr(owner, name) for owner, name, _ in shortcuts._EXCHANGED]
    with pytest.raises(numba.core.errors.TypingError):
        _made(lambda line, sheet, block, places: line.nothing(), usable=True, monkeypatch=monkeypatch)
    after = [getattr(owner, name) for owner, name, _ in shortcuts._EXCHANGED]
    assert all(one is other for one, other in zip(before, after, strict=True))


def test_a_factorisation_has_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    root = rng.standard_normal((12, 12))
    count = len(root)
    pattern = ldl.analyse(count, [np.arange(count)[None]], np.zeros(count, bool), np.arange(count) // 3)
    i, j = np.tril_indices(count)
    stored = np.zeros(pattern.storage)
    stored[ldl.slots(pattern, i, j)] = (root @ root.T)[i, j]
    eliminate: Any = ldl._eliminate
    factors = []
    for usable in (True, False):
        monkeypatch.setattr(shortcuts, "usable", usable)
        s, terms = stored.copy(), np.abs(stored[:count])
        assert Kernel(eliminate.py_func, FLAGS | {"_nrt": False})(pattern, s, terms, 0)[2] == -1
        factors.append(np.concatenate([s, terms]))
    np.testing.assert_array_equal(factors[0], factors[1])
    np.testing.assert_allclose(np.prod(1 / factors[0][:count]), np.linalg.det(root) ** 2, rtol=1e-9)
