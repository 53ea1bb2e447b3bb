"""Reduced bodies in space that turn: the gyroscopic moments of their rotary inertia counted twice, with ok.

They do no work, so that energy was kept; angular momentum was not (0.207 instead of 0.25 N m s of this top).
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import pliant as pl

LENGTH, MASS, SPIN_INERTIA = 0.5, 1.0, 0.01
SPIN = np.array([30.0, 2.0, 3.0])  # rad/s about its own axes, x along it


def bar() -> pl.ReducedBody:
    """A stiff bar between two nodes: the matrices of one cubic element."""
    K, M, L = np.zeros((12, 12)), np.zeros((12, 12)), LENGTH
    for rows, stiffness, mass in (((0, 6), 2e7, MASS), ((3, 9), 4e4, SPIN_INERTIA)):
        K[np.ix_(rows, rows)] = stiffness * np.array([[1, -1], [-1, 1]])
        M[np.ix_(rows, rows)] = mass / 6 * np.array([[2, 1], [1, 2]])
    bent = np.array([[12, 6, -12, 6], [6, 4, -6, 2], [-12, -6, 12, -6], [6, 2, -6, 4]])
    moved = np.array([[156, 22, 54, -13], [22, 4, 13, -3], [54, 13, 156, -22], [-13, -3, -22, 4]])
    for rows, sign in (((1, 5, 7, 11), 1.0), ((2, 4, 8, 10), -1.0)):
        arm = np.diag([1.0, sign * L, 1.0, sign * L])
        K[np.ix_(rows, rows)] = 2e4 / L**3 * arm @ bent @ arm
        M[np.ix_(rows, rows)] = MASS / 420 * arm @ moved @ arm
    return pl.reduced_body("bar", {"base": (0, 0, 0), "tip": (L, 0, 0)}, mass=M, stiffness=K)


def euler(_time: float, state: np.ndarray) -> np.ndarray:
    """A rigid top about its fixed end: quaternion (x, y, z, w) and spin in its axes."""
    turn, w = Rotation.from_quat(state[:4]), state[4:]
    J = np.array([SPIN_INERTIA, MASS * LENGTH**2 / 3, MASS * LENGTH**2 / 3])
    weight = turn.inv().apply([0.0, 0.0, -9.81 * MASS])
    moment = np.cross([0.5 * LENGTH, 0.0, 0.0], weight)
    x, y, z, s = state[:4]
    rate = 0.5 * np.array([[s, -z, y], [z, s, -x], [-y, x, s], [-x, -y, -z]]) @ w
    return np.concatenate([rate, (moment - np.cross(w, J * w)) / J])


def test_a_top_precesses_as_euler_says() -> None:
    m, top = pl.Model("top", plane=None), bar()
    ground = m.add(pl.Ground())
    m.add(*top)
    m.add(pl.Spherical(ground.at(0, 0, 0), top.at("base")), pl.Gravity())
    base, tip = (top.at(name).body.name for name in ("base", "tip"))
    push = {base: (0, 0, 0, *SPIN), tip: (*np.cross(SPIN, [LENGTH, 0, 0]), *SPIN)}
    run = pl.transient(pl.compile(m), end_time=0.4, step=5e-4, push=push)
    there = solve_ivp(euler, (0.0, 0.4), [0, 0, 0, 1, *SPIN], rtol=1e-9, atol=1e-11).y[:4, -1]
    expected = Rotation.from_quat(there).apply([LENGTH, 0, 0])
    assert run.outcome.ok
    np.testing.assert_allclose(run.position.sel(marker=top.at("tip").label)[-1], expected, atol=1e-3 * LENGTH)
