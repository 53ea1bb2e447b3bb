"""Stages of the leg: straight, bent by its tendon, loaded by weight, released; and a damped motion to the same rest."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

import pliant as pl
from pliant.errors import ConvergenceError
from pliant.results import Result
from pliant.solvers.paths.points import BIFURCATION
from pliant.system.capabilities import HasPaths, can
from pliant_gallery.leg import LEG, LegParameters, model

REST_LENGTH, WEIGHT = "tendon/rest_length", "gravity/y"
MIDDLE = "leaf@0.5"
OUTWARD, INWARD = (1.0, 0.0), (-1.0, 0.0)
LIGHT_DAMPER = 15.0  # N s/m


class Pretension(NamedTuple):
    """Static stages from the straight leg to the one at rest."""

    straight: Result  # path of the straight leaf without weight; its bifurcation is the leaf's Euler load
    bent: Result  # branch to one side, without weight
    weighed: Result  # path along which the weight is added

    @property
    def rest(self) -> Result:
        """Return the equilibrium at its end."""
        return self.weighed.equilibrium(-1)


def bend(system: Any, side: tuple[float, float] = OUTWARD, *, to: float) -> tuple[Result, Result]:
    """Shorten the tendon of a held leg without weight: return the straight leaf's path, and its branch to a side."""
    straight = pl.path(system, REST_LENGTH, begin=system.model.part("leaf").length, to=to)
    return straight, pl.branch(system, straight, toward=(MIDDLE, side))


def pretension(system: Any, given: LegParameters = LEG, *, side: tuple[float, float] = OUTWARD) -> Pretension:
    """Shorten the tendon of a held leg until the leaf buckles to a side, on to its rest length, then add the weight.

    Weight would bend the straight leaf inward, and a short tendon with it: the outward equilibrium is on a branch that
    never meets the straight leg. Without weight both branches leave the straight one at the Euler load.
    """
    straight, bent = bend(system.with_signals({WEIGHT: 0.0}), side, to=given.tendon_rest_length)
    weighed = pl.path(system, WEIGHT, start=bent, begin=0.0, to=-given.gravity)
    for stage, path in (("bent", bent), ("weighed", weighed)):
        if not path.outcome.ok:
            raise ConvergenceError(
                f"Pretension of the leg, {stage}: the path {path.outcome.message}. Try more elements."
            )
    return Pretension(straight, bent, weighed)


def outward(system: Any) -> Result | None:
    """Find the rest of the held leg for its present tendon and weight, bent outward; return None if nothing holds it,
    if its formulation follows no paths, or if the tendon is too long to buckle the leaf.
    """
    if not can(system, HasPaths) or "hold" not in system.joint_names:
        return None
    values, weightless = system.named(system.signals(np.zeros(1))[0]), system.with_signals({WEIGHT: 0.0})
    way = {"begin": system.model.part("leaf").length, "to": values[REST_LENGTH]}
    if not way["to"] < way["begin"]:
        return None
    straight = pl.path(weightless, REST_LENGTH, **way, until=BIFURCATION)
    if not straight.outcome.bifurcations:
        return None
    bent = pl.branch(weightless, straight, toward=(MIDDLE, OUTWARD))
    weighed = pl.path(system, WEIGHT, start=bent, begin=0.0, to=values[WEIGHT]) if values[WEIGHT] else bent
    return weighed.equilibrium(-1) if bent.outcome.ok and weighed.outcome.ok else None


def release(system: Any, rest: Result, *, end_time: float = 3.0, step: float = 1e-3, **options: Any) -> Result:
    """Compute the fall of a leg without hold from an equilibrium of the held one, with the thesis's spectral radius."""
    return pl.transient(system, start=rest, end_time=end_time, step=step, **{"spectral_radius": 0.8, **options})


def settle(
    given: LegParameters = LEG,
    *,
    elements: Any,
    hold: str = "q3",
    damping: float = LIGHT_DAMPER,
    end_time: float = 10.0,
    step: float = 1e-3,
) -> Result:
    """Settle as MSC Adams needed it (thesis 5.11.2): release the straight leg with its tendon too short, and wait.

    A push of 1 N at the leaf's middle, 0.1 s long, selects the outward side. The damper does not affect the equilibrium
    but the time: with the tendon's 1500 N s/m the leg creeps with a time constant of 4.6 s and needs 50 s, with 15 N
    s/m it oscillates and is at rest within 10 s.
    """
    m = model(replace(given, tendon_damping=damping), hold=hold)
    m.add(pl.Force(m.part("leaf").at(s=0.5), x=pl.Expression("where(t < 0.1, 1.0, 0.0)"), name="push"))
    system = pl.compile(m, elements=elements)
    return pl.transient(system, end_time=end_time, step=step, spectral_radius=0.8, every=10)
