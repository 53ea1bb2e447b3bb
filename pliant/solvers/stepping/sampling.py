"""A sampled controller inside the compiled time loop: read the outputs, set the inputs, hold them.

At every sample (see ``control/controllers/controller.py`` for the law; ``d``, ``s``: deviations of outputs and
references from their nominal values)

    wanted = u0 + C x + Dy d + Dr s,    issued = wanted within its limits,    applied = issued some samples ago
    x <- A x + Bu (applied - u0) + By d + Br s + Bw (issued - wanted)

Any other law, or several, are evaluated in Python (controller_callbacks.py). Signals that drive joints are not held but
move from set-point to set-point, a sample late, with continuous velocity and acceleration: in sample k, s from 0 to 1,

    p(s) = p0 + V s + (p1 - p0 - V) (6 s^3 - 8 s^4 + 3 s^5),   p1 = sent[k],  p0 = sent[k-1],  V = p0 - sent[k-2]
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from pliant.jit import kernel, lazy_kernel
from pliant.jit.bundle import Bundle
from pliant.kernels.marker import arm
from pliant.kernels.so3 import logarithm, quaternion, rotate
from pliant.kernels.triples import cross
from pliant.solvers.stepping.controller_callbacks import consult
from pliant.system.packing import fused

ANGLE, RATE, POSITION, VELOCITY, LINE, SECTION, STRAIN = 0, 1, 2, 3, 4, 5, 6
SPACE_TURN, SPACE_RATE, SPACE_POSITION, SPACE_VELOCITY = 7, 8, 9, 10


class Sensors(Bundle):
    """Readings, one entry each, that are summed to outputs, with workspace."""

    output: np.ndarray  # output that the entry is a part of
    scale: np.ndarray
    kind: np.ndarray
    place: np.ndarray  # first freedom of the node; number of the line or section
    frame: np.ndarray  # place of the node's quaternion, in space
    column: np.ndarray  # axis; which of length, rate and tension, or of N, V and M
    offset: np.ndarray  # (n, 3) of a marker on its node
    line_starts: np.ndarray
    section_starts: np.ndarray
    lines: np.ndarray  # (1, lines, 3)
    sections: np.ndarray  # (1, sections, resultants)
    strains: np.ndarray  # (1, sections, resultants) the same without the damping of the material
    q: np.ndarray  # (1, size)
    v: np.ndarray
    rest: np.ndarray
    u: np.ndarray  # (1, signals)


class Present(NamedTuple):
    """The state at a sample, just before inputs change."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray


class Law(Bundle):
    """Matrices and limits of a linear controller."""

    A: np.ndarray
    Bu: np.ndarray
    By: np.ndarray
    Br: np.ndarray
    Bw: np.ndarray
    C: np.ndarray
    Dy: np.ndarray
    Dr: np.ndarray
    u0: np.ndarray
    y0: np.ndarray
    low: np.ndarray
    high: np.ndarray
    change: np.ndarray  # largest change of an input from sample to sample
    quantum: np.ndarray


class Sampler(Bundle):
    """Running controller. ``period`` counts steps; 0: no controller."""

    period: int
    law_number: int  # of a law in Python; -1: ``law``
    begin: float  # time of the first sample
    tick: float  # time from sample to sample
    signals: np.ndarray  # numbers of the signals it sets
    every: np.ndarray  # samples between set-points of those that drive joints; 0: a signal that is held
    first: np.ndarray  # input before the first sample
    sensors: Sensors
    law: Law
    noise: np.ndarray  # (samples, outputs)
    aims: np.ndarray  # (samples, references) r - r0
    x: np.ndarray  # state
    ahead: np.ndarray  # next state
    wanted: np.ndarray
    issued: np.ndarray
    applied: np.ndarray
    queue: np.ndarray  # (delay + 1, inputs) issued in the last samples
    measured: np.ndarray  # (samples, outputs)
    sent: np.ndarray  # (samples, inputs) applied
    wishes: np.ndarray  # (samples, inputs) wanted
    states: np.ndarray  # (samples, states) of a Python controller
    taken: np.ndarray  # (1,) samples so far

    def changing(self) -> tuple[np.ndarray, ...]:
        """Return all arrays that a sample changes for the next one."""
        return self.x, self.wanted, self.issued, self.applied, self.queue, self.taken

    def instants(self, begin: float, end: float) -> np.ndarray:
        """Return all sample times between two instants, both included, one for each row of the tables."""
        return np.linspace(begin, end, self.noise.shape[0])

    def applied_before(self, times: np.ndarray, begin: float, end: float) -> np.ndarray:
        """Return (times, inputs) applied in the step before each of these instants."""
        last, period = max(0, int(self.taken[0]) - 1), (end - begin) / (self.noise.shape[0] - 1)
        number = np.ceil((times - begin) / period - 1e-6).astype(int) - 1
        out = np.where(number[:, None] < 0, self.first, self.sent[np.clip(number, 0, last)])
        for i in np.flatnonzero(self.every).tolist():
            out[:, i] = [course(self, i, max(k, 0), t)[0] for k, t in zip(number.tolist(), times.tolist(), strict=True)]
        return out

    def set_signals(self, table: Any) -> None:
        """Set the signals of a table at instants within the present sample."""
        if not self.signals.size:
            return
        table.u[:, self.signals] = self.applied
        for row in range(table.time.size if np.any(self.every) else 0):
            hold(self, table, row)


@lazy_kernel
def sample(parts: fused.Parts, sampler: Sampler, now: Present, u: np.ndarray) -> None:
    """Read, decide, and store the inputs until the next sample."""
    k = sampler.taken[0]
    if sampler.law_number >= 0:
        consult(sampler.law_number, k, now.q, now.v, now.a, now.lam, u)
    else:
        decide(parts, sampler, k, now.q, now.v, u)
    sampler.taken[0] = k + 1


@kernel
def decide(parts: fused.Parts, sampler: Sampler, k: int, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> None:
    """Evaluate a linear law at sample k."""
    law, x = sampler.law, sampler.x
    d, aim = sampler.measured[k], sampler.aims[k]
    read(parts, sampler.sensors, q, v, u, d)
    for i in range(d.size):
        d[i] += sampler.noise[k, i]
        if law.quantum[i] > 0.0:
            d[i] = law.quantum[i] * np.rint(d[i] / law.quantum[i])
    for i in range(sampler.wanted.size):
        total = law.u0[i] + product(law.C, i, x) + product(law.Dr, i, aim) + off(law.Dy, i, d, law.y0)
        sampler.wanted[i] = total
        low = max(law.low[i], sampler.issued[i] - law.change[i])
        high = min(law.high[i], sampler.issued[i] + law.change[i])
        sampler.issued[i] = min(max(total, low), high)
        held = sampler.queue.shape[0]
        sampler.queue[k % held, i] = sampler.issued[i]
        sampler.applied[i] = sampler.queue[(k + 1) % held, i]
        sampler.sent[k, i], sampler.wishes[k, i] = sampler.applied[i], total
    for i in range(x.size):
        total = product(law.A, i, x) + product(law.Br, i, aim) + off(law.By, i, d, law.y0)
        total += off(law.Bu, i, sampler.applied, law.u0) + off(law.Bw, i, sampler.issued, sampler.wanted)
        sampler.ahead[i] = total
    for i in range(x.size):
        sampler.states[k, i] = x[i]
        x[i] = sampler.ahead[i]


@kernel
def hold(sampler: Sampler, signals: Any, row: int) -> None:
    """Set the signals of a controller in a row of a table."""
    for i in range(sampler.signals.size):
        j = sampler.signals[i]
        signals.u[row, j] = sampler.applied[i]
        if sampler.every[i] > 0:
            place, rate, second = course(sampler, i, max(sampler.taken[0] - 1, 0), signals.time[row])
            signals.u[row, j], signals.rate[row, j], signals.second[row, j] = place, rate, second


@kernel
def course(sampler: Sampler, i: int, k: int, time: float) -> tuple[float, float, float]:
    """Return value, rate and second derivative of a signal that drives a joint, within sample k."""
    n = int(sampler.every[i])
    last = k // n * n
    length = n * sampler.tick
    end, begin, before = (
        set_point(sampler, i, last),
        set_point(sampler, i, last - n),
        set_point(sampler, i, last - 2 * n),
    )
    s = min(max((time - sampler.begin - last * sampler.tick) / length, 0.0), 1.0)
    speed = begin - before
    bend = end - begin - speed
    place = begin + speed * s + bend * (s * s * s * (6.0 - 8.0 * s + 3.0 * s * s))
    rate = speed + bend * (s * s * (18.0 - 32.0 * s + 15.0 * s * s))
    second = bend * (s * (36.0 - 96.0 * s + 60.0 * s * s))
    return place, rate / length, second / (length * length)


@kernel
def set_point(sampler: Sampler, i: int, k: int) -> float:
    """Return the input at a sample, or before the first."""
    return sampler.sent[k, i] if k >= 0 else sampler.first[i]


@kernel
def product(matrix: np.ndarray, i: int, x: np.ndarray) -> float:
    """Return row i of a matrix times x."""
    total = 0.0
    for j in range(x.size):
        total += matrix[i, j] * x[j]
    return total


@kernel
def off(matrix: np.ndarray, i: int, x: np.ndarray, origin: np.ndarray) -> float:
    """Return row i of a matrix times (x - origin)."""
    total = 0.0
    for j in range(x.size):
        total += matrix[i, j] * (x[j] - origin[j])
    return total


@kernel
def read(parts: fused.Parts, sensors: Sensors, q: np.ndarray, v: np.ndarray, u: np.ndarray, y: np.ndarray) -> None:
    """Read the outputs at a state."""
    lines, sections, strains = sensors.lines.shape[1], sensors.sections.shape[1], sensors.strains.shape[1]
    if lines + sections + strains > 0:
        for i in range(q.size):
            sensors.q[0, i], sensors.v[0, i] = q[i], v[i]
        for i in range(u.size):
            sensors.u[0, i] = u[i]
    now = fused.History(sensors.q, sensors.v, sensors.u)
    if lines > 0:
        fused.readings(parts, now, sensors.line_starts, sensors.lines)
    if sections > 0:
        fused.resultants(parts, now, sensors.section_starts, sensors.sections)
    if strains > 0:
        rest = fused.History(sensors.q, sensors.rest, sensors.u)
        fused.resultants(parts, rest, sensors.section_starts, sensors.strains)
    for i in range(y.size):
        y[i] = 0.0
    for e in range(sensors.kind.size):
        y[sensors.output[e]] += sensors.scale[e] * reading(sensors, e, q, v)


@kernel
def reading(sensors: Sensors, e: int, q: np.ndarray, v: np.ndarray) -> float:
    """Return one entry of the sensors."""
    kind, place, column = sensors.kind[e], sensors.place[e], sensors.column[e]
    if kind == LINE:
        return sensors.lines[0, place, column]
    if kind == SECTION:
        return sensors.sections[0, place, column]
    if kind == STRAIN:
        return sensors.strains[0, place, column]
    if kind >= SPACE_TURN:
        return reading_in_space(sensors, e, q, v)
    if kind == ANGLE:
        return q[place + 2]
    if kind == RATE:
        return v[place + 2]
    px, py = arm(q[place + 2], sensors.offset[e, 0], sensors.offset[e, 1])
    if kind == POSITION:
        return q[place + column] + (px if column == 0 else py)
    return v[place + column] + v[place + 2] * (-py if column == 0 else px)


@kernel
def reading_in_space(sensors: Sensors, e: int, q: np.ndarray, v: np.ndarray) -> float:
    """Return one entry of the sensors of a spatial node, in global axes."""
    kind, place, column = sensors.kind[e], sensors.place[e], sensors.column[e]
    p = quaternion(q, sensors.frame[e])
    if kind == SPACE_TURN:
        return logarithm(p)[column]
    spin = v[place + 3], v[place + 4], v[place + 5]
    if kind == SPACE_RATE:
        return rotate(p, spin)[column]
    offset = sensors.offset[e, 0], sensors.offset[e, 1], sensors.offset[e, 2]
    if kind == SPACE_POSITION:
        return q[place + column] + rotate(p, offset)[column]
    return v[place + column] + rotate(p, cross(spin, offset))[column]


@lru_cache(maxsize=64)
def idle(signals: int, size: int) -> Sampler:
    """Return a sampler that does nothing: it is constant and serves any motion of systems of this size."""
    none, few, table = np.zeros(0), np.zeros(0, np.uint32), np.zeros((0, 0))
    starts, room = np.zeros(1, np.int64), np.zeros((1, 0, 3))
    state = np.zeros((1, size))
    sensors = Sensors(
        few, none, few, few, few, few, np.zeros((0, 3)), starts, starts, room, room, room, state, state, state,
        np.zeros((1, signals)),
    )  # fmt: skip
    law = Law(*[table] * 8, *[none] * 6)
    return Sampler(
        0, -1, 0.0, 1.0, few, few, none, sensors, law, table, table, none, none, none, none, none, table, table, table,
        table, table, starts,
    )  # fmt: skip
