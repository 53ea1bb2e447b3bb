"""The two-link flexible arm under LQG that reads encoders and strain gauges, beside two elasticas by hand."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

import pliant as pl
from pliant_evidence.control_suite import elastica_arm, equations
from pliant_evidence.control_suite.rows import CLOSE, compared
from pliant_gallery import flexible_arm
from pliant_testing.validation import Row, at_most, relative

T, STEP, END = 0.01, 5e-4, 0.8  # s
SWING, TURN = 0.6, (0.8, -0.9)  # s and rad: where shoulder and elbow are sent, and how fast
MOST = 2.0  # N m of a motor
MOTORS = ("shoulder motor/torque", "elbow motor/torque")
ANGLES = ("joint_angle:shoulder", "joint_angle:elbow")
STRAINS = tuple(f"strain:link {k}@{elastica_arm.GAUGE}" for k in (1, 2))


def design(system: Any) -> pl.Controller:
    """Return LQR and Kalman filter of two rigid and five bending modes, sent along half a cosine."""
    plant = pl.linearise(system, inputs=list(MOTORS), outputs=[*ANGLES, *STRAINS])
    small = pl.reduce(plant, modes=5)
    gain = pl.lqr(small, outputs=dict.fromkeys(ANGLES, 4.0), inputs=dict.fromkeys(MOTORS, 1.0), sample_time=T)
    noise = {**dict.fromkeys(ANGLES, 1e-3), **dict.fromkeys(STRAINS, 1e-5)}
    seen = pl.kalman(small, process_noise=dict.fromkeys(MOTORS, 0.05), measurement_noise=noise, sample_time=T)
    sent = {
        name: pl.Expression(f"{0.5 * far} * (1 - cos(pi * min(t, {SWING}) / {SWING}))")
        for name, far in zip(ANGLES, TURN, strict=True)
    }
    return pl.lqg(gain, seen, track=ANGLES).limited(low=-MOST, high=MOST).following(sent)


class Played:
    """The controller's recursion by hand, on readings of the elasticas."""

    def __init__(self, controller: pl.Controller) -> None:
        self.controller, self.state = controller, np.zeros(len(controller.A))

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        c, x = self.controller, self.state
        d = elastica_arm.readings(q) - c.y0
        s = 0.5 * np.array(TURN) * (1.0 - math.cos(math.pi * min(t, SWING) / SWING)) - c.r0
        wanted = c.u0 + c.C @ x + c.Dy @ d + c.Dr @ s
        u = np.clip(wanted, -MOST, MOST)
        self.state = c.A @ x + c.Bu @ (u - c.u0) + c.By @ d + c.Br @ s + c.Bw @ (u - wanted)
        return u


def rows() -> Iterator[Row]:
    """Check frequencies of the straight arm, and a swing of both joints by some fifty degrees."""
    system = pl.compile(flexible_arm.model(), elements=flexible_arm.ELEMENTS)
    found = pl.modal(system, modes=5).frequency_hz.values[2:]
    for k, (exact, computed) in enumerate(zip(elastica_arm.frequencies(), found, strict=False)):
        # a shear of E I / (G A L^2) = 2e-6 is in one and not in the other
        name = f"flexible arm: bending mode {k + 1}"
        yield relative(name, "Hz", exact, computed, tolerance=1e-4, kind="independent code")
    controller = design(system)
    run = pl.transient(system, end_time=END, step=STEP, controller=controller, estimate=False)
    zero = np.zeros(elastica_arm.FREEDOMS)
    places, inputs = equations.played(
        elastica_arm.rates, Played(controller), zero, zero, sample_time=T, samples=round(END / T), within=1e-8
    )
    readings = np.array([elastica_arm.readings(q) for q in places])
    yield from compared("flexible arm, LQG", run, run.measured.values, readings, inputs)
    far = np.array([elastica_arm.payload(q) for q in places])
    moved = run.position.sel(marker="payload(0, 0)").values[:: round(T / STEP)]
    off = np.max(np.linalg.norm(moved - far, axis=1)) / np.max(np.ptp(far, axis=0))
    yield at_most("flexible arm, LQG: payload, of its way", "1", off, limit=CLOSE, kind="independent code")
    bent = float(np.max(np.abs(readings[:, 2:])))
    yield at_most("flexible arm: strain of 1e-4 over the largest", "1", 1e-4 / bent, limit=1.0, kind="itself")
