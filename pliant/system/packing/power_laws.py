"""Numbers that are powers of a parameter: a system with another value of it tells those of all others.

    N(p) = c p^k   ->   k = log(N(p') / N(p)) / log(p' / p),   N(p'') = N(p) (p'' / p)^k

Most are: stiffnesses and masses go with a modulus, a density, a length, forces with themselves, the stiffness of a
strip in bending with the cube of its thickness, its damping with the root of that. A whole or half k is no accident:
where N is no power, what is found in the place of k changes with p', and is whole to nine digits for no reason. What is
zero but for rounding, and therefore changes at will, stays.
"""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np

from pliant.system.packing.along_derivative import Numbers

WHOLE = 1e-9  # how near to a whole or half number an exponent is, which rounding leaves 1e-10 of
DUST, AT_WILL = 1e-14, 0.01  # of the largest number of an array: what is rounding; of itself: how it changes, then


class Powers(NamedTuple):
    """Numbers, and their exponents: NaN of those that are no powers, none of arrays that stay."""

    here: Numbers
    exponents: Numbers

    @classmethod
    def of(cls, here: Numbers, other: Numbers, sizes: Numbers, ratio: float) -> Powers:
        """From those with a parameter that is larger by a ratio, of none of them where this is not positive; ``sizes``:
        the largest of the array that each is in.
        """
        return cls(here, Numbers(*(_exponents(ratio, *each) for each in zip(here, other, sizes, strict=True))))

    def unknown(self, name: str) -> np.ndarray:
        """Which numbers of an array are no powers."""
        return np.isnan(self._of(name))

    def changed(self, name: str) -> np.ndarray:
        """Which numbers of an array depend on the parameter."""
        return np.asarray(self._of(name) != 0.0)

    def _of(self, name: str) -> np.ndarray:
        exponents: np.ndarray = getattr(self.exponents, name)
        return exponents if exponents.size else np.zeros(getattr(self.here, name).shape)

    @property
    def all(self) -> bool:
        """Whether all of them are powers."""
        return not any(np.isnan(each).any() for each in self.exponents)

    def at(self, ratio: float, packed: Numbers | None = None) -> Numbers:
        """Numbers where the parameter is larger by a ratio; those that are no powers as they were packed there."""
        others = packed or self.here
        return Numbers(*(_at(ratio, *each) for each in zip(self.here, self.exponents, others, strict=True)))


def _at(ratio: float, here: np.ndarray, exponents: np.ndarray, packed: np.ndarray) -> np.ndarray:
    if not exponents.size:
        return here
    return np.where(np.isnan(exponents), packed, here * ratio**exponents)


def _exponents(ratio: float, here: np.ndarray, other: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Zero where nothing changes."""
    if other is here:
        return np.empty(0)
    found, changed = np.zeros(here.shape), other != here
    low, high = here[changed], other[changed]
    powers = np.full(low.size, np.nan)
    if ratio > 0.0:
        with np.errstate(divide="ignore", invalid="ignore"):
            twice = 2.0 * np.log(high / low) / log(ratio)
            whole = np.rint(twice)
            known = np.abs(twice - whole) <= 2.0 * WHOLE
        powers[known] = 0.5 * whole[known]
    dust = np.maximum(np.abs(low), np.abs(high)) <= DUST * np.broadcast_to(size, here.shape)[changed]
    powers[dust & (np.abs(high - low) > AT_WILL * np.abs(low))] = 0.0
    found[changed] = powers
    return found
