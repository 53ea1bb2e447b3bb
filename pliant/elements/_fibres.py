"""Arrays of families of hyperelastic beams, and strains of known resultants, in numpy."""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from pliant.elements import _sections
from pliant.kernels.fibres import CONSTANTS, contraction, respond

PLANE = [0, 1, 5]  # strains of a beam in the plane, among six
ITERATIONS, CLOSE, LONGEST = 60, 1e-12, 0.3  # of strains, and of the stretch


def constants(section: Any) -> np.ndarray:
    """Return (CONSTANTS,) of kernels/fibres.py; constants that the plane does not need may be missing."""
    aside, twist = section.shear_stiffness_z or 1.0, section.torsional_stiffness or 1.0
    return np.array([section.axial_stiffness, section.shear_stiffness, aside, twist, section.law.mooney])


def fibres(section: Any, spatial: bool) -> np.ndarray:
    """Return (n, 3) share of the area, y and z (m)."""
    found = section.law.fibres(plane=not spatial)
    found[:, 1] *= sqrt(section.bending_stiffness / section.axial_stiffness)
    found[:, 2] *= sqrt((section.bending_stiffness_y or 0.0) / section.axial_stiffness)
    return found


def at_gauss_points(meshes: Any, P: int, spatial: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return (n P, CONSTANTS) and (n P, fibres, 3) of all elements; zeros at points that lower orders lack."""
    laws, spread = [np.zeros((0, P, CONSTANTS))], [np.zeros((0, P, 0, 3))]
    for mesh in meshes:
        p = mesh.options.order
        law = _sections.at_gauss_points([mesh], p, constants)
        found = _sections.at_gauss_points([mesh], p, partial(fibres, spatial=spatial))
        laws.append(np.pad(law, ((0, 0), (0, P - p), (0, 0))))
        spread.append(np.pad(found, ((0, 0), (0, P - p), (0, 0), (0, 0))))
    most = max([1, *(each.shape[2] for each in spread)])
    padded = [np.pad(each, ((0, 0), (0, 0), (0, most - each.shape[2]), (0, 0))) for each in spread]
    return np.concatenate(laws).reshape(-1, CONSTANTS), np.concatenate(padded).reshape(-1, most, 3)


class Stretches(NamedTuple):
    """Stretch of the axis, the smallest and largest stretch at the surface, and the strain there due to twist."""

    axis: float
    low: float
    high: float
    twist: float

    @property
    def strain(self) -> float:
        """The largest strain."""
        return max(abs(self.low - 1.0), abs(self.high - 1.0), self.twist)


def stretches(section: Any, resultants: np.ndarray) -> Stretches:
    """Return the stretches of given resultants (3 in the plane, 6 in space); NaN if Newton does not converge."""
    found, spatial = strains(section, resultants), resultants.size == 6
    if not np.isfinite(found[0]):
        return Stretches(*(np.nan,) * 4)
    width, height = section.width or 0.0, section.height or 0.0
    axis, aside = float(np.linalg.norm(found[: 3 if spatial else 2])), 0.5 * abs(found[-1]) * height
    if spatial:
        other = 0.5 * abs(found[4]) * width
        aside = float(np.hypot(aside, other)) if section.law.shape == "circle" else aside + other
    c = contraction(axis)[0]
    twist = 0.5 * min(width, height) * abs(found[3]) * c if spatial else 0.0
    return Stretches(axis, axis - c * aside, axis + c * aside, float(twist))


def strains(section: Any, resultants: np.ndarray) -> np.ndarray:
    """Return stretch, shear and curvatures of given resultants (3 in the plane, 6 in space), of equal number."""
    spatial = resultants.size == 6
    rows = list(range(6)) if spatial else PLANE
    law, spread, H = constants(section), fibres(section, spatial), np.zeros((6, 6))
    size = np.ones(6)
    size[3:] = sqrt(section.axial_stiffness / section.bending_stiffness)
    found = np.zeros(6)
    found[0] = 1.0
    for _ in range(ITERATIONS):
        _, N, M = respond(law, spread, tuple(found[:3].tolist()), tuple(found[3:].tolist()), H)
        step = np.linalg.solve(H[np.ix_(rows, rows)], resultants - np.concatenate((N, M))[rows])
        largest = float(np.max(np.abs(step) / size[rows]))
        if not np.isfinite(largest):
            break
        found[rows] += min(1.0, LONGEST * max(1.0, abs(found[0])) / max(largest, CLOSE)) * step
        if largest < CLOSE * max(1.0, abs(found[0])):
            return found[rows]
    return np.full(len(rows), np.nan)
