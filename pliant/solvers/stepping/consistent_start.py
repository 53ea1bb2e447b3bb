"""Start of a motion: velocities on the constraints, with consistent accelerations and reactions."""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant._frozen import replace
from pliant._libraries import sparse
from pliant.elements.superelement import Superelement
from pliant.errors import AssemblyError, OptionError, SingularError
from pliant.forces.state_force import callbacks
from pliant.jit import kernel
from pliant.joints import rows as joints
from pliant.joints.rows import rubbing
from pliant.kernels.sums import Instant, Into
from pliant.kernels.vectors import more
from pliant.linalg import eigen, ldl
from pliant.model import rotations
from pliant.system.assembly import dependent_rows, massless_spins
from pliant.system.equations import Equations, Scratch
from pliant.system.numbering.spatial_layout import SpatialLayout
from pliant.system.packing import fused
from pliant.system.state import State
from pliant.system.system import System

PATIENCE, SETTLED, AGREED = 100, 1e-12, 1e-6  # friction and reactions alternately: rounds, change at best and at least
LARGEST_DENSE = 3000  # freedoms up to which a start with dependent conditions is solved densely


def consistent(system: System, start: State, *, time: float, velocity: np.ndarray | None, step: float) -> State:
    """Return the state with velocities on G v + g_t = 0 (mass-weighted projection) and consistent accelerations and
    reactions.

    Entries of ``velocity`` that are not NaN are kept exactly, the rest follows with least kinetic energy. From rest, a
    running drive pushes in the same way: its beams start as rigid bodies, without an impact.
    """
    n, m = system.freedoms, system.constraints
    u, rate, second = (table[0] for table in system.signal_table(np.array([time])))
    state = State(start.q, start.v.copy(), np.zeros(system.size), np.zeros(m), time, interior=start.interior)
    _refuse_loose(system, state, u)
    if velocity is None and np.any(rate) and not np.any(start.v):
        velocity = np.full(system.size, np.nan)
    if velocity is not None:
        _push(system, state, velocity, u, rate)
    with system.working() as scratch:
        scratch.clear()
        if velocity is None and m:
            state.v[:n] -= off_joints(system, state, u, rate, step, scratch)[:n]
        return accelerated(system, state, u, second, step, scratch)


def off_joints(
    system: System, state: State, u: np.ndarray, rate: np.ndarray, step: float, scratch: Scratch
) -> np.ndarray:
    """Return the violation G v + g_t of the velocity constraint, as velocities of least kinetic energy, and the
    reactions to them. ``rate`` are derivatives of the signals that drive joints.
    """
    equations, found = system.equations, np.zeros(system.freedoms + system.constraints)
    joints.velocity(equations.rows, state.q, state.v, u, rate, found[system.freedoms :])
    if not found.any():  # as at rest
        return found
    return saddle(system, state, u, found, step, scratch)


def accelerated(
    system: System, state: State, u: np.ndarray, second: np.ndarray, step: float, scratch: Scratch
) -> State:
    """Return the state with accelerations and reactions for its velocities, under signals u; ``second`` are second
    derivatives of the signals that drive joints.
    """
    n, a = system.freedoms, np.zeros(system.size)
    now, right = Instant(state.q, state.v, a, u), np.empty(n + system.constraints)
    at_work(system.equations, now, second, scratch, right)
    callbacks.reraise()
    solution = saddle(system, state, u, right.copy() if system.rubs else right, step, scratch)
    if system.rubs:
        solution = _add_friction(system, state, u, right, solution, step, scratch)
    a[:n] = solution[:n]
    return replace(state, a=a, lam=solution[n:], abar=a.copy())


def _add_friction(
    system: System,
    state: State,
    u: np.ndarray,
    right: np.ndarray,
    solution: np.ndarray,
    step: float,
    scratch: Scratch,
) -> np.ndarray:
    """Return accelerations and reactions with consistent friction, from those without."""
    n, found, change = system.freedoms, system.equations.rubbing, 1.0
    for _ in range(PATIENCE):
        change = rubbing.rub(found, state.q, state.v, solution[n:], scratch.rubbed)
        if change < SETTLED:
            break
        drag, dragged = np.zeros(system.size), right.copy()
        rubbing.push(found, scratch.rubbed, -1.0, drag)
        dragged[:n] += drag[:n]
        solution = saddle(system, state, u, dragged, step, scratch)
    if not change < AGREED:
        raise SingularError(
            f"The initial accelerations of {system.model.name!r} are not determined: its friction has no reaction that "
            "fits (it jams). Take a smaller coefficient, or start at rest."
        )
    return solution


def _push(system: System, state: State, velocity: np.ndarray, u: np.ndarray, rate: np.ndarray) -> None:
    """Project the velocity: keep the given entries exactly, satisfy G v = -g_t, and stay nearest to the state's, by
    energy.

    Beams, chains of links that represent beams, and reduced bodies move as rigid bodies where the joints allow it, so
    that a push does not make them ring: a motion of a node against the base of its beam, or of a mode, costs far more
    than kinetic energy.
    """
    n, m = system.freedoms, system.constraints
    given = np.flatnonzero(~np.isnan(velocity[:n]))
    matrices = system.matrices(replace(state, lam=np.zeros(m)))
    speed = np.zeros(m)
    joints.velocity(system.equations.rows, state.q, np.zeros(system.size), u, rate, speed)
    unit, kept = sparse.diags(1.0 / system.weight), sparse.eye(n, format="csr")[given]
    rows = sparse.vstack([matrices.ties, kept], format="csr") @ unit
    sizes = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    scale = 1.0 / np.where(sizes > 0.0, sizes, 1.0)  # no unit may matter: lengths of the model and radians, rows of 1
    rows, wanted = sparse.diags(scale) @ rows, scale * np.concatenate([-speed, velocity[given]])
    bending, mass = _bending(system, state.q) @ unit, unit @ matrices.mass @ unit
    heaviest = float(abs(mass).max())  # kg m^2
    cost = mass / (heaviest or 1.0) + 1e8 * bending.T @ bending + 1e-12 * sparse.eye(n)
    independent, before = np.append(system.equations.rows.softness == 0.0, np.ones(given.size, bool)), state.v[:n]
    solution = _nearest(cost, rows[independent], wanted[independent], system.weight * before)
    if _off(rows, solution, wanted) and n <= LARGEST_DENSE:
        solution = _nearest_dense(cost.toarray(), rows.toarray(), wanted, system.weight * before)
    if _off(rows, solution, wanted):
        if not given.size:
            raise AssemblyError("The prescribed motions contradict the joints, or each other: their speeds do not fit.")
        raise OptionError(
            "push: the velocities given contradict the joints. A number, or in space three (wx, wy, wz), is a rate of "
            "turning, which a body that only slides does not have: give it all its velocities, (vx, vy, rad/s) in the "
            "plane, (vx, vy, vz, wx, wy, wz) in space. A mechanism of one freedom takes one body."
        )
    state.v[:n] = solution / system.weight


def _off(rows: Any, solution: np.ndarray, wanted: np.ndarray) -> bool:
    """Return whether a solution misses the wanted values, relative to the terms of the rows."""
    gap, terms = np.abs(rows @ solution - wanted), abs(rows) @ np.abs(solution) + np.abs(wanted)
    return not np.max(gap, initial=0.0) <= 1e-6 * np.max(terms, initial=0.0)


def _nearest(cost: Any, rows: Any, wanted: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Minimise (x - start) . cost (x - start) over all x with rows x = wanted; NaN if rows are dependent."""
    matrix = sparse.bmat([[cost, rows.T], [rows, None]], format="csc")
    try:
        factors = sparse.linalg.splu(matrix)
    except RuntimeError:  # exactly singular
        return np.full(start.size, np.nan)
    right = np.concatenate([cost @ start, wanted])
    found = factors.solve(right)
    found += factors.solve(right - matrix @ found)
    return np.asarray(found[: start.size])


def _nearest_dense(cost: np.ndarray, rows: np.ndarray, wanted: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Minimise it by least squares, for dependent rows."""
    nearest = np.linalg.lstsq(rows, wanted, rcond=1e-12)[0]
    free = eigen.null_space(rows)
    return np.asarray(nearest - free @ np.linalg.solve(free.T @ cost @ free, free.T @ (cost @ (nearest - start))))


def _bending(system: System, q: np.ndarray) -> Any:
    """Return the matrix from velocities to velocities of beam nodes against their base and of modes."""
    found, width, points = [], system.space.width, len(system.space.axes)
    reduced = [part for part in system.model.forces if isinstance(part, Superelement)]
    shared = [np.array([system.layout.node(marker) for marker in part.interface]) for part in reduced]
    for nodes in (*(mesh.nodes for mesh in system.layout.beams), *_chains(system.layout), *shared):
        base = int(nodes[0])
        for node in nodes[1:].tolist():
            block = np.hstack([_rigid_motion(system, q, node, node), -_rigid_motion(system, q, node, base)])
            block[:points] /= system.length_scale
            columns = np.concatenate([width * node + np.arange(width), width * base + np.arange(width)])
            found.append((block, columns))
    rows = np.repeat(np.arange(width * len(found)), 2 * width)
    columns = np.concatenate([np.empty(0, int), *(np.tile(columns, width) for _, columns in found)])
    values = np.concatenate([np.empty(0), *(block.ravel() for block, _ in found)])
    bent = sparse.csr_matrix((values, (rows, columns)), shape=(width * len(found), system.freedoms))
    modes = [int(each) for part in reduced if part.modes for each in system.layout.own(part)]
    return sparse.vstack([bent, sparse.eye(system.freedoms, format="csr")[modes]], format="csr")


def _chains(layout: Any) -> list[np.ndarray]:
    """Return the nodes of the links of every lumped beam, with springs "arm bend 1", ... (see udwadia_kalaba)."""
    found: dict[str, list[int]] = {}
    for spring in layout.model.forces:
        beam, _, number = spring.name.rpartition(" bend ")
        if number.isdigit() and spring.markers[-1].body.name == f"{beam}.{int(number) + 1}":
            first, second = (layout.node(marker) for marker in spring.markers)
            found.setdefault(beam, [first]).append(second)
    return [np.array(nodes) for nodes in found.values()]


def _rigid_motion(system: System, q: np.ndarray, node: int, base: int) -> np.ndarray:
    """Return the matrix from the velocities of a base to a node that moves with it as a rigid body, in global axes."""
    if not system.space.quaternions:
        motion = np.eye(3)
        motion[:2, 2] = q[3 * base + 1] - q[3 * node + 1], q[3 * node] - q[3 * base]
        return motion
    motion, frame = np.eye(6), system.equations.frames + 4 * base
    axes = rotations.matrix(q[frame : frame + 4])
    motion[3:, 3:] = axes
    motion[:3, 3:] = np.cross(axes, q[6 * node : 6 * node + 3] - q[6 * base : 6 * base + 3], axisa=0).T
    return motion


def saddle(system: System, state: State, u: np.ndarray, right: np.ndarray, step: float, scratch: Scratch) -> np.ndarray:
    """Replace the right side by x of [M, G^T; G, 0] x = right; massless parts that no joint holds are carried by their
    stiffness over a tenth of a step.
    """
    share = (0.1 * step) ** 2 if needs_carrying(system, state.q, u) else 0.0
    if not solve_saddle(system.equations, Instant(state.q, state.v, state.a, u), share, scratch, right):
        raise SingularError(_explain_undetermined(system, state, u))
    return right


@kernel
def solve_saddle(equations: Equations, now: Instant, share: float, scratch: Scratch, right: np.ndarray) -> bool:
    """Replace the right side by the solution. Returns whether there is one. With the augmented term gamma G^T G in the
    matrix, gamma G^T times the lower half is added to the right side.
    """
    rows, r, s, w, push, n = equations.rows, scratch.r, scratch.s, scratch.w, scratch.push, equations.freedoms
    if equations.gamma > 0.0:
        r[:] = 0.0
        for k in range(push.size):
            push[k] = equations.gamma * rows.weight[k] * right[n + k]
        joints.push(rows, now.q, push, now.u, r, scratch.g)
        for i in range(n):
            right[i] += r[i]
    r[:] = 0.0
    s[:] = 0.0
    w[:] = 0.0
    push[:] = 0.0
    fused.add(equations.parts, now, Into(share, 0.0, 1.0, r, s, w), scratch.stress, False)
    joints.add(rows, now.q, push, now.u, joints.Saddle(0.0, equations.gamma, r, scratch.g, s))
    return ldl.solve_once(equations.pattern, s, w, scratch.factors, right, False)


@kernel
def at_work(equations: Equations, now: Instant, second: np.ndarray, scratch: Scratch, right: np.ndarray) -> None:
    """Compute the applied forces without inertia, and the accelerations that the joints demand; ``second``: of the
    signals that drive them.
    """
    n, r = equations.freedoms, scratch.r
    r[:] = 0.0
    fused.add(equations.parts, now, Into(0.0, 0.0, 0.0, r, scratch.s, scratch.w), scratch.stress, False)
    joints.bias(equations.rows, now.q, now.v, now.u, second, scratch.g)
    for i in range(n):
        right[i] = -r[i]
    for k in range(scratch.g.size):
        right[n + k] = -scratch.g[k]


@kernel
def forces_apart(equations: Equations, now: Instant, due: np.ndarray, scratch: Scratch) -> tuple[float, float]:
    """Return the largest difference of ``M a + f`` at an instant with other accelerations, and the largest of the
    latter: moments, and forces times the model's length.
    """
    r, right, off, largest = scratch.r, scratch.trial, 0.0, 0.0
    r[:] = 0.0
    right[:] = 0.0
    fused.add(equations.parts, now, Into(0.0, 0.0, 0.0, r, scratch.s, scratch.w), scratch.stress, False)
    then = Instant(now.q, now.v, due, now.u)
    fused.add(equations.parts, then, Into(0.0, 0.0, 0.0, right, scratch.s, scratch.w), scratch.stress, False)
    for i in range(equations.freedoms):
        off = more(off, abs(r[i] - right[i]) / equations.weight[i])
        largest = more(largest, abs(right[i]) / equations.weight[i])
    return off, largest


def needs_carrying(system: System, q: np.ndarray, u: np.ndarray) -> bool:
    """Return whether some motion moves no mass, so that its stiffness must carry it. Slender bars whose joints hold
    their spin do not need it.
    """
    layout = system.layout
    if not system.equations.gamma or system.massless:
        return system.massless
    if not isinstance(layout, SpatialLayout) or not all(body.mass for body in layout.rigid_bodies):
        return True
    return bool(layout.idle) or _loose(system, layout, q, u).size > 0


def _loose(system: System, layout: SpatialLayout, q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Return (freedoms, n) rotations without inertia that no joint holds, except idle ones."""
    active = set(massless_spins.inert_spins(layout)) - set(layout.idle)
    found = sorted(active, key=lambda spin: layout.body_node(spin.body))
    if not found:
        return np.zeros((system.freedoms, 0))
    turns = massless_spins.columns(layout, found)
    rows, n = system.equations.rows, system.freedoms
    jacobian = dependent_rows.scaled_jacobian(rows, q, system.length_scale, system.space, n)
    _, sizes, directions = np.linalg.svd(jacobian @ turns)
    return np.asarray(turns @ directions[np.sum(sizes > massless_spins.HELD) :].T)


def _refuse_loose(system: System, state: State, u: np.ndarray) -> None:
    """Refuse a free rotation without inertia under a load, or one that depends on another's."""
    layout, n = system.layout, system.freedoms
    if not isinstance(layout, SpatialLayout) or not (loose := _loose(system, layout, state.q, u)).size:
        return
    matrices = system.matrices(state)
    for matrix in (matrices.mass, matrices.stiffness, matrices.damping):
        form = loose.T @ (matrix @ loose)
        largest = np.max(np.abs(matrix.diagonal()[system.space.angular(n)]), initial=0.0)
        _, sizes, directions = np.linalg.svd(0.5 * (form + form.T))
        loose = loose @ directions[sizes <= massless_spins.HELD * largest].T
    if loose.shape[1]:
        moves = np.max(np.abs(loose), axis=1)
        owners = np.array(system.freedom_owners())
        names = sorted(set(owners[moves > 0.3 * np.max(moves)].tolist()))
        raise SingularError(
            f"The motion of {system.model.name!r} is not determined: {', '.join(names)} can turn about an axis about "
            "which there is no inertia, as a slender bar about itself, and nothing holds it. Give it one, "
            "inertia=(Jx, Jy, Jz), or a joint that holds it."
        )


def _explain_undetermined(system: System, state: State, u: np.ndarray) -> str:
    """Explain why the accelerations at a state are undetermined, and what to try."""
    what = f"The initial velocities and accelerations of {system.model.name!r} are not determined: "
    share = dependent_rows.dependent(
        dependent_rows.scaled_jacobian(
            system.equations.rows, state.q, system.length_scale, system.space, system.freedoms
        )
    )
    if share.any():
        names = [rows.joint.name for rows in system.joints if share[rows.first : rows.first + rows.count].any()]
        return f"{what}it starts at a dead centre of joints {', '.join(names)}. Start from a slightly different angle."
    return f"{what}a part without mass is held by nothing. Give it mass, or join its neighbours directly."
