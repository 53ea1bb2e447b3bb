"""What results show of rods: energies, momenta, shape and section forces from what a motion keeps of their insides."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from pliant.elements.rod_ivp.march import SEEN
from pliant.errors import OptionError
from pliant.formulations.shooting.rods import shown
from pliant.system.observation import Observer, Variables
from pliant.system.samples import Samples
from pliant.system.state import State


@dataclass(frozen=True)
class Inside:
    """What is inside the rods at several instants."""

    energy: np.ndarray  # (times, 2) kinetic, potential
    momentum: np.ndarray  # (times, 3)
    place: np.ndarray  # (times, places, 2)
    resultant: np.ndarray  # (times, places, 3) N, V, M


def interior_of(sums: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """What is kept of the rods at every instant: kinetic and potential energy, momenta, what is shown of all places."""
    return np.hstack([sums[:, :2], sums[:, 4:], seen.reshape(len(sums), -1)])


@dataclass
class RodObserver(Observer):
    """Nodes, joints and forces as always; to their energies and momenta those inside the rods are added, and rods are
    shown at the ends of all their steps.
    """

    _found: tuple[bytes, np.ndarray | None] = (b"", None)
    _told: tuple[bytes, np.ndarray | None] = (b"", None)  # a configuration, and what its state tells of the rods

    def moving(self, samples: Samples, state: State) -> tuple[Variables, dict[str, Any]]:
        """As always, computed at once: what the state tells of the rods is remembered up to the next."""
        self._told = state.q.tobytes(), state.interior
        variables, coords = super().moving(samples, state)
        return dict(variables), coords

    def _state(self, samples: Samples, k: int) -> State:
        """One of several states, with what was told of its rods."""
        told = self._told[1] if self._told[0] == samples.q[k].tobytes() else None
        return replace(samples.state(k), interior=told)

    @cached_property
    def _places(self) -> tuple[list[str], np.ndarray, np.ndarray]:
        """Beams, places s along them and nodes at the base of the subinterval, of everything shown inside rods."""
        meshes = self.system.layout.beams
        beams = [mesh.beam.name for mesh in meshes for s in shown(mesh) for _ in s]
        where = np.concatenate([s for mesh in meshes for s in shown(mesh)])
        nodes = [mesh.nodes[k] for mesh in meshes for k, s in enumerate(shown(mesh)) for _ in s]
        return beams, where, np.array(nodes)

    def inside(self, samples: Samples) -> Inside | None:
        """What is inside the rods: as it was kept, or as it is at rest. None where they move and nothing was kept."""
        count, kept = len(samples.q), samples.interior
        if kept is None:
            kept = self._at_rest(samples)
        if kept is None:
            return None
        seen = kept[:, 5:].reshape(count, -1, SEEN)
        x, y, angle = np.moveaxis(samples.q.reshape(count, -1, 3)[:, self._places[2]], 2, 0)
        c, s = np.cos(angle), np.sin(angle)
        place = np.stack([x + c * seen[..., 0] - s * seen[..., 1], y + s * seen[..., 0] + c * seen[..., 1]], axis=-1)
        return Inside(kept[:, :2], kept[:, 2:5], place, seen[..., 2:])

    def _at_rest(self, samples: Samples) -> np.ndarray | None:
        """What is inside rods whose nodes are known, found once for the same samples."""
        from pliant.formulations.shooting.insides import shown as found

        key = samples.q.tobytes()
        if np.any(samples.v):
            return None
        if self._found[0] != key:
            system: Any = self.system
            self._found = (
                key,
                found(system, [self._state(samples, k) for k in range(len(samples.q))], self._signals(samples)),
            )
        return self._found[1]

    def values(self, variable: str, samples: Any, u: np.ndarray) -> np.ndarray:
        """As always; resultants of rods are those at rest."""
        if variable != "resultant":
            return super().values(variable, samples, u)
        still = np.zeros_like(samples.q)
        return self._resultants(Samples(samples.time, samples.q, still, still, samples.lam, signals=u))

    def sections(self) -> tuple[list[str], np.ndarray]:
        """Beams and places of all sections, in the order of the values of "resultant"."""
        return self._places[:2]

    def section(self, beam: str, s: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Refused: forces inside rods depend on how they vibrate there."""
        raise OptionError(
            f"outputs: resultants and strains of beam {beam!r} are not outputs in the formulation 'shooting'. Measure "
            "angles, positions, tensions and reactions, or compile with formulation='dae'."
        )

    def configurations(self, samples: Samples, lead: str) -> tuple[Variables, dict[str, Any]]:
        """As always, with the shape of rods between their nodes."""
        variables, coords = super().configurations(samples, lead)
        inside = self.inside(samples)
        if inside is None:
            return variables, coords
        parts, kinds, s = (np.array(coords[name][1]) for name in ("part", "part_kind", "s"))
        places, where, _ = self._places
        beams, between = np.array(places)[self._once], where[self._once]
        variables["shape"] = ((lead, "station", "axis"), self._spliced(variables["shape"][1], inside.place, 1))
        coords |= {
            "part": ("station", self._spliced(parts, beams).tolist()),
            "part_kind": ("station", self._spliced(kinds, np.full(beams.size, "beam")).tolist()),
            "s": ("station", self._spliced(s, between).tolist()),
        }
        variables["strain_per_resultant"] = self._strains_per_resultant(coords["part"][1], coords["s"][1])
        return variables, coords

    @cached_property
    def _once(self) -> np.ndarray:
        """Which of the places are shown: where two subintervals meet, one of their ends."""
        where = self._places[1]
        return np.flatnonzero(np.append(True, np.diff(where) != 0.0))

    def _spliced(self, outer: np.ndarray, inner: np.ndarray, axis: int = 0) -> np.ndarray:
        """Values of all stations, with those inside rods in place of those of nodes of beams."""
        first, last = np.flatnonzero(np.array(self.labels.coords["part_kind"][1]) == "beam")[[0, -1]]
        before, after = np.split(outer, [first, last + 1], axis=axis)[::2]
        inner = inner if inner.shape[axis] == self._once.size else np.take(inner, self._once, axis=axis)
        return np.concatenate([before, inner, after], axis=axis)

    def moves(self, states: Samples, coordinates: np.ndarray, squares: np.ndarray) -> np.ndarray:
        """As always, and how rods move between their nodes."""
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
        inside = self.inside(samples)
        return super()._stored(samples, u) + (0.0 if inside is None else inside.energy)

    def _momentum(self, samples: Samples, u: np.ndarray) -> np.ndarray:
        inside = self.inside(samples)
        return super()._momentum(samples, u) + (0.0 if inside is None else inside.momentum)

    def _resultants(self, samples: Samples) -> np.ndarray:
        inside = self.inside(samples)
        return super()._resultants(samples) if inside is None else inside.resultant

    def _sections_of(self, samples: Samples) -> tuple[list[str], np.ndarray]:
        return super()._sections_of(samples) if self.inside(samples) is None else self._places[:2]
