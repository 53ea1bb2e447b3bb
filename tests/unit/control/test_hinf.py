"""H-infinity against closed forms, against LQG at high levels, the gain of the loop over frequencies."""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl
from pliant.control.design.hinf import _Standard
from pliant.errors import OptionError, SingularError

LAG = pl.LinearModel([[0.0]], [[1.0]], [[1.0]], [[0.0]])
WORDS = {"outputs": {"y1": 1.0}, "inputs": {"u1": 1.0}, "process_noise": {"u1": 1.0}, "measurement_noise": {"y1": 1.0}}
CARTS = pl.LinearModel(
    [[0, 1, 0, 0], [-5, -0.01, 5, 0], [0, 0, 0, 1], [5, 0, -5, -0.01]],
    [[0, 0], [1, 0], [0, 0], [0, 2]],
    np.eye(4),
    np.zeros((4, 2)),
)
NAMED = {
    "outputs": {"y1": 3.0, "y3": 1.0, "y4": 0.1},
    "inputs": {"u1": 0.5},
    "process_noise": {"u1": 0.3, "u2": 0.7},
    "measurement_noise": {"y1": 0.1, "y3": 0.2},
}


def unstable(a: float) -> pl.LinearModel:
    return pl.LinearModel([[a]], [[1.0]], [[1.0]], [[0.0]])


@pytest.mark.parametrize("a", [-1.0, 0.0, 0.7, 2.0])
def test_the_least_level_of_one_state_is_that_of_its_equations(a: float) -> None:
    """Both are 2 a X + X^2 (1/g^2 - 1) + 1 = 0, and at the least level X = g: (1 + a g) 2 = g^2."""
    found = pl.hinf(unstable(a), **WORDS, sample_time=1e-3)
    assert found.least == pytest.approx(a + np.sqrt(a * a + 2.0), rel=2e-4)
    assert found.level == pytest.approx(1.1 * found.least)


def closed(compensator: pl.LinearModel) -> tuple[np.ndarray, ...]:
    """Return A, B, C of the carts' loop from w to z, by hand."""
    A, B, C, n = CARTS.A, CARTS.B, CARTS.C[[0, 2]], 4
    whole = np.block([[A, B[:, :1] @ compensator.C], [compensator.B @ C, compensator.A]])
    enters = np.block(
        [[B * (0.3, 0.7), np.zeros((n, 2))], [np.zeros((n, 2)), compensator.B * (0.1, 0.2)]],
    )
    weighed = np.sqrt([3.0, 1.0, 0.1])[:, None] * CARTS.C[[0, 2, 3]]
    leaves = np.block([[weighed, np.zeros((3, n))], [np.zeros((1, n)), np.sqrt(0.5) * compensator.C]])
    return whole, enters, leaves


def largest(compensator: pl.LinearModel) -> float:
    """Return the largest singular value of the loop over frequencies."""
    A, B, C = closed(compensator)
    answers = (C @ np.linalg.solve(1j * w * np.eye(len(A)) - A, B) for w in np.geomspace(1e-3, 1e3, 4000))
    return max(float(np.linalg.norm(answer, 2)) for answer in answers)


@pytest.mark.parametrize("slack", [1.01, 1.1, 2.0])
def test_the_worst_case_is_within_the_level_and_no_better_than_the_least(slack: float) -> None:
    found = pl.hinf(CARTS, **NAMED, sample_time=1e-3, slack=slack)
    worst = largest(found.compensator)
    assert np.max(np.linalg.eigvals(closed(found.compensator)[0]).real) < 0.0
    assert found.least * (1.0 - 2e-4) <= worst <= found.level


def test_it_is_better_in_the_worst_case_than_lqg() -> None:
    lqg = _Standard.of(CARTS, *NAMED.values()).central(1e7)
    as_model = pl.LinearModel(lqg.A + lqg.B @ lqg.C, lqg.L, lqg.C, np.zeros((1, 2)))
    assert largest(pl.hinf(CARTS, **NAMED, sample_time=1e-3, slack=1.01).compensator) < 0.97 * largest(as_model)


def test_at_high_levels_it_is_lqg() -> None:
    far = _Standard.of(CARTS, *NAMED.values()).central(1e7)
    gain = pl.lqr(CARTS, outputs=NAMED["outputs"], inputs=NAMED["inputs"])
    seen = pl.kalman(CARTS, process_noise=NAMED["process_noise"], measurement_noise=NAMED["measurement_noise"])
    np.testing.assert_allclose(far.C, -gain.K, rtol=1e-9)
    np.testing.assert_allclose(far.L, seen.L, rtol=1e-9)


def test_the_level_is_that_of_slycot() -> None:
    pytest.importorskip("slycot", reason="python-control's H-infinity needs slycot")
    import control

    A, B, C = CARTS.A, CARTS.B, CARTS.C
    enters = np.hstack([B * (0.3, 0.7), np.zeros((4, 2)), B[:, :1]])
    leaves = np.vstack([np.sqrt([3.0, 1.0, 0.1])[:, None] * C[[0, 2, 3]], np.zeros((1, 4)), C[[0, 2]]])
    D = np.zeros((6, 5))
    D[3, 4], D[4:, 2:4] = np.sqrt(0.5), np.diag([0.1, 0.2])
    level = control.hinfsyn(control.ss(A, enters, leaves, D), 2, 1)[2]
    assert pl.hinf(CARTS, **NAMED, sample_time=1e-3).least == pytest.approx(level, rel=1e-2)


def test_its_samples_hold_what_the_continuous_one_does() -> None:
    """A body on a slide moves, let go away from its place; fast samples are as good as none."""
    m = pl.Model("mass")
    ground, body = m.add(pl.Ground(), pl.Body("mass", mass=1.0, inertia=1.0))
    m.add(pl.Prismatic(ground.at(0, 0), body.at(0, 0)), pl.Force(body.at(0, 0), x=0.0, name="motor"))
    place = "position:mass(0, 0):x"
    system = pl.compile(m)
    plant = pl.linearise(system, inputs=["motor/x"], outputs=[place])
    words = {"outputs": {place: 4.0}, "inputs": {"motor/x": 1.0}, "process_noise": {"motor/x": 1.0}}
    found = pl.hinf(plant, **words, measurement_noise={place: 0.1}, sample_time=1e-3)
    run = pl.transient(system, end_time=4.0, step=1e-3, controller=found.controller, push={"mass": (1.0, 0.0, 0.0)})
    x = run.position.sel(marker="mass(0, 0)", axis="x").values
    loop = np.block([[plant.A, plant.B @ found.compensator.C], [found.compensator.B @ plant.C, found.compensator.A]])
    from scipy.linalg import expm

    start = np.zeros(4)
    start[:2] = np.linalg.solve(np.vstack([plant.C, plant.C @ plant.A]), [0.0, 1.0])
    exact = [float((plant.C @ (expm(loop * t) @ start)[:2])[0]) for t in run.time.values[::400]]
    np.testing.assert_allclose(x[::400], exact, atol=5e-3 * np.max(np.abs(x)))


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"slack": 1.0}, OptionError, r"slack=1\.0: it must be above 1"),
        ({"sample_time": 0.0}, OptionError, "sample_time=0.0: it must be positive"),
        ({"process_noise": 1.0}, OptionError, r"process_noise=1\.0: give {name: size}"),
        ({"inputs": {"u9": 1.0}}, OptionError, "there is no 'u9'"),
        ({"measurement_noise": {"y1": 0.0}}, OptionError, "noise of output 'y1'=0.0: it must be positive"),
        ({"outputs": {"y2": 1.0}}, SingularError, "the weights do not see the undamped"),
    ],
)
def test_bad_words_are_refused(changes: dict, error: type[Exception], message: str) -> None:
    two = pl.LinearModel([[0, 0], [0, -1]], [[1], [1]], [[1, 0], [0, 1]], [[0], [0]])
    with pytest.raises(error, match=message):
        pl.hinf(two, **{**WORDS, "sample_time": 0.01, **changes})


def test_what_cannot_be_solved_is_refused() -> None:
    alone = pl.LinearModel([[0, 0], [0, 1]], [[1], [0]], [[1, 1]], [[0]])
    with pytest.raises(SingularError, match=r"do not move the .*nothing can stabilise it"):
        pl.hinf(alone, **WORDS, sample_time=0.01)
    jumps = pl.LinearModel([[-1.0]], [[1.0]], [[1.0]], [[1.0]])
    with pytest.raises(OptionError, match=r"'y1' depends on an input.*pl\.lqg"):
        pl.hinf(jumps, **WORDS, sample_time=0.01)
    with pytest.raises(OptionError, match=r"is sampled every 0\.01 s"):
        pl.hinf(LAG.discretise(0.01), **WORDS, sample_time=0.01)
