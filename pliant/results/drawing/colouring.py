"""Quantities that colour a picture: moments and forces along beams, strain, speed, tension; and forces of joints."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pliant.results.drawing.parts import Array
from pliant.results.drawing.scene import MAGNITUDES, along_beams, resultant_label
from pliant.results.result import Result
from pliant.results.schema import is_spatial

RESULTANTS = {"bending moment": "M", "axial force": "N", "shear force": "V", "torque": "T"}
BENDING = ("bending moment", "shear force")
TENSION = "tension"

ROUNDING = 1e-12
"""Strain below which beams are not bent: what is left is rounding."""


@dataclass(frozen=True)
class Quantity:
    """Values (frame, station), NaN off the parts that have it; `signed`: they may be negative."""

    name: str
    units: str
    values: Array
    signed: bool = False
    top: float = 0.0
    """Largest magnitude of the whole result, where frames are taken from it"""

    @property
    def largest(self) -> float:
        """Return the largest magnitude over all instants of the result, not only over the frames."""
        return max(self.top, float(np.nanmax(np.abs(self.values), initial=0.0)))

    def at(self, values: Array) -> Quantity:
        """Return the quantity in some of its frames."""
        return replace(self, values=values, top=self.largest)


def quantities(result: Result) -> dict[str, Quantity]:
    """Return the quantities that are not zero throughout, by name; frames as in the result, one at rest."""
    strain = _strain(result)
    bent = strain is None or strain.largest > ROUNDING
    moments = _strain(result, "M")
    flat = moments is not None and moments.largest <= ROUNDING
    forces = [each for each in _resultants(result) if bent and not (flat and each.name in BENDING)]
    found = [*forces, strain if bent else None, _speed(result), _tension(result)]
    return {each.name: each for each in found if each is not None and each.largest > 0.0}


def joint_forces(result: Result) -> tuple[Array, Array] | None:
    """Return the positions of joints and the forces on their markers b, both (frame, joint, axis); None without forces.

    Joints that are not drawn (motions) are left out: the joint that they drive shows the force.
    """
    data = result.data
    if not {"reaction", "joint_drawing", "joint_marker", "position"} <= set(data.variables):
        return None
    markers, axes = data["marker"].values.tolist(), data.sizes["axis"]
    labels = data["joint_marker"].values.tolist()
    drawn = [k for k, word in enumerate(data["joint_drawing"].values) if word != "none" and labels[k] in markers]
    if not drawn:
        return None
    places = _framed(data["position"].values, 3)[:, [markers.index(labels[k]) for k in drawn]]
    return places, _framed(data["reaction"].values, 3)[:, drawn, :axes]


def _framed(values: Array, dimensions: int) -> Array:
    """Add a leading frame dimension if it is missing."""
    return values if values.ndim == dimensions else values[None]


def _resultants(result: Result) -> list[Quantity]:
    if "resultant" not in result.data.variables or result.data.sizes["section"] == 0:
        return []
    known = {*result.data["component"].values.tolist(), *(MAGNITUDES if is_spatial(result.data) else ())}
    return [
        Quantity(
            name,
            resultant_label(result, component)[1],
            _framed(_along(result, component), 2),
            component in result.data["component"].values,
        )
        for name, component in RESULTANTS.items()
        if component in known
    ]


def _strain(result: Result, of: str = "NM") -> Quantity | None:
    """Compute the largest strain at the surface, from axial force N and bending moments M. None if the strains of some
    beam are not proportional to its resultants.
    """
    if not {"resultant", "strain_per_resultant"} <= set(result.data.variables):
        return None
    share = result.data["strain_per_resultant"]
    if np.isnan(share.values).any():
        return None
    components = [name for name in result.data["component"].values.tolist() if name[0] in of]
    strains = [np.abs(_along(result, name) * share.sel(component=name).values) for name in components]
    return Quantity("strain", "1", _framed(np.sum(strains, axis=0), 2))


def _along(result: Result, component: str) -> Array:
    found = along_beams(result, component)
    return np.full(result.data.sizes["station"], np.nan) if found is None else found


def _speed(result: Result) -> Quantity | None:
    """Compute the speed of every station, by central differences of its positions."""
    if result.kind != "motion" or result.data.sizes["time"] < 3 or "shape" not in result.data:
        return None
    velocity = np.gradient(result.data["shape"].values, result.data["time"].values, axis=0)
    return Quantity("speed", "m/s", np.linalg.norm(velocity, axis=-1))


def _tension(result: Result) -> Quantity | None:
    """Return the tension of springs and tendons, constant along each."""
    if "tension" not in result.data.variables:
        return None
    tension = _framed(result.data["tension"].values, 2)
    values = np.full((len(tension), result.data.sizes["station"]), np.nan)
    for k, name in enumerate(result.data["line"].values):
        values[:, result.data["part"].values == name] = tension[:, k, None]
    return Quantity(TENSION, "N", values, bool((tension < 0.0).any()))
