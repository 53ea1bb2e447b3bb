"""Inverse statics: equilibria for given signals or given conditions, and their compliance."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from pliant.linalg import ldl
from pliant.solvers.nonlinear import tangent
from pliant.solvers.nonlinear.equilibrium import PLAIN, newton_with, stiffness_scale, winds_up
from pliant.solvers.nonlinear.held_frame import Frame
from pliant.solvers.nonlinear.inverse_step import LIMIT, SMALLEST_STEP, Approach, Reached, Wanted, reach
from pliant.solvers.nonlinear.pose_path import PoseFollower
from pliant.solvers.nonlinear.signal_gradients import Gradient, Gradients
from pliant.solvers.nonlinear.stability import growing
from pliant.solvers.stepping.status import DONE
from pliant.system.limits import contact_distances
from pliant.system.state import State
from pliant.system.system import System


class Yielding(NamedTuple):
    """Response of an equilibrium to forces and signals.

    regular   False: the tangent is singular, and nothing else is known
    unstable  number of unstable directions; None if unknown
    residual  largest unbalanced force (N)
    signals   derivatives of the residual by the signals
    by_force  (forces, unknowns) response to unit forces, by_signal (signals, unknowns) response to the signals
    """

    regular: bool
    unstable: int | None
    residual: float
    signals: Gradient
    by_force: np.ndarray
    by_signal: np.ndarray


@dataclass
class Inverse:
    """Newton for some signals of a system, by their numbers. Immutable: threads may share it."""

    system: System
    signals: list[int]
    slopes: Gradients = field(init=False)
    gamma: float = field(init=False)  # weight of the augmented term, at home

    def __post_init__(self) -> None:
        system, home = self.system, self.system.start()
        self.slopes = Gradients(system, self.signals)
        self.gamma = stiffness_scale(system, home.q, home.lam, system.signals(np.zeros(1))[0], system.scratch())

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
        """Find the equilibrium that satisfies the conditions, or the last one on the way there; see `reach`."""
        return reach(self.system, start, u, self.slopes, wanted, gamma=gamma, smallest_step=step, limit=limit)

    def followed(self, wanted: Wanted, start: State, u: np.ndarray) -> Reached:
        """Find it on the branch of the start, in as many steps as needed: slower, and reliable."""
        gamma = stiffness_scale(self.system, start.q, start.lam, u, self.system.scratch())
        curve = Approach(self.system, start, u, self.slopes, wanted, gamma)
        near = curve.follow(1.0)
        q, lam, u = curve.unknowns(near.q, near.lam)
        at = State(q, np.zeros_like(q), np.zeros_like(q), lam, float(u[1]))
        if near.share < 1.0:
            return Reached(at, u, 0, 0, near.share)
        return self.toward(wanted, at, u)

    def driven(self, start: State, u: np.ndarray) -> Reached | None:
        """Find the equilibrium for given signals by one Newton run, if it converges, winds nothing up, and moves no
        shape through another.
        """
        q, lam = start.q.copy(), start.lam.copy()
        with self.system.working() as scratch:
            status, iterations, _ = newton_with(PLAIN, self.system, u, q, lam, scratch)
        wound = winds_up(self.system, q, start.q)
        if status != DONE or wound or contact_distances.pass_through(self.system, start.q, q):
            return None
        return Reached(State(q, np.zeros_like(q), np.zeros_like(q), lam, float(u[1])), u, iterations, 1, 1.0)

    def follower(self, frame: Frame, stability: bool = True) -> PoseFollower | None:
        """Return a follower of rows of poses of a frame, compiled; None for loads without potential, whose pivots do
        not show stability, and where shapes may pass through each other, which it does not check. ``stability=False``
        requests equilibria only; elements are no faster by this.
        """
        watched = not self.system.conservative or contact_distances.Depths(self.system)
        return None if watched else PoseFollower(self.system, self.signals, frame, self.gamma)

    def resultants(self, q: np.ndarray, u: np.ndarray, stress: np.ndarray) -> np.ndarray | None:
        """Return (states, sections, width) resultants of equilibria from their stored stresses; None: not available."""
        return None

    def hidden(self, q: np.ndarray, u: np.ndarray, stress: np.ndarray) -> np.ndarray | None:
        """Return (states,) numbers of unstable directions between nodes, one equilibrium per row; negative: unknown.
        None: not applicable.
        """
        return None

    def yielding(self, found: Reached, forces: np.ndarray) -> Yielding:
        """Compute the response from one factorisation of the tangent; for loads without potential, stability takes an
        eigenvalue problem besides. ``forces``: (forces, unknowns).
        """
        system, q, lam, u = self.system, found.state.q, found.state.lam, found.signals
        n, gamma, symmetric = system.freedoms, self.gamma, system.conservative
        with system.working() as scratch:
            slope = self.slopes.evaluate(q, lam, u, scratch)
            sides = np.concatenate([forces, -np.hstack([slope.force, slope.gap])])
            status, negative, force = tangent.respond(system.equations, q, lam, u, gamma, symmetric, scratch, sides)
        pushed, moved, regular = sides[: len(forces)], sides[len(forces) :], status == ldl.OK
        moved[:, n:] += self.slopes.lack(gamma)
        count: int | None = int(negative)
        if regular and not symmetric:
            count = growing(system.with_signals(system.named(u)), found.state)[0]
        return Yielding(regular, count, float(force / system.length_scale), slope, pushed, moved)
