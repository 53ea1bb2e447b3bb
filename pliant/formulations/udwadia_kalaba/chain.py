"""A beam as a chain of rigid links: where it is cut, what the links weigh, what the joints between them resist.

The links at the ends have half the length of the others. The joint between links i and i+1 stands for the compliance of
the beam from the middle of one to the middle of the other; at the ends, from the end of the beam (paper, figure 7):

    1 / K_i = int ds / EI,   uniform beam: K = EI / l, l = L / (N - 1)   (paper, eq. 18)

Source: Yap, Rezgui, Lowenberg, Neild, Rahman, Modelling flexible multi-body systems within the Udwadia-Kalaba
framework, J. Comput. Nonlinear Dyn. 2022, section 4; Neild, McFadden, Williams, J. Sound Vib. 239, 2001 (shear).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, fields, replace
from math import pi
from typing import NamedTuple

import numpy as np

from pliant.errors import ConvergenceError, ModelError, OptionError
from pliant.model import Beam, Section

AUTO = "auto"
FEWEST, MOST = 2, 400  # links of a chain; the most that "auto" will take
RIGID = 1e-6  # of the highest frequency: a free chain moves as a whole below this
ITERATIONS = 60
WITHOUT_MASS = "{}: its section has no mass, so that its links cannot move. Give it a density."
_PLACES, _WEIGHTS = np.polynomial.legendre.leggauss(6)


@dataclass(frozen=True, repr=False)
class Lumped:
    """How a beam becomes a chain of rigid links.

    elements   number of links, or "auto": as few as give the first `modes` of the free beam within `accuracy`, and of
               the cantilever if a joint clamps the beam
    ends       "half": the links at the ends have half the length of the others; "equal": all are alike
    stiffness  K_T of every joint (N m/rad), in space of all directions or (torsion, about y, about z); None: from the
               section, EI / l
    damping    of every joint (N m s/rad), besides that of the beam
    shear      True: the joints slide across the chain too, against kappa GA / l; in space they stretch as well
    section    function from s in [0, 1] to Section, of a beam that is not uniform; None: the beam's section
    modes      ("auto") how many bending modes have to be right
    accuracy   ("auto") largest relative error of their frequencies

    >>> Lumped(20, damping=0.05)
    Lumped(20, damping=0.05)
    """

    elements: int | str = 20
    _: KW_ONLY
    ends: str = "half"
    stiffness: float | tuple[float, float, float] | None = None
    damping: float = 0.0
    shear: bool = False
    section: Callable[[float], Section] | None = None
    modes: int = 3
    accuracy: float = 0.01

    def __post_init__(self) -> None:
        if self.elements != AUTO and not _is_count(self.elements, FEWEST):
            raise OptionError(
                f'Lumped: elements is {self.elements!r}; give a whole number from {FEWEST} up, or "auto".'
            )
        if self.ends not in ("half", "equal"):
            raise OptionError(f'Lumped: ends is {self.ends!r}; it must be "half" or "equal".')
        if not isinstance(self.shear, bool):
            raise OptionError(f"Lumped: shear is {self.shear!r}; it must be True or False.")
        if not _is_count(self.modes, 1):
            raise OptionError(f"Lumped: modes is {self.modes!r}; give a whole number from 1 up.")
        if self.section is not None and not callable(self.section):
            raise OptionError(
                f"Lumped: section is {self.section!r:.60}; give a function from s in [0, 1] to a Section."
            )
        for name, least in (("stiffness", 1e-50), ("damping", 0.0), ("accuracy", 1e-6)):
            value = getattr(self, name)
            values = value if name == "stiffness" and isinstance(value, tuple) and len(value) == 3 else (value,)
            if value is not None and not all(_is_number(each) and least <= each < np.inf for each in values):
                word = "zero or positive" if least == 0.0 else f"positive, at least {least:g}"
                raise OptionError(f"Lumped: {name} is {value!r}; it must be a finite number, {word}.")

    def __repr__(self) -> str:
        others = ((f.name, getattr(self, f.name), f.default) for f in fields(self) if f.name != "elements")
        given = [f"{name}={getattr(value, '__name__', repr(value))}" for name, value, usual in others if value != usual]
        return f"Lumped({', '.join([repr(self.elements), *given])})"


class Chain(NamedTuple):
    """A beam cut into n links with n - 1 joints between them."""

    ends: np.ndarray  # (n + 1) places along the arc, from 0 to the length (m)
    mass: np.ndarray  # (n) kg
    centre: np.ndarray  # (n) place of the centre of mass along the arc (m)
    inertia: np.ndarray  # (n) about that (kg m^2)
    stiffness: np.ndarray  # (n - 1) K_T (N m/rad)
    damping: np.ndarray  # (n - 1) N m s/rad
    shear: np.ndarray | None  # (n - 1) K_S (N/m); None: the joints do not slide


def cut(beam: Beam, options: Lumped) -> Chain:
    """Cut a beam into links as the options say."""
    if options.elements == AUTO:
        options = replace(options, elements=enough(beam, options))
    ends, portions = places_of(beam, options)
    count, length = ends.size - 1, beam.length

    def per_length(name: str, at: np.ndarray) -> np.ndarray:
        return np.array([getattr(section_of(beam, options, s / length), name) for s in at.flat]).reshape(at.shape)

    def compliance(name: str) -> np.ndarray:
        places, weights = gauss(portions)
        return np.sum(weights / per_length(name, places), axis=1)

    places, weights = gauss(ends)
    lines, turns = per_length("mass_per_length", places), per_length("rotary_inertia", places)
    mass = np.sum(weights * lines, axis=1)
    if not np.all(mass > 0.0):
        raise ModelError(WITHOUT_MASS.format(beam.owner))
    centre = np.sum(weights * lines * places, axis=1) / mass
    inertia = np.sum(weights * (lines * (places - centre[:, None]) ** 2 + turns), axis=1)
    given = options.stiffness
    if isinstance(given, tuple):
        raise OptionError(f"{beam.owner}: stiffness = {given} has three numbers, but the model is planar. Give one.")
    stiffness = 1.0 / compliance("bending_stiffness") if given is None else np.full(count - 1, given)
    beta = beam.damping.coefficients(beam)[1] if beam.damping else 0.0
    shear = 1.0 / compliance("shear_stiffness") if options.shear else None
    return Chain(ends, mass, centre, inertia, stiffness, beta * stiffness + options.damping, shear)


def places_of(beam: Beam, options: Lumped) -> tuple[np.ndarray, np.ndarray]:
    """Along the arc (m): ends of the links, (n + 1), and of the pieces whose compliance the joints have, (n)."""
    count = int(options.elements)
    inner = (np.arange(1, count) - 0.5) / (count - 1) if options.ends == "half" else np.arange(1, count) / count
    ends = beam.length * np.concatenate([[0.0], inner, [1.0]])
    middles = 0.5 * (ends[:-1] + ends[1:])
    return ends, np.concatenate([[0.0], middles[1:-1], [beam.length]])


def frequencies(chain: Chain, modes: int | None = None, *, clamped: bool = False) -> np.ndarray:
    """Bending frequencies (Hz) of the chain alone, straight, undamped, free in space or clamped at its base; the lowest
    first.

    Coordinates: height of the base, angles of the links, and what the joints slide, if they do.

    >>> from pliant.model import STEEL, Section
    >>> leaf = Beam("leaf", length=0.5, section=Section.rectangle(0.02, 0.001, STEEL))
    >>> frequencies(cut(leaf, Lumped(20)), 2).round(2)
    array([21.27, 58.62])
    """
    from scipy.linalg import eigh

    n = chain.mass.size
    slides = n - 1 if chain.shear is not None else 0
    lengths = np.diff(chain.ends)
    heights = np.zeros((n, 1 + n + slides))  # of the centres of mass
    heights[:, 0] = 1.0
    for i in range(n):
        heights[i, 1 : 1 + i] = lengths[:i]
        heights[i, 1 + i] = chain.centre[i] - chain.ends[i]
        heights[i, 1 + n : 1 + n + min(i, slides)] = 1.0
    mass = heights.T @ (chain.mass[:, None] * heights)
    mass[range(1, 1 + n), range(1, 1 + n)] += chain.inertia
    bends = np.zeros((n - 1, 1 + n + slides))
    bends[range(n - 1), range(1, n)], bends[range(n - 1), range(2, n + 1)] = -1.0, 1.0
    stiffness = bends.T @ (chain.stiffness[:, None] * bends)
    if chain.shear is not None:
        stiffness[range(1 + n, 1 + n + slides), range(1 + n, 1 + n + slides)] += chain.shear
    held = 2 if clamped else 0
    squares = eigh(stiffness[held:, held:], mass[held:, held:], eigvals_only=True)
    bending = squares[squares > RIGID**2 * squares[-1]]
    return np.asarray(np.sqrt(bending)[:modes] / (2.0 * pi))


def enough(beam: Beam, options: Lumped, *, clamped: bool = False) -> int:
    """Number of links that gives the first ``options.modes`` bending frequencies within ``options.accuracy``: those of
    the free beam and, if ``clamped``, those of the cantilever.

    The reference is the chain itself with so many links that their number no longer matters: two fine chains tell the
    limit, as if errors fell with the square of the length of a link (Richardson; those of a free beam fall faster).
    """

    def found(count: int) -> np.ndarray:
        chain = cut(beam, replace(options, elements=count))
        return np.array([frequencies(chain, options.modes, clamped=held) for held in (False, clamped)])

    fine = max(80, 12 * options.modes)
    coarse, finer = found(fine + 1), found(2 * fine + 1)
    limit = finer + (finer - coarse) / 3.0

    def good(count: int) -> bool:
        return bool(np.max(np.abs(found(count) / limit - 1.0)) <= options.accuracy)

    low, high = options.modes + 1, options.modes + 2
    while not good(high):
        low, high = high, 2 * high
        if high > MOST:
            raise OptionError(
                f"{beam.owner}: {MOST} links do not give its first {options.modes} modes within {options.accuracy:g}. "
                "Ask for a larger accuracy= or fewer modes=."
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if good(middle) else (middle, high)
    return high


def identify_stiffness(
    beam: Beam, elements: int, reference: float | Sequence[float], *, modes: Sequence[int] = (1,), ends: str = "half"
) -> float:
    """The one K_T (N m/rad) of all joints with which the free chain has the reference frequencies (Hz) of `modes`.

    Found by iteration, as in section 4 of the paper: chain after chain is made and its frequencies are compared. One
    frequency is met exactly; of several, the squares of the relative errors are least.

    >>> from pliant.model import STEEL, Section
    >>> leaf = Beam("leaf", length=0.5, section=Section.rectangle(0.02, 0.001, STEEL))
    >>> round(identify_stiffness(leaf, 9, 21.266), 2), round(float(cut(leaf, Lumped(9)).stiffness[0]), 2)
    (5.6, 5.6)
    """
    try:
        wanted, numbers = np.atleast_1d(np.asarray(reference, float)), [int(mode) for mode in modes]
    except (TypeError, ValueError):
        wanted, numbers = np.empty(0), list(modes)
    if wanted.ndim != 1 or wanted.size != len(numbers) or not np.all((wanted > 0.0) & (wanted < np.inf)):
        raise OptionError(f"identify_stiffness: give one positive reference frequency for each of modes={numbers}.")
    if min(numbers) < 1 or max(numbers) > elements - 1:
        raise OptionError(f"identify_stiffness: modes={numbers}: a free chain of {elements} links has {elements - 1}.")
    options = Lumped(elements, ends=ends)
    guess = float(np.mean(cut(beam, options).stiffness))
    for _ in range(ITERATIONS):
        found = frequencies(cut(beam, replace(options, stiffness=guess)))[np.array(numbers) - 1]
        share = found / wanted  # proportional to sqrt(K): the least sum of (factor share - 1)^2
        factor = float(np.sum(share) / np.sum(share**2))
        guess *= factor**2
        if abs(factor - 1.0) < 1e-14:
            return guess
    if abs(factor - 1.0) < 1e-9:
        return guess
    raise ConvergenceError(f"{beam.owner}: no stiffness of its joints was found for {wanted} Hz.")


def gauss(ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places and weights of Gauss quadrature between neighbouring ends, (pieces, points)."""
    half = 0.5 * np.diff(ends)[:, None]
    return 0.5 * (ends[1:] + ends[:-1])[:, None] + half * _PLACES, half * _WEIGHTS


def section_of(beam: Beam, options: Lumped, s: float) -> Section:
    """Section at the part s of a beam, as the options have it."""
    try:
        found = (options.section or beam.section_at)(float(s))
    except TypeError as error:
        raise OptionError(
            f"{beam.owner}: its section= failed at s = {s:g}: {error}. Give a function of s in [0, 1] to a Section."
        ) from error
    if not isinstance(found, Section):
        raise OptionError(f"{beam.owner}: its section at s = {s:g} is {found!r:.60}; the function must give a Section.")
    return found


def _is_count(value: object, least: int) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and int(value) >= least


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.floating | np.integer) and not isinstance(value, bool)
