"""What can go wrong, by name. Every message names the part, the value, what is allowed and what to try."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


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
    """Something is allowed but probably not wanted: strain beyond an element's range, redundant constraints."""


class DigitsLost(PliantWarning):
    """Rounding may change a result by more than 1 %: stiffnesses too far apart for double precision, as of beams that
    are very thin (docs/theory/modes.md).
    """


def nearest(name: str, known: Iterable[str]) -> str:
    """End of an error message about an unknown name: the nearest known ones, or all of them.

    >>> nearest("fourber", ["fourbar", "pendulum-modes"])
    'Did you mean fourbar?'
    """
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    if close:
        return f"Did you mean {' or '.join(close)}?"
    return f"Known are: {', '.join(names)}." if names else "None is known."
