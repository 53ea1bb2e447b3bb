"""Conversion of beams to rods: subintervals, steps and data at every station."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np

from pliant.elements.rod_ivp import Rod
from pliant.elements.rod_ivp.fed import feeds, shares
from pliant.elements.rod_ivp.load_interpolation import factors
from pliant.elements.rod_ivp.march import Rods
from pliant.elements.rod_ivp.slope import AXIAL, SECTION
from pliant.kernels.runge_kutta import Table
from pliant.system.numbering.loads_along import drag_along, loads_along
from pliant.system.numbering.numbering import BeamMesh
from pliant.system.numbering.planar_layout import Layout

STEP = 0.005  # of the whole length (paper, section 5)
FIRST_STEP = 0.5  # of a subinterval, from which an adaptive method starts
SOFT = 1e-4  # softness of an inextensible axis in Newton's matrix, in parts of 1/EA

Grid = tuple[np.ndarray, ...]
"""Ends of the steps of every subinterval, from 0 to 1 within it."""


def first_grid(layout: Layout) -> Grid:
    """Return equal steps, by the options."""
    found = []
    for mesh in layout.beams:
        options: Rod = mesh.options
        for width in np.diff(mesh.s):
            part = FIRST_STEP if options.adapts else (options.step or STEP) / width
            found.append(np.linspace(0.0, 1.0, options.parts * max(1, ceil(1.0 / part * (1.0 - 1e-9))) + 1))
    return tuple(found)


def shown(mesh: BeamMesh) -> list[np.ndarray]:
    """Return places s at which results show each subinterval: the ends of its steps, or as dense if they adapt."""
    parts = [max(1, ceil(width / (mesh.options.step or STEP) * (1.0 - 1e-9))) for width in np.diff(mesh.s)]
    return [np.linspace(a, b, n + 1) for a, b, n in zip(mesh.s, mesh.s[1:], parts, strict=False)]


def pack(layout: Layout, table: Table, grid: Grid, slots: np.ndarray, pair_slots: np.ndarray) -> Rods:
    """Pack all rods of a layout; ``slots`` are the places of the subintervals' matrices, ``pair_slots`` the places of
    their entries with guides and carriages.
    """
    dofs, rod, lengths, sections = [], [], [], []
    softness, places = [], []
    k = 0
    for number, mesh in enumerate(layout.beams):
        dofs.append(layout.dofs(mesh.connectivity.ravel(), 2))
        for e, width in enumerate(np.diff(mesh.s)):
            ends = grid[k]
            steps = np.diff(ends)
            inner = ends[:-1, None] + steps[:, None] * table.node[:-1]
            s = mesh.s[e] + width * np.append(inner.ravel(), 1.0)
            places.append(s)
            sections.append(station_data(layout, mesh, np.clip(s, 0.0, 1.0)))
            lengths.append(steps * width * mesh.beam.length)
            stiff = mesh.beam.section_at(mesh.s[e] + 0.5 * width).axial_stiffness
            softness.append(0.0 if mesh.options.extensible else SOFT * width * mesh.beam.length / stiff)
            rod.append(number)
            k += 1
    seen = [mesh.beam.length * (s - s[0]) for mesh in layout.beams for s in shown(mesh)]
    loads = list(loads_along(layout, layout.beams))
    feed, feeding = feeds(layout, layout.beams)
    del feeding["pair_frames"]
    owner = np.repeat(np.array(rod, np.int64), [len(s) for s in places])
    return Rods(
        dofs=np.concatenate(dofs) if dofs else np.zeros((0, 6), np.uint32),
        slots=slots,
        rod=np.array(rod, np.int64),
        first_step=_starts(lengths),
        first_station=_starts(sections),
        step=np.concatenate([np.empty(0), *lengths]),
        section=np.concatenate([np.empty((0, SECTION)), *sections]),
        softness=np.array(softness),
        linear=np.array([mesh.options.linear for mesh in layout.beams], np.int64),
        alpha=np.array([mesh.alpha if mesh.relative and mesh.beam.mass else 0.0 for mesh in layout.beams], float),
        first_seen=_starts(seen),
        seen_at=np.concatenate([np.empty(0), *seen]),
        load_kind=np.array([0 if load.per_mass else 1 + load.follower for load in loads], np.int64),
        load_signal=np.array([load.signals for load in loads], np.int64).reshape(-1, 2),
        load_steady=np.array([load.steady for load in loads], np.int64),
        load_factor=factors(loads, owner, np.concatenate([np.empty(0), *places])),
        feed=feed.astype(np.int64),
        share=shares(layout.beams),
        pair_slots=pair_slots,
        **feeding,
    )


def extensible(rods: Rods) -> Rods:
    """Return the rods with the axial stiffness of their sections, if they are inextensible."""
    section = rods.section.copy()
    for e, soft in enumerate(rods.softness):
        if soft:
            section[rods.first_station[e] : rods.first_station[e + 1], AXIAL] = soft / (SOFT * lengths(rods)[e])
    return rods._replace(section=section, softness=np.zeros_like(rods.softness))


def lengths(rods: Rods) -> np.ndarray:
    """Return the length of every subinterval, as assembled."""
    return np.add.reduceat(rods.step, rods.first_step[:-1])


def _starts(parts: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)


def station_data(layout: Layout, mesh: BeamMesh, s: np.ndarray) -> np.ndarray:
    """Return section, rest curvature and drag at the places s of a beam; see slope.py for the columns."""
    options, beam = mesh.options, mesh.beam
    x, y = drag_along(layout, mesh)
    out = np.empty((s.size, SECTION))
    for row, section in zip(out, map(beam.section_at, s), strict=True):
        row[0] = 1.0 / section.axial_stiffness if options.extensible else 0.0
        row[1] = 1.0 / section.shear_stiffness if options.shear else 0.0
        row[2] = 1.0 / section.bending_stiffness
        row[3], row[4] = section.mass_per_length, section.rotary_inertia
    out[:, 5] = curvature(beam, s)
    out[:, 6] = beam.rest_pose(s)[:, 2] + mesh.pose[0, 2]
    out[:, 7], out[:, 8] = x + mesh.alpha * out[:, 3], y + mesh.alpha * out[:, 3]
    out[:, 9], out[:, 10] = mesh.alpha * out[:, 4], mesh.beta
    return out


def curvature(beam: Any, s: np.ndarray) -> np.ndarray:
    """Return the curvature of the unstressed beam at the places s."""
    given = np.atleast_1d(beam.curvature)
    return np.interp(s, np.linspace(0.0, 1.0, given.size), given) if given.size > 1 else np.full(s.size, given[0])
