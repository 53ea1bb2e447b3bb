"""Generalized multiple shooting of models: derivatives, closed forms, finite elements of high order, faults."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from math import cos, pi, sin
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

import pliant as pl
from pliant.elements.rod_ivp.march import MarchStart, gather_loads, march
from pliant.elements.rod_ivp.slope import LOADS, PAST, SECTION, Station, slope, tangent
from pliant.errors import CapabilityError, ConvergenceError, ModelError, OptionError, PliantWarning
from pliant.formulations.shooting import condense
from pliant_gallery import elastic_four_bar, slider_crank

STRIP = pl.Section.rectangle(0.02, 0.002, pl.STEEL)
EI = STRIP.bending_stiffness


def shooting(model: pl.Model, **options: Any) -> Any:
    return pl.compile(model, formulation="shooting", **options)


def tip(result: pl.Result, marker: str = "beam/tip") -> np.ndarray:
    return result.position.sel(marker=marker).values


def cantilever(*loads: Any, section: pl.Section = STRIP, angle: float = 0.0, **beam: Any) -> pl.Model:
    """Build a clamped beam of one metre; loads are made from it."""
    m = pl.Model("cantilever")
    ground, rod = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=section, **beam))
    m.add(pl.Weld(ground.at(0, 0, angle=angle), rod.at(s=0), angle=0.0), *(load(rod) for load in loads))
    return m


def force(**components: Any) -> Any:
    return lambda rod: pl.Force(rod.at(s=1), **components)


def bent_arch() -> pl.Model:
    """Build a curved beam under a tip force, its weight and a load that follows it."""
    return cantilever(
        force(x=1.0, y=-5.0), lambda rod: pl.Gravity(),
        lambda rod: pl.DistributedLoad(rod, x=2.0, y=3.0, follower=True), curvature=(1.0, 2.0, 0.5),
    )  # fmt: skip


# --- derivatives


@pytest.mark.parametrize("linear", [False, True])
def test_tangent_is_the_derivative_of_slope(linear: bool, rng: np.random.Generator) -> None:
    section, load, past, y = (rng.standard_normal(size) for size in (SECTION, LOADS, PAST, 6))
    c0, c1, out = 3.0, 2.0, np.zeros((6, 6))
    at = Station(section, load, past)
    tangent(at, c0, c1, linear, y, np.eye(6), out)
    for j in range(6):
        up, down, move = np.zeros(6), np.zeros(6), 1e-6 * np.eye(6)[j]
        slope(at, c0, c1, linear, y + move, up)
        slope(at, c0, c1, linear, y - move, down)
        np.testing.assert_allclose(out[:, j], (up - down) / 2e-6, rtol=0.0, atol=1e-8 * np.abs(out).max())


@pytest.mark.parametrize("order", ["2/3", 4, "4/5"])
@pytest.mark.parametrize("c0", [0.0, 1e4])
def test_sensitivities_are_exact(order: int | str, c0: float) -> None:
    """Marched variations against central differences of the march, with and without inertia."""
    system = shooting(bent_arch(), subintervals=2, order=order, step=0.05)
    work = system.workspace()
    gather_loads(system.rods, system.signals(np.zeros(1))[0], work)
    begin = np.array([0.1, 0.2, 0.3, 2.0, -1.0, 0.5])
    units = np.array([1.0, 1.0, 1.0, 10.0, 10.0, 10.0])
    work.begin[0] = begin
    march(system.rods, system.table, 0, c0, 0.0, 0.0, True, work)
    exact = work.transfer[0].copy()
    for j in range(6):
        ends = []
        for sign in (1.0, -1.0):
            work.begin[0] = begin + sign * 1e-5 * units * np.eye(6)[j]
            march(system.rods, system.table, 0, c0, 0.0, 0.0, False, work)
            ends.append(work.arrive[0].copy())
        column = (ends[0] - ends[1]) / (2e-5 * units[j])
        np.testing.assert_allclose(exact[:, j] * units[j] / units, column * units[j] / units, rtol=1e-6, atol=1e-7)


def test_condensed_stiffness_is_symmetric() -> None:
    """The exact equations have a potential: only the Runge-Kutta error makes the matrix unsymmetric, and it falls."""
    wrong = []
    for step in (0.1, 0.05):
        system = shooting(cantilever(force(y=-5.0), curvature=1.0), subintervals=2, step=step)
        state, work, scratch = system.start(), system.workspace(), system.scratch()
        pull = np.tile([3.0, -2.0, 0.4], (2, 1))
        condense.shoot(system.rods, system.table, MarchStart(state.q, pull), 0.0, 0.0, 0, system.small(), work)
        condense.add(system.rods, work, scratch.r, scratch.s, scratch.w)
        wrong.append(np.abs(scratch.w).max() / np.abs(scratch.s).max())
    assert wrong[0] < 1e-3
    assert wrong[0] / wrong[1] > 12.0  # fourth order: 16


# --- statics


def test_pure_bending_makes_a_circle() -> None:
    moment = 2.0 * pi * EI
    found = pl.statics(shooting(cantilever(lambda rod: pl.Moment(rod.at(s=1), moment)), subintervals=4), load_steps=4)
    np.testing.assert_allclose(tip(found), [0.0, 0.0], atol=1e-8)
    quarter = found.shape.isel(station=found.s.values == 0.25).values[0]
    np.testing.assert_allclose(quarter, [1.0 / (2.0 * pi), 1.0 / (2.0 * pi)], atol=1e-8)
    np.testing.assert_allclose(found.resultant.sel(component="M"), moment, rtol=1e-10)


@pytest.mark.parametrize(
    "options",
    [
        {}, {"subintervals": 1}, {"order": "4/5", "subintervals": 3, "tolerance": 1e-11},
        {"order": "2/3", "subintervals": 5, "tolerance": 1e-9}, {"jacobian": "differences", "subintervals": 4},
    ],
)  # fmt: skip
def test_agrees_with_elements_of_high_order(options: dict[str, Any]) -> None:
    expected = pl.statics(pl.compile(bent_arch(), elements=pl.Exact(40, order=4)))
    found = pl.statics(shooting(bent_arch(), **options))
    np.testing.assert_allclose(tip(found), tip(expected), atol=2e-9)
    np.testing.assert_allclose(found.energy, expected.energy, atol=1e-7)
    base = found.resultant.isel(section=0)
    np.testing.assert_allclose(base.sel(component="M"), -found.reaction.isel(joint=0).sel(wrench="M"), rtol=1e-6)


@pytest.mark.parametrize(("order", "expected"), [("2/3", 3.0), (4, 4.0), ("4/5", 5.0)])
def test_order_of_space_marching(order: int | str, expected: float) -> None:
    exact = tip(pl.statics(shooting(bent_arch(), subintervals=1, order="4/5", step=0.005)))
    errors = [
        np.abs(tip(pl.statics(shooting(bent_arch(), subintervals=1, order=order, step=step))) - exact).max()
        for step in (0.1, 0.05)
    ]
    assert abs(np.log2(errors[0] / errors[1]) - expected) < 0.5


def test_linear_rod_is_timoshenko_exactly() -> None:
    """Eq. 14 of the paper, turned by 0.3 rad."""
    thick = pl.Section.rectangle(0.1, 0.1, pl.STEEL)
    P, f, a = -5e5, 1e5, 0.3
    across = {"x": -sin(a), "y": cos(a)}
    m = cantilever(
        force(**{k: P * n for k, n in across.items()}),
        lambda rod: pl.DistributedLoad(rod, **{k: f * n for k, n in across.items()}),
        section=thick, angle=a,
    )  # fmt: skip
    w = (0.5 * f + P) / (2.0 * thick.bending_stiffness) - (P + f) / (6.0 * thick.bending_stiffness)
    w += f / (24.0 * thick.bending_stiffness) + (P + 0.5 * f) / thick.shear_stiffness
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # turns by more than linear theory means: that is the formula
        found = tip(pl.statics(shooting(m, linear=True, subintervals=1, step=0.1)))
    np.testing.assert_allclose(found, [cos(a) - w * sin(a), sin(a) + w * cos(a)], rtol=1e-11)


def test_taper() -> None:
    """Tip of a beam whose stiffness falls linearly, small load: virtual work by quadrature."""
    slim, load = pl.Section.rectangle(0.005, 0.002, pl.STEEL), 1e-4
    m = cantilever(force(y=-load), section=pl.LinearStiffness((STRIP, slim)))
    bending = quad(lambda s: (1.0 - s) ** 2 / (EI + (slim.bending_stiffness - EI) * s), 0.0, 1.0)[0]
    GA = STRIP.shear_stiffness, slim.shear_stiffness
    shearing = quad(lambda s: 1.0 / (GA[0] + (GA[1] - GA[0]) * s), 0.0, 1.0)[0]
    assert tip(pl.statics(shooting(m)))[1] == pytest.approx(-load * (bending + shearing), rel=1e-8)
    assert tip(pl.statics(pl.compile(m, elements=40)))[1] == pytest.approx(-load * (bending + shearing), rel=1e-3)


def test_inextensible_rod_keeps_its_length() -> None:
    found = pl.statics(shooting(cantilever(force(x=300.0, y=80.0)), extensible=False, shear=False, step=0.001))
    shape = found.shape.isel(station=found.part.values == "beam").values
    M, s = found.resultant.sel(component="M").values, found.section_s.values
    assert s[-1] == 1.0
    assert np.abs(M[-1]) < 1e-8
    # chords of arcs of known curvature: l sinc(kappa l / 2)
    chord, steps = np.hypot(*np.diff(shape, axis=0).T), np.diff(s) > 0.0
    bend = 1e-3 * (0.5 * (M[:-1] + M[1:]) / EI)[steps]
    np.testing.assert_allclose(chord, 1e-3 * np.sinc(bend / (2.0 * pi)), rtol=1e-10)
    soft = pl.statics(shooting(cantilever(force(x=300.0, y=80.0)), shear=False, step=0.001))
    stretched = np.hypot(*np.diff(soft.shape.isel(station=soft.part.values == "beam").values, axis=0).T).sum()
    N = soft.resultant.sel(component="N").values.mean()
    assert stretched - chord.sum() == pytest.approx(N / STRIP.axial_stiffness, rel=0.02)


def test_single_shooting_fails_where_multiple_does_not() -> None:
    """A stretched wire, T L^2 / EI = 36,571: solutions grow by exp(191) from end to end, and the guess is straight."""
    m = pl.Model("wire")
    section = pl.Section.rectangle(0.01, 0.0005, pl.STEEL)
    ground, wire = m.add(pl.Ground(), pl.Beam("wire", length=2.0, section=section))
    m.add(pl.Weld(ground.at(0, 0), wire.at(s=0), angle=0.0), pl.Force(wire.at(s=1), x=200.0))
    m.add(pl.DistributedLoad(wire, y=20.0))
    with pytest.raises(ConvergenceError, match="subintervals"):
        pl.statics(shooting(m, subintervals=1, step=0.002))
    found = pl.statics(shooting(m, subintervals=20, step=0.002))
    assert found.outcome.stable
    expected = pl.statics(pl.compile(m, elements=pl.Exact(60, order=4)))
    np.testing.assert_allclose(tip(found, "wire/tip"), tip(expected, "wire/tip"), atol=1e-6)


@pytest.mark.parametrize("subintervals", [1, 2, 10])
def test_stability_of_a_column(subintervals: int) -> None:
    """Pinned column: one direction more at every square of a whole number times Euler's load, however it is cut."""
    for factor, unstable in ((0.99, 0), (1.01, 1), (4.05, 2), (9.1, 3)):
        m = pl.Model("column")
        ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=STRIP, angle=0.0))
        m.add(pl.Revolute(ground.at(0, 0), beam.at(s=0)), pl.Slider(ground.at(0, 0), beam.at(s=1)))
        m.add(pl.Force(beam.at(s=1), x=-factor * pi**2 * EI))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PliantWarning)
            found = pl.statics(shooting(m, subintervals=subintervals, shear=False))
        assert found.outcome.largest_strain < 1e-4  # still straight
        assert found.outcome.unstable_directions == unstable


def frame(push: Any = 2.0) -> pl.Model:
    """Build three beams at a rigid plate, as in figure 2 of the paper: two clamped to it, one pinned; a guided foot."""
    m = pl.Model("frame")
    ground, plate = m.add(pl.Ground(), pl.Body("plate", mass=0.2, inertia=1e-4, position=(0.0, 0.35), angle=0.0))
    left, right, up = m.add(
        pl.Beam("left", length=0.3, section=STRIP, angle=pi / 2, position=(-0.05, 0.0)),
        pl.Beam("right", length=0.3, section=STRIP, angle=-pi / 2, position=(0.05, 0.3)),
        pl.Beam("up", length=0.2, section=STRIP, angle=pi / 2, position=(0.0, 0.4)),
    )
    m.add(
        pl.Weld(ground.at(-0.05, 0.0, angle=pi / 2), left.at(s=0), angle=0.0),
        pl.Weld(plate.at(-0.05, -0.05, angle=pi / 2), left.at(s=1), angle=0.0),
        pl.Revolute(plate.at(0.05, -0.05), right.at(s=0)),
        pl.Prismatic(ground.at(0.05, 0.0), right.at(s=1, angle=pi / 2)),
        pl.Weld(plate.at(0.0, 0.05, angle=pi / 2), up.at(s=0), angle=0.0),
        pl.Force(up.at(s=1), x=push),
        pl.Gravity(y=-9.81 if push == 2.0 else 0.0),
        pl.Spring("spring", plate.at(), ground.at(0.5, 0.3), stiffness=20.0, rest_length=float(np.hypot(0.5, 0.05))),
    )
    return m


def test_plate_with_three_links_and_a_guided_foot() -> None:
    expected = pl.statics(pl.compile(frame(), elements=pl.Exact(10, order=4)))
    found = pl.statics(shooting(frame(), subintervals=5))
    for marker in ("left/tip", "up/tip", "right/tip"):
        np.testing.assert_allclose(tip(found, marker), tip(expected, marker), atol=1e-9)
    np.testing.assert_allclose(found.angle, expected.angle, atol=1e-9)
    np.testing.assert_allclose(found.reaction, expected.reaction, atol=1e-4)


def bridge(load: Any) -> pl.Model:
    """Build a bridge clamped at both ends: with one subinterval no place is unknown, only forces are."""
    m = pl.Model("bridge")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=STRIP, angle=0.0))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Weld(ground.at(1, 0), beam.at(s=1)))
    m.add(pl.DistributedLoad(beam, y=load))
    return m


@pytest.mark.parametrize("jacobian", ["variational", "differences"])
def test_forces_converge_where_all_places_are_held(jacobian: str) -> None:
    expected = pl.statics(pl.compile(bridge(0.5), elements=pl.Exact(10, order=4)))
    found = pl.statics(shooting(bridge(0.5), subintervals=1, jacobian=jacobian))
    reaction = expected.reaction.isel(joint=0).values
    np.testing.assert_allclose(found.reaction.isel(joint=0), reaction, rtol=0.0, atol=1e-6 * np.abs(reaction).max())
    assert found.outcome.residual < 1e-6 * found.outcome.force_scale


# --- motion


def runs(model: pl.Model, **options: Any) -> Iterator[pl.Result]:
    """Yield motions with the same steps of Newmark's scheme by shooting and by elements of high order."""
    common: dict[str, Any] = {"end_time": 0.1, "step": 1e-3, **options}
    yield pl.transient(shooting(model, subintervals=5), **common)
    elements = pl.compile(model, elements=pl.Exact(10, order=4))
    yield pl.transient(elements, newmark=(0.25, 0.5), constraints="projection", **common)


def test_motion_agrees_with_elements() -> None:
    """The force begins smoothly, from rest: each scheme resolves an impact in its own way."""
    found, expected = runs(frame(push=pl.Expression("40*sin(20*t)**3")))
    for marker in ("left/tip", "up/tip"):
        moved = np.ptp(tip(expected, marker), axis=0).max()
        np.testing.assert_allclose(tip(found, marker), tip(expected, marker), atol=1e-3 * moved)
    assert found.outcome.energy_error < 2e-3 * found.outcome.energy_range
    np.testing.assert_allclose(found.energy, expected.energy, atol=2e-3 * found.outcome.energy_range)


def test_push_starts_rods_as_rigid_bodies() -> None:
    m = pl.Model("arm")
    ground, arm = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=STRIP, angle=0.3, curvature=1.0))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)))
    found, expected = runs(m, push={"beam": 2.0})
    np.testing.assert_allclose(found.energy[0], expected.energy[0], rtol=1e-6, atol=1e-15)
    np.testing.assert_allclose(found.momentum[0], expected.momentum[0], rtol=1e-3)
    np.testing.assert_allclose(tip(found), tip(expected), atol=1e-4)
    assert float(found.energy.sel(energy_kind="balance").max()) < 1e-4 * float(found.energy[0, 0])


def test_drag_takes_what_the_energy_loses() -> None:
    m = cantilever(force(y=0.0), lambda rod: pl.Drag(rod, x=0.5, y=0.5), lambda rod: pl.Gravity())
    found, expected = runs(m)
    assert found.energy[-1].sel(energy_kind="dissipated") > 0.0
    np.testing.assert_allclose(found.energy, expected.energy, atol=1e-4)


def test_slider_crank_as_in_the_paper() -> None:
    """Aluminium, N = 20, d = 0.005, 5 ms; without extension and shear. Against elements with both."""
    m = slider_crank.model()
    found = pl.transient(shooting(m, extensible=False, shear=False), end_time=1.5, step=5e-3)
    elements = pl.transient(pl.compile(m, elements=pl.Exact(5, order=4)), end_time=1.5, step=5e-3)
    x, y = (run.position.sel(marker="rod/base", axis="x").values for run in (found, elements))
    np.testing.assert_allclose(x, y, atol=1e-5)
    energy = found.energy.values[found.time.values >= 1.2, :2].sum(axis=1)
    assert np.ptp(energy) < 1e-3 * energy[0]


@pytest.mark.parametrize("extensible", [True, False])
def test_released_four_bar(extensible: bool) -> None:
    """Generalized-alpha at every station: elements with the same scheme and step, energy kept, rest shape reported."""
    options: dict[str, Any] = {"end_time": 0.2, "step": 1e-3, "spectral_radius": 0.8}
    held, free = elastic_four_bar.model(held=elastic_four_bar.PUSHED), elastic_four_bar.model()
    rest = pl.statics(shooting(held, subintervals=10, extensible=extensible, shear=False))
    found = pl.transient(shooting(free, subintervals=10, extensible=extensible, shear=False), start=rest, **options)
    elements = pl.Exact(10, order=3)
    start = pl.statics(pl.compile(held, elements=elements))
    expected = pl.transient(pl.compile(free, elements=elements), start=start, **options)
    np.testing.assert_allclose(tip(rest, "right/base"), tip(start, "right/base"), atol=1e-6)
    np.testing.assert_allclose(tip(found, "right/base"), tip(expected, "right/base"), atol=2e-4)
    assert found.outcome.energy_error < 1e-3 * found.outcome.energy_range


@pytest.mark.parametrize("scheme", [{}, {"spectral_radius": 0.8}])
def test_going_on_is_the_same_motion(scheme: dict[str, Any]) -> None:
    system = shooting(frame(), subintervals=4)
    whole = pl.transient(system, end_time=0.04, step=1e-3, **scheme)
    half = pl.transient(system, end_time=0.02, step=1e-3, **scheme)
    rest = pl.transient(system, end_time=0.04, step=1e-3, start=half, **scheme)
    np.testing.assert_allclose(rest.position[-1], whole.position[-1], rtol=0.0, atol=1e-12)


def test_release_from_a_static_shape() -> None:
    """A cantilever let go rings with its first frequency, 1.8751^2 sqrt(EI / rhoA) / (2 pi L^2)."""
    bent = shooting(cantilever(force(y=-0.2)), subintervals=5, shear=False)
    free = bent.with_signals({bent.signal_names[-1]: 0.0, bent.signal_names[0]: 0.0})
    start = pl.statics(bent)
    frequency = 1.8751040687**2 * np.sqrt(EI / STRIP.mass_per_length) / (2.0 * pi)
    run = pl.transient(free, start=start, end_time=8.0 / frequency, step=5e-3 / frequency)
    y = tip(run)[:, 1]
    assert y[0] == pytest.approx(tip(start)[1], rel=1e-12)
    down = np.flatnonzero((y[:-1] < 0.0) & (y[1:] >= 0.0))
    crossing = run.time.values[down] - y[down] * np.diff(run.time.values)[0] / (y[down + 1] - y[down])
    assert 1.0 / np.diff(crossing).mean() == pytest.approx(frequency, rel=2e-3)


def test_adaptive_motion() -> None:
    model = frame()
    fine = pl.transient(shooting(model, subintervals=5), end_time=0.02, step=1e-3)
    found = pl.transient(shooting(model, subintervals=2, order="4/5", tolerance=1e-7), end_time=0.02, step=1e-3)
    np.testing.assert_allclose(tip(found, "up/tip"), tip(fine, "up/tip"), atol=1e-6)


def test_differences_give_the_same_motion() -> None:
    exact, other = (
        pl.transient(shooting(frame(), subintervals=3, jacobian=way), end_time=0.01, step=1e-3)
        for way in ("variational", "differences")
    )
    np.testing.assert_allclose(other.position, exact.position, rtol=0.0, atol=1e-9)


def test_forces_converge_in_motion_where_all_places_are_held() -> None:
    one, four = (
        pl.transient(shooting(bridge(pl.Expression("0.5*sin(10*t)**3")), subintervals=n), end_time=0.1, step=0.01)
        for n in (1, 4)
    )
    expected = four.resultant.isel(section=0).values
    np.testing.assert_allclose(one.resultant.isel(section=0), expected, atol=1e-4 * np.abs(expected).max())


# --- refusals


def test_refusals() -> None:
    m = cantilever(force(y=-1.0))
    with pytest.raises(OptionError, match="runge_kutta"):
        shooting(m, order=5)
    with pytest.raises(OptionError, match="jacobian"):
        shooting(m, jacobian="exact")
    with pytest.raises(OptionError, match="by the names of beams"):
        shooting(m, rods=pl.Rod(4))
    with pytest.raises(OptionError, match="no beam 'bean'"):
        shooting(m, rods={"bean": pl.Rod(4)})
    with pytest.raises(OptionError, match="must be the same for all"):
        shooting(m, rods={"beam": pl.Rod(4, runge_kutta="2/3")})
    empty = pl.Model("link")
    ground, link = empty.add(pl.Ground(), pl.Link("link", length=1.0, mass=1.0))
    empty.add(pl.Revolute(ground.at(0, 0), link.at(s=0)))
    with pytest.raises(ModelError, match="no beams"):
        shooting(empty)
    system = shooting(m, subintervals=2)
    with pytest.raises(OptionError, match="step"):
        pl.transient(system, end_time=1.0)
    with pytest.raises(OptionError, match="give one of them"):
        pl.transient(system, end_time=1.0, step=1e-3, newmark=(0.25, 0.5), spectral_radius=0.8)
    with pytest.raises(OptionError, match="elements: not an option of the formulation 'shooting'"):
        shooting(m, elements=5)
    with pytest.raises(OptionError, match="accuracy"):
        pl.transient(system, end_time=1.0, accuracy=1e-3)
    with pytest.raises(CapabilityError, match="shooting"):
        pl.statics(system, spin=1.0)
    with pytest.warns(PliantWarning, match="waves"):
        pl.transient(shooting(m, subintervals=1, step=0.5), end_time=2e-4, step=1e-4, partial=True)
