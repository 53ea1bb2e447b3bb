"""Base class of the options of all beam elements, and the checks that they share."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Literal, get_args

from pliant.errors import OptionError, nearest
from pliant.model.kinds import Kind, own_fields

Mass = Literal["consistent", "lumped"]
STATED = ("elements", "order", "mass")


class BeamElement(Kind, abstract=True):
    """Base class of the options of beam elements: frozen dataclasses that ``compile(elements=...)`` takes for a beam.

    Each defines, as a field with a default or as a class attribute,

    elements  their number along the beam
    order     number of nodes of an element minus one
    mass      "consistent" or "lumped" at the nodes

    and may define

    planar_only      True if there are kernels for planar beams only; spatial_only: for spatial beams only
    finite_rotation  True if it is valid for any rotation; False: for small rotations about the rest pose only
    nodal_stretch    True if its nodes have an additional coordinate, the stretch of the axis there
    continuous       True if its own kernels integrate loads along the beam; False: they act on its nodes
                     (system/numbering/loads_along.py)
    convergence      power of the element length in the error at nodes; default: 2 order
    neglects         effects that it leaves out: "shear", "extension", "rotary inertia"

    >>> from pliant.elements.beam_linear import Linear
    >>> issubclass(Linear, BeamElement), Linear.order, Linear.finite_rotation
    (True, 1, False)
    """

    finite_rotation: ClassVar[bool] = True
    nodal_stretch: ClassVar[bool] = False
    continuous: ClassVar[bool] = False
    convergence: ClassVar[float | None] = None
    neglects: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        fields = {name for base in cls.__mro__ for name, _ in own_fields(base)}
        missing = [name for name in (*STATED, *fields) if not hasattr(cls, name)]
        if missing:
            raise TypeError(
                f"{cls.__module__}.{cls.__qualname__}: a beam element states {', '.join(STATED)}, and its fields have "
                f"defaults; {missing[0]} is missing (docs/extending.md)."
            )


def check_count(owner: str, name: str, value: int, largest: int = 1_000_000) -> None:
    """Check that a value is a whole number from 1 to largest."""
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= largest:
        raise OptionError(f"{owner}: {name} is {value!r}; it must be a whole number from 1 to {largest}.")


def check_choice(owner: str, name: str, value: str, choices: object) -> None:
    """Check that a value is one of the words of a Literal type."""
    words = get_args(choices)
    if value not in words:
        raise OptionError(
            f"{owner}: {name} is {value!r}; it must be one of {', '.join(words)}. {nearest(str(value), words)}"
        )


def check_finite(owner: str, name: str, value: float) -> None:
    """Check that a value is a finite number."""
    if not isinstance(value, (int, float)) or not math.isfinite(value):
        raise OptionError(f"{owner}: {name} is {value!r}; it must be a finite number.")


def check_flag(owner: str, name: str, value: bool) -> None:
    """Check that a value is True or False."""
    if not isinstance(value, bool):
        raise OptionError(f"{owner}: {name} is {value!r}; it must be True or False.")
