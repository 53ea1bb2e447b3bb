"""PACOMA with torques at its motors: what six of them do, an LQR with observer on the whole robot, and its release."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import pliant as pl
from pliant.control.models.open_loop import closed_loop
from pliant.errors import PliantWarning
from pliant_gallery import pacoma
from pliant_gallery.pacoma.control import DISPLACED, POSE, Controlled
from pliant_gallery.pacoma.docking import Encounter, dock, strike


@pytest.fixture(scope="module")
def robot() -> Controlled:
    return Controlled()


def test_all_motors_act_alike(robot: Controlled) -> None:
    """Legs are alike: so is what their motors do to their own cranks. Three of six did nothing, at torques of 1e-15."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)
        load = np.linalg.norm(robot.plant.second_order.load[:, :6], axis=0)
    np.testing.assert_allclose(load, 1.0, rtol=1e-9)  # a unit moment about a unit axis


def test_released_it_comes_back_as_the_whole_linear_model_says(robot: Controlled) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)
        controller = robot.controller
        start = robot.displaced([0.1 * angle for angle in DISPLACED])
        run = robot.released(controller, start, end_time=0.2)
    assert np.max(np.abs(np.linalg.eigvals(closed_loop(controller, robot.plant)))) < 1.0
    assert run.outcome.ok
    linear = pl.predict(controller, robot.plant, start=start, end_time=0.2)
    rest = robot.loose.rest.position.sel(marker=pacoma.PLATFORM).values
    moved = run.position.sel(marker=pacoma.PLATFORM).values - rest
    wanted = linear.y.sel(output=list(POSE[:3])).values - robot.plant.output_values[:3]
    wanted = np.array([np.interp(run.time, linear.time, column) for column in wanted.T]).T
    assert np.max(np.abs(moved - wanted)) < 0.05 * np.max(np.abs(moved))  # the displacement itself is nonlinear
    assert np.linalg.norm(moved[-1]) < 0.2 * np.linalg.norm(moved[0])


def test_docking_on_motors_that_give_way(robot: Controlled) -> None:
    """The first touch, with the controller in the loop, is softer than half of that on motors that hold."""
    peaks = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)
        for encounter, law in ((Encounter(), {}), (Encounter(loose=True), {"controller": robot.controller})):
            run = dock(encounter, end_time=0.05, step=5e-4, **law)
            assert run.outcome.ok
            assert np.abs(run.momentum.values - run.momentum.values[0]).max() < 1e-6
            peaks.append(strike(encounter, run).peak)
    assert peaks[1] < 0.5 * peaks[0]
