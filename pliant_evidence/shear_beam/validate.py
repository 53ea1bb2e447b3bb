"""Timoshenko's cantilever by shooting and by reduced elements, against the exact solution."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import pliant as pl
from pliant_evidence.shear_beam import theory
from pliant_gallery.shear_beam import LENGTH, model
from pliant_testing.validation import Row, absolute, at_most, case, relative

STEPS = 10  # MATLAB's solvers take at least ten steps, and here hardly more: its tolerances are met with ease
ELEMENTS = (10, 20, 50)
TIP = float(theory.deflection(LENGTH))


@case("shooting-timoshenko", source="shooting paper, example 1: eq. 13 and 14, figure 5; ERRATA 3")
def shooting_timoshenko() -> Iterator[Row]:
    """Errors of both Runge-Kutta pairs and of 10, 20, 50 reduced elements; how many elements equal the lower pair."""
    unit = "of the tip's"
    for elements in ELEMENTS:
        x, error = element_error(elements)
        name, expected = f"{elements} reduced elements, largest error", theory.reduced_element_error(x, elements).max()
        # the solution is rounded at 1e-12 of the tip, the error of 50 elements is 7e-5 of it
        yield relative(f"{name}: theory of it, found", unit, expected / TIP, worst(error), tolerance=1e-7, kind="exact")
    lower, expected = worst(shooting_error("2/3")[1]), float(theory.third_order_error(LENGTH, STEPS))
    name = f"shooting, orders 2/3, {STEPS} steps, largest error"
    yield relative(f"{name}: theory of it, found", unit, expected / TIP, lower, tolerance=1e-8, kind="exact")
    yield relative(f"{name}: from the model", unit, lower, worst(rod_error("2/3")[1]), tolerance=1e-8, kind="itself")
    for order in (4, "4/5"):
        name = f"shooting, order {order}, {STEPS} steps, largest error"
        yield at_most(name, unit, worst(shooting_error(order)[1]), limit=1e-12, kind="exact")
    coarse = ELEMENTS[0]
    same = coarse * np.sqrt(worst(element_error(coarse)[1]) / lower)
    name = "reduced elements that have the error of orders 2/3"
    yield absolute(name, "1", 50.0, same, tolerance=10.0, kind="published")


def worst(error: np.ndarray) -> float:
    """Return the largest of the errors, as a part of the tip's deflection."""
    return float(np.abs(error).max()) / TIP


def element_error(elements: int) -> tuple[np.ndarray, np.ndarray]:
    """Return places (m) and the missing deflection there (m), of linear two-node elements with reduced integration."""
    rest = pl.statics(pl.compile(model(), elements=pl.Linear(elements, integration="reduced")))
    x = rest.s.values * LENGTH
    return x, theory.deflection(x) - rest.shape.sel(axis="y").values


def shooting_error(order: int | str, steps: int = STEPS) -> tuple[np.ndarray, np.ndarray]:
    """Return the error of shooting as the paper does it: eq. 13 as plain functions, N = 1, equal steps."""
    shot = pl.shoot(theory.slope, theory.terminal, guess=np.zeros(4), order=order, step=1.0 / steps)
    (curve,) = shot.curves
    x = curve.u * LENGTH
    return x, theory.deflection(x) - curve.q[:, 0]


def rod_error(order: int | str, steps: int = STEPS) -> tuple[np.ndarray, np.ndarray]:
    """Return the error of shooting from the model: joints and loads become its terminal equations."""
    system = pl.compile(model(), formulation="shooting", subintervals=steps, order=order, step=1.0 / steps, linear=True)
    rest = pl.statics(system)
    x = rest.s.values * LENGTH
    return x, theory.deflection(x) - rest.shape.sel(axis="y").values
