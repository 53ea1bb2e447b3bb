"""What a formulation may offer and an analysis may ask for."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol, runtime_checkable

from pliant.solvers.methods import Kinds
from pliant.solvers.motion import Motion, Plan


@runtime_checkable
class HasEquilibrium(Protocol):
    """Can find equilibria; ``observed`` is the system whose coordinates tell them."""

    @property
    def observed(self) -> Any: ...
    def find_equilibrium(self, start: Any, *, time: float, load_steps: int) -> Any: ...


@runtime_checkable
class HasMotion(Protocol):
    """Can be integrated in time; ``observed`` is the system whose coordinates tell the motion."""

    methods: ClassVar[Kinds]  # of time stepping that it knows; the first unless another is asked for

    @property
    def observed(self) -> Any: ...
    def move(self, begin: Any, plan: Plan) -> Motion: ...


@runtime_checkable
class Linearisable(Protocol):
    """Has stiffness, damping, mass and constraint matrices at a state, in the coordinates of ``observed``, and knows
    what is not balanced there.
    """

    @property
    def observed(self) -> Any: ...
    def matrices(self, state: Any, *, whole: bool = False) -> Any: ...
    def balance(self, state: Any) -> Any: ...
    def unbalanced(self, q: Any, v: Any, a: Any, u: Any) -> Any: ...
