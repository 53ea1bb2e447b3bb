"""Derivatives by every number of every part: of an equilibrium, or of a motion where that does not depend on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.model import Marker
from pliant.model.copies import arguments
from pliant.model.signals.base import Constant
from pliant_evidence.sensitivities.motions import to_rounding
from pliant_testing.parts import beam as flying_beam
from pliant_testing.parts import example
from tests.contract.test_parts_of_pliant import ARGUMENTS, ELEMENTS, OURS

pytestmark = pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
AT_REST, IN_MOTION = 1e-7, 2e-5  # of the largest derivative: as good as differences of whole solutions are
ROUNDING = 1e-12  # m: of places, over the step of a difference
NOTHING = 1e-10  # m: for a change of a parameter by its size
PLACES, WEIGHTS = (-2, -1, 1, 2), (1.0 / 12.0, -2.0 / 3.0, 2.0 / 3.0, -1.0 / 12.0)
UNUSED = {  # no friction, a motor that stalls, far away
    "Tendon.friction_speed", "ChannelTendon.friction_speed", "GearedMotor.current", "Stop.lower",
}  # fmt: skip
EDGES = {  # at the edge of what is allowed
    "ChannelTendon.end", "Collisions.exponent", "Contact.exponent", "Stop.exponent",
}  # fmt: skip
ALONG = "x of its first marker"


def held(model: pl.Model) -> pl.Model:
    """Build the model with every body and beam held by springs."""
    ground = model.add(pl.Ground())
    for body in [each for each in (*model.bodies, *model.beams) if not isinstance(each, pl.Ground)]:
        place: Any = body.position
        at = body.at(s=0) if isinstance(body, pl.Beam) else body.at()
        model.add(pl.Bushing(f"hold {body.name}", ground.at(*place), at, stiffness=60.0, turning_stiffness=5.0))
    return model


def compiled(kind: Any, space: str, key: str) -> Any:
    """Compile a part on bodies that springs hold, one of its numbers a parameter; None without a nonzero one."""
    given = dict(ARGUMENTS.get(kind.__name__, {}))
    other = given.pop("in_space", given)
    model, part = example(kind, space, other if space == "spatial" else given)
    told = arguments(part)
    if key == ALONG:
        name, marker = next(((n, m) for n, m in told.items() if isinstance(m, Marker)), (None, None))
        if name is None or marker is None:
            return None
        spot = {"orientation": marker.orientation} if space == "spatial" else {"angle": marker.angle}
        told[name] = marker.body.at(pl.Parameter("p", marker.x, scale=0.1), marker.y, marker.z, **spot)
    else:
        value = told[key].value if isinstance(told[key], Constant) else told[key]
        if not (isinstance(value, float) and value):
            return None
        told[key] = pl.Parameter("p", value)
    model.add(type(part)(**told | {"name": "part"}))
    return pl.compile(held(model), elements=2)


def by_rest(system: Any) -> tuple[float, float]:
    """Return the relative error of an equilibrium's derivative against whole equilibria, and its size."""
    found = pl.sensitivity(system, pl.statics(system), of={"one": "position", "two": lambda _, rest: rest.position})
    one, two = found.derivative.one.values, found.derivative.two.values
    largest = float(np.max(np.abs(two)))
    return float(np.max(np.abs(one - two))) / max(largest, 1e-300), largest * found.parameters["p"].size


def by_motion(system: Any) -> tuple[float, float]:
    """Return error and size of the derivative for a motion of five steps."""
    first = next((body.name for body in system.model.bodies if body.name == "first"), None)
    speed = (0.1, 0.2, 0.3) if not system.model.spatial else (0.1, 0.2, 0.3, 0.1, -0.2, 0.3)
    push: Any = None if first is None else {first: speed}
    options: Any = {"end_time": 0.01, "step": 2e-3, "estimate": False, "push": push}
    thrown = any(force.unilateral for force in system.model.forces)  # out of a surface that it begins inside of
    parameter, rest = system.model.parameters["p"], pl.statics(system) if thrown else None
    with to_rounding():
        run = pl.transient(system, start=rest, **options)
        one = pl.sensitivity(system, run, of=["position"], start=rest, push=push).derivative.position.values[0]
        step, two = 1e-3 * parameter.size, np.zeros_like(one)
        for place, weight in zip(PLACES, WEIGHTS, strict=True):
            beside = system.with_parameters(p=parameter.value + place * step)
            start = pl.statics(beside, start=rest) if thrown else None
            two += weight / step * pl.transient(beside, start=start, **options).position.values
    largest = float(np.max(np.abs(two)))
    apart = max(float(np.max(np.abs(one - two))) - ROUNDING / parameter.size, 0.0)
    return apart / max(largest, 1e-300), largest * parameter.size


def check(system: Any, *, used: bool = True) -> None:
    """Check it at rest, or in motion where rest does not depend on the parameter."""
    apart, size = by_rest(system)
    if size > NOTHING:
        assert apart < AT_REST
        return
    apart, size = by_motion(system)
    assert (size > NOTHING) == used
    assert not used or apart < IN_MOTION


def cases() -> Iterator[tuple[Any, str, str]]:
    for kind in OURS:
        spaces = kind.spaces()
        for space in spaces:
            yield kind, space, ALONG
        for key in kind.units:
            if f"{kind.__name__}.{key}" not in EDGES:
                yield kind, spaces[0], key


@pytest.mark.parametrize(("kind", "space", "key"), list(cases()), ids=lambda each: getattr(each, "__name__", each))
def test_a_number_of_a_part(kind: Any, space: str, key: str) -> None:
    system = compiled(kind, space, key)
    if system is not None:
        check(system, used=f"{kind.__name__}.{key}" not in UNUSED)


@pytest.mark.parametrize("key", ["length", "bending_stiffness", "mass_per_length"])
@pytest.mark.parametrize("options", ELEMENTS, ids=repr)
def test_a_number_of_a_beam(options: Any, key: str) -> None:
    for plane in ("xy",) if options.planar_only or key == "mass_per_length" else ("xy", None):
        usual: Any = flying_beam(plane is None, free=False, damping=pl.Rayleigh(0.1, 1e-3))
        if key == "length":
            changed = replace(usual, length=pl.Parameter("p", 1.3))
        else:
            number = pl.Parameter("p", getattr(usual.section, key))
            changed = replace(usual, section=replace(usual.section, **{key: number}))
        m = pl.Model("strip", plane=plane)
        ground, beam = m.add(pl.Ground(), changed)
        m.add(pl.Weld(ground.at(*usual.position), beam.at(s=0)), pl.Force(beam.at(s=1), x=0.3, y=-0.5))
        check(pl.compile(m, elements=replace(options, elements=2)))


@pytest.mark.parametrize("plane", ["xy", None])
@pytest.mark.parametrize("key", ["mass", "inertia"])
@pytest.mark.parametrize("kind", [pl.Body, pl.PointMass])
def test_a_number_of_a_body(kind: Any, key: str, plane: str | None) -> None:
    p = pl.Parameter("p", 0.5)
    numbers: dict[str, Any] = {"mass": 1.0, "inertia": 0.02 if plane else (0.02, 0.03, 0.04)}
    given = numbers | {key: p if key == "mass" else 0.04 * p if plane else (0.04 * p, 0.03, 0.04)}
    m = pl.Model("body", plane=plane)
    place: Any = (0.2, 0.1) if plane else (0.2, 0.1, 0.3)
    body = m.add(pl.Body("first", **(given if kind is pl.Body else numbers), position=place, angle=0.3, free=True))
    m.add(body.at(0.3, 0.0))
    if kind is pl.PointMass:
        m.add(pl.PointMass("lump", body.at(0.1, 0.05), **given))
    check(pl.compile(held(m)))
