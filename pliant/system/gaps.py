"""Contacts and stops of a system as unilateral conditions: where they are, their friction and restitution."""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant.kernels.sums import Instant
from pliant.system import catalogue, fused
from pliant.system.build import AnySystem, pack_families, repack
from pliant.system.system import System

CLOSE = 1e-10  # a gap of so many lengths of the model is closed, whatever rounding says
WIDTH = 12  # freedoms of a place, at most
COLUMNS = 1 + 3 * WIDTH  # of what the kernel ``openings`` tells: a gap, its rate and two of sliding


def hard(system: AnySystem) -> AnySystem:
    """The system whose contacts and stops push with no force of their own: they are conditions instead."""
    arrays, _ = pack_families(system.layout)
    for name in arrays.keys() & set(catalogue.having("touching")):
        arrays[name] = arrays[name]._replace(law=np.zeros_like(arrays[name].law))
    return repack(system, arrays)


class Gaps:
    """All places where a system may touch: balls of contacts, ends of stops."""

    def __init__(self, system: System) -> None:
        layout = system.layout
        self.system, self.closeness = system, CLOSE * system.length_scale
        known = catalogue.having("openings")
        names = [name for name in known if catalogue.lives_in(name, layout)]
        arrays = {name: catalogue.of(name).pack(layout) for name in names}
        self.parts = [part for name in names for part in catalogue.touches(name, layout)]
        owners, dofs, first, counts = [], [np.zeros((0, WIDTH), int)], 0, dict.fromkeys(known, 0)
        for name, own in arrays.items():
            owners.append(own.owner.astype(int) + first)
            first += len(catalogue.touches(name, layout))
            counts[name], width = own.dofs.shape
            dofs.append(np.pad(own.dofs.astype(int), ((0, 0), (0, WIDTH - width)), constant_values=system.freedoms))
        self.starts = np.cumsum([0, *counts.values()])
        self.dofs = np.concatenate(dofs)
        self.owner = np.concatenate([np.empty(0, int), *owners])
        self.across = np.array([own.dofs.shape[1] // 2 for own in arrays.values() for _ in own.dofs], int)
        self.friction = np.array([float(getattr(self.parts[k], "friction", 0.0)) for k in self.owner])
        self.restitution = np.array([float(self.parts[k].restitution) for k in self.owner])
        fused.prepare(system.equations.parts, ("openings",))

    def found(self, q: np.ndarray) -> np.ndarray:
        """Gaps of all places."""
        out, still = np.zeros((self.owner.size, COLUMNS)), np.zeros(self.system.size)
        u = np.zeros(len(self.system.layout.signals))
        fused.openings(self.system.equations.parts, Instant(q, still, still, u), self.starts, out)
        return out[:, 0]


def deepest(system: System, q: np.ndarray) -> tuple[Any, float]:
    """The contact or stop that is furthest inside its surface, and its gap; (None, inf) if there is none."""
    if not any(force.unilateral for force in system.model.forces):
        return None, np.inf
    gaps = Gaps(system)
    found = gaps.found(q)
    k = int(np.argmin(found))
    return gaps.parts[gaps.owner[k]], float(found[k])
