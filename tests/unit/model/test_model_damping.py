"""Rayleigh damping: the asked ratio at the two frequencies, and the textbook roots of the frequency equations."""

from __future__ import annotations

from math import cos, cosh, pi, tan, tanh

import pytest

from pliant.model import STEEL, Beam, Rayleigh, Section
from pliant.model.damping import SUPPORTS, bending_root

LEAF = Beam("leaf", length=0.5, section=Section.rectangle(0.02, 0.001, STEEL))


def ratio(alpha: float, beta: float, omega: float) -> float:
    return (alpha / omega + beta * omega) / 2.0


def test_ratio_holds_at_the_two_frequencies_and_is_exceeded_outside() -> None:
    damping = Rayleigh.at_frequencies(0.02, 5.0, 40.0)
    alpha, beta = damping.coefficients(LEAF)
    at = {f: ratio(alpha, beta, 2 * pi * f) for f in (2.0, 5.0, 15.0, 40.0, 80.0)}
    assert at[5.0] == pytest.approx(0.02)
    assert at[40.0] == pytest.approx(0.02)
    assert at[15.0] < 0.02 < min(at[2.0], at[80.0])


@pytest.mark.parametrize(
    ("supports", "roots"),
    [  # Blevins, Formulas for natural frequency and mode shape, table 8-1
        ("pinned-pinned", (3.14159265, 6.28318531)),
        ("clamped-free", (1.87510407, 4.69409113, 7.85475744)),
        ("clamped-clamped", (4.73004074, 7.85320462, 10.9956078)),
        ("free-free", (4.73004074, 7.85320462, 10.9956078)),
        ("clamped-pinned", (3.92660231, 7.06858275, 10.21017612)),
    ],
)
def test_roots(supports, roots) -> None:
    assert [bending_root(supports, n + 1) for n in range(len(roots))] == pytest.approx(roots, abs=1e-7)


def test_roots_satisfy_their_equations() -> None:
    for n in range(1, 6):
        for supports, sign in (("clamped-free", 1.0), ("clamped-clamped", -1.0)):
            x = bending_root(supports, n)
            assert cos(x) + sign / cosh(x) == pytest.approx(0.0, abs=1e-14 * x)
        x = bending_root("clamped-pinned", n)
        assert tan(x) == pytest.approx(tanh(x), abs=1e-12)


@pytest.mark.parametrize("supports", SUPPORTS)
def test_high_modes_do_not_overflow(supports) -> None:
    assert bending_root(supports, 1000) == pytest.approx(1000 * pi, rel=1e-3)


def test_ratio_of_modes() -> None:
    alpha, beta = Rayleigh.of_modes(0.01, supports="clamped-free", modes=(1, 3)).coefficients(LEAF)
    section = LEAF.section
    for root in (1.875104068711961, 7.854757438237613):
        omega = root**2 * (section.bending_stiffness / section.mass_per_length) ** 0.5 / 0.5**2
        assert ratio(alpha, beta, omega) == pytest.approx(0.01)
