"""Words of space: bodies, markers, sections, joints and forces, against closed forms and tables."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

import pliant as pl
from pliant.model import rotations
from pliant.model.sections.sections import rectangle_torsion

ROUND = pl.Section.circle(0.001, pl.STEEL)


def beam(**options) -> pl.Beam:
    return pl.Beam("rod", **{"length": 0.5, "section": ROUND} | options)


def test_a_model_is_planar_unless_it_has_no_plane() -> None:
    assert not pl.Model("m").spatial
    assert pl.Model("m", plane=None).spatial
    assert str(pl.Model("m", plane=None)) == 'Model "m", in space'


@pytest.mark.parametrize(
    ("marker", "label"),
    [
        (pl.Ground().at(0.3, 0, 0.1), "ground(0.3, 0, 0.1)"),
        (pl.Ground().at(0.3, 0, 0), "ground(0.3, 0)"),
        (pl.Body("b", mass=1, inertia=1).at(0, 0, -0.5), "b(0, 0, -0.5)"),
        (pl.Link("l", length=1, mass=1).at(s=1, z=0.1), "l(1, 0, 0.1)"),
        (beam().at(1, z=0.01), "rod/tip(0, 0, 0.01)"),
        (beam().at(0.5, orientation=(0, 1, 0)), "rod@0.5"),
    ],
)
def test_labels(marker, label) -> None:
    assert marker.label == label


def test_inertia_in_space() -> None:
    assert pl.Body("b", mass=1, inertia=2.0).inertia_matrix == pytest.approx(2.0 * np.eye(3))
    assert pl.Body("b", mass=1, inertia=(1, 2, 2.5)).inertia_matrix == pytest.approx(np.diag([1, 2, 2.5]))
    full = [[2.0, 0.1, 0.0], [0.1, 2.0, -0.2], [0.0, -0.2, 3.0]]
    assert pl.Body("b", mass=1, inertia=np.array(full)).inertia_matrix == pytest.approx(np.array(full))
    assert pl.Link("l", length=2, mass=3).inertia_matrix == pytest.approx(np.diag([0.0, 1.0, 1.0]))
    assert pl.Link("l", length=2, mass=3, inertia=(0.1, 1, 1)).inertia_matrix == pytest.approx(np.diag([0.1, 1, 1]))
    tip = pl.Link("l", length=2, mass=3).at(s=1)
    assert pl.PointMass("p", tip, mass=1.0, inertia=(1, 1, 2)).inertia_matrix == pytest.approx(np.diag([1, 1, 2]))


# St Venant's torsion constant over a b^3 of rectangles: Timoshenko and Goodier, Theory of Elasticity, art. 109
TABLE = {1.0: 0.1406, 1.2: 0.166, 1.5: 0.196, 2.0: 0.229, 2.5: 0.249, 3.0: 0.263, 4.0: 0.281, 5.0: 0.291, 10.0: 0.312}


@pytest.mark.parametrize("ratio", TABLE)
def test_torsion_of_rectangles(ratio: float) -> None:
    assert rectangle_torsion(ratio, 1.0) / ratio == pytest.approx(TABLE[ratio], abs=6e-4)  # the table has three digits
    assert rectangle_torsion(1.0, ratio) == rectangle_torsion(ratio, 1.0)
    assert rectangle_torsion(0.01 * ratio, 0.01) == pytest.approx(1e-8 * rectangle_torsion(ratio, 1.0))


def test_thin_strip_has_the_torsion_of_thin_strips() -> None:
    thin = rectangle_torsion(1.0, 1e-3)
    assert thin == pytest.approx(1e-9 / 3.0 * (1.0 - 0.630249e-3), rel=1e-6)  # 192 zeta(5) (1 - 2^-5) / pi^5


def test_section_of_a_rectangle_in_space() -> None:
    material = pl.Material("m", youngs_modulus=1e7, poisson_ratio=0.0, density=3.0)
    section = pl.Section.rectangle(2.0, 0.5, material, shear_factor=(0.8, 1.0), torsion_constant=1 / 6)
    e, g = 1e7, 5e6
    expected = [e, 0.8 * g, g, g / 6, e * 0.5 * 2**3 / 12, e * 2 * 0.5**3 / 12]
    assert section.stiffness == pytest.approx(np.diag(expected))
    assert section.rotary == pytest.approx(np.diag([1.0 + 1 / 16, 1.0, 1 / 16]))
    assert section.bending_stiffness == pytest.approx(expected[5])  # height is in the plane
    assert (section.width, section.height) == (2.0, 0.5)


def test_round_sections_in_space() -> None:
    circle, tube = pl.Section.circle(0.01, pl.STEEL), pl.Section.tube(0.01, 0.008, pl.STEEL, shear_factor="cowper")
    assert circle.stiffness[3, 3] == pytest.approx(pl.STEEL.shear_modulus * math.pi * 1e-8 / 2)
    assert circle.stiffness[4, 4] == circle.stiffness[5, 5]
    assert tube.stiffness[3, 3] == pytest.approx(pl.STEEL.shear_modulus * math.pi * (1e-8 - 0.008**4) / 2)
    assert tube.stiffness[1, 1] == tube.stiffness[2, 2] == tube.shear_stiffness
    assert circle.rotary == pytest.approx(circle.rotary_inertia * np.diag([2.0, 1.0, 1.0]))


def test_general_section() -> None:
    full = np.diag([1e6, 4e5, 3e5, 50.0, 60.0, 70.0])
    full[3, 5] = full[5, 3] = 10.0
    section = pl.Section.general(full, mass_per_length=0.8, rotary_inertia=1e-4, rotary_inertia_y=2e-4)
    assert section.stiffness == pytest.approx(full)
    assert section.rotary == pytest.approx(np.diag([3e-4, 2e-4, 1e-4]))
    assert (section.axial_stiffness, section.bending_stiffness) == (1e6, 70.0)
    named = pl.Section(1e6, 4e5, 70.0, 0.8, bending_stiffness_y=60.0, torsional_stiffness=50.0, shear_stiffness_z=3e5)
    assert named.stiffness == pytest.approx(np.diag(np.diag(full)))


# --- rest shapes


def integrated(length: float, curvature, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return points and rotation matrices by a general ODE solver, for curvature(arc)."""

    def rate(arc: float, state: np.ndarray) -> np.ndarray:
        frame, (x, y, z) = state[3:].reshape(3, 3), curvature(arc)
        spin = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        return np.concatenate([frame[:, 0], (frame @ spin).ravel()])

    start = np.concatenate([np.zeros(3), np.eye(3).ravel()])
    found = solve_ivp(rate, (0.0, length), start, t_eval=length * s, rtol=1e-12, atol=1e-13, method="DOP853").y.T
    return found[:, :3], found[:, 3:].reshape(-1, 3, 3)


@pytest.mark.parametrize("kappa", [(0.0, 0.0, 4.0), (3.0, 0.0, 0.0), (1.0, -2.0, 4.0), (30.0, 20.0, -10.0)])
def test_constant_curvature_in_space(kappa) -> None:
    s = np.linspace(0.0, 1.0, 9)
    points, turns = beam(curvature=kappa).rest_pose_in_space(s)
    expected, frames = integrated(0.5, lambda arc: kappa, s)
    assert points == pytest.approx(expected, abs=1e-11)
    assert rotations.matrix(turns) == pytest.approx(frames, abs=1e-11)


def test_a_helix_has_its_radius_and_pitch() -> None:
    curvature, torsion = 8.0, 6.0  # R = k / (k^2 + t^2) = 0.08 and rise t / (k^2 + t^2) = 0.06 a radian
    rod = beam(length=2 * math.pi / 10.0, curvature=(torsion, 0.0, curvature))  # one turn
    points, _ = rod.rest_pose_in_space([0.0, 0.5, 1.0])
    across = points[1] - 0.5 * points[2]
    assert np.linalg.norm(points[2]) == pytest.approx(2 * math.pi * 0.06)
    assert np.linalg.norm(across) == pytest.approx(2 * 0.08)
    assert across @ points[2] == pytest.approx(0.0, abs=1e-15)


def test_curvature_that_changes_along_the_beam() -> None:
    table = ((0.0, 1.0, 20.0), (5.0, -3.0, 4.0), (-8.0, 2.0, 0.0))
    s = np.linspace(0.0, 1.0, 11)
    points, turns = beam(curvature=table).rest_pose_in_space(s)
    columns = np.array(table).T
    expected, frames = integrated(0.5, lambda arc: [np.interp(arc, [0.0, 0.25, 0.5], c) for c in columns], s)
    assert points == pytest.approx(expected, abs=1e-9)  # the kink costs the general solver digits
    assert rotations.matrix(turns) == pytest.approx(frames, abs=1e-8)
    assert np.linalg.norm(turns, axis=1) == pytest.approx(1.0, abs=1e-14)


@settings(derandomize=True, max_examples=20, deadline=None)
@given(st.lists(st.floats(-30.0, 30.0), min_size=2, max_size=6))
def test_curvature_about_z_is_that_of_the_plane(values: list[float]) -> None:
    s = np.linspace(0.0, 1.0, 7)
    planar = beam(curvature=values).rest_pose(s)
    points, turns = beam(curvature=[(0.0, 0.0, kappa) for kappa in values]).rest_pose_in_space(s)
    assert points == pytest.approx(np.column_stack([planar[:, :2], np.zeros(7)]), abs=1e-13)
    angle = np.column_stack([np.zeros((7, 2)), planar[:, 2]])
    assert rotations.matrix(turns) == pytest.approx(rotations.matrix(rotations.exponential(angle)), abs=1e-12)


def test_one_number_is_the_curvature_of_the_plane() -> None:
    s = np.linspace(0.0, 1.0, 5)
    points, turns = beam(curvature=4.0).rest_pose_in_space(s)
    assert points[:, :2] == pytest.approx(beam(curvature=4.0).rest_pose(s)[:, :2], abs=1e-15)
    assert rotations.logarithm(turns)[:, 2] == pytest.approx(2.0 * s)
    assert beam().rest_pose_in_space(s)[0][:, 0] == pytest.approx(0.5 * s, abs=0.0)


# --- joints and forces


A, B = pl.Ground().at(0, 0, 0), pl.Link("l", length=1, mass=1).at(s=0)


@pytest.mark.parametrize(
    ("joint", "free"),
    [
        (pl.Spherical, 3), (pl.Universal, 2), (pl.Revolute, 1), (pl.Prismatic, 1), (pl.Cylindrical, 2), (pl.Planar, 3),
        (pl.Weld, 0), (pl.Slider, 4),
    ],
)  # fmt: skip
def test_freedom_that_joints_leave(joint, free: int) -> None:
    assert 6 - len(joint(A, B).locks) == free
    assert set(joint(A, B).locks) <= {"x", "y", "z", "rx", "ry", "rz"}


@pytest.mark.parametrize("axis", ["x", "y", "z", (1, 0, 0), (0, 0, -1), (1, 2, -3)])
def test_axis_is_the_free_axis_of_the_joint_frame(axis) -> None:
    direction = rotations.unit("", "", axis)
    for joint, own in ((pl.Revolute, 2), (pl.Cylindrical, 2), (pl.Planar, 2), (pl.Prismatic, 0), (pl.Slider, 0)):
        found = joint(A, B, axis=axis)
        assert rotations.matrix(found.frame_a)[:, own] == pytest.approx(direction, abs=1e-15)
        assert found.frame_b == pytest.approx(found.frame_a)
    for part in (pl.Motor("m", A, B, 1.0, axis=axis), pl.TorsionSpring("t", A, B, 1.0, axis=axis)):
        assert rotations.matrix(part.frame_a)[:, 2] == pytest.approx(direction, abs=1e-15)
    assert rotations.matrix(pl.Motion(A, B, angle=1.0, axis=axis).frame_a)[:, 2] == pytest.approx(direction, abs=1e-15)


def test_joints_without_axis_have_the_frame_of_their_markers() -> None:
    for joint in (pl.Spherical(A, B), pl.Universal(A, B), pl.Weld(A, B), pl.Distance(A, B), pl.Revolute(A, B)):
        assert joint.frame_a.tolist() == joint.frame_b.tolist() == [1.0, 0.0, 0.0, 0.0]


def test_gravity_is_down() -> None:
    def components(plane, gravity) -> list[float]:
        pl.Model("m", plane=plane).add(gravity)
        return [float(value) for value in (gravity.x, gravity.y, gravity.z) if value is not None]

    assert components("xy", pl.Gravity()) == [0.0, -9.81]
    assert components(None, pl.Gravity()) == [0.0, 0.0, -9.81]
    assert components(None, pl.Gravity(y=-1.62)) == [0.0, -1.62, 0.0]
    assert components(None, pl.Gravity(z=3.7)) == [0.0, 0.0, 3.7]
    assert components(None, pl.Gravity(x=1.0)) == [1.0, 0.0, -9.81]


def test_moments_in_plane_and_space() -> None:
    assert pl.Moment(B, 2.0).x is None
    moment = pl.Moment(B, x=1.0, z=pl.Sine(1.0, 2.0), follower=True)
    assert (moment.x, moment.y, moment.value) == (pl.Constant(1.0), pl.Constant(0.0), None)
    assert pl.Force(B, z=3.0).z == pl.Constant(3.0)
