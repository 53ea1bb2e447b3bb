"""Poses of a planar mechanism with one freedom as a function of the angle y of one of its bodies: q = gamma(y)."""

from __future__ import annotations

import numpy as np

from pliant.errors import OptionError, SingularError, nearest
from pliant.formulations.geometric import reduction
from pliant.formulations.geometric.system import Reduced
from pliant.system.state import State

SMALLEST_STEP = 1e-6  # rad, of the way along a branch
STARTS = 64  # of the search for branches
APART = 1e-6  # lengths of the model, or rad: poses that are not the same


def place(reduced: Reduced, body: str) -> int:
    """Where the angle of a body is among the coordinates."""
    if reduced.model.spatial or reduced.degrees != 1:
        raise OptionError(
            f"{reduced.model.name!r} has {reduced.degrees} freedoms{' in space' * reduced.model.spatial}: its pose is "
            "a function of one angle only in the plane and with one freedom."
        )
    bodies = {each.name: each for each in reduced.observed.layout.rigid_bodies}
    if body not in bodies:
        raise OptionError(f"There is no rigid body {body!r}. {nearest(str(body), bodies)}")
    return 3 * reduced.observed.layout.body_node(bodies[body]) + 2


def gamma(reduced: Reduced, body: str, y: float, near: np.ndarray | None, time: float) -> np.ndarray:
    """Pose at y on the branch of ``near`` (the assembled pose unless given).

    The branch is followed in y with steps that halve where the pose turns quickly; SingularError if a dead centre of y
    lies between.
    """
    index, u = place(reduced, body), reduced.inputs(time).u
    q = np.array(reduced.observed.initial if near is None else near)
    step = y - q[index]
    while True:
        rest = y - q[index]
        last = abs(step) >= abs(rest)
        found = _closed(reduced, index, q, y if last else q[index] + step, u, careful=True)
        if found is not None and last:
            return found
        if found is None and not abs(step) > SMALLEST_STEP:
            raise SingularError(dead_centre(reduced, body, q, time))
        q, step = (q, 0.5 * (rest if last else step)) if found is None else (found, 2.0 * step)


def point(reduced: Reduced, body: str, y: float, rate: float, near: np.ndarray, time: float) -> State:
    """The mechanism at y and y' on the branch of ``near``, with the accelerations and joint forces that follow."""
    index, v = place(reduced, body), np.zeros(reduced.observed.size)
    v[index] = rate
    start = State(gamma(reduced, body, y, near, time), v, v, np.zeros(reduced.observed.constraints), time)
    return reduced.accelerated(start, given=index)


def branches(reduced: Reduced, body: str, y: float, time: float) -> list[np.ndarray]:
    """All poses at y, found by Newton from scattered starts (the same in every call).

    The one nearest to the assembled pose comes first. The list is empty if nothing can be assembled at this y.
    """
    index, u = place(reduced, body), reduced.inputs(time).u
    generator, units, first = np.random.default_rng(0), reduced.compiled.units, reduced.observed.initial
    found: list[np.ndarray] = []
    for start in range(STARTS):
        q = first.copy()
        if start:
            q[:-3] += units * generator.uniform(-1.0, 1.0, units.size)
            q[2:-3:3] = generator.uniform(-np.pi, np.pi, units.size // 3)
        pose = _closed(reduced, index, q, y, u, careful=False)
        if pose is not None and all(_distance(pose, other, units) > APART for other in found):
            found.append(pose)
    return sorted(found, key=lambda pose: _distance(pose, first, units))


def dead_centre(reduced: Reduced, body: str, q: np.ndarray, time: float) -> str:
    """What to say of a pose at which y does not determine the motion."""
    u, work, advice = reduced.inputs(time).u, reduced.work(), ""
    for other in reduced.observed.layout.rigid_bodies:
        if other.name != body and reduction.choose(reduced.compiled, work, q, u, place(reduced, other.name)):
            advice = f" That of {other.name!r} does."
            break
    return (
        f"{body!r} is at a dead centre at {q[place(reduced, body)]:.6g} rad (t = {time:.6g} s): there its angle does "
        f"not determine how the other parts move.{advice}"
    )


def _closed(
    reduced: Reduced, index: int, start: np.ndarray, y: float, u: np.ndarray, *, careful: bool
) -> np.ndarray | None:
    """The pose at y that Newton finds from another; None if it finds none."""
    q, work = start.copy(), reduced.work()
    if careful and not reduction.choose(reduced.compiled, work, q, u, index):
        return None
    q[index] = y
    for _ in range(1 if careful else 8):  # far from closed, other columns become the better ones
        if not careful and not reduction.choose(reduced.compiled, work, q, u, index):
            return None
        if reduction.restore(reduced.compiled, work, q, u, careful):
            return q
    return None


def _distance(one: np.ndarray, other: np.ndarray, units: np.ndarray) -> float:
    """Largest difference of two poses; whole turns do not count."""
    difference = (one - other)[: units.size]
    difference[2::3] = 2.0 * np.sin(0.5 * difference[2::3])
    return float(np.max(np.abs(difference / units)))
