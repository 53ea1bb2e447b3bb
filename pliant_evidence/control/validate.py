"""Regulators and observers against closed forms and against what theory promises of every design."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from math import atan, degrees, sqrt
from typing import Any

import numpy as np
from scipy.linalg import expm
from scipy.optimize import brentq, linear_sum_assignment

import pliant as pl
from pliant.analyses.modes.linearise import linearise
from pliant.control.design.observer import Observer
from pliant.control.design.regulator import Gain
from pliant.control.models.linear_model import LinearModel
from pliant.control.models.open_loop import closed_loop
from pliant_testing.validation import Row, at_most, case, order, relative

CLOSED_FORM = 1e-12  # a few hundred roundings
TIMES = (0.02, 0.01, 0.005, 0.0025)  # sample times, s
OMEGA = np.logspace(-3.0, 3.0, 2001)  # rad/s; all poles lie well inside


@case("lqr-theory", source="exact: Kalman 1960 and 1964; Anderson and Moore, Optimal Control, 1990; thesis 6.3")
def lqr_theory() -> Iterator[Row]:
    """Regulators, observers and their union against closed forms, limits and guaranteed margins."""
    yield from itertools.chain(
        double_integrator(), residuals(), sampling(), scalars(), duality(), separation(), margins()
    )


def linear(A: Any, B: Any, C: Any, D: Any, **more: Any) -> LinearModel:
    """Return a linear model from lists."""
    return LinearModel(np.array(A), np.array(B), np.array(C), np.array(D), **more)


def integrator() -> LinearModel:
    """Return a mass of 1 kg without friction: x'' = u."""
    return linear([[0, 1], [0, 0]], [[0], [1]], [[1, 0], [0, 1]], [[0], [0]], output_names=("position", "velocity"))


def cart() -> LinearModel:
    """Build the cart of parts and linearise it."""
    m = pl.Model("cart")
    ground, body = m.add(pl.Ground(), pl.Body("cart", mass=1.0, inertia=1.0))
    m.add(pl.Prismatic(ground.at(0, 0), body.at(0, 0), name="rail"), pl.Force(body.at(0, 0), x=0.0, name="motor"))
    outputs = ["position:cart(0, 0):x", "velocity:cart(0, 0):x"]
    return linearise(pl.compile(m), inputs=["motor/x"], outputs=outputs)


def chain(masses: int = 4) -> LinearModel:
    """Return equal masses in a row, springs and light dampers between them, pushed at one end, watched at both."""
    ties = 2.0 * np.eye(masses) - np.eye(masses, k=1) - np.eye(masses, k=-1)
    ties[0, 0] = ties[-1, -1] = 1.0
    none, one = np.zeros((masses, masses)), np.eye(masses)
    A = np.block([[none, one], [-40.0 * ties, -0.01 * ties]])
    C = np.eye(2 * masses)[[0, masses - 1]]
    B = np.eye(2 * masses)[:, [masses]]
    return LinearModel(A, B, C, np.zeros((2, 1)), output_names=("first", "last"))


def pendulum() -> LinearModel:
    """Return upright pendulum x'' = x + u whose sensor shows angle and, with its rate, some of the torque itself."""
    C = [[1.0, 0.0], [0.3, 1.0]]
    return linear([[0.0, 1.0], [1.0, 0.0]], [[0.0], [1.0]], C, [[0.0], [0.2]], output_names=("angle", "mixed"))


def double_integrator() -> Iterator[Row]:
    """Check Q = I, R = 1: K = (1, sqrt 3), P = (sqrt 3, 1; 1, sqrt 3), poles -sqrt 3 / 2 +- i / 2."""
    gain = pl.lqr(integrator(), Q=1.0, R=1.0)
    built = cart()
    of_parts = pl.lqr(built, outputs=dict.fromkeys(built.output_names, 1.0), inputs={"motor/x": 1.0})
    for what, K in (("mass", gain.K), ("mass built of parts", of_parts.K @ np.linalg.inv(built.C))):
        yield relative(f"{what}: feedback of position", "N/m", 1.0, K[0, 0], tolerance=CLOSED_FORM, kind="exact")
        yield relative(
            f"{what}: feedback of velocity", "N s/m", sqrt(3.0), K[0, 1], tolerance=CLOSED_FORM, kind="exact"
        )
    exact = np.array([[sqrt(3.0), 1.0], [1.0, sqrt(3.0)]])
    yield at_most("mass: error of P", "1", np.max(np.abs(gain.riccati - exact)), limit=CLOSED_FORM, kind="exact")
    yield relative(
        "mass: decay of the poles", "1/s", -0.5 * sqrt(3.0), gain.poles[0].real, tolerance=CLOSED_FORM, kind="exact"
    )
    yield relative("mass: frequency of the poles", "1/s", 0.5, gain.poles[0].imag, tolerance=CLOSED_FORM, kind="exact")


def residuals() -> Iterator[Row]:
    """Compute the residual of P in its Riccati equation, which is formed here again."""
    model = chain()
    n = len(model.A)
    gain = pl.lqr(model, Q=np.eye(n), R=0.1)
    A, B, P = model.A, model.B, gain.riccati
    left = A.T @ P + P @ A - P @ B @ B.T @ P / 0.1 + np.eye(n)
    yield at_most(
        "chain: residual of the continuous equation", "1", relative_size(left, A.T @ P), limit=1e-12, kind="exact"
    )
    discrete = model.discretise(0.05)
    gain = pl.lqr(discrete, Q=np.eye(n), R=0.1)
    A, B, P = discrete.A, discrete.B, gain.riccati
    K = np.linalg.solve(0.1 + B.T @ P @ B, B.T @ P @ A)
    left = A.T @ P @ A - P - A.T @ P @ B @ K + np.eye(n)
    yield at_most("chain: residual of the discrete equation", "1", relative_size(left, P), limit=1e-12, kind="exact")


def sampling() -> Iterator[Row]:
    """Check that sampled designs tend to the continuous one: K with the sample time, P with its square."""
    model = chain()
    weights: dict[str, Any] = {"outputs": {"last": 10.0}, "inputs": {"u1": 1.0}}
    exact = pl.lqr(model, **weights)
    gains = [pl.lqr(model, sample_time=T, **weights) for T in TIMES]
    first = [relative_size(g.K - exact.K, exact.K) for g in gains]
    closed = model.A - model.B @ exact.K
    held = [exact.K @ (np.eye(len(closed)) + 0.5 * T * closed) for T in TIMES]  # K of the state half a sample later
    second = [relative_size(g.K - K, exact.K) for g, K in zip(gains, held, strict=True)]
    cost = [relative_size(g.riccati - exact.riccati, exact.riccati) for g in gains]
    yield order("chain: sampled K to continuous K", TIMES, first, expected=1.0, kind="itself")
    yield order("chain: sampled K to K (I + (A - BK) T/2)", TIMES, second, expected=2.0, kind="itself")
    yield order("chain: sampled cost to continuous cost", TIMES, cost, expected=2.0, kind="itself")
    start = np.ones(len(model.A))
    gain = pl.lqr(model, sample_time=0.1, **weights)
    promised = float(start @ gain.riccati @ start)
    yield relative(
        "chain: cost of a run, 0.1 s samples",
        "1",
        promised,
        cost_of_run(gain, start),
        tolerance=1e-9,
        kind="independent code",
    )


def scalars() -> Iterator[Row]:
    """Check closed forms of one state."""
    a, b, q, r = 1.2, 0.5, 2.0, 0.7
    g = a * a * r + b * b * q - r
    p = (g + sqrt(g * g + 4.0 * b * b * q * r)) / (2.0 * b * b)
    gain = pl.lqr(linear([[a]], [[b]], [[1.0]], [[0.0]], sample_time=1.0), Q=q, R=r)
    yield relative("scalar, discrete: P", "1", p, gain.riccati[0, 0], tolerance=CLOSED_FORM, kind="exact")
    yield relative(
        "scalar, discrete: K", "1", a * b * p / (r + b * b * p), gain.K[0, 0], tolerance=CLOSED_FORM, kind="exact"
    )
    # x' = w, read with noise: the variance before a reading is (Q + sqrt(Q^2 + 4 Q R)) / 2, Q = density^2 T.
    walk, Q, R = linear([[0.0]], [[1.0]], [[1.0]], [[0.0]]), 0.3**2 * 0.1, 0.2**2
    variance = 0.5 * (Q + sqrt(Q * Q + 4.0 * Q * R))
    seen = pl.kalman(walk, process_noise={"u1": 0.3}, measurement_noise={"y1": 0.2}, sample_time=0.1)
    yield relative(
        "random walk: gain", "1", variance / (variance + R), seen.L[0, 0], tolerance=CLOSED_FORM, kind="exact"
    )
    seen = pl.kalman(walk, process_noise={"u1": 0.3}, measurement_noise={"y1": 0.2})
    yield relative("random walk: continuous gain", "1/s", 0.3 / 0.2, seen.L[0, 0], tolerance=CLOSED_FORM, kind="exact")


def duality() -> Iterator[Row]:
    """Check that the observer of (A, C) is the regulator of (A', C')."""
    model = chain()
    n = len(model.A)
    for name, plant in (("continuous", model), ("discrete", model.discretise(0.05))):
        mirrored = LinearModel(plant.A.T, plant.C.T, plant.B.T, np.zeros((1, 2)), sample_time=plant.sample_time)
        gain = pl.lqr(mirrored, Q=np.eye(n), R=[0.1, 0.2])
        seen = pl.kalman(plant, process_noise=np.eye(n), measurement_noise=[0.1, 0.2])
        L = seen.L if plant.sample_time is None else plant.A @ seen.L
        yield at_most(
            f"chain: {name} observer less dual regulator",
            "1",
            relative_size(L - gain.K.T, L),
            limit=1e-10,
            kind="other formulation",
        )


def separation() -> Iterator[Row]:
    """Check that the poles of the closed loop are the regulator's and the observer's, integrals included."""
    for name, model, read, integral in (
        ("chain", chain(), ["last"], ["last"]),
        ("pendulum, torque in the reading", pendulum(), ["angle", "mixed"], ["angle"]),
    ):
        weights = dict.fromkeys(model.output_names, 10.0)
        gain = pl.lqr(model, outputs=weights, inputs={"u1": 1.0}, sample_time=0.02, integral=integral)
        noise = dict.fromkeys(read, 0.01)
        seen = pl.kalman(model, process_noise={"u1": 1.0}, measurement_noise=noise, sample_time=0.02)
        yield at_most(
            f"{name}: poles of LQG less those of its parts",
            "1",
            union_gap(model, gain, seen),
            limit=1e-9,
            kind="other formulation",
        )


def margins() -> Iterator[Row]:
    """Check continuous LQR: |1 + L| >= 1, so 60 degrees of phase margin, gain margins 1/2 to infinity (Kalman 1964)."""
    for name, model in (("mass", integrator()), ("chain", chain()), ("pendulum", pendulum())):
        gain = pl.lqr(model, Q=1.0, R=1.0)
        moved = np.array([response(model, w) for w in OMEGA])
        promised = 1.0 + np.sum(np.abs(moved) ** 2, axis=1)  # Kalman's equality with Q = I, R = 1
        error = np.max(np.abs(np.abs(1.0 + moved @ gain.K[0]) ** 2 / promised - 1.0))
        yield at_most(f"{name}: error of |1 + L|^2 = 1 + |x|^2", "1", error, limit=1e-9, kind="exact")
        margin = phase_margin(gain)
        yield at_most(
            f"{name}: phase margin short of 60 degrees", "deg", max(0.0, 60.0 - margin), limit=1e-6, kind="exact"
        )
        if name == "mass":  # L = (1 + sqrt 3 s) / s^2
            exact = degrees(atan(sqrt(3.0) * sqrt(0.5 * (3.0 + sqrt(13.0)))))
            yield relative("mass: phase margin", "deg", exact, margin, tolerance=1e-9, kind="exact")
        worst = max(np.max(np.linalg.eigvals(model.A - f * model.B @ gain.K).real) for f in (0.5, 1.0, 10.0, 1e3))
        yield at_most(
            f"{name}: growth with 1/2 to 1000 times the gain", "1/s", max(0.0, worst), limit=1e-9, kind="exact"
        )


def relative_size(difference: np.ndarray, of: np.ndarray) -> float:
    """Return the largest entry over largest entry."""
    return float(np.max(np.abs(difference)) / np.max(np.abs(of)))


def cost_of_run(gain: Gain, start: np.ndarray) -> float:
    """Return the integral of 10 last^2 + u^2 over a run with the input held, by ten Gauss points in every sample."""
    model, T = gain.model, gain.sample_time or 0.0
    n, m = model.B.shape
    field = np.block([[model.A, model.B], [np.zeros((m, n + m))]])
    points, weights = np.polynomial.legendre.leggauss(10)
    between = [expm(field * 0.5 * T * (1.0 + point)) for point in points]
    step = expm(field * T)
    x, cost = start, 0.0
    while np.max(np.abs(x)) > 1e-8:
        u = -gain.K @ x
        held = np.concatenate([x, u])
        for weight, move in zip(0.5 * T * weights, between, strict=True):
            cost += weight * (10.0 * (model.C[1] @ (move @ held)[:n]) ** 2 + float(u @ u))
        x = (step @ held)[:n]
    return cost


def union_gap(model: LinearModel, gain: Gain, seen: Observer) -> float:
    """Return the largest distance, in the z plane, between poles of the closed loop and of its parts, paired off."""
    controller = pl.lqg(gain, seen)
    found = np.linalg.eigvals(closed_loop(controller, model))
    parts = np.exp(np.concatenate([gain.poles, seen.poles]) * controller.sample_time)
    parts = np.concatenate([parts, np.zeros(found.size - parts.size)])  # memory of the last input
    distance = np.abs(found[:, None] - parts[None, :])
    return float(np.max(distance[linear_sum_assignment(distance)]))


def response(model: LinearModel, omega: float) -> np.ndarray:
    """Return states under u = exp(i omega t)."""
    return np.linalg.solve(1j * omega * np.eye(len(model.A)) - model.A, model.B)[:, 0]


def phase_margin(gain: Gain) -> float:
    """Return the least angle, in degrees, between the loop gain and -1 where its size is one."""

    def loop(omega: float) -> complex:
        return complex(gain.K[0] @ response(gain.model, omega))

    above = np.array([abs(loop(w)) > 1.0 for w in OMEGA])
    crossings = [
        brentq(lambda w: abs(loop(w)) - 1.0, *OMEGA[i : i + 2], xtol=1e-13) for i in np.flatnonzero(np.diff(above))
    ]
    return min(degrees(abs(np.angle(-loop(w)))) for w in crossings)
