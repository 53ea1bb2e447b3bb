"""Rigid inertia and forces in space, each family alone: derivatives, energy, power, frame indifference."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import pliant as pl
from pliant.elements.rigid import spatial as rigid
from pliant.forces._law.family import law_family
from pliant.forces.dashpot import spatial as dashpot
from pliant.forces.distributed import spatial as distributed
from pliant.forces.drag import spatial as drag
from pliant.forces.gravity import spatial as gravity
from pliant.forces.point import spatial as point
from pliant.forces.state_force import spatial as state_force
from pliant.forces.tendon import spatial as tendon
from pliant.kernels.sums import Instant, Into
from tests.contract.spatial import (
    Assembly,
    Layout,
    close,
    cross_matrix,
    derivative,
    exponential,
    marker,
    matrix,
    product,
    rotated,
)

spring, torsion_spring, motor = (law_family(law, "spatial") for law in (pl.Spring, pl.TorsionSpring, pl.Motor))


def random_state(layout, rng):
    """Return configuration, velocity and acceleration."""
    n = layout.ground
    q = layout.configuration(rng.standard_normal((n, 3)), exponential(rng.standard_normal((n, 3))))
    v, a = (np.append(rng.standard_normal(6 * n), np.zeros(6)) for _ in range(2))
    return q, v, a


def inertia(rng):
    """Return the inertia of some body."""
    x = rng.standard_normal((3, 3))
    J = x @ x.T
    return np.trace(J) * np.eye(3) - J


@pytest.fixture
def bodies(rng):
    """Return a body, and a mass on an arm of another node."""
    body = SimpleNamespace(node=0, mass=1.3, inertia_matrix=inertia(rng))
    lump = SimpleNamespace(marker=marker(1, (0.3, -0.2, 0.5), (0.4, 0.1, -0.8)), mass=0.7, inertia_matrix=inertia(rng))
    return Layout(2, rigid_bodies=[body], model=SimpleNamespace(point_masses=[lump], forces=[]))


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


ARM, TURN = (0.3, -0.2, 0.5), (0.4, 0.1, -0.8)


def loads(layout, kind, follower):
    """Return a force or moment on the second of two nodes."""
    load = object.__new__(kind)
    load.__dict__.update(x=1.0, y=-2.0, z=0.5, follower=follower, marker=marker(1, ARM, TURN))
    layout.given = [(kind, load)]
    return Assembly(point, layout)


@pytest.mark.parametrize("follower", [False, True])
@pytest.mark.parametrize("kind", [pl.Force, pl.Moment])
def test_loads_have_exact_tangents(kind, follower, rng):
    layout = Layout(2)
    part = loads(layout, kind, follower)
    q, v, _ = random_state(layout, rng)
    close(part.assemble(q, ck=1.0)[1], part.chart_tangent(q), 1e-8)
    assert point.unsymmetric(part.part) == (follower or kind is pl.Moment)
    supplied, lost = part.power(q, v)
    assert lost == 0.0
    if kind is pl.Force and not follower:
        assert supplied == 0.0
        close(part.residual(q), derivative(lambda x: part.energy(layout.moved(q, x))[1], part.still), 1e-8)
    else:
        assert part.energy(q)[1] == 0.0
        assert supplied == pytest.approx(-part.residual(q) @ v[:-6], rel=1e-12)


@pytest.mark.parametrize("follower", [False, True])
def test_loads_act_in_the_axes_they_say(follower, rng):
    layout = Layout(2)
    q, _, _ = random_state(layout, rng)
    R = matrix(q[22:26])
    seen = np.array([1.0, -2.0, 0.5])
    if follower:
        seen = R @ matrix(exponential(TURN)) @ seen
    r = -loads(layout, pl.Force, follower).residual(q)[6:]
    np.testing.assert_allclose(r[:3], seen, atol=1e-13)
    np.testing.assert_allclose(R @ r[3:], np.cross(R @ ARM, seen), atol=1e-13)
    r = -loads(layout, pl.Moment, follower).residual(q)[6:]
    np.testing.assert_allclose(r[:3], 0.0)
    np.testing.assert_allclose(R @ r[3:], seen, atol=1e-13)


def test_functions_of_the_state_have_tangents(rng):
    """Tangents at rest are right; forward differences of the user's function leave 1e-6 of them."""
    W, N = rng.standard_normal((6, 7)), rng.standard_normal((6, 6))
    force = SimpleNamespace(name="any", marker=marker(1, ARM, TURN), function=lambda t, x, v: W @ x + N @ v)
    layout = Layout(2)
    layout.given = [(pl.StateForce, force)]
    part = Assembly(state_force, layout)
    q, v, _ = random_state(layout, rng)
    still = np.zeros_like(v)
    close(part.assemble(q, still, ck=1.0)[1], part.chart_tangent(q, still), 1e-6)
    close(part.assemble(q, v, cc=1.0)[1], derivative(lambda x: part.residual(q, x), v), 1e-6)
    assert state_force.unsymmetric(part.part)
    assert part.power(q, v)[0] == pytest.approx(-part.residual(q, v) @ v[:-6], rel=1e-12)


def test_weight_and_load_per_length(bodies, rng):
    beam = SimpleNamespace()
    mesh = SimpleNamespace(beam=beam, nodes=np.array([0, 1]), tributary=np.array([0.2, 0.4]), carried_mass=(0.4, 1.2))
    mesh.carried_arms, mesh.borne = ((), ()), lambda factor: factor(0.5) * mesh.tributary
    bodies.beams = [mesh]
    bodies.given = [(pl.Gravity, SimpleNamespace(x=0.0, y=0.0, z=-9.81))]
    q, _, _ = random_state(bodies, rng)
    weight = -Assembly(gravity, bodies).residual(q).reshape(2, 6)
    np.testing.assert_allclose(weight[:, 2], [-9.81 * (1.3 + 0.4), -9.81 * (0.7 + 1.2)])
    bodies.given = [
        (pl.DistributedLoad, SimpleNamespace(beam=beam, x=1.0, y=2.0, z=3.0, follower=True, factor=lambda s: 1.0))
    ]
    part = Assembly(distributed, bodies)
    pushed = -part.residual(q).reshape(2, 6)
    np.testing.assert_allclose(pushed[1, :3], rotated(q[22:26], 0.4 * np.array([1.0, 2.0, 3.0])))
    np.testing.assert_allclose(pushed[:, 3:], 0.0, atol=1e-14)
    close(part.assemble(q, ck=1.0)[1], part.chart_tangent(q), 1e-8)


def between(layout, kind, family, nodes=(0, 1), **given):
    """Return a part between markers of two nodes."""
    a, b = marker(nodes[0], (0.1, 0.4, -0.3), (0.2, -0.4, 0.3)), marker(nodes[1], ARM, TURN)
    frame = exponential((0.0, 0.5, 0.1))
    said = {key: getattr(kind, key) for key in ("measures", "angle_around", "numbers", "inputs")} | {"ends": (a, b)}
    layout.given = [(kind, SimpleNamespace(a=a, b=b, frame_a=frame, frame_b=frame, **said, **given))]
    return Assembly(family, layout)


def check_dissipation(part, q, v):
    """Check that damping takes from the velocity the power it states."""
    supplied, lost = part.power(q, v)
    assert supplied == 0.0
    assert lost == pytest.approx((part.residual(q, v) - part.residual(q)) @ v[:-6], rel=1e-11)


def check_spring(part, layout, rng):
    """Check tangents, dissipation and potential, in a random state."""
    q, v, _ = random_state(layout, rng)
    part.check_tangents(q, v)
    check_dissipation(part, q, v)
    close(part.residual(q), derivative(lambda x: part.energy(layout.moved(q, x))[1], part.still), 1e-8)
    return q, v


ENDS = pytest.mark.parametrize("nodes", [(0, 1), (1, 0), (1, 2), (2, 0)])


@ENDS
def test_spring(nodes, rng):
    layout = Layout(2)
    part = between(layout, pl.Spring, spring, nodes, stiffness=3.0, rest_length=0.7, damping=0.4)
    q, v = check_spring(part, layout, rng)
    out = np.zeros((1, 3))
    spring.readings(part.part, q, v, part.u, out)
    places = [q[6 * m.node : 6 * m.node + 3] + rotated(q[18 + 4 * m.node :][:4], np.array(m.arm)) for m in ends(layout)]
    assert out[0, 0] == pytest.approx(np.linalg.norm(places[1] - places[0]), rel=1e-12)
    assert out[0, 2] == pytest.approx(3.0 * (out[0, 0] - 0.7) + 0.4 * out[0, 1], rel=1e-12)


def ends(layout):
    return layout.given[0][1].a, layout.given[0][1].b


@ENDS
def test_torsion_spring(nodes, rng):
    layout = Layout(2)
    part = between(layout, pl.TorsionSpring, torsion_spring, nodes, stiffness=3.0, rest_angle=0.7, damping=0.4)
    check_spring(part, layout, rng)


@pytest.mark.parametrize("angle", [0.3, -2.0, 3.0, 4.0])
def test_torsion_spring_measures_the_angle_of_a_pin(angle, rng):
    """Turned by an angle about the axis; further than half a turn from rest it counts from the other side."""
    layout = Layout(2)
    part = between(layout, pl.TorsionSpring, torsion_spring, stiffness=1.0, rest_angle=0.5, damping=0.0)
    a, b = ends(layout)
    frame = exponential((0.0, 0.5, 0.1))
    first = exponential(rng.standard_normal(3))
    outer = product(product(first, product(a.turn, frame)), exponential((0.0, 0.0, angle)))
    second = product(outer, product(b.turn, frame) * (1, -1, -1, -1))
    q = layout.configuration(np.zeros((2, 3)), np.stack((first, second)))
    wound = (angle - 0.5 + np.pi) % (2 * np.pi) - np.pi
    assert part.energy(q)[1] == pytest.approx(0.5 * wound**2, rel=1e-12)
    axis = rotated(outer, np.array([0.0, 0.0, 1.0]))
    r = part.residual(q)
    np.testing.assert_allclose(rotated(first, r[3:6]), -wound * axis, atol=1e-13)
    np.testing.assert_allclose(rotated(second, r[9:12]), wound * axis, atol=1e-13)


@ENDS
def test_motor(nodes, rng):
    layout = Layout(2)
    part = between(layout, pl.Motor, motor, nodes, torque=2.5)
    q, v, _ = random_state(layout, rng)
    K = part.assemble(q, ck=1.0)[1]
    close(K, part.chart_tangent(q), 1e-8)
    close(K, K.T, 1e-15)
    assert part.power(q, v)[0] == pytest.approx(-part.residual(q) @ v[:-6], rel=1e-12)


def test_dashpot_and_drag(rng):
    layout = Layout(2)
    layout.given = [(pl.Dashpot, SimpleNamespace(marker=marker(1, ARM), x=0.3, y=0.5, z=0.9, turn=0.2))]
    q, v, _ = random_state(layout, rng)
    part = Assembly(dashpot, layout)
    part.check_tangents(q, v)
    check_dissipation(part, q, v)
    mesh = SimpleNamespace(beam=object(), nodes=np.array([0, 1]), tributary=np.array([0.2, 0.4]))
    layout.beams = [mesh]
    layout.given = [(pl.Drag, SimpleNamespace(beam=mesh.beam, x=1.0, y=2.0, z=3.0))]
    part = Assembly(drag, layout)
    close(part.assemble(q, v, cc=1.0)[1], derivative(lambda x: part.residual(q, x), v), 1e-8)
    check_dissipation(part, q, v)


def tendon_through(layout, q, count, **given):
    """Return a tendon from node 0 through guides on nodes 1, 2, the ground and node 0 again."""
    markers = [
        marker(0, (0.1, 0.4, -0.3)),
        marker(1, (0.5, 0.2, 0.1)),
        marker(2, (-0.3, 0.2, 0.7)),
        marker(layout.ground, (0.2, 0.1, -0.4)),
        marker(0, (0.0, -0.6, 0.2)),
    ][:count]
    law = {"stiffness": 30.0, "tension": 0.3, "damping": 0.0, "largest_force": None, "friction": 0.0, "sliding": 0}
    values = SimpleNamespace(**{**law, "friction_speed": 0.8, "guides": markers[1:-1], "markers": markers, **given})
    layout.assembled = q
    values.rest = lambda length: 0.9 * length
    values.slack = lambda length: 0.5
    layout.given = [(pl.Tendon, values)]
    return Assembly(tendon, layout)


@pytest.mark.parametrize("count", [2, 3, 5])
@pytest.mark.parametrize("damping", [0.0, 0.7])
@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_tendon(count, damping, friction, rng):
    layout = Layout(3)
    q, v, _ = random_state(layout, rng)
    part = tendon_through(layout, q, count, damping=damping, friction=friction)
    if damping or (friction and count > 2):
        part.check_tangents(q, v)
        supplied, lost = part.power(q, v)
        assert supplied == 0.0
        assert lost > 0.0
        assert lost == pytest.approx((part.residual(q, v) - part.residual(q)) @ v[:-6], rel=1e-10)
    else:
        close(part.assemble(q, v, ck=1.0)[1], part.chart_tangent(q), 1e-8)
        close(part.residual(q), derivative(lambda x: part.energy(layout.moved(q, x))[1], part.still), 1e-8)
    out = np.zeros((1, 3))
    tendon.readings(part.part, q, v, part.u, out)
    (given,) = layout.forces(pl.Tendon)
    steps = np.diff([layout.place(m) for m in given.markers], axis=0)
    assert out[0, 0] == pytest.approx(np.sum(np.linalg.norm(steps, axis=1)), rel=1e-12)


def test_tendon_in_the_plane_is_the_planar_tendon(rng):
    """A planar route gives the planar tendon's tensions, friction and tangents."""
    layout = Layout(3)
    angle, points = rng.uniform(-1, 1, 3), rng.standard_normal((3, 2))
    turns = exponential(np.column_stack((np.zeros((3, 2)), angle)))
    q = layout.configuration(np.column_stack((points, np.zeros(3))), turns)
    part = tendon_through(layout, q, 5, damping=0.2, friction=0.3)
    flat = part.part.offsets.reshape(5, 3)
    flat[:, 2] = 0.0
    v = np.zeros((4, 6))
    v[:3, [0, 1, 5]] = rng.standard_normal((3, 3))
    r = part.residual(q, v.ravel()).reshape(3, 6)
    nodes = np.array([0, 1, 2, 3, 0])
    dofs = (3 * nodes[:, None] + np.arange(3)).ravel()
    slots = np.zeros(120, np.uint32)
    planar = part.part._replace(
        dofs=dofs[None].astype(np.uint32),
        slots=slots[None],
        frames=np.empty((1, 0), np.uint32),
        offsets=np.ascontiguousarray(flat[:, :2]).reshape(1, 10),
    )
    pose = np.append(np.column_stack((points, angle)), np.zeros(3))
    expected = np.zeros(12)
    flat_v = v[:, [0, 1, 5]].ravel()
    into = Into(0.0, 0.0, 0.0, expected, np.zeros(1), np.zeros(1))
    tendon.add(planar, Instant(pose, flat_v, flat_v, part.u), into)
    close(r[:, [0, 1, 5]], expected[:9].reshape(3, 3), 1e-12)
    np.testing.assert_allclose(r[:, [2, 3, 4]], 0.0, atol=1e-12)


def test_cross_matrix_of_the_tests():
    a, x = np.array([1.0, 2.0, 3.0]), np.array([-0.3, 0.5, 0.2])
    np.testing.assert_allclose(cross_matrix(a) @ x, np.cross(a, x))
