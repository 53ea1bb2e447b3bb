"""The 6-RUS timed: one inverse solution from a cold guess, and a thousand poses of its workspace."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import pliant as pl
from pliant_evidence.six_rus import theory
from pliant_evidence.six_rus.validate import POINT, TURN, axes_of
from pliant_gallery.six_rus import Robot, model
from pliant_gallery.six_rus.kinetostatics import ELEMENTS, LIMITS, MOTORS, kinetostatics
from pliant_testing.benchmarking import Comparison, Contender, benchmark, race

STUDY = 2.5  # s, of the authors' published Python code for one pose, on a machine like ours
INVERSE_BUDGET, WORKSPACE_BUDGET = 0.010, 5.0  # s, warm; on two cores
GRID = {"x": np.linspace(-0.1, 0.1, 10), "y": np.linspace(-0.1, 0.1, 10), "z": np.linspace(0.42, 0.55, 10)}


@benchmark("six-rus")
def six_rus() -> Iterator[Comparison]:
    """Motor angles of a pose with stability, stiffness and strains; 1,000 poses. 4 cubic elements a rod."""
    solver, size = kinetostatics(), f"6 x {ELEMENTS.elements}"
    rods = pl.compile(model(), formulation="shooting", subintervals=2, step=0.5)
    marched = pl.Kinetostatics(rods, platform="platform", motors=MOTORS, limits=LIMITS)
    axes = axes_of(TURN)
    laps = race(
        {
            "pliant": Contender(lambda: solver.inverse(POINT, TURN)),
            "compiled": Contender(lambda: marched.inverse(POINT, TURN)),
            "shooting": Contender(lambda: theory.motor_angles(Robot(), np.array(POINT), axes, ideal=True)),
        }
    )
    exact = laps["shooting"].value
    error = float(np.max(np.abs(laps["pliant"].value.motors - exact)))
    name, seconds = "six-rus: one inverse solution", laps["pliant"].seconds
    yield Comparison(name, size, seconds, "the time it may take", "warm", INVERSE_BUDGET, error, required_ratio=1.0)
    yield Comparison(name, size, seconds, "the study's own code", "its published figure, not run here", STUDY)
    yield Comparison(
        name, size, seconds, "shooting (numpy, scipy)", "pliant_evidence/six_rus/theory.py", laps["shooting"].seconds
    )
    error = float(np.max(np.abs(laps["compiled"].value.motors - exact)))
    yield Comparison(
        "six-rus: one inverse solution by shooting", "6 x 2", laps["compiled"].seconds, "shooting (numpy, scipy)",
        "pliant_evidence/six_rus/theory.py", laps["shooting"].seconds, error, required_ratio=10.0,
    )  # fmt: skip
    many = race({"pliant": Contender(lambda: solver.workspace(GRID, workers=2))}, rounds=2)["pliant"]
    yield Comparison(
        f"six-rus: {many.value.outcome.reachable} poses",
        size,
        many.seconds,
        "the time it may take",
        "warm, two cores",
        WORKSPACE_BUDGET,
        required_ratio=1.0,
    )
