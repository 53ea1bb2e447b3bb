"""Causes of a difference between two answers: neglected terms, or another equilibrium. Each cause is tested."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

import pliant as pl
from pliant.errors import PliantError
from pliant_compare import neglect
from pliant_compare.courses import Course, apart, courses
from pliant_compare.refinement import Ask, Refined

REMAINS = 0.1  # share of a difference that may remain without its cause
LOAD_STEPS = 2, 5, 20  # numbers of load steps in which the reference looks for other equilibria
BRANCH = 0.01  # of the scale: equilibria further apart are different


@dataclass
class Causes:
    """Evidence about the answers of one comparison.

    run  computes the reference for another `Ask`, as fine as before
    """

    ask: Ask
    reference: Refined
    run: Callable[[Ask], Refined]
    _switched: dict[tuple[str, ...], Refined | None] = field(default_factory=dict)
    _others: list[dict[str, Course]] | None = None

    def of(self, other: Refined, name: str, difference: float) -> list[Callable[[], str | None]]:
        """Return tests of the causes of a difference in one quantity, the likeliest first."""
        return [
            lambda: self.neglects(other, name, difference),
            lambda: self.small_rotations(other, name, difference),
            lambda: self.branch(other, name, difference),
        ]

    def neglects(self, other: Refined, name: str, difference: float) -> str | None:
        """Test whether the reference agrees, or nearly, without the terms that the other neglects."""
        words = tuple(word for word in other.way.neglects if word in neglect.SWITCHES)
        if not neglect.switchable(self.ask.model, words):
            return None
        switched = self._without(words)
        if switched is None or name not in switched.names:
            return None
        (mine, mine_off), (theirs, theirs_off) = switched.estimate(name), other.estimate(name)
        left = float(np.max(np.abs(apart(mine, theirs)[1])))
        known = mine_off + theirs_off if np.isfinite(mine_off + theirs_off) else 0.0
        if left > max(known, REMAINS * difference) or left >= difference:
            return None
        return f"it has no {' and no '.join(words)}: {self.reference.name} without agrees with it within {left:.2g}"

    def _without(self, words: tuple[str, ...]) -> Refined | None:
        if words not in self._switched:
            try:
                self._switched[words] = self.run(replace(self.ask, model=neglect.without(self.ask.model, words)))
            except PliantError:
                self._switched[words] = None
        return self._switched[words]

    @cached_property
    def smallness(self) -> tuple[float, float]:
        """Return the largest rotation of a beam and the largest share of the buckling load."""
        return neglect.smallness(self.ask.model, self.reference.finest.result)

    def small_rotations(self, other: Refined, name: str, difference: float) -> str | None:
        """Test whether the difference is within the squares of rotations, and preloads, that the other neglects."""
        if neglect.SMALL_ROTATIONS not in other.way.neglects:
            return None
        rotation, preload = self.smallness
        scale = self.reference.scales[name]
        if self.reference.finest.courses[name].units == "m":
            scale = max([scale, *(beam.length for beam in self.ask.model.beams)])
        if difference > (rotation**2 + preload) * scale:
            return None
        return f"it takes rotations as small: beams turn by {rotation:.2g} rad, preload is {preload:.2g} of buckling"

    def branch(self, other: Refined, name: str, difference: float) -> str | None:
        """Test whether the reference has that equilibrium too, in other load steps; or the other's is not stable."""
        scale = self.reference.scales[name]
        if self.ask.question.steps[-1] not in ("statics", "modes") or difference <= BRANCH * scale:
            return None
        mine, theirs = self.reference.finest.outcome.figures, other.finest.outcome.figures
        if mine.get("stable") is not None and theirs.get("stable") is not None and mine["stable"] != theirs["stable"]:
            word = {True: "stable", False: "unstable"}
            return f"it is on another branch, {word[theirs['stable']]} where the reference is {word[mine['stable']]}"
        found, _ = other.estimate(name)
        for known in self._equilibria():
            if name in known and float(np.max(np.abs(apart(known[name], found)[1]))) <= BRANCH * scale:
                return f"it is on another branch, which {self.reference.name} finds too when loaded in steps"
        return None

    def _equilibria(self) -> list[dict[str, Course]]:
        """Return other equilibria of the reference."""
        if self._others is None:
            self._others = []
            run, way = self.reference.finest, self.reference.way
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                system = pl.compile(self.ask.model, formulation=way.formulation, **way.options(run.pieces))
                system = system.with_signals(self.ask.signals) if self.ask.signals else system
                for count in LOAD_STEPS:
                    self._others += self._equilibrium(system, count)
        return self._others

    def _equilibrium(self, system: Any, load_steps: int) -> list[dict[str, Course]]:
        try:
            rest = pl.statics(system, load_steps=load_steps)
            if self.ask.question.steps[-1] == "modes":
                asked = self.ask.question
                rest = pl.modal(system, at=rest, modes=asked.modes, damped=asked.damped, friction=asked.friction)
        except PliantError:
            return []
        return [courses(rest, everything=self.ask.everything)]
