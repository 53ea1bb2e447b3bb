"""A state of one system as a state of another: of another mesh, another formulation, of the plane in space.

A result says of every node of its state to which part it belongs and, of a beam, where along it (``state_part``,
``state_s``); a link of a chain is a frame at its centre of the beam that it stands for. So states are frames along
parts. The other system takes from them the frames of its own nodes: of rigid bodies as they are, of beams by
splines along s; then its joints are closed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from pliant._libraries import interpolate, sparse
from pliant.elements.sleeve import SAME, Sleeve
from pliant.errors import CarriedOver, OptionError, warn
from pliant.joints import rows as joints
from pliant.model import rotations
from pliant.system.state import State

FEW = 5  # nodes of a beam; with fewer its frames give the tangents of its splines
ROUNDS = 8  # of closing joints
SHUT = 1e-12  # of the length scale
OPEN, MARGIN = 1e-3, 20.0  # widest gap of a joint, of the length scale, and of the error of what was carried over


class Frames(NamedTuple):
    """Nodes of a state: parts, places along beams (-1: rigid); rows of places, turns and velocities."""

    part: np.ndarray
    s: np.ndarray
    place: np.ndarray  # (nodes, 2 or 3)
    turn: np.ndarray  # (nodes, 1) angles, in space (nodes, 4) quaternions
    velocity: np.ndarray  # (nodes, 3 or 6)

    @property
    def spatial(self) -> bool:
        """Return whether they are in space."""
        return self.turn.shape[1] == 4

    def in_space(self) -> Frames:
        """Return frames in the plane z = 0 as frames in space."""
        none, half = np.zeros(len(self.s)), 0.5 * self.turn[:, 0]
        turn = np.column_stack([np.cos(half), none, none, np.sin(half)])
        velocity = np.column_stack([self.velocity[:, :2], none, none, none, self.velocity[:, 2]])
        return Frames(self.part, self.s, np.column_stack([self.place, none]), turn, velocity)


def same_nodes(system: Any, values: Mapping[str, np.ndarray] | None) -> bool | None:
    """Return whether the values of a state belong to the nodes of a system; None if they belong to other parts, or name
    no parts.
    """
    if values is None or "part" not in values or "q" not in values or not hasattr(system, "frame_places"):
        return None
    mine, parts = system.frame_owners(), values["part"].tolist()
    if mine == parts and values["q"].size == system.size and np.array_equal(system.frame_places(), values["s"]):
        return True
    return False if set(mine) == set(parts) else None


def handed_over(system: Any, values: Mapping[str, np.ndarray], what: str, *, moved: bool = False) -> State:
    """Return the state of a system that is nearest to a state of another, and warn with the error; ``moved``: joints
    may have been elsewhere.
    """
    state, error = carried(system, State.read(values), values, what, moved=moved)
    twisted = any(part.own_nodes(system.layout) for part in system.model.forces) and not _alike(system, values)
    warn(
        CarriedOver,
        f"{what}: that state has other nodes than {system.model.name!r}, and was carried over along its parts by "
        f"interpolation. Nodes may be off by {error:.1g} of the model's size; reactions are computed again."
        f"{' Sleeves start without twist: find their equilibrium (statics) before a motion.' if twisted else ''}",
    )
    return state


def carried(
    system: Any, state: State, values: Mapping[str, np.ndarray], what: str, *, moved: bool = False
) -> tuple[State, float]:
    """Return the state of a system that is nearest to a state of another, and the error of places (in lengths of the
    model).
    """
    source = frames_of(state, values["part"], values["s"], what)
    if source.spatial and not system.space.quaternions:
        raise OptionError(f"{what}: that state is of a model in space, the system is planar.")
    if system.space.quaternions and not source.spatial:
        source = source.in_space()
    known = {name: np.flatnonzero(source.part == name) for name in set(source.part.tolist())}
    owners, places, error = np.array(system.frame_owners(), str), system.frame_places(), 0.0
    found = Frames(owners, places, *(np.zeros((owners.size, x.shape[1])) for x in source[2:]))
    for name in dict.fromkeys(owners.tolist()):
        nodes, theirs = np.flatnonzero(owners == name), known[name]
        beam = bool(places[nodes[0]] >= 0.0)
        if beam != bool(source.s[theirs[0]] >= 0.0):
            kinds = ("a rigid body", "a beam") if beam else ("a beam", "a rigid body")
            raise OptionError(f"{what}: {name!r} is {kinds[0]} in that state, and {kinds[1]} in the system.")
        if beam:
            error = max(error, _along(system, source, theirs, found, nodes))
        else:
            for mine_, other in zip(found[2:], source[2:], strict=True):
                mine_[nodes] = other[theirs]
    error /= system.length_scale
    most = np.inf if moved else max(OPEN, MARGIN * error)
    ours = _state(system, found, state.time)
    if _alike(system, values):
        own = slice(system.space.width * owners.size, system.space.width * system.layout.ground)
        ours.q[own] = state.q[own]  # angles of sleeves, modes of reduced bodies
    else:
        _untwist(system, found, ours)
    return _closed(system, ours, most, what), error


def _alike(system: Any, values: Mapping[str, np.ndarray]) -> bool:
    """Return whether a state has as many nodes of the same parts, near each other along them."""
    if system.frame_owners() != values["part"].tolist() or np.size(values["q"]) != system.size:
        return False
    places = system.frame_places()
    apart = np.abs(np.diff(places))
    return bool(np.max(np.abs(places - values["s"])) < 0.5 * np.min(apart[apart > 0.0], initial=1.0))


def frames_of(state: State, part: np.ndarray, s: np.ndarray, what: str) -> Frames:
    """Return the frames of the nodes of a state; stretches, angles of sleeves and the ground follow behind them."""
    count = part.size + 1
    if state.q.size % 3 == 0 and 3 * count <= state.q.size < 10 * count:
        rows, rates = (x[: 3 * part.size].reshape(-1, 3) for x in (state.q, state.v))
        return Frames(part, s, rows[:, :2], rows[:, 2:], rates)
    nodes, left = divmod(state.q.size, 10)
    if left or nodes < count:
        raise OptionError(f"{what}: its state is damaged: {state.q.size} numbers for {count} nodes.")
    rows, rates = (x[: 6 * part.size].reshape(-1, 6) for x in (state.q, state.v))
    turns = state.q[6 * nodes :].reshape(nodes, 4)[: part.size].copy()
    for k in range(1, len(turns)):  # quaternions that follow each other do not change their sign
        turns[k] *= 1.0 if turns[k - 1] @ turns[k] >= 0.0 else -1.0
    return Frames(part, s, rows[:, :3], turns, rates)


def _along(system: Any, source: Frames, theirs: np.ndarray, found: Frames, nodes: np.ndarray) -> float:
    """Write the frames of the nodes of a beam by splines; return the change of places with half the nodes (m)."""
    s, at = source.s[theirs], found.s[nodes]
    length = system.beam_lengths[str(found.part[nodes[0]])]
    found.place[nodes] = _places(source, theirs, length, at)
    for mine, other in zip(found[3:], source[3:], strict=True):
        mine[nodes] = _spline(s, other[theirs])(at)
    fewer = theirs[::2] if theirs.size % 2 else np.append(theirs[::2], theirs[-1])
    changed = found.place[nodes] - _places(source, fewer, length, at)
    there = np.min(np.abs(at[:, None] - s), axis=1) < 1e-12  # nodes that both have
    links = max(_cut(source, theirs, length), _cut(found, nodes, length))
    return max(links, float(np.max(np.abs(changed[~there]), initial=0.0)))


def _cut(frames: Frames, nodes: np.ndarray, length: float) -> float:
    """Return the error of places (m) of a chain of rigid links, whose frames are not at the ends of its beam."""
    s = frames.s[nodes]
    if s[0] < 1e-12 or nodes.size < 2:
        return 0.0
    turned = np.linalg.norm(np.diff(frames.turn[nodes], axis=0), axis=1) * (2.0 if frames.spatial else 1.0)
    return float(np.max(0.5 * turned * np.diff(s) * length))


def _places(source: Frames, nodes: np.ndarray, length: float, at: np.ndarray) -> np.ndarray:
    s, place = source.s[nodes], source.place[nodes]
    if nodes.size >= FEW:
        return np.asarray(interpolate.CubicSpline(s, place)(at))
    axis = np.eye(place.shape[1])[0]
    if source.spatial:
        tangent = rotations.rotate(source.turn[nodes], axis)
    else:
        tangent = np.column_stack([np.cos(source.turn[nodes, 0]), np.sin(source.turn[nodes, 0])])
    return np.asarray(interpolate.CubicHermiteSpline(s, place, length * tangent)(at))


def _spline(s: np.ndarray, values: np.ndarray) -> Any:
    return (
        interpolate.CubicSpline(s, values)
        if s.size > 2
        else lambda at: np.array([np.interp(at, s, x) for x in values.T]).T
    )


def _state(system: Any, found: Frames, time: float) -> State:
    q, v = system.start().q.copy(), np.zeros(system.size)
    width, count = system.space.width, found.s.size
    axes = len(system.space.axes)
    rows = q[: width * count].reshape(count, width)
    rows[:, :axes] = found.place
    if found.spatial:
        turns = q[system.space.frames(system.nodes) :].reshape(-1, 4)
        turns[:count] = found.turn / np.linalg.norm(found.turn, axis=1, keepdims=True)
    else:
        rows[:, axes:] = found.turn
    v[: width * count] = found.velocity.ravel()
    return State(q, v, np.zeros_like(v), np.zeros(system.constraints), time)


def _untwist(system: Any, found: Frames, state: State) -> None:
    """Reduce the angles of sleeves by the rotation of the sections of the beam inside, where they are not twisted."""
    layout, u = system.layout, system.signals(np.array([state.time]))[0]
    for sleeve in layout.forces(Sleeve):
        nodes = np.flatnonzero(found.part == sleeve.beam.name)
        s, turn = found.s[nodes], found.turn[nodes]
        step = rotations.product(rotations.conjugate(turn[:-1]), turn[1:])
        angle = np.append(0.0, np.cumsum(2.0 * np.arctan(step[:, 1] / step[:, 0])))
        own = s[np.isin(nodes, sleeve.own_nodes(layout))]
        driven = np.where(own > sleeve.start + SAME, u[layout.signal(sleeve.angle, sleeve, "angle")], 0.0)
        state.q[layout.own(sleeve)] = driven - np.interp(own, s, angle) + np.interp(sleeve.held, s, angle)


def _closed(system: Any, state: State, most: float, what: str) -> State:
    """Return the state with its joints closed by least displacements (in lengths of the model and radians), and with
    velocities that keep them closed; drives may have moved. Joints that are open by more than ``most`` are refused: the
    model is another.
    """
    rows, n, q = system.equations.rows, system.freedoms, state.q
    kept = rows.gain == 0.0
    u, gap = system.signals(np.array([state.time]))[0], np.zeros(system.constraints)
    for count in range(ROUNDS):
        joints.residual(rows, q, u, gap)
        wide = gap[kept] * np.sqrt(rows.weight[kept])
        if count == 0 and np.max(np.abs(wide), initial=0.0) > most * system.length_scale:
            worst = system.opening(int(np.flatnonzero(kept)[np.argmax(np.abs(wide))]), gap)
            raise OptionError(
                f"{what}: joint {worst.name!r} is open by {worst.gap:.3g} in that state, carried over. It is of "
                "another model, or lengths have changed: start from a result of this one."
            )
        if np.max(np.abs(wide), initial=0.0) <= SHUT * system.length_scale:
            break
        q = system.moved(q, _least(system, _ties(system, q, kept), -wide))
    v = state.v.copy()
    if np.any(v):
        ties = _ties(system, q, kept)
        v[:n] += _least(system, ties, -(ties @ v[:n]))
    return State(q, v, state.a, state.lam, state.time)


def _ties(system: Any, q: np.ndarray, kept: np.ndarray) -> Any:
    """Return the (rows, freedoms) derivatives of the gaps of joints, in lengths, by the coordinates."""
    rows = system.equations.rows
    found = sparse.csr_array(joints.jacobian(rows, q, system.freedoms))[kept]
    return sparse.diags_array(np.sqrt(rows.weight[kept])) @ found


def _least(system: Any, ties: Any, right: np.ndarray) -> np.ndarray:
    """Return the least change of the coordinates, in lengths of the model and radians, with these gaps."""
    scale = 1.0 / system.weight
    found = sparse.linalg.lsqr(ties @ sparse.diags_array(scale), right, atol=1e-14, btol=1e-14)
    return np.asarray(scale * found[0])
