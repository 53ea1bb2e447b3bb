"""Motion with rigid contacts: time stepping that does not resolve impacts (J. J. Moreau 1988; M. Jean 1999).

A step from (q, v) to (q+, v+) is the midpoint rule with impulses. With ``m`` for the middle of the step,

    h (M a + f)(q_m, v_m) + G^T L = H^T p,      v_m = (v + v+)/2,  a = (v+ - v)/h,  q_m = q + h/2 v_m,  q+ = q + h v_m
    G(q+) v+ + g_t = 0                          joints
    0 <= p_n  ⟂  u_n+ + e u_n- >= 0             contacts whose gap is closed at q + h/2 v: Newton's restitution e, if
                                                u_n- < 0; one that opens may close again, with e = 1: no work is done
    p_t in the disc of radius mu p_n, against u_t+

    p in the ball of radius h L, against u+      rubbing joints, L by their own multipliers (joints/rows/rubbing.py)

H and u = H v are the rates of the contacts and of the rubbing surfaces. Each Newton iteration on the smooth part, with
G at q_m in place of q+, ends with the impulses, for the Delassus matrix ``W = H A^-1 H^T`` of the saddle matrix A
(solvers/contact/cones.py). Positions are then projected on the joints, and on surfaces that stay closed. The steps are
compiled, in moreau_step.py.
The midpoint rule keeps energy; contacts change it by exactly ``p . (u- + u+)/2``. Restitution with friction may create
energy (T. Kane, D. Levinson 1985): e is then halved for this step until it does not; e = 0 always suffices.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from pliant.errors import ModelError, OptionError
from pliant.forces.state_force import callbacks
from pliant.model.loads import Unilateral
from pliant.model.signals.base import Function
from pliant.solvers.contact.moreau_contacts import NO_IMPULSES
from pliant.solvers.contact.moreau_run import NEVER_STRUCK, Job, Record, StepState, places_of, touching_of, work_of
from pliant.solvers.contact.moreau_step import LARGE, NO_ROOM, UNBALANCED, advance, keep
from pliant.solvers.stepping.consistent_start import consistent
from pliant.solvers.stepping.drivers import (
    COUNTS,
    NEVER,
    Chunk,
    EqualSteps,
    Signals,
    new_record,
    put_back,
    tables,
    tabulate,
)
from pliant.solvers.stepping.energy_balance import begin_balance, energy_summary
from pliant.solvers.stepping.motion import Plan, TimeHistory
from pliant.solvers.stepping.status import NOT_CONVERGED, NOT_FINITE, SINGULAR
from pliant.system.limits.contact_distances import Gaps, deepest
from pliant.system.observation.labels import friction_results, labels_of, results_of
from pliant.system.packing import catalogue, fused
from pliant.system.packing.build import AnySystem, reduce_pattern, unbordered
from pliant.system.packing.joint_friction import by_joint
from pliant.system.state import State
from pliant.system.system import System

DEEPEST = 1e-6  # a motion may begin this far inside a surface, in lengths of the model
ROOM = 16  # conditions at first
HARD = "rigid contacts"
CUTS = 8  # halvings of a step that fails
REASONS = {
    NOT_CONVERGED: "Newton did not converge",
    SINGULAR: "the equations became singular (a dead centre or a lost constraint)",
    NOT_FINITE: "the motion is no longer finite",
    UNBALANCED: "the energy of a step does not balance",
    NO_IMPULSES: "the impulses of the contacts were not found",
}


def move(system: System, begin: State, plan: Plan) -> TimeHistory:
    """Compute the motion of a system with rigid contacts, in equal steps."""
    why = "which has a time stepping of its own in equal steps. Leave it out, or take contact='penalty'."
    plan.refuse("accuracy", "times", "sampler", why=f"not with contact='complementarity' (Moreau), {why}")
    if plan.step is None:
        raise OptionError("contact='complementarity': give its step= (s); impacts are not located within a step.")
    system = hard(system)
    part, gap = deepest(system, begin.q)
    if begin.abar is None and gap < -DEEPEST * system.length_scale:
        raise ModelError(
            f"{part.owner}: gap = {gap:.6g} at the start: it begins inside its surface. Begin apart or touching, or "
            "take contact='penalty' to go on from an equilibrium of that law."
        )
    start = consistent(system, begin, time=begin.time, velocity=plan.velocity, step=plan.step)
    return EqualSteps(MoreauStepping(system, start), plan).run()


def hard(system: AnySystem) -> AnySystem:
    """Return the system with conditions in place of the forces of contacts and stops; found once for its equations."""
    soft, fields = system.notes.get(HARD, (None, {}))
    if soft is not system.equations:
        plain = unbordered(system)
        arrays = fused.present(plain.equations.parts)
        for name in arrays.keys() & set(catalogue.having("touching", system.layout)):
            rigid = getattr(catalogue.of(name), "rigid", _without_stiffness)
            arrays[name] = rigid(arrays[name])
        found = reduce_pattern(plain, arrays)
        names = "equations", "layout", "unsymmetric", "conservative"
        fields = {name: getattr(found, name) for name in names}
        system.notes[HARD] = system.equations, fields
    return replace(system, **fields)


def _without_stiffness(part: Any) -> Any:
    return part._replace(law=np.zeros_like(part.law))


class MoreauStepping:
    """StepState state and the steps that change it (interface: ``solvers/stepping/drivers.py``)."""

    nodes = np.array([0.0, 0.5])
    shortest, longest, most_cuts = 1, NEVER, CUTS
    steady = dense = False
    reasons, jumping = REASONS, ()  # forces are evaluated halfway in a step

    def __init__(self, system: System, start: State) -> None:
        self.system, self.h, self.time, self.gaps = system, 0.0, start.time, Gaps(system)
        self.longest_step = 0.0  # shorter steps are parts of a failed one
        functions = any(isinstance(each.signal, Function) for each in system.layout.signals)
        self.calls_python = functions or any(force.opaque for force in system.model.forces)
        self.counts = new_record(COUNTS)
        self.places, self.work = places_of(system, self.gaps), work_of(system, self.counts)
        self.now = StepState(
            q=start.q.copy(),
            v=start.v.copy(),
            a=start.a.copy(),
            lam=start.lam.copy(),
            work=np.zeros(2),
            pressed=np.zeros((len(self.gaps.parts), 5)),
            rubbed=np.zeros(3 * system.equations.rubbing.law.shape[0]),
            impulse=np.zeros((self.gaps.places, 5)),
            struck=np.full((np.max(self.places.part, initial=-1) + 1, 5), NEVER_STRUCK),
            halved=np.zeros(1),
            stored=np.zeros(1),
        )
        self.most = self.gaps.places + system.equations.rubbing.law.shape[0]
        self.room = self.cluster = min(self.most, ROOM)
        self.touching = touching_of(system, self.places, self.room, self.cluster)
        u = system.signals(np.array([start.time]))[0]
        begin_balance(self.counts, *fused.energy(system.equations.parts, self.now.q, self.now.v, u))
        self.now.stored[0] = self.counts.balance_begin

    def signals(self, times: np.ndarray) -> Signals:
        """Return signals at instants."""
        return tabulate(self.system, times)

    def resize(self, h: float) -> None:
        """Do nothing: the state fits steps of any size."""
        self.h, self.longest_step = h, max(h, self.longest_step)

    def records(self, rows: int) -> Record:
        """Return empty records."""
        now = self.now
        shapes = ((), *(each.shape for each in (now.q, now.v, now.a, now.lam, now.work, now.pressed, now.rubbed)))
        return Record(*tables(rows, *shapes))

    def keep(self, record: Record) -> None:
        """Record the present state."""
        keep(self.now, self.time, self.h, self.work, record)

    def advance(self, chunk: Chunk, record: Record) -> tuple[int, int]:
        """Take the steps of a chunk; enlarge the arrays if too many contacts touch."""
        taken = 0
        while True:
            signals = chunk.signals.part(2 * taken, 2 * chunk.steps + 1)
            job = Job(self.now, self.places, self.touching, self.work)
            status, done = advance(job, signals, self.h, chunk.every, chunk.behind + taken, record)
            callbacks.reraise()
            taken += done
            self.time = float(chunk.signals.time[2 * taken])
            if status not in (NO_ROOM, LARGE):
                return status, taken
            self.room = min(self.most, 2 * self.room) if status == NO_ROOM else self.room
            self.cluster = min(self.most, 2 * self.cluster) if status == LARGE else self.cluster
            self.touching = touching_of(self.system, self.places, self.room, self.cluster)

    def restart(self) -> None:
        """Do nothing: steps carry over no acceleration."""

    def arrive(self, time: float) -> None:
        """Set the present time to this instant, which differs only by rounding."""
        self.time = time

    def snapshot(self) -> Any:
        """Return a copy of all that ``advance`` changes."""
        return self.time, [each.copy() for each in self.now], self.counts.copy()

    def restore(self, snapshot: Any) -> None:
        """Restore a snapshot."""
        self.time, arrays, counts = snapshot
        for into, value in zip(self.now, arrays, strict=True):
            into[...] = value
        put_back(self.counts, counts)

    def complete(self, record: Record) -> None:
        """Do nothing: steps record everything."""

    def motion(self, record: Record) -> TimeHistory:
        """Return all records."""
        remark, now = "", self.now
        if self.now.halved[0]:
            remark = (
                f"; in {self.now.halved[0]:.0f} steps restitution was reduced, with which friction would create energy"
            )
        pressed = np.zeros_like(record.pressed)  # mean forces since the previous instant
        pressed[1:] = np.diff(record.pressed, axis=0) / np.diff(record.time)[:, None, None]
        forces = {"normal_force": pressed[:, :, 1], "friction_force": np.linalg.norm(pressed[:, :, 2:], axis=2)}
        own = results_of(Unilateral, "time", forces) if self.gaps.parts else {}
        if self.system.rubs:
            slides = self.system.equations.rubbing.slides
            held = [-record.rubbed[:, 3 * e : 3 * e + n] for e, n in enumerate(np.diff(slides))]
            told = {"joint_friction": by_joint(slides, np.concatenate(held, axis=1))}
            own |= friction_results(labels_of(self.system).rough, "time", told)
        return TimeHistory(
            record.time, record.q, record.v, record.a, record.lam, record.work, remark=remark, own=own,
            last=State(now.q.copy(), now.v.copy(), now.a.copy(), now.lam.copy(), self.time, now.a.copy()),
            constraint_error=float(self.counts.constraint_error), local_error=float(self.counts.local_error),
            local_sum=float(self.counts.local_sum), unordered=float(self.counts.unordered),
            used={"step": self.longest_step}, impacts=True, **energy_summary(self.counts),
            system=self.system, advice="a smaller step=, or contact='penalty'",
        )  # fmt: skip
