"""Checks that analyses make before they report ok: names, limits and advice, in one place (docs/what-ok-means.md).

All numbers are parts of what they belong to: lengths of the model (or rad), the forces or the energy at work.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, pi
from typing import Any, TypeAlias, cast

import numpy as np

from pliant.elements.beam_fed import Feed
from pliant.elements.superelement import Superelement
from pliant.forces._law import PointLaw
from pliant.forces.channel import ChannelTendon
from pliant.forces.state_force import callbacks
from pliant.kernels.sums import Instant
from pliant.results.records import Check, Unchecked
from pliant.solvers.stepping.alpha_run import OPENEST
from pliant.solvers.stepping.consistent_start import accelerated, forces_apart
from pliant.solvers.stepping.energy_balance import ROUNDING, still_energy
from pliant.solvers.stepping.motion import TimeHistory
from pliant.system.capabilities import HasEquations, Observed, Observer, can
from pliant.system.limits.contact_distances import NO_WAYS, PASSED
from pliant.system.limits.feeds import DRAWN_IN
from pliant.system.limits.offered import HasBeamLimits, HasContactDistances, HasRotationLimits, HasStrainLimits
from pliant.system.samples import Samples
from pliant.system.state import Equilibrium, State

ENERGY = 0.01  # of the energy at work
TIME = 0.01  # of the range of the motion, at most of the model's size
CERTAIN = 0.01  # of the error allowed: a sum of local errors up to this needs no second solution
SMALLEST_RANGE = 1e-6  # of the model's size: less is no motion
JOINTS = 1e-4  # of the model's size: a hundredth of what steps may be off by
HALF_TURN = 0.98 * pi  # a little before it is lost on which side it is
BENT = 0.2  # rad, as of linear elements: a cantilever's deflection is then off by 1.5 percent
SPUN = 1e-3  # of the model's size: what deflections of reduced bodies that spin may be off by, by order
BEHIND = 0.02  # of the largest force of a reduced body: at 0.4 the reactions of a shaft that spins are off by half
STRAIN = 1.0  # a beam squeezed by this much has no length
ALL_FED = 1e-9  # of the length of a beam that is fed: rounding of what was behind its guide
WOUND = 0.5 * pi  # rad from one Gauss point to the next: elements of order 3 miss 1 % of a helix that winds so
FOLDED = 1.0 - 1e-9  # a channel at the centre of a bend has no length
ORDER = 1e-4  # of the energy at work: an impact that may have come before another or after it; 1 % of velocities
REACTIONS, INSTANTS = 0.1, 4  # of the largest reaction; at how many instants of a motion that is looked at
UNBALANCED = 1e-4  # of the largest force at work
ROLLED = 0.25  # rad: the arc of a ball that rolls is then 1 % longer than what its place moves along the surface
DEPTH = 1.0  # of the smaller of two radii

SIZE, RADIUS = "of the model's size (or rad)", "of a radius"
SMALLER = "The step is too large for this motion: try a smaller step= or accuracy=."
UNORDERED = (
    "A part struck twice within a step or the next, and what it does then depends on which impact came first: try a "
    "smaller step=."
)
STEPS = "Try more load_steps=, or a nearer start=."
LOSSLESS = (
    "Its method keeps energy, so that this motion is not right: try a smaller accuracy=, another method=, or "
    "formulation='dae' where it passes a pose at which joints depend on each other."
)


Checks: TypeAlias = list[Check | Unchecked]


def unanswered(name: str, capability: type, *, concerned: object) -> Checks:
    """Return the name of a check that a formulation cannot answer, if the model has something that it concerns."""
    return [Unchecked(name, f"the formulation does not offer {capability.__name__}")] if concerned else []


def with_unknown_error(motion: TimeHistory) -> Checks:
    """Return the check that is missing if the error of the steps is unknown."""
    if motion.time_error is not None or motion.local_sum is not None:
        return []
    return [Unchecked("error in time", "there is no second motion, and the method has no local errors")]


def of_motion(system: Observed, motion: TimeHistory, span: float) -> list[Check]:
    """Return the checks of a motion. ``span``: its range, in lengths of the model and radians."""
    checks = []
    if motion.opening is not None:
        checks.append(Check("joints open", motion.opening, JOINTS, SIZE, SMALLER))
    advice = LOSSLESS if motion.lossless else SMALLER
    checks.append(Check("energy balance", energy_share(system, motion), ENERGY, "of the energy at work", advice))
    if motion.unordered is not None:
        share = motion.unordered / at_work(system, motion)
        checks.append(Check("order of impacts", share, ORDER, "of the energy at work", UNORDERED))
    time = of_time(motion, span)
    return checks if time is None else [*checks, time]


def of_time(motion: TimeHistory, span: float) -> Check | None:
    """Return the check of the error of the steps: by a second solution, or else by the sum of the local errors.

    The sum does not show how errors grow, and must be far below the limit, unless nothing moves. Methods that bound
    their own errors, and loops with rounded outputs, have no other estimate.
    """
    accuracy, own = motion.used.get("accuracy"), motion.local_error is None or rounded(motion)
    unit, allowed = (SIZE, accuracy) if accuracy is not None and not own else ("of the motion's range", TIME)
    scale = span if unit is not SIZE else 1.0
    if motion.time_error is not None:
        return Check("error in time", motion.time_error / scale, allowed, unit, SMALLER)
    if motion.local_sum is None:
        return None
    limit = allowed if own or span <= SMALLEST_RANGE else CERTAIN * allowed
    return Check("local errors, summed", motion.local_sum / scale, limit, unit, SMALLER)


def rounded(motion: TimeHistory) -> bool:
    """Return whether a controller rounds its measurements, so that a second solution shows no error."""
    return motion.loop is not None and motion.loop.quantised


def energy_share(system: Observed, motion: TimeHistory) -> float:
    """Return the error of the energy balance, as a part of the energy at work."""
    if motion.energy_error is None:
        raise ValueError("the energies of this motion are not known")
    return motion.energy_error / at_work(system, motion)


def at_work(system: Observed, motion: TimeHistory) -> float:
    """Return the energy at work in a motion, at least the energy of the smallest motion that counts."""
    still = still_energy(system.mass, system.length_scale, max(motion.duration, 1e-100))  # one instant has none
    return max(motion.energy_at_work or 0.0, still, 1e-300)


def energies(energy: np.ndarray) -> dict[str, Any]:
    """Return figures of the energy balance, from kinetic, potential, supplied and dissipated energy, start first."""
    stored, work = energy[:, :2], energy[:, 2:4]
    balance, spread = stored.sum(axis=1) - work[:, 0] + work[:, 1], float(np.max(np.ptp(stored, axis=0)))
    most = (stored[:, 0], np.abs(work), ROUNDING * np.abs(stored))
    return {
        "energy_error": float(np.max(np.abs(balance - balance[0]))),
        "energy_at_work": max(spread, *(float(np.max(x)) for x in most)),
        "energy_range": spread,
    }


def of_equilibrium(found: Equilibrium, length: float) -> list[Check]:
    """Return the checks of an equilibrium of a model of this length."""
    return [
        Check("unbalanced force", found.residual, max(UNBALANCED * found.force_scale, found.rounding), "N", STEPS),
        of_joints(found.constraint_error / length),
    ]


def of_reactions(system: Any, samples: Samples) -> Checks:
    """Check that reactions follow from the velocities of a motion, at up to INSTANTS of its instants.

    Index 3 with little damping keeps positions right while reactions swing from step to step; both balance M a + f.
    """
    if not can(system, HasEquations):
        return unanswered("reactions", HasEquations, concerned=True)
    last = samples.time.size - 1
    chosen = sorted({k * last // (INSTANTS - 1) for k in range(INSTANTS)})
    u, _, seconds = system.signal_table(samples.time[chosen])
    u = u if samples.signals is None else samples.signals[chosen]
    stride = float(np.max(np.diff(samples.time), initial=0.0)) or 1.0
    off, largest = 0.0, 1e-300
    with system.working() as scratch:
        scratch.clear()
        for k, signals, second in zip(chosen, u, seconds, strict=True):
            state = State(samples.q[k], samples.v[k], samples.a[k], samples.lam[k], float(samples.time[k]))
            right = accelerated(system, state, signals, second, stride, scratch)
            gap, due = forces_apart(system.equations, Instant(state.q, state.v, state.a, signals), right.a, scratch)
            off, largest = max(off, gap), max(largest, due)
    callbacks.reraise()
    advice = "They swing from step to step: leave constraints= out, or take 'projection' or a smaller spectral_radius."
    return [Check("reactions", off / largest, REACTIONS, "of the largest", advice)]


def of_strain(
    observer: Observer, values: Callable[[str], np.ndarray], samples: Samples, *, brief: bool
) -> tuple[dict[str, Any], Checks]:
    """Check that beams are still beams; return the largest strain as a figure, too."""
    if not can(observer, HasStrainLimits):
        return {}, unanswered("largest strain", HasStrainLimits, concerned=observer.system.model.beams)
    strain, limited = cast(HasStrainLimits, observer).warn_of_ranges(values, samples, brief=brief)
    advice = "Check loads, lengths and stiffness, and whether a loop diverges."
    return {"largest_strain": strain}, [Check("largest strain", limited, STRAIN, "", advice)]


def _parts(system: Observed, *kinds: type) -> bool:
    """Return whether the model has forces of these classes."""
    return any(isinstance(force, kinds) for force in system.model.forces)


def of_turns(system: Any, q: np.ndarray) -> Checks:
    """Check that springs and bushings in space stay within half a turn, beyond which they push to the other side, and
    reduced bodies within the range of small strains.
    """
    if not can(system, HasRotationLimits):
        kinds = (PointLaw, Superelement) if system.model.spatial else (Superelement,)
        return unanswered("turns of laws and reduced bodies", HasRotationLimits, concerned=_parts(system, *kinds))
    advice = "In space a rotation is known within half a turn only: let it turn less, or make the model planar."
    checks: Checks = [Check(f"turn of {name!r}", turn, HALF_TURN, "rad", advice) for name, turn in system.law_turns(q)]
    advice = "A reduced body means small strains in the frame of its first node: cut it into several, or take a Beam."
    bodies = system.interface_turns(q)
    return checks + [Check(f"turn within {name!r}", turn, BENT, "rad", advice) for name, turn in bodies]


def of_spins(system: Any, samples: Samples) -> Checks:
    """Check that reduced bodies spin slowly enough for a stiffness without their tension, and for modes that their
    frame does not carry round.
    """
    if not can(system, HasRotationLimits):
        return unanswered("spin of reduced bodies", HasRotationLimits, concerned=_parts(system, Superelement))
    advice = "It has no centrifugal stiffening: divide it into several bodies, or use a Beam."
    deflections: Checks = [
        Check(f"spin of {name!r}", off, SPUN, "of the model's size", advice)
        for name, off in system.spin_errors(samples.q, samples.v)
    ]
    advice = "Its internal modes are not carried round: let its interface have nodes where it bends, or use a Beam."
    return deflections + [
        Check(f"modes of {name!r} that spin", lost, BEHIND, "of its largest force", advice)
        for name, lost in system.lost_forces(samples)
    ]


def of_feeds(system: Any, q: np.ndarray) -> Checks:
    """Check that beams that are fed have enough behind their guide, and were not drawn in wholly."""
    if not can(system, HasBeamLimits):
        return unanswered("length fed", HasBeamLimits, concerned=_parts(system, Feed))
    checks: Checks = []
    for feed, fed in system.lengths_fed(q):
        most, least, length = float(np.max(fed)), float(np.min(fed)), feed.beam.length
        advice = f"{feed.beam.owner} has only that much behind its guide: feed it less, or give it more stock=."
        checks.append(Check(f"length fed by {feed.name!r}", most, feed.stock + ALL_FED * length, "m", advice))
        advice = f"{feed.beam.owner} was drawn in wholly, and has no free length: feed it more."
        checks.append(Check(f"length drawn in by {feed.name!r}", -least, (1.0 - DRAWN_IN) * length, "m", advice))
    return checks


def of_channels(system: Any, q: np.ndarray) -> Checks:
    """Check that channels run on, not backwards beyond the centre of a bend, and that elements follow their winding."""
    if not can(system, HasBeamLimits):
        return unanswered("channels of tendons", HasBeamLimits, concerned=_parts(system, ChannelTendon))
    advice = "Where it lies beyond the centre of the bend it is folded: lead it nearer to the axis, or pull with less."
    checks: Checks = [
        Check(f"offset of {tendon.name!r}, on the inner side", bend, FOLDED, "of the radius of the bend", advice)
        for tendon, bend in system.channel_bends(q)
    ]
    for tendon, turn in system.channel_windings():
        more = (
            f"Compile with {ceil(turn / WOUND)} times as many elements along {tendon.beam.owner}, or of a higher order."
        )
        checks.append(Check(f"winding of {tendon.name!r} between Gauss points", turn, WOUND, "rad", more))
    return checks


def of_collisions(system: Any, motion: TimeHistory, samples: Samples) -> Checks:
    """Check that shapes that collide stayed out of each other, and none passed through another between two instants.

    Where not all steps were kept, only shapes that moved straight from one instant to the next are known to have.
    """
    if not can(system, HasContactDistances):
        return _without_depths(system)
    depths, every = system.depths(), samples.time.size > motion.steps
    for k, h in enumerate(np.diff(samples.time).tolist() if depths else ()):
        depths.look(samples.q[k], samples.q[k + 1], NO_WAYS if every else h * samples.v[k : k + 2])
    checks: Checks = []
    for part, depth, between in depths.each():
        advice = "Shapes passed through each other within a step: try a smaller step=."
        checks += [_of_depth(part, depth)]
        checks += [Check(f"depth of {part.name!r} between steps", between, PASSED, RADIUS, advice)]
    return checks


def of_depths(system: Any, q: np.ndarray) -> Checks:
    """Check that shapes that collide are out of each other, in configurations."""
    if not can(system, HasContactDistances):
        return _without_depths(system)
    depths = system.depths()
    for each in q if depths else ():
        depths.look(each, each)
    return [_of_depth(part, depth) for part, depth, _ in depths.each()]


def _without_depths(system: Observed) -> Checks:
    concerned = any(force.unilateral for force in system.model.forces)
    return unanswered("depth of contacts", HasContactDistances, concerned=concerned)


def _of_depth(part: Any, depth: float) -> Check:
    advice = "Shapes so far in each other push to the wrong side: try a smaller step=, or more stiffness."
    return Check(f"depth of {part.name!r}", depth, DEPTH, RADIUS, advice)


def of_sticking(system: Any, state: State) -> Checks:
    """Check that friction bears the force of contacts that stick, nothing else rubs, and nothing has rolled far."""
    if state.touched is None or not can(system, HasContactDistances):
        return unanswered("friction of contacts that stick", HasContactDistances, concerned=state.touched is not None)
    checks: Checks = [
        Check(
            f"friction of {slip.part.name!r} between {' and '.join(slip.between)}", slip.share, 1.0, "of mu N",
            f"It would slip there: {slip.force:.3g} N are needed, and friction gives {slip.limit:.3g} N. Press "
            "more, or give it more friction; the motion (pl.transient) shows where it goes.",
        )
        for slip in system.slips(state.q)
    ]  # fmt: skip
    rolled = "What rolls so far does not stay at the place where it sticks: begin nearer to it (start=)."
    checks += [
        Check(f"rolling of {part.name!r} since it touched", angle, ROLLED, "rad", rolled)
        for part, angle in system.rolled(state.touched, state.q)
    ]
    later = "It did not touch at the start, and has no friction here: begin with it pressed together (start=)."
    checks += [
        Check(f"places of {name!r} that touch later", count, 0, "", later) for name, count in system.late(state.q)
    ]
    return checks


def of_joints(opening: float) -> Check:
    """Check that the joints of equilibria are closed."""
    return Check("joints open", opening, OPENEST, SIZE)
