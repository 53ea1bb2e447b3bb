"""Rotations against scipy's, and the forms in which a user may give one."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import pliant as pl
from pliant.errors import ModelError
from pliant.model import rotations

vectors = st.tuples(*[st.floats(-1.8, 1.8)] * 3).map(np.array)  # up to 3.12 rad, below half a turn


def scipy_quaternion(rotation: Rotation) -> np.ndarray:
    return np.roll(rotation.as_quat(canonical=True), 1)


@settings(derandomize=True, max_examples=100)
@given(vectors, vectors, vectors)
def test_quaternions_do_what_those_of_scipy_do(v: np.ndarray, w: np.ndarray, x: np.ndarray) -> None:
    p, q = rotations.exponential(v), rotations.exponential(w)
    a, b = Rotation.from_rotvec(v), Rotation.from_rotvec(w)
    assert rotations.matrix(p) == pytest.approx(a.as_matrix(), abs=1e-14)
    assert rotations.rotate(p, x) == pytest.approx(a.apply(x), abs=1e-13)
    assert rotations.matrix(rotations.product(p, q)) == pytest.approx((a * b).as_matrix(), abs=1e-14)
    assert rotations.matrix(rotations.conjugate(p)) == pytest.approx(a.inv().as_matrix(), abs=1e-14)
    assert rotations.logarithm(p) == pytest.approx(v, abs=1e-12)
    assert rotations.quaternion(a.as_matrix()) == pytest.approx(scipy_quaternion(a), abs=1e-13)


def test_many_at_once_are_one_by_one() -> None:
    v = np.random.default_rng(0).normal(size=(2, 3, 3))
    p = rotations.exponential(v)
    assert p.shape == (2, 3, 4)
    assert rotations.matrix(p).shape == (2, 3, 3, 3)
    assert rotations.matrix(p)[1, 2] == pytest.approx(Rotation.from_rotvec(v[1, 2]).as_matrix(), abs=1e-14)
    assert rotations.logarithm(p)[0, 1] == pytest.approx(rotations.logarithm(p[0, 1]), abs=1e-15)


@pytest.mark.parametrize("angle", [0.0, 1e-300, 1e-12, math.pi / 2, math.pi - 1e-12, math.pi])
def test_small_and_large_angles(angle: float) -> None:
    v = angle * np.array([0.6, 0.0, 0.8])
    assert rotations.logarithm(rotations.exponential(v)) == pytest.approx(v, abs=1e-12)
    assert rotations.quaternion(Rotation.from_rotvec(v).as_matrix()) == pytest.approx(
        rotations.exponential(v), abs=1e-8
    )


@pytest.mark.parametrize("end", [(0, 0, 1), (0, 0, -1), (0.6, 0.8, 0), (1e-9, 0, -1)])
def test_shortest_turn_between_two_directions(end) -> None:
    end = np.array(end) / np.linalg.norm(end)
    p = rotations.between((0.0, 0.0, 1.0), end)
    assert np.linalg.norm(p) == pytest.approx(1.0)
    assert rotations.rotate(p, (0.0, 0.0, 1.0)) == pytest.approx(end, abs=1e-8)
    angle = np.linalg.norm(rotations.logarithm(p))
    assert angle == pytest.approx(math.acos(end[2]), abs=1e-7)


def test_turns_in_words() -> None:
    assert pl.rotation(x=0.3) == (0.3, 0.0, 0.0)
    assert pl.rotation("y", 0.3) == (0.0, 0.3, 0.0)
    assert pl.rotation((0, 0, 5), 0.3) == (0.0, 0.0, 0.3)
    expected = Rotation.from_euler("ZYX", [0.3, 0.2, 0.1]).as_rotvec()
    assert pl.rotation(z=0.3, y=0.2, x=0.1) == pytest.approx(expected)
    assert pl.rotation("zyx", (0.3, 0.2, 0.1)) == pytest.approx(expected)
    assert pl.rotation("zxz", (0.3, 0.2, 0.1)) == pytest.approx(Rotation.from_euler("ZXZ", [0.3, 0.2, 0.1]).as_rotvec())


def test_orientation_takes_vector_matrix_and_objects() -> None:
    turned = Rotation.from_rotvec([0.1, -0.2, 0.3])
    for form in (
        turned,
        turned.as_matrix(),
        turned.as_matrix().tolist(),
        turned.as_rotvec(),
        tuple(turned.as_rotvec()),
    ):
        marker = pl.Ground().at(0, 0, 0, orientation=form)
        assert marker.orientation == pytest.approx((0.1, -0.2, 0.3), abs=1e-14)
        assert rotations.matrix(marker.turn) == pytest.approx(turned.as_matrix(), abs=1e-14)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pl.rotation(), "give an axis and its angle, or turns by name"),
        (lambda: pl.rotation("x"), "give an axis and its angle"),
        (lambda: pl.rotation("x", 1.0, y=2.0), "give an axis and its angle"),
        (lambda: pl.rotation("w", 1.0), "axis = 'w' is not allowed; it must be one of x, y, z"),
        (lambda: pl.rotation(roll=1.0), "axis = 'roll' .* one of x, y, z"),
        (lambda: pl.rotation("xyz", 1.0), r"angle = 1.0 .* sequence"),
        (lambda: pl.rotation("xyz", (1.0, 2.0)), "as many angles as axes, 3"),
        (lambda: pl.rotation((0, 0, 0), 1.0), "axis = .* not all zero"),
        (lambda: pl.rotation((0, 0), 1.0), "axis = .* 3 numbers"),
        (lambda: pl.rotation(x=math.nan), "x = nan .* finite"),
        (lambda: pl.Ground().at(0, 0, 0, orientation="up"), "orientation = 'up' .* rotation vector of 3 numbers"),
        (lambda: pl.Ground().at(0, 0, 0, orientation=0.5), "orientation = 0.5 .* Try pl.rotation"),
        (lambda: pl.Ground().at(0, 0, 0, orientation=(0, math.inf, 0)), r"orientation\[1\] = inf"),
        (lambda: pl.Ground().at(0, 0, 0, orientation=2 * np.eye(3)), "a rotation matrix: columns of length 1"),
        (lambda: pl.Ground().at(0, 0, 0, orientation=-np.eye(3)), "right-handed"),
        (lambda: pl.Ground().at(0, 0, 0, orientation=[[1, 0, 0], [0, 1], [0, 0, 1]]), "3 x 3 matrix"),
        (lambda: pl.Ground().at(0, 0, angle=0.1, orientation=(0, 0, 1)), "both angle and orientation"),
    ],
)
def test_what_is_no_rotation(make, message) -> None:
    with pytest.raises(ModelError, match=message):
        make()


@pytest.mark.parametrize(
    "turned",
    [
        lambda a, _b, _c: pl.rotation(z=a),
        lambda a, b, c: pl.rotation(z=a, y=b, x=c),
        lambda a, b, c: pl.rotation("zxz", (a, b, c)),
        lambda a, _b, _c: pl.rotation((1.0, 2.0, 2.0), a),
        lambda _a, _b, c: pl.rotation(x=0.2, z=c),
    ],
)
def test_rotations_by_parameters(turned: Callable[..., Any]) -> None:
    values = {"a": 0.3, "b": -0.5, "c": 1.1}
    named = turned(*(pl.Parameter(name, value) for name, value in values.items()))
    places = [pl.Ground().at(0, 0, 0, orientation=each) for each in (named, turned(*values.values()))]
    np.testing.assert_allclose(places[0].orientation, places[1].orientation, atol=1e-14)
    assert set(places[0].made.parameters) <= set(values)
