"""PACOMA in space: sides to which its leaves bow, clearance, margins, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ConvergenceError, ModelError, OptionError, PartsTouch
from pliant_gallery import pacoma, robots
from pliant_gallery.robots.clearance import _segments

ELEMENTS = pl.Exact(4, order=2)


def bowing(side: str, **changes: float) -> robots.Pretension:
    return robots.pretension(pacoma.robot(replace(pacoma.LEAF, bow=side, **changes)), elements=ELEMENTS)


@pytest.fixture(scope="module")
def out() -> robots.Pretension:
    return bowing("out")


def middles(rest: pl.Result) -> np.ndarray:
    """Return the radii of the leaves' middles (m)."""
    places = [rest.position.sel(marker=f"leaf {k}@0.5", axis=["x", "y"]).values for k in range(1, 7)]
    return np.hypot(*np.transpose(places))


def test_all_leaves_bow_where_they_are_told(out: robots.Pretension) -> None:
    inward = bowing("in")
    far, near = middles(out.standing.rest), middles(inward.standing.rest)
    assert np.ptp(far) < 1e-9
    assert np.ptp(near) < 1e-9
    assert far[0] > 0.33
    assert near[0] < 0.13
    assert out.standing.rest.outcome.stable
    assert out.bent.outcome.ok
    apart = robots.clearance(out.standing.robot, out.standing.rest)
    assert float(apart.min()) > 0.06
    with pytest.warns(PartsTouch, match="leaf 1, leaf 6; leaf 2, leaf 3; leaf 4, leaf 5 touch"):
        robots.clearance(inward.standing.robot, inward.standing.rest)


def test_standing_where_it_is_described_is_the_same(out: robots.Pretension) -> None:
    """The other way to the rest: assembled with squeezed leaves instead of a path of the tendons."""
    stood = robots.stand(out.standing.robot, elements=ELEMENTS)
    assert np.allclose(stood.rest.shape, out.standing.rest.shape, atol=1e-6)


def test_clearance_along_a_path_begins_with_straight_leaves(out: robots.Pretension) -> None:
    along = robots.clearance(out.standing.robot, out.bent)
    assert along.dims == ("pair", "point")
    assert along.sizes["point"] == out.bent.sizes["point"]
    last = robots.clearance(out.standing.robot, out.bent.equilibrium(-1))
    assert np.allclose(along[:, -1], last, atol=1e-12)


def test_leaves_that_touch_are_named(out: robots.Pretension) -> None:
    wide = replace(pacoma.LEAF, width=0.2)
    robot = replace(out.standing.robot, legs=tuple(replace(leg, kind=wide) for leg in out.standing.robot.legs))
    with pytest.warns(PartsTouch, match="leaf 1, leaf 2.*0 m apart.*narrower"):
        found = robots.clearance(robot, out.standing.rest)  # the same shape, as if leaves were wide
    assert float(found.min()) == 0.0


def test_margins_at_a_pose(out: robots.Pretension) -> None:
    robot, system, rest = out.standing
    limits = (robot.legs[0].angle - pacoma.RANGE, robot.legs[0].angle + pacoma.RANGE)
    arm = pl.Kinetostatics(system, platform="platform", motors=robot.motors, limits=limits, strain_limit=pacoma.YIELD)
    home = robots.pose_margins(robot, arm, arm.inverse((0.0, 0.0, pacoma.HEIGHT), start=rest))
    assert home.usable
    assert home.motor == pytest.approx(pacoma.RANGE, abs=1e-6)
    assert home.tension == pytest.approx(float(rest.tension.min()), rel=1e-6)
    up = robots.pose_margins(robot, arm, arm.inverse((0.0, 0.0, pacoma.HEIGHT + 0.03), start=rest))
    assert 0.0 < up.motor < home.motor


def test_distance_of_two_lines() -> None:
    """Crossing, parallel, end to end, and askew, by hand."""
    p, u = np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0]])
    q = np.array([[0.0, 0.0, 2.0], [0.5, 3.0, 0.0], [4.0, 0.0, 0.0], [3.0, 4.0, 0.0]])
    v = np.array([[0.0, 1.0, 0.0], [2.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    assert _segments(p, u, q, v)[0] == pytest.approx([2.0, 3.0, 2.0, np.hypot(2.0, 3.0)])


def test_the_middle_of_the_angle_is_where_the_robot_stands() -> None:
    found = robots.pretension(pacoma.robot(), elements=pacoma.ELEMENTS).standing
    assert found.robot.legs[0].angle == pytest.approx(pacoma.HOME, abs=1e-4)
    assert float(found.rest.line_length[0]) == pytest.approx(pacoma.CHORD, abs=1e-5)


def test_its_pictures_show_bent_leaves() -> None:
    system = pl.compile(pacoma.model(), elements=ELEMENTS)
    rest = pl.statics(system, start=pacoma.start(system))
    assert rest.outcome.stable
    assert middles(rest)[0] > 0.33


def test_bad_sides_are_refused() -> None:
    with pytest.raises(ModelError, match=r"bow = 'up'.*in, left, out, right"):
        replace(pacoma.LEAF, bow="up")
    robot = robots.alone(pacoma.robot(), 1)
    upright = replace(robot.legs[0], foot=(0.2, 0.0, 0.0), anchor=(0.2, 0.0, 0.0), angle=0.5 * np.pi)  # bends along y
    with pytest.raises(ModelError, match=r'Leg 1: its leaf cannot bow "out".*turn'):
        replace(robot, legs=(upright,)).model()
    with pytest.raises(ModelError, match="has no leg 7"):
        robots.alone(pacoma.robot(), 7)


def test_a_tendon_too_long_to_buckle_is_named() -> None:
    with pytest.raises(ConvergenceError, match=r"stay straight: the tendons pull 40\.4.*tendon_rest_length"):
        bowing("out", tendon_rest_length=0.35)


def test_robots_whose_leaves_cannot_be_compared_are_refused(out: robots.Pretension) -> None:
    flat = robots.planar(robots.LeafLeg(), legs=3, platform=robots.Platform((0.0, 0.0), mass=2.0, inertia=0.02))
    with pytest.raises(ModelError, match="leaves in space, of which it has 0"):
        robots.clearance(flat, out.standing.rest)
    mixed = replace(flat, legs=(*flat.legs[:2], replace(flat.legs[2], kind=robots.LeafLeg(width=0.05))))
    with pytest.raises(ModelError, match="leaves of one kind"):
        robots.pretension(mixed)


def test_branch_of_several_markers(out: robots.Pretension) -> None:
    """Two leaves out, four in, from the same bifurcation; two ways of one marker at once are refused."""
    ways = []
    for k in range(1, 7):
        at = out.straight.equilibrium(-1)
        turn = at.marker_orientation.sel(marker=f"leaf {k}@0.5").values
        inward = pl.model.rotations.rotate(turn, np.array([0.0, 1.0, 0.0]))
        ways.append((f"leaf {k}@0.5", tuple((-1.0 if k < 3 else 1.0) * inward)))
    radii = middles(pl.branch(out.jig, out.straight, toward=ways).equilibrium(-1))
    assert np.all(radii[:2] > 0.33)
    assert np.all(radii[2:] < 0.13)
    opposite = (ways[0][0], tuple(-np.array(ways[0][1])))
    with pytest.raises(OptionError, match="while the others of the list move in theirs"):
        pl.branch(out.jig, out.straight, toward=[ways[0], opposite])
