"""Criterion for instability of a subinterval of a rod in space with its ends held.

The unstable directions of a whole belong to its nodes, with the rods condensed, or to the insides of the subintervals,
with their ends held (E.V. Haynsworth, Linear Algebra Appl. 1, 1968). The inside has none, no conjugate point, if a
subinterval is so short that its second variation is positive. With the spin phi of its sections, zero at both ends,
``dkappa = phi' + kappa x phi`` and ``dgamma = R^T dx' - phi x gamma``, that is

    int (dgamma, dkappa).C.(dgamma, dkappa) - N.(phi x (phi x gamma)) - 2 N.(phi x dgamma) + M.(dkappa x phi) ds

Wirtinger's inequality, ``|phi| <= (L/pi) |phi'|`` in the mean, gives ``|phi| <= l |dkappa|`` with
``l = (L/pi) / (1 - |kappa| L/pi)``. If A and B are the least stiffnesses against strains and curvatures, it is positive
where ``|N| (|gamma| + |N|/A) l^2 + |M| l < B``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.elements.rod_ivp.spatial import stations
from pliant.elements.rod_ivp.stations import curvatures, subdivisions
from pliant.errors import ConvergenceError
from pliant.formulations.shooting.spatial.equilibrium import finer_equations, refuse_error
from pliant.solvers.nonlinear import newton
from pliant.solvers.paths.continuation import Continuation, Survey
from pliant.system.limits.feeds import free_lengths
from pliant.system.observation.observer import Observer
from pliant.system.samples import Samples
from pliant.system.state import State

if TYPE_CHECKING:
    from pliant.formulations.shooting.spatial.system import SpatialShooting


class WatchfulContinuation(Continuation):
    """Newton along a path that is refused if a rod may buckle between its nodes, or if its marches are not accurate
    enough.
    """

    def survey(self, q: np.ndarray, lam: np.ndarray, p: float) -> Survey:
        """Return the survey of an equilibrium; refuse a rod that may buckle between its nodes."""
        system: Any = self._system(p)
        if beam := may_hide(system, q, self.parameter.signals(p)):
            raise ConvergenceError(
                f"Path of {system.model.name!r}: beam {beam!r} is loaded so much that it may be unstable between two "
                f"nodes, where bifurcations would not be seen. {advice(system, beam)}"
            )
        found = super().survey(q, lam, p)
        if found.regular:
            refuse_error(system, self._beside(q, lam, p, found.slope))
        return found

    def _beside(self, q: np.ndarray, lam: np.ndarray, p: float, slope: np.ndarray) -> np.ndarray:
        """Return the distance of the path of steps half as long from a point: a step of Newton less its part along the
        path, which grows beyond bounds at limit points.
        """
        system, scratch = self.base, self.base.scratch()
        newton.assemble(finer_equations(system), q, lam, self.parameter.signals(p), self.gamma, 0.0, False, scratch)
        self.solve(p, scratch.step)
        n, weight = system.freedoms, system.weight**2
        step, along = scratch.step[:n], slope[:n]
        length = (weight * along) @ along + 1.0 / self.parameter.span**2
        return np.asarray(step - along * ((weight * step) @ along) / length)


def advice(system: SpatialShooting, beam: str) -> str:
    """Return advice for a beam that may be unstable between its nodes."""
    mesh = next(mesh for mesh in system.layout.beams if mesh.beam.name == beam)
    return f"Give it more subintervals= (now {len(mesh.connectivity)})."


def may_hide(system: SpatialShooting, q: np.ndarray, u: np.ndarray) -> str:
    """Return the first beam of which a subinterval may be unstable between its nodes; empty if none."""
    still = np.zeros_like(q)
    samples = Samples.of(State(q, still, still, np.zeros(system.constraints)))
    samples.signals = u[None]
    fed = free_lengths(system, q)
    resultants, row = Observer(system).values("resultant", samples, samples.signals)[0], 0
    for mesh in system.layout.beams:
        rows = slice(row, row + stations(mesh).size)
        row = rows.stop
        if not np.all(_is_safe(mesh, fed[mesh.beam], resultants[rows])):
            return str(mesh.beam.name)
    return ""


def _is_safe(mesh: Any, length: float, resultants: np.ndarray) -> np.ndarray:
    """Return (subintervals,) whether each is certainly stable, from N and M at the ends of its steps."""
    steps = subdivisions(mesh)
    first = np.cumsum(steps + 1) - steps - 1
    N, M = (np.maximum.reduceat(np.linalg.norm(part, axis=1), first) for part in np.split(resultants, 2, axis=1))
    L = np.diff(mesh.s) * length
    A, B = np.array([_least(mesh.beam.section_at(float(s)).stiffness) for s in mesh.s]).T
    A, B = np.minimum(A[:-1], A[1:]), np.minimum(B[:-1], B[1:])
    gamma = 1.0 + N / A
    M = M + 0.5 * N * gamma * L / steps  # between the ends of a step
    bent = np.linalg.norm(curvatures(mesh.beam, mesh.s), axis=1)
    kappa = np.maximum(bent[:-1], bent[1:]) + M / B
    with np.errstate(divide="ignore"):
        reach = np.where(kappa * L < np.pi, (L / np.pi) / (1.0 - kappa * L / np.pi), np.inf)
    return np.asarray(N * (gamma + N / A) * reach**2 + M * reach < B)


def _least(stiffness: np.ndarray) -> tuple[float, float]:
    """Return the least stiffnesses against strains and against curvatures, less the coupling of the two."""
    strains, across, bends = stiffness[:3, :3], stiffness[:3, 3:], stiffness[3:, 3:]
    root, other = np.linalg.cholesky(strains), np.linalg.cholesky(bends)
    coupling = np.linalg.svd(np.linalg.solve(root, np.linalg.solve(other, across.T).T), compute_uv=False)[0]
    left = 1.0 - float(coupling)
    return left * float(np.linalg.eigvalsh(strains)[0]), left * float(np.linalg.eigvalsh(bends)[0])
