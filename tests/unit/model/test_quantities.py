"""Values with units: turned into SI exactly, refused where they measure something else."""

import math

import pint
import pytest

import pliant as pl
from pliant.errors import ModelError
from pliant.model.quantities import si

EXACT = [
    ("300 mm", "m", 0.3),
    ("1.2mm", "m", 0.0012),
    ("-4 cm", "m", -0.04),
    ("7.85 g/cm^3", "kg/m^3", 7850.0),
    ("210 GPa", "Pa", 210e9),
    ("2 N/mm", "N/m", 2000.0),
    ("15 N s/cm", "N s/m", 1500.0),
    ("3 kN*m", "N m/rad", 3000.0),
    ("180 deg", "rad", math.pi),
    ("90°", "rad", math.pi / 2),
    ("60 rpm", "rad/s", 2 * math.pi),
    ("2 N m/deg", "N m/rad", 360 / math.pi),
    ("50 %", "1", 0.5),
    ("1e3 um", "m", 1e-3),
    ("9.81 m/s²", "m/s^2", 9.81),
    ("2 1/min", "1/s", 2 / 60),
    ("5 J", "N m", 5.0),
    ("5 Nm", "N m", 5.0),
    ("5 mNm/A", "N m/A", 0.005),
    ("20 mA", "A", 0.02),
]


@pytest.mark.parametrize(("text", "units", "value"), EXACT)
def test_values_in_si(text, units, value):
    assert si("owner", "argument", text, units) == value


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("3 kg", "m"),
        ("30 deg", "1"),
        ("5 Hz", "rad/s"),
        ("3 parsec", "m"),
        ("2 N m/deg", "N m"),
        ("1 mkg", "kg"),
        ("1 m.", "m"),
        ("5 A", "1"),
        ("2 N m", "N m/A"),
        ("50 %", "A"),
    ],
)
def test_other_dimensions_are_refused(text, units):
    with pytest.raises(ModelError, match="owner: argument"):
        si("owner", "argument", text, units)


@pytest.mark.parametrize("text", ["300", "x", "2 * t", "sin(t)", "", "9" * 200 + " m"])
def test_text_without_units_is_left_to_the_part(text):
    assert si("owner", "argument", text, "m") == text


def test_every_place_of_a_model_takes_units():
    def leg(length, thickness, offset, angle, stiffness, gravity):
        m = pl.Model("leg")
        ground = m.add(pl.Ground())
        section = pl.Section.rectangle(thickness, thickness, pl.Material("x", youngs_modulus=2e9, density=1000.0))
        beam = m.add(pl.Beam("beam", length=length, section=section, angle=angle))
        m.add(pl.Weld(ground.at(offset, 0, angle=angle), beam.at(s=0)))
        m.add(
            pl.TorsionSpring("k", ground.at(0, offset), beam.at(s=1, x=offset), stiffness=stiffness, rest_angle=angle)
        )
        m.add(pl.Gravity(0, gravity))
        return m

    with_units = leg("300 mm", "2 mm", "1 cm", "30 deg", "2 N m", "-9.81 m/s^2")
    in_si = leg(0.3, 0.002, 0.01, math.pi / 6, 2.0, -9.81)
    assert [repr(part) for part in with_units] == [repr(part) for part in in_si]


def test_a_file_takes_units(tmp_path):
    m = pl.Model("m")
    m.add(pl.Link("crank", length=0.3, mass=0.2, free=True))
    m.save(tmp_path / "m.toml")
    text = (tmp_path / "m.toml").read_text().replace("length = 0.3", 'length = "30 cm"')
    (tmp_path / "with.toml").write_text(text)
    assert pl.Model.load(tmp_path / "with.toml").part("crank").length == 0.3


def test_quantities_of_pint():
    unit = pint.UnitRegistry()
    link = pl.Link("crank", length=300 * unit.mm, mass=2 * unit.g, angle=30 * unit.degree)
    assert (link.length, link.mass, link.angle) == pytest.approx((0.3, 0.002, math.pi / 6), rel=1e-15)
    assert link.at(x=1 * unit.cm).x == pytest.approx(0.01, rel=1e-15)
    with pytest.raises(ModelError, match='Link "crank": length'):
        pl.Link("crank", length=3 * unit.kg, mass=1.0)
    with pytest.raises(ModelError, match="rad/s or rpm"):
        si("owner", "speed", 5 * unit.hertz, "rad/s")


def test_signals_take_units_that_their_owner_compares():
    ground, crank = pl.Ground(), pl.Link("crank", length=0.1, mass=0.2)
    ramp = pl.Ramp("0 deg", "90 deg", "0 s", "200 ms")
    assert pl.Motion(ground.at(0, 0), crank.at(s=0), angle=ramp).angle == pl.Ramp(0.0, math.pi / 2, 0.0, 0.2)
    assert pl.Sine("5 N", frequency_hz="1 kHz", phase="90 deg") == pl.Sine(5.0, 1e3, math.pi / 2)
    assert pl.Table(("0 ms", "10 ms"), ("0 mm", "3 mm")).values == (0.0, 0.003)
    with pytest.raises(ModelError, match="measure something else"):
        pl.Motion(ground.at(0, 0), crank.at(s=0), angle=pl.Ramp("0 mm", "5 mm", 0.0, 1.0))
    with pytest.raises(ModelError, match="not a known unit"):
        pl.Ramp("0 degs", 1.0, 0.0, 1.0)


def test_times_of_a_motion_take_units():
    m = pl.Model("m")
    m.add(pl.Link("crank", length=0.1, mass=0.2, free=True, position=(0, 0), angle=0.0))
    assert pl.transient(pl.compile(m), end_time="10 ms", step="1 ms").time.values[-1] == 0.01


@pytest.mark.parametrize("text", ["1e400 kg", "-1e999 t", "1e999999999 kg"])
def test_values_too_large_are_refused(text: str) -> None:
    """Values too large are refused at once, and not by Python's own error."""
    with pytest.raises(ModelError, match="mass = "):
        pl.Body("body", mass=text, inertia=1.0)
    with pytest.raises(ModelError, match="value = "):
        pl.Constant(text)
