"""Beam meshes of finite-element decks: against closed forms, and against the same model in words."""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl
from pliant.errors import FileError

E, RHO = 210e9, 7850.0
STEEL = "*MATERIAL, NAME=Steel\n*ELASTIC\n210000., 0.3\n*DENSITY\n7.85E-9\n"
SECTION = "*BEAM SECTION, ELSET=ALL, MATERIAL=STEEL, SECTION=RECT\n2., 12.\n0., 0., 1.\n"


def nodes(count, *, length=300.0):
    return "*NODE, NSET=N\n" + "".join(f"{k + 1}, {length * k / count}, 0., 0.\n" for k in range(count + 1))


def strip(kind="B31", count=6):
    """Return a strip along x, 2 mm thick along z and 12 mm wide along y, clamped at its base: N, mm, t."""
    if kind == "B32":
        rows = "".join(f"{k + 1}, {2 * k + 1}, {2 * k + 2}, {2 * k + 3}\n" for k in range(count // 2))
    else:
        rows = "".join(f"{k + 1}, {k + 1}, {k + 2}\n" for k in range(count))
    head = f"*HEADING\nstrip\n{nodes(count)}*ELEMENT, TYPE={kind}, ELSET=ALL\n{rows}"
    return f"{head}{STEEL}{SECTION}*BOUNDARY\n1, 1, 6\n*STEP\n*STATIC\n*CLOAD\n{count + 1}, 3, -0.5\n*END STEP\n"


def read(folder, text, name="strip.inp", **units):
    path = folder / name
    path.write_text(text)
    return pl.load_deck(path, **({"length": "mm", "mass": "t"} | units))


BARS = """SOL 103
CEND
BEGIN BULK
$ a bar along x, then one along y, mass at its end: SI
GRID           1              0.      0.      0.
GRID           2             .15      0.      0.
GRID           3              .3      0.      0.
GRID,4,,.3,.2,0.
CBAR           1       7       1       2      0.      0.      1.
CBAR           2       7       2       3      0.      0.      1.
CBAR*                  3               8               3               4
*                     0.              0.              1.
PBARL          7       1             BAR
            .012    .002
PBARL          8       1            TUBE
+          5.-03   4.-03
MAT1           1 2.1+11               .3   7850.
CONM2          9       4             .25
SPC1           1  123456       1
FORCE          1       4             2.0      0.      0.     -1.
GRAV           1          9.81        0.      0.     -1.
ENDDATA
"""


def frame():
    """Build the frame in words; plane 1 of a bar holds its axis and z, so that y of its section is z."""
    m = pl.Model("frame", plane=None)
    material = pl.Material("m", youngs_modulus=E, poisson_ratio=0.3, density=RHO)
    ground = m.add(pl.Ground())
    one = m.add(
        pl.Beam("one", length=0.3, section=pl.Section.rectangle(0.012, 0.002, material), position=(0, 0, 0),
                orientation=pl.rotation(x=np.pi / 2))
    )  # fmt: skip
    turn = np.column_stack([(0, 1, 0), (0, 0, 1), (1, 0, 0)]).astype(float)
    two = m.add(
        pl.Beam("two", length=0.2, section=pl.Section.tube(5e-3, 4e-3, material), position=(0.3, 0, 0),
                orientation=turn)
    )  # fmt: skip
    m.add(pl.Weld(ground.at(0, 0, 0), one.at(s=0)), pl.Weld(one.at(s=1), two.at(s=0)))
    m.add(pl.PointMass("mass", two.at(s=1), mass=0.25), pl.Force(two.at(s=1), z=-2.0), pl.Gravity(0, 0, z=-9.81))
    return m


@pytest.mark.parametrize("kind", ["B31", "B32"])
def test_a_strip_bends_and_swings_as_in_closed_form(tmp_path, kind):
    found = read(tmp_path, strip(kind))
    assert found.left_out == ()
    assert [beam.length for beam in found.model.beams] == pytest.approx([0.3])
    system = pl.compile(found.model)
    stiffness, line = E * 0.012 * 0.002**3 / 12, RHO * 0.012 * 0.002
    tip = pl.stiffness(system, marker=found.model.beams[0].at(s=1))
    assert tip.compliance[2, 2] == pytest.approx(0.3**3 / (3 * stiffness), rel=2e-3)
    first = 1.8751040687**2 * np.sqrt(stiffness / (line * 0.3**4)) / (2 * np.pi)
    hz = pl.modal(system, modes=2).frequency_hz.values
    assert hz[0] == pytest.approx(first, rel=2e-3)
    rest = pl.statics(system)
    sag = float(rest.position.sel(marker=rest.marker.values[-1], axis="z"))
    assert sag == pytest.approx(-0.5 * 0.3**3 / (3 * stiffness), rel=1e-2)


def test_a_frame_of_nastran_is_the_same_in_words(tmp_path):
    found = read(tmp_path, BARS, "frame.bdf", length="m", mass="kg")
    assert found.left_out == ()
    assert sorted(beam.name for beam in found.model.beams) == ["beam 1-2", "beam 3"]
    deck, words = (pl.compile(model, elements=4) for model in (found.model, frame()))
    np.testing.assert_allclose(pl.modal(deck, modes=5).frequency_hz, pl.modal(words, modes=5).frequency_hz, rtol=1e-8)
    ends = [pl.statics(each).shape.values[-1] for each in (deck, words)]
    np.testing.assert_allclose(*ends, atol=1e-9)


def test_a_planar_frame_with_a_roller(tmp_path):
    """A girder on a pin and a roller, loaded in its middle: F L^3 / 48 EI."""
    text = strip("B21", 4).replace("2., 12.\n", "12., 2.\n").replace("1, 1, 6\n", "1, 1, 2\n5, 2, 2\n")
    found = read(tmp_path, text.replace("5, 3, -0.5", "3, 2, -0.5"))
    model = found.model
    assert not model.spatial
    assert [type(joint).__name__ for joint in model.joints] == ["Support", "Support"]
    rest = pl.statics(pl.compile(model, elements=pl.Exact(4, order=3)))
    stiffness = E * 0.012 * 0.002**3 / 12
    sag = float(rest.position.sel(marker=next(x for x in rest.marker.values if "0.5" in x), axis="y"))
    assert sag == pytest.approx(-0.5 * 0.3**3 / (48 * stiffness), rel=2e-3)


def test_what_is_not_taken_is_named(tmp_path):
    more = "*EQUATION\n2\n1, 1, 1., 2, 1, -1.\n*ELEMENT, TYPE=S4, ELSET=SH\n90, 1, 2, 3, 4\n"
    assert read(tmp_path, strip() + more).left_out == ("*EQUATION", "elements of type S4")
    left = read(tmp_path, BARS.replace("ENDDATA", "RBE2,11,1,123456,4\nENDDATA"), "a.bdf", length="m", mass="kg")
    assert left.left_out == ("RBE2",)


HOSTILE = [
    ("strip.inp", strip().replace("*STEP", "*INCLUDE, INPUT=/etc/passwd\n*STEP"), "no other file"),
    ("strip.inp", strip().replace("7.85E-9", "nan"), "no finite number"),
    ("strip.inp", strip().replace("1, 1, 2\n", "1, 1, 1\n"), "no length"),
    ("strip.inp", strip().replace("1, 1, 2\n", "1, 1, 99\n"), "no node 99"),
    ("strip.inp", strip().replace("0., 0., 1.\n", "1., 0., 0.\n"), "lies along it"),
    ("strip.inp", strip().replace("SECTION=RECT", "SECTION=I"), "this reads RECT"),
    ("strip.inp", strip().replace("ELSET=ALL, MATERIAL", "ELSET=NONE, MATERIAL"), "no set"),
    ("strip.inp", strip().replace("1, 1, 6\n", "1, 1, 6, 0.3\n"), "moved"),
    ("strip.inp", strip().replace("1, 1, 6\n", "1, 1, 60\n"), "1 to 6"),
    ("strip.inp", "*NSET, NSET=A, GENERATE\n1, 999999999999, 1\n", "no range"),
    ("strip.inp", "*NODE\n1\n", "no beams"),
    ("strip.inp", "\0\0", "no text"),
    ("strip.stl", strip(), "decks are files"),
    ("strip.inp", strip().replace("1, 1, 2\n", "1, 1\n"), "has 2"),
    ("a.bdf", BARS.replace("CONM2          9       4", "CONM2          9       4       3"), "coordinate system 3"),
    ("a.bdf", BARS.replace("+          5.-03   4.-03", "+          5.-03   6.-03"), "inner_radius"),
    ("a.bdf", "INCLUDE 'other.bdf'\n", "no other file"),
    ("a.bdf", BARS.replace("     BAR\n", "     HAT\n"), "type 'HAT'"),
    ("a.bdf", BARS.replace("MAT1           1", "MAT1           2"), "no MAT1"),
    ("a.bdf", "+ 1 2\n", "continuation"),
]


@pytest.mark.parametrize(("name", "text", "told"), HOSTILE)
def test_hostile_decks_are_refused(tmp_path, name, text, told):
    with pytest.raises(FileError, match=told):
        read(tmp_path, text, name)


def test_damaged_decks_never_end_otherwise(tmp_path):
    """Cut and changed at random: a model, or a FileError."""
    random = np.random.default_rng(22)
    for name, text in (("a.inp", strip(count=3)), ("a.bdf", BARS)):
        for _ in range(150):
            letters = list(text)
            for place in random.integers(0, len(letters), 3):
                letters[place] = random.choice(list("0123,.*-+eE\n $AZ"))
            try:
                read(tmp_path, "".join(letters[: random.integers(len(letters) // 2, len(letters))]), name)
            except FileError:
                continue
