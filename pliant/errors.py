"""Errors and warnings. Every message names the part, the value, what is allowed and what to try."""

from __future__ import annotations

import difflib
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class PliantError(Exception):
    """Base of all errors that pliant raises on purpose."""


class ModelError(PliantError, ValueError):
    """A part of the model is described wrongly: a bad value, a duplicate name, a marker off its body."""


class OptionError(PliantError, ValueError):
    """An analysis, element or command was given an option that it does not know or cannot use."""


class AssemblyError(PliantError):
    """The parts cannot be brought together: a loop that does not close, contradictory drives."""


class ConvergenceError(PliantError):
    """An iteration did not converge, after every safeguard was tried."""


class UnreachableError(ConvergenceError):
    """A pose that the legs of a robot cannot take."""


class LimitError(PliantError, ValueError):
    """A motor would have to go beyond its limits."""


class SingularError(PliantError):
    """The equations have no unique solution: a mechanism where a structure is asked for, a dead centre."""


class CapabilityError(PliantError):
    """An analysis asked the system for something its formulation does not offer."""


class SignalError(PliantError):
    """A function of time or state failed or returned something that is not a finite number."""


class LabelError(PliantError, KeyError):
    """A result was asked for a marker, body, joint or other label that it does not have."""

    __str__ = Exception.__str__  # KeyError shows its message in quotes


class FileError(PliantError, OSError):
    """A file cannot be read or written, or is of a kind or version that is not understood."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a long analysis; ``result`` is what was computed until then."""

    def __init__(self, message: str, result: object) -> None:
        super().__init__(message)
        self.result = result


class PliantWarning(UserWarning):
    """Something is allowed but probably not wanted. Its kinds are about physics (docs/what-ok-means.md)."""


class UnstableEquilibrium(PliantWarning):
    """A rest that the least disturbance ends, or modes that grow."""


class NeutralEquilibrium(PliantWarning):
    """Parts can move at rest without any force changing: where they are is arbitrary."""


class OtherBranch(PliantWarning):
    """An equilibrium far from the start that was given: there may be another, nearer to it."""


class CarriedOver(PliantWarning):
    """A state of other nodes, of another mesh or formulation, was carried over along its parts; the error is stated."""


class Buckled(PliantWarning):
    """The equilibrium that the start leads to is unstable: another was found beside it, or a path goes on along it."""


class SlackTendon(PliantWarning):
    """A tendon that carries nothing."""


class AtKink(PliantWarning):
    """Small motions about a state in which a law has a kink: a tendon at the edge of slack, a motor at its limit."""


class StrainBeyondRange(PliantWarning):
    """Strains, or rotations of linear elements, beyond those that the beam's theory means."""


class UnresolvedFrequency(PliantWarning):
    """The motion holds vibrations, or a rod waves, that are too fast for the step or too short for the mesh."""


class StiffMotion(PliantWarning):
    """Explicit steps have to be so short for the fastest vibration that there are very many of them."""


class ContactChatter(PliantWarning):
    """A contact or stop that opens and closes within a few steps, again and again."""


class NearSingularPose(PliantWarning):
    """A pose of a robot near which the motors hardly move the platform in some direction."""


class DeadlineMissed(PliantWarning):
    """Ticks of a loop that runs against the clock were not done in time."""


class PartsTouch(PliantWarning):
    """Leaves of a robot that touch or pass through each other, which nothing in the model keeps apart."""


class DroppedMode(PliantWarning):
    """A reduced model lacks a mode that a regulator weights, or that a controller acts on."""


class ThinMargin(PliantWarning):
    """A control loop that a small change of gain or phase makes unstable."""


class DoubtfulUnits(PliantWarning):
    """A number of the model that looks as if it were meant in other units, such as millimetres."""


class FarFromGuess(PliantWarning):
    """A part that its joints turned more than a quarter turn away from the direction it was given."""


class NotWritten(PliantWarning):
    """Parts of a model that a file of another program cannot hold, or not in the way of pliant."""


class DigitsLost(PliantWarning):
    """Rounding may change a result by more than 1 %: stiffnesses too far apart for double precision, as of beams that
    are very thin (docs/theory/modes.md).
    """


class AtBound(PliantWarning):
    """The best value of a parameter is at one of its bounds: what was measured asks for one beyond."""


class ColouredResiduals(PliantWarning):
    """The residuals of a fit are not white noise: rows or quantities are correlated."""


class PoorlyPredicted(PliantWarning):
    """Measurements that were kept apart are farther off than those that were fitted."""


INSIDE = ("pliant", "contextlib")  # packages whose lines a user did not write
_noted: ContextVar[tuple[list[str], ...]] = ContextVar("names of warnings, of every analysis under way", default=())


@contextmanager
def noting() -> Iterator[list[str]]:
    """Around an analysis: the names of what `warn` warned of in it, those of analyses inside it too, each once."""
    names: list[str] = []
    before = _noted.set((*_noted.get(), names))
    try:
        yield names
    finally:
        _noted.reset(before)


def warn(kind: type[PliantWarning], message: str) -> None:
    """Warn at the line that called pliant, and note the name of the warning.

    >>> with noting() as names, warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", SlackTendon)
    ...     warn(SlackTendon, "The tendon 'lift' is slack.")
    >>> names
    ['SlackTendon']
    """
    for names in _noted.get():
        if kind is not PliantWarning and kind.__name__ not in names:
            names.append(kind.__name__)
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in INSIDE:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, kind, stacklevel=level)


def nearest(name: object, known: Iterable[str], *, most: int = 1000) -> str:
    """End of an error message about an unknown name: the nearest known ones, or all of them, up to ``most``.

    >>> nearest("fourber", ["fourbar", "pendulum-modes"])
    'Did you mean fourbar?'
    """
    names = sorted(known)
    close = difflib.get_close_matches(str(name), names, n=3, cutoff=0.5)
    if close:
        return f"Did you mean {' or '.join(close)}?"
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"Known are: {', '.join(names[:most])}{more}." if names else "None is known."
