"""Timoshenko's cantilever by shooting and by reduced elements, against the exact solution."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import pliant as pl
from pliant.gallery.shear_beam import LENGTH, model, theory
from pliant.validation import Row, absolute, at_most, case, relative

STEPS = 10  # MATLAB's solvers take at least ten steps, and here hardly more: its tolerances are met with ease
ELEMENTS = (10, 20, 50)
TIP = float(theory.deflection(LENGTH))


@case("shooting-timoshenko", source="shooting paper, example 1: eq. 13 and 14, figure 5; ERRATA 3")
def shooting_timoshenko() -> Iterator[Row]:
    """Errors of both Runge-Kutta pairs and of 10, 20, 50 reduced elements; how many elements equal the lower pair."""
    for elements in ELEMENTS:
        x, error = element_error(elements)
        worst = theory.reduced_element_error(x, elements).max()
        name = f"{elements} reduced elements, largest error: theory of it, found"
        yield relative(name, "of the tip's", worst / TIP, np.abs(error).max() / TIP, tolerance=1e-8)
    lower = np.abs(shooting_error("2/3")[1]).max()
    name = f"shooting, orders 2/3, {STEPS} steps, largest error: theory of it, found"
    yield relative(name, "of the tip's", theory.third_order_error(LENGTH, STEPS) / TIP, lower / TIP, tolerance=1e-8)
    for order in (4, "4/5"):
        worst = np.abs(shooting_error(order)[1]).max()
        yield at_most(f"shooting, order {order}, {STEPS} steps: largest error", "of the tip's", worst / TIP, limit=1e-12)
    model_of_it = np.abs(rod_error("2/3")[1]).max()
    yield relative("the same model compiled, orders 2/3: largest error", "of the tip's", lower / TIP, model_of_it / TIP, tolerance=1e-8)
    coarse = ELEMENTS[0]
    same = coarse * np.sqrt(np.abs(element_error(coarse)[1]).max() / lower)
    name = "reduced elements that have the error of orders 2/3"
    yield absolute(name, "1", 50.0, same, tolerance=10.0, kind="published")


def element_error(elements: int) -> tuple[np.ndarray, np.ndarray]:
    """Places (m) and what the deflection there lacks (m), of linear two-node elements with reduced integration."""
    rest = pl.statics(pl.compile(model(), elements=pl.Linear(elements, integration="reduced")))
    x = rest.s.values * LENGTH
    return x, theory.deflection(x) - rest.shape.sel(axis="y").values


def shooting_error(order: int | str, steps: int = STEPS) -> tuple[np.ndarray, np.ndarray]:
    """The same by shooting as the paper does it: eq. 13 as plain functions, N = 1, equal steps."""
    shot = pl.shoot(theory.slope, theory.terminal, guess=np.zeros(4), order=order, step=1.0 / steps)
    (curve,) = shot.curves
    x = curve.u * LENGTH
    return x, theory.deflection(x) - curve.q[:, 0]


def rod_error(order: int | str, steps: int = STEPS) -> tuple[np.ndarray, np.ndarray]:
    """The same by shooting from the model: joints and loads become its terminal equations."""
    system = pl.compile(
        model(), formulation="shooting", subintervals=steps, order=order, step=1.0 / steps, linear=True
    )
    rest = pl.statics(system)
    x = rest.s.values * LENGTH
    return x, theory.deflection(x) - rest.shape.sel(axis="y").values
