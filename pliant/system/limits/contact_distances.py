"""Contacts and stops of a system as unilateral conditions: gaps, friction and restitution."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.kernels.contact_gaps import GAP, OUT, OWNER, WHO
from pliant.system.capabilities import HasEquations, can
from pliant.system.packing import catalogue, fused

if TYPE_CHECKING:
    from pliant.system.system import System

CLOSE = 1e-10  # of the model's length: a smaller gap is closed, despite rounding
ROWS = 64  # initial number
NO_WAYS = np.empty((0, 0))
PASSED = 0.25  # of the smaller radius: a larger depth between two instants means a passage
DEEPER = 1.0  # of the smaller radius: more than a step of an equilibrium deepens it


class Gaps:
    """All places where a system may touch: balls of contacts, ends of stops, colliding shapes."""

    def __init__(self, system: System) -> None:
        layout, arrays = system.layout, fused.present(system.equations.parts)
        self.system, self.closeness = system, CLOSE * system.length_scale
        touching = {name: catalogue.of(name) for name in catalogue.having("openings", layout)}
        parts = {name: family.touches(layout) for name, family in touching.items()}
        places = {name: family.places(arrays[name]) for name, family in touching.items() if name in arrays}
        self.parts: list[Any] = [part for each in parts.values() for part in each]
        self.starts = catalogue.starts(places)
        self.firsts = catalogue.starts({name: len(each) for name, each in parts.items()})
        self.friction = np.array([float(getattr(part, "friction", 0.0)) for part in self.parts])
        self.restitution = np.array([float(part.restitution) for part in self.parts])
        fused.prepare(system.equations.parts, ("openings",))

    @property
    def places(self) -> int:
        """Number of places."""
        return int(self.starts[-1])

    def near(self, q: np.ndarray, close: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows (kernels/contact_gaps.py) of the places whose gap is at most ``close``."""
        rows = ROWS
        while True:
            who, out = np.zeros((rows, WHO), np.int64), np.zeros((rows, OUT))
            found = fused.openings(self.system.equations.parts, q, close, self.starts, self.firsts, who, out)
            if found <= rows:
                return who[:found], out[:found]
            rows = found

    def closed(self, q: np.ndarray, close: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """Return owners and gaps of the places whose gap is at most ``close``."""
        who, out = self.near(q, close)
        return who[:, OWNER], out[:, GAP]

    def pressed(self, place: int, q: np.ndarray) -> tuple[float, float]:
        """Return the normal force of a place at rest, for its friction, and its derivative by the depth (N/m)."""
        number = int(np.searchsorted(self.starts, place, side="right")) - 1
        name = catalogue.families()[number]
        arrays = fused.family(self.system.equations.parts, name)
        force, stiffness = catalogue.of(name).pressed(arrays, int(place - self.starts[number]), q)
        return float(force), float(stiffness)


def closed(system: System, q: np.ndarray) -> np.ndarray:
    """Return the sorted numbers of the contacts and stops that are closed in a configuration, one for each place."""
    return np.sort(Gaps(system).closed(q)[0])


def deepest(system: System, q: np.ndarray) -> tuple[Any, float]:
    """Return the contact or stop that is deepest inside its surface, and its gap; (None, inf) without contact."""
    if not any(force.unilateral for force in system.model.forces):
        return None, np.inf
    gaps = Gaps(system)
    owners, found = gaps.closed(q)
    if not found.size:
        return None, np.inf
    k = int(np.argmin(found))
    return gaps.parts[owners[k]], float(found[k])


class Depths:
    """Largest penetration of colliding shapes, or of balls and rings, relative to its scale: at the configurations
    given, and in addition between them.
    """

    def __init__(self, system: System) -> None:
        self._families = []
        for name in catalogue.having("passed", system.layout):
            family = catalogue.of(name)
            parts = family.touches(system.layout)
            if any(part.thin for part in parts):
                arrays = fused.family(system.equations.parts, name)
                self._families.append((family.passed, arrays, parts, np.zeros((len(parts), 2))))

    def __bool__(self) -> bool:
        """Return whether there are such shapes."""
        return bool(self._families)

    def look(self, q: np.ndarray, then: np.ndarray, ways: np.ndarray = NO_WAYS) -> None:
        """Evaluate two configurations and the straight way between; with ``ways`` as `forces/collisions/passing.py`."""
        for passed, arrays, _, deep in self._families:
            passed(arrays, q, then, ways, deep)

    def each(self) -> Iterator[tuple[Any, float, float]]:
        """Yield parts with both depths."""
        for _, _, parts, deep in self._families:
            yield from ((part, *found) for part, found in zip(parts, deep.tolist(), strict=True) if part.thin)


def depths(system: System) -> Depths:
    """Return an empty record of the depths of shapes in each other."""
    return Depths(system)


def pass_through(system: Any, q: np.ndarray, then: np.ndarray) -> bool:
    """Return whether shapes pass through each other on the straight way between two configurations, or come to rest in
    the middle of each other, where no force pushes them apart.
    """
    if not can(system, HasEquations) or not (depths := Depths(system)):
        return False
    depths.look(q, q)
    before = [depth for _, depth, _ in depths.each()]
    depths.look(q, then)
    found = zip(before, depths.each(), strict=True)
    return any(between > PASSED or depth > was + DEEPER for was, (_, depth, between) in found)
