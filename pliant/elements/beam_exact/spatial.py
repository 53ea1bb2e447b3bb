"""Two-node geometrically exact beam in space (J.C. Simo, CMAME 49, 1985), one Gauss point.

With the mean section R, ``d = x2 - x1`` and the relative rotation psi of the sections, per unit of rest length L:

    strain       Gamma = R^T d/L - Gamma_rest,   kappa = psi/L - kappa_rest
    resultants   (N, M) = C (Gamma, kappa)                          (+ beta times their rates: Kelvin-Voigt)

In the plane this is `planar`. Dependence of the strains on the ends, and the exact Hessian: elements/_spatial_pair.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.elements import _spatial_beams
from pliant.elements._beams import ends, meshes_of, rest_size
from pliant.elements._spatial_beams import SpatialLayout
from pliant.elements._spatial_pair import Pair, rates
from pliant.elements._spatial_two_node import block, kernels
from pliant.elements.beam_exact import Exact
from pliant.jit import kernel
from pliant.kernels.tensors import Matrix, scaled
from pliant.kernels.triples import Vector, minus, times, vector


class Arrays(NamedTuple):
    """Arrays of elements, one row each."""

    dofs: np.ndarray  # (n, 12)
    slots: np.ndarray  # (n, 78)
    frames: np.ndarray  # (n, 2)
    length: np.ndarray
    stiffness: np.ndarray  # (n, 6, 6)
    rest: np.ndarray  # (n, 6) Gamma, kappa of the unstressed element
    mass: np.ndarray  # (n, 3) of the nodes, and shared by both
    rotary: np.ndarray  # (n, 9) of the nodes, and shared by both
    alpha: np.ndarray
    beta: np.ndarray
    damped: bool  # True if any alpha or beta is not zero
    stress_start: int = 0


meshes = meshes_of(Exact, lambda options: options.order == 1)


def pack(layout: SpatialLayout) -> Arrays:
    """Pack beams whose options are Exact with order 1."""
    rows = _spatial_beams.rows(meshes(layout))
    return Arrays(
        **_spatial_beams.two_node(layout, rows),
        stiffness=rows.stiffness,
        rest=np.hstack(_spatial_beams.seen_ends(rows)) / rows.length[:, None],
    )


stations, stress_size, gyroscopic = ends, rest_size, _spatial_beams.gyroscopic


@kernel
def seen(s: Vector) -> Vector:
    """Return s: strains need no further function of it."""
    return s


@kernel
def strained(part: Arrays, e: int, pair: Pair, s: Vector) -> tuple[Vector, Vector]:
    """Return the strains, less the rest shape's."""
    f, rest = 1.0 / part.length[e], part.rest[e]
    return minus(times(f, s), vector(rest, 0)), minus(times(f, pair.psi), vector(rest, 3))


@kernel
def strain_rates(part: Arrays, e: int, v: np.ndarray, pair: Pair, s: Vector) -> tuple[Vector, Vector]:
    """Return the rates of the strains at velocity v (or their change over a small step v): B v."""
    f, (moved, turned) = 1.0 / part.length[e], rates(v, part.dofs, e, pair)
    return times(f, moved), times(f, turned)


@kernel
def pushes(part: Arrays, e: int, pair: Pair, s: Vector, N: Vector, M: Vector) -> tuple[Vector, Vector]:
    """Return the derivatives of the energy by s and psi: the resultants."""
    return N, M


@kernel
def curvatures(
    part: Arrays, e: int, pair: Pair, s: Vector, N: Vector, material: float
) -> tuple[Matrix, Matrix, Matrix]:
    """Return the second derivatives of the energy by s, by s and psi, by psi."""
    f, C = material / part.length[e], part.stiffness
    return scaled(f, block(C, e, 0, 0)), scaled(f, block(C, e, 0, 3)), scaled(f, block(C, e, 3, 3))


add, energy, power, stretch, pull, resultants = kernels(seen, strained, strain_rates, pushes, curvatures)
