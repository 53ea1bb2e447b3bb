"""Every joint, in the plane and in space: derivatives of its rows, its reactions, and what a rigid motion leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.joints import rows as kernels
from pliant.model import Joint, kinds, rotations
from pliant.system.assembly.assembly import measure
from pliant.system.assembly.frames import Frames
from pliant.system.assembly.planar_frames import PlanarFrames
from pliant.system.assembly.spatial_frames import SpatialFrames
from pliant.system.packing.joint_rows import pack

kinds.load_all()
JOINTS = sorted(
    (kind for kind in kinds.kinds_of(Joint) if kind.__module__.startswith("pliant.")), key=lambda kind: kind.__name__
)
ARGUMENTS: dict[str, dict[str, Any]] = {
    "Motion": {"angle": 0.3},
    "Screw": {"pitch": 0.2},
    "Distance": {"length": 1.1},
    "Gear": {"teeth_a": 17, "teeth_b": 23},
    "Winch": {"radius": 0.3},
}
THIRD = {"Gear": "carrier", "Parallelogram": "carrier", "Pulley": "over", "Winch": "exit"}
CASES = [(kind, space == "spatial") for kind in JOINTS for space in kind.spaces()]
NAMES = [f"{kind.__name__} in {'space' if spatial else 'the plane'}" for kind, spatial in CASES]
every_joint = pytest.mark.parametrize(("kind", "spatial"), CASES, ids=NAMES)
U = np.zeros(1)


def example(kind: type[Joint], spatial: bool) -> tuple[Frames, Joint]:
    """Return the joint between two of three bodies, with markers anywhere on the bodies."""
    m, rng = pl.Model("m", plane=None if spatial else "xy"), np.random.default_rng(5)
    bodies = [m.add(pl.Body(name, mass=1.0, inertia=1.0, free=True)) for name in ("one", "other", "third")]

    def on(body: Any) -> Any:
        if spatial:
            return body.at(*rng.normal(size=3), orientation=tuple(rng.normal(size=3)))
        return body.at(*rng.normal(size=2), angle=float(rng.normal()))

    a, b, third = (on(body) for body in bodies)
    name = kind.__name__
    joint = m.add(kind(a, b, **ARGUMENTS.get(name, {}), **({THIRD[name]: third} if name in THIRD else {})))
    return (SpatialFrames if spatial else PlanarFrames)(m), joint


def rows_of(frames: Frames, joint: Joint, pose: np.ndarray) -> kernels.Rows:
    return pack([joint], frames, measure(frames, [joint], pose, closed=True), 1.0, lambda *_: 0)[0]


def random_pose(frames: Frames, rng: np.random.Generator) -> np.ndarray:
    n = frames.space.width * len(frames.bodies)
    return frames.space.move(frames.space.still(len(frames.bodies)), rng.normal(size=n))


def value(rows: kernels.Rows, q: np.ndarray) -> np.ndarray:
    out = np.zeros(rows.offset.size)
    kernels.residual(rows, q, U, out)
    return out


def jacobian(rows: kernels.Rows, q: np.ndarray) -> np.ndarray:
    out = np.zeros((rows.offset.size, q.size))
    kernels.jacobian_dense(rows, q, U, out)
    return out


def along(rows: kernels.Rows, frames: Frames, q: np.ndarray, v: np.ndarray) -> Callable[[float], np.ndarray]:
    return lambda t: value(rows, frames.space.move(q, t * v))


@every_joint
def test_rates_and_bias_are_those_of_the_rows(kind: type[Joint], spatial: bool, rng: np.random.Generator) -> None:
    frames, joint = example(kind, spatial)
    q, h = random_pose(frames, rng), 1e-4
    rows, n = rows_of(frames, joint, q), frames.space.width * len(frames.bodies)
    v = np.zeros(q.size)
    v[:n] = rng.normal(size=n)
    at = along(rows, frames, q, v[:n])
    rate, bias = np.zeros((2, rows.offset.size))
    kernels.velocity(rows, q, v, U, U, rate)
    kernels.bias(rows, q, v, U, U, bias)
    np.testing.assert_allclose(rate, jacobian(rows, q)[:, :n] @ v[:n], atol=1e-13)
    np.testing.assert_allclose(rate, (at(h) - at(-h)) / (2.0 * h), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(bias, (at(h) - 2.0 * at(0.0) + at(-h)) / h**2, rtol=1e-5, atol=1e-5)


@every_joint
def test_forces_on_all_parts_balance(kind: type[Joint], spatial: bool, rng: np.random.Generator) -> None:
    """A rigid motion of everything changes no row, once closed: no resultant, no moment of all forces."""
    frames, joint = example(kind, spatial)
    q, width = random_pose(frames, rng), frames.space.width
    if {"x", "y"} <= set(joint.locks):  # such rows are along axes of the ground: closed points feel no moment
        q[:width] = 0.0
        arms = frames.arm(joint.a), frames.arm(joint.b)
        q[width : 2 * width] = 0.0
        if spatial:
            q[frames.space.frames(3) :].reshape(-1, 4)[:2] = rotations.IDENTITY
        q[width : width + len(arms[0])] = np.subtract(*arms)
    gradient, count = jacobian(rows_of(frames, joint, q), q), len(frames.space.axes)
    total = sum(gradient[:, width * k : width * k + count] for k in range(3))
    np.testing.assert_allclose(total, 0.0, atol=1e-13)
    moment: Any = 0.0
    for k in range(3):
        force, couple = np.split(gradient[:, width * k : width * (k + 1)], [count], axis=1)
        x = q[width * k : width * k + count]
        if spatial:
            turn = rotations.matrix(q[frames.space.frames(3) :].reshape(-1, 4)[k])
            moment = moment + np.cross(x, force) + couple @ turn.T
        else:
            moment = moment + x[0] * force[:, 1] - x[1] * force[:, 0] + couple[:, 0]
    np.testing.assert_allclose(moment, 0.0, atol=1e-12)


@every_joint
def test_what_is_kept_as_assembled_is_closed(kind: type[Joint], spatial: bool, rng: np.random.Generator) -> None:
    frames, joint = example(kind, spatial)
    q = random_pose(frames, rng)
    told = [isinstance(condition.kept, str) for condition in joint.conditions(spatial)]
    left = value(rows_of(frames, joint, q), q)[told]
    assert np.abs(left).max(initial=0.0) < 1e-12  # some joints keep nothing as assembled
