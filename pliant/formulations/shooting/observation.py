"""Results of rods: energies, momenta, shape and section forces from the stored data of a motion."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pliant.elements.rod_ivp.march import SEEN
from pliant.errors import OptionError
from pliant.formulations.shooting.inner_observer import InnerObserver, Inside
from pliant.formulations.shooting.rods import shown
from pliant.system.observation.observer import Variables
from pliant.system.samples import Samples
from pliant.system.state import State


def interior_of(sums: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """Return the stored data of the rods at every instant: energies, momenta, data of shown places."""
    return np.hstack([sums[:, :2], sums[:, 4:], seen.reshape(len(sums), -1)])


@dataclass
class RodObserver(InnerObserver):
    """Observer that adds energies and momenta inside rods, and shows rods at the ends of all their steps."""

    _found: tuple[bytes, np.ndarray | None] = (b"", None)
    _known_interior: tuple[bytes, np.ndarray | None] = (b"", None)  # a configuration, and the rod data of its state

    def shown(self, mesh: Any) -> list[np.ndarray]:
        """Return the places s at which each subinterval of a rod is shown."""
        return shown(mesh)

    def moving(self, samples: Samples, state: State) -> tuple[Variables, Variables]:
        """Return the variables of moving parts, computed at once; store the rod data of the state up to the next."""
        self._known_interior = state.q.tobytes(), state.interior
        variables, coords = super().moving(samples, state)
        return dict(variables), coords

    def _state(self, samples: Samples, k: int) -> State:
        """Return one of several states, with the stored data of its rods."""
        interior = self._known_interior[1] if self._known_interior[0] == samples.q[k].tobytes() else None
        return replace(samples.state(k), interior=interior)

    def knows_inside(self, samples: Samples) -> bool:
        """Return False if rods move and no data were stored."""
        return samples.interior is not None or not np.any(samples.v)

    def inside(self, samples: Samples) -> Inside:
        """Return the state inside the rods: as stored, or as at rest."""
        count = len(samples.q)
        seen = self._kept(samples)[:, 5:].reshape(count, -1, SEEN)
        x, y, angle = np.moveaxis(samples.q.reshape(count, -1, 3)[:, self._places[2]], 2, 0)
        c, s = np.cos(angle), np.sin(angle)
        place = np.stack([x + c * seen[..., 0] - s * seen[..., 1], y + s * seen[..., 0] + c * seen[..., 1]], axis=-1)
        return Inside(place, seen[..., 2:])

    def _kept(self, samples: Samples) -> np.ndarray:
        """Return the stored data of the rods, or data of rods at rest, computed once for equal samples."""
        from pliant.formulations.shooting.rod_outputs import shown as found

        if samples.interior is not None:
            return samples.interior
        key = samples.q.tobytes()
        if self._found[0] != key:
            system: Any = self.system
            states = [self._state(samples, k) for k in range(len(samples.q))]
            self._found = key, found(system, states, self._signals(samples))
        return np.asarray(self._found[1])

    def configurations(self, samples: Samples, lead: str) -> tuple[Variables, Variables]:
        """Return the configurations, with insides of rods computed while the rod data of the state are available."""
        if self.knows_inside(samples):
            self._kept(samples)
        return super().configurations(samples, lead)

    def section(self, beam: str, s: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Raise an error: forces inside rods depend on their vibration there."""
        raise OptionError(
            f"outputs: resultants and strains of beam {beam!r} are not outputs in the formulation 'shooting'. Measure "
            "angles, positions, tensions and reactions, or compile with formulation='dae'."
        )

    def moves(self, states: Samples, coordinates: np.ndarray, squares: np.ndarray) -> np.ndarray:
        """Return the displacements in modes, with displacements of rods between their nodes."""
        from pliant.formulations.shooting import linear

        system: Any = self.system
        inner, rests = np.zeros((len(squares), self._places[1].size, 2)), {}
        for k, u in enumerate(self._signals(states)):
            key = states.q[k].tobytes()
            if key not in rests:
                rests[key] = linear.resting(system, self._state(states, k), u)
            inner[k] = linear.moves(rests[key], coordinates[k], float(squares[k]))
        return self._spliced(super().moves(states, coordinates, squares), inner, 1)

    def _stored(self, samples: Samples, u: np.ndarray) -> np.ndarray:
        known = self.knows_inside(samples)
        return super()._stored(samples, u) + (self._kept(samples)[:, :2] if known else 0.0)

    def _momentum(self, samples: Samples, u: np.ndarray) -> np.ndarray:
        known = self.knows_inside(samples)
        return super()._momentum(samples, u) + (self._kept(samples)[:, 2:5] if known else 0.0)
