"""Neglected terms of a method, removed from the model too: if the difference vanishes, they were the cause.

Stiffness is removed by making it a thousand times as large, rotary inertia by making it zero. Linear methods cannot be
switched; their error is estimated from the rotations and the preload of a nonlinear method: theta^2, and N L^2 / (pi^2
EI) of a frequency or a deflection.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import pliant as pl
from pliant.model import Model, Profile, Section
from pliant.model.copies import copy_part, marker_on
from pliant.results.result import Result
from pliant.system.samples import Samples

STIFF = 1e3
SMALL_ROTATIONS = "large rotations"
SWITCHES: dict[str, Callable[[Section], dict[str, Any]]] = {
    "shear": lambda s: {
        "shear_stiffness": STIFF * s.shear_stiffness,
        "shear_stiffness_z": s.shear_stiffness_z and STIFF * s.shear_stiffness_z,
    },
    "extension": lambda s: {"axial_stiffness": STIFF * s.axial_stiffness},
    "rotary inertia": lambda s: {"rotary_inertia": 0.0, "rotary_inertia_y": 0.0, "inertia_matrix": None},
}


@dataclass(frozen=True)
class Without(Profile):
    """A varying section, without some of its properties."""

    section: Profile
    neglected: tuple[str, ...]

    @property
    def places(self) -> Any:  # type: ignore[override]
        """Return the places of the section itself."""
        return self.section.places

    def at(self, s: float) -> Section:
        """Return the section at s."""
        return plain_section(self.section.at(s), self.neglected)


def plain_section(section: Section, neglected: tuple[str, ...]) -> Section:
    """Return a section without shear, extension or rotary inertia.

    >>> strip = pl.Section.rectangle(0.02, 0.001, pl.STEEL)
    >>> plain_section(strip, ("rotary inertia",)).rotary_inertia
    0.0
    """
    changes: dict[str, Any] = {}
    for word in neglected:
        changes |= SWITCHES[word](section)
    return replace(section, **changes)


def switchable(model: Model, neglected: tuple[str, ...]) -> bool:
    """Return whether all neglected terms can be removed from the beams of a model."""
    coupled = any(each.stiffness_matrix is not None for beam in model.beams for each in beam.section.ends)
    return bool(neglected) and not coupled and all(word in SWITCHES for word in neglected)


def without(model: Model, neglected: tuple[str, ...]) -> Model:
    """Return the model with beams without the neglected terms."""
    twin, known = Model(model.name, plane=model.plane), dict[Any, Any]()
    for part in model:
        changed = {}
        if isinstance(part, pl.Beam):
            section = part.section
            plain = isinstance(section, Section)
            changed = {"section": plain_section(section, neglected) if plain else Without(section, neglected)}
        known[part] = twin.add(copy_part(part, known, **changed))
    for marker in model.watched:
        twin.add(marker_on(marker, known))
    return twin


def smallness(model: Model, result: Result) -> tuple[float, float]:
    """Return the largest rotation of a beam from its assembled pose (rad), and the largest share of an axial force in N
    = pi^2 EI / L^2, in a result of the formulation "dae".
    """
    system = pl.compile(model).observed
    start = system.start()
    observer = system.observer()
    rest = observer.labelled(*observer.moving(Samples.of(start), start))
    return _rotation(_beams(result.data), _beams(rest)), _preload(model, result)


def _beams(data: Any) -> dict[str, np.ndarray]:
    """Return (instants, 2, axes) unit vectors along the first and last piece of every beam."""
    shape, parts, kinds = (data[name].values for name in ("shape", "part", "part_kind"))
    found = {}
    for name in dict.fromkeys(parts[kinds == "beam"].tolist()):
        line = shape[..., (parts == name) & (kinds == "beam"), :]
        pieces = np.stack([line[..., 1, :] - line[..., 0, :], line[..., -1, :] - line[..., -2, :]], axis=-2)
        found[name] = pieces / np.linalg.norm(pieces, axis=-1, keepdims=True)
    return found


def _rotation(now: dict[str, np.ndarray], rest: dict[str, np.ndarray]) -> float:
    """Return the largest angle between corresponding pieces."""
    least = min((float(np.min(np.sum(now[name] * rest[name], axis=-1))) for name in now), default=1.0)
    return float(np.arccos(np.clip(least, -1.0, 1.0)))


def _preload(model: Model, result: Result) -> float:
    force = result.data["resultant"].sel(component="N")
    share = 0.0
    for beam in model.beams:
        stiffness = min(each.bending_stiffness for each in beam.section.ends)
        own = np.abs(force.values[..., force["beam"].values == beam.name])
        share = max(share, float(np.max(own, initial=0.0)) * beam.length**2 / (np.pi**2 * stiffness))
    return share
