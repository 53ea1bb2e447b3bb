"""Contacts that stick: grasps at rest, against closed forms."""

from __future__ import annotations

from math import pi, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import pliant as pl
from pliant.errors import ConvergenceError, OptionError, PliantWarning
from pliant.kernels.sums import Instant, Into
from pliant.linalg import ldl
from pliant.system.limits import stuck_places
from pliant.system.packing import fused

G, MASS, K, MU, R = 9.81, 0.2, 1e5, 0.5, 0.02
LEAST = MASS * G / (2.0 * MU)  # squeeze below which the ball slips
SPACES = [True, False]


def pads(plane: bool, squeeze: float, shape: Any = None, depth: float = 0.0, **law: Any) -> pl.Model:
    """Build a ball, or a box, between a fixed pad and one that is pushed."""
    m = pl.Model("grasp", plane="xy" if plane else None)
    more: Any = () if plane else (0.0,)
    still: Any = {"angle": 0.0} if plane else {"orientation": (0.0, 0.0, 0.0)}
    inertia: Any = 1e-4 if plane else (1e-4,) * 3
    ground, held, pad = m.add(
        pl.Ground(),
        pl.Body("held", mass=MASS, inertia=inertia, position=(0.0, 0.0, *more), free=True, **still),
        pl.Body("pad", mass=0.05, inertia=inertia, position=(R, 0.0, *more), **still),
    )
    m.add(pl.Gravity(y=-G) if plane else pl.Gravity(z=-G))
    m.add(pl.Prismatic(ground.at(0, 0, *more), pad.at(), **({} if plane else {"axis": "x"})))
    m.add(pl.Force(pad.at(), x=-squeeze, name="push"))
    law = {"stiffness": K, "friction": MU} | law
    if shape is not None:
        fixed = m.add(pl.Body("fixed", mass=1.0, inertia=inertia, position=(-R, 0.0, *more), **still))
        m.add(pl.Weld(ground.at(-R, 0, *more), fixed.at()))
        larger = pl.Box(2.0 * R, 3.0 * R, 3.0 * R)
        markers = [held.at(), fixed.at(-R, 0, *more), pad.at(R, 0, *more)]
        m.add(pl.Collisions("blocks", markers, shape=[shape, larger, larger], radius=2e-3, **law))
        return m
    for name, side, marker in (("left", -1, ground.at), ("right", 1, pad.at)):
        at = (-R, 0.0) if side < 0 else (0.0, 0.0)
        turned: Any = {"angle": side * pi / 2} if plane else {}
        axis: Any = {} if plane else {"axis": (-side, 0.0, 0.0)}
        m.add(pl.Contact(name, marker(*at, *more, **turned), held.at(), radius=R + depth, **axis, **law))
    return m


def sag(found: pl.Result, plane: bool) -> float:
    return -float(found.position.sel(marker="held(0, 0)", axis="y" if plane else "z"))


@pytest.mark.filterwarnings("ignore::pliant.errors.NeutralEquilibrium")  # in space a ball may spin about both places
@pytest.mark.parametrize("formulation", ["dae", "udwadia_kalaba"])
@pytest.mark.parametrize("plane", SPACES)
def test_a_ball_between_two_pads_sags_as_its_contacts_yield(plane: bool, formulation: str) -> None:
    """m g / (2 k), half the weight at each pad; it vibrates up and down with 2 k / m."""
    system = pl.compile(pads(plane, 20.0), formulation=formulation)
    held = pl.statics(system, friction="stuck")
    assert held.outcome.ok
    assert sag(held, plane) == pytest.approx(MASS * G / (2.0 * K), rel=1e-9)
    np.testing.assert_allclose(held.friction_force, 0.5 * MASS * G, rtol=1e-9)
    np.testing.assert_allclose(held.normal_force, 20.0, rtol=1e-9)
    modes = pl.modal(system, at=held)
    hertz = sqrt(2.0 * K / MASS) / (2.0 * pi)
    assert np.min(np.abs(modes.frequency_hz.values / hertz - 1.0)) < 1e-9
    assert modes.outcome.unstable_modes == 0
    np.testing.assert_allclose(modes.friction_force, 0.5 * MASS * G, rtol=1e-9)


@pytest.mark.filterwarnings("ignore::pliant.errors.NeutralEquilibrium")
@pytest.mark.parametrize("seed", [9, 14, 15, 16])
def test_a_grasp_anywhere_in_space_holds_as_in_the_axes_of_the_world(seed: int) -> None:
    """Rounding in turned frames keeps a contact that just touches open, by 1e-17 m: the ball was reported free to move.

    The pad is pushed along x' of the frame, and g is along -z': each contact bears half the weight.
    """
    g = np.random.default_rng(seed)
    place, turn = g.uniform(-2.0, 2.0, 3), Rotation.random(rng=g)
    x, _, z = turn.as_matrix().T
    axes, m = tuple(turn.as_rotvec()), pl.Model("grasp", plane=None)
    ground = m.add(pl.Ground())
    law: Any = {"inertia": (1e-4,) * 3, "orientation": axes}
    held = m.add(pl.Body("held", mass=MASS, position=tuple(place), free=True, **law))
    pad = m.add(pl.Body("pad", mass=0.05, position=tuple(place + R * x), **law))
    m.add(pl.Gravity(*(-G * z[:2]), z=-G * z[2]), pl.Force(pad.at(), **dict(zip("xyz", -20.0 * x, strict=True))))
    m.add(pl.Prismatic(ground.at(*place, orientation=axes), pad.at(), axis="x"))
    left = ground.at(*(place - R * x), orientation=axes)
    law = {"radius": R, "stiffness": K, "friction": MU}
    m.add(pl.Contact("left", left, held.at(), axis=(1, 0, 0), **law))
    m.add(pl.Contact("right", pad.at(), held.at(), axis=(-1, 0, 0), **law))
    rest = pl.statics(pl.compile(m), friction="stuck")
    assert rest.outcome.ok
    np.testing.assert_allclose(rest.friction_force, 0.5 * MASS * G, rtol=1e-6)
    np.testing.assert_allclose(rest.normal_force, 20.0, rtol=1e-6)
    where = rest.position.sel(marker=held.at().label).values - place
    assert -(where @ z) == pytest.approx(MASS * G / (2.0 * K), rel=1e-6)


def test_a_held_ball_is_as_stiff_as_both_its_contacts() -> None:
    system = pl.compile(pads(True, 20.0))
    held = pl.statics(system, friction="stuck")
    found = pl.stiffness(system, at=held, marker="held").compliance
    np.testing.assert_allclose(found, np.diag([1.0 / K, 0.5 / K, 0.5 / (K * R**2)]), atol=1e-7)
    with pytest.raises(OptionError, match="'left', 'right' of 'grasp' hold the state"):
        pl.modal(system, at=held, friction="free")


@pytest.mark.filterwarnings("ignore::pliant.errors.NeutralEquilibrium")
@pytest.mark.parametrize("plane", SPACES)
def test_the_least_squeeze_is_found(plane: bool) -> None:
    """m g / (2 mu)."""
    assert pl.statics(pl.compile(pads(plane, 1.001 * LEAST)), friction="stuck").outcome.ok
    with pytest.warns(PliantWarning, match=r"friction of 'left' between ground and held: 1\.001 of mu N.*0\.981 N"):
        slips = pl.statics(pl.compile(pads(plane, 0.999 * LEAST)), friction="stuck")
    assert not slips.outcome.ok


@pytest.mark.parametrize("plane", SPACES)
def test_a_box_is_held_at_its_corners(plane: bool) -> None:
    """Two corners in the plane hold it on each side, in space four."""
    shape = pl.Box(2.0 * R, 2.0 * R, 2.0 * R)
    held = pl.statics(pl.compile(pads(plane, 20.0, shape)), friction="stuck")
    assert held.outcome.ok
    assert sag(held, plane) == pytest.approx(MASS * G / (K * (4 if plane else 8)), rel=1e-9)
    assert float(held.friction_force[0]) == pytest.approx(MASS * G, rel=1e-9)


def test_a_held_state_is_kept_in_a_file(tmp_path: Path) -> None:
    system = pl.compile(pads(True, 20.0))
    held = pl.statics(system, friction="stuck")
    again = pl.load_result(held.save(tmp_path / "held.nc"))
    np.testing.assert_array_equal(pl.modal(system, at=again).frequency_hz, pl.modal(system, at=held).frequency_hz)
    further = pl.statics(system, start=again, friction="stuck")  # the same contacts, since the same touch
    assert sag(further, True) == pytest.approx(sag(held, True), rel=1e-9)


def test_hertzian_contacts_stick_where_they_are_pressed() -> None:
    """k_t is the slope of N = k d^1.5 at the start."""
    law = {"exponent": 1.5, "stiffness": 1e7}
    with pytest.raises(OptionError, match="no contact of 'grasp' with friction is pressed together at the start"):
        pl.statics(pl.compile(pads(True, 20.0, **law)), friction="stuck")
    depth = (20.0 / 1e7) ** (2.0 / 3.0)  # of both, from the start
    held = pl.statics(pl.compile(pads(True, 20.0, depth=depth, **law)), friction="stuck")
    assert held.outcome.ok
    assert sag(held, True) == pytest.approx(MASS * G / (2.0 * 1.5e7 * sqrt(depth)), rel=1e-6)


def test_what_touches_later_has_no_friction_and_is_named() -> None:
    m = pads(True, 20.0)
    ground, held = m.ground, m.bodies[0]
    m.add(pl.Contact("floor", ground.at(0, -R - 2e-6), held.at(), radius=R, stiffness=K, friction=MU))
    with pytest.warns(PliantWarning, match="'floor' that touch later"):
        found = pl.statics(pl.compile(m), friction="stuck")
    assert not found.outcome.ok


def test_what_friction_would_hold_is_not_called_a_thin_beam() -> None:
    m = pads(True, 20.0)
    leaf = m.add(pl.Beam("leaf", length=0.1, section=pl.Section.rectangle(1e-2, 1e-3, pl.STEEL), position=(1.0, 0.0)))
    m.add(pl.Weld(m.ground.at(1, 0), leaf.at(s=0)))
    with pytest.raises(ConvergenceError) as refused:
        pl.statics(pl.compile(m))
    assert "friction='stuck'" in str(refused.value)
    assert "thin beam" not in str(refused.value)


@pytest.mark.parametrize("shape", [None, pl.Box(2.0 * R, 2.0 * R, 2.0 * R)], ids=["ball", "box"])
@pytest.mark.parametrize("plane", SPACES)
def test_the_tangent_of_what_sticks_is_the_second_derivative_of_its_energy(plane: bool, shape: Any) -> None:
    system = pl.compile(pads(plane, 20.0, shape))
    held, _ = system.stuck(system.initial)
    only = fused.pack({stuck_places.family(held): stuck_places.places(held)})
    u, still, n = held.signals(np.zeros(1))[0], np.zeros(held.size), held.freedoms
    size = np.where(held.layout.angular, 1.0, R)
    q = held.moved(held.initial, 0.3 * size * np.random.default_rng(0).normal(size=n))

    def energy(way: np.ndarray) -> float:
        return float(fused.energy(only, held.moved(q, way), still, u)[1])

    s = held.scratch()
    fused.add(only, Instant(q, still, still, u), Into(1.0, 0.0, 0.0, s.r, s.s, s.w), s.stress, False)
    tangent = ldl.to_csc(held.equations.pattern, s.s, s.w, n).toarray()
    ways = 1e-4 * np.diag(size)
    slope = np.array([energy(x) - energy(-x) for x in ways]) / 2e-4
    bend = np.array([[energy(x + y) - energy(x - y) - energy(y - x) + energy(-x - y) for x in ways] for y in ways])
    np.testing.assert_allclose(slope, size * s.r[:n], atol=1e-6 * np.max(np.abs(slope)))
    np.testing.assert_allclose(bend / 4e-8, tangent * np.outer(size, size), atol=1e-6 * np.max(np.abs(bend)) / 4e-8)
