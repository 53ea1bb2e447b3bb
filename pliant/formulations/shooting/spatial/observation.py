"""Results of rods in space: energies, momenta, shape and section forces from the stored data of a motion, or at rest
between their nodes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from typing import Any

import numpy as np

from pliant.elements.rod_ivp.outputs import look_inside
from pliant.elements.rod_ivp.spatial import MOMENTUM, SEEN, Arrays
from pliant.elements.rod_ivp.stations import subdivisions
from pliant.formulations.shooting.inner_observer import InnerObserver, Inside
from pliant.model import rotations
from pliant.system.observation.observer import Observer
from pliant.system.observation.points import quaternions
from pliant.system.packing.build import pack_families, with_arrays
from pliant.system.samples import Samples

FAMILY = "rod_ivp_spatial"
DENSE = 4  # places shown in every subinterval, at least; and two in every step
SMALL = 1e-4  # of the length scale or rad: a displacement whose square is negligible


def interior_of(sums: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """Return the stored data of the rods at every instant: energies, momenta, data of shown places."""
    return np.hstack([sums[:, :2], sums[:, MOMENTUM:], seen.reshape(len(sums), -1)])


def dense(layout: Any) -> Any:
    """Return a layout with rods whose steps end at the places shown in results."""
    options = {mesh.beam.name: replace(mesh.options, parts=density(mesh) * mesh.options.parts) for mesh in layout.beams}
    return layout.with_options(options)


def density(mesh: Any) -> int:
    """Return the number of places shown in every step of a rod."""
    return max(2, ceil(DENSE / int(np.min(subdivisions(mesh)))))


@dataclass
class SpatialRodObserver(InnerObserver):
    """As always; rods are shown at several places of every step. In motion their energies, momenta and section forces
    are those that were kept of them.
    """

    def shown(self, mesh: Any) -> list[np.ndarray]:
        """Return the places s at which each subinterval of a rod is shown."""
        pieces = zip(mesh.s, mesh.s[1:], density(mesh) * subdivisions(mesh), strict=False)
        return [np.linspace(a, b, n + 1) for a, b, n in pieces]

    @cached_property
    def _others(self) -> Observer:
        """Observer of everything except the rods."""
        arrays = pack_families(self.system.layout)[0]
        return Observer(with_arrays(self.system, {name: part for name, part in arrays.items() if name != FAMILY}))

    @cached_property
    def _rods(self) -> tuple[Arrays, Arrays]:
        """The rods as they are, and with steps that end where they are shown."""
        layout = self.system.layout
        return pack_families(layout)[0][FAMILY], pack_families(dense(layout))[0][FAMILY]

    def inside(self, samples: Samples) -> Inside:
        """Return the state inside the rods: as stored, or as at rest."""
        count, base = len(samples.q), self._places[2]
        if samples.interior is None:
            seen = np.array([self._at_rest(q, u) for q, u in zip(samples.q, self._signals(samples), strict=True)])
        else:
            seen = samples.interior[:, 8:].reshape(count, -1, SEEN)
        return Inside(self._placed(samples.q, base, seen), seen[:, :, 3:])

    def _placed(self, q: np.ndarray, base: np.ndarray, seen: np.ndarray) -> np.ndarray:
        """Return (times, places, 3) places from positions relative to the section at the base."""
        points = q[:, 6 * base[:, None] + np.arange(3)]
        return np.asarray(points + rotations.rotate(quaternions(q)[:, base], seen[:, :, :3]))

    def _at_rest(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Return (places, SEEN) of rods whose nodes are known."""
        seen = np.empty((self._places[1].size, SEEN))
        look_inside(*self._rods, q, u, seen)
        return seen

    def moves(self, states: Samples, coordinates: np.ndarray, squares: np.ndarray) -> np.ndarray:
        """Return the displacements in modes; between nodes rods follow these as at rest, consistent with their mass."""
        inner = np.zeros((len(squares), self._places[1].size, 3))
        for k, u in enumerate(self._signals(states)):
            q, move = states.q[k], coordinates[k][: self.system.freedoms]
            size = SMALL / max(float(np.max(np.abs(move) * self.system.weight, initial=0.0)), 1e-300)
            there, back = (
                self._placed(moved[None], self._places[2], self._at_rest(moved, u)[None])[0]
                for moved in (self.system.moved(q, size * move), self.system.moved(q, -size * move))
            )
            inner[k] = (there - back) / (2.0 * size)
        return self._spliced(super().moves(states, coordinates, squares), inner, 1)

    def _stored(self, samples: Samples, u: np.ndarray) -> np.ndarray:
        kept = samples.interior
        return super()._stored(samples, u) if kept is None else self._others._stored(samples, u) + kept[:, :2]

    def _momentum(self, samples: Samples, u: np.ndarray) -> np.ndarray:
        kept = samples.interior
        return super()._momentum(samples, u) if kept is None else self._others._momentum(samples, u) + kept[:, 2:8]
