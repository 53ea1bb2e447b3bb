"""Tendons through guides in the plane, and the packing for plane and space. Kernels: pull.py."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise, starmap
from math import dist, inf
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.forces import Tendon
from pliant.forces.tendon.pull import Arrays, add, dry, energy, gyroscopic, power, readings, unsymmetric
from pliant.model.kinds import packs_only
from pliant.model.markers import Marker

if TYPE_CHECKING:
    from pliant.system.numbering.planar_layout import Layout

__all__ = ["Arrays", "add", "dry", "energy", "gyroscopic", "lines", "pack", "power", "readings", "unsymmetric"]

FEW, FEW_ROUGH = 4, 14  # guides: with more, a tendon is a chain (long.py, long_rough.py), which is faster
WHOLE, SMOOTH, ROUGH = range(3)  # kinds of tendons
FIRM = 8.0  # steepness of friction in an assumed direction: tanh(8) = 1 - 2e-7 of it at rest


@packs_only(Tendon)
def pack(layout: Layout) -> Arrays:
    """Pack the tendons of the model."""
    return arrays(layout, lines(layout), lambda marker: layout.offset(marker)[:2], 2)[0]


def arrays(
    layout: Any, tendons: list[Tendon], arm: Callable[[Marker], Any], dimensions: int
) -> tuple[Arrays, np.ndarray]:
    """Return the tendons in plane or space (without their frames), and the nodes of their points."""
    count, longest = len(tendons), max((len(t.markers) for t in tendons), default=2)
    nodes, offsets = np.full((count, longest), layout.ground), np.zeros((count, longest, dimensions))
    signals, law = of_law(layout, tendons)
    for e, t in enumerate(tendons):
        # a straight one begins at its first node, so that its lower triangle is the system's
        markers = t.markers if t.guides else sorted(t.markers, key=layout.node)
        for p, marker in enumerate(markers):
            nodes[e, p], offsets[e, p] = layout.node(marker), arm(marker)
    part = Arrays(
        dofs=layout.dofs(nodes, longest),
        slots=np.empty((count, 0), np.uint32),
        frames=np.empty((count, 0), np.uint32),
        points=np.array([len(t.markers) for t in tendons], np.uint32),
        offsets=offsets.reshape(count, dimensions * longest),
        signals=signals,
        law=law,
        friction=np.array([grip(t) if t.guides else (0.0, 1.0, 0.0) for t in tendons], float).reshape(-1, 3),
        steady=np.array([all(map(layout.is_constant, pair)) for pair in signals.tolist()], np.uint32),
    )
    return part, nodes


def lines(layout: Any) -> list[Tendon]:
    """Return the tendons that are not chains, in the order of their readings."""
    return [tendon for tendon in all_tendons(layout) if kind_of(layout, tendon) == WHOLE]


def all_tendons(layout: Any) -> list[Tendon]:
    """Return every tendon of a model."""
    found: list[Tendon] = layout.forces(Tendon)
    return found


def kind_of(layout: Any, tendon: Tendon) -> int:
    """Return whether a tendon is a whole, or a chain of pieces coupled by its tension, without or with friction; a
    tendon that may stick, without an assumed direction of sliding, is a whole.
    """
    if not layout.bordered or len(tendon.guides) <= (FEW_ROUGH if tendon.friction else FEW):
        return WHOLE
    if tendon.friction:
        return ROUGH if tendon.sliding else WHOLE
    return SMOOTH


def of_law(layout: Any, tendons: list[Tendon]) -> tuple[np.ndarray, np.ndarray]:
    """Return signals and numbers of the laws of tendons.

    A pretension given as force or shortening becomes a rest length here.
    """
    signals, law = [], []
    for t in tendons:
        length = route_length(layout, t)
        rest = layout.signal(t.rest(length), t, "rest_length") if t.stiffness else layout.ZERO
        signals.append((rest, layout.signal(0.0 if t.tension is None else t.tension, t, "tension")))
        law.append((t.stiffness, t.damping, t.slack(length), inf if t.largest_force is None else t.largest_force))
    return np.array(signals, np.uint32).reshape(-1, 2), np.array(law, float).reshape(-1, 4)


def grip(tendon: Any, firm: float = FIRM) -> tuple[float, float, float]:
    """Return coefficient, speed and bias of its friction ``tanh(slip / speed + bias)``.

    An assumed direction of sliding yields if the tendon slides the other way faster than its friction_speed.
    """
    return tendon.friction, tendon.friction_speed / (firm if tendon.sliding else 1.0), firm * tendon.sliding


def route_length(layout: Any, tendon: Tendon, q: np.ndarray | None = None) -> float:
    """Return the length of the route in a configuration, by default as assembled."""
    return sum(starmap(dist, pairwise([layout.place(marker, q) for marker in tendon.markers])))
