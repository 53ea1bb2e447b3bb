"""Joint rows in space: rates and reactions against differences, what a rigid motion leaves, and rotations taken up."""

from __future__ import annotations

import numpy as np
import pytest

from pliant.joints import rows as kernels
from pliant.kernels import so3
from pliant.model import rotations
from tests.unit.joints.test_measures import FRAMES, SPACE, carried, configuration, directions, term

U = np.zeros(1)


def row(name: str, rng: np.random.Generator) -> kernels.Rows:
    made = term(SPACE[name], directions(name, rng), rng.normal(size=6), spatial=True)
    return made._replace(factor=np.array([1.3]), offset=np.array([0.2]))


def values(rows: kernels.Rows, q: np.ndarray) -> np.ndarray:
    out = np.zeros(rows.offset.size)
    kernels.residual(rows, q, U, out)
    return out


def value(rows: kernels.Rows, q: np.ndarray) -> float:
    return float(values(rows, q)[0])


def jacobian(rows: kernels.Rows, q: np.ndarray) -> np.ndarray:
    out = np.zeros((1, q.size))
    kernels.jacobian_dense(rows, q, U, out)
    return out[0, :12]


@pytest.mark.parametrize("name", SPACE)
def test_velocity_and_bias_are_those_of_the_value(name: str, rng: np.random.Generator) -> None:
    """Along a motion with constant velocities, rotations in the nodes' own axes."""
    rows, q, v, h = row(name, rng), configuration(rng, np.array([0.5, -0.4, 0.3])), np.zeros(30), 1e-4
    v[:12] = rng.normal(size=12)
    before, now, after = (value(rows, carried(q, t * v[:12])) for t in (-h, 0.0, h))
    rate, bias = np.zeros(1), np.zeros(1)
    kernels.velocity(rows, q, v, U, U, rate)
    kernels.bias(rows, q, v, U, U, bias)
    assert rate[0] == pytest.approx((after - before) / (2.0 * h), rel=1e-6, abs=1e-6)
    assert bias[0] == pytest.approx((after - 2.0 * now + before) / h**2, rel=1e-5, abs=1e-5)
    assert rate[0] == pytest.approx(jacobian(rows, q) @ v[:12], abs=1e-13)


@pytest.mark.parametrize("name", SPACE)
def test_reactions_do_the_work_of_the_multiplier(name: str, rng: np.random.Generator) -> None:
    rows, q, multiplier = row(name, rng), configuration(rng, np.array([0.5, -0.4, 0.3])), 2.7
    out = np.zeros((1, 1, 6))
    kernels.reactions(rows, np.zeros(1, np.uint32), q[None], np.array([[multiplier]]), U[None], out)
    force, moment = out[0, 0, :3], out[0, 0, 3:]
    turn = rotations.matrix(q[FRAMES + 4 : FRAMES + 8])
    whole = moment + np.cross(turn @ rows.offsets[0, 3:], force)
    wanted = -multiplier * jacobian(rows, q)[6:]
    np.testing.assert_allclose([*force, *(turn.T @ whole)], wanted, atol=1e-12)


def between_two_markers(rng: np.random.Generator, names: str) -> kernels.Rows:
    """Build a row for each name, with its own directions and factors; rotations count from one pose or another."""
    arms, made = rng.normal(size=6), []
    poses = [rotations.exponential(0.1 * rng.normal(size=3)) for _ in range(2)]
    for k, name in enumerate(names.split()):
        kind, _, other = name.partition("/")
        own = np.concatenate([rng.normal(size=3), poses[bool(other)] if kind in ("turned", "angle") else []])
        one = term(SPACE[kind], own, arms, spatial=True)
        one = one._replace(slots=kernels.SAME, jacobian_slots=np.full((1, 12), 78, np.uint32))
        made.append(one._replace(row=np.array([k], np.uint32), factor=rng.normal(size=1)))
    return kernels.Rows(*(np.concatenate(each) for each in zip(*made, strict=True)))


def test_rows_that_are_taken_together_push_and_resist_as_each_by_itself(rng: np.random.Generator) -> None:
    """Neighbours of one kind are, if they are linear in their direction and mean the same pose."""
    rows = between_two_markers(
        rng, "place place turned turned turned turned/2 place turning turning angle angle turned turned"
    )
    q, lam = configuration(rng, np.array([0.5, -0.4, 0.3])), rng.normal(size=rows.offset.size)
    force, alone, stiff, gaps = np.zeros(q.size), np.zeros(q.size), np.zeros(79), np.zeros((2, lam.size))
    kernels.add(rows, q, lam, U, kernels.Saddle(0.7, 0.0, force, gaps[0], stiff))
    kernels.push(rows, q, lam, U, alone, gaps[1])
    pushes, resists, gap = np.zeros(12), np.zeros(78), np.zeros(lam.size)
    for k, factor in enumerate(rows.factor):
        slope, bend = np.zeros(12), np.zeros(78)
        gap[k] = factor * kernels.evaluate(rows, k, q, slope, bend)
        pushes += factor * lam[k] * slope
        resists += 0.7 * factor * lam[k] * bend
    np.testing.assert_allclose([*gaps, values(rows, q)], [gap, gap, gap], atol=1e-13)
    np.testing.assert_allclose([force[:12], alone[:12]], [pushes, pushes], atol=1e-13)
    np.testing.assert_allclose(stiff[:78], resists, atol=1e-13)


def test_no_row_notices_a_rigid_motion_of_everything(rng: np.random.Generator) -> None:
    q = configuration(rng, np.array([0.9, 0.2, -0.4]))
    turn = np.array([0.9, 0.1, -0.3, 0.2])
    turn /= np.linalg.norm(turn)
    moved = q.copy()
    for k in range(3):
        x = so3.rotate(tuple(turn), tuple(q[6 * k : 6 * k + 3]))
        moved[6 * k : 6 * k + 3] = np.array(x) + (1.0, 2.0, 3.0)
        moved[FRAMES + 4 * k :][:4] = so3.product(tuple(turn), tuple(q[FRAMES + 4 * k :][:4]))
    for name in set(SPACE) - {"place"}:
        rows = row(name, np.random.default_rng(5))
        assert value(rows, moved) == pytest.approx(value(rows, q), abs=1e-13)


def test_a_period_means_the_nearest(rng: np.random.Generator) -> None:
    rows = row("angle", rng)._replace(period=np.array([0.5]))
    q = configuration(rng, np.array([0.3, 0.1, 1.9]))
    whole = value(rows._replace(period=np.zeros(1)), q)
    assert abs(value(rows, q)) <= 0.25
    assert (whole - value(rows, q)) / 0.5 == pytest.approx(round(whole / 0.5), abs=1e-12)


def test_rotations_are_taken_up_and_measured(rng: np.random.Generator) -> None:
    q = configuration(rng, rng.normal(size=3))
    step = rng.normal(size=12)
    step[3:6] *= 2.0 / np.linalg.norm(step[3:6])  # less than half a turn, so that it can be measured
    step[9:12] *= 1.0 / np.linalg.norm(step[9:12])
    after, back = carried(q, step), np.zeros(12)
    assert not after[3:6].any()
    assert not after[9:12].any()
    so3.apart(q, after, FRAMES, 2, back)
    np.testing.assert_allclose(back, step, atol=1e-14)
