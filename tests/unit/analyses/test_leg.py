"""The leg's parameters and assembly, and the theory it is compared with."""

from __future__ import annotations

from dataclasses import replace
from math import hypot

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ConvergenceError, OptionError
from pliant_gallery.leg import LEG, LEG_LOWER_HELD, LegParameters, model, theory, tip

SETS = [pytest.param(LEG, "q3", id="q3 held"), pytest.param(LEG_LOWER_HELD, "q1", id="q1 held")]


def test_parameters_are_those_of_table_5_2() -> None:
    section = LEG.section
    assert section.shear_stiffness / (5 / 6 * 0.077 * 0.0012) == pytest.approx(4.444e10, abs=5e6)
    assert theory.euler_load() == pytest.approx(52.53, abs=0.005)


@pytest.mark.parametrize("given, hold", SETS)
def test_straight_leg_is_closed_and_its_tendon_pulls_with_89_newton(given: LegParameters, hold: str) -> None:
    q1, q3 = given.straight(hold)
    a, b = tip(given.lower_pivot, given.lower_length, q1), tip(given.upper_pivot, given.upper_length, q3)
    chord = hypot(b[0] - a[0], b[1] - a[1])
    assert chord == pytest.approx(given.leaf_length, rel=1e-12)
    assert given.tendon_stiffness * (chord - given.tendon_rest_length) == pytest.approx(
        89.0, abs=2e-3
    )  # the data have six digits
    assert a[0] > given.lower_pivot[0]  # the lower link points outward
    system = pl.compile(model(given, hold=hold), elements=4)
    held = pl.statics(system.with_signals({"tendon/rest_length": given.leaf_length, "gravity/y": 0.0}))
    np.testing.assert_allclose(held.angle.sel(body=["lower link", "upper link"]), [q1, q3], atol=1e-6)


def test_released_leg_has_one_joint_less() -> None:
    held, free = (pl.compile(model(hold=hold), elements=4) for hold in ("q3", None))
    assert held.freedoms == free.freedoms
    assert held.constraints == free.constraints + 1


def test_unknown_hold_is_refused() -> None:
    with pytest.raises(OptionError, match="choose 'q3', 'q1', None"):
        model(hold="q2")


@pytest.mark.parametrize(
    "end_angle, load, chord, height",
    [(20, 1.015, 0.970, 0.220), (40, 1.063, 0.881, 0.422), (60, 1.152, 0.741, 0.593), (80, 1.293, 0.560, 0.719)],
)
def test_elastica_is_that_of_timoshenko_and_gere(end_angle: float, load: float, chord: float, height: float) -> None:
    """Theory of Elastic Stability (1961), table 2-4: a cantilever, half of the pinned leaf."""
    found = theory.elastica(chord * LEG.leaf_length)
    assert found.end_angle / pl.DEG == pytest.approx(end_angle, abs=0.3)  # the chord has three digits
    assert found.load / theory.euler_load() == pytest.approx(load, abs=2e-3)
    assert 2.0 * found.deflection / LEG.leaf_length == pytest.approx(height, abs=2e-3)


def test_shape_of_the_elastica_has_the_leaf_s_length_and_ends() -> None:
    found = theory.elastica(0.4)
    points = found.shape(0.5, np.linspace(0.0, 1.0, 20001))
    np.testing.assert_allclose(points[[0, 10000, -1]], [[0, 0], [0.2, found.deflection], [0.4, 0]], atol=1e-12)
    assert np.hypot(*np.diff(points, axis=0).T).sum() == pytest.approx(0.5, abs=1e-8)


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("given, hold", SETS)
def test_boundary_value_problem_without_weight_is_the_elastica(given: LegParameters, hold: str, side: float) -> None:
    found = theory.equilibrium(replace(given, gravity=0.0), hold=hold, side=side)
    bent = theory.elastica(found.chord, given)
    # the leaf of the boundary value problem is shorter by its axial strain, 5e-6, and shears by 2e-5
    assert found.tension == pytest.approx(bent.load, rel=1e-4)
    assert found.deflection == pytest.approx(side * bent.deflection, rel=1e-4)


@pytest.mark.parametrize("given, hold", SETS)
def test_parameters_bring_both_links_level(given: LegParameters, hold: str) -> None:
    """The tendon's data give q1 = q3 = 0 at rest, outward, to their digits."""
    found = theory.equilibrium(given, hold=hold)
    assert (found.q1, found.q3) == pytest.approx((0.0, 0.0), abs=5e-5)
    assert found.deflection > 0.12


def test_buckling_load_of_the_soft_beam() -> None:
    """P (1 - P / EA + P / GA) = P_Euler, and stiff beams have Euler's."""
    load, euler, section = theory.buckling_load(), theory.euler_load(), LEG.section
    left = load * (1.0 - load / section.axial_stiffness + load / section.shear_stiffness)
    assert left == pytest.approx(euler, rel=1e-14)
    assert load == pytest.approx(euler, rel=2e-5)


def test_only_weight_makes_a_fold() -> None:
    assert theory.fold() < LEG.leaf_length - theory.buckling_load() / LEG.tendon_stiffness
    with pytest.raises(ConvergenceError, match="no fold"):
        theory.fold(replace(LEG, gravity=0.0))
