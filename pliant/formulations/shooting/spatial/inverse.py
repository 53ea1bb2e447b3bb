"""Signals that hold a system of rods in space, and rows of its equilibria."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pliant.elements.rod_ivp.frozen import KEPT
from pliant.elements.rod_ivp.outputs import look_along
from pliant.elements.rod_ivp.spatial import Arrays
from pliant.errors import ConvergenceError
from pliant.formulations.shooting.spatial import conjugate_points as spatial_conjugate
from pliant.formulations.shooting.spatial.observation import FAMILY, dense
from pliant.formulations.shooting.spatial.stability import may_hide
from pliant.solvers.nonlinear import newton
from pliant.solvers.nonlinear.held_frame import Frame
from pliant.solvers.nonlinear.inverse import Inverse, Yielding
from pliant.solvers.nonlinear.inverse_step import LIMIT, SMALLEST_STEP, Reached, Wanted
from pliant.solvers.nonlinear.pose_path import Pursuer, Way
from pliant.system.packing.build import pack_families
from pliant.system.state import State

if TYPE_CHECKING:
    from pliant.formulations.shooting.spatial.system import SpatialShooting

REMAINDER = 1e-12  # in lengths of the model and radians: wrenches are unknowns, no stiffness multiplies what is left
CLASSICAL = 4  # method by which resultants are found between nodes, in steps half as long: good to 1e-4 of them
PATIENCE = 4  # poses whose increments one factorisation serves


class SpatialRodInverse(Inverse):
    """Newton for some signals of rods in space, by their numbers."""

    system: SpatialShooting

    def __post_init__(self) -> None:
        super().__post_init__()
        self.rods: Arrays = pack_families(self.system.layout)[0][FAMILY]
        shown = dense(self.system.layout)
        quick = {mesh.beam.name: replace(mesh.options, runge_kutta=CLASSICAL) for mesh in shown.beams}
        self.shown: Arrays = pack_families(shown.with_options(quick))[0][FAMILY]

    def toward(
        self,
        wanted: Wanted,
        start: State,
        u: np.ndarray,
        *,
        gamma: float | None = None,
        step: float = SMALLEST_STEP,
        limit: int = LIMIT,
    ) -> Reached:
        """The equilibrium in which conditions hold, or the last one on the way there; from where the model rests, if
        the start is the model as assembled: its joints may be open, and rods between its nodes unlike any at rest.
        """
        if np.array_equal(start.q, self.system.initial):
            try:
                held = self.system.with_signals(self.system.named(u))
                start = replace(held.find_equilibrium(start, time=start.time).state, time=start.time)
            except ConvergenceError:
                pass  # the start itself may do
        return super().toward(wanted, start, u, gamma=gamma, step=step, limit=limit)

    def pursuer(self, frame: Frame, stability: bool = True) -> Pursuer | None:
        """Follows rows of poses of a frame in compiled code; without stability with factors of earlier poses."""
        if not self.system.conservative:
            return None
        first = self.rods.stress_start + KEPT * np.arange(len(self.rods.dofs))
        way = Way(REMAINDER, (first[:, None] + np.arange(6)).ravel())
        return Pursuer(self.system, self.signals, frame, self.gamma, way, 0 if stability else PATIENCE)

    def resultants(self, q: np.ndarray, u: np.ndarray, stress: np.ndarray) -> np.ndarray:
        """(states, sections, 6) at the sections of the observer, by the wrenches that were kept."""
        found = np.empty((len(q), int(np.sum(self.shown.steps + 1)), 6))
        look_along(self.rods, self.shown, q, u, stress, found)
        return found

    def hidden(self, q: np.ndarray, u: np.ndarray, stress: np.ndarray) -> np.ndarray:
        """(states,) unstable directions between nodes: counted, or none by what bounds them; negative: not known."""
        found = np.zeros(len(q), np.int64)
        spatial_conjugate.count(self.rods, q, u, stress, found)
        for k in np.flatnonzero(found < 0):
            found[k] = -1 if may_hide(self.system, q[k], u[k]) else 0
        return found

    def yielding(self, found: Reached, forces: np.ndarray) -> Yielding:
        """As always, with what is unstable between nodes."""
        nodes, state, u = super().yielding(found, forces), found.state, found.signals
        if not nodes.regular or nodes.unstable is None:
            return nodes
        with self.system.working() as scratch:
            newton.begin(self.system.equations, state.q, state.lam, u, self.gamma, scratch)
            hidden = int(self.hidden(state.q[None], u[None], scratch.stress[None])[0])
        return nodes._replace(unstable=together(nodes.unstable, hidden))


def together(nodes: int, hidden: int) -> int | None:
    """Unstable directions of nodes and between them; None where none is known and some may be."""
    return nodes + hidden if hidden >= 0 else nodes or None
