"""Errors of a chaotic motion grow by powers of ten, and the sum of its local errors does not show it.

Triple pendulums in steps of 0.2 ms were ok, their sums of local errors a hundred times below what is allowed, and 0.5
rad off; by "udwadia_kalaba" and "relative", which bound the error of each step, up to 0.6 rad. The reference:
equations written by hand, solved by scipy.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import pliant as pl

STANDARD = 9.81  # m/s^2, as in pl.Gravity()

Rods = tuple[np.ndarray, np.ndarray, np.ndarray]


def rods(seed: int) -> Rods:
    """Return lengths, masses and angles of three uniform rods that hang from each other."""
    rng = np.random.default_rng(seed)
    return rng.uniform(0.5, 1.5, 3), rng.uniform(0.5, 2.0, 3), rng.uniform(-np.pi, np.pi, 3)


def pendulum(length: np.ndarray, mass: np.ndarray, angle: np.ndarray) -> pl.Model:
    m = pl.Model("triple pendulum")
    end = m.add(pl.Ground()).at(0, 0)
    for k in range(3):
        rod = m.add(pl.Link(f"rod {k}", length=length[k], mass=mass[k], angle=angle[k]))
        m.add(pl.Revolute(end, rod.at(s=0)))
        end = rod.at(s=1)
    m.add(pl.Gravity())
    return m


def angles(length: np.ndarray, mass: np.ndarray, angle: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return (instants, 3) angles by Lagrange's equations: the sum over j of A_ij (cos(a_i - a_j) a_j'' + sin(a_i -
    a_j) a_j'^2), with the inertia of rod i about its middle, is -g_i cos a_i.
    """
    reach = np.tril(np.ones((3, 3)), -1) * length + np.diag(length / 2.0)
    inertia, weight = (reach.T * mass) @ reach, STANDARD * reach.T @ mass

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        a, w = y[:3], y[3:]
        between = a[:, None] - a
        push = -(inertia * np.sin(between)) @ w**2 - weight * np.cos(a)
        return np.r_[w, np.linalg.solve(inertia * np.cos(between) + np.diag(mass * length**2 / 12.0), push)]

    span, start = (0.0, times[-1]), np.r_[angle, np.zeros(3)]
    found = solve_ivp(rates, span, start, method="DOP853", rtol=1e-12, atol=1e-13, t_eval=times)
    return found.y[:3].T


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
@pytest.mark.parametrize(
    ("seed", "formulation", "end_time", "step"),
    [
        (6, "dae", 3.5, 2e-4),
        (7, "dae", 3.5, 2e-4),
        (6, "udwadia_kalaba", 6.0, None),
        (6, "relative", 6.0, None),
    ],
)
def test_a_motion_whose_errors_have_grown_is_not_ok(
    seed: int, formulation: str, end_time: float, step: float | None
) -> None:
    data = rods(seed)
    run = pl.transient(pl.compile(pendulum(*data), formulation=formulation), end_time=end_time, step=step)
    off = np.max(np.abs(run.angle.values - angles(*data, run.time.values)))
    assert off > 0.02  # twice what is allowed
    assert [check.name for check in run.outcome.failed] == ["error in time"]
    assert run.outcome.time_error > 0.5 * off


@pytest.mark.parametrize("formulation", ["dae", "udwadia_kalaba"])
def test_a_motion_whose_errors_grow_little_is_ok(formulation: str) -> None:
    data, step = rods(2), 2e-4 if formulation == "dae" else None
    run = pl.transient(pl.compile(pendulum(*data), formulation=formulation), end_time=3.0, step=step)
    off = np.max(np.abs(run.angle.values - angles(*data, run.time.values)))
    assert run.outcome.ok
    assert off <= 1.5 * run.outcome.time_error


def test_the_distance_of_two_motions_is_the_error_where_rounding_has_grown() -> None:
    """Six seconds: two solutions were 0.22 rad apart and 0.19 off, and their order gave a sixtieth of it."""
    data = rods(0)
    with pytest.warns(pl.errors.PliantWarning, match="error in time"):
        run = pl.transient(pl.compile(pendulum(*data)), end_time=6.0, accuracy=1e-2)
    off = np.max(np.abs(run.angle.values - angles(*data, run.time.values)))
    assert not run.outcome.ok
    assert run.outcome.time_error > 0.5 * off > 0.05


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
@pytest.mark.parametrize("step", [0.01, 0.02, 0.025, 1e-3])
def test_steps_that_are_cut_back_tell_no_error(step: float) -> None:
    """A top without weight: its axis moves round its angular momentum at the rate |L| / I, and it turns about
    its axis against that (Euler). It turns so fast that steps of 20 ms are halved, steps of 40 ms quartered: motions
    with steps h and 2 h were the same, and errors up to 0.3 rad ok.
    """
    about, across, spin, wobble = 0.02, 0.01, 30.0, 20.0
    m = pl.Model("top", plane=None)
    m.add(pl.Ground(), pl.Body("top", mass=1.0, inertia=(across, across, about), free=True, orientation=(0, 0, 0)))
    run = pl.transient(pl.compile(m), end_time=1.0, step=step, push={"top": (wobble, 0.0, spin)})
    rate, own = np.array([wobble, 0.0, about / across * spin]), np.array([0.0, 0.0, (1.0 - about / across) * spin])
    turns = [Rotation.from_rotvec(np.outer(run.time.values, each)) for each in (rate, own)]
    found = Rotation.from_quat(run.orientation.values[:, 0][:, [1, 2, 3, 0]])
    off = float(np.max(((turns[0] * turns[1]).inv() * found).magnitude()))
    assert run.outcome.ok == (off < 0.01)
    assert run.outcome.time_error == pytest.approx(off, rel=0.3)
