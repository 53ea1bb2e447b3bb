"""Shapes of undamped modes as functions of system and equilibrium, followed from one equilibrium to the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pliant._libraries import xarray as xr
from pliant.analyses.modes.modal import vibrations
from pliant.results import Result
from pliant.results.matching import is_repeated

NAME = "mode_shape"
NONE = "a mode of a repeated frequency has no shape of its own"


@dataclass(frozen=True)
class ModeShapes:
    """Shapes of so many modes, of a modal mass of 1 kg; NaN of those whose frequency is repeated."""

    modes: int

    def __call__(self, system: Any, rest: Result) -> xr.DataArray:
        found = vibrations(system, at=rest, modes=self.modes + 1, normalise="mass")  # one more may repeat the last
        shapes = found.mode_shape[: self.modes].assign_attrs(nan_means=NONE)
        own = xr.DataArray(~is_repeated(np.asarray(found.eigenvalue.values, complex))[: self.modes], dims="mode")
        return shapes.where(own).assign_attrs(shapes.attrs)

    def matched(self, before: np.ndarray, now: np.ndarray) -> np.ndarray:
        """Return the modes that are most like the ones before, with their sign."""
        first, second = (np.nan_to_num(each).reshape(len(each), -1) for each in (before, now))
        like = np.real(first.conj() @ second.T)
        like = like / np.maximum(np.outer(np.linalg.norm(first, axis=1), np.linalg.norm(second, axis=1)), 1e-300)
        order = np.argmax(np.abs(like), axis=1)
        signs = np.where(like[np.arange(len(order)), order] < 0.0, -1.0, 1.0)
        found = now[order] * signs.reshape(-1, *(1,) * (now.ndim - 1))
        return np.where(np.isnan(before), np.nan, found)

    def notes(self, values: np.ndarray) -> list[str]:
        """Return notes on modes without a shape of their own."""
        lost = np.flatnonzero(np.any(np.isnan(values), axis=tuple(range(1, values.ndim))))
        numbers = ", ".join(str(k + 1) for k in lost)
        note = f"modes {numbers} are repeated: any mixture of their shapes is one, and none has a derivative"
        return [note] if numbers else []
