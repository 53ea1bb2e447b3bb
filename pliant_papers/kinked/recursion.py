"""Recursive kinematics and inverse dynamics: poses, velocities and accelerations outwards, forces inwards.

A point of an element, ``P = O + R(psi) (x + u, w)``, has in the frame's axes the velocity and acceleration

    P'  = O'  + f (0, x) + e (-w, u) + (u', w')
    P'' = O'' + f' (0, x) - f^2 (x, 0) + e' (-w, u) - e^2 (u, w) + 2 e (-w', u') + (u'', w'')

f is the angular velocity of the rigid part, e of the elastic part. They are equal except in system modes (eq. 19),
whose joints beyond the first are locked for e: psi contains delta, which is not a coordinate and is reset to the
joint's angle at every instant. Lagrange's equations are then the integral of ``rho A P_Q . P''`` over all elements; it
is a polynomial of degree 6 in a uniform beam, which four Gauss points integrate exactly. Rotary inertia adds
``rho I (f' + theta'')``.

Deflection w and rotation theta of the section follow from the nodes' as in a uniform Timoshenko beam without loads,
``phi = 12 EI / GA l^2``: cubic and quadratic, w' = theta if phi = 0 (J.S. Przemieniecki, Theory of Matrix Structural
Analysis, 1968, ch. 5.6 and 11).
"""

from __future__ import annotations

import numpy as np

from pliant.jit import kernel
from pliant_papers.kinked.tree import Arms, Tree, Work, reach

Wrench = tuple[float, float, float, float]  # force, and moments that turn with the frame and with the node
POINTS = 4
_PLACES, _WEIGHTS = np.polynomial.legendre.leggauss(POINTS)
XI, WEIGHT = 0.5 * (_PLACES + 1.0), 0.5 * _WEIGHTS
N1, N4 = 1.0 - XI, XI
N8, N11 = 1.0 - 3.0 * XI**2 + 2.0 * XI**3, 3.0 * XI**2 - 2.0 * XI**3
N9, N12 = XI - 2.0 * XI**2 + XI**3, XI**3 - XI**2  # times the length
T9, T12 = 1.0 - 4.0 * XI + 3.0 * XI**2, 3.0 * XI**2 - 2.0 * XI


@kernel
def across(g: int, phi: float, length: float) -> tuple[float, float, float, float]:
    """Return the deflection at a Gauss point for unit w and phi of the first and of the second node."""
    if phi == 0.0:
        return N8[g], length * N9[g], N11[g], length * N12[g]
    f, bow = 1.0 / (1.0 + phi), 0.5 * phi * N1[g] * N4[g]
    return (
        f * (N8[g] + phi * N1[g]),
        f * length * (N9[g] + bow),
        f * (N11[g] + phi * N4[g]),
        f * length * (N12[g] - bow),
    )


@kernel
def turned(g: int, phi: float, length: float) -> tuple[float, float, float, float]:
    """Return the rotation of the section there."""
    f = 1.0 / (1.0 + phi)
    chord = 6.0 * f * N1[g] * N4[g] / length
    return -chord, f * (T9[g] + phi * N1[g]), chord, f * (T12[g] + phi * N4[g])


@kernel
def outwards(
    tree: Tree, q: np.ndarray, v: np.ndarray, a: np.ndarray, gx: float, gy: float, work: Work, full: bool
) -> None:
    """Compute poses, velocities and accelerations of all frames; ``full``: of the visible arm, with no joint locked."""
    pose, twist, change = work.pose, work.twist, work.change
    pose[0, 2] = 1.0
    change[0, 0], change[0, 1] = -gx, -gy
    for k in range(1, tree.start.size):
        node = tree.start[k]
        p, i, j = tree.frame[node], tree.freedom[node], tree.joint[k]
        arms = reach(tree, pose, q, node, tree.offset[k, 0], tree.offset[k, 1])
        share = 1.0 if full else tree.share[k]
        pose[k, 0] = pose[p, 0] + arms.x + arms.ex + arms.dx
        pose[k, 1] = pose[p, 1] + arms.y + arms.ey + arms.dy
        psi = pose[p, 4] + q[i + 2] + tree.offset[k, 2] + q[j]
        pose[k, 2], pose[k, 3], pose[k, 4] = np.cos(psi), np.sin(psi), psi
        twist[k, 0], twist[k, 1] = speed(arms, twist[p], v, i)
        twist[k, 2] = twist[p, 2] + v[i + 2] + v[j]
        twist[k, 3] = twist[p, 3] + v[i + 2] + share * v[j]
        change[k, 0], change[k, 1] = acceleration(arms, twist[p], change[p], v, a, i)
        change[k, 2] = change[p, 2] + a[i + 2] + a[j]
        change[k, 3] = change[p, 3] + a[i + 2] + share * a[j]


@kernel
def speed(arms: Arms, twist: np.ndarray, v: np.ndarray, i: int) -> tuple[float, float]:
    """Return the velocity of a point fixed to the node with freedoms i, whose frame moves with ``twist``."""
    f, e, turn = twist[2], twist[3], twist[2] + v[i + 2]
    x = twist[0] - f * arms.y - e * arms.ey - turn * arms.dy + arms.c * v[i] - arms.s * v[i + 1]
    y = twist[1] + f * arms.x + e * arms.ex + turn * arms.dx + arms.s * v[i] + arms.c * v[i + 1]
    return x, y


@kernel
def acceleration(
    arms: Arms, twist: np.ndarray, change: np.ndarray, v: np.ndarray, a: np.ndarray, i: int
) -> tuple[float, float]:
    """Return the acceleration of such a point."""
    f, e, turn = twist[2], twist[3], twist[2] + v[i + 2]
    f1, e1, turn1 = change[2], change[3], change[2] + a[i + 2]
    x = change[0] - f1 * arms.y - f * f * arms.x - e1 * arms.ey - e * e * arms.ex
    y = change[1] + f1 * arms.x - f * f * arms.y + e1 * arms.ex - e * e * arms.ey
    x += arms.c * a[i] - arms.s * a[i + 1] - 2.0 * e * (arms.s * v[i] + arms.c * v[i + 1])
    y += arms.s * a[i] + arms.c * a[i + 1] + 2.0 * e * (arms.c * v[i] - arms.s * v[i + 1])
    return x - turn1 * arms.dy - turn * turn * arms.dx, y + turn1 * arms.dx - turn * turn * arms.dy


@kernel
def hand_on(tree: Tree, arms: Arms, node: int, wrench: Wrench, work: Work, force: np.ndarray) -> None:
    """Add a wrench at a point fixed to a node to the node's freedoms and its frame."""
    p, i = tree.frame[node], tree.freedom[node]
    fx, fy, mf, me = wrench
    about = mf + arms.dx * fy - arms.dy * fx
    force[i] += arms.c * fx + arms.s * fy
    force[i + 1] += arms.c * fy - arms.s * fx
    force[i + 2] += about + me
    work.wrench[p, 0] += fx
    work.wrench[p, 1] += fy
    work.wrench[p, 2] += about + arms.x * fy - arms.y * fx
    work.wrench[p, 3] += me + arms.ex * fy - arms.ey * fx


@kernel
def inwards(tree: Tree, q: np.ndarray, v: np.ndarray, a: np.ndarray, u: np.ndarray, work: Work, r: np.ndarray) -> None:
    """Add ``M a + h - loads`` to r, after `outwards`; the wrench of a frame is then carried by its joint."""
    work.wrench[:] = 0.0
    for e in range(tree.length.size):
        resist(tree, e, q, v, a, work, r)
    for e in range(tree.lump.size):
        node, mass = tree.lump[e], tree.inertia[e, 0]
        p, i = tree.frame[node], tree.freedom[node]
        arms = reach(tree, work.pose, q, node, tree.inertia[e, 2], tree.inertia[e, 3])
        ax, ay = acceleration(arms, work.twist[p], work.change[p], v, a, i)
        turning = tree.inertia[e, 1] * (work.change[p, 2] + a[i + 2])
        hand_on(tree, arms, node, (mass * ax, mass * ay, turning, 0.0), work, r)
    for e in range(tree.load.size):
        node, signal, arm = tree.load[e], tree.signal[e], tree.arm[e]
        arms = reach(tree, work.pose, q, node, arm[0], arm[1])
        fx, fy = arm[2] * u[signal[0]], arm[2] * u[signal[1]]
        if arm[3] != 0.0:
            turn = work.pose[tree.frame[node], 4] + q[tree.freedom[node] + 2]
            c, s = np.cos(turn), np.sin(turn)
            wrench = s * fy - c * fx, -s * fx - c * fy, -arm[2] * u[signal[2]], 0.0
        else:
            wrench = -fx, -fy, -arm[2] * u[signal[2]], 0.0
        hand_on(tree, arms, node, wrench, work, r)
    for k in range(tree.start.size - 1, 0, -1):
        node, carried = tree.start[k], work.wrench[k]
        r[tree.joint[k]] += carried[2] + tree.share[k] * carried[3]
        arms = reach(tree, work.pose, q, node, tree.offset[k, 0], tree.offset[k, 1])
        hand_on(tree, arms, node, (carried[0], carried[1], carried[2], carried[3]), work, r)


@kernel
def resist(tree: Tree, e: int, q: np.ndarray, v: np.ndarray, a: np.ndarray, work: Work, r: np.ndarray) -> None:
    """Add the inertia of an element to its nodes and its frame."""
    one, two = tree.nodes[e, 0], tree.nodes[e, 1]
    k, i, j = tree.frame[one], tree.freedom[one], tree.freedom[two]
    length, phi = tree.length[e], tree.beam[e, 4]
    c, s = work.pose[k, 2], work.pose[k, 3]
    f, b, f1, b1 = work.twist[k, 2], work.twist[k, 3], work.change[k, 2], work.change[k, 3]
    ox = c * work.change[k, 0] + s * work.change[k, 1]
    oy = c * work.change[k, 1] - s * work.change[k, 0]
    for g in range(POINTS):
        n1, n4, mass = N1[g], N4[g], tree.mass[e, g]
        n8, n9, n11, n12 = across(g, phi, length)
        x = tree.x[one] + XI[g] * length
        u, w = n1 * q[i] + n4 * q[j], n8 * q[i + 1] + n9 * q[i + 2] + n11 * q[j + 1] + n12 * q[j + 2]
        u1, w1 = n1 * v[i] + n4 * v[j], n8 * v[i + 1] + n9 * v[i + 2] + n11 * v[j + 1] + n12 * v[j + 2]
        u2, w2 = n1 * a[i] + n4 * a[j], n8 * a[i + 1] + n9 * a[i + 2] + n11 * a[j + 1] + n12 * a[j + 2]
        fx = mass * (ox - b1 * w - f * f * x - b * b * u - 2.0 * b * w1 + u2)
        fy = mass * (oy + f1 * x + b1 * u - b * b * w + 2.0 * b * u1 + w2)
        work.wrench[k, 0] += c * fx - s * fy
        work.wrench[k, 1] += s * fx + c * fy
        work.wrench[k, 2] += x * fy
        work.wrench[k, 3] += u * fy - w * fx
        r[i] += n1 * fx
        r[j] += n4 * fx
        r[i + 1] += n8 * fy
        r[i + 2] += n9 * fy
        r[j + 1] += n11 * fy
        r[j + 2] += n12 * fy
        if tree.rotary[e, g] != 0.0:
            t8, t9, t11, t12 = turned(g, phi, length)
            spin = f1 + t8 * a[i + 1] + t9 * a[i + 2] + t11 * a[j + 1] + t12 * a[j + 2]
            moment = tree.rotary[e, g] * spin
            work.wrench[k, 2] += moment
            r[i + 1] += t8 * moment
            r[i + 2] += t9 * moment
            r[j + 1] += t11 * moment
            r[j + 2] += t12 * moment
