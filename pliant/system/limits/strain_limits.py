"""Strains and rotations of beams, compared with the range of the theory of their elements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.polynomial.legendre import legvander

from pliant.elements import _fibres
from pliant.errors import StrainBeyondRange, warn
from pliant.kernels.beam_points.shapes import gauss
from pliant.kernels.fibres import FLOOR
from pliant.model import Section
from pliant.system.samples import Samples

if TYPE_CHECKING:
    from pliant.system.observation.observer import Observer

STRAIN_LIMIT = 0.1
ROTATION_LIMIT = 0.2  # rad, of linear elements
LEAST_STRETCH = 0.2  # stretch of a surface fibre over the axis's: too few fibres below (model/sections/laws.py)


def strain_per_force(beam: Any, s: np.ndarray, spatial: bool) -> np.ndarray:
    """Return the small strains due to unit resultants at s; for moments at the surface, if the size is known."""
    sections = [beam.section_at(x) for x in (s[:1] if beam.section.uniform else s)]
    if spatial:
        return np.array([levers(x) / np.diag(x.stiffness) for x in sections])
    return np.array(
        [
            (1.0 / x.axial_stiffness, 1.0 / x.shear_stiffness, 0.5 * (x.height or 0.0) / x.bending_stiffness)
            for x in sections
        ]
    )


def strains_of(
    meshes: Iterable[Any], beams: Sequence[str], where: np.ndarray, spatial: bool
) -> list[tuple[Any, np.ndarray, np.ndarray, np.ndarray]]:
    """Return, for every beam, its mesh, the numbers of its sections, their places, and the strains due to unit
    resultants there.
    """
    owners, found = np.array(beams), []
    for mesh in meshes:
        mine = np.flatnonzero(owners == mesh.beam.name)
        found.append((mesh, mine, where[mine], strain_per_force(mesh.beam, where[mine], spatial)))
    return found


def levers(section: Section) -> np.ndarray:
    """Return the (6,) ratios of strains at the surface to the strains of a section: half the height in bending about z,
    half the width about y; twist causes the principal strain ``kappa t / 2`` in a strip of thickness t.
    """
    width, height = section.width or 0.0, section.height or 0.0
    return np.array([1.0, 1.0, 1.0, 0.5 * min(width, height), 0.5 * width, 0.5 * height])


def warn_of(
    observer: Observer, values: Callable[[str], np.ndarray], samples: Samples, *, brief: bool
) -> tuple[float, float]:
    """Warn of beams outside the range of their element, given the values of variables. Return the largest strain
    (bending if heights are known), and the largest ratio to its limit: rubber may be stretched more. ``brief``: find
    the largest resultants without storing all samples.
    """
    top, limited, system = 0.0, 0.0, observer.system
    if not system.layout.beams:
        return top, limited
    if brief:
        largest = observer.largest_resultants(samples)
    else:
        largest = np.max(np.abs(values("resultant")), axis=0, initial=0.0)
    for mesh, mine, where, per_force in observer.strains(samples):
        name = mesh.beam.name
        if mesh.beam.section.hyperelastic:
            strain, squeezed = _fibre_strain(mesh.beam, values("resultant")[:, mine], where, system.space.quaternions)
            top, limited = max(top, strain), max(limited, squeezed)
            continue
        strain = float(np.max(largest[mine] * per_force, initial=0.0))
        if not brief:
            strain = max(strain, _at_ends(mesh, values("resultant")[:, mine], system.space.quaternions))
        top, limited = max(top, strain), max(limited, strain)
        warn_of_strain(name, strain)
        if mesh.options.finite_rotation:
            continue
        turned = float(np.max(np.abs(samples.q[:, 3 * mesh.nodes + 2] - mesh.pose[:, 2]), initial=0.0))
        if turned > ROTATION_LIMIT:
            warn(
                StrainBeyondRange,
                f"Beam {name!r} has linear elements, which mean small rotations, and turned by {turned:.2g} rad. "
                "Take Exact(...) or Corotational(...).",
            )
    return top, limited


def warn_of_strain(name: str, strain: float) -> None:
    """Warn of a beam whose strain is outside the range of beam theory."""
    if strain > STRAIN_LIMIT:
        warn(
            StrainBeyondRange,
            f"Beam {name!r}: strain {strain:.2g} is beyond the range of beam theory (about {STRAIN_LIMIT:g}). "
            "Check loads, lengths and stiffness; rubber and silicone are a pl.Hyperelastic material.",
        )


def _at_ends(mesh: Any, resultants: np.ndarray, spatial: bool) -> float:
    """Return the largest strain at the ends of elements with resultants at Gauss points, (states, points, components),
    by polynomials through them, as strains are largest at clamps. Zero for other elements.
    """
    order, count = mesh.options.order, len(mesh.connectivity)
    if order < 2 or resultants.shape[1] != order * count:
        return 0.0
    ends = np.unique(mesh.s[mesh.connectivity[:, [0, -1]] - mesh.nodes[0]])
    per_force = strain_per_force(mesh.beam, ends, spatial)
    places = np.arange(count)[:, None] + [0, 1] if len(per_force) > 1 else np.zeros((count, 2), int)
    found = np.einsum("eg,tngc->tnec", _to_ends(order), resultants.reshape(-1, count, order, resultants.shape[2]))
    return float(np.max(np.abs(found) * per_force[places], initial=0.0))


@cache
def _to_ends(order: int) -> np.ndarray:
    """Return the (2, order) extrapolation from Gauss points of an element to its ends."""
    of_points, of_ends = (legvander(x, order - 1) for x in (2.0 * gauss(order)[0] - 1.0, np.array([-1.0, 1.0])))
    return np.asarray(np.linalg.solve(of_points.T, of_ends.T).T)


def _fibre_strain(beam: Any, resultants: np.ndarray, where: np.ndarray, spatial: bool) -> tuple[float, float]:
    """Return the largest strain of a hyperelastic beam, (states, places, components) given, in the state with the
    largest strain of each place; and infinity if a fibre is compressed beyond its law or no strains are found, else
    zero. Warn of strongly compressed fibres at the surface.
    """
    if not resultants.size:
        return 0.0, 0.0
    estimate = np.sum(np.abs(resultants) * strain_per_force(beam, where, spatial), axis=2)
    worst, top, least, ended = np.argmax(estimate, axis=0), 0.0, 1.0, False
    for k, s in enumerate(where.tolist()):
        found = _fibres.stretches(beam.section_at(s), resultants[worst[k], k])
        if not found.low > FLOOR:  # or not a number
            ended = True
        else:
            top, least = max(top, found.strain), min(least, found.low / found.axis)
    if ended or least < LEAST_STRETCH:
        low = "to nothing" if ended else f"to {least:.2g} of the stretch of the axis"
        warn(
            StrainBeyondRange,
            f"Beam {beam.name!r}: a fibre at its surface is pressed {low}; below {LEAST_STRETCH:g} of it the section "
            "is no longer what its law means. Check loads, lengths and stiffness.",
        )
    return (max(top, 1.0), np.inf) if ended else (top, 0.0)
