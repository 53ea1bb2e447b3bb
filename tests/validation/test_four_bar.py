"""The four-bar case and its model."""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl
from pliant.errors import OptionError
from pliant_gallery import four_bar
from pliant_testing import validation


def test_case_holds() -> None:
    report = validation.run("fourbar")
    assert [row for row in report.rows if not row.ok] == []


def test_model_is_that_of_table_2_2() -> None:
    m = four_bar.model()
    inertia = [m.part(name).inertia for name in ("crank", "coupler", "rocker")]
    np.testing.assert_allclose(inertia, [0.0012, 0.020833, 0.003008], atol=5e-7)
    start = pl.transient(pl.compile(m), end_time=1e-3, step=1e-3)
    assert float(start.angle.sel(body="crank")[0]) == pytest.approx(0.0, abs=1e-15)


def test_both_couplers_start_alike_and_rest_near_one_another() -> None:
    flexible = pl.compile(four_bar.model(coupler="flexible", damping=0.01), elements=8)
    rigid = pl.compile(four_bar.model())
    swung = pl.transient(flexible, end_time=0.2, step=1e-3)
    one, other = pl.statics(flexible, start=swung), pl.statics(rigid)
    np.testing.assert_allclose(one.angle, other.angle, atol=5e-3)
    assert one.outcome.stable
    assert other.outcome.stable


def test_unknown_coupler_is_refused() -> None:
    with pytest.raises(OptionError, match="choose 'rigid' or 'flexible'"):
        four_bar.model(coupler="wooden")
