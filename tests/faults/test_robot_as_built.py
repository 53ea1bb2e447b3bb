"""Mistakes of a builder of controlled robots: each is refused with part, value and what to try.

Leaves that cannot bow to the required side, and leaves that touch, are in unit/gallery/test_pacoma.py.
"""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ModelError, OptionError, SignalError, SingularError
from pliant_gallery.examples import driven_pendulum


def test_a_gear_ratio_of_zero() -> None:
    m = pl.Model("drive")
    ground, crank, wheel = m.add(
        pl.Ground(), pl.Link("crank", length=0.1, mass=1.0), pl.Body("wheel", mass=1.0, inertia=1.0)
    )
    with pytest.raises(ModelError, match=r'GearedMotor "drive": ratio = 0\.0.*without gear has ratio=1'):
        pl.GearedMotor("drive", ground.at(0, 0), crank.at(s=0), 1.0, torque_constant=0.1, ratio=0.0)
    with pytest.raises(ModelError, match=r"teeth_a = 0 is not allowed; it must be a whole number, not zero"):
        m.add(pl.Gear(crank.at(s=0), wheel.at(), carrier=ground.at(0, 0), teeth_a=0, teeth_b=6))


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("joint_angle:arm", r"there is no pin 'arm'\. Known are: revolute"),
        ("strain:arm@0.5", "there is no beam 'arm'"),
        ("line_length:arm", "there is no spring or tendon 'arm'"),
        ("accelerometer:arm:x", "there is no marker 'arm'.*arm/tip"),
    ],
)
def test_a_sensor_on_a_part_that_has_none(output: str, message: str) -> None:
    system = pl.compile(driven_pendulum())
    controller = pl.Controller.proportional({"motor/torque": {output: 1.0}}, sample_time=0.01)
    with pytest.raises(OptionError, match=message):
        pl.transient(system, end_time=0.1, step=1e-3, controller=controller)
    with pytest.raises(OptionError, match=message):
        pl.linearise(system, inputs=["motor/torque"], outputs=[output])


def test_a_controller_of_the_wrong_shape_or_rate() -> None:
    system, names = pl.compile(driven_pendulum()), {"inputs": ("motor/torque",), "outputs": ("angle:arm",)}
    with pytest.raises(OptionError, match=r"Dy has the shape \(2, 1\); it must be \(1, 1\)"):
        pl.Controller(**names, sample_time=0.01, Dy=np.zeros((2, 1)))
    two = pl.LinearModel([[-1.0]], [[1.0, 1.0]], [[1.0]], [[0.0, 0.0]])
    with pytest.raises(OptionError, match=r"has 2 inputs and 1 outputs; it reads 1 \(angle:arm\)"):
        pl.Controller.of(two, **names, sample_time=0.01)
    with pytest.raises(OptionError, match=r"sample_time=0\.0: it must be positive"):
        pl.Controller.proportional({"motor/torque": {"angle:arm": 1.0}}, sample_time=0.0)
    pair = pl.FunctionController(function=lambda t, y: np.zeros(2), **names, sample_time=0.01)
    with pytest.raises(SignalError, match=r"it must return 1 finite numbers, for motor/torque"):
        pl.transient(system, end_time=0.1, step=2e-3, controller=pair)


def test_an_unstabilisable_pair() -> None:
    apart = pl.LinearModel([[1.0, 0.0], [0.0, 2.0]], [[1.0], [0.0]], [[1.0, 0.0]], [[0.0]])
    with pytest.raises(SingularError, match=r"inputs u1 do not move the real pole 2 1/s.*nothing can stabilise it"):
        pl.lqr(apart, Q=1.0, R=1.0)
