"""The 6-RUS robot: published motor angles, shooting along the rods, forward against inverse."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import pliant as pl
from pliant.gallery.six_rus import LEGS, Robot, model, theory
from pliant.gallery.six_rus.kinetostatics import ELEMENTS, forward, inverse, inverse_as_published
from pliant.model import rotations
from pliant.validation import Row, absolute, at_most, case

PUBLISHED = (0.48785652, 0.48785652, 0.42037453, 0.28121425, 0.28121425, 0.42037453)
POINT, TURN = (0.0, 0.0, 0.5), (10.0 * pl.DEG, 0.0, 0.0)


@case("six-rus", source="Rodrigues, Yu, Stoeffler, Kumar, ARK 2024, arXiv 2403.19784")
def six_rus() -> Iterator[Row]:
    """Motor angles at the published pose, with their joints and with ideal ones; forward and back."""
    robot, axes = Robot(), rotations.matrix(rotations.exponential(TURN))
    as_published = inverse_as_published(robot, POINT, TURN)
    for leg, published, angle in zip(LEGS, PUBLISHED, as_published, strict=True):
        yield absolute(f"motor {leg}", "rad", published, float(angle), tolerance=1e-5, kind="published")
    system = pl.compile(model(robot), elements=ELEMENTS)
    held = inverse(system, POINT, TURN)
    angles = held.signal_value.values
    for name, found, ideal in (("joints of the study", as_published, False), ("ideal joints", angles, True)):
        exact = theory.motor_angles(robot, np.array(POINT), axes, ideal=ideal)
        yield at_most(f"{name}: largest difference from shooting", "rad", np.max(np.abs(found - exact)), limit=1e-6)
    yield at_most(
        "ideal joints: how far from the published angles", "rad", np.max(np.abs(angles - PUBLISHED)), limit=3e-5
    )
    back = forward(system, angles)
    yield at_most("forward: missed point", "m", np.max(np.abs(_place(back) - POINT)), limit=1e-7)
    turn = back.rotation.sel(body="platform").values
    yield at_most("forward: missed orientation", "rad", np.max(np.abs(turn - TURN)), limit=1e-7)
    yield at_most("unstable directions", "1", float(held.outcome.figures["unstable_directions"]), limit=0.0)


def _place(result: pl.Result) -> np.ndarray:
    return result.position.sel(marker="platform(0, 0)").values
