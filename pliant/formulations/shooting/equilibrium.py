"""Equilibria by multiple shooting: Newton on all subintervals, load steps if that fails."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pliant.elements.rod_ivp.march import SUMS, March, MarchStart, gather_loads
from pliant.elements.rod_ivp.slope import KEPT
from pliant.errors import ConvergenceError, PliantError, SingularError
from pliant.forces.state_force import callbacks
from pliant.formulations.shooting import adaptive, condense, newmark, newton
from pliant.formulations.shooting.joining import JOINED, element_forces, joining
from pliant.formulations.shooting.observation import interior_of
from pliant.formulations.shooting.rod_state import Interior, read
from pliant.formulations.shooting.stability import softened, stability
from pliant.formulations.shooting.system import Shooting
from pliant.solvers.nonlinear import branch_check
from pliant.solvers.nonlinear.equilibrium import unloaded
from pliant.solvers.stepping.status import DONE, NOT_CONVERGED, NOT_FINITE, SINGULAR
from pliant.system.equations import Scratch
from pliant.system.state import Equilibrium, State

TOLERANCE = 1e-10
LIMIT = 60
LOAD_STEP_LIMIT = 20  # iterations of a load step
MOST_ITERATIONS = 3000
SMALLEST_LOAD_STEP = 2.0**-18
FREE, CAREFUL, GUESSED = 100.0, 0.5, 1.0  # largest increment of each attempt, in lengths of the model and radians
ROUNDING = 1e-14  # of the axial stiffness: strain due to rounding
COARSE = 0.3  # of the way: permitted difference to finite elements on the same nodes
RAGGED = 1e-6  # of the length scale and in rad: gaps that no solution has


@dataclass
class Solution:
    """Unknowns of an iteration to an equilibrium."""

    q: np.ndarray
    lam: np.ndarray
    force: np.ndarray
    iterations: int = 0
    load_steps: int = 0

    def copy(self) -> Solution:
        return Solution(self.q.copy(), self.lam.copy(), self.force.copy(), self.iterations, self.load_steps)


def find_equilibrium(system: Shooting, start: State, *, time: float = 0.0, load_steps: int = 1) -> Equilibrium:
    """Find the equilibrium near ``start`` under the loads and drives at ``time``.

    These are tried in turn until a stable equilibrium is found: the whole load in ``load_steps`` steps; smaller steps
    from the unloaded state, with small increments; the whole load from the equilibrium of finite elements on the same
    nodes. If all solutions are unstable, the first is returned. Adaptive methods refine their steps until the estimated
    errors meet the tolerance, each time from the last solution.
    """
    target = system.signals(np.array([time]))[0]
    base = unloaded(system, start.q, target)
    begin = Solution(start.q.copy(), np.zeros(system.constraints), base_forces(system, start, target))
    failures: list[PliantError] = []
    judged: list[Equilibrium] = []
    for attempt in (FREE, CAREFUL, GUESSED):
        found = begin.copy()
        try:
            if attempt == GUESSED:
                found = guessed(system, start, time)
            follow(system, base, target, found, attempt, max(8, 4 * load_steps) if attempt == CAREFUL else load_steps)
            finer = refine(system, target, found)
        except (ConvergenceError, SingularError) as failure:
            callbacks.reraise()
            failures.append(failure)
            continue
        judged.append(judge(finer, found, target, time))
        if not judged[-1].unstable_directions:
            return branch_check.compared(system.mesh, replace(start, interior=None), judged[-1], COARSE)
    if not judged and rests(system, begin, target):
        judged.append(judge(system, begin, target, time))
    if judged:
        return judged[0]
    raise failures[0] if isinstance(failures[0], ConvergenceError) else failures[1]


def rests(system: Shooting, at: Solution, u: np.ndarray) -> bool:
    """Return whether no force acts at a start, as in a mechanism without loads that can move freely."""
    scratch, work = system.scratch(), system.workspace()
    _, closed, gap = assembled(system, at, u, 0.0, scratch, work)
    axial = max(mesh.beam.section_at(0.5).axial_stiffness for mesh in system.layout.beams)
    pulled = nodal_balance(system, scratch, work) / (axial * system.length_scale)
    return pulled <= 10.0 * ROUNDING and max(closed, gap) <= JOINED


def guessed(system: Shooting, start: State, time: float) -> Solution:
    """Return the equilibrium of finite elements, with their forces."""
    at = replace(start, interior=None)
    state = system.mesh.find_equilibrium(at, time=time).state
    return Solution(state.q.copy(), state.lam.copy(), element_forces(system, state.q))


def base_forces(system: Shooting, start: State, u: np.ndarray) -> np.ndarray:
    """Return the forces at the bases of the subintervals in a state: stored forces; or forces of finite elements bent
    to it, or of rods bent from node to node under the signals u, whichever leave the nodes more in balance. The latter
    find nodes of an equilibrium of rods, but not of other equilibria.
    """
    known = read(system, start.interior)
    if known is not None:
        return known[1].force
    found = element_forces(system, start.q)
    if np.array_equal(start.q, system.initial):
        return found
    try:
        other = joining(system, start.q, u)
    except ConvergenceError:
        return found
    scratch, work, left = system.scratch(), system.workspace(), []
    for force in (found, other):
        assembled(system, Solution(start.q, start.lam, force), u, 0.0, scratch, work)
        left.append(nodal_balance(system, scratch, work))
    return other if left[1] < left[0] else found


def follow(system: Shooting, base: np.ndarray, target: np.ndarray, found: Solution, cap: float, steps: int) -> None:
    """Move from base to target loads, in place; the step is halved on failure and doubled after success."""
    done, step, begin = 0.0, 1.0 / steps, found.iterations
    limit = LIMIT if steps == 1 else LOAD_STEP_LIMIT
    while done < 1.0:
        step = min(step, 1.0 - done)
        u = base + (done + step) * (target - base)
        old, before = found.copy(), found.iterations
        status, size = solve(system, u, found, cap, limit)
        if status == DONE and np.max(np.abs(found.q - old.q)[2:-3:3], initial=0.0) > np.pi:
            status = NOT_CONVERGED  # Newton has wound a part up: an equilibrium, but not the one nearby
        if status == DONE:
            done += step
            step *= 2.0 if 2 * (found.iterations - before) <= limit else 1.0
            found.load_steps += 1
            continue
        found.q, found.lam, found.force = old.q, old.lam, old.force
        step *= 0.5
        spent = found.iterations - begin > MOST_ITERATIONS
        if spent or step < SMALLEST_LOAD_STEP or (steps == 1 and found.load_steps == 0):
            raise ConvergenceError(_failed(system, status, done, size))


def solve(system: Shooting, u: np.ndarray, found: Solution, cap: float, limit: int = LIMIT) -> tuple[int, float]:
    """Run Newton at the signals u, in place, with the exact matrix or, if it cannot be factorised, its symmetric part.

    A solution whose marches do not meet their nodes, because of growing rounding errors, is rejected.
    """
    scratch, work = system.scratch(), system.workspace()
    gamma = stiffness_scale(system, found, u, scratch, work)
    start = found.copy()
    status, size = NOT_CONVERGED, 0.0
    marches = marches_of(system, work)
    for unsymmetric in (True, False):
        unknowns = newton.Unknowns(found.q, found.lam, found.force)
        how = newton.How(system.way, unsymmetric, cap, TOLERANCE, limit)
        status, count, size = newton.equilibrium(system.equations, marches, unknowns, u, gamma, how, scratch)
        callbacks.reraise()
        found.iterations += count
        if status == DONE and not assembled(system, found, u, gamma, scratch, work)[2] < RAGGED:
            status = NOT_FINITE
        if status != SINGULAR:
            break
        found.q, found.lam, found.force = start.q.copy(), start.lam.copy(), start.force.copy()
    return status, size


def refine(system: Shooting, u: np.ndarray, found: Solution) -> Shooting:
    """Refine the steps of the pairs until the solution's errors meet the tolerances."""
    for _ in range(adaptive.ROUNDS):
        work = system.workspace()
        gather_loads(system.rods, u, work)
        errors = adaptive.estimate(system, found.q, found.force, 0.0, 0.0, work)
        grid = adaptive.refined(system, errors)
        if grid is None:
            return system
        system = system.with_grid(grid)
        status, size = solve(system, u, found, FREE)
        if status != DONE:
            raise ConvergenceError(_failed(system, status, 1.0, size))
    raise ConvergenceError(
        f"The steps along the beams of {system.model.name!r} could not meet the tolerance in {adaptive.ROUNDS} rounds. "
        "Give a larger tolerance=, more subintervals=, or order=4 with a step=."
    )


def stiffness_scale(system: Shooting, at: Solution, u: np.ndarray, scratch: Scratch, work: March) -> float:
    """Return the weight gamma of the augmented term: the largest stiffness found."""
    assembled(system, at, u, 0.0, scratch, work)
    diagonal = scratch.s[: system.freedoms].reshape(-1, 3)[:, :2]
    stiff = float(np.max(np.abs(diagonal), initial=0.0))
    return stiff if np.isfinite(stiff) and stiff > 0.0 else 1.0


def assembled(
    system: Shooting, at: Solution, u: np.ndarray, gamma: float, scratch: Scratch, work: March
) -> tuple[float, float, float]:
    """Compute residual and tangent at a solution, in ``scratch`` and ``work``; see newton.assemble."""
    marches, unknowns = marches_of(system, work), newton.Unknowns(at.q, at.lam, at.force)
    return newton.assemble(system.equations, marches, unknowns, u, gamma, condense.VARIATIONAL, False, scratch)


def marches_of(system: Shooting, work: March) -> newton.Marches:
    """Return the arguments of the marches of a system's rods."""
    return newton.Marches(system.rods, system.table, system.small(), work)


def judge(system: Shooting, found: Solution, u: np.ndarray, time: float) -> Equilibrium:
    """Return an equilibrium with its residual and stability, and the state inside its rods."""
    scratch, work = system.scratch(), system.workspace()
    _, closed, gap = assembled(system, found, u, 0.0, scratch, work)
    unbalanced = nodal_balance(system, scratch, work)
    pushes = np.abs(found.lam) / system.joint_arms
    scale = max(float(np.max(pushes, initial=0.0)), float(np.max(np.abs(found.force[:, :2]), initial=0.0)))
    soft = softened(system)
    assembled(soft, found, u, 0.0, scratch, work)
    count, neutral = stability(soft, found.q, u, scratch, work)
    place, sums = np.zeros((system.rods.section.shape[0], KEPT)), np.zeros(SUMS)
    newmark.survey(system.rods, system.table, MarchStart(found.q, found.force), 0.0, 0.0, work, place, sums)
    still = np.zeros((3, *place.shape))
    state = State(
        found.q, np.zeros_like(found.q), np.zeros_like(found.q), found.lam, time,
        interior=Interior(found.force, place, *still).row(system),
    )  # fmt: skip
    axial = max(mesh.beam.section_at(0.5).axial_stiffness for mesh in system.layout.beams)
    return Equilibrium(
        state, found.iterations, found.load_steps, unbalanced / system.length_scale, scale,
        max(closed, gap * system.length_scale), count, neutral, interior=interior_of(sums[None], work.seen[None]),
        rounding=ROUNDING * axial,
    )  # fmt: skip


def nodal_balance(system: Shooting, scratch: Scratch, work: March) -> float:
    """Return the largest unbalanced force (times the length scale) of rods after shooting."""
    r = nodal_forces(system, scratch, work)[: system.freedoms]
    return float(np.max(np.abs(r) / system.weight, initial=0.0))


def nodal_forces(system: Shooting, scratch: Scratch, work: March) -> np.ndarray:
    """Return the residual of rods after shooting, without the next correction of the gaps, which is rounding times
    stiffness if they are closed.
    """
    rods, pull = system.rods, np.einsum("eij,ej->ei", work.inverse, work.gap)
    r = scratch.r.copy()
    np.add.at(r, rods.dofs[:, :3], pull)
    np.add.at(r, rods.dofs[:, 3:], -np.einsum("eij,ej->ei", work.transfer[:, 3:, 3:], pull))
    fed, k = rods.feed > 0, rods.feed[rods.feed > 0] - 1
    np.add.at(r, rods.pair[k], work.eased[fed, None] * work.slope[k])
    return r


def _failed(system: Shooting, status: int, done: float, size: float) -> str:
    why = {
        SINGULAR: "the equations are singular: something can move without any force changing",
        NOT_FINITE: "a march along a beam grew out of bounds",
    }.get(status, f"Newton did not converge (last increment {size:.2g} of the length scale)")
    fewest = min(len(mesh.connectivity) for mesh in system.layout.beams)
    return (
        f"No equilibrium of {system.model.name!r} was found: at {100 * done:.3g} % of the load {why}. More "
        f"subintervals (now {fewest} or more a beam) keep marches bounded; load_steps= or a nearer start= help Newton. "
        "The load may also be beyond a limit point, which formulation='dae' can follow with pl.path."
    )
