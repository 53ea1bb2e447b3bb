"""Parameters that are known, found again: in closed form, within their intervals, and from experiments of others."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from math import pi, sqrt

import numpy as np

import pliant as pl
from pliant.errors import PliantWarning
from pliant_evidence.identify import models
from pliant_testing.validation import Row, absolute, at_most, case, relative

EXACT = 1e-7  # what the tolerance of an equilibrium leaves
STEPS = 1e-4  # what time steps of 2 ms leave of a vibration of 1 Hz
SLENDER = 2e-3  # what shear and rotary inertia change of a slender strip's third mode
PRINTED = 5e-5  # m: deflections are printed to 0.1 mm
SEEDS = 100
RISK = 0.005  # of fewer hits than required, if the intervals are right


@case("identify", source="closed forms; known truths with noise; Beléndez et al. 2003; SoRoMoX (TU Delft, 2026)")
def identify() -> Iterator[Row]:
    """Parameters from measurements, with intervals."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)
        yield from regression()
        yield from ringing()
        yield from ratios()
        yield from dry()
        yield from stages()
        yield from covered()
        yield from strip()
        yield from arm()


def regression() -> Iterator[Row]:
    """Fit a spring, x = 1 + F/k: 1/k and its error are the results of linear regression."""
    loads = np.linspace(1.0, 10.0, 8)
    noise = 1e-3 * np.random.default_rng(1).standard_normal(8)
    places = 1.0 + loads / 100.0 + noise
    seen = pl.Measurement({"F": loads, "x": places}, {"position:block(0, 0):x": "x"}, signals={"push/x": "F"})
    found = pl.identify(models.spring(), parameters=["k"], measurements=[seen])
    k = float(loads @ loads / (loads @ (places - 1.0)))
    left = places - 1.0 - loads / k
    error = k**2 * sqrt(left @ left / 7.0 / (loads @ loads))
    yield relative("spring: stiffness by linear regression", "N/m", k, found.values["k"], tolerance=EXACT, kind="exact")
    told = found.estimate("k").error
    yield relative("spring: its standard error", "N/m", error, told, tolerance=1e-5, kind="exact")


def ringing() -> Iterator[Row]:
    """Check x = 1 + 0.1 exp(-d t) (cos w t + d/w sin w t), let go at rest: the logarithmic decrement is 2 pi d/w."""
    mass, stiffness, damping = 2.0, 80.0, 1.6
    d = damping / (2.0 * mass)
    w = sqrt(stiffness / mass - d**2)
    exact = 2.0 * pi * d / w
    t = np.linspace(0.0, 4.0, 161)
    x = 1.0 + 0.1 * np.exp(-d * t) * (np.cos(w * t) + d / w * np.sin(w * t))
    seen = pl.Measurement(
        {"t": t, "x": x}, {"position:block(0, 0):x": "x"}, time="t", begin={"push/x": 8.0}, step=2e-3, error=1e-6
    )
    found = pl.identify(models.spring(70.0, mass, 1.0), parameters=["k", "c"], measurements=[seen])
    k, c = found.values["k"], found.values["c"]
    d, w = c / (2.0 * mass), sqrt(k / mass - (c / (2.0 * mass)) ** 2)
    yield relative("ring-down: logarithmic decrement", "1", exact, 2.0 * pi * d / w, tolerance=STEPS, kind="exact")
    yield relative("ring-down: stiffness", "N/m", stiffness, k, tolerance=STEPS, kind="exact")


def ratios() -> Iterator[Row]:
    """Check a strip with Rayleigh damping: both coefficients from damping ratios z = a / 2w + b w / 2 at the
    frequencies of a slender cantilever.
    """
    mass, stiffness = 3.0, 2e-5
    roots = np.array([1.875104068711961, 4.694091132974175, 7.854757438237613])
    system = pl.compile(models.damped_strip(), elements=pl.Exact(4, order=3))
    section = system.model.beams[0].section
    w = roots**2 * sqrt(section.bending_stiffness / section.mass_per_length) / models.STRIP**2
    seen = {"z": np.arange(1.0)} | {f"{k + 1}": [mass / (2.0 * x) + stiffness * x / 2.0] for k, x in enumerate(w)}
    names = {f"damping_ratio:{k}": f"{k}" for k in (1, 2, 3)}
    measured = pl.Measurement(seen, names, error=1e-6, name="ratios")
    found = pl.identify(system, parameters=["a", "b"], measurements=[measured])
    for name, exact, unit in (("a", mass, "1/s"), ("b", stiffness, "s")):
        text = f"damping ratios of three modes: Rayleigh's {name}"
        yield relative(text, unit, exact, found.values[name], tolerance=SLENDER, kind="exact")


def dry() -> Iterator[Row]:
    """Check a mass on a spring that rubs, let go: Coulomb's law in closed form, whose swings shrink by 2 F/k each."""
    t = np.linspace(0.0, 3.0, 121)
    seen = pl.Measurement(
        {"t": t, "x": 1.0 + models.rubbed(t, 80.0, 0.2, 0.1)}, {"position:block(0, 0):x": "x"}, time="t",
        begin={"push/x": 8.0}, step=1e-3, error=1e-5,
    )  # fmt: skip
    found = pl.identify(models.slide(), parameters=["k", "F"], measurements=[seen])
    for name, exact, unit in (("F", 0.2, "N"), ("k", 80.0, "N/m")):
        told = {"F": "friction", "k": "stiffness"}[name]
        yield relative(f"rubbing mass: {told}", unit, exact, found.values[name], tolerance=STEPS, kind="exact")


def stages(seeds: int = 20) -> Iterator[Row]:
    """Check stiffness from weights, then damper and friction from a ring-down, with noise: hits of each interval."""
    from scipy.stats import binom

    truth = {"k": 80.0, "c": 0.8, "F": 0.15}
    real = pl.compile(models.slide()).with_parameters(**truth)
    place, loads = "position:block(0, 0):x", np.linspace(-8.0, 8.0, 9)
    let_go = pl.transient(real, start=pl.statics(real.with_signals({"push/x": 8.0})), end_time=2.5, step=2.5e-4)
    t, x = let_go.time.values[::100], let_go.position.values[::100, 0, 0]
    inside = dict.fromkeys(truth, 0)
    for seed in range(seeds):
        noise = np.random.default_rng(seed).standard_normal
        hung = pl.Measurement(
            {"F": loads, "x": 1.0 + loads / 80.0 + 5e-4 * noise(9)},
            {place: "x"},
            signals={"push/x": "F"},
            name="weights",
        )
        first = pl.identify(pl.compile(models.slide()), parameters=["k"], measurements=[hung])
        rings = pl.Measurement(
            {"t": t, "x": x + 2e-4 * noise(t.size)},
            {place: "x"},
            time="t",
            begin={"push/x": 8.0},
            step=2e-3,
            name="ring",
        )
        later = pl.identify(pl.compile(first.model), parameters=["c", "F"], measurements=[rings], given=first)
        for name, value in truth.items():
            each = (first if name == "k" else later).estimate(name)
            inside[name] += each.low <= value <= each.high
    fewest = float(binom.ppf(RISK, seeds, 0.95))
    for name, count in inside.items():
        words = f"stiffness, then damper and friction: {name} within its interval of 95 %, of {seeds} seeds"
        expected = 0.95 * seeds
        yield absolute(words, "1", expected, float(count), tolerance=expected - fewest, kind="exact")


def covered(seeds: int = SEEDS) -> Iterator[Row]:
    """Count, over 100 seeds of noise, how often the truth is within its interval of 95 %: binomial."""
    from scipy.stats import binom

    fewest = float(binom.ppf(RISK, seeds, 0.95))
    truth = {"k": 2.5, "length": 0.5}
    system = pl.compile(models.pendulum().with_parameters(**truth))
    loads = np.linspace(-6.0, 6.0, 5)
    rests = [pl.statics(system.with_signals({"lift/y": f})) for f in loads]
    marker = "link/tip"
    clean = np.array([rest.position.sel(marker=marker).values for rest in rests])
    inside = dict.fromkeys(truth, 0)
    begin = pl.compile(models.pendulum())
    for seed in range(seeds):
        noisy = clean + 2e-3 * np.random.default_rng(seed).standard_normal(clean.shape)
        seen = pl.Measurement(
            {"F": loads, "x": noisy[:, 0], "y": noisy[:, 1]},
            {f"position:{marker}:x": "x", f"position:{marker}:y": "y"},
            signals={"lift/y": "F"},
        )
        found = pl.identify(begin, parameters=["k", "length"], measurements=[seen])
        for name, value in truth.items():
            each = found.estimate(name)
            inside[name] += each.low <= value <= each.high
    for name, count in inside.items():
        words = f"lifted link with noise: {name} within its interval of 95 %, of {seeds} seeds"
        expected = 0.95 * seeds
        yield absolute(words, "1", expected, float(count), tolerance=expected - fewest, kind="exact")


def strip() -> Iterator[Row]:
    """Check a steel strip that others bent: their modulus lies in the interval, and the fit is as near as theirs."""
    system = pl.compile(models.strip(), elements=pl.Exact(6, order=3))
    found = pl.identify(system, parameters=["E"], measurements=[models.strip_measured()])
    each = found.estimate("E")
    half = 0.5 * (each.high - each.low)
    yield absolute(
        "steel strip of Beléndez: modulus, within the interval of 95 %", "GPa", models.BELENDEZ_MODULUS / 1e9,
        each.value / 1e9, tolerance=half / 1e9, kind="published",
    )  # fmt: skip
    theirs = np.array(models.BELENDEZ_COMPUTED) - np.array(models.BELENDEZ)[:, 1]
    mine = found.agreement["Beléndez 2003"].rms["position:strip/tip:y"]
    rms = float(np.sqrt(np.mean(theirs**2)))
    yield absolute(
        "steel strip: RMS of deflections, as the authors'", "m", rms, mine, tolerance=PRINTED, kind="published"
    )


def arm() -> Iterator[Row]:
    """Check silicone arm: tip nearer than in the authors' fit; Poisson's ratio is named as one that cannot be known."""
    system = pl.compile(models.arm(), elements=models.ARM_ELEMENTS)
    found = pl.identify(system, parameters=["E", "rho"], measurements=[models.arm_measured()])
    rms = models.tip_rms(found.agreement["one tendon"])
    yield at_most("silicone arm: RMS distance of the tip, at most the authors' 35.6 mm", "m", rms, limit=0.0356,
                  kind="published")  # fmt: skip
    kept = list(range(0, 14, 2))
    other = pl.identify(
        system, parameters=["E", "rho", "nu"], measurements=[models.arm_measured(kept)],
    )  # fmt: skip
    named = [name for each in other.unknown for name in each.parts]
    yield absolute("silicone arm: Poisson's ratio is named as unknown, and it alone", "1", 1.0, float(named == ["nu"]),
                   tolerance=0.0, kind="itself")  # fmt: skip
