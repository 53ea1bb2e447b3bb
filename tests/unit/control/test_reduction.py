"""Reduced models: poles that stay, static gains, bounds of theory, what is refused."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.control.models import linear_model
from pliant.control.models.linear_model import LinearModel
from pliant.errors import DroppedMode, OptionError, PliantWarning, SingularError
from pliant.results.plots import linear_models as plots

METHODS = ("modal", "balanced", "craig-bampton")
OUTPUTS = ["position:beam/tip:y", "angle:beam"]


def swinging_beam(*, damping: float = 2e-4, elements: int = 8, held: float = 20.0) -> pl.System:
    """Return a flexible arm on a hinge with a torsion spring (none: it turns freely), a motor at the hinge."""
    m = pl.Model("arm")
    section = pl.Section.rectangle(0.02, 0.002, pl.ALUMINIUM)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.8, section=section, damping=pl.Rayleigh(0.0, damping)))
    pin = ground.at(0, 0), beam.at(s=0)
    m.add(pl.Revolute(*pin, name="pin"), pl.Motor("motor", *pin, 0.0), pl.Force(beam.at(s=1), y=0.0, name="tip"))
    if held:
        m.add(pl.TorsionSpring("spring", *pin, stiffness=held))
    return pl.compile(m, elements=elements)


def plant_of(system: pl.System, **options: Any) -> LinearModel:
    given = {"inputs": ["motor/torque", "tip/y"], "outputs": OUTPUTS, **options}
    return pl.linearise(system, at=system.start(), **given)


@pytest.fixture(scope="module")
def plant() -> LinearModel:
    return plant_of(swinging_beam())


def difference(one: LinearModel, other: LinearModel, omega: float) -> np.ndarray:
    """Return |difference| of two responses, relative to the first."""
    a, b = (model.frequency_response(omega).values[:, :, 0] for model in (one, other))
    return np.asarray(np.abs(a - b) / np.abs(a))


@pytest.mark.parametrize("method", METHODS)
def test_error_falls_with_every_mode_and_is_what_it_says(plant: LinearModel, method: str) -> None:
    omega = np.geomspace(1.0, 400.0, 60)
    errors = []
    for modes in (2, 4, 6):
        small = pl.reduce(plant, modes=modes, method=method, omega=omega)
        assert small.reduction is not None
        full, mine = (model.frequency_response(omega).values for model in (plant, small))
        expected = np.max(np.abs(full - mine) / np.max(np.abs(full), axis=2, keepdims=True))
        assert small.reduction.worst == pytest.approx(expected, rel=1e-9)
        errors.append(small.reduction.worst)
        assert len(small.reduction.neglected) == len(plant.A) - len(small.A)
    assert errors[2] < 0.2 * errors[0]
    assert small.input_names == plant.input_names
    assert small.operating_point is plant.operating_point


def test_modal_truncation_keeps_poles_exactly(plant: LinearModel) -> None:
    small = pl.reduce(plant, modes=3)
    np.testing.assert_allclose(small.poles(), plant.poles()[:6], rtol=1e-9)
    assert small.reduction is not None
    np.testing.assert_allclose(small.reduction.neglected, plant.poles()[6:], rtol=1e-6)
    assert "modal reduction: response wrong by" in repr(small)
    corrected = pl.reduce(plant, modes=3, static=True)
    assert np.max(difference(plant, corrected, 0.0)) < 1e-8
    assert np.max(difference(plant, small, 0.0)) > 1e-6


def test_states_of_the_plant_are_projected(plant: LinearModel) -> None:
    """A motion in one slow mode of the plant moves in the same mode of the reduced model, and only there."""
    small = pl.reduce(plant, modes=2)
    values, vectors = np.linalg.eig(plant.A)
    slow = np.argmin(np.abs(values - plant.poles()[0]))
    assert plant.basis is not None
    assert plant.velocity_basis is not None
    assert small.basis is not None
    z = vectors[:, slow].real
    mine = small.state(plant.basis @ z, plant.velocity_basis @ z)
    np.testing.assert_allclose(small.basis @ mine, plant.basis @ z, atol=1e-9 * np.abs(plant.basis @ z).max())
    fast = vectors[:, np.argmax(np.abs(values.imag))].real
    assert np.abs(small.reduction.projection @ fast).max() < 1e-6 * np.abs(mine).max()  # type: ignore[union-attr]


def test_rigid_motion_stays() -> None:
    free = plant_of(swinging_beam(held=0.0), outputs=["position:beam/tip:y"])
    small = pl.reduce(free, modes=2)
    assert len(small.A) == 6  # the turning about the hinge, twice at zero, and two bending modes
    assert np.max(np.abs(small.poles()[:2])) < 1e-3 * abs(small.poles()[2])
    assert np.max(difference(free, small, 5.0)) < 0.02


def test_unstable_poles_stay_in_every_way() -> None:
    a = np.diag([2.0, -1.0, -3.0, -50.0, -400.0])
    b, c = np.ones((5, 1)), np.array([[1.0, 2.0, -1.0, 30.0, 5.0]])
    model = LinearModel(a, b, c, [[0.0]])
    assert 2.0 in pl.reduce(model, modes=1).poles().real.round(9)
    balanced = pl.reduce(model, modes=1, method="balanced", omega=np.geomspace(0.1, 100.0, 50))
    assert len(balanced.A) == 3
    assert balanced.poles().real.max() == pytest.approx(2.0, rel=1e-9)
    fast = LinearModel(np.diag([90.0, -1.0, -3.0]), np.ones((3, 1)), np.ones((1, 3)), [[0.0]])
    np.testing.assert_allclose(np.sort(pl.reduce(fast, modes=1).poles().real), [-1.0, 90.0], rtol=1e-9)


def test_balanced_truncation_keeps_its_promise() -> None:
    """|error| <= 2 sum of the Hankel values left out; the largest |response| is at least the first of them."""
    plant = plant_of(swinging_beam(), inputs=["tip/y"], outputs=["position:beam/tip:y"])
    swings = plant.poles().imag
    omega = np.sort(np.concatenate([np.geomspace(0.1, 3000.0, 400), swings[(swings > 0.0) & (swings < 3000.0)]]))
    for modes in (1, 2, 4):
        small = pl.reduce(plant, modes=modes, method="balanced", omega=omega)
        assert small.reduction is not None
        assert small.reduction.hankel is not None
        hankel = small.reduction.hankel
        assert np.all(np.diff(hankel) <= 0.0)
        assert small.reduction.worst <= 2.0 * np.sum(hankel[2 * modes :]) / hankel[0]
        assert np.all(small.poles().real < 0.0)
    exact = pl.reduce(plant, modes=2, method="balanced", static=True)
    assert np.max(difference(plant, exact, 0.0)) < 1e-8


def test_balanced_truncation_of_a_known_system() -> None:
    """Two decoupled lags 1 / (s + 1) and 1e-6 / (s + 1): one state carries everything; units do not matter."""
    a, b = np.diag([-1.0, -2.0, -30.0, -40.0]), np.array([[1.0], [1e-6], [1e-7], [1e-7]])
    c = np.array([[1.0, 0.0, 1.0, 0.0], [1e5, 1.0, 0.0, 1.0]])
    small = pl.reduce(LinearModel(a, b, c, np.zeros((2, 1))), modes=1, method="balanced")
    assert small.reduction is not None
    assert small.reduction.worst < 1e-6
    np.testing.assert_allclose(np.min(np.abs(small.poles())), 1.0, rtol=1e-5)


def test_craig_bampton_is_exact_at_rest_and_with_all_modes(plant: LinearModel) -> None:
    one = pl.reduce(plant, modes=1, method="craig-bampton")
    assert np.max(difference(plant, one, 0.0)) < 1e-8
    assert one.state_names[0] == "mode 1"
    assert one.reduction is not None
    assert one.reduction.projection is None
    z = np.random.default_rng(0).standard_normal(len(one.A))
    assert one.basis is not None
    assert one.velocity_basis is not None
    np.testing.assert_allclose(one.state(one.basis @ z, one.velocity_basis @ z), z, rtol=1e-8)
    assert plant.second_order is not None
    # All that is held apart from hinge (1), base angle and tip (3), of 27 coordinates.
    whole = pl.reduce(plant, modes=plant.second_order.freedoms - 2 - 2, method="craig-bampton")
    for omega in (3.0, 300.0):
        assert np.max(difference(plant, whole, omega)) < 1e-6


def test_craig_bampton_follows_a_drive() -> None:
    m = pl.Model("shaken")
    section = pl.Section.rectangle(0.02, 0.002, pl.ALUMINIUM)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.8, section=section, damping=pl.Rayleigh(0.1, 2e-4)))
    m.add(
        pl.Prismatic(ground.at(0, 0, angle=np.pi / 2), beam.at(s=0, angle=np.pi / 2), name="rail"),
        pl.Motion(ground.at(0, 0), beam.at(s=0), y=0.0, name="base"),
    )
    system = pl.compile(m, elements=8)
    whole = pl.linearise(system, at=system.start(), inputs=["base/y"], outputs=["position:beam/tip:y"])
    for method in METHODS:
        small = pl.reduce(whole, modes=3, method=method)
        assert np.sum(np.abs(small.poles()) < 1e-6) == 2
        for omega in (2.0, 60.0):
            assert np.max(difference(whole, small, omega)) < 5e-3


def test_large_models_are_reduced_without_their_matrices(monkeypatch: pytest.MonkeyPatch, plant: LinearModel) -> None:
    monkeypatch.setattr(linear_model, "EAGER", 1)
    large = plant_of(swinging_beam())
    for method in METHODS:
        small = pl.reduce(large, modes=3, method=method, omega=np.geomspace(1.0, 200.0, 30))
        same = pl.reduce(plant, modes=3, method=method, omega=np.geomspace(1.0, 200.0, 30))
        assert "A" not in large.__dict__
        np.testing.assert_allclose(small.poles()[:4], same.poles()[:4], rtol=1e-4)
        assert small.reduction is not None
        assert same.reduction is not None
        assert small.reduction.worst == pytest.approx(same.reduction.worst, rel=0.01)
        assert small.state(np.zeros(27)).shape == (len(small.A),)


def test_picture_of_a_reduction(plant: LinearModel) -> None:
    small = pl.reduce(plant, modes=2)
    assert small.reduction is not None
    size, wrong = plots.plot_reduction(small, inputs="tip/y", outputs="position:beam/tip:y")
    assert len(size.lines) == 3
    expected = small.reduction.error.sel(input="tip/y", output="position:beam/tip:y")
    np.testing.assert_allclose(wrong.lines[0].get_ydata(), np.maximum(expected, 1e-16))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"modes": 0}, "modes=0: give a whole number"),
        ({"modes": True}, "give a whole number"),
        ({"modes": 2, "method": "magic"}, "choose one of modal, balanced, craig-bampton"),
        ({"modes": 500}, "modes=500: the model has only"),
        ({"modes": 500, "method": "balanced"}, "would keep 1000 states"),
        ({"modes": 500, "method": "craig-bampton"}, "there are only 23 modes"),
        ({"modes": 2, "method": "craig-bampton", "static": True}, "static=True is for 'modal' and 'balanced'"),
    ],
)
def test_bad_options_are_refused(plant: LinearModel, options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        pl.reduce(plant, **options)


def test_models_that_cannot_be_reduced_are_refused(plant: LinearModel) -> None:
    with pytest.raises(OptionError, match="is not a LinearModel"):
        pl.reduce(swinging_beam(), modes=2)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="Reduce it first and discretise it then"):
        pl.reduce(plant.discretise(0.1), modes=2)
    bare = LinearModel(plant.A, plant.B, plant.C, plant.D)
    with pytest.raises(OptionError, match="needs the second-order form"):
        pl.reduce(bare, modes=2, method="craig-bampton")
    undamped = plant_of(swinging_beam(damping=0.0))
    with pytest.raises(OptionError, match=r"poles are undamped or unstable and stay\). Ask for fewer, or add damping"):
        pl.reduce(undamped, modes=2, method="balanced")
    twins = LinearModel(np.diag([-1.0, -1.0, -5.0]), np.ones((3, 1)), np.ones((1, 3)), [[0.0]])
    with pytest.raises(OptionError, match="are equally fast"):
        pl.reduce(twins, modes=1)
    idle = LinearModel(np.diag([-1.0, -2.0, -5.0]), np.zeros((3, 1)) + [[1.0], [0], [0]], np.ones((1, 3)), [[0.0]])
    with pytest.raises(OptionError, match="inputs reach and outputs show only"):
        pl.reduce(idle, modes=1, method="balanced")


def test_a_part_that_is_loose_behind_the_boundary_is_refused() -> None:
    m = pl.Model("loose")
    ground = m.add(pl.Ground())
    arm, free = m.add(*(pl.Link(name, length=1.0, mass=1.0, angle=0.0) for name in ("arm", "free")))
    pin = ground.at(0, 0), arm.at(s=0)
    m.add(pl.Revolute(*pin), pl.Revolute(arm.at(s=1), free.at(s=0)), pl.Motor("motor", *pin, 0.0))
    system = pl.compile(m)
    loose = pl.linearise(system, at=system.start(), inputs=["motor/torque"], outputs=["angle:arm"])
    with pytest.raises(SingularError, match="some part can still move without any force"):
        pl.reduce(loose, modes=1, method="craig-bampton")


def test_a_regulator_is_told_of_a_weighted_mode_that_was_dropped() -> None:
    """Two pendulums apart, of 1 and 10 rad/s: the faster one is all that the output weighted shows."""
    A = np.kron(np.eye(2), [[0, 1], [0, 0]]) - np.diag([0, 0.02, 0, 0.2]) - np.diag([1, 0, 100], -1)
    names = {"input_names": ("force",), "output_names": ("slow", "fast")}
    plant = LinearModel(A, [[0], [1], [0], [1]], [[1, 0, 0, 0], [1e-3, 0, 1, 0]], [[0], [0]], **names)
    small = pl.reduce(plant, modes=1)
    with pytest.warns(DroppedMode, match=r"mode at 1\.592 Hz .* of 'fast'"):
        pl.lqr(small, outputs={"fast": 1.0}, inputs={"force": 1.0})
    with pytest.warns(DroppedMode, match="of 'fast'"):
        pl.lqr(small, outputs={"slow": 1.0, "fast": 0.0}, integral={"fast": 1.0}, inputs={"force": 1.0})
    with warnings.catch_warnings():
        warnings.simplefilter("error", PliantWarning)
        pl.lqr(small, outputs={"slow": 1.0}, inputs={"force": 1.0})
        pl.lqr(small, outputs={"slow": 1.0, "fast": 0.0}, inputs={"force": 1.0})
        pl.lqr(plant, outputs={"fast": 1.0}, inputs={"force": 1.0})


def test_spillover_says_where_its_sight_of_a_large_model_ends(
    monkeypatch: pytest.MonkeyPatch, plant: LinearModel
) -> None:
    monkeypatch.setattr(linear_model, "EAGER", 1)
    large = plant_of(swinging_beam())
    small = pl.reduce(large, modes=2)
    assert small.reduction is not None
    assert small.reduction.condensed
    gain = pl.lqr(small, outputs={"angle:beam": 1.0}, inputs={"motor/torque": 1.0}, sample_time=1e-3)
    controller = pl.lqg(gain, pl.luenberger(small, speed=5.0, sample_time=1e-3))
    with pytest.warns(DroppedMode, match="To check faster modes"):
        pl.spillover(controller, reduced=small)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DroppedMode)
        pl.spillover(controller, reduced=small, full=plant)


def test_pairs_that_respond_only_by_rounding_do_not_count() -> None:
    """Pushes that symmetry separates, in newtons and in other units: cross responses of 1e-16 are compared with a
    thousandth of what output and input do otherwise; a pair that is weak but real still counts.
    """
    for scale in (1.0, 1e6):
        units = np.diag([1.0, scale])
        cross = np.array([[0.0, 1e-16], [1e-16, 0.0]])
        modes = [np.eye(2) + cross, 1e-9 * np.ones((2, 2))]
        A = np.diag([-1.0, -1.0, -1e3, -1e3])
        B = np.vstack([units, units])
        plant = pl.LinearModel(A, B, np.hstack(modes), np.zeros((2, 2)))
        assert pl.reduce(plant, modes=2).reduction.worst < 1e-5
        weak = pl.LinearModel(A, B, np.hstack([np.eye(2) + 1e16 * 1e-3 * cross, 1e3 * modes[1]]), np.zeros((2, 2)))
        assert pl.reduce(weak, modes=2).reduction.worst > 1e-7
