"""An equilibrium beyond a limit point is on another branch than the start, and is reported so. Large deflections on one
branch are not.
"""

from __future__ import annotations

import warnings
from math import hypot, inf, pi
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ellipk

import pliant as pl
from pliant_gallery import buckling
from tests.soak.mechanisms import Spun

SPAN, HEIGHT, STIFFNESS = 1.0, 0.2, 1000.0
STRIP = pl.Section.rectangle(0.02, 0.002, pl.STEEL)
EI = STRIP.bending_stiffness


def truss(load: float, *, springs: int = 2, space: bool = False) -> pl.Model:
    """Build von Mises's truss: springs from a circle of radius 1 to an apex on a guide."""
    m = pl.Model("truss", plane=None if space else "xy")
    up, inertia = ((0.0, 0.0, HEIGHT), (0.1, 0.1, 0.1)) if space else ((0.0, HEIGHT), 0.1)
    ground, apex = m.add(pl.Ground(), pl.Body("apex", mass=1.0, inertia=inertia, position=up, free=not space))
    if space:
        m.add(pl.Prismatic(ground.at(0, 0), apex.at(), axis="z"), pl.Force(apex.at(), z=-load))
    else:
        m.add(pl.Slider(ground.at(0, 0, angle=pi / 2), apex.at()), pl.Force(apex.at(), y=-load))
        m.add(pl.TorsionSpring("level", ground.at(0, 0), apex.at(), stiffness=1.0))
    for k in range(springs):
        x, y = np.cos(2 * pi * k / springs), np.sin(2 * pi * k / springs)
        m.add(pl.Spring(f"s{k}", ground.at(x, y if space else 0.0), apex.at(), STIFFNESS, hypot(SPAN, HEIGHT)))
    return m


def limit(springs: int) -> float:
    """Return the largest load of the truss, F = n k (l0 - l) y / l: at l^3 = l0 a^2."""
    rest = hypot(SPAN, HEIGHT)
    length = (rest * SPAN**2) ** (1.0 / 3.0)
    return springs * STIFFNESS * (rest - length) * float(np.sqrt(length**2 - SPAN**2)) / length


def arch(load: float, *, space: bool = False) -> pl.Model:
    """Build a clamped arch of 1 m span, loaded at the middle."""
    rise = 0.02
    radius = (0.25 + rise**2) / (2.0 * rise)
    half = float(np.arcsin(0.5 / radius))
    m = pl.Model("arch", plane=None if space else "xy")
    if space:
        turns: list[Any] = [{"orientation": pl.rotation(z=half)}, {"orientation": pl.rotation(z=-half)}]
        curvature: Any = (0.0, 0.0, -1.0 / radius)
    else:
        turns, curvature = [{"angle": half}, {"angle": -half}], -1.0 / radius
    place = (-0.5, 0.0, 0.0) if space else (-0.5, 0.0)
    beam = pl.Beam("arch", length=2 * half * radius, section=STRIP, curvature=curvature, position=place, **turns[0])
    ground, beam = m.add(pl.Ground(), beam)
    m.add(pl.Weld(ground.at(-0.5, 0, **turns[0]), beam.at(s=0)), pl.Weld(ground.at(0.5, 0, **turns[1]), beam.at(s=1)))
    m.add(pl.Force(beam.at(s=0.5), y=-load, name="load"))
    return m


def heard(system: Any, **options: Any) -> tuple[pl.Result, tuple[str, ...]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rest = pl.statics(system, **options)
    assert rest.outcome.ok
    return rest, rest.outcome.warnings


@pytest.mark.parametrize(("springs", "space"), [(2, False), (3, True)])
@pytest.mark.parametrize("formulation", ["dae", "udwadia_kalaba", "relative"])
def test_a_truss_beyond_its_limit(springs: int, space: bool, formulation: str) -> None:
    axis = "z" if space else "y"
    for times in (0.5, 0.99, 1.01, 1.5, 3.0, 4.0, 20.0, 1000.0):
        model = truss(times * limit(springs), springs=springs, space=space)
        rest, names = heard(pl.compile(model, formulation=formulation))
        down = float(rest.position.sel(marker="apex(0, 0)", axis=axis)) < 0.0
        assert down == (times > 1.0)
        assert ("OtherBranch" in names) == down, (times, names)


@pytest.mark.parametrize("times", [1.001, 2.0, 50.0, 1e5])
def test_where_its_branch_ends(times: float) -> None:
    system = pl.compile(truss(times * limit(2)))
    assert system.find_equilibrium(system.start()).snapped == pytest.approx(1.0 / times, rel=1e-5)


@pytest.mark.parametrize("space", [False, True])
def test_an_arch_beyond_its_limit(space: bool) -> None:
    """The limit equals the path's."""
    path = pl.path(pl.compile(arch(0.0, space=space), elements=12), "load/y", to=-30.0, until="limit point")
    found = -float(path.parameter[-1])
    assert path.event_kind.values.tolist() == ["limit point"]
    for times in (0.5, 0.98, 1.02, 2.0, 10.0):
        _, names = heard(pl.compile(arch(times * found, space=space), elements=12))
        assert names == (("OtherBranch",) if times > 1.0 else ()), times


def test_an_arch_by_shooting() -> None:
    for load, expected in ((13.0, ()), (60.0, ("OtherBranch",))):
        assert heard(pl.compile(arch(load), formulation="shooting", subintervals=8))[1] == expected


def test_a_bistable_beam_from_a_rest_and_from_assembly() -> None:
    system = pl.compile(buckling.bistable(), elements=12)
    up = heard(system)[0]
    path = pl.path(system, "load/y", to=-30.0, until="bifurcation")
    critical = float(path.parameter[-1])
    for start in (None, up):
        for times, expected in ((0.98, ()), (1.1, ("Buckled",)), (3.0, ("OtherBranch",))):
            assert heard(system.with_signals({"load/y": times * critical}), start=start)[1] == expected
    down, _ = heard(system.with_signals({"load/y": 3.0 * critical}))
    back, names = heard(system, start=down)  # the other rest without a load, on one branch with it
    assert names == ()
    assert float(back.position.sel(marker="beam@0.5", axis="y")) < 0.0


def test_a_mass_that_a_spin_throws_outwards() -> None:
    """A truss along the radius R: m rate^2 (R - y) = F(y)."""
    radius, rest = 2.0, hypot(SPAN, HEIGHT)
    y = np.linspace(HEIGHT, 0.0, 20001)
    length = np.hypot(SPAN, y)
    rate = float(np.sqrt(np.max(2.0 * STIFFNESS * (rest - length) * y / length / (radius - y))))
    m = pl.Model("thrown")
    ground, bob = m.add(pl.Ground(), pl.Body("bob", mass=1.0, inertia=0.1, position=(radius - HEIGHT, 0), angle=0.0))
    m.add(pl.Prismatic(ground.at(0, 0), bob.at()))
    for side in (-1.0, 1.0):
        m.add(pl.Spring(f"s{side:g}", ground.at(radius, side), bob.at(), STIFFNESS, rest))
    system = pl.compile(m)
    assert heard(system, spin=0.98 * rate)[1] == ()
    assert heard(system, spin=1.2 * rate)[1] == ("OtherBranch",)


def cantilever(*, space: bool = False, moment: float = 0.0, **force: Any) -> pl.Model:
    m = pl.Model("cantilever", plane=None if space else "xy")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=STRIP))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), **force))
    m.add(pl.Moment(beam.at(s=1), z=moment) if space else pl.Moment(beam.at(s=1), moment))
    return m


@pytest.mark.parametrize(
    "model",
    [
        cantilever(y=-3.0 * EI),
        cantilever(y=-100.0 * EI),
        cantilever(y=10.0 * EI, follower=True),
        cantilever(moment=2.0 * pi * EI),
        cantilever(space=True, y=-10.0 * EI, z=3.0 * EI),
        cantilever(x=-5.0 * EI, y=0.05 * EI),
        cantilever(x=-5.0 * EI, y=5e-6 * EI),
    ],
    ids=["dead", "far", "follower", "rolled", "space", "column", "nearly straight column"],
)
def test_large_deflections_are_on_one_branch(model: pl.Model) -> None:
    assert heard(pl.compile(model, elements=16))[1] == ()


@pytest.mark.parametrize("stiffness", [1e2, 1e5, 1e8])
def test_a_contact_that_closes_is_no_snap(stiffness: float) -> None:
    m = cantilever(y=-20.0)
    beam = m.part("beam")
    m.add(pl.Contact("rest", m.part("ground").at(0, -0.05), beam.at(s=0.7), stiffness=stiffness))
    assert heard(pl.compile(m, elements=10))[1] == ()


def test_a_drive_far_away_is_on_one_branch() -> None:
    m = pl.Model("driven")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=STRIP, angle=0.0))
    m.add(pl.Revolute(ground.at(0, 0), beam.at(s=0)), pl.Gravity())
    m.add(pl.Motion(ground.at(0, 0), beam.at(s=0), angle=2.5, name="drive"))
    assert heard(pl.compile(m, elements=8))[1] == ()


def test_a_start_that_springs_away_tells_nothing() -> None:
    """Rounded off or bent at random, it has no branch of its own."""
    system = pl.compile(cantilever(y=-EI), elements=6)
    rng = np.random.default_rng(1)
    begin = system.start()
    q = begin.q.copy()
    q[: system.freedoms] += 1e-2 * rng.standard_normal(system.freedoms)
    found = system.find_equilibrium(type(begin)(q, begin.v, begin.a, begin.lam))
    assert found.snapped == 0.0
    assert found.residual < inf


@pytest.mark.parametrize("side", [1e-8, -1e-8])
def test_the_smallest_imperfection_decides_the_side_of_a_column(side: float) -> None:
    """Clamped and free, P = 3.5 EI / L^2: sqrt(P) = K(k), the tip 2 k / sqrt(P) aside (Euler's elastica)."""
    stiff = {"axial_stiffness": 1e6, "shear_stiffness": 1e6, "mass_per_length": 1.0, "rotary_inertia": 1e-6}
    m = pl.Model("column")
    ground = m.add(pl.Ground())
    column = m.add(pl.Beam("column", length=1.0, section=pl.Section(bending_stiffness=1.0, **stiff)))
    m.add(pl.Weld(ground.at(0, 0), column.at(s=0)), pl.Force(column.at(s=1), x=-3.5, y=side))
    rest = pl.statics(pl.compile(m, elements=pl.Exact(8, order=3)))
    k = brentq(lambda k: ellipk(k * k) - 3.5**0.5, 0.1, 0.99)
    assert rest.outcome.stable
    assert not rest.outcome.warnings
    assert rest.position.sel(marker="column/tip", axis="y") == pytest.approx(
        np.sign(side) * 2.0 * k / 3.5**0.5, rel=1e-4
    )


def tripod(seed: int) -> pl.Model:
    """Build a body on a ball and three springs, taut and out of balance where it is assembled."""
    m, rng = pl.Model("tripod", plane=None), np.random.default_rng(seed)
    ground, body = m.add(pl.Ground(), pl.Body("body", mass=1.0, inertia=(0.01, 0.02, 0.03), position=(0, 0, 0)))
    m.add(pl.Spherical(ground.at(0, 0, 0), body.at(0, 0, 0)), pl.Force(body.at(0.3, 0.3, 0.3), z=-5.0))
    for k, end in enumerate(0.3 * np.eye(3)):
        far = end + 0.4 * rng.normal(size=3)
        rest = 0.5 * float(np.linalg.norm(far - end))
        m.add(pl.Spring(f"s{k}", ground.at(*far), body.at(*end), 200.0, rest, damping=20.0))
    return m


@pytest.mark.parametrize("seed", [1, 2, 9, 10])
def test_moments_that_hold_a_body_in_space_are_let_go(seed: int) -> None:
    """Every branch seemed to end at 1e-7 ... 2 % of the load, since Newton crept where moments held it. Released and
    damped, it comes to rest where it is followed to.
    """
    system = pl.compile(tripod(seed))
    rest, names = heard(system)
    assert names == ()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        end = pl.transient(system, end_time=30.0, accuracy=1e-4, times=[30.0]).position.values[-1]
    assert np.max(np.abs(rest.position.values - end)) < 1e-4


def test_a_spin_leads_to_where_small_steps_lead() -> None:
    """Found by soak: Newton in one step went to an unstable equilibrium half a metre away, ok; in another frame not."""
    system = pl.compile(Spun(1879, spatial=True).model, elements=2)
    axis = (-0.5056675591175134, -0.06569138364217711, 0.8602237858669758)
    spin = pl.Spin(2.6366280707710685, axis, (-0.25803949233393103, 0.09203064894042912, -0.25542772557329746))
    one, many = (pl.statics(system, spin=spin, load_steps=steps) for steps in (1, 16))
    assert one.outcome.stable
    np.testing.assert_allclose(one.position.values, many.position.values, rtol=0.0, atol=1e-9)
