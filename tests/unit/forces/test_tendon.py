"""Tendons: the law of their tension, equilibria, vibrations and motions with known answers, friction, readings."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.forces.tendon import law
from pliant.kernels.sums import Instant, Into
from pliant.results.drawing.painter import Painter
from pliant.results.drawing.view import view_of
from pliant.system.observation.observer import Observer
from pliant.system.packing import fused
from pliant.system.samples import Samples

GRAVITY = 9.81


def tension_at_start(system: Any, line: str = "tendon") -> float:
    """Return the tension in the assembled pose, at rest."""
    state = system.start()
    return float(Observer(system).dataset(Samples.of(state), state).tension.sel(line=line)[0])


# --- the law


@pytest.mark.parametrize("largest", [math.inf, 5.0])
def test_tension_grows_from_nothing_to_its_limit(largest: float) -> None:
    f, e = np.linspace(-20.0, 20.0, 401), 0.01
    values = np.array([law.tension(x, e, largest) for x in f])
    assert np.all(values[:, 0] > 0.0)
    assert np.all(np.diff(values[:, 0]) > 0.0)  # it grows everywhere, be it ever so little
    taut = (f > 1.0) & (f < 0.8 * min(largest, 1e9))
    np.testing.assert_allclose(values[taut, 0], f[taut], atol=1e-4)  # e^2 / 4 f, twice
    assert np.all(values[f < -1.0, 0] < 3e-5)
    assert values[-1, 0] <= largest
    h = 1e-6
    slopes = [(law.tension(x + h, e, largest)[0] - law.tension(x - h, e, largest)[0]) / (2 * h) for x in f]
    np.testing.assert_allclose(values[:, 1], slopes, atol=1e-6)
    energies = [(law.stored(x + h, e, largest) - law.stored(x - h, e, largest)) / (2 * h) for x in f]
    np.testing.assert_allclose(values[:, 0], energies, atol=1e-6)


def test_a_sharp_tendon_is_allowed() -> None:
    assert [law.tension(f, 0.0, math.inf)[0] for f in (-3.0, 0.0, 3.0)] == [0.0, 0.0, 3.0]
    assert law.stored(3.0, 0.0, math.inf) == 4.5
    assert law.stored(-3.0, 0.0, math.inf) == 0.0


# --- equilibria


def hanging(**options: Any) -> Any:
    """Compile two kilograms, without spin, on a line from the origin, one metre below."""
    model = pl.Model("hanging")
    ground, bob = model.add(pl.Ground(), pl.Body("bob", mass=2.0, inertia=0.0, position=(0, -1)))
    model.add(pl.Tendon("tendon", ground.at(0, 0), bob.at(), **options), pl.Gravity())
    return pl.compile(model)


def test_a_weight_stretches_its_tendon() -> None:
    rest = pl.statics(hanging(stiffness=400.0, rest_length=0.9))
    assert float(rest.tension[0]) == pytest.approx(2.0 * GRAVITY, rel=1e-9)
    assert float(rest.line_length[0]) == pytest.approx(0.9 + 2.0 * GRAVITY / 400.0, rel=1e-9)
    assert float(rest.line_rate[0]) == 0.0
    assert rest.outcome.stable


@pytest.mark.parametrize("steps", [1, 7])
def test_a_tendon_found_slack_becomes_taut(steps: int) -> None:
    rest = pl.statics(hanging(stiffness=400.0, rest_length=1.3), load_steps=steps)
    assert float(rest.line_length[0]) == pytest.approx(1.3 + 2.0 * GRAVITY / 400.0, rel=1e-9)


def test_pretension_is_said_in_three_ways() -> None:
    systems = [
        hanging(stiffness=50.0, **{key: value})
        for key, value in (("rest_length", 0.8), ("force", 10.0), ("shortening", 0.2))
    ]
    for system in systems:
        signal = system.layout.signals[system.signal_names.index("tendon/rest_length") + 3].signal
        assert float(signal) == pytest.approx(0.8, abs=1e-11)  # e^2 / 4 F over the stiffness
        assert tension_at_start(system) == pytest.approx(10.0, abs=1e-9)


@pytest.mark.parametrize("largest", [None, 10.5])
def test_force_is_exact_however_wide_the_transition(largest: float | None) -> None:
    system = hanging(stiffness=50.0, force=10.0, slack_force=3.0, largest_force=largest)
    assert tension_at_start(system) == pytest.approx(10.0, rel=1e-12)
    unstretched = hanging(stiffness=50.0, force=0.0, slack_force=1e-3, largest_force=largest)
    assert float(unstretched.signals(np.zeros(1))[0, unstretched.signal_names.index("tendon/rest_length") + 3]) == 1.0


def test_an_actuator_adds_to_the_elastic_force() -> None:
    system = hanging(stiffness=50.0, force=10.0, tension=4.0)
    assert tension_at_start(system) == pytest.approx(10.0, rel=1e-9)
    more = system.with_signals({"tendon/tension": 6.0})
    assert tension_at_start(more) == pytest.approx(12.0, rel=1e-9)


def test_a_given_tension_holds_a_pendulum() -> None:
    """A level arm of length l, mass m, pulled at its tip at 60 degrees: T l sin 60 = m g l / 2."""
    model = pl.Model("drawbridge")
    ground, arm = model.add(pl.Ground(), pl.Link("arm", length=0.5, mass=3.0, angle=0.1))
    model.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
    hook = ground.at(0.5 - 0.4 * math.cos(math.pi / 3), 0.4 * math.sin(math.pi / 3))
    pull = 0.5 * 3.0 * GRAVITY / math.sin(math.pi / 3)
    model.add(pl.Tendon("tendon", arm.at(s=1), hook, stiffness=2e3, rest_length=0.4 - pull / 2e3))
    rest = pl.statics(pl.compile(model))
    assert float(rest.angle.sel(body="arm")) == pytest.approx(0.0, abs=1e-9)
    assert float(rest.tension[0]) == pytest.approx(pull, rel=1e-9)
    assert rest.outcome.stable


def test_a_loop_of_rope_halves_the_load() -> None:
    """The rope runs from the ceiling through an eye of the load and back: 2 T cos(angle) = m g."""
    model = pl.Model("hoist")
    ground, load = model.add(pl.Ground(), pl.Body("load", mass=4.0, inertia=0.0, position=(0, -1)))
    model.add(pl.Tendon("rope", ground.at(-0.2, 0), ground.at(0.2, 0), guides=[load.at()], stiffness=900.0, force=5.0))
    model.add(pl.Gravity())
    rest = pl.statics(pl.compile(model))
    half = 0.5 * float(rest.line_length[0])
    assert float(rest.tension[0]) == pytest.approx(0.5 * 4.0 * GRAVITY * half / math.sqrt(half**2 - 0.04), rel=1e-8)
    assert float(rest.tension[0]) == pytest.approx(900.0 * (2 * half - (2 * math.hypot(0.2, 1.0) - 5 / 900)), rel=1e-8)


def test_a_tendon_along_a_beam_bends_it_like_a_moment() -> None:
    """A tendon held at a small height h along a clamped beam bends it evenly: T h = EI kappa."""
    model = pl.Model("tendon-driven beam")
    section = pl.Section.rectangle(0.02, 0.002, pl.STEEL)
    ground, beam = model.add(pl.Ground(), pl.Beam("beam", length=0.5, section=section))
    model.add(pl.Weld(ground.at(0, 0), beam.at(s=0)))
    height = 0.01
    eyes = [beam.at(s=k / 20, y=height) for k in range(1, 20)]
    model.add(pl.Tendon("tendon", ground.at(0, height), beam.at(s=1, y=height), guides=eyes, tension=40.0))
    rest = pl.statics(pl.compile(model, elements=20))
    moments = rest.resultant.sel(component="M").values
    np.testing.assert_allclose(moments, 40.0 * height, rtol=2e-3)  # the rope is a polygon of 20 pieces
    turned = 40.0 * height / section.bending_stiffness * 0.5
    tip = rest.position.sel(marker="beam/tip").values
    assert math.atan2(tip[1], tip[0]) == pytest.approx(0.5 * turned, rel=5e-3)


def test_largest_force_limits_the_tension() -> None:
    rest = pl.statics(hanging(stiffness=400.0, rest_length=0.9, largest_force=25.0))
    assert float(rest.tension[0]) == pytest.approx(2.0 * GRAVITY, rel=1e-9)
    stretched = hanging(stiffness=400.0, shortening=0.5, largest_force=25.0)
    assert tension_at_start(stretched) == pytest.approx(25.0, rel=1e-9)


def test_rest_lengths_can_be_replaced() -> None:
    system = hanging(stiffness=400.0, rest_length=0.9)
    shorter = pl.statics(system.with_signals({"tendon/rest_length": 0.6}))
    assert float(shorter.line_length[0]) == pytest.approx(0.6 + 2.0 * GRAVITY / 400.0, rel=1e-9)


def test_pretension_of_a_loop_that_closes_by_bending() -> None:
    """The leaf is longer than its place: it bows when the loop is closed, and only then the tendon gets its force."""
    model = pl.Model("bowed")
    section = pl.Section.rectangle(0.02, 0.001, pl.STEEL)
    ground, leaf = model.add(pl.Ground(), pl.Beam("leaf", length=0.52, section=section, angle=0.0))
    model.add(pl.Revolute(ground.at(0, 0), leaf.at(s=0)), pl.Revolute(leaf.at(s=1), ground.at(0.5, 0)))
    model.add(pl.Tendon("tendon", ground.at(0.25, -0.3), leaf.at(s=0.5), stiffness=100.0, force=2.0))
    system = pl.compile(model, elements=10)
    assert system.initial[3 * 5 + 1] > 0.05
    assert tension_at_start(system) == pytest.approx(2.0, rel=1e-9)


# --- vibrations


def test_a_mass_between_two_tendons_vibrates_along_and_across() -> None:
    """Across the line only the geometric stiffness acts: omega^2 = 2 T / (l m); along it 2 k / m."""
    model = pl.Model("bead")
    ground, bead = model.add(pl.Ground(), pl.Body("bead", mass=0.3, inertia=0.0, position=(0, 0)))
    for side in (-1.0, 1.0):
        name = "left" if side < 0 else "right"
        model.add(pl.Tendon(name, ground.at(0.4 * side, 0), bead.at(), stiffness=700.0, force=12.0))
    modes = pl.modal(pl.compile(model), modes=2)
    expected = np.sqrt([2 * 12.0 / (0.4 * 0.3), 2 * 700.0 / 0.3]) / (2 * math.pi)
    np.testing.assert_allclose(modes.frequency_hz, expected, rtol=1e-7)
    np.testing.assert_allclose(modes.tension, 12.0, rtol=1e-9)
    assert modes.tension.dims == ("line",)


def test_a_damped_tendon_damps_its_mode() -> None:
    modes = pl.modal(hanging(stiffness=800.0, rest_length=0.9, damping=8.0), modes=2, damped=True)
    along = modes.damping_ratio[np.argmax(modes.frequency_hz.values)]
    assert float(along) == pytest.approx(8.0 / (2.0 * math.sqrt(800.0 * 2.0)), rel=1e-6)


# --- motions


def test_a_weight_bounces_on_its_tendon() -> None:
    """A weight falls from the unstretched length: y = -1 - (m g / k) (1 - cos omega t), never slack."""
    system = hanging(stiffness=200.0, rest_length=1.0)
    run = pl.transient(system, end_time=1.0, step=1e-3)
    drop = 2.0 * GRAVITY / 200.0
    expected = 1.0 + drop * (1.0 - np.cos(10.0 * run.time))
    np.testing.assert_allclose(
        run.line_length.sel(line="tendon"), expected, atol=1e-4 * drop
    )  # (omega h)^2 / 12 of the phase
    np.testing.assert_allclose(run.tension[:, 0], 200.0 * (run.line_length[:, 0] - 1.0), atol=1e-3)
    assert run.outcome.energy_error < 1e-3 * run.outcome.energy_range


def test_a_slack_tendon_lets_fall_and_then_catches() -> None:
    """Free fall by 0.5 m, then half a swing of the taut tendon; the lowest point from the energy."""
    system = hanging(stiffness=300.0, rest_length=1.5)
    run = pl.transient(system, end_time=0.6, step=5e-4, spectral_radius=0.95)
    falling = run.time.values < 0.31
    y = run.position.sel(marker="bob(0, 0)", axis="y").values
    np.testing.assert_allclose(y[falling], -1.0 - 0.5 * GRAVITY * run.time[falling] ** 2, atol=1e-6)
    assert float(run.tension[falling].max()) < 1e-6
    weight = 2.0 * GRAVITY
    stretch = (weight + math.sqrt(weight**2 + 2 * 300.0 * weight * 0.5)) / 300.0
    assert float(run.line_length.max()) == pytest.approx(1.5 + stretch, rel=1e-4)
    assert run.outcome.energy_error < 2e-3 * run.outcome.energy_range


def test_work_of_a_winch_is_counted_as_supplied() -> None:
    """Wound up slowly by 0.3 m: what is supplied is the weight's rise, the stretch being the same, and c L'^2."""
    winch = pl.Ramp(1.0 - 2.0 * GRAVITY / 5e3, 0.7 - 2.0 * GRAVITY / 5e3, t0=0.0, t1=3.0)
    for damping in (0.0, 60.0):
        run = pl.transient(hanging(stiffness=5e3, rest_length=winch, damping=damping), end_time=3.5, step=1e-3)
        _, _, supplied, dissipated, _ = run.energy.values[-1]
        lost = damping * np.trapezoid(run.line_rate[:, 0] ** 2, run.time)
        assert dissipated == pytest.approx(lost, rel=1e-4, abs=1e-9)
        assert supplied == pytest.approx(2.0 * GRAVITY * 0.3 + lost, rel=1e-3)
        assert run.outcome.energy_error < 1e-3 * run.outcome.energy_range


def test_damping_of_a_short_tendon_is_counted() -> None:
    """Length and rest length are far below 1 m: the true signals decide whether anything is lost."""
    model = pl.Model("short")
    ground, bob = model.add(pl.Ground(), pl.Body("bob", mass=0.1, inertia=0.0, position=(0, -0.05)))
    model.add(pl.Tendon("tendon", ground.at(0, 0), bob.at(), stiffness=50.0, rest_length=0.04, damping=0.2))
    model.add(pl.Gravity())
    run = pl.transient(pl.compile(model), end_time=0.3, step=1e-3)
    dissipated = run.energy.sel(energy_kind="dissipated")
    assert float(dissipated[-1]) > 1e-3
    assert np.all(np.diff(dissipated) >= 0.0)
    assert run.outcome.energy_error < 1e-3 * run.outcome.energy_range


def test_a_limited_actuator_in_a_motion() -> None:
    """Asked to jump by 0.1 m, the winch takes 0.4 s, dragged by c v of its damper; the tension keeps to its limit."""
    jump = pl.Limited(pl.Expression("0.95 - 0.1*step(t - 0.1)"), largest_rate=0.25)
    system = hanging(stiffness=2e3, rest_length=jump, damping=40.0, largest_force=30.0)
    run = pl.transient(system, start=pl.statics(system), end_time=1.0, step=1e-3)
    y = run.position.sel(marker="bob(0, 0)", axis="y")
    rest = -0.95 - 2.0 * GRAVITY / 2e3
    assert float(y.sel(time=0.1)) == pytest.approx(rest, abs=1e-9)
    assert float(y.sel(time=0.4)) == pytest.approx(rest + 0.075 - 40.0 * 0.25 / 2e3, abs=1e-3)
    assert float(y[-1]) == pytest.approx(rest + 0.1, abs=1e-4)
    assert float(run.tension.max()) < 30.0


def test_points_that_meet_do_not_give_nan() -> None:
    """Drawn by a constant force, the bob runs through the anchor; where both meet there is no direction."""
    model = pl.Model("through")
    ground, bob = model.add(pl.Ground(), pl.Body("bob", mass=1.0, inertia=0.0, position=(0.1, 0.0)))
    model.add(pl.Tendon("tendon", ground.at(0, 0), bob.at(), tension=2.0))
    system = pl.compile(model)
    run = pl.transient(system, end_time=1.0, step=1e-3, partial=True)
    assert np.all(np.isfinite(run.position))
    q = np.zeros(6)
    scratch, u = system.scratch(), system.signals(np.zeros(1))[0]
    rest = np.zeros(6)
    fused.add(
        system.equations.parts,
        Instant(q, rest, rest, u),
        Into(1.0, 1.0, 0.0, scratch.r, scratch.s, scratch.w),
        scratch.stress,
        False,
    )
    assert np.all(np.isfinite(scratch.r))
    assert np.all(np.isfinite(scratch.s))


# --- friction


def bollard(mu: float, turns: list[float], sliding: int = 0, **options: Any) -> pl.Model:
    """Build a weight on a rope that turns by `turns` at its guides and ends at a block on a spring along it."""
    model = pl.Model("bollard")
    ground = model.add(pl.Ground())
    place, heading, guides = np.zeros(2), math.pi / 2, [(0.0, 0.0)]  # the rope comes up from the weight
    for turn in turns[:-1]:
        heading -= turn
        place = place + 0.1 * np.array([math.cos(heading), math.sin(heading)])
        guides.append(tuple(place))
    heading -= turns[-1]
    along = np.array([math.cos(heading), math.sin(heading)])
    end, anchor = place + 0.3 * along, place + 0.6 * along
    weight = model.add(pl.Body("weight", mass=1.5, inertia=1e-3, position=(0, -0.5), angle=0.0))
    block = model.add(pl.Body("block", mass=0.2, inertia=1e-3, position=tuple(end), angle=heading))
    model.add(pl.Prismatic(ground.at(0, 0, angle=math.pi / 2), weight.at(angle=math.pi / 2)))
    model.add(pl.Prismatic(ground.at(*place, angle=heading), block.at()))
    model.add(pl.Spring("spring", ground.at(*anchor), block.at(), stiffness=500.0, rest_length=0.25))
    eyes = [ground.at(*point) for point in reversed(guides)]
    model.add(
        pl.Tendon(
            "rope", block.at(), weight.at(), guides=eyes, stiffness=2e3, force=12.0, friction=mu, sliding=sliding,
            **options,
        )
    )  # fmt: skip
    model.add(pl.Force(weight.at(), y=-1.5 * GRAVITY))
    return model


@pytest.mark.parametrize("sliding", [-1, 0, 1])
@pytest.mark.parametrize("turns", [[math.pi / 2], [0.4, 0.7, 0.2, 1.1]], ids=["one guide", "four guides"])
def test_capstan(sliding: int, turns: list[float]) -> None:
    """Euler, Eytelwein: the tensions differ by exp(mu angle), whatever the shape of the guide; 1 slides towards a."""
    rest = pl.statics(pl.compile(bollard(0.25, turns, sliding)))
    ratio = float(rest.tension.sel(line="spring")) / (1.5 * GRAVITY)
    assert ratio == pytest.approx(math.exp(0.25 * sum(turns) * sliding), rel=1e-6)


def test_friction_does_not_change_the_mean_tension() -> None:
    rest = pl.statics(pl.compile(bollard(0.25, [0.4, 0.7], 1)))
    stretch = float(rest.line_length.sel(line="rope")) - (0.9 - 12.0 / 2e3)
    assert float(rest.tension.sel(line="rope")) == pytest.approx(2e3 * stretch, rel=1e-8)


def test_friction_slows_a_motion_and_its_loss_is_counted() -> None:
    losses = []
    for mu in (0.0, 0.2):
        system = pl.compile(bollard(mu, [0.5, 0.8]))
        run = pl.transient(system, end_time=1.5, step=1e-3)
        dissipated = run.energy.sel(energy_kind="dissipated").values
        assert np.all(np.diff(dissipated) >= 0.0)
        assert run.outcome.energy_error < 2e-3 * run.outcome.energy_range
        losses.append(float(dissipated[-1]))
    assert losses[0] == 0.0
    assert losses[1] > 0.1


def test_tendons_without_friction_keep_the_system_symmetric() -> None:
    smooth, rough, sliding = (pl.compile(bollard(mu, [0.5, 0.8], s)) for mu, s in ((0.0, 1), (0.2, 0), (0.2, 1)))
    assert (smooth.unsymmetric, rough.unsymmetric, sliding.unsymmetric) == (False, True, True)
    assert (smooth.conservative, rough.conservative, sliding.conservative) == (True, True, False)


# --- readings and pictures


def test_readings_of_springs_and_tendons() -> None:
    """Lengths and rates equal the distances and their rates between the markers."""
    model = bollard(0.1, [0.5, 0.8])
    run = pl.transient(pl.compile(model), end_time=0.2, step=1e-3)
    assert run.line.values.tolist() == ["spring", "rope"]
    assert [run.data[name].attrs["units"] for name in ("tension", "line_length", "line_rate")] == ["N", "m", "m/s"]
    rate = np.gradient(run.line_length, run.time, axis=0)[1:-1]
    np.testing.assert_allclose(rate, run.line_rate[1:-1], atol=1e-2 * np.abs(rate).max())  # where friction turns
    rope = model.part("rope")
    route = [
        run.position.sel(marker=m.label).values if m.label in run.marker else np.tile([m.x, m.y], (run.time.size, 1))
        for m in rope.markers
    ]
    pieces = np.linalg.norm(np.diff(route, axis=0), axis=-1)
    np.testing.assert_allclose(run.line_length.sel(line="rope"), pieces.sum(axis=0), rtol=1e-12)
    stretch = run.line_length.sel(line="spring") - 0.25
    np.testing.assert_allclose(run.tension.sel(line="spring"), 500.0 * stretch, rtol=1e-9)


def test_lines_are_drawn_through_their_guides() -> None:
    rest = pl.statics(pl.compile(bollard(0.0, [0.5, 0.8])))
    mine = (rest.part == "rope").values
    assert rest.part_kind.values[mine].tolist() == ["line"] * 4
    np.testing.assert_allclose(rest.shape.values[mine][2], [0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(rest.shape.values[mine][-1], rest.position.sel(marker="weight(0, 0)").values)
    ax = pl.plots.plot_shape(rest)
    widths = {line.get_label(): line.get_linewidth() for line in ax.lines}
    assert widths["rope"] == widths["spring"] < widths["block"]


def test_lines_in_animations(tmp_path: Any) -> None:
    run = pl.transient(pl.compile(bollard(0.0, [0.5, 0.8])), end_time=0.1, step=1e-2)
    page = pl.animate(run, tmp_path / "run.html").read_text()
    parts = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])["parts"]  # type: ignore[index]
    assert [(part["name"], part["kind"], len(part["line"])) for part in parts if part["kind"] == "line"] == [
        ("spring", "line", 2),
        ("rope", "line", 4),
    ]
    painter = Painter(run, run.data["shape"].values, None, view_of(run, None), [])
    widths = {part.name: line.get_linewidths()[0] for part, line in zip(painter.parts, painter.lines, strict=True)}
    assert widths["rope"] < widths["block"]
    painter.paint(0, "")
    guides = [station for part in painter.parts if part.kind == "line" for station in part.dots]
    assert len(guides) == 2
    np.testing.assert_allclose(painter.guides.get_xydata(), run.shape.values[0][guides])


def test_a_model_without_lines_has_no_readings() -> None:
    model = pl.Model("plain")
    ground, arm = model.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0))
    model.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)))
    rest = pl.statics(pl.compile(model))
    assert "tension" not in rest.data
    assert "line" not in rest.data.dims


def test_readings_survive_a_file(tmp_path: Any) -> None:
    rest = pl.statics(hanging(stiffness=400.0, rest_length=0.9))
    again = pl.load_result(rest.save(tmp_path / "rest.nc"))
    assert again.tension.equals(rest.tension)
    assert again.part_kind.values.tolist() == rest.part_kind.values.tolist()


def test_skew_terms_fit_whatever_the_order_of_the_nodes(rng: np.random.Generator) -> None:
    """The whole tangent of dampers is kept beside something unsymmetric: it must be the derivative itself."""
    model = pl.Model("order")
    one = model.add(pl.Body("one", mass=1.0, inertia=0.1, position=(0, 0), free=True))
    two = model.add(pl.Body("two", mass=1.0, inertia=0.1, position=(1, 0.3), free=True))
    model.add(pl.Force(one.at(0.1, 0), y=1.0, follower=True))
    model.add(pl.Spring("spring", two.at(0.1, 0.2), one.at(0, 0.3), stiffness=3.0, rest_length=0.2, damping=2.0))
    model.add(pl.Tendon("tendon", two.at(-0.1, 0), one.at(0.2, 0.1), stiffness=3.0, rest_length=0.2, damping=2.0))
    eyes = [one.at(0.2, 0.2), two.at(0.3, 0.3)]
    model.add(pl.Tendon("routed", two.at(0.1, -0.4), one.at(0, -0.2), guides=eyes, tension=5.0, damping=2.0))
    system = pl.compile(model)
    assert system.unsymmetric
    n = system.freedoms
    state = replace(system.start(), v=np.append(rng.uniform(-1, 1, n), np.zeros(3)))
    found, h = system.matrices(state).stiffness.toarray(), 1e-6

    def residual(q: np.ndarray) -> np.ndarray:
        return system.unbalanced(q, state.v, state.a, system.signals(np.zeros(1))[0])

    steps = h * np.eye(n + 3)[:n]
    expected = np.array([(residual(state.q + step) - residual(state.q - step)) / (2 * h) for step in steps]).T
    np.testing.assert_allclose(found, expected, atol=1e-7 * np.abs(expected).max())
