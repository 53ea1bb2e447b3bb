"""First order that is 30 % wrong agreed with up to 64 samples, whose own error was let off."""

from __future__ import annotations

from math import exp

import pytest
from scipy import stats

import pliant as pl


@pytest.mark.parametrize("samples", [2, 16, 64])
def test_a_curve_is_seen(samples: int) -> None:
    """exp(x) scatters by 1.02, in first order by 0.7; x scatters as it does, however many samples there are."""
    to = {"x": stats.norm(0.0, 0.7)}
    curved = pl.uncertainty(lambda x: exp(x), to=to, samples=samples)
    assert not curved.ok
    assert "first order is off by" in curved.outcome.message
    assert pl.uncertainty(lambda x: 3.0 * x, to=to, samples=samples).ok is (samples >= 16)


def test_arguments_that_are_not_the_parameters_are_named() -> None:
    """The message was that to= is not allowed."""
    with pytest.raises(pl.errors.OptionError, match="cannot be called with y="):
        pl.uncertainty(lambda x: x, to={"y": (0.0, 1.0)})
