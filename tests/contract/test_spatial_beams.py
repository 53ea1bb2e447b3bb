"""One contract for all beam elements in space, each family alone."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pliant.elements._family import families
from pliant.elements.beam_corotational import Corotational
from pliant.elements.beam_corotational import planar as corotational
from pliant.elements.beam_exact import Exact, planar, planar_order
from pliant.kernels.sums import Instant, Into
from pliant.system.packing.family_checks import check_members
from tests.contract.meshes import as_packed, places_of_nodes, stand_in
from tests.contract.spatial import Assembly, Layout, close, cross_matrix, derivative, exponential, matrix, product

ELSEWHERE = (".beam_fed", "_fibres")  # test_fed_beams, test_hyperelastic_beams
FAMILIES = [
    f for f in families("spatial") if ".beam_" in f.__name__ and not any(word in f.__name__ for word in ELSEWHERE)
]
VARIANTS = [Exact(), Exact(mass="lumped"), Exact(order=2), Exact(order=3, mass="lumped")]
VARIANTS += [Corotational(), Corotational(von_karman=True)]
every = pytest.mark.parametrize("options", VARIANTS, ids=repr)
two_node = [options for options in VARIANTS if options.order == 1]


def full_stiffness():
    """Return a positive definite section with all couplings."""
    scale = np.sqrt([300.0, 120.0, 110.0, 1.5, 2.0, 3.0])
    noise = np.random.default_rng(3).uniform(-0.1, 0.1, (6, 6))
    return scale[:, None] * (np.eye(6) + noise + noise.T) * scale


def section(EA=300.0, GA=120.0, GJ=1.5, EIy=3.0, EIz=2.0, stiffness=None):
    return SimpleNamespace(
        stiffness=np.diag([EA, GA, GA, GJ, EIy, EIz]) if stiffness is None else stiffness,
        mass_per_length=1.7,
        rotary_about_axis=np.diag([0.05, 0.03, 0.02]),
        eccentric=False,
        axial_stiffness=EA,
        shear_stiffness=GA,
        bending_stiffness=EIz,
        rotary_inertia=0.02,
    )


def helix(s, curvature, torsion):
    """Return places and sections of a beam of curvature vector (torsion, 0, curvature), from the origin along x."""
    k = np.array([torsion, 0.0, curvature])
    turn = exponential(s[:, None] * k)
    K, rate = cross_matrix(k), np.linalg.norm(k)
    places = []
    for length in s:
        x = rate * length
        first = (
            length * np.eye(3)
            if rate == 0
            else (length * np.eye(3) + (1 - np.cos(x)) / rate**2 * K + (x - np.sin(x)) / rate**3 * K @ K)
        )
        places.append(first[:, 0])
    return np.array(places), turn


class Beam(Assembly):
    """One beam on its own; its first node is the clamp of `solve`."""

    def __init__(
        self,
        options: Any,
        elements: int = 3,
        *,
        length: float = 1.3,
        section: Any = None,
        curvature: float = 0.0,
        torsion: float = 0.0,
        damping: tuple[float, float] = (0.0, 0.0),
        uneven: bool = False,
    ) -> None:
        s, connectivity = places_of_nodes(options.order, elements, uneven)
        self.s, self.length = s, length
        pose, turn = helix(s * length, curvature, torsion)
        made = section or globals()["section"]()
        nodes = {"nodes": np.arange(s.size), "connectivity": connectivity}
        self.mesh = stand_in(options, length, made, s, damping, pose=pose, turn=turn, **nodes)
        layout = Layout(s.size, beams=[self.mesh])
        (family,) = [family for family in FAMILIES if len(family.pack(layout).dofs)]
        super().__init__(family, layout)
        self.rest = layout.configuration(pose, turn)

    def resultants(self, q, v=None):
        out = np.zeros((len(self.family.stations(self.mesh)), 6))
        self.family.resultants(self.part, q, self.still if v is None else v, out)
        return out

    def solve(self, load, q=None, tolerance=1e-11):
        """Solve the equilibrium under dead forces and body-fixed moments, clamped at the first node, in one step:
        Newton with mixed integration points. Also returns the number of iterations.
        """
        q = self.rest.copy() if q is None else q
        self.family.stretch(self.part, q, self.still, self.stress)
        for count in range(60):
            r, K = self.assemble(q, ck=1.0, mixed=True)
            dq = self.still.copy()
            dq[6 : self.n] = np.linalg.solve(K[6:, 6:], (load - r)[6:])
            self.family.stretch(self.part, q, dq, self.stress)
            q = self.layout.moved(q, dq)
            if np.max(np.abs(dq)) < tolerance:
                return q, count + 1
        raise AssertionError("Newton did not converge")

    def tip_load(self, *load):
        whole = np.zeros(self.n)
        whole[-6:] = load
        return whole

    def places(self, q):
        return q[: self.n].reshape(-1, 6)[:, :3]

    def turns(self, q):
        return q[self.n + 6 : -4].reshape(-1, 4)


def shaken(beam, rng, size=0.15):
    """Return a deformed configuration."""
    return beam.layout.moved(beam.rest, size * rng.standard_normal(beam.n + 6))


def random_velocity(beam, rng):
    """Return a velocity."""
    return np.append(rng.standard_normal(beam.n), np.zeros(6))


@pytest.mark.parametrize("family", families("spatial"), ids=lambda family: family.__name__)
def test_kernels_ask_for_known_names(family):
    check_members(family)
    assert family.Arrays._fields[:2] == ("dofs", "slots")
    assert hasattr(family, "stretch") == ("stress_start" in family.Arrays._fields) == hasattr(family, "stress_size")
    empty = family.pack(Layout(0))
    assert len(empty.dofs) == 0
    for field in empty:
        assert not isinstance(field, np.ndarray) or field.dtype in (np.float64, np.uint32)


def test_every_beam_family_is_tested():
    assert {Beam(options).family.__name__ for options in VARIANTS} == {family.__name__ for family in FAMILIES}


@every
def test_residual_and_tangent_are_derivatives_of_the_energy(options, rng):
    beam = Beam(options, section=section(stiffness=full_stiffness()), curvature=0.8, torsion=0.5, uneven=True)
    q = shaken(beam, rng)
    gradient = derivative(lambda x: beam.energy(beam.layout.moved(q, x))[1], beam.still)
    r, K = beam.assemble(q, ck=1.0)
    close(r, gradient, 1e-8)
    close(K, K.T, 1e-15)
    close(K, beam.chart_tangent(q), 1e-7)
    v = random_velocity(beam, rng)
    close(beam.assemble(beam.rest, a=v)[0], derivative(lambda x: beam.energy(q, x)[0], v), 1e-8)


@every
@pytest.mark.parametrize("bend", [1e-9, 1e-3, 0.2, 0.33, 2.0])
def test_tangent_holds_for_small_and_large_bends(options, bend, rng):
    beam = Beam(options, 1, curvature=0.1)
    axis = np.array([0.3, -0.5, 0.8])
    step = np.zeros((options.order + 1, 6))
    step[:, 3:] = np.linspace(0, bend, options.order + 1)[:, None] * axis
    q = beam.layout.moved(beam.rest, np.append(step, np.zeros(6)))
    close(beam.assemble(q, ck=1.0)[1], beam.chart_tangent(q), 1e-7)


@every
def test_tangents_of_damping_and_inertia(options, rng):
    beam = Beam(options, curvature=0.8, torsion=0.5, uneven=True, damping=(0.3, 0.02))
    q, v, a = shaken(beam, rng), random_velocity(beam, rng), random_velocity(beam, rng)
    close(beam.assemble(q, v, cc=1.0)[1], derivative(lambda x: beam.residual(q, x), v), 1e-8)
    close(beam.assemble(q, v, a, cm=1.0)[1], derivative(lambda x: beam.residual(q, v, x), a), 1e-8)
    parts = [beam.assemble(q, v, a, **{c: 1.0})[1] for c in ("ck", "cc", "cm")]
    close(beam.assemble(q, v, a, ck=2.0, cc=3.0, cm=4.0)[1], 2 * parts[0] + 3 * parts[1] + 4 * parts[2], 1e-13)


@every
def test_spinning_sections_have_an_exact_tangent(options, rng):
    beam = Beam(options, 1, section=section(stiffness=1e-9 * np.eye(6)), damping=(0.3, 0.0))
    q, v, a = beam.rest, random_velocity(beam, rng), random_velocity(beam, rng)
    close(beam.assemble(q, v, a, ck=1.0)[1], beam.chart_tangent(q, v, a), 1e-7)
    assert beam.family.gyroscopic(beam.part)


@every
@pytest.mark.parametrize("turn", [(0.7, 0.0, 0.0), (3.0, 1.0, -2.0), (40.0, 30.0, -100.0)])
def test_rigid_motion_changes_no_energy(options, turn, rng):
    beam = Beam(options, section=section(stiffness=full_stiffness()), curvature=0.8, torsion=0.5)
    q = shaken(beam, rng)
    moved = beam.layout.rigid(q, turn, (2.0, -5.0, 1.0))
    assert beam.energy(moved)[1] == pytest.approx(beam.energy(q)[1], rel=1e-11)
    before, after = (beam.residual(x).reshape(-1, 6) for x in (q, moved))
    close(after[:, :3], before[:, :3] @ matrix(exponential(turn)).T, 1e-11)
    close(after[:, 3:], before[:, 3:], 1e-11)
    close(beam.resultants(moved), beam.resultants(q), 1e-11)


@every
def test_signs_of_quaternions_do_not_matter(options, rng):
    beam = Beam(options, curvature=0.8)
    q = shaken(beam, rng)
    other = q.copy()
    beam.turns(other)[1::2] *= -1.0
    close(beam.assemble(other, ck=1.0)[1], beam.assemble(q, ck=1.0)[1], 1e-14)
    close(beam.residual(other), beam.residual(q), 1e-14)


@every
def test_the_way_to_a_state_does_not_matter(options):
    """A tip load, brought on in one step and by way of another load, ends in the same state."""
    beam = Beam(options, 4)
    load = beam.tip_load(0.4, 0.6, 0.8, 0.0, 0.0, 0.0)
    direct, _ = beam.solve(load)
    aside, _ = beam.solve(beam.tip_load(0.0, -0.8, 0.9, 0.0, 0.0, 0.0))
    detour, _ = beam.solve(load, aside)
    np.testing.assert_allclose(beam.places(detour), beam.places(direct), atol=1e-11)
    np.testing.assert_allclose(beam.resultants(detour), beam.resultants(direct), atol=1e-9)


@every
def test_curved_and_twisted_rest_is_free_of_stress(options):
    beam = Beam(options, section=section(stiffness=full_stiffness()), curvature=2.0, torsion=-1.5)
    q = beam.layout.rigid(beam.rest, (1.0, 2.0, -0.5), (0.3, 0.1, 0.5))
    assert np.max(np.abs(beam.residual(q))) < 300.0 * 1e-14
    assert beam.energy(q)[1] < 1e-20
    K = beam.assemble(q, ck=1.0)[1]
    for axis in np.eye(3):
        motion = np.zeros((beam.layout.ground, 6))
        motion[:, :3] = np.cross(axis, beam.places(q))
        motion[:, 3:] = np.einsum("nij,i->nj", matrix(beam.turns(q)), axis)
        assert np.max(np.abs(K @ motion.ravel())) < 1e-12 * np.max(np.abs(K))


@pytest.mark.parametrize("options", [Exact(), Exact(mass="lumped")], ids=repr)
def test_constant_strain_is_represented_exactly(options):
    """Stretched, twisted and bent evenly into a helix, a two-node beam has the exact strain energy."""
    kappa, C = np.array([0.7, 0.4, 0.9]), full_stiffness()
    beam = Beam(options, 4, section=section(stiffness=C), uneven=True)
    turn = exponential(beam.s[:, None] * beam.length * kappa)
    q = beam.layout.configuration(beam.places(beam.rest), turn)
    half = exponential(0.5 * np.diff(beam.s)[:, None] * beam.length * kappa)
    strain = np.array([1.05, 0.02, -0.03])
    steps = np.einsum("nij,j->ni", matrix(product(turn[:-1], half)), strain) * np.diff(beam.s)[:, None] * beam.length
    beam.places(q)[1:] = np.cumsum(steps, axis=0)
    epsilon = np.concatenate((strain - (1.0, 0.0, 0.0), kappa))
    assert beam.energy(q)[1] == pytest.approx(0.5 * beam.length * epsilon @ C @ epsilon, rel=1e-13)


@every
def test_pure_bending_and_torsion_patch(options):
    """A moment about one axis of the tip's section: constant curvature (for order 1 exactly, else as interpolated)."""
    for axis, stiffness in ((0, 1.5), (1, 3.0), (2, 2.0)):
        moment = np.zeros(3)
        moment[axis] = 1.2
        beam = Beam(options, 4, uneven=True)
        q, _ = beam.solve(beam.tip_load(0.0, 0.0, 0.0, *moment))
        angle = 1.2 / stiffness * beam.length
        exact = np.zeros((beam.s.size, 3))
        exact[:, axis] = angle * beam.s
        np.testing.assert_allclose(beam.turns(q), exponential(exact), atol=1e-9 if options.order == 1 else 1e-4)
        expected = np.tile(np.concatenate((np.zeros(3), moment)), (len(beam.resultants(q)), 1))
        np.testing.assert_allclose(beam.resultants(q), expected, atol=1e-7 if options.order == 1 else 2e-3)


@every
def test_helix_under_a_moment(options):
    """A body-fixed moment at the tip of an isotropic section twists and bends the beam into a helix."""
    moment = np.array([0.5, 0.0, 1.1])
    errors = []
    for elements in (6, 12):
        beam = Beam(options, elements, section=section(EA=3e4, GA=1.2e4, GJ=2.0, EIy=2.0, EIz=2.0))
        q, _ = beam.solve(beam.tip_load(0.0, 0.0, 0.0, *moment))
        pose, _ = helix(beam.s * beam.length, *(moment / 2.0)[[2, 0]])
        errors.append(np.max(np.abs(beam.places(q) - pose)[:: options.order]))
    assert errors[0] < 2e-3
    assert errors[1] < errors[0] * 0.55 ** (2 * options.order) or errors[1] < 1e-10


@every
def test_beam_in_the_plane_is_the_planar_beam(options, rng):
    """Energy, forces and tangent in the plane; for order > 1 the interpolations differ, the less the more elements."""
    beam = Beam(options, curvature=0.8, uneven=True, length=0.6)
    angle = 0.8 * 0.6 * beam.s
    flat = SimpleNamespace(**{**vars(beam.mesh), "pose": np.column_stack((beam.mesh.pose[:, :2], angle))})
    family = {1: planar, 2: planar_order, 3: planar_order}[options.order]
    family = corotational if isinstance(options, Corotational) else family
    part = family.pack(SimpleNamespace(beams=[flat], ground=beam.s.size))
    n = 3 * beam.s.size
    row, column = np.tril_indices(part.dofs.shape[1])
    first, second = part.dofs[:, row].astype(np.int64), part.dofs[:, column].astype(np.int64)
    part = part._replace(slots=as_packed(first * (first + 1) // 2 + second))
    step = 0.02 * rng.standard_normal((beam.s.size, 3))
    pose = np.append((flat.pose + step).ravel(), np.zeros(3))
    spatial = np.zeros((beam.s.size, 6))
    keep = [0, 1, 5]
    spatial[:, keep] = step
    q = beam.layout.moved(beam.rest, np.append(spatial, np.zeros(6)))
    still, r, s = np.zeros(n + 3), np.zeros(n + 3), np.zeros((n + 3) * (n + 4) // 2)
    family.add(part, Instant(pose, still, still, still), Into(1.0, 0.0, 0.0, r, s, s), np.zeros(100), False)
    tolerance = 1e-12 if options.order == 1 else 1e-2
    assert beam.energy(q)[1] == pytest.approx(family.energy(part, pose, still)[1], rel=tolerance)
    force, K = beam.assemble(q, ck=1.0)
    force = force.reshape(-1, 6)
    close(force[:, keep].ravel(), r[:n], tolerance)
    assert np.max(np.abs(np.delete(force, keep, axis=1))) < 1e-12
    both = np.ravel(6 * np.arange(beam.s.size)[:, None] + keep)
    lower = np.zeros((n, n))
    lower[np.tril_indices(n)] = s[: n * (n + 1) // 2]
    close(K[np.ix_(both, both)], lower + np.tril(lower, -1).T, tolerance)


@every
def test_bend_of_45_degrees_in_one_load_step(options):
    """Radius 100, section 1 x 1, E = 1e7, nu = 0, 600 out of the plane: tip from (70.71, 29.29, 0) to about
    (47.2, 15.7-15.9, 53.4-53.6) (Bathe and Bolourchi 1979; Simo and Vu-Quoc 1986; Crisfield 1990).
    """
    bent = section(EA=1e7, GA=5e6, GJ=5e6 / 6, EIy=1e7 / 12, EIz=1e7 / 12)
    beam = Beam(options, 16 // options.order, length=25 * np.pi, section=bent, curvature=0.01)
    q, iterations = beam.solve(beam.tip_load(0.0, 0.0, 600.0, 0.0, 0.0, 0.0), tolerance=1e-8)
    x, y, z = beam.places(q)[-1]
    np.testing.assert_allclose(beam.places(beam.rest)[-1], [70.7107, 29.2893, 0.0], atol=1e-4)
    assert iterations <= 12
    assert y == pytest.approx(15.75, abs=0.15)
    assert x == pytest.approx(47.2, abs=0.1)
    assert z == pytest.approx(53.45, abs=0.15)


@every
def test_mass_properties(options):
    beam = Beam(options, 4, curvature=0.4, uneven=True)
    M = beam.assemble(beam.rest, cm=1.0)[1]
    places, turns = beam.places(beam.rest), matrix(beam.turns(beam.rest))
    whole = 1.7 * beam.length
    for k in range(3):
        along = np.zeros((beam.s.size, 6))
        along[:, k] = 1.0
        assert along.ravel() @ M @ along.ravel() == pytest.approx(whole, rel=1e-12)
    assert np.all(np.linalg.eigvalsh(M) > 0)
    rolling = np.zeros((beam.s.size, 6))
    rolling[:, 3] = 1.0
    assert rolling.ravel() @ M @ rolling.ravel() == pytest.approx(0.05 * beam.length, rel=1e-12)
    assert places.shape[0] == turns.shape[0]


@every
def test_damping_dissipates_and_is_rayleigh_at_rest(options, rng):
    beam = Beam(options, section=section(stiffness=full_stiffness()), curvature=0.5, damping=(0.3, 0.02))
    q, v = shaken(beam, rng), random_velocity(beam, rng)
    supplied, dissipated = beam.power(q, v)
    assert supplied == 0.0
    assert dissipated == pytest.approx((beam.residual(q, v) - beam.residual(q)) @ v[:-6], rel=1e-10)
    K, C, M = (beam.assemble(beam.rest, **{c: 1.0})[1] for c in ("ck", "cc", "cm"))
    close(C, 0.3 * M + 0.02 * K, 1e-12)


@every
def test_stiffness_damping_does_not_resist_rotation(options, rng):
    beam = Beam(options, section=section(stiffness=full_stiffness()), curvature=0.5, damping=(0.0, 0.02))
    beam.part = beam.part._replace(rotary=np.zeros_like(beam.part.rotary))
    q, axis = shaken(beam, rng), np.array([3.0, -4.0, 2.0])
    spin = np.zeros((beam.layout.ground + 1, 6))
    spin[:-1, :3] = np.cross(axis, beam.places(q))
    spin[:-1, 3:] = np.einsum("nij,i->nj", matrix(beam.turns(q)), axis)
    np.testing.assert_allclose(beam.residual(q, spin.ravel()), beam.residual(q), atol=1e-9)


@every
def test_stretched_stress_is_right_to_second_order(options, rng):
    beam = Beam(options, curvature=0.5, torsion=0.3)
    q, dq = shaken(beam, rng), 1e-3 * random_velocity(beam, rng)
    error = []
    for scale in (1.0, 0.5):
        extrapolated, true = np.zeros_like(beam.stress), np.zeros_like(beam.stress)
        beam.family.stretch(beam.part, q, scale * dq, extrapolated)
        beam.family.stretch(beam.part, beam.layout.moved(q, scale * dq), beam.still, true)
        error.append(np.max(np.abs(extrapolated - true)))
    assert error[0] / error[1] == pytest.approx(4.0, rel=0.05)


@every
def test_mixed_tangent_with_the_true_stress_is_the_plain_one(options, rng):
    beam = Beam(options, curvature=0.5, torsion=0.3)
    q = shaken(beam, rng)
    beam.part = beam.part._replace(stress_start=5)
    beam.stress = np.full(5 + beam.stress.size, np.nan)
    beam.stress[5:] = 0.0
    beam.family.stretch(beam.part, q, beam.still, beam.stress)
    r, K = beam.assemble(q, ck=1.0, mixed=True)
    close(r, beam.residual(q), 1e-15)
    close(K, beam.assemble(q, ck=1.0)[1], 1e-12)


@pytest.mark.parametrize("options", two_node, ids=repr)
def test_resultants_are_in_equilibrium_with_the_tip_load(options):
    beam, load = Beam(options, 5, curvature=0.3), np.array([0.5, 0.8, 0.7])
    q, _ = beam.solve(beam.tip_load(*load, 0.0, 0.0, 0.0))
    ends = np.stack((np.arange(5), np.arange(1, 6)), axis=1).ravel()
    moment = np.cross(beam.places(q)[-1] - beam.places(q), load)
    seen = np.einsum("nij,ni->nj", matrix(beam.turns(q)), moment)[ends]
    close(beam.resultants(q)[:, 3:], seen, 1e-9)
    close(np.linalg.norm(beam.resultants(q)[:, :3], axis=1), np.full(10, np.linalg.norm(load)), 1e-9)
