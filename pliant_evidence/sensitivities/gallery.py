"""Derivatives of every gallery model against differences of fourth order of whole solutions.

Of those at rest places, reactions and three frequencies; of those that something can move without a force the places of
a short motion. Differences are taken by several steps; of two successive ones that agree best the shorter counts. It is
known to how far they differ, and to what rounding makes of it: how far a solution moves by a step of nothing, over the
step. Pure rounding is treated as zero.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

import pliant as pl
import pliant_gallery as gallery
from pliant.analyses.derivatives import perturbed as _beside
from pliant.errors import PliantWarning
from pliant.model.signals.base import Constant
from pliant.solvers.derivatives.implicit import slope
from pliant.solvers.stepping.alpha_stepping import to_rounding
from pliant_evidence.sensitivities import models

PARTS = (1e-3, 3e-4, 1e-4, 1e-5)  # of a parameter
PLACES = (-2, -1, 1, 2)
MODES = 3
NEAR = 1e-3  # of a frequency: nearer ones are one cluster
LEAST = 1e-3  # of a value over its parameter: a smaller derivative is scaled by this
MOST_STATED = 3e-3  # of a derivative's stated error: no more of it is allowed for
NOTHING = 1e-12  # of a parameter: a step that moves a solution by rounding alone
ROUNDED = float(np.sqrt(2.0 * (8.0**2 + 1.0)) / 12.0)  # what a difference makes of the same rounding in four values
ROUNDING = 1e-12  # of a stiffness: forces below, over a length of the model, are zero
MOTION: dict[str, Any] = {"end_time": 0.02, "step": 1e-3, "estimate": False}

Values = dict[str, np.ndarray]


class Agreement(NamedTuple):
    """The distance of a derivative from differences of whole solutions, the error of these, and the error stated
    of the derivative of frequencies; all relative.
    """

    model: str
    parameter: str
    quantity: str
    apart: float
    known: float
    stated: float

    @property
    def beyond(self) -> float:
        """Return how far apart they are beyond both errors."""
        return max(self.apart - self.known - min(self.stated, MOST_STATED), 0.0)


def agreements(name: str, count: int = 2) -> Iterator[Agreement]:
    """Compare derivatives of a gallery model, by so many parameters."""
    home = gallery.module(name)
    given = home.model()
    model = models.named(given, *numbers(given)[:count])
    parameters = [each for name, each in model.parameters.items() if name not in given.parameters]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)
        system = pl.compile(model)
        rest = pl.statics(system, start=getattr(home, "start", lambda _: None)(system))
        if "NeutralEquilibrium" in rest.outcome.warnings:
            with to_rounding():
                yield from _moving(name, system, parameters)
        else:
            yield from _resting(name, system, rest, parameters)


def numbers(model: pl.Model) -> list[str]:
    """Return numbers of a model: a length, a stiffness, a mass, and whatever its forces have."""
    found = [f"{beam.name}.{key}" for beam in model.beams[:1] for key in ("length", "section.bending_stiffness")]
    links = [body for body in model.bodies if isinstance(body, pl.Link)]
    heavy = [body for body in model.bodies if getattr(body, "mass", 0.0)]
    found += [f"{body.name}.length" for body in links[:1]] + [f"{body.name}.mass" for body in heavy[:1]]
    for force in model.forces:
        given = {key: getattr(force, key, None) for key in ("stiffness", "y", "z", "x")}
        values = {key: value.value if isinstance(value, Constant) else value for key, value in given.items()}
        found += [f"{force.name}.{key}" for key, value in values.items() if isinstance(value, float) and value][:1]
    return found


def _resting(name: str, system: Any, rest: pl.Result, parameters: list[pl.Parameter]) -> Iterator[Agreement]:
    of = [each for each in ("position", "reaction") if rest.raw(each) is not None]
    groups = _together(pl.modal(system, at=rest, modes=3 * MODES).frequency_hz.values)
    modes = groups[-1].stop
    tangent = _beside.factored(system, rest)[1]
    force = ROUNDING * tangent.size / system.length_scale

    def means(hertz: np.ndarray) -> np.ndarray:
        return np.array([np.mean(hertz[group]) for group in groups])

    def values(other: Any) -> Values:
        found = pl.statics(other, start=rest)
        if not found.outcome.ok:
            raise RuntimeError(f"{name}: {found.outcome}")
        seen = {each: getattr(found, each).values for each in of}
        return seen | {"frequency_hz": means(pl.modal(other, at=found, modes=modes).frequency_hz.values)}

    here = values(system)
    floor = {"position": ROUNDING * system.length_scale, "reaction": force, "frequency_hz": 0.0}
    for parameter in parameters:
        found = pl.sensitivity(system, rest, of=[*of, "frequency_hz"], to=[parameter.name], modes=modes)
        mine = {each: found.derivative[each].values[0] for each in here}
        mine["frequency_hz"] = means(mine["frequency_hz"])
        stated = found.error[parameter.name]
        yield from _compared(name, system, parameter, values, mine, here, floor, stated)


def _moving(name: str, system: Any, parameters: list[pl.Parameter]) -> Iterator[Agreement]:
    run = pl.transient(system, **MOTION)
    here = {"position": run.position.values}
    for parameter in parameters:
        found = pl.sensitivity(system, run, of=["position"], to=[parameter.name])
        mine = {"position": found.derivative.position.values[0]}
        floor = {"position": ROUNDING * system.length_scale}

        def values(other: Any) -> Values:
            return {"position": pl.transient(other, **MOTION).position.values}

        yield from _compared(f"{name} in motion", system, parameter, values, mine, here, floor)


def _compared(
    name: str,
    system: Any,
    parameter: pl.Parameter,
    values: Callable[[Any], Values],
    mine: Values,
    here: Values,
    floor: dict[str, float],
    stated: float = 0.0,
) -> Iterator[Agreement]:
    tried = []
    for part in PARTS:
        step = part * parameter.size
        each = [values(system.with_parameters(**{parameter.name: parameter.value + k * step})) for k in PLACES]
        tried.append({key: slope([one[key] for one in each], step) for key in here})
    same = values(system.with_parameters(**{parameter.name: parameter.value + NOTHING * parameter.size}))
    for key, value in here.items():
        rounding = ROUNDED * _largest(same[key] - value) / (parameter.size * np.array(PARTS[1:]))
        apart = rounding + [_largest(a[key] - b[key]) for a, b in pairwise(tried)]
        best = int(np.argmin(apart))
        whole = tried[best + 1][key]
        least = max(LEAST * _largest(value), floor[key] / 1e-6) / parameter.size
        size = max(_largest(whole), least)
        own = stated if key == "frequency_hz" else 0.0  # rounding of stiff axes matters in frequencies alone
        yield Agreement(name, parameter.name, key, _largest(mine[key] - whole) / size, apart[best] / size, own)


def _largest(values: np.ndarray) -> float:
    return float(np.max(np.abs(values[np.isfinite(values)]), initial=0.0))


def _together(hertz: np.ndarray) -> list[slice]:
    """Return the first frequencies, those that are nearly equal as one: only their mean is smooth."""
    ends = [k for k in range(1, hertz.size) if abs(hertz[k] - hertz[k - 1]) > NEAR * abs(hertz[k])] + [hertz.size]
    groups = [slice(a, b) for a, b in pairwise([0, *ends])]
    return [group for group in groups if group.start < MODES]
