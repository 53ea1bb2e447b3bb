"""Rayleigh damping of beams: alpha of mass and beta of stiffness, given directly or as a ratio at two frequencies.

alpha acts on the motion of the beam relative to its own best rigid motion, the one with the same momentum and angular
momentum: ``-alpha M v_rel`` has no resultant and no moment, and does not brake a beam that swings or flies (thesis 5.13
damps flexible coordinates only; ERRATA thesis 20). A mode of frequency w, of whose energy of motion in the beam the
share eta is relative, is damped by ``zeta = (alpha eta / w + beta w) / 2``. ``relative_to="ground"`` is the textbook's
C = alpha M + beta K, eta = 1: it brakes rigid motion too, as air or water would.

Equal ratios zeta at w1 and w2 for eta = 1 need ``alpha = 2 zeta w1 w2 / (w1 + w2)``, ``beta = 2 zeta / (w1 + w2)``
(thesis 3.7). The ratio ``(alpha / w + beta w) / 2`` is below zeta between the two frequencies and **exceeds it on both
sides**, below the first and above the second (ERRATA thesis 7); relative to the beam it is the upper bound.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import cos, exp, pi, sin, sqrt, tanh
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pliant.errors import ModelError
from pliant.model import checks
from pliant.model.kinds import Kind
from pliant.model.quantities import takes

if TYPE_CHECKING:
    from pliant.model.bodies.rigid import Beam

RELATIVE = ("beam", "ground")
SUPPORTS = ("pinned-pinned", "clamped-free", "clamped-clamped", "clamped-pinned", "free-free")


class Damping(Kind, ABC, abstract=True):
    """Base of dampings: Rayleigh coefficients of a beam, and the frame in which the mass part acts."""

    relative_to: str = "beam"

    @abstractmethod
    def coefficients(self, beam: Beam) -> tuple[float, float]:
        """Return (alpha, beta) in (1/s, s) for this beam."""


@dataclass(frozen=True)
class Rayleigh(Damping):
    """Damping alpha M + beta K of one beam.

    mass         alpha (1/s)
    stiffness    beta (s)
    relative_to  "beam": alpha acts on the motion relative to the beam's own rigid motion (the one with the same
                 momenta); "ground": on all motion

    >>> damping = Rayleigh.at_frequencies(0.01, 10.0, 50.0)
    >>> f"{damping.mass:.4f} 1/s, {damping.stiffness:.3e} s"
    '1.0472 1/s, 5.305e-05 s'
    """

    units: ClassVar = {"mass": "1/s", "stiffness": "s"}

    mass: float = 0.0
    stiffness: float = 0.0
    relative_to: str = field(default="beam", kw_only=True)

    def __post_init__(self) -> None:
        for key in ("mass", "stiffness"):
            self._set(**{key: checks.not_negative("Rayleigh", key, getattr(self, key))})
        checks.choice("Rayleigh", "relative_to", self.relative_to, RELATIVE)

    @classmethod
    @takes(ratio="1", f1="1/s", f2="1/s")
    def at_frequencies(cls, ratio: float, f1: float, f2: float, *, relative_to: str = "beam") -> Rayleigh:
        """Set damping ratio `ratio` at two frequencies (Hz), larger outside the two: exact for modes that bend the beam
        without moving it as a whole, or relative to the ground; other modes get less (see the module's note).
        """
        owner = "Rayleigh.at_frequencies"
        ratio = checks.not_negative(owner, "ratio", ratio)
        f1, f2 = checks.positive(owner, "f1", f1), checks.positive(owner, "f2", f2)
        return cls(*_coefficients(ratio, 2.0 * pi * f1, 2.0 * pi * f2), relative_to=relative_to)

    @classmethod
    @takes(frequencies="1/s", ratios="1")
    def fit(
        cls, frequencies: ArrayLike, ratios: ArrayLike, *, shares: ArrayLike = 1.0, relative_to: str = "beam"
    ) -> Rayleigh:
        """Identify the coefficients from damping ratios measured at frequencies (Hz), by least squares of
        ``zeta = (alpha eta / omega + beta omega) / 2``; two pairs are met exactly.

        shares  eta of every mode: the part of the beam's energy of motion that is relative to its best rigid motion; 1
                for a free beam, `moving_share` of supported ones, and always 1 relative to the ground

        >>> found, given = Rayleigh.fit([10.0, 40.0], [0.02, 0.02]), Rayleigh.at_frequencies(0.02, 10.0, 40.0)
        >>> abs(found.mass / given.mass - 1.0) < 1e-12, abs(found.stiffness / given.stiffness - 1.0) < 1e-12
        (True, True)
        """
        owner = "Rayleigh.fit"
        omega = 2.0 * pi * np.array(checks.numbers(owner, "frequencies", np.asarray(frequencies, float), least=2))
        zeta = np.array(checks.numbers(owner, "ratios", np.asarray(ratios, float), least=2))
        if omega.shape != zeta.shape or np.any(omega <= 0.0):
            raise checks.refuse(owner, "frequencies", frequencies, "as many positive numbers as there are ratios")
        eta = np.broadcast_to(np.asarray(shares, float), omega.shape)
        if not np.all((eta >= 0.0) & (eta <= 1.0)):
            raise checks.refuse(owner, "shares", shares, "numbers from 0 to 1, one or as many as there are ratios")
        alpha, beta = np.linalg.lstsq(0.5 * np.stack((eta / omega, omega), axis=1), zeta, rcond=None)[0]
        return cls(float(alpha), float(beta), relative_to=relative_to)

    @classmethod
    def of_modes(
        cls,
        ratio: float,
        supports: str = "pinned-pinned",
        modes: tuple[int, int] = (1, 2),
        *,
        relative_to: str = "beam",
    ) -> RayleighOfModes:
        """Damping ratio `ratio` at two bending modes of the beam alone, straight and held as `supports` says, if alpha
        acted on all motion of the beam (thesis 5.13, see the glossary): the ratio of these modes with
        ``relative_to="ground"``.

        Relative to the beam, mode n gets the part ``(eta_n a + b)/(a + b)`` of it, a = alpha/w and b = beta w: all of
        it if free-free, 0.35 and 0.88 if pinned-pinned, 0.15 and 0.95 if clamped-free. `fit` with `moving_share` finds
        coefficients for the ratio itself. Modes count from 1, the first that bends (rigid motion of a free beam is not
        counted).

        >>> from pliant.model import Beam, Section, STEEL
        >>> leaf = Beam("leaf", length=0.5, section=Section.rectangle(0.02, 0.001, STEEL))
        >>> alpha, beta = Rayleigh.of_modes(0.01).coefficients(leaf)
        >>> f"{alpha:.4f} 1/s, {beta:.3e} s"
        '0.9431 1/s, 6.786e-05 s'
        """
        return RayleighOfModes(ratio, supports, modes, relative_to=relative_to)

    def coefficients(self, beam: Beam) -> tuple[float, float]:
        return self.mass, self.stiffness


@dataclass(frozen=True)
class RayleighOfModes(Damping):
    """Made by ``Rayleigh.of_modes``: a ratio at two Euler-Bernoulli bending modes, resolved when the beam is known."""

    units: ClassVar = {"ratio": "1"}

    ratio: float
    supports: str = "pinned-pinned"
    modes: tuple[int, int] = (1, 2)
    relative_to: str = field(default="beam", kw_only=True)

    def __post_init__(self) -> None:
        owner = "Rayleigh.of_modes"
        checks.choice(owner, "relative_to", self.relative_to, RELATIVE)
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
    """Return the n-th root k L of the Euler-Bernoulli frequency equation; omega = (k L)^2 sqrt(EI / rhoA) / L^2.

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


def moving_share(supports: str, mode: int) -> float:
    """Return eta: the share of a bending mode's kinetic energy (straight, uniform beam) that remains without its best
    rigid motion; alpha relative to the beam damps by ``alpha eta / (2 omega)``.

    >>> [round(moving_share("pinned-pinned", n), 4) for n in (1, 2)], round(moving_share("free-free", 1), 4)
    ([0.1894, 0.3921], 1.0)
    """
    k = bending_root(checks.choice("moving_share", "supports", supports, SUPPORTS), mode)
    ends = supports.split("-")
    rows = [_deflection(k, float(place), order) for place in (0, 1) for order in _HELD[ends[place]]]
    shape = np.linalg.svd(np.array(rows))[2][-1]
    place, weight = np.polynomial.legendre.leggauss(16 + 8 * mode)
    s, weight = 0.5 * (1.0 + place), 0.5 * weight
    w = np.array([_deflection(k, float(at), 0) @ shape for at in s])
    rigid = (weight @ w) ** 2 + 12.0 * (weight @ (w * (s - 0.5))) ** 2
    return float(1.0 - rigid / (weight @ w**2))


_HELD = {"pinned": (0, 2), "clamped": (0, 1), "free": (2, 3)}  # derivatives that vanish at an end


def _deflection(k: float, s: float, order: int) -> NDArray[np.float64]:
    """Return derivatives, over k^order, of cos ks, sin ks, exp(-ks), exp(ks - k), which modes consist of."""
    turn = 0.5 * pi * order
    rise = exp(k * s - k)
    return np.array([cos(k * s + turn), sin(k * s + turn), (-1.0) ** order * exp(-k * s), rise])
