"""Scatter of quantities against closed forms: normal and lognormal numbers, Ishigami's function, a strip, a truss."""

from __future__ import annotations

from collections.abc import Iterator
from math import exp, pi, sin, sqrt
from typing import Any

import numpy as np
from scipy import optimize, stats

import pliant as pl
from pliant_evidence.optimise.designs import snapping, strip
from pliant_testing.validation import Row, absolute, at_most, case, relative

SAMPLED = 0.02  # of a standard deviation or an index: what 1024 points of quasi-Monte Carlo leave
FEW = 0.1  # the same of 64
NORMAL = {"x": stats.norm(1.0, 0.3), "y": stats.norm(-2.0, 0.2)}
A, B = 7.0, 0.1  # of Ishigami's function
STIFFNESS, SPAN, HEIGHT = 1000.0, 1.0, 0.2  # of the truss


@case("uncertainty", source="closed forms; Ishigami and Homma (1990)")
def uncertainty() -> Iterator[Row]:
    """Check how quantities scatter when parameters do: first order, samples, indices, probabilities."""
    yield from functions()
    yield from ishigami()
    yield from mechanisms()


def functions() -> Iterator[Row]:
    """Check sums of normal, products of lognormal numbers."""
    found = pl.uncertainty(lambda x, y: 3.0 * x - 4.0 * y, to=NORMAL, samples=1024, limits=["value <= 12"])
    wide = sqrt(0.9**2 + 0.8**2)
    known, seen = found.first_order["value"], found.sampled["value"]
    yield relative("sum of normal numbers: deviation, first order", "1", wide, known.std, tolerance=1e-9, kind="exact")
    yield relative("its deviation, samples", "1", wide, seen.std, tolerance=SAMPLED, kind="exact")
    yield relative("its share of x", "1", (0.9 / wide) ** 2, known.shares["x"], tolerance=1e-9, kind="exact")
    odds = found.probability("value <= 12")
    exact = stats.norm(11.0, wide).cdf(12.0)
    yield relative(
        "its probability to be below 12, first order", "1", exact, odds.first_order, tolerance=1e-9, kind="exact"
    )
    yield absolute("the same, samples", "1", exact, odds.value, tolerance=0.01, kind="exact")
    yield at_most(
        "it is outside of the interval told", "1", float(not odds.low <= exact <= odds.high), limit=0.0, kind="exact"
    )
    to = {"x": stats.lognorm(0.2, scale=2.0), "y": stats.lognorm(0.1, scale=0.5)}
    product = pl.uncertainty(lambda x, y: x * y, to=to, samples=1024)
    width = sqrt(0.2**2 + 0.1**2)
    mean = exp(0.5 * width**2)
    seen = product.sampled["value"]
    yield relative("product of lognormal numbers: mean", "1", mean, seen.mean, tolerance=2e-3, kind="exact")
    deviation = mean * sqrt(exp(width**2) - 1.0)
    yield relative("its deviation, samples", "1", deviation, seen.std, tolerance=SAMPLED, kind="exact")
    for edge, share, name in zip(product.interval("value"), (0.025, 0.975), ("low", "high"), strict=True):
        quantile = exp(width * stats.norm.ppf(share))
        yield relative(f"its {name} end of 95 %", "1", quantile, float(edge), tolerance=0.03, kind="exact")


def function(x1: float, x2: float, x3: float) -> float:
    """Evaluate T. Ishigami, T. Homma, First Int. Symp. on Uncertainty Modeling and Analysis (1990) 398."""
    return sin(x1) + A * sin(x2) ** 2 + B * x3**4 * sin(x1)


def ishigami() -> Iterator[Row]:
    """Check Sobol indices in closed form."""
    one, two = 0.5 * (1.0 + B * pi**4 / 5.0) ** 2, A**2 / 8.0
    both = B**2 * pi**8 * (1.0 / 18.0 - 1.0 / 50.0)
    whole = one + two + both
    span = (-pi, pi)
    found = pl.uncertainty(function, to={"x1": span, "x2": span, "x3": span}, samples=1024, indices=True)
    mine = found.indices["value"]
    first, total = (one, two, 0.0), (one + both, two, both)
    for k, name in enumerate(("x1", "x2", "x3")):
        text = f"Ishigami's function: index of {name}"
        yield absolute(text, "1", first[k] / whole, mine.first[name], tolerance=0.03, kind="exact")
        yield absolute(f"{text}, total", "1", total[k] / whole, mine.total[name], tolerance=0.03, kind="exact")
    yield relative("its variance", "1", whole, found.sampled["value"].std ** 2, tolerance=SAMPLED, kind="exact")
    text = "first order knows neither of x2 and x3, and is not ok: ok"
    yield at_most(text, "1", float(found.ok), limit=0.0, kind="itself")


def height_at(push: float) -> float:
    """Return where the truss rests under a push, on its first branch: F = 2 k y (1 - l/r)."""
    long = np.hypot(SPAN, HEIGHT)
    top = limit()[1]

    def force(y: float) -> float:
        return float(2.0 * STIFFNESS * y * (1.0 - long / np.hypot(SPAN, y)))

    return float(optimize.brentq(lambda y: force(y) - push, top, 2.0))


def limit() -> tuple[float, float]:
    """Push at which the truss snaps, and its height there: r^3 = l a^2."""
    long = float(np.hypot(SPAN, HEIGHT))
    r = (long * SPAN**2) ** (1.0 / 3.0)
    y = sqrt(r**2 - SPAN**2)
    return 2.0 * STIFFNESS * y * (1.0 - long / r), y


def mechanisms() -> Iterator[Row]:
    """Check a strip whose thickness is lognormal, and a truss near its limit point."""
    width = 0.02
    system = pl.compile(strip(), elements=pl.Exact(1, order=3))
    name = "stiffness:beam/tip:y"
    found = pl.uncertainty(system, to={"h": stats.lognorm(width, scale=2e-3)}, of=[name], samples=64)
    known, seen = found.first_order[name], found.sampled[name]
    middle = 3.0 * 210e9 * 0.02 * 2e-3**3 / 12.0 / 0.5**3
    mean, spread = middle * exp(0.5 * (3.0 * width) ** 2), sqrt(exp((3.0 * width) ** 2) - 1.0)
    yield relative(
        "stiffness of a strip, thickness lognormal: mean", "N/m", mean, seen.mean, tolerance=2e-3, kind="exact"
    )
    yield relative("its deviation, samples", "N/m", mean * spread, seen.std, tolerance=FEW, kind="exact")
    yield relative("its deviation, first order", "N/m", mean * spread, known.std, tolerance=5e-3, kind="exact")
    load, _ = limit()
    truss: Any = pl.compile(snapping())
    where = "position:top(0, 0):y"
    far = stats.norm(0.3 * load, 0.05 * abs(load))
    near = stats.uniform(0.999 * load, 0.1 * abs(load))
    for text, spread_of, agrees in (("far from", far, True), ("near", near, False)):
        found = pl.uncertainty(truss, to={"push": spread_of}, of=[where], samples=64)
        shares = (np.arange(400) + 0.5) / 400.0
        exact = np.array([height_at(float(push)) for push in spread_of.ppf(shares)])
        seen, known = found.sampled[where], found.first_order[where]
        title = f"height of a truss {text} its limit point"
        yield relative(f"{title}: mean", "m", exact.mean(), seen.mean, tolerance=2e-3, kind="exact")
        yield relative(f"{title}: deviation, samples", "m", exact.std(), seen.std, tolerance=FEW, kind="exact")
        off = abs(known.std / exact.std() - 1.0)
        limit_of_it = f"first order is {'within' if agrees else 'off by more than'} 10 %"
        yield at_most(f"{title}: {limit_of_it}: not so", "1", float((off <= 0.1) != agrees), limit=0.0, kind="exact")
    risky = stats.norm(load + 0.05 * abs(load), 0.1 * abs(load))
    snaps = pl.uncertainty(truss, to={"push": risky}, of=[where], samples=256).snaps
    text = "probability that a truss snaps"
    yield absolute(text, "1", float(risky.cdf(load)), snaps.value, tolerance=0.02, kind="exact")
