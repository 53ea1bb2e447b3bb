"""Bases of concentric tubes behind each other are turned against the ground, not against the twisted tube inside."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import pliant as pl
from pliant_gallery import concentric_tubes
from pliant_gallery.robots import ConcentricTubes, CurvedTube

LENGTH = 0.1  # m, that both are curved
TIP = 0.3  # rad, between their ends


def test_a_tube_is_twisted_behind_the_base_of_the_tube_around_it() -> None:
    """``theta'' = c sin theta`` along what is curved; straight lengths l twist in proportion to 1 / GJ each."""
    inner = CurvedTube(length=0.4, straight=0.3, curvature=8.0, outer_radius=0.5e-3, inner_radius=0.35e-3)
    outer = CurvedTube(length=0.2, straight=0.1, curvature=10.0, outer_radius=0.8e-3, inner_radius=0.6e-3)
    soft = [1.0 / tube.section.torsional_stiffness for tube in (inner, outer)]
    bent = sum(1.0 / tube.section.bending_stiffness for tube in (inner, outer))
    c = 80.0 * sum(soft) / bent
    back = solve_ivp(lambda s, y: (y[1], c * np.sin(y[0])), (LENGTH, 0.0), (TIP, 0.0), rtol=1e-10, atol=1e-12)
    angle, slope = back.y[:, -1]
    turned = angle - (0.3 * soft[0] + 0.1 * soft[1]) / sum(soft) * slope
    robot = ConcentricTubes(tubes=(inner, outer), bases=(-0.3, -0.1), angles=(0.0, float(turned)))
    rest = pl.statics(pl.compile(robot.model(), elements=pl.Exact(4, order=3)))
    assert rest.sleeve_angle.values[-1] == pytest.approx(TIP, rel=2e-5)


def test_tubes_held_apart_snap_at_limit_points() -> None:
    """A tube's drive is soft beside its holder: else events of a path were reported as bifurcations."""
    inner = CurvedTube(length=0.21, straight=0.06, curvature=10.0, outer_radius=0.5e-3, inner_radius=0.3e-3)
    outer = CurvedTube(length=0.17, straight=0.02, curvature=12.0, outer_radius=0.9e-3, inner_radius=0.6e-3)
    robot = ConcentricTubes(tubes=(inner, outer), bases=(-0.06, -0.02))
    path = pl.path(pl.compile(robot.model(), elements=pl.Exact(3, order=3)), "tube 2/angle", to=2.0 * np.pi)
    assert path.event_kind.values.tolist() == ["limit point", "limit point"]
    assert path.event_parameter.values == pytest.approx([4.164485, 2.118700], abs=1e-3)  # of the equation above


@pytest.mark.filterwarnings("ignore::pliant.errors.CarriedOver")
def test_tubes_are_moved_on_from_where_they_are() -> None:
    """Sleeves that another mesh takes over are not twisted; sleeves on nodes that moved a little keep their angles."""
    robot = ConcentricTubes(tubes=concentric_tubes.TUBES, bases=concentric_tubes.BASES, angles=(0.0, 3.0, -2.0))
    coarse, fine = (pl.compile(robot.model(), elements=pl.Exact(n, order=2)) for n in (12, 14))
    rest = pl.statics(coarse)
    tips = [pl.statics(fine, start=rest), pl.statics(coarse.with_parameters(base_1=-0.1997), start=rest)]
    for found in tips:
        off = found.position.sel(marker="tube 1/tip").values - rest.position.sel(marker="tube 1/tip").values
        assert np.linalg.norm(off) < 2e-3
