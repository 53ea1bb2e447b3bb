"""What results show of rods: energies, momenta, shape and section forces from what a motion keeps of their insides."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pliant.elements.rod_ivp.march import SEEN
from pliant.formulations.shooting.rods import shown
from pliant.system.observation import Observer
from pliant.system.samples import Samples


@dataclass(frozen=True)
class Inside:
    """What is inside the rods at several instants."""

    energy: np.ndarray  # (times, 2) kinetic, potential
    momentum: np.ndarray  # (times, 3)
    place: np.ndarray  # (times, places, 2)
    resultant: np.ndarray  # (times, places, 3) N, V, M


def told(sums: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """What is kept of the rods at every instant: kinetic and potential energy, momenta, what is shown of all places."""
    return np.hstack([sums[:, :2], sums[:, 4:], seen.reshape(len(sums), -1)])


@dataclass
class RodObserver(Observer):
    """Nodes, joints and forces as always; to their energies and momenta those inside the rods are added, and rods are
    shown at the ends of all their steps.
    """

    @cached_property
    def _places(self) -> tuple[list[str], np.ndarray, np.ndarray]:
        """Beams, places s along them and nodes at the base of the subinterval, of everything shown inside rods."""
        meshes = self.system.layout.beams
        beams = [mesh.beam.name for mesh in meshes for s in shown(mesh) for _ in s]
        where = np.concatenate([s for mesh in meshes for s in shown(mesh)])
        nodes = [mesh.nodes[k] for mesh in meshes for k, s in enumerate(shown(mesh)) for _ in s]
        return beams, where, np.array(nodes)

    def inside(self, samples: Samples) -> Inside | None:
        """What is inside the rods; None where nothing was kept of it."""
        if samples.interior is None:
            return None
        count, kept = len(samples.q), samples.interior
        seen = kept[:, 5:].reshape(count, -1, SEEN)
        x, y, angle = np.moveaxis(samples.q.reshape(count, -1, 3)[:, self._places[2]], 2, 0)
        c, s = np.cos(angle), np.sin(angle)
        place = np.stack([x + c * seen[..., 0] - s * seen[..., 1], y + s * seen[..., 0] + c * seen[..., 1]], axis=-1)
        return Inside(kept[:, :2], kept[:, 2:5], place, seen[..., 2:])

    def configurations(self, samples: Samples, lead: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """As always, with the shape of rods between their nodes."""
        variables, coords = super().configurations(samples, lead)
        inside = self.inside(samples)
        if inside is None:
            return variables, coords
        places, where, _ = self._places
        once = np.append(True, (np.diff(where) != 0.0))  # where two subintervals meet, one of their ends
        beams = np.array(places)[once].tolist()
        parts, kinds, s = (np.array(coords[name][1]) for name in ("part", "part_kind", "s"))
        first, last = np.flatnonzero(kinds == "beam")[[0, -1]]
        shape = variables["shape"][1]
        shape = np.concatenate([shape[:, :first], inside.place[:, once], shape[:, last + 1 :]], axis=1)
        variables["shape"] = ((lead, "station", "axis"), shape)

        def spliced(outer: np.ndarray, inner: Any) -> tuple[str, list[Any]]:
            return "station", [*outer[:first].tolist(), *inner, *outer[last + 1 :].tolist()]

        coords |= {
            "part": spliced(parts, beams),
            "part_kind": spliced(kinds, ["beam"] * len(beams)),
            "s": spliced(s, where[once].tolist()),
        }
        variables["strain_per_resultant"] = self._strains_per_resultant(coords["part"][1], coords["s"][1])
        return variables, coords

    def _stored(self, samples: Samples, u: np.ndarray) -> np.ndarray:
        inside = self.inside(samples)
        return super()._stored(samples, u) + (0.0 if inside is None else inside.energy)

    def _momentum(self, samples: Samples, u: np.ndarray) -> np.ndarray:
        inside = self.inside(samples)
        return super()._momentum(samples, u) + (0.0 if inside is None else inside.momentum)

    def _resultants(self, samples: Samples) -> tuple[np.ndarray, list[str], np.ndarray]:
        inside = self.inside(samples)
        return super()._resultants(samples) if inside is None else (inside.resultant, *self._places[:2])
