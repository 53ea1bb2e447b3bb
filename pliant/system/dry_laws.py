"""Dry friction of laws (`PointLaw.rubs_below`) about a state: what it adds to the damping, part by part."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from pliant.forces._law.family import LawFamily
from pliant.kernels.sums import Instant, Into
from pliant.solvers import ldl
from pliant.system import catalogue, fused
from pliant.system.state import State
from pliant.system.system import System

SLIDES = 1e-3  # of the damping at rest, that smoothed friction has where it slides: at four times its speed


class DryLaw(NamedTuple):
    """A part that rubs. While it sticks its smoothed friction has the damping ``d s^T s`` with its speed s by
    velocities (up to a factor); None of one that holds nothing or slides.
    """

    part: Any
    damping: Any = None
    speed: Any = None  # (1, freedoms)

    @property
    def holds(self) -> bool:
        """Whether it sticks."""
        return self.damping is not None


def dry_laws(system: Any, state: State) -> list[DryLaw]:
    """Parts with dry friction as a law of their own motion, in a state."""
    if not isinstance(system, System):
        return []
    parts, found, names = system.equations.parts, list[DryLaw](), list(catalogue.families())
    now = Instant(state.q, state.v, state.a, system.signals(np.array([state.time]))[0])
    for name in (names[number] for number in parts.present[:, fused.NUMBER]):
        family = catalogue.of(name)
        if isinstance(family, LawFamily) and family.law.rubs_below:
            arrays = fused.family(parts, name)
            for e, part in enumerate(system.layout.forces(family.law)):
                found.append(DryLaw(part, *_sticking(system, now, name, family.both(arrays, e))))
    return [law for law in found if law.holds or law.part.only_in_motion]


def _sticking(system: Any, now: Instant, name: str, both: tuple[Any, Any]) -> tuple[Any, ...]:
    """A damping d s^T s and s; nothing where it slides or is none. ``both``: a part with and without dry friction."""
    still = now._replace(v=np.zeros_like(now.v))
    damping, here = (_damping(system, at, name, both[0]) - _damping(system, at, name, both[1]) for at in (still, now))
    diagonal = damping.diagonal()
    i = int(np.argmax(diagonal))
    if diagonal[i] <= 0.0 or here.diagonal()[i] < SLIDES * diagonal[i]:
        return ()
    return damping, damping[[i]] / diagonal[i]


def _damping(system: Any, at: Instant, name: str, arrays: Any) -> Any:
    """Damping matrix of some parts of a family alone."""
    s = system.scratch()
    fused.add(fused.pack({name: arrays}), at, Into(0.0, 1.0, 0.0, s.r, s.s, s.w), s.stress, False)
    return sparse.csr_array(ldl.to_csc(system.equations.pattern, s.s, None, system.freedoms))
