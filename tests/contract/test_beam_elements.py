"""One contract for all beam elements: every family of the registry, every variant of its options.

The elements are tested alone: a stand-in layout with one beam, and slots that are the places of a dense lower triangle.
"""

from __future__ import annotations

import importlib
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ellipe, ellipeinc, ellipk, ellipkinc

from pliant.elements._family import families, folders
from pliant.system.packing.family_checks import check_members
from tests.contract import spatial
from tests.contract.meshes import as_packed, places_of_nodes, stand_in
from tests.contract.spatial import call, close

EVERY = [variant for folder in folders() for variant in getattr(importlib.import_module(folder), "VARIANTS", ())]
VARIANTS = [variant for variant in EVERY if not variant.nodal_stretch]  # those with: test_parts_of_pliant, test_ancf
ELSEWHERE = (".beam_ancf", ".beam_fed", "_fibres")  # test_ancf, test_fed_beams, test_hyperelastic_beams
BEAMS = [f for f in families() if ".beam_" in f.__name__ and not any(word in f.__name__ for word in ELSEWHERE)]
SOFT = SimpleNamespace(
    axial_stiffness=300.0, shear_stiffness=120.0, bending_stiffness=2.0, mass_per_length=1.7, rotary_inertia=0.03
)
PLAIN_STEPS = 16  # of the load, for every one of an element with mixed integration points
TURNING = [options for options in VARIANTS if options.finite_rotation]
UNLOADED = [options for options in VARIANTS if not getattr(options, "axial_force", 0.0)]

every = pytest.mark.parametrize("options", VARIANTS, ids=repr)
turning = pytest.mark.parametrize("options", TURNING, ids=repr)
unloaded = pytest.mark.parametrize("options", UNLOADED, ids=repr)


class Cantilever:
    """One beam on its own; its first node is the clamp of `solve`."""

    def __init__(
        self,
        options: Any,
        elements: int = 3,
        *,
        length: float = 1.3,
        section: Any = SOFT,
        curvature: float = 0.0,
        angle: float = 0.0,
        damping: tuple[float, float] = (0.0, 0.0),
        uneven: bool = False,
    ) -> None:
        s, connectivity = places_of_nodes(options.order, elements, uneven)
        self.length, self.s, self.n = length, s, 3 * s.size
        turn = angle + curvature * length * s
        if curvature:
            x, y = (np.sin(turn) - np.sin(angle)) / curvature, (np.cos(angle) - np.cos(turn)) / curvature
        else:
            x, y = length * s * np.cos(angle), length * s * np.sin(angle)
        pose = np.stack((x, y, turn), axis=1)
        self.mesh = stand_in(options, length, section, s, damping, pose=pose, connectivity=connectivity)
        layout = SimpleNamespace(beams=[self.mesh], ground=s.size)
        packed = [(family, family.pack(layout)) for family in BEAMS]
        ((self.family, part),) = [(family, part) for family, part in packed if len(part.dofs)]
        i, j = np.tril_indices(part.dofs.shape[1])
        row, column = np.maximum(part.dofs[:, i], part.dofs[:, j]), np.minimum(part.dofs[:, i], part.dofs[:, j])
        self.dump = self.n * (self.n + 1) // 2
        slots = np.where(row < self.n, row * (row + 1) // 2 + column, self.dump)
        self.part = part._replace(slots=as_packed(slots))
        self.stress = np.zeros(30 * elements)
        self.rest = np.append(self.mesh.pose.ravel(), np.zeros(3))
        self.still = np.zeros(self.n + 3)

    def assemble(self, q=None, v=None, a=None, *, ck=0.0, cc=0.0, cm=0.0, mixed=False):
        """Return residual and dense tangent, by argument name as the fused module calls."""
        given = {"q": q, "v": v, "a": a}
        known: dict[str, Any] = {k: self.still if value is None else value for k, value in given.items()}
        known |= {"q": self.rest if q is None else q, "ck": ck, "cc": cc, "cm": cm, "mixed": mixed}
        known |= {"stress": self.stress, "r": np.zeros(self.n + 3), "s": np.zeros(self.dump + 1)}
        call(self.family.add, self.part, known)
        matrix = np.zeros((self.n, self.n))
        matrix[np.tril_indices(self.n)] = known["s"][:-1]
        assert known["s"][-1] == 0.0
        return known["r"][:-3], matrix + np.tril(matrix, -1).T

    def energy(self, q=None, v=None):
        known = {"q": self.rest if q is None else q, "v": self.still if v is None else v}
        return call(self.family.energy, self.part, known)

    def resultants(self, q):
        out = np.zeros((len(self.family.stations(self.mesh)), 3))
        self.family.resultants(self.part, q, self.still, out)
        return out

    def solve(self, load, steps=1):
        """Solve for dead nodal loads (n), clamped at the first node: Newton's method, mixed integration points."""
        q = self.rest.copy()
        mixed = hasattr(self.family, "stretch")
        if mixed:
            self.family.stretch(self.part, q, self.still, self.stress)
        else:
            steps *= PLAIN_STEPS
        for share in np.arange(1, steps + 1) / steps:
            for _ in range(40):
                r, K = self.assemble(q, ck=1.0, mixed=mixed)
                dq = self.still.copy()
                dq[3 : self.n] = np.linalg.solve(K[3:, 3:], (share * load - r)[3:])
                if mixed:
                    self.family.stretch(self.part, q, dq, self.stress)
                q += dq
                if np.max(np.abs(dq)) < 1e-11:
                    break
            else:
                raise AssertionError("Newton did not converge")
        return q

    def tip_load(self, x=0.0, y=0.0, moment=0.0):
        load = np.zeros(self.n)
        load[-3:] = x, y, moment
        return load


def shaken(beam, rng, size=0.05):
    """Return a deformed configuration."""
    return beam.rest + np.append(size * rng.standard_normal(beam.n), np.zeros(3))


derivative = partial(spatial.derivative, ground=3)


def elastica(load):
    """Return the tip of an inextensible cantilever under a transverse dead load P L^2/EI (Bisshopp, Drucker 1945)."""

    def first(m):
        return np.arcsin(1 / np.sqrt(2 * m))

    m = brentq(lambda m: ellipk(m) - ellipkinc(first(m), m) - np.sqrt(load), 0.5 + 1e-12, 1 - 1e-12, xtol=1e-15)
    y = 1 - 2 / np.sqrt(load) * (ellipe(m) - ellipeinc(first(m), m))
    return np.sqrt(2 * (2 * m - 1) / load), y


def slender(ratio):
    """Return unit length and bending stiffness, rectangular section with L/h = ratio."""
    axial = 12.0 * ratio**2
    return SimpleNamespace(
        axial_stiffness=axial,
        shear_stiffness=axial / 3.12,
        bending_stiffness=1.0,
        mass_per_length=1.0,
        rotary_inertia=1.0 / axial,
    )


def test_every_beam_family_is_tested():
    assert {Cantilever(options).family.__name__ for options in VARIANTS} == {family.__name__ for family in BEAMS}


@pytest.mark.parametrize("family", families(), ids=lambda family: family.__name__)
def test_families_are_whole(family):
    check_members(family)
    assert family.Arrays._fields[:2] == ("dofs", "slots")
    assert hasattr(family, "stretch") == ("stress_start" in family.Arrays._fields) == hasattr(family, "stress_size")


@every
def test_residual_is_the_gradient_of_energy(options, rng):
    beam = Cantilever(options, curvature=0.8, angle=2.5, uneven=True)
    q, v = shaken(beam, rng), shaken(beam, rng)
    close(beam.assemble(q)[0], derivative(lambda x: beam.energy(x)[1], q), 1e-7)
    close(beam.assemble(a=v)[0], derivative(lambda x: beam.energy(v=x)[0], v), 1e-7)


@every
def test_tangent_is_the_derivative_of_the_residual(options, rng):
    beam = Cantilever(options, curvature=0.8, angle=2.5, uneven=True, damping=(0.3, 0.02))
    q, v, a = shaken(beam, rng), shaken(beam, rng), shaken(beam, rng)
    K = derivative(lambda x: beam.assemble(x)[0], q)
    close(K, K.T, 1e-6)
    close(beam.assemble(q, ck=1.0)[1], K, 1e-6)
    close(beam.assemble(q, v, cc=1.0)[1], derivative(lambda x: beam.assemble(q, x)[0], v), 1e-6)
    close(beam.assemble(q, v, a, cm=1.0)[1], derivative(lambda x: beam.assemble(q, v, x)[0], a), 1e-6)
    parts = [beam.assemble(q, v, a, **{c: 1.0})[1] for c in ("ck", "cc", "cm")]
    close(beam.assemble(q, v, a, ck=2.0, cc=3.0, cm=4.0)[1], 2 * parts[0] + 3 * parts[1] + 4 * parts[2], 1e-12)


@turning
@pytest.mark.parametrize("turn", [0.7, 3.0, 2 * np.pi + 0.1, -20.3, 300.0])
def test_rigid_motion_changes_no_energy(options, turn, rng):
    beam = Cantilever(options, curvature=0.8)
    q = shaken(beam, rng)
    moved = q.copy()
    c, s = np.cos(turn), np.sin(turn)
    x, y = q[:-3:3], q[1:-3:3]
    moved[:-3:3], moved[1:-3:3], moved[2:-3:3] = c * x - s * y + 2.0, s * x + c * y - 5.0, q[2:-3:3] + turn
    assert beam.energy(moved)[1] == pytest.approx(beam.energy(q)[1], rel=1e-10)
    force = beam.assemble(moved)[0]
    close(c * force[::3] + s * force[1::3], beam.assemble(q)[0][::3], 1e-9)
    close(beam.resultants(moved), beam.resultants(q), 1e-9)


@unloaded
def test_small_rigid_motion_gives_no_force(options):
    beam = Cantilever(options, curvature=0.8, angle=1.0)
    K = beam.assemble(ck=1.0)[1]
    for motion in rigid_motions(beam.rest):
        assert np.max(np.abs(K @ motion)) < 1e-12 * np.max(np.abs(K))


def rigid_motions(q):
    """Return velocities of translation along x and y, and of unit rotation about the origin."""
    x, y = q[:-3:3], q[1:-3:3]
    one, zero = np.ones_like(x), np.zeros_like(x)
    return [np.stack(columns, axis=1).ravel() for columns in ((one, zero, zero), (zero, one, zero), (-y, x, one))]


@every
def test_curved_rest_is_free_of_stress(options):
    beam = Cantilever(options, curvature=2.0, angle=-3.0)
    force = 300.0 * 1e-14
    assert np.max(np.abs(beam.assemble()[0])) < force
    assert beam.energy()[1] < 1e-20
    assert np.max(np.abs(beam.resultants(beam.rest)[:, 1:])) < force


@unloaded
def test_axial_patch(options):
    beam = Cantilever(options, 4, angle=0.6, uneven=True)
    direction = np.array([np.cos(0.6), np.sin(0.6)])
    q = beam.solve(beam.tip_load(*(12.0 * direction)))
    stretched = q[:-3].reshape(-1, 3) - beam.mesh.pose
    close(stretched[:, :2] @ direction, 12.0 / 300.0 * beam.length * beam.s, 1e-10)
    np.testing.assert_allclose(beam.resultants(q), np.tile([12.0, 0.0, 0.0], (len(beam.resultants(q)), 1)), atol=1e-9)


@unloaded
def test_pure_bending_patch(options):
    beam = Cantilever(options, 4, angle=0.6, uneven=True)
    moment = 1.5 if options.finite_rotation else 1e-6
    q = beam.solve(beam.tip_load(moment=moment))
    if getattr(options, "integration", "") != "full":  # full integration locks: its rotation is not right
        close(q[2:-3:3] - 0.6, moment / 2.0 * beam.length * beam.s, 1e-9)
    expected = np.tile([0.0, 0.0, moment], (len(beam.resultants(q)), 1))
    np.testing.assert_allclose(beam.resultants(q), expected, atol=1e-9 * 300.0 * moment)


@turning
def test_cantilever_rolls_up_into_a_circle(options):
    error = []
    for elements in (8, 16):
        beam = Cantilever(options, elements, length=1.0, section=slender(100.0))
        q = beam.solve(beam.tip_load(moment=2 * np.pi), steps=2)
        assert q[-4] == pytest.approx(2 * np.pi, rel=1e-10)
        s = beam.s * 2 * np.pi
        circle = np.stack((np.sin(s), 1 - np.cos(s)), axis=1) / (2 * np.pi)
        error.append(np.max(np.abs(q[:-3].reshape(-1, 3)[:: options.order, :2] - circle[:: options.order])))
    assert error[0] < 0.01
    assert error[1] < error[0] * 0.6 ** (2 * options.order)


@every
def test_resultants_are_in_equilibrium_with_the_tip_load(options):
    if options.order > 1:
        pytest.skip("known at Gauss points only")
    beam = Cantilever(options, 5)
    load = (1.0, 2.0) if options.finite_rotation else (0.0, 2e-6)
    q = beam.solve(beam.tip_load(*load))
    N, V, M = beam.resultants(q).T
    if options.finite_rotation:
        x, y = (q[:-3].reshape(-1, 3)[:, k] for k in (0, 1))
        ends = np.stack((np.arange(5), np.arange(1, 6)), axis=1).ravel()
        close(M, (load[1] * (x[-1] - x) - load[0] * (y[-1] - y))[ends], 1e-9)
        close(np.hypot(N, V), np.full(10, np.hypot(*load)), 1e-9)
    elif not options.axial_force:
        close(M, load[1] * beam.length * (1 - beam.family.stations(beam.mesh)), 1e-9)
        close(V, np.full(10, load[1]), 1e-9)
    else:
        close(N, np.full(10, options.axial_force), 1e-9)


@every
@pytest.mark.parametrize("curvature", [0.0, 0.3])
def test_convergence_rate(options, curvature):
    """2 order for straight beams; interpolating a curved rest pose limits it to order + 1 (odd) or + 2 (even)."""
    if getattr(options, "integration", "") == "full":
        pytest.skip("locks: its rate shows on fine meshes only")
    p = options.order
    rate = min(2 * p, p + 1 + (p + 1) % 2) if curvature else 2 * p
    counts = (4, 8, 16) if options.order > 1 else (8, 16, 32)
    tips = []
    for elements in counts:
        beam = Cantilever(options, elements, curvature=curvature)
        q = beam.solve(beam.tip_load(1.0, 2.0 if options.finite_rotation else 1e-3))
        tips.append(q[-6:-3])
    before, after = np.linalg.norm(tips[1] - tips[0]), np.linalg.norm(tips[2] - tips[1])
    assert after < 1e-11 or np.log2(before / after) > rate - 0.3


@unloaded
def test_no_locking_when_slender(options):
    load = 1.0 if options.finite_rotation else 1e-3
    beam = Cantilever(options, 10, length=1.0, section=slender(1e4))
    tip = beam.solve(beam.tip_load(y=load))[-6:-3]
    if not options.finite_rotation:
        exact = load / 3
        if options.integration == "full":
            assert tip[1] < 1e-4 * exact
        else:
            assert tip[1] == pytest.approx(exact, rel=0.003)
        return
    np.testing.assert_allclose(tip[:2], elastica(load), rtol=0.005)


@every
def test_mass_properties(options):
    beam = Cantilever(options, 4, angle=0.4, uneven=True)
    M = beam.assemble(cm=1.0)[1]
    along_x, along_y, turn = rigid_motions(beam.rest)
    L, density, rotary = beam.length, SOFT.mass_per_length, SOFT.rotary_inertia
    assert along_x @ M @ along_x == pytest.approx(density * L, rel=1e-12)
    assert along_y @ M @ along_y == pytest.approx(density * L, rel=1e-12)
    assert along_x @ M @ along_y == pytest.approx(0, abs=1e-12)
    assert along_y @ M @ turn == pytest.approx(density * L**2 / 2 * np.cos(0.4), rel=1e-12)
    assert np.all(np.linalg.eigvalsh(M) > 0)
    if options.mass != "lumped":
        inertia = density * L**3 / 3 + (rotary * L if options.mass == "consistent" else 0.0)
        assert turn @ M @ turn == pytest.approx(inertia, rel=1e-12)
    else:
        close(M, np.diag(np.diag(M)), 1e-15)
    curved = Cantilever(options, 4, curvature=2.0).assemble(cm=1.0)[1]
    assert along_x @ curved @ along_x == pytest.approx(density * L, rel=1e-12)


@every
def test_damping_dissipates_and_is_rayleigh_at_rest(options, rng):
    beam = Cantilever(options, curvature=0.5, damping=(0.3, 0.02))
    q, v = shaken(beam, rng), shaken(beam, rng)
    resisted = (beam.assemble(q, v)[0] - beam.assemble(q)[0]) @ v[:-3]
    supplied, dissipated = call(beam.family.power, beam.part, {"q": q, "v": v})
    assert supplied == 0.0
    assert dissipated > 0.0
    assert dissipated == pytest.approx(resisted, rel=1e-10)
    if not getattr(options, "axial_force", 0.0):
        K, C, M = (beam.assemble(**{c: 1.0})[1] for c in ("ck", "cc", "cm"))
        close(C, 0.3 * M + 0.02 * K, 1e-10)


@every
def test_stiffness_damping_does_not_resist_rotation(options, rng):
    beam = Cantilever(options, curvature=0.5, damping=(0.0, 0.02))
    q = shaken(beam, rng) if options.finite_rotation else beam.rest
    spin = np.append(5.0 * rigid_motions(q)[2], np.zeros(3))
    np.testing.assert_allclose(beam.assemble(q, spin)[0], beam.assemble(q)[0], atol=1e-10)


@turning
def test_stretched_stress_is_right_to_second_order(options, rng):
    beam = Cantilever(options, curvature=0.5)
    if not hasattr(beam.family, "stretch"):
        pytest.skip("it has no mixed integration points")
    q, dq = shaken(beam, rng), shaken(beam, rng, 1e-3) - beam.rest
    error = []
    for scale in (1.0, 0.5):
        extrapolated, true = np.zeros_like(beam.stress), np.zeros_like(beam.stress)
        beam.family.stretch(beam.part, q, scale * dq, extrapolated)
        beam.family.stretch(beam.part, q + scale * dq, beam.still, true)
        error.append(np.max(np.abs(extrapolated - true)))
    assert error[0] / error[1] == pytest.approx(4.0, rel=0.05)
    assert np.count_nonzero(true) <= beam.family.stress_size(beam.part)


@turning
def test_mixed_tangent_with_the_true_stress_is_the_plain_one(options, rng):
    beam = Cantilever(options, curvature=0.5)
    if not hasattr(beam.family, "stretch"):
        pytest.skip("it has no mixed integration points")
    q = shaken(beam, rng)
    beam.part = beam.part._replace(stress_start=5)
    beam.stress = np.full(5 + beam.family.stress_size(beam.part), np.nan)
    beam.stress[5:] = 0.0
    beam.family.stretch(beam.part, q, beam.still, beam.stress)
    r, K = beam.assemble(q, ck=1.0, mixed=True)
    close(r, beam.assemble(q)[0], 1e-15)
    close(K, beam.assemble(q, ck=1.0)[1], 1e-12)
