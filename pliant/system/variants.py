"""Ways to compile a model: what a formulation offers to whoever computes the same thing several times over.

A formulation tells its ways by a function ``ways(model)`` beside its ``build``; one that has none has one way, its own
options, which nothing refines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

NOTHING: Mapping[str, Any] = {}


@dataclass(frozen=True)
class Way:
    """A formulation with an element or options.

    words     what is special about it: "Exact, order 2"; "": nothing
    options   of `compile` for so many pieces of a beam (elements, links, subintervals)
    pieces    a coarse number of them, to begin with; 0: there is nothing to refine
    order     with which errors fall as pieces become shorter; None: not known, or the pieces are not what errs
    neglects  what of a beam it leaves out: "shear", "extension", "rotary inertia", "large rotations"
    in_space  whether it knows models in space

    >>> Way("kinked", "", lambda n: {"elements": n}, 1, neglects=("shear",)).name
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
        """Of the formulation, and what is special."""
        return f"{self.formulation}, {self.words}" if self.words else self.formulation
