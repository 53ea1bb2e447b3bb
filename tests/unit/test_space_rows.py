"""Joint rows in space: gradients and Hessians against differences in the exponential chart."""

from __future__ import annotations

import numpy as np
import pytest

from pliant.joints import rows as kernels
from pliant.kernels import so3

FRAMES = 18  # three nodes of six freedoms, the last of them the ground
KINDS = {
    "point": (kernels.SPACE_POINT, 0),
    "turning point": (kernels.SPACE_POINT, 1),
    "parallel": (kernels.PARALLEL, 0),
    "heading": (kernels.HEADING, 0),
    "distance": (kernels.SPACE_DISTANCE, 0),
}


def configuration(rng: np.random.Generator) -> np.ndarray:
    q = np.zeros(30)
    q[:18].reshape(3, 6)[:, :3] = rng.normal(size=(3, 3))
    turns = rng.normal(size=(3, 4))
    q[FRAMES:] = (turns / np.linalg.norm(turns, axis=1, keepdims=True)).ravel()
    return q


def row(name: str, rng: np.random.Generator) -> kernels.Rows:
    kind, turning = KINDS[name]
    return kernels.Rows(
        kind=np.array([kind], np.uint32),
        dofs=np.arange(12, dtype=np.uint32)[None],
        frames=np.array([[FRAMES, FRAMES + 4]], np.uint32),
        offsets=rng.normal(size=(1, 6)),
        direction=rng.normal(size=(1, 9)),
        turning=np.array([turning], np.uint32),
        offset=np.array([0.3]),
        gain=np.array([0.5]),
        signal=np.array([0], np.uint32),
        weight=np.ones(1),
        softness=np.zeros(1),
        slots=np.zeros((1, 78), np.uint32),
        jacobian_slots=np.zeros((1, 12), np.uint32),
        diagonal=np.zeros(1, np.uint32),
    )


def moved(q: np.ndarray, step: np.ndarray) -> np.ndarray:
    q = q.copy()
    q[:12] += step
    so3.take_up(q, FRAMES, 2)
    return q


@pytest.mark.parametrize("name", KINDS)
def test_gradient_and_hessian_are_those_of_the_value(name: str) -> None:
    rng = np.random.default_rng(3)
    q, rows, u = configuration(rng), row(name, rng), np.array([0.7])
    jacobian, hessian = np.empty(12), np.empty(78)
    value = kernels.evaluate(rows, 0, q, u, jacobian, hessian)
    assert value == pytest.approx(kernels.value(rows, 0, q, u), abs=1e-14)

    def at(step: np.ndarray) -> float:
        return kernels.value(rows, 0, moved(q, step), u)

    unit, h = np.eye(12), 1e-4
    slopes = [(at(1e-6 * e) - at(-1e-6 * e)) / 2e-6 for e in unit]
    np.testing.assert_allclose(jacobian, slopes, atol=1e-8)

    def curvature(a: np.ndarray, b: np.ndarray) -> float:
        return (at(a + b) - at(a - b) - at(b - a) + at(-a - b)) / (4.0 * h * h)

    lower = [curvature(h * unit[i], h * unit[j]) for i in range(12) for j in range(i + 1)]
    np.testing.assert_allclose(hessian, lower, atol=2e-6)  # rounding of second differences: 1e-16 / h^2


def test_no_row_notices_a_rigid_motion_of_everything() -> None:
    rng = np.random.default_rng(4)
    q, u = configuration(rng), np.array([0.7])
    turn = np.array([0.9, 0.1, -0.3, 0.2])
    turn /= np.linalg.norm(turn)
    carried = q.copy()
    for k in range(3):
        x = so3.rotate(tuple(turn), tuple(q[6 * k : 6 * k + 3]))
        carried[6 * k : 6 * k + 3] = np.array(x) + (1.0, 2.0, 3.0)
        carried[FRAMES + 4 * k :][:4] = so3.product(tuple(turn), tuple(q[FRAMES + 4 * k :][:4]))
    for name in ("turning point", "parallel", "heading", "distance"):
        rows = row(name, np.random.default_rng(5))
        assert kernels.value(rows, 0, carried, u) == pytest.approx(kernels.value(rows, 0, q, u), abs=1e-13)


def test_rotations_are_taken_up_and_measured() -> None:
    rng = np.random.default_rng(6)
    q = configuration(rng)
    step = rng.normal(size=12)
    step[3:6] *= 2.0 / np.linalg.norm(step[3:6])  # less than half a turn, so that it can be measured
    step[9:12] *= 1.0 / np.linalg.norm(step[9:12])
    after, back = moved(q, step), np.zeros(12)
    assert not after[3:6].any()
    assert not after[9:12].any()
    so3.apart(q, after, FRAMES, 2, back)
    np.testing.assert_allclose(back, step, atol=1e-14)
