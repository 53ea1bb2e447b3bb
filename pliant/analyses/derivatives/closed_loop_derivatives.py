"""Derivatives of motions with a controller: by whole motions beside one, whose steps are solved to rounding."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from pliant._libraries import xarray as xr
from pliant.analyses.derivatives import perturbed
from pliant.analyses.derivatives.motion_derivatives import Made, Push, Start, method_of
from pliant.analyses.motion.goals import Goal
from pliant.analyses.motion.transient import transient
from pliant.analyses.statics.statics import repeat_statics
from pliant.errors import OptionError, PliantWarning, nearest
from pliant.model.parameters import Parameter
from pliant.results import Result
from pliant.solvers.derivatives import implicit
from pliant.solvers.stepping.alpha_stepping import to_rounding
from pliant.system.compile import recipe_of

SAME = 1e-6  # of the range of a quantity: largest difference of the motion, solved to rounding, from the given one
UNSETTLED = "motions beside it differ with the step between them: a limit that is reached, a reading in steps"


class ClosedMotions:
    """A motion by equal steps with a controller, and those beside it."""

    def __init__(self, system: Any, run: Result, controller: Any, start: Start, push: Push) -> None:
        settings = run.provenance.settings
        if "step" not in settings:
            raise OptionError("sensitivity: steps of that motion adapt, and differ beside it. Give transient a step=.")
        if run.raw("applied") is None:
            raise OptionError("controller: none was at work in that motion. Leave it out.")
        self.system, self.run, self.make = system, run, controller if callable(controller) else lambda _: controller
        self.held: Any = start[0] if isinstance(start, tuple) else None
        self.rest: Result | None = start[1] if isinstance(start, tuple) else start
        how = {"end_time": settings["end_time"], "step": settings["step"], "method": method_of(settings), "push": push}
        self.how: dict[str, Any] = how | {"times": run.time.values, "estimate": False}
        self.known = recipe_of(system, "sensitivity").model.parameters

    def slopes(self, chosen: Mapping[str, Parameter], wanted: Mapping[str, Any]) -> Made:
        """Return the values and derivatives of a `Sensitivity`."""
        own = {name: each.value for name, each in chosen.items() if name not in self.known}
        functions = {name: self._function(each) for name, each in wanted.items()}
        values = {name: perturbed.labelled(name, each(self.system, self.run)) for name, each in functions.items()}
        self._check(functions, values, own)
        by: dict[str, list[np.ndarray]] = {name: [] for name in wanted}
        errors, notes = {}, list[str]()
        for name, parameter in chosen.items():
            moved, runs = partial(self._beside, name, parameter, own), dict[float, Result]()
            errors[name] = 0.0
            for key, function in functions.items():
                near = partial(self._sides, name, parameter)
                read = partial(_read, moved, runs, function)
                found, coarse, missed = perturbed.settled(near, parameter.size, read)
                if missed > perturbed.MISSED:
                    lost = np.abs(found - coarse) > perturbed.MISSED * np.max(np.abs(found))
                    found = np.where(lost, np.nan, found)
                    notes.append(f"{key} by {name}: {UNSETTLED}")
                errors[name] = max(errors[name], missed)
                by[key].append(found)
        slopes = {name: _told(perturbed.stacked(values[name], each, chosen)) for name, each in by.items()}
        return xr.Dataset(values), xr.Dataset(slopes), chosen, errors, tuple(dict.fromkeys(notes))

    def _function(self, quantity: Any) -> Callable[[Any, Result], Any]:
        if isinstance(quantity, Goal):
            return quantity.held(self.system, self.run)
        if callable(quantity):
            return quantity
        if self.run.raw(quantity) is None:
            known = [str(each) for each in self.run.data.data_vars if not str(each).startswith("state_")]
            hint = nearest(str(quantity), known, most=30)
            raise OptionError(f"of: {quantity!r:.60} is no variable of that motion, and no function. {hint}")
        return lambda _, run: getattr(run, quantity)

    def _check(self, functions: Mapping[str, Any], values: Mapping[str, Any], own: Mapping[str, float]) -> None:
        """Refuse a motion that is not what this system does with that controller."""
        with to_rounding():
            run = self._moved(self.system, self.rest, own)
        for name, function in functions.items():
            here = values[name].values
            apart, size = np.abs(np.asarray(function(self.system, run)) - here), float(np.ptp(here))
            if not np.nanmax(apart, initial=0.0) <= SAME * (size or float(np.max(np.abs(here))) or 1.0):
                raise OptionError(
                    f"sensitivity: {name} of that motion is not what this system does from there. Give controller=, "
                    "start= and push= as they were given to transient, and the system with the same signals."
                )

    def _sides(self, name: str, parameter: Parameter, part: float) -> tuple[list[Any], float]:
        if name in self.known:
            return perturbed.sides(self.system, parameter, part)
        step = part * implicit.STEP * perturbed.size_of(parameter)
        return [self.system] * 4, step

    def _beside(self, name: str, parameter: Parameter, own: Mapping[str, float], system: Any, change: float) -> Result:
        """Simulate the motion of a neighbouring system, from its own equilibrium."""
        rest, held = self.rest, self.held
        if name not in self.known:
            own = {**own, name: parameter.value + change}
        elif rest is not None:
            there = system if held is None else perturbed.beside(held, parameter, change)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PliantWarning)
                rest = repeat_statics(there, rest)
        with to_rounding():
            return self._moved(system, rest, own)

    def _moved(self, system: Any, rest: Result | None, own: Mapping[str, float]) -> Result:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PliantWarning)
            return transient(system, start=rest, controller=self.make(system, **own), **self.how)


def _read(moved: Any, runs: dict[float, Result], function: Any, system: Any, change: float) -> np.ndarray:
    if change not in runs:
        runs[change] = moved(system, change)
    return np.asarray(function(system, runs[change]), float)


def _told(slopes: xr.DataArray) -> xr.DataArray:
    return slopes.assign_attrs(nan_means=UNSETTLED) if np.any(np.isnan(slopes.values)) else slopes
