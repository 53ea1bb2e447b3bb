"""Steps of generalized-alpha with rods in space that are marched anew at every iteration: the loop, compiled.

Nodes, bodies and joints are those of solvers/stepping/alpha_step.py. A rod is part of the equations as a two-port
whose march
has inertia in it (elements/rod_ivp/inertia.py); before a step it is told what is known of its motion, after it what it
has become.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.elements.rod_ivp.frames import Work
from pliant.elements.rod_ivp.moving import Memory, Stride, remember, survey
from pliant.elements.rod_ivp.spatial import Arrays
from pliant.jit import kernel
from pliant.kernels.vectors import fill
from pliant.solvers.stepping import alpha_run
from pliant.solvers.stepping.alpha_run import OPENEST, Inputs, Run, copy, keep
from pliant.solvers.stepping.alpha_scheme import Scheme, coefficients
from pliant.solvers.stepping.alpha_step import step
from pliant.solvers.stepping.drivers import Signals
from pliant.solvers.stepping.energy_balance import add_to_balance, begin_balance
from pliant.solvers.stepping.generalized_alpha import local_error, opening, powers
from pliant.solvers.stepping.prediction import forget
from pliant.solvers.stepping.sampling import Present, hold, sample
from pliant.solvers.stepping.status import DONE, OPEN
from pliant.system.packing import fused

PROBE = 0.5  # of a step: over which accelerations are found where they are not known


class Record(alpha_run.Record):
    """Recorded instants."""

    sums: np.ndarray  # (instants, SUMS) of the rods
    seen: np.ndarray  # (instants, places, SEEN) what results show of them


class Rods(NamedTuple):
    """Rods at work, and another run with which accelerations are found."""

    part: Arrays
    memory: Memory
    work: Work
    trial: Run  # on the same equations
    spare: Memory
    sums: np.ndarray
    ahead: np.ndarray  # (signals,)
    shown: np.ndarray  # (places,) which ends of steps results show


@kernel
def strides(scheme: Scheme, h: float) -> Stride:
    """Coefficients of a step for what rods remember."""
    c, m, f = coefficients(scheme, h), scheme.alpha_m, scheme.alpha_f
    rest = 1.0 / ((1.0 - f) * c.acceleration)
    early, late = (0.5 - scheme.beta) * h * h, (1.0 - scheme.gamma) * h
    own, before, shared = (1.0 - f) / (1.0 - m), f / (1.0 - m), m / (1.0 - m)
    return Stride(h, c.acceleration, c.velocity, early, late, m * rest, f * rest, own, before, shared)


@kernel
def advance(
    run: Run, rods: Rods, signals: Signals, h: float, every: int, behind: int, record: Record
) -> tuple[int, int]:
    """Take steps of size h from one row of the signals to the next; the rows take the signals that a controller sets.

    Records every ``every``-th step (``behind`` were taken before). On failure the state is the last good one. Returns
    (status, steps).
    """
    parts, state, old, scratch, counts = run.equations.parts, run.state, run.old, run.scratch, run.counts
    total, sampler, stride = signals.time.size - 1, run.sampler, strides(run.scheme, h)
    supplied, dissipated = powers(run, signals.u[0], signals.rate[0])
    if counts.steps == 0:
        begin_balance(counts, *fused.energy(parts, state.q, state.v, signals.u[0]))
    for k in range(total):
        inputs = Inputs(signals.u[k + 1], signals.rate[k + 1], signals.second[k + 1])
        if sampler.period > 0:
            if (behind + k) % sampler.period == 0:
                sample(parts, sampler, Present(state.q, state.v, state.a, state.lam), signals.u[k])
                hold(sampler, signals, k)
                run.memory.jumped = 1.0
            hold(sampler, signals, k + 1)
        if run.memory.jumped > 0.0:
            probe(run, rods, PROBE * h, Inputs(signals.u[k], signals.rate[k], signals.second[k]))
            run.memory.jumped = 0.0
            forget(run)
            supplied, dissipated = powers(run, signals.u[k], signals.rate[k])
        copy(state, old)
        remember(rods.part, stride, rods.memory, scratch.stress)
        status, iterations = step(run, h, signals.u[k], inputs)
        counts.iterations += iterations
        opened = opening(run, inputs.u)
        if status == DONE and opened > OPENEST:
            status = OPEN
        if status != DONE:
            copy(old, state)
            return status, k
        error = local_error(run, h)
        survey(rods.part, stride, state.q, inputs.u, scratch.stress, rods.memory, rods.work)
        counts.local_error = max(counts.local_error, error)
        counts.local_sum += error
        counts.opening = max(counts.opening, opened)
        for i in range(scratch.g.size):
            counts.constraint_error = max(counts.constraint_error, abs(scratch.g[i]))
        supplied_new, dissipated_new = powers(run, inputs.u, inputs.rate)
        state.work[0] += 0.5 * h * (supplied + supplied_new)
        state.work[1] += 0.5 * h * (dissipated + dissipated_new)
        supplied, dissipated = supplied_new, dissipated_new
        kinetic, potential = fused.energy(parts, state.q, state.v, inputs.u)
        add_to_balance(counts, kinetic, potential, state.work)
        if (behind + k + 1) % every == 0:
            keep_rods(rods, counts.records, record)
            keep(state, signals.time[k + 1], counts, record)
    return DONE, total


@kernel
def keep_rods(rods: Rods, m: int, record: Record) -> None:
    """Record what is to be known of the rods."""
    fill(record.sums[m], rods.part.sums)
    for k in range(rods.shown.size):
        fill(record.seen[m, k], rods.memory.seen[rods.shown[k]])


@kernel
def recollect(source: Memory, target: Memory) -> None:
    """Copy what rods remember."""
    for one, other in (
        (source.wrench, target.wrench), (source.place, target.place), (source.speed, target.speed),
        (source.acceleration, target.acceleration), (source.averaged, target.averaged), (source.seen, target.seen),
    ):  # fmt: skip
        for i in range(one.shape[0]):
            for j in range(one.shape[1]):
                other[i, j] = one[i, j]


@kernel
def probe(run: Run, rods: Rods, h: float, inputs: Inputs) -> bool:
    """Accelerations and reactions of the present state under these signals, from a short implicit step that is then
    taken back: Newmark's with beta = gamma = 1. Modes too fast for it stay calm. Where it fails they stay.
    """
    trial, u, state = rods.trial, rods.ahead, run.state
    for i in range(u.size):
        u[i] = inputs.u[i] + h * inputs.rate[i] + 0.5 * h * h * inputs.second[i]
    fill(rods.sums, rods.part.sums)
    recollect(rods.memory, rods.spare)
    copy(state, trial.state)
    copy(state, trial.old)
    trial.memory.contraction = trial.memory.age = 0.0
    stride = strides(trial.scheme, h)
    remember(rods.part, stride, rods.spare, trial.scratch.stress)
    status, _ = step(trial, h, inputs.u, Inputs(u, inputs.rate, inputs.second))
    if status == DONE:
        survey(rods.part, stride, trial.state.q, u, trial.scratch.stress, rods.spare, rods.work)
        fill(state.a, trial.state.a)
        fill(state.abar, trial.state.a)
        fill(state.lam, trial.state.lam)
        for i in range(rods.memory.acceleration.shape[0]):
            fill(rods.memory.acceleration[i], rods.spare.acceleration[i])
            fill(rods.memory.averaged[i], rods.spare.acceleration[i])
    fill(rods.part.sums, rods.sums)
    return status == DONE
