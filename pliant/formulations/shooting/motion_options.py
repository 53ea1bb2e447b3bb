"""Options of a motion by shooting, in the plane and in space: equal steps of a given size."""

from __future__ import annotations

from typing import Any

from pliant.elements.beam_fed import Feed
from pliant.errors import ModelError, OptionError
from pliant.solvers.stepping.motion import Plan
from pliant.system.system import System


def equal_steps(system: System, plan: Plan) -> tuple[Any, float]:
    """Return method and step of a plan; OptionError for any other request, ModelError for a rod that is fed."""
    for feed in (part for part in system.model.forces if isinstance(part, Feed)):
        raise ModelError(
            f"{feed.owner}: rods of the formulation 'shooting' are fed at rest only, not in motion. Compile with "
            "formulation='dae' or 'relative'."
        )
    why = (
        "not an option of the formulation 'shooting', which takes equal steps. Give step= and spectral_radius= or "
        "newmark=(beta, gamma), or compile with formulation='dae'."
    )
    plan.refuse("accuracy", "tolerances", why=why)
    method: Any = plan.method
    if method.constraints is not None:
        raise OptionError(f"constraints: {why}")
    if plan.step is None:
        raise OptionError("step: the formulation 'shooting' takes equal steps; give their size in seconds.")
    return method, plan.step
