"""Slender bars in space: a Link has no inertia about its own axis unless one is given, and moves all the same.

Their augmented term was switched on by the one number that a planar inertia is, so that the matrix of a bar held by its
joints had a pivot of rounding; the family that keeps idle rotations could not be compiled.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from math import cos, pi, sin
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import pliant as pl

G = 9.81
CRANK, COUPLER, ROCKER = (0.1, 0.2), (0.35, 0.3), (0.25, 0.3)  # length, mass
CRANK_AT, ROCKER_AT = np.zeros(3), np.array([0.3, 0.1, 0.0])
TURNED = np.array(
    [[cos(a), sin(a), 0.0] for a in (0.0, pi / 2)]
)  # directions of a crank about z at 0 and a quarter turn
DOWN = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])  # the same about y
FLAT = np.array([0.3, 0.0, 0.0])


class TwoHinges:
    """A crank and a rocker on hinges, tips joined by a slender bar between two balls, under weight: in closed form.

    P = r p(theta), Q = R q(phi), |Q - P| = L gives phi(theta). A uniform bar whose ends move with A and B has the
    energy m (A.A + A.B + B.B) / 6 and none of spinning; with T = J(theta) theta'^2 / 2,
    J theta'' + J_theta theta'^2 / 2 + V_theta = 0. Derivatives by complex steps.
    """

    def __init__(self, directions: tuple[np.ndarray, np.ndarray], at: np.ndarray, down: np.ndarray) -> None:
        self.directions, self.at, self.down = directions, (CRANK_AT, at), down
        self.lengths = CRANK[0], ROCKER[0]

    def tip(self, k: int, angle: Any) -> Any:
        x, y = self.directions[k]
        return self.at[k] + self.lengths[k] * (np.cos(angle) * x + np.sin(angle) * y)

    def turn(self, k: int, angle: Any) -> Any:
        x, y = self.directions[k]
        return self.lengths[k] * (np.cos(angle) * y - np.sin(angle) * x)

    def rocker(self, theta: Any, guess: float) -> Any:
        phi = guess + 0j
        for _ in range(8):
            way = self.tip(1, phi) - self.tip(0, theta)
            phi -= (way @ way - COUPLER[0] ** 2) / (2.0 * way @ self.turn(1, phi))
        return phi

    def inertia_and_energy(self, theta: Any, guess: float) -> tuple[Any, Any]:
        phi = self.rocker(theta, guess)
        P, Q, A = self.tip(0, theta), self.tip(1, phi), self.turn(0, theta)
        B = self.turn(1, phi) * ((Q - P) @ A) / ((Q - P) @ self.turn(1, phi))
        bars = CRANK[1] * A @ A + ROCKER[1] * B @ B + COUPLER[1] * (A @ A + A @ B + B @ B)
        masses = CRANK[1] * P + ROCKER[1] * (Q + self.at[1]) + COUPLER[1] * (P + Q)
        return bars / 3.0, -0.5 * G * self.down @ masses

    def angle(self, k: int, tip: np.ndarray) -> float:
        x, y = self.directions[k]
        return float(np.arctan2((tip - self.at[k]) @ y, (tip - self.at[k]) @ x))

    def motion(self, tips: np.ndarray, times: np.ndarray) -> np.ndarray:
        """Return (times, 2, 3) tips of crank and rocker, from rest at the given ones (2, 3)."""
        theta, phi = (self.angle(k, tip) for k, tip in enumerate(tips))
        last = [phi]

        def rates(_: float, y: np.ndarray) -> list[float]:
            last[0] = float(self.rocker(y[0], last[0]).real)
            tiny = 1e-30
            inertia, energy = self.inertia_and_energy(y[0] + 1j * tiny, last[0])
            push = 0.5 * inertia.imag / tiny * y[1] ** 2 + energy.imag / tiny
            return [y[1], -push / inertia.real]

        found = solve_ivp(rates, (0.0, times[-1]), [theta, 0.0], "DOP853", times, rtol=1e-12, atol=1e-12)
        phis, guess = [], phi
        for angle in found.y[0]:
            guess = float(self.rocker(angle, guess).real)
            phis.append(guess)
        return np.array([[self.tip(0, x), self.tip(1, y)] for x, y in zip(found.y[0], phis, strict=True)])


def rssr(**coupler_inertia: Any) -> tuple[pl.Model, TwoHinges]:
    """Return hinge about z, ball, ball, hinge about y; the weight acts along -y and the spin of the coupler is idle."""
    m = pl.Model("rssr", plane=None)
    ground = m.add(pl.Ground())
    crank = m.add(pl.Link("crank", length=CRANK[0], mass=CRANK[1], orientation=pl.rotation(z=60 * pl.DEG)))
    rocker = m.add(
        pl.Link("rocker", length=ROCKER[0], mass=ROCKER[1], orientation=pl.rotation(y=-80 * pl.DEG), position=ROCKER_AT)
    )
    coupler = m.add(
        pl.Link("coupler", length=COUPLER[0], mass=COUPLER[1], position=(0.05, 0.0866, 0), **coupler_inertia)
    )
    m.add(pl.Revolute(ground.at(*CRANK_AT), crank.at(s=0), axis="z"), pl.Spherical(crank.at(s=1), coupler.at(s=0)))
    m.add(pl.Spherical(coupler.at(s=1), rocker.at(s=1)), pl.Revolute(ground.at(*ROCKER_AT), rocker.at(s=0), axis="y"))
    m.add(pl.Gravity(x=0, y=-G, z=0))
    return m, TwoHinges((TURNED, DOWN), ROCKER_AT, np.array([0.0, -1.0, 0.0]))


def with_a_ball() -> tuple[pl.Model, TwoHinges]:
    """Return a four-bar about y with a ball in place of one hinge: every spin is held."""
    m = pl.Model("four-bar with a ball", plane=None)
    ground = m.add(pl.Ground())
    crank = m.add(pl.Link("crank", length=CRANK[0], mass=CRANK[1], orientation=pl.rotation(y=-60 * pl.DEG)))
    coupler = m.add(pl.Link("coupler", length=COUPLER[0], mass=COUPLER[1]))
    rocker = m.add(
        pl.Link("rocker", length=ROCKER[0], mass=ROCKER[1], orientation=pl.rotation(y=-80 * pl.DEG), position=FLAT)
    )
    m.add(pl.Revolute(ground.at(0, 0, 0), crank.at(s=0), axis="y"))
    m.add(pl.Revolute(crank.at(s=1), coupler.at(s=0), axis="y"), pl.Spherical(coupler.at(s=1), rocker.at(s=1)))
    m.add(pl.Revolute(rocker.at(s=0), ground.at(*FLAT), axis="y"), pl.Gravity(x=0, y=0, z=-G))
    return m, TwoHinges((DOWN, DOWN), FLAT, np.array([0.0, 0.0, -1.0]))


def tips(run: Any) -> np.ndarray:
    """Return the tips, (times, 2, 3)."""
    return np.asarray(run.position.sel(marker=["crank/tip", "rocker/tip"]).values)


@pytest.mark.filterwarnings("ignore:Redundant constraints")
@pytest.mark.parametrize("build", [rssr, with_a_ball])
@pytest.mark.parametrize("options", [{}, {"constraints": "projection"}, {"scheme": "momentum"}])
def test_two_hinges_and_a_bar_move_as_in_closed_form(build: Callable[[], Any], options: dict[str, Any]) -> None:
    model, exact = build()
    system = pl.compile(model)
    coarse, fine = (pl.transient(system, end_time=0.4, step=step, **options) for step in (1e-3, 5e-4))
    expected = exact.motion(tips(fine)[0], coarse.time.values)
    assert np.ptp(expected[:, 0], axis=0).max() > CRANK[0]  # it does move
    once, twice = (np.abs(found - expected).max() for found in (tips(coarse), tips(fine)[::2]))
    assert 3.9 < once / twice < 4.1  # of second order, towards the exact motion
    assert np.abs((4.0 * tips(fine)[::2] - tips(coarse)) / 3.0 - expected).max() < 1e-6 * COUPLER[0]


def test_an_idle_bar_does_not_spin() -> None:
    """Between two balls any spin of the coupler is right: it keeps its initial spin, zero."""
    run = pl.transient(pl.compile(rssr()[0]), end_time=0.4, step=1e-3)
    along = run.position.sel(marker="coupler/tip").values - run.position.sel(marker="coupler/base").values
    spin = np.sum(run.angular_velocity.sel(body="coupler").values * along, axis=1) / COUPLER[0]
    fastest = np.abs(run.angular_velocity.sel(body="coupler")).max()
    assert fastest > 1.0
    assert np.abs(spin).max() < 1e-5 * fastest  # what Newton may leave of an acceleration


def pendulum(axis: str, part: Callable[[Any, Any], Any] | None = None, links: int = 1) -> pl.Model:
    m = pl.Model("bars", plane=None)
    ground = m.add(pl.Ground())
    hook = ground.at(0, 0, 0)
    for k in range(links):
        arm = m.add(pl.Link(f"arm {k}", length=0.5, mass=1.0))
        m.add(pl.Revolute(hook, arm.at(s=0), axis=axis))
        hook = arm.at(s=1)
    m.add(pl.Gravity(x=0, y=-G, z=-G))
    if part is not None:
        m.add(part(ground, hook))
    return m


def planar_pendulum(links: int = 1) -> pl.Model:
    m = pl.Model("planar bars")
    hook = m.add(pl.Ground()).at(0, 0)
    for k in range(links):
        arm = m.add(pl.Link(f"arm {k}", length=0.5, mass=1.0, angle=0.0))
        m.add(pl.Revolute(hook, arm.at(s=0)))
        hook = arm.at(s=1)
    m.add(pl.Gravity())
    return m


@pytest.mark.parametrize("links", [1, 2])
@pytest.mark.parametrize(("axis", "down"), [("y", "z"), ("z", "y")])
def test_bars_swing_as_in_the_plane(links: int, axis: str, down: str) -> None:
    settings: dict[str, Any] = {"end_time": 0.5, "step": 1e-3}
    here = pl.transient(pl.compile(pendulum(axis, links=links)), **settings).position
    there = pl.transient(pl.compile(planar_pendulum(links)), **settings).position
    tip = f"arm {links - 1}/tip"
    for mine, other in (("x", "x"), (down, "y")):
        assert np.abs(here.sel(marker=tip, axis=mine).values - there.sel(marker=tip, axis=other).values).max() < 1e-9


@pytest.mark.parametrize(
    "part",
    [
        lambda ground, tip: pl.Force(tip, z=0.1, follower=True),
        lambda ground, tip: pl.Moment(tip, z=0.1),
        lambda ground, tip: pl.Spring("s", tip, ground.at(0.3, 0.1, 0.5), stiffness=50.0, rest_length=0.2),
    ],
    ids=["follower force", "moment", "spring"],
)
def test_a_loaded_bar_moves_as_one_with_inertia_about_itself(part: Callable[[Any, Any], Any]) -> None:
    """A loaded bar does not turn about itself: the hinge is across it."""
    settings: dict[str, Any] = {"end_time": 0.3, "step": 1e-3}
    bare = pl.transient(pl.compile(pendulum("z", part)), **settings).position
    across = 0.5**2 / 12
    thick = pl.Model("thick", plane=None)
    ground, arm = thick.add(pl.Ground(), pl.Link("arm 0", length=0.5, mass=1.0, inertia=(1e-6, across, across)))
    thick.add(pl.Revolute(ground.at(0, 0, 0), arm.at(s=0), axis="z"), pl.Gravity(x=0, y=-G, z=-G))
    thick.add(part(ground, arm.at(s=1)))
    other = pl.transient(pl.compile(thick), **settings).position
    assert np.abs(bare.sel(marker="arm 0/tip") - other.sel(marker="arm 0/tip")).max() < 1e-9


def loop() -> pl.Model:
    m = pl.Model("four-bar")
    ground, a = m.add(pl.Ground(), pl.Link("a", length=0.1, mass=1.0, angle=1.0))
    b, c = m.add(pl.Link("b", length=0.3, mass=1.0), pl.Link("c", length=0.25, mass=1.0))
    m.add(pl.Revolute(ground.at(0, 0), a.at(s=0), name="p0"), pl.Revolute(a.at(s=1), b.at(s=0), name="p1"))
    m.add(pl.Revolute(b.at(s=1), c.at(s=1), name="p2"), pl.Revolute(c.at(s=0), ground.at(0.3, 0), name="p3"))
    m.add(pl.Gravity())
    return m


@pytest.mark.filterwarnings("ignore:Redundant constraints")
@pytest.mark.parametrize(
    "options", [{}, {"constraints": "projection"}, {"constraints": "baumgarte"}, {"scheme": "momentum"}]
)
def test_a_redundant_loop_of_bars_moves_as_in_the_plane(options: dict[str, Any]) -> None:
    settings: dict[str, Any] = {"end_time": 0.3, "step": 1e-3, **options}
    flat, promoted = pl.compile(loop()), pl.compile(loop().promoted())
    assert promoted.redundant
    here, there = (pl.transient(system, **settings).position for system in (promoted, flat))
    for axis in "xy":
        assert np.abs(here.sel(axis=axis).values - there.sel(axis=axis).values).max() < 1e-9


@pytest.mark.filterwarnings("ignore:Redundant constraints")
def test_modes_count_the_motions_that_joints_allow() -> None:
    """Coordinates less the rank of the joints, not less their number: it was 1 - 3 = -2."""
    flat, promoted = (pl.modal(pl.compile(model)) for model in (loop(), loop().promoted()))
    assert flat.outcome.figures["freedoms"] == promoted.outcome.figures["freedoms"] == 1
    assert promoted.frequency_hz.values == pytest.approx(flat.frequency_hz.values, rel=1e-9)
    held = pl.Model("held twice")
    ground, bar = held.add(pl.Ground(), pl.Link("bar", length=1.0, mass=1.0, angle=0.0))
    held.add(pl.Revolute(ground.at(0, 0), bar.at(s=0)), pl.Revolute(ground.at(1, 0), bar.at(s=1)), pl.Gravity())
    for model in (held, held.promoted()):
        assert pl.modal(pl.compile(model)).outcome.figures["freedoms"] == 0


@pytest.mark.filterwarnings("ignore:Redundant constraints")
@pytest.mark.parametrize("damped", [False, True])
def test_modes_of_a_large_model_with_a_redundant_loop(damped: bool) -> None:
    """Beyond the dense limit the saddle matrix was singular: RuntimeError, or, damped, the loop's mode was lost."""
    m = loop()
    steel = pl.Material("steel", youngs_modulus=2e11, density=7800.0, poisson_ratio=0.3)
    beam = m.add(pl.Beam("beam", length=1.0, section=pl.Section.rectangle(0.01, 0.01, steel)))
    m.add(pl.Weld(m.part("ground").at(1.0, 0), beam.at(s=0)))
    found = pl.modal(pl.compile(m.promoted(), elements=120), modes=3, damped=damped)
    expected = float(pl.modal(pl.compile(loop())).frequency_hz[0])
    assert float(found.frequency_hz[0]) == pytest.approx(expected, rel=1e-6)
    assert found.outcome.figures["freedoms"] == 6 * 120 + 1


def test_a_bar_that_a_moment_spins_is_refused_by_name() -> None:
    """Nothing resists a moment about an axis without inertia: the message says what to give."""
    m = pl.Model("shaft", plane=None)
    ground, bar = m.add(pl.Ground(), pl.Link("shaft", length=0.5, mass=1.0))
    m.add(pl.Revolute(ground.at(0, 0, 0), bar.at(s=0), axis="x"), pl.Gravity())
    run = pl.transient(pl.compile(m), end_time=0.05, step=1e-3)  # idle, it stays
    assert np.abs(run.angular_velocity).max() < 1e-12
    m.add(pl.Moment(bar.at(s=1), x=0.1))
    with pytest.raises(pl.errors.SingularError, match=r"shaft can turn about an axis .* inertia=\(Jx, Jy, Jz\)"):
        pl.transient(pl.compile(m), end_time=0.05, step=1e-3)


@pytest.mark.parametrize("formulation", ["dae", "udwadia_kalaba", "relative"])
@pytest.mark.parametrize("unit", [1.0, 1e-6, 1e6])
def test_a_coupler_that_can_spin_rests_and_is_neutral(formulation: str, unit: float) -> None:
    """The rocker stays at its height: the crank hangs down. Newton was singular there, and the rest was refused."""
    long = COUPLER[1] * COUPLER[0] ** 2 / 12.0
    model = rssr(inertia=(1e-5, long, long))[0].scaled(pl.Scales(length=unit, mass=1.0, time=1.0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rest = pl.statics(pl.compile(model, formulation=formulation))
    assert "NeutralEquilibrium" in rest.outcome.warnings
    assert "coupler" in rest.outcome.message
    tip = rest.position.sel(marker="crank/tip").values * unit
    assert tip == pytest.approx([0.0, -CRANK[0], 0.0], abs=1e-6)
