"""What analyses check before they say ok: names, limits and advice, in one place (docs/what-ok-means.md).

All numbers are parts of what they belong to: lengths of the model (or rad), the forces or the energy at work.
"""

from __future__ import annotations

from pliant.results.records import Check
from pliant.solvers.generalized_alpha import OPENEST
from pliant.solvers.motion import Motion
from pliant.system.state import Equilibrium

ENERGY = 0.01  # of the energy at work
TIME = 0.01  # of the range of the motion, at most of the model's size
SMALLEST_RANGE = 1e-6  # of the model's size: less is no motion
UNBALANCED = 1e-4  # of the largest force at work

SMALLER = "The step is too large for this motion: try a smaller step= or accuracy=."
LOSSLESS = (
    "Its method keeps energy, so that this motion is not right: try a smaller accuracy=, another method=, or "
    "formulation='dae' where it passes a pose at which joints depend on each other."
)


def of_motion(
    motion: Motion, *, moved: float, energy_error: float, energy_at_work: float, accuracy: float | None
) -> list[Check]:
    """Checks of a motion. ``moved``: its range, in lengths of the model and radians; ``accuracy``: if one was stated."""
    checks = []
    if motion.opening is not None:
        checks.append(Check("joints open", motion.opening, OPENEST, "of the model's size (or rad)", SMALLER))
    off = energy_error / energy_at_work if energy_at_work > 0.0 else 0.0
    advice = LOSSLESS if motion.lossless else SMALLER
    checks.append(Check("energy balance off by", off, ENERGY, "of the energy at work", advice))
    if motion.time_error is not None and accuracy is not None:
        checks.append(Check("error in time", motion.time_error, accuracy, "of the model's size (or rad)", SMALLER))
    elif motion.time_error is not None:
        part = motion.time_error / min(max(moved, SMALLEST_RANGE), 1.0)
        checks.append(Check("error in time", part, TIME, "of the motion's range", SMALLER))
    return checks


def of_equilibrium(found: Equilibrium, length: float) -> list[Check]:
    """Checks of an equilibrium of a model of this length."""
    return [
        Check("unbalanced force", found.residual, UNBALANCED * found.force_scale, "N", "Try more load_steps=."),
        Check("joints open", found.constraint_error / length, OPENEST, "of the model's size (or rad)"),
    ]
