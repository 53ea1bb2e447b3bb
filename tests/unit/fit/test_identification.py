"""Identification: closed forms, intervals, what cannot be known, stages, hold-outs; bad questions are refused."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from math import pi

import matplotlib as mpl
import numpy as np
import pytest

import pliant as pl
from pliant.errors import AtBound, ColouredResiduals, OptionError, PoorlyPredicted
from pliant_evidence.identify import models
from pliant_fit.identification import doubts, fitting
from pliant_fit.identification.forecasts import DIFFERENCES, EXACT

mpl.use("Agg")
TIP = "position:beam/tip:y"
PLACE = "position:block(0, 0):x"
FINE = pl.Exact(2, order=3)
LENGTH, WIDTH, HEIGHT = 0.5, 0.02, 2e-3


def strip(E: float = 150e9, beta: float = 1e-4, **others: float) -> pl.Model:
    """Build a cantilever with parameters E, beta and rho."""
    rho = pl.Parameter("rho", others.get("rho", 7850.0), low=1e3, high=2e4, unit="kg/m^3")
    modulus = pl.Parameter("E", E, low=others.get("low", 50e9), high=400e9, unit="Pa")
    damping = pl.Parameter("beta", beta, low=0.0, high=1e-2, unit="s", scale=1e-4)
    steel = pl.Material("steel", youngs_modulus=modulus, poisson_ratio=0.3, density=rho)
    m = pl.Model("strip")
    section = pl.Section.rectangle(WIDTH, HEIGHT, steel)
    ground, beam = m.add(
        pl.Ground(), pl.Beam("beam", length=LENGTH, section=section, damping=pl.Rayleigh(stiffness=damping))
    )
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=0.0, name="load"))
    return m


def system(**words: float) -> pl.compile:
    return pl.compile(strip(**words), elements=FINE)


@cache
def tips(E: float, loads: tuple[float, ...]) -> list[float]:
    """Return the heights of the strip's tip under loads."""
    truth = system(E=E)
    rests = [pl.statics(truth.with_signals({"load/y": f})) for f in loads]
    return [float(rest.raw("position")[list(rest.position.marker.values).index("beam/tip"), 1]) for rest in rests]


def weights(E: float = 200e9, noise: float = 2e-5, seed: int = 1, count: int = 8, **words: object) -> pl.Measurement:
    """Return deflections under small loads, F L^3 / 3 EI with shear left out: within 1e-4 of the model."""
    loads = np.linspace(-0.4, -0.04, count)
    seen = np.array(tips(E, tuple(loads))) + noise * np.random.default_rng(seed).standard_normal(count)
    return pl.Measurement({"F": loads, "y": seen}, {TIP: "y"}, signals={"load/y": "F"}, **{"name": "weights", **words})


def test_stiffness_is_that_of_linear_regression() -> None:
    """Small loads: y = -F L^3 / (3 E I), so 1/E is the slope, with its closed-form error."""
    given = weights()
    found = pl.identify(system(), parameters=["E"], measurements=[given])
    F, y = given.settings["load/y"], given.values[TIP]
    slope = float(F @ y / (F @ F))
    left = y - slope * F
    error = np.sqrt(left @ left / (F.size - 1) / (F @ F)) / slope
    closed = LENGTH**3 / (3.0 * slope * WIDTH * HEIGHT**3 / 12.0)
    assert found.ok
    assert found.values["E"] == pytest.approx(closed, rel=5e-4)  # shear, and the deflection is not infinitely small
    assert found.estimate("E").error / closed == pytest.approx(error, rel=0.01)
    assert found.derivatives == {"E": EXACT}
    assert found.model.parameters["E"].value == found.values["E"]


def test_a_frequency_tells_the_density() -> None:
    truth = pl.modal(system(E=200e9, rho=8200.0), modes=2).frequency_hz.values
    seen = pl.Measurement(
        {"f1": truth[:1], "f2": truth[1:]}, {"frequency_hz:1": "f1", "frequency_hz:2": "f2"}, error=0.01
    )
    found = pl.identify(system(E=200e9), parameters=["rho"], measurements=[seen])
    assert found.ok
    assert found.values["rho"] == pytest.approx(8200.0, rel=1e-6)
    assert found.derivatives == {"rho": EXACT}
    sigma = 0.5 * np.hypot(*truth) / 8200.0 / 0.01  # f ~ rho^-1/2
    assert found.estimate("rho").error == pytest.approx(1.0 / sigma, rel=1e-4)


def test_two_parameters_of_which_only_the_quotient_counts_are_named() -> None:
    truth = pl.modal(system(E=200e9), modes=3).frequency_hz.values
    columns = {f"f{k + 1}": truth[k : k + 1] for k in range(3)}
    seen = pl.Measurement(columns, {f"frequency_hz:{k + 1}": f"f{k + 1}" for k in range(3)}, error="0.1 %")
    found = pl.identify(system(E=190e9), parameters=["E", "rho"], measurements=[seen])
    assert not found.ok
    assert set(found.unknown[0].parts) == {"E", "rho"}
    assert "E and rho cannot be identified together" in found.outcome.message
    assert found.estimate("E").note == "not identified"


def test_a_parameter_that_nothing_depends_on_is_named() -> None:
    found = pl.identify(system(), parameters=["E", "beta"], measurements=[weights()])
    assert not found.ok
    assert "beta cannot be identified" in found.outcome.message
    assert found.values["E"] == pytest.approx(200e9, rel=0.01)


def ring(seed: int = 1, shift: float = 0.0, noise: float = 1e-4, **words: object) -> pl.Measurement:
    truth = system(E=200e9, beta=4e-4)
    rest = pl.statics(truth.with_signals({"load/y": -0.3}))
    run = pl.transient(truth, start=rest, end_time=0.8, step=1e-3, estimate=False)
    at = np.linspace(0.0, 0.8, 120)
    y = np.interp(at, run.time.values, run.position.sel(marker="beam/tip", axis="y").values)
    seen = {"t": at + shift, "y": y + noise * np.random.default_rng(seed).standard_normal(at.size)}
    options = {"time": "t", "begin": {"load/y": -0.3}, "step": 1e-3, "name": "ring", "shift": shift}
    return pl.Measurement(seen, {TIP: "y"}, **{**options, **words})


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
def test_a_ring_down_tells_the_logarithmic_decrement() -> None:
    found = pl.identify(system(E=195e9, beta=2e-4), parameters=["E", "beta"], measurements=[ring()])
    assert found.ok
    assert set(found.derivatives.values()) <= {DIFFERENCES, EXACT}
    for name, true in (("E", 200e9), ("beta", 4e-4)):
        assert found.estimate(name).low < true < found.estimate(name).high
    omega = 2.0 * pi * float(pl.modal(system(E=found.values["E"]), modes=1).frequency_hz[0])
    decrement = pi * found.values["beta"] * omega  # 2 pi zeta, zeta = beta omega / 2
    t, y = ring().x, ring().values[TIP]
    late, early = (float(np.ptp(y[(t > a) & (t < a + 2 * pi / omega)])) for a in (0.5, 0.1))
    assert decrement == pytest.approx(np.log(early / late) / (0.4 * omega / (2.0 * pi)), rel=0.05)


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
def test_the_instant_of_release_is_found() -> None:
    seen = ring(shift=0.123)
    free = pl.Measurement(
        {"t": seen.x, "y": seen.values[TIP]}, {TIP: "y"}, time="t", begin={"load/y": -0.3}, step=1e-3, shift="find"
    )
    found = pl.identify(system(E=200e9, beta=2e-4), parameters=["beta"], measurements=[free])
    assert found.estimate('shift of "measurement"').value == pytest.approx(0.123, abs=5e-4)
    assert found.values["beta"] == pytest.approx(4e-4, rel=0.05)


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
def test_what_is_sure_of_an_earlier_stage_goes_on() -> None:
    first = pl.identify(system(), parameters=["E"], measurements=[weights(noise=1e-4)])
    later = pl.compile(first.model, elements=FINE)
    alone = pl.identify(later, parameters=["rho"], measurements=[_tone()])
    found = pl.identify(later, parameters=["rho"], measurements=[_tone()], given=first)
    unsure = first.estimate("E").error / first.values["E"]  # f ~ sqrt(E / rho): rho follows E
    own = alone.estimate("rho").error / alone.values["rho"]
    assert found.estimate("rho").error / found.values["rho"] == pytest.approx(np.hypot(unsure, own), rel=1e-3)
    with pytest.raises(OptionError, match=r"Identify on given\.model"):
        pl.identify(system(), parameters=["rho"], measurements=[_tone()], given=first)


def _tone() -> pl.Measurement:
    truth = pl.modal(system(E=200e9), modes=1).frequency_hz.values
    return pl.Measurement({"f": np.full(4, truth[0])}, {"frequency_hz:1": "f"}, error=0.01, name="tone")


def test_offsets_and_frames_are_found() -> None:
    truth = pl.compile(strip(E=200e9), elements=FINE)
    loads = np.linspace(-8.0, 0.0, 8)
    places = [pl.statics(truth.with_signals({"load/y": f})).position.sel(marker="beam/tip").values for f in loads]
    noise = 1e-5 * np.random.default_rng(1).standard_normal((8, 2))
    seen = np.array(places) + noise
    turn = np.array([[np.cos(0.3), -np.sin(0.3)], [np.sin(0.3), np.cos(0.3)]])
    lab = (seen - [0.1, -0.2]) @ turn  # ours = turn lab + (0.1, -0.2)
    quantities = {"position:beam/tip:x": "x", TIP: "y"}
    given = pl.Measurement(
        {"F": loads, "x": lab[:, 0], "y": lab[:, 1]}, quantities, signals={"load/y": "F"}, frame="find"
    )
    found = pl.identify(system(E=190e9), parameters=["E"], measurements=[given])
    assert found.ok
    assert found.estimate("E").low < 200e9 < found.estimate("E").high
    _check_frame(found, given, turn)
    off = pl.Measurement(
        {"F": loads, "y": seen[:, 1] + 3e-3}, {TIP: "y"}, signals={"load/y": "F"}, offset=[TIP], name="off"
    )
    found = pl.identify(system(E=190e9), parameters=["E"], measurements=[off])
    assert found.estimate(f"offset of {TIP}").value == pytest.approx(3e-3, abs=3e-5)
    assert found.values["E"] == pytest.approx(200e9, rel=2e-3)


def _check_frame(found: pl.Identification, given: pl.Measurement, turn: np.ndarray) -> None:
    """Check that estimates belong to the frame, not to its difference from a first guess that nobody knows."""
    np.testing.assert_allclose(found.frame("measurement")[:2, :2], turn, atol=1e-3)
    np.testing.assert_allclose(found.frame("measurement")[:2, 2], [0.1, -0.2], atol=1e-3)
    turned = found.estimate('frame turn of "measurement"')
    assert turned.low < 0.3 < turned.high
    known = replace(given, frame=found.frame("measurement"))
    again = pl.identify(system(E=190e9), parameters=["E"], measurements=[known])
    assert again.values["E"] == pytest.approx(found.values["E"], rel=1e-6)
    with pytest.raises(OptionError, match="no frame"):
        again.frame("measurement")


def test_robust_losses_bear_an_outlier() -> None:
    given = weights(count=12)
    given.values[TIP][3] += 5e-3
    usual = pl.identify(system(), parameters=["E"], measurements=[given])
    assert any("row 4" in note for note in usual.notes)
    found = pl.identify(system(), parameters=["E"], measurements=[given], loss="soft_l1")
    assert abs(found.values["E"] - 200e9) < 0.2 * abs(usual.values["E"] - 200e9)


def test_a_bound_is_told() -> None:
    with pytest.warns(AtBound, match="E"):
        found = pl.identify(system(E=250e9, low=220e9), parameters=["E"], measurements=[weights()])
    assert found.estimate("E").note == "at its bound"
    assert np.isnan(found.estimate("E").error)
    assert "AtBound" in found.outcome.warnings


def test_what_a_coarse_mesh_changes_is_in_the_interval() -> None:
    coarse = pl.compile(strip(), elements=pl.Exact(4, order=1))
    found = pl.identify(coarse, parameters=["E"], measurements=[weights(noise=1e-6)])
    each = found.estimate("E")
    assert abs(each.value - 200e9) > 10.0 * each.error
    assert each.low < 200e9 < each.high
    assert any("a finer mesh and time step would change E" in note for note in found.notes)


def test_residuals_that_are_not_noise_are_told_and_intervals_allow_for_them() -> None:
    given = weights(count=24)
    given.values[TIP][:] += 2e-4 * np.sin(np.linspace(0.0, 6.0, 24))
    with pytest.warns(ColouredResiduals):
        found = pl.identify(system(), parameters=["E"], measurements=[given])
    assert any("are not white" in note for note in found.notes)
    assert not found.ok
    assert "correlation of residuals" in found.outcome.message
    later = pl.identify(pl.compile(found.model, elements=FINE), parameters=["rho"], measurements=[_tone()], given=found)
    assert "earlier identifications that are not ok" in later.outcome.message
    assert found.estimate("E").error > 1.5 * 200e9 * _plain_error(given)


def _plain_error(given: pl.Measurement) -> float:
    F, y = given.settings["load/y"], given.values[TIP]
    slope = F @ y / (F @ F)
    return float(np.sqrt(np.mean((y - slope * F) ** 2) / (F @ F)) / slope)


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
def test_more_than_the_noise_that_was_given_is_not_ok() -> None:
    given = weights(count=8, error=1e-6)  # it is 2e-5
    found = pl.identify(system(), parameters=["E"], measurements=[given])
    assert not found.ok
    assert "of the given noise" in found.outcome.message
    assert found.estimate("E").low < 200e9 < found.estimate("E").high


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
def test_what_an_earlier_stage_is_unsure_of_does_not_count_as_colour() -> None:
    system = pl.compile(models.spring(70.0, 2.0, 1.0))
    loads = np.array([-8.0, -4.0, 4.0, 8.0])
    noise = 1e-2 * np.random.default_rng(0).standard_normal(4)
    seen = pl.Measurement(
        {"F": loads, "x": 1.0 + loads / 80.0 + noise}, {PLACE: "x"}, signals={"push/x": "F"}, name="statics"
    )
    first = pl.identify(system, parameters=["k"], measurements=[seen])
    assert abs(first.values["k"] / 80.0 - 1.0) > 0.01
    t = np.linspace(0.0, 2.0, 81)
    d, w = 0.4, np.sqrt(40.0 - 0.16)
    ring = 1.0 + 0.1 * np.exp(-d * t) * (np.cos(w * t) + d / w * np.sin(w * t))
    ring += 2e-4 * np.random.default_rng(3).standard_normal(81)
    let_go = pl.Measurement({"t": t, "x": ring}, {PLACE: "x"}, time="t", begin={"push/x": 8.0}, step=2e-3)
    later = pl.compile(first.model)
    alone = pl.identify(later, parameters=["c"], measurements=[let_go])
    assert not alone.ok  # with a stiffness that is held exact, the residual is a vibration
    found = pl.identify(later, parameters=["c"], measurements=[let_go], given=first)
    assert found.ok
    assert found.estimate("c").low < 1.6 < found.estimate("c").high


def test_a_hold_out_that_is_not_predicted_is_told() -> None:
    others = weights(E=150e9, name="others")
    with pytest.warns(PoorlyPredicted, match="others"):
        found = pl.identify(system(), parameters=["E"], measurements=[weights()], hold_out=[others])
    assert found.hold_out["others"].rms[TIP] > 1e-3
    fine = pl.identify(system(), parameters=["E"], measurements=[weights()], hold_out=[weights(seed=5, name="more")])
    assert fine.hold_out["more"].rms[TIP] < 5e-5


def test_figures_and_tables() -> None:
    found = pl.identify(system(), parameters=["E", "beta"], measurements=[weights()])
    assert found.table().loc["E", "unit"] == "Pa"
    assert found.to_dataset()["covariance"].sizes == {"parameter": 2, "other": 2}
    assert "cannot be identified" in repr(found)
    for draw in (pl.plot_fit, pl.plot_residuals, pl.plot_correlation):
        assert draw(found).get_figure() is not None
    with pytest.raises(OptionError, match="Known are: E, beta"):
        found.estimate("e")
    with pytest.raises(OptionError, match="no measurement 'rings'"):
        pl.plot_fit(found, measurement="rings")


def test_frequency_responses_with_relative_noise() -> None:
    truth = system(E=200e9, beta=4e-4)
    f = np.linspace(3.0, 10.0, 30)
    plant = pl.linearise(truth, inputs=["load/y"], outputs=[TIP])
    response = plant.frequency_response(2.0 * pi * f).values[0, 0]
    rng = np.random.default_rng(4)
    seen = {"f": f, "H": np.abs(response) * (1.0 + 0.02 * rng.standard_normal(30)), "p": np.angle(response, deg=True)}
    quantities = {f"magnitude:{TIP}": "H", f"phase:{TIP}": "p"}
    errors = {f"magnitude:{TIP}": "relative", f"phase:{TIP}": 0.01}
    given = pl.Measurement(seen, quantities, frequency="f", drive="load/y", units={"p": "deg"}, error=errors)
    found = pl.identify(system(E=195e9, beta=3e-4), parameters=["E", "beta"], measurements=[given])
    assert found.values == pytest.approx({"E": 200e9, "beta": 4e-4}, rel=0.02)


def test_an_experiment_of_ones_own() -> None:
    """A path that goes down, along whose loads rows are placed."""
    given = weights()
    seen = {"F": given.settings["load/y"], "y": given.values[TIP]}
    own = pl.Measurement(seen, {TIP: "y"}, time="F", experiment=lambda s: pl.path(s, "load/y", to=-0.5))
    found = pl.identify(system(), parameters=["E"], measurements=[own])
    assert found.values["E"] == pytest.approx(200e9, rel=0.01)


def words(function: str, **options: object) -> str:
    call = {"parameters": ["E"], "measurements": [weights()], **options}
    with pytest.raises(OptionError) as refused:
        pl.identify(system(), **call)
    return str(refused.value)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"parameters": ["e"]}, "no parameter 'e'. Known are: E"),
        ({"parameters": "E"}, "give a list of names"),
        ({"parameters": []}, "name at least one of"),
        ({"parameters": ["E", "E"]}, "given twice"),
        ({"measurements": []}, "at least one"),
        ({"measurements": ["a.csv"]}, "is no Measurement"),
        ({"loss": "l3"}, "choose linear"),
        ({"given": "before"}, "give what identify returned before"),
    ],
)
def test_bad_questions_are_refused_by_name(options: dict[str, object], told: str) -> None:
    assert told in words("identify", **options)


def test_measurements_that_tell_too_little_are_refused() -> None:
    one = pl.Measurement({"F": [-0.1], "y": [-1e-3]}, {TIP: "y"}, signals={"load/y": "F"}, name="one")
    assert "the noise cannot be estimated" in words("identify", measurements=[one])
    assert "1 values were measured for 2 unknown numbers" in words("", measurements=[one], parameters=["E", "beta"])
    assert "Give error=" in words("", measurements=[weights(), one])
    loads = pl.Measurement({"F": [-0.1, -0.2], "y": [-1e-3, -2e-3]}, {TIP: "y"}, signals={"laod/y": "F"})
    assert "no signal 'laod/y'. Did you mean load/y" in words("", measurements=[loads])
    large = pl.Measurement({"F": [-0.1, -0.2], "y": [-1.0, -2.0]}, {TIP: "y"}, signals={"load/y": "F"})
    assert "seems to be in mm" in words("", measurements=[large])


@pytest.mark.parametrize("loss", fitting.LOSSES)
def test_psi_is_the_slope_of_the_loss(loss: str) -> None:
    from scipy.optimize import least_squares

    r = np.array([0.3, -0.9, 2.5])
    h = 1e-6

    def cost(v: np.ndarray) -> float:
        return float(least_squares(lambda _: v, [0.0], loss=loss, max_nfev=1).cost)

    for k in range(3):
        step = h * np.eye(3)[k]
        assert (cost(r + step) - cost(r - step)) / (2 * h) == pytest.approx(fitting.slopes_of(loss, r)[0][k], abs=1e-6)


def test_white_noise_is_seldom_called_coloured() -> None:
    rng = np.random.default_rng(0)
    rows, series = np.repeat(np.arange(20), 6), np.tile(np.arange(6), 20)
    data = fitting.Data(np.zeros(120, int), series, np.zeros(120, int), rows, np.ones(120))
    called = 0
    for _ in range(200):
        r = rng.standard_normal(120)
        fitted = fitting.Fitted(r, r, r[:, None], r, 1.0, np.array([True]), 0.0, 0, True, "")
        called += doubts.colour(fitted, data, list("abcdef"), ["one"]).found
    assert called <= 8  # 2 are expected of 200


def test_friction_is_told_by_swings_that_shrink_equally() -> None:
    t = np.linspace(0.0, 1.0, 41)
    seen = pl.Measurement(
        {"t": t, "x": 1.0 + models.rubbed(t, 80.0, 0.2, 0.1)}, {PLACE: "x"}, time="t", begin={"push/x": 8.0}, step=4e-3,
        error=1e-4,
    )  # fmt: skip
    found = pl.identify(models.slide(80.0, 0.0, 0.15), parameters=["F"], measurements=[seen])
    assert found.ok, found
    assert found.values["F"] == pytest.approx(0.2, rel=2e-3)  # time steps of 1/250 of a period
