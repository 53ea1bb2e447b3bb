"""Stability of an equilibrium of rods: the inertia of its condensed stiffness, and of the condensed parts.

The stiffness of all nodes is the Schur complement of a finer one with nodes inside the subintervals; their negative
directions add up (Haynsworth 1968; Wittrick, Williams 1971 for frequencies). Inside, every subinterval is cut into a
few pieces: only a piece that buckles between its held ends is missed.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil

import numpy as np

from pliant.elements.rod_ivp.march import March, Rods, march
from pliant.elements.rod_ivp.slope import AXIAL, BENDING, MASS, SHEAR, TURNING_MASS
from pliant.formulations.shooting.rods import lengths
from pliant.formulations.shooting.system import Shooting
from pliant.joints import rows as joints
from pliant.linalg import eigen, ldl
from pliant.system.equations import Scratch

DENSE_LIMIT = 1500  # largest number of freedoms for the stability check
NEUTRAL = 1e-13  # of the largest stiffness: rounding of zero
WAVE_RIGIDITY = 1e9  # of EI / L^2: EA of an inextensible rod, in vibrations
AXIAL_RIGIDITY = 1e7  # of EI / L^2: the largest EA of a rod in the stability check
PIECES = 8  # of a beam at least, distributed over its subintervals
BEND, WAVE = 3.0, 1.5  # rad of waves in a piece, see `pieces`


def softened(system: Shooting) -> Shooting:
    """Return the system with rods whose EA is at most 1e7 EI / L^2.

    Stiffer rods would hide the bending stiffness in the rounding of their axial stiffness. A critical load P changes by
    P / EA, 1e-6 of it.
    """
    rods = system.rods
    missing = np.maximum(0.0, _compliances(system, AXIAL_RIGIDITY) - rods.section[rods.first_station[:-1], AXIAL])
    return replace(system, rods=rods._replace(softness=missing * lengths(rods)))


def vibrant(system: Shooting) -> Shooting:
    """Return the system with inextensible rods given EA = 1e9 EI / L^2, for the same reason. Frequencies of bending
    change by 1e-9 of them; waves along the axis are above the seventieth.
    """
    rods = system.rods
    soft = np.maximum(rods.softness, _compliances(system, WAVE_RIGIDITY) * lengths(rods))
    return replace(system, rods=rods._replace(softness=np.where(rods.softness > 0.0, soft, 0.0)))


def _compliances(system: Shooting, rigidity: float) -> np.ndarray:
    """Return 1 / EA of every subinterval whose EA is ``rigidity`` times EI / L^2 of its rod."""
    meshes = system.layout.beams
    least = [mesh.beam.length**2 / (rigidity * mesh.beam.section_at(0.5).bending_stiffness) for mesh in meshes]
    return np.array(least)[system.rods.rod]


def stability(system: Shooting, q: np.ndarray, u: np.ndarray, scratch: Scratch, work: March) -> tuple[int | None, str]:
    """Return the number of unstable directions that the joints allow, and the parts that move freely.

    The matrix of the equilibrium is assembled in ``scratch``, its marches are in ``work``. The number is unknown (None)
    if a load follows its beam, or the model is large.
    """
    n = system.freedoms
    if not system.conservative or np.any(system.rods.load_kind == 2) or n > DENSE_LIMIT:
        return None, ""
    stiffness = ldl.to_csc(system.equations.pattern, scratch.s, None, n).toarray()
    jacobian = np.zeros((system.constraints, n + 3))
    joints.jacobian_dense(system.equations.rows, q, u, jacobian)
    weight = system.equations.weight
    basis = eigen.null_space(jacobian[:, :n] / weight)
    within = inside(system, work)
    if not basis.shape[1]:
        return within, ""
    scaled = stiffness / np.outer(weight, weight)
    values, vectors = np.linalg.eigh(basis.T @ scaled @ basis)
    rounding = NEUTRAL * np.max(np.abs(np.diag(scaled)))
    free = np.abs(basis @ vectors[:, np.argmin(np.abs(values))])
    owners = system.node_owners()
    names = sorted({owners[i // 3] for i in np.flatnonzero(free > 0.3 * free.max())})
    neutral = ", ".join(names[:4]) if np.min(np.abs(values)) <= rounding else ""
    return within + int(np.sum(values < -rounding)), neutral


def inside(system: Shooting, work: March) -> int:
    """Return the number of negative directions inside all subintervals, with their ends held."""
    return sum(hidden(system, e, work) for e in range(system.rods.rod.size))


def hidden(system: Shooting, e: int, work: March, mu: float = 0.0) -> int:
    """Return the negative directions inside subinterval e with held ends; of ``K + mu M`` if omega^2 = -mu."""
    rods = system.rods
    steps = np.arange(rods.first_step[e], rods.first_step[e + 1] + 1)
    count = min(steps.size - 1, max(-(-PIECES // int(np.sum(rods.rod == rods.rod[e]))), pieces(rods, e, -mu, work)))
    if count < 2:
        return 0
    cuts = steps[np.round(np.linspace(0, steps.size - 1, count + 1)).astype(int)]
    stations = rods.first_station[e] + (cuts - cuts[0]) * (system.table.node.size - 1)
    total = np.zeros((3 * count + 3, 3 * count + 3))
    begin = work.begin[e].copy()
    for k in range(count):
        first_step, first_station = rods.first_step.copy(), rods.first_station.copy()
        first_step[e : e + 2], first_station[e] = cuts[k : k + 2], stations[k]
        piece = rods._replace(first_step=first_step, first_station=first_station)
        march(piece, system.table, e, 0.0, 0.0, mu, True, work)
        total[3 * k : 3 * k + 6, 3 * k : 3 * k + 6] += _stiffness(
            work.transfer[e], rods.softness[e] / count, work.begin[e, 2]
        )
        work.begin[e] = work.arrive[e]
    work.begin[e] = begin
    scale = np.tile([1.0, 1.0, 1.0 / system.length_scale], count - 1)
    inner = np.outer(scale, scale) * total[3:-3, 3:-3]
    return int(np.sum(np.linalg.eigvalsh(0.5 * (inner + inner.T)) < 0.0))


def pieces(rods: Rods, e: int, square: float, work: March) -> int:
    """Return the number of pieces of subinterval e for which no piece has a mode below omega^2 between held ends.

    A clamped piece of length l bends first at (4.73 / l)^2 sqrt(EI / rhoA); it stretches, and turns without bending, at
    pi / l times the speed of waves along it. ``WAVE`` is well below both.
    """
    if square <= 0.0:
        return 1
    rows = rods.section[rods.first_station[e] : rods.first_station[e + 1]]
    bends = np.max(square * rows[:, MASS] * rows[:, BENDING]) ** 0.25
    waves = [rows[:, MASS] * rows[:, AXIAL], rows[:, MASS] * rows[:, SHEAR], rows[:, TURNING_MASS] * rows[:, BENDING]]
    runs = np.sqrt(square * max(float(np.max(each)) for each in waves))
    return ceil(float(lengths(rods)[e] * work.longer[e]) * max(bends / BEND, runs / WAVE))


def _stiffness(transfer: np.ndarray, softness: float, angle: float) -> np.ndarray:
    """Return the stiffness of a piece from its transfer matrix; see condense.py."""
    A, B, C, D = transfer[:3, :3], transfer[:3, 3:], transfer[3:, :3], transfer[3:, 3:]
    axis = np.array([np.cos(angle), np.sin(angle), 0.0])
    inverse = np.linalg.inv(B + softness * np.outer(axis, axis))
    return np.block([[inverse @ A, -inverse], [C - D @ inverse @ A, D @ inverse]])
