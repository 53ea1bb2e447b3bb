"""Quaternions and rotation vectors: the series for small angles join the functions they stand for, to rounding."""

from __future__ import annotations

from math import atan2, cos, sin, sqrt

import numpy as np
import pytest

from pliant.kernels import so3

AXIS = (2.0 / 7.0, -3.0 / 7.0, 6.0 / 7.0)
ANGLES = [0.0, 1e-9, 1e-3, 0.19, 0.2, 0.21, sqrt(0.1) - 1e-9, sqrt(0.1) + 1e-9, 1.0, 3.0]


@pytest.mark.parametrize("angle", ANGLES)
def test_exponential(angle: float) -> None:
    exact = cos(0.5 * angle), *(sin(0.5 * angle) * x for x in AXIS)
    found = so3.exponential(tuple(angle * x for x in AXIS))
    np.testing.assert_allclose(found, exact, rtol=0, atol=3e-16)


@pytest.mark.parametrize("angle", ANGLES)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_logarithm_of_either_quaternion(angle: float, sign: float) -> None:
    turn = cos(0.5 * angle), *(sin(0.5 * angle) * x for x in AXIS)
    found = so3.logarithm(tuple(sign * x for x in turn))
    np.testing.assert_allclose(found, [angle * x for x in AXIS], rtol=4e-16, atol=1e-300)


@pytest.mark.parametrize("square", [1e-300, 1e-6, 0.00999, 0.01, 0.0101, 0.9])
def test_stretched_arc(square: float) -> None:
    sine, cosine = sqrt(square), sqrt(1.0 - square)
    assert so3.stretched_arc(square, cosine) == pytest.approx(atan2(sine, cosine) / sine, rel=4e-16)
