"""Dry friction at rest has no derivative: whatever rubs is named, and held or left out; its smoothing is no damper."""

from __future__ import annotations

from math import cos, pi, sin, sqrt
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import OptionError, UnstableEquilibrium

G, MASS, LENGTH, TILT = 9.81, 2.0, 0.5, pi / 6.0
INERTIA = MASS * LENGTH**2 / 3.0
STIFF, VISCOUS = 40.0, 0.3
SPACES = ["xy", None]


def held_arm(efficiency: float, plane: str | None) -> pl.Model:
    """Build an arm at 30 degrees above level, which a motor's current holds against its weight: it would fall."""
    m = pl.Model("held arm", plane=plane)
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=LENGTH, mass=MASS, angle=TILT))
    shaft = ground.at(*(0.0,) * (2 if plane else 3)), arm.at(s=0)
    torque = MASS * G * LENGTH / 2.0 * cos(TILT)
    drive = {"torque_constant": 0.1, "ratio": 50.0, "efficiency": efficiency}
    m.add(pl.Revolute(*shaft), pl.Gravity(y=-G), pl.GearedMotor("drive", *shaft, torque / 5.0, **drive))
    return m


def sprung(kind: str, plane: str | None) -> pl.Model:
    """Build a wheel on a torsion spring, or a cart on a spring along x, with a damper, and a part that rubs."""
    m = pl.Model("sprung", plane=plane)
    ground, body = m.add(pl.Ground(), pl.Body("body", mass=MASS, inertia=INERTIA if plane else (INERTIA,) * 3))
    ends = ground.at(*(0.0,) * (2 if plane else 3)), body.at()
    viscous: dict[str, Any] = {"viscous": VISCOUS}
    if kind == "SlideFriction":
        guide: dict[str, Any] = {"axis": "x"} if plane is None else {}
        m.add(pl.Prismatic(*ends, **guide), pl.Bushing("spring", *ends, stiffness=(STIFF, 0, 0) if plane else STIFF))
        m.add(pl.SlideFriction("seal", *ends, 0.5, breakaway=0.8, speed=1e-3, **viscous))
        return m
    m.add(pl.Revolute(*ends), pl.TorsionSpring("spring", *ends, stiffness=STIFF))
    if kind == "Brake":
        m.add(pl.Brake("seal", *ends, 0.01), pl.TorsionSpring("damper", *ends, stiffness=0.0, damping=VISCOUS))
    else:
        m.add(pl.PinFriction("seal", *ends, 0.01, breakaway=0.02, **viscous))
    return m


@pytest.mark.parametrize("plane", SPACES)
def test_a_lossy_gear_is_no_damper(plane: str | None) -> None:
    """Free: J w'' = m g (l/2) sin(30 deg) w, whatever the efficiency; stuck: nothing moves."""
    ports: dict[str, Any] = {"inputs": ["drive/current"], "outputs": ["angle:arm" if plane else "position:arm/tip:y"]}
    grows = sqrt(MASS * G * LENGTH / 2.0 * sin(TILT) / INERTIA)
    for efficiency, word in ((1.0, None), (0.99, "free"), (0.9, "free")):
        system = pl.compile(held_arm(efficiency, plane))
        given: dict[str, Any] = {} if word is None else {"friction": word}
        poles = pl.linearise(system, at=rest_of(system), **ports, **given).poles()
        assert np.max(poles.real) == pytest.approx(grows, rel=1e-8)
    for ask in (lambda: pl.linearise(system, at=rest_of(system), **ports),
                lambda: pl.modal(system, at=rest_of(system), damped=True),
                lambda: pl.stiffness(system, marker="arm/tip", at=rest_of(system)),
                lambda: pl.nonlinear(system, at=rest_of(system), **ports)):  # fmt: skip
        with pytest.raises(OptionError, match=r"'drive' of 'held arm' rub.*kink"):
            ask()
    assert pl.modal(system, at=rest_of(system), friction="stuck").sizes["mode"] == 0


def rest_of(system: Any) -> Any:
    with pytest.warns(UnstableEquilibrium):
        return pl.statics(system)


@pytest.mark.parametrize("plane", SPACES)
@pytest.mark.parametrize("kind", ["PinFriction", "SlideFriction", "Brake"])
def test_free_leaves_dry_friction_out_and_keeps_the_rest(kind: str, plane: str | None) -> None:
    """m x'' + c x' + k x = 0 remains; stuck, no motion does."""
    system = pl.compile(sprung(kind, plane))
    with pytest.raises(OptionError, match=r"'seal' of 'sprung' rub"):
        pl.modal(system)
    size = MASS if kind == "SlideFriction" else INERTIA
    free = pl.modal(system, damped=True, friction="free")
    assert free.frequency_hz.values == pytest.approx([sqrt(STIFF / size) / (2.0 * pi)], rel=1e-9)
    assert free.damping_ratio.values == pytest.approx([VISCOUS / (2.0 * sqrt(STIFF * size))], rel=1e-6)
    assert pl.modal(system, friction="stuck").sizes["mode"] == 0


def test_a_damping_ratio_that_was_not_computed_is_not_there() -> None:
    system = pl.compile(sprung("PinFriction", "xy"))
    assert "damping_ratio" not in pl.modal(system, friction="free").data


def test_a_part_that_slides_is_linear_and_one_that_sticks_is_not() -> None:
    """A part in an instant of a motion is linear if it slides, not if it sticks."""
    m = pl.Model("coasting")
    ground, wheel = m.add(pl.Ground(), pl.Body("wheel", mass=1.0, inertia=INERTIA))
    ends = ground.at(0, 0), wheel.at()
    m.add(pl.Revolute(*ends), pl.PinFriction("seal", *ends, 0.01, viscous=VISCOUS), pl.Motor("motor", *ends, 0.0))
    system = pl.compile(m)
    ports: dict[str, Any] = {"inputs": ["motor/torque"], "outputs": ["angle:wheel"], "frozen": True}
    fast = pl.transient(system, end_time=0.01, push={"wheel": 10.0})
    assert np.min(pl.linearise(system, at=fast, **ports).poles().real) == pytest.approx(-VISCOUS / INERTIA, rel=1e-6)
    slow = pl.transient(system, end_time=1e-4, push={"wheel": 0.005})
    with pytest.raises(OptionError, match="'seal' of 'coasting' rub"):
        pl.linearise(system, at=slow, **ports)
    with pytest.raises(OptionError, match="stick at that instant"):
        pl.linearise(system, at=slow, friction="free", **ports)


@pytest.mark.parametrize("formulation", ["relative", "udwadia_kalaba"])
def test_formulations_agree(formulation: str) -> None:
    models = [pl.compile(sprung("PinFriction", "xy"), formulation=each) for each in ("dae", formulation)]
    found = [pl.modal(system, damped=True, friction="free").eigenvalue.values for system in models]
    np.testing.assert_allclose(*found, rtol=1e-9)
    assert pl.modal(models[1], friction="stuck").sizes["mode"] == 0


def test_campbell_is_told_too() -> None:
    system = pl.compile(sprung("PinFriction", "xy"))
    with pytest.raises(OptionError, match="campbell: 'seal' of 'sprung' rub"):
        pl.campbell(system, rates=[0.0, 0.1], modes=1)
    free = pl.campbell(system, rates=[0.0, 0.1], modes=1, friction="free")
    np.testing.assert_allclose(free.frequency_hz, sqrt(STIFF / INERTIA) / (2.0 * pi), rtol=1e-9)
