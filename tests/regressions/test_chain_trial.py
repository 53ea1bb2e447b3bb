"""Findings of a newcomer's trial of the Udwadia-Kalaba formulation, kept from coming back."""

from __future__ import annotations

from math import cos, pi
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import pliant as pl
from pliant.analyses import checks as _checks
from pliant.control.models.margins import Margins
from pliant.control.models.outputs import output_unit
from pliant.control.models.spillover import Spillover
from pliant.errors import ModelError, OptionError, OtherBranch, PliantWarning, SingularError

mpl.use("Agg")
UK = "udwadia_kalaba"
STRIP = pl.Section.rectangle(0.02, 0.001, pl.STEEL)


def four_bar(flexible: bool) -> pl.Model:
    m = pl.Model("four-bar")
    ground, crank = m.add(pl.Ground(), pl.Link("crank", length=0.10, mass=0.2, angle=pi / 3))
    mass = 0.3 * STRIP.mass_per_length
    coupler: Any = (
        pl.Beam("coupler", length=0.3, section=STRIP) if flexible else pl.Link("coupler", length=0.3, mass=mass)
    )
    rocker = m.add(coupler, pl.Link("rocker", length=0.25, mass=0.3))[1]
    m.add(pl.Revolute(ground.at(0, 0), crank.at(s=0)), pl.Revolute(crank.at(s=1), coupler.at(s=0)))
    m.add(pl.Revolute(coupler.at(s=1), rocker.at(s=1)), pl.Revolute(rocker.at(s=0), ground.at(0.3, 0)))
    return m


def arm(**options: Any) -> pl.Model:
    m = pl.Model("arm")
    ground, beam = m.add(pl.Ground(), pl.Beam("arm", length=0.5, section=STRIP, angle=0.0, **options))
    m.add(pl.Revolute(ground.at(0, 0), beam.at(s=0), name="pin"), pl.Gravity())
    return m


def cranks(masses: tuple[float, ...] = (0.3, 0.6, 0.1), angle: float = 80.0 * pl.DEG) -> pl.Model:
    """Build three parallel cranks of 0.2 m on a bar of 0.5 kg: one too many, and one more where they lie flat."""
    m = pl.Model("cranks")
    ground, bar = m.add(pl.Ground(), pl.Link("bar", length=0.4, mass=0.5, angle=0.0, centre=0.3))
    for k, mass in enumerate(masses):
        crank = m.add(pl.Link(f"crank {k}", length=0.2, mass=mass, angle=angle))
        m.add(pl.Revolute(ground.at(0.2 * k, 0), crank.at(s=0)), pl.Revolute(crank.at(s=1), bar.at(s=k / 2)))
    m.add(pl.Gravity())
    return m


@pytest.mark.parametrize("formulation", ["dae", UK])
def test_push_moves_a_chain_as_a_rigid_body(formulation: str) -> None:
    links = pl.lump(four_bar(True), elements=13) if formulation == "dae" else four_bar(True)
    given = {} if formulation == "dae" else {"elements": 13}
    run = pl.transient(pl.compile(links, formulation=formulation, **given), push={"crank": 3.0}, end_time=1e-5)
    rigid = pl.transient(pl.compile(four_bar(False)), push={"crank": 3.0}, end_time=1e-5)
    wanted = rigid.angular_velocity.isel(time=0)
    chain = run.angular_velocity.isel(time=0)
    for name in ("coupler", *(f"coupler.{k}" for k in range(2, 14))):
        # bending costs 1e8 times what motion costs
        assert float(chain.sel(body=name)) == pytest.approx(float(wanted.sel(body="coupler")), rel=1e-5)
    assert float(chain.sel(body="rocker")) == pytest.approx(float(wanted.sel(body="rocker")), rel=1e-5)


@pytest.mark.parametrize("accuracy", [1e-6, 1e-8, 1e-10])
@pytest.mark.parametrize("masses", [(0.3, 0.3, 0.3), (0.3, 0.6, 0.1)])
def test_energy_survives_an_instant_of_dependent_rows(masses: tuple[float, ...], accuracy: float) -> None:
    """The cranks lie flat twice; they are one pendulum, I theta'' = -G cos(theta)."""
    with pytest.warns(PliantWarning, match="Redundant"):
        system = pl.compile(cranks(masses), formulation=UK)
    times = np.linspace(0.0, 0.75, 16)
    run = pl.transient(system, end_time=0.75, times=times, accuracy=accuracy)
    inertia = sum(masses) * 0.2**2 / 3.0 + 0.5 * 0.2**2
    weight = 9.81 * (sum(masses) * 0.1 + 0.5 * 0.2)
    exact = solve_ivp(
        lambda t, y: (y[1], -weight * cos(y[0]) / inertia),
        (0.0, 0.75), (80.0 * pl.DEG, 0.0), t_eval=times, rtol=1e-12, atol=1e-12,
    ).y[0]  # fmt: skip
    assert run.outcome.ok
    # before, up to half the energy was lost; what a row without force lets go is of the order of its softness
    assert run.outcome.energy_error < 5e-4 * run.outcome.energy_range
    np.testing.assert_allclose(run.angle.sel(body="crank 0"), exact, atol=1e-3)


def test_energy_that_is_lost_is_told() -> None:
    system = pl.compile(arm(), formulation=UK, elements=2)
    assert pl.transient(system, end_time=1).outcome.ok
    with pytest.warns(PliantWarning, match=r"energy balance: .* not right"):
        run = pl.transient(system, end_time=4.0, method="RK23", accuracy=0.05, constraints="none")
    assert not run.outcome.ok
    assert "energy balance" in run.outcome.message


def lever(angle: float) -> Any:
    m = pl.Model("lever")
    ground, bar = m.add(pl.Ground(), pl.Link("bar", length=1.0, mass=1.0, angle=angle))
    spring = {"stiffness": 50.0, "rest_length": 1.2, "damping": 5.0}
    m.add(pl.Revolute(ground.at(0, 0), bar.at(s=0)), pl.Spring("spring", ground.at(0, 1.5), bar.at(s=1), **spring))
    return pl.compile(m)


def test_basins_name_no_rest_that_is_far_away() -> None:
    wells = {"right": pl.statics(lever(0.5)), "left": pl.statics(lever(2.6))}

    def trial(angle: float, end: float) -> pl.Result:
        return pl.transient(lever(angle), end_time=end, step=5e-3)

    grid = {"angle": [0.5, 1.6], "end": [1e-3, 6.0]}
    found = pl.basins(trial, grid, wells=wells)
    assert found.well.values.tolist() == [["right", "right"], ["elsewhere", "left"]]  # still upright after 1 ms
    assert found.outcome.message == "motions ended: 2 right, 1 left, 1 elsewhere"
    tips = [float(rest.position.sel(marker="bar/tip", axis="x")) for rest in wells.values()]
    assert found.provenance.settings["within"]["left"] == pytest.approx(0.5 * (tips[0] - tips[1]), rel=1e-6)
    near = pl.basins(trial, {"angle": [0.5], "end": [1e-3]}, wells=wells, within=1e-6)
    assert near.well.values.tolist() == [["elsewhere"]]
    axes = pl.plot_basins(found)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["right", "left", "elsewhere"]
    with pytest.raises(OptionError, match="within"):
        pl.basins(trial, grid, wells=wells, within=-1.0)
    with pytest.raises(OptionError, match=r"angl, end: the trial takes \(angle, end\)"):
        pl.basins(trial, {"angl": [0.5], "end": [1.0]}, wells=wells)
    with pytest.raises(OptionError, match="two axes"):
        pl.plot_basins(near)


def test_sweep_has_units_and_a_picture() -> None:
    m = pl.Model("pendulum")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=0.5, mass=1.0, angle=-pi / 2))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity(), pl.Moment(arm.at(s=0), 0.0, name="twist"))
    swept: dict[str, Any] = {"frequencies_hz": [0.5, 0.6], "amplitudes": [1e-3], "most_periods": 3}
    outputs = ["angle:arm", "position:arm/tip:y"]
    found = pl.frequency_sweep(pl.compile(m), "twist/value", outputs=outputs, **swept)
    assert found.output_unit.values.tolist() == ["rad", "m"]
    assert "units" not in found.swing.attrs
    axes = pl.plot_sweep(found, output="position:arm/tip:y")
    assert axes.get_ylabel() == "swing of position:arm/tip:y [m]"
    assert len(axes.lines) == 2
    with pytest.raises(OptionError, match="highes"):
        pl.plot_sweep(found, "highes")
    assert output_unit("reaction:pin:Fx") == "N"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"elements": pl.Lumped(9)}, "formulation='udwadia_kalaba'"),
        ({"elements": {"arm": pl.Lumped(9)}}, "formulation='udwadia_kalaba'"),
        ({"formulation": UK, "elemnts": 3}, "Did you mean elements"),
        ({"formulation": UK, "elements": pl.Lumped(8, section=lambda: STRIP)}, "function of s"),
    ],
)
def test_compile_refuses_with_a_way_out(options: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        pl.compile(arm(), **options)


@pytest.mark.parametrize("formulation", ["dae", UK])
def test_a_part_that_nothing_moves_is_refused(formulation: str) -> None:
    m = pl.Model("loose")
    m.add(pl.Ground(), pl.Link("link", length=1.0, mass=0.0), pl.Gravity())
    with pytest.raises(SingularError, match="without mass"):
        pl.transient(pl.compile(m, formulation=formulation), end_time=1.0)


def test_a_straight_chain_held_at_both_ends_is_refused_with_the_reason() -> None:
    m = arm()
    m.add(pl.Revolute(m.part("arm").at(s=1), m.part("ground").at(0.5, 0)))
    with pytest.raises(SingularError, match=r"cannot be stretched.*formulation='dae'"):
        pl.transient(pl.compile(m, formulation=UK, elements=6), end_time=0.05)


def test_tapered_beams_and_stresses_of_chains_are_answered() -> None:
    with pytest.raises(ModelError, match="LinearStiffness"):
        pl.Beam("arm", length=0.5, section=0.02)
    same = pl.Beam("arm", length=0.5, section=lambda s: STRIP)
    assert (same.section_at(0.3), same.mass) == (STRIP, pytest.approx(0.5 * STRIP.mass_per_length, rel=1e-14))
    rest = pl.statics(pl.compile(arm(), formulation=UK, elements=3))
    with pytest.raises(AttributeError, match=r"Chains of links.* have none\..*formulation='dae'"):
        _ = rest.resultant


@pytest.mark.parametrize(
    ("formulation", "given", "used"),
    [
        (UK, {}, {"method": "DOP853", "constraints": "projection", "accuracy": 1e-8, "every": 1}),
        (UK, {"tolerances": (1e-6, 1e-8), "method": "BDF"}, {"tolerances": [1e-6, 1e-8], "constraints": "none"}),
        ("dae", {"step": 1e-3}, {"spectral_radius": 0.9, "constraints": "position"}),
        ("dae", {"accuracy": 1e-4}, {"accuracy": 1e-4, "method": "Radau5"}),
        ("dae", {"step": 1e-3, "newmark": (0.25, 0.5)}, {"step": 1e-3, "newmark": [0.25, 0.5]}),
    ],
)
def test_what_was_used_is_kept(formulation: str, given: dict[str, Any], used: dict[str, Any]) -> None:
    run = pl.transient(pl.compile(arm(), formulation=formulation, elements=2), end_time=0.01, **given)
    assert {name: run.provenance.settings[name] for name in used} == used
    figures = set(run.outcome.figures)
    assert ("evaluations" in figures, "iterations" in figures) == (formulation == UK, formulation == "dae")
    assert ("local_error" in figures) == (formulation == "dae")


def test_controllers_and_spillover_are_told_in_a_line() -> None:
    gains = {"motor/torque": {"angle:arm": 5.0, "angular_velocity:arm": 1.0}}
    controller = pl.Controller.proportional(gains, sample_time=1e-3).limited(low=-2.0, high=2.0).delayed(2)
    assert repr(controller) == (
        "Controller(angle:arm, angular_velocity:arm -> motor/torque every 0.001 s; tracks angle:arm, "
        "angular_velocity:arm; delay 2 samples; motor/torque in [-2, 2])"
    )
    found = Spillover(
        poles=np.array([-1.0]), neglected=np.array([-1.0 + 62.8319j, -1.0 - 62.8319j]), bandwidth=2.0 * pi,
        unstable=(), reached=(),
        margins=Margins(loops=(), disk=0.5, sensitivity=1.5, at="inputs", unstable=(), compensator=()),
    )  # fmt: skip
    assert repr(found) == (
        "Spillover(ok: bandwidth 1 Hz; 2 poles neglected, the first at 10 Hz; the full loop is stable, with a disk "
        "margin of 0.5)"
    )


def test_the_limit_of_the_energy_is_the_one_on_the_page() -> None:
    assert _checks.ENERGY == 0.01  # as the page says


def test_a_chain_has_the_size_of_its_beam() -> None:
    """Distances and accuracies were given in lengths of a link: a beam that falls by 1.6 slid "by 11"."""
    m = pl.Model("rope")
    ground, beam = m.add(pl.Ground(), pl.Beam("rope", length=1.0, section=pl.Section.circle(1e-4, pl.STEEL)))
    m.add(pl.Revolute(ground.at(0, 0), beam.at(s=0)), pl.Gravity())
    with pytest.warns(OtherBranch, match=r"is 1\.6 \(lengths of the model"):
        pl.statics(pl.compile(m, formulation=UK, elements=12))
    assert pl.compile(m, formulation=UK, elements=12).length_scale == 1.0


@pytest.mark.filterwarnings("ignore")
def test_the_estimate_of_an_odd_chain_is_of_its_own_error() -> None:
    """Eleven links have a spring in the middle of a link, 22 at a pin, with another error: the estimate of the fourth
    frequency was 0.01 of the true error.
    """
    from pliant_gallery import crank_slider

    model = crank_slider.model(flexible=True)
    fine = pl.compile(model, elements=pl.Exact(8, order=3))
    exact = pl.modal(fine, at=pl.statics(fine), modes=4).frequency_hz.values
    found = pl.estimate(pl.modal, pl.compile(model, formulation=UK, elements=11), modes=4)
    ratio = np.abs(found.frequency_hz_error.values / (found.frequency_hz.values - exact))
    assert np.all((ratio > 0.5) & (ratio < 2.0))
