"""Compiled: recursions outwards, from relative coordinates to nodes, and inwards, from forces on nodes to coordinates.

With c the point of B and s = 1 or -1 (see tree.py), for a node k that hangs on p

    w_k = w_p + s sum e q',     v_k = v_p + w_p x (c - r_p) + s R_A t' - w_k x (c - r_k)
    a_k = a_p + w'_p x (c - r_p) + w_p x (w_p x (c - r_p)) + s (R_A t'' + 2 w_A x R_A t') - w'_k x ... - w_k x ...

An axis e moves with A or B: e' = w_A x e or w_B x e. Source: R. Featherstone, *Rigid Body Dynamics Algorithms*, 2008,
chapters 4 and 5; here in global axes, with pairs that have several freedoms.
"""

from __future__ import annotations

from math import cos, sin

import numpy as np

from pliant.formulations.relative.tree import SLIDE, Tree, Work
from pliant.jit import kernel, linked_kernel
from pliant.kernels.so3 import Four, exponential, product, quaternion, rotate, rotate_back
from pliant.kernels.triples import Vector, cross, dot, minus, plus, times

PLANE = 3  # freedoms of a node in the plane


@kernel
def row(x: np.ndarray, k: int) -> Vector:
    """Return a row of three."""
    return x[k, 0], x[k, 1], x[k, 2]


@kernel
def put(x: np.ndarray, k: int, value: Vector) -> None:
    """Set a row of three."""
    x[k, 0], x[k, 1], x[k, 2] = value


@kernel
def add_to(x: np.ndarray, k: int, value: Vector) -> None:
    """Add to a row of three."""
    x[k, 0] += value[0]
    x[k, 1] += value[1]
    x[k, 2] += value[2]


@kernel
def four(x: np.ndarray, k: int) -> Four:
    """Return a row of four."""
    return x[k, 0], x[k, 1], x[k, 2], x[k, 3]


@kernel
def back(p: Four) -> Four:
    """Return the inverse rotation."""
    return p[0], -p[1], -p[2], -p[3]


@kernel
def joint_turn(tree: Tree, j: int, q: np.ndarray) -> Four:
    """Return R(rotations) of a pair in space."""
    if tree.ball[j] > 0:
        return quaternion(q, tree.ball[j])
    found = four(tree.kept, j)
    for f in range(tree.first[j], tree.first[j + 1]):
        if tree.kind[f] != SLIDE:
            found = product(found, exponential(times(tree.factor[f] * q[tree.coordinate[f]], row(tree.axis, f))))
    return found


@kernel
def orient(tree: Tree, work: Work, j: int, q: np.ndarray, width: int) -> tuple[Four, Four]:
    """Compute the orientation of the node of a pair. Returns the orientations of A and B."""
    k, p, forward = tree.node[j], tree.parent[j], tree.sense[j] > 0.0
    inner = product(four(work.turn, p), four(tree.inner_turn, j))
    if width == PLANE:
        angle = work.angle[p] + tree.lean[j]
        for f in range(tree.first[j], tree.first[j + 1]):
            if tree.kind[f] != SLIDE:
                angle += tree.sense[j] * tree.factor[f] * q[tree.coordinate[f]]
        work.angle[k] = angle
        turn = (cos(0.5 * angle), 0.0, 0.0, sin(0.5 * angle))
        outer = product(turn, four(tree.outer_turn, j))
    else:
        turned = joint_turn(tree, j, q)
        outer = product(inner, turned if forward else back(turned))
        turn = product(outer, back(four(tree.outer_turn, j)))
    work.turn[k, 0], work.turn[k, 1], work.turn[k, 2], work.turn[k, 3] = turn
    return (inner, outer) if forward else (outer, inner)


@linked_kernel
def poses(tree: Tree, q: np.ndarray, work: Work, width: int) -> None:
    """Compute places and orientations of all nodes, points of pairs and axes of freedoms."""
    for e in range(tree.apart.shape[0]):
        work.own[e, 0] = q[tree.apart[e, 0]]
    for j in range(tree.node.size):
        k, p, s = tree.node[j], tree.parent[j], tree.sense[j]
        of_a, of_b = orient(tree, work, j, q, width)
        t = row(tree.rest, j)
        for f in range(tree.first[j], tree.first[j + 1]):
            rides = of_b if tree.on_b[f] > 0 else of_a
            put(work.line, f, times(s * tree.factor[f], rotate(rides, row(tree.axis, f))))
            if tree.kind[f] == SLIDE:
                t = plus(t, times(tree.factor[f] * q[tree.coordinate[f]], row(tree.axis, f)))
        t = rotate(of_a, t)
        centre = plus(row(work.place, p), rotate(four(work.turn, p), row(tree.inner, j)))
        place = minus(centre, rotate(four(work.turn, k), row(tree.outer, j)))
        if s > 0.0:
            centre, place = plus(centre, t), plus(place, t)
        else:
            place = minus(place, t)
        put(work.centre, j, centre)
        put(work.place, k, place)


@linked_kernel
def motions(tree: Tree, v: np.ndarray, a: np.ndarray, work: Work) -> None:
    """Compute velocities and accelerations of all nodes at the present poses."""
    for e in range(tree.apart.shape[0]):
        work.own[e, 1], work.own[e, 2] = v[tree.apart[e, 0]], a[tree.apart[e, 0]]
    for j in range(tree.node.size):
        k, p = tree.node[j], tree.parent[j]
        w, spin, swing = row(work.spin, p), row(work.spin, p), row(work.swing, p)
        slide, slides = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        for f in range(tree.first[j], tree.first[j + 1]):
            line, c = row(work.line, f), tree.coordinate[f]
            if tree.kind[f] == SLIDE:
                slide, slides = plus(slide, times(v[c], line)), plus(slides, times(a[c], line))
            else:
                spin, swing = plus(spin, times(v[c], line)), plus(swing, times(a[c], line))
        own = spin if tree.sense[j] > 0.0 else w  # spin of B
        other = w if tree.sense[j] > 0.0 else spin  # spin of A
        for f in range(tree.first[j], tree.first[j + 1]):
            if tree.kind[f] != SLIDE:
                rides = own if tree.on_b[f] > 0 else other
                swing = plus(swing, times(v[tree.coordinate[f]], cross(rides, row(work.line, f))))
        inner, outer = minus(row(work.centre, j), row(work.place, p)), minus(row(work.centre, j), row(work.place, k))
        across, beyond = cross(w, inner), cross(spin, outer)
        put(work.spin, k, spin)
        put(work.swing, k, swing)
        put(work.speed, k, minus(plus(plus(row(work.speed, p), across), slide), beyond))
        push = plus(plus(row(work.push, p), cross(row(work.swing, p), inner)), cross(w, across))
        push = plus(plus(push, slides), times(2.0, cross(other, slide)))
        put(work.push, k, minus(push, plus(cross(swing, outer), cross(spin, beyond))))


@kernel
def show(tree: Tree, work: Work, width: int, frames: int, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> None:
    """Store coordinates, velocities and accelerations of the nodes as the system orders them."""
    for e in range(tree.apart.shape[0]):
        i = tree.apart[e, 1]
        q[i], v[i], a[i] = work.own[e, 0], work.own[e, 1], work.own[e, 2]
    for j in range(tree.node.size):
        k = tree.node[j]
        i = width * k
        if width == PLANE:
            q[i], q[i + 1], q[i + 2] = work.place[k, 0], work.place[k, 1], work.angle[k]
            v[i], v[i + 1], v[i + 2] = work.speed[k, 0], work.speed[k, 1], work.spin[k, 2]
            a[i], a[i + 1], a[i + 2] = work.push[k, 0], work.push[k, 1], work.swing[k, 2]
            continue
        turn = four(work.turn, k)
        spin, swing = rotate_back(turn, row(work.spin, k)), rotate_back(turn, row(work.swing, k))
        for n in range(3):
            q[i + n], v[i + n], a[i + n] = work.place[k, n], work.speed[k, n], work.push[k, n]
            q[i + 3 + n] = 0.0
        v[i + 3], v[i + 4], v[i + 5] = spin
        a[i + 3], a[i + 4], a[i + 5] = swing
        m = frames + 4 * k
        q[m], q[m + 1], q[m + 2], q[m + 3] = turn


@kernel
def take(tree: Tree, work: Work, width: int, r: np.ndarray) -> None:
    """Store forces and moments on all nodes, given the forces r on the coordinates of the system."""
    for e in range(tree.apart.shape[0]):
        work.own[e, 3] = r[tree.apart[e, 1]]
    for j in range(tree.node.size):
        k = tree.node[j]
        i = width * k
        if width == PLANE:
            put(work.force, k, (r[i], r[i + 1], 0.0))
            put(work.moment, k, (0.0, 0.0, r[i + 2]))
        else:
            put(work.force, k, (r[i], r[i + 1], r[i + 2]))
            put(work.moment, k, rotate(four(work.turn, k), (r[i + 3], r[i + 4], r[i + 5])))


@kernel
def inwards(tree: Tree, work: Work, out: np.ndarray) -> None:
    """Add N^T r to ``out``, for the forces that `take` stored: sum them from the ends of the tree to the ground."""
    for e in range(tree.apart.shape[0]):
        out[tree.apart[e, 0]] += work.own[e, 3]
    for j in range(tree.node.size - 1, -1, -1):
        k, p = tree.node[j], tree.parent[j]
        force, place = row(work.force, k), row(work.place, k)
        about = plus(row(work.moment, k), cross(minus(place, row(work.centre, j)), force))
        for f in range(tree.first[j], tree.first[j + 1]):
            out[tree.coordinate[f]] += dot(row(work.line, f), force if tree.kind[f] == SLIDE else about)
        add_to(work.force, p, force)
        add_to(work.moment, p, plus(row(work.moment, k), cross(minus(place, row(work.place, p)), force)))


@kernel
def spread(tree: Tree, work: Work, j: int, c: int, width: int, out: np.ndarray) -> None:
    """Compute column c of N: displacements of the system's coordinates with a unit of coordinate c of pair j. Entries
    of nodes that do not hang on the pair stay as they are. A negative j: c moves no node.
    """
    if j < 0:
        for e in range(tree.apart.shape[0]):
            out[tree.apart[e, 1]] = 1.0 if tree.apart[e, 0] == c else 0.0
        return
    for n in range(j, tree.end[j]):
        k, p = tree.node[n], tree.parent[n]
        turned, moved = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if n == j:
            for f in range(tree.first[j], tree.first[j + 1]):
                if tree.coordinate[f] == c and tree.kind[f] == SLIDE:
                    moved = plus(moved, row(work.line, f))
                elif tree.coordinate[f] == c:
                    turned = plus(turned, row(work.line, f))
            moved = plus(moved, cross(turned, minus(row(work.place, k), row(work.centre, j))))
        else:
            turned = row(work.turned, p)
            moved = plus(row(work.moved, p), cross(turned, minus(row(work.place, k), row(work.place, p))))
        put(work.turned, k, turned)
        put(work.moved, k, moved)
        i = width * k
        if width == PLANE:
            out[i], out[i + 1], out[i + 2] = moved[0], moved[1], turned[2]
        else:
            out[i], out[i + 1], out[i + 2] = moved
            out[i + 3], out[i + 4], out[i + 5] = rotate_back(four(work.turn, k), turned)


@kernel
def jacobians(tree: Tree, work: Work, q: np.ndarray, last: int, arm: np.ndarray, width: int, out: np.ndarray) -> None:
    """Add to ``out`` the velocity of a point on the node of pair ``last``, and the node's angular velocity, per unit of
    each coordinate's rate, in global axes, at many instants: a pair moves all that hangs on it.
    """
    k = tree.node[last]
    for instant in range(q.shape[0]):
        poses(tree, q[instant], work, width)
        point = plus(row(work.place, k), rotate(four(work.turn, k), (arm[0], arm[1], arm[2])))
        found = out[instant]
        for j in range(last + 1):
            if tree.end[j] <= last:
                continue
            reach = minus(point, row(work.centre, j))
            for f in range(tree.first[j], tree.first[j + 1]):
                line, c = row(work.line, f), tree.coordinate[f]
                turned, moved = line, cross(line, reach)
                if tree.kind[f] == SLIDE:
                    turned, moved = (0.0, 0.0, 0.0), line
                if width == PLANE:
                    found[0, c] += moved[0]
                    found[1, c] += moved[1]
                    found[2, c] += turned[2]
                else:
                    for i in range(3):
                        found[i, c] += moved[i]
                        found[3 + i, c] += turned[i]


@kernel
def sum_up(tree: Tree, work: Work) -> None:
    """Sum over all that hangs on each node: forces (in ``moved``), force x arm about the node, moments."""
    for k in range(work.place.shape[0]):
        put(work.moved, k, row(work.force, k))
        put(work.torque, k, row(work.moment, k))
        for i in range(9):
            work.virial[k, i] = 0.0
    for j in range(tree.node.size - 1, -1, -1):
        k, p = tree.node[j], tree.parent[j]
        arm = minus(row(work.place, k), row(work.place, p))
        for m in range(3):
            for n in range(3):
                work.virial[p, 3 * m + n] += work.virial[k, 3 * m + n] + work.moved[k, m] * arm[n]
        add_to(work.moved, p, row(work.moved, k))
        add_to(work.torque, p, row(work.torque, k))


@kernel
def bent(tree: Tree, work: Work, j: int, f: int) -> Vector:
    """Return g of freedom f: a unit of f adds e . g to the work of the forces on a rotation e nearer to the ground."""
    k, line = tree.node[j], row(work.line, f)
    force = row(work.moved, k)
    if tree.kind[f] == SLIDE:
        return cross(line, force)
    arm = minus(row(work.place, k), row(work.centre, j))
    found, trace = cross(times(0.5, line), row(work.torque, k)), 0.0
    x, y, z = 0.0, 0.0, 0.0
    for m in range(3):
        virial = plus(
            (work.virial[k, 3 * m], work.virial[k, 3 * m + 1], work.virial[k, 3 * m + 2]), times(force[m], arm)
        )
        x, y, z = x + line[m] * virial[0], y + line[m] * virial[1], z + line[m] * virial[2]
        trace += virial[m]
    return plus(minus(found, times(trace, line)), (x, y, z))


@kernel
def nearer(tree: Tree, j: int, f: int, g: int) -> float:
    """Return the fraction of rotation f of a pair that lies nearer to the ground than its freedom g: 0, 0.5 or 1."""
    if tree.kind[f] == SLIDE:
        return 0.0
    if f == g:
        return 1.0
    forward = tree.sense[j] > 0.0
    if tree.kind[g] == SLIDE:
        return 0.0 if forward else 1.0
    if tree.ball[j] > 0:
        return 0.5
    return 1.0 if (f < g) == forward else 0.0


@linked_kernel
def geometric(tree: Tree, work: Work, rank: np.ndarray, factor: float, matrix: np.ndarray) -> None:
    """Add factor times the geometric stiffness, d(N^T r)/dQ at constant r, to ``matrix``: sum over nodes of

        r . d^2 q / dQ_a dQ_b,   d^2 r = e_a x J_b,   d^2 theta = (e_a x e_b) / 2 in the node's chart

    for a rotation a nearer to the ground than b. ``rank``: place of a coordinate in the matrix; negative: left
    out. Both triangles are filled.
    """
    sum_up(tree, work)
    for j in range(tree.node.size):
        for g in range(tree.first[j], tree.first[j + 1]):
            column, push = rank[tree.coordinate[g]], bent(tree, work, j, g)
            i = j
            while i >= 0 and column >= 0:
                for f in range(tree.first[i], tree.first[i + 1]):
                    share = nearer(tree, j, f, g) if i == j else (0.0 if tree.kind[f] == SLIDE else 1.0)
                    line = rank[tree.coordinate[f]]
                    if share != 0.0 and line >= 0:
                        value = factor * share * dot(row(work.line, f), push)
                        matrix[line, column] += value
                        if f != g:
                            matrix[column, line] += value
                i = tree.before[i]
