"""Flexible manipulators: the models, appendix A, rows with outside references, the independent derivation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import pliant as pl
from pliant.errors import OptionError
from pliant_evidence.manipulator.appendix_a import MISPRINTS, Kinked
from pliant_evidence.manipulator.motions import COMPONENT, SYSTEM, across, compiled, exact_motion, largest, validate
from pliant_evidence.manipulator.theory import Arm, Element
from pliant_gallery.manipulator import FIGURES, deflection, model
from pliant_testing import validation


def test_every_row_of_the_matrices_holds() -> None:
    rows = validation.run("manipulator-matrices").rows
    assert [row for row in rows if not row.ok] == []
    closed_form = [row for row in rows if row.quantity.startswith("appendix A")]
    assert len(closed_form) == 5
    assert all(row.tolerance == 1e-12 for row in closed_form)


def test_motions_are_those_of_the_paper() -> None:
    """Rows with references of the paper hold; `pliant validate manipulator-1r` and `manipulator-2r` have the others."""
    parts = (validate.linear_against_nonlinear, validate.kinks, validate.axial_velocities, validate.still)
    rows = [row for part in (*parts, validate.units) for row in part()]
    assert [row for row in rows if not row.ok] == []
    assert sum(row.kind in ("published", "exact") for row in rows) == 11


@pytest.mark.parametrize("figure", [13, 15])
def test_two_links_have_as_many_equations_as_the_paper_says(figure: int) -> None:
    counts = [compiled(FIGURES[figure], **options).freedoms for options in (COMPONENT, SYSTEM)]
    assert counts == [14, 8]


def test_data_of_the_figures() -> None:
    """Footnote 5: EI = 250 and 810 N m^2, with the length of the whole link; section 5.1: 4000 N m^2 in figure 5."""
    assert FIGURES[12].section().bending_stiffness == pytest.approx(250.0)
    assert replace(FIGURES[12], bending_velocity=45.0).section().bending_stiffness == pytest.approx(810.0)
    two = replace(FIGURES[13], bending_ratio=0.5, mass_ratio=2.0)  # EI = rho A (U_g L)^2
    assert two.section(1).bending_stiffness == pytest.approx(0.5 * two.section(0).bending_stiffness)
    assert two.section(1).mass_per_length == pytest.approx(0.2)
    assert FIGURES[5].section().bending_stiffness == pytest.approx(4000.0)
    assert FIGURES[12].section().axial_stiffness == pytest.approx(0.1 * 4800.0**2)


def test_printed_geometric_stiffness_is_wrong_where_we_say_and_nowhere_else() -> None:
    arm, Q = Kinked(50.0, 4800.0, 40.0, 3000.0, 0.7, 1.3, 0.4), np.linspace(0.1, 0.7, 7)
    right, printed = arm.geometric_stiffness(Q), arm.geometric_stiffness(Q, printed=True)
    wrong = np.argwhere(np.triu(~np.isclose(right, printed, rtol=1e-12))) + 1
    assert {(int(i), int(j)) for i, j in wrong} == set(MISPRINTS)


def test_closed_form_conserves_energy() -> None:
    """T' + V' = 0 without torque: M, H, K and Delta K of appendix A fit together."""
    random, h = np.random.default_rng(3), 1e-6
    arm = Kinked(50.0, 500.0, 40.0, 300.0, 0.7, 1.3, 0.4)
    Q, rate = random.uniform(-0.3, 0.3, 7), random.standard_normal(7)
    second = np.linalg.solve(arm.mass(Q), -arm.inertia_forces(Q, rate) - arm.elastic_forces(Q))

    def energy(s: float) -> float:
        q, v = Q + s * rate + 0.5 * s * s * second, rate + s * second
        potential = 0.5 * q @ arm.stiffness() @ q + q @ arm.geometric_stiffness(q) @ q / 3.0  # energy form: 2/3 of it
        return float(0.5 * v @ arm.mass(q) @ v + potential)

    change = (energy(h) - energy(-h)) / (2.0 * h)
    assert abs(change) < 1e-6 * abs(rate @ arm.elastic_forces(Q))


def test_derivation_knows_what_rigid_motion_is() -> None:
    """Turning everything changes neither M nor V, and a rigid arm has the inertia of a rod."""
    arm = Arm([Element(1.0, 3e3, 1.3, 0.6, joint=True), Element(1.0, 3e3, 1.3, 0.6)])
    Q = np.random.default_rng(4).uniform(-0.3, 0.3, arm.size)
    turned = Q + 0.7 * np.eye(arm.size)[0]
    np.testing.assert_allclose(arm.mass(Q), arm.mass(turned), rtol=1e-12, atol=1e-14)
    assert arm.energy(Q) == arm.energy(turned)
    assert arm.mass(np.zeros(arm.size))[0, 0] == pytest.approx(0.6 * 2.0**3 / 3.0)


def test_derivation_takes_both_frames_as_one_for_small_deflections() -> None:
    elements = [Element(1.0, 2.304e6, 1000.0, 0.1, joint=True), Element(1.0, 2.304e6, 1000.0, 0.1)]
    both = [Arm(elements, frames=frames).frequencies(np.zeros(7)) for frames in ("element", "link")]
    np.testing.assert_allclose(*both, rtol=1e-8)


@pytest.mark.parametrize("options", [{"strain": "linear"}, {"strain": "nonlinear"}, {"strain": "third"}], ids=str)
def test_motion_is_that_of_the_independent_derivation(options: dict[str, str]) -> None:
    """20 ms of figure 12 by scipy, step by step in Python, beside the compiled motion."""
    arm, times = FIGURES[12], np.linspace(0.0, 0.02, 5)
    section, half = arm.section(), 0.5 * arm.lengths[0]
    data = (half, section.axial_stiffness, section.bending_stiffness, arm.mass_per_length)
    terms = {"third": options["strain"] != "linear", "fourth": options["strain"] == "nonlinear"}
    other = Arm([Element(*data, joint=True), Element(*data)], **terms)
    expected = other.motion(times, lambda t: [arm.torque * np.sin(arm.frequency * t)], accuracy=1e-9)
    run = pl.transient(compiled(arm, **options), end_time=times[-1], times=times, accuracy=1e-10)
    np.testing.assert_allclose(run.coordinates.values, expected, atol=1e-9)


@pytest.mark.parametrize(("stiffness", "secant"), [("force", True), ("tangent", False)])
def test_frequencies_are_those_of_the_independent_derivation(stiffness: str, secant: bool) -> None:
    """Frequencies of figure 8 where the arm is bent and stretched: K + Delta K of eq. 14, and the Hessian."""
    arm = FIGURES[8]
    section, half = arm.section(), 0.5 * arm.lengths[0]
    data = (half, section.axial_stiffness, section.bending_stiffness, arm.mass_per_length)
    other = Arm([Element(*data, joint=True), Element(*data)], fourth=False)
    run = pl.transient(compiled(arm), end_time=0.3, times=[0.1, 0.3])
    found = 2.0 * np.pi * compiled(arm).natural_frequencies(run, modes=4, stiffness=stiffness).values
    expected = [other.frequencies(Q, secant=secant)[:4] for Q in run.coordinates.values]
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert abs(found[1, 0] / found[0, 0] - 1.0) > 1e-3  # they do vary


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")  # the strain is beyond what beam theory means
def test_third_order_arm_collapses_and_says_so() -> None:
    """Without the fourth order the strain energy has no lower bound: at U_g = 20 m/s the arm folds up."""
    arm = replace(FIGURES[12], bending_velocity=20.0, torque=4.0, frequency=5.0)
    system = compiled(arm, strain="third")
    assert not pl.transient(system, end_time=1.0, partial=True).outcome.ok
    folded = np.array([0.0, -0.144, 0.5, 0.6, 0.0, 0.0, 0.0])  # u' is minus half the mean of w'^2
    assert system.potential(folded) < 0.0 < compiled(arm, strain="nonlinear").potential(folded)


def test_exact_arm_deflects_as_a_cantilever_under_its_inertia() -> None:
    """Slow torque: 11 w L^4 / 120 EI with the load w = rho A L theta'' at the tip, falling to zero at the joint."""
    arm = replace(FIGURES[4], torque=0.1, frequency=1.0)
    tip = across(exact_motion(replace(arm), periods=0.25, step=1e-3), arm)
    angular = arm.torque / (arm.mass_per_length * arm.lengths[0] ** 3 / 3.0)
    load = arm.mass_per_length * arm.lengths[0] * angular
    expected = 11.0 * load * arm.lengths[0] ** 4 / (120.0 * arm.section().bending_stiffness)
    assert largest(tip) == pytest.approx(expected, rel=0.02)


def test_kinked_arm_and_any_number_of_links() -> None:
    bent = replace(FIGURES[12], kink=60.0 * pl.DEG)
    run = pl.transient(compiled(bent), end_time=0.01, times=[0.0, 0.01])
    np.testing.assert_allclose(deflection(run, bent)[0], 0.0, atol=1e-12)
    np.testing.assert_allclose(run.deflection.sel(tip_of="outer1").values, deflection(run, bent), atol=1e-12)
    chain = replace(FIGURES[13], lengths=(0.5,) * 5)
    assert compiled(chain).freedoms == 5 + 5 * 2 * 3
    with pytest.raises(OptionError, match="only an arm of one link"):
        model(replace(bent, lengths=(1.0, 1.0)))
