"""The multiplier system in motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pliant.formulations.dae import motion
from pliant.model.spin import Spin
from pliant.solvers.nonlinear.multipliers import Multipliers
from pliant.solvers.stepping.methods import GeneralizedAlpha, Kinds, Momentum, Moreau, Newmark, Radau5
from pliant.solvers.stepping.motion import Plan, TimeHistory
from pliant.solvers.stepping.stepwise_motion import Pieces
from pliant.system.state import State

if TYPE_CHECKING:  # imported on demand
    from pliant.solvers.derivatives.replayed_motion import Followed
    from pliant.solvers.spin.rotating import Rotating


@dataclass(frozen=True, repr=False)
class Absolute(Multipliers):
    """A model in absolute coordinates, every joint as multiplier rows (formulation "dae")."""

    formulation: str = "dae"
    methods: ClassVar[Kinds] = (GeneralizedAlpha, Newmark, Momentum, Radau5, Moreau)

    def spinning(self, spin: Spin, *, time: float = 0.0) -> Rotating:
        """Return the system in axes that turn with it; refuse parts that are not steady there at that time."""
        from pliant.solvers.spin.rotating import Rotating

        return Rotating.of(self, spin, time)

    def move(self, begin: State, plan: Plan) -> TimeHistory:
        """Compute the motion in time; see motion.py."""
        return motion.move(self, begin, plan)

    def differentiated(self, begin: State, plan: Plan) -> Followed:
        """Compute the motion and its derivatives by parameters; see motion.py."""
        return motion.differentiated(self, begin, plan)

    def pieces(self, begin: State, plan: Plan, inputs: Sequence[int]) -> Pieces:
        """Compute the motion piece by piece, with some signals, given by number, set from outside."""
        return motion.pieces(self, begin, plan, inputs)
