"""Sleeves and concentric tubes: what is refused, what holds of them, motion."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ModelError, OptionError
from pliant_gallery.robots import ConcentricTubes, CurvedTube

NITINOL = pl.Material("nitinol", youngs_modulus=58e9, poisson_ratio=0.3, density=6450.0)
SECTION = pl.Section.circle(1e-3, pl.STEEL)
FINE = pl.Exact(20, order=3)
SECTION_OF_WIRE = pl.Section.circle(0.5e-3, NITINOL).torsional_stiffness
SIZES: dict[str, Any] = {"outer_radius": 0.9e-3, "inner_radius": 0.6e-3, "material": NITINOL}
INNER = CurvedTube(length=0.2, straight=0.1, curvature=10.0, outer_radius=0.5e-3, inner_radius=0.3e-3)
OUTER = CurvedTube(length=0.12, straight=0.06, curvature=8.0, outer_radius=0.9e-3, inner_radius=0.6e-3)


def wire(**changes: Any) -> tuple[pl.Model, pl.Beam]:
    """Return a round wire clamped at the origin."""
    m = pl.Model("wire", plane=None)
    given = {"length": 0.15, "section": pl.Section.circle(0.5e-3, NITINOL), "curvature": (0.0, 0.0, 10.0), **changes}
    ground, beam = m.add(pl.Ground(), pl.Beam("wire", position=(0, 0, 0), orientation=(0, 0, 0), **given))
    m.add(pl.Weld(ground.at(0, 0, 0), beam.at(s=0), orientation=(0, 0, 0)))
    return m, beam


def tip(model: pl.Model, **signals: float) -> np.ndarray:
    """Return where the tip of the wire comes to rest."""
    system = pl.compile(model, elements=FINE)
    return np.asarray(pl.statics(system.with_signals(signals) if signals else system).position.values[-1])


def test_two_arcs_in_one_plane_share_the_mean_curvature() -> None:
    m, beam = wire()
    tube = m.add(pl.Sleeve("tube", beam, curvature=4.0, **SIZES))
    inside, outside = beam.section_at(0.5).bending_stiffness, tube.section.bending_stiffness
    k = (10.0 * inside + 4.0 * outside) / (inside + outside)
    assert tip(m) == pytest.approx([np.sin(0.15 * k) / k, (1.0 - np.cos(0.15 * k)) / k, 0.0], abs=1e-9)


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")  # round bars flutter under any torque: Nicolai
def test_angles_along_sleeves_are_told() -> None:
    """A torque twists the beam inside its sleeves, whose ends are free: they are left behind by ``M s / GJ``."""
    m, beam = wire(curvature=0.0)
    m.add(pl.Sleeve("long", beam, angle=0.3, **SIZES))
    m.add(pl.Sleeve("short", beam, start=0.25, end=0.75, outer_radius=1.5e-3, inner_radius=1e-3, material=NITINOL))
    rest = pl.statics(pl.compile(m, elements=pl.Exact(4, order=2)))
    assert list(rest.sleeve.values) == ["long"] * 9 + ["short"] * 5
    assert rest.sleeve_s.values == pytest.approx([*np.linspace(0, 1, 9), *np.linspace(0.25, 0.75, 5)])
    assert rest.sleeve_angle.values == pytest.approx([0.3] * 9 + [0.0] * 5, abs=1e-12)
    m.add(pl.Moment(beam.at(s=1), x=1e-3))
    twisted = pl.statics(pl.compile(m, elements=pl.Exact(4, order=2)))
    along = twisted.sleeve_angle.values[:9]
    assert along == pytest.approx(0.3 - 1e-3 * 0.15 / SECTION_OF_WIRE * np.linspace(0.0, 1.0, 9), rel=1e-6)


def test_opposite_arcs_of_equal_strength_are_straight_and_turning_both_turns_all() -> None:
    m, beam = wire(section=pl.Section.tube(0.5e-3, 0.3e-3, NITINOL), curvature=(0.0, 0.0, 3.0))
    tube = pl.Sleeve("tube", beam, angle=np.pi, **SIZES)
    ratio = beam.section_at(0.5).bending_stiffness / tube.section.bending_stiffness
    m.add(pl.Sleeve("tube", beam, curvature=3.0 * ratio, angle=np.pi, **SIZES))
    assert tip(m) == pytest.approx([0.15, 0.0, 0.0], abs=1e-9)


def test_a_straight_sleeve_makes_a_stiffer_beam() -> None:
    m, beam = wire(curvature=0.0)
    tube = m.add(pl.Sleeve("tube", beam, **SIZES))
    m.add(pl.Force(beam.at(s=1), z=1e-3))
    EI = beam.section_at(0.5).bending_stiffness + tube.section.bending_stiffness
    assert tip(m)[2] == pytest.approx(1e-3 * 0.15**3 / (3.0 * EI), rel=1e-3)


def test_a_beam_may_be_straight_at_first() -> None:
    """A straight length, then an arc: unstressed, in plane and space."""
    beam = pl.Beam("hook", length=0.3, straight=0.1, curvature=5.0, section=SECTION)
    arc = np.array([0.1 + np.sin(1.0) / 5.0, (1.0 - np.cos(1.0)) / 5.0])
    assert beam.rest_pose([0.2, 1.0]) == pytest.approx(np.array([[0.06, 0.0, 0.0], [*arc, 1.0]]), abs=1e-14)
    assert beam.rest_pose_in_space([1.0])[0][0] == pytest.approx([*arc, 0.0], abs=1e-14)
    for plane in ("xy", None):
        m = pl.Model("hook", plane=plane)
        here: Any = (0, 0) if plane else (0, 0, 0)
        ground, hook = m.add(pl.Ground(), beam)
        m.add(pl.Weld(ground.at(*here), hook.at(s=0), **({"angle": 0.0} if plane else {"orientation": (0, 0, 0)})))
        system = pl.compile(m, elements=4)
        assert np.any(np.isclose(system.layout.beams[0].s, 1.0 / 3.0))
        assert pl.statics(system).position.values[-1][:2] == pytest.approx(arc, abs=1e-9)
        with pytest.raises(ModelError, match=r"curvature jumps at straight = 0\.1 m"):
            pl.compile(m, formulation="shooting")
    with pytest.raises(ModelError, match=r"straight = 0\.3 is not allowed; it must be below its length, 0\.3"):
        pl.Beam("hook", length=0.3, straight=0.3, section=SECTION)


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
def test_tubes_that_move_keep_their_energy() -> None:
    """Soft tubes let go from a force; the energy includes the elements' and the sleeve's coordinates."""
    soft = pl.Material("soft", youngs_modulus=1e6, poisson_ratio=0.3, density=1000.0)
    m, beam = wire(section=pl.Section.circle(5e-3, soft), curvature=(0.0, 0.0, 4.0))
    m.add(pl.Sleeve("tube", beam, outer_radius=9e-3, inner_radius=6e-3, material=soft, curvature=5.0, angle=1.5))
    m.add(pl.Force(beam.at(s=1), y=-0.02, z=0.05, name="push"))
    system = pl.compile(m, elements=pl.Exact(3, order=2))
    bent = pl.statics(system)
    motion = pl.transient(
        system.with_signals({"push/y": 0.0, "push/z": 0.0}), start=bent, end_time=0.1, step=5e-4, spectral_radius=1.0
    )
    energy = motion.energy.sel(energy_kind=["kinetic", "potential"]).sum("energy_kind").values
    kinetic = motion.energy.sel(energy_kind="kinetic").values
    assert np.ptp(energy) < 2e-3 * np.max(kinetic)
    assert np.max(kinetic) > 1e-5


def test_a_robot_is_turned_as_a_whole() -> None:
    """All tubes by one angle: the tip goes round the axis."""
    robot = ConcentricTubes(tubes=(INNER, OUTER), bases=(-0.1, -0.05), angles=(0.0, 1.0))
    system = pl.compile(robot.model(), elements=pl.Exact(8, order=2))
    first = pl.statics(system).position.sel(marker="tube 1/tip").values
    other = pl.statics(system.with_signals(robot.turned((0.7, 1.7)))).position.sel(marker="tube 1/tip").values
    c, s = np.cos(0.7), np.sin(0.7)
    assert other == pytest.approx([first[0], c * first[1] - s * first[2], s * first[1] + c * first[2]], abs=1e-8)
    assert np.linalg.norm(first[1:]) > 0.01


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"inner_radius": 0.4e-3}, r"is 0\.001 m wide and does not fit into its inner radius, 0\.0004 m"),
        ({"start": 0.5, "end": 0.4}, r"end = 0\.4 is not allowed; it must be above start = 0\.5"),
        ({"end": 0.5, "curved_from": 0.6}, r"curved_from = 0\.6 is not allowed; it must be from 0 to 0\.5"),
        ({"curvature": "bent"}, "curvature"),
        ({"outer_radius": 0.5e-3}, "inner_radius"),
    ],
)
def test_what_is_no_sleeve(changes: dict[str, Any], message: str) -> None:
    _, beam = wire()
    with pytest.raises(ModelError, match=message):
        pl.Sleeve("tube", beam, **{**SIZES, **changes})


def test_sleeves_that_cannot_nest() -> None:
    m, beam = wire()
    m.add(pl.Sleeve("one", beam, **SIZES), pl.Sleeve("two", beam, **{**SIZES, "outer_radius": 1.1e-3}))
    with pytest.raises(ModelError, match=r'"one" and Sleeve "two" overlap .* outer radius of the first is 0\.0009 m'):
        pl.compile(m, elements=2)


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")  # of a far equilibrium, and of short waves
def test_relative_coordinates_take_angles_of_tubes() -> None:
    m, beam = wire()
    m.add(pl.Sleeve("tube", beam, curvature=4.0, angle=0.3, **SIZES), pl.Force(beam.at(s=1), x=0.0, y=0.0, z=0.1))
    dae, tree = (pl.compile(m, elements=2, formulation=name) for name in ("dae", "relative"))
    rests = [pl.statics(system) for system in (dae, tree)]
    np.testing.assert_allclose(rests[1].position, rests[0].position, atol=1e-9)
    modes = [pl.modal(system, at=rest, modes=4).frequency_hz for system, rest in zip((dae, tree), rests, strict=True)]
    np.testing.assert_allclose(modes[1], modes[0], rtol=1e-8)
    m, beam = wire(curvature=(0.0, 0.0, 0.0))
    m.add(pl.Sleeve("tube", beam, angle=pl.Ramp(0.0, 0.3, 0.0, 1e-3), **SIZES))
    m.add(pl.Force(beam.at(s=1), x=0.0, y=0.0, z=pl.Ramp(0.0, 0.1, 0.0, 1e-3)))
    dae, tree = (pl.compile(m, elements=2, formulation=name) for name in ("dae", "relative"))
    known = pl.transient(dae, end_time=3e-4, times=[3e-4], step=2e-7, spectral_radius=1.0, estimate=False)
    found = pl.transient(tree, end_time=3e-4, times=[3e-4], accuracy=1e-8, estimate=False)
    places, turned = known.state["q"], dae.layout.own(m.part("tube"))
    assert np.max(np.abs(places[turned])) > 1e-3
    np.testing.assert_allclose(found.state["q"], places, atol=2e-8)


def test_who_does_not_know_sleeves() -> None:
    m, beam = wire()
    m.add(pl.Sleeve("tube", beam, angle=0.3, **SIZES))
    with pytest.raises(ModelError, match="does not support sleeves"):
        pl.compile(m, formulation="shooting")
    with pytest.raises(ModelError, match="chain of rigid links"):
        pl.compile(m, formulation="udwadia_kalaba")
    with pytest.raises(OptionError, match="have an additional coordinate, which this scheme"):
        pl.transient(pl.compile(m, elements=2), scheme="momentum", end_time=0.01, step=1e-3)
    flat = pl.Model("flat")
    inside = flat.add(pl.Beam("wire", length=0.15, section=pl.Section.circle(0.5e-3, NITINOL)))
    with pytest.raises(ModelError, match="needs space"):
        flat.add(pl.Sleeve("tube", inside, **SIZES))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"tubes": (OUTER, INNER), "bases": (0.0, 0.0)}, r"tube 1 has an outer radius of 0\.0009 m .* 0\.0003 m"),
        ({"tubes": (INNER, OUTER), "bases": (0.0,)}, "2 tubes and 1 bases"),
        ({"tubes": (INNER, OUTER), "bases": (0.0, 0.01)}, r"tube 2 reaches from 0\.01 to 0\.13 m"),
        ({"tubes": (INNER, OUTER), "bases": (-0.15, 0.0)}, r"tube 1 is straight for 0\.1 m only and its base is 0\.15"),
        ({"tubes": (INNER, OUTER), "bases": (-0.02, -0.03)}, r"base of tube 1 at 0\.02 m must be behind"),
        ({"tubes": (INNER, OUTER), "bases": (-0.1, 0.0)}, r"tip of tube 1 at 0\.1 m must be beyond the tip of tube 2"),
        ({"tubes": (INNER, OUTER), "bases": (0.0, 0.0), "angles": (1.0,)}, "1 angles for 2 tubes"),
    ],
)
def test_tubes_that_are_no_robot(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        ConcentricTubes(**given)


@pytest.mark.filterwarnings("ignore::pliant.errors.CarriedOver")
def test_tubes_are_fed_without_another_model() -> None:
    """Parameters place the bases: the same as a robot made with these, from the equilibrium before."""
    begin, end = (-0.09, -0.05), (-0.07, -0.04)
    robot = ConcentricTubes(tubes=(INNER, OUTER), bases=begin, angles=(0.0, 1.0))
    system = pl.compile(robot.model(), elements=pl.Exact(8, order=3))
    fed = pl.statics(system.with_parameters(**robot.fed(end)), start=pl.statics(system))
    other = ConcentricTubes(tubes=(INNER, OUTER), bases=end, angles=(0.0, 1.0))
    expected = pl.statics(pl.compile(other.model(), elements=pl.Exact(8, order=3)))
    assert fed.outcome.ok
    assert fed.position.sel(marker="tube 1/tip").values == pytest.approx(
        expected.position.sel(marker="tube 1/tip").values, abs=1e-9
    )
    with pytest.raises(ModelError, match=r"tube 2 is straight for 0.06 m only"):
        robot.fed((-0.09, -0.07))
    with pytest.raises(ModelError, match=r"base_2.*from -0.06 to 0"):
        system.with_parameters(base_2=-0.07)
    with pytest.raises(ModelError, match=r'Sleeve "tube 2": end = 1.'):
        system.with_parameters(base_2=-0.001)
