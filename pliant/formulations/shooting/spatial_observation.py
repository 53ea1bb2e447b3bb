"""What results show of rods in space: energies, momenta, shape and section forces from what a motion keeps of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pliant.elements.rod_ivp.moving import SEEN
from pliant.elements.rod_ivp.spatial import MOMENTUM
from pliant.system.build import pack_families, with_arrays
from pliant.system.observation import Observer
from pliant.system.samples import Samples

FAMILY = "rod_ivp_spatial"


def interior_of(sums: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """What is kept of the rods at every instant: kinetic and potential energy, momenta, what is shown of all places."""
    return np.hstack([sums[:, :2], sums[:, MOMENTUM:], seen.reshape(len(sums), -1)])


@dataclass
class SpatialRodObserver(Observer):
    """As always; in motion the energies, momenta and section forces of rods are those that were kept of them."""

    @cached_property
    def _others(self) -> Observer:
        """Of everything but the rods."""
        arrays = pack_families(self.system.layout)[0]
        return Observer(with_arrays(self.system, {name: part for name, part in arrays.items() if name != FAMILY}))

    def _stored(self, samples: Samples, u: np.ndarray) -> np.ndarray:
        kept = samples.interior
        return super()._stored(samples, u) if kept is None else self._others._stored(samples, u) + kept[:, :2]

    def _momentum(self, samples: Samples, u: np.ndarray) -> np.ndarray:
        kept = samples.interior
        return super()._momentum(samples, u) if kept is None else self._others._momentum(samples, u) + kept[:, 2:8]

    def _resultants(self, samples: Samples) -> np.ndarray:
        if samples.interior is None:
            return super()._resultants(samples)
        seen = samples.interior[:, 8:].reshape(len(samples.interior), -1, SEEN)
        return np.asarray(seen[:, :, 3:])
