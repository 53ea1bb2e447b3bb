"""Warnings of physics that a user may not expect: slack tendons, vibrations too fast for the step, contacts that
chatter (docs/what-ok-means.md).
"""

from __future__ import annotations

from itertools import groupby
from typing import Any

import numpy as np

from pliant._frozen import replace
from pliant.analyses.checks import SMALLEST_RANGE
from pliant.analyses.motion.time_error import span
from pliant.errors import AtKink, ContactChatter, SlackTendon, UnresolvedFrequency, warn
from pliant.model import Model
from pliant.model.loads import Line
from pliant.results.lazy_arrays import Pending
from pliant.solvers.stepping.motion import TimeHistory
from pliant.system.capabilities import Observed, can
from pliant.system.limits.offered import ResolvesWaves
from pliant.system.observation.history import squares
from pliant.system.samples import Samples
from pliant.system.state import State

SLACK = 0.2  # of the width e of its transition: the tension of a tendon that e would have to be added to, to pull
EDGE = 0.05, 5.0  # of that width: tensions at which a tendon has between 1 and 99 % of its stiffness
FAST = 0.03  # of the velocities: a period of less than 18 steps, which a method of order 2 makes 1 % longer
WAVY = 0.1  # of the velocities: positions are off by some percent of their range then
FEWEST = 20  # steps of a motion whose vibrations are looked at
SHORT = 5  # steps that a contact stays open or closed when it chatters
TIMES = 6  # one after another


def warn_of_slack(model: Model, data: Pending, lead: str) -> None:
    """Name tendons that are slack, in a state or in some of those along ``lead``."""
    named = []
    if "tension" not in data:
        return
    tensions, lengths = data.values("tension"), data.values("line_length")
    places = {name: k for k, name in enumerate(data.values(Line.listed_along).tolist())}
    for force in (part for part in model.forces if isinstance(part, Line)):
        name, k = force.name, places[force.name]
        slack = tensions[..., k] < SLACK * force.slack(float(np.max(lengths[..., k])))
        if np.all(slack):
            named.append(f"{name!r}")
        elif np.any(slack):
            named.append(f"{name!r} at {int(np.sum(slack))} of {slack.size} {lead}s")
    if named:
        warn(
            SlackTendon,
            f"{model.name!r}: slack: {', '.join(named)}. A slack tendon does not pull: shorten its rest length, raise "
            "its tension, or limit a controller that lowers it (controller.limited(low=...)).",
        )


def warn_of_edges(system: Observed, state: State) -> None:
    """Warn of elastic tendons at the edge of slack, whose stiffness is between the taut one and zero: with a tension P
    and the width e of the transition its share is ``1 / (1 + (e / 2 P)^2)``.
    """
    elastic = [part for part in system.model.forces if isinstance(part, Line) and getattr(part, "stiffness", False)]
    lines = [part for part in elastic if part.slack(1.0)]
    if not lines:
        return
    observer = system.observer()
    samples = replace(Samples.of(state), signals=system.signals(np.array([state.time])))
    data = Pending(*observer.moving(samples, state), observer.labelled)
    numbers = {name: k for k, name in enumerate(data.values(Line.listed_along).tolist())}
    tensions, lengths = (data.values(name)[0] for name in ("tension", "line_length"))
    for part in lines:
        share = tensions[numbers[part.name]] / part.slack(float(lengths[numbers[part.name]]))
        if EDGE[0] < share < EDGE[1]:
            warn(
                AtKink,
                f"{system.model.name!r}: {part.owner} is at the edge of slack: small motions have a part of its "
                "stiffness only, larger ones all of it or none. Give it some pretension, or slack.",
            )


def warn_of_steps(system: Observed, motion: TimeHistory, data: Pending) -> None:
    """Warn of vibrations and contacts that equal steps do not resolve, if all were kept. Impacts look like both."""
    whole = motion.used.get("every", 1) == 1 and motion.time.size == data.values("time").size > FEWEST
    if not whole or motion.used.get("step") is None or motion.impacts:
        return
    share = fast_share(motion.v, system.weight)
    if share > FAST and span(system, motion) > SMALLEST_RANGE:
        warn(
            UnresolvedFrequency,
            f"Motion of {system.model.name!r}: it contains vibrations so fast that a period has fewer than 18 steps "
            f"of {motion.used['step']:g} s ({100.0 * share:.2g} % of the velocities). Try a smaller step, or a method "
            "that damps them (a smaller spectral_radius).",
        )
    if "normal_force" in data:
        pressed = data.values("normal_force").T > 0.0
        contacts = data.values("contact").tolist()
        names = [name for name, closed in zip(contacts, pressed, strict=True) if chatters(closed)]
        if names:
            warn(
                ContactChatter,
                f"Motion of {system.model.name!r}: {', '.join(map(repr, names))} opens and closes within {SHORT} "
                f"steps, {TIMES} times or more in a row. Try a smaller step, a softer or more damped contact, or "
                "pl.Moreau().",
            )


def warn_of_waves(system: Any, motion: TimeHistory) -> None:
    """Warn of meshes of beams that are too coarse for the waves of a motion. Impacts make waves of any length."""
    if motion.impacts or not (can(system, ResolvesWaves) and len(motion.v)):
        return
    share, name = system.short_waves(motion.v)
    if share > WAVY and span(system, motion) > SMALLEST_RANGE:
        warn(
            UnresolvedFrequency,
            f"Motion of {system.model.name!r}: beam {name!r} moves in waves too short for its mesh "
            f"({100.0 * share:.2g} % of the velocities). Take more elements, or elements of a higher order.",
        )


def fast_share(v: np.ndarray, weight: np.ndarray) -> float:
    """Return the fast share of velocities (instants, freedoms and more) at equal steps h, by the weights of freedoms:
    the root mean square of ``(v[k-1] - 2 v[k] + v[k+1]) / 4`` over the root mean square of v. A vibration of omega has
    sin^2(omega h / 2).

    >>> fast_share(np.cos(0.2 * np.arange(1000.0))[:, None], np.ones(1)).__round__(4), round(float(np.sin(0.1)) ** 2, 4)
    (0.01, 0.01)
    """
    size, bent = squares(v, weight, np.zeros((2, weight.size)))
    return 0.25 * float(np.sqrt(bent / (len(v) - 2) / (size / len(v)))) if size > 0.0 else 0.0


def chatters(closed: np.ndarray) -> bool:
    """Return whether a contact stays open or closed for a few steps only, several times in a row; the times before the
    first and after the last change do not count.

    >>> chatters(np.arange(40) % 3 == 0), chatters(np.arange(40) % 20 < 3)
    (True, False)
    """
    runs = [len(list(steps)) for _, steps in groupby(closed.tolist())][1:-1]
    return any(short and len(list(times)) >= TIMES for short, times in groupby(run <= SHORT for run in runs))
