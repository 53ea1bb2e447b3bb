"""Linear Timoshenko matrices against closed forms, quadrature and the thesis's tables."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.linalg import eigh

from pliant.elements.beam_linear.matrices import geometric_stiffness, mass, shear_flexibility, stiffness

INTEGRATIONS = ("reduced", "full", "exact")


def rectangle(width, height, youngs_modulus, poisson_ratio, density):
    area, second = width * height, width * height**3 / 12
    return SimpleNamespace(
        axial_stiffness=youngs_modulus * area,
        shear_stiffness=5 / 6 * youngs_modulus / (2 * (1 + poisson_ratio)) * area,
        bending_stiffness=youngs_modulus * second,
        mass_per_length=density * area,
        rotary_inertia=density * second,
    )


TABLE_3_2 = rectangle(0.04, 0.04, 480e9, 1e-6, 7700.0), 1.0
TABLE_3_3 = rectangle(2.5e-3, 5e-3, 70e9, 0.33, 2600.0), 0.15
SHORT = rectangle(0.1, 0.3, 70e9, 0.33, 2600.0)


def assembled(matrix, elements):
    """Return equal elements in a row, first node clamped."""
    total = np.zeros((3 * elements + 3, 3 * elements + 3))
    for e in range(elements):
        total[3 * e : 3 * e + 6, 3 * e : 3 * e + 6] += matrix
    return total[3:, 3:]


def tip_deflection(section, length, elements, integration, load=1.0):
    K = assembled(stiffness(length / elements, section, integration), elements)
    force = np.zeros(len(K))
    force[-2] = load
    return np.linalg.solve(K, force)[-2]


def frequencies(section, length, elements, integration, kind, count):
    K = assembled(stiffness(length / elements, section, integration), elements)
    M = assembled(mass(length / elements, section, kind), elements)
    return np.sqrt(eigh(K, M, eigvals_only=True)[:count]) / (2 * np.pi)


@pytest.mark.parametrize("elements", [1, 3, 10])
@pytest.mark.parametrize("section", [SHORT, TABLE_3_3[0]], ids=["stocky", "slender"])
def test_exact_element_gives_timoshenko_deflection(section, elements):
    L = 0.9
    exact = L**3 / (3 * section.bending_stiffness) + L / section.shear_stiffness
    assert tip_deflection(section, L, elements, "exact") == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("elements", [1, 4, 10])
def test_reduced_element_integrates_the_moment_by_midpoints(elements):
    L = 0.9
    bending = L**3 / (3 * SHORT.bending_stiffness) * (1 - 1 / (4 * elements**2))
    assert tip_deflection(SHORT, L, elements, "reduced") == pytest.approx(
        bending + L / SHORT.shear_stiffness, rel=1e-11
    )


def test_full_integration_locks():
    ratio = tip_deflection(*TABLE_3_3, 10, "full") / tip_deflection(*TABLE_3_3, 10, "exact")
    assert ratio < 0.75


def test_static_deflection_of_table_3_4():
    section, length = TABLE_3_3
    assert tip_deflection(section, length, 10, "reduced", 5.0) * 1e3 == pytest.approx(3.0807, abs=5e-5)
    assert 5.0 * length**3 / (3 * section.bending_stiffness) * 1e3 == pytest.approx(3.0857, abs=5e-5)


def test_frequencies_of_table_3_2_and_3_5():
    """The MATLAB columns come from the Hermite mass (ERRATA 8); the element of the text gives the second list."""
    found = frequencies(*TABLE_3_2, 10, "reduced", "hermite", 3)
    np.testing.assert_allclose(found, [51.1, 322.4, 913.3], atol=0.05)
    found = frequencies(*TABLE_3_3, 10, "reduced", "hermite", 5)
    np.testing.assert_allclose(found, [186.5, 1177.6, 3337.8, 6659.7, 8656.8], atol=0.05)
    found = frequencies(*TABLE_3_2, 10, "reduced", "consistent", 3)
    np.testing.assert_allclose(found, [51.025, 325.220, 943.217], atol=5e-4)
    found = frequencies(*TABLE_3_3, 10, "reduced", "consistent", 4)
    np.testing.assert_allclose(found, [186.321, 1188.662, 3452.886, 7171.210], atol=5e-4)


def slope_of_exact_element(x, length, phi):
    """Return v' of unloaded Timoshenko deflections, per (v1 theta1 v2 theta2), at x in [0, 1]."""
    v = 6 * x * (1 - x) + phi
    theta1 = 1 - 4 * x + 3 * x**2 + phi * (1 / 2 - x)
    theta2 = -2 * x + 3 * x**2 - phi * (1 / 2 - x)
    return np.array([-v / length, theta1, v / length, theta2]) / (1 + phi)


@pytest.mark.parametrize("length", [0.2, 1.0, 30.0])
def test_exact_geometric_stiffness_by_quadrature(length):
    phi = shear_flexibility(length, SHORT)
    points, weights = np.polynomial.legendre.leggauss(4)
    K = np.zeros((4, 4))
    for x, weight in zip((points + 1) / 2, weights / 2, strict=True):
        slope = slope_of_exact_element(x, length, phi)
        K += 7.0 * length * weight * np.outer(slope, slope)
    found = geometric_stiffness(length, SHORT, 7.0, "exact")
    np.testing.assert_allclose(found[np.ix_((1, 2, 4, 5), (1, 2, 4, 5))], K, rtol=1e-12, atol=1e-12 * np.max(K))


@pytest.mark.parametrize("integration", ["reduced", "exact"])
def test_compression_buckles_at_the_euler_load(integration):
    """Clamped-free Timoshenko column: N = -P/(1 + P/GA), P = pi^2 EI/(2 L)^2 (Engesser)."""
    section, length = TABLE_3_3
    K = assembled(stiffness(length / 20, section, integration), 20)
    G = assembled(geometric_stiffness(length / 20, section, -1.0, integration), 20)
    load = 1 / np.max(eigh(-G, K, eigvals_only=True))
    euler = np.pi**2 * section.bending_stiffness / (4 * length**2)
    engesser = euler / (1 + euler / section.shear_stiffness)
    assert load == pytest.approx(engesser, rel=2e-6 if integration == "exact" else 2e-3)


@pytest.mark.parametrize("integration", INTEGRATIONS)
def test_stiffness_is_symmetric_and_free_of_rigid_motion(integration):
    K = stiffness(0.7, SHORT, integration)
    np.testing.assert_array_equal(K, K.T)
    rigid = np.array([[1, 0, 0, 1, 0, 0], [0, 1, 0, 0, 1, 0], [0, 0, 1, 0, 0.7, 1]])
    assert np.max(np.abs(K @ rigid.T)) < 1e-14 * np.max(K)
    assert np.sum(np.linalg.eigvalsh(K) > 1e-9 * np.max(K)) == 3


@pytest.mark.parametrize("kind", ["consistent", "lumped", "hermite"])
def test_mass_is_that_of_the_element(kind):
    M = mass(0.7, SHORT, kind)
    whole = 0.7 * SHORT.mass_per_length
    assert M[np.ix_((0, 3), (0, 3))].sum() == pytest.approx(whole)
    assert M[np.ix_((1, 4), (1, 4))].sum() == pytest.approx(whole)
    rotary = 0.0 if kind == "hermite" else 0.7 * SHORT.rotary_inertia
    turn = np.array([0, -0.35, 1, 0, 0.35, 1])
    arms = whole * 0.35**2 if kind == "lumped" else whole * 0.7**2 / 12
    assert turn @ M @ turn == pytest.approx(arms + rotary)
