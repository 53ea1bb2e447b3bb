"""Contracts of every mechanism, whatever its parts: derivatives, work, rigid motion, plane and space, units, files."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import pliant as pl
from pliant.model.files import io
from pliant_testing.probe import TIME, Kinematics, Probe, differences

SCALES = pl.Scales(length=2.0, time=0.5, mass=3.0)
FLAT = [0, 1, 5]  # freedoms of a spatial node that are in the plane


def check_stiffness(probe: Probe, at: Kinematics, lam: np.ndarray) -> None:
    """Compare the stiffness with differences of the forces, and the Jacobian with differences of the conditions.

    In space moments are measured in the exponential chart of their frames: elements/_family.py.
    """
    system, n = probe.system, probe.system.freedoms
    K, C, _, G = probe.matrices(at, lam)
    by_place = differences(lambda step: probe.force(replace(at, q=system.moved(at.q, step)), lam), n)
    if probe.spatial:
        by_place -= _half_turns(probe.force(at, lam), system.layout.moving)
    size = float(np.max(np.abs(C)))
    probe.same("its stiffness is not the derivative of its force by the places", K, by_place, size=size)
    rows = differences(lambda step: probe.opened(at.q, system.moved(at.q, step)), n)
    probe.same("its Jacobian is not the derivative of its conditions", G, rows.reshape(G.shape))


def check_rates(probe: Probe, at: Kinematics) -> None:
    """Compare damping and mass with differences of the forces."""
    n, wide = probe.system.freedoms, probe.system.size - probe.system.freedoms
    K, C, M, _ = probe.matrices(at, np.zeros(probe.system.constraints))
    by_speed = differences(lambda step: probe.force(replace(at, v=at.v + np.pad(step, (0, wide)))), n)
    by_acceleration = differences(lambda step: probe.force(replace(at, a=at.a + np.pad(step, (0, wide)))), n)
    size = float(np.max(np.abs(K)))
    probe.same("its damping is not the derivative of its force by the velocities", C, by_speed, size=size)
    probe.same("its mass is not the derivative of its force by the accelerations", M, by_acceleration, size=size)


def _half_turns(force: np.ndarray, nodes: int) -> np.ndarray:
    """Return skew(m) / 2 of the moment of every node."""
    half = np.zeros((force.size, force.size))
    for first in range(3, 6 * nodes, 6):
        moment = slice(first, first + 3)
        half[moment, moment] = 0.5 * np.cross(np.eye(3), force[moment])
    return half


def check_symmetry(probe: Probe, at: Kinematics) -> None:
    """Check that the stiffness at rest is symmetric if the system assumes it."""
    if probe.system.conservative:
        still = Kinematics(at.q, np.zeros_like(at.v), np.zeros_like(at.a))
        K = probe.matrices(still, np.zeros(probe.system.constraints))[0]
        probe.same("its stiffness at rest is not symmetric, though it is taken to have a potential", K, K.T)


def check_work(probe: Probe, at: Kinematics) -> None:
    """Check that the power of the forces is the growth of the energy plus the dissipated less the supplied power."""
    n = probe.system.freedoms

    def energy(step: np.ndarray) -> float:
        return probe.energy(Kinematics(probe.system.moved(at.q, step * at.v[:n]), at.v + step * at.a, at.a))

    force = probe.force(at)
    supplied, dissipated = probe.power(at)
    gained = float(differences(energy, 1)[0])
    probe.same(
        f"its power is not what its energy gains ({gained:.6g}), what it dissipates ({dissipated:.6g}), less what "
        f"it is supplied ({supplied:.6g})",
        gained + dissipated - supplied,
        force @ at.v[:n],
        size=float(np.abs(force) @ np.abs(at.v[:n])),
    )


def check_place(probe: Probe, at: Kinematics, turn: np.ndarray, shift: np.ndarray) -> None:
    """Check that a mechanism moved and turned has the same forces in its own axes, and the same closed joints."""
    how = "turned and shifted" if np.any(turn) else "shifted"
    after = probe.carried(at, turn, shift)
    force = probe.carried_back(probe.force(after), turn)
    probe.same(f"its force is another when the mechanism is {how}", force, probe.force(at))
    if probe.system.constraints:
        closed = replace(at, q=probe.closed(at.q))
        left = probe.gaps(probe.carried(closed, turn, shift).q)
        probe.same(f"its conditions do not hold when the mechanism is {how}", left, 0.0 * left, size=1.0)


def check_plane_in_space(probe: Probe, at: Kinematics) -> None:
    """Check that the mechanism in space, moved in the plane, has the same forces, and none out of the plane."""
    owner = probe.owner.replace("in the plane", "of the plane, in space")
    without = None if probe.without is None else probe.without.promoted()
    twin = replace(probe, owner=owner, model=probe.model.promoted(), without=without)
    flat = _in_space(probe, twin, at)
    force = twin.force(flat).reshape(-1, 6)
    probe.same("in space its force in the plane is another", force[:, FLAT].ravel(), probe.force(at))
    out = np.delete(force, FLAT, axis=1)
    probe.same("in space it leaves the plane", out, 0.0 * out, size=float(np.max(np.abs(force))))
    if probe.system.constraints:
        closed = replace(at, q=probe.closed(at.q))
        lam = np.zeros(probe.system.constraints)
        flat = _in_space(probe, twin, closed)
        gap = twin.gaps(flat.q)
        probe.same("in space its conditions do not hold where they do in the plane", gap, 0.0 * gap, size=1.0)
        G = probe.matrices(closed, lam)[3]
        H = twin.matrices(flat, np.zeros(gap.size))[3].reshape(gap.size, -1, 6)[:, :, FLAT].reshape(gap.size, -1)
        probe.same("in space it does not hold the same in the plane", _onto(H), _onto(G), size=1.0, tolerance=1e-6)


def _in_space(probe: Probe, twin: Probe, at: Kinematics) -> Kinematics:
    """Return a planar motion of the nodes in space."""
    system, nodes = twin.system, probe.system.nodes
    step, v, a = np.zeros((3, system.freedoms))
    step.reshape(-1, 6)[:, FLAT] = (at.q - _assembled(probe, twin))[: 3 * nodes].reshape(-1, 3)
    for flat, wide in ((at.v, v), (at.a, a)):
        wide.reshape(-1, 6)[:, FLAT] = flat[: 3 * nodes].reshape(-1, 3)
    return Kinematics(system.moved(system.initial, step), *(np.pad(x, (0, system.size - x.size)) for x in (v, a)))


def _assembled(probe: Probe, twin: Probe) -> np.ndarray:
    """Return the assembled pose in space as a pose in the plane."""
    system, q = twin.system, probe.system.initial.copy()
    frames = system.initial[system.space.frames(system.nodes) :].reshape(-1, 4)[: system.nodes]
    flat = q[: probe.system.freedoms].reshape(-1, 3)
    flat[:, :2] = system.initial[: system.freedoms].reshape(-1, 6)[:, :2]
    flat[:, 2] = 2.0 * np.arctan2(frames[:, 3], frames[:, 0])
    return q


def _onto(rows: np.ndarray) -> np.ndarray:
    """Return the projection onto the space of some rows."""
    _, size, basis = np.linalg.svd(rows, full_matrices=False)
    basis = basis[size > 1e-9 * max(1.0, np.max(size, initial=0.0))]
    projection: np.ndarray = basis.T @ basis
    return projection


def check_units(probe: Probe, at: Kinematics) -> None:
    """Check that the mechanism is the same in other units."""
    without = None if probe.without is None else probe.without.scaled(SCALES)
    twin = replace(probe, model=probe.model.scaled(SCALES), without=without)
    at_same_time = twin.system.signals(np.array([TIME / SCALES.time]))[0]
    object.__setattr__(twin, "u", at_same_time)
    if twin.rest is not None:
        object.__setattr__(twin.rest, "u", twin.rest.system.signals(np.array([TIME / SCALES.time]))[0])
    system, n = probe.system, probe.system.freedoms
    length = np.ones(system.size)
    length[:n] = np.where(system.angular, 1.0, SCALES.length)

    def scaled(q: np.ndarray) -> Kinematics:
        return Kinematics(q / length, at.v / length * SCALES.time, at.a / length * SCALES.time**2)

    force = twin.force(scaled(at.q)) * SCALES.force * np.where(system.angular, SCALES.length, 1.0)
    probe.same("in other units it is another force: are the units of its fields right?", force, probe.force(at))
    if system.constraints:
        gap = twin.gaps(scaled(probe.closed(at.q)).q)
        probe.same("in other units its conditions are others: are the units of its fields right?", gap, 0 * gap, size=1)


def check_file(probe: Probe, at: Kinematics) -> None:
    """Check that the mechanism is the same after saving and loading."""
    text = io.dumps(probe.model)
    twin = replace(probe, model=io.loads(text))
    if io.dumps(twin.model) != text:
        raise AssertionError(f"{probe.owner}: saved and loaded it is written otherwise:\n{io.dumps(twin.model)}")
    probe.same("saved and loaded its force is another", twin.force(at), probe.force(at), tolerance=1e-12)
    probe.same("saved and loaded its conditions are others", twin.gaps(at.q), probe.gaps(at.q), tolerance=1e-12)
