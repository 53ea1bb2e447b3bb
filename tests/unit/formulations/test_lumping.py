"""Beams as chains of rigid links: frequencies, statics and parts against theory and finite elements."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ModelError, OptionError
from pliant.formulations.udwadia_kalaba import spatial_chain
from pliant.formulations.udwadia_kalaba.chain import cut, frequencies, identify_stiffness
from pliant.formulations.udwadia_kalaba.lumping import LumpedMarker
from pliant.model.damping import bending_root
from pliant.system.numbering import element_counts as counting
from pliant_evidence.lumped_beam import theory
from pliant_gallery import lumped_beam as free_beam

STRIP = pl.Section.rectangle(0.02, 0.002, pl.STEEL)
UK = "udwadia_kalaba"


def beam(**options: object) -> pl.Beam:
    return pl.Beam("arm", **{"length": 1.0, "section": STRIP, **options})


def cantilever(**options: object) -> pl.Model:
    m = pl.Model("cantilever")
    ground, arm = m.add(pl.Ground(), beam(**options))
    m.add(pl.Weld(ground.at(0, 0), arm.at(s=0)))
    return m


def stepped(s: float) -> pl.Section:
    """Return a section twice as thick in its first half."""
    return pl.Section.rectangle(0.02, 0.004 if s < 0.5 else 0.002, pl.STEEL)


def exact_frequencies(count: int, clamped: bool = False) -> np.ndarray:
    """Return Euler-Bernoulli frequencies (Hz)."""
    roots = np.array([bending_root("clamped-free" if clamped else "free-free", n) for n in range(1, count + 1)])
    return roots**2 * np.sqrt(STRIP.bending_stiffness / STRIP.mass_per_length) / (2.0 * np.pi)


def test_links_have_the_lengths_and_springs_of_the_paper() -> None:
    chain = cut(beam(), pl.Lumped(5))
    np.testing.assert_allclose(np.diff(chain.ends), [1 / 8, 1 / 4, 1 / 4, 1 / 4, 1 / 8])
    np.testing.assert_allclose(chain.mass / STRIP.mass_per_length, np.diff(chain.ends))
    np.testing.assert_allclose(chain.stiffness, STRIP.bending_stiffness / 0.25)
    rod = chain.mass * (np.diff(chain.ends) ** 2 / 12.0 + STRIP.rotary_inertia / STRIP.mass_per_length)
    np.testing.assert_allclose(chain.inertia, rod)
    equal = cut(beam(), pl.Lumped(4, ends="equal"))
    np.testing.assert_allclose(np.diff(equal.ends), 0.25)
    assert np.sum(1.0 / equal.stiffness) == pytest.approx(1.0 / STRIP.bending_stiffness)  # all of the compliance


def test_free_frequencies_converge_to_the_beam_with_the_fourth_power_of_the_length() -> None:
    """The inertia of the links themselves takes out the second power. The exact beam has no rotary inertia."""
    slender, exact = beam(section=replace(STRIP, rotary_inertia=0.0)), exact_frequencies(3)
    errors = [np.abs(frequencies(cut(slender, pl.Lumped(n + 1)), 3) / exact - 1.0) for n in (20, 40)]
    assert np.all(errors[1] < 5e-6)
    np.testing.assert_allclose(errors[0] / errors[1], 16.0, rtol=0.1)


def test_links_of_any_length_with_numbers_of_their_own() -> None:
    shares = [1, 2, 2, 1]
    by_hand = pl.Lumped(4, lengths=shares, stiffness=[3.0, 4.0, 5.0], damping=[0.1, 0.0, 0.2])
    chain = cut(beam(), by_hand)
    np.testing.assert_allclose(np.diff(chain.ends), np.array(shares) / 6.0)
    np.testing.assert_allclose(chain.stiffness, [3.0, 4.0, 5.0])
    np.testing.assert_allclose(chain.damping, [0.1, 0.0, 0.2])
    graded = cut(beam(), pl.Lumped(20, lengths=lambda s: 1.0 + s, stiffness=lambda s: 3.0 + s, damping=lambda s: s))
    ratio = 2.0 ** (1.0 / 20.0)  # of neighbours, where links grow in proportion to 1 + s
    np.testing.assert_allclose(graded.ends, ratio ** np.arange(21) - 1.0, atol=1e-6)
    np.testing.assert_allclose(graded.stiffness - 3.0, graded.ends[1:-1])
    np.testing.assert_allclose(graded.damping, graded.ends[1:-1])
    thin, thick = stepped(1.0), stepped(0.0)
    of_links = cut(beam(), pl.Lumped(6, ends="equal", section=[thick] * 3 + [thin] * 3))
    by_place = cut(beam(), pl.Lumped(6, ends="equal", section=stepped))
    for name in ("mass", "centre", "inertia", "stiffness"):
        np.testing.assert_allclose(getattr(of_links, name), getattr(by_place, name))


def test_numbers_of_joints_in_space() -> None:
    arm, joints = beam(), [(3.0, 1.0, 2.0), (6.0, 2.0, 4.0), (3.0, 1.0, 2.0)]
    each = spatial_chain.cut(arm, pl.Lumped(4, stiffness=joints, damping=lambda s: s))
    np.testing.assert_allclose(each.stiffness, [np.diag(joint) for joint in joints])
    np.testing.assert_allclose(each.damping, each.ends[1:-1, None, None] * np.eye(3))
    for given in ((3.0, 1.0, 2.0), lambda s: (3.0, 1.0, 2.0)):
        alike = spatial_chain.cut(arm, pl.Lumped(4, stiffness=given))
        np.testing.assert_allclose(alike.stiffness, np.diag([3.0, 1.0, 2.0]) * np.ones((3, 1, 1)))
    one = spatial_chain.cut(arm, pl.Lumped(3, stiffness=[5.0, 7.0]))
    np.testing.assert_allclose(one.stiffness, np.array([5.0, 7.0])[:, None, None] * np.eye(3))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (pl.Lumped(4, stiffness=[1.0, 2.0]), "stiffness has the shape .2,.*each of 3 joints"),
        (pl.Lumped(4, lengths=[1.0, 2.0]), "lengths has 2 numbers for 4 links"),
        (pl.Lumped(4, lengths=lambda s: s - 0.5), "lengths is -0.49"),
        (pl.Lumped(4, section=[STRIP]), "section has 1 entries for 4 links"),
        (pl.Lumped(4, damping=lambda s: -s), "damping is -0.8"),
    ],
)
def test_numbers_that_do_not_fit_are_refused(options: pl.Lumped, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        cut(beam(), options)


def test_frequencies_of_the_chain_are_those_of_its_model() -> None:
    """Heights and angles of a straight chain against the constrained model with all its freedoms."""
    thick = pl.Section.rectangle(0.02, 0.2, pl.STEEL)
    for options, section in ((pl.Lumped(7), STRIP), (pl.Lumped(6, ends="equal", shear=True), thick)):
        m = pl.Model("free")
        arm = m.add(beam(free=True, section=section))
        system = pl.compile(m, formulation=UK, elements=options)
        found = pl.modal(system, modes=8).frequency_hz.values
        np.testing.assert_allclose(found[3:], frequencies(cut(arm, options), 5), rtol=1e-6)


@pytest.mark.parametrize("links", [2, 3, 5, 20, 120])
def test_free_chain_has_all_its_modes_and_three_that_cost_nothing(links: int) -> None:
    beam, model = free_beam.model().beams[0], free_beam.model()
    exact = theory.lumped(beam.section, beam.length, links)
    system = pl.compile(model, formulation="udwadia_kalaba", elements=links)
    found = pl.modal(system, modes=1000).frequency_hz.values
    assert found.size == links + 2
    assert np.all(found[:3] == 0.0)
    np.testing.assert_allclose(found[3:], exact, rtol=1e-8)
    damped = pl.modal(system, modes=1000, damped=True)
    np.testing.assert_allclose(damped.frequency_hz.values, np.append(np.zeros(6), exact), rtol=1e-8)
    assert damped.outcome.unstable_modes == 0


def free() -> pl.Model:
    m = pl.Model("free")
    m.add(beam(free=True))
    return m


def six_bar() -> pl.Model:
    """Build Watt's chain of five elastic bars, clamped to the ground."""
    m = pl.Model("six-bar")
    ground = m.add(pl.Ground())
    points = {"a": (0, 0), "b": (0, 0.3), "c": (0.8, 0.5), "d": (0.8, 0), "e": (1.5, 0.6), "f": (1.6, 0)}
    bars = {}
    for ends in ("ab", "bc", "dc", "ce", "fe"):
        (x, y), (u, v) = points[ends[0]], points[ends[1]]
        place = {"position": (x, y), "angle": float(np.arctan2(v - y, u - x))}
        bars[ends] = m.add(pl.Beam(ends, length=float(np.hypot(u - x, v - y)), section=STRIP, **place))
    for ends in ("ab", "dc", "fe"):
        m.add(pl.Weld(ground.at(*points[ends[0]]), bars[ends].at(s=0)))
    m.add(pl.Revolute(bars["ab"].at(s=1), bars["bc"].at(s=0)), pl.Revolute(bars["bc"].at(s=1), bars["dc"].at(s=1)))
    m.add(pl.Revolute(bars["dc"].at(s=1), bars["ce"].at(s=0)), pl.Revolute(bars["ce"].at(s=1), bars["fe"].at(s=1)))
    return m


@pytest.mark.parametrize(("modes", "accuracy"), [(1, 0.01), (3, 0.01), (3, 1e-3), (8, 0.02)])
@pytest.mark.parametrize("clamped", [False, True])
def test_automatic_number_of_links_is_the_smallest_that_will_do(modes: int, accuracy: float, clamped: bool) -> None:
    model, options = cantilever() if clamped else free(), pl.Lumped("auto", modes=modes, accuracy=accuracy)
    count, exact = len(pl.lump(model, elements=options).bodies), exact_frequencies(modes, clamped)

    def worst(elements: int) -> float:
        found = frequencies(cut(beam(), replace(options, elements=elements)), modes, clamped=clamped)
        return float(np.max(np.abs(found / exact[: found.size] - 1.0))) if found.size == modes else np.inf

    assert worst(count) <= accuracy + 1e-4  # the exact beam has no rotary inertia
    assert count == 2 or worst(count - 1) > accuracy - 1e-4


def test_auto_judges_the_modes_of_the_mechanism() -> None:
    """Four modes of a six-bar: no links more than they need, and not those that its beams need when they are free."""

    def modes(elements: object, **options: object) -> np.ndarray:
        system = pl.compile(six_bar(), elements=elements, **options)  # type: ignore[arg-type]
        return pl.modal(system, modes=4).frequency_hz.values

    fine = modes(pl.Exact(6, order=3))
    count = len(pl.lump(six_bar(), elements=pl.Lumped("auto", modes=4)).bodies) // 5
    off, before = (float(np.max(np.abs(modes(n, formulation=UK) / fine - 1.0))) for n in (count, count - 1))
    assert off <= 0.01 + 5e-4  # elements shear and stretch
    assert before > 0.01 - 5e-4
    assert count != len(pl.lump(free(), elements=pl.Lumped("auto", modes=4)).bodies)


def test_identified_stiffness_gives_the_reference_frequency() -> None:
    """Table 3 of the paper (ERRATA 1 for the height), whose reference is the first frequency of a fine model."""
    height, length = 0.00260925, 2.0 * np.sqrt(2.0)
    metal = pl.Material("metal", youngs_modulus=70e9, poisson_ratio=0.3, density=2710.0)
    section = pl.Section.rectangle(0.05, height, metal)
    crank = pl.Beam("crank", length=length, section=section)
    first = bending_root("free-free", 1) ** 2 * np.sqrt(section.bending_stiffness / section.mass_per_length)
    first /= 2.0 * np.pi * length**2
    for elements, printed in ((3, 2.9849), (5, 7.3303), (9, 14.657), (20, 34.806)):
        found = identify_stiffness(crank, elements, first)
        assert found == pytest.approx(printed, rel=1e-4)
        assert frequencies(cut(crank, pl.Lumped(elements, stiffness=found)), 1)[0] == pytest.approx(first, rel=1e-12)


def test_identification_from_several_modes_is_a_compromise() -> None:
    options = pl.Lumped(9, stiffness=3.21)
    given = frequencies(cut(beam(), options))
    assert identify_stiffness(beam(), 9, given[:3], modes=(1, 2, 3)) == pytest.approx(3.21, rel=1e-10)
    spoiled = given[:2] * [1.02, 0.98]
    low, high = (identify_stiffness(beam(), 9, spoiled[k], modes=(k + 1,)) for k in (1, 0))
    assert low < identify_stiffness(beam(), 9, spoiled, modes=(1, 2)) < high


def test_tapered_cantilever_has_kirchhoffs_frequency() -> None:
    """Wedge of constant width that ends in an edge: omega_1 = 5.315 sqrt(E I_0 / (rho A_0)) / L^2 (Kirchhoff 1882)."""

    def wedge(s: float) -> pl.Section:
        return pl.Section.rectangle(0.02, 0.002 * (1.0 - s), pl.STEEL)

    system = pl.compile(cantilever(), formulation=UK, elements=pl.Lumped(60, section=wedge))
    found = 2.0 * np.pi * float(pl.modal(system, modes=1).frequency_hz[0])
    exact = 5.315 * np.sqrt(STRIP.bending_stiffness / STRIP.mass_per_length)
    assert found == pytest.approx(exact, rel=2e-3)


def test_shear_springs_give_a_thick_beam() -> None:
    thick = pl.Section.rectangle(0.02, 0.2, pl.STEEL)
    m = cantilever(section=thick)
    with_shear = pl.modal(pl.compile(m, formulation=UK, elements=pl.Lumped(40, shear=True)), modes=2).frequency_hz
    without = pl.modal(pl.compile(m, formulation=UK, elements=40), modes=2).frequency_hz
    exact = pl.modal(pl.compile(m, elements=pl.Exact(20, order=3)), modes=2).frequency_hz
    np.testing.assert_allclose(with_shear, exact, rtol=5e-3)
    assert float(without[1] / exact[1]) > 1.1  # shear matters here


def test_statics_of_a_curved_loaded_chain_is_that_of_finite_elements() -> None:
    m = cantilever(curvature=0.8)
    arm = m.part("arm")
    m.add(pl.Gravity(), pl.PointMass("lump", arm.at(s=0.7, y=0.02), mass=0.1))
    m.add(pl.DistributedLoad(arm, y=-0.5, follower=True), arm.at(0.35, name="third"))
    exact = pl.statics(pl.compile(m, elements=pl.Exact(10, order=3)))
    errors = []
    for count in (10, 20):
        rest = pl.statics(pl.compile(m, formulation=UK, elements=count))
        errors.append(max(_distance(rest, exact, marker) for marker in ("arm/tip", "arm/third")))
        weight = rest.reaction.sel(joint="weld ground(0, 0) - arm/base", wrench="Fy")
        assert float(weight) == pytest.approx(
            float(exact.reaction.sel(joint="weld ground(0, 0) - arm/base", wrench="Fy")), rel=5e-3
        )
    assert errors[1] < 5e-4
    assert errors[0] / errors[1] > 3.0  # second order


def _distance(one: pl.Result, other: pl.Result, marker: str) -> float:
    return float(np.hypot(*(one.position.sel(marker=marker).values - other.position.sel(marker=marker).values)))


def test_rayleigh_damping_and_drag_are_kept() -> None:
    m = cantilever(damping=pl.Rayleigh.of_modes(0.02, "clamped-free"))
    m.add(pl.Drag(m.part("arm"), x=0.2, y=0.4))
    chain, exact = (
        pl.modal(system, modes=3, damped=True)
        for system in (pl.compile(m, formulation=UK, elements=30), pl.compile(m, elements=pl.Exact(10, order=3)))
    )
    np.testing.assert_allclose(chain.damping_ratio, exact.damping_ratio, rtol=3e-3)
    np.testing.assert_allclose(chain.frequency_hz, exact.frequency_hz, rtol=3e-3)


def test_torsional_damping_is_added_at_every_joint() -> None:
    lumped = pl.lump(cantilever(damping=pl.Rayleigh(stiffness=1e-3)), elements=pl.Lumped(5, damping=0.05))
    spring = lumped.part("arm bend 2")
    assert spring.damping == pytest.approx(0.05 + 1e-3 * spring.stiffness)


def test_labels_and_names_stay() -> None:
    m = cantilever(angle=0.5)
    arm = m.part("arm")
    link = m.add(pl.Link("bar", length=0.2, mass=0.1))
    m.add(pl.Revolute(arm.at(s=1), link.at(s=0)), pl.Force(arm.at(s=0.5), y=-1.0), arm.at(0.3, name="sensor"))
    m.add(pl.Gravity())
    system = pl.compile(m, formulation=UK, elements=6)
    rest = pl.statics(system)
    exact = pl.statics(pl.compile(m, elements=6))
    assert {"arm/tip", "arm/base", "arm@0.5", "arm/sensor", "bar/tip"} <= set(rest.marker.values.tolist())
    assert {"arm", "arm.2", "arm.6", "bar"} == set(rest.body.values.tolist()) - {"arm.3", "arm.4", "arm.5"}
    assert set(exact.joint.values.tolist()) <= set(rest.joint.values.tolist())
    assert set(system.signal_names) == {"force arm@0.5/x", "force arm@0.5/y", "gravity/x", "gravity/y"}
    np.testing.assert_allclose(rest.position.sel(marker="arm/tip"), exact.position.sel(marker="arm/tip"), atol=0.02)


def test_marker_at_a_pin_is_on_the_link_that_begins_there() -> None:
    lumped = pl.lump(pl_with_middle(), elements=20)
    marker = lumped.part("push").marker
    assert isinstance(marker, LumpedMarker)
    assert (marker.body.name, round(marker.x, 12), marker.label) == ("arm.11", 0.0, "arm@0.5")
    assert lumped.part("end push").marker.body.name == "arm.20"


def pl_with_middle() -> pl.Model:
    m = cantilever()
    arm = m.part("arm")
    m.add(pl.Force(arm.at(s=0.5), y=1.0, name="push"), pl.Force(arm.at(s=1.0), y=1.0, name="end push"))
    return m


def test_load_per_length_keeps_its_signal() -> None:
    m = cantilever()
    m.add(pl.DistributedLoad(m.part("arm"), y=pl.Sine(2.0, 1.0), name="wind"))
    system = pl.compile(m, formulation=UK, elements=4)
    at = np.array([0.25])
    total = sum(
        value for named, value in zip(system.layout.signals, system.signals(at)[0], strict=True) if "/y" in named.name
    )
    assert total == pytest.approx(2.0)
    changed = system.with_signals({"wind/y": -3.0})
    reaction = pl.statics(changed).reaction.sel(joint="weld ground(0, 0) - arm/base", wrench="Fy")
    assert float(reaction) == pytest.approx(3.0, abs=1e-9)


def test_loop_that_closes_only_by_bending_takes_the_shape_of_finite_elements() -> None:
    m = pl.Model("bow")
    ground, leaf = m.add(pl.Ground(), pl.Beam("leaf", length=1.0, section=STRIP, angle=0.3))
    m.add(
        pl.Revolute(ground.at(0, 0), leaf.at(s=0), name="pin"), pl.Weld(ground.at(0.85, 0.2), leaf.at(s=1), angle=-0.3)
    )
    chain, exact = pl.statics(pl.compile(m, formulation=UK, elements=20)), pl.statics(pl.compile(m, elements=30))
    assert chain.outcome.stable
    np.testing.assert_allclose(chain.angle.sel(body="leaf"), exact.angle.sel(body="leaf"), atol=5e-3)
    one, other = (rest.reaction.sel(joint="pin", wrench=["Fx", "Fy"]) for rest in (chain, exact))
    np.testing.assert_allclose(one, other, rtol=0.01)


def test_lumped_model_can_be_saved_and_read(tmp_path) -> None:  # type: ignore[no-untyped-def]
    m = pl_with_middle()
    m.add(pl.Drag(m.part("arm"), x=0.1, y=0.1), pl.DistributedLoad(m.part("arm"), y=2.0, name="wind"))
    lumped = pl.lump(m, elements=4)
    lumped.save(tmp_path / "chain.toml")
    again = pl.Model.load(tmp_path / "chain.toml")
    first, second = (pl.statics(pl.compile(model)) for model in (lumped, again))
    np.testing.assert_allclose(first.angle, second.angle, atol=1e-12)


@pytest.mark.parametrize(
    ("elements", "message"),
    [
        (1, "whole number from 2"),
        (True, "takes a whole number"),
        ("many", "takes a whole number"),
        (pl.Exact(8), "takes a whole number"),
        ({"arm": 1}, "whole number from 2"),
        ({"leg": 5}, "no beam 'leg'"),
    ],
)
def test_bad_numbers_of_links_are_refused(elements: object, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        pl.compile(cantilever(), formulation=UK, elements=elements)


@pytest.mark.parametrize(
    "options",
    [
        {"ends": "long"},
        {"stiffness": 0.0},
        {"damping": -1.0},
        {"shear": 1},
        {"modes": 0},
        {"accuracy": np.nan},
        {"section": 3},
        {"lengths": 1.0},
        {"lengths": [1.0, -1.0]},
        {"lengths": [1.0, 2.0], "ends": "equal"},
        {"stiffness": [1.0, "x"]},
    ],
)
def test_bad_options_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(OptionError, match=f"Lumped: {next(iter(options))}"):
        pl.Lumped(**options)  # type: ignore[arg-type]


def test_other_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OptionError, match="must give a Section"):
        cut(beam(), pl.Lumped(5, section=lambda s: 3.0))  # type: ignore[arg-type,return-value]
    with pytest.raises(ModelError, match="has no mass"):
        cut(beam(section=pl.Section(1e5, 1e5, 1.0, 0.0)), pl.Lumped(5))
    monkeypatch.setattr(counting, "MOST", 40)
    with pytest.raises(OptionError, match="40 links do not give"):
        pl.lump(free(), elements=pl.Lumped("auto", modes=60, accuracy=1e-6))
    with pytest.raises(OptionError, match='stiffness has a list, which "auto"'):
        pl.lump(free(), elements=pl.Lumped("auto", stiffness=[1.0, 2.0]))
    with pytest.raises(OptionError, match="a free chain of 4 links has 3"):
        identify_stiffness(beam(), 4, 1.0, modes=(4,))
    with pytest.raises(OptionError, match="one positive reference"):
        identify_stiffness(beam(), 4, [1.0, -2.0], modes=(1, 2))
    m = cantilever()
    m.add(pl.Spring("short", m.part("arm").at(s=0.5), m.part("arm").at(s=0.55), stiffness=1.0, rest_length=0.0))
    with pytest.raises(ModelError, match=r"all its markers fall on one link of Beam \"arm\""):
        pl.compile(m, formulation=UK, elements=4)


def test_a_marker_between_two_links_looks_along_them_with_shear_too() -> None:
    """The marker across the chain, a quarter turn off, took its name: found by comparing formulations."""
    m = pl.Model("cantilever")
    strip = pl.Section.rectangle(0.02, 0.002, pl.STEEL)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=strip))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), beam.at(s=0.5))
    for shear in (False, True):
        rest = pl.statics(pl.compile(m, formulation="udwadia_kalaba", elements=pl.Lumped(4, shear=shear)))
        assert float(rest.marker_angle.sel(marker="beam@0.5")) == pytest.approx(0.0, abs=1e-9)
