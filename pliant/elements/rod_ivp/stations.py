"""Steps of rods in space, and data at the stations of their stages."""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant.elements._sections import chord_stiffness

USUAL = 0.125  # of the length of a rod: longest step, unless one is given
SOFT = 0.01  # of L^2/EI: compliance of a soft axis
UNIFORM = np.array([0.0])


def subdivisions(mesh: Any) -> np.ndarray:
    """Return (subintervals,) the number of steps: one, doubled until they are short enough, unless a size is given."""
    longest, width = mesh.options.step, np.diff(mesh.s)
    if longest is None:
        steps = 2 ** np.ceil(np.log2(np.maximum(1.0, width / USUAL)) - 1e-9).astype(int)
    else:
        steps = np.ceil(width / longest - 1e-9).astype(int)
    return mesh.options.parts * steps


def station_data(mesh: Any, steps: np.ndarray, node: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return compliance, rest strains and inertia at all stations of a rod; stiffness and softness of its subintervals;
    places of the stations.
    """
    beam, options = mesh.beam, mesh.options
    places = [
        np.append((a + (b - a) * (np.arange(n)[:, None] + node[:-1]) / n).ravel(), b)
        for a, b, n in zip(mesh.s, mesh.s[1:], steps, strict=False)
    ]
    s = np.concatenate(places)
    sections = [beam.section_at(float(x)) for x in (UNIFORM if beam.section.uniform else np.clip(s, 0.0, 1.0))]
    compliance = np.linalg.inv([section.stiffness for section in sections])
    if not options.shear:
        compliance[:, 1:3, :] = compliance[:, :, 1:3] = 0.0
    inertia = np.array([[section.mass_per_length, *np.diag(section.rotary)] for section in sections])
    rest = np.zeros((s.size, 6))
    rest[:, 0], rest[:, 3:] = 1.0, curvatures(beam, s)
    return (
        np.ascontiguousarray(np.broadcast_to(compliance, (s.size, 6, 6))),
        rest,
        np.ascontiguousarray(np.broadcast_to(inertia, (s.size, 4))),
        *_softened(mesh),
        s,
    )


def _softened(mesh: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the stiffness of subintervals with a soft axis, and its additional compliance."""
    flexibility = np.linalg.inv(chord_stiffness(mesh))
    bending = np.min(np.diagonal(flexibility, axis1=1, axis2=2)[:, 4:], axis=1)
    soft = SOFT * bending * (np.diff(mesh.s) * mesh.beam.length) ** 2
    soft = np.where(soft > flexibility[:, 0, 0], soft, 0.0)
    flexibility[:, 0, 0] += soft
    return np.linalg.inv(flexibility), soft


def curvatures(beam: Any, s: np.ndarray) -> np.ndarray:
    """Return (n, 3) curvature of the unstressed beam at the places s, in the axes of its sections."""
    given = np.array(beam.curvature, float)
    if given.ndim == 2:
        knots = np.linspace(0.0, 1.0, len(given))
        return np.column_stack([np.interp(s, knots, column) for column in given.T])
    return np.broadcast_to([0.0, 0.0, given] if given.ndim == 0 else given, (s.size, 3))


def unloaded(rod: np.ndarray, stations: np.ndarray, compliance: np.ndarray, loads: Any) -> np.ndarray:
    """Return (subintervals,) whether no load acts and the compliance is diagonal, by their numbers of stations."""
    coupled = np.any(compliance[:, ~np.eye(6, dtype=bool)] != 0.0, axis=1)
    found = ~np.isin(rod, [load.beam for load in loads])
    found[np.repeat(np.arange(rod.size), stations)[coupled]] = False
    return found


def alike(stations: np.ndarray, *data: np.ndarray) -> np.ndarray:
    """Return (subintervals,) whether all their stations, by these numbers, have equal data."""
    first = np.repeat(np.cumsum(stations) - stations, stations)
    other = np.any([np.any(each != each[first], axis=tuple(range(1, each.ndim))) for each in data], axis=0)
    found = np.ones(stations.size, bool)
    found[np.repeat(np.arange(stations.size), stations)[other]] = False
    return found
