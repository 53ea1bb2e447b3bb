"""Largest strains of beams, quickly: one row of factors a section, computed once."""

from __future__ import annotations

import numpy as np

from pliant.elements._fibres import stretches
from pliant.model import Section
from pliant.system.capabilities import HasInverse
from pliant.system.samples import Samples
from pliant.system.state import State


class Strains:
    """Strain at the surface of every beam, ``|e| + |k_y| width/2 + |k_z| height/2``: that at the corner of a rectangle,
    at most 1.41 times too large for a round section. Sections of unknown size count with their middle only. Of those
    with a law of large strains it is that of the fibres.
    """

    def __init__(self, system: HasInverse) -> None:
        self.observer = system.observer()
        self.beams, where = self.observer.sections()
        known, spatial = {beam.name: beam for beam in system.model.beams}, system.space.quaternions
        rows = [_per_force(known[name].section_at(s), spatial) for name, s in zip(self.beams, where, strict=True)]
        self.per_force = np.array(rows).reshape(-1, system.space.width)
        self.laws = {
            k: known[name].section_at(s)
            for k, (name, s) in enumerate(zip(self.beams, where, strict=True))
            if known[name].section.hyperelastic
        }
        self.firsts = [k for k, name in enumerate(self.beams) if k == 0 or name != self.beams[k - 1]]
        self.names = [self.beams[k] for k in self.firsts]

    def largest(self, state: State, u: np.ndarray) -> dict[str, float]:
        """In a state at rest, by the name of the beam."""
        return dict(zip(self.names, self.rows(Samples.of(state), u)[0].tolist(), strict=True))

    def rows(self, samples: Samples, u: np.ndarray) -> np.ndarray:
        """(states, beams) in many states at rest."""
        if not self.per_force.size:
            return np.zeros((len(samples.q), 0))
        return self.under(self.observer.values("resultant", samples, u))

    def under(self, resultants: np.ndarray) -> np.ndarray:
        """(states, beams) under resultants (states, sections, width)."""
        strain = np.einsum("kij,ij->ki", np.abs(resultants), self.per_force)
        for k, section in self.laws.items():
            for row, own in zip(strain, resultants[:, k], strict=True):
                row[k] = stretches(section, own).strain
        return np.maximum.reduceat(strain, self.firsts, axis=1)


def _per_force(section: Section, spatial: bool) -> list[float]:
    """Strain at the surface under unit section resultants; shear and torsion do not count."""
    height, width = section.height or 0.0, section.width or 0.0
    if not spatial:
        return [1.0 / section.axial_stiffness, 0.0, 0.5 * height / section.bending_stiffness]
    stretching, _, _, _, about_y, about_z = np.diag(section.stiffness).tolist()
    return [1.0 / stretching, 0.0, 0.0, 0.0, 0.5 * width / about_y, 0.5 * height / about_z]
