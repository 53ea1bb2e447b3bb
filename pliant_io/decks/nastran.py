"""Bulk data of Nastran (.bdf, .dat, .nas): cards in fields of 8 or 16 characters, or with commas.

Plane 1 of a bar contains its axis and its orientation vector: our x and y; I1 is about z, I2 about y.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from pliant.model import Section
from pliant_io.decks.records import MOST, Deck, Piece, Units, lines_of

SILENT = ("PARAM", "EIGRL", "EIGR", "ENDDATA", "MAT1", "GRID", "PBAR", "PBARL", "PBEAM", "PBEAML", "LOAD", "SPCADD")
SHAPES = {"ROD": ("circle", 1), "TUBE": ("tube", 2), "BAR": ("rectangle", 2)}


class Card(list[str]):
    """Fields of a card; missing ones are empty."""

    def at(self, place: int) -> str:
        return self[place] if place < len(self) else ""


def read_nastran(path: Path, units: Units) -> Deck:
    """Read the beams of bulk data."""
    return _Reader(path, units).deck


class _Reader:
    def __init__(self, path: Path, units: Units) -> None:
        self.deck = Deck(path, path.stem, units)
        self.numbered: dict[str, set[str]] = {}
        self.cards: dict[str, list[Card]] = {}
        for card in _cards(self.deck, lines_of(path)):
            self.cards.setdefault(card[0], []).append(card)
        if sum(map(len, self.cards.values())) > 2 * MOST:
            raise self.deck.fail(f"more than {2 * MOST} cards are not read")
        self.refuse_scaled()
        params = {card.at(1).upper(): card for card in self.cards.get("PARAM", [])}
        self.weight = self.number(params["WTMASS"], 2) if "WTMASS" in params else 1.0  # mass per unit of weight
        self.grids()
        self.materials = {card.at(1): card for card in self.cards.get("MAT1", [])}
        for word in ("PBAR", "PBARL", "PBEAM", "PBEAML"):
            for card in self.cards.get(word, []):
                self.deck.sections[card.at(1)] = self.section(word, card)
        for word, read in {
            "CBAR": self.bar,
            "CBEAM": self.bar,
            "CONM2": self.mass,
            "SPC1": self.support,
            "SPC": self.support,
            "FORCE": self.load,
            "MOMENT": self.load,
            "GRAV": self.gravity,
        }.items():
            for card in self.cards.pop(word, []):
                read(card)
        for word, cards in self.cards.items():
            if word not in SILENT:
                self.deck.left_out[word] += len(cards)
        for word, sets in self.numbered.items():
            if len(sets) > 1:
                self.deck.left_out[f"choice among sets {word} {', '.join(sorted(sets))}: all are taken"] += 1

    def refuse_scaled(self) -> None:
        """Refuse cards that change the meaning of others."""
        for card in self.cards.get("GRDSET", []):
            raise self.deck.fail(
                f"GRDSET {' '.join(card[1:]).strip()}: write coordinate systems and supports into GRID"
            )
        for card in self.cards.get("LOAD", []):
            for place in range(3, len(card), 2):
                share = self.number(card, 2, 1.0) * self.number(card, place, 1.0)
                if card.at(place) and share != 1.0:
                    raise self.deck.fail(
                        f"LOAD {card.at(1)}: set {card.at(place + 1)} is taken {share:g} times; write the loads out"
                    )

    def number(self, card: Card, place: int, default: float | None = None) -> float:
        text = card.at(place)
        if not text and default is not None:
            return default
        return self.deck.number(text, f"{card[0]} {card.at(1)}, field {place + 1}")

    def basic(self, card: Card, place: int) -> None:
        """Refuse a coordinate system other than the basic one."""
        if card.at(place) not in ("", "0"):
            raise self.deck.fail(
                f"{card[0]} {card.at(1)}: coordinate system {card.at(place)}; the basic one, 0, is read"
            )

    def node(self, card: Card, place: int) -> int:
        return self.deck.whole(card.at(place), f"{card[0]} {card.at(1)}")

    def grids(self) -> None:
        for card in self.cards.get("GRID", []):
            self.basic(card, 2)
            self.basic(card, 6)
            number = self.node(card, 1)
            place = np.array([self.number(card, k, 0.0) for k in (3, 4, 5)])
            self.deck.nodes[number] = self.deck.units.length * place
            self.hold(number, card.at(7), card)

    def hold(self, node: int, digits: str, card: Card) -> None:
        if digits and digits != "0":
            if set(digits) - set("123456"):
                raise self.deck.fail(f"{card[0]} {card.at(1)}: freedoms {digits!r:.20}, not digits 1 to 6")
            self.deck.held.setdefault(node, set()).update(map(int, digits))

    def section(self, word: str, card: Card) -> Section:
        deck, name = self.deck, card.at(1)
        if card.at(2) not in self.materials:
            raise deck.fail(f"{word} {name}: there is no MAT1 {card.at(2)!r:.20}")
        material = deck.material(card.at(2), self.constants(self.materials[card.at(2)]))
        if word in ("PBARL", "PBEAML"):
            shape, count = SHAPES.get(card.at(4).upper(), ("", 0))
            if not shape:
                raise deck.fail(f"{word} {name}: type {card.at(4)!r:.20}; this reads {', '.join(SHAPES)}")
            sizes = [self.number(card, 9 + k) for k in range(count)]
            if card.at(9 + count) and self.number(card, 9 + count):
                deck.left_out[f"{word} {name}: what follows its dimensions (mass, other stations)"] += 1
            return deck.section(name, shape, sizes[::-1] if shape == "rectangle" else sizes, material)
        if word == "PBAR":
            area, I1, I2, J = (self.number(card, k, 0.0) for k in (3, 4, 5, 6))
            nsm, I12, factors = card.at(7), card.at(19), (card.at(17), card.at(18))
        else:
            area, I1, I2, J = (self.number(card, k, 0.0) for k in (3, 4, 5, 7))
            nsm, I12, factors = card.at(8), card.at(6), ("", "")
            if any(card[9:]):
                deck.left_out[f"PBEAM {name}: what follows end A (other stations, shear factors)"] += 1
        for what, text in (("non-structural mass", nsm), ("I12", I12)):
            if text and deck.number(text, f"{word} {name}"):
                deck.left_out[f"{word} {name}: {what}"] += 1
        if not all(factors):
            deck.left_out[f"{word} {name}: no shear factors, so that Nastran leaves shear out; here it is G A"] += 1
        shear = tuple(deck.number(text, f"{word} {name}") if text else 1.0 for text in factors)
        return deck.of_moments(name, area, (I1, I2, J), material, (shear[0], shear[1]))

    def constants(self, card: Card) -> dict[str, float]:
        names = {"E": 2, "G": 3, "nu": 4, "rho": 5}
        found = {key: self.number(card, place) for key, place in names.items() if card.at(place)}
        found["rho"] = self.weight * found.get("rho", 0.0)
        if "E" in found and "G" in found:
            found.pop("nu", None)
        elif "G" in found and "nu" in found:
            found["E"] = 2.0 * found["G"] * (1.0 + found["nu"])
        return found

    def bar(self, card: Card) -> None:
        deck, number = self.deck, self.deck.whole(card.at(1), card[0])
        a, b = self.node(card, 3), self.node(card, 4)
        if card.at(5) and "." not in card.at(5) and not card.at(6) and not card.at(7):
            towards = deck.nodes.get(self.node(card, 5))
            if towards is None or a not in deck.nodes:
                raise deck.fail(f"{card[0]} {number}: node {card.at(5)} of its orientation is not there")
            y = towards - deck.nodes[a]
        else:
            y = np.array([self.number(card, k, 0.0) for k in (5, 6, 7)])
        for what, places in (("releases (PA, PB)", (9, 10)), ("offsets (W1A ...)", range(11, 17))):
            if any(card.at(k) and deck.number(card.at(k), f"{card[0]} {number}") for k in places):
                raise deck.fail(f"{card[0]} {number}: {what} are not read")
        if card.at(2) not in deck.sections:
            raise deck.fail(f"{card[0]} {number}: there is no PBAR, PBARL, PBEAM or PBEAML {card.at(2)!r:.20}")
        deck.pieces.append(Piece(number, a, b, card.at(2), (float(y[0]), float(y[1]), float(y[2]))))

    def mass(self, card: Card) -> None:
        self.basic(card, 3)
        if any(card.at(k) and self.number(card, k) for k in (5, 6, 7)):
            raise self.deck.fail(f"CONM2 {card.at(1)}: an offset of its mass is not read")
        xx, xy, yy, xz, yz, zz = (self.number(card, k, 0.0) for k in range(9, 15))
        units = self.deck.units
        unit = self.weight * units.mass
        inertia = unit * units.length**2 * np.array([[xx, -xy, -xz], [-xy, yy, -yz], [-xz, -yz, zz]])
        self.deck.masses.append((self.node(card, 2), unit * self.number(card, 4), inertia))

    def support(self, card: Card) -> None:
        self.numbered.setdefault("SPC", set()).add(card.at(1))
        if card[0] == "SPC":
            for k in (2, 5):
                if card.at(k):
                    if card.at(k + 2) and self.number(card, k + 2):
                        raise self.deck.fail(f"SPC {card.at(1)}: a support that is moved is not read")
                    self.hold(self.node(card, k), card.at(k + 1), card)
            return
        words = [word for word in card[3:] if word]
        if len(words) == 3 and words[1].upper() == "THRU":
            first, last = (self.deck.whole(words[k], "SPC1") for k in (0, 2))
            nodes = [node for node in self.deck.nodes if first <= node <= last]
        else:
            nodes = [self.deck.whole(word, "SPC1") for word in words]
        for node in nodes:
            self.hold(node, card.at(2), card)

    def load(self, card: Card) -> None:
        self.numbered.setdefault("FORCE", set()).add(card.at(1))
        self.basic(card, 3)
        size, first = self.number(card, 4), 1 if card[0] == "FORCE" else 4
        for k in range(3):
            self.deck.load(self.node(card, 2), first + k, size * self.number(card, 5 + k, 0.0))

    def gravity(self, card: Card) -> None:
        self.numbered.setdefault("GRAV", set()).add(card.at(1))
        self.basic(card, 2)
        way = np.array([self.number(card, k, 0.0) for k in (4, 5, 6)])
        self.deck.gravity = self.deck.gravity + self.deck.units.length * self.number(card, 3) * way


def _cards(deck: Deck, lines: list[str]) -> Iterator[Card]:
    """Yield the cards of the bulk data, continuations joined: eight fields of data a line."""
    begin = next((k + 1 for k, line in enumerate(lines) if line.strip().upper().startswith("BEGIN BULK")), 0)
    card: Card | None = None
    for line in lines[begin:]:
        text = line.split("$")[0].rstrip()
        if not text:
            continue
        if text.strip().upper().startswith("INCLUDE"):
            raise deck.fail("INCLUDE: no other file is opened. Put its content in its place")
        first, data, wide = _fields(text)
        if first.startswith(("+", "*")) or not first:
            if card is None:
                raise deck.fail(f"a continuation without a card: {text.strip()!r:.40}")
            half = wide and len(card) % 8 == 5
            card.extend(["" for _ in range(0 if half else (1 - len(card)) % 8)])
            card.extend(data)
            continue
        if card is not None:
            yield card
        card = Card([first.rstrip("*").upper(), *data])
        if card[0] == "ENDDATA":
            return
    if card is not None:
        yield card


def _fields(text: str) -> tuple[str, list[str], bool]:
    """Return the name of a card, its fields, and whether these are wide."""
    if "," in text:
        words = [word.strip() for word in text.split(",")]
        return words[0], words[1:9], words[0].endswith("*") or words[0].startswith("*")
    text = text.expandtabs(8)
    first = text[:8].strip()
    if first.endswith("*") or first.startswith("*"):
        return first, [text[k : k + 16].strip() for k in range(8, 72, 16)], True
    return first, [text[k : k + 8].strip() for k in range(8, 72, 8)], False
