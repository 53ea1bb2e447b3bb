"""Bundles: what kernels are given as one pointer."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numba
import numpy as np
import pytest

from pliant.jit import kernel, lazy_kernel
from pliant.jit.bundle import Bundle
from pliant.jit.fingerprint import signature_words
from pliant.solvers.stepping.drivers import new_record

compiling = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")  # type: ignore[attr-defined]
TALLY = np.dtype([("calls", np.int64), ("total", np.float64)])


class Inner(Bundle):
    """A bundle in a bundle."""

    table: np.ndarray
    indices: np.ndarray


class Outer(Bundle):
    """One field of every kind."""

    inner: Inner
    values: np.ndarray
    count: int
    factor: float
    flag: bool
    tally: Any


class Turned(Bundle):
    """The fields of Inner, the other way round."""

    indices: np.ndarray
    table: np.ndarray


@kernel
def total(x: Outer) -> float:
    """Read every field, change an array and a record."""
    result = 0.0
    for i in range(x.count):
        x.values[i] *= x.factor
        result += x.values[i] + x.inner.table[i, 1] * x.inner.indices[i]
    x.tally.calls += 1
    x.tally.total += result
    return result if x.flag else -result


def outer(**changed: Any) -> Outer:
    inner = Inner(table=np.arange(6.0).reshape(3, 2), indices=np.array([1, 10, 100], np.uint32))
    return Outer(inner, np.ones(3), count=3, factor=2.0, flag=True, tally=new_record(TALLY))._replace(**changed)


def test_every_kind_of_field_is_read() -> None:
    x = outer()
    assert total(x) == 3 * 2.0 + 1.0 + 30.0 + 500.0
    assert total(x._replace(flag=False, factor=0.5)) == -(3 * 1.0 + 531.0)
    assert (x.tally.calls, x.tally.total) == (2, 537.0 + 534.0)


def test_arrays_that_do_not_lie_in_one_piece() -> None:
    column = np.arange(12.0).reshape(3, 4)[:, 2]
    assert total(outer(values=column)) == 2.0 * (2.0 + 6.0 + 10.0) + 531.0
    table = np.asfortranarray(np.arange(6.0).reshape(3, 2))
    assert total(outer(inner=outer().inner._replace(table=table))) == 537.0


def test_a_copy_has_arrays_of_its_own() -> None:
    x = outer()
    for other in (copy.deepcopy(x), pickle.loads(pickle.dumps(outer(tally=None)))):
        assert other.values is not x.values
        other.values[0] = 7.0
        assert x.values[0] == 1.0


def test_fields_do_not_change() -> None:
    with pytest.raises(AttributeError):
        outer().count = 4  # type: ignore[misc]


@compiling
def test_types_tell_fields_apart() -> None:
    inner = outer().inner
    other = Turned(inner.indices, inner.table)
    words = {signature_words(numba.typeof(each)) for each in (inner, other, inner._replace(table=np.zeros(3)))}
    assert len(words) == 3
    assert numba.typeof(inner) is numba.typeof(outer().inner)


@compiling
def test_an_unknown_field_is_refused() -> None:
    @kernel
    def wrong(x: Outer) -> float:
        return x.nothing  # type: ignore[attr-defined,no-any-return]

    with pytest.raises(numba.TypingError, match="nothing"):
        wrong(outer())


@lazy_kernel
def rarely(x: Inner, factor: float) -> float:
    """Return a kernel that is compiled when it is first called."""
    return factor * x.table[2, 1]


@lazy_kernel
def never(x: Inner) -> float:
    """Return a kernel that cannot be compiled."""
    return x.nothing  # type: ignore[attr-defined,no-any-return]


@kernel
def perhaps(x: Inner, which: int) -> float:
    """Call one of the two, or none."""
    if which == 1:
        return rarely(x, 3)
    return never(x) if which == 2 else 0.0


@compiling
def test_a_lazy_kernel_is_compiled_at_its_first_call(capsys: pytest.CaptureFixture[str]) -> None:
    inner = outer().inner
    assert perhaps(inner, 0) == 0.0
    assert not rarely.overloads  # type: ignore[attr-defined]
    assert perhaps(inner, 1) == 15.0
    assert rarely.overloads  # type: ignore[attr-defined]
    with pytest.raises(RuntimeError, match=r"test_bundle\.never could not be compiled"):
        perhaps(inner, 2)
    assert "nothing" in capsys.readouterr().err
