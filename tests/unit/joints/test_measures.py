"""Measures of two frames: gradients and Hessians against differences of eighth order, where they vanish, and where they
have no direction.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from pliant.joints import rows as kernels
from pliant.kernels import measures, so3
from pliant.kernels.measures.arcs import arc_over_sine
from pliant.model import rotations

NODES = 2
FRAMES = 6 * (NODES + 1)
FIRST = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0.0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
SECOND = np.array([-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560])
STEP = 0.01
PLANE = {"place": measures.PLACE, "turning": measures.TURNING, "distance": measures.DISTANCE, "angle": measures.ANGLE}
SPACE = PLANE | {"crossed": measures.CROSSED, "aligned": measures.ALIGNED, "turned": measures.TURNED}
UPRIGHT = np.eye(3)


def term(kind: int, direction: np.ndarray, arms: np.ndarray, *, spatial: bool) -> kernels.Rows:
    """Return one row of one term between two nodes."""
    width, numbers = (12, 9) if spatial else (6, 2)
    full = np.zeros((1, numbers))
    full[0, : direction.size] = direction
    rows = kernels.Rows(
        row=np.zeros(1, np.uint32),
        kind=np.array([kind], np.uint32),
        factor=np.ones(1),
        dofs=np.arange(width, dtype=np.uint32)[None],
        frames=np.array([[FRAMES, FRAMES + 4]] if spatial else np.empty((1, 0)), np.uint32),
        offsets=arms[None],
        direction=full,
        acts_on_b=np.ones(1, np.uint32),
        slots=np.zeros((1, width * (width + 1) // 2), np.uint32),
        jacobian_slots=np.zeros((1, width), np.uint32),
        offset=np.zeros(1),
        gain=np.zeros(1),
        signal=np.zeros(1, np.uint32),
        period=np.zeros(1),
        weight=np.ones(1),
        softness=np.zeros(1),
        diagonal=np.zeros(1, np.uint32),
        pairs=np.empty((0, 2), np.uint32),
        pair_slots=np.empty((0, width * width), np.uint32),
    )
    return rows


def value(rows: kernels.Rows, q: np.ndarray) -> float:
    out = np.zeros(1)
    kernels.residual(rows, q, np.zeros(1), out)
    return float(out[0])


def evaluated(rows: kernels.Rows, q: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Return value, gradient, and the Hessian as a whole."""
    width = rows.dofs.shape[1]
    jacobian, packed = np.empty(width), np.empty(width * (width + 1) // 2)
    found = kernels.evaluate(rows, 0, q, jacobian, packed)
    lower = np.zeros((width, width))
    lower[np.tril_indices(width)] = packed
    return found, jacobian, lower + np.tril(lower, -1).T


def check(rows: kernels.Rows, q: np.ndarray, moved: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> None:
    """Check that value, gradient and Hessian agree with each other."""
    found, jacobian, hessian = evaluated(rows, q)
    assert found == pytest.approx(value(rows, q), abs=1e-14)
    unit = np.eye(rows.dofs.shape[1])

    def along(step: np.ndarray, weights: np.ndarray) -> float:
        samples = [value(rows, moved(q, k * STEP * step)) for k in range(-4, 5)]
        return float(weights @ samples)

    slopes = [along(e, FIRST) / STEP for e in unit]
    np.testing.assert_allclose(jacobian, slopes, atol=1e-11 * max(1.0, np.abs(jacobian).max()))
    bends = [along(e, SECOND) / STEP**2 for e in unit]
    size = max(1.0, np.abs(hessian).max())
    np.testing.assert_allclose(np.diag(hessian), bends, atol=1e-9 * size)
    for i, e in enumerate(unit):
        for j in range(i):
            both = along(e + unit[j], SECOND) / STEP**2
            assert hessian[i, j] == pytest.approx(0.5 * (both - bends[i] - bends[j]), abs=1e-9 * size)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", PLANE)
def test_derivatives_in_the_plane(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = term(PLANE[name], rng.normal(size=2), rng.uniform(-1.0, 1.0, 4), spatial=False)
    q = rng.uniform(-2.0, 2.0, 6) + [0.0, 0.0, 0.0, 4.0, 0.0, 0.0]
    check(rows, q, lambda q, step: q + step)


def carried(q: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Return a configuration in space after an increment."""
    q = q.copy()
    q[:12] += step
    so3.take_up(q, FRAMES, NODES)
    return q


def configuration(rng: np.random.Generator, turn: np.ndarray) -> np.ndarray:
    """Return two nodes, the second turned against the first by a rotation vector in the first's axes."""
    q = np.zeros(FRAMES + 12)
    q[:18].reshape(3, 6)[:, :3] = rng.normal(size=(3, 3)) + [[0, 0, 0], [4, 0, 0], [0, 0, 0]]
    first = rng.normal(size=4)
    first /= np.linalg.norm(first)
    q[FRAMES:] = np.concatenate([first, rotations.product(first, rotations.exponential(turn)), [1.0, 0.0, 0.0, 0.0]])
    return q


def directions(name: str, rng: np.random.Generator) -> np.ndarray:
    """Return directions of a measure; its joint has the same axes on both nodes: closed if nearly aligned."""
    axes = rotations.matrix(rotations.exponential(rng.normal(size=3)))
    x, y, z = axes.T
    if name == "crossed":
        return np.concatenate([x, y])
    if name == "aligned":
        return np.concatenate([z, np.cross(x, z), z])
    if name in ("angle", "turned"):
        return np.concatenate([x, [1.0, 0.0, 0.0, 0.0]])
    return rng.normal(size=3)


@pytest.mark.parametrize("size", [0.0, 1e-6, 1e-3, 0.05, 0.3, 1.2, 2.4])
@pytest.mark.parametrize("name", SPACE)
def test_derivatives_in_space(name: str, size: float) -> None:
    rng = np.random.default_rng(7)
    turn = rng.normal(size=3)
    q = configuration(rng, size / np.linalg.norm(turn) * turn)
    check(term(SPACE[name], directions(name, rng), rng.normal(size=6), spatial=True), q, carried)


def test_a_pose_that_is_kept_may_be_any(rng: np.random.Generator) -> None:
    kept = rotations.exponential(np.array([0.4, -1.0, 2.0]))
    direction = np.concatenate([rng.normal(size=3), rotations.conjugate(kept)])
    rows = term(measures.TURNED, direction, np.zeros(6), spatial=True)
    assert value(rows, configuration(rng, rotations.logarithm(kept))) == pytest.approx(0.0, abs=1e-15)
    check(rows, configuration(rng, np.array([1.0, 0.2, 0.3])), carried)


def test_rotation_vectors_are_measured_as_such(rng: np.random.Generator) -> None:
    """`turned` gives the parts of the rotation vector; `aligned` gives them across the axis."""
    turn = np.array([0.9, -1.1, 0.7])
    q = configuration(rng, turn)
    parts = [term(measures.TURNED, np.append(e, [1.0, 0, 0, 0]), np.zeros(6), spatial=True) for e in UPRIGHT]
    np.testing.assert_allclose([value(rows, q) for rows in parts], turn, atol=1e-14)
    z = UPRIGHT[2]
    q = configuration(rng, np.array([0.9, -1.1, 0.0]))
    leans = [
        term(measures.ALIGNED, np.concatenate([z, np.cross(c, z), z]), np.zeros(6), spatial=True) for c in UPRIGHT[:2]
    ]
    np.testing.assert_allclose([value(rows, q) for rows in leans], [0.9, -1.1], atol=1e-14)
    q = configuration(rng, np.array([0.0, 0.0, 2.9]))
    angle = term(measures.ANGLE, np.append(z, [1.0, 0, 0, 0]), np.zeros(6), spatial=True)
    assert value(angle, q) == pytest.approx(2.9, abs=1e-14)


def test_an_angle_is_the_same_from_both_ends(rng: np.random.Generator) -> None:
    """An angle of leaning axes changes its sign from the other end, and counts from any direction across the axis."""
    z, lean = np.array([0.0, 0.0, 1.0]), rotations.product(rotations.exponential([0.5, -0.3, 0.0]), [1.0, 0, 0, 0])
    for phi in (0.7, -2.0):
        turn = rotations.product(lean, rotations.exponential(phi * z))
        q = configuration(rng, rotations.logarithm(turn))
        angle = term(measures.ANGLE, np.append(z, [1.0, 0, 0, 0]), np.zeros(6), spatial=True)
        back = angle._replace(
            frames=angle.frames[:, ::-1].copy(), dofs=angle.dofs[:, [*range(6, 12), *range(6)]].copy()
        )
        assert value(angle, q) == pytest.approx(phi, abs=1e-14)
        assert value(back, q) == pytest.approx(-phi, abs=1e-14)
        about = rotations.exponential(1.3 * z)  # both nodes' zero directions turned alike
        first, second = (rotations.product(q[k : k + 4], about) for k in (FRAMES, FRAMES + 4))
        q[FRAMES : FRAMES + 8] = np.concatenate([first, second])
        assert value(angle, q) == pytest.approx(phi, abs=1e-14)


@pytest.mark.parametrize("name", ["aligned", "turned"])
def test_a_part_turned_over_is_not_closed(name: str, rng: np.random.Generator) -> None:
    """The only zero of all parts together is the pose kept: half a turn away they are finite, and not small."""
    z = UPRIGHT[2]
    for miss in (0.0, 1e-12, 1e-9, 1e-7, 1e-4):
        for axis in (UPRIGHT[0], UPRIGHT[1], np.array([0.6, 0.8, 0.0])):
            q = configuration(rng, (np.pi - miss) * axis)
            found = []
            for c in UPRIGHT[:2]:
                data = np.concatenate([z, np.cross(c, z), z] if name == "aligned" else [c, [1.0, 0.0, 0.0, 0.0]])
                one, jacobian, hessian = evaluated(term(SPACE[name], data, np.zeros(6), spatial=True), q)
                assert np.all(np.isfinite(jacobian))
                assert np.all(np.isfinite(hessian))
                found.append(one)
            assert 0.9 * np.pi < np.linalg.norm(found) < 1.5 * np.pi


def test_an_angle_without_meaning_is_finite(rng: np.random.Generator) -> None:
    """Half a turn about an axis across."""
    rows = term(measures.ANGLE, np.append(UPRIGHT[2], [1.0, 0, 0, 0]), np.zeros(6), spatial=True)
    _, jacobian, hessian = evaluated(rows, configuration(rng, np.pi * UPRIGHT[0]))
    assert np.all(np.isfinite(jacobian))
    assert np.all(np.isfinite(hessian))


def test_arc_over_sine_is_smooth_where_its_series_ends() -> None:
    for d in (1.0, 1.0 - 1e-8, 1.0 - 0.02, 0.9, 0.0, -0.99):
        for below, above in zip(arc_over_sine(d - 1e-12), arc_over_sine(min(1.0, d + 1e-12)), strict=True):
            assert below == pytest.approx(above, rel=1e-8)
    np.testing.assert_allclose(arc_over_sine(1.0), [1.0, -1 / 3, 4 / 15], atol=1e-15)
