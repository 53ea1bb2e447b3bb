"""A support that holds chosen motions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from pliant.model import checks
from pliant.model.conditions import LOCKS
from pliant.model.parts import Joint


@dataclass(frozen=True, eq=False)
class Support(Joint):
    """Fixes marker b relative to marker a in the named directions: a roller, a guide, a symmetry plane.

    holds  some of "x", "y", "z" (b's point along a's axes) and "rx", "ry", "rz" (rotations about them); in the plane x,
           y and rz. As one string, "y rz", or a list. If rotations are fixed, both markers must have the same axes

    >>> from pliant.model import STEEL, Beam, Ground, Section
    >>> girder = Beam("girder", length=1.0, section=Section.circle(0.01, STEEL))
    >>> Support(Ground().at(1, 0), girder.at(s=1), holds="y").locks
    ('y',)
    """

    locks: ClassVar[tuple[str, ...]] = LOCKS  # directions of a Support that holds all of them

    holds: str | Sequence[str] = field(default="x y z", kw_only=True)  # kept as one string

    def __post_init__(self) -> None:
        super().__post_init__()
        given = self.holds.split() if isinstance(self.holds, str) else self.holds
        if not isinstance(given, Sequence) or not given:
            raise checks.refuse(self.owner, "holds", self.holds, f"some of {', '.join(LOCKS)}")
        for word in given:
            checks.choice(self.owner, "holds", word, LOCKS)
        ordered = tuple(word for word in LOCKS if word in given)
        self._set(holds=" ".join(ordered), locks=ordered)
