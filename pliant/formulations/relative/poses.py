"""Poses of a planar mechanism with one freedom as a function of the angle y of one of its bodies: q = gamma(y).

>>> import pliant as pl
>>> from pliant.formulations.relative import poses
>>> from pliant_gallery import four_bar
>>> len(poses.branches(pl.compile(four_bar.model(), formulation="relative"), "crank", 0.0))
2
"""

from __future__ import annotations

import numpy as np

from pliant.errors import OptionError, SingularError, nearest
from pliant.formulations.relative import dynamics
from pliant.formulations.relative.system import REGULAR, Relative
from pliant.joints import rows as joints
from pliant.system.state import State

ITERATIONS, CLOSED = 15, 1e-13  # Newton's method; last increment, in lengths of the model and radians
NEARLY, CORRECTION = 1e-8, 0.3  # increments below need not fall; else largest ratio of increments, near a branch
SMALLEST_STEP = 1e-6  # rad, along a branch
STARTS = 64  # number of starts of the search for branches
APART = 1e-6  # lengths of the model, or rad: least difference of distinct poses


def gamma(system: Relative, body: str, y: float, near: np.ndarray | None = None, *, time: float = 0.0) -> np.ndarray:
    """Return the pose of the nodes at y on the branch of ``near`` (the assembled pose unless given).

    The branch is followed in y with steps that halve where the pose turns quickly; SingularError if a dead centre of y
    lies between.
    """
    index, u = place(system, body), system.inputs(time)[0]
    q = np.array(system.initial if near is None else near)
    step = y - q[index]
    while True:
        rest = y - q[index]
        last = abs(step) >= abs(rest)
        found = _closed(system, index, q, y if last else q[index] + step, u, careful=True)
        if found is not None and last:
            return found
        if found is None and not abs(step) > SMALLEST_STEP:
            raise SingularError(_dead_centre(system, body, q, u))
        q, step = (q, 0.5 * (rest if last else step)) if found is None else (found, 2.0 * step)


def point(system: Relative, body: str, y: float, rate: float, near: np.ndarray, *, time: float = 0.0) -> State:
    """Return the state at y and y' on the branch of ``near``, with the accelerations and joint forces that follow."""
    index, q, rows = place(system, body), gamma(system, body, y, near, time=time), system.equations.rows
    u, rates, _ = system.inputs(time)
    v, target = np.zeros(system.size), np.zeros(system.constraints)
    v[index] = rate
    joints.velocity(rows, q, v, u, rates, target)
    v[: system.freedoms] -= _solved(system, _jacobian(system, index, q, u), target)
    return system.accelerated(State(q, v, np.zeros(system.size), np.zeros(system.constraints), time))


def branches(system: Relative, body: str, y: float, *, time: float = 0.0) -> list[np.ndarray]:
    """Return all poses at y, found by Newton's method from scattered starts (equal in every call).

    The one nearest to the assembled pose comes first. The list is empty if nothing can be assembled at this y.
    """
    index, u, units = place(system, body), system.inputs(time)[0], 1.0 / system.weight
    generator, first = np.random.default_rng(0), system.initial
    found: list[np.ndarray] = []
    for start in range(STARTS):
        q = first.copy()
        if start:
            q[:-3] += units * generator.uniform(-1.0, 1.0, units.size)
            q[2:-3:3] = generator.uniform(-np.pi, np.pi, units.size // 3)
        pose = _closed(system, index, q, y, u, careful=False)
        if pose is not None and all(_distance(pose, other, units) > APART for other in found):
            found.append(pose)
    return sorted(found, key=lambda pose: _distance(pose, first, units))


def independent(system: Relative, q: np.ndarray, *, time: float = 0.0) -> list[str]:
    """Return names of the independent coordinates at a configuration of the nodes."""
    mechanism, room = system.compiled, system.room()
    if mechanism.loops.rank:
        dynamics.choose(mechanism, room, system.coordinates(q), system.inputs(time)[0])
    chosen = room.closure.places[max(mechanism.loops.rank, 0) :]
    return [system.names[mechanism.active[c]] for c in sorted(chosen.tolist())]


def place(system: Relative, body: str) -> int:
    """Return the number of a body's angle among the coordinates of the nodes."""
    if system.model.spatial or system.degrees != 1 or system.layout.stretches:
        raise OptionError(
            f"{system.model.name!r} has {system.degrees} freedoms{' in space' * system.model.spatial}: its pose is a "
            "function of one angle only in the plane, with one freedom and without parts that have internal modes."
        )
    bodies = {each.name: each for each in system.layout.rigid_bodies}
    if body not in bodies:
        raise OptionError(f"There is no rigid body {body!r}. {nearest(str(body), bodies)}")
    return 3 * system.layout.body_node(bodies[body]) + 2


def _dead_centre(system: Relative, body: str, q: np.ndarray, u: np.ndarray) -> str:
    """Return the message about a pose at which y does not determine the motion."""
    others = (other.name for other in system.layout.rigid_bodies if other.name != body)
    better = [other for other in others if _regular(system, _jacobian(system, place(system, other), q, u))]
    return (
        f"{body!r} is at a dead centre at {q[place(system, body)]:.6g} rad (t = {u[1]:.6g} s): there its angle does "
        f"not determine how the other parts move.{f' That of {better[0]!r} does.' if better else ''}"
    )


def _jacobian(system: Relative, index: int, q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Return G without units and without the column of y."""
    found, rows = np.zeros((system.constraints, system.size)), system.equations.rows
    joints.jacobian_dense(rows, q, u, found)
    found[:, index] = 0.0
    return np.asarray(found[:, : system.freedoms] / system.weight / _widths(system)[:, None])


def _widths(system: Relative) -> np.ndarray:
    return np.where(joints.angular(system.equations.rows), 1.0, system.length_scale)


def _regular(system: Relative, jacobian: np.ndarray) -> bool:
    return bool(np.linalg.svd(jacobian, compute_uv=False)[system.freedoms - 2] > REGULAR)


def _solved(system: Relative, jacobian: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return x with G x = values and no change of y."""
    return np.asarray(np.linalg.lstsq(jacobian, values / _widths(system), rcond=1e-13)[0] / system.weight)


def _closed(
    system: Relative, index: int, start: np.ndarray, y: float, u: np.ndarray, *, careful: bool
) -> np.ndarray | None:
    """Return the pose at y that Newton's method finds from another, None if it finds none; ``careful``: only as long as
    its increments fall quickly, so that no other branch is met.
    """
    q, n, gap, before = start.copy(), system.freedoms, np.zeros(system.constraints), np.inf
    q[index] = y
    for _ in range(ITERATIONS if careful else 8 * ITERATIONS):
        joints.residual(system.equations.rows, q, u, gap)
        jacobian = _jacobian(system, index, q, u)
        if careful and not _regular(system, jacobian):
            return None
        step = _solved(system, jacobian, gap)
        size = float(np.max(np.abs(step * system.weight)))
        if not size < np.inf or (careful and size > max(CORRECTION * before, NEARLY)):
            return None
        q[:n] -= step / max(size, 1.0)
        if size <= CLOSED or (size <= NEARLY and size > CORRECTION * before):
            joints.residual(system.equations.rows, q, u, gap)
            return q if np.max(np.abs(gap / _widths(system))) <= NEARLY else None
        before = size
    return None


def _distance(one: np.ndarray, other: np.ndarray, units: np.ndarray) -> float:
    """Return the largest difference of two poses; whole turns do not count."""
    difference = (one - other)[: units.size]
    difference[2::3] = 2.0 * np.sin(0.5 * difference[2::3])
    return float(np.max(np.abs(difference / units)))
