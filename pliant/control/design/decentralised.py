"""Decentralised control of a robot: one regulator for its platform, small ones for its legs (thesis, section 6.4).

The platform's regulator uses the rigidified model only and wants a wrench w = -K p. Actuators share it, ``inverse w``;
changes of them in the null space of the map make no wrench, so a leg's regulator may use these without fighting:

    u = u0 - inverse K p - N k (y - S p)        map inverse = 1,  map N = 0

y are a leg's own readings and S p the readings if the legs followed the platform statically: only other motions of the
legs are damped. Without N (as many motors as freedoms: the null space is empty) this alone separates the two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pliant.control import checks
from pliant.control.checks import PerActuator
from pliant.control.controllers.controller import Controller
from pliant.control.design.regulator import Gain
from pliant.control.models.linear_model import LinearModel
from pliant.control.models.platform import PlatformModel
from pliant.errors import OptionError, SingularError

EMPTY = 1e-9  # relative to a projector's entries


def decentralised(
    plant: LinearModel,
    platform: PlatformModel,
    gain: Gain,
    *,
    sensors: Sequence[str],
    legs: Mapping[str, Mapping[str, float]] | None = None,
    weights: PerActuator = 1.0,
    projected: bool = True,
) -> Controller:
    """Combine a platform controller and regulators of the legs into one sampled controller: a gain from readings to
    actuators.

    plant      linear model of the whole robot, with the actuators as inputs
    platform   `platform_model` of it; `gain`: `lqr` of ``platform.linear``, with sample_time=
    sensors    outputs of the plant that determine pose and rates of the platform if the legs follow it statically:
               outputs of the platform, or of the cranks. Rates of the cranks are measured at the motors, so feeding
               them back damps the legs too
    legs       {actuator: {output: gain}} of the legs' regulators, u = -gain y; None: the platform alone
    weights    of the actuators, as in `allocate`: how they share the wrench while no bound is met
    projected  False: the legs' regulators act unchanged, and the wrench that they exert on the platform is accepted

    Add bounds with ``controller.limited(...)``.

    >>> import pliant as pl
    >>> m = pl.Model("plate")
    >>> ground, plate = m.add(pl.Ground(), pl.Body("plate", mass=2.0, inertia=0.1, position=(0, 0), angle=0.0))
    >>> for name, x, y in (("east", 0.1, 0.0), ("west", -0.1, 0.0), ("north", 0.0, 0.1), ("south", 0.0, -0.1)):
    ...     line = pl.Tendon(name, plate.at(y, x), ground.at(10 * x, 10 * y), stiffness=50.0, force=9.0, tension=0.0)
    ...     _ = m.add(line)
    >>> pulls = [f"{name}/tension" for name in ("east", "west", "north", "south")]
    >>> pose = ["position:plate(0, 0):x", "position:plate(0, 0):y", "angle:plate"]
    >>> rates = ["velocity:plate(0, 0):x", "velocity:plate(0, 0):y", "angular_velocity:plate"]
    >>> plant = pl.linearise(pl.compile(m), inputs=pulls, outputs=pose + rates)
    >>> platform = pl.platform_model(plant, "plate")
    >>> gain = pl.lqr(platform.linear, Q=1.0, R=1.0, sample_time=1e-3)
    >>> pl.decentralised(plant, platform, gain, sensors=pose + rates).limited(low=-9.0).Dy.shape
    (4, 6)
    """
    owner = "decentralised"
    checks.linear(owner, plant)
    if not isinstance(platform, PlatformModel):
        raise OptionError(f"{owner}: platform={platform!r:.60}: give what pl.platform_model(plant) returned.")
    fitting = isinstance(gain, Gain) and gain.K.shape == (len(platform.map.components), platform.linear.A.shape[0])
    if not fitting or gain.sample_time is None:
        raise OptionError(f"{owner}: give a gain of pl.lqr(platform.linear, ..., sample_time=...).")
    for name, row in (legs or {}).items():
        if not isinstance(row, Mapping):
            raise OptionError(f"{owner}: legs[{name!r}]={row!r:.60}: give gains by output: {{output: gain}}.")
    given: dict[str, dict[str, float]] = {k: dict(row) for k, row in (legs or {}).items()}
    actuators = platform.map.actuators
    read = checks.names(owner, "sensors", sensors)
    outputs = (*read, *dict.fromkeys(name for row in given.values() for name in row if name not in read))
    checks.positions(owner, "legs", given, actuators)
    at = checks.positions(owner, "outputs of sensors and legs", outputs, plant.output_names)
    follow = _static(plant, platform)[at]
    pose = _pose(owner, platform, read, follow)
    feedback = -platform.map.inverse(weights) @ gain.K @ pose
    if given:
        k = np.array([[given.get(name, {}).get(output, 0.0) for output in outputs] for name in actuators])
        feedback -= _projector(owner, platform, weights, projected) @ k @ (np.eye(len(outputs)) - follow @ pose)
    return Controller(
        inputs=actuators,
        outputs=outputs,
        sample_time=gain.sample_time,
        Dy=feedback,
        u0=platform.map.values,
        y0=plant.output_values[at],
    )


def _pose(owner: str, platform: PlatformModel, sensors: tuple[str, ...], seen: np.ndarray) -> np.ndarray:
    """Return the (states, outputs) map from readings to pose and rates of the platform; the sensors come first."""
    used = seen[: len(sensors)]
    size = np.maximum(np.max(np.abs(used), axis=0), 1e-300)
    if np.linalg.matrix_rank(used / size, tol=1e-9) < used.shape[1]:
        raise SingularError(
            f"{owner}: the sensors {', '.join(sensors)} do not determine pose and rates of {platform.body!r}. Give all "
            "its positions and angles, and their rates; or the angles and rates of all cranks."
        )
    return np.hstack([np.linalg.pinv(used), np.zeros((used.shape[1], len(seen) - len(sensors)))])


def _static(plant: LinearModel, platform: PlatformModel) -> np.ndarray:
    """Return the plant's outputs (outputs, states) if the legs follow pose and rates of the platform statically."""
    form = plant.second_order
    if form is None:
        raise OptionError("decentralised: the plant has no second-order form. Give what pl.linearise returned.")
    return np.hstack([form.position @ platform.shape, form.velocity @ platform.shape])


def _projector(owner: str, platform: PlatformModel, weights: Any, projected: bool) -> np.ndarray:
    one = np.eye(len(platform.map.actuators))
    if not projected:
        return one
    found = platform.map.null_space(weights)
    if np.max(np.abs(found)) < EMPTY:
        raise SingularError(
            f"{owner}: {len(one)} actuators make {len(platform.map.components)} components of the wrench and leave no "
            "null space for the legs. Damp them with projected=False, or add actuators."
        )
    return found
