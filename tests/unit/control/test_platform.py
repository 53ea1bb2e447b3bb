"""The platform of a robot: map and rigidified model against closed forms; platform and legs apart."""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl
from pliant.control.models.linear_model import LinearModel
from pliant.control.models.platform import PlatformModel
from pliant.errors import OptionError, SingularError

POSE = ["position:plate(0, 0):x", "position:plate(0, 0):y", "angle:plate"]
RATES = ["velocity:plate(0, 0):x", "velocity:plate(0, 0):y", "angular_velocity:plate"]
PULLS = ["east/tension", "north/tension", "west/tension", "south/tension"]


def plate() -> LinearModel:
    """Return a plate of 2 kg on four tendons of 100 N/m and 10 N, one metre long, anchored 0.1 m off its centre."""
    m = pl.Model("plate")
    ground, body = m.add(pl.Ground(), pl.Body("plate", mass=2.0, inertia=0.1, position=(0, 0), angle=0.0))
    for k, name in enumerate(("east", "north", "west", "south")):
        way = np.array([np.cos(k * np.pi / 2), np.sin(k * np.pi / 2)])
        side = 0.1 * np.array([-way[1], way[0]]) * (1.0 if k % 2 else -1.0)
        m.add(pl.Tendon(name, body.at(*side), ground.at(*(way + side)), stiffness=100.0, force=10.0, tension=0.0))
    return pl.linearise(pl.compile(m), inputs=PULLS, outputs=[*POSE, *RATES])


@pytest.fixture(scope="module")
def plant() -> LinearModel:
    return plate()


@pytest.fixture(scope="module")
def platform(plant: LinearModel) -> PlatformModel:
    return pl.platform_model(plant, "plate")


def test_map_is_directions_and_lever_arms(platform: PlatformModel) -> None:
    levers = 0.1 * np.array([1.0, -1.0, 1.0, -1.0])
    expected = [[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, -1.0], levers]
    np.testing.assert_allclose(platform.map.matrix, expected, atol=1e-9)


def test_stiffness_is_elastic_and_geometric(platform: PlatformModel) -> None:
    """Two tendons pull along an axis, two across: ``2 k + 2 T / L``; about the centre ``4 (k a^2 + T a^2 / L)``, whose
    second part is the change of direction of lines with arms across them."""
    np.testing.assert_allclose(np.diag(platform.stiffness)[:2], 2 * 100.0 + 2 * 10.0 / 1.0, rtol=1e-6)
    np.testing.assert_allclose(platform.stiffness[2, 2], 4 * 100.0 * 0.1**2, rtol=1e-6)
    np.testing.assert_allclose(platform.mass, np.diag([2.0, 2.0, 0.1]), atol=1e-12)
    np.testing.assert_allclose(np.sort(np.abs(platform.linear.poles())), np.sort(np.abs(plate().poles())), rtol=1e-6)


def test_platform_and_legs_apart(plant: LinearModel, platform: PlatformModel) -> None:
    gain = pl.lqr(platform.linear, Q=1.0, R=1.0, sample_time=1e-3)
    legs = {name: {RATES[0]: 1.0} for name in PULLS}
    alone = pl.decentralised(plant, platform, gain, sensors=[*POSE, *RATES])
    np.testing.assert_allclose(platform.map.matrix @ alone.Dy, -gain.K, atol=1e-9)
    both = pl.decentralised(plant, platform, gain, sensors=[*POSE, *RATES], legs=legs)
    np.testing.assert_allclose(both.Dy, alone.Dy, atol=1e-9)  # there are no legs: nothing moves besides the platform


def test_a_leg_that_weighs_its_rate_alone_is_a_damper() -> None:
    for stiffness, inertia in ((0.0, 1.0), (50.0, 0.2)):
        leg = LinearModel(
            [[0.0, 1.0], [-stiffness / inertia, 0.0]], [[0.0], [1.0 / inertia]], np.eye(2), np.zeros((2, 1))
        )
        q = 1e-12 if stiffness == 0.0 else 0.0
        np.testing.assert_allclose(pl.lqr(leg, Q=[q, 9.0], R=4.0).K, [[0.0, 1.5]], atol=1e-5)


def test_refusals(plant: LinearModel, platform: PlatformModel) -> None:
    with pytest.raises(OptionError, match="no rigid body 'plat'"):
        pl.platform_model(plant, "plat")
    gain = pl.lqr(platform.linear, Q=1.0, R=1.0, sample_time=1e-3)
    with pytest.raises(SingularError, match="do not determine pose and rates of 'plate'"):
        pl.decentralised(plant, platform, gain, sensors=POSE)
    with pytest.raises(OptionError, match="sample_time"):
        pl.decentralised(plant, platform, pl.lqr(platform.linear, Q=1.0, R=1.0), sensors=[*POSE, *RATES])
    with pytest.raises(OptionError, match=r"give a gain of pl\.lqr"):
        pl.decentralised(plant, platform, pl.lqr(plant, Q=1.0, R=1.0, sample_time=1e-3), sensors=[*POSE, *RATES])
    with pytest.raises(OptionError, match="give a list of names"):
        pl.decentralised(plant, platform, gain, sensors=POSE[0])
    with pytest.raises(OptionError, match=r"give what pl\.platform_model"):
        pl.decentralised(plant, "plate", gain, sensors=[*POSE, *RATES])  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="give gains by output"):
        pl.decentralised(plant, platform, gain, sensors=[*POSE, *RATES], legs={PULLS[0]: 1.0})  # type: ignore[dict-item]
    with pytest.raises(OptionError, match="there is no 'east/tensoin'"):
        pl.decentralised(plant, platform, gain, sensors=[*POSE, *RATES], legs={"east/tensoin": {}})


def test_an_empty_null_space_is_told() -> None:
    m = pl.Model("cart")
    ground, cart = m.add(pl.Ground(), pl.Body("cart", mass=1.0, inertia=0.1, position=(0, 0), angle=0.0, free=True))
    m.add(pl.Spring("hold", ground.at(-1, 0), cart.at(), stiffness=10.0, rest_length=1.0))
    m.add(pl.Force(cart.at(), name="push"), pl.Moment(cart.at(), 0.0, name="turn"))
    outputs = [name.replace("plate", "cart") for name in (*POSE, *RATES)]
    inputs = ["push/x", "push/y", "turn/value"]
    plant = pl.linearise(pl.compile(m), inputs=inputs, outputs=outputs)
    platform = pl.platform_model(plant, "cart")
    gain = pl.lqr(platform.linear, Q=1.0, R=1.0, sample_time=1e-3)
    with pytest.raises(SingularError, match="3 actuators make 3 components"):
        pl.decentralised(plant, platform, gain, sensors=outputs, legs={"push/x": {outputs[0]: 1.0}})


def test_rotations_in_space_are_measured_and_predicted() -> None:
    """A top held by a motor about z: the controller reads its rotation, and the linear loop starts from it."""
    m = pl.Model("top", plane=None)
    ground, top = m.add(pl.Ground(), pl.Body("top", mass=1.0, inertia=(0.1, 0.1, 0.2), position=(0, 0, 0)))
    m.add(pl.Revolute(ground.at(0, 0), top.at(), axis="z"), pl.Motor("motor", ground.at(0, 0), top.at(), 0.0))
    m.add(pl.TorsionSpring("spring", ground.at(0, 0), top.at(), stiffness=1.0))
    system = pl.compile(m)
    names = ["rotation:top:z", "angular_velocity:top:z"]
    plant = pl.linearise(system, inputs=["motor/torque"], outputs=names)
    turned = pl.statics(system.with_signals({"motor/torque": 0.1}))
    gains = {"motor/torque": dict(zip(names, (2.0, 0.5), strict=True))}
    controller = pl.Controller.proportional(gains, sample_time=1e-3)
    run = pl.transient(system, start=turned, end_time=2.0, step=1e-3, controller=controller)
    linear = pl.predict(controller, plant, start=turned, end_time=2.0)
    assert linear.y[0, 0] == pytest.approx(0.1, abs=1e-9)
    np.testing.assert_allclose(run.measured.values[:, 0], linear.y.values[:-1, 0], atol=1e-5)
