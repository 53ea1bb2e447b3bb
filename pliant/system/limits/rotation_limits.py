"""Rotations of laws with a stiffness in space, where an angle is known only up to whole turns.

A law of the angle between two markers is valid within half a turn of its reference (`PointLaw.angle_around`), a law of
the rotation vector within half a turn of zero. Beyond, the force would jump to the other side without a loss of energy.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.elements.superelement import Superelement
from pliant.forces._law import PointLaw, numbers_of
from pliant.forces._turns import frames_of
from pliant.model import rotations
from pliant.system.observation.points import quaternions
from pliant.system.samples import Samples

if TYPE_CHECKING:
    from pliant.system.system import System

VECTOR = ("rx", "ry", "rz")


def law_turns(system: System, q: np.ndarray) -> Iterator[tuple[str, float]]:
    """Yield the name of every such law and its largest rotation (rad) over instants (instants, coordinates): half a
    turn if it passed to the other side between two instants.
    """
    if not system.space.quaternions:
        return
    for law in system.model.forces:
        if isinstance(law, PointLaw) and _turns_stiffly(system, law, q):
            found = turns(system, law, q)
            sizes = np.linalg.norm(found, axis=1)
            far = (sizes[1:] + sizes[:-1] > pi) & (np.sum(found[1:] * found[:-1], axis=1) < 0.0)
            yield law.name, pi if np.any(far) else float(np.max(sizes))


def interface_turns(system: System, q: np.ndarray) -> Iterator[tuple[str, float]]:
    """Yield the name of every reduced body, and the largest rotation (rad) over instants of an interface node against
    the first one, for nodes whose rotation it resists.
    """
    for part in system.model.forces:
        if not isinstance(part, Superelement):
            continue
        first, *others = (system.layout.node(marker) for marker in part.interface)
        stiff = np.diag(part.stiffness)[: part.width * len(part.interface)].reshape(-1, part.width)
        most = 0.0
        for node, own in zip(others, stiff[1:, part.width // 2 + part.width % 2 :], strict=True):
            if np.any(own > 0.0):
                most = max(most, float(np.max(_apart(system, q, first, node), initial=0.0)))
        yield part.name, most


def spin_errors(system: System, q: np.ndarray, v: np.ndarray) -> Iterator[tuple[str, float]]:
    """Yield the name of every reduced body, and the largest ``(w / w_1)^2 d`` over instants, in lengths of the model: w
    the spin of its first node, w_1 its lowest frequency with this node held, d the displacement of others from their
    rigid position.

    Its stiffness has no centrifugal stiffening: deflections have errors of this order.
    """
    width = system.space.width
    for part in system.model.forces:
        if not isinstance(part, Superelement):
            continue
        first, *others = (system.layout.node(marker) for marker in part.interface)
        points = len(system.space.axes)
        spin = v[:, width * first + points : width * (first + 1)]
        away = np.zeros(len(q))
        for node, place in zip(others, np.array(part.places[1:]) - np.array(part.places[0]), strict=True):
            arm = q[:, width * node : width * node + points] - q[:, width * first : width * first + points]
            away = np.maximum(away, np.linalg.norm(arm - _attached(system, q, first, place), axis=1))
        worst = np.max(np.sum(spin**2, axis=1) * away, initial=0.0)
        yield part.name, float(worst) * _slowness(part) / system.length_scale


def lost_forces(system: System, samples: Samples) -> Iterator[tuple[str, float]]:
    """Yield the name of every reduced body with internal modes, and the largest force on these that is missing because
    its frame does not rotate them, over the largest of its inertia and weight,

        |2 w x p' + w x (w x p)| / m |a - g|,   p = sum (M T)_k eta_k

    with the spin w of the first node, the momentum p' of the modes eta_k along the axes T, and the accelerations a of
    the nodes. The missing force within the modes themselves is of the same order.
    """
    width, points = system.space.width, len(system.space.axes)
    reduced = [part for part in system.model.forces if isinstance(part, Superelement) and part.modes]
    u = system.signals(samples.time[:1])[0] if reduced else np.empty(0)
    pull = sum((u[list(row)] for row in system.layout.gravity()), np.zeros(points)) if reduced else np.empty(0)
    for part in reduced:
        nodes, own = [system.layout.node(marker) for marker in part.interface], system.layout.own(part)
        weight = (np.array(part.mass) @ part.rigid_motions()[:, :points])[-part.modes :]
        spin = samples.v[:, width * nodes[0] + points : width * (nodes[0] + 1)]
        w, moved, moving = (_in_space(each) for each in (spin, samples.q[:, own] @ weight, samples.v[:, own] @ weight))
        lost = 2.0 * np.cross(w, moving) + np.cross(w, np.cross(w, moved))
        felt = [samples.a[:, width * node : width * node + points] - pull for node in nodes]
        scale = part.total_mass * np.max(np.linalg.norm(felt, axis=-1), initial=1e-300)
        yield part.name, float(np.max(np.linalg.norm(lost, axis=1), initial=0.0) / scale)


def _in_space(vectors: np.ndarray) -> np.ndarray:
    """Return planar spins or positions as spatial vectors."""
    none = np.zeros((len(vectors), 3 - vectors.shape[1]))
    return np.hstack([none, vectors] if vectors.shape[1] == 1 else [vectors, none])


def _attached(system: System, q: np.ndarray, node: int, place: np.ndarray) -> np.ndarray:
    """Return the (instants, axes) global components of a vector fixed to a node."""
    if system.space.quaternions:
        return np.asarray(rotations.matrix(quaternions(q)[:, node]) @ place)
    c, s = np.cos(q[:, 3 * node + 2]), np.sin(q[:, 3 * node + 2])
    return np.stack([c * place[0] - s * place[1], s * place[0] + c * place[1]], axis=1)


def _slowness(part: Superelement) -> float:
    """Return 1 / w^2 of the lowest vibration with the first node held; 0 if no stiffness is positive."""
    K, M = (np.array(each)[part.width :, part.width :] for each in (part.stiffness, part.mass))
    scale = np.sqrt(np.where(np.diag(K) > 0.0, np.diag(K), np.inf))
    soft = np.linalg.pinv(K / np.outer(scale, scale), rcond=1e-10, hermitian=True)
    return float(np.max(np.linalg.eigvals(soft @ (M / np.outer(scale, scale))).real, initial=0.0))


def _apart(system: System, q: np.ndarray, one: int, other: int) -> np.ndarray:
    """Return the (instants) angle between two nodes, up to half a turn."""
    if not system.space.quaternions:
        return np.abs(np.remainder(q[:, 3 * other + 2] - q[:, 3 * one + 2] + pi, 2.0 * pi) - pi)
    nodes = quaternions(q)
    relative = rotations.product(rotations.conjugate(nodes[:, one]), nodes[:, other])
    return np.asarray(np.linalg.norm(rotations.logarithm(relative), axis=1))


def _turns_stiffly(system: System, law: PointLaw, q: np.ndarray) -> bool:
    """Return whether the force of a law depends on how far it has turned, with its points as in the first instant."""
    words = law.measured(spatial=True)
    turning = [k for k, word in enumerate(words) if word in VECTOR or word == "angle" and law.angle_around]
    if not turning:
        return False
    n, x = len(words), np.full(len(words), 0.1)
    if len(turning) < n:
        way = _way(system, law, q[:1])
        x = np.array([0.1 if k in turning else way.get(word, 0.0) for k, word in enumerate(words)])
    f, f_x, f_rate = np.zeros(n), np.zeros((n, n)), np.zeros((n, n))
    type(law).resist(numbers_of(law), x, np.zeros(n), np.ones(len(law.inputs)), f, f_x, f_rate)
    return bool(np.any(f_x[:, turning]))


def _way(system: System, law: PointLaw, q: np.ndarray) -> dict[str, float]:
    """Return the distance of the markers of a law, and the coordinates of b's point in the law's axes on a."""
    (a, b), nodes, layout = law.ends, quaternions(q), system.layout
    points = np.zeros((2, 3))
    for point, marker in zip(points, (a, b), strict=True):
        if marker is not None:
            node = layout.node(marker)
            point[:] = q[0, 6 * node : 6 * node + 3] + rotations.matrix(nodes[0, node]) @ layout.arm(marker)
    frame = frames_of(layout, law, a, b)[0]
    axes = rotations.matrix(frame if a is None else rotations.product(nodes[0, layout.node(a)], frame))
    way = points[1] - points[0]
    return {"distance": float(np.linalg.norm(way)), **dict(zip("xyz", (way @ axes).tolist(), strict=True))}


def turns(system: System, law: PointLaw, q: np.ndarray) -> np.ndarray:
    """Return the (instants, 1 or 3) angle from its reference, or rotation vector; in the plane with all its turns."""
    a, b = law.ends
    layout: Any = system.layout
    if not system.space.quaternions:
        here, there = (0.0 if m is None else q[:, 3 * layout.node(m) + 2] + layout.offset(m)[2] for m in (a, b))
        return np.asarray(there - here - getattr(law, law.angle_around))[:, None]
    frame_a, frame_b = frames_of(layout, law, a, b)
    nodes = quaternions(q)
    first = np.broadcast_to(frame_a, (len(q), 4)) if a is None else _turn(nodes[:, system.layout.node(a)], frame_a)
    relative = rotations.product(rotations.conjugate(first), _turn(nodes[:, system.layout.node(b)], frame_b))
    if "angle" not in law.measures:
        return np.asarray(rotations.logarithm(relative))
    away = 2.0 * np.arctan2(relative[:, 3], relative[:, 0]) - getattr(law, law.angle_around)
    return np.asarray((away - 2.0 * pi * np.round(away / (2.0 * pi)))[:, None])


def _turn(node: np.ndarray, frame: np.ndarray) -> np.ndarray:
    return rotations.product(node, np.broadcast_to(frame, node.shape))
