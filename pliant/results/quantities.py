"""What a picture can be coloured by: moments and forces along beams, strain, speed, tension; and forces of joints."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pliant.results.parts import Array
from pliant.results.result import Result
from pliant.results.scene import MAGNITUDES, resultant, resultant_label
from pliant.results.schema import is_spatial

RESULTANTS = {"bending moment": "M", "axial force": "N", "shear force": "V", "torque": "T"}
TENSION = "tension"


@dataclass(frozen=True)
class Quantity:
    """Values (frame, station), NaN off the parts that have it; `signed`: they may be negative."""

    name: str
    units: str
    values: Array
    signed: bool = False

    @property
    def largest(self) -> float:
        """The largest magnitude."""
        return float(np.nanmax(np.abs(self.values), initial=0.0))

    def at(self, values: Array) -> Quantity:
        """The same quantity with other frames."""
        return replace(self, values=values)


def quantities(result: Result) -> dict[str, Quantity]:
    """Those that are not zero throughout, by name; frames as in the result, one if it is at rest."""
    found = [*_resultants(result), _strain(result), _speed(result), _tension(result)]
    return {each.name: each for each in found if each is not None and each.largest > 0.0}


def joint_forces(result: Result) -> tuple[Array, Array] | None:
    """Where joints act and the force on their marker b, both (frame, joint, axis); None if the result has none.

    Motions are left out: their joint shows the force.
    """
    data = result.data
    if not {"reaction", "joint_kind", "joint_marker", "position"} <= set(data.variables):
        return None
    markers, axes = data["marker"].values.tolist(), data.sizes["axis"]
    labels = data["joint_marker"].values.tolist()
    drawn = [k for k, kind in enumerate(data["joint_kind"].values) if kind != "motion" and labels[k] in markers]
    if not drawn:
        return None
    places = _framed(data["position"].values, 3)[:, [markers.index(labels[k]) for k in drawn]]
    return places, _framed(data["reaction"].values, 3)[:, drawn, :axes]


def _framed(values: Array, dimensions: int) -> Array:
    """With a leading frame dimension."""
    return values if values.ndim == dimensions else values[None]


def _resultants(result: Result) -> list[Quantity]:
    if "resultant" not in result.data.variables or result.data.sizes["section"] == 0:
        return []
    known = {*result.data["component"].values.tolist(), *(MAGNITUDES if is_spatial(result.data) else ())}
    return [
        Quantity(
            name,
            resultant_label(result, component)[1],
            along_beams(result, _framed(resultant(result, component).values, 2)),
            component in result.data["component"].values,
        )
        for name, component in RESULTANTS.items()
        if component in known
    ]


def _strain(result: Result) -> Quantity | None:
    """Largest strain at the surface: that of the axial force, and beside it those of the bending moments."""
    if not {"resultant", "strain_per_resultant"} <= set(result.data.variables):
        return None
    strains = np.abs(result.data["resultant"].values * result.data["strain_per_resultant"].values)
    bending = [k for k, name in enumerate(result.data["component"].values) if name[0] == "M"]
    values = strains[..., 0] + strains[..., bending].sum(axis=-1)
    return Quantity("strain", "1", along_beams(result, _framed(values, 2)))


def _speed(result: Result) -> Quantity | None:
    """Of every station, by central differences of its positions."""
    if result.kind != "motion" or result.data.sizes["time"] < 3 or "shape" not in result.data:
        return None
    velocity = np.gradient(result.data["shape"].values, result.data["time"].values, axis=0)
    return Quantity("speed", "m/s", np.linalg.norm(velocity, axis=-1))


def _tension(result: Result) -> Quantity | None:
    """Of springs and tendons, the same all along them."""
    if "tension" not in result.data.variables:
        return None
    tension = _framed(result.data["tension"].values, 2)
    values = np.full((len(tension), result.data.sizes["station"]), np.nan)
    for k, name in enumerate(result.data["line"].values):
        values[:, result.data["part"].values == name] = tension[:, k, None]
    return Quantity(TENSION, "N", values, bool((tension < 0.0).any()))


def along_beams(result: Result, sections: Array) -> Array:
    """Values at sections (frame, section) taken to stations (frame, station): linear between sections, constant beyond
    the first and last section of a beam, NaN off beams.
    """
    values = np.full((*sections.shape[:-1], result.data.sizes["station"]), np.nan)
    beams, section_s, s = (result.data[name].values for name in ("beam", "section_s", "s"))
    for name in dict.fromkeys(beams.tolist()):
        mine, stations = np.flatnonzero(beams == name), np.flatnonzero(result.data["part"].values == name)
        mine = mine[np.argsort(section_s[mine])]
        values[..., stations] = sections[..., mine] @ _interpolation(section_s[mine], s[stations]).T
    return values


def _interpolation(known: Array, wanted: Array) -> Array:
    """Matrix (wanted, known) of linear interpolation, constant beyond the ends."""
    return np.stack([np.interp(wanted, known, row) for row in np.eye(len(known))], axis=1)
