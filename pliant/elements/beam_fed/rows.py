"""Conversion of beams that are fed to rows of elements, the arrays of their families in plane and space.

The freedoms of an element belong to its nodes, then to the guide and the carriage: its pair. Its matrix is
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pliant.elements._beams import empty_slots
from pliant.elements.beam_fed import FedExact, Feed
from pliant.errors import ModelError
from pliant.kernels.beam_points.shapes import gauss, lagrange, mass_shares, tables
from pliant.model import rotations
from pliant.model.kinds import packs_only


class Stock(NamedTuple):
    """Stock behind the guides: one row per beam that is fed, for any computation of its free part."""

    dofs: np.ndarray  # (beams, 3 w) of its first node, the guide and the carriage
    slots: np.ndarray
    frames: np.ndarray  # (beams, 0), in space (beams, 1)
    first: np.ndarray  # (beams + 1) 0, 1, 2, ...
    density: np.ndarray  # (beams, 1) mass per length
    length: np.ndarray  # this and the following as in `Arrays`
    pair: np.ndarray
    pair_frames: np.ndarray
    arms: np.ndarray
    direction: np.ndarray
    signals: np.ndarray
    local: np.ndarray
    triangle: np.ndarray


class Arrays(NamedTuple):
    """One row per element, beam after beam; tables by order as in `beam_exact`; then one row per beam."""

    dofs: np.ndarray  # (n, w (P + 1) + 2 w), w freedoms a node; nodes padded with the ground
    slots: np.ndarray
    frames: np.ndarray  # (n, 0), in space (n, P + 1)
    order: np.ndarray  # (n) uint32
    share: np.ndarray  # (n) of the free length
    start: np.ndarray  # (n) place along it where an element begins, from 0 to 1
    shape: np.ndarray  # (P + 1, P, P + 1) by order, Gauss point, node
    slope: np.ndarray
    weight: np.ndarray  # (P + 1, P)
    point: np.ndarray  # (P + 1, P) Gauss points
    strain_slope: np.ndarray  # (P + 1, P, P) slopes at them of polynomials through values there
    mass_shape: np.ndarray  # (P + 1, P + 1, P + 1) shapes at P + 1 points, for the mass
    mass_slope: np.ndarray
    mass_point: np.ndarray  # (P + 1, P + 1) these points, and their weights
    mass_weight: np.ndarray
    spin_shares: np.ndarray  # (P + 1, P + 1, P + 1) by order: integrals of n_i n_j
    first: np.ndarray  # (beams + 1) uint32: where the elements of each begin
    stiffness: np.ndarray  # (beams, 3, 3), in space (beams, 6, 6)
    rest: np.ndarray  # (beams, 3), in space (beams, 6): strains of the unstressed beam
    alpha: np.ndarray  # (beams) of damping of all motion
    beta: np.ndarray  # (beams) of Kelvin-Voigt damping
    density: np.ndarray  # (beams, 2), in space (beams, 4): mass and rotary inertia per length
    length: np.ndarray  # (beams, 2) free length less the carriage's place; longest
    pair: np.ndarray  # (beams, 2 w) freedoms of guide and carriage
    pair_frames: np.ndarray  # (beams, 0), in space (beams, 2)
    arms: np.ndarray  # (beams, 2 axes) of the two markers
    direction: np.ndarray  # (beams, axes) the guide's x axis in its node's frame
    signals: np.ndarray  # (loads, axes) of gravity
    local: np.ndarray  # (n, w (P + 1) + 2 w) numbers from 0 on, in every row
    triangle: np.ndarray  # (1, w (2 w + 1)) likewise
    stress_start: int = 0


def meshes(layout: Any) -> list[Any]:
    """Return the beams that are fed, in the order of the layout."""
    return [mesh for mesh in layout.beams if isinstance(mesh.options, FedExact)]


def pack(layout: Any) -> Arrays:
    """Pack all beams that are fed."""
    mine = meshes(layout)
    owners = feeds_of(layout, mine)
    orders = [mesh.options.order for mesh in mine]
    P, shape, slope, weight = tables(orders)
    point, strain_slope = _strain_tables(orders, P)
    mass_shape, mass_slope, mass_point, mass_weight, spin_shares = _mass_tables(orders, P)
    width, strains = layout.space.width, 6 if layout.space.quaternions else 3
    parts = [_elements(layout, mesh, P) for mesh in mine]
    nodes, order, share, start = (np.concatenate(column) for column in zip(_none(P), *parts, strict=True))
    counts = [len(part[0]) for part in parts]
    feeding = feeding_of(layout, owners)
    sections = [mesh.beam.section_at(0.5) for mesh in mine]
    return Arrays(
        dofs=np.hstack([layout.dofs(nodes, P + 1), np.repeat(feeding["pair"], counts, axis=0)]),
        slots=empty_slots(len(nodes)),
        frames=layout.frames(nodes, P + 1),
        order=order,
        share=share,
        start=start,
        shape=shape,
        slope=slope,
        weight=weight,
        point=point,
        strain_slope=strain_slope,
        mass_shape=mass_shape,
        mass_slope=mass_slope,
        mass_point=mass_point,
        mass_weight=mass_weight,
        spin_shares=spin_shares,
        first=np.cumsum([0, *counts]).astype(np.uint32),
        stiffness=np.array([_stiffness(each, layout) for each in sections], float).reshape(-1, strains, strains),
        rest=np.array([_rest(mesh.beam, layout) for mesh in mine], float).reshape(-1, strains),
        alpha=np.array([mesh.alpha for mesh in mine], float),
        beta=np.array([mesh.beta for mesh in mine], float),
        density=np.array([_density(each, layout) for each in sections], float).reshape(-1, 4 if strains == 6 else 2),
        local=np.tile(np.arange(width * (P + 3), dtype=np.uint32), (len(nodes), 1)),
        **feeding,
    )


@packs_only(Feed)
def pack_stock(layout: Any) -> Stock:
    """Pack the stock of all beams that are fed."""
    for feed in layout.forces(Feed):
        if not getattr(layout.mesh(feed.beam).options, "can_be_fed", False):
            raise feed.unknown()
    fed = {feed.beam for feed in layout.forces(Feed)}
    mine = [mesh for mesh in layout.beams if mesh.beam in fed]
    owners, width = feeds_of(layout, mine), layout.space.width
    feeding = feeding_of(layout, owners)
    nodes = np.array([mesh.nodes[0] for mesh in mine], int).reshape(-1, 1)
    sections = [mesh.beam.section_at(0.5) for mesh in mine]
    return Stock(
        dofs=np.hstack([layout.dofs(nodes, 1), feeding["pair"]]),
        slots=empty_slots(len(mine)),
        frames=layout.frames(nodes, 1),
        first=np.arange(len(mine) + 1, dtype=np.uint32),
        density=np.array([_density(each, layout)[:1] for each in sections], float).reshape(-1, 1),
        local=np.arange(2 * width, dtype=np.uint32)[None],
        **feeding,
    )


def feeds_of(layout: Any, meshes: list[Any]) -> list[Feed]:
    """Return the feed of each of these beams."""
    feeds = {feed.beam: feed for feed in layout.forces(Feed)}
    return [feeds[mesh.beam] for mesh in meshes]


def feeding_of(layout: Any, owners: list[Feed]) -> dict[str, Any]:
    """Return the data of free lengths and weights of beams."""
    width, axes, mine = layout.space.width, len(layout.space.axes), [layout.mesh(feed.beam) for feed in owners]
    for mesh in mine:
        if any(layout.drag_along(mesh)):
            raise _refused(mesh, "drag along it")
    signals = sorted({load.signals for load in layout.loads_along(mine) if _known(load, mine)}) if mine else []
    places = [assembled_place(layout, feed) for feed in owners]
    lengths = [(feed.beam.length - x, feed.longest) for feed, x in zip(owners, places, strict=True)]
    pairs = np.array([(layout.node(feed.guide), layout.node(feed.carriage)) for feed in owners], int).reshape(-1, 2)
    arms = [(*layout.arm(feed.guide), *layout.arm(feed.carriage)) for feed in owners]
    return {
        "length": np.array(lengths, float).reshape(-1, 2),
        "pair": layout.dofs(pairs, 2),
        "pair_frames": layout.frames(pairs, 2),
        "arms": np.array(arms, float).reshape(-1, 2 * axes),
        "direction": np.array([guide_axis(layout, feed) for feed in owners], float).reshape(-1, axes),
        "signals": np.array(signals, np.uint32).reshape(-1, axes),
        "triangle": np.arange(width * (2 * width + 1), dtype=np.uint32)[None],
    }


def _elements(layout: Any, mesh: Any, P: int) -> tuple[np.ndarray, ...]:
    p = mesh.options.order
    ends = np.asarray(mesh.s)[::p]
    nodes = np.full((len(mesh.connectivity), P + 1), layout.ground)
    nodes[:, : p + 1] = mesh.connectivity
    return nodes, np.full(len(nodes), p, np.uint32), np.diff(ends), ends[:-1]


def _none(P: int) -> tuple[np.ndarray, ...]:
    return np.zeros((0, P + 1), int), np.zeros(0, np.uint32), np.zeros(0), np.zeros(0)


def _known(load: Any, mine: list[Any]) -> bool:
    """Return True for constant weight; refuse other loads along a beam that is fed."""
    if not (load.per_mass and load.steady):
        raise _refused(mine[load.beam], "gravity that changes in time" if load.per_mass else "a load per length")
    return True


def _refused(mesh: Any, what: str) -> ModelError:
    return ModelError(f"{mesh.beam.owner} is fed, and {what} is not supported for such a beam; constant Gravity is.")


def _strain_tables(orders: list[int], P: int) -> tuple[np.ndarray, np.ndarray]:
    """Return Gauss points, and slopes there of polynomials through values at them, by order."""
    point, slope = np.zeros((P + 1, P)), np.zeros((P + 1, P, P))
    for p in set(orders):
        x = point[p, :p] = gauss(p)[0]
        powers = np.arange(p)
        rise = powers * x[:, None] ** np.maximum(powers - 1, 0)
        slope[p, :p, :p] = np.linalg.solve(np.vander(x, p, increasing=True).T, rise.T).T
    return point, slope


def _mass_tables(orders: list[int], P: int) -> tuple[np.ndarray, ...]:
    """Return shapes, slopes, points and weights of the mass, and integrals of n_i n_j, by order."""
    shape, slope, shares = np.zeros((3, P + 1, P + 1, P + 1))
    point, weight = np.zeros((2, P + 1, P + 1))
    for p in set(orders):
        point[p, : p + 1], weight[p, : p + 1] = gauss(p + 1)
        shape[p, : p + 1, : p + 1], slope[p, : p + 1, : p + 1] = lagrange(p, gauss(p + 1)[0])
        shares[p, : p + 1, : p + 1] = mass_shares(p, lumped=False)
    return shape, slope, point, weight, shares


def _stiffness(section: Any, layout: Any) -> Any:
    if layout.space.quaternions:
        return section.stiffness
    return np.diag((section.axial_stiffness, section.shear_stiffness, section.bending_stiffness))


def _rest(beam: Any, layout: Any) -> tuple[float, ...]:
    """Return the strains of the unstressed beam: its tangent in the section's axes, and its curvature."""
    if not layout.space.quaternions:
        return 1.0, 0.0, beam.curvature
    curvature = beam.curvature if isinstance(beam.curvature, tuple) else (0.0, 0.0, beam.curvature)
    return 1.0, 0.0, 0.0, *curvature


def _density(section: Any, layout: Any) -> tuple[float, ...]:
    if not layout.space.quaternions:
        return section.mass_per_length, section.rotary_inertia
    if section.eccentric:
        raise ModelError("A beam that is fed must have its mass on its axis.")
    return section.mass_per_length, *np.diagonal(section.rotary_about_axis)


def guide_axis(layout: Any, feed: Feed) -> np.ndarray:
    """Return the guide's x axis in the frame of its node."""
    return np.asarray(rotations.rotate(feed.guide.turn, rotations.AXES["x"])[: len(layout.space.axes)])


def assembled_place(layout: Any, feed: Feed) -> float:
    """Return the place of the carriage along the guide, as assembled, computed once."""

    def assembled() -> float:
        way = layout.place(feed.carriage) - layout.place(feed.guide)
        if layout.space.quaternions:
            turn = layout.direction(feed.guide)
        else:
            angle = layout.assembled[3 * layout.node(feed.guide) + 2] + feed.guide.angle
            turn = rotations.exponential((0.0, 0.0, angle))
        return float(way @ rotations.rotate(turn, rotations.AXES["x"])[: way.size])

    return float(layout.keep(f"{feed.name}/assembled", assembled))
