"""Conversion of sleeves to rows of elements: the elements of the beam inside, with one more angle at every node."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pliant.elements._beams import empty_slots
from pliant.elements.sleeve import Sleeve, check_nesting
from pliant.errors import ModelError
from pliant.kernels.beam_points.shapes import mass_shares, tables

RIGID = 1e6  # ratio of the torsional stiffness of a holder to its tube's


class Arrays(NamedTuple):
    """One row per element with a sleeve; shape, slope and weight are tables by order."""

    dofs: np.ndarray  # (n, 7 (P + 1)): of the nodes, then their angles; the ground's for padding and the held end
    slots: np.ndarray
    frames: np.ndarray  # (n, P + 1)
    order: np.ndarray  # (n) uint32
    length: np.ndarray
    stiffness: np.ndarray  # (n, 3) EI, GJ, GA
    curvature: np.ndarray
    driven: np.ndarray  # (n) 1 if the first node is the base, turned by a signal relative to its holder or the beam
    signal: np.ndarray  # (n) uint32, of that signal
    steady: np.ndarray  # (n) 1 if that signal is constant: it then has a potential
    mass: np.ndarray  # (n, P + 1, P + 1)
    spin: np.ndarray  # (n, P + 1, 2) rotary inertia of the nodes, about the axis and across
    shape: np.ndarray  # (P + 1, P, P + 1) by order, Gauss point, node
    slope: np.ndarray
    weight: np.ndarray  # (P + 1, P)
    stress_start: int = 0


def pack(layout: Any) -> Arrays:
    """Pack all sleeves of a model."""
    sleeves: list[Sleeve] = layout.forces(Sleeve)
    check_nesting(sleeves)
    P, shape, slope, weight = tables([_mesh(layout, sleeve).options.order for sleeve in sleeves])
    parts = [_one(layout, sleeve, P) for sleeve in sleeves]
    none: list[np.ndarray] = [np.zeros((0, *row), kind) for row, kind in _columns(P)]
    columns = [np.ascontiguousarray(np.concatenate(column)) for column in zip(none, *parts, strict=True)]
    return Arrays(columns[0], empty_slots(len(columns[0])), *columns[1:], shape, slope, weight)  # type: ignore[arg-type, call-arg]


def _columns(P: int) -> list[tuple[tuple[int, ...], type]]:
    """Return shapes and types of the columns of `_one`."""
    index = np.uint32
    return [
        ((7 * (P + 1),), index), ((P + 1,), index), ((), index), ((), float), ((3,), float), ((), float), ((), index),
        ((), index), ((), index), ((P + 1, P + 1), float), ((P + 1, 2), float),
    ]  # fmt: skip


def elements(layout: Any, sleeve: Sleeve) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return nodes (n, order + 1), lengths (n), middles (n, fractions) of elements in a sleeve and its holder."""
    mesh = _mesh(layout, sleeve)
    ends = np.asarray(mesh.s)[:: mesh.options.order]
    middle = 0.5 * (ends[1:] + ends[:-1])
    inside = (middle > sleeve.held) & (middle < sleeve.end)
    return mesh.connectivity[inside], np.diff(ends)[inside] * mesh.beam.length, middle[inside]


def shares(nodes: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Return (n, order + 1) lengths of every element that its nodes carry (m)."""
    return length[:, None] * np.diagonal(mass_shares(nodes.shape[1] - 1, lumped=True))


def _mesh(layout: Any, sleeve: Sleeve) -> Any:
    mesh = layout.mesh(sleeve.beam)
    if getattr(mesh.options, "continuous", False):
        raise ModelError(
            f"{sleeve.owner}: {mesh.options!r:.60} along {sleeve.beam.owner} does not support sleeves. Compile with "
            "formulation='dae' and elements=pl.Exact(...), and do not feed the beam: place start and end of its "
            "sleeves instead."
        )
    return mesh


def _one(layout: Any, sleeve: Sleeve, P: int) -> tuple[np.ndarray, ...]:
    section = sleeve.section
    found, length, middle = elements(layout, sleeve)
    n, p = len(found), found.shape[1] - 1
    nodes = np.full((n, P + 1), layout.ground)
    nodes[:, : p + 1] = found
    angles = np.tile(layout.dofs([layout.ground])[:, :1], (n, P + 1))
    own = dict(zip(sleeve.own_nodes(layout), layout.own(sleeve).tolist(), strict=True))
    angles[:, : p + 1] = [[own.get(node, angles[0, 0]) for node in row] for row in found.tolist()]
    signal = layout.signal(sleeve.angle, sleeve, "angle")
    mass, spin = np.zeros((n, P + 1, P + 1)), np.zeros((n, P + 1, 2))
    tube = middle > sleeve.start
    mass[tube, : p + 1, : p + 1] = section.mass_per_length * length[tube, None, None] * mass_shares(p, lumped=False)
    spin[:, : p + 1] = shares(found, length)[:, :, None] * np.diagonal(section.rotary_about_axis)[:2]
    spin[~tube, :, 1] = 0.0  # a holder only turns, with the inertia of as much tube
    first = np.argmax(tube)  # its base turns with a signal of unknown rates: the next node has its share
    spin[first, 1, 0] += spin[first, 0, 0]
    spin[first, 0, 0] = 0.0
    stiffness = np.array([section.bending_stiffness, section.torsional_stiffness, section.shear_stiffness])
    rigid = stiffness * (0.0, RIGID, 0.0)
    bent = middle > (sleeve.start if sleeve.curved_from is None else sleeve.curved_from)
    return (
        np.hstack([layout.dofs(nodes, P + 1), angles]).astype(np.uint32),
        layout.frames(nodes, P + 1),
        np.full(n, p, np.uint32),
        length,
        np.where(tube[:, None], stiffness, rigid),
        np.where(bent, sleeve.curvature, 0.0),
        (np.arange(n) == first).astype(np.uint32),
        np.full(n, signal, np.uint32),
        np.full(n, layout.is_constant(signal), np.uint32),
        mass,
        spin,
    )
