"""Timoshenko's cantilever: the case's rows, and theory of errors against a scheme written down here."""

from __future__ import annotations

import numpy as np
import pytest

from pliant_evidence.shear_beam import theory
from pliant_gallery.shear_beam import LENGTH, SECTION
from pliant_testing import validation

NONE = np.empty(0)  # parameters


def test_every_row_holds() -> None:
    report = validation.run("shooting-timoshenko")
    assert [row for row in report.rows if not row.ok] == []


def test_exact_solution_satisfies_equations_and_ends() -> None:
    x, h = np.linspace(0.1, 0.9, 5), 1e-3
    EI, GA = SECTION.bending_stiffness, SECTION.shear_stiffness
    fourth = sum(c * theory.deflection(x + k * h) for c, k in zip((1, -4, 6, -4, 1), range(-2, 3), strict=True)) / h**4
    np.testing.assert_allclose(fourth, 1000.0 / EI, rtol=1e-2)  # rounding of differences of fourth order
    tip = 1000.0 * LENGTH**3 / (3 * EI) + 1000.0 * LENGTH**4 / (8 * EI) + 1500.0 * LENGTH / GA
    assert float(theory.deflection(LENGTH)) == pytest.approx(tip, rel=1e-13)


def test_third_order_error_is_that_of_the_scheme() -> None:
    start = np.array([0.0, 2000.0 / SECTION.shear_stiffness, 0.0, 1500.0 / SECTION.bending_stiffness])
    steps = 7
    q, h = start, 1.0 / steps
    for _ in range(steps):
        k1 = theory.slope(0.0, q, NONE)
        k2 = theory.slope(0.0, q + h / 2 * k1, NONE)
        k3 = theory.slope(0.0, q + 3 * h / 4 * k2, NONE)
        q = q + h / 9 * (2 * k1 + 3 * k2 + 4 * k3)
    missing = float(theory.deflection(LENGTH)) - q[0]
    assert missing == pytest.approx(float(theory.third_order_error(LENGTH, steps)), rel=1e-9)


def test_how_many_elements_equal_the_lower_pair_depends_on_the_loads() -> None:
    assert theory.equal_elements(10) == pytest.approx(44.7, abs=0.1)
    assert theory.equal_elements(10, force=0.0) == pytest.approx(22.4, abs=0.1)
    assert theory.equal_elements(10, force=5000.0) == pytest.approx(100.0, abs=0.1)
