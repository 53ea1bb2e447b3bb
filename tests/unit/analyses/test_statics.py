"""Statics: large deflections against elliptic integrals, buckling, stability, closing by bending, curved beams."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, minimize
from scipy.special import ellipe, ellipeinc, ellipk, ellipkinc

import pliant as pl
from pliant.errors import AssemblyError, ConvergenceError, OptionError, PliantWarning

STIFF = pl.Section(1e8, 1e8, 1.0, 1.0, 1e-4)  # EI = 1: nearly without shear and extension


def cantilever(*, section: pl.Section = STIFF, length: float = 1.0, **options: object) -> tuple[pl.Model, pl.Beam]:
    model = pl.Model("cantilever")
    ground, beam = model.add(pl.Ground(), pl.Beam("beam", length=length, section=section, **options))
    model.add(pl.Weld(ground.at(0, 0), beam.at(s=0), name="clamp"))
    return model, beam


def tip(result: pl.Result) -> np.ndarray:
    return result.position.sel(marker="beam/tip").values


def elastica(load: float) -> tuple[float, float]:
    """Return the tip of a cantilever of length 1 and EI = 1 under a dead transverse force (Bisshopp, Drucker 1945)."""

    def mismatch(k: float) -> float:
        return float(ellipk(k * k) - ellipkinc(math.asin(1.0 / (k * math.sqrt(2.0))), k * k) - math.sqrt(load))

    k = brentq(mismatch, math.sqrt(0.5) + 1e-12, 1.0 - 1e-12, xtol=1e-15)
    phi = math.asin(1.0 / (k * math.sqrt(2.0)))
    deflection = 1.0 - 2.0 / math.sqrt(load) * float(ellipe(k * k) - ellipeinc(phi, k * k))
    slope = math.asin(2.0 * k * k - 1.0)
    return math.sqrt(2.0 * math.sin(slope) / load), deflection


@pytest.mark.parametrize(
    ("options", "tolerance"),
    [
        (pl.Exact(12, order=3), 1e-6),
        (pl.Exact(64), 1e-3),
        (pl.Corotational(64), 1e-3),
        (pl.Corotational(64, von_karman=True), 1e-3),
    ],
    ids=repr,
)
@pytest.mark.parametrize("load", [1.0, 4.0, 10.0])
def test_large_deflection_against_elliptic_integrals(options: object, tolerance: float, load: float) -> None:
    model, beam = cantilever()
    model.add(pl.Force(beam.at(s=1), y=load))
    rest = pl.statics(pl.compile(model, elements=options))
    np.testing.assert_allclose(tip(rest), elastica(load), atol=tolerance)
    assert rest.outcome.stable


def test_elastica_agrees_with_the_printed_table() -> None:
    """Mattiasson 1981: 1 - x = 0.05643, y = 0.30172 for load 1; 0.55500, 0.81061 for load 10."""
    for load, shortening, deflection in ((1.0, 0.05643, 0.30172), (10.0, 0.55500, 0.81061)):
        np.testing.assert_allclose(elastica(load), (1.0 - shortening, deflection), atol=6e-6)


@pytest.mark.parametrize("options", [pl.Exact(16), pl.Exact(4, order=3), pl.Corotational(16)], ids=repr)
@pytest.mark.parametrize("turns", [1, 2])
def test_end_moment_rolls_a_beam_up_in_one_load_step(options: object, turns: int) -> None:
    model, beam = cantilever()
    model.add(pl.Moment(beam.at(s=1), turns * 2.0 * math.pi))
    rest = pl.statics(pl.compile(model, elements=options))
    np.testing.assert_allclose(tip(rest), 0.0, atol=1e-9)
    assert rest.outcome.load_steps == 1


def test_load_steps_and_a_near_start_give_the_same_answer() -> None:
    model, beam = cantilever()
    model.add(pl.Force(beam.at(s=1), y=pl.Expression("5 + t")))
    system = pl.compile(model, elements=10)
    at_once = pl.statics(system, time=1.0)
    in_steps = pl.statics(system, time=1.0, load_steps=6)
    onwards = pl.statics(system, time=1.0, start=pl.statics(system))
    np.testing.assert_allclose(tip(in_steps), tip(at_once), atol=1e-10)
    np.testing.assert_allclose(tip(onwards), tip(at_once), atol=1e-10)
    assert in_steps.outcome.residual < 1e-6 * in_steps.outcome.force_scale


COLUMNS = {
    "pinned-pinned": 1.0,
    "clamped-free": 0.25,
    "clamped-clamped": 4.0,
    "clamped-pinned": (4.493409457909064 / math.pi) ** 2,
}


def column(supports: str, load: float, *, side: object = 0.0) -> pl.Model:
    """Build an upright column of length 1 and EI = 1, pressed at its top."""
    model = pl.Model("column")
    ground, beam = model.add(pl.Ground(), pl.Beam("beam", length=1.0, section=STIFF, angle=math.pi / 2))
    bottom, top = supports.split("-")
    model.add({"pinned": pl.Revolute, "clamped": pl.Weld}[bottom](ground.at(0, 0, angle=math.pi / 2), beam.at(s=0)))
    if top != "free":
        joint = {"pinned": pl.Slider, "clamped": pl.Prismatic}[top]
        model.add(joint(ground.at(0, 0, angle=math.pi / 2), beam.at(s=1)))
    model.add(pl.Force(beam.at(s=1), y=-load), pl.Force(beam.at(s=0.5), x=side))
    return model


@pytest.mark.parametrize("supports", COLUMNS)
def test_straight_column_loses_stability_at_the_euler_load(supports: str) -> None:
    critical = COLUMNS[supports] * math.pi**2
    below = pl.statics(pl.compile(column(supports, 0.999 * critical), elements=pl.Exact(20, order=2)))
    assert below.outcome.stable
    assert below.outcome.unstable_directions == 0
    with pytest.warns(PliantWarning, match=r"unstable in 1 direction"):
        above = pl.statics(pl.compile(column(supports, 1.001 * critical), elements=pl.Exact(20, order=2)))
    assert above.outcome.stable is False
    assert above.outcome.unstable_directions == 1
    assert "unstable in 1 direction" in above.outcome.message
    np.testing.assert_allclose(above.shape.sel(axis="x"), 0.0, atol=1e-9)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_buckled_column_follows_the_elastica_on_the_chosen_side(side: float) -> None:
    """Pinned column at 1.2 Euler loads: P = (2 K(k) / pi)^2 Euler loads, mid deflection k / K(k)."""
    system = pl.compile(
        column("pinned-pinned", 1.2 * math.pi**2, side=pl.Expression(f"{side} * (1 - t)")),
        elements=pl.Exact(16, order=3),
    )
    rest = pl.statics(system, time=1.0, start=pl.statics(system))
    k = brentq(lambda k: 2.0 * ellipk(k * k) / math.pi - math.sqrt(1.2), 1e-3, 0.95, xtol=1e-15)
    middle = rest.shape.sel(axis="x").values[24]
    assert rest.outcome.stable
    assert middle == pytest.approx(side * k / ellipk(k * k), rel=1e-5)


def beck(load: float, *, rotary: float) -> pl.Result:
    model, beam = cantilever(section=pl.Section(1e8, 1e8, 1.0, 1.0, rotary))
    model.add(pl.Force(beam.at(s=1), x=-load, follower=True))
    return pl.statics(pl.compile(model, elements=pl.Exact(12, order=2)))


@pytest.mark.parametrize("rotary", [0.0, 1e-7])
def test_follower_load_flutters_at_becks_load(rotary: float) -> None:
    """Beck 1952: 20.05 EI / l^2; there is no other straight or bent equilibrium before it."""
    below = beck(20.0, rotary=rotary)
    assert below.outcome.stable
    with pytest.warns(PliantWarning, match="unstable in 2 direction"):
        above = beck(20.1, rotary=rotary)
    assert above.outcome.stable is False


def test_follower_force_bends_as_its_integral_says() -> None:
    """Seen from the tip, psi the angle from the tip's section: psi' = -M, M' = P cos psi. No iteration is needed."""
    load = 12.0
    model, beam = cantilever()
    model.add(pl.Force(beam.at(s=1), y=load, follower=True))
    rest = pl.statics(pl.compile(model, elements=pl.Exact(16, order=3)))

    def slope(_: float, state: np.ndarray) -> list[float]:
        psi, moment = state[:2]
        return [-moment, load * math.cos(psi), -math.cos(psi), -math.sin(psi)]

    psi, moment, x, y = solve_ivp(slope, (0.0, 1.0), [0.0] * 4, rtol=1e-11, atol=1e-12).y[:, -1]
    c, s = math.cos(-psi), math.sin(-psi)
    np.testing.assert_allclose(tip(rest), [-(c * x - s * y), -(s * x + c * y)], atol=1e-6)
    assert float(rest.reaction.sel(joint="clamp", wrench="M")) == pytest.approx(-moment, rel=1e-6)


def pendulum(angle: float | None, *more: object) -> pl.Model:
    model = pl.Model("pendulum")
    ground, arm = model.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=angle))
    model.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)))
    for part in more:
        model.add(part)
    return model


@pytest.mark.parametrize("angle", [0.0, 1.0, 3.0, math.pi / 2 - 1e-3])
def test_a_pendulum_is_found_hanging_from_wherever_it_starts(angle: float) -> None:
    rest = pl.statics(pl.compile(pendulum(angle, pl.Gravity())))
    x, y = rest.position.sel(marker="arm/tip").values
    assert (x, y) == pytest.approx((0.0, -1.0), abs=1e-9)
    assert rest.outcome.stable


def test_an_unstable_equilibrium_is_kept_where_the_user_starts() -> None:
    with pytest.warns(PliantWarning, match="unstable in 1 direction"):
        rest = pl.statics(pl.compile(pendulum(math.pi / 2, pl.Gravity())))
    assert float(rest.angle[0]) == pytest.approx(math.pi / 2)
    assert rest.outcome.unstable_directions == 1


def test_a_mechanism_that_nothing_holds_is_reported_neutral() -> None:
    rest = pl.statics(pl.compile(pendulum(0.3)))
    assert rest.outcome.stable is None
    assert "neutral: arm can move without any force changing" in rest.outcome.message
    assert float(rest.angle[0]) == pytest.approx(0.3)


def test_equilibrium_is_the_minimum_of_the_potential_energy() -> None:
    """Two links, gravity, a spring and a torsion spring, against a minimiser that knows nothing of multipliers."""
    model = pl.Model("double")
    ground = model.add(pl.Ground())
    first, second = (
        pl.Link(name, length=length, mass=mass, angle=0.2)
        for name, length, mass in (("first", 0.6, 2.0), ("second", 0.9, 1.0))
    )
    model.add(first, second)
    model.add(pl.Revolute(ground.at(0, 0), first.at(s=0)), pl.Revolute(first.at(s=1), second.at(s=0)), pl.Gravity())
    model.add(pl.Spring("spring", second.at(s=1), ground.at(1.5, 0.3), stiffness=25.0, rest_length=0.5))
    model.add(pl.TorsionSpring("flexure", first.at(s=1), second.at(s=0), stiffness=4.0, rest_angle=0.3))
    rest = pl.statics(pl.compile(model))

    def potential(angles: np.ndarray) -> float:
        a, b = angles
        knee = 0.6 * np.array([math.cos(a), math.sin(a)])
        end = knee + 0.9 * np.array([math.cos(b), math.sin(b)])
        height = 2.0 * 0.3 * math.sin(a) + 1.0 * (knee[1] + 0.45 * math.sin(b))
        stretch = math.hypot(1.5 - end[0], 0.3 - end[1]) - 0.5
        return 9.81 * height + 0.5 * 25.0 * stretch**2 + 0.5 * 4.0 * (b - a - 0.3) ** 2

    best = minimize(potential, rest.angle.values + 0.05, method="BFGS", options={"gtol": 1e-9})
    np.testing.assert_allclose(rest.angle, best.x, atol=1e-6)
    assert float(rest.energy.sel(energy_kind="potential")) == pytest.approx(best.fun, rel=1e-9)


@pytest.mark.parametrize("joint", [pl.Weld, pl.Revolute])
@pytest.mark.parametrize("gap", [0.005, 0.15])
@pytest.mark.parametrize("elements", [8, 21])
def test_a_beam_too_long_for_its_place_is_closed_by_bending(joint: type, gap: float, elements: int) -> None:
    model = pl.Model("arch")
    ground, beam = model.add(pl.Ground(), pl.Beam("beam", length=1.0, section=STIFF, angle=0.0))
    model.add(
        joint(ground.at(0, 0), beam.at(s=0), name="left"), joint(ground.at(1 - gap, 0), beam.at(s=1), name="right")
    )
    rest = pl.statics(pl.compile(model, elements=pl.Exact(elements, order=2)))
    assert rest.outcome.stable
    np.testing.assert_allclose(tip(rest), (1.0 - gap, 0.0), atol=1e-9)
    # exact: the half wave of an inextensible elastica; a clamped beam is two pinned halves, turned inwards
    k = brentq(lambda k: 2.0 * ellipe(k * k) / ellipk(k * k) - 1.0 - (1.0 - gap), 1e-4, 0.9, xtol=1e-14)
    waves = 1.0 if joint is pl.Revolute else 2.0
    force = (2.0 * waves * ellipk(k * k)) ** 2
    middle = float(rest.shape.sel(axis="y").values[elements])
    assert middle == pytest.approx(k / ellipk(k * k), rel=2e-3)
    assert float(rest.reaction.sel(joint="left", wrench="Fx")) == pytest.approx(force, rel=2e-3)


def test_a_loop_that_no_bending_can_close_is_refused() -> None:
    model = pl.Model("short")
    ground, beam = model.add(pl.Ground(), pl.Beam("beam", length=1.0, section=STIFF, angle=0.0))
    model.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Weld(ground.at(3, 0), beam.at(s=1), name="far end"))
    with pytest.raises(AssemblyError, match="far end"):
        pl.compile(model)


def test_curved_beam_rests_unstressed_and_straightens_under_its_moment() -> None:
    model, beam = cantilever(curvature=1.5)
    rest = pl.statics(pl.compile(model, elements=6))
    np.testing.assert_allclose(tip(rest), (math.sin(1.5) / 1.5, (1 - math.cos(1.5)) / 1.5), atol=1e-12)
    np.testing.assert_allclose(rest.resultant, 0.0, atol=1e-14 * STIFF.axial_stiffness)
    model.add(pl.Moment(beam.at(s=1), -1.5))
    straight = pl.statics(pl.compile(model, elements=pl.Exact(6, order=3)))
    np.testing.assert_allclose(tip(straight), (1.0, 0.0), atol=1e-6)
    np.testing.assert_allclose(straight.resultant.sel(component="M"), -1.5, atol=1e-5)


@pytest.mark.parametrize("options", [pl.Exact(24), pl.Exact(6, order=3), pl.Corotational(40), pl.Linear(40)], ids=repr)
def test_quarter_circle_under_a_small_load_against_castigliano(options: object) -> None:
    """M = P cos a at the angle a from the base: the tip moves by P pi / 4 along the force and -P / 2 across."""
    load = 1e-4
    model, beam = cantilever(length=math.pi / 2, curvature=1.0)
    model.add(pl.Force(beam.at(s=1), x=load))
    moved = tip(pl.statics(pl.compile(model, elements=options))) - beam.rest_pose([1.0])[0, :2]
    np.testing.assert_allclose(moved, [load * math.pi / 4, -load / 2], rtol=2e-3)


def test_marked_stations_become_nodes() -> None:
    model, beam = cantilever()
    marked = [model.add(beam.at(s=s)) for s in (1 / 3, 0.41, 0.77)]
    model.add(pl.Force(marked[1], y=1e-3))
    rest = pl.statics(pl.compile(model, elements=pl.Linear(7, integration="exact")))
    a = 0.41
    for marker in marked:
        s = marker.s
        expected = 1e-3 * (s * s * (3 * a - s) if s <= a else a * a * (3 * s - a)) / 6.0
        shear = 1e-3 * min(s, a) / STIFF.shear_stiffness
        assert float(rest.position.sel(marker=marker.label, axis="y")) == pytest.approx(expected + shear, rel=1e-9)
    stations = np.unique(rest.s.sel(station=(rest.part == "beam").values))
    assert stations.size == 8


def test_too_few_elements_for_the_markers_is_refused() -> None:
    model, beam = cantilever()
    model.add(beam.at(s=0.3), beam.at(s=0.7))
    with pytest.raises(pl.errors.ModelError, match=r"2 elements cannot reach .* s = 0\.3, 0\.7; give it at least 3"):
        pl.compile(model, elements=2)


def test_hanging_chain_is_a_catenary() -> None:
    model = pl.Model("chain")
    section = pl.Section(1e5, 1e5, 1e-5, 1.0, 0.0)
    ground, beam = model.add(pl.Ground(), pl.Beam("beam", length=1.0, section=section, angle=0.0))
    model.add(
        pl.Revolute(ground.at(0, 0), beam.at(s=0), name="left"),
        pl.Revolute(ground.at(0.8, 0), beam.at(s=1)),
        pl.Gravity(),
    )
    rest = pl.statics(pl.compile(model, elements=40))
    a = brentq(lambda a: 2.0 * a * math.sinh(0.4 / a) - 1.0, 0.05, 5.0)
    assert rest.outcome.stable
    assert -float(rest.shape.sel(axis="y").min()) == pytest.approx(a * (math.cosh(0.4 / a) - 1.0), rel=3e-3)
    assert abs(float(rest.reaction.sel(joint="left", wrench="Fx"))) == pytest.approx(9.81 * a, rel=5e-3)


def test_statics_options_are_checked() -> None:
    system = pl.compile(pendulum(0.0, pl.Gravity()))
    for wrong in (0, 1.5, "two", True):
        with pytest.raises(OptionError, match=r"load_steps=.*whole number"):
            pl.statics(system, load_steps=wrong)
    with pytest.raises(OptionError, match="time=nan"):
        pl.statics(system, time=math.nan)


def test_a_load_that_nothing_can_carry_is_an_error() -> None:
    model = pendulum(0.0)
    model.add(pl.Moment(model.part("arm").at(s=0), 1.0))
    with pytest.raises(ConvergenceError, match="arm"):
        pl.statics(pl.compile(model))


@pytest.mark.parametrize("length", [1e-3, 1e3])
def test_forces_at_work_count_moments_over_the_length_scale(length: float) -> None:
    section = pl.Section(1e7, 1e7, length**2, 1.0, 1e-4 * length**2)
    model, beam = cantilever(section=section, length=length)
    model.add(pl.Moment(beam.at(s=1), 2.0 * length))
    assert pl.statics(pl.compile(model)).outcome.force_scale == pytest.approx(2.0, rel=1e-6)
