"""A beam as a chain of rigid links: division into links, their masses, stiffness of the joints between them.

The links at the ends have half the length of the others. The joint between links i and i+1 stands for the compliance of
the beam from the middle of one to the middle of the other; at the ends, from the end of the beam (paper, figure 7):

    1 / K_i = int ds / EI,   uniform beam: K = EI / l, l = L / (N - 1)   (paper, eq. 18)

Source: Yap, Rezgui, Lowenberg, Neild, Rahman, Modelling flexible multi-body systems within the Udwadia-Kalaba
framework, J. Comput. Nonlinear Dyn. 2022, section 4; Neild, McFadden, Williams, J. Sound Vib. 239, 2001 (shear).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import pi
from typing import NamedTuple

import numpy as np

from pliant.errors import ConvergenceError, ModelError, OptionError
from pliant.formulations.udwadia_kalaba.lumped import LEAST_STIFFNESS, Lumped, PerJoint, is_number
from pliant.model import Beam, Section
from pliant.system.limits.strain_limits import levers

FINE = 2000  # pieces of a beam for the sum of a function of s that defines the lengths of links
RIGID = 1e-6  # of the highest frequency: rigid motions of a free chain are below this
ITERATIONS = 60
WITHOUT_MASS = "{}: its section has no mass, so that its links cannot move. Give it a density."
_PLACES, _WEIGHTS = np.polynomial.legendre.leggauss(6)


class Chain(NamedTuple):
    """A beam cut into n links with n - 1 joints between them."""

    ends: np.ndarray  # (n + 1) places along the arc, from 0 to the length (m)
    mass: np.ndarray  # (n) kg
    centre: np.ndarray  # (n) place of the centre of mass along the arc (m)
    inertia: np.ndarray  # (n) about that (kg m^2)
    stiffness: np.ndarray  # (n - 1) K_T (N m/rad)
    damping: np.ndarray  # (n - 1) N m s/rad
    shear: np.ndarray | None  # (n - 1) K_S (N/m); None: the joints do not slide

    @property
    def places(self) -> np.ndarray:
        """Places of the frames of its links along the arc (m)."""
        return self.centre


def cut(beam: Beam, options: Lumped) -> Chain:
    """Divide a beam into links by the options."""
    ends, portions = places_of(beam, options)
    options, length = by_place(options, ends / beam.length), beam.length

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
    stiffness = 1.0 / compliance("bending_stiffness")
    if options.stiffness is not None:
        stiffness = at_joints(beam, "stiffness", options.stiffness, ends)
    beta = beam.damping.coefficients(beam)[1] if beam.damping else 0.0
    damping = beta * stiffness + at_joints(beam, "damping", options.damping, ends)
    shear = 1.0 / compliance("shear_stiffness") if options.shear else None
    return Chain(ends, mass, centre, inertia, stiffness, damping, shear)


def surface_strains(beam: Beam, options: Lumped) -> np.ndarray:
    """Return the (n - 1, 3) strains at the surface per angle of every joint (1/rad): twist, bending about y and z."""
    ends, portions = places_of(beam, options)
    options = by_place(options, ends / beam.length)
    sections = [section_of(beam, options, s / beam.length) for s in ends[1:-1]]
    found = np.array([levers(section)[3:] for section in sections]).reshape(-1, 3)
    return np.asarray(found / np.diff(portions)[:, None])


def places_of(beam: Beam, options: Lumped) -> tuple[np.ndarray, np.ndarray]:
    """Return arc places (m): ends of the links, (n + 1), and of the pieces with the joints' compliance, (n)."""
    count, shares = int(options.elements), options.lengths
    if shares is None:
        inner = (np.arange(1, count) - 0.5) / (count - 1) if options.ends == "half" else np.arange(1, count) / count
    elif callable(shares):
        at = np.linspace(0.0, 1.0, FINE + 1)
        passed = np.cumsum([0.0, *(1.0 / _positive(beam, "lengths", shares, s) for s in 0.5 * (at[1:] + at[:-1]))])
        inner = np.interp(np.arange(1, count) / count * passed[-1], passed, at)
    elif len(shares) == count:
        inner = np.cumsum(shares)[:-1] / np.sum(shares)
    else:
        raise OptionError(f"{beam.owner}: lengths has {len(shares)} numbers for {count} links. Give one for each.")
    ends = beam.length * np.concatenate([[0.0], inner, [1.0]])
    middles = 0.5 * (ends[:-1] + ends[1:])
    return ends, np.concatenate([[0.0], middles[1:-1], [beam.length]])


def by_place(options: Lumped, ends: np.ndarray) -> Lumped:
    """Return options with sections given link by link as a function of s; ``ends`` are fractions of the length."""
    sections = options.section
    if not isinstance(sections, tuple):
        return options
    if len(sections) != ends.size - 1:
        raise OptionError(f"Lumped: section has {len(sections)} entries for {ends.size - 1} links. Give one for each.")
    return replace(options, section=lambda s: sections[int(np.searchsorted(ends[1:-1], s, side="right"))])


def at_joints(beam: Beam, name: str, given: PerJoint, ends: np.ndarray, *, directions: int = 1) -> np.ndarray:
    """Return a number for every joint, (n - 1); in space, with three ``directions``, (n - 1, 3)."""
    count = ends.size - 2
    values = [given(float(s)) for s in ends[1:-1] / beam.length] if callable(given) else given
    found, wanted = np.asarray(values, float), (count,) if directions == 1 else (count, directions)
    if directions > 1 and found.shape == (count,) and (callable(given) or count != directions):
        found = found[:, None]
    if found.shape not in {(), wanted, (directions,), (count, 1)}:
        raise OptionError(
            f"{beam.owner}: {name} has the shape {found.shape}. Give one number, one for each of {count} joints"
            f"{', or three (torsion, about y, about z) for all or for each' if directions > 1 else ''}."
        )
    if not np.all(np.isfinite(found) & (found >= (LEAST_STIFFNESS if name == "stiffness" else 0.0))):
        raise OptionError(f"{beam.owner}: {name} is {np.min(found):g} at a joint; it must be finite and positive.")
    return np.broadcast_to(found, wanted).copy()


def _positive(beam: Beam, name: str, given: Callable[[float], float], s: float) -> float:
    value = given(float(s))
    if not (is_number(value) and 0.0 < value < np.inf):
        raise OptionError(f"{beam.owner}: {name} is {value!r:.40} at s = {s:g}; it must be finite and positive.")
    return float(value)


def frequencies(chain: Chain, modes: int | None = None, *, clamped: bool = False) -> np.ndarray:
    """Return the bending frequencies (Hz) of the chain alone, straight, undamped, free in space or clamped at its base;
    the lowest first.

    Coordinates: height of the base, angles of the links, and displacements of sliding joints.

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


def identify_stiffness(
    beam: Beam, elements: int, reference: float | Sequence[float], *, modes: Sequence[int] = (1,), ends: str = "half"
) -> float:
    """Find the joint stiffness K_T (N m/rad), the same for all joints, with which the free chain has the reference
    frequencies (Hz) of `modes`.

    It is found by iteration, as in section 4 of the Udwadia-Kalaba paper (docs/glossary.md). One frequency is met
    exactly; for several, the sum of the squared relative errors is minimal.

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
    """Return places and weights of Gauss quadrature between neighbouring ends, (pieces, points)."""
    half = 0.5 * np.diff(ends)[:, None]
    return 0.5 * (ends[1:] + ends[:-1])[:, None] + half * _PLACES, half * _WEIGHTS


def section_of(beam: Beam, options: Lumped, s: float) -> Section:
    """Return the section at the fraction s of a beam, by the options."""
    try:
        found = (options.section if callable(options.section) else beam.section_at)(float(s))
    except TypeError as error:
        raise OptionError(
            f"{beam.owner}: its section= failed at s = {s:g}: {error}. Give a function of s in [0, 1] to a Section."
        ) from error
    if not isinstance(found, Section):
        raise OptionError(f"{beam.owner}: its section at s = {s:g} is {found!r:.60}; the function must give a Section.")
    found.check_linear(beam.owner, "a chain of links")
    return found
