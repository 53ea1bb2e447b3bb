"""Joints: their rows against finite differences, their reactions against statics by hand, what they lock and drive."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ModelError, PliantWarning
from pliant.joints import rows as kernels
from pliant.kernels import measures
from tests.unit.joints.test_measures import term

SECTION = pl.Section(1e6, 4e5, 60.0, 0.8, 1e-4)
KINDS = {"place": measures.PLACE, "turning": measures.TURNING, "angle": measures.ANGLE, "distance": measures.DISTANCE}
every_row = pytest.mark.parametrize("name", KINDS)


def one_row(name: str, rng: np.random.Generator) -> kernels.Rows:
    """Return a row between two nodes, with offsets on both, a factor and a signal."""
    rows = term(KINDS[name], rng.normal(size=2), rng.uniform(-1.0, 1.0, 4), spatial=False)
    factor, offset = rng.uniform(0.5, 2.0, 1), rng.uniform(-1.0, 1.0, 1)
    return rows._replace(factor=factor, offset=offset, gain=np.ones(1), signal=np.ones(1, np.uint32))


def value(rows: kernels.Rows, q: np.ndarray, u: np.ndarray) -> float:
    out = np.zeros(1)
    kernels.residual(rows, q, u, out)
    return float(out[0])


def jacobian(rows: kernels.Rows, q: np.ndarray) -> np.ndarray:
    out = np.zeros((1, 6))
    kernels.jacobian_dense(rows, q, np.zeros(2), out)
    return out[0]


@every_row
def test_velocity_and_bias_along_a_motion(name: str, rng: np.random.Generator) -> None:
    rows, h = one_row(name, rng), 1e-4
    q, v, a = rng.uniform(-1.5, 1.5, (3, 6))
    signal, rate, second = rng.uniform(-1.0, 1.0, 3)

    def at(t: float) -> float:
        return value(rows, q + t * v + 0.5 * t * t * a, np.array([1.0, signal + t * rate + 0.5 * t * t * second]))

    u, out = np.array([1.0, signal]), np.zeros(1)
    kernels.velocity(rows, q, v, u, np.array([0.0, rate]), out)
    assert out[0] == pytest.approx((at(h) - at(-h)) / (2 * h), abs=1e-6)
    kernels.bias(rows, q, v, u, np.array([0.0, second]), out)
    total = out[0] + jacobian(rows, q) @ a
    assert total == pytest.approx((at(h) - 2 * at(0.0) + at(-h)) / h**2, abs=1e-5)


@every_row
def test_reactions_do_the_work_of_the_multiplier(name: str, rng: np.random.Generator) -> None:
    rows, u = one_row(name, rng), np.array([1.0, 0.0])
    q, multiplier = rng.uniform(-1.5, 1.5, 6), 2.7
    out = np.zeros((1, 1, 3))
    kernels.reactions(rows, np.zeros(1, np.uint32), q[None], np.array([[multiplier]]), u[None], out)
    fx, fy, moment = out[0, 0]
    c, s = math.cos(q[5]), math.sin(q[5])
    dx, dy = rows.offsets[0, 2:]
    px, py = c * dx - s * dy, s * dx + c * dy
    wanted = -multiplier * jacobian(rows, q)[3:]
    np.testing.assert_allclose([fx, fy, moment + px * fy - py * fx], wanted, atol=1e-12)


def assembled(*parts: object) -> pl.Model:
    model = pl.Model("test")
    for part in parts:
        model.add(part)
    return model


def test_terms_between_the_same_points_are_what_each_is_alone(rng: np.random.Generator) -> None:
    """Two pins and a guide between the same two bodies, whose turned arms are found once for each pin."""
    m = pl.Model("pair")
    one, two = (m.add(pl.Link(name, length=1.0, mass=1.0, angle=0.3, free=True)) for name in ("one", "two"))
    m.add(*(pl.Revolute(one.at(s=s), two.at(s=s)) for s in (0.2, 0.7)), pl.Prismatic(one.at(s=0.7), two.at(s=0.7)))
    with pytest.warns(PliantWarning, match="Redundant"):
        system = pl.compile(m)
    rows, scratch = system.equations.rows, system.scratch()
    q, lam, u = rng.normal(size=system.size), rng.normal(size=rows.offset.size), np.zeros(8)
    alone = np.array([kernels.evaluate(rows, t, q, np.zeros(6), np.zeros(21)) for t in range(rows.row.size)])
    wanted = np.bincount(rows.row, rows.factor * alone) - rows.offset
    force = kernels.jacobian(rows, q, system.size).T @ lam
    r, g = np.zeros_like(scratch.r), np.zeros_like(scratch.g)
    kernels.push(rows, q, lam, u, r, g)
    kernels.add(rows, q, lam, u, kernels.Saddle(0.0, 0.0, scratch.r, scratch.g, scratch.s))
    for found, pushed in ((g, r), (scratch.g, scratch.r)):
        apart = np.abs(found - wanted)
        np.testing.assert_allclose(np.minimum(apart, np.abs(apart - 2.0 * math.pi)), 0.0, atol=1e-12)
        np.testing.assert_allclose(pushed[: system.freedoms], force[: system.freedoms], atol=1e-12)


def test_simply_supported_link_by_hand() -> None:
    ground, link = pl.Ground(), pl.Link("link", length=4.0, mass=3.0, angle=0.0)
    model = assembled(ground, link, pl.Revolute(ground.at(0, 0), link.at(s=0), name="pin"))
    model.add(
        pl.Slider(ground.at(4, 0), link.at(s=1), name="roller"), pl.Force(link.at(s=0.25), x=5.0, y=-8.0), pl.Gravity()
    )
    reaction = pl.statics(pl.compile(model)).reaction
    weight = 3.0 * 9.81
    np.testing.assert_allclose(reaction.sel(joint="pin"), [-5.0, 6.0 + weight / 2, 0.0], atol=1e-9)
    np.testing.assert_allclose(reaction.sel(joint="roller"), [0.0, 2.0 + weight / 2, 0.0], atol=1e-9)


def test_simply_supported_beam_by_hand() -> None:
    """A force at a quarter: three and one quarter of it at the supports, 3/16 F l below it."""
    ground, beam = pl.Ground(), pl.Beam("beam", length=2.0, section=SECTION, angle=0.0)
    model = assembled(ground, beam, pl.Revolute(ground.at(0, 0), beam.at(s=0), name="pin"))
    model.add(pl.Slider(ground.at(2, 0), beam.at(s=1), name="roller"), pl.Force(beam.at(s=0.25), y=-4e-3))
    rest = pl.statics(pl.compile(model, elements=8))
    np.testing.assert_allclose(rest.reaction.sel(joint="pin"), [0.0, 3e-3, 0.0], atol=1e-8)
    np.testing.assert_allclose(rest.reaction.sel(joint="roller"), [0.0, 1e-3, 0.0], atol=1e-8)
    assert float(rest.resultant.sel(component="M").max()) == pytest.approx(3 / 16 * 4e-3 * 2.0, rel=1e-4)


@pytest.mark.parametrize("options", [pl.Linear(4), pl.Exact(4), pl.Exact(2, order=3), pl.Corotational(4)], ids=repr)
def test_clamped_beam_reacts_with_the_whole_load(options: object) -> None:
    ground, beam = pl.Ground(), pl.Beam("beam", length=2.0, section=SECTION)
    model = assembled(ground, beam, pl.Weld(ground.at(0, 0), beam.at(s=0), name="clamp"))
    model.add(pl.Force(beam.at(s=1), y=-1e-3), pl.Moment(beam.at(s=0.5), 2e-3), pl.DistributedLoad(beam, y=-1e-3))
    reaction = pl.statics(pl.compile(model, elements=options)).reaction.sel(joint="clamp")
    np.testing.assert_allclose(reaction, [0.0, 3e-3, 1e-3 * 2 + 2e-3 * 1 - 2e-3], atol=2e-9)


def test_marker_b_feels_the_reaction_wherever_it_sits() -> None:
    ground, body = pl.Ground(), pl.Body("body", mass=2.0, inertia=1.0, position=(1.0, 0.5))
    model = assembled(ground, body, pl.Weld(ground.at(0, 0), body.at(-1.0, -0.5), name="clamp"), pl.Gravity())
    reaction = pl.statics(pl.compile(model)).reaction.sel(joint="clamp")
    np.testing.assert_allclose(reaction, [0.0, 2.0 * 9.81, 2.0 * 9.81], rtol=1e-12)


def test_four_bar_held_by_a_torque_by_hand() -> None:
    """A horizontal force at the top of a parallelogram needs the torque F h, and the coupler carries F as a strut."""
    angle, force = 70 * pl.DEG, 12.0
    ground = pl.Ground()
    crank, coupler = (pl.Link(name, length=length, mass=0.0) for name, length in (("crank", 0.5), ("coupler", 1.0)))
    rocker = pl.Link("rocker", length=0.5, mass=0.0, angle=angle)
    model = assembled(ground, crank, coupler, rocker)
    model.add(
        pl.Revolute(ground.at(0, 0), crank.at(s=0), name="A"), pl.Revolute(crank.at(s=1), coupler.at(s=0), name="B")
    )
    model.add(
        pl.Revolute(coupler.at(s=1), rocker.at(s=1), name="C"), pl.Revolute(ground.at(1, 0), rocker.at(s=0), name="D")
    )
    drive = model.add(pl.Motion(ground.at(0, 0), crank.at(s=0), angle=angle, name="held"))
    model.add(pl.Force(rocker.at(s=1), x=force))
    reaction = pl.statics(pl.compile(model)).reaction
    h = 0.5 * math.sin(angle)
    assert float(reaction.sel(joint=drive.name, wrench="M")) == pytest.approx(force * h, rel=1e-9)
    np.testing.assert_allclose(reaction.sel(joint="B"), [-force, 0.0, 0.0], atol=1e-8)  # the coupler pulls the crank
    np.testing.assert_allclose(reaction.sel(joint="A"), [-force, 0.0, 0.0], atol=1e-8)
    np.testing.assert_allclose(reaction.sel(joint="D"), [0.0, 0.0, 0.0], atol=1e-8)


def test_distance_joint_is_a_rod() -> None:
    """A hanging weight on two rods: each carries W / (2 cos)."""
    ground, bob = pl.Ground(), pl.Body("bob", mass=2.0, inertia=0.1, position=(0.0, -1.0), angle=0.0)
    model = assembled(ground, bob, pl.Gravity())
    model.add(
        pl.Distance(ground.at(-1, 0), bob.at(0, 0), name="left"),
        pl.Distance(ground.at(1, 0), bob.at(0, 0), name="right"),
    )
    model.add(pl.Motion(ground.at(0, 0), bob.at(0, 0), angle=0.0, name="level"))
    reaction = pl.statics(pl.compile(model)).reaction
    half = 2.0 * 9.81 / 2
    np.testing.assert_allclose(reaction.sel(joint="left"), [-half, half, 0.0], atol=1e-10)
    np.testing.assert_allclose(reaction.sel(joint="right"), [half, half, 0.0], atol=1e-10)


def test_prismatic_slides_along_its_turned_axis() -> None:
    slope = 0.4
    ground, block = pl.Ground(), pl.Body("block", mass=1.5, inertia=0.2)
    model = assembled(ground, block, pl.Prismatic(ground.at(0, 0, angle=slope), block.at()), pl.Gravity())
    run = pl.transient(pl.compile(model), end_time=0.5, step=0.01)
    along = -0.5 * 9.81 * math.sin(slope) * 0.5**2
    end = run.position.sel(marker="block(0, 0)").values[-1]
    np.testing.assert_allclose(end, [along * math.cos(slope), along * math.sin(slope)], rtol=1e-9)
    assert float(run.angle[-1, 0]) == pytest.approx(slope, abs=1e-12)
    normal = 1.5 * 9.81 * math.cos(slope)
    np.testing.assert_allclose(
        run.reaction.values[-1, 0], [-normal * math.sin(slope), normal * math.cos(slope), 0.0], atol=1e-9
    )


def test_weld_keeps_the_guessed_angle_unless_one_is_given() -> None:
    for given, expected in ((None, 0.7), (0.2, 0.2)):
        ground, link = pl.Ground(), pl.Link("link", length=1.0, mass=1.0, angle=0.7)
        model = assembled(ground, link, pl.Weld(ground.at(0, 0), link.at(s=0), angle=given))
        assert float(pl.statics(pl.compile(model)).angle[0]) == pytest.approx(expected, abs=1e-12)


def test_redundant_joints_are_named_and_harmless() -> None:
    """A parallelogram with a third parallel crank: the motion equals two cranks', the reactions stay finite."""

    def swing(cranks: int) -> pl.Result:
        ground = pl.Ground()
        bar = pl.Link("bar", length=2.0, mass=1.0, angle=0.0)
        model = assembled(ground, bar, pl.Gravity())
        for k in range(cranks):
            crank = model.add(pl.Link(f"crank {k}", length=0.5, mass=0.0, inertia=0.0, angle=1.0))
            model.add(pl.Revolute(ground.at(k, 0), crank.at(s=0), name=f"foot {k}"))
            model.add(pl.Revolute(crank.at(s=1), bar.at(s=k / 2), name=f"head {k}"))
        return pl.transient(pl.compile(model), end_time=0.6, step=2e-3)

    with pytest.warns(pl.errors.PliantWarning, match="Redundant constraints: joints .*foot 0.*head 2"):
        three = swing(3)
    two = swing(2)
    np.testing.assert_allclose(three.position.sel(marker="bar/tip"), two.position.sel(marker="bar/tip"), atol=1e-7)
    assert three.outcome.constraint_error < 1e-8
    feet = [float(np.abs(three.reaction.sel(joint=f"foot {k}")).max()) for k in range(3)]
    assert max(feet) < 100.0
    total = sum(three.reaction.sel(joint=f"foot {k}").values[-1, :2] for k in range(3))
    np.testing.assert_allclose(
        total, sum(two.reaction.sel(joint=f"foot {k}").values[-1, :2] for k in range(2)), atol=1e-4
    )


DRIVES = {
    "angle": pl.Sine(0.8, frequency_hz=0.7),
    "x": pl.Expression("0.3*sin(5*t) + 0.2*t"),
    "y": pl.Ramp(0.0, 0.5, 0.0, 0.6),
}


@pytest.mark.parametrize("coordinate", DRIVES)
def test_prescribed_motion_is_followed_and_pays_for_itself(coordinate: str) -> None:
    signal = DRIVES[coordinate]
    ground, body = pl.Ground(), pl.Body("body", mass=1.3, inertia=0.4)
    model = assembled(ground, body, pl.Gravity())
    if coordinate == "angle":
        model.add(pl.Revolute(ground.at(0, 0), body.at(-0.4, 0.1)))
    elif coordinate == "x":
        model.add(pl.Prismatic(ground.at(0, 0, angle=0.3), body.at()))
    else:
        model.add(pl.Prismatic(ground.at(0, 0, angle=math.pi / 2 + 0.3), body.at(angle=math.pi / 2)))
    model.add(pl.Motion(ground.at(0, 0, angle=0.3), body.at(), **{coordinate: signal}))
    errors = []
    for step in (0.01, 0.005):
        run = pl.transient(pl.compile(model), end_time=0.8, step=step, spectral_radius=1.0)
        c, s = math.cos(0.3), math.sin(0.3)
        turned = run.position.sel(marker="body(0, 0)").values @ np.array([[c, -s], [s, c]])
        seen = {"angle": run.angle.values[:, 0] - 0.3, "x": turned[:, 0], "y": turned[:, 1]}[coordinate]
        np.testing.assert_allclose(seen, signal(run.time.values), atol=1e-10)
        errors.append(run.outcome.energy_error / np.ptp(run.energy.sel(energy_kind="supplied").values))
    assert errors[0] < 2e-3
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.2)  # the work is summed by the trapezoidal rule


@pytest.mark.parametrize("holds", [None, 3, "", [], "up", ["y", 3]])
def test_what_a_support_cannot_hold_is_refused(holds: object) -> None:
    beam = pl.Beam("beam", length=1.0, section=pl.Section.circle(0.01, pl.STEEL))
    with pytest.raises(ModelError, match="holds = "):
        pl.Support(pl.Ground().at(1, 0), beam.at(s=1), holds=holds)  # type: ignore[arg-type]
