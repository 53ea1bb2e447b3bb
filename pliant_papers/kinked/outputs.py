"""Results of a recorded motion of an arm: coordinates, deflections, resultants, reactions, energies.

The kernel computes the whole history of a recorded motion in one call.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pliant.jit import allocating_kernel
from pliant.solvers.ode.runge_kutta import Record
from pliant.solvers.stepping.drivers import Signals, tabulate
from pliant.system.observation import joint_coordinates
from pliant.system.samples import Samples
from pliant_papers.kinked import march
from pliant_papers.kinked.march import Workspace, accelerate, residual
from pliant_papers.kinked.refusals import is_clamp, is_pin
from pliant_papers.kinked.strain import strain
from pliant_papers.kinked.system import Kinked
from pliant_papers.kinked.view import Nodes, absolute


class History(NamedTuple):
    """Quantities of a motion, instant by instant."""

    observed: np.ndarray  # (3, times, observed) coordinates, velocities and accelerations of the observed system
    acceleration: np.ndarray  # (times, freedoms) Q''
    energy: np.ndarray  # (times, 5) kinetic and potential; supplied, dissipated and their balance are added elsewhere
    wrench: np.ndarray  # (times, frames, 3) of the joints: force, and moment about the frame's origin
    momentum: np.ndarray  # (times, 3) and angular about the ground's origin, by Q'' = Q' from rest


@allocating_kernel
def observe(
    workspace: Workspace, nodes: Nodes, signals: Signals, nothing: np.ndarray, record: Record, into: History
) -> None:
    """Write the history of a recorded motion. ``nothing`` are signals of zero."""
    observed, acceleration, energy, wrench, momentum = into
    tree, n = workspace.tree, record.q.shape[1]
    q, v, a = np.zeros(n + 3), np.zeros(n + 3), np.zeros(n + 3)
    for t in range(record.time.size):
        row = 0 if signals.u.shape[0] == 1 else t
        u = signals.u[row]
        for i in range(n):
            q[i], v[i] = record.q[t, i], record.v[t, i]
        accelerate(workspace, q, v, u, signals.second[row], a)
        kinetic, moment = 0.0, workspace.work.composite[0]
        for i in range(n):
            acceleration[t, i] = a[i]
            for j in range(n):
                kinetic += 0.5 * v[i] * workspace.m[i, j] * v[j]
        first = moment[1, 2] + moment[1, 3], -moment[0, 2] - moment[0, 3]  # sum of m x and m y
        energy[t, 0] = kinetic
        energy[t, 1] = strain(tree, q, workspace.r, workspace.s, False)
        energy[t, 1] -= u[tree.gravity[0]] * first[0] + u[tree.gravity[1]] * first[1]
        residual(workspace, q, v, a, u)
        for k in range(tree.start.size):
            wrench[t, k, 0], wrench[t, k, 1] = workspace.work.wrench[k, 0], workspace.work.wrench[k, 1]
            wrench[t, k, 2] = workspace.work.wrench[k, 2] + workspace.work.wrench[k, 3]
        residual(workspace, q, workspace.still, v, nothing)
        momentum[t, 0], momentum[t, 1] = workspace.work.wrench[0, 0], workspace.work.wrench[0, 1]
        momentum[t, 2] = workspace.work.wrench[0, 2] + workspace.work.wrench[0, 3]
        absolute(tree, nodes, q, v, a, workspace.work, (observed[0, t], observed[1, t], observed[2, t]))


CARRIED = ("reaction", "joint_reaction", "drive_effort", "drive_power")


class Recorded:
    """Complete motion of an arm.

    observed  coordinates, velocities and accelerations of the observed system, (3, times, observed)
    """

    def __init__(self, system: Kinked, workspace: march.Workspace, record: Record) -> None:
        self.system, self.record = system, record
        times, n, observed = record.time.size, system.freedoms, system.observed
        signals = tabulate(observed, record.time)
        shapes = (3, times, observed.freedoms), (times, n), (times, 5), (times, system.tree.start.size, 3), (times, 3)
        history = History(*map(np.zeros, shapes))
        observe(workspace, system.nodes, signals, np.zeros(signals.u.shape[1]), record, history)
        self.observed, self.acceleration, self.energy, self.wrench, self.momentum = history
        self.energy[:, 2:4] = record.work
        self.energy[:, 4] = self.energy[:, 0] + self.energy[:, 1] - self.energy[:, 2] + self.energy[:, 3]
        self.energy[:, 4] -= self.energy[0, 4]

    def variables(self) -> dict[str, Any]:
        """Return the labelled variables of a result, with a leading time dimension."""
        names = list(self.system.names)
        place = ["m" if ":" in name and not name.endswith(":phi") else "rad" for name in names]
        units = [{"units": ", ".join(unit + per for unit in place)} for per in ("", "/s", "/s²")]
        found: dict[str, Any] = {
            "coordinate": ("coordinate", names),
            "coordinates": (("time", "coordinate"), self.record.q, units[0]),
            "coordinate_rates": (("time", "coordinate"), self.record.v, units[1]),
            "coordinate_accelerations": (("time", "coordinate"), self.acceleration, units[2]),
            "energy": (("time", "energy_kind"), self.energy),
            "momentum": (("time", "momentum_kind"), self.momentum, {"units": "N s, N s, N m s"}),
        }
        if self.system.observed.joints:
            found |= self._carried()
        if self.system.observed.layout.beams:
            found["resultant"] = (("time", "section", "component"), self.resultants())
            found["tip_of"] = ("tip_of", [mesh.beam.name for mesh in self.system.observed.layout.beams])
            found["deflection"] = (("time", "tip_of", "axis"), self.deflections(), {"units": "m"})
        return found

    def _carried(self) -> dict[str, Any]:
        """Return the variables that follow from the reactions of joints, which are not multipliers here."""
        seen = self.system.observed
        q, v, a = (np.pad(x, ((0, 0), (0, seen.size - x.shape[1]))) for x in self.observed)
        samples, reactions = Samples(self.record.time, q, v, a, np.zeros((len(q), 0))), self.reactions()
        made = joint_coordinates.variables(seen.observer(), samples, "time", lambda: reactions, moving=True)
        return {name: made[name]() for name in CARRIED if name in made}

    def reactions(self) -> np.ndarray:
        """Return force and moment of every joint on its marker b."""
        system = self.system
        found = np.zeros((self.record.time.size, len(system.observed.joints), 3))
        for k, rows in enumerate(system.observed.joints):
            frame, sense = system.carriers[rows.joint.name]
            found[:, k] = sense * self.wrench[:, frame]
            if is_pin(rows.joint):
                found[:, k, 2] = 0.0
            elif not is_clamp(rows.joint):  # a driven angle: its torque is the moment less the springs'
                j = system.tree.joint[frame]
                stiffness, rest, damping = system.tree.spring[j]
                found[:, k, :2] = 0.0
                found[:, k, 2] += sense * (stiffness * (self.record.q[:, j] - rest) + damping * self.record.v[:, j])
        return found

    def resultants(self) -> np.ndarray:
        """Return N, V, M at both ends of every element: ``EA (u' + c3 w'^2 / 2)`` (or with the mean of w'^2), and the
        forces in equilibrium with the end moments.
        """
        tree, q = self.system.tree, np.hstack([self.record.q, np.zeros((self.record.time.size, 3))])
        order = np.argsort(self.system.nodes.observed[tree.nodes[:, 1]])
        i, j = tree.freedom[tree.nodes[order, 0]], tree.freedom[tree.nodes[order, 1]]
        length, (axial, k11, k12, k22, shear) = tree.length[order], tree.beam[order].T
        u1, w1, phi1, u2, w2, phi2 = (q[:, k] for k in (i, i + 1, i + 2, j, j + 1, j + 2))
        stretch, chord = (u2 - u1) / length, (w2 - w1) / length
        t1, t2 = phi1 - chord, phi2 - chord
        m1, m2 = k11 * t1 + k12 * t2, k12 * t1 + k22 * t2
        bow, lean = (t1 + t2) / (1.0 + shear), t2 - t1  # w' - chord = bow (1 - 6 x + 6 x^2) / 2 + lean (2 x - 1) / 2
        mean = chord**2 + bow**2 / 20 + lean**2 / 12
        found = np.zeros((len(q), order.size, 2, 3))
        for end, sign in enumerate((-1.0, 1.0)):
            square = mean if tree.order[2] else (chord + 0.5 * (bow + sign * lean)) ** 2
            found[:, :, end, 0] = axial * (stretch + 0.5 * tree.order[0] * square)
            found[:, :, end, 1] = -(m1 + m2) / length
            found[:, :, end, 2] = m2 if end else -m1
        return found.reshape(len(q), -1, 3)

    def deflections(self) -> np.ndarray:
        """Return the deflections of beam tips from the unbent arm, in the frame of the last rotary joint before."""
        system, layout = self.system, self.system.observed.layout
        straight = system.observe(np.zeros(system.freedoms))[0]
        found = np.zeros((self.record.time.size, len(layout.beams), 2))
        for k, mesh in enumerate(layout.beams):
            tip, base = int(mesh.nodes[-1]), system.bases[mesh.beam.name]
            found[:, k] = _from(self.observed[0], base, tip) - _from(straight[None], base, tip)
        return found


def _from(q: np.ndarray, base: int | None, tip: int) -> np.ndarray:
    """Return the place of one observed node in the axes of another, from it (of the ground if None)."""
    x, y = q[:, 3 * tip], q[:, 3 * tip + 1]
    if base is None:
        return np.column_stack([x, y])
    c, s = np.cos(q[:, 3 * base + 2]), np.sin(q[:, 3 * base + 2])
    x, y = x - q[:, 3 * base], y - q[:, 3 * base + 1]
    return np.column_stack([c * x + s * y, c * y - s * x])
