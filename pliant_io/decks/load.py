"""Deck -> Model, with a report of the omissions.

Collinear pieces become beams, shared nodes welds, held nodes supports.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pliant.errors import FileError, ModelError
from pliant.forces import Force, Gravity, Moment
from pliant.joints import Support, Weld
from pliant.model import Beam, Ground, Marker, Model, PointMass, rotations
from pliant.model.conditions import LOCKS, PLANE
from pliant_io.decks.abaqus import read_abaqus
from pliant_io.decks.nastran import read_nastran
from pliant_io.decks.records import Deck, Piece, Units
from pliant_io.robots.robot import Imported

SAME = 1e-6  # relative: equal directions, negligible lengths


class Run(NamedTuple):
    """Collinear consecutive pieces with one section; the columns of R are its axes."""

    pieces: list[Piece]
    R: np.ndarray

    @property
    def nodes(self) -> list[int]:
        return [self.pieces[0].a, *(piece.b for piece in self.pieces)]


def imported(deck: Deck) -> Imported:
    """Make the model of a deck, with its omissions."""
    if not deck.pieces:
        raise deck.fail("it has no beams that are read (B31, B32, B21; CBAR, CBEAM)")
    model = Model(_name(deck), plane="xy" if deck.planar else None)
    try:
        _Builder(deck, model).build()
    except ModelError as error:
        raise deck.fail(str(error)) from error
    told = (f"{what} ({count})" if count > 1 else what for what, count in deck.left_out.items())
    return Imported(model, tuple(told))


def _name(deck: Deck) -> str:
    kept = "".join(c if c.isalnum() or c in " _-.+" else " " for c in deck.name).strip(" _-.+")
    return kept[:80].strip() or "deck"


class _Builder:
    def __init__(self, deck: Deck, model: Model) -> None:
        self.deck, self.model = deck, model
        self.places: dict[int, list[tuple[Beam, float, np.ndarray]]] = defaultdict(list)

    def build(self) -> None:
        ground = self.model.add(Ground())
        tied = self._reached(set(self.deck.held))
        for run in self._runs():
            beam = self._beam(run, free=not tied & set(run.nodes))
            tied |= self._reached(set(run.nodes))  # one free beam holds all beams welded to it
            self.model.add(beam)
            self._note(beam, run)
        for node, (first, *others) in self.places.items():
            for k, (beam, s, _) in enumerate(others):
                name = f"node {node}" if len(others) == 1 else f"node {node} [{k + 1}]"
                self.model.add(Weld(first[0].at(first[1]), beam.at(s), name=name))
        for node, freedoms in self.deck.held.items():
            if self._there(node, "support"):
                self._hold(ground, node, freedoms)
        for k, (node, mass, inertia) in enumerate(self.deck.masses):
            if self._there(node, "mass"):
                size = float(inertia[2, 2]) if self.deck.planar else inertia.tolist() if inertia.any() else 0.0
                self.model.add(PointMass(f"mass {k + 1}", self._marker(node), mass=mass, inertia=size))
        for node, load in self.deck.loads.items():
            if self._there(node, "load"):
                self._load(node, load)
        if self.deck.gravity.any():
            x, y, z = self.deck.gravity.tolist()
            self.model.add(Gravity(x, y) if self.deck.planar else Gravity(x, y, z=z))

    def _axes(self, piece: Piece) -> np.ndarray:
        """Return x along the piece, y as near to the given direction as possible."""
        deck = self.deck
        for node in (piece.a, piece.b):
            if node not in deck.nodes:
                raise deck.fail(f"element {piece.number}: there is no node {node}")
        x = deck.nodes[piece.b] - deck.nodes[piece.a]
        y = np.cross((0.0, 0.0, 1.0), x) if deck.planar else np.array(piece.y)
        if not np.linalg.norm(x) > 0.0:
            raise deck.fail(f"element {piece.number} has no length")
        z = np.cross(x, y)
        if not np.linalg.norm(z) > SAME * np.linalg.norm(x) * np.linalg.norm(y):
            raise deck.fail(f"element {piece.number}: the first axis of its section lies along it")
        if deck.planar and abs(x[2]) > SAME * float(np.linalg.norm(x)):
            raise deck.fail(f"element {piece.number} is of the plane and leaves it")
        x, z = x / np.linalg.norm(x), z / np.linalg.norm(z)
        return np.stack([x, np.cross(z, x), z], axis=1)

    def _runs(self) -> list[Run]:
        """Join pieces where two of the same section continue straight and nothing else meets them."""
        axes = [self._axes(piece) for piece in self.deck.pieces]
        count: dict[int, int] = defaultdict(int)
        begins: dict[int, list[int]] = defaultdict(list)
        for k, piece in enumerate(self.deck.pieces):
            begins[piece.a].append(k)
            count[piece.a] += 1
            count[piece.b] += 1
        after: dict[int, int] = {}
        for k, piece in enumerate(self.deck.pieces):
            for other in begins[piece.b] if count[piece.b] == 2 else ():
                same = self.deck.pieces[other].section == piece.section
                if other != k and same and np.allclose(axes[k], axes[other], rtol=0.0, atol=SAME):
                    after[k] = other
        firsts = [k for k in range(len(axes)) if k not in set(after.values())]
        found = []
        for k in firsts:
            row = [k]
            while row[-1] in after:
                row.append(after[row[-1]])
            found.append(Run([self.deck.pieces[i] for i in row], axes[k]))
        return found

    def _reached(self, nodes: set[int]) -> set[int]:
        """Return these nodes and all nodes that pieces connect to them."""
        beside: dict[int, set[int]] = defaultdict(set)
        for piece in self.deck.pieces:
            beside[piece.a].add(piece.b)
            beside[piece.b].add(piece.a)
        found, new = set(nodes), set(nodes)
        while new:
            new = {other for node in new for other in beside[node]} - found
            found |= new
        return found

    def _beam(self, run: Run, *, free: bool) -> Beam:
        begin, end = (self.deck.nodes[node] for node in (run.nodes[0], run.nodes[-1]))
        first, last = run.pieces[0].number, run.pieces[-1].number
        name = f"beam {first}" if first == last else f"beam {first}-{last}"
        taken = sum(part.name.partition(" part")[0] == name for part in self.model.beams)
        words: dict[str, Any] = {
            "length": float(np.linalg.norm(end - begin)),
            "section": self.deck.sections[run.pieces[0].section],
        }
        name = f"{name} part {taken + 1}" if taken else name
        if self.deck.planar:
            angle = float(np.arctan2(run.R[1, 0], run.R[0, 0]))
            return Beam(name, **words, position=tuple(begin[:2].tolist()), angle=angle, free=free)
        turn = tuple(rotations.logarithm(rotations.quaternion(run.R)).tolist())
        return Beam(name, **words, position=tuple(begin.tolist()), orientation=turn, free=free)

    def _note(self, beam: Beam, run: Run) -> None:
        """Store the places of the nodes on a beam."""
        ways = [np.linalg.norm(self.deck.nodes[b] - self.deck.nodes[a]) for a, b in pairwise(run.nodes)]
        s = np.concatenate([[0.0], np.cumsum(ways)])
        for node, place in zip(run.nodes, (s / s[-1]).tolist(), strict=True):
            self.places[node].append((beam, place, run.R))

    def _there(self, node: int, what: str) -> bool:
        if node not in self.places:
            self.deck.left_out[f"node {node}: its {what}, as no beam is there"] += 1
        return node in self.places

    def _marker(self, node: int) -> Marker:
        """Return the marker of a node, with global axes."""
        beam, s, R = self.places[node][0]
        if self.deck.planar:
            return beam.at(s, angle=-float(np.arctan2(R[1, 0], R[0, 0])))
        return beam.at(s, orientation=tuple(rotations.logarithm(rotations.quaternion(R.T)).tolist()))

    def _hold(self, ground: Ground, node: int, freedoms: set[int]) -> None:
        place = self.deck.nodes[node].tolist()
        spot = ground.at(*place[:2]) if self.deck.planar else ground.at(*place)
        words = [LOCKS[k - 1] for k in sorted(freedoms) if not self.deck.planar or LOCKS[k - 1] in PLANE]
        name = f"support {node}"
        if len(words) == (3 if self.deck.planar else 6):
            self.model.add(Weld(spot, self._marker(node), name=name))
        elif words:
            self.model.add(Support(spot, self._marker(node), holds=words, name=name))

    def _load(self, node: int, load: np.ndarray) -> None:
        x, y, z, *moments = load.tolist()
        at = self._marker(node)
        if load[:3].any():
            self.model.add(Force(at, x, y, name=f"force {node}", **({} if self.deck.planar else {"z": z})))
        if load[3:].any():
            words = {"z": moments[2]} if self.deck.planar else dict(zip("xyz", moments, strict=True))
            self.model.add(Moment(at, **words, name=f"moment {node}"))


READERS = {".inp": read_abaqus, ".bdf": read_nastran, ".dat": read_nastran, ".nas": read_nastran}


def load_deck(path: str | PathLike[str], *, length: str = "m", mass: str = "kg") -> Imported:
    """Read the beams of a finite-element deck as a model: CalculiX or Abaqus (.inp), Nastran (.bdf, .dat, .nas).

    length, mass  units of the deck: "mm" and "t" for a deck in N and mm; time is in seconds

    Nodes, beam elements (B31, B32, B21, ...; CBAR, CBEAM), sections, materials, point masses, supports, forces and
    moments at nodes, gravity. Elements in a straight row with one section become one `Beam`; nodes where several meet
    are welds. A deck of planar elements (B21) becomes a planar model. ``left_out`` lists the omissions. No other file
    is opened.

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
