"""Results of rods between their nodes, in the plane and in space."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pliant.system.observation.observer import Observer, Variables
from pliant.system.samples import Samples


@dataclass(frozen=True)
class Inside:
    """Places and resultants inside the rods at several instants."""

    place: np.ndarray  # (times, places, axes)
    resultant: np.ndarray  # (times, places, components)


@dataclass
class InnerObserver(Observer):
    """Observer of nodes, joints and forces that also shows rods at places between their nodes."""

    @abstractmethod
    def shown(self, mesh: Any) -> list[np.ndarray]:
        """Return the places s at which each subinterval of a rod is shown, its ends among them."""

    @abstractmethod
    def inside(self, samples: Samples) -> Inside:
        """Return the state inside the rods: as stored, or as at rest."""

    def knows_inside(self, samples: Samples) -> bool:
        """Return whether the insides of rods are known."""
        return True

    @cached_property
    def _places(self) -> tuple[list[str], np.ndarray, np.ndarray]:
        """Beams, places s along them and nodes at the base of the subinterval, for all places shown inside rods."""
        meshes = self.system.layout.beams
        shown = [(mesh, k, s) for mesh in meshes for k, s in enumerate(self.shown(mesh))]
        beams = [mesh.beam.name for mesh, _, s in shown for _ in s]
        return (
            beams,
            np.concatenate([s for *_, s in shown]),
            np.array([mesh.nodes[k] for mesh, k, s in shown for _ in s]),
        )

    def values(self, variable: str, samples: Any, u: np.ndarray) -> np.ndarray:
        """Return the values of a variable; resultants of rods at rest."""
        if variable != "resultant":
            return super().values(variable, samples, u)
        still = np.zeros_like(samples.q)
        return self._resultants(Samples(samples.time, samples.q, still, still, samples.lam, signals=np.atleast_2d(u)))

    def sections(self) -> tuple[list[str], np.ndarray]:
        """Return beams and places of all sections, in the order of the values of "resultant"."""
        return self._places[:2]

    def configurations(self, samples: Samples, lead: str) -> tuple[Variables, Variables]:
        """Return the configurations, with the shape of rods between their nodes."""
        variables, coords = super().configurations(samples, lead)
        if not self.knows_inside(samples):
            return variables, coords
        parts, kinds, s = (np.array(coords[name][1]) for name in ("part", "part_kind", "s"))
        places, where, _ = self._places
        beams, between = np.array(places)[self._once], where[self._once]
        nodes = self.labels.stations[0]
        variables["shape"] = lambda: (
            (lead, "station", "axis"),
            self._spliced(nodes.position(samples.q), self.inside(samples).place, 1),
        )
        owners, where = self._spliced(parts, beams).tolist(), self._spliced(s, between).tolist()
        kinds = self._spliced(kinds, np.full(beams.size, "beam")).tolist()
        coords.update({"part": ("station", owners), "part_kind": ("station", kinds), "s": ("station", where)})
        variables["strain_per_resultant"] = lambda: self._strains_per_resultant(owners, where)
        return variables, coords

    @cached_property
    def _once(self) -> np.ndarray:
        """Numbers of the places that are shown: one end if two subintervals meet."""
        where = self._places[1]
        return np.flatnonzero(np.append(True, np.diff(where) != 0.0))

    def _spliced(self, outer: np.ndarray, inner: np.ndarray, axis: int = 0) -> np.ndarray:
        """Return values of all stations, with values inside rods instead of values at nodes of beams."""
        first, last = np.flatnonzero(np.array(self.labels.coords["part_kind"][1]) == "beam")[[0, -1]]
        before, after = np.split(outer, [first, last + 1], axis=axis)[::2]
        inner = inner if inner.shape[axis] == self._once.size else np.take(inner, self._once, axis=axis)
        return np.concatenate([before, inner, after], axis=axis)

    def _resultants(self, samples: Samples) -> np.ndarray:
        return self.inside(samples).resultant if self.knows_inside(samples) else super()._resultants(samples)

    def largest_resultants(self, samples: Samples) -> np.ndarray:
        """Return (sections, components) magnitudes of the largest section resultants."""
        if not self.knows_inside(samples):
            return super().largest_resultants(samples)
        return np.asarray(np.max(np.abs(self._resultants(samples)), axis=0, initial=0.0))

    def _sections_of(self, samples: Samples) -> tuple[list[str], np.ndarray]:
        return self._places[:2] if self.knows_inside(samples) else super()._sections_of(samples)
