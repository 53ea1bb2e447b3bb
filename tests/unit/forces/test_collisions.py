"""Balls, capsules and beams that collide: impulses, rolling, equilibria in closed form, and which pairs are found."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np
import pytest

import pliant as pl
from pliant.forces.collisions import planar, spatial
from pliant.forces.collisions.nearest import meet
from pliant.forces.collisions.sweep import listed, may_meet, near
from pliant.system.packing import fused

G, R = 9.81, 0.05


def balls(places, masses, *, spatial=False, **law):
    """Build solid balls, or discs in the plane, that fly."""
    m = pl.Model("balls", plane=None if spatial else "xy")
    bodies = []
    for k, (place, mass) in enumerate(zip(places, masses, strict=True)):
        inertia = (0.4 * mass * R**2,) * 3 if spatial else 0.5 * mass * R**2
        where = (
            {"position": (*place, 0.0)[:3], "orientation": (0, 0, 0)} if spatial else {"position": place, "angle": 0.0}
        )
        bodies.append(m.add(pl.Body(f"ball {k}", mass=mass, inertia=inertia, free=True, **where)))
    floors = law.pop("floor", None)
    markers = [m.add(pl.Ground()).at(0, 0)] if floors else []
    if floors:
        m.add(pl.Gravity())
    m.add(pl.Collisions("all", [b.at() for b in bodies], radius=R, floors=markers, **{"stiffness": 1e5, **law}))
    return m


def velocity(run, k):
    return run.velocity.sel(marker=f"ball {k}(0, 0)").values


def turning(run, k):
    spin = run.angular_velocity.sel(body=f"ball {k}").values
    return spin[:, 2] if spin.ndim == 2 else spin


@pytest.mark.parametrize("spatial", [False, True])
@pytest.mark.parametrize("e", [0.0, 0.6, 1.0])
def test_two_balls_that_meet(e: float, spatial: bool) -> None:
    """v1 = v0 (m1 - e m2) / (m1 + m2), v2 = v0 m1 (1 + e) / (m1 + m2), and what restitution takes is lost."""
    m = balls([(0, 0), (0.15, 0)], (1.0, 3.0), spatial=spatial, restitution=e)
    push = {"ball 0": (2.0, *(0.0,) * (5 if spatial else 2))}
    run = pl.transient(pl.compile(m), end_time=0.05, step=1e-3, contact="complementarity", push=push)
    assert velocity(run, 0)[-1, 0] == pytest.approx(2.0 * (1.0 - 3.0 * e) / 4.0, abs=1e-12)
    assert velocity(run, 1)[-1, 0] == pytest.approx(2.0 * (1.0 + e) / 4.0, abs=1e-12)
    assert run.outcome.energy_error < 1e-12
    lost = float(run.energy.sel(energy_kind="dissipated")[-1])
    assert lost == pytest.approx(0.5 * 0.75 * 4.0 * (1.0 - e**2), abs=1e-12)


@pytest.mark.parametrize("mu", [0.1, 5.0])
def test_oblique_balls_slide_or_stick(mu: float) -> None:
    """Two discs that meet along x, one moving across: p_t = mu p_n, or 1/6 of the momentum, which stops it."""
    m = balls([(0, 0), (0.1 + 1e-9, 0)], (1.0, 1.0), friction=mu)
    push = {"ball 0": (1.0, 0.6, 0.0)}
    run = pl.transient(pl.compile(m), end_time=1e-5, step=1e-7, contact="complementarity", push=push)
    across = min(mu * 0.5, 0.6 / 6.0)  # W across = 2 / m + 2 R^2 / J = 6 / m of discs
    np.testing.assert_allclose(velocity(run, 1)[-1], (0.5, across), atol=1e-6)  # in h the normal turns by 6e-7
    np.testing.assert_allclose([turning(run, k)[-1] for k in (0, 1)], -across * R / (0.5 * R**2), rtol=1e-5)


def test_soft_balls_bounce_as_a_spring_does() -> None:
    """Two equal balls exchange velocities within pi sqrt(m / 2 k), with the force v sqrt(k m / 2) at most."""
    k = 1e5
    m = balls([(0, 0), (0.1 + 1e-6, 0)], (1.0, 1.0), spatial=True)
    run = pl.transient(
        pl.compile(m), end_time=0.01, step=2e-5, newmark=(0.25, 0.5), push={"ball 0": (1.0, *(0.0,) * 5)}
    )
    force = run.normal_force.sel(contact="all").values
    assert np.max(force) == pytest.approx(sqrt(k / 2.0), rel=1e-4)
    assert np.sum(force > 0.0) * 2e-5 == pytest.approx(pi * sqrt(0.5 / k), abs=4e-5)
    assert velocity(run, 1)[-1, 0] == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize(("spatial", "rest"), [(False, 2.0 / 3.0), (True, 5.0 / 7.0)])
def test_sliding_ball_ends_rolling(spatial: bool, rest: float) -> None:
    """A ball that slides at v ends rolling at 5/7 v, a disc at 2/3 v, after (1 - rest) v / (mu g)."""
    m = balls([(0, R)], (2.0,), friction=0.3, floor=True)
    push = {"ball 0": (1.0, *(0.0,) * (5 if spatial else 2))}
    run = pl.transient(pl.compile(_upright(m, spatial)), end_time=0.2, step=1e-3, contact="complementarity", push=push)
    speed, t = velocity(run, 0)[:, 0], run.time.values
    until = (1.0 - rest) / (0.3 * G)
    sliding = t < until - 2e-3
    np.testing.assert_allclose(speed[sliding][1:], 1.0 - 0.3 * G * t[sliding][1:], atol=1e-9)
    np.testing.assert_allclose(speed[t > until + 2e-3], rest, atol=1e-3)


def _upright(planar, spatial):
    """Build the model, or a solid ball on a floor whose normal is z."""
    if not spatial:
        return planar
    m = pl.Model("ball", plane=None)
    ground = m.add(pl.Ground())
    ball = m.add(
        pl.Body("ball 0", mass=2.0, inertia=(0.8 * R**2,) * 3, position=(0, 0, R), orientation=(0, 0, 0), free=True)
    )
    m.add(pl.Gravity())
    m.add(pl.Collisions("all", [ball.at()], radius=R, floors=[ground.at(0, 0)], stiffness=1e5, friction=0.3))
    return m


def test_cradle_hands_the_last_ball_on() -> None:
    """Elastic balls a little apart strike one after the other, and the last takes all. (Touching, they strike at once,
    of which Newton's law makes something else: docs/theory/contact.md.)
    """
    gap = 5e-3
    m = balls([(k * (2 * R + gap), 0) for k in range(5)], (1.0,) * 5, restitution=1.0)
    run = pl.transient(pl.compile(m), end_time=0.05, step=5e-4, contact="complementarity", push={"ball 0": (2.0, 0, 0)})
    np.testing.assert_allclose([velocity(run, k)[-1, 0] for k in range(5)], (0, 0, 0, 0, 2.0), atol=1e-12)


def test_crowd_keeps_momentum_and_its_moment() -> None:
    """Whatever strikes and rubs."""
    rng = np.random.default_rng(2)
    places = [tuple(0.13 * np.array(divmod(k, 4)) + 0.01 * rng.standard_normal(2)) for k in range(16)]
    m = balls(places, rng.uniform(0.5, 2.0, 16), restitution=0.5, friction=0.4)
    push = {
        f"ball {k}": (*(-3.0 * (np.array(place) - 0.2)), 5.0 * rng.standard_normal()) for k, place in enumerate(places)
    }
    run = pl.transient(pl.compile(m), end_time=0.2, step=1e-3, contact="complementarity", estimate=False, push=push)
    assert float(run.normal_force.sum()) > 0.0
    assert {check.name for check in run.outcome.failed} <= {"local errors, summed", "order of impacts"}
    masses = np.array([body.mass for body in m.bodies])
    x = np.stack([run.position.sel(marker=f"ball {k}(0, 0)").values for k in range(16)], 1)
    v, w = np.stack([velocity(run, k) for k in range(16)], 1), np.stack([turning(run, k) for k in range(16)], 1)
    momentum = np.einsum("k,tkx->tx", masses, v)
    spin = (x[..., 0] * v[..., 1] - x[..., 1] * v[..., 0] + 0.5 * R**2 * w) @ masses
    np.testing.assert_allclose(momentum, momentum[[0]] * np.ones((momentum.shape[0], 1)), atol=1e-11)
    np.testing.assert_allclose(spin, spin[0], atol=1e-3 * np.max(np.abs(spin)))  # arms move by h v within a step


def test_crossed_capsules_rest_where_they_cross() -> None:
    """One on the ground, one on it: pressed by its weight alone, at the sum of the radii less m g / k."""
    m = pl.Model("crossed", plane=None)
    ground, rod = m.add(
        pl.Ground(),
        pl.Body(
            "rod", mass=2.0, inertia=(1e-4, 0.01, 0.01), position=(0, 0, 0.06), orientation=(0, 0, pi / 2), free=True
        ),
    )
    m.add(pl.Gravity())
    law = {"radius": (0.02, 0.04), "length": (0.5, 0.3), "stiffness": 1e5, "damping": 20.0, "friction": 0.5}
    m.add(pl.Collisions("cross", [ground.at(0, 0), rod.at()], **law))
    run = pl.transient(pl.compile(m), end_time=0.5, accuracy=1e-5)
    assert float(run.normal_force[-1, 0]) == pytest.approx(2.0 * G, rel=1e-3)
    assert float(run.position.sel(marker="rod(0, 0)", axis="z")[-1]) == pytest.approx(0.06 - 2.0 * G / 1e5, abs=1e-6)


@pytest.mark.parametrize("rigid", [False, True])
def test_capsule_comes_to_lie_on_a_floor(rigid: bool) -> None:
    """Dropped on one end; lying on both it presses with its weight, its axis a radius above."""
    m = pl.Model("capsule")
    ground, rod = m.add(pl.Ground(), pl.Body("rod", mass=1.5, inertia=0.02, position=(0, 0.2), angle=0.4, free=True))
    m.add(pl.Gravity())
    law = {"radius": 0.03, "length": 0.4, "stiffness": 1e5, "damping": 10.0, "friction": 0.4}
    m.add(pl.Collisions("floor", [rod.at()], floors=[ground.at(0, 0)], **law))
    options = {"contact": "complementarity", "step": 1e-3} if rigid else {"accuracy": 1e-6}
    run = pl.transient(pl.compile(m), end_time=1.5, **options)
    force = run.normal_force.sel(contact="floor").values
    assert np.mean(force[-20:]) == pytest.approx(1.5 * G, rel=1e-3)
    depth = 0.0 if rigid else 0.5 * 1.5 * G / 1e5
    assert float(run.position.sel(marker="rod(0, 0)", axis="y")[-1]) == pytest.approx(
        0.03 - depth, abs=2e-3 if rigid else 1e-5
    )
    assert np.sin(float(run.angle.sel(body="rod")[-1])) == pytest.approx(0.0, abs=1e-2 if rigid else 1e-5)


def test_crossed_beams_share_a_load() -> None:
    """Two equal beams on supports, one across the other, one pressed in its middle: half the load goes over."""
    m = pl.Model("grid", plane=None)
    ground = m.add(pl.Ground())
    section = pl.Section(
        axial_stiffness=2e7, shear_stiffness=1e9, bending_stiffness=100.0, mass_per_length=0.8, rotary_inertia=1e-5,
        torsional_stiffness=80.0, shear_stiffness_z=1e9, bending_stiffness_y=100.0, rotary_inertia_y=1e-5,
    )  # fmt: skip
    law = {"length": 1.0, "section": section}
    upper = m.add(pl.Beam("upper", position=(0, 0, 0.02), orientation=(0, 0, 0), **law))
    lower = m.add(pl.Beam("lower", position=(0.5, -0.5, 0.0), orientation=(0, 0, pi / 2), **law))
    m.add(pl.Weld(ground.at(0, 0, 0.02), upper.at(s=0)), pl.Weld(ground.at(1, 0, 0.02), upper.at(s=1)))
    m.add(
        pl.Weld(ground.at(0.5, -0.5, angle=pi / 2), lower.at(s=0)),
        pl.Weld(ground.at(0.5, 0.5, angle=pi / 2), lower.at(s=1)),
    )
    m.add(pl.Force(upper.at(s=0.5), z=-10.0))
    m.add(pl.Collisions("cross", [upper.at(s=0), lower.at(s=0)], radius=0.01, stiffness=1e8))
    found = pl.statics(pl.compile(m, elements=pl.Exact(elements=4, order=2)))
    one = 10.0 / 192.0 / 100.0  # F L^3 / (192 EI) of a clamped beam alone
    assert float(found.normal_force[0]) == pytest.approx(5.0, rel=1e-3)
    assert 0.02 - float(found.position.sel(marker="upper@0.5", axis="z")) == pytest.approx(0.5 * one, rel=0.01)
    assert found.outcome.ok


def test_joined_bodies_do_not_collide() -> None:
    m = pl.Model("arms")
    one, two = m.add(
        *(pl.Body(n, mass=1.0, inertia=0.1, position=(0.2 * k, 0), angle=0.0, free=True) for k, n in enumerate("ab"))
    )
    law = {"radius": 0.05, "length": 0.2, "stiffness": 1e4}
    m.add(pl.Collisions("arms", [one.at(), two.at()], **law))
    apart = fused.energy(pl.compile(m).equations.parts, *_rest(pl.compile(m)))[1]
    m.add(pl.Revolute(one.at(0.1, 0), two.at(-0.1, 0)))
    assert apart > 0.0
    assert fused.energy(pl.compile(m).equations.parts, *_rest(pl.compile(m)))[1] == 0.0


def _rest(system):
    return system.initial, np.zeros(system.size), np.zeros(3)


def test_sorting_finds_the_pairs_that_are_near() -> None:
    """Sorting finds the pairs that trying all would find, with room or without."""
    rng = np.random.default_rng(4)
    m = pl.Model("crowd", plane=None)
    bodies = m.add(
        *(
            pl.Body(
                f"b{k}",
                mass=1.0,
                inertia=(0.1,) * 3,
                position=tuple(rng.uniform(0, 0.6, 3)),
                orientation=(0, 0, 0),
                free=True,
            )
            for k in range(30)
        )
    )
    m.add(
        pl.Collisions(
            "crowd", [b.at() for b in bodies], radius=R, length=[0.1 * (k % 2) for k in range(30)], stiffness=1.0
        )
    )
    system = pl.compile(m)
    part = spatial.pack(system.layout)
    for close in (0.0, 0.05):
        found = {tuple(pair) for pair in near(part, system.initial, close).tolist()}
        every = near(part, system.initial, np.inf).tolist()
        count = part.kind.size
        assert len(every) == sum(bool(may_meet(part, a, b)) for a in range(count) for b in range(a))
        touching = {(a, b) for a, b in every if meet(part, a, b, system.initial, 0).gap <= close}
        assert touching
        assert touching <= found
        assert len(found) < 0.5 * len(every)
        assert listed(part, system.initial, close, np.empty((2, 2), np.int64)) == len(found)


BAD = [
    ({"among": 3}, "among = 3 is not allowed; it must be a sequence of markers"),
    ({"radius": -1.0}, "radius = -1.0 is not allowed; it must be positive"),
    ({"radius": (0.1, 0.2, 0.3)}, "it must be one, or one for each of 2 markers"),
    ({"length": (0.1, -0.2)}, "length = -0.2 is not allowed"),
    ({"friction": -1.0}, "friction = -1.0 is not allowed"),
    ({"restitution": 2.0}, "restitution = 2.0 is not allowed"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD)
def test_bad_collisions_are_refused(arguments, message: str) -> None:
    one, two = (pl.Body(name, mass=1.0, inertia=0.1) for name in "ab")
    with pytest.raises(pl.errors.ModelError, match=message):
        pl.Collisions("c", **{"among": [one.at(), two.at()], "radius": 0.1, "stiffness": 1.0, **arguments})


def test_collisions_of_one_body_are_refused() -> None:
    body, beam = (
        pl.Body("a", mass=1.0, inertia=0.1),
        pl.Beam("rod", length=1.0, section=pl.Section.rectangle(0.01, 0.01, pl.STEEL)),
    )
    with pytest.raises(pl.errors.ModelError, match='Collisions "c": its shapes have nothing to collide with'):
        pl.Collisions("c", [body.at(), body.at(0.1)], radius=0.1, stiffness=1.0)
    with pytest.raises(pl.errors.ModelError, match="it must be 0 of Beam"):
        pl.Collisions("c", [body.at(), beam.at(s=0)], radius=0.1, length=0.1, stiffness=1.0)
    with pytest.raises(pl.errors.ModelError, match="a floor is at rod/base"):
        pl.Collisions("c", [body.at()], floors=[beam.at(s=0)], radius=0.1, stiffness=1.0)


def test_tangents_of_tubes() -> None:
    """A beam pressed against a capsule and a floor that move: its matrices are the derivatives of its forces."""
    from pliant_testing.contracts import check_stiffness
    from pliant_testing.parts import beam
    from pliant_testing.probe import Probe

    for spatial_ in (False, True):
        models = []
        for _ in range(2):
            m = pl.Model("tube", plane=None if spatial_ else "xy")
            place = {"position": (0.7, 0.2, 0.3) if spatial_ else (0.7, 0.2), "angle": 1.0, "free": True}
            body = m.add(pl.Body("body", mass=1.0, inertia=(0.1, 0.2, 0.3) if spatial_ else 0.1, **place))
            models.append((m, body, m.add(beam(spatial_))))
        (m, body, tube), (without, _, _) = models
        law = {"stiffness": 30.0, "damping": 0.1, "friction": 0.3, "friction_speed": 1.0, "exponent": 1.5}
        m.add(
            pl.Collisions(
                "c", [body.at(), tube.at(s=0)], radius=0.3, length=(0.4, 0.0), floors=[body.at(0, 0.1)], **law
            )
        )
        probe = Probe("tube", m, without, 2, 1e-7)
        part, inside = (spatial if spatial_ else planar).pack(probe.system.layout), set()
        for seed in (1, 4):  # far enough from where a nearest point reaches an end
            at = probe.random(np.random.default_rng(seed), 0.05)
            assert np.sum(np.abs(probe.force(at)) > 1e-3) > 6
            check_stiffness(probe, at, np.zeros(0))
            for pair in near(part, at.q, 0.0).tolist():
                found = meet(part, *pair, at.q, 0)
                if found.gap < 0.0:
                    inside.add((any(found.one), any(found.other)))
        assert {(True, False), (False, True)} <= inside  # between the ends of a's piece, of b's
