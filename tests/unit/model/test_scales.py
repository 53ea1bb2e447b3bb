"""Scales: the same mechanism in units of its own, and results back in SI units."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ModelError, OptionError
from pliant.units import exponents

SCALES = pl.Scales(length=0.37, time=0.021, mass=4.2)  # nothing special about them


def four_bar() -> pl.Model:
    """Build links, a beam, a spring, a damper, gravity and a moving force: every kind of quantity once."""
    m = pl.Model("four-bar")
    ground = m.add(pl.Ground())
    crank = m.add(pl.Link("crank", length=0.1, mass=0.2, angle=1.0))
    strip = pl.Section.rectangle(0.02, 0.004, pl.STEEL)
    coupler = m.add(pl.Beam("coupler", length=0.3, section=strip, damping=pl.Rayleigh(mass=0.5, stiffness=1e-5)))
    rocker = m.add(pl.Link("rocker", length=0.25, mass=0.3, centre=0.4))
    m.add(pl.Revolute(ground.at(0, 0), crank.at(s=0)), pl.Revolute(crank.at(s=1), coupler.at(s=0)))
    m.add(pl.Revolute(coupler.at(s=1), rocker.at(s=1)), pl.Revolute(rocker.at(s=0), ground.at(0.3, 0)))
    m.add(pl.Gravity(), pl.Spring("return", crank.at(s=1), ground.at(0, 0.3), 200.0, 0.1, damping=0.5))
    m.add(pl.Force(coupler.at(s=0.5), y=pl.Sine(3.0, frequency_hz=5.0), name="shake"))
    m.add(pl.Motor("drive", ground.at(0, 0), crank.at(s=0), pl.Expression("0.2*sin(10*t)")))
    return m


def spinner() -> pl.Model:
    """Build a driven, curved beam with a mass, a torsion spring and drag."""
    m = pl.Model("spinner")
    ground = m.add(pl.Ground())
    beam = m.add(pl.Beam("beam", length=0.5, section=pl.Section.circle(0.004, pl.ALUMINIUM), curvature=0.8, angle=0.2))
    m.add(pl.Revolute(ground.at(0.1, 0.0), beam.at(s=0), name="pin"), pl.PointMass("tip", beam.at(s=1), mass=0.05))
    m.add(pl.TorsionSpring("flexure", ground.at(0.1, 0), beam.at(s=0), 4.0, rest_angle=0.2, damping=0.01))
    m.add(pl.Drag(beam, x=0.2, y=0.3), pl.Moment(beam.at(s=1), pl.Ramp(0.0, 0.3, t0=0.01, t1=0.1), name="twist"))
    return m


def pulled() -> pl.Model:
    """Build a rigid four-bar that a damped tendon pulls."""
    m = pl.Model("pulled")
    ground = m.add(pl.Ground())
    parts = (("crank", 0.1, 1.0), ("coupler", 0.3, None), ("rocker", 0.25, None))
    crank, coupler, rocker = m.add(*(pl.Link(name, length=length, mass=0.2, angle=a) for name, length, a in parts))
    m.add(pl.Revolute(ground.at(0, 0), crank.at(s=0)), pl.Revolute(crank.at(s=1), coupler.at(s=0)))
    m.add(pl.Revolute(coupler.at(s=1), rocker.at(s=1)), pl.Revolute(rocker.at(s=0), ground.at(0.3, 0)))
    cord = {"stiffness": 300.0, "rest_length": 0.1, "damping": 2.0, "slack_force": 0.01}
    m.add(pl.Gravity(), pl.Tendon("cord", rocker.at(s=1), ground.at(0, 0.3), **cord))
    return m


def arm() -> pl.Model:
    """Build a flexible manipulator."""
    m = pl.Model("arm")
    ground = m.add(pl.Ground())
    section = pl.Section.of_velocities(0.1, axial=800.0, flexural=30.0, length=1.0)
    one, two = m.add(*(pl.Beam(name, length=1.0, section=section, angle=0.1) for name in ("one", "two")))
    m.add(pl.Revolute(ground.at(0, 0), one.at(s=0), name="shoulder"))
    m.add(pl.Revolute(one.at(s=1), two.at(s=0), name="elbow"))
    m.add(pl.Motor("drive", ground.at(0, 0), one.at(s=0), pl.Expression("2*sin(3*t)")))
    return m


def test_units_are_read() -> None:
    assert exponents("kg m²") == exponents("N m s^2") == (2, 0, 1)
    assert exponents("N s/m^2") == exponents("Pa s") == (-1, -1, 1)
    with pytest.raises(ValueError, match="furlong"):
        exponents("furlong/s")


@pytest.mark.parametrize("build", [four_bar, spinner, pulled])
def test_a_scaled_model_moves_as_the_other(build: object) -> None:
    """The equations in other units differ by rounding, which a mechanism makes grow."""
    model = build()  # type: ignore[operator]
    times, end = np.linspace(0.0, 0.2, 21), 0.2
    options = {"elements": 4}
    plain = pl.transient(pl.compile(model, **options), end_time=end, step=1e-3, times=times)
    other = pl.transient(
        pl.compile(model.scaled(SCALES), **options),
        end_time=end / SCALES.time,
        step=1e-3 / SCALES.time,
        times=times / SCALES.time,
    ).in_units(SCALES)
    told = {"time", "position", "velocity", "angle", "energy", "reaction", "resultant", "tension"}
    for name in told & {*plain.data.variables}:
        one, two = plain.data[name].values, other.data[name].values
        assert np.max(np.abs(one - two)) <= 1e-7 * np.max(np.abs(one)), name
    back = plain.scaled(SCALES).in_units(SCALES)
    assert np.allclose(back.energy, plain.energy, rtol=1e-14)
    assert back.energy.attrs["units"] == "J"


def test_modes_scale_with_time() -> None:
    plain = pl.modal(pl.compile(spinner(), elements=4), modes=3)
    other = pl.modal(pl.compile(spinner().scaled(SCALES), elements=4), modes=3)
    assert np.allclose(other.frequency_hz, plain.frequency_hz * SCALES.time, rtol=1e-9)
    assert np.allclose(other.in_units(SCALES).frequency_hz, plain.frequency_hz, rtol=1e-9)


def test_an_arm_without_units() -> None:
    """Section 3.5: with the flexural scales, length, mass and bending stiffness of the first link are 1."""
    model, end = arm(), 0.3
    one = model.part("one")
    scales = pl.Scales.flexural(one)
    assert (pl.flexural_velocity(one), pl.axial_velocity(one)) == (30.0, 800.0)
    assert scales.torque == pytest.approx(0.1 * 30.0**2)
    assert scales.time == pytest.approx(1.0 / 30.0)
    unit = model.scaled(scales)
    section = unit.part("one").section
    assert (unit.part("one").length, section.mass_per_length) == (1.0, 1.0)
    assert section.bending_stiffness == pytest.approx(1.0)
    assert section.axial_stiffness == pytest.approx((800.0 / 30.0) ** 2)
    options = {"formulation": "kinked", "elements": 1}
    times = np.linspace(0.0, end, 11)
    plain = pl.transient(pl.compile(model, **options), end_time=end, times=times, accuracy=1e-11)
    other = pl.transient(
        pl.compile(unit, **options), end_time=end / scales.time, times=times / scales.time, accuracy=1e-11
    ).in_units(scales)
    for name in ("coordinates", "coordinate_rates", "deflection", "energy", "reaction"):
        one_, two = plain.data[name].values, other.data[name].values
        assert np.max(np.abs(one_ - two)) <= 1e-8 * np.max(np.abs(one_)), name  # both within their accuracy


def test_default_names_and_signals_stay() -> None:
    model = four_bar()
    twin = model.scaled(SCALES)
    assert [part.name for part in twin] == [part.name for part in model]
    assert pl.compile(twin).signal_names == pl.compile(model).signal_names
    torque = twin.part("drive").torque
    assert torque([0.5 / SCALES.time])[0] == pytest.approx(0.2 * np.sin(5.0) / SCALES.torque)
    assert torque.rate([0.0])[0] == pytest.approx(2.0 * SCALES.time / SCALES.torque)


def test_what_cannot_be_scaled_says_so() -> None:
    m = pl.Model("pull")
    ground, link = m.add(pl.Ground(), pl.Link("link", length=1.0, mass=1.0))
    m.add(pl.Revolute(ground.at(0, 0), link.at(s=0)))
    m.add(pl.Tendon("cord", link.at(s=1), ground.at(0, 1), stiffness=1e3, force=2.0, damping=5.0))
    with pytest.raises(ModelError, match=r"cord.*slack_force"):
        m.scaled(SCALES)
    with pytest.raises(ModelError, match="length"):
        pl.Scales(length=-1.0)
    with pytest.raises(ModelError, match="length"):
        pl.flexural_velocity(arm().part("one"), length=0.0)
    with pytest.raises(OptionError, match="furlong"):
        SCALES.of("furlong")
    found = pl.statics(pl.compile(arm()))
    with pytest.raises(OptionError, match="scales=3"):
        found.in_units(3)
    found.data["position"].attrs["units"] = "furlong"
    with pytest.raises(OptionError, match=r"position.*furlong"):
        found.scaled(SCALES)


def test_section_of_velocities_is_a_rectangle_of_steel() -> None:
    """U_a and U_g of a real strip give its stiffness back."""
    strip = pl.Section.rectangle(0.02, 0.001, pl.STEEL)
    axial = (210e9 / 7850.0) ** 0.5
    flexural = axial * 0.001 / 12**0.5 / 0.5
    found = pl.Section.of_velocities(strip.mass_per_length, axial=axial, flexural=flexural, length=0.5)
    for key in ("axial_stiffness", "bending_stiffness", "shear_stiffness", "rotary_inertia"):
        assert getattr(found, key) == pytest.approx(getattr(strip, key), rel=1e-12)


@pytest.mark.parametrize("spatial", [False, True])
def test_a_converted_result_is_a_start(spatial: bool) -> None:
    """Half of a motion without units, the rest in SI units, and the other way round."""
    model = spinner().promoted() if spatial else spinner()
    with_units, without = pl.compile(model, elements=2), pl.compile(model.scaled(SCALES), elements=2)
    whole = pl.transient(with_units, end_time=0.02, step=1e-4)
    half = pl.transient(without, end_time=0.01 / SCALES.time, step=1e-4 / SCALES.time)
    rest = pl.transient(with_units, end_time=0.02, step=1e-4, start=half.in_units(SCALES))
    back = pl.transient(
        without, end_time=0.02 / SCALES.time, step=1e-4 / SCALES.time, start=half.in_units(SCALES).scaled(SCALES)
    ).in_units(SCALES)
    way = np.ptp(whole.position.values, axis=0).max()
    for found in (rest, back):
        assert np.max(np.abs(found.position.values[-1] - whole.position.values[-1])) < 1e-4 * way
    with pytest.raises(OptionError, match=r"start: its units are .*length"):
        pl.transient(with_units, end_time=0.02, step=1e-4, start=half)
    with pytest.raises(OptionError, match="start: its units are SI units"):
        pl.transient(without, end_time=2.0, step=1e-2, start=whole)


def test_converting_twice_is_refused() -> None:
    model = spinner()
    found = pl.statics(pl.compile(model.scaled(SCALES), elements=2))
    assert found.provenance.settings["scales"] == {"length": 0.37, "time": 0.021, "mass": 4.2}
    with pytest.raises(OptionError, match="scaled: the result is in units of"):
        found.scaled(SCALES)
    with pytest.raises(OptionError, match="not of"):
        found.in_units(pl.Scales(length=2.0))
    again = found.in_units(SCALES)
    with pytest.raises(OptionError, match="in SI units"):
        again.in_units(SCALES)
    with pytest.raises(ModelError, match="in units of Scales"):
        model.scaled(SCALES).scaled(SCALES)


def test_a_file_and_a_chain_keep_the_scales(tmp_path: Path) -> None:
    twin = spinner().scaled(SCALES)
    twin.save(tmp_path / "twin.toml")
    assert pl.Model.load(tmp_path / "twin.toml").scales == SCALES
    assert pl.lump(twin, elements=3).scales == SCALES
    with pytest.raises(OptionError, match="damping of 'beam': the model is in units of"):
        pl.compile(twin, formulation="udwadia_kalaba", elements=pl.Lumped(3, damping=0.1))
