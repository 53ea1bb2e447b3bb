"""Four-bar of thesis chapter 2: two routes to the same motion, and what numerical damping costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import pliant as pl
from pliant.formulations.dae.generalized_alpha import Scheme, scheme
from pliant.gallery.four_bar import model
from pliant.results import Result
from pliant.validation import Row, absolute, at_most, case, order, printed, relative

SAMPLES = np.linspace(0.0, 3.0, 301)
NEWTON = 1e-5  # a step's Newton iteration stops at this part of the step's own acceleration term


@case("fourbar", source="thesis, chapter 2 (table 2.2, sections 2.4 to 2.7)")
def fourbar() -> Iterator[Row]:
    """Implicit (multipliers, generalized-alpha) against explicit (geometric reduction, Runge-Kutta)."""
    dae = pl.compile(model())
    reduced = pl.compile(model(), formulation="geometric", coordinate="crank")
    explicit = pl.transient(reduced, end_time=SAMPLES[-1], times=SAMPLES, accuracy=1e-12)
    # The source cuts the digits instead of rounding them (ERRATA, thesis 3): one unit of the last.
    yield printed("q3 that closes the loop at q1 = 0", "rad", "0.4899", angle(explicit, "rocker")[0], units=1.0)
    yield absolute("assembly modes at q1 = 0", "1", 2, len(reduced.branches(0.0)), tolerance=0.0)
    # Conservative: what the local errors of 1e-12 add up to in 420 steps, times the energy's slope (20 J/rad).
    yield at_most("explicit: energy error, 3 s", "J", explicit.outcome.energy_error, limit=1e-8)
    yield from agreement(dae, explicit)
    yield from decay(dae)
    yield from energy(dae)


def agreement(dae: Any, explicit: Result) -> Iterator[Row]:
    """|implicit - explicit| falls with the square of the step, for every spectral radius."""
    # Spectral radius 0.99 needs steps below about 1 ms to be stable here; 0 needs them small for its damping, of third
    # order, to fall behind the second-order error: 8 % of it at the largest step, 1 % at the smallest.
    for rho, steps in ((0.0, (1e-4, 5e-5, 2.5e-5, 1.25e-5)), (0.99, (5e-4, 2.5e-4, 1.25e-4, 6.25e-5))):
        runs = [move(dae, SAMPLES[-1], step, rho) for step in steps]
        errors = [float(np.max(np.abs(run.angle.values - explicit.angle.values))) for run in runs]
        # Least squares of four halvings; 0.1 leaves room for the next term of the error, 0.02 for 0.99, which has none.
        yield order(f"order of |implicit - explicit|, rho {rho:g}, 3 s", steps, errors, tolerance=0.1)
        yield at_most(f"largest difference of angles, rho {rho:g}, dt {steps[-1]:g} s", "rad", errors[-1], limit=1e-4)
        closure = max(run.outcome.constraint_error for run in runs)
        yield at_most(f"loop closure, rho {rho:g}, dt <= {steps[0]:g} s", "m", closure, limit=1e-10)


def decay(dae: Any) -> Iterator[Row]:
    """What spectral radius 0 takes from the swing."""
    rest = pl.statics(dae)
    step = 0.01
    omega = 2.0 * np.pi * float(pl.modal(dae, at=rest, modes=1).frequency_hz[0])
    # Small swings obey the method's own amplification matrix. Newton's stop is what tolerance there has to be.
    small = move(dae, 10.0, step, 0.0, start=rest, push={"crank": 1e-4})
    measured = np.log(np.abs(root(angle(small, "crank") - float(rest.angle.sel(body="crank"))))) / step
    predicted = np.log(np.abs(amplification(omega, step, scheme(0.0)))) / step
    yield relative("small swings: growth of amplitude, rho 0, dt 0.01 s", "1/s", predicted, measured, tolerance=NEWTON)
    # The thesis's motion is large: the exact solution keeps all of its energy above rest, so what is left must be < 1.
    lost, steps = [], (0.01, 0.005, 0.0025, 0.001, 0.0005)
    for step in steps:
        run = move(dae, 10.0, step, 0.0)
        total = run.energy.sel(energy_kind=["kinetic", "potential"]).sum("energy_kind").values
        swing = total - float(rest.energy.sel(energy_kind="potential"))
        lost.append(1.0 - swing[-1] / swing[0])
        yield at_most(f"energy of the swing left after 10 s, rho 0, dt {step:g} s", "1", 1.0 - lost[-1], limit=1.0)
        if step == steps[0]:
            # The joints are met as closely as Newton was asked to meet the motion within a step.
            within = NEWTON * step**2 * float(np.abs(run.acceleration).max())
            yield at_most("loop closure, rho 0, dt 0.01 s", "m", run.outcome.constraint_error, limit=within)
    # |amplification| = 1 - c (omega h)^4: the loss in a given time is of third order, once it is small.
    yield order("order of the energy lost, rho 0, 10 s", steps[-2:], lost[-2:], expected=3.0, tolerance=0.1)


def energy(dae: Any) -> Iterator[Row]:
    """Near spectral radius 1 the energy error stays where it is, and falls with the square of the step."""
    steps, sizes = (4e-4, 2e-4), []
    for step in steps:
        run = move(dae, 50.0, step, 0.99)
        error = np.abs(run.energy.sel(energy_kind="balance").values)
        envelope = error[1:].reshape(50, -1).max(axis=1)  # of every second, which is longer than a swing
        sizes.append(float(envelope.max()))
        drift = 50.0 * np.polyfit(np.arange(50), envelope, 1)[0] / envelope.mean()
        # No trend: over the whole run the envelope changes by less than a hundredth of its size.
        yield at_most(f"energy error: drift of its envelope in 50 s, rho 0.99, dt {step:g} s", "1", drift, limit=0.01)
        yield at_most(f"loop closure, 50 s, rho 0.99, dt {step:g} s", "m", run.outcome.constraint_error, limit=1e-10)
    yield at_most(f"energy error, 50 s, rho 0.99, dt {steps[-1]:g} s", "J", sizes[-1], limit=1e-4)
    yield order("order of the energy error, rho 0.99, 50 s", steps, sizes, tolerance=0.05)


def move(dae: Any, end: float, step: float, rho: float, **start: Any) -> Result:
    """Motion, kept every 0.01 s."""
    return pl.transient(dae, end_time=end, step=step, spectral_radius=rho, every=round(0.01 / step), **start)


def angle(run: Result, body: str) -> np.ndarray:
    """History of an angle."""
    return np.asarray(run.angle.sel(body=body).values)


def root(x: Sequence[float] | np.ndarray) -> complex:
    """Factor z of a decaying oscillation x_n = Re(c z^n), by linear prediction; the first steps are left out."""
    x = np.asarray(x)[20:]
    previous, last = np.linalg.lstsq(np.column_stack([x[:-2], x[1:-1]]), x[2:], rcond=None)[0]
    return complex(np.roots([1.0, -last, -previous])[0])


def amplification(omega: float, h: float, method: Scheme) -> complex:
    """Factor by which a step of generalized-alpha multiplies the motion of x'' = -omega^2 x (Chung, Hulbert 1993)."""
    alpha_m, alpha_f, beta, gamma = method
    bar = np.array(
        [omega**2, omega**2 * (1.0 - alpha_f) * h, alpha_m + omega**2 * (1.0 - alpha_f) * h**2 * (0.5 - beta)]
    )
    bar /= -(1.0 - alpha_m + omega**2 * (1.0 - alpha_f) * beta * h**2)  # abar after, from (x, v, abar) before
    x = np.array([1.0, h, h**2 * (0.5 - beta)]) + h**2 * beta * bar
    v = np.array([0.0, 1.0, h * (1.0 - gamma)]) + h * gamma * bar
    values = np.linalg.eigvals(np.array([x, v, bar]))
    return complex(values[np.argmax(np.abs(values.imag))])
