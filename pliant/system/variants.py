"""Variants of a formulation, for repeated computation of one model.

A formulation lists its variants by a function ``variants(model)`` beside its ``build``. Without it, it has one variant,
its default options, without refinement.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

NOTHING: Mapping[str, Any] = {}


@dataclass(frozen=True)
class Variant:
    """A formulation with an element or options.

    words     distinguishing words: "Exact, order 2"; "": none
    options   of `compile` for a number of pieces of a beam (elements, links, subintervals)
    pieces    initial, coarse number of pieces; 0: no refinement
    order     order of convergence with the length of pieces; None: unknown, or errors have other causes
    neglects  effects of beams that are neglected: "shear", "extension", "rotary inertia", "large rotations"
    in_space  whether it takes spatial models

    >>> Variant("kinked", "", lambda n: {"elements": n}, 1, neglects=("shear",)).name
    'kinked'
    """

    formulation: str
    words: str = ""
    options: Callable[[int], Mapping[str, Any]] = lambda pieces: NOTHING
    pieces: int = 0
    order: float | None = None
    neglects: tuple[str, ...] = ()
    in_space: bool = False

    @property
    def name(self) -> str:
        """Name of the formulation and its distinguishing words."""
        return f"{self.formulation}, {self.words}" if self.words else self.formulation
