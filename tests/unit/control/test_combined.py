"""Controllers that take turns, are blended over the workspace, or share a wrench among actuators within bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import OptionError, PliantWarning, SignalError
from pliant_gallery.examples import driven_pendulum

ANGLE, RATE, TORQUE = "angle:arm", "angular_velocity:arm", "motor/torque"


@pytest.fixture(scope="module")
def pendulum() -> Any:
    return pl.compile(driven_pendulum())


def hold(angle: float, torque: float, stiffness: float) -> pl.Controller:
    gains = {TORQUE: {ANGLE: stiffness, RATE: 2.0}}
    return pl.Controller.proportional(
        gains, sample_time=0.01, input_values={TORQUE: torque}, output_values={ANGLE: angle}
    )


def function(law: Any) -> pl.FunctionController:
    return pl.FunctionController(function=law, inputs=(TORQUE,), outputs=(ANGLE, RATE), sample_time=0.01)


def same(system: Any, one: Any, two: Any, **more: Any) -> Any:
    runs = [pl.transient(system, end_time=0.6, step=5e-3, controller=c, estimate=False, **more) for c in (one, two)]
    np.testing.assert_allclose(runs[0].applied, runs[1].applied, atol=1e-10)
    return runs[0]


def test_blended_gains_are_those_of_the_formula(pendulum: Any) -> None:
    points = [(-1.5, 0.0, 20.0), (-1.0, 2.0, 30.0), (-0.2, 4.0, 10.0)]
    blended = pl.scheduled([hold(*point) for point in points], by=ANGLE, at=[point[0] for point in points])

    def law(t: float, y: dict[str, float]) -> float:
        k = 0 if y[ANGLE] < -1.0 else 1
        (a, low, stiff), (b, high, other) = points[k], points[k + 1]
        s = min(max((y[ANGLE] - a) / (b - a), 0.0), 1.0)
        wanted = [u - gain * (y[ANGLE] - at) - 2.0 * y[RATE] for at, u, gain in ((a, low, stiff), (b, high, other))]
        return (1.0 - s) * wanted[0] + s * wanted[1]

    run = same(pendulum, blended, function(law), push={"arm": 9.0})
    shares = run.estimate.values[:, :3]
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert shares.max(axis=0).min() > 0.5  # all three had their turn


def test_turns_are_those_of_the_formula_and_limits_those_in_charge(pendulum: Any) -> None:
    turns = pl.switched(
        [hold(0.5, 0.0, 40.0).limited(high=3.0), hold(-1.0, 2.0, 30.0)],
        choose=lambda t, y, present: int(present == 1 or y[ANGLE] > -1.2),
    )
    seen = {"caught": False}

    def law(t: float, y: dict[str, float]) -> float:
        seen["caught"] = (seen["caught"] and t > 0.0) or y[ANGLE] > -1.2
        if seen["caught"]:
            return 2.0 - 30.0 * (y[ANGLE] + 1.0) - 2.0 * y[RATE]
        return min(3.0, -40.0 * (y[ANGLE] - 0.5) - 2.0 * y[RATE])

    run = same(pendulum, turns, function(law))
    charge = run.estimate.sel(controller_state="share of controller 2").values
    assert charge[0] == 0.0
    assert charge[-1] == 1.0
    assert np.all(np.diff(charge) >= 0.0)


def test_an_estimate_is_ready_when_its_controller_takes_over(pendulum: Any) -> None:
    """The observer of a controller that is not in charge follows the motion: it knows what others apply."""
    plant = pl.linearise(pendulum, inputs=[TORQUE], outputs=[ANGLE, RATE])
    gain = pl.lqr(plant, outputs={ANGLE: 100.0}, inputs={TORQUE: 1.0}, sample_time=0.01)
    seen = pl.lqg(gain, pl.luenberger(plant, speed=20.0, outputs=[ANGLE], sample_time=0.01))
    push = function(lambda t, y: 0.4 * np.cos(5.0 * t))
    turns = pl.switched([push, seen], choose=lambda t, y, present: int(t > 0.395))
    run = pl.transient(pendulum, end_time=0.8, step=5e-3, controller=turns, estimate=False)
    rate = plant.C[1] @ run.estimate.values[40, 2:4]
    assert rate == pytest.approx(float(run.measured.sel(output=RATE)[40]), rel=0.05)


def plate() -> tuple[Any, pl.LinearModel, pl.PlatformModel]:
    m = pl.Model("plate")
    ground, body = m.add(pl.Ground(), pl.Body("plate", mass=2.0, inertia=0.1, position=(0, 0), angle=0.0))
    for name, x, y in (("east", 0.1, 0.0), ("west", -0.1, 0.0), ("north", 0.0, 0.1), ("south", 0.0, -0.1)):
        ends = body.at(y, x), ground.at(10 * x, 10 * y)
        m.add(pl.Tendon(name, *ends, stiffness=50.0, force=9.0, tension=0.0))
    pulls = [f"{name}/tension" for name in ("east", "west", "north", "south")]
    pose = ["position:plate(0, 0):x", "position:plate(0, 0):y", "angle:plate"]
    rates = ["velocity:plate(0, 0):x", "velocity:plate(0, 0):y", "angular_velocity:plate"]
    system = pl.compile(m)
    plant = pl.linearise(system, inputs=pulls, outputs=pose + rates)
    return system, plant, pl.platform_model(plant, "plate")


def test_a_wrench_is_shared_within_bounds_at_every_sample() -> None:
    system, plant, platform = plate()
    gain = pl.lqr(platform.linear, Q=[200.0] * 3 + [20.0] * 3, R=0.05, sample_time=5e-3)
    linear = pl.decentralised(plant, platform, gain, sensors=plant.output_names)
    wrench = pl.Controller(
        inputs=platform.map.components, outputs=linear.outputs, sample_time=5e-3, y0=linear.y0,
        Dy=platform.map.matrix @ linear.Dy,
    )  # fmt: skip
    options: dict[str, Any] = {"end_time": 0.5, "step": 5e-3, "estimate": False}
    loose = pl.allocated(wrench, platform.map, lower=-50.0, upper=50.0)
    little = {"plate": (0.05, 0.02, 0.1)}
    runs = [pl.transient(system, controller=c, push=little, **options) for c in (linear, loose)]
    np.testing.assert_allclose(runs[1].applied, runs[0].applied, atol=1e-9)  # as the pseudo-inverse, without bounds
    bounds = pl.allocated(wrench, platform.map, lower=-1.5, upper=1.5)
    push = {"plate": (0.3, 0.2, 0.5)}
    run = pl.transient(system, controller=bounds, push=push, **options)
    assert float(abs(run.applied).max()) == pytest.approx(1.5)
    missing = run.estimate.sel(controller_state="wrench missing").values
    assert missing.max() > 0.1
    assert missing[-1] < 1e-9
    weak = pl.allocated(wrench, platform.map, lower=-0.05, upper=0.05)
    with pytest.warns(PliantWarning, match="out of reach"):
        run = pl.transient(system, controller=weak, push=push, **options)
    assert not run.outcome.ok
    with pytest.raises(OptionError, match="components of the map"):
        pl.allocated(linear, platform.map)


def test_refusals(pendulum: Any) -> None:
    one, two = hold(-1.0, 2.0, 30.0), hold(-0.5, 3.0, 30.0)
    with pytest.raises(OptionError, match="same, as often"):
        pl.switched([one, pl.pid(ANGLE, TORQUE, proportional=1.0, sample_time=0.02)], choose=lambda t, y, p: p)
    with pytest.raises(OptionError, match="to the combination"):
        pl.scheduled([one.delayed(1), two], by=ANGLE, at=[-1.0, -0.5])
    with pytest.raises(OptionError, match="rising"):
        pl.scheduled([one, two], by=ANGLE, at=[-0.5, -1.0])
    with pytest.raises(OptionError, match="two controllers"):
        pl.scheduled([one], by=ANGLE, at=[-0.5])
    turns = pl.switched([one, two], choose=lambda t, y, p: 7)
    with pytest.raises(SignalError, match="choose returned 7"):
        pl.transient(pendulum, end_time=0.1, step=1e-2, controller=turns)
