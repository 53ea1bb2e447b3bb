"""Steady spins: how far rods stretch and how fast blades vibrate on coarse meshes."""

from __future__ import annotations

from collections.abc import Iterator
from math import pi, sqrt

import numpy as np

import pliant as pl
from pliant_evidence.error_estimates.ratios import ratio
from pliant_evidence.steady_spin import theory
from pliant_evidence.steady_spin.validate import blade
from pliant_gallery import spinning_beam
from pliant_testing.validation import Row

RATE = 6.0  # rad/s


def turning() -> Iterator[Row]:
    """Check the case "steady-spin"."""
    given = spinning_beam.data(2)
    system = pl.compile(spinning_beam.model(case=2), elements=4)
    held = system.with_signals(dict.fromkeys(system.signal_names, 0.0))
    found = pl.estimate(pl.statics, held, spin=given.speed)
    exact = theory.stretched(given.length, given.speed * sqrt(given.density / given.youngs_modulus))
    tip = {"marker": "arm/tip", "axis": "x"}
    true = abs(float(found.position.sel(tip)) - exact)
    yield ratio("spinning rod, 4 exact: extension", float(found.position_error.sel(tip)), true, "exact")
    for name, spatial in (("in the plane", False), ("in space", True)):
        system = pl.compile(blade(spatial=spatial), elements=6)
        rest = pl.statics(system, spin=pl.Spin(RATE) if spatial else RATE)
        modes = pl.estimate(pl.modal, system, at=rest, modes=2)
        lag, flap = theory.lag(RATE)[:2], theory.flap(RATE)[:2]
        known = np.sort([*lag, *flap] if spatial else lag)[:2] / (2.0 * pi)
        errors = np.abs(modes.frequency_hz.values - known)
        for mode, (estimated, error) in enumerate(zip(modes.frequency_hz_error.values, errors, strict=True), start=1):
            quantity = f"spinning blade {name}, 6 exact: frequency {mode}"
            yield ratio(quantity, float(estimated), float(error), "independent code")
