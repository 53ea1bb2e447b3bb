"""Modes, paths, branches and linear models of rods that are marched, against closed forms and finite elements."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ellipk

import pliant as pl
from pliant.errors import ConvergenceError, OptionError
from pliant.formulations.shooting.system import Shooting
from pliant.linalg.spectrum import Pencil, pencil
from pliant_gallery import four_bar, leg

ROOTS = np.array([1.8751040687, 4.6940911330, 7.8547574382, 10.9955407349])  # cos k cosh k = -1
CLAMPED = np.array([4.7300407449, 7.8532046241, 10.9956078380])  # cos k cosh k = 1


def unit_section() -> pl.Section:
    return pl.Section(
        axial_stiffness=1e8, shear_stiffness=1e8, bending_stiffness=1.0, mass_per_length=1.0, rotary_inertia=0.0
    )


def column(*, follower: bool = False, held: bool = False, damping: pl.Rayleigh | None = None) -> pl.Model:
    m = pl.Model("column")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=unit_section(), damping=damping))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), x=0.0, name="load", follower=follower))
    if held:
        m.add(pl.Weld(ground.at(1, 0), beam.at(s=1), name="end"))
    return m


def elastica(model: pl.Model, subintervals: int) -> Shooting:
    found: Shooting = pl.compile(
        model, formulation="shooting", subintervals=subintervals, shear=False, extensible=False
    )
    return found


@pytest.mark.parametrize("subintervals", [1, 2, 7])
def test_all_modes_of_a_cantilever_whatever_the_number_of_subintervals(subintervals: int) -> None:
    modes = pl.modal(elastica(column(), subintervals), modes=4)
    assert modes.outcome.ok
    np.testing.assert_allclose(2.0 * math.pi * modes.frequency_hz, ROOTS**2, rtol=1e-6)
    tolerance = 1e-5 if subintervals > 1 else 1e-3  # beside a frequency of the inside, 6e-6 away from the fourth
    np.testing.assert_allclose(modes.modal_mass, 0.25, rtol=tolerance)  # of a cantilever, its tip moved by one
    share = (np.sinh(ROOTS) - np.sin(ROOTS)) / (np.cosh(ROOTS) + np.cos(ROOTS))
    np.testing.assert_allclose(modes.effective_mass.sel(axis="y"), 4.0 * share**2 / ROOTS**2, rtol=tolerance)
    tip = modes.mode_shape.isel(station=-1).sel(axis="y")
    np.testing.assert_allclose(np.abs(tip), 1.0, rtol=1e-6)
    assert modes.mode_shape.sizes["station"] > 200  # along the rod, not at nodes only


def test_modes_between_held_ends_are_counted() -> None:
    """One subinterval: no node moves at all, and the frequencies are poles of the dynamic stiffness."""
    system = pl.compile(column(held=True), formulation="shooting", subintervals=1, shear=False)
    modes = pl.modal(system, modes=3)
    np.testing.assert_allclose(2.0 * math.pi * modes.frequency_hz, CLAMPED**2, rtol=1e-6)


def test_modes_of_a_loaded_mechanism_are_those_of_finite_elements() -> None:
    m = four_bar.model(coupler="flexible")
    ground, crank = m.part("ground"), m.part("crank")
    m.add(
        pl.Motor("motor", ground.at(0, 0), crank.at(s=0), 0.0),
        pl.Gravity(),
        pl.TorsionSpring("hold", ground.at(0, 0), crank.at(s=0), stiffness=50.0),
    )
    options = {"inputs": ["motor/torque"], "outputs": ["angle:crank", "position:coupler/tip:y"]}
    mesh = pl.compile(m, elements=pl.Exact(20, order=3))
    exact = pl.modal(mesh, modes=4).frequency_hz.values
    answer = pl.linearise(mesh, **options).frequency_response(30.0).values
    for subintervals in (3, 20):
        rods = pl.compile(m, formulation="shooting", subintervals=subintervals)
        np.testing.assert_allclose(pl.modal(rods, modes=4).frequency_hz, exact, rtol=2e-7)
        plant = pl.linearise(rods, **options)
        np.testing.assert_allclose(
            plant.frequency_response(30.0).values, answer, rtol=1e-3 if subintervals == 3 else 1e-6
        )
    with pytest.raises(OptionError, match="not outputs in the formulation 'shooting'"):
        pl.linearise(rods, inputs=["motor/torque"], outputs=["strain:coupler@0.5"])


def test_damped_modes_say_what_is_missing_between_nodes() -> None:
    m = column(damping=pl.Rayleigh(stiffness=1e-3))
    reference = pl.modal(pl.compile(m, elements=pl.Exact(20, order=3)), modes=3, damped=True)
    fine = pl.modal(pl.compile(m, formulation="shooting", subintervals=20), modes=3, damped=True)
    assert fine.outcome.ok
    np.testing.assert_allclose(fine.damping_ratio, reference.damping_ratio, rtol=1e-4)
    coarse = pl.modal(pl.compile(m, formulation="shooting", subintervals=2), modes=3, damped=True)
    assert [check.name for check in coarse.outcome.failed] == ["vibrations between nodes"]


@pytest.mark.parametrize("subintervals", [1, 5])
def test_a_column_buckles_as_euler_says_and_bends_as_the_elastica(subintervals: int) -> None:
    system = elastica(column(), subintervals)
    straight = pl.path(system, "load/x", to=-6.0)
    np.testing.assert_allclose(straight.event_parameter, -(math.pi**2) / 4.0, rtol=1e-8)
    bent = pl.branch(system, straight, toward=("beam/tip", (0, 1)))
    k = brentq(lambda k: ellipk(k * k) - math.sqrt(6.0), 0.1, 0.9999)
    assert float(bent.position.sel(marker="beam/tip", axis="y")[-1]) == pytest.approx(
        2.0 * k / math.sqrt(6.0), abs=1e-9
    )
    moment = float(bent.resultant.sel(component="M").isel(point=-1, section=0))
    assert moment == pytest.approx(12.0 * k / math.sqrt(6.0), abs=1e-7)  # P times the lever
    assert bent.outcome.ok


def test_a_follower_makes_flutter_at_becks_load() -> None:
    path = pl.path(
        pl.compile(column(follower=True), formulation="shooting", subintervals=8, shear=False), "load/x", to=-22.0
    )
    assert path.event_kind.values.tolist() == ["flutter"]
    np.testing.assert_allclose(path.event_parameter, -20.05095, rtol=2e-5)


def test_limit_points_of_an_arch_are_those_of_finite_elements() -> None:
    m = pl.Model("arch")
    strip = pl.Section(
        axial_stiffness=1e4, shear_stiffness=1e4, bending_stiffness=1.0, mass_per_length=1.0, rotary_inertia=0.0
    )
    ground, left, right = m.add(
        pl.Ground(),
        pl.Beam("left", length=1.0, section=strip, angle=0.2),
        pl.Beam("right", length=1.0, section=strip, position=(math.cos(0.2), math.sin(0.2)), angle=-0.2),
    )
    m.add(
        pl.Weld(ground.at(0, 0), left.at(s=0)),
        pl.Weld(left.at(s=1), right.at(s=0)),
        pl.Revolute(ground.at(2.0 * math.cos(0.2), 0.0), right.at(s=1)),
        pl.Force(left.at(s=1), y=0.0, name="load"),
    )
    options = {"to": -40.0, "until": ("left/tip", "y", -0.25)}
    exact = pl.path(pl.compile(m, elements=pl.Exact(12, order=3)), "load/y", **options)
    rods = pl.path(pl.compile(m, formulation="shooting", subintervals=3), "load/y", **options)
    assert rods.event_kind.values.tolist() == exact.event_kind.values.tolist()
    assert "limit point" in rods.event_kind.values
    np.testing.assert_allclose(rods.event_parameter, exact.event_parameter, rtol=1e-5)


@pytest.mark.parametrize("load", [0.0, -1.0])
@pytest.mark.parametrize("step", [None, 0.0625, 0.125])
def test_modes_are_found_where_rounding_closes_in_on_them(load: float, step: float | None) -> None:
    """K(omega^2) may be singular to the last bit at a mode, or the interval close before its pencil says so."""
    m = pl.Model("cantilever")
    strip = pl.Section.rectangle(0.02, 0.002, pl.STEEL)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=strip))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=load, name="tip"))
    modes = pl.modal(pl.compile(m, formulation="shooting", subintervals=2, step=step), modes=2)
    elements = pl.modal(pl.compile(m, elements=pl.Exact(8, order=3)), modes=2)
    np.testing.assert_allclose(modes.frequency_hz, elements.frequency_hz, rtol=2e-3)
    np.testing.assert_allclose(modes.modal_mass, elements.modal_mass, rtol=2e-3)


def test_a_march_that_ends_in_no_numbers_is_named() -> None:
    m = pl.Model("cantilever")
    strip = pl.Section.rectangle(0.02, 0.002, pl.STEEL)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=strip))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=-1.0, name="tip"))
    system = pl.compile(m, formulation="shooting", subintervals=2, step=0.25, extensible=False, shear=False)
    with pytest.raises(ConvergenceError, match="not found"):
        pl.modal(system, modes=2)


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
def test_a_controller_does_the_same_as_with_finite_elements() -> None:
    m = pl.Model("arm")
    strip, damping = pl.Section.rectangle(0.02, 0.005, pl.STEEL), pl.Rayleigh(0.0, 2e-3)
    ground, arm = m.add(pl.Ground(), pl.Beam("arm", length=0.5, section=strip, damping=damping))
    m.add(pl.Weld(ground.at(0, 0), arm.at(s=0)), pl.Gravity(), pl.Force(arm.at(s=1), y=0.0, name="motor"))
    height = "position:arm/tip:y"
    law = pl.Controller.proportional({"motor/y": {height: 200.0}}, sample_time=0.01, output_values={height: 0.01})
    ways = {"formulation": "shooting", "subintervals": 4, "step": 0.05}, {"elements": pl.Exact(4, order=3)}
    given = {"controller": law, "end_time": 0.1, "step": 1.25e-3, "spectral_radius": 0.8, "estimate": False}
    shot, fine = (pl.transient(pl.compile(m, **options), **given) for options in ways)
    for name in ("measured", "applied"):
        known = fine.data[name].values
        np.testing.assert_allclose(shot.data[name].values, known, atol=2e-3 * np.ptp(known))
    law = pl.Controller.proportional({"motor/y": {"resultant:arm@0.5:M": 2.0}}, sample_time=0.01)
    with pytest.raises(pl.errors.OptionError, match="resultants and strains of beam 'arm' are not outputs"):
        pl.transient(pl.compile(m, formulation="shooting"), controller=law, end_time=0.1, step=1e-3)


@pytest.mark.parametrize("subintervals", [2, 8, 16])
def test_the_leg_starts_with_any_number_of_subintervals(subintervals: int) -> None:
    rest = leg.start(pl.compile(leg.model(), formulation="shooting", subintervals=subintervals))
    assert rest is not None
    assert rest.outcome.ok
    assert rest.outcome.stable
    fine = leg.start(pl.compile(leg.model(), elements=pl.Exact(8, order=3)))
    assert fine is not None
    np.testing.assert_allclose(rest.position, fine.position, atol=1e-6)


def arm() -> pl.Model:
    """Build two soft links with motors, loaded at the tip and along the second."""
    m = pl.Model("arm")
    strip = pl.Section.rectangle(0.02, 0.002, pl.STEEL)
    ground, upper, lower = m.add(
        pl.Ground(), pl.Beam("upper", length=0.4, section=strip, angle=0.6),
        pl.Beam("lower", length=0.3, section=strip, angle=-0.4),
    )  # fmt: skip
    for name, *ends, angle in (
        ("shoulder", ground.at(0, 0), upper.at(s=0), 0.6),
        ("elbow", upper.at(s=1), lower.at(s=0), -1.0),
    ):
        m.add(pl.Revolute(*ends), pl.Motion(*ends, angle=angle, name=name))
    m.add(pl.Gravity(), pl.Force(lower.at(s=1), x=0.0, y=-0.5, name="load"))
    m.add(pl.DistributedLoad(lower, y=-1.0, along=(1.0, 0.0), name="snow"))
    return m


def test_signals_that_hold_rods_at_a_place_are_those_of_finite_elements() -> None:
    """Unknown parameters and conditions of their own: motor angles, and loads at the tip and along a rod."""
    mesh = pl.compile(arm(), elements=pl.Exact(8, order=3))
    motors, loads = ["shoulder/angle", "elbow/angle"], ["load/y", "snow/x"]
    place = {"lower/tip": (0.5, 0.2)}
    held = [pl.inverse_statics(mesh, place, signals=names) for names in (motors, loads)]
    pose = pl.Kinetostatics(mesh, platform="lower/tip", motors=motors).inverse((0.5, 0.1))
    for options in ({"subintervals": 2}, {"subintervals": 3, "order": "4/5"}):
        rods = pl.compile(arm(), formulation="shooting", **options)
        for names, known in zip((motors, loads), held, strict=True):
            found = pl.inverse_statics(rods, place, signals=names)
            assert found.outcome.ok
            assert found.outcome.stable == known.outcome.stable
            np.testing.assert_allclose(found.signal_value, known.signal_value, rtol=1e-6)
            np.testing.assert_allclose(found.position.sel(marker="lower/tip"), [0.5, 0.2], atol=1e-9)
        same = pl.Kinetostatics(rods, platform="lower/tip", motors=motors).inverse((0.5, 0.1))
        for name in ("motors", "jacobian", "compliance", "torques", "motor_stiffness"):
            known = getattr(pose, name)
            np.testing.assert_allclose(getattr(same, name), known, atol=1e-6 * np.max(np.abs(known)))
    with pytest.raises(ConvergenceError, match="No equilibrium of 'arm' satisfies the targets"):
        pl.inverse_statics(rods, {"lower/tip": (0.9, 0.1)}, signals=motors)


def test_on_a_mode_its_count_and_its_shift_agree() -> None:
    """Eigenvalues of K from rounding have any sign: counted apart from their t they led to modes far away."""
    rng = np.random.default_rng(4)
    for _ in range(50):
        turn = np.linalg.qr(rng.normal(size=(6, 6)))[0]
        stiffness = turn @ np.diag([1e8, 3e5, 40.0, 7.0, 0.8, 0.0]) @ turn.T  # in a mode, but for rounding
        shifts, vectors, negative = pencil(0.5 * (stiffness + stiffness.T), turn @ np.diag([5, 4, 3, 2, 1, 1]) @ turn.T)
        here = Pencil(shifts, vectors, None, negative, 0)
        assert abs(shifts[here.place(0)]) == np.min(np.abs(shifts)) < 1e-6
