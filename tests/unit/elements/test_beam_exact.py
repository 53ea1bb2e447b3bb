"""Geometrically exact beam: shapes, and the kernel of any order against the unrolled two-node kernel."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from pliant.elements.beam_exact import Exact, planar, planar_order
from pliant.kernels.beam_points.shapes import gauss, lagrange, mass_shares
from pliant.kernels.sums import Instant, Into
from tests.contract.meshes import as_packed

SECTION = SimpleNamespace(
    hyperelastic=False,
    uniform=True,
    axial_stiffness=300.0,
    shear_stiffness=120.0,
    bending_stiffness=2.0,
    mass_per_length=1.7,
    rotary_inertia=0.03,
)


def bent_mesh(options, elements, first=0):
    """Return a beam with a quarter turn at rest."""
    s = np.linspace(0, 1, elements * options.order + 1)
    pose = np.stack((np.sin(s), 1 - np.cos(s), s), axis=1)
    connectivity = first + options.order * np.arange(elements)[:, None] + np.arange(options.order + 1)
    beam = SimpleNamespace(length=1.0, section=SECTION, section_at=lambda s: SECTION)
    return SimpleNamespace(beam=beam, options=options, s=s, pose=pose, connectivity=connectivity, alpha=0.2, beta=0.01)


def dense(part, size):
    i, j = np.tril_indices(part.dofs.shape[1])
    dofs = np.minimum(part.dofs, size).astype(int)
    places = np.maximum(dofs[:, i], dofs[:, j]) * (size + 1) + np.minimum(dofs[:, i], dofs[:, j])
    return part._replace(slots=as_packed(places))


def evaluate(kernels, part, size, rng, mixed):
    """Return everything the two-node and the general kernels have in common."""
    q, v, a = (rng.standard_normal(size + 3) for _ in range(3))
    part = dense(part, size)
    stress, r, s = np.zeros(kernels.stress_size(part)), np.zeros(size + 3), np.zeros((size + 1) ** 2)
    kernels.stretch(part, q, 0.1 * v, stress)
    kernels.add(part, Instant(q, v, a, a), Into(1.1, 1.2, 1.3, r, s, s), stress, mixed)
    return [r, s, *kernels.energy(part, q, v), *kernels.power(part, q, v)]


@pytest.mark.parametrize("mass", ["consistent", "lumped"])
@pytest.mark.parametrize("mixed", [False, True])
def test_any_order_kernel_at_order_one_is_the_two_node_kernel(mass, mixed):
    mesh = bent_mesh(Exact(mass=mass), 4)
    two_node = planar.pack(SimpleNamespace(beams=[mesh], ground=5))
    general = planar_order.arrays([mesh], ground=5)
    first = evaluate(planar, two_node, 15, np.random.default_rng(3), mixed)
    second = evaluate(planar_order, general, 15, np.random.default_rng(3), mixed)
    for x, y in zip(first, second, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-11, atol=1e-10)


def test_beams_of_several_orders_share_the_arrays(rng):
    meshes = [bent_mesh(Exact(order=3), 2), bent_mesh(Exact(order=2), 3, first=7)]
    q, v, a = (rng.standard_normal(45) for _ in range(3))

    def residual(chosen):
        part = dense(planar_order.pack(SimpleNamespace(beams=chosen, ground=14)), 42)
        r, s = np.zeros(45), np.zeros(43**2)
        planar_order.add(part, Instant(q, v, a, a), Into(1.0, 2.0, 3.0, r, s, s), np.zeros(1), False)
        out = np.zeros((sum(len(planar_order.stations(mesh)) for mesh in chosen), 3))
        planar_order.resultants(part, q, v, out)
        return r, s, out

    together, first, second = residual(meshes), residual(meshes[:1]), residual(meshes[1:])
    for k in (0, 1):
        np.testing.assert_allclose(together[k], first[k] + second[k], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(together[2], np.concatenate((first[2], second[2])), rtol=1e-12)


@pytest.mark.parametrize("kernels", [planar, planar_order])
def test_no_beams_are_no_rows(kernels):
    part = kernels.pack(SimpleNamespace(beams=[], ground=2))
    r, s = np.zeros(9), np.zeros(1)
    kernels.add(part, Instant(r, r, r, r), Into(1.0, 1.0, 1.0, r, s, s), s, False)
    assert len(part.dofs) == 0
    assert kernels.energy(part, r, r) == (0.0, 0.0)


@pytest.mark.parametrize("order", [1, 2, 3, 5, 8])
def test_shapes_interpolate(order):
    x = np.linspace(0, 1, 7)
    value, slope = lagrange(order, x)
    node = np.linspace(0, 1, order + 1)
    np.testing.assert_allclose(value @ node**order, x**order, atol=1e-12)
    np.testing.assert_allclose(slope @ node**order, order * x ** (order - 1), atol=1e-11)
    places, weights = gauss(order)
    assert weights @ places ** (2 * order - 1) == pytest.approx(1 / (2 * order), rel=1e-12)


@pytest.mark.parametrize("order", range(1, 8))
def test_mass_shares_sum_to_one_and_are_positive(order):
    for lumped in (False, True):
        shares = mass_shares(order, lumped=lumped)
        assert shares.sum() == pytest.approx(1.0, rel=1e-12)
        assert np.all(np.linalg.eigvalsh(shares) > 0)
