"""Derivatives of what has a name of its own: motor angles, snapping, flutter, poles and norms, mode shapes."""

from __future__ import annotations

from math import hypot, sqrt
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import OptionError
from pliant_evidence.sensitivities import models

pytestmark = pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")  # of paths that lose stability

SLIDE: dict[str, Any] = {"inputs": ["push/x"], "outputs": ["position:slide(0, 0):x"]}
MOTORS = ["shoulder/angle", "elbow/angle"]
H = 1e-5


def arm() -> pl.Model:
    """Build two links with a motor each: a, b."""
    m, a, b = pl.Model("arm"), pl.Parameter("a", 0.6), pl.Parameter("b", 0.8)
    ground, upper = m.add(pl.Ground(), pl.Link("upper", length=a, mass=1.0))
    lower = m.add(pl.Link("lower", length=b, mass=1.0))
    m.add(pl.Revolute(ground.at(0, 0), upper.at(s=0)), pl.Revolute(upper.at(s=1), lower.at(s=0)), pl.Gravity())
    m.add(pl.Motion(ground.at(0, 0), upper.at(s=0), angle=0.3, name="shoulder"))
    m.add(pl.Motion(upper.at(s=1), lower.at(s=0), angle=0.9, name="elbow"))
    return m


def slide() -> pl.Model:
    """Build a damped slide that is pushed: m, k, c."""
    m, mass, k, c = pl.Model("slide"), pl.Parameter("m", 2.0), pl.Parameter("k", 50.0), pl.Parameter("c", 4.0)
    ground, slide = m.add(pl.Ground(), pl.Body("slide", mass=mass, inertia=1.0, position=(1.0, 0.0), angle=0.0))
    m.add(pl.Prismatic(ground.at(0, 0), slide.at()), pl.Force(slide.at(), x=0.0, name="push"))
    m.add(pl.Spring("s", ground.at(0, 0), slide.at(), k, 1.0, damping=c))
    return m


def test_motor_angles_that_hold_a_point() -> None:
    system, (x, y) = pl.compile(arm()), (0.3, 0.9)
    with pytest.raises(OptionError, match="inverse_statics"):
        pl.sensitivity(system, pl.statics(system), of=["signal_value"])
    held = pl.inverse_statics(system, {"lower/tip": (x, y)}, signals=MOTORS)
    found = pl.sensitivity(system, held, of=["signal_value", "position", "reaction"])

    def angles(a: float, b: float) -> np.ndarray:
        elbow = np.arccos((x * x + y * y - a * a - b * b) / (2.0 * a * b))
        return np.array([np.arctan2(y, x) - np.arctan2(b * np.sin(elbow), a + b * np.cos(elbow)), elbow])

    exact = [angles(0.6 + H, 0.8) - angles(0.6 - H, 0.8), angles(0.6, 0.8 + H) - angles(0.6, 0.8 - H)]
    np.testing.assert_allclose(found.derivative.signal_value, np.array(exact) / (2.0 * H), rtol=1e-8)
    assert np.max(np.abs(found.derivative.position.sel(marker="lower/tip"))) < 1e-10  # it is held
    beside = [pl.compile(arm().with_parameters(a=0.6 + k * 1e-4)) for k in (-1, 1)]
    down, up = (pl.inverse_statics(each, {"lower/tip": (x, y)}, signals=MOTORS).reaction.values for each in beside)
    whole = (up - down) / 2e-4
    np.testing.assert_allclose(found.derivative.reaction.sel(parameter="a"), whole, atol=1e-6 * np.max(np.abs(whole)))
    with pytest.raises(OptionError, match="cannot be combined with functions"):
        pl.sensitivity(system, held, of={"angle": "signal_value", "f": lambda _, rest: rest.position})
    with pytest.raises(OptionError, match="is no variable of that result"):
        pl.sensitivity(system, pl.statics(system), of=["signal_value"])


def test_where_a_truss_snaps() -> None:
    """r^3 = l a^2 at the limit point, r the length of its springs."""
    system = pl.compile(models.truss())
    path = pl.path(system, "push/y", to=-20.0)
    found = pl.sensitivity(system, path, of=["event_parameter", "event_position"])
    y = found.derivative.event_position.sel(axis="y", marker="top(0, 0)")

    def height(a: float, H: float) -> float:
        return sqrt((hypot(a, H) * a * a) ** (2.0 / 3.0) - a * a)

    by_a = (height(1.0 + H, 0.2) - height(1.0 - H, 0.2)) / (2.0 * H)
    by_height = (height(1.0, 0.2 + H) - height(1.0, 0.2 - H)) / (2.0 * H)
    for name, value in {"k": 0.0, "a": by_a, "H": by_height}.items():
        np.testing.assert_allclose(y.sel(parameter=name), [value, -value], atol=1e-6)
    with pytest.raises(OptionError, match="no variable at an event"):
        pl.sensitivity(system, path, of=["event_speed"])
    with pytest.raises(OptionError, match=r"take path\.equilibrium\(i\)"):
        pl.sensitivity(system, path, of=["position"])


@pytest.mark.parametrize("c", [0.0, 0.3])
def test_where_flutter_begins(c: float) -> None:
    """Ziegler's pendulum: (7/2 - sqrt 2) k/l without damping; with it, 41/28 k/l + c^2 / 2 l^3."""
    system = pl.compile(models.ziegler(c))
    path = pl.path(system, "load/x", to=-3.0)
    assert path.event_kind.values.tolist() == ["flutter"]
    found = pl.sensitivity(system, path, of=["event_parameter"]).derivative.event_parameter.isel(event=0)
    load = 41.0 / 28.0 if c else 3.5 - sqrt(2.0)
    closed = {"k": -load, "l": load + 1.5 * c**2, "c": -c}
    for name in system.model.parameters:
        assert found.sel(parameter=name).item() == pytest.approx(closed[name], rel=2e-5)


def test_poles_costs_and_norms() -> None:
    system = pl.compile(slide())
    regulator: Any = lambda model: pl.lqr(model, outputs={"position:slide(0, 0):x": 1e4}, R=1.0)  # noqa: E731
    designs = {"poles": None, "h2": None, "hinf": None, "lqr_cost": regulator, "closed_poles": [[30.0]]}
    of: Any = {name: pl.LinearQuantity(of=name, design=design, **SLIDE) for name, design in designs.items()}
    found = pl.sensitivity(system, pl.statics(system), of={**of, "eigenvalue": "eigenvalue"}, modes=2)
    order = [int(np.argmin(np.abs(found.value.poles.values - each))) for each in found.value.eigenvalue.values]
    np.testing.assert_allclose(found.derivative.poles.values[:, order], found.derivative.eigenvalue.values, atol=1e-9)
    np.testing.assert_allclose(found.relative.h2.values, [0.0, -0.5, -0.5], atol=1e-8)  # 1 / sqrt(2 c k)
    m, k, c = 2.0, 50.0, 4.0
    slow = c**2 / (4.0 * m**2)  # the largest gain is 1 / (c sqrt(k/m - c^2/4m^2))
    by = [0.5 * (k / m - 2.0 * slow) / (k / m - slow), -0.5 * k / m / (k / m - slow), -1.0 + slow / (k / m - slow)]
    np.testing.assert_allclose(found.relative.hinf.values, by, atol=1e-7)
    s = found.value.closed_poles.values[0]  # m s^2 + c s + k + 30 = 0
    exact = -np.array([s**2, 1.0, s]) / (2.0 * m * s + c)
    np.testing.assert_allclose(found.derivative.closed_poles.values[:, 0], exact, rtol=1e-7)
    beside = [system.with_parameters(k=50.0 + change) for change in (-0.01, 0.01)]
    down, up = (of["lqr_cost"](each, pl.statics(each)).item() for each in beside)
    assert found.derivative.lqr_cost.sel(parameter="k").item() == pytest.approx((up - down) / 0.02, rel=1e-6)
    with pytest.raises(OptionError, match="needs a design="):
        pl.LinearQuantity(of="lqr_cost", **SLIDE)
    with pytest.raises(OptionError, match="of='pole' is not known"):
        pl.LinearQuantity(of="pole", **SLIDE)


def test_zeros_of_a_linear_model() -> None:
    """Two masses in a row: the first does not answer a push at the frequency of the second alone."""
    m, k = pl.Model("row"), pl.Parameter("k", 80.0)
    ground = m.add(pl.Ground())
    first = m.add(pl.Body("a", mass=2.0, inertia=1.0, position=(1.0, 0.0), angle=0.0))
    second = m.add(pl.Body("b", mass=2.0, inertia=1.0, position=(2.0, 0.0), angle=0.0))
    m.add(pl.Prismatic(ground.at(0, 0), first.at()), pl.Prismatic(ground.at(0, 0), second.at()))
    m.add(pl.Spring("s", ground.at(0, 0), first.at(), 50.0, 1.0), pl.Spring("t", first.at(), second.at(), k, 1.0))
    m.add(pl.Force(first.at(), x=0.0, name="push"))
    system = pl.compile(m)
    of = pl.LinearQuantity(of="zeros", inputs=["push/x"], outputs=["position:a(0, 0):x"])
    found = pl.sensitivity(system, pl.statics(system), of={"zero": of})
    np.testing.assert_allclose(np.abs(found.value.zero.values), sqrt(40.0), rtol=1e-8)
    np.testing.assert_allclose(np.real(found.relative.zero.values), 0.5, rtol=1e-6)


def test_mode_shapes() -> None:
    """Shapes with a modal mass of one fall as the root of the mass; shapes of one frequency are named."""
    system = pl.compile(models.cantilever("xy", density=True), elements=4)
    found = pl.sensitivity(system, pl.statics(system), of=["mode_shape"], to=["rho", "E"], modes=2)
    tip = found.relative.mode_shape.isel(station=-1, axis=1)
    np.testing.assert_allclose(tip.sel(parameter="rho"), -0.5, rtol=1e-6)
    np.testing.assert_allclose(tip.sel(parameter="E"), 0.0, atol=1e-6)
    system = pl.compile(models.pendulum(None))
    found = pl.sensitivity(system, pl.statics(system), of=["mode_shape"], modes=2)
    assert "modes 1, 2 are repeated" in found.notes[0]
    assert np.all(np.isnan(found.derivative.mode_shape))
