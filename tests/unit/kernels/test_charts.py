"""Rotations as coordinates within a step."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from pliant.kernels import charts

SIZES = (0.0, 1e-3, 0.2, 0.32, 1.4, 2.5)  # rad, on both sides of where series end


def rotation_vector(size: float) -> np.ndarray:
    """Return a rotation vector of a size."""
    direction = np.array([0.3, -0.8, 0.5])
    return size * direction / np.linalg.norm(direction)


@pytest.mark.parametrize("size", SIZES)
def test_the_rate_of_an_increment_is_that_of_the_rotation(size: float) -> None:
    """R exp(theta) after a short time, from theta' and from the angular velocity."""
    theta, w, h = rotation_vector(size), np.array([0.7, 0.4, -0.9]), 1e-4
    found = [(Rotation.from_rotvec(theta) * Rotation.from_rotvec(sign * h * w)).as_rotvec() for sign in (1.0, -1.0)]
    np.testing.assert_allclose(charts.rate(tuple(theta), tuple(w)), (found[0] - found[1]) / (2.0 * h), atol=1e-7)
    np.testing.assert_allclose(charts.spin(tuple(theta), charts.rate(tuple(theta), tuple(w))), w, atol=1e-14)


@pytest.mark.parametrize("size", SIZES)
def test_second_derivatives_of_increments(size: float) -> None:
    theta, w, push, h = rotation_vector(size), np.array([0.7, 0.4, -0.9]), np.array([-0.2, 1.1, 0.6]), 1e-4
    turn = np.array(charts.rate(tuple(theta), tuple(w)))
    after, before = (charts.rate(tuple(theta + s * h * turn), tuple(w + s * h * push)) for s in (1.0, -1.0))
    found = charts.bend(tuple(theta), tuple(turn), tuple(w), tuple(push))
    np.testing.assert_allclose(found, (np.array(after) - before) / (2.0 * h), atol=1e-7)


def test_series_meet_the_closed_forms() -> None:
    for y in (0.0999999, 0.1000001):
        (c, slope), (reference, steep) = charts.cotangent(y), charts.cotangent(0.1)
        assert abs(c - reference) < 1e-8
        assert abs(slope - steep) < 1e-8
