"""Newton along a path of equilibria in relative coordinates: unknowns are the free coordinates and the parameter p.

With the forces R on the free coordinates x, their derivative K, the gaps c of loops and A = c_x, a step is

    dx = Z y + A^+ (-c - c_p dp),    Z^T (R + R_p dp + K dx) = 0

Z spans the motions that loops allow; R_p and c_p include the motion of driven coordinates with p.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from pliant.errors import SingularError
from pliant.formulations.relative.dynamics import Room
from pliant.formulations.relative.equilibrium import Poses, Whole
from pliant.formulations.relative.system import Relative
from pliant.joints import rows as joints
from pliant.solvers.nonlinear import stability
from pliant.solvers.paths.arclength import Arc
from pliant.solvers.paths.continuation import LIMIT, TOLERANCE, Corrected, Survey, resting
from pliant.solvers.paths.parameter import PathParameter, SignalParameter
from pliant.system.samples import Samples

SINGULAR = 1e-14  # smallest eigenvalue of a regular stiffness, relative to the largest


class Here(NamedTuple):
    """Equations at a pose of the iteration at p, with changes of the free coordinates, without units: the Newton step
    at constant p (`still`) and the derivative by p (`slope`). `push`: derivative of the forces along free motions by p.
    """

    poses: Poses
    q: np.ndarray
    nodes: np.ndarray
    at: Whole
    gap: np.ndarray
    stiffness: np.ndarray  # Z^T K Z
    still: np.ndarray
    slope: np.ndarray
    driven: np.ndarray  # displacements of the nodes with p, free coordinates constant
    push: np.ndarray

    @property
    def motions(self) -> np.ndarray:
        """Return displacements of the nodes that joints allow (freedoms, degrees)."""
        return np.asarray(self.at.basis @ self.at.across.motions)

    @property
    def by_parameter(self) -> np.ndarray:
        """Return dq/dp of the nodes."""
        return np.asarray(self.at.basis @ self.slope + self.driven)


class RelativeContinuation:
    """Equations of a path; see `pliant.solvers.paths.continuation.Follower`."""

    def __init__(self, parameter: PathParameter) -> None:
        self.parameter = parameter
        self._surveyed: Here | None = None
        self._own: Room | None = None

    def correct(self, arc: Arc, lam: np.ndarray, p: float, guess: np.ndarray) -> Corrected:
        """Find the equilibrium on an arc, from its start plus a guess of the displacements."""
        system = self._system(p)
        weight, nodes = system.weight, system.moved(arc.q, guess)
        q, size = system.coordinates(nodes), np.inf
        for iteration in range(1, LIMIT + 1):
            try:
                here = self._here(q, p)
            except (SingularError, np.linalg.LinAlgError):
                return Corrected(False, True, iteration, nodes, lam, p)
            along = arc.across @ here.by_parameter + arc.across_p
            apart = system.apart(arc.q, here.nodes) + here.at.basis @ here.still
            dp = -(arc.across @ apart + arc.across_p * (p - arc.p) - arc.length) / along
            step = here.still + dp * here.slope
            moved = here.at.basis @ step + dp * here.driven
            size = max(float(np.max(np.abs(moved) * weight, initial=0.0)), abs(dp) / self.parameter.span)
            if not np.isfinite(size):
                break
            share = min(1.0, 1.0 / size) if size > 0.0 else 1.0
            q, p = here.poses.displaced(here.q, share * step), p + share * dp
            if size <= TOLERANCE:
                here = self._here(q, p)
                state = here.poses.resting(here.q, here.at.pull, 0.0)
                return Corrected(True, False, iteration, state.q, state.lam, p)
        return Corrected(False, False, LIMIT, nodes, lam, p)

    def survey(self, q: np.ndarray, lam: np.ndarray, p: float) -> Survey:
        """Return the survey of an equilibrium, and keep its tangent for `solve`."""
        system = self._system(p)
        none = Survey(False, 0, 0.0, 0.0, np.zeros(system.freedoms + lam.size))
        try:
            here = self._here(system.coordinates(q), p)
        except (SingularError, np.linalg.LinAlgError):
            return none
        self._surveyed = here
        symmetric = 0.5 * (here.stiffness + here.stiffness.T)
        values = np.linalg.eigvalsh(symmetric) if system.conservative else np.linalg.eigvals(here.stiffness)
        size = np.abs(values)
        if size.size and not np.min(size) > SINGULAR * np.max(size):
            return none
        force = float(np.max(np.abs(here.at.across.motions.T @ here.at.gradient), initial=0.0))
        negatives = int(np.sum(values.real < 0.0)) + lam.size
        slope = np.concatenate([here.by_parameter, np.zeros(lam.size)])
        return Survey(True, negatives, force, float(np.max(np.abs(here.gap), initial=0.0)), slope)

    def solve(self, p: float, right: np.ndarray) -> None:
        """Replace b by A^-1 b with the kept tangent: displacements under forces, along motions that joints allow."""
        here: Any = self._surveyed
        n, motions = here.at.basis.shape[0], here.motions
        right[:n] = motions @ np.linalg.solve(here.stiffness, motions.T @ right[:n])
        right[n:] = 0.0

    def by_parameter(self, q: np.ndarray, lam: np.ndarray, p: float) -> np.ndarray:
        """Return the derivative of the residual by p: forces on the nodes, of equal work along allowed motions."""
        system = self._system(p)
        here = self._here(system.coordinates(q), p)
        metric = system.weight**2
        shaped = metric[:, None] * here.motions
        push = shaped @ np.linalg.solve(here.motions.T @ shaped, here.push)
        return np.concatenate([push, np.zeros(lam.size)])

    def growing(self, q: np.ndarray, lam: np.ndarray, p: float) -> tuple[int | None, int]:
        """Return the number of growing motions about a point (None: unknown), and how many of them oscillate."""
        return stability.growing(self.parameter.system(p), resting(q, lam))  # type: ignore[arg-type]

    def movers(self, q: np.ndarray, lam: np.ndarray, p: float) -> str:
        """Return the names of the parts that move in the softest direction."""
        return stability.movers(self.parameter.system(p), resting(q, lam))  # type: ignore[arg-type]

    def insides(self, samples: Samples, p: Sequence[float]) -> None:
        """Add no samples: there are no coordinates between nodes."""

    def _system(self, p: float) -> Relative:
        parameter: Any = self.parameter
        system: Any = parameter.base if isinstance(self.parameter, SignalParameter) else parameter.system(p)
        found: Relative = system
        return found

    def _room(self, system: Relative) -> Room:
        """Return the workspace, shared while only signals change."""
        if system is not self.parameter.base:
            return system.room()
        self._own = self._own or system.room()
        return self._own

    def _here(self, q: np.ndarray, p: float) -> Here:
        """Compute the equations at the pose near Q with driven coordinates set from p."""
        system, change = self._system(p), self.parameter.change
        u, further, there = self.parameter.signals(p), self.parameter.signals(p + change), self._system(p + change)
        poses, shifts = Poses(system, u, self._room(system)), system.shifts_at(q, u)
        q = poses.driven(q, u, shifts)
        at = poses.whole(q)
        nodes, gap = poses.room.q.copy(), self._gap(poses, q)
        ahead = Poses(there, further, self._room(there))
        moved = ahead.driven(q, further, shifts)
        raised = (ahead.forces(moved, at.pull) - poses.forces(q, at.pull)) / change
        opened = (self._gap(ahead, moved) - gap) / change
        driven = system.apart(nodes, there.nodes_at(moved)) / change
        z, K = at.across.motions, at.stiffness
        stiffness = z.T @ K @ z
        still, slope = at.across.solve(-gap), at.across.solve(-opened)
        push = z.T @ (raised + K @ slope)
        still = still - z @ np.linalg.solve(stiffness, z.T @ (at.gradient + K @ still))
        slope = slope - z @ np.linalg.solve(stiffness, push)
        return Here(poses, q, nodes, at, gap, stiffness, still, slope, driven, push)

    def _gap(self, poses: Poses, q: np.ndarray) -> np.ndarray:
        """Return the gaps of loops, without units."""
        loops = poses.system.compiled.loops
        gap = np.zeros(loops.number.size)
        if gap.size:
            joints.residual(loops.rows, poses.system.nodes_at(q), poses.u, gap)
        return np.asarray(gap / loops.widths)
