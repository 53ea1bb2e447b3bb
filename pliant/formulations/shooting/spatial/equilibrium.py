"""Equilibria by shooting in space: Newton on all subintervals from a solution of finite elements on the same nodes."""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant._libraries import sparse
from pliant.elements.rod_ivp.stations import subdivisions
from pliant.errors import ConvergenceError
from pliant.forces.state_force import callbacks
from pliant.formulations.shooting.spatial.guess import from_elements, to_elements
from pliant.kernels.runge_kutta import table
from pliant.linalg import ldl
from pliant.solvers.nonlinear import equilibrium, newton
from pliant.solvers.nonlinear.pivoting import solve_pivoted
from pliant.solvers.stepping.status import DONE, SINGULAR
from pliant.system.equations import Equations
from pliant.system.limits.feeds import describe_feeds
from pliant.system.packing.build import remeshed
from pliant.system.state import Equilibrium, State

if TYPE_CHECKING:
    from pliant.formulations.shooting.spatial.system import SpatialShooting

FINER = "finer rods"  # note: the equations with steps half as long
NEAR = 0.2  # lengths of the model and radians: farther from the finite elements' equilibrium lies another one


def find_equilibrium(system: SpatialShooting, start: State, *, time: float = 0.0, load_steps: int = 1) -> Equilibrium:
    """Find the equilibrium near ``start``: the solution of finite elements on these nodes, corrected by Newton."""
    u = system.signals(np.array([time]))[0]
    near = system.mesh.find_equilibrium(to_elements(system, start), time=time, load_steps=load_steps)
    state, count = corrected(system, from_elements(system, near.state), u)
    found = system.assess(state, u, near.iterations + count, near.load_steps)
    return replace(found, left=near.left, snapped=near.snapped, slid=near.slid)


def corrected(system: SpatialShooting, near: State, u: np.ndarray) -> tuple[State, int]:
    """Find the equilibrium by Newton from a state near it; return it and the iterations taken."""
    scratch, q, lam = system.scratch(), near.q.copy(), near.lam.copy()
    gamma = equilibrium.stiffness_scale(system, q, lam, u, scratch)
    how = newton.Iteration(gamma, True, equilibrium.TOLERANCE, equilibrium.LIMIT, mixed=True)
    status, count, size = newton.equilibrium(system.equations, u, how, q, lam, scratch)
    callbacks.reraise()
    if status == SINGULAR:  # a pivot of zero, due to the order of elimination, though the matrix is regular
        q, lam = near.q.copy(), near.lam.copy()
        equilibrium.stiffness_scale(system, q, lam, u, scratch)
        status, count, size = solve_pivoted(
            system, u, gamma, q, lam, scratch, tolerance=equilibrium.TOLERANCE, limit=equilibrium.LIMIT
        )
    if status != DONE:
        refuse_unbounded(system, near, u)
    if status == SINGULAR and _is_balanced(system, near):  # a rod without supports or loads
        return near, 0
    moved = np.max(np.abs(system.apart(near.q, q)) * system.weight, initial=0.0)
    if status != DONE or not moved < NEAR:
        fewest = min(len(mesh.connectivity) for mesh in system.layout.beams)
        why = f"Newton did not converge (last increment {size:.2g})" if status != DONE else f"it led {moved:.2g} away"
        raise ConvergenceError(
            f"No equilibrium of {system.model.name!r} was found by shooting near a solution of finite elements on the "
            f"same nodes: {why} (of the length scale, or rad). Give more subintervals= (now {fewest} or more a beam) "
            "or a shorter step=; formulation='dae' does without." + describe_feeds(system, near.q)
        )
    return replace(near, q=q, lam=lam), count


def refuse_unbounded(system: SpatialShooting, state: State, u: np.ndarray) -> None:
    """Refuse rods whose marches grow out of bounds: forces bend them to and fro within a step."""
    scratch = system.scratch()
    newton.assemble(system.equations, state.q, state.lam, u, 0.0, 0.0, False, scratch)
    lost = ~np.isfinite(scratch.r[: system.freedoms])
    if np.any(lost):
        owners = np.array(system.freedom_owners())[lost]
        mesh = next(mesh for mesh in system.layout.beams if mesh.beam.name in owners)
        raise ConvergenceError(
            f"{mesh.beam.owner}: its march grew out of bounds in steps of {longest_step(mesh):.2g} of its length: the "
            "load is too large for them, or for this beam. Give less load, or step= or more subintervals= so that "
            "steps are shorter than sqrt(bending stiffness / force); formulation='dae' does without."
            + describe_feeds(system, state.q)
        )


def _is_balanced(system: SpatialShooting, state: State) -> bool:
    """Return whether a state is an equilibrium up to rounding."""
    unbalanced, _, rounding = equilibrium.balance(system, state)
    return unbalanced <= rounding


def check_marches(system: SpatialShooting, state: State, u: np.ndarray) -> None:
    """Refuse an equilibrium that steps half as long along the rods would move by more than their tolerance, in one step
    of Newton. The motion is unknown if the tangent is singular, as with parts that can move freely.
    """
    scratch, lam = system.scratch(), state.lam.copy()
    gamma = equilibrium.stiffness_scale(system, state.q, lam, u, scratch)
    finer = finer_equations(system)
    newton.assemble(finer, state.q, lam, u, gamma, 0.0, False, scratch)
    right = scratch.step.copy()
    if not ldl.solve_once(finer.pattern, scratch.s, scratch.w, scratch.factors, scratch.step, not system.conservative):
        newton.assemble(finer, state.q, lam, u, gamma, 0.0, False, scratch)
        try:
            scratch.step[:] = sparse.linalg.splu(ldl.to_csc(finer.pattern, scratch.s, scratch.w)).solve(right)
        except RuntimeError:  # exactly singular
            return
    refuse_error(system, scratch.step[: system.freedoms])


def refuse_error(system: SpatialShooting, moved: np.ndarray) -> None:
    """Refuse an equilibrium with an error of displacement of its freedoms larger than the tolerance."""
    error = float(np.max(np.abs(moved) * system.weight, initial=0.0))
    allowed = min(mesh.options.tolerance for mesh in system.layout.beams)
    if not error <= allowed:  # nor if it is NaN
        order = min(table(mesh.options.runge_kutta).order for mesh in system.layout.beams)
        parts = ceil((error / allowed) ** (1.0 / order))
        shortest = min(longest_step(mesh) for mesh in system.layout.beams)
        raise ConvergenceError(
            f"Steps along the beams of {system.model.name!r} leave an error of {error:.2g} (of the length scale, or "
            f"rad), more than the tolerance {allowed:g}. Compile with step={shortest / parts:.2g} (a part of a beam's "
            "length) or more subintervals=, or give a larger tolerance=."
        )


def finer_equations(system: SpatialShooting) -> Equations:
    """Return the equations with steps half as long along the rods."""
    if FINER not in system.notes:
        meshes = system.layout.beams
        halves = {mesh.beam.name: replace(mesh.options, parts=2 * mesh.options.parts) for mesh in meshes}
        system.notes[FINER] = remeshed(system, halves).equations
    found: Equations = system.notes[FINER]
    return found


def longest_step(mesh: Any) -> float:
    """Return the longest step of a rod, as a part of its length."""
    return float(np.max(np.diff(mesh.s) / subdivisions(mesh)))
