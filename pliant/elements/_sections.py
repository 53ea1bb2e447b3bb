"""Properties of beam elements from sections that may change along them: stiffness at Gauss points, mass matrices, nodal
shares, flexibility. Sampled once, when a beam is packed.

Masses are ``int rho A N_i N_j ds``, with enough Gauss points to integrate dimensions that are linear along an element
exactly. The section at the middle of an element is subtracted from the integral: for a uniform beam the integrand is
zero, and the textbook matrices are unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from pliant.kernels.beam_points.shapes import gauss, lagrange, mass_shares

MIDDLE = np.array([0.5])
MORE_POINTS = 3  # than the order, of mass: N_i N_j times an area or a second moment of degree 4
FLEXIBILITY_POINTS = 16  # of Gauss: one over a stiffness that falls to a twentieth along one element to 1e-9
MOST_UNSEEN = 2.0  # ratio of an element's flexibility to its value at Gauss points, at an end of a beam

Pick = Callable[[Any], Any]
"""Function from a Section to a number or an array."""


def ends(mesh: Any, order: int) -> np.ndarray:
    """Return (n + 1) ends of the elements, s from 0 to 1."""
    return np.asarray(mesh.s)[::order]


def values(meshes: Sequence[Any], order: int, x: np.ndarray, pick: Pick) -> np.ndarray:
    """Return (n, points, ...) values of sections at places x (0 to 1) in the elements of meshes, in their order."""
    if not all(mesh.beam.section.uniform for mesh in meshes):
        return np.concatenate([_along(mesh, order, x, pick) for mesh in meshes])
    having = {id(mesh.beam.section): mesh.beam for mesh in meshes}  # many beams have the same section
    table = np.array([pick(beam.section_at(0.5)) for beam in having.values()], float)
    place = {key: k for k, key in enumerate(having)}
    of_meshes = np.array([(place[id(mesh.beam.section)], len(mesh.connectivity)) for mesh in meshes], int)
    each = np.repeat(*of_meshes.reshape(-1, 2).T)
    found = np.empty((each.size, x.size, *table.shape[1:]))
    found[:] = table[each][:, None]
    return found


def _along(mesh: Any, order: int, x: np.ndarray, pick: Pick) -> np.ndarray:
    """Return the values for one mesh, whose section may change along it."""
    if mesh.beam.section.uniform:
        return values([mesh], order, x, pick)
    end = ends(mesh, order)
    s = end[:-1, None] + np.diff(end)[:, None] * x
    found = np.array([pick(mesh.beam.section_at(place)) for place in s.ravel().tolist()], float)
    return found.reshape(*s.shape, *found.shape[1:])


def at_gauss_points(meshes: Sequence[Any], order: int, pick: Pick) -> np.ndarray:
    """Return (n, order, ...) values at the points where elements of that order integrate their strains."""
    return values(meshes, order, gauss(order)[0], pick)


def stiffness(meshes: Sequence[Any], order: int, pick: Pick, points: int | None = None) -> np.ndarray:
    """Return (n, points, ...) at the Gauss points of elements of that order, as many unless given, with the flexibility
    of the changing sections.

    pick: function from a section to its stiffnesses, or to its stiffness matrix. The resultants at the Gauss points of
    an element of order p are exact under nodal loads, so that its flexibility is a sum of 1/EI over these points. If
    the section changes, these flexibilities are scaled so that their mean is the element's. From order 3 on the
    response to nodal loads is exact: 1/EI is projected onto polynomials of degree p - 1, which preserves its first p
    moments, unless it changes so much (a notch) that less than half of the least remains at a point.
    """
    count = points or order
    x = gauss(count)[0]
    if all(mesh.beam.section.uniform for mesh in meshes):
        return values(meshes, order, x, pick)
    parts = [
        values([mesh], order, x, pick) if mesh.beam.section.uniform else _softened(mesh, order, pick, count)
        for mesh in meshes
    ]
    return np.concatenate(parts)


def _softened(mesh: Any, order: int, pick: Pick, points: int) -> np.ndarray:
    """Return the `stiffness` of a beam along which the section changes."""
    found, sampled = (values([mesh], order, x, pick) for x in (_projection(points)[0], gauss(points)[0]))
    if found.ndim == 3:  # separate stiffnesses: matrices of one row
        return _softened_matrices(found[..., None, None], sampled[..., None, None], points)[..., 0, 0]
    return _softened_matrices(found, sampled, points)


def _softened_matrices(found: np.ndarray, sampled: np.ndarray, order: int) -> np.ndarray:
    """Return stiffness from (n, places, ..., k, k) along elements and (n, order, ..., k, k) at their Gauss points."""
    _, weight, projected = _projection(order)
    flexible, at_points = np.linalg.inv(found), np.linalg.inv(sampled)
    right = np.linalg.cholesky(np.einsum("j,ej...->e...", weight, flexible))[:, None]
    rough = np.linalg.cholesky(np.einsum("g,eg...->e...", gauss(order)[1], at_points))[:, None]
    scale = right @ np.linalg.inv(rough)
    scaled = _turned(scale, at_points)
    along = _turned(np.linalg.inv(right), flexible)
    if order > 2:
        best = np.einsum("gj,ej...->eg...", projected, flexible)
        kept, least = (np.linalg.eigvalsh(each)[..., 0] for each in (_turned(np.linalg.inv(right), best), along))
        seen = kept.min(axis=1) >= 0.5 * least.min(axis=1)
    else:
        best, seen = scaled, np.linalg.norm(scale, 2, axis=(-2, -1))[:, 0] ** 2 <= MOST_UNSEEN
    other = np.where(_thin_tips(along)[:, None, ..., None, None], at_points, scaled)
    return np.asarray(np.linalg.inv(np.where(seen[:, None, ..., None, None], best, other)))


def _turned(by: np.ndarray, matrices: np.ndarray) -> np.ndarray:
    return np.asarray(by @ matrices @ np.swapaxes(by, -1, -2))


def _thin_tips(flexibility: np.ndarray) -> np.ndarray:
    """Return (n, ...) whether an element of a beam is most flexible at an end of the beam. A sharp tip, which carries
    no load, has no mean flexibility.
    """
    place = np.trace(flexibility, axis1=-2, axis2=-1).argmax(axis=1)
    found = np.zeros(place.shape, bool)
    found[0], found[-1] = place[0] == 0, place[-1] == flexibility.shape[1] - 1
    if len(found) == 1:
        found |= place == 0
    return found


@cache
def _projection(order: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the places in an element and their weights, in as many pieces as it has Gauss points, and the shares
    (order, places) of a function there in its projection onto polynomials of degree order - 1, at the Gauss points.
    """
    inner, part = gauss(FLEXIBILITY_POINTS)
    x, weight = ((np.arange(order)[:, None] + inner) / order).ravel(), np.tile(part / order, order)
    of_points, of_places = (
        np.polynomial.legendre.legvander(2.0 * places - 1.0, order - 1) for places in (gauss(order)[0], x)
    )
    return x, weight, (of_points * (2.0 * np.arange(order) + 1.0)) @ of_places.T * weight


def mass_matrices(meshes: Sequence[Any], order: int, pick: Pick) -> np.ndarray:
    """Return (n, order + 1, order + 1) mass matrices of an inertia per length."""
    middle = values(meshes, order, MIDDLE, pick)
    whole = middle[:, :, None] * mass_shares(order, lumped=False)
    if not all(mesh.beam.section.uniform for mesh in meshes):
        x, weight, shape = _rule(order)
        change = values(meshes, order, x, pick) - middle
        whole = whole + np.einsum("g,gi,gj,eg->eij", weight, shape, shape, change)
    return whole * lengths(meshes, order)[:, None, None]


@cache
def _rule(order: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return Gauss points, weights, and the shapes of an element of that order there."""
    x, weight = gauss(order + MORE_POINTS)
    return x, weight, lagrange(order, x)[0]


def lumped(matrices: np.ndarray) -> np.ndarray:
    """Return (n, order + 1) row sums of mass matrices; if one is negative, their diagonals in proportion (E. Hinton, T.
    Rock, O.C. Zienkiewicz, Earthq. Eng. Struct. Dyn. 4, 1976).
    """
    sums = matrices.sum(axis=2)
    diagonal = np.diagonal(matrices, axis1=1, axis2=2)
    total, trace = sums.sum(axis=1, keepdims=True), diagonal.sum(axis=1, keepdims=True)
    scaled = diagonal * total / np.where(trace > 0.0, trace, 1.0)
    return np.where(np.any(sums < 0.0, axis=1, keepdims=True), scaled, sums)


def inertia_matrices(meshes: Sequence[Any], order: int, pick: Pick, *, apart: bool = False) -> np.ndarray:
    """Return (n, order + 1, order + 1), consistent or lumped by the options of each mesh; lumped if ``apart``."""
    found, lumps = mass_matrices(meshes, order, pick), [apart or mesh.options.mass == "lumped" for mesh in meshes]
    if any(lumps):
        each = np.repeat(lumps, [len(mesh.connectivity) for mesh in meshes])
        found[each] = lumped(found[each])[:, :, None] * np.eye(order + 1)
    return found


def eccentric(mesh: Any, order: int) -> bool:
    """Return whether the mass of some section is off the axis, or couples spins about its axes: it is then lumped at
    the nodes, with these couplings (elements/rigid/spatial.py).
    """
    if mesh.beam.section.uniform:
        return bool(mesh.beam.section_at(0.5).eccentric)
    return bool(np.any(values([mesh], order, np.array([0.0, 0.5, 1.0]), lambda section: section.eccentric)))


def carried(mesh: Any, order: int, pick: Pick) -> np.ndarray:
    """Return (n, order + 1) ``int N_i f ds``: the shares of the nodes in a quantity per length."""
    return mass_matrices([mesh], order, pick).sum(axis=2)


def borne(mesh: Any, order: int, factor: Callable[[float], float]) -> np.ndarray:
    """Return (n, order + 1) ``int N_i f ds`` of a function of s."""
    x, weight, shape = _rule(order)
    end = ends(mesh, order)
    s = end[:-1, None] + np.diff(end)[:, None] * x
    found = np.array([factor(place) for place in s.ravel().tolist()]).reshape(s.shape)
    return (found * weight) @ shape * lengths([mesh], order)[:, None]


def bending(mesh: Any, arcs: np.ndarray | None = None, *, shear: bool = True) -> np.ndarray:
    """Return (n, 4) EA, k11, k12, k22 of two-node elements: moments ``k t`` at their ends for rotations t relative to
    the chord, with their arc lengths or those given, with or without shear.

    From the flexibility, with the moment linear and the shear force constant along the element, which is exact under
    loads at the nodes: ``int M_i M_j / EI ds + int V_i V_j / GA ds``, ``M_1 = x - 1``, ``M_2 = x``, ``V_i = -1/L``.
    """
    x, weight = gauss(FLEXIBILITY_POINTS)
    L = lengths([mesh], 1) if arcs is None else arcs
    found = values(
        [mesh], 1, x, lambda s: (1.0 / s.axial_stiffness, 1.0 / s.shear_stiffness, 1.0 / s.bending_stiffness)
    )
    axial, across, curve = np.moveaxis(found, 2, 0)
    sheared = shear * (across @ weight) / L
    f11, f12, f22 = (L * (curve @ (weight * m)) + sheared for m in ((1.0 - x) ** 2, x * (x - 1.0), x**2))
    determinant = f11 * f22 - f12**2
    return np.stack((1.0 / (axial @ weight), f22 / determinant, -f12 / determinant, f11 / determinant), axis=1)


def chord_stiffness(mesh: Any) -> np.ndarray:
    """Return (n, 6, 6) from the mean strains of two-node elements in space, in their middle frame, to force and moment
    there, for a linear moment: the inverse of ``int T^T C^-1 T dx``, ``T = [1, 0; x turned, 1]``, x from the middle,
    ``M' = turned V``.
    """
    x, weight = gauss(FLEXIBILITY_POINTS)
    L = lengths([mesh], 1)
    middle = np.linalg.inv(values([mesh], 1, MIDDLE, lambda section: section.stiffness))
    change = np.linalg.inv(values([mesh], 1, x, lambda section: section.stiffness)) - middle
    turned = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
    lever = np.zeros((len(L), len(x), 6, 6))
    lever[:] = np.eye(6)
    lever[:, :, 3:, :3] += (L[:, None] * (x - 0.5))[:, :, None, None] * turned
    flexibility = middle[:, 0].copy()
    flexibility[:, :3, :3] += L[:, None, None] ** 2 / 12.0 * (turned.T @ middle[:, 0, 3:, 3:] @ turned)
    flexibility += np.einsum("g,egji,egjk,egkl->eil", weight, lever, change, lever)
    return np.ascontiguousarray(np.linalg.inv(flexibility))


def lengths(meshes: Sequence[Any], order: int) -> np.ndarray:
    """Return (n) arc lengths of the elements of meshes, one below the other (m)."""
    found = [(each[1:] - each[:-1]) * mesh.beam.length for mesh in meshes for each in [ends(mesh, order)]]
    return np.concatenate(found)
