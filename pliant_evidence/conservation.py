"""Rows of what a motion must keep: joints closed, energy."""

from __future__ import annotations

import numpy as np

import pliant as pl
from pliant_testing.validation import Row, at_most


def joints_closed(quantity: str, run: pl.Result, *, limit: float = 1e-10) -> Row:
    """Check that the joints are never open by more than a limit (m)."""
    return at_most(quantity, "m", run.outcome.constraint_error, limit=limit, kind="conservation law")


def energy_kept(quantity: str, energy: np.ndarray, *, limit: float) -> Row:
    """Check that energy, which nothing changes, varies by less than a share of its value at first."""
    return at_most(quantity, "of itself", np.ptp(energy) / energy[0], limit=limit, kind="conservation law")


def energy_balanced(quantity: str, share: float, *, limit: float) -> Row:
    """Check that energy and work balance but for a share of the range of the energies."""
    return at_most(quantity, "of its range", share, limit=limit, kind="conservation law")
