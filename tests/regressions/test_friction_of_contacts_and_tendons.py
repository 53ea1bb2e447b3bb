"""Friction of contacts and of tendons at guides was a huge damper in linear models, and in the stability of spins."""

from __future__ import annotations

from math import pi, sqrt
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import OptionError, UnstableEquilibrium

SPACES = ["xy", None]
MASS, INERTIA, RADIUS, FIRM, SOFT, TURN = 2.0, 0.1, 0.1, 1e5, 40.0, 5.0


def ball(plane: str | None, friction: float = 0.3, rim: float = 0.0) -> pl.Model:
    """Build a ball that its weight presses upon a floor, with springs along x and against turning."""
    m = pl.Model("ball", plane=plane)
    ground, body = m.add(pl.Ground(), pl.Body("body", mass=MASS, inertia=INERTIA if plane else (INERTIA,) * 3))
    up = (0.0, RADIUS) if plane else (0.0, 0.0, RADIUS)
    floor = ground.at(*(0.0,) * len(up)), body.at()
    m.add(pl.Contact("floor", *floor, radius=RADIUS, stiffness=FIRM, friction=friction, rim=rim))
    m.add(pl.Force(body.at(), x=0.0, name="push"))
    m.add(pl.Gravity(**{"y": 0.0, "z" if plane is None else "y": -9.81}))
    m.add(pl.Bushing("springs", ground.at(*up), body.at(), stiffness=(SOFT, SOFT, 0.0), turning_stiffness=TURN)
          if plane is None else pl.Bushing("springs", ground.at(*up), body.at(), stiffness=(SOFT, 0, 0)))  # fmt: skip
    if plane:
        m.add(pl.TorsionSpring("turning", ground.at(*up), body.at(), stiffness=TURN))
    return m


@pytest.mark.parametrize("plane", SPACES)
def test_a_ball_slides_freely_or_rolls(plane: str | None) -> None:
    system = pl.compile(ball(plane))
    for ask in (lambda: pl.modal(system, damped=True), lambda: pl.stiffness(system, marker="body"),
                lambda: pl.linearise(system, inputs=["push/x"], outputs=["position:body(0, 0):x"])):  # fmt: skip
        with pytest.raises(OptionError, match=r"'floor' of 'ball' rub\..*kink"):
            ask()
    free = pl.modal(system, damped=True, friction="free")
    alone = pl.modal(pl.compile(ball(plane, friction=0.0)), damped=True)
    np.testing.assert_allclose(free.eigenvalue, alone.eigenvalue, rtol=1e-9)
    assert free.frequency_hz.values[0] == pytest.approx(sqrt(SOFT / MASS) / (2.0 * pi), rel=1e-9)
    arm = RADIUS - MASS * 9.81 / FIRM  # of the point of contact from the centre
    rolls = sqrt((TURN + SOFT * RADIUS**2) / (INERTIA + MASS * arm**2)) / (2.0 * pi)
    stuck = pl.modal(system, friction="stuck").frequency_hz.values
    assert stuck[0] == pytest.approx(rolls, rel=1e-3)
    assert stuck.size == free.sizes["mode"] - (1 if plane else 2)


@pytest.mark.parametrize("plane", SPACES)
def test_a_rim_that_sticks_is_held_once(plane: str | None) -> None:
    """Twelve points hold two slidings and the spin about the normal; both of the plane hold one sliding."""
    free, stuck = (pl.modal(pl.compile(ball(plane, rim=0.05)), friction=word) for word in ("free", "stuck"))
    assert stuck.sizes["mode"] == free.sizes["mode"] - (1 if plane else 3)


def test_a_contact_that_is_open_does_not_rub() -> None:
    m = ball("xy")
    body = m.bodies[0]
    m.add(pl.Spring("lift", m.ground.at(0, 1), body.at(), stiffness=1e3, rest_length=0.5))
    system = pl.compile(m)
    assert float(pl.statics(system).gap[0]) > 0.0
    np.testing.assert_allclose(pl.modal(system).frequency_hz, pl.modal(system, friction="free").frequency_hz)


def rope(friction: float, plane: str | None, **options: Any) -> pl.Model:
    """Build two masses on slides, on springs, and a rope between them that turns by 90 degrees over an eye."""
    m = pl.Model("rope", plane=plane)
    zero: Any = () if plane else (0.0,)
    size: Any = 1.0 if plane else (1.0,) * 3
    ground, a, b = m.add(
        pl.Ground(), pl.Body("a", mass=1.0, inertia=size, position=(-1.0, 0.0, *zero)),
        pl.Body("b", mass=2.0, inertia=size, position=(0.0, -1.0, *zero)),
    )  # fmt: skip
    if plane:
        m.add(pl.Prismatic(ground.at(-1, 0), a.at()))
        m.add(pl.Prismatic(ground.at(0, -1, angle=pi / 2), b.at(angle=pi / 2)))
    else:
        m.add(pl.Prismatic(ground.at(-1, 0, 0), a.at(), axis="x"), pl.Prismatic(ground.at(0, -1, 0), b.at(), axis="y"))
    m.add(pl.Spring("left", ground.at(-2, 0, *zero), a.at(), stiffness=100.0, rest_length=1.0 - 5.0 / 100.0))
    m.add(pl.Spring("low", ground.at(0, -2, *zero), b.at(), stiffness=300.0, rest_length=1.0 - 5.0 / 300.0))
    eye = ground.at(0, 0, *zero)
    m.add(pl.Tendon("rope", a.at(), b.at(), guides=[eye], stiffness=1e3, force=5.0, friction=friction, **options))
    return m


@pytest.mark.parametrize("plane", SPACES)
def test_a_rope_that_rubs_over_an_eye_is_no_damper(plane: str | None) -> None:
    """Free: M = diag(1, 2), K = [1100, 1000; 1000, 1300], which at 5 N the slope of the rope's law changes by 1e-7."""
    system = pl.compile(rope(0.2, plane))
    with pytest.raises(OptionError, match=r"'rope' of 'rope' rub\..*kink"):
        pl.modal(system, damped=True)
    with pytest.raises(OptionError, match=r"'rope' of 'rope' would stick at guides.*sliding="):
        pl.modal(system, friction="stuck")
    found = pl.modal(system, damped=True, friction="free")
    squares = np.linalg.eigvals(np.linalg.solve(np.diag([1.0, 2.0]), np.array([[1100.0, 1000.0], [1000.0, 1300.0]])))
    np.testing.assert_allclose(found.frequency_hz, np.sort(np.sqrt(squares)) / (2.0 * pi), rtol=1e-6)
    np.testing.assert_allclose(found.damping_ratio, 0.0, atol=1e-12)
    assert pl.modal(pl.compile(rope(0.2, plane, sliding=1)), damped=True).sizes["mode"] == 2


@pytest.mark.parametrize("rubs", [False, True], ids=["smooth", "dry"])
def test_a_spin_is_not_upset_by_the_smoothing_of_friction(rubs: bool) -> None:
    """x'' - 2 W y' + (w^2 - W^2) x = 0, and y: frequencies w - W, w + W, no growth; damping would upset it above w."""
    m = pl.Model("whirl")
    ground, body = m.add(pl.Ground(), pl.Body("body", mass=MASS, inertia=INERTIA))
    ends = ground.at(0, 0), body.at()
    m.add(pl.Bushing("springs", *ends, stiffness=(200.0, 200.0, 0.0), turning_stiffness=TURN))
    if rubs:
        m.add(pl.SlideFriction("seal", *ends, 0.5, speed=1e-3))
    rest = pl.statics(pl.compile(m), spin=15.0)
    assert (rest.outcome.stable, rest.outcome.unstable_directions, rest.outcome.falling_directions) == (True, 0, 2)
    told: dict[str, Any] = {"friction": "free"} if rubs else {}
    found = pl.modal(pl.compile(m), at=rest, damped=True, **told).eigenvalue.values
    np.testing.assert_allclose(np.sort(found.imag), [5.0, sqrt(TURN / INERTIA), 25.0], rtol=1e-9)


def test_a_spin_is_upset_by_viscous_friction_of_its_joints() -> None:
    """Damping in turning parts makes a spin above the critical rate unstable; `Friction`'s was left out."""
    m = pl.Model("whirl on slides")
    ground, body, cross = m.add(
        pl.Ground(), pl.Body("body", mass=MASS, inertia=INERTIA), pl.Body("cross", mass=1e-6, inertia=1e-6)
    )  # fmt: skip
    along = m.add(pl.Prismatic(ground.at(0, 0), cross.at()))
    m.add(pl.Prismatic(cross.at(0, 0, angle=pi / 2), body.at(0, 0, angle=pi / 2)))
    m.add(pl.Bushing("springs", ground.at(0, 0), body.at(), stiffness=(200.0, 200.0, 0.0)))
    m.add(pl.Friction(along, 0.1, viscous=0.5, length=0.1))
    system = pl.compile(m)
    assert pl.statics(system, spin=5.0).outcome.stable
    with pytest.warns(UnstableEquilibrium):
        assert not pl.statics(system, spin=15.0).outcome.stable
