"""Bad tendons: each mistake has a message that names the tendon, the value and what to do."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ModelError
from pliant.model.files import io

GROUND = pl.Ground()
ARM = pl.Link("arm", length=1.0, mass=1.0, angle=0.0)
LEAF = pl.Beam("leaf", length=0.5, section=pl.Section.rectangle(0.02, 0.001, pl.STEEL))
A, B = GROUND.at(0, 0.5), ARM.at(s=1)


def tendon(a: Any = A, b: Any = B, **options: Any) -> pl.Tendon:
    return pl.Tendon("rope", a, b, **({"stiffness": 10.0, "rest_length": 0.3} | options))


@pytest.mark.parametrize("key", ["stiffness", "rest_length", "damping", "friction"])
def test_negative_values(key: str) -> None:
    with pytest.raises(ModelError, match=rf'Tendon "rope": {key} = -0\.5 is not allowed; it must be zero or positive'):
        tendon(**{key: -0.5})


@pytest.mark.parametrize("key", ["force", "shortening"])
def test_negative_pretension(key: str) -> None:
    with pytest.raises(ModelError, match=rf'Tendon "rope": {key} = -0\.5 is not allowed'):
        tendon(rest_length=None, **{key: -0.5})


@pytest.mark.parametrize("key", ["largest_force", "friction_speed", "slack_force"])
@pytest.mark.parametrize("value", [0.0, -1.0])
def test_values_that_must_be_positive(key: str, value: float) -> None:
    with pytest.raises(ModelError, match=rf'Tendon "rope": {key} = {value} is not allowed; it must be positive'):
        tendon(**{key: value})


@pytest.mark.parametrize("value", [math.nan, math.inf, "1", True])
@pytest.mark.parametrize("key", ["stiffness", "damping", "friction", "largest_force", "rest_length", "tension"])
def test_what_is_not_a_number(key: str, value: Any) -> None:
    with pytest.raises(ModelError, match=f'Tendon "rope": {key} = '):
        tendon(**{key: value})


def test_a_constant_tension_that_pushes() -> None:
    with pytest.raises(ModelError, match=r'Tendon "rope": tension = -3\.0 is not allowed; it must be zero or positive'):
        pl.Tendon("rope", A, B, tension=-3.0)


@pytest.mark.parametrize("value", [2, 0.5, True, "a", None])
def test_sliding_is_a_direction(value: Any) -> None:
    with pytest.raises(ModelError, match=r'Tendon "rope": sliding = .* it must be 1 \(towards a\), -1 \(towards b\)'):
        tendon(sliding=value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rest_length": 0.3, "force": 5.0}, "got rest_length and force; .* exactly one"),
        ({"rest_length": None, "force": 5.0, "shortening": 0.1}, "got force and shortening; .* exactly one"),
        ({"rest_length": None}, "got none of them; .* exactly one of rest_length"),
        ({"stiffness": 0.0}, "rest_length needs a stiffness, and it is 0"),
        ({"stiffness": 0.0, "tension": 4.0}, "rest_length needs a stiffness.* tension= instead"),
        ({"stiffness": 0.0, "rest_length": None}, "neither stiffness nor tension"),
    ],
)
def test_contradictory_pretension(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ModelError, match=f'Tendon "rope": .*{words}'):
        tendon(**options)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: tendon(b=None), "b = None is not allowed; it must be a Marker"),
        (lambda: tendon(a=ARM), "a = .* it must be a Marker, not a Link. Make one with body.at"),
        (lambda: tendon(guides=[ARM.at(s=0.5), ARM]), r"guides\[1\] = .* it must be a Marker"),
        (lambda: tendon(guides=3), "guides = 3 is not allowed; it must be a sequence of markers"),
        (lambda: tendon(guides=[GROUND.at(0, 0.5)]), r"ground\(0, 0.5\) follows itself on its route"),
        (lambda: tendon(guides=[ARM.at(s=0.5), ARM.at(s=1)]), "arm/tip follows itself on its route"),
        (
            lambda: tendon(b=GROUND.at(1, 1)),
            'all its markers are on Ground "ground" and cannot move against each other',
        ),
        (lambda: tendon(ARM.at(s=0), guides=[ARM.at(s=0.5, y=0.1)]), 'all its markers are on Link "arm"'),
        (
            lambda: tendon(LEAF.at(1, y=0.1), LEAF.at(1)),
            'all its markers are on Beam "leaf".*another place of the beam',
        ),
    ],
)
def test_bad_routes(make: Callable[[], pl.Tendon], words: str) -> None:
    with pytest.raises(ModelError, match=f'Tendon "rope": .*{words}'):
        make()


def test_fewer_than_two_points() -> None:
    with pytest.raises(TypeError, match=r"Tendon is missing b. It is written Tendon\(name, a, b,"):
        pl.Tendon("rope", A, stiffness=1.0, rest_length=0.1)


def compiled(*guides: tuple[float, float], angle: float = 0.0, **options: Any) -> Any:
    """Return an arm along x, with a rope from (0, 0.5) through points of the ground to its tip."""
    model = pl.Model("crane")
    ground, arm = model.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=angle))
    model.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)))
    eyes = [ground.at(*point) for point in guides]
    given = {"stiffness": 10.0, "rest_length": 0.3} | options
    model.add(pl.Tendon("rope", ground.at(0, 0.5), arm.at(s=1), guides=eyes, **given))
    return pl.compile(model)


def test_points_that_coincide_when_assembled() -> None:
    with pytest.raises(ModelError, match=r'Tendon "rope": its markers ground\(1, 0\) and arm/tip coincide'):
        compiled((1.0, 0.0))


def test_guides_in_impossible_order() -> None:
    """Along the straight way from (0, 0.5) to (1, 0): first the far eye, then the near one."""
    compiled((0.2, 0.4), (0.8, 0.1))
    with pytest.raises(ModelError, match=r"folds back on itself at its guide ground\(0.8, 0.1\).*wrong order"):
        compiled((0.8, 0.1), (0.2, 0.4))


def test_shortening_longer_than_the_route() -> None:
    route = math.hypot(1.0, 0.5)
    with pytest.raises(ModelError, match=rf"shortening = 2.0 .* below the length of its route, {route:.6g} m"):
        compiled(rest_length=None, shortening=2.0)


def test_force_beyond_what_the_stiffness_can_take() -> None:
    with pytest.raises(ModelError, match=r"force = 500 N stretches it by 50 m, but its route is only 1.11803 m long"):
        compiled(rest_length=None, force=500.0)


def test_force_beyond_its_limit() -> None:
    with pytest.raises(ModelError, match=r"force = 5.0 .* below largest_force = 4 N"):
        compiled(rest_length=None, force=5.0, largest_force=4.0)


def test_a_rest_length_that_starts_negative() -> None:
    with pytest.raises(ModelError, match=r"rest_length at t = 0 = -0.5 is not allowed"):
        compiled(rest_length=pl.Expression("t - 0.5"))


def test_guides_of_another_model() -> None:
    model = pl.Model("m")
    ground, arm = model.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0))
    with pytest.raises(ModelError, match=r'Tendon "rope" refers to Beam "leaf", which is not in this model'):
        model.add(tendon(ground.at(0, 0.5), arm.at(s=1), guides=[LEAF.at(1)]))


def test_a_tendon_ties_bodies_together() -> None:
    """A body that hangs on nothing but a guide is connected."""
    model = pl.Model("m")
    ground, arm = model.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=0.0))
    load = model.add(pl.Body("load", mass=1.0, inertia=0.0, position=(0.5, -0.5)))
    model.add(pl.Weld(ground.at(0, 0), arm.at(s=0)))
    model.add(pl.Tendon("rope", ground.at(0, 0), arm.at(s=1), guides=[load.at()], stiffness=1e3, rest_length=1.3))
    model.add(pl.Gravity())
    rest = pl.statics(pl.compile(model))
    assert float(rest.tension[0]) * 2.0 * float(-rest.position.sel(marker="load(0, 0)", axis="y")) / float(
        rest.line_length[0] / 2.0
    ) == pytest.approx(9.81, rel=1e-6)


def test_a_file_with_a_bad_tendon() -> None:
    model = pl.Model("m")
    ground, arm = model.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0))
    model.add(tendon(ground.at(0, 0.5), arm.at(s=1), guides=[ground.at(0.1, 0.2)]))
    text = io.dumps(model)
    assert io.dumps(io.loads(text)) == text
    with pytest.raises(pl.errors.FileError, match=r"\[\[force\]\] number 1: .*stiffness = -1.0"):
        io.loads(text.replace("stiffness = 10.0", "stiffness = -1.0"))
    with pytest.raises(pl.errors.FileError, match=r"key 'guide' is not known"):
        io.loads(text.replace("guides = ", "guide = "))


def test_a_route_that_collapses_in_motion_stays_finite() -> None:
    """The arm's tip swings through a guide: for an instant one piece has no length and no direction."""
    model = pl.Model("collapse")
    ground, arm = model.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=0.6))
    model.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
    model.add(pl.Tendon("rope", ground.at(0, 0.5), arm.at(s=1), guides=[ground.at(1, 0)], stiffness=5.0,
                        rest_length=0.9, friction=0.2))  # fmt: skip
    run = pl.transient(pl.compile(model), end_time=1.0, step=1e-3, partial=True)
    for name in ("position", "tension", "line_length", "line_rate", "energy"):
        assert np.all(np.isfinite(run.data[name]))
    assert float(run.line_length.min()) < math.hypot(1.0, 0.5) + 0.02  # it did pass
