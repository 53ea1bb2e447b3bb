"""Bodies, their markers and labels, and the rest shape of beams against closed forms."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import fresnel

from pliant.model import STEEL, Beam, Body, Ground, Link, PointMass, Section

SECTION = Section.rectangle(0.02, 0.001, STEEL)


def beam(**options) -> Beam:
    return Beam("leaf", **{"length": 0.5, "section": SECTION} | options)


def test_link_defaults_to_a_slender_uniform_bar() -> None:
    link = Link("crank", length=2.0, mass=3.0)
    assert link.inertia == pytest.approx(1.0)
    assert link.centre_of_mass == (1.0, 0.0)
    assert Link("crank", length=2.0, mass=3.0, inertia=0.0, centre=0.25).centre_of_mass == (0.5, 0.0)
    assert Link("crank", length=2.0, mass=3.0, inertia=0.0).inertia == 0.0


def test_numbers_become_floats_and_parts_are_frozen() -> None:
    link = Link("crank", length=1, mass=np.float32(2.0), position=[0, 1])
    assert all(type(value) is float for value in (link.length, link.mass, *link.position))
    with pytest.raises(dataclasses.FrozenInstanceError):
        link.length = 3.0


def test_parts_are_compared_by_identity() -> None:
    assert Ground() != Ground()
    assert len({Ground(), Ground()}) == 2


@pytest.mark.parametrize(
    ("marker", "label"),
    [
        (Link("crank", length=1.0, mass=1.0).at(s=1), "crank/tip"),
        (Link("crank", length=1.0, mass=1.0).at(), "crank/base"),
        (Link("crank", length=1.0, mass=1.0).at(s=1 / 3), "crank@0.333333"),
        (Link("crank", length=1.0, mass=1.0).at(s=1, name="pin"), "crank/pin"),
        (Link("crank", length=1.0, mass=1.0).at(x=0.5, y=-0.25), "crank(0.5, -0.25)"),
        (Link("crank", length=1.0, mass=1.0).at(s=1, y=0.1), "crank(1, 0.1)"),
        (Ground().at(0.3, -0.0), "ground(0.3, 0)"),
        (Body("slider", mass=1.0, inertia=0.0).at(), "slider(0, 0)"),
        (beam().at(s=0.5), "leaf@0.5"),
        (beam().at(0), "leaf/base"),
        (beam().at(1, y=0.01), "leaf/tip(0, 0.01)"),
    ],
)
def test_labels(marker, label) -> None:
    assert marker.label == label
    assert repr(marker) == f"<Marker {label}>"


def test_marker_pose_is_in_the_frame_of_its_body() -> None:
    link = Link("crank", length=0.4, mass=1.0)
    marker = link.at(s=0.5, x=0.1, y=0.2, angle=0.3)
    assert (marker.x, marker.y, marker.angle, marker.s) == (pytest.approx(0.3), 0.2, 0.3, None)
    marker = beam().at(s=0.5, x=0.1, y=0.2, angle=0.3)
    assert (marker.x, marker.y, marker.angle, marker.s) == (0.1, 0.2, 0.3, 0.5)


@pytest.mark.parametrize(
    "marker",
    [
        Link("crank", length=0.3, mass=1.0).at(s=0.7, angle=0.1, name="pin"),
        Link("crank", length=0.3, mass=1.0).at(s=0.7, x=0.1, y=0.2),
        Link("crank", length=0.3, mass=1.0).at(s=1, x=-0.3),
        beam().at(0.25, y=0.1),
        beam().at(1.0),
        Ground().at(0.1, 0.2, angle=1.0),
        Body("slider", mass=1.0, inertia=0.0).at(0.1),
    ],
)
def test_address_gives_the_marker_again(marker) -> None:
    again = marker.body.at(**marker.body.address(marker))
    assert (again.x, again.y, again.angle, again.s, again.name) == (
        *(marker.x, marker.y, marker.angle, marker.s, marker.name),
    )


def test_point_mass_holds_its_marker() -> None:
    tip = beam().at(s=1)
    assert PointMass("payload", tip, mass=2.0).markers == (tip,)


def test_straight_beam_at_rest() -> None:
    assert beam().rest_pose([0.0, 0.5, 1.0]) == pytest.approx(np.array([[0, 0, 0], [0.25, 0, 0], [0.5, 0, 0]]))
    assert beam().rest_pose(0.5).shape == (1, 3)


@pytest.mark.parametrize("curvature", [1e-9, -0.5, 3.0, 4 * math.pi])
def test_arc_against_the_circle(curvature) -> None:
    s = np.linspace(0.0, 1.0, 7)
    theta = curvature * 0.5 * s
    x, y = np.sin(theta) / curvature, 2.0 * np.sin(theta / 2.0) ** 2 / curvature
    assert np.allclose(beam(curvature=curvature).rest_pose(s), np.column_stack([x, y, theta]), rtol=1e-12, atol=1e-15)


def test_equal_curvatures_are_an_arc() -> None:
    s = np.linspace(0.0, 1.0, 11)
    same = beam(curvature=(2.0, 2.0, 2.0)).rest_pose(s)
    assert np.allclose(same, beam(curvature=2.0).rest_pose(s), atol=1e-14)


def test_linear_curvature_against_fresnel_integrals() -> None:
    """theta = k sigma^2 / (2 L): the clothoid, x + i y = sqrt(pi L / k) (C + i S)(sigma sqrt(k / (pi L)))."""
    length, end = 0.5, 60.0
    s = np.linspace(0.0, 1.0, 13)
    scale = math.sqrt(math.pi * length / end)
    sine, cosine = fresnel(s * length / scale)
    expected = np.column_stack([scale * cosine, scale * sine, end * length * s**2 / 2.0])
    assert np.allclose(beam(curvature=(0.0, end)).rest_pose(s), expected, rtol=0.0, atol=1e-13)


def test_piecewise_linear_curvature_against_quadrature() -> None:
    values, length = (3.0, -8.0, 0.0, 20.0), 0.5
    places = np.linspace(0.0, length, 4)

    def theta(arc: float) -> float:
        knots = [p for p in places if 0.0 < p < arc]
        return quad(lambda a: np.interp(a, places, values), 0.0, arc, points=knots or None)[0]

    pose = beam(curvature=values).rest_pose([0.2, 0.9])
    for (x, y, angle), s in zip(pose, (0.2, 0.9), strict=True):
        knots = [p for p in places if 0.0 < p < s * length] or None
        assert angle == pytest.approx(theta(s * length), abs=1e-12)
        assert x == pytest.approx(quad(lambda a: math.cos(theta(a)), 0, s * length, points=knots)[0], abs=1e-12)
        assert y == pytest.approx(quad(lambda a: math.sin(theta(a)), 0, s * length, points=knots)[0], abs=1e-12)
