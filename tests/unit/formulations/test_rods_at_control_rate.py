"""Rows of poses of fed rods by shooting: against single poses and elements, stable and not, and bad input."""

from __future__ import annotations

import collections
import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.elements.rod_ivp import frames, unloaded
from pliant.elements.rod_ivp.frozen import KEPT
from pliant.errors import LimitError, OptionError
from pliant.formulations.shooting.spatial import system as spatial_conjugate
from pliant.formulations.shooting.spatial.observation import FAMILY
from pliant.joints import rows as joints
from pliant.system.packing.build import pack_families
from pliant_evidence.control_rate.robot import PATH as BENCH
from pliant_evidence.control_rate.robot import POINTS, Shot
from pliant_gallery.robots import ContinuumStewart

DESIGN = ContinuumStewart()
HOME = (0.0, 0.02, 0.48)
PATH = np.linspace(HOME, (0.0, 0.05, 0.51), 31)


@cache
def robot(subintervals: int = 1) -> tuple[pl.Kinetostatics, pl.Pose]:
    """Return the robot by shooting, and where its paths begin."""
    rods = {"subintervals": subintervals, "order": 8, "step": 0.25, "tolerance": 1e-5}
    system = pl.compile(DESIGN.model(), formulation="shooting", **rods)
    found = pl.Kinetostatics(system, platform="platform", motors=DESIGN.motors)
    return found, found.inverse(HOME)


SECTION = pl.Section.circle(1e-3, pl.STEEL)


def column(step: float, section: Any = SECTION) -> Any:
    """Return a straight rod of unit length."""
    m = pl.Model("column", plane=None)
    ground = m.add(pl.Ground())
    beam = m.add(pl.Beam("beam", length=1.0, section=section))
    m.add(pl.Weld(ground.at(0, 0, 0), beam.at(s=0)))
    return pl.compile(m, formulation="shooting", subintervals=1, order=8, step=step)


@pytest.mark.parametrize(
    ("force", "directions"),
    [(0.0, 0), (38.0, 0), (40.5, 2), (79.0, 2), (82.5, 4), (155.0, 4), (161.0, 6)],
)
def test_conjugate_points_of_a_clamped_column_are_eulers(force: float, directions: int) -> None:
    """Clamped at both ends it buckles at 4 pi^2, 80.76 and 16 pi^2 EI/L^2, in two planes at once."""
    assert unstable_in(1 / 16, force) == directions


def unstable_in(step: float, force: float) -> int:
    """Count the directions in which the column is unstable between its ends under a force, in EI/L^2."""
    system = column(step)
    rods = pack_families(system.layout)[0][FAMILY]
    stress, found = np.zeros((1, system.scratch().stress.size)), np.zeros(1, np.int64)
    stress[0, rods.stress_start] = -force * SECTION.stiffness[4, 4]
    spatial_conjugate.count(rods, system.initial[None], system.signals(np.zeros(1)), stress, found)
    return int(found[0])


def test_steps_that_are_too_long_tell_nothing() -> None:
    """Stability that is not known is not called known."""
    assert unstable_in(0.5, 45.0) == spatial_conjugate.UNKNOWN


@pytest.mark.parametrize("section", [SECTION, pl.Circle(radius=(1.1e-3, 9e-4), material=pl.STEEL)])
def test_fewer_equations_march_to_the_same_end(section: Any) -> None:
    """State and derivatives of an unloaded rod, by its two marches; one that tapers, too."""
    rods = pack_families(column(1 / 32, section).layout)[0][FAMILY]
    work, other = frames.workspace(rods), frames.workspace(rods)
    for each in (work, other):
        each.wrench[:] = np.array([0.5, -1.0, 2.0, 0.3, 1.0, -2.0]) * SECTION.stiffness[4, 4]
    unloaded.march_bare(rods, 0, frames.BY_WRENCH, work)
    frames.march(rods, 0, frames.BY_WRENCH, frames.STILL, other)
    size = frames.STATE + frames.COLUMN * frames.BY_WRENCH
    np.testing.assert_allclose(work.y[:size], other.y[:size], rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(work.seen, other.seen, rtol=1e-8, atol=1e-9)


def test_rods_abreast_march_as_they_do_alone() -> None:
    """Six rods of other lengths and wrenches, four and two abreast, against the other equations one by one."""
    rods = robot()[0].equilibria.inverse.rods
    work, other, random = frames.workspace(rods), frames.workspace(rods), np.random.default_rng(1)
    for each in (work, other):
        each.longer[:] = 1.0 + 0.1 * np.arange(6)
    work.wrenches[:] = random.uniform(-0.2, 0.2, (6, 6)) * [1.0, 1.0, 1.0, 0.3, 0.3, 0.3]
    unloaded.march_all(rods, frames.BY_WRENCH, work)
    size = frames.STATE + frames.COLUMN * frames.BY_WRENCH
    for e in range(6):
        work.wrench[:] = other.wrench[:] = work.wrenches[e]
        unloaded.unfold(rods, e, frames.BY_WRENCH, work)
        frames.march(rods, e, frames.BY_WRENCH, frames.STILL, other)
        np.testing.assert_allclose(work.y[:size], other.y[:size], rtol=1e-6, atol=1e-6 * np.max(np.abs(other.y)))


def test_joints_push_as_they_do_with_their_matrices() -> None:
    """Joint forces need only vectors for an increment with old factors, at nodes that meet no joint."""
    system, random = robot()[0].system, np.random.default_rng(2)
    scratch, rows = system.scratch(), system.equations.rows
    q, lam, u = system.initial + 0.1 * random.normal(size=system.size), random.normal(size=102), np.full(40, 0.3)
    r, g = np.zeros_like(scratch.r), np.zeros_like(scratch.g)
    joints.push(rows, q, lam, u, r, g)
    joints.add(rows, q, lam, u, joints.Saddle(0.0, 0.0, scratch.r, scratch.g, scratch.s))
    np.testing.assert_allclose(r, scratch.r, atol=1e-12)
    np.testing.assert_allclose(g, scratch.g, atol=1e-12)


@pytest.mark.parametrize("stability", [True, False])
def test_every_pose_is_nearer_than_forty_points_a_rod(stability: bool) -> None:
    """Lengths along the path of the bench, against ten times as many points."""
    exact = Shot(10 * POINTS, 1e-11).lengths(np.zeros((len(PATH), 6)))
    coarse = Shot(POINTS, 1e-11).lengths(np.zeros((len(PATH), 6)))
    arm, start = robot()
    found = arm.follow(BENCH[: len(PATH)], start=start, stability=stability)
    off = np.max(np.abs(found.motor.values + DESIGN.free_lengths() - exact), axis=1)
    assert np.max(off) < np.max(np.abs(coarse - exact))


@pytest.mark.parametrize("stability", [True, False])
def test_rows_are_single_poses(stability: bool) -> None:
    """Motors, torques and strains, there and back through motors, under a load that changes."""
    arm, start = robot()
    load = np.linspace(0.0, -0.5, len(PATH))
    row = arm.follow(PATH, load={"load/z": load}, start=start, stability=stability)
    assert row.outcome.ok
    single = [arm.inverse(PATH[k], load={"load/z": load[k]}, start=start) for k in (10, 30)]
    close = 1e-10 if stability else 5e-9
    np.testing.assert_allclose(row.motor.values[[10, 30]], [pose.motors for pose in single], atol=close)
    np.testing.assert_allclose(row.torque.values[[10, 30]], [pose.torques for pose in single], atol=1e-6)
    np.testing.assert_allclose(row.strain.values[[10, 30]], [pose.strain for pose in single], rtol=1e-5)
    back = arm.drive(row.motor.values, load={"load/z": load}, start=start, stability=stability)
    assert back.outcome.ok
    np.testing.assert_allclose(back.position.values, PATH, atol=2e-8)
    known = row.stable.values.all(), np.isfinite(row.softest.values).all()
    assert known == (stability, stability)
    assert ("not requested" in row.outcome.message) is not stability


def test_a_row_leaves_the_stable_region_where_elements_do() -> None:
    """Rods held under a load that grows buckle between the clamps, at the same load as elements."""
    system = pl.compile(DESIGN.model(), elements=pl.Exact(2, order=6))
    elements = pl.Kinetostatics(system, platform="platform", motors=DESIGN.motors)
    load = {"load/z": -np.concatenate([np.arange(0.0, 19.0, 0.5), np.arange(19.0, 22.0, 0.1)])}
    wanted = elements.follow(np.tile(HOME, (68, 1)), load=load, start=elements.inverse(HOME))
    for subintervals in (1, 3):
        arm, start = robot(subintervals)
        held = arm.follow(np.tile(HOME, (68, 1)), load=load, start=start)
        np.testing.assert_array_equal(held.stable.values, wanted.stable.values)
        assert not held.outcome.ok
        assert "unstable at 22 poses, first at 46" in held.outcome.message
    loop, judged = robot()[0].stepper(start=robot()[1]), []
    with warnings.catch_warnings(action="ignore"):
        for push in load["load/z"]:
            loop.inverse(HOME, load={"load/z": push})
            judged.append(loop.pose().stable)  # by all checks of a single pose
    np.testing.assert_array_equal(wanted.stable.values, judged)


def test_a_loop_goes_the_same_way() -> None:
    """The loop goes the same way with and without stability; unknown values become None."""
    arm, start = robot()
    row = arm.follow(PATH, start=start)
    for stability in (True, False):
        loop = arm.stepper(start=start, stability=stability)
        motors = [loop.inverse(place) for place in PATH]
        np.testing.assert_allclose(motors, row.motor.values, atol=5e-9)
        assert loop.stable is (True if stability else None)
        assert (loop.jacobian is None) is not stability
        assert loop.careful == 0


@pytest.mark.parametrize("stability", [True, False])
def test_a_feed_beyond_its_rod_is_named(stability: bool) -> None:
    """The last poses take more rod than there is; with limits the loop refuses them."""
    arm, start = robot()
    path = np.linspace(HOME, (0.0, 0.02, 0.7803), 31)
    row = arm.follow(path, start=start, stability=stability)
    assert not row.outcome.ok
    assert "length fed by 'feed 1'" in row.outcome.message
    assert "give it more stock=" in row.outcome.message
    bound = pl.Kinetostatics(arm.system, platform="platform", motors=DESIGN.motors, limits=DESIGN.limits)
    loop = bound.stepper(start=start, stability=stability)
    with pytest.raises(LimitError, match="its limits are"):
        collections.deque(map(loop.inverse, path))


def test_stability_is_yes_or_no() -> None:
    """Anything else is refused."""
    arm, start = robot()
    with pytest.raises(OptionError, match="stability='no': give True or False"):
        arm.follow(PATH, start=start, stability="no")  # type: ignore[arg-type]


def test_kept_wrenches_are_those_that_join_the_nodes() -> None:
    """Rows keep the wrenches of rods that a search from nothing finds."""
    arm, start = robot()
    follower = arm.equilibria.follower(0, stability=False)
    assert follower is not None
    found = follower.begin(start.state.q, start.state.lam, start.signals).allocate(1)
    assert follower.follow(np.zeros((1, 7)), start.signals[None], found) == 1
    again = follower.begin(found.q[0], found.lam[0], found.u[0]).track.scratch.stress
    first = KEPT * np.arange(6)[:, None] + np.arange(6)
    np.testing.assert_allclose(found.stress[0, first], again[first], atol=1e-6 * np.max(np.abs(again[first])))
