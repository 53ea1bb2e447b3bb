"""Capabilities: protocols of what a formulation offers and an analysis uses. `Observed` has the coordinates of states,
and the `Observer` that makes results of them. An analysis without its capability refuses by name, and names the
formulations that have it.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from contextlib import AbstractContextManager
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, cast

import numpy as np

from pliant.model import Joint, Marker, Model
from pliant.model.signals.base import SignalLike
from pliant.model.spin import Spin
from pliant.system.numbering.space import Space
from pliant.system.state import Equilibrium, Matrices, State

if TYPE_CHECKING:
    import xarray as xr

    from pliant.linalg.spectrum import DynamicStiffness
    from pliant.solvers.derivatives.replayed_motion import Followed
    from pliant.solvers.nonlinear.inverse import Inverse
    from pliant.solvers.nonlinear.inverse_step import Conditions
    from pliant.solvers.paths.continuation import Follower
    from pliant.solvers.paths.parameter import PathParameter
    from pliant.solvers.stepping.methods import Kinds
    from pliant.solvers.stepping.motion import Plan, TimeHistory
    from pliant.solvers.stepping.sampling import Sensors
    from pliant.solvers.stepping.sensors import Reading
    from pliant.solvers.stepping.stepwise_motion import Pieces
    from pliant.system.equations import Equations, Scratch
    from pliant.system.numbering.numbering import NodeNumbering
    from pliant.system.observation.points import Points
    from pliant.system.packing.joint_friction import Grips, Slip
    from pliant.system.samples import Samples
    from pliant.system.system import JointRows, Opening


class Observer(Protocol):
    """Makes results of states in the coordinates of a system; arrays have a leading dimension of instants."""

    @property
    def system(self) -> Observed: ...
    @property
    def axes(self) -> tuple[str, ...]: ...
    @property
    def markers(self) -> Mapping[str, Marker]: ...
    @property
    def beside(self) -> int: ...  # how many of the stations of polylines, the last ones, only complete pictures

    def configurations(self, samples: Samples, lead: str) -> tuple[MutableMapping[str, Any], MutableMapping[str, Any]]:
        """Return variables and coordinates of moving and resting states, with the leading dimension ``lead``."""

    def moving(self, samples: Samples, state: State) -> tuple[MutableMapping[str, Any], MutableMapping[str, Any]]:
        """Return variables and coordinates of a motion over time, and the raw state to go on from."""

    def nodes(self, prefix: str) -> dict[str, Any]:
        """Return the part of every node of a raw state, and its place along it; empty without nodes."""

    def labelled(self, variables: Mapping[str, Any], coords: Mapping[str, Any]) -> xr.Dataset:
        """Return a dataset of variables with these coordinates."""

    def find(self, given: Any, argument: str) -> Marker:
        """Find the marker given by a user."""

    def points(self, markers: list[Marker]) -> Points:
        """Return the places of these markers and their motion."""

    def moves(self, states: Samples, coordinates: np.ndarray, squares: np.ndarray) -> np.ndarray:
        """Return (states, stations, axes) motion of polylines with displacements, with omega^2 = ``squares``."""

    def turns(self, q: np.ndarray, coordinates: np.ndarray) -> np.ndarray:
        """Return the rotations of bodies with displacements of the coordinates at q."""

    def names(self, variable: str) -> tuple[str, list[str]]:
        """Return the kind of a variable of `control.outputs` ("body", "marker", ...), and its names."""

    def values(self, variable: str, samples: Any, u: np.ndarray) -> np.ndarray:
        """Return (instants, names, components) of such a variable."""

    def freedoms(self, variable: str, number: int) -> np.ndarray:
        """Return the coordinates that the variable of one name may depend on."""

    def sections(self) -> tuple[list[str], np.ndarray]:
        """Return the beams and places of all sections, in the order of the values of "resultant"."""

    def section(self, beam: str, s: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return numbers and weights of the sections that give the resultants at s, and their coordinates."""


class Observed(Protocol):
    """Coordinates that states are given in, the signals that drive them, and what results show of them."""

    @property
    def model(self) -> Model: ...
    @property
    def settings(self) -> Mapping[str, Any]: ...
    @property
    def space(self) -> Space: ...
    @property
    def freedoms(self) -> int: ...
    @property
    def size(self) -> int: ...  # length of state arrays, which begin with the freedoms
    @property
    def constraints(self) -> int: ...
    @property
    def nodes(self) -> int:
        """Return the number of nodes of the freedoms, for means over them."""

    @property
    def length_scale(self) -> float: ...
    @property
    def mass(self) -> float: ...
    @property
    def weight(self) -> np.ndarray:
        """Return (freedoms,) weights of displacements: 1 / length scale for positions, 1 for angles."""

    @property
    def angular(self) -> np.ndarray:
        """Return (freedoms,) which coordinates are angles."""

    @property
    def translations(self) -> np.ndarray:
        """Return (axes, freedoms) displacements of the coordinates when everything moves by 1 m along an axis."""

    @property
    def conservative(self) -> bool:
        """Return whether the tangent at rest is symmetric."""

    @property
    def joint_names(self) -> tuple[str, ...]: ...
    @property
    def signal_names(self) -> list[str]: ...
    @property
    def driving(self) -> tuple[int, ...]:
        """Return the numbers of the signals that drive joints."""

    def signal_number(self, name: str) -> int:
        """Return the place of a signal among all."""

    def named(self, u: np.ndarray) -> dict[str, float]:
        """Return the values of all signals, by their names."""

    def signals(self, times: np.ndarray) -> np.ndarray:
        """Return (times, signals) values."""

    def signal_rates(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return (times, signals) first and second derivatives of drives; zero for other signals."""

    def drive_column(self, number: int) -> np.ndarray:
        """Return (constraints,) motion of the rows of the joints that a signal drives."""

    def node_owners(self) -> list[str]: ...  # name of the part every node belongs to
    def freedom_owners(self) -> list[str]: ...  # name of the part every coordinate belongs to
    def body_places(self) -> dict[str, int]:
        """Return the first coordinate of every body whose velocity can be given, by name."""

    def start(self) -> State: ...  # assembled, at rest
    def moved(self, q: np.ndarray, increment: np.ndarray) -> np.ndarray: ...  # by an increment of its freedoms
    def apart(self, before: np.ndarray, after: np.ndarray) -> np.ndarray: ...  # as an increment of the freedoms
    def widest_opening(self, state: State, *, drives: bool) -> Opening | None:
        """Return the joint that is most open in a state, or a drive that is elsewhere; None if all are closed."""

    def observer(self) -> Observer:
        """Return the observer for results."""


class HasEquations(Observed, Protocol):
    """Has equations that the functions of `pliant.solvers` evaluate: families of forces, rows of joints."""

    @property
    def layout(self) -> NodeNumbering: ...
    @property
    def equations(self) -> Equations: ...
    def working(self) -> AbstractContextManager[Scratch]: ...
    def signal_table(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]: ...


class Compiled(Protocol):
    """A model compiled by a formulation, of that name; ``observed`` is in whose coordinates its states are."""

    @property
    def model(self) -> Model: ...
    @property
    def settings(self) -> Mapping[str, Any]: ...
    @property
    def formulation(self) -> str: ...
    @property
    def observed(self) -> Observed: ...
    def with_signals(self, signals: Mapping[str, SignalLike]) -> Self:
        """Return the system with some signals replaced."""


class HasEquilibrium(Compiled, Protocol):
    """Can find equilibria."""

    def find_equilibrium(self, start: State, *, time: float, load_steps: int) -> Equilibrium:
        """Find the equilibrium near a state under the loads and drives at a time."""


class Differentiable(HasEquilibrium, Protocol):
    """Its equilibria have derivatives by parameters: by the equations (`HasResidual`), or by whole solutions."""


class HasMotion(Compiled, Protocol):
    """Can be integrated in time."""

    methods: ClassVar[Kinds]  # of time stepping; the first is the default

    def move(self, begin: State, plan: Plan) -> TimeHistory:
        """Simulate the motion from a state."""


class HasMotionSlopes(HasMotion, Protocol):
    """Its motions have derivatives by parameters, step by step."""

    def differentiated(self, begin: State, plan: Plan) -> Followed:
        """Simulate a motion to be differentiated: in equal steps, or in steps that end at ``plan.times``."""


class HasPieces(HasMotion, Protocol):
    """A motion that goes on piece by piece without being made anew."""

    def pieces(self, begin: State, plan: Plan, inputs: Sequence[int]) -> Pieces:
        """Return a motion from a state in equal steps, with some signals, by their numbers, set from outside."""


class HasSampling(HasMotion, Observed, Protocol):
    """Can be moved with a sampled controller in its time loop; ``unmeasured``: variables unknown there."""

    def sensors(self, names: Sequence[str], terms: Sequence[Reading]) -> Sensors:
        """Return the sensors of outputs, by name and terms."""


class Linearisable(HasEquilibrium, Protocol):
    """Has matrices at an equilibrium, in the coordinates of ``observed``, and the residual there."""

    @property
    def conservative(self) -> bool: ...
    def matrices(self, state: State, *, whole: bool = False) -> Matrices:
        """Return the matrices at a state; ``whole``: with forces that only act in motion."""

    def balance(self, state: State) -> tuple[float, float, float]:
        """Return the largest unbalanced moment (N m) in a state, the largest at work, and the rounding error."""

    def unbalanced(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Return M a + f: inertia less all applied forces, without joints."""


class LinearisableInMotion(Linearisable, Protocol):
    """Can be linearised about a point of a motion, too."""

    def accelerated(self, state: State) -> State:
        """Return the state with velocities on the constraints, and the resulting accelerations and reactions."""

    def turning(self, state: State) -> tuple[np.ndarray, np.ndarray]:
        """Return G' and G'' along the motion."""


class LinearisableByForces(Linearisable, Protocol):
    """Knows stiffness from forces too, which keeps digits that matrices of very thin beams lose."""

    def stiffness_by_forces(self, state: State, vectors: np.ndarray, steps: np.ndarray) -> np.ndarray:
        """Return X^T K X of columns X, from forces at amplitudes up to ``steps``."""


class TellsOfRest(Protocol):
    """Knows resultants, reactions and energies of a state at rest by itself, where its observer does not."""

    def own_variables(self, state: State) -> Mapping[str, Any]:
        """Return variables by name, with a leading time dimension, as in `Equilibrium.own`."""


class LinearisableByFrequency(Linearisable, Protocol):
    """Has parts whose insides are eliminated exactly: its stiffness depends on the frequency."""

    def vibrating(self, state: State) -> DynamicStiffness:
        """Return the dynamic stiffness at an equilibrium."""


class HasResidual(Linearisable, Observed, Protocol):
    """Has the residual of its equations of rest in any state; their tangent is in its matrices."""

    eliminates: ClassVar[bool]  # whether parts have insides between their nodes, which are found first

    def residual(self, state: State) -> np.ndarray:
        """Return unbalanced forces, and gaps of joints."""

    def residuals(self, q: np.ndarray, lam: np.ndarray, time: float) -> np.ndarray:
        """Return (states, ...) residuals of several states at one time."""


class HasPaths(HasEquilibrium, Observed, Protocol):
    """Can follow its equilibria, which are in its own coordinates."""

    @property
    def lengths(self) -> frozenset[int]:
        """Return the numbers of the signals that are lengths, which cannot be negative and are no loads."""

    @property
    def joint_arms(self) -> np.ndarray: ...  # (constraints,) for gaps: 1 of lengths, the length scale of angles
    def unloaded(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Return signals at which a configuration is at rest by itself: loads zero, drives as the joints are."""

    def continuation(self, parameter: PathParameter, q: np.ndarray, lam: np.ndarray, p: float) -> Follower:
        """Return Newton's method along a path that passes near an equilibrium."""


class Turning(HasPaths, Linearisable, Protocol):
    """Uses axes that turn steadily: its states are relative to them, and may be held by gyroscopic forces."""

    @property
    def spin(self) -> Spin: ...
    def at_rate(self, rate: float) -> Self:
        """Return the system that turns at another rate."""

    def started(self, state: State) -> State:
        """Return the state from which a motion can start, in axes that stand still."""


class HasSpin(Compiled, Protocol):
    """Can be described in axes that turn steadily with it."""

    def spinning(self, spin: Spin, *, time: float) -> Turning:
        """Return the system in such axes; refuse parts that are not steady there at a time by name."""


class Bendable(HasPaths, Protocol):
    """Has beams whose unstressed shape can be another."""

    def bent(self, shift: np.ndarray) -> Self:
        """Return the system with its unstressed beams displaced."""


class HasInverse(HasEquilibrium, Observed, Protocol):
    """Can find the signals that hold it at a place; its coordinates belong to the nodes of a layout."""

    @property
    def layout(self) -> NodeNumbering: ...
    @property
    def joints(self) -> tuple[JointRows, ...]: ...
    def inverse(self, signals: Sequence[int]) -> Inverse:
        """Return Newton's method for some signals, by their numbers."""

    def conditions(self, places: Sequence[Joint], idle: Sequence[str]) -> Conditions:
        """Return conditions: additional joints are closed, and some joints of the model carry nothing."""

    def assess(self, state: State, u: np.ndarray, iterations: int, load_steps: int) -> Equilibrium:
        """Return an equilibrium with its properties."""

    def stays_open(self, q: np.ndarray, u: np.ndarray) -> Opening | None:
        """Return the joint that cannot be closed near a configuration; None if all can."""

    def lengthenings(self, q: np.ndarray) -> dict[str, float]:
        """Return the relative change of length of every beam, by its name."""


class Rough(Observed, Protocol):
    """A system whose joints may rub by their reactions."""

    @property
    def rubs(self) -> bool: ...
    def grips(self, q: np.ndarray, lam: np.ndarray) -> Grips: ...
    def unbalanced(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, u: np.ndarray) -> np.ndarray: ...
    def row_gradients(self, q: np.ndarray) -> np.ndarray: ...  # G, dense


class HasSlip(HasEquilibrium, Protocol):
    """Can find equilibria at which joints that rub are about to slip, and let contacts stick where they touch."""

    @property
    def rubs(self) -> bool: ...
    def stuck(self, q: np.ndarray) -> tuple[Self, list[str]]: ...
    def pressed_together(self, q: np.ndarray) -> np.ndarray: ...
    def at_slip(self, begin: Equilibrium, sides: Mapping[str, Slip]) -> Equilibrium: ...


class HasStabilityOption(HasEquilibrium, Protocol):
    """Can find equilibria without looking at their stability."""

    def without_stability(self) -> Self:
        """Return the system that does not determine the stability of its equilibria."""


class HasJointDynamics(Compiled, Protocol):
    """Has relative coordinates Q, with forces on them."""

    @property
    def names(self) -> tuple[str, ...]: ...  # of the coordinates
    @property
    def coordinate_size(self) -> int:
        """Return the length of Q: the coordinates, and quaternions of joints that turn about three axes."""

    def coordinates(self, q: np.ndarray) -> np.ndarray: ...  # Q of a configuration
    def forward_dynamics(self, q: np.ndarray, v: np.ndarray, forces: np.ndarray, *, time: float) -> np.ndarray:
        """Return Q'' under forces on the coordinates, row by row."""

    def inverse_dynamics(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, *, time: float) -> np.ndarray:
        """Return forces on the coordinates, row by row."""

    def jacobian(self, q: np.ndarray, marker: Marker) -> np.ndarray:
        """Return derivatives of a marker's velocity and angular velocity by Q', row by row."""


QUESTIONS: dict[type, str] = {
    HasEquilibrium: "equilibria",
    Differentiable: "sensitivities",
    HasResidual: "sensitivities of critical loads",
    Linearisable: "modes and linear models",
    LinearisableInMotion: "linear models in motion",
    HasMotion: "motion",
    HasMotionSlopes: "sensitivities of motions",
    HasSampling: "controllers",
    HasPaths: "paths",
    HasSpin: "steady spin",
    HasSlip: "equilibria at the edge of slipping",
    HasStabilityOption: "equilibria without their stability",
    Bendable: "imperfections",
    HasInverse: "inverse statics and kinetostatics",
    HasJointDynamics: "forward and inverse dynamics, Jacobians",
}


def can(system: Any, capability: type) -> bool:
    """Return whether a system offers a capability, by the names of its members; none of them is evaluated."""
    return all(name in getattr(system, "__dict__", {}) for name in _of_instances(cast(Any, type(system)), capability))


@cache
def _of_instances(kind: type, capability: type) -> tuple[str, ...]:
    """Return the members that systems of a class do not have by their class."""
    return tuple(name for name in members(capability) if not hasattr(kind, name))


def offers(kind: type, capability: type) -> bool:
    """Return whether systems of a class offer a capability, by the names of its members."""
    fields = getattr(kind, "__dataclass_fields__", {})
    return all(hasattr(kind, name) or name in fields for name in members(capability))


@cache
def members(capability: type) -> frozenset[str]:
    """Return the names of the members of a capability, and of the capabilities it extends."""
    protocols = [base for base in capability.__mro__ if getattr(base, "_is_protocol", False)]
    return frozenset(name for base in protocols for name in vars(base) if not name.startswith("_"))
