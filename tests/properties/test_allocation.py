"""Allocation against linear programming, scipy's bounded least squares and its own optimum conditions."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, lsq_linear

import pliant as pl

NUMBERS = st.integers(-3, 3).map(float)  # whole numbers: dependent columns and ties are common


@st.composite
def tasks(draw: st.DrawFn) -> dict[str, np.ndarray]:
    """Return a map, bounds, weights, and a wrench that is within reach about half of the time."""
    rows, columns = draw(st.integers(1, 4)), draw(st.integers(1, 7))
    matrix = np.array(draw(st.lists(NUMBERS, min_size=rows * columns, max_size=rows * columns))).reshape(rows, columns)
    low = np.array(draw(st.lists(st.sampled_from([0.0, -1.0, -np.inf]), min_size=columns, max_size=columns)))
    high = np.array(draw(st.lists(st.sampled_from([1.0, 2.0, np.inf]), min_size=columns, max_size=columns)))
    u = np.array(draw(st.lists(st.floats(-2.0, 3.0), min_size=columns, max_size=columns)))
    weights = np.array(draw(st.lists(st.floats(0.2, 5.0), min_size=columns, max_size=columns)))
    return {"wrench": matrix @ u, "map": matrix, "lower": low, "upper": high, "weights": weights}


@settings(max_examples=60, deadline=None)
@given(tasks())
def test_feasible_as_linear_programming_says_and_best_or_nearest(task: dict[str, np.ndarray]) -> None:
    found = pl.allocate(**task)
    low, high, matrix, wrench = task["lower"], task["upper"], task["map"], task["wrench"]
    assert np.all(found.values >= low)
    assert np.all(found.values <= high)
    assert found.residual < 1e-7
    possible = (
        linprog(np.zeros(low.size), A_eq=matrix, b_eq=wrench, bounds=list(zip(low, high, strict=True))).status == 0
    )
    size = max(float(np.linalg.norm(wrench)), 1e-300)
    left = float(np.linalg.norm(found.missing)) / size
    if left > 1e-6 or left < 1e-12:  # between them it is a matter of the programme's own tolerance
        assert found.feasible == possible
    other = lsq_linear(matrix, wrench, bounds=(low, high), tol=1e-12)
    assert np.linalg.norm(found.missing) <= np.linalg.norm(matrix @ other.x - wrench) + 1e-7 * size


@settings(max_examples=30, deadline=None)
@given(tasks(), st.floats(1e-3, 1e3))
def test_units_do_not_matter(task: dict[str, np.ndarray], unit: float) -> None:
    """Forces in other units: the same allocation, in those units."""
    found = pl.allocate(**task)
    scaled = {**task, "wrench": unit * task["wrench"], "lower": unit * task["lower"], "upper": unit * task["upper"]}
    again = pl.allocate(**scaled)
    assert again.feasible == found.feasible
    np.testing.assert_allclose(again.values / unit, found.values, atol=1e-6)
