"""Boundary value problems given as functions: closed forms, parameters, several links, continuation, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ConvergenceError, OptionError, SingularError

EI, GA, LOAD, FORCE = 2.0, 50.0, 3.0, 1.5


def timoshenko(u: float, q: Any, p: Any) -> Any:
    """Return eq. 13 of the shooting paper, unit length: q = (w, w', psi, psi')."""
    return np.array([q[1], q[3] - LOAD / GA, q[2 + 1], GA / EI * (q[2] - q[1])])


def clamped_free(q0: Any, q1: Any, p: Any) -> Any:
    return [q0[0], q0[2], q1[3], GA * (q1[1] - q1[2]) - FORCE]


def exact(x: float) -> float:
    bending = (0.5 * LOAD + FORCE) / (2 * EI) * x**2 - (FORCE + LOAD) / (6 * EI) * x**3 + LOAD / (24 * EI) * x**4
    return bending + ((FORCE + LOAD) * x - 0.5 * LOAD * x**2) / GA


@pytest.mark.parametrize("jacobian", ["variational", "differences"])
@pytest.mark.parametrize(("order", "allowed"), [(4, 1e-12), ("2/3", 1e-7), ("4/5", 1e-12)])
def test_timoshenko(order: Any, allowed: float, jacobian: str) -> None:
    found = pl.shoot(timoshenko, clamped_free, guess=np.zeros(4), order=order, jacobian=jacobian)
    assert found(1.0)[0] == pytest.approx(exact(1.0), abs=allowed)
    assert found([0.25, 0.5])[:, 0] == pytest.approx([exact(0.25), exact(0.5)], abs=max(allowed, 1e-9))


def test_unknown_parameter() -> None:
    """y'' + lambda y = 0 with three conditions: lambda = pi^2."""
    found = pl.shoot(
        lambda u, q, p: np.array([q[1], -p[0] * q[0]]),
        lambda q0, q1, p: [q0[0], q0[1] - 1.0, q1[0]],
        guess=lambda u: [u * (1.0 - u), 1.0 - 2.0 * u], parameters=[9.0], subintervals=3,
    )  # fmt: skip
    assert found.parameters[0] == pytest.approx(np.pi**2, rel=1e-8)


def test_two_links_of_different_kind() -> None:
    """A rod and a spring-like layer in series share force and place: y1' = q/k1, y2' = q/k2 - both first order."""
    stiff, soft, pull = 4.0, 1.0, 2.0
    found = pl.shoot(
        [lambda u, q, p: np.array([q[1] / stiff, 0 * q[0]]), lambda u, q, p: np.array([q[1] / soft, 0 * q[0], q[0]])],
        lambda q0, q1, p: [q0[0][0], q1[0][0] - q0[1][0], q1[0][1] - q0[1][1], q1[1][1] - pull, q0[1][2]],
        guess=[np.zeros(2), np.zeros(3)], subintervals=2,
    )  # fmt: skip
    assert found(1.0, link=1)[0] == pytest.approx(pull / stiff + pull / soft, rel=1e-12)
    assert found(1.0, link=1)[2] == pytest.approx(pull / stiff + 0.5 * pull / soft, rel=1e-12)


def stiff_ends(subintervals: int) -> Any:
    """Return y'' = 3600 y, y = 1 at both ends: solutions grow by exp(60)."""
    return pl.shoot(
        lambda u, q, p: np.array([q[1], 3600.0 * q[0]]), lambda q0, q1, p: [q0[0] - 1.0, q1[0] - 1.0],
        guess=np.zeros(2), subintervals=subintervals, step=0.002,
    )  # fmt: skip


def test_growth_is_refused_or_mastered() -> None:
    with pytest.raises(ConvergenceError, match="subintervals"):
        stiff_ends(1)
    found = stiff_ends(10)
    assert found(0.0)[1] == pytest.approx(-60.0, rel=1e-5)  # fourth order in 60 x 0.002
    assert found(0.9)[0] == pytest.approx(np.exp(-6.0), rel=1e-3)


def test_continuation_in_load() -> None:
    """Troesch's problem, y'' = 5 sinh 5y, by single shooting from a guess far off: y'(0) = 4.57504614e-2 (S.M. Roberts,
    J.S. Shipman 1972).
    """

    def solved(load: bool) -> Any:
        return pl.shoot(
            lambda u, q, p, *load: np.array([q[1], 5.0 * np.prod(load) * np.sinh(5.0 * np.prod(load) * q[0])]),
            lambda q0, q1, p, *load: [q0[0], q1[0] - 1.0],
            guess=[1.0, 3.0], order="4/5", step=0.02, load=load,
        )  # fmt: skip

    with pytest.raises(ConvergenceError, match="load=True"):
        solved(False)
    found = solved(True)
    assert found.outcome.load_steps > 1
    assert found(0.0)[1] == pytest.approx(4.57504614e-2, rel=1e-5)


def test_functions_without_complex_values() -> None:
    """math.sin takes none: differences serve instead. y'' = -sin y, the pendulum, with y(0) = 1 and y'(1) = 0."""
    import math

    found = pl.shoot(
        lambda u, q, p: np.array([q[1], -math.sin(q[0])]), lambda q0, q1, p: [q0[0] - 1.0, q1[1]], guess=np.ones(2)
    )
    assert 0.5 * found(0.3)[1] ** 2 - math.cos(found(0.3)[0]) == pytest.approx(-math.cos(found(1.0)[0]), rel=1e-8)


def test_parts_that_are_zero() -> None:
    """A parameter, a state of its own, or everything may be zero in the solution and not in the guess."""
    found = pl.shoot(
        lambda u, q, p: np.array([q[1], np.sin(p[0]) + 0.1 * p[0] ** 3 + 0.0 * q[0]]),
        lambda q0, q1, p: [q0[0], q1[0] - 1.0, q0[1] - 1.0], guess=np.ones(2), parameters=[1.0],
    )  # fmt: skip
    assert found.parameters[0] == pytest.approx(0.0, abs=1e-12)
    found = pl.shoot(
        lambda u, q, p: np.array([q[1], -np.sin(q[0])]), lambda q0, q1, p: [q0[0], np.tanh(q1[0])], guess=[1.0, 0.3]
    )
    assert np.abs(found([0.0, 0.5, 1.0])).max() < 1e-12


@pytest.mark.parametrize(
    "never",
    [lambda a: a**2 + 1.0, lambda a: np.exp(-a), lambda a: np.sign(a - 0.5) + 1e-3 * a, lambda a: 2.0 + 0.0 * a],
)
def test_conditions_that_cannot_be_met(never: Any) -> None:
    """No solution, no success: neither where Newton wanders nor where a condition stops to depend on anything."""
    with pytest.raises((ConvergenceError, SingularError)):
        pl.shoot(
            lambda u, q, p: np.array([q[1], 0.0 * q[0]]), lambda q0, q1, p: [never(q0[0]), q1[0]], guess=[1.0, 0.3]
        )


def test_refusals() -> None:
    with pytest.raises(OptionError, match="3 given for 4 states and 0 parameters"):
        pl.shoot(timoshenko, lambda q0, q1, p: q0[:3], guess=np.zeros(4))
    with pytest.raises(OptionError, match="returned an array of shape"):
        pl.shoot(lambda u, q, p: q[:1], lambda q0, q1, p: q0, guess=np.zeros(2))
    with pytest.raises(OptionError, match="order"):
        pl.shoot(timoshenko, clamped_free, guess=np.zeros(4), order="5/6")
    with pytest.raises(OptionError, match="guess"):
        pl.shoot([timoshenko], clamped_free, guess=[np.zeros(4), np.zeros(4)])
    with pytest.raises(SingularError, match="terminal conditions"):
        pl.shoot(timoshenko, lambda q0, q1, p: [q0[0], q0[0], q1[3], q1[1]], guess=np.zeros(4))
    with pytest.raises(OptionError, match="from 0 to 1"):
        pl.shoot(timoshenko, clamped_free, guess=np.zeros(4))(1.5)
    with pytest.raises(OptionError, match="step=True"):
        pl.shoot(timoshenko, clamped_free, guess=np.zeros(4), step=True)
    with pytest.raises(OptionError, match="parameters"):
        pl.shoot(timoshenko, clamped_free, guess=np.zeros(4), parameters=[np.nan])
