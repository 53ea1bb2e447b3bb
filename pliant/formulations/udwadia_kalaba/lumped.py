"""Lumped: options of a beam as a chain of rigid links."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from typing import Any, TypeAlias

import numpy as np

from pliant.errors import OptionError
from pliant.model import Section
from pliant.system.numbering.element_counts import AUTO

FEWEST = 2  # links of a chain
LEAST_STIFFNESS = 1e-50
PerJoint: TypeAlias = float | Sequence[Any] | Callable[[float], Any]


@dataclass(frozen=True, repr=False)
class Lumped:
    """Options of a beam that is modelled as a chain of rigid links.

    elements   number of links, or "auto": the smallest number that gives the first `modes` of the mechanism within
               `accuracy`
    ends       "half": the links at the ends have half the length of the others; "equal": all have equal lengths
    lengths    instead of `ends`: relative lengths of the links, as a list or as a function of s in [0, 1]
    stiffness  K_T of every joint (N m/rad), in space of all directions or (torsion, about y, about z); a list with an
               entry for every joint, or a function of s; None: from the section, EI / l
    damping    of every joint (N m s/rad), in addition to the beam's: a number, a list or a function in the same way
    shear      True: the joints also slide across the chain, with the stiffness kappa GA / l; in space they stretch
               as well
    section    of a nonuniform beam: function from s in [0, 1] to Section, or a list with one for every link; None: the
               beam's section
    modes      ("auto") number of modes that must be accurate
    accuracy   ("auto") largest relative error of their frequencies

    >>> Lumped(20, damping=0.05)
    Lumped(20, damping=0.05)
    >>> Lumped(3, lengths=[1, 2, 1], stiffness=[30.0, 20.0])  # half, whole, half; one number for each joint
    Lumped(3, lengths=(1, 2, 1), stiffness=(30.0, 20.0))
    """

    elements: int | str = 20
    _: KW_ONLY
    ends: str = "half"
    lengths: Sequence[float] | Callable[[float], float] | None = None
    stiffness: PerJoint | None = None
    damping: PerJoint = 0.0
    shear: bool = False
    section: Callable[[float], Section] | Sequence[Section] | None = None
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
        if not (is_number(self.accuracy) and 1e-6 <= self.accuracy < np.inf):
            raise OptionError(f"Lumped: accuracy is {self.accuracy!r}; it must be a finite number, at least 1e-6.")
        for name, least in (("lengths", 1e-50), ("stiffness", LEAST_STIFFNESS), ("damping", 0.0)):
            object.__setattr__(self, name, _listed(name, getattr(self, name), least))
        self._check_section()
        if self.lengths is not None and (self.ends != "half" or is_number(self.lengths)):
            raise OptionError("Lumped: lengths is a list, or a function of s, and takes the place of ends; give one.")

    def _check_section(self) -> None:
        given = self.section
        if isinstance(given, Sequence) and all(isinstance(each, Section) for each in given):
            object.__setattr__(self, "section", tuple(given))
        elif given is not None and not callable(given):
            raise OptionError(
                f"Lumped: section is {given!r:.60}; give a function from s in [0, 1] to a Section, or a list of them."
            )

    @property
    def by_link(self) -> str:
        """Name of an option that was given link by link, or joint by joint, or ""."""
        names = ("lengths", "stiffness", "damping", "section")
        return next((name for name in names if isinstance(getattr(self, name), tuple)), "")

    def __repr__(self) -> str:
        others = ((f.name, getattr(self, f.name), f.default) for f in fields(self) if f.name != "elements")
        given = [f"{name}={getattr(value, '__name__', repr(value))}" for name, value, usual in others if value != usual]
        return f"Lumped({', '.join([repr(self.elements), *given])})"


def _listed(name: str, given: Any, least: float) -> Any:
    """Return a value for joints or links, sequences as tuples; refuse numbers that are too small."""
    if given is None or callable(given):
        return given
    try:
        found = np.asarray(given, float)
    except (TypeError, ValueError):
        found = np.array(np.nan)
    numbers = is_number(given) or (isinstance(given, Sequence | np.ndarray) and not isinstance(given, str))
    if not (numbers and found.size and found.ndim <= 2 and np.all(np.isfinite(found) & (found >= least))):
        word = "zero or positive" if least == 0.0 else "positive"
        raise OptionError(
            f"Lumped: {name} is {given!r:.60}; give a finite number, {word}, a list of these, or a function of s."
        )
    if is_number(given):
        return given
    return tuple(tuple(row) if isinstance(row, Sequence | np.ndarray) else row for row in given)


def _is_count(value: object, least: int) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and int(value) >= least


def is_number(value: object) -> bool:
    """Return whether a value is a number other than a bool."""
    return isinstance(value, int | float | np.floating | np.integer) and not isinstance(value, bool)
