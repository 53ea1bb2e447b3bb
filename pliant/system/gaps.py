"""Contacts and stops of a system as unilateral conditions: gaps, their rates, friction and restitution."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pliant.system import catalogue
from pliant.system.build import AnySystem, pack_families, repack
from pliant.system.system import System

CLOSE = 1e-10  # a gap of so many lengths of the model is closed, whatever rounding says


def hard(system: AnySystem) -> AnySystem:
    """The system whose contacts and stops push with no force of their own: they are conditions instead."""
    arrays, _ = pack_families(system.layout)
    for name in arrays.keys() & set(catalogue.having("touching")):
        arrays[name] = arrays[name]._replace(law=np.zeros_like(arrays[name].law))
    return repack(system, arrays)


class Closed(NamedTuple):
    """Places that touch: their numbers, three rates each by all freedoms, friction, restitution."""

    places: np.ndarray
    rates: np.ndarray  # (3 k, size)
    friction: np.ndarray
    restitution: np.ndarray

    def joined(self, rates: np.ndarray) -> Closed:
        """The same with the speeds of joints that rub after them, three rows each."""
        count = len(rates) // 3
        return Closed(
            self.places,
            np.concatenate([self.rates, rates]),
            np.append(self.friction, np.ones(count)),
            np.append(self.restitution, np.zeros(count)),
        )


class Gaps:
    """All places where a system may touch: balls of contacts, ends of stops."""

    def __init__(self, system: System) -> None:
        layout = system.layout
        self.closeness = CLOSE * system.length_scale
        self.size, self.points = system.size, len(system.space.axes)
        names = [name for name in catalogue.having("touching") if catalogue.lives_in(name, layout)]
        self.families = [(catalogue.of(name), catalogue.of(name).pack(layout)) for name in names]
        self.parts = [part for name in names for part in catalogue.touches(name, layout)]
        owners, first = [], 0
        for name, (_, arrays) in zip(names, self.families, strict=True):
            owners.append(arrays.owner.astype(int) + first)
            first += len(catalogue.touches(name, layout))
        self.owner = np.concatenate([np.empty(0, int), *owners])
        self.friction = np.array([getattr(self.parts[k], "friction", 0.0) for k in self.owner])
        self.restitution = np.array([self.parts[k].restitution for k in self.owner])

    def survey(self, q: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
        """Gaps of all places, and the rates of every family by its own freedoms."""
        gaps, rates, first = np.empty(self.owner.size), [], 0
        for family, arrays in self.families:
            count, width = arrays.dofs.shape
            rows = np.zeros((count, 3, width))
            family.survey(arrays, q, gaps[first : first + count], rows)
            rates.append(rows)
            first += count
        return gaps, rates

    def closed(self, gaps: np.ndarray, rates: list[np.ndarray]) -> Closed:
        """The places whose gap is closed."""
        touching = np.flatnonzero(gaps <= self.closeness)
        full, first = np.zeros((touching.size, 3, self.size)), 0
        for (_, arrays), rows in zip(self.families, rates, strict=True):
            for k, place in enumerate(touching):
                if first <= place < first + len(rows):
                    for i, freedom in enumerate(arrays.dofs[place - first]):
                        full[k, :, freedom] += rows[place - first, :, i]
            first += len(rows)
        flat = full.reshape(-1, self.size)
        return Closed(touching, flat, self.friction[touching], self.restitution[touching])

    def impulses(self, closed: Closed, impulse: np.ndarray, rates: list[np.ndarray]) -> np.ndarray:
        """(parts, 5) of every part the impulse along the normal, and that of friction on b (3); gap left zero."""
        out, first = np.zeros((len(self.parts), 5)), 0
        for (_, arrays), rows in zip(self.families, rates, strict=True):
            across = arrays.dofs.shape[1] // 2
            for k, place in enumerate(closed.places):
                if first <= place < first + len(rows):
                    p, row = impulse[3 * k : 3 * k + 3], rows[place - first]
                    out[self.owner[place], 1] += p[0]
                    out[self.owner[place], 2 : 2 + self.points] += p[1:] @ row[1:, across : across + self.points]
            first += len(rows)
        return out


def deepest(system: System, q: np.ndarray) -> tuple[Any, float]:
    """The contact or stop that is furthest inside its surface, and its gap; (None, inf) if there is none."""
    if not any(force.unilateral for force in system.model.forces):
        return None, np.inf
    gaps = Gaps(system)
    found = gaps.survey(q)[0]
    k = int(np.argmin(found))
    return gaps.parts[gaps.owner[k]], float(found[k])
