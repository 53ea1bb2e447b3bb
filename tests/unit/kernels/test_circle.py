"""Cosine and sine of kernels beside numpy's in extended precision."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np
import pytest

from pliant.kernels.circle import FARTHEST, cos_sin, cos_sins


@pytest.mark.parametrize("widest", [0.8, 10.0, 1e3, 0.999 * FARTHEST])
def test_right_to_rounding(widest: float) -> None:
    """Also close to the ends and the middles of quarters. The product with 2 / pi rounds a few to the other quarter."""
    apart = np.random.default_rng(1).uniform(-widest, widest, 2000)
    x = np.concatenate([apart, np.round(apart * 4 / pi) * (pi / 4), np.nextafter(np.round(apart / pi) * pi, 0.0)])
    found = np.array([cos_sin(value) for value in x.tolist()])
    wide = x.astype(np.longdouble)
    exact = np.stack([np.cos(wide), np.sin(wide)], axis=1)
    assert np.finfo(np.longdouble).eps < 1e-18
    assert np.abs(found - exact).max() < 1.6e-16


@pytest.mark.parametrize("x", [2e5, -1e9, 1e300, np.inf, np.nan])
def test_what_is_far_is_the_librarys(x: float) -> None:
    if np.isfinite(x):
        assert cos_sin(x) == (cos(x), sin(x))
    else:
        assert np.isnan(cos_sin(x)).all()


def test_many_at_once_are_what_each_is_alone() -> None:
    """Also where one of them is too far for the short way."""
    for far in (3.0, 3e15):
        x, c, s = np.append(np.linspace(-7.0, 7.0, 7), far), np.empty(8), np.empty(8)
        cos_sins(x, c, s)
        np.testing.assert_allclose(c, np.cos(x), atol=3e-16)
        np.testing.assert_allclose(s, np.sin(x), atol=3e-16)
