"""Perturbed systems, and the change of an equilibrium towards them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from pliant.errors import PliantError, PliantWarning, SingularError
from pliant.model.copies import with_parameters
from pliant.model.parameters import Parameter
from pliant.solvers.derivatives import implicit
from pliant.system.compile import of_model, recipe_of

STEP = 1e-4  # of the size of a parameter, for central differences of whole analyses
MISSED = 1e-3  # of a derivative: largest part that equations may miss

Courses = dict[str, np.ndarray]


class Beside:
    """Perturbed systems, by parameter, compiled at first use."""

    def __init__(self, system: Any, parameters: Mapping[str, Parameter]) -> None:
        self.system, self.parameters = system, parameters
        self._kept: dict[tuple[str, float], Any] = {}
        self.tangents: dict[tuple[int, int], tuple[Any, implicit.Tangent]] = {}  # by forecast and row

    def at(self, name: str, change: float) -> Any:
        """Return the system with a parameter changed, beyond its bounds if necessary."""
        if (name, change) not in self._kept:
            parameter = self.parameters[name]
            other = parameter.beyond(parameter.value + change)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PliantWarning)
                model = with_parameters(recipe_of(self.system, "identify").model, {name: other})
                self._kept[name, change] = of_model(self.system, model)
        return self._kept[name, change]

    def difference(self, name: str, function: Callable[[Any], Courses], here: Courses) -> Courses:
        """Compute central differences of a function of the system; one-sided of second order if one side is refused."""
        h = STEP * self.parameters[name].size
        try:
            low, high = function(self.at(name, -h)), function(self.at(name, h))
            return {key: (high[key] - low[key]) / (2.0 * h) for key in here}
        except PliantError as refused:
            for sign in (1.0, -1.0):
                try:
                    one, two = function(self.at(name, sign * h)), function(self.at(name, 2.0 * sign * h))
                except PliantError:
                    continue
                return {key: sign * (4.0 * one[key] - 3.0 * here[key] - two[key]) / (2.0 * h) for key in here}
            raise refused


def tangent_line(
    system: Any,
    rest: Any,
    neighbours: Sequence[Any],
    step: float,
    known: dict[tuple[int, int], tuple[Any, implicit.Tangent]],
    place: tuple[int, int],
) -> implicit.Line | None:
    """Return the change of an equilibrium with a parameter; None if its equations do not give it. The tangent is
    factorised once for all parameters.
    """
    from pliant.analyses.operating_point import equilibrium

    try:
        if place not in known:
            state, soft = equilibrium(system, rest), system.equations.rows.softness
            soft = np.where(soft > 0.0, soft, 0.0)
            known[place] = state, implicit.Tangent.of(system.matrices(state), 1.0 / system.weight, soft)
        found = implicit.line(system, *known[place], neighbours, step)
    except SingularError:
        return None
    return None if found.kinked or found.missed > MISSED else found
