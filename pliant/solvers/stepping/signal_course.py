"""Signals at any instant of a motion, for compiled code that chooses its own steps.

Changing signals, and the rates of signals that drive joints, are stored as Chebyshev series on pieces short enough for
rounding accuracy (L. N. Trefethen 2013, chapters 3 and 8). Around a jump or a corner pieces are halved to the rounding
of the time. User functions, and signals with too many corners, have no course: they are evaluated for the steps.
"""

from __future__ import annotations

import numpy as np

from pliant.jit import kernel
from pliant.jit.bundle import Bundle
from pliant.model.signals.base import Signal
from pliant.model.signals.cache import cached
from pliant.solvers.stepping.drivers import Signals
from pliant.system.numbering.planar_layout import Layout
from pliant.system.system import System

TERMS = 12
FIRST, HALVINGS, MOST = 8, 40, 4096  # first pieces; halvings of one; most pieces
LOOKS = 16384  # instants of a motion for a final comparison with the signal
SAME, ALIKE = 1e-12, 1e-11  # of the largest value, and rate, of a signal: error of pieces; of the comparison
SHORT = 1e-4  # of the motion: shorter pieces are next to a corner
KEPT = 64  # cached answers, for the next motion
TIME = Layout.TIME

_places = np.pi * (np.arange(TERMS) + 0.5) / TERMS
NODES, BETWEEN = np.cos(_places), np.cos(np.pi * (np.arange(TERMS + 1) + 0.5) / (TERMS + 1))
TO_TERMS = 2.0 / TERMS * np.cos(np.outer(np.arange(TERMS), _places))
TO_TERMS[0] *= 0.5


class Course(Bundle):
    """Changing signals along a motion."""

    columns: np.ndarray  # numbers of the changing signals, without the time
    first: np.ndarray  # (columns + 1) where the pieces of each begin
    edges: np.ndarray  # (pieces, 2) s, begin and end of each, in turn
    terms: np.ndarray  # (pieces, 3, TERMS) of value, rate and acceleration

    @property
    def corners(self) -> np.ndarray:
        """Return the instants of jumps and corners: within the shortest of some short pieces."""
        size = np.diff(self.edges, axis=1)[:, 0]
        short = np.flatnonzero(size < SHORT * np.ptp(self.edges)) if size.size else np.empty(0, int)
        groups = np.split(short, np.flatnonzero(np.diff(short) > 1) + 1) if short.size else []
        return np.unique([self.edges[group[np.argmin(size[group])], 1] for group in groups])


Pieces = tuple[np.ndarray, np.ndarray]  # edges and terms of one signal


def course(system: System, begin: float, end: float) -> Course | None:
    """Return the course of a system's signals; None if one of them is not smooth enough."""
    found = []
    for k in system.known_signals[1]:
        signal, drive = system.layout.signals[k].signal, k in system.driving
        pieces = pieces_of(signal, drive, begin, end)
        if pieces is None:
            return None
        found.append(pieces)
    edges, terms = (np.concatenate(each) for each in zip(NOTHING, *found, strict=True))
    first = np.cumsum([0, *(len(each) for each, _ in found)])
    return Course(np.array(system.known_signals[1], np.uint32), first.astype(np.uint32), edges, terms)


@cached(KEPT)
def pieces_of(signal: Signal, drive: bool, begin: float, end: float) -> Pieces | None:
    """Return the pieces of a signal; None if there are too many, or if they missed a part of it.

    >>> from pliant.model import Expression, Ramp, Sine
    >>> pulse = Expression("exp(-((t - 0.4)/1e-5)**2)")
    >>> [pieces_of(each, True, 0.0, 1.0) is not None for each in (Sine(1.0, 2.0), Ramp(0.0, 1.0, 0.2, 0.7), pulse)]
    [True, True, False]
    """
    if signal.opaque:
        return None
    found, corners = _halve(signal, drive, np.linspace(begin, end, FIRST + 1))
    if found is None:
        return None
    times, count = np.linspace(begin, end, LOOKS + 1), len(found[0])
    seen, exact = np.empty((times.size, 3, 1)), along(signal, drive, times[:, None])
    evaluate_all(Course(np.zeros(1, np.uint32), np.array([0, count], np.uint32), *found), times, seen)
    missed = np.any(np.abs(seen - exact) > ALIKE * np.max(np.abs(exact), axis=0), axis=(1, 2))
    return found if np.count_nonzero(missed) <= corners else None  # instants within the shortest pieces


def _halve(signal: Signal, drive: bool, cuts: np.ndarray) -> tuple[Pieces | None, int]:
    """Return pieces in order, or None if too many, and the number of pieces with a jump or a corner inside."""
    left, found, count, largest = np.stack([cuts[:-1], cuts[1:]], axis=1), list[Pieces](), 0, np.zeros((1, 3, 1))
    for halvings in range(HALVINGS + 1):
        half, middle = 0.5 * (left[:, 1] - left[:, 0]), 0.5 * (left[:, 1] + left[:, 0])
        values = along(signal, drive, middle[:, None] + half[:, None] * np.append(NODES, BETWEEN))
        largest = np.maximum(largest, np.max(np.abs(values), axis=(0, 2), keepdims=True))
        terms = values[:, :, :TERMS] @ TO_TERMS.T
        off = np.abs(np.polynomial.chebyshev.chebval(BETWEEN, np.moveaxis(terms, 2, 0)) - values[:, :, TERMS:])
        open_ = np.any(off > SAME * largest, axis=(1, 2)) & (halvings < HALVINGS)
        found.append((left[~open_], terms[~open_]))
        count += open_.size
        if count > MOST:
            return None, 0
        if not open_.any():
            break
        left, middle = left[open_], middle[open_]
        left = np.concatenate([np.stack([left[:, 0], middle], axis=1), np.stack([middle, left[:, 1]], axis=1)])
    edges, terms = (np.concatenate(each) for each in zip(*found, strict=True))
    order = np.argsort(edges[:, 0])
    return (edges[order], terms[order]), len(left) if halvings == HALVINGS else 0


def along(signal: Signal, drive: bool, times: np.ndarray) -> np.ndarray:
    """Return (rows, 3, columns) value, rate and acceleration at instants (rows, columns), the last two for drives."""
    none = np.zeros(times.size)
    jet = signal.jet(times.ravel()) if drive else (signal(times.ravel()), none, none)
    return np.stack([each.reshape(times.shape) for each in jet], axis=1)


NOTHING = np.empty((0, 2)), np.empty((0, 3, TERMS))


@kernel
def evaluate_all(course: Course, times: np.ndarray, found: np.ndarray) -> None:
    """Evaluate value, rate and acceleration at all instants (instants, 3, columns)."""
    for i in range(times.size):
        evaluate(course, times[i], found[i])


@kernel
def evaluate(course: Course, time: float, found: np.ndarray) -> None:
    """Evaluate value, rate and acceleration (3, columns) at an instant, by Clenshaw's sums."""
    for column in range(course.columns.size):
        low, high = course.first[column], course.first[column + 1] - np.uint32(1)
        while low < high:  # the first piece that does not end before
            middle = (low + high) // np.uint32(2)
            if course.edges[middle, 1] < time:
                low = middle + np.uint32(1)
            else:
                high = middle
        begin, end = course.edges[low, 0], course.edges[low, 1]
        x = 2.0 * (time - begin) / (end - begin) - 1.0
        for kind in range(3):
            terms, one, two = course.terms[low, kind], 0.0, 0.0
            for k in range(TERMS - 1, 0, -1):
                one, two = terms[k] + 2.0 * x * one - two, one
            found[kind, column] = terms[0] + x * one - two


@kernel
def write_signals(course: Course, time: float, found: np.ndarray, into: Signals, row: int) -> None:
    """Write signals at an instant into a row; constant ones are in it already. ``found`` is workspace."""
    into.time[row] = time
    into.u[row, TIME] = time
    evaluate(course, time, found)
    for column in range(course.columns.size):
        k = course.columns[column]
        into.u[row, k] = found[0, column]
        into.rate[row, k] = found[1, column]
        into.second[row, k] = found[2, column]
