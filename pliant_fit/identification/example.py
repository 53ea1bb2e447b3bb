"""Example of a small identification, made by hand for examples and tests of plots: nothing is computed."""

from __future__ import annotations

import numpy as np

from pliant._libraries import xarray as xr
from pliant.model import Model
from pliant.results.records import Outcome, Provenance
from pliant_fit.identification.identification import Estimate, Identification, Series
from pliant_fit.measurements.agreement import Agreement, fit


def example() -> Identification:
    """Return modulus and density of a strip, from six deflections.

    >>> example().ok
    True
    """
    loads = np.linspace(0.0, 5.0, 6)
    computed = -2e-3 * loads
    measured = computed + 1e-5 * np.array([1.0, -2.0, 0.5, 1.5, -1.0, 0.0])
    names = ["E", "rho"]
    spread = np.array([[4e18, 8e9], [8e9, 100.0]])
    row = fit("position:beam/tip:y", "m", loads, measured, computed)
    return Identification(
        {
            "E": Estimate("E", 200e9, 196e9, 204e9, 2e9, 150e9, "Pa"),
            "rho": Estimate("rho", 7850.0, 7830.0, 7870.0, 10.0, 7000.0, "kg/m^3"),
        },
        xr.DataArray(spread, {"parameter": names, "other": names}, ("parameter", "other")),
        Model("strip"),
        {"weights": Agreement("weights", (row,))},
        {},
        (),
        dict.fromkeys(names, "on the equations"),
        (Series("weights", "position:beam/tip:y", "m", loads, measured, computed, "row", 1e-5),),
        Outcome(True, "2 parameters from 6 values"),
        Provenance("strip", "identify"),
    )
