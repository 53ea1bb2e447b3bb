"""Data of the rods between their nodes in a state, as one row of numbers that results can store."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pliant.elements.rod_ivp.slope import KEPT
from pliant.formulations.shooting.adaptive import carry
from pliant.formulations.shooting.system import Shooting


@dataclass
class Interior:
    """Base forces of the subintervals; position, velocity, acceleration and averaged acceleration of all stations
    (x, y, psi, strains).
    """

    force: np.ndarray
    position: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    averaged: np.ndarray

    def row(self, system: Shooting) -> np.ndarray:
        """Return the data as one row, with their grid."""
        counts = np.array([ends.size for ends in system.grid], float)
        arrays = (counts, *system.grid, self.force, *self.stations())
        return np.concatenate([array.ravel() for array in arrays])

    def on(self, old: Shooting, new: Shooting) -> Interior:
        """Return the data on another grid."""
        return Interior(self.force, *(carry(old, new, values) for values in self.stations()))

    def stations(self) -> tuple[np.ndarray, ...]:
        """Return the data at stations."""
        return self.position, self.velocity, self.acceleration, self.averaged


def read(system: Shooting, row: np.ndarray | None) -> tuple[Shooting, Interior] | None:
    """Return the system on the grid of a row, and the row's data; None without a row, or for other rods."""
    count = system.rods.rod.size
    if row is None or row.size < count:
        return None
    counts = row[:count].astype(int)
    edges = count + np.concatenate([[0], np.cumsum(counts)])
    if np.any(counts < 2) or edges[-1] > row.size:
        return None
    grid = tuple(row[a:b].copy() for a, b in zip(edges, edges[1:], strict=False))
    same = len(grid) == len(system.grid) and all(map(np.array_equal, grid, system.grid))
    there = system if same else system.with_grid(grid)
    stations = there.rods.section.shape[0]
    if row.size != edges[-1] + 3 * count + 4 * KEPT * stations:
        return None
    force = row[edges[-1] : edges[-1] + 3 * count].reshape(count, 3)
    fields = row[edges[-1] + 3 * count :].reshape(4, stations, KEPT)
    return there, Interior(force.copy(), *(values.copy() for values in fields))
