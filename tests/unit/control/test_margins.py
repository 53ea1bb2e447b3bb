"""Margins against closed forms, python-control, and poles of loops whose gain, phase or delay is really changed."""

from __future__ import annotations

import math
from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

import matplotlib.pyplot as plt
from scipy.optimize import brentq

import pliant as pl
from pliant.control.design.regulator import Gain
from pliant.control.models.margins import LEAST_DISK, least_bound
from pliant.control.models.open_loop import closed_loop, compensator
from pliant.errors import OptionError, PliantWarning, ThinMargin

T = 0.02
PENDULUM = pl.LinearModel([[0, 1], [4, -0.1]], [[0], [2]], [[1, 0]], [[0]], input_names=("torque",))
A = np.zeros((4, 4))
A[0, 1] = A[2, 3] = 1.0
A[1], A[3] = (-5.0, -0.01, 5.0, 0.0), (5.0, 0.0, -5.0, -0.01)
CARTS = pl.LinearModel(A, [[0, 0], [1, 0], [0, 0], [0, 2]], np.eye(4), np.zeros((4, 2)))


def lag(k: float) -> Gain:
    """Return L = k / (s + 1)^3, as if it were state feedback."""
    a = np.array([[-1.0, 1.0, 0.0], [0.0, -1.0, 1.0], [0.0, 0.0, -1.0]])
    model = pl.LinearModel(a, [[0], [0], [1]], [[1, 0, 0]], [[0]])
    nothing = np.zeros((3, 3))
    K = np.array([[k, 0.0, 0.0]])
    return Gain(
        model=model,
        inputs=("u1",),
        integral=(),
        K=K,
        poles=np.zeros(3),
        riccati=nothing,
        residual=0.0,
        curvature=np.eye(1),
        sample_time=None,
    )


def balancing() -> pl.Controller:
    gain = pl.lqr(PENDULUM, Q=[10, 1], R=1, sample_time=T)
    return pl.lqg(gain, pl.luenberger(PENDULUM, speed=10.0, sample_time=T))


def two_loops() -> pl.Controller:
    gain = pl.lqr(CARTS, Q=[1, 1, 5, 1], R=[1, 0.1], sample_time=0.05)
    noise = {"y1": 0.1, "y3": 0.1}
    seen = pl.kalman(CARTS, process_noise={"u1": 1.0, "u2": 1.0}, measurement_noise=noise, sample_time=0.05)
    return pl.lqg(gain, seen)


def radius(controller: pl.Controller, model: pl.LinearModel) -> float:
    return float(np.max(np.abs(np.linalg.eigvals(closed_loop(controller, model)))))


def test_three_lags_in_closed_form() -> None:
    """Phase -180 degrees at w = sqrt 3, where |L| = k / 8; |L| = 1 at w^2 = k^(2/3) - 1."""
    found = pl.margins(lag(2.0)).loops[0]
    w = math.sqrt(2.0 ** (2.0 / 3.0) - 1.0)
    phase = math.pi - 3.0 * math.atan(w)
    assert found.gain == pytest.approx(4.0, rel=1e-9)
    assert found.gain_down == 0.0
    assert found.phase == pytest.approx(phase, rel=1e-9)
    assert found.delay == pytest.approx(phase / w, rel=1e-9)
    assert found.crossover == pytest.approx(w, rel=1e-9)
    s = 1j * np.linspace(0.5, 2.5, 400_001)
    S = 1.0 / (1.0 + 2.0 / (s + 1.0) ** 3)
    assert found.sensitivity == pytest.approx(np.max(np.abs(S)), rel=1e-9)
    assert found.disk == pytest.approx(1.0 / np.max(np.abs(S - 0.5)), rel=1e-9)


def test_gain_margin_of_1_006_is_thin_and_one_beyond_is_unstable() -> None:
    with pytest.warns(ThinMargin, match=r"disk margin at the inputs is 0.00299, below 0.4: a gain of 1.003 times"):
        found = pl.margins(lag(8.0 / 1.006))
    assert found.gain == pytest.approx(1.006, rel=1e-9)
    assert not found.ok
    with pytest.warns(PliantWarning, match="closed loop is unstable"):
        lost = pl.margins(lag(8.1))
    assert (lost.disk, lost.gain, lost.delay, lost.ok) == (0.0, 1.0, 0.0, False)


@pytest.mark.parametrize("controller", [balancing(), balancing().delayed(2)], ids=["prompt", "late"])
def test_as_python_control_has_them(controller: pl.Controller) -> None:
    control = pytest.importorskip("control")
    found = pl.margins(controller, PENDULUM).loops[0]
    loop = pl.open_loop(controller, PENDULUM).to_control()
    gain, phase, distance, *_ = control.stability_margins(loop)
    assert found.gain == pytest.approx(gain, rel=1e-6)
    assert found.phase == pytest.approx(math.radians(phase), rel=1e-6)
    assert found.sensitivity == pytest.approx(1.0 / distance, rel=1e-6)
    disk = control.disk_margins(loop, np.geomspace(0.01, math.pi / T, 20_000))[0]
    assert found.disk == pytest.approx(disk, rel=1e-5)


def test_the_loop_is_lost_where_they_say() -> None:
    """Poles of the loop with other gains of the plant, and later by whole samples: no frequency is looked at."""
    controller = balancing()
    found = pl.margins(controller, PENDULUM)
    for factor, stable in (
        (0.999 * found.gain, True),
        (1.001 * found.gain, False),
        (1.001 * found.gain_down, True),
        (0.999 * found.gain_down, False),
    ):
        assert (radius(controller, replace(PENDULUM, B=factor * PENDULUM.B)) < 1.0) is stable
    # The observer of a controller that is delayed knows of it; a plant that is late by itself is a delay of the loop.
    whole = int(found.delay / T)
    plant = PENDULUM.discretise(T)
    for samples, stable in ((whole, True), (whole + 1, False)):
        assert (radius(controller, late(plant, samples)) < 1.0) is stable


def late(plant: pl.LinearModel, samples: int) -> pl.LinearModel:
    """Build a sampled plant with one input whose input comes so many samples later."""
    n = len(plant.A)
    A = np.zeros((n + samples, n + samples))
    A[:n, :n], A[:n, n : n + 1] = plant.A, plant.B
    A[n:-1, n + 1 :] = np.eye(samples - 1)
    B = np.eye(n + samples)[:, -1:]
    names = (*plant.state_names, *(f"waiting {k}" for k in range(samples)))
    C = np.hstack([plant.C, np.zeros((1, samples))])
    return replace(plant, A=A, B=B, C=C, state_names=names, basis=None, velocity_basis=None)


def test_two_loops_at_once_bear_any_change_inside_the_disk_and_not_much_beyond() -> None:
    controller = two_loops()
    found, loop = pl.margins(controller, CARTS), pl.open_loop(controller, CARTS)
    assert found.disk <= min(one.disk for one in found.loops)
    turn = np.exp(1j * np.linspace(0.0, 2.0 * np.pi, 48, endpoint=False))

    def worst(alpha: float) -> float:
        factor = (1.0 + 0.5 * alpha * turn) / (1.0 - 0.5 * alpha * turn)
        pairs = np.array(np.meshgrid(factor, factor)).reshape(2, -1).T
        closed = loop.A - np.einsum("ij,kj,jl->kil", loop.B, pairs, loop.C)
        return float(np.max(np.abs(np.linalg.eigvals(closed))))

    assert worst(0.999 * found.disk) < 1.0
    assert worst(1.02 * found.disk) > 1.0


def test_units_of_the_inputs_do_not_matter() -> None:
    controller = two_loops()
    unit = np.array([1.0, 1000.0])
    plant = replace(CARTS, B=CARTS.B / unit)
    in_milli = replace(
        controller, C=controller.C * unit[:, None], Dy=controller.Dy * unit[:, None], Bu=controller.Bu / unit
    )
    one, two = pl.margins(controller, CARTS), pl.margins(in_milli, plant)
    assert two.disk == pytest.approx(one.disk, rel=1e-6)
    assert two.sensitivity == pytest.approx(one.sensitivity, rel=1e-6)


def test_structured_size_is_exact_for_a_rank_one_matrix() -> None:
    """mu(a b^T) = sum of |a_i b_i| for any number of loops; its largest singular value is |a| |b|."""
    a, b = np.array([1.0, 20.0, 0.3]), np.array([3.0, 0.1, 5.0])
    assert least_bound(np.outer(a, b)) == pytest.approx(float(np.sum(np.abs(a * b))), rel=1e-6)


def test_structured_size_does_not_depend_on_the_units_of_loops() -> None:
    """A simplex method came to values 0.1 % apart here, and stayed at Osborne's scales for other units."""
    rng = np.random.default_rng(1)
    for _ in range(10):
        M, units = rng.standard_normal((6, 6)) + 1j * rng.standard_normal((6, 6)), np.exp(3.0 * rng.standard_normal(6))
        assert least_bound(M * units[:, None] / units) == pytest.approx(least_bound(M), rel=1e-5)


def test_outputs_of_one_reading_are_as_inputs_of_one_motor() -> None:
    controller = balancing()
    one, two = pl.margins(controller, PENDULUM), pl.margins(controller, PENDULUM, at="outputs")
    assert two.disk == pytest.approx(one.disk, rel=1e-9)
    assert two.loops[0].name == "y1"


def test_lqg_has_no_guaranteed_margins() -> None:
    """J. C. Doyle 1978: a gain m may rise to 1 + 1 / (d f); how far it may fall is found from his four poles."""
    plant = pl.LinearModel([[1, 1], [0, 1]], [[0], [1]], [[1, 0]], [[0]])
    weight = 100.0 * np.ones((2, 2))
    gain = pl.lqr(plant, Q=weight, R=1.0, sample_time=(step := 1e-5))
    seen = pl.kalman(plant, process_noise=weight, measurement_noise={"y1": step**-0.5}, sample_time=step)
    with pytest.warns(ThinMargin):
        controller = pl.lqg(gain, seen)
    f = d = 2.0 + math.sqrt(104.0)
    found = pl.margins(controller, plant)
    assert found.gain - 1.0 == pytest.approx(1.0 / (d * f), rel=0.02)  # of the samples: w T, over the margin

    def growth(m: float) -> float:
        b, c = plant.B, plant.C
        k, l = f * np.ones((1, 2)), d * np.ones((2, 1))
        return float(
            np.max(np.linalg.eigvals(np.block([[plant.A, -m * b @ k], [l @ c, plant.A - b @ k - l @ c]])).real)
        )

    assert 1.0 - found.gain_down == pytest.approx(1.0 - brentq(growth, 0.9, 1.0), rel=0.02)
    assert found.disk < LEAST_DISK


def test_a_controller_that_is_unstable_alone_is_said_to_be() -> None:
    """A stabilising controller of a fast plant must be unstable where a zero lies left of an unstable pole."""
    plant = pl.LinearModel([[0, 1], [2, 1]], [[0], [1]], [[-1, 1]], [[0]])  # (s - 1) / ((s - 2) (s + 1))
    gain = pl.lqr(plant, Q=1.0, R=1.0, sample_time=0.01)
    with pytest.warns(PliantWarning, match="the controller by itself is unstable"):
        controller = pl.lqg(gain, pl.luenberger(plant, speed=5.0, sample_time=0.01))
    with pytest.warns(PliantWarning):
        assert pl.margins(controller, plant).compensator
    assert np.max(np.abs(compensator(controller).poles())) > 1.0


def test_a_spillover_with_thin_margins_is_not_ok() -> None:
    found = pl.spillover(balancing(), reduced=PENDULUM, full=PENDULUM)
    assert found.ok
    assert found.margins.gain == pytest.approx(8.9636, rel=1e-4)
    with pytest.warns(ThinMargin):
        thin = pl.spillover(balancing(), reduced=PENDULUM, full=replace(PENDULUM, B=8.8 * PENDULUM.B))
    assert not thin.unstable
    assert not thin.ok


def test_refused() -> None:
    with pytest.raises(OptionError, match="is no design"):
        pl.margins(3.0)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="is no linear model"):
        pl.margins(balancing())
    with pytest.raises(OptionError, match="choose 'inputs' or 'outputs'"):
        pl.margins(balancing(), PENDULUM, at="tip")
    with pytest.raises(OptionError, match="leave out model="):
        pl.margins(lag(1.0), PENDULUM)
    with pytest.raises(OptionError, match="there is no 'torque'"):
        pl.margins(balancing(), CARTS)
    with pytest.raises(OptionError, match="what enters the loop must be what returns"):
        pl.plot_nyquist(CARTS)


def test_pictures_show_the_loop() -> None:
    controller = balancing()
    loop, found = pl.open_loop(controller, PENDULUM), pl.margins(controller, PENDULUM)
    size, _ = pl.plot_bode(loop, margins=found)
    assert "gain margin 8.96" in size.get_title()
    (curve, *_) = pl.plot_nyquist(loop, margins=found).lines
    away = np.hypot(curve.get_xdata() + 1.0, curve.get_ydata())
    assert np.min(away) == pytest.approx(1.0 / found.sensitivity, rel=1e-3)
    locus = pl.plot_root_locus(loop)
    dots = locus.lines[2].get_xydata() @ [1.0, 1.0j]
    np.testing.assert_allclose(
        np.sort_complex(dots), np.sort_complex(np.linalg.eigvals(closed_loop(controller, PENDULUM)))
    )
    plt.close("all")
