"""Allocation: bounds, preferences, names, and what it says of a wrench out of reach."""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl
from pliant.errors import OptionError

TENDONS = pl.WrenchMap(
    ("Fx", "Fy"), ("left", "right", "up"), np.array([[-1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), np.zeros(3)
)


def test_without_bounds_it_is_the_weighted_pseudo_inverse() -> None:
    random = np.random.default_rng(1)
    matrix, weights, wrench = random.normal(size=(3, 6)), random.uniform(0.5, 2.0, 6), random.normal(size=3)
    found = pl.allocate(wrench, matrix, lower=-np.inf, weights=weights)
    cheap = np.diag(weights**-2.0)
    np.testing.assert_allclose(found.values, cheap @ matrix.T @ np.linalg.solve(matrix @ cheap @ matrix.T, wrench))
    assert found.feasible
    assert not found.active
    assert found.residual < 1e-12


def test_tension_stays_positive_and_pretension_is_kept() -> None:
    found = pl.allocate({"Fx": 3.0}, TENDONS, upper=10.0, preferred={"left": 5.0, "right": 5.0})
    np.testing.assert_allclose(found.values, [3.5, 6.5, 0.0], atol=1e-12)
    assert found["right"] == pytest.approx(6.5)
    pushed = pl.allocate({"Fx": 30.0}, TENDONS, upper=100.0, preferred=5.0)
    np.testing.assert_allclose(pushed.values, [0.0, 30.0, 0.0], atol=1e-9)
    assert pushed.active == {"left": "lower", "up": "lower"}
    assert pushed.feasible


def test_out_of_reach_says_how_far_and_what_to_widen() -> None:
    found = pl.allocate({"Fx": 30.0, "Fy": -2.0}, TENDONS, upper=10.0)
    assert not found.feasible
    np.testing.assert_allclose(found.reached, [10.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(found.missing, [20.0, -2.0], atol=1e-12)
    assert "out of reach" in found.message
    assert "Fx 20" in found.message
    assert "Fy -2" in found.message
    assert "left at its lower bound, right at its upper bound, up at its lower bound" in found.message
    assert "widen the bounds of left, right, up" in str(found)


def test_what_no_actuator_does_is_told() -> None:
    found = pl.allocate([1.0, 1.0], [[1.0, 2.0], [0.0, 0.0]])
    assert not found.feasible
    assert "no actuator acts that way" in found.message
    np.testing.assert_allclose(found.reached, [1.0, 0.0], atol=1e-12)


def test_nearest_wrench_is_measured_by_its_weights() -> None:
    """One actuator makes both components; the heavier one is met more closely."""
    for heavy, share in ((1.0, 0.5), (10.0, 100.0 / 101.0)):
        found = pl.allocate([1.0, 0.0], [[1.0], [1.0]], wrench_weights=[heavy, 1.0])
        assert found.values[0] == pytest.approx(share)


def test_null_space_makes_no_wrench_and_keeps_its_own() -> None:
    projector = TENDONS.null_space([1.0, 2.0, 1.0])
    assert np.max(np.abs(TENDONS.matrix @ projector)) < 1e-14
    np.testing.assert_allclose(projector @ projector, projector, atol=1e-14)
    np.testing.assert_allclose(TENDONS.matrix @ TENDONS.inverse(), np.eye(2), atol=1e-14)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"wrench": [1.0]}, "wrench has 1 components; the map has 2: Fx, Fy"),
        ({"wrench": {"Fz": 1.0}}, "there is no 'Fz'"),
        ({"wrench": [np.nan, 0.0]}, "finite"),
        ({"map": [[1.0, np.inf]]}, "map="),
        ({"map": "map"}, "map="),
        ({"lower": 2.0, "upper": 1.0}, "bounds of 'left': lower = 2 is above upper = 1"),
        ({"upper": {"rihgt": 1.0}}, "Did you mean right"),
        ({"upper": [1.0, 2.0]}, "upper="),
        ({"lower": np.nan}, "lower holds nan"),
        ({"lower": [0.0, np.inf, 0.0]}, "bounds of 'right': inf to inf leave no finite value"),
        ({"map": pl.WrenchMap(("Fx", "Fy"), ("a",), np.ones((3, 1)), np.zeros(1))}, r"its shape is \(3, 1\)"),
        ({"map": pl.WrenchMap(("Fx", "Fy"), ("a",), np.full((2, 1), np.nan), np.zeros(1))}, "finite numbers"),
        ({"preferred": np.inf}, "preferred holds inf"),
        ({"weights": [1.0, 0.0, 1.0]}, "weights of 'right' must be positive"),
        ({"wrench_weights": -1.0}, "wrench_weights of 'Fx'"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        pl.allocate(**{"wrench": [1.0, 1.0], "map": TENDONS, **arguments})  # type: ignore[arg-type]
