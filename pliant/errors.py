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
    """A part of the model has a wrong description: a bad value, a duplicate name, a marker off its body."""


class OptionError(PliantError, ValueError):
    """An analysis, element or command has an option that it does not know or cannot use."""


class AssemblyError(PliantError):
    """The parts do not fit together: a loop that does not close, contradictory drives."""


class ConvergenceError(PliantError):
    """An iteration did not converge although every safeguard was tried."""


class UnreachableError(ConvergenceError):
    """The legs of a robot cannot reach a pose."""


class LimitError(PliantError, ValueError):
    """A motor would exceed its limits."""


class SingularError(PliantError):
    """The equations have no unique solution: a mechanism instead of a structure, a dead centre."""


class CapabilityError(PliantError):
    """An analysis needs a capability that the formulation of the system does not offer."""


class SignalError(PliantError):
    """A function of time or state failed or returned something that is not a finite number."""


class LabelError(PliantError, KeyError):
    """A result does not have the requested marker, body, joint or other label."""

    __str__ = Exception.__str__  # KeyError shows its message in quotes


class FileError(PliantError, OSError):
    """A file cannot be read or written, or its kind or version is unknown."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a long analysis; ``result`` is what was computed until then."""

    def __init__(self, message: str, result: object) -> None:
        super().__init__(message)
        self.result = result


class PliantWarning(UserWarning):
    """A legal but probably unintended situation. The kinds of warnings are about physics (docs/what-ok-means.md)."""


class UnstableEquilibrium(PliantWarning):
    """The smallest disturbance ends the equilibrium, or modes grow."""


class NeutralEquilibrium(PliantWarning):
    """Parts can move at rest without any change of force: their position is arbitrary."""


class OtherBranch(PliantWarning):
    """The equilibrium is far from the given start: there may be another one nearer to it."""


class CarriedOver(PliantWarning):
    """A state of another mesh or formulation was transferred along its parts; the error is stated."""


class Buckled(PliantWarning):
    """The equilibrium on the branch of the start is unstable: another one was found, or a path continues along it."""


class SlackTendon(PliantWarning):
    """A tendon carries no force."""


class AtKink(PliantWarning):
    """Small motions about a state at a kink of a law: a tendon at the edge of slack, a motor at its limit."""


class StrainBeyondRange(PliantWarning):
    """Strains, or rotations of linear elements, exceed the range of the beam theory."""


class UnresolvedFrequency(PliantWarning):
    """Vibrations are too fast for the time step, or waves of a rod too short for the mesh."""


class StiffMotion(PliantWarning):
    """The fastest vibration requires explicit steps so short that there are very many."""


class ContactChatter(PliantWarning):
    """A contact or stop opens and closes repeatedly within a few steps."""


class NearSingularPose(PliantWarning):
    """Near a pose of a robot, the motors hardly move the platform in some direction."""


class DeadlineMissed(PliantWarning):
    """A real-time loop did not finish some ticks in time."""


class PartsTouch(PliantWarning):
    """Leaves of a robot touch or penetrate each other; the model has no contact between them."""


class DroppedMode(PliantWarning):
    """A reduced model lacks a mode that a regulator weights or a controller acts on."""


class ThinMargin(PliantWarning):
    """A small change of gain or phase makes a control loop unstable."""


class DoubtfulUnits(PliantWarning):
    """A number of the model looks as if given in other units, such as millimetres."""


class FarFromGuess(PliantWarning):
    """Joints turned a part more than a quarter turn away from its given direction."""


class NotWritten(PliantWarning):
    """The format of another program cannot represent some parts of a model, or only differently."""


class DigitsLost(PliantWarning):
    """Rounding may change a result by more than 1 %: stiffnesses differ too much for double precision, as for very thin
    beams (docs/theory/modes.md).
    """


class AtBound(PliantWarning):
    """The best value of a parameter is at one of its bounds: the measurements suggest a value beyond."""


class ColouredResiduals(PliantWarning):
    """The residuals of a fit are not white noise: rows or quantities are correlated."""


class PoorlyPredicted(PliantWarning):
    """The model fits held-out measurements worse than the fitted ones."""


INSIDE = ("pliant", "contextlib")  # packages whose frames a warning skips
_noted: ContextVar[tuple[list[str], ...]] = ContextVar("names of warnings, of every analysis under way", default=())


@contextmanager
def collect_warnings() -> Iterator[list[str]]:
    """Collect the names of warnings of `warn` during an analysis and the analyses inside it, each once."""
    names: list[str] = []
    before = _noted.set((*_noted.get(), names))
    try:
        yield names
    finally:
        _noted.reset(before)


def warn(kind: type[Warning], message: str) -> None:
    """Warn at the line that called pliant, and note the name of the warning.

    >>> with collect_warnings() as names, warnings.catch_warnings():
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
    """Return the end of a message about an unknown name: the nearest known names, or all of them, up to ``most``.

    >>> nearest("fourber", ["fourbar", "pendulum-modes"])
    'Did you mean fourbar?'
    """
    names = sorted(known)
    close = difflib.get_close_matches(str(name), names, n=3, cutoff=0.5)
    if close:
        return f"Did you mean {' or '.join(close)}?"
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"Known are: {', '.join(names[:most])}{more}." if names else "None is known."
