"""Decks of finite elements whose words were passed over: planar sections were turned by a quarter, weights were masses,
factors of loads were 1, gravity of one set acted in all.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import pliant as pl
from pliant.errors import FileError

E, A, B, LENGTH = 210e9, 0.012, 0.002, 0.3
SECTIONS = {
    "RECT": f"*BEAM SECTION, ELSET=ALL, MATERIAL=STEEL, SECTION=RECT\n{A}, {B}\n",
    "GENERAL": "*BEAM GENERAL SECTION, ELSET=ALL, SECTION=GENERAL, DENSITY=7850\n"
    f"{A * B}, {A * B**3 / 12}, 0., {B * A**3 / 12}, 1e-11\n0., 0., -1.\n{E}, 8e10\n",
}
BAR = """BEGIN BULK
GRID,1,,0.,0.,0.
GRID,2,,.3,0.,0.
CBAR,1,7,1,2,0.,0.,1.
PBARL,7,1,,BAR
,.012,.002
MAT1,1,2.1+11,,.3,7850.
CONM2,9,2,,.25
SPC1,1,123456,1
FORCE,1,2,,2.,0.,0.,-1.
{more}
ENDDATA
"""


def planar(section: str, more: str = "", nodes: str = "*NODE") -> str:
    steel = f"*MATERIAL, NAME=STEEL\n*ELASTIC\n{E}, 0.3\n*DENSITY\n7850.\n"
    mesh = f"{nodes}\n1, 0., 0.\n2, 0.1, 0.\n3, {LENGTH}, 0.\n*ELEMENT, TYPE=B21, ELSET=ALL\n1, 1, 2\n2, 2, 3\n"
    return f"{mesh}{steel}{section}*BOUNDARY\n1, 1, 6\n*STEP\n*CLOAD\n3, 2, -0.5\n{more}*END STEP\n"


def read(folder: Path, text: str, name: str = "deck.inp"):
    (folder / name).write_text(text)
    return pl.load_deck(folder / name)


@pytest.mark.parametrize("section", SECTIONS)
def test_elements_of_the_plane_bend_about_their_first_axis(tmp_path: Path, section: str) -> None:
    """n1 is across the plane: b is the height, I11 counts. The tip sank by 1/36 of F L^3 / 3 EI."""
    model = read(tmp_path, planar(SECTIONS[section])).model
    rest = pl.statics(pl.compile(model))
    (beam,) = model.beams
    sag = float(rest.position.sel(marker=f"{beam.name}/tip", axis="y"))
    assert sag == pytest.approx(-0.5 * LENGTH**3 / (3 * E * A * B**3 / 12), rel=2e-3)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (planar(SECTIONS["RECT"], nodes="*NODE, SYSTEM=C"), "SYSTEM"),
        (planar("*TRANSFORM, NSET=N\n0, 1, 0, -1, 0, 0\n" + SECTIONS["RECT"]), "TRANSFORM turns"),
        (planar(SECTIONS["RECT"], "*CLOAD, FOLLOWER\n3, 2, 1.\n"), "FOLLOWER"),
        (
            planar(SECTIONS["RECT"], "*ELSET, ELSET=E1\n1\n*DLOAD\nE1, GRAV, 9.81, 0, -1, 0\n"),
            "some elements, not of 2",
        ),
        (planar(SECTIONS["RECT"], "*DLOAD\n1, GRAV, 9.81, 0, -1, 0\n2, GRAV, 1., 0, -1, 0\n"), "two kinds"),
    ],
)
def test_what_changes_the_meaning_of_a_deck_is_refused(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(FileError, match=why):
        read(tmp_path, text)


def test_gravity_of_all_sets_is_that_of_the_model(tmp_path: Path) -> None:
    rows = "*DLOAD\n1, GRAV, 9.81, 0, -1, 0\n2, GRAV, 9.81, 0, -1, 0\n"
    model = read(tmp_path, planar(SECTIONS["RECT"], rows)).model
    assert next(force for force in model.forces if isinstance(force, pl.Gravity)).y.value == pytest.approx(-9.81)


def test_weights_of_nastran_are_masses_by_its_parameter(tmp_path: Path) -> None:
    """PARAM, WTMASS multiplies all masses."""
    weighed = read(tmp_path, BAR.format(more="PARAM,WTMASS,.1"), "bar.bdf").model
    plain = read(tmp_path, BAR.format(more="PARAM,POST,-1"), "bar.bdf").model
    for model, share in ((weighed, 0.1), (plain, 1.0)):
        assert model.beams[0].mass == pytest.approx(share * 7850.0 * A * B * LENGTH)
        assert model.part("mass 1").mass == pytest.approx(share * 0.25)


def test_factors_of_loads_are_refused(tmp_path: Path) -> None:
    read(tmp_path, BAR.format(more="LOAD,5,2.,.5,1"), "bar.bdf")
    with pytest.raises(FileError, match="set 1 is taken 3 times"):
        read(tmp_path, BAR.format(more="LOAD,5,1.5,2.,1"), "bar.bdf")
    with pytest.raises(FileError, match="GRDSET"):
        read(tmp_path, BAR.format(more="GRDSET,,,,,,,345"), "bar.bdf")


def test_gravity_of_several_sets_is_told(tmp_path: Path) -> None:
    two = "GRAV,2,,9.81,0.,0.,-1.\nGRAV,3,,9.81,0.,-1.,0."
    assert any("GRAV 2, 3" in each for each in read(tmp_path, BAR.format(more=two), "bar.bdf").left_out)
