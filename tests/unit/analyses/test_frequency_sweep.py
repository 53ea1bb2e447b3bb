"""Forced sweeps, basins, and the threads that share their work."""

from __future__ import annotations

import doctest
import threading
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.analyses import parallel as _parallel
from pliant.analyses.modes import frequency_sweep
from pliant.analyses.parallel import in_parallel
from pliant.analyses.statics import basins
from pliant.analyses.statics.basins import NOWHERE
from pliant.errors import ConvergenceError, Interrupted, OptionError
from pliant_gallery.crank_slider import PUSH, model

MASS, STIFFNESS, DAMPING = 1.0, 40.0, 1.0
OUTPUT = "position:mass(0, 0):x"


def oscillator(force: Any = 0.0) -> pl.Model:
    """Build mass, spring and dashpot along x, at rest at x = 1."""
    m = pl.Model("oscillator")
    ground, mass = m.add(pl.Ground(), pl.Body("mass", mass=MASS, inertia=1.0, position=(1.0, 0.0)))
    m.add(
        pl.Prismatic(ground.at(0.0, 0.0), mass.at()),
        pl.Spring("spring", ground.at(0.0, 0.0), mass.at(), stiffness=STIFFNESS, rest_length=1.0, damping=DAMPING),
        pl.Force(mass.at(), x=force, name="push"),
    )
    return m


def swing(frequency: np.ndarray) -> np.ndarray:
    """Return the closed form for a force of 1 N."""
    omega = 2.0 * np.pi * frequency
    return 1.0 / np.abs(STIFFNESS - MASS * omega**2 + 1j * DAMPING * omega)


def test_linear_oscillator_has_its_closed_form() -> None:
    frequencies = np.array([0.2, 0.8, 1.0, 1.1, 3.0])
    found = frequency_sweep.frequency_sweep(
        pl.compile(oscillator()), "push/x", frequencies_hz=frequencies, amplitudes=[0.5, 2.0], outputs=[OUTPUT],
        settled=1e-4,
    )  # fmt: skip
    assert dict(found.swing.sizes) == {"amplitude": 2, "direction": 2, "frequency_hz": 5, "output": 1}
    assert np.all(found.repeats == 1)
    for force in (0.5, 2.0):
        for way in ("up", "down"):
            ours = found.swing.sel(amplitude=force, direction=way).values[:, 0]
            # 300 steps and more a period: the integrator's error is 1e-3 at worst, the transient's 1e-4
            np.testing.assert_allclose(ours, force * swing(frequencies), rtol=2e-3)
    np.testing.assert_allclose(found.mean, 1.0, atol=1e-3)
    np.testing.assert_allclose(found.highest - found.lowest, 2.0 * found.swing, atol=1e-15)
    assert found.amplitude.attrs["units"] == "N"


def test_signal_swings_about_its_present_value() -> None:
    found = frequency_sweep.frequency_sweep(
        pl.compile(oscillator(force=4.0)), "push/x", frequencies_hz=[0.5], amplitudes=[1.0], outputs=[OUTPUT]
    )
    np.testing.assert_allclose(found.mean, 1.0 + 4.0 / STIFFNESS, rtol=1e-4)


def test_any_formulation_can_be_swept() -> None:
    given: dict[str, Any] = {
        "frequencies_hz": [0.5, 0.6],
        "amplitudes": [4.0],
        "outputs": ["angle:crank"],
        "settled": 1e-4,
    }
    weightless = model(gravity=False)
    ours = [
        frequency_sweep.frequency_sweep(system, PUSH, **given).highest.values / pl.DEG
        for system in (
            pl.compile(weightless),
            pl.compile(weightless, formulation="udwadia_kalaba"),
            pl.compile(weightless, formulation="relative"),
        )
    ]
    # generalized-alpha with 100 steps a period errs by 1e-3 of the swing, 6 degrees
    np.testing.assert_allclose(ours[0], ours[1], atol=0.01)
    np.testing.assert_allclose(ours[1], ours[2], atol=0.002)


def test_two_vibrations_at_one_frequency_are_both_found() -> None:
    """The crank-slider softens: going down the larger vibration lasts further than it begins going up."""
    found = frequency_sweep.frequency_sweep(
        pl.compile(model(gravity=False)), PUSH, frequencies_hz=np.arange(2.90, 3.16, 0.05) / (2.0 * np.pi),
        amplitudes=[10.5], outputs=["angle:crank"], settled=1e-4,
    )  # fmt: skip
    up, down = (found.swing.sel(direction=way).values.ravel() / pl.DEG for way in ("up", "down"))
    assert np.max(down - up) > 5.0
    assert np.all(down - up > -0.01)


def test_threads_change_nothing() -> None:
    given: dict[str, Any] = {"frequencies_hz": [0.5, 0.9], "amplitudes": [0.5, 1.0, 2.0], "outputs": [OUTPUT]}
    one, two = (
        frequency_sweep.frequency_sweep(pl.compile(oscillator()), "push/x", workers=workers, **given)
        for workers in (1, 3)
    )
    assert one.data.equals(two.data)


def test_sweep_tells_how_it_went_and_can_be_kept(tmp_path: Path) -> None:
    given: dict[str, Any] = {"frequencies_hz": [0.5, 0.9], "amplitudes": [1.0], "outputs": [OUTPUT]}
    found = pl.frequency_sweep(pl.compile(oscillator()), "push/x", most_periods=3, **given)
    assert (found.kind, found.outcome.points, found.outcome.unsettled) == ("sweep", 4, 4)
    assert "not settled" in found.outcome.message
    again = pl.load_result(found.save(tmp_path / "sweep.nc"))
    assert again.data.equals(found.data)
    assert again.provenance.settings["signal"] == "push/x"


def strobes(points: list[float]) -> list[np.ndarray]:
    return [np.array([[x, 0.0, 0.0], [0.0, 0.0, 0.0]]) for x in points]


ANGULAR = np.array([False, False, True])  # of a planar body


def test_what_repeats() -> None:
    repeats = partial(frequency_sweep._repeats, angular=ANGULAR)
    settling = [1.0 + 0.5**k for k in range(12)]
    assert repeats(strobes(settling), 1e-2) == 1
    assert repeats(strobes(settling[:5]), 1e-2) == 0
    creeping = [1.0 + 0.99**k for k in range(200)]  # little between two periods, but far to go
    assert abs(creeping[-1] - creeping[-2]) < 1e-2 < creeping[-1] - 1.0
    assert repeats(strobes(creeping), 1e-2) == 0
    assert repeats(strobes([0.3, 0.7] * 4), 1e-2) == 2
    assert repeats(strobes([0.3, 0.7, 0.9] * 4), 1e-2) == 3
    assert repeats(strobes(np.random.default_rng(0).standard_normal(20).tolist()), 1e-2) == 0


def test_a_whole_turn_is_the_same_state() -> None:
    turning = [np.array([[0.0, 0.0, 2.0 * np.pi * k], [0.0, 0.0, 1.0]]) for k in range(4)]
    assert frequency_sweep._repeats(turning, 1e-9, ANGULAR) == 1


def test_peak_lies_between_samples() -> None:
    phase = 2.0 * np.pi * np.arange(64) / 64
    wave = np.column_stack([np.sin(phase + 0.03), 3.0 + np.cos(phase)])
    np.testing.assert_allclose(frequency_sweep._peak(wave), [1.0, 4.0], atol=1e-5)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"signal": "push/z"}, "there is no signal 'push/z'"),
        ({"frequencies_hz": [1.0, 0.5]}, "frequencies_hz=.*that increase"),
        ({"frequencies_hz": [0.0, 0.5]}, "frequencies_hz=.*positive"),
        ({"amplitudes": [np.nan]}, "amplitudes=.*positive"),
        ({"directions": "up"}, "directions='up'"),
        ({"directions": ["left"]}, "directions="),
        ({"settled": 0.0}, "settled=0.0"),
        ({"most_periods": 0}, "most_periods=0"),
        ({"outputs": ["angle:crank"]}, "no body 'crank'"),
    ],
)
def test_wrong_options_are_named(change: dict[str, Any], words: str) -> None:
    given = {"signal": "push/x", "frequencies_hz": [1.0], "amplitudes": [1.0], "outputs": [OUTPUT]} | change
    with pytest.raises(OptionError, match=words):
        frequency_sweep.frequency_sweep(pl.compile(oscillator()), **given)


def test_failure_says_where() -> None:
    with pytest.raises(OptionError) as failure:
        frequency_sweep.frequency_sweep(
            pl.compile(model(gravity=False), formulation="relative"),
            PUSH, frequencies_hz=[0.5], amplitudes=[2.0], outputs=["angle:crank"], spectral_radius=0.5,
        )  # fmt: skip
    assert failure.value.__notes__ == ["At 0.5 Hz, amplitude 2, going up."]


def test_interrupted_sweep_keeps_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(_parallel, "wait", interrupt)
    frequencies = np.linspace(0.1, 1.0, 200)
    with pytest.raises(Interrupted) as stopped:
        frequency_sweep.frequency_sweep(
            pl.compile(oscillator()), "push/x", frequencies_hz=frequencies, amplitudes=[1.0], outputs=[OUTPUT]
        )
    result: Any = stopped.value.result
    assert np.isnan(result.swing.values[0, 1, 0, 0])
    assert "nan_means" in result.swing.attrs
    assert not result.outcome.ok
    assert result.outcome.points < 400


def test_tasks_all_run_and_are_counted() -> None:
    seen: list[int] = []

    def task(number: int) -> Any:
        def run(tick: Any) -> None:
            tick()
            seen.append(number)

        return run

    assert in_parallel("test", [task(k) for k in range(9)], total=9, workers=3)
    assert sorted(seen) == list(range(9))


def test_error_of_one_task_ends_the_others() -> None:
    going, ended = threading.Event(), []

    def fails(_: Any) -> None:
        going.wait(5.0)
        raise ConvergenceError("no")

    def endless(tick: Any) -> None:
        going.set()
        try:
            while True:
                tick()
        finally:
            ended.append(True)

    with pytest.raises(ConvergenceError, match="no"):
        in_parallel("test", [fails, endless], total=2, workers=2)
    assert ended == [True]


def lever(angle: float) -> Any:
    """Return a bar pulled away from upright to both sides."""
    m = pl.Model("lever")
    ground, bar = m.add(pl.Ground(), pl.Link("bar", length=1.0, mass=1.0, angle=angle))
    m.add(
        pl.Revolute(ground.at(0.0, 0.0), bar.at(s=0)),
        pl.Spring("spring", ground.at(0.0, 1.5), bar.at(s=1), stiffness=50.0, rest_length=1.2, damping=5.0),
    )
    return pl.compile(m)


def test_basins_of_a_bistable_lever(tmp_path: Path) -> None:
    wells = {"right": pl.statics(lever(0.5)), "left": pl.statics(lever(2.6))}

    def trial(angle: float, rate: float) -> pl.Result:
        if angle > 1.65:
            raise ConvergenceError("as if it could not be computed")
        return pl.transient(lever(angle), push={"bar": rate}, end_time=9.0)

    grid = {"angle": [1.4, 1.5, 1.7], "rate": [0.0, 6.0]}
    found = basins.basins(trial, grid, wells=wells)
    assert found.well.values.tolist() == [["right", "left"], ["right", "left"], [NOWHERE, NOWHERE]]
    assert np.all(found.distance[:2] < 0.01)
    assert np.all(np.isnan(found.distance[2]))
    assert "nan_means" in found.distance.attrs
    assert not found.outcome.ok  # two could not be computed
    assert found.outcome.message == "motions ended: 2 right, 2 left, 2 none"
    assert pl.load_result(found.save(tmp_path / "basins.nc")).well.equals(found.well)


def test_basins_refuse_what_makes_no_sense() -> None:
    wells = {"right": pl.statics(lever(0.5)), "left": pl.statics(lever(2.6))}
    with pytest.raises(OptionError, match=r"last=0\.0"):
        basins.basins(lambda angle: lever(angle), {"angle": [0.1]}, wells=wells, last=0.0)
    with pytest.raises(OptionError, match="two equilibria"):
        basins.basins(lambda angle: lever(angle), {"angle": [0.1]}, wells={"right": wells["right"]})
    with pytest.raises(OptionError, match="one axis"):
        basins.basins(lambda: lever(0.1), {}, wells=wells)


@pytest.mark.parametrize("module", [frequency_sweep, basins])
def test_examples_run(module: Any) -> None:
    assert doctest.testmod(module).failed == 0
