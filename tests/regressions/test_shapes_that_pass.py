"""Shapes that pass through each other within a step, or enter each other by more than a radius, are not ok."""

from __future__ import annotations

from typing import Any

import pytest

import pliant as pl

R = 0.05


def strokes(*, radius: float = R, length: float = 0.0, spatial: bool = False, box: bool = False) -> pl.Model:
    """One ball flies towards another, 0.5 m away; or capsules across, or boxes around the balls, flush."""
    m = pl.Model("stroke", plane=None if spatial else "xy")
    turn: dict[str, Any] = {"orientation": (0, 0, 1.57)} if spatial else {"angle": 1.57}
    places = [(0.0, 0.0), (0.5 + 2.0 * radius, 0.02 * length)]
    bodies = m.add(
        *(
            pl.Body(f"ball {k}", mass=1.0, inertia=0.1, position=(*place, 0.0)[: 2 + spatial], free=True, **turn)
            for k, place in enumerate(places)
        )
    )
    law: dict[str, Any] = {"radius": radius, "length": length, "stiffness": 1e7, "restitution": 1.0}
    if box:
        law |= {"radius": 0.4 * radius, "shape": pl.Box(*(2.0 * radius,) * 3)}
    m.add(pl.Collisions("all", [body.at() for body in bodies], **law))
    return m


def run(model: pl.Model, speed: float, **options: Any) -> Any:
    push = (speed, *(0.0,) * (2 if model.plane else 5))
    return pl.transient(pl.compile(model), push={"ball 0": push}, **options)


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
@pytest.mark.parametrize(
    "shape",
    [{}, {"length": 0.2}, {"length": 0.2, "spatial": True}, {"box": True}, {"box": True, "spatial": True}],
)
@pytest.mark.parametrize(
    "options",
    [{"step": 2e-3}, {"step": 2e-3, "contact": "complementarity"}, {"step": 1e-5, "every": 200}],
    ids=["penalty", "complementarity", "seen"],
)
def test_a_step_over_another_shape_is_not_ok(shape: dict[str, Any], options: dict[str, Any]) -> None:
    """At 200 m/s both laws jump over the other shape with the larger step; with the smaller one they strike."""
    found = run(strokes(**shape), 200.0, end_time=8e-3, **options)
    away = float(found.velocity.sel(marker="ball 1(0, 0)", axis="x")[-1])
    if "box" in shape:  # rigid ones are struck, by chance
        assert abs(away) > 100.0 or not found.outcome.ok
    else:
        assert found.outcome.ok == (abs(away) > 100.0)
    assert found.outcome.ok == ("every" in options)


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
def test_adapting_steps_over_another_ball_are_not_ok() -> None:
    """Nothing tells the error of a step that nothing acts in."""
    found = run(strokes(radius=1e-3), 20.0, end_time=2.0)
    assert float(found.velocity.sel(marker="ball 1(0, 0)", axis="x")[-1]) == 0.0
    assert not found.outcome.ok
    assert "depth of 'all' between steps" in found.outcome.message
