"""Systems beside one, with other values of a parameter, and the tangent of the curve of equilibria through them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from pliant._libraries import xarray as xr
from pliant.analyses.operating_point import equilibrium
from pliant.errors import OptionError, PliantError, PliantWarning, SingularError, nearest
from pliant.model.copies import with_parameters
from pliant.model.parameters import Parameter
from pliant.results import Result
from pliant.results.lazy_arrays import Pending
from pliant.solvers.derivatives import implicit
from pliant.system.capabilities import HasEquations, HasResidual, can
from pliant.system.compile import dependents_of, of_model, recipe_of, twins_of
from pliant.system.observation.labels import labels_of
from pliant.system.observation.observer import ORIENTATIONS
from pliant.system.packing.along_derivative import NearbySystems, Perturbed, nearby_systems
from pliant.system.packing.repack import part_differences
from pliant.system.samples import Samples
from pliant.system.state import State

NOTHING = 1e-11  # of a value: what a parameter changes it by if it does not; rounding
MISSED = 1e-3  # of a derivative: what equations, or differences of second order, may miss of it

OF_PLACES = {"position", "shape", *(name for names in ORIENTATIONS.values() for name in names)}
OF_COORDINATES = {*OF_PLACES, "reaction"}  # and of multipliers alone
TOGETHER = {*OF_COORDINATES, "resultant"}  # of several states at once
STIFF = ("resultant", "tension")
LONGER = {"resultant": 10.0}  # strides: section forces are strains times stiff axes, which lose digits by rounding

SHORTER = (1.0, 0.1, 0.01)  # steps between systems that are solved again

Sides = Callable[[float], tuple[list[Any], float]]
Matched = Callable[[np.ndarray], np.ndarray]
Factored = Callable[[], tuple[State, implicit.Tangent]]


def chosen(known: Mapping[str, Parameter], to: Sequence[str] | None, model: str) -> dict[str, Parameter]:
    """Return the requested ones of the known parameters; refuse others."""
    if not known:
        raise OptionError(f'{model!r} has no parameters. Give one in the place of a number: Parameter("length", 0.3).')
    if isinstance(to, str):
        raise OptionError(f"to={to!r}: give a list of names, to=[{to!r}].")
    if to is not None and not len(to):
        raise OptionError(f"to={to!r}: give names of parameters of {model!r}: {', '.join(known)}.")
    for name in to or ():
        if name not in known:
            raise OptionError(f"to: {model!r} has no parameter {name!r}. {nearest(name, known)}")
    return {name: known[name] for name in (known if to is None else to)}


def check_friction(system: Any, modal: Mapping[str, Any]) -> None:
    """Refuse quantities of modes of joints with friction, which need a word more."""
    if modal and getattr(system, "rubs", False):
        name, quantity = next(iter(modal.items()))
        raise OptionError(
            f"of: {name} of {system.model.name!r}, which has friction in its joints: it prevents small motions and "
            f"allows large ones. Give a function that says which, of={{{name!r}: lambda system, rest: "
            f'pl.modal(system, at=rest, friction="stuck").{quantity}}}, or friction="free".'
        )


def sides(system: Any, parameter: Parameter, part: float) -> tuple[list[Any], float]:
    """Return systems at both sides of a parameter, and the step between them: a part of `implicit.STEP`. The system
    keeps them for later requests.
    """
    step = part * implicit.STEP * size_of(parameter)
    known = vars(system).setdefault("_beside", {})
    if (parameter, part) not in known:
        known[parameter, part] = [beside(system, parameter, k * step) for k in implicit.PLACES]
    return known[parameter, part], step


def near(system: Any, parameter: Parameter) -> tuple[list[Any], float]:
    """Return a pair of systems for derivatives of explicit functions, a small step apart."""
    known = vars(system).setdefault("_beside", {})
    if parameter not in known:
        pair, step = _twins(system, parameter)
        with _possible(parameter, parameter):
            made = [each.made for each in pair or ()]
        whole = any(each is None for each in made or [None])
        known[parameter] = [beside(system, parameter, k * step) for k in implicit.PAIR] if whole else made, step
    found: tuple[list[Any], float] = known[parameter]
    return found


def _twins(system: Any, parameter: Parameter) -> tuple[list[Perturbed] | None, float]:
    """Return the data of kernels for such a pair; None if whole systems are needed."""
    known = vars(system).setdefault("_beside", {})
    if (parameter, "pair") not in known:
        reach = dependents_of(system, parameter)
        step, others = _pair(parameter, reach)
        with _possible(parameter, others[-1]):
            known[parameter, "pair"] = twins_of(system, [(reach, others)])[0] if reach else None, step
    found: tuple[list[Perturbed] | None, float] = known[parameter, "pair"]
    return found


def prepare(system: Any, parameters: Iterable[Parameter]) -> None:
    """Prepare pairs of several parameters together, if that is quicker; refused ones are left to `near`."""
    known, wanted = vars(system).setdefault("_beside", {}), dict[Parameter, Any]()
    for parameter in parameters:
        if (parameter, "pair") not in known and (reach := dependents_of(system, parameter)):
            wanted[parameter] = reach, *_pair(parameter, reach)
    with warnings.catch_warnings(), suppress(PliantError):
        warnings.simplefilter("ignore", PliantWarning)
        pairs = twins_of(system, [(reach, others) for reach, _, others in wanted.values()])
        for parameter, pair in zip(wanted, pairs, strict=True):
            known[parameter, "pair"] = pair, wanted[parameter][1]


def _pair(parameter: Parameter, reach: Any) -> tuple[float, list[Parameter]]:
    """Return a small step, and the parameter on both sides of its value."""
    step = size_of(parameter) * (implicit.MOVED if reach is None or reach.moving else implicit.SMALL)
    return step, [parameter.beyond(parameter.value + k * step) for k in implicit.PAIR]


def explicit(system: Any, parameter: Parameter, part: float = 1.0) -> tuple[list[Any], float]:
    """Return systems as `sides` for equations only: twins, if the parameter moves nothing."""
    known, step = vars(system).setdefault("_beside", {}), part * implicit.STEP * size_of(parameter)
    if (parameter, part) not in known and (parameter, part, "twins") not in known:
        known[parameter, part, "twins"] = _standing(system, parameter, step)
    twins = known.get((parameter, part, "twins"))
    return (twins, step) if twins else sides(system, parameter, part)


def _standing(system: Any, parameter: Parameter, step: float) -> list[Any] | None:
    """Return twins at `implicit.PLACES`; None if the parameter may move something."""
    reach = dependents_of(system, parameter)
    others = [parameter.beyond(parameter.value + k * step) for k in implicit.PLACES]
    if reach is None or reach.moving:
        return None
    with _possible(parameter, others[-1]):
        found = twins_of(system, [(reach, others)])[0]
    return [each.made for each in found] if found else None


def drawn_out(system: Any, parameter: Parameter) -> tuple[NearbySystems, float] | None:
    """Return systems that share one whose numbers change, and the step: faster than a near pair; else None."""
    known = vars(system).setdefault("_beside", {})
    if (parameter, "drawn") not in known:
        known[parameter, "drawn"] = _drawn(system, parameter) if can(system, HasEquations) else None
    found, step = known[parameter, "drawn"], implicit.STEP * size_of(parameter)
    return (found.by(implicit.PLACES, step), step) if found else None


def _drawn(system: Any, parameter: Parameter) -> NearbySystems | None:
    pair, step = _twins(system, parameter)
    return nearby_systems(system, pair or [Perturbed.of(system, each) for each in near(system, parameter)[0]], step)


def by_equations(system: Any, parameter: Parameter) -> bool:
    """Return whether equations give the derivative of an equilibrium by a parameter: not if the insides of parts are
    eliminated and it is a length or a place, because between fixed nodes these buckle.
    """
    return can(system, HasResidual) and not (system.eliminates and moves(system, parameter))


def moves(system: Any, parameter: Parameter) -> bool:
    """Return whether the assembled pose may depend on a parameter."""
    model, step = recipe_of(system, "sensitivity").model, implicit.SMALL * size_of(parameter)
    other = parameter.beyond(parameter.value + step)
    with _possible(parameter, other):
        found = part_differences(tuple(model), with_parameters(model, {parameter.name: other}))
    return found is None or any(each.moves for each in found)


@contextmanager
def _possible(parameter: Parameter, other: Parameter) -> Iterator[None]:
    """Refuse a parameter beside whose value there is no model."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)
        try:
            yield
        except PliantError as error:
            raise OptionError(
                f"{parameter.owner}: beside its value, at {other.value:g}, there is no such model, so that it has no "
                f"derivative: {error}"
            ) from error


def settled(
    near: Sides,
    size: float,
    value: Callable[[Any, float], np.ndarray],
    matched: Matched | None = None,
    here: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the derivative of a function of neighbouring systems, by steps so short that differences of second order
    are accurate; the derivative of second order; and its error, as a part of the largest, or half of the jump between
    the derivatives on both sides, if the value ``here`` is known. NaN: nothing is finite.
    """
    for part in SHORTER:
        neighbours, step = near(part)
        values = [value(each, k * step) for k, each in zip(implicit.PLACES, neighbours, strict=True)]
        if matched is not None:
            values = [matched(each) for each in values]
        found = np.asarray(implicit.slope(values, step))
        coarse = np.asarray((values[2] - values[1]) / (2.0 * step))
        apart = np.abs(found - coarse)
        if here is not None:  # sums of second differences, of which curvature takes 2 - 2, a kink 2 - 1
            jump = (2.0 * (values[2] - 2.0 * here + values[1]) - 0.5 * (values[3] - 2.0 * here + values[0])) / step
            apart = np.maximum(apart, 0.5 * np.abs(jump))
        known = np.isfinite(apart)
        if not np.any(known) and apart.size:
            return found, coarse, np.nan
        least = implicit.LEAST * float(np.max(np.abs(np.asarray(values)[:, known]), initial=0.0)) / size
        most = max(float(np.max(np.abs(found[known]), initial=0.0)), least)
        missed = float(np.max(apart[known], initial=0.0)) / most if most else 0.0
        if missed <= MISSED:
            break
    return found, coarse, missed


def size_of(parameter: Parameter) -> float:
    """Return the size of a parameter for its differences; refuse an unknown one."""
    if parameter.value == 0.0 and parameter.scale is None and not np.isfinite(parameter.high - parameter.low):
        raise OptionError(
            f"{parameter.owner}: its value is 0, so that the size of a small change is not known. Give it a scale=, or "
            "bounds."
        )
    return parameter.size


def beside(system: Any, parameter: Parameter, change: float) -> Any:
    """Return the system with another value of a parameter, even outside its bounds."""
    model, other = recipe_of(system, "sensitivity").model, parameter.beyond(parameter.value + change)
    with _possible(parameter, other):
        found = of_model(system, with_parameters(model, {parameter.name: other}))
    mine, theirs = system.observed, found.observed
    if (mine.freedoms, mine.constraints) != (theirs.freedoms, theirs.constraints):
        raise OptionError(
            f"{parameter.owner}: at {other.value:g} the system has another number of coordinates or joints."
        )
    theirs.notes["labels"] = labels_of(mine).beside(theirs)
    return found


def factored(system: Any, at: Result) -> tuple[State, implicit.Tangent]:
    """Return an equilibrium and its tangent, for all parameters."""
    state = equilibrium(system, at)
    return state, implicit.Tangent.of(system.matrices(state), 1.0 / system.weight, softness(system))


def tangents(system: Any, at: Factored, parameters: Sequence[Parameter]) -> dict[Parameter, implicit.Line]:
    """Return derivatives of the equilibrium by several parameters together: by drawn systems, if no kink is near; by
    `tangent` for the others.
    """
    if any(force.feeds for force in system.model.forces):
        return {}
    drawn = {each: found for each in parameters if (found := drawn_out(system, each))}
    if not drawn:
        return {}
    try:
        (state, tangent), sides = at(), [each for each, _ in drawn.values()]
        lines = implicit.lines(system, state, tangent, sides, partial(_residuals, system, state))
    except SingularError as error:
        raise OptionError(f"sensitivity: {error} It is neutral, or at a limit point of its path.") from error
    return {each: line for each, line in zip(drawn, lines, strict=True) if line and line.missed <= MISSED}


def _residuals(
    system: Any, state: State, drawn: NearbySystems, by: np.ndarray, changes: np.ndarray, ways: np.ndarray
) -> np.ndarray:
    return np.asarray(system.drawn_residuals(drawn, state, by, changes, ways))


def tangent(
    system: Any, parameter: Parameter, factored: Factored, neighbours: Sequence[Any], step: float
) -> implicit.Line | None:
    """Return the derivative of the equilibrium; None if the equations do not give it."""
    try:
        found = implicit.line(system, *factored(), neighbours, step)
    except SingularError as error:
        raise OptionError(f"sensitivity: {error} It is neutral, or at a limit point of its path.") from error
    if found.kinked and isinstance(neighbours, NearbySystems) and step > 2.0 * implicit.SMALL * size_of(parameter):
        return tangent(system, parameter, factored, neighbours.by(implicit.PLACES, 0.1 * step), 0.1 * step)
    if found.kinked and len(neighbours) == len(implicit.PAIR):  # or curved: four systems show which
        return tangent(system, parameter, factored, *sides(system, parameter, 1.0))
    if found.kinked:
        raise OptionError(
            f"sensitivity: forces of {system.model.name!r} have a kink here, seen along {parameter.name!r}: a contact "
            "or stop about to touch, a tendon about to go slack. There is one derivative on either side of it, but "
            "none here. Take a value beside this one."
        )
    if found.missed > MISSED:
        return None
    if any(force.feeds for force in system.model.forces) and moves(system, parameter):
        return replace(found, x=_solved(found, *sides(system, parameter, SHORTER[1])))
    return found


def _solved(line: implicit.Line, neighbours: Sequence[Any], step: float) -> np.ndarray:
    """Return x' from neighbouring equilibria. For a fed beam (`Load.feeds`) reactions by its length are small
    differences of a stiff strain at a fixed state.
    """
    here, found = line.state, list[np.ndarray]()
    for k, system in zip(implicit.PLACES, neighbours, strict=True):
        beside = system.find_equilibrium(line.moved(k * step), time=here.time, load_steps=1).state
        found.append(np.concatenate([line.system.apart(here.q, beside.q), beside.lam - here.lam]))
    return np.asarray(implicit.slope(found, step))


def softness(system: Any) -> np.ndarray:
    """Return the softness of redundant rows."""
    return np.where(system.equations.rows.softness > 0.0, system.equations.rows.softness, 0.0)


def labelled(name: str, value: Any) -> xr.DataArray:
    """Label the value of a function, with dimensions of its own if it has none."""
    if isinstance(value, xr.DataArray):
        return value
    found = np.asarray(value)
    return xr.DataArray(found, dims=[f"{name}_{k}" for k in range(found.ndim)])


def observed(system: Any, state: State, name: str) -> np.ndarray:
    """Return a variable of a state."""
    observer = system.observed.observer()
    variables, coords = observer.moving(Samples.of(state), state)
    return Pending(variables, coords, observer.labelled).at_rest().values(name)


def along(lines: Sequence[implicit.Line], name: str) -> list[np.ndarray]:
    """Return derivatives of a variable by coordinates and multipliers alone, along lines through one state."""
    strides = [LONGER.get(name, 1.0) * line.step_along for line in lines]
    states = [line.moved(k * stride) for line, stride in zip(lines, strides, strict=True) for k in implicit.PLACES]
    observer = lines[0].system.observed.observer()
    variables, coords = observer.moving(Samples.together(states), lines[0].state)
    values = list(Pending(variables, coords, observer.labelled).values(name))
    starts, count = range(0, len(states), len(implicit.PLACES)), len(implicit.PLACES)
    return [np.asarray(implicit.slope(values[k : k + count], by)) for k, by in zip(starts, strides, strict=True)]


def markers_stay(line: implicit.Line) -> bool:
    """Return whether no marker changes along a line: the coordinates alone then determine places."""
    if isinstance(line.neighbours, NearbySystems):
        return line.neighbours.stays
    return line.neighbours[0].observed.notes.get("labels") is labels_of(line.system.observed)


def variable_slope(line: implicit.Line, name: str) -> np.ndarray:
    """Return the derivative of a variable along a line."""
    if name not in TOGETHER or line.state.interior is not None or not np.any(line.x):
        return np.asarray(line.derivative(partial(observed, name=name)))
    [found] = along([line], name)
    if name in OF_PLACES and markers_stay(line):
        return found
    own: Any = implicit.slope([observed(each, line.state, name) for each in line.neighbours], line.step)
    return np.asarray(found + own)


def balanced(line: implicit.Line, factored: Factored) -> implicit.Line:
    """Return a line along which forces of stiff axes balance, as far as long differences show."""
    state, tangent = factored()
    return line.balanced(tangent, partial(_residuals, line.system, state))


def stiff_forces(
    line: implicit.Line, factored: Factored, name: str, near: np.ndarray, here: np.ndarray
) -> tuple[np.ndarray, float]:
    """Return the derivative of forces that are small strains times large stiffnesses, along drawn systems, by
    differences so long that rounding is small; and its error. If the short one, ``near``, differs much, that one.
    """
    better = balanced(line, factored)
    drawn: Any = line.neighbours

    def values(ways: np.ndarray) -> np.ndarray:
        return np.array([observed(each, better.moved(way), name) for each, way in drawn.at(ways)])[:, there]

    there = np.isfinite(near)
    least = implicit.LEAST * float(np.max(np.abs(here[there]), initial=0.0)) * implicit.STEP / line.step
    size = max(float(np.max(np.abs(near[there]), initial=0.0)), least)
    if not size:
        return near, 0.0
    found, slopes = near.copy(), better.far(values, least)
    apart = float(np.max(np.abs(slopes[0] - near[there]))) / size
    if apart > MISSED:
        return near, apart
    found[there] = slopes[0]
    return found, slopes[1]


def stacked(value: xr.DataArray, slopes: Sequence[np.ndarray], chosen: Mapping[str, Parameter]) -> xr.DataArray:
    """Return derivatives of a value by parameters, labelled as the value, in units of each."""
    units = [f"{value.attrs.get('units') or '1'} / {each.unit or '1'}" for each in chosen.values()]
    attributes = {"units": units[0] if len(set(units)) == 1 else ", ".join(units)}
    coords = {**value.coords, "parameter": list(chosen)}
    return xr.DataArray(np.array(slopes), coords, ("parameter", *value.dims), attrs=dict(value.attrs) | attributes)


def idle_notes(slopes: Mapping[str, Any], values: Mapping[str, Any], chosen: Mapping[str, Parameter]) -> list[str]:
    """Return a note on parameters without effect on the requested variables."""

    def depends(k: int, parameter: Parameter) -> bool:
        pairs = ((slopes[name].values[k], np.max(np.abs(values[name].values), initial=0.0)) for name in slopes)
        return any(not np.all(parameter.size * np.abs(slope) <= NOTHING * size) for slope, size in pairs)

    names = [name for k, (name, parameter) in enumerate(chosen.items()) if not depends(k, parameter)]
    return [f"none of the quantities depends on {name}" for name in names]
