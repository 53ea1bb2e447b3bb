"""Numbers in other units are doubted by name; models in SI, soft, stiff or without units, are not."""

import pytest

import pliant as pl
from pliant.errors import DoubtfulUnits
from pliant.model.plausibility import doubts


def cantilever(section, length=0.5, gravity=-9.81):
    m = pl.Model("m")
    ground, beam = m.add(pl.Ground(), pl.Beam("leaf", length=length, section=section))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Gravity(0, gravity))
    return m


def leaf(modulus=113.8e9, density=4430.0, thickness=1.2e-3):
    return pl.Section.rectangle(0.077, thickness, pl.Material("x", youngs_modulus=modulus, density=density))


def driven(angle, *more):
    m = pl.Model("m")
    ground, crank = m.add(pl.Ground(), pl.Link("crank", length=0.1, mass=0.2))
    m.add(pl.Revolute(ground.at(0, 0), crank.at(s=0)), pl.Motion(ground.at(0, 0), crank.at(s=0), angle=angle), *more)
    return m


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (cantilever(leaf(thickness=1.2), length=0.05), r"1\.2 m thick. Were millimetres"),
        (cantilever(leaf(thickness=1.2)), r"1\.2 m thick. Were millimetres"),
        (cantilever(pl.Section.rectangle(20.0, 1.0, pl.STEEL), length=300.0), "20 m wide, 1 m thick"),
        (cantilever(pl.Section.rectangle(20.0, 1e-3, pl.STEEL)), "20 m wide. Were millimetres"),
        (driven(90.0), "90 rad. Were degrees meant"),
        (driven(pl.Ramp(0.0, 360.0, 0.0, 1.0)), "360 rad. Were degrees meant"),
        (driven(0.1, pl.Gravity(9.81)), "along two axes"),
        (cantilever(leaf(modulus=113.8)), "modulus in Pa"),
        (cantilever(leaf(density=4.43)), "density in kg/m"),
        (cantilever(leaf(), gravity=-9810), "mm/s"),
    ],
)
def test_other_units_are_doubted(model, text):
    with pytest.warns(DoubtfulUnits, match=text):
        pl.compile(model, elements=2)


def test_an_inertia_in_other_units_is_doubted():
    m = pl.Model("m")
    m.add(pl.Link("crank", length=0.1, mass=0.2, inertia=170.0, free=True))
    assert [text.split(":")[0] for text in doubts(m)] == ['Link "crank"']


@pytest.mark.parametrize("section", [leaf(), leaf(1e5, 1000.0), leaf(1.0, 0.0), leaf(1.2e12, 3500.0)])
def test_solids_are_not_doubted(section):
    assert list(doubts(cantilever(section))) == []


def test_a_model_in_units_of_its_own_is_not_doubted() -> None:
    """A steel beam counted in millimetres has waves of 5e6 mm/s."""
    m = pl.Model("m")
    m.add(pl.Beam("leaf", length=0.5, section=pl.Section.rectangle(0.077, 0.0012, pl.STEEL), free=True))
    assert list(doubts(m.scaled(pl.Scales(length=1e-3, time=1.0, mass=1.0)))) == []
