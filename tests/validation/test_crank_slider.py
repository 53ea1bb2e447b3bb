"""Crank-slider of the Udwadia-Kalaba paper: the cases' rows, the model, and theory against itself."""

from __future__ import annotations

from dataclasses import replace
from math import pi

import numpy as np
import pytest

import pliant as pl
from pliant.errors import OptionError
from pliant_evidence.crank_slider import validate
from pliant_evidence.crank_slider.theory import Chain, Push, Rigid
from pliant_gallery.crank_slider import DAMPED, PAPER, START, model


def test_rows_of_the_rigid_mechanism_hold() -> None:
    """One force of figure 5 is checked; `pliant validate crank-slider-rigid` checks the others."""
    parts = (validate.rigid_modes, validate.rests, validate.histories, validate.response, validate.starts)
    rows = [row for part in parts for row in part()]
    assert [row for row in (*rows, *validate.figure_5(np.array([1.5]))) if not row.ok] == []


def test_rows_of_the_flexible_mechanism_hold_and_three_printed_numbers_are_reported_high() -> None:
    """Comparisons with our other formulations are left to `pliant validate crank-slider-flexible`."""
    parts = (validate.table_5, validate.table_6, validate.shapes, validate.stiffening, validate.against_theory)
    rows = [row for part in parts for row in part()]
    assert [row for row in rows if not row.ok] == []
    high = [row for row in rows if "ERRATA" in row.quantity]
    assert len(high) == len(validate.HIGH)
    assert all(row.computed < row.reference and 0.002 < row.error < 0.005 for row in high)


def test_springs_give_the_crank_of_the_paper() -> None:
    assert PAPER.torsion_stiffness == pytest.approx(34.805, abs=5e-4)
    assert PAPER.section.mass_per_length * PAPER.crank_length == pytest.approx(1.0, abs=1e-6)
    assert PAPER.damping is None
    assert DAMPED.damping is not None
    assert DAMPED.damping.stiffness * DAMPED.torsion_stiffness == pytest.approx(0.05)


def test_lumped_crank_has_the_dampers_of_the_paper() -> None:
    springs = [
        part for part in pl.lump(model(DAMPED, flexible=True), elements=20) if isinstance(part, pl.TorsionSpring)
    ]
    assert [(spring.stiffness, spring.damping) for spring in springs] == [
        pytest.approx((34.805068, 0.05), rel=1e-6)
    ] * 19


def test_two_springs_are_the_same_for_a_rigid_crank() -> None:
    times = np.linspace(0.0, 5.0, 51)
    line, along_x = (
        pl.transient(pl.compile(model(spring=spring)), end_time=5.0, step=1e-3, times=times).angle.sel(body="crank")
        for spring in ("line", "x")
    )
    np.testing.assert_allclose(line, along_x, atol=1e-9)


@pytest.mark.parametrize("offsets", [(0.3, 0.3), (0.4, -0.2)])
def test_a_spring_off_the_middles_of_the_links(offsets: tuple[float, float]) -> None:
    """The spring's length at an angle of the crank, in closed form: cc and dd of table 1 of the paper."""
    cc, dd = offsets
    given = replace(PAPER, crank_offset=cc, slider_offset=dd)
    across = (PAPER.crank_length - cc - dd) * np.cos(0.6), (dd - cc) * np.sin(0.6)
    for spring, length in (("line", np.hypot(*across)), ("x", abs(across[0]))):
        state = pl.transient(pl.compile(model(given, angle=0.6, spring=spring)), end_time=1e-3, step=1e-3)
        assert float(state.line_length.sel(line="spring")[0]) == pytest.approx(length, rel=1e-9)


def test_any_angle_and_only_possible_options() -> None:
    assembled = pl.compile(model(angle=-0.3))
    assert float(pl.transient(assembled, end_time=1e-3, step=1e-3).angle.sel(body="crank")[0]) == pytest.approx(-0.3)
    with pytest.raises(OptionError, match="'line' or 'x'"):
        model(spring="y")
    with pytest.raises(OptionError, match=r"angle=1\.6"):
        model(angle=1.6)


def test_rigid_theory_conserves_energy() -> None:
    free = replace(PAPER, dashpot=0.0)
    L, k, rest = free.crank_length, free.spring_stiffness, free.spring_rest_length
    angle, rate = Rigid(free).motion(np.linspace(0.0, 10.0, 101))
    kinetic = 0.5 * L**2 * (2.0 / 3.0 + 2.0 * np.sin(angle) ** 2) * rate**2
    potential = free.gravity * L * np.sin(angle) + 0.5 * k * (L * np.cos(angle) - rest) ** 2
    np.testing.assert_allclose(kinetic + potential, free.gravity * L * np.sin(START), rtol=1e-9)


def test_stiff_chain_moves_as_the_rigid_link() -> None:
    """The two theories, derived apart, meet with few, very stiff joints."""
    times = np.linspace(0.0, 1.0, 11)
    stiff = replace(DAMPED, stiffening=1e4, torsional_damping=50.0)
    chain = Chain(stiff, 3).motion(times, Push(2.0), accuracy=1e-8)
    one = Rigid().motion(times, Push(2.0))[0]
    np.testing.assert_allclose(chain[0], one, atol=2e-3)


def test_chain_theory_balances_power() -> None:
    """d/dt of the kinetic energy is the power of the forces, at any state: mass, bias and forces fit together."""
    random = np.random.default_rng(1)
    for along_x in (False, True):
        chain = Chain(DAMPED, 5, along_x=along_x)
        phi, rate, h = random.uniform(-0.6, 0.6, 5), random.standard_normal(5), 1e-5
        second = chain.acceleration(phi, rate, 3.0)

        def kinetic(s: float, phi: np.ndarray = phi, rate: np.ndarray = rate, second: np.ndarray = second) -> float:
            moved = rate + s * second
            return float(0.5 * moved @ chain.mass(phi + s * rate + 0.5 * s * s * second) @ moved)  # noqa: B023

        slope = (kinetic(h) - kinetic(-h)) / (2.0 * h)
        assert slope == pytest.approx(float(chain._forces(phi, rate, 3.0) @ rate), rel=1e-6)


def test_first_frequency_tends_to_the_rigid_one() -> None:
    rigid = abs(Rigid().eigenvalue()) / (2.0 * pi)
    found = [Chain(replace(PAPER, stiffening=factor)).frequencies()[0] for factor in (10.0, 100.0, 1000.0)]
    assert found == sorted(found)
    assert found[-1] == pytest.approx(rigid, rel=2e-3)
