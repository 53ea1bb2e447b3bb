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
    for order, limit in ((3, None), (4, 1e-12), (5, 1e-12)):
        x, error = shooting_error(order)
        if limit is None:
            worst = theory.third_order_error(LENGTH, STEPS)
            name = f"shooting, pair of orders 2 and 3, {STEPS} steps, largest error: theory of it, found"
            yield relative(name, "of the tip's", worst / TIP, np.abs(error).max() / TIP, tolerance=1e-8)
            lower = float(np.abs(error).max())
        else:
            name = f"shooting, order {order}, {STEPS} steps: largest error"
            yield at_most(name, "of the tip's", np.abs(error).max() / TIP, limit=limit)
    same = ELEMENTS[0] * float(np.sqrt(np.abs(element_error(ELEMENTS[0])[1]).max() / lower))
    yield absolute("reduced elements with the error of that pair (paper: 50)", "1", 50.0, same, tolerance=10.0, kind="published")


def element_error(elements: int) -> tuple[np.ndarray, np.ndarray]:
    """Places (m) and what the deflection there lacks (m), of linear two-node elements with reduced integration."""
    rest = pl.statics(pl.compile(model(), elements=pl.Linear(elements, integration="reduced")))
    x = rest.s.values * LENGTH
    return x, theory.deflection(x) - rest.shape.sel(axis="y").values
