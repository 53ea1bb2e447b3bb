"""Contacts and stops, each family alone, in space and in the plane: derivatives, energy, power, frame indifference."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from pliant.forces import Contact, Stop
from pliant.forces.contact import planar as contact_in_plane
from pliant.forces.contact import spatial as contact
from pliant.forces.stop import planar as stop_in_plane
from pliant.forces.stop import spatial as stop
from pliant.kernels.contact_gaps import FREEDOMS, OUT, RATES, WHO
from pliant.model import rotations
from pliant.system.numbering.space import PLANE
from tests.contract.meshes import as_packed
from tests.contract.spatial import Assembly, Layout, call, close, derivative, exponential, marker

SURFACES = {
    "plane": (0.0, 0.0, 1.0),
    "cone": (0.4, np.cos(0.6), np.sin(0.6)),
    "ring": (0.4, 0.0, 0.0),
}
FAR = {"far cone": (-0.4, -np.cos(0.6), np.sin(0.6)), "far ring": (-0.02, 0.0, 0.0)}
INSIDE = {
    "plane": (0.3, -0.2, 0.06),
    "cone": (0.3, 0.24, -0.05),
    "ring": (0.3, 0.32, 0.02),
    "far cone": (0.15, 0.1, -0.9),
    "far ring": (0.02, 0.01, 0.03),
}


def touching_part(surface, *, friction=0.3, damping=0.4, exponent=1.5, ball=0.1):
    """Return a ball on node 1 against a surface on node 0."""
    return SimpleNamespace(
        a=marker(0, (0.1, -0.2, 0.3), (0.3, 0.2, -0.4)),
        b=marker(1, (-0.2, 0.1, 0.15), (0.1, 0.5, 0.2)),
        frame_a=rotations.IDENTITY,
        frame_b=rotations.IDENTITY,
        radius=ball,
        shapes=[(SURFACES | FAR)[surface]],
        stiffness=50.0,
        exponent=exponent,
        damping=damping,
        friction=friction,
        friction_speed=0.3,
        balls=lambda spatial: np.zeros((1, 3)),
    )


def closed(layout, part, surface, rng):
    """Return a configuration with the gap closed by some centimetres, and velocities."""
    turns = exponential(0.5 * rng.standard_normal((2, 3)))
    q = layout.configuration(rng.standard_normal((2, 3)), turns)
    axes = rotations.product(rotations.product(turns[0], part.a.turn), rotations.IDENTITY)
    wanted = layout.place(part.a, q) + rotations.rotate(axes, np.array(INSIDE[surface]))
    q[6:9] += wanted - layout.place(part.b, q)
    return q, np.append(0.7 * rng.standard_normal(12), np.zeros(6))


@pytest.fixture(params=SURFACES | FAR)
def touched(request):
    rng = np.random.default_rng(3)
    part, layout = touching_part(request.param), Layout(2)
    layout.given = [(Contact, part)]
    return Assembly(contact, layout), *closed(layout, part, request.param, rng)


def test_tangents_of_contact_in_space(touched) -> None:
    assembly, q, v = touched
    assert np.max(np.abs(assembly.residual(q, v))) > 0.1
    assembly.check_tangents(q, v, tolerance=1e-7)


def test_force_is_the_gradient_of_the_energy_and_losses(touched) -> None:
    """r . v = rate of the potential + dissipated power, and no loss is negative."""
    assembly, q, v = touched
    rate = derivative(
        lambda x: np.array([assembly.energy(assembly.layout.moved(q, x))[1]]), np.zeros(assembly.n + 6), 1e-4
    )
    lost = assembly.power(q, v)[1]
    assert lost > 0.0
    assert assembly.residual(q, v) @ v[:12] == pytest.approx(float(rate[0] @ v[:12]) + lost, rel=1e-7)


def test_contact_does_not_feel_a_rigid_motion(touched) -> None:
    assembly, q, v = touched
    moved = assembly.layout.rigid(q, (0.4, -0.8, 0.3), (1.0, 2.0, -0.5))
    turned = v.copy()
    for k in (0, 6):
        turned[k : k + 3] = rotations.rotate(exponential((0.4, -0.8, 0.3)), v[k : k + 3])
    before, after = assembly.residual(q, v), assembly.residual(moved, turned)
    assert assembly.energy(moved)[1] == pytest.approx(assembly.energy(q)[1], rel=1e-12)
    close(after[[3, 4, 5, 9, 10, 11]], before[[3, 4, 5, 9, 10, 11]], 1e-12)


def test_rates_of_the_gap(touched) -> None:
    """The first rates of an opening are the gradient of its gap."""
    assembly, q, _ = touched

    def opened(q):
        who, out = np.zeros((1, WHO), np.int64), np.zeros((1, OUT))
        assert contact.openings(assembly.part, q, 0.0, who, out) == 1
        assert who[0, FREEDOMS : FREEDOMS + 13].tolist() == [*range(12), -1]
        return out[0]

    slope = derivative(lambda x: opened(assembly.layout.moved(q, x))[:1], np.zeros(18), 1e-4)
    np.testing.assert_allclose(opened(q)[RATES : RATES + 12], slope[0], atol=1e-9)


@pytest.mark.parametrize("surface", SURFACES)
def test_open_gap_does_nothing(surface: str) -> None:
    part, layout = touching_part(surface, ball=0.0), Layout(2)
    layout.given = [(Contact, part)]
    assembly = Assembly(contact, layout)
    q, v = closed(layout, part, surface, np.random.default_rng(3))
    if surface == "cone":
        q[6:9] = layout.place(part.a, q) - (layout.place(part.b, q) - q[6:9])
    assert not np.any(assembly.residual(q, v))
    assert assembly.energy(q) == (0.0, 0.0)
    assert assembly.power(q, v) == (0.0, 0.0)


def test_contact_never_pulls() -> None:
    """Leaving fast, the damper would pull: the force is zero."""
    part, layout = touching_part("plane", friction=0.0, damping=10.0), Layout(2)
    layout.given = [(Contact, part)]
    assembly = Assembly(contact, layout)
    q, v = closed(layout, part, "plane", np.random.default_rng(3))
    normal = assembly.residual(q, 0.0 * v)[:3]
    leaving = np.zeros(18)
    leaving[6:9] = 5.0 * normal / np.linalg.norm(normal)
    assert not np.any(assembly.residual(q, leaving))
    assert assembly.power(q, leaving)[1] > 0.0


def planar_layout(parts):
    """Return two nodes in the plane."""

    class Plane:
        space = PLANE
        ground = 2

        def forces(self, kind):
            return [part for of, part in parts if of is kind]

        def node(self, marker):
            return marker.node

        def offset(self, marker):
            return (*marker.arm[:2], marker.angle)

        def turn(self, marker):
            return marker.angle

        def frames(self, nodes, count=1):
            return np.empty((len(nodes), 0), np.uint32)

        def dofs(self, nodes, count=1):
            table = np.asarray(nodes, np.int64).reshape(-1, count, 1)
            return np.ascontiguousarray((3 * table + np.arange(3)).reshape(-1, 3 * count), np.uint32)

    return Plane()


def planar_tangents(family, part, q, v, tolerance):
    """Compare the matrices of a planar family with differences of its residual."""
    n = 6
    i, j = np.tril_indices(part.dofs.shape[1])
    row, column = np.maximum(part.dofs[:, i], part.dofs[:, j]), np.minimum(part.dofs[:, i], part.dofs[:, j])
    part = part._replace(slots=as_packed(row.astype(np.int64) * (row + 1) // 2 + column))

    def assemble(q, v, ck, cc):
        known = {"q": q, "v": v, "ck": ck, "cc": cc, "r": np.zeros(n), "s": np.zeros(21), "w": np.zeros(21)}
        call(family.add, part, known)
        s, w = np.zeros((n, n)), np.zeros((n, n))
        s[np.tril_indices(n)], w[np.tril_indices(n)] = known["s"], known["w"]
        return known["r"], s + np.tril(s, -1).T + w - w.T

    pad = np.zeros(6)
    by_q = derivative(lambda x: assemble(x[:6], v, 0.0, 0.0)[0], np.append(q, pad), 1e-4)
    by_v = derivative(lambda x: assemble(q, x[:6], 0.0, 0.0)[0], np.append(v, pad), 1e-4)
    close(assemble(q, v, 1.0, 0.0)[1], by_q, tolerance)
    close(assemble(q, v, 0.0, 1.0)[1], by_v, tolerance)


@pytest.mark.parametrize("surface", SURFACES)
def test_tangents_of_contact_in_the_plane(surface: str) -> None:
    part = touching_part(surface)
    part.a = SimpleNamespace(node=0, arm=(0.1, -0.2), angle=0.3)
    part.b = SimpleNamespace(node=1, arm=(-0.2, 0.1), angle=0.2)
    arrays = contact_in_plane.pack(planar_layout([(Contact, part)]))
    inside = {"plane": (0.3, 0.06), "cone": (0.43, 0.0), "ring": (0.37, 0.04)}[surface]
    q, v = np.array([0.2, 0.4, 0.5, 0.0, 0.0, -0.3]), np.array([0.3, -0.2, 0.6, -0.5, 0.4, -0.7])

    def turn(angle, x):
        return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) @ x

    q[3:5] = q[:2] + turn(q[2], np.array(part.a.arm) + turn(part.a.angle, inside)) - turn(q[5], part.b.arm)
    planar_tangents(contact_in_plane, arrays, q, v, 1e-7)


@pytest.fixture
def turned_stop():
    return SimpleNamespace(
        slides=False,
        middle=0.25,
        width=0.9,
        law=(30.0, 1.5, 0.4),
        ends=lambda: iter([(-0.2, 1.0), (0.7, -1.0)]),
        a=marker(0, turn=(0.3, 0.2, -0.4)),
        b=marker(1, turn=(0.1, 0.5, 0.2)),
        frame_a=rotations.IDENTITY,
        frame_b=rotations.IDENTITY,
    )


@pytest.mark.parametrize("angle", [-0.5, 1.1])
def test_tangents_of_stop_in_space(turned_stop, angle: float) -> None:
    layout, rng = Layout(2), np.random.default_rng(5)
    layout.given = [(Stop, turned_stop)]
    assembly = Assembly(stop, layout)
    first = exponential(rng.standard_normal(3))
    joint = rotations.product(rotations.product(first, turned_stop.a.turn), exponential((0.05, -0.1, angle)))
    second = rotations.product(joint, rotations.conjugate(turned_stop.b.turn))
    q = layout.configuration(np.zeros((2, 3)), [first, second])
    v = np.append(0.7 * rng.standard_normal(12), np.zeros(6))
    assert np.max(np.abs(assembly.residual(q, v))) > 0.1
    assembly.check_tangents(q, v, tolerance=1e-7)
    rate = derivative(lambda x: np.array([assembly.energy(layout.moved(q, x))[1]]), np.zeros(18), 1e-4)
    power = assembly.residual(q, v) @ v[:12]
    assert power == pytest.approx(float(rate[0] @ v[:12]) + assembly.power(q, v)[1], rel=1e-7)


@pytest.mark.parametrize("angle", [-0.5, 1.1])
def test_tangents_of_stop_in_the_plane(turned_stop, angle: float) -> None:
    turned_stop.a = SimpleNamespace(node=0, arm=(0.0, 0.0), angle=0.3)
    turned_stop.b = SimpleNamespace(node=1, arm=(0.0, 0.0), angle=0.1)
    arrays = stop_in_plane.pack(planar_layout([(Stop, turned_stop)]))
    q, v = np.array([0.0, 0.0, 0.4, 0.0, 0.0, 0.4 + 0.3 - 0.1 + angle]), np.array([0, 0, 0.5, 0, 0, -0.3])
    planar_tangents(stop_in_plane, arrays, q, v, 1e-7)


def test_rim_has_its_balls_on_a_circle() -> None:
    from pliant.model import Body, Ground

    part = Contact("pad", Ground().at(0, 0), Body("b", mass=1.0, inertia=1.0).at(), stiffness=1.0, rim=0.2, points=8)
    assert part.balls(spatial=True).shape == (8, 3)
    np.testing.assert_allclose(np.linalg.norm(part.balls(spatial=True), axis=1), 0.2)
    np.testing.assert_allclose(part.balls(spatial=False), [(0.2, 0.0, 0.0), (-0.2, 0.0, 0.0)], atol=1e-15)
