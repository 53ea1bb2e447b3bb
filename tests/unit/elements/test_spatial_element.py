"""Forces and Hessian of an element of a beam in space, against differences, whatever its section couples."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from pliant.elements._spatial_two_node import block, stresses
from pliant.jit import allocating_kernel
from pliant.kernels import so3
from pliant.kernels.beam_points.shapes import tables
from pliant.kernels.beam_points.spatial import rates, strains
from pliant.kernels.beam_points.spatial_element import (
    add_point,
    add_pushes,
    begin,
    couples,
    element,
    move,
    pushes,
    rates_at,
    spread_force,
    spread_stiffness,
    strains_at,
)
from pliant.kernels.beam_points.spatial_sums import Tangent
from pliant.kernels.triples import times

ORDER = 3
FREEDOMS = 6 * (ORDER + 1)
STEP = 1e-5


class Part(NamedTuple):
    """One element."""

    dofs: np.ndarray
    slots: np.ndarray
    frames: np.ndarray
    order: np.ndarray
    length: np.ndarray
    shape: np.ndarray
    slope: np.ndarray
    weight: np.ndarray


@allocating_kernel
def assembled(part: Any, C: np.ndarray, q: np.ndarray, r: np.ndarray, s: np.ndarray) -> float:
    """Return the energy of strains from zero, its gradient and Hessian."""
    here, energy, coupled = element(part.order[0] + 1), 0.0, couples(C)
    begin(part, 0, q, here, True)
    for g in range(part.order[0]):
        at, whole = strains_at(part, 0, g, here), part.weight[part.order[0], g] * part.length[0]
        N, M = stresses(C, 0, at.Gamma, at.kappa)
        for k in range(3):
            energy += 0.5 * whole * (N[k] * at.Gamma[k] + M[k] * at.kappa[k])
        add_pushes(part, 0, g, whole, pushes(at, N, M), here.force)
        pushed, D = (times(whole, N), times(whole, M)), whole * C
        tangent = Tangent(block(D, 0, 0, 0), block(D, 0, 0, 3), block(D, 0, 3, 3))
        add_point(part, (0, g), at, pushed, tangent, coupled, here)
    spread_force(part.dofs, 0, part.order[0] + 1, here, here.force, r)
    spread_stiffness(part.slots, 0, part.order[0] + 1, here, s)
    return energy


@pytest.fixture
def part() -> Part:
    _, shape, slope, weight = tables([ORDER])
    nodes = np.arange(ORDER + 1)
    return Part(
        np.arange(FREEDOMS, dtype=np.uint32)[None],
        np.arange(FREEDOMS * (FREEDOMS + 1) // 2, dtype=np.uint32)[None],
        (FREEDOMS + 4 * nodes).astype(np.uint32)[None],
        np.array([ORDER], np.uint32),
        np.array([0.7]),
        shape,
        slope,
        weight,
    )


@pytest.fixture
def bent(rng: np.random.Generator) -> np.ndarray:
    """Return nodes of a crooked element."""
    q = np.zeros(FREEDOMS + 4 * (ORDER + 1))
    for i in range(ORDER + 1):
        q[6 * i : 6 * i + 3] = (0.7 * i / ORDER, 0.0, 0.0) + 0.05 * rng.standard_normal(3)
        turn = (1.0, 0.0, 0.0, 0.0) + 0.2 * rng.standard_normal(4)
        q[FREEDOMS + 4 * i : FREEDOMS + 4 * i + 4] = turn / np.linalg.norm(turn)
    return q


def found(part: Part, C: np.ndarray, q: np.ndarray, dq: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Return energy, gradient and Hessian after a step in the exponential chart of the nodes."""
    q = q.copy()
    q[:FREEDOMS] += dq
    so3.take_up(q, FREEDOMS, ORDER + 1)
    r, s = np.zeros(FREEDOMS), np.zeros(part.slots.size)
    energy = assembled(part, C, q, r, s)
    K = np.zeros((FREEDOMS, FREEDOMS))
    K[np.tril_indices(FREEDOMS)] = s
    return energy, r, K + np.tril(K, -1).T


@pytest.mark.parametrize("coupled", [False, True])
def test_forces_and_hessian_are_derivatives_of_the_energy(
    rng: np.random.Generator, part: Part, bent: np.ndarray, coupled: bool
) -> None:
    root = rng.standard_normal((6, 6))
    C = root @ root.T
    if not coupled:
        C[:3, 3:] = C[3:, :3] = 0.0
    C = C[None]
    assert couples(C) == coupled
    _, r, K = found(part, C, bent, np.zeros(FREEDOMS))
    steps = STEP * np.eye(FREEDOMS)
    ahead, behind = ([found(part, C, bent, sign * step)[0] for step in steps] for sign in (1.0, -1.0))
    np.testing.assert_allclose(r, (np.array(ahead) - behind) / (2.0 * STEP), atol=1e-8 * np.abs(r).max())
    # second differences of the energy: the chart's Hessian
    directions = rng.standard_normal((8, FREEDOMS))
    for x in directions:
        energies = [found(part, C, bent, 1e-3 * k * x / np.linalg.norm(x))[0] for k in (-2, -1, 0, 1, 2)]
        curved = np.dot((-1.0, 16.0, -30.0, 16.0, -1.0), energies) / (12.0 * 1e-6)
        np.testing.assert_allclose(x @ K @ x / (x @ x), curved, rtol=1e-5, atol=1e-5 * np.abs(K).max())


def test_strains_and_rates_are_those_of_single_points(rng: np.random.Generator, part: Part, bent: np.ndarray) -> None:
    v = rng.standard_normal(FREEDOMS)
    here = element(ORDER + 1)
    begin(part, 0, bent, here, False)
    move(part, 0, v, here)
    for g in range(ORDER):
        at, other = strains_at(part, 0, g, here), strains(part, 0, g, bent)
        np.testing.assert_allclose(at.Gamma + at.kappa, other.Gamma + other.kappa, rtol=1e-12, atol=1e-12)
        for one, two in zip(rates_at(part, 0, g, here, at), rates(part, 0, g, bent, v, other), strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-12, atol=1e-12)
