"""Motions of the arms and what is read from them: shared by cases and figures.

The paper's two-element models come from the formulation "kinked"; the reference is the same arm of geometrically exact
elements with multipliers, on a mesh and with steps fine enough not to matter.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import pi
from typing import Any

import numpy as np

import pliant as pl
from pliant_gallery.manipulator import Arm, deflection, model

FOUR: dict[str, dict[str, Any]] = {
    "linear conventional": {"strain": "linear", "frames": "link"},
    "linear kinked": {"strain": "linear", "frames": "element"},
    "nonlinear conventional": {"strain": "nonlinear", "frames": "link"},
    "nonlinear kinked": {"strain": "nonlinear", "frames": "element"},
}
"""The four models of figures 3 to 5: (a), (b), (c), (d) of the paper are the first, second, third and fourth."""

SYSTEM: dict[str, Any] = {"strain": "third", "elements": 1, "modes": "system"}
COMPONENT: dict[str, Any] = {"strain": "third", "elements": 2, "frames": "link"}
"""Section 5.4: two elements in all, one a link; and two a link in the frame of the link."""

ACCURACY = 1e-7  # of a step; the deflections that are compared are 1e-3 to 1e-1 of the arm's length
SAMPLES = 1257  # instants reported in every period of the torque, or 2 pi x 200
JUDGE = pl.Exact(6, order=3)
EXACT_STEP = 1e-4  # s


def instants(arm: Arm, periods: float) -> np.ndarray:
    """Return instants, equally spaced over so many periods of the torque."""
    return np.linspace(0.0, periods * 2.0 * pi / arm.frequency, round(periods * (SAMPLES - 1)) + 1)


def compiled(arm: Arm, **options: Any) -> Any:
    """Compile the arm of kinked elements; two a link and third-order terms by default, as in figures 6 to 16."""
    given = {"strain": "third", "elements": 1 if arm.kink else 2} | options
    return pl.compile(model(arm), formulation="kinked", shear=False, **given)


def motion(arm: Arm, *, periods: float = 1.0, **options: Any) -> pl.Result:
    """Compute the motion from rest, by the formulation "kinked"; the reference measures its error, so no estimate."""
    system, times = compiled(arm, **options), instants(arm, periods)
    return pl.transient(system, end_time=times[-1], times=times, method="DOP853", accuracy=ACCURACY, estimate=False)


def exact_motion(arm: Arm, *, periods: float = 1.0, step: float = EXACT_STEP) -> pl.Result:
    """Compute the motion of the arm, geometrically exact."""
    times = instants(arm, periods)
    return pl.transient(pl.compile(model(arm), elements=JUDGE), end_time=times[-1], times=times, step=step)


def across(run: pl.Result, arm: Arm, link: int = 0) -> np.ndarray:
    """Return the tip deflection along Y of the link's frame (m)."""
    return deflection(run, arm, link)[:, 1]


def largest(values: np.ndarray) -> float:
    """Return the largest magnitude."""
    return float(np.abs(values).max())


def apart(one: np.ndarray, other: np.ndarray) -> float:
    """Return the largest difference over time, as a part of the largest value of the other."""
    return largest(one - other) / largest(other)


def largest_deflections(arms: Iterable[Arm], **options: Any) -> np.ndarray:
    """Return largest axial and transverse tip deflection of every arm over one period of the torque (m): (arm, xy)."""
    return np.array([np.abs(deflection(motion(arm, **options), arm)).max(axis=0) for arm in arms])


def frequencies(arm: Arm, *, stiffness: str = "force", **options: Any) -> np.ndarray:
    """Return first two natural frequencies along one period of the torque, the joint free (rad/s): (time, mode).

    stiffness  "force": K + Delta K of eq. 14, as the paper has it; "tangent": the Hessian, as small vibration has it
    """
    run = motion(arm, **options)
    return 2.0 * pi * compiled(arm, **options).natural_frequencies(run, modes=2, stiffness=stiffness).values


def rms(values: np.ndarray) -> float:
    """Return the root of the mean square."""
    return float(np.sqrt(np.mean(values**2)))
