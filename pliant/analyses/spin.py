"""Steady spins: a system in the axes that turn with it, from the option of a user or the provenance of a result."""

from __future__ import annotations

from typing import Any

from pliant.analyses.common import require
from pliant.model.spin import Spin
from pliant.results import Result
from pliant.system.capabilities import HasSlip, HasSpin, can

RATE = "spin rate"
"""Name of the rate as the parameter of a path."""


def turning(system: Any, spin: Any, analysis: str, time: float) -> Any:
    """Return the system in the axes of a spin; without a spin, the system itself."""
    if spin is None:
        return system
    require(system, HasSpin, f"{analysis}(spin=...)")
    return system.spinning(Spin.of(spin, spatial=system.observed.space.quaternions), time=time)


def spin_of(source: Any) -> Spin | None:
    """Return the spin of a result, of a path at its last point; None at rest."""
    if isinstance(source, Result) and source.kind == "path":
        source = source.equilibrium()
    settings = source.provenance.settings if isinstance(source, Result) else {}
    if settings.get("spin") is None:
        return None
    found = Spin(**settings["spin"])
    return found.at(settings["value"]) if settings.get("parameter") == RATE else found


def in_its_axes(system: Any, at: Any, analysis: str) -> Any:
    """Return the system in the turning axes of a result at rest, and with its sticking contacts."""
    if not isinstance(at, Result):
        return system
    touched = (at.state or {}).get("touched")
    if touched is not None and can(system, HasSlip):
        return system.stuck(touched)[0]
    time = float(at.provenance.settings.get("time", 0.0))
    return turning(system, spin_of(at), f"{analysis} of a result of statics", time)
