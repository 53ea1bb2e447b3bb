"""How fast anything about an equilibrium changes with the parameters of its model.

    R(x; p) = 0   ->   R_x x' = -R_p,   Q' = Q_p + Q_x x'

Equations and quantities are differentiated where they are: semi-analytic, by central differences of fourth order of
explicit functions (`pliant.solvers.derivatives.implicit`), not of solutions. Frequencies and eigenvalues follow from
the
derivatives of the matrices (`pliant.solvers.derivatives.eigenvalue_derivatives`). What a function of the user
computes, and all of
formulations without `HasResidual`, is solved again beside the equilibrium, starting from its tangent, and differenced.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pliant._libraries import xarray as xr
from pliant.analyses.common import require
from pliant.analyses.derivatives import perturbed
from pliant.analyses.derivatives.closed_loop_derivatives import ClosedMotions
from pliant.analyses.derivatives.critical_loads import NAME, PREFIX, critical_loads
from pliant.analyses.derivatives.inverse_derivatives import NAME as HELD
from pliant.analyses.derivatives.inverse_derivatives import HeldPlaces
from pliant.analyses.derivatives.motion_derivatives import motion_slopes
from pliant.analyses.modes.modal import modal, vibrations
from pliant.analyses.modes.mode_shapes import NAME as SHAPES
from pliant.analyses.modes.mode_shapes import ModeShapes
from pliant.analyses.motion.closed_loop import Controllers
from pliant.analyses.resolve import Again, Followed, apart, rest_of
from pliant.analyses.statics.statics import STUCK, repeat_statics
from pliant.errors import OptionError, nearest
from pliant.forces.state_force.callbacks import watched
from pliant.model.parameters import Parameter
from pliant.results import Result
from pliant.results.quantities import select_labels
from pliant.results.result import no_resultants
from pliant.solvers.derivatives import eigenvalue_derivatives, implicit
from pliant.system.capabilities import Differentiable, HasMotionSlopes, HasResidual, LinearisableByFrequency, can
from pliant.system.compile import recipe_of
from pliant.system.packing.along_derivative import NearbySystems

if TYPE_CHECKING:
    from pandas import DataFrame  # type: ignore[import-untyped]

MODAL = ("frequency_hz", "eigenvalue")
DIMENSION = "parameter"
KEPT = (DIMENSION, "time", "event")  # dimensions that names of quantities have no labels of
ALONE = 'the equations alone, which this formulation does not tell. Compile the model with formulation="dae".'

OF_INVERSE = "Motors hold places in pl.inverse_statics(system, {marker: place}, signals=motors): give its result."
UNSETTLED = "differences by several steps differ: it bends sharply, jumps or has a kink here"

Quantity = str | Callable[[Any, Result], Any]


@dataclass(frozen=True, repr=False)
class Sensitivity:
    """Values, and their derivatives by parameters: datasets with the requested variables.

    value       at the equilibrium
    derivative  by every parameter, in SI units, along the dimension ``parameter``
    relative    ``p/Q dQ/dp``: by how many per cent Q changes if p grows by one; NaN where a value is zero
    parameters  by name
    error       relative, of the derivative of the coordinates by each parameter, from what it leaves of the equations;
                of functions, and where all is solved again, the error of differences of second order, an upper bound
                for fourth order, or half of a kink;
                of motions with contacts, friction or tendons, what twice the step changes, if that is more; NaN: where
                steps twice as long fail
    notes       what is to be known: repeated frequencies, parameters on which nothing depends, kinks of a motion

    >>> import numpy as np
    >>> p = Parameter("length", 2.0)
    >>> stated = xr.Dataset({"stiffness": 3.0})
    >>> slopes = xr.Dataset({"stiffness": ("parameter", [-4.5])}, {"parameter": ["length"]})
    >>> Sensitivity(stated, slopes, {"length": p}).relative.stiffness.values.tolist()
    [-3.0]
    """

    value: xr.Dataset
    derivative: xr.Dataset
    parameters: Mapping[str, Parameter]
    error: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def relative(self) -> xr.Dataset:
        """Return logarithmic derivatives."""
        sizes = xr.DataArray([each.value for each in self.parameters.values()], dims=DIMENSION)
        meaning = {"units": "1", "nan_means": "the value is zero"}
        with np.errstate(divide="ignore", invalid="ignore"):
            found = {name: self.derivative[name] * sizes / self.value[name] for name in self.derivative.data_vars}
        return xr.Dataset({name: each.where(np.isfinite(each)).assign_attrs(meaning) for name, each in found.items()})

    def table(self, name: str, **labels: str | float) -> DataFrame:
        """Return value, derivative and relative derivative of one variable, at some labels, as a pandas.DataFrame:
        ``found.table("position", marker="beam/tip", axis="y")``.
        """
        if name not in self.derivative:
            raise OptionError(f"{name!r} was not requested. {nearest(name, [str(each) for each in self.derivative])}")
        found = {"value": self.value[name], "derivative": self.derivative[name], "relative": self.relative[name]}
        chosen = {key: each.sel(labels, drop=True) for key, each in found.items()}
        kept = {key: each.drop_vars([c for c in each.coords if c not in each.dims]) for key, each in chosen.items()}
        return xr.Dataset(kept).to_dataframe()

    def _at(self, labels: Mapping[str, str]) -> Sensitivity:
        """Return the data with single numbers, by the names of quantities, in the place of some variables."""
        value, slopes = (
            xr.Dataset(
                {
                    key: select_labels(each, labels[str(key)], KEPT) if key in labels else each
                    for key, each in data.items()
                }
            )
            for data in (self.value, self.derivative)
        )
        return replace(self, value=value, derivative=slopes) if labels else self

    def __repr__(self) -> str:
        lines = [f"Sensitivity to {', '.join(self.parameters)} (errors {_told(self.error)})"]
        for name, each in self.derivative.data_vars.items():
            if each.ndim == 1:
                terms = [f"{p}: {x:.6g} ({y:+.3g} % a %)" for p, x, y in _rows(each, self.relative[name])]
                lines.append(f"  {name} = {float(np.real(self.value[name])):.6g}; {', '.join(terms)}")
            else:
                lines.append(f"  {name}({', '.join(map(str, each.dims))})")
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])


@watched()
def sensitivity(
    system: Differentiable,
    at: Result,
    *,
    of: Sequence[str] | Mapping[str, Quantity],
    to: Sequence[str | Parameter] | None = None,
    modes: int = 10,
    start: Result | tuple[Differentiable, Result] | None = None,
    push: Mapping[str, float | Sequence[float]] | None = None,
    adjoint: bool | None = None,
    controller: Controllers | Callable[..., Controllers] | None = None,
) -> Sensitivity:
    """Compute derivatives of the quantities of an equilibrium, path or motion by the parameters of the model.

    at     Result of statics of this system, or modes about one (not in a spin, and not neutral). Or a path along a
           signal: ``of=["event_parameter"]`` then gives the derivatives of the critical loads (limit points,
           bifurcations, flutter), ``"event_position"`` or another variable theirs at limit points.
           Or a motion by `GeneralizedAlpha`, `Newmark` or `Radau5`: variables, and functions of system and motion, are
           differentiated at all its instants (``pliant.solvers.derivatives.tangent_steps``; ``motion_replay`` where
           steps adapt)
    of     names of variables of that result ("position", "reaction", "resultant", "energy", ...), or of single numbers,
           "position:beam/tip:y", "frequency_hz:1", as of `optimise`; "frequency_hz" of undamped modes, their
           "mode_shape" with a modal mass of 1 kg, and "eigenvalue" of damped ones; for a result of `inverse_statics`
           also "signal_value", the change of the signals that keeps the places; or a mapping from a name to one of
           these or to a function of system and result: a `LinearQuantity`, or your own, such as ``lambda system, rest:
           pl.stiffness(system, marker="leaf/tip", at=rest).matrix``
    to     names of parameters; all unless given. If a function makes the controller, also parameters of that function
           that the model does not have: ``pl.Parameter("gain", 20.0)``
    modes  how many, of frequencies and eigenvalues
    start  of a motion, as it was given to transient: the derivatives of that equilibrium count. If it belongs to
           another system, with other joints or loads, both: ``(held, rest)``
    push   of a motion, as it was given to transient
    adjoint  of goals of a motion (`Goal`): whether derivatives go backwards in time, at one cost for all parameters;
           where that is cheaper unless given
    controller  of a motion, as it was given to transient; or a function that makes it of the system, as
           ``lambda system: pl.lqr(pl.linearise(system, ...), ...)``, which is designed anew beside it, and of
           parameters of its own by their names, ``lambda system, gain: ...``. Derivatives are differences of fourth
           order of whole motions, whose steps are solved to rounding; NaN where these differ with their step: limits
           that are reached, readings in steps

    Derivatives are total: the equilibrium moves along. They exist where a slope jumps (a contact that is about to
    touch, a tendon about to go slack) on either side only, and are refused there; of a motion, named in `notes`. Cost:
    two or four systems beside this one a parameter, of which only what depends on it is made anew; functions are
    evaluated at four equilibria a parameter besides.

    >>> import pliant as pl
    >>> m = pl.Model("cantilever")
    >>> h = pl.Parameter("thickness", 2e-3, unit="m")
    >>> strip = pl.Section.rectangle(0.02, h, pl.STEEL)
    >>> ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=strip))
    >>> parts = m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=-1e-3))
    >>> system = pl.compile(m, elements=4)
    >>> found = pl.sensitivity(system, pl.statics(system), of=["position", "frequency_hz"], modes=1)
    >>> round(float(found.relative.position.sel(marker="beam/tip", axis="y").item()), 4)  # F L^3 / 3 EI: h^-3
    -3.0
    >>> round(float(found.relative.frequency_hz.item()), 4)  # as h
    1.0
    """
    require(system, Differentiable, "sensitivity")
    model = recipe_of(system, "sensitivity").model
    known = model.parameters
    own = {each.name: each for each in to or () if isinstance(each, Parameter)} if callable(controller) else {}
    names = None if to is None or isinstance(to, str) else [getattr(each, "name", str(each)) for each in to]
    chosen = perturbed.chosen(known | own, to if isinstance(to, str) else names, model.name)
    wanted = dict(of) if isinstance(of, Mapping) else {name: name for name in of}
    named = {name: each for name, each in wanted.items() if isinstance(each, str) and ":" in each}
    wanted |= {name: each.partition(":")[0] for name, each in named.items()}
    modes = max([modes, *(int(number) for each in named.values() if (number := _mode_of(each)))])
    if isinstance(at, Result) and at.kind == "modes":
        at = rest_of(system, at)
    if isinstance(at, Result) and at.kind == "motion":
        if controller is not None:
            return Sensitivity(*ClosedMotions(system, at, controller, start, push).slopes(chosen, wanted))._at(named)
        require(system, HasMotionSlopes, "sensitivity of a motion")
        return Sensitivity(*motion_slopes(system, at, chosen, wanted, start, push, adjoint))._at(named)
    if any(each is not None for each in (start, push, adjoint, controller)):
        raise OptionError("start, push, adjoint, controller: these are for motions, and that result is not a motion.")
    if isinstance(at, Result) and at.kind == "path" or NAME in wanted.values():
        require(system, HasResidual, "sensitivity of events")
        loads, by = critical_loads(system, at, chosen, _of_events(at, wanted), perturbed.explicit)
        return Sensitivity(xr.Dataset(loads), xr.Dataset(by), chosen)._at(named)
    _check(at, wanted)
    perturbed.check_friction(system, {name: each for name, each in wanted.items() if each in (*MODAL, SHAPES)})
    wanted = {name: ModeShapes(modes) if each == SHAPES else each for name, each in wanted.items()}
    request = _Request(system, at, wanted, modes)
    if request.held and (not can(system, HasResidual) or any(callable(each) for each in wanted.values())):
        raise OptionError(f"of: {HELD} cannot be combined with functions: request these alone; it is known by {ALONE}")
    by_equations = [each for each in chosen.values() if request.by_equations(each)]
    if len(by_equations) < len(chosen) and apart(request.system, repeat_statics(request.system, at), at):
        raise OptionError(
            "sensitivity: that equilibrium is not where this system is at rest. Give the system with the same signals, "
            "and what statics(system) finds."
        )
    perturbed.prepare(request.system, by_equations)
    request.lines = {} if request.held else perturbed.tangents(request.system, request.factored, by_equations)
    found = [_one(request, parameter) for parameter in chosen.values()]
    slopes = {
        name: perturbed.stacked(request.value(name), [each.slopes[name] for each in found], chosen) for name in wanted
    }
    values = {name: request.value(name) for name in wanted}
    each_note = (note for each in found for note in each.notes)
    notes = dict.fromkeys([*each_note, *perturbed.idle_notes(slopes, values, chosen)])
    errors = {name: each.error for name, each in zip(chosen, found, strict=True)}
    return Sensitivity(xr.Dataset(values), xr.Dataset(slopes), chosen, errors, tuple(notes))._at(named)


def _mode_of(name: str) -> str:
    """Return the mode number of a frequency or eigenvalue; empty for other quantities."""
    word, _, number = name.partition(":")
    return number if word in MODAL and number.isdigit() else ""


class _Derivatives(NamedTuple):
    """The derivatives by one parameter."""

    slopes: dict[str, np.ndarray]
    error: float
    notes: tuple[str, ...]


@dataclass
class _Request:
    """The requested quantities of an equilibrium, and data that all parameters share."""

    system: Any
    at: Result
    wanted: Mapping[str, Quantity]
    modes: int

    def __post_init__(self) -> None:
        self.held: HeldPlaces | None = None
        if HELD in self.wanted.values():
            self.held = HeldPlaces(self.system, self.at, partial(perturbed.factored, at=self.at))
            self.system = self.held.system
        self.of_matrices = any(each in (*MODAL, HELD) for each in self.wanted.values())
        self.factored = cache(partial(perturbed.factored, self.system, self.at))
        self.value, self.modal = cache(self._value), cache(self._modal)
        self.spectrum, self.along = cache(self._spectrum), cache(self._along)
        self.lines: dict[Parameter, implicit.Line] = {}

    def _value(self, name: str) -> xr.DataArray:
        quantity = self.wanted[name]
        if quantity in MODAL:
            found: xr.DataArray = getattr(self.modal(quantity), str(quantity)).isel(mode=slice(self.modes))
            return found.assign_attrs(nan_means="the frequency is zero, where it has no derivative")
        return perturbed.labelled(name, self.function(quantity)(self.system, self.at))

    def _modal(self, name: str) -> Result:
        """Return the modes, and the next, which may repeat the last of them."""
        return vibrations(self.system, at=self.at, modes=self.modes + 1, damped=name == "eigenvalue")

    def _spectrum(self, name: str) -> eigenvalue_derivatives.Spectrum:
        """Return the spectrum of the modes, and of further ones that repeat the last of them."""
        values, count = self.modal(name).eigenvalue.values, self.modes + 1
        while len(values) == count and eigenvalue_derivatives.same(values[self.modes - 1], values[-1]):
            count = 2 * count - self.modes + 1
            values = vibrations(self.system, at=self.at, modes=count, damped=name == "eigenvalue").eigenvalue.values
        repeated = [each for each in values[self.modes :] if eigenvalue_derivatives.same(values[self.modes - 1], each)]
        values = values[: self.modes + len(repeated)]
        matrices = self.system.matrices(self.factored()[0])
        spare = eigenvalue_derivatives.spare(perturbed.softness(self.system), matrices.ties, 1.0 / self.system.weight)
        return eigenvalue_derivatives.Spectrum.of(
            np.asarray(values, complex), matrices, spare, damped=name == "eigenvalue"
        )

    def _along(self, name: str) -> dict[Parameter, np.ndarray]:
        """Return derivatives of places by all parameters that move no marker on its body, together."""
        lines = {parameter: line for parameter, line in self.lines.items() if self.on_line(parameter, name)}
        return dict(zip(lines, perturbed.along(list(lines.values()), name), strict=True))

    def on_line(self, parameter: Parameter, quantity: Quantity) -> bool:
        """Return whether `along` gives the derivatives of a variable."""
        line = self.lines.get(parameter)
        if line is None or not isinstance(quantity, str) or quantity not in perturbed.OF_PLACES:
            return False
        return line.state.interior is None and perturbed.markers_stay(line)

    def by_equations(self, parameter: Parameter) -> bool:
        """Return whether equations give the derivative by a parameter: not if joints are about to slip."""
        return not self.at.provenance.settings.get("friction") and perturbed.by_equations(self.system, parameter)

    def is_variable(self, quantity: Quantity) -> bool:
        """Return whether it is a variable of the result."""
        return not callable(quantity) and quantity not in (*MODAL, HELD)

    def function(self, quantity: Quantity) -> Callable[[Any, Result], Any]:
        """Return a quantity as a function of system and equilibrium."""
        if callable(quantity):
            return quantity
        if quantity not in MODAL:
            return lambda _, rest: getattr(rest, quantity)
        damped = quantity == "eigenvalue"
        return lambda system, rest: getattr(modal(system, at=rest, modes=self.modes, damped=damped), quantity)


def _of_events(at: Result, wanted: Mapping[str, Quantity]) -> dict[str, str]:
    """Return the requested variables of the events of a path."""
    found: dict[str, str] = {}
    if not isinstance(at, Result) or at.kind != "path":
        raise OptionError(f"sensitivity: {at!r:.60} is no path, of whose events {NAME} is. Give a Result of pl.path.")
    for name, quantity in wanted.items():
        if callable(quantity) or not quantity.startswith(PREFIX):
            raise OptionError(
                f"of: {name} = {quantity!r:.60} of a path: give {NAME!r}, or a variable at its events, as "
                "'event_position'. Of other points take path.equilibrium(i)."
            )
        found[name] = quantity
    return found


def _check(at: Result, wanted: Mapping[str, Quantity]) -> None:
    if not isinstance(at, Result) or at.kind != "statics":
        hint = 'give a Result of statics, a motion, or a path with of=["event_parameter"]'
        raise OptionError(f"sensitivity: {at!r:.60} is no equilibrium: {hint}.")
    if "NeutralEquilibrium" in at.outcome.warnings:
        raise OptionError(
            "sensitivity: that equilibrium is neutral: something can move without a force, and where it is does not "
            "follow from the parameters. Hold it first."
        )
    if "spin" in at.provenance.settings:
        raise OptionError("sensitivity: derivatives of a steady spin are not computed. Take an equilibrium at rest.")
    if at.provenance.settings.get("friction") == STUCK:
        raise OptionError(
            "sensitivity: derivatives of a grasp are not computed: where its contacts stick depends on where they "
            'touched first. Compare statics(..., friction="stuck") of other values of the parameter.'
        )
    for name, quantity in wanted.items():
        known_of_it = isinstance(quantity, str) and (quantity in (*MODAL, SHAPES) or at.raw(quantity) is not None)
        if not (callable(quantity) or known_of_it):
            known = [str(each) for each in at.data.data_vars if not str(each).startswith("state_")]
            why = no_resultants(at) if quantity == "resultant" else OF_INVERSE if quantity == HELD else ""
            hint = why or nearest(str(quantity), [*known, *MODAL, SHAPES], most=30)
            raise OptionError(f"of: {name} = {quantity!r:.60} is no variable of that result, and no function. {hint}")


def _one(request: _Request, parameter: Parameter) -> _Derivatives:
    """Return all requested derivatives by one parameter, whose tangent may be known."""
    system, tangent = request.system, request.lines.get(parameter)
    sides = partial(perturbed.sides, system, parameter)
    if tangent is None and request.by_equations(parameter):
        tangent = perturbed.tangent(system, parameter, request.factored, *_neighbours(request, parameter))
    slopes: dict[str, np.ndarray] = {}
    notes: list[str] = []
    if request.held is not None:
        if tangent is None:
            raise OptionError(f"{parameter.owner}: {HELD} by it is not known by {ALONE}")
        tangent, signals = request.held.followed(tangent)
    near = tangent
    variables = filter(request.is_variable, request.wanted.values())
    others = [each for each in variables if not request.on_line(parameter, each)]
    if tangent is not None and isinstance(tangent.neighbours, NearbySystems) and others:
        neighbours, step = perturbed.near(system, parameter)  # markers are not drawn along
        near = replace(tangent, neighbours=neighbours, step=step)
        if not perturbed.OF_COORDINATES.issuperset(others):
            # forces go with x' of the same systems, in which stiff axes cancel
            near = perturbed.tangent(system, parameter, request.factored, neighbours, step)
    again, error = Again(sides, parameter.size, tangent, request.at), 0.0 if tangent is None else tangent.error
    for name, quantity in request.wanted.items():
        if tangent is None or callable(quantity) or quantity in MODAL and can(system, LinearisableByFrequency):
            slopes[name], missed = again.derivative(request.function(quantity), request.value(name).values)
            notes += quantity.notes(request.value(name).values) if isinstance(quantity, Followed) else []
            error = float(np.maximum(error, missed))
            notes += [f"{name} by {parameter.name}: {UNSETTLED}"] if missed > perturbed.MISSED else []
        elif quantity == HELD:
            slopes[name] = signals
        elif quantity in MODAL:
            slopes[name], missed, more = _eigenvalues(request, tangent, quantity)
            notes, error = notes + more, max(error, missed)
        elif request.on_line(parameter, quantity):
            slopes[name] = request.along(quantity)[parameter]
        else:
            slopes[name] = perturbed.variable_slope(near or tangent, quantity)
            if quantity in perturbed.STIFF and request.held is None and isinstance(tangent.neighbours, NearbySystems):
                here = request.value(name).values
                slopes[name], missed = perturbed.stiff_forces(tangent, request.factored, quantity, slopes[name], here)
                error = max(error, missed)
    return _Derivatives(slopes, error, tuple(notes))


def _neighbours(request: _Request, parameter: Parameter) -> tuple[Sequence[Any], float]:
    """Return as few neighbouring systems as are enough: for derivatives of matrices four, or a pair if possible."""
    if not request.of_matrices:
        return perturbed.near(request.system, parameter)
    drawn = None if request.held else perturbed.drawn_out(request.system, parameter)
    return drawn or perturbed.explicit(request.system, parameter)


def _eigenvalues(request: _Request, line: implicit.Line, name: str) -> tuple[np.ndarray, float, list[str]]:
    """Return derivatives of frequencies or eigenvalues, their errors, and notes on them."""
    spectrum, wanted = request.spectrum(name), slice(0, request.modes)
    if isinstance(line.neighbours, NearbySystems) and request.held is None:
        line = perturbed.balanced(line, request.factored)
    (every, missed), values = spectrum.slopes(line), spectrum.values[wanted]
    slopes, notes, repeated = every[wanted], [], spectrum.repeated[wanted]
    if np.any(repeated):
        numbers = ", ".join(str(k + 1) for k in np.flatnonzero(repeated))
        notes.append(
            f"modes {numbers} are repeated: their derivatives are those of the frequencies into which they part"
        )
    if spectrum.damped:
        return slopes, missed, notes
    return np.real(np.conj(values) * slopes) / np.maximum(np.abs(values), 1e-300) / (2.0 * np.pi), missed, notes


def _told(error: Mapping[str, float]) -> str:
    return ", ".join(f"{value:.0e}" for value in error.values()) or "not known"


def _rows(slopes: xr.DataArray, relative: xr.DataArray) -> list[tuple[str, float, float]]:
    names = [str(each) for each in slopes[DIMENSION].values]
    values = np.real(slopes.values), np.real(relative.values)
    return [(name, float(x), float(y)) for name, x, y in zip(names, *values, strict=True)]
