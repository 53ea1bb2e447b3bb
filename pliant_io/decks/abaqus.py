"""Input files of CalculiX and Abaqus (.inp): keyword lines with parameters, data lines below them.

In a section t is the tangent, n1 its first axis, n2 = t x n1; ours are x = t, y = n1, z = n2. Planar elements always
have n1 across the plane, independent of the deck, and bend about n1: ours are y = n2, z = -n1 there. Solid circles have
one number, their radius, in Abaqus, and two, their diameters, in CalculiX.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pliant.model import Section
from pliant_io.decks.records import MOST, Deck, Piece, Units, lines_of

BEAMS = {"B31": 2, "B31R": 2, "B33": 2, "B21": 2, "B23": 2, "B32": 3, "B32R": 3, "B22": 3, "B31H": 2, "B32H": 3}
PLANAR = ("B21", "B22", "B23")
KEPT: dict[str, tuple[int, ...]] = {
    "ENCASTRE": (1, 2, 3, 4, 5, 6),
    "PINNED": (1, 2, 3),
    "XSYMM": (1, 5, 6),
    "YSYMM": (2, 4, 6),
    "ZSYMM": (3, 4, 5),
}
SILENT = (
    *("HEADING", "STEP", "END STEP", "STATIC", "FREQUENCY", "NODE PRINT", "EL PRINT", "NODE FILE", "EL FILE", "OUTPUT"),
    *("NODE OUTPUT", "ELEMENT OUTPUT", "PREPRINT", "RESTART", "DYNAMIC", "BUCKLE", "PART", "END PART", "ASSEMBLY"),
    *("END ASSEMBLY", "END INSTANCE", "DENSITY", "ELASTIC"),
)
TOWARDS = (0.0, 0.0, -1.0)  # default of n1
TURNED = {"NODE": ("SYSTEM",), "CLOAD": ("FOLLOWER",)}  # other meanings of a keyword


class Block(NamedTuple):
    """A keyword, its parameters, its data lines."""

    word: str
    parameters: dict[str, str]
    rows: list[list[str]]


def read_abaqus(path: Path, units: Units) -> Deck:
    """Read the beams of an input file."""
    return _Reader(path, units).deck


class _Reader:
    def __init__(self, path: Path, units: Units) -> None:
        self.deck = Deck(path, path.stem, units)
        self.node_sets: dict[str, list[int]] = {}
        self.element_sets: dict[str, list[int]] = {}
        self.materials: dict[str, dict[str, float]] = {}
        self.elements: dict[int, tuple[str, list[int]]] = {}
        self.steps, self.weighed = 0, set[int]()
        blocks = list(_blocks(self.deck, lines_of(path)))
        actions: dict[str, Callable[[Block], None]] = {
            "NODE": self.node,
            "NSET": self.node_set,
            "ELEMENT": self.element,
            "ELSET": self.element_set,
        }
        for block in blocks:
            self.count_steps(block)
            if block.word in actions:
                actions[block.word](block)
        self.collect_materials(blocks)
        later: dict[str, Callable[[Block], None]] = {
            "BEAM SECTION": self.section,
            "BEAM GENERAL SECTION": self.general_section,
            "MASS": self.mass,
            "BOUNDARY": self.boundary,
            "CLOAD": self.point_load,
            "DLOAD": self.line_load,
        }
        self.steps = 0
        for block in blocks:
            self.count_steps(block)
            if self.steps > 1 and block.word in ("BOUNDARY", "CLOAD", "DLOAD"):
                self.deck.left_out[f"*{block.word} of step {self.steps}: the first is read"] += 1
            elif block.word in later:
                later[block.word](block)
            elif block.word not in actions and block.word not in (*SILENT, "MATERIAL"):
                self.deck.left_out[f"*{block.word}"] += 1
        self.tell_elements()

    def count_steps(self, block: Block) -> None:
        self.steps += block.word == "STEP"
        if block.word == "INSTANCE" and block.rows:
            raise self.deck.fail("*INSTANCE moves a part; write a flat input file")
        if block.word in ("TRANSFORM", "SYSTEM") and block.rows:
            raise self.deck.fail(f"*{block.word} turns coordinates; write them in global axes")
        for key in set(block.parameters) & set(TURNED.get(block.word, ())):
            if (key, block.parameters[key].upper()) != ("SYSTEM", "R"):
                raise self.deck.fail(f"*{block.word}, {key} is not read. Write it without")

    def node(self, block: Block) -> None:
        deck = self.deck
        for row in block.rows:
            number = deck.whole(row[0], "*NODE")
            place = [deck.number(text, f"node {number}") for text in row[1:4] if text]
            deck.nodes[number] = deck.units.length * np.array([*place, 0.0, 0.0, 0.0][:3])
            if len(deck.nodes) > MOST:
                raise deck.fail(f"more than {MOST} nodes are not read")
            self.put(self.node_sets, block.parameters.get("NSET"), [number])

    def element(self, block: Block) -> None:
        kind, rows = block.parameters.get("TYPE", "").upper(), iter(block.rows)
        wanted = BEAMS.get(kind, 0)
        for row in rows:
            numbers = [self.deck.whole(text, "*ELEMENT") for text in row if text]
            if not numbers or wanted and len(numbers) != wanted + 1:
                raise self.deck.fail(f"element {', '.join(row)}: {len(numbers) - 1} nodes; a {kind} has {wanted}")
            self.elements[numbers[0]] = (kind, numbers[1:])
            self.put(self.element_sets, block.parameters.get("ELSET"), numbers[:1])
        if len(self.elements) > MOST:
            raise self.deck.fail(f"more than {MOST} elements are not read")

    def node_set(self, block: Block) -> None:
        self.put(self.node_sets, block.parameters.get("NSET"), self.members(block, self.node_sets))

    def element_set(self, block: Block) -> None:
        self.put(self.element_sets, block.parameters.get("ELSET"), self.members(block, self.element_sets))

    def members(self, block: Block, known: dict[str, list[int]]) -> list[int]:
        if "GENERATE" in block.parameters:
            found: list[int] = []
            for row in block.rows:
                limits = [self.deck.whole(text, f"*{block.word}") for text in row if text]
                if len(limits) not in (2, 3):
                    raise self.deck.fail(f"*{block.word}: {', '.join(row)} is no first, last, step")
                first, last, step = [*limits, 1][:3]
                if step < 1 or (last - first) // step > MOST:
                    raise self.deck.fail(f"*{block.word}: {', '.join(row)} is no range of at most {MOST}")
                found += range(first, last + 1, step)
            return found
        return [number for row in block.rows for text in row if text for number in self.among(text, known)]

    def among(self, text: str, known: dict[str, list[int]]) -> list[int]:
        """Return a number, or the members of a set."""
        if text.strip().isdigit():
            return [self.deck.whole(text, "set")]
        if text.strip().upper() not in known:
            raise self.deck.fail(f"there is no set {text.strip()!r:.40}")
        return known[text.strip().upper()]

    def put(self, sets: dict[str, list[int]], name: str | None, numbers: list[int]) -> None:
        if name:
            sets.setdefault(name.upper(), []).extend(numbers)

    def collect_materials(self, blocks: list[Block]) -> None:
        current: dict[str, float] = {}
        for block in blocks:
            first = [text for text in (block.rows[0] if block.rows else []) if text]
            if block.word == "MATERIAL":
                current = self.materials.setdefault(block.parameters.get("NAME", "").upper(), {})
            elif block.word == "ELASTIC" and first:
                current["E"] = self.deck.number(first[0], "*ELASTIC")
                current["nu"] = self.deck.number(first[1], "*ELASTIC") if len(first) > 1 else 0.0
            elif block.word == "DENSITY" and first:
                current["rho"] = self.deck.number(first[0], "*DENSITY")

    def section(self, block: Block) -> None:
        deck, name = self.deck, block.parameters.get("ELSET", "")
        shape, said = block.parameters.get("SECTION", "").upper(), block.parameters.get("MATERIAL", "").upper()
        if said not in self.materials:
            raise deck.fail(f"*BEAM SECTION of {name!r}: there is no material {said!r:.40}")
        material = deck.material(said, self.materials[said])
        sizes = [deck.number(text, f"section of {name!r}") for text in (block.rows[0] if block.rows else []) if text]
        if shape == "CIRC" and len(sizes) == 2:
            if sizes[0] != sizes[1]:
                raise deck.fail(f"section of {name!r}: an ellipse of {sizes[0]:g} x {sizes[1]:g} is not read")
            sizes = [0.5 * sizes[0]]
        if shape == "PIPE" and len(sizes) == 2:
            sizes = [sizes[0], sizes[0] - sizes[1]]
        if shape == "RECT" and self.planar(name):
            sizes = sizes[::-1]
        kinds = {"RECT": ("rectangle", 2), "CIRC": ("circle", 1), "PIPE": ("tube", 2)}
        if shape not in kinds or len(sizes) != kinds[shape][1]:
            told = f"SECTION={shape or '?'} with {len(sizes)} numbers"
            raise deck.fail(f"section of {name!r}: {told}; this reads {', '.join(kinds)} and *BEAM GENERAL SECTION")
        if any(key.startswith("OFFSET") for key in block.parameters):
            deck.left_out[f"section of {name}: offset"] += 1
        self.use(name, deck.section(name, kinds[shape][0], sizes, material), block.rows[1:2])

    def general_section(self, block: Block) -> None:
        """Read A, I11, I12, I22, J; n1; E, G. I11 is about n1, which is our y."""
        deck, name = self.deck, block.parameters.get("ELSET", "")
        owner = f"*BEAM GENERAL SECTION of {name!r}"
        rows = [[deck.number(text, owner) for text in row if text] for row in block.rows]
        enough = len(rows) > 2 and len(rows[0]) > 4 and len(rows[2]) > 1
        if block.parameters.get("SECTION", "GENERAL").upper() != "GENERAL" or not enough:
            raise deck.fail(f"{owner}: this reads SECTION=GENERAL with A, I11, I12, I22, J; n1; E, G")
        area, I11, I12, I22, J = rows[0][:5]
        if I12:
            deck.left_out[f"section of {name}: I12"] += 1
        density = deck.number(block.parameters.get("DENSITY", "0"), owner)
        material = deck.material(name, {"E": rows[2][0], "G": rows[2][1], "rho": density})
        moments = (I11, I22, J) if self.planar(name) else (I22, I11, J)
        self.use(name, deck.of_moments(name, area, moments, material, (5 / 6, 5 / 6)), block.rows[1:2])

    def planar(self, name: str) -> bool:
        """Return whether a set of elements is planar."""
        kinds = (self.elements.get(number, ("", []))[0] for number in self.among(name, self.element_sets))
        return any(kind in PLANAR for kind in kinds)

    def use(self, name: str, section: Section, rows: list[list[str]]) -> None:
        """Add the pieces of a set of elements."""
        deck = self.deck
        key = f"{name}:{len(deck.sections)}"
        deck.sections[key] = section
        y = [deck.number(text, f"n1 of {name!r}") for text in rows[0] if text] if rows else list(TOWARDS)
        if len(y) != 3:
            raise deck.fail(f"section of {name!r}: n1 has {len(y)} numbers, not 3")
        for number in self.among(name, self.element_sets):
            kind, nodes = self.elements.get(number, ("", []))
            if kind not in BEAMS:
                continue
            ends = [(nodes[0], nodes[1])] if len(nodes) == 2 else [(nodes[0], nodes[1]), (nodes[1], nodes[2])]
            deck.pieces += [Piece(number, a, b, key, (y[0], y[1], y[2])) for a, b in ends]
            deck.planar = kind in PLANAR

    def mass(self, block: Block) -> None:
        size = self.deck.number((block.rows or [["?"]])[0][0], "*MASS") * self.deck.units.mass
        for number in self.among(block.parameters.get("ELSET", ""), self.element_sets):
            _, nodes = self.elements.get(number, ("", []))
            if not nodes:
                raise self.deck.fail(f"*MASS: there is no element {number}")
            self.deck.masses.append((nodes[0], size, np.zeros((3, 3))))

    def boundary(self, block: Block) -> None:
        deck = self.deck
        for row in block.rows:
            name, word, last, moved = [*row, "", "", ""][:4]
            if word.upper() in KEPT:
                freedoms = KEPT[word.upper()]
            else:
                first = deck.whole(word, f"*BOUNDARY of {name}")
                freedoms = tuple(range(first, min(deck.whole(last, f"*BOUNDARY of {name}") if last else first, 7) + 1))
                if moved and deck.number(moved, f"*BOUNDARY of {name}"):
                    raise deck.fail(f"*BOUNDARY of {name}: a support that is moved by {moved} is not read")
            if not all(1 <= freedom <= 6 for freedom in freedoms):
                raise deck.fail(f"*BOUNDARY of {name}: freedoms are 1 to 6")
            for node in self.among(name, self.node_sets):
                deck.held.setdefault(node, set()).update(freedoms)

    def point_load(self, block: Block) -> None:
        for row in block.rows:
            name, word, size = [*row, "", ""][:3]
            freedom = self.deck.whole(word, f"*CLOAD of {name}")
            if not 1 <= freedom <= 6:
                raise self.deck.fail(f"*CLOAD of {name}: freedom {freedom}, not 1 to 6")
            for node in self.among(name, self.node_sets):
                self.deck.load(node, freedom, self.deck.number(size, f"*CLOAD of {name}"))

    def line_load(self, block: Block) -> None:
        for row in block.rows:
            word = [*row, ""][1].upper()
            if word == "GRAV" and len(row) > 5:
                size, *way = (self.deck.number(text, "*DLOAD") for text in row[2:6])
                if not any(way):
                    raise self.deck.fail("*DLOAD: gravity without a direction")
                pull = self.deck.units.length * size * np.array(way) / np.linalg.norm(way)
                self.weighed |= set(self.among(row[0], self.element_sets) if row[0] else self.elements)
                if self.deck.gravity.any() and not np.allclose(pull, self.deck.gravity):
                    raise self.deck.fail("*DLOAD: gravity of two kinds; one is read, of all elements")
                self.deck.gravity = pull
            else:
                self.deck.left_out[f"*DLOAD {word}".strip()] += 1

    def tell_elements(self) -> None:
        used = {piece.number for piece in self.deck.pieces}
        if self.weighed and (idle := used - self.weighed):
            raise self.deck.fail(
                f"*DLOAD: gravity of some elements, not of {min(idle)}; only gravity of all elements is read"
            )
        for number, (kind, _) in self.elements.items():
            if kind in BEAMS and number not in used:
                raise self.deck.fail(f"element {number} has no *BEAM SECTION")
            if kind not in BEAMS and kind != "MASS":
                self.deck.left_out[f"elements of type {kind}"] += 1


def _blocks(deck: Deck, lines: list[str]) -> Iterator[Block]:
    current, joined = Block("", {}, []), ""
    for line in lines:
        text = joined + line.strip()
        if text.startswith("**") or not text:
            continue
        if text.startswith("*") and text.endswith(","):
            joined = text
            continue
        joined = ""
        if text.startswith("*"):
            if current.word:
                yield current
            word, *rest = text[1:].split(",")
            pairs = (each.partition("=") for each in rest)
            given = {key.strip().upper(): value.strip().strip('"') for key, _, value in pairs}
            current = Block(re.sub(r"\s+", " ", word.strip().upper()), given, [])
            if current.word == "INCLUDE":
                raise deck.fail("*INCLUDE: no other file is opened. Put its content in its place")
        elif current.word:
            row = [each.strip() for each in text.split(",")]
            if current.word == "ELEMENT" and current.rows and current.rows[-1][-1] == "":
                current.rows[-1][-1:] = row  # an element continues in the next line
            else:
                current.rows.append(row)
    if current.word:
        yield current
