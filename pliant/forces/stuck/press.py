"""Springs across the normals of sticking contacts: forces, tangents, energy.

Points of nodes at r_k, with levers l_k that turn with them and weights y_k, are apart by ``d = sum y_k (r_k + l_k)``,
which is zero at first contact. Across the normal, in directions e that turn with the leading node,

    s = e . d,    U = k/2 sum s^2,    F = U_d = k sum s e

In the residual node k has ``y_k F`` and the moment ``y_k l_k x F``; the leading node also has ``F x d``. Moments are
measured in the exponential chart of their node.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pliant.forces.contact.geometry import pose, unit
from pliant.forces.stuck import POINTS, Anchor
from pliant.jit import kernel
from pliant.kernels.tensors import Matrix, apply, apply_transposed
from pliant.kernels.triples import Vector, cross, dot, plus, times, vector

NONE = (0.0, 0.0, 0.0)


class Arrays(NamedTuple):
    """Arrays of places, one entry a place."""

    dofs: np.ndarray  # (n, 12), in space (n, 24)
    slots: np.ndarray
    frames: np.ndarray  # (n, 0), in space (n, 4): places of the quaternions
    weight: np.ndarray  # (n, 4)
    arm: np.ndarray  # (n, 12) levers in the axes of their nodes
    across: np.ndarray  # (n, 6) directions in the axes of the leading node
    stiffness: np.ndarray
    lead: np.ndarray
    place: np.ndarray  # its number, and its contact's, as in `system.gaps.Gaps`
    owner: np.ndarray


class Held(NamedTuple):
    """State of a held place: the distance of its points, and the reversed force on the part behind."""

    apart: Vector
    t: Vector
    b: Vector
    force: Vector


def arrays(layout: Any, anchors: list[Anchor], axes: Any, frames: Any) -> Arrays:
    """Pack places of no contact yet; ``axes(node)`` returns a node's axes, ``frames`` the places of quaternions."""
    arms = [[axes(node).T @ lever for node, lever in zip(x.nodes, x.levers, strict=True)] for x in anchors]
    nodes, count = [x.nodes for x in anchors], len(anchors)
    return Arrays(
        dofs=layout.dofs(nodes, POINTS),
        slots=np.empty((count, 0), np.uint32),
        frames=frames(nodes),
        weight=np.array([x.weights for x in anchors], float).reshape(-1, POINTS),
        arm=np.array(arms, float).reshape(-1, 3 * POINTS),
        across=np.array([x.across @ axes(x.nodes[x.lead]) for x in anchors], float).reshape(-1, 6),
        stiffness=np.zeros(count),
        lead=np.array([x.lead for x in anchors], np.uint32),
        place=np.zeros(count, np.uint32),
        owner=np.zeros(count, np.uint32),
    )


@kernel
def node(part: Arrays, e: int, k: int, q: np.ndarray) -> tuple[Vector, Matrix, Vector]:
    """Return place, axes and lever of the node of point k."""
    width = part.dofs.shape[1] // POINTS
    planar = width == 3
    x, R = pose(planar, part.dofs[e, k * width], 0 if planar else part.frames[e, k], q)
    return x, R, apply(R, vector(part.arm[e], 3 * k))


@kernel
def hold(part: Arrays, e: int, q: np.ndarray) -> Held:
    """Return the state of place e in a configuration."""
    apart = NONE
    for k in range(POINTS):
        x, _, lever = node(part, e, k, q)
        apart = plus(apart, times(part.weight[e, k], plus(x, lever)))
    _, R, _ = node(part, e, part.lead[e], q)
    t, b = apply(R, vector(part.across[e], 0)), apply(R, vector(part.across[e], 3))
    k = part.stiffness[e]
    return Held(apart, t, b, plus(times(k * dot(t, apart), t), times(k * dot(b, apart), b)))


@kernel
def freedom(i: int, width: int) -> int:
    """Return the direction of space, of six, of the i-th freedom of a node: x, y, angle about z in the plane."""
    return 5 if width == 3 and i == 2 else i


@kernel
def moment(part: Arrays, e: int, k: int, lever: Vector, x: Held) -> Vector:
    """Return the moment of the residual at the node of point k, in global axes."""
    found = times(part.weight[e, k], cross(lever, x.force))
    return plus(found, cross(x.force, x.apart)) if k == part.lead[e] else found


@kernel
def change(
    part: Arrays, e: int, i: int, k: int, j: int, x: Held, q: np.ndarray
) -> tuple[float, float, float, float, float, float]:
    """Return the change of the residual at the node of point i with freedom j of the node of point k."""
    _, Rk, lk = node(part, e, k, q)
    _, Ri, li = node(part, e, i, q)
    lead, turn = part.lead[e], apply(Rk, unit(j, 3))
    way = times(part.weight[e, k], plus(unit(j, 0), cross(turn, lk)))
    leads = turn if k == lead else NONE
    by_t = dot(x.t, way) + dot(x.apart, cross(leads, x.t))
    by_b = dot(x.b, way) + dot(x.apart, cross(leads, x.b))
    stiffness, weight = part.stiffness[e], part.weight[e, i]
    force = plus(plus(times(stiffness * by_t, x.t), times(stiffness * by_b, x.b)), cross(leads, x.force))
    turned = times(weight, cross(li, force))
    if i == lead:
        turned = plus(turned, plus(cross(force, x.apart), cross(x.force, way)))
    if i == k:
        turned = plus(turned, times(weight, cross(cross(turn, li), x.force)))
        turned = plus(turned, times(0.5, cross(moment(part, e, i, li, x), turn)))
    turned = apply_transposed(Ri, turned)
    return weight * force[0], weight * force[1], weight * force[2], turned[0], turned[1], turned[2]


@kernel
def add(part: Arrays, q: np.ndarray, ck: float, r: np.ndarray, s: np.ndarray, w: np.ndarray) -> None:
    """Add forces and exact tangents."""
    width = part.dofs.shape[1] // POINTS
    for e in range(part.stiffness.size):
        x, dofs, slots = hold(part, e, q), part.dofs[e], part.slots[e]
        for i in range(POINTS):
            if part.weight[e, i] == 0.0:
                continue
            _, R, lever = node(part, e, i, q)
            turned = apply_transposed(R, moment(part, e, i, lever, x))
            for m in range(width):
                f = freedom(m, width)
                r[dofs[i * width + m]] += part.weight[e, i] * x.force[f] if f < 3 else turned[f - 3]
            for k in range(POINTS if ck != 0.0 else 0):
                if part.weight[e, k] == 0.0:
                    continue
                for j in range(width):
                    by, column = change(part, e, i, k, freedom(j, width), x, q), k * width + j
                    for m in range(width):
                        value, row = ck * by[freedom(m, width)], i * width + m
                        low, high = min(row, column), max(row, column)
                        slot = slots[high * (high + 1) // 2 + low]
                        if dofs[row] == dofs[column]:
                            s[slot] += value
                        else:
                            s[slot] += 0.5 * value
                            w[slot] += 0.5 * value if dofs[row] > dofs[column] else -0.5 * value


@kernel
def energy(part: Arrays, q: np.ndarray) -> tuple[float, float]:
    """Return the elastic energy."""
    stored = 0.0
    for e in range(part.stiffness.size):
        x = hold(part, e, q)
        stored += 0.5 * part.stiffness[e] * (dot(x.t, x.apart) ** 2 + dot(x.b, x.apart) ** 2)
    return 0.0, stored


@kernel
def forces(part: Arrays, q: np.ndarray, out: np.ndarray) -> None:
    """Write (n, 3) the force on the part behind, at every place."""
    for e in range(part.stiffness.size):
        x = hold(part, e, q)
        for i in range(3):
            out[e, i] = -x.force[i]
