"""Rigid inertia and forces in space, each family alone: derivatives, energy, power, frame indifference."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from pliant.elements.rigid import spatial as rigid
from pliant.forces import DistributedLoad, Force, Gravity, Moment
from pliant.forces.distributed import spatial as distributed
from pliant.forces.gravity import spatial as gravity
from pliant.forces.point import spatial as point
from tests.contract.spatial import (
    Assembly,
    Layout,
    close,
    cross_matrix,
    derivative,
    exponential,
    marker,
    matrix,
    rotated,
)


def random_state(layout, rng):
    """Configuration, velocity and acceleration."""
    n = layout.ground
    q = layout.configuration(rng.standard_normal((n, 3)), exponential(rng.standard_normal((n, 3))))
    v, a = (np.append(rng.standard_normal(6 * n), np.zeros(6)) for _ in range(2))
    return q, v, a


def inertia(rng):
    """Of some body."""
    x = rng.standard_normal((3, 3))
    J = x @ x.T
    return np.trace(J) * np.eye(3) - J


@pytest.fixture
def bodies(rng):
    """A body, and a mass on an arm of another node."""
    body = SimpleNamespace(node=0, mass=1.3, inertia_matrix=inertia(rng))
    lump = SimpleNamespace(marker=marker(1, (0.3, -0.2, 0.5), (0.4, 0.1, -0.8)), mass=0.7, inertia_matrix=inertia(rng))
    return Layout(2, rigid_bodies=[body], model=SimpleNamespace(point_masses=[lump]))


def test_inertia_has_exact_tangents(bodies, rng):
    part = Assembly(rigid, bodies)
    part.check_tangents(*random_state(bodies, rng))
    assert rigid.gyroscopic(part.part)


def test_kinetic_energy_is_that_of_the_masses(bodies, rng):
    part = Assembly(rigid, bodies)
    q, v, _ = random_state(bodies, rng)
    (body,), (lump,) = bodies.rigid_bodies, bodies.model.point_masses
    R = matrix(q[22:26])
    speed = v[6:9] + R @ np.cross(v[9:12], lump.marker.arm)
    spin = matrix(lump.marker.turn).T @ v[9:12]
    expected = 0.5 * (body.mass * v[:3] @ v[:3] + v[3:6] @ body.inertia_matrix @ v[3:6])
    expected += 0.5 * (lump.mass * speed @ speed + spin @ lump.inertia_matrix @ spin)
    assert part.energy(q, v)[0] == pytest.approx(expected, rel=1e-12)


def test_power_of_inertia_forces_is_the_rate_of_kinetic_energy(bodies, rng):
    part = Assembly(rigid, bodies)
    q, v, a = random_state(bodies, rng)

    def kinetic(t):
        return part.energy(bodies.moved(q, t * v), v + t * a)[0]

    h = 1e-3
    rate = (
        45 * (kinetic(h) - kinetic(-h)) - 9 * (kinetic(2 * h) - kinetic(-2 * h)) + kinetic(3 * h) - kinetic(-3 * h)
    ) / (60 * h)
    assert part.residual(q, v, a) @ v[:-6] == pytest.approx(rate, rel=1e-9)


def test_free_body_spins_as_euler_says(rng):
    """A symmetric top without moments precesses at (Jx - J)/J w_x in its own frame."""
    top = SimpleNamespace(node=0, mass=1.0, inertia_matrix=np.diag([3.0, 2.0, 2.0]))
    part = Assembly(rigid, Layout(1, rigid_bodies=[top]))
    spin = np.array([1.5, 0.3, -0.4])
    rate = (3.0 - 2.0) / 2.0 * spin[0]
    v, a = np.zeros(12), np.zeros(12)
    v[3:6], a[3:6] = spin, (0.0, -rate * spin[2], rate * spin[1])
    q = part.layout.configuration(np.zeros((1, 3)), exponential(np.ones((1, 3))))
    np.testing.assert_allclose(part.residual(q, v, a), 0.0, atol=1e-14)


def loads(layout, **given):
    force = {"x": 1.0, "y": -2.0, "z": 0.5, "follower": False}
    moment = {"value": 1.7, "direction": np.array([0.6, 0.0, 0.8]), "follower": False}
    at = marker(1, (0.3, -0.2, 0.5), (0.4, 0.1, -0.8))
    if "value" in given or "moment" in given:
        layout.given = [(Moment, SimpleNamespace(**{**moment, "marker": at, "follower": given.get("follower", False)}))]
    else:
        layout.given = [(Force, SimpleNamespace(**{**force, "marker": at, **given}))]
    return Assembly(point, layout)


@pytest.mark.parametrize("follower", [False, True])
@pytest.mark.parametrize("kind", ["force", "moment"])
def test_loads_have_exact_tangents(kind, follower, rng):
    layout = Layout(2)
    part = loads(layout, follower=follower, **({"moment": True} if kind == "moment" else {}))
    q, v, _ = random_state(layout, rng)
    close(part.assemble(q, ck=1.0)[1], part.chart_tangent(q), 1e-8)
    assert point.unsymmetric(part.part) == (follower or kind == "moment")
    supplied, lost = part.power(q, v)
    assert lost == 0.0
    if kind == "force" and not follower:
        assert supplied == 0.0
        close(part.residual(q), derivative(lambda x: part.energy(layout.moved(q, x))[1], part.still), 1e-8)
    else:
        assert part.energy(q)[1] == 0.0
        assert supplied == pytest.approx(-part.residual(q) @ v[:-6], rel=1e-12)


def test_loads_act_in_the_axes_they_say(rng):
    layout = Layout(2)
    q, _, _ = random_state(layout, rng)
    R, at = matrix(q[22:26]), marker(1, (0.3, -0.2, 0.5), (0.4, 0.1, -0.8))
    force = np.array([1.0, -2.0, 0.5])
    for follower in (False, True):
        seen = R @ matrix(at.turn) @ force if follower else force
        r = -loads(layout, follower=follower).residual(q)[6:]
        np.testing.assert_allclose(r[:3], seen, atol=1e-13)
        np.testing.assert_allclose(R @ r[3:], np.cross(R @ at.arm, seen), atol=1e-13)
        moment = 1.7 * np.array([0.6, 0.0, 0.8])
        seen = R @ matrix(at.turn) @ moment if follower else moment
        r = -loads(layout, follower=follower, moment=True).residual(q)[6:]
        np.testing.assert_allclose(R @ r[3:], seen, atol=1e-13)


def test_weight_and_load_per_length(bodies, rng):
    beam = SimpleNamespace(section=SimpleNamespace(mass_per_length=2.0))
    mesh = SimpleNamespace(beam=beam, nodes=np.array([0, 1]), tributary=np.array([0.2, 0.4]))
    bodies.beams = [mesh]
    bodies.given = [(Gravity, SimpleNamespace(x=0.0, y=0.0, z=-9.81))]
    q, _, _ = random_state(bodies, rng)
    weight = -Assembly(gravity, bodies).residual(q).reshape(2, 6)
    np.testing.assert_allclose(weight[:, 2], [-9.81 * (1.3 + 0.4), -9.81 * (0.7 + 0.8)])
    bodies.given = [(DistributedLoad, SimpleNamespace(beam=beam, x=1.0, y=2.0, z=3.0, follower=True))]
    part = Assembly(distributed, bodies)
    pushed = -part.residual(q).reshape(2, 6)
    np.testing.assert_allclose(pushed[1, :3], rotated(q[22:26], 0.4 * np.array([1.0, 2.0, 3.0])))
    np.testing.assert_allclose(pushed[:, 3:], 0.0, atol=1e-14)
    close(part.assemble(q, ck=1.0)[1], part.chart_tangent(q), 1e-8)


def test_cross_matrix_of_the_tests():
    a, x = np.array([1.0, 2.0, 3.0]), np.array([-0.3, 0.5, 0.2])
    np.testing.assert_allclose(cross_matrix(a) @ x, np.cross(a, x))
