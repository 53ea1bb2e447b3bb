"""Motion with rigid contacts: time stepping that does not resolve impacts (J. J. Moreau 1988; M. Jean 1999).

A step from (q, v) to (q+, v+) is the midpoint rule with impulses. With ``m`` for the middle of the step,

    h (M a + f)(q_m, v_m) + G^T L = H^T p,      v_m = (v + v+)/2,  a = (v+ - v)/h,  q_m = q + h/2 v_m,  q+ = q + h v_m
    G(q+) v+ + g_t = 0                          joints
    0 <= p_n  ⟂  u_n+ + e u_n- >= 0             contacts whose gap is closed at q + h/2 v: Newton's restitution e
    p_t in the disc of radius mu p_n, against u_t+

    p in the ball of radius h L, against u+      joints that rub, L by their own multipliers (joints/rows/rubbing.py)

H and u = H v are the rates of the contacts and of the surfaces that rub. Newton's iterations on the smooth part, with G
at q_m in place of q+, each end with the impulses, for the Delassus matrix ``W = H A^-1 H^T`` of the saddle matrix A
(solvers/cones.py). Positions are then put back on the joints.
The midpoint rule keeps energy; contacts change it by exactly ``p . (u- + u+)/2``. Restitution with friction may create
energy (T. Kane, D. Levinson 1985): e is then halved for that step until it does not; e = 0 never does.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from pliant.errors import ModelError, OptionError
from pliant.forces.state_force import callbacks
from pliant.joints import rows as joints
from pliant.joints.rows import rubbing
from pliant.kernels.so3 import take_up
from pliant.kernels.sums import Instant, Into
from pliant.model.loads import Unilateral
from pliant.model.signals import Function
from pliant.solvers import cones, ldl
from pliant.solvers.balance import add_to_balance, begin_balance, judged
from pliant.solvers.drivers import COUNTS, NEVER, Chunk, EqualSteps, Signals, named, put_back, tabulate
from pliant.solvers.motion import Plan, TimeHistory
from pliant.solvers.starting import consistent
from pliant.solvers.status import DONE, NOT_CONVERGED, NOT_FINITE, SINGULAR
from pliant.system import fused
from pliant.system.gaps import Closed, Gaps, deepest, hard
from pliant.system.labels import friction_results, labels_of, results_of
from pliant.system.rubbing import by_joint
from pliant.system.state import State
from pliant.system.system import System

ITERATIONS, ROUGH = 25, 200  # of Newton; where joints rub, friction and reactions follow each other
SWEEPS = 2000
TOLERANCES = 1e-12, 1e-6  # of the velocities at contacts: the second where two of them are hardly to be told apart
TIGHT = 1e-9  # of Newton's last step, as a part of the change of velocity in the step
DEEPEST = 1e-6  # a motion may begin this far inside a surface, in lengths of the model
HALVINGS = 4
BOUNCE = 1e-9  # slower than this part of all velocities at contacts is no impact but rounding


NO_IMPULSES = 100
REASONS = {
    NOT_CONVERGED: "Newton did not converge",
    SINGULAR: "the equations became singular (a dead centre or a lost constraint)",
    NOT_FINITE: "the motion is no longer finite",
    NO_IMPULSES: "the impulses of the contacts were not found",
}


class Stuck(Exception):
    """A step that cannot be made, and why (a status)."""

    def __init__(self, status: int) -> None:
        super().__init__(REASONS[status])
        self.status = status


def move(system: System, begin: State, plan: Plan) -> TimeHistory:
    """Motion of a system whose contacts are rigid, in equal steps."""
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


class Record(NamedTuple):
    """Recorded instants."""

    time: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    work: np.ndarray
    pressed: np.ndarray  # (instants, parts, 5) impulses since the start
    rubbed: np.ndarray  # (instants, 3 joints) mean dry friction in the last step


class MoreauStepping:
    """The present state and the step that moves it (see ``solvers/drivers.py`` for what a driver asks)."""

    nodes = np.array([0.0, 0.5])
    shortest, longest, most_cuts = 1, NEVER, 0
    steady = dense = False
    reasons, jumping = REASONS, ()  # forces are those halfway in a step

    def __init__(self, system: System, start: State) -> None:
        self.system, self.h, self.time, self.gaps = system, 0.0, start.time, Gaps(system)
        self.calls_python = any(isinstance(each.signal, Function) for each in system.layout.signals)
        self.q, self.v, self.a, self.lam = start.q.copy(), start.v.copy(), start.a.copy(), start.lam.copy()
        self.work = np.zeros(2)
        self.pressed = np.zeros((len(self.gaps.parts), 5))  # impulses since the start
        self.scratch, self.counts = system.scratch(), named(COUNTS)
        self.halvings = 0
        self.impulse: dict[int, np.ndarray] = {}
        law = system.equations.rubbing.law.copy()
        self.rubbed = np.zeros(3 * law.shape[0])
        law[:, [rubbing.COEFFICIENT, rubbing.CONSTANT]] = 0.0
        self.viscous = system.equations.rubbing._replace(law=law) if np.any(law[:, rubbing.VISCOUS]) else None
        begin_balance(self.counts, *self.energies(system.signals(np.array([start.time]))[0]))

    def signals(self, times: np.ndarray) -> Signals:
        """Signals at instants."""
        return tabulate(self.system, times)

    def resize(self, h: float) -> None:
        """The state fits steps of any size."""
        self.h = h

    def records(self, rows: int) -> Record:
        """Empty records."""
        size, joints = self.system.size, self.system.constraints
        shapes = (), (size,), (size,), (size,), (joints,), (2,), self.pressed.shape, self.rubbed.shape
        return Record(*(np.empty((rows, *shape)) for shape in shapes))

    def keep(self, record: Record) -> None:
        """Record the present state."""
        now = (self.time, self.q, self.v, self.a, self.lam, self.work, self.pressed, self.rubbed / max(self.h, 1e-300))
        for column, value in zip(record, now, strict=True):
            column[self.counts.records] = value
        self.counts.records += 1

    def advance(self, chunk: Chunk, record: Record) -> tuple[int, int]:
        """Take the steps of a chunk."""
        for k in range(chunk.steps):
            try:
                self.step(chunk.signals.part(2 * k, 2 * k + 3))
            except Stuck as stuck:
                return stuck.status, k
            if (chunk.behind + k + 1) % chunk.every == 0:
                self.keep(record)
        return DONE, chunk.steps

    def restart(self) -> None:
        """No acceleration is handed on."""

    def arrive(self, time: float) -> None:
        """Take the present instant for this one, from which only rounding keeps it."""
        self.time = time

    def snapshot(self) -> Any:
        """A copy of all that ``advance`` changes."""
        kept = ("time", "q", "v", "a", "lam", "halvings", "impulse", "rubbed")  # replaced, never written to
        return {name: getattr(self, name) for name in kept}, self.work.copy(), self.pressed.copy(), self.counts.copy()

    def restore(self, snapshot: Any) -> None:
        """Go back to a snapshot."""
        kept, self.work, self.pressed, counts = snapshot
        for name, value in kept.items():
            setattr(self, name, value)
        put_back(self.counts, counts)

    def step(self, signals: Signals) -> None:
        """One step; the signals are those at its start, its middle and its end."""
        system, h, n, end = self.system, self.h, self.system.freedoms, float(signals.time[2])
        u, at_end, rates = signals.u[1], signals.u[2], signals.rate[1:]
        half = self.moved(self.q, self.v, 0.5 * h)
        gaps, rows = self.gaps.survey(half)
        closed = self.gaps.closed(gaps, rows)
        touching = 3 * closed.places.size
        closed = closed.joined(self.surfaces(half))
        before = closed.rates @ self.v[: closed.rates.shape[1]]
        v, lam, p = self.v.copy(), self.lam.copy(), np.zeros(before.size)
        for k, place in enumerate(closed.places):
            p[3 * k : 3 * k + 3] = self.impulse.get(place, 0.0)
        p[touching:] = self.rubbed
        share = 1.0  # of the restitution
        for _ in range(ROUGH if system.rubs else ITERATIONS):
            change, multipliers = self.solve_smooth(v, lam, u, at_end, rates[1])
            free = v[:n] + change
            if before.size:
                answers = self.answers(closed)
                W = closed.rates[:, :n] @ answers[:n] / h
                reactions = lam + multipliers + answers[n:] @ p / h
                ball = np.append(np.full(closed.places.size, -1.0), self.held(half, reactions))
                p, share = self.impulses(W, closed.rates[:, :n] @ free, before, closed, p, ball, share)
                free = free + answers[:n] @ p / h
                multipliers = multipliers + answers[n:] @ p / h
            last = np.max(np.abs(free - v[:n]) * system.equations.weight)
            v[:n], lam = free, lam + multipliers
            self.counts.iterations += 1
            motion = np.max(np.abs(v[:n] - self.v[:n]) * system.equations.weight)
            if not np.isfinite(last):
                raise Stuck(NOT_FINITE)
            if last <= max(TIGHT * motion, 1e-13 / h):
                break
        else:
            raise Stuck(NOT_CONVERGED)
        self.take(end, v, lam, u, at_end, rates[0])
        after = closed.rates @ v[: closed.rates.shape[1]]
        self.work[1] -= 0.5 * float(p @ (before + after))
        add_to_balance(self.counts, *self.energies(at_end), self.work)
        self.halvings += share < 1.0
        self.impulse = {int(place): p[3 * k : 3 * k + 3] for k, place in enumerate(closed.places)}
        self.rubbed = p[touching:]
        self.pressed += self.gaps.impulses(closed, p, rows)

    def solve_smooth(
        self, v: np.ndarray, lam: np.ndarray, u: np.ndarray, at_end: np.ndarray, rate: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Newton's change of v+ and of the multipliers, without contacts; leaves the factors behind."""
        system, x, h, n = self.system, self.scratch, self.h, self.system.freedoms
        equations, mean, a = system.equations, 0.5 * (self.v + v), (v - self.v) / h
        q = self.moved(self.q, mean, 0.5 * h)
        x.r[:], x.s[:], x.w[:] = 0.0, 0.0, 0.0
        fused.add(equations.parts, Instant(q, mean, a, u), Into(0.25 * h, 0.5, 1.0 / h, x.r, x.s, x.w), x.stress, False)
        callbacks.reraise()
        joints.add(equations.rows, q, lam, u, joints.Saddle(0.25 * h, equations.gamma / h, x.r, x.g, x.s))
        if self.viscous is not None:
            rubbing.rub(self.viscous, q, mean, lam, x.rubbed)
            rubbing.push(self.viscous, x.rubbed, 1.0, x.r)
            rubbing.damp(self.viscous, 0.5, x.rubbed, x.s)
        joints.velocity(equations.rows, self.moved(self.q, mean, h), v, at_end, rate, x.speed)
        self.middle = q, mean
        if equations.gamma:
            self.jacobian = np.zeros((system.constraints, system.size))
            joints.jacobian_dense(equations.rows, q, u, self.jacobian)
            x.r[:n] += self.augmented(x.speed - x.g)
        right = np.concatenate([-x.r[:n], -x.speed])
        if system.unsymmetric:
            status = ldl.factor_lu(equations.pattern, x.s, x.w, x.factors)
        else:
            status, _ = ldl.factor(equations.pattern, x.s, x.factors)
        if status != ldl.OK:
            raise Stuck(SINGULAR)
        self.solve(right)
        return right[:n], right[n:]

    def augmented(self, gap: np.ndarray) -> np.ndarray:
        """What the augmented term of parts without mass puts on the right side, for conditions that are so far off."""
        equations = self.system.equations
        opening = self.jacobian[:, : self.system.freedoms].T @ (equations.rows.weight * gap)
        return equations.gamma / self.h * opening

    def solve(self, right: np.ndarray) -> None:
        """Replace a right side by the solution, with the factors at hand."""
        x, pattern = self.scratch, self.system.equations.pattern
        if self.system.unsymmetric:
            ldl.solve_lu(pattern, x.s, x.w, right)
        else:
            ldl.solve(pattern, x.s, x.factors, right)

    def answers(self, closed: Closed) -> np.ndarray:
        """(n + m, 3 k) velocities and multipliers for unit forces at the contacts."""
        n, out = self.system.freedoms, np.zeros((closed.rates.shape[0], self.scratch.step.size))
        for k, row in enumerate(closed.rates):
            if np.any(row[:n]) and (k % 3 == 0 or closed.friction[k // 3] > 0.0):
                out[k, :n] = row[:n]
                self.solve(out[k])
        return out.T

    def surfaces(self, q: np.ndarray) -> np.ndarray:
        """(3 k, size) speeds of the joints that rub by velocities; some have fewer than three."""
        rough, out = self.system.equations.rubbing, self.scratch.rubbed
        rubbing.rub(rough, q, self.v, self.lam, out)
        rates = np.zeros((3 * rough.law.shape[0], self.system.size))
        for e, (first, end) in enumerate(pairwise(rough.slides)):
            for k, i in enumerate(range(first, end)):
                np.add.at(rates[3 * e + k], rough.sliding.dofs[i].astype(int), rough.arm[i] * out.along[i])
        return rates

    def held(self, q: np.ndarray, lam: np.ndarray) -> np.ndarray:
        """Largest impulses of the joints that rub, for reactions and at the speeds of the step's start."""
        rough, out = self.system.equations.rubbing, self.scratch.rubbed
        rubbing.rub(rough, q, self.v, lam, out)
        return self.h * out.limit

    def impulses(
        self,
        W: np.ndarray,
        free: np.ndarray,
        before: np.ndarray,
        closed: Closed,
        p: np.ndarray,
        ball: np.ndarray,
        share: float,
    ) -> tuple[np.ndarray, float]:
        """Impulses of the contacts, and the share of their restitution with which they create no energy."""
        speed = max(float(np.max(np.abs(free))), float(np.max(np.abs(before))), 1e-30)
        for trial in range(HALVINGS + 1):
            b, bounce = free.copy(), share * closed.restitution * np.minimum(before[::3], 0.0)
            b[::3] += bounce
            if all(cones.solve(W, b, closed.friction, p, ball, tight * speed, SWEEPS) > SWEEPS for tight in TOLERANCES):
                raise Stuck(NO_IMPULSES)
            gained = 0.5 * float(p @ (before + W @ p + free))
            if gained <= 1e-12 * float(np.abs(p) @ np.abs(before)) or not np.any(bounce < -BOUNCE * speed):
                break
            share = 0.5 * share if trial < HALVINGS - 1 else 0.0
        return p, share

    def take(
        self, end: float, v: np.ndarray, lam: np.ndarray, u: np.ndarray, at_end: np.ndarray, rate: np.ndarray
    ) -> None:
        """The end of the step becomes the present, with its joints closed; the work done is summed."""
        equations, h, n = self.system.equations, self.h, self.system.freedoms
        q, mean = self.middle
        supplied, dissipated = fused.power(equations.parts, q, mean, u)
        self.work += h * np.array([supplied + joints.power(equations.rows, lam, rate), dissipated])
        self.a = (v - self.v) / h
        self.q = self.moved(self.q, 0.5 * (self.v + v), h)
        opened = 0.0
        for _ in range(ITERATIONS if self.system.constraints else 0):
            joints.residual(equations.rows, self.q, at_end, self.scratch.g)
            opened = float(np.max(np.abs(self.scratch.g)))
            if opened <= 1e-13 * self.system.length_scale:
                break
            top = self.augmented(-self.scratch.g) if equations.gamma else np.zeros(n)
            right = np.concatenate([top, -self.scratch.g])
            self.solve(right)
            back = np.zeros(self.system.size)
            back[:n] = right[:n]
            self.q = self.moved(self.q, back, 1.0)
        self.counts.constraint_error = max(self.counts.constraint_error, opened)
        wide = np.abs(self.scratch.g) * equations.weight[0] * equations.rows.weight**0.5
        self.counts.opening = max(self.counts.opening, float(np.max(wide, initial=0.0)))
        self.v, self.lam, self.time = v, lam, end
        self.counts.steps += 1

    def energies(self, u: np.ndarray) -> tuple[float, float]:
        """Kinetic and potential energy."""
        return fused.energy(self.system.equations.parts, self.q, self.v, u)

    def moved(self, q: np.ndarray, v: np.ndarray, h: float) -> np.ndarray:
        """The configuration after moving with a velocity."""
        equations, n = self.system.equations, self.system.freedoms
        q = q.copy()
        q[:n] += h * v[:n]
        take_up(q, equations.frames, equations.turning)
        return q

    def motion(self, record: Record) -> TimeHistory:
        """Everything recorded."""
        remark = ""
        if self.halvings:
            remark = f"; in {self.halvings} steps restitution was reduced, with which friction would create energy"
        pressed = np.zeros_like(record.pressed)  # mean forces since the instant before
        pressed[1:] = np.diff(record.pressed, axis=0) / np.diff(record.time)[:, None, None]
        forces = {"normal_force": pressed[:, :, 1], "friction_force": np.linalg.norm(pressed[:, :, 2:], axis=2)}
        own = results_of(Unilateral, "time", forces) if self.gaps.parts else {}
        if self.system.rubs:
            slides = self.system.equations.rubbing.slides
            held = [-record.rubbed[:, 3 * e : 3 * e + n] for e, n in enumerate(np.diff(slides))]
            told = {"joint_friction": by_joint(slides, np.concatenate(held, axis=1))}
            own |= friction_results(labels_of(self.system).rough, "time", told)
        return TimeHistory(
            *record[:6], last=State(self.q, self.v, self.a, self.lam, self.time, self.a), remark=remark, own=own,
            constraint_error=float(self.counts.constraint_error), **judged(self.counts), used={"step": self.h},
            system=self.system, advice="a smaller step=, or contact='penalty'",
        )  # fmt: skip
