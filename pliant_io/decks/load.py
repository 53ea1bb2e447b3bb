"""Deck -> Model, with a report of what was not taken."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from pliant.errors import FileError
from pliant_io.decks.abaqus import read_abaqus
from pliant_io.decks.building import imported
from pliant_io.decks.nastran import read_nastran
from pliant_io.decks.records import Units
from pliant_io.robots.robot import Imported

READERS = {".inp": read_abaqus, ".bdf": read_nastran, ".dat": read_nastran, ".nas": read_nastran}


def load_deck(path: str | PathLike[str], *, length: str = "m", mass: str = "kg") -> Imported:
    """Read the beams of a finite-element deck as a model: CalculiX or Abaqus (.inp), Nastran (.bdf, .dat, .nas).

    length, mass  units of the deck: "mm" and "t" for a deck in N and mm; time is in seconds

    Nodes, beam elements (B31, B32, B21, ...; CBAR, CBEAM), sections, materials, point masses, supports, forces and
    moments at nodes, gravity. Elements in a straight row with one section become one `Beam`; nodes where several meet
    are welds. A deck of planar elements (B21) becomes a planar model. ``left_out`` lists what was not read. No other
    file is opened.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "strip.inp"
    >>> nodes, elements = "*NODE\\n1, 0, 0, 0\\n2, 100, 0, 0\\n", "*ELEMENT, TYPE=B31, ELSET=E\\n1, 1, 2\\n"
    >>> steel = "*MATERIAL, NAME=STEEL\\n*ELASTIC\\n210000, 0.3\\n*DENSITY\\n7.85e-9\\n"
    >>> section = "*BEAM SECTION, ELSET=E, MATERIAL=STEEL, SECTION=RECT\\n1, 20\\n0, 1, 0\\n"
    >>> _ = path.write_text(nodes + elements + steel + section + "*BOUNDARY\\n1, 1, 6\\n*CLOAD\\n2, 2, 0.5\\n")
    >>> strip = load_deck(path, length="mm", mass="t").model
    >>> strip, round(strip.beams[0].section.bending_stiffness, 6)
    (<Model "strip": 0 rigid bodies, 1 beam, 1 joint, 1 force>, 0.35)
    """
    file = Path(path)
    reader = READERS.get(file.suffix.lower())
    if reader is None:
        raise FileError(f"{file}: decks are files {', '.join(READERS)}.")
    return imported(reader(file, Units.of(length, mass)))
