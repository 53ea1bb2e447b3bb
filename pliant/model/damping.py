"""Rayleigh damping of beams: C = alpha M + beta K, given directly or as a ratio at two frequencies or modes.

Equal ratios zeta at omega_1 and omega_2 need ``alpha = 2 zeta w1 w2 / (w1 + w2)``, ``beta = 2 zeta / (w1 + w2)``
(thesis 3.7). The ratio ``(alpha / w + beta w) / 2`` is below zeta between the two frequencies and **exceeds it on both
sides**, below the first and above the second (ERRATA thesis 7): slow rigid motion and high modes are damped more.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, exp, pi, sin, sqrt, tanh
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ModelError
from pliant.model import checks
from pliant.model.kinds import Kind

if TYPE_CHECKING:
    from pliant.model.bodies import Beam

SUPPORTS = ("pinned-pinned", "clamped-free", "clamped-clamped", "clamped-pinned", "free-free")


class Damping(Kind, ABC, abstract=True):
    """Anything that can say a beam's Rayleigh coefficients."""

    @abstractmethod
    def coefficients(self, beam: Beam) -> tuple[float, float]:
        """(alpha, beta) in (1/s, s) for this beam."""


@dataclass(frozen=True)
class Rayleigh(Damping):
    """Damping alpha M + beta K of one beam: `mass` is alpha (1/s), `stiffness` is beta (s).

    >>> damping = Rayleigh.at_frequencies(0.01, 10.0, 50.0)
    >>> f"{damping.mass:.4f} 1/s, {damping.stiffness:.3e} s"
    '1.0472 1/s, 5.305e-05 s'
    """

    units: ClassVar = {"mass": "1/s", "stiffness": "s"}

    mass: float = 0.0
    stiffness: float = 0.0

    def __post_init__(self) -> None:
        for key in ("mass", "stiffness"):
            self._set(**{key: checks.not_negative("Rayleigh", key, getattr(self, key))})

    @classmethod
    def at_frequencies(cls, ratio: float, f1: float, f2: float) -> Rayleigh:
        """Damping ratio `ratio` at two frequencies (Hz); more than that outside the two (see the module's note)."""
        owner = "Rayleigh.at_frequencies"
        ratio = checks.not_negative(owner, "ratio", ratio)
        f1, f2 = checks.positive(owner, "f1", f1), checks.positive(owner, "f2", f2)
        return cls(*_coefficients(ratio, 2.0 * pi * f1, 2.0 * pi * f2))

    @classmethod
    def fit(cls, frequencies: ArrayLike, ratios: ArrayLike) -> Rayleigh:
        """Identify the coefficients from damping ratios measured at frequencies (Hz), by least squares of
        ``zeta = (alpha / omega + beta omega) / 2``; two pairs are met exactly.

        >>> found, given = Rayleigh.fit([10.0, 40.0], [0.02, 0.02]), Rayleigh.at_frequencies(0.02, 10.0, 40.0)
        >>> abs(found.mass / given.mass - 1.0) < 1e-12, abs(found.stiffness / given.stiffness - 1.0) < 1e-12
        (True, True)
        """
        owner = "Rayleigh.fit"
        omega = 2.0 * pi * np.array(checks.numbers(owner, "frequencies", np.asarray(frequencies, float), least=2))
        zeta = np.array(checks.numbers(owner, "ratios", np.asarray(ratios, float), least=2))
        if omega.shape != zeta.shape or np.any(omega <= 0.0):
            raise checks.refuse(owner, "frequencies", frequencies, "as many positive numbers as there are ratios")
        alpha, beta = np.linalg.lstsq(0.5 * np.stack((1.0 / omega, omega), axis=1), zeta, rcond=None)[0]
        return cls(float(alpha), float(beta))

    @classmethod
    def of_modes(
        cls, ratio: float, supports: str = "pinned-pinned", modes: tuple[int, int] = (1, 2)
    ) -> RayleighOfModes:
        """Damping ratio `ratio` at two bending modes of the beam alone, straight and held as `supports` says.

        Modes count from 1, the first that bends (rigid motion of a free beam is not counted).

        >>> from pliant.model import Beam, Section, STEEL
        >>> leaf = Beam("leaf", length=0.5, section=Section.rectangle(0.02, 0.001, STEEL))
        >>> alpha, beta = Rayleigh.of_modes(0.01).coefficients(leaf)
        >>> f"{alpha:.4f} 1/s, {beta:.3e} s"
        '0.9431 1/s, 6.786e-05 s'
        """
        return RayleighOfModes(ratio, supports, modes)

    def coefficients(self, beam: Beam) -> tuple[float, float]:
        return self.mass, self.stiffness


@dataclass(frozen=True)
class RayleighOfModes(Damping):
    """Made by ``Rayleigh.of_modes``: a ratio at two Euler-Bernoulli bending modes, resolved when the beam is known."""

    units: ClassVar = {"ratio": "1"}

    ratio: float
    supports: str = "pinned-pinned"
    modes: tuple[int, int] = (1, 2)

    def __post_init__(self) -> None:
        owner = "Rayleigh.of_modes"
        self._set(ratio=checks.not_negative(owner, "ratio", self.ratio))
        checks.choice(owner, "supports", self.supports, SUPPORTS)
        modes = self.modes
        if not (
            isinstance(modes, Sequence)
            and len(modes) == 2
            and all(isinstance(n, int) and not isinstance(n, bool) and n >= 1 for n in modes)
            and modes[0] != modes[1]
        ):
            raise checks.refuse(owner, "modes", modes, "two different whole numbers from 1 up", "Try modes=(1, 2).")
        self._set(modes=tuple(modes))

    def coefficients(self, beam: Beam) -> tuple[float, float]:
        section = beam.section_at(0.5)
        if section.mass_per_length == 0.0:
            raise ModelError(
                f"{beam.owner}: its section has no mass, so it has no modes to damp. "
                f"Give a density, or Rayleigh(stiffness=...)."
            )
        scale = sqrt(section.bending_stiffness / section.mass_per_length) / beam.length**2
        first, second = (scale * bending_root(self.supports, n) ** 2 for n in self.modes)
        return _coefficients(self.ratio, first, second)


def _coefficients(ratio: float, w1: float, w2: float) -> tuple[float, float]:
    return 2.0 * ratio * w1 * w2 / (w1 + w2), 2.0 * ratio / (w1 + w2)


def bending_root(supports: str, mode: int) -> float:
    """n-th root k L of the Euler-Bernoulli frequency equation; omega = (k L)^2 sqrt(EI / rhoA) / L^2.

    pinned-pinned: sin = 0; clamped-free: cos cosh = -1; clamped-clamped, free-free: cos cosh = 1; clamped-pinned:
    tan = tanh. Newton's method on bounded forms of these, from the asymptotic roots.

    >>> bending_root("clamped-free", 1)
    1.8751040687119611
    """
    if supports == "pinned-pinned":
        return mode * pi
    if supports == "clamped-pinned":
        x = (mode + 0.25) * pi
        for _ in range(8):  # f = sin x - tanh x cos x, f' = cos x + tanh x sin x - cos x / cosh^2 x
            th = tanh(x)
            x -= (sin(x) - th * cos(x)) / (th * th * cos(x) + th * sin(x))
        return x
    sign = 1.0 if supports == "clamped-free" else -1.0
    x = (mode - 0.5 * sign) * pi
    for _ in range(30):  # f = cos x +- sech x
        sech = 2.0 * exp(-x) / (1.0 + exp(-2.0 * x))
        x -= (cos(x) + sign * sech) / (-sin(x) - sign * sech * tanh(x))
    return x
