"""What results show of rods: energies, momenta and section forces from what a motion keeps of their insides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pliant.system.observation import Observer
from pliant.system.samples import Samples


@dataclass(frozen=True)
class Inside:
    """What is inside the rods at several instants."""

    energy: np.ndarray  # (times, 2) kinetic, potential
    momentum: np.ndarray  # (times, 3)
    resultant: np.ndarray  # (times, sections, 3) N, V, M
    beams: list[str]
    s: np.ndarray


def told(sums: np.ndarray, section: np.ndarray) -> np.ndarray:
    """What is kept of the rods at every instant: kinetic and potential energy, momenta, forces at all ends."""
    return np.hstack([sums[:, :2], sums[:, 4:], section.reshape(len(sums), -1)])


@dataclass
class RodObserver(Observer):
    """Nodes, joints and forces as always; to their energies and momenta those inside the rods are added."""

    def inside(self, samples: Samples) -> Inside | None:
        """What is inside the rods; None where nothing was kept of it."""
        if samples.interior is None:
            return None
        q, interior = samples.q, samples.interior
        meshes = self.system.layout.beams
        starts = np.concatenate([mesh.connectivity for mesh in meshes])
        force = interior[:, 5:].reshape(len(q), -1, 2, 3)
        angle = q[:, 3 * starts + 2]
        c, s = np.cos(angle), np.sin(angle)
        h, v, m = np.moveaxis(force, 3, 0)
        values = np.stack([h * c + v * s, v * c - h * s, m], axis=-1)
        beams = [mesh.beam.name for mesh in meshes for _ in range(2 * len(mesh.connectivity))]
        where = [np.stack([mesh.s[:-1], mesh.s[1:]], axis=1).ravel() for mesh in meshes]
        return Inside(interior[:, :2], interior[:, 2:5], values.reshape(len(q), -1, 3), beams, np.concatenate(where))

    def _stored(self, samples: Samples, u: np.ndarray) -> np.ndarray:
        inside = self.inside(samples)
        return super()._stored(samples, u) + (0.0 if inside is None else inside.energy)

    def _momentum(self, samples: Samples, u: np.ndarray) -> np.ndarray:
        inside = self.inside(samples)
        return super()._momentum(samples, u) + (0.0 if inside is None else inside.momentum)

    def _resultants(self, samples: Samples) -> tuple[np.ndarray, list[str], np.ndarray]:
        inside = self.inside(samples)
        return super()._resultants(samples) if inside is None else (inside.resultant, inside.beams, inside.s)
