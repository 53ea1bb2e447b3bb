"""`identify`: parameters of a model from measurements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from pliant._libraries import xarray as xr
from pliant.errors import (
    AtBound,
    ColouredResiduals,
    OptionError,
    PliantError,
    PoorlyPredicted,
    collect_warnings,
    nearest,
    warn,
)
from pliant.model import Model
from pliant.model.parameters import Parameter
from pliant.results import Result
from pliant.results.records import Check, Outcome, Provenance, judged
from pliant.system.capabilities import Compiled
from pliant.system.compile import compile, recipe_of
from pliant_fit.identification import doubts, fitting, trust
from pliant_fit.identification.identification import Estimate, Identification, Series
from pliant_fit.identification.likelihood_intervals import reaches
from pliant_fit.identification.task import Task
from pliant_fit.measurements.agreement import Agreement, fit, framed
from pliant_fit.measurements.measurement import Measurement

LEVEL = 0.95
STEP = 0.05  # largest remaining step, in standard errors
SHORT = 6  # evaluations from each of several starts
COARSE = 0.5  # standard errors: error of mesh and time step above which a warning is given
WORSE = 2.0  # times the RMS of the fit: a hold-out with more is not predicted
ALONG = {"motion": "time [s]", "response": "frequency [Hz]", "statics": "row", "modes": "row"}


def identify(
    model: Model | Compiled,
    *,
    parameters: Sequence[str | Parameter],
    measurements: Sequence[Measurement],
    hold_out: Sequence[Measurement] = (),
    given: Identification | None = None,
    start: Result | None = None,
    loss: str = "linear",
    evaluations: int = 100,
) -> Identification:
    """Find parameters of a model from measurements, by least squares with bounds, with their uncertainty.

    model         with a `Parameter` for every unknown number, or a system compiled from it
    parameters    names of the unknown ones; the search begins at their values and keeps their bounds
    measurements  one or more `Measurement`; differences are divided by their noise, which is estimated from the
                  residuals unless given
    hold_out      measurements that are not fitted, only predicted
    given         an earlier identification, for instance of the stiffness before the damping: its values are kept, and
                  their uncertainty enters the intervals
    start         equilibrium from which the first one is found, if there are several, as for a buckled leaf
    loss          "linear" (least squares); "soft_l1", "huber" or "cauchy", which give outliers less weight
    evaluations   largest number of evaluations of the model

    Derivatives come from the equations (`sensitivity`) for equilibria, frequencies and motions by equal steps, and from
    differences of whole analyses otherwise; `derivatives` of the result says which. Intervals are 95 % intervals of the
    linear model at the solution and Student's t; the errors of mesh and time step are added to them. If the residuals
    are not white (`ColouredResiduals`), the intervals are widened, but the result is not ``ok``: an incomplete model,
    and a search that ended in a wrong minimum, look the same as coloured noise.

    >>> import pliant as pl
    >>> m = pl.Model("cantilever")
    >>> E = pl.Parameter("E", 150e9, low=50e9, high=400e9, unit="Pa")
    >>> steel = pl.Material("steel", youngs_modulus=E, poisson_ratio=0.3, density=7850.0)
    >>> strip = pl.Section.rectangle(0.02, 2e-3, steel)
    >>> ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=strip))
    >>> parts = m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=0.0, name="load"))
    >>> hung = {"F [N]": [0.1, 0.2, 0.3, 0.4], "tip [mm]": [-1.57, -3.10, -4.66, -6.21]}
    >>> weights = pl.Measurement(hung, {"position:beam/tip:y": "tip"}, signals={"load/y": "F*-1"})
    >>> found = pl.identify(pl.compile(m, elements=pl.Exact(2, order=3)), parameters=["E"], measurements=[weights])
    >>> found.ok, found.derivatives, round(found.values["E"] / 1e9)
    (True, {'E': 'on the equations'}, 201)
    """
    system = compile(model) if isinstance(model, Model) else model
    with collect_warnings() as warned:
        sought = _sought(recipe_of(system, "identify").model, parameters)
        _check(measurements, hold_out, loss)
        if given is not None and not isinstance(given, Identification):
            raise OptionError(f"given={given!r:.60}: give what identify returned before, or leave it out.")
        task = Task(system, sought, measurements, start)
        fitted = _solved(task, loss, evaluations)
        return _identification(task, fitted, loss, hold_out, given, warned)


def _solved(task: Task, loss: str, most: int) -> fitting.Fitted:
    """Search shortly from all starts; then from the best result until convergence."""
    words: dict[str, Any] = {"data": task.data, "noise": task.noise, "loss": loss}
    first = task.firsts
    if len(first) > 1:
        tried = [fitting.solve(task.difference, task.derivative, u, task.bounds, most=SHORT, **words) for u in first]
        costs = [float(np.sum((task.difference(each.u) / task.data.unit) ** 2)) for each in tried]
        first = [tried[int(np.argmin(costs))].u]
    return fitting.solve(task.difference, task.derivative, first[0], task.bounds, most=most, **words)


def _check(measurements: Sequence[Measurement], hold_out: Sequence[Measurement], loss: str) -> None:
    if isinstance(measurements, Measurement):
        raise OptionError("measurements: give a list, measurements=[...].")
    for each in (*measurements, *hold_out):
        if not isinstance(each, Measurement):
            raise OptionError(f"measurements: {each!r:.60} is no Measurement. Read it with pl.Measurement(...).")
    if not measurements:
        raise OptionError("measurements: give at least one.")
    names = [each.name for each in (*measurements, *hold_out)]
    for name in names:
        if names.count(name) > 1:
            raise OptionError(f"measurements: two are called {name!r}. Give one of them another name=.")
    if loss not in fitting.LOSSES:
        raise OptionError(f"loss={loss!r}: choose {', '.join(fitting.LOSSES)}.")


def _sought(model: Model, parameters: Sequence[str | Parameter]) -> dict[str, Parameter]:
    known = model.parameters
    if isinstance(parameters, str | Parameter):
        raise OptionError(f"parameters={parameters!r}: give a list of names, parameters=[...].")
    if not known:
        raise OptionError(
            f'{model.name!r} has no parameters. Give one in the place of a number: Parameter("E", 70e9, unit="Pa").'
        )
    names = [each.name if isinstance(each, Parameter) else str(each) for each in parameters]
    if not names:
        raise OptionError(f"parameters: name at least one of {', '.join(known)}.")
    for name in names:
        if name not in known:
            raise OptionError(f"parameters: {model.name!r} has no parameter {name!r}. {nearest(name, known)}")
        if names.count(name) > 1:
            raise OptionError(f"parameters: {name!r} is given twice.")
    return {name: known[name] for name in names}


def _identification(
    task: Task,
    fitted: fitting.Fitted,
    loss: str,
    hold_out: Sequence[Measurement],
    given: Identification | None,
    warned: list[str],
) -> Identification:
    """Make the result of a search: estimates with their uncertainty, agreement with the measurements, and checks."""
    from scipy.stats import t as student

    x = fitted.u * task.sizes
    names = [each.name for each in task.measurements]
    carried = _carried(task, fitted, given) if given is not None else Carried(np.zeros((fitted.u.size,) * 2), fitted.r)
    colour = doubts.colour(fitted._replace(r=carried.left), task.data, task.quantities, names)
    spread = carried.spread + (
        fitting.clustered(fitted, loss, task.data, colour.reach) if colour.found else fitting.covariance(fitted, loss)
    )
    times = float(student.ppf(0.5 + 0.5 * LEVEL, fitting.freedoms(fitted, task.data, task.noise)))
    unknown = doubts.unknown(fitted.jac, task.names, fitted.scale, times)
    reach, bent = reaches(task, fitted, loss, times) if not unknown else (np.ones((fitted.u.size, 2)), [])
    moved, unrefined = _moved(task, fitted)
    estimates = _estimates(task, fitted, times * np.sqrt(np.diag(spread)) * reach.T, spread, unknown, moved)
    series = list(_series(task, fitted, x))
    agreement = _agreements(task, series)
    kept, far = _kept(task, hold_out, x, agreement)
    remarks = [each.words for each in unknown]
    remarks += _of_bounds_and_colour(task, fitted, colour)
    remarks += _of_mesh(estimates, moved * task.sizes, unrefined)
    remarks += _of_misfits(task, fitted, far, loss)
    checks = [
        *trust.of_residuals(task, fitted, carried.left, colour, loss),
        trust.of_bounds(task, fitted, loss),
        *trust.of_rows(task, fitted.u),
        Check("intervals over which the model bends too much", len(bent), 0, "", f"Measure {', '.join(bent)} better."),
    ]
    if given is not None:
        words = f"It says: {given.outcome.message}"
        checks.append(Check("earlier identifications that are not ok", float(not given.ok), 0, "", words))
    settings = {"parameters": list(task.parameters), "measurements": names, "loss": loss}
    return Identification(
        estimates=estimates,
        covariance=_labelled(spread * np.outer(task.sizes, task.sizes), list(estimates)),
        model=recipe_of(task.at(x).system, "identify").model,
        agreement=agreement,
        hold_out=kept,
        unknown=tuple(unknown),
        derivatives=_how(task),
        series=tuple(series + _held(task, hold_out, x)),
        outcome=_outcome(task, fitted, unknown, warned, checks),
        provenance=Provenance(task.system.model.name, "identify", settings),
        notes=(*(f'"{each.name}": {note}' for each in task.measurements for note in each.notes), *remarks),
    )


def _labelled(covariance: np.ndarray, labels: list[str]) -> xr.DataArray:
    coords, attributes = {"parameter": labels, "other": labels}, {"nan_means": "held at a bound"}
    return xr.DataArray(covariance, coords, ("parameter", "other"), name="covariance", attrs=attributes)


def _of_bounds_and_colour(task: Task, fitted: fitting.Fitted, colour: doubts.Coloured) -> list[str]:
    """Return remarks on parameters at a bound and on residuals that are not white, with warnings."""
    found = []
    held = [name for name, free in zip(task.names, fitted.free, strict=True) if not free]
    if held:
        found.append(f"at a bound, and held there: {', '.join(held)}")
        warn(AtBound, f"identify: {', '.join(held)}: the best value is at a bound. Widen the bounds, or fix it.")
    if colour.found:
        found.append(f"{colour.words}; intervals allow for that, but not for what the model leaves out")
        warn(ColouredResiduals, f"identify: {colour.words}. The model leaves something out, or the noise is coloured.")
    return found


def _of_misfits(task: Task, fitted: fitting.Fitted, far: str, loss: str) -> list[str]:
    """Return remarks on an outlier, on residuals above the noise, and on measurements that are poorly predicted."""
    found = []
    names = [each.name for each in task.measurements]
    if outlier := doubts.far_off(fitted, task.data, task.quantities, names):
        found.append(f'{outlier}: look at it, or try loss="soft_l1"')
    if fitted.scale > 1.0:
        told = "intervals are widened by that" if loss == "linear" else f"by loss={loss!r} those far off count less"
        found.append(f"residuals are {fitted.scale:.3g} times the noise that was given; {told}")
    if far:
        found.append(far)
        warn(PoorlyPredicted, f"identify: {far}.")
    return found


def _how(task: Task) -> dict[str, str]:
    """Return the origin of derivatives by parameter; differences if any measurement needs them."""
    found = {}
    for name in task.parameters:
        ways = list(dict.fromkeys(each.how[name] for each in task.forecasts))
        found[name] = " and ".join(sorted(ways))
    return found


def _estimates(
    task: Task,
    fitted: fitting.Fitted,
    halves: np.ndarray,
    spread: np.ndarray,
    unknown: Sequence[doubts.Combination],
    moved: np.ndarray,
) -> dict[str, Estimate]:
    units = [*(each.unit for each in task.parameters.values()), *(each.unit for each in task.free)]
    lost = {name for each in unknown for name in each.parts}
    found = {}
    for k, name in enumerate(task.names):
        size, free = task.sizes[k], bool(fitted.free[k])
        value = float(fitted.u[k] * size)
        error = float(np.sqrt(spread[k, k]) * size) if free else np.nan
        note = "not identified" if name in lost else "" if free else "at its bound"
        below, above = ((halves[:, k] + abs(moved[k])) * size).tolist() if free else (np.nan, np.nan)
        start = float(task.first[k] * size)
        found[name] = Estimate(
            name, value, value - below, value + above, error, start, units[k], note, k < len(task.parameters)
        )
    return found


def _moved(task: Task, fitted: fitting.Fitted) -> tuple[np.ndarray, str]:
    """Return the effect of mesh and time step on the estimates: a Gauss-Newton step on differences computed twice as
    fine, and a third more (orders of two and above); or the reason why they could not be computed.
    """
    found = np.zeros(fitted.u.size)
    try:
        finer = task.finer(fitted.u)
    except PliantError as error:
        return found, str(error)
    own = fitted.jac[:, fitted.free]
    change = (finer - task.difference(fitted.u)) * task.data.weight(fitted.noise)
    found[fitted.free] = -4.0 / 3.0 * fitting.inverse(own) @ own.T @ change
    return found, ""


def _of_mesh(estimates: dict[str, Estimate], moved: np.ndarray, unrefined: str) -> list[str]:
    """Return remarks on mesh and time step."""
    if unrefined:
        return [f"what a finer mesh and time step would change is not known: {unrefined}"]
    told = [
        f"{name} by {change / each.value:+.2g} of it" if each.value else f"{name} by {change:+.2g} {each.unit}"
        for (name, each), change in zip(estimates.items(), moved.tolist(), strict=True)
        if abs(change) > COARSE * each.error
    ]
    return [f"a finer mesh and time step would change {', '.join(told)}; intervals allow for that"] if told else []


class Carried(NamedTuple):
    """Effect of an earlier identification with covariance C on a later one.

    spread  addition to the covariance: ``S C S^T``, S = -(J^T J)^-1 J^T J_given
    left    residuals less their part from its uncertainty: ``min |r + J a + J_given b|^2 + b^T C^-1 b`` over a and b
    """

    spread: np.ndarray
    left: np.ndarray


def _carried(task: Task, fitted: fitting.Fitted, given: Identification) -> Carried:
    known = recipe_of(task.system, "identify").model.parameters
    earlier = [name for name, each in given.estimates.items() if each.of_model and name not in task.parameters]
    missing = [name for name in earlier if name not in known]
    if missing:
        raise OptionError(f"given: it found {missing[0]!r}, which this model has not. Take the same model.")
    for name in earlier:
        if not np.isclose(known[name].value, given.values[name], rtol=1e-9):
            raise OptionError(
                f"given: it found {name} = {given.values[name]:.6g}, and the model has {known[name].value:.6g}. "
                "Identify on given.model."
            )
    sure = [name for name in earlier if np.isfinite(given.covariance.sel(parameter=name, other=name).item())]
    found = np.zeros((fitted.u.size,) * 2)
    if not sure:
        return Carried(found, fitted.r)
    model = recipe_of(task.at(fitted.u * task.sizes).system, "identify").model
    both = {name: model.parameters[name] for name in (*task.parameters, *sure)}
    wider = Task(task.at(fitted.u * task.sizes).system, both, task.measurements, task.rest)
    start = np.concatenate([[each.value for each in both.values()], (fitted.u * task.sizes)[len(task.parameters) :]])
    jac = wider.derivative(start / wider.sizes) * task.data.weight(fitted.noise)[:, None] / wider.sizes
    first = len(task.parameters)
    own = np.flatnonzero(fitted.free)
    mine, theirs = fitted.jac[:, own], jac[:, first : first + len(sure)]
    step = -fitting.inverse(mine) @ mine.T @ theirs
    spread = given.covariance.sel(parameter=sure, other=sure).values
    found[np.ix_(own, own)] = step @ spread @ step.T
    values, axes = np.linalg.eigh(spread)
    both_ways = np.hstack([mine, theirs @ axes * np.sqrt(np.maximum(values, 0.0))])  # b in standard errors
    held = np.hstack([np.zeros((len(sure), own.size)), np.eye(len(sure))])
    target = np.concatenate([-fitted.r, np.zeros(len(sure))])
    best = np.linalg.lstsq(np.vstack([both_ways, held]), target, rcond=None)[0]
    return Carried(found, fitted.r + both_ways @ best)


def _series(task: Task, fitted: fitting.Fitted | None, x: np.ndarray) -> list[Series]:
    here = task.at(x)
    found = []
    for block, measurement in enumerate(task.measurements):
        measured = framed(measurement, task.frame(block, x))
        rows, places = task.rows(block, here.courses[block], task.shift(block, x))
        for name in measurement.values:
            inside = (task.data.block == block) & (task.data.series == task.quantities.index(name))
            group = int(task.data.group[inside][0])
            noise = np.nan if fitted is None else float(fitted.noise[group])
            computed = rows[name] + task.offset(block, name, x)
            if name.startswith("phase:"):  # in the measured turn
                computed = computed + 2.0 * np.pi * np.round((measured[name] - computed) / (2.0 * np.pi))
            found.append(
                Series(
                    measurement.name,
                    name,
                    task.forecasts[block].units[name],
                    places,
                    measured[name],
                    computed,
                    ALONG[measurement.kind],
                    noise,
                    fitted is None,
                )
            )
    return found


def _agreements(task: Task, series: Sequence[Series]) -> dict[str, Agreement]:
    found = {}
    for measurement in task.measurements:
        moving = measurement.kind == "motion"
        own = [each for each in series if each.measurement == measurement.name]
        rows = [fit(each.quantity, each.units, each.x, each.measured, each.computed, moving=moving) for each in own]
        found[measurement.name] = Agreement(measurement.name, tuple(rows))
    return found


def _held_task(task: Task, hold_out: Sequence[Measurement], x: np.ndarray) -> Task:
    system = task.at(x).system
    model = recipe_of(system, "identify").model
    return Task(system, {name: model.parameters[name] for name in task.parameters}, hold_out, task.rest)


def _held(task: Task, hold_out: Sequence[Measurement], x: np.ndarray) -> list[Series]:
    if not hold_out:
        return []
    other = _held_task(task, hold_out, x)
    return _series(other, None, other.first * other.sizes)


def _kept(
    task: Task, hold_out: Sequence[Measurement], x: np.ndarray, fits: dict[str, Agreement]
) -> tuple[dict[str, Agreement], str]:
    """Return the agreement with hold-out measurements, and describe those far off."""
    if not hold_out:
        return {}, ""
    other = _held_task(task, hold_out, x)
    found = _agreements(other, _series(other, None, other.first * other.sizes))
    usual: dict[str, list[float]] = {}
    for each in (row for agreement in fits.values() for row in agreement.rows):
        usual.setdefault(each.quantity, []).append(each.rms)
    for name, agreement in found.items():
        for row in agreement.rows:
            before = max(usual.get(row.quantity, [np.inf]))
            if row.rms > WORSE * before:
                return found, f'"{name}", which was kept apart: {row.quantity} is off by {row.rms:.3g} {row.units} ' \
                              f"(RMS), where the fit is by {before:.3g}"  # fmt: skip
    return found, ""


def _outcome(
    task: Task,
    fitted: fitting.Fitted,
    unknown: Sequence[doubts.Combination],
    warned: Sequence[str],
    more: Sequence[Check],
) -> Outcome:
    system = task.at(fitted.u * task.sizes).system
    bad = [each.outcome.message for one in task.forecasts for each in one.judged(system) if not each.outcome.ok]
    checks = [
        Check("next step", fitted.remaining, STEP, "standard errors", "Give evaluations=, or begin nearer."),
        Check(
            "combinations that cannot be identified", len(unknown), 0, "", "Fix one of them, or measure something else."
        ),
        Check("analyses at the solution that are not ok", len(bad), 0, "", "Look at the measurements' own analyses."),
        *more,
    ]
    names = dict.fromkeys([*warned, *(name for each in task.forecasts for name in each.warned)])
    figures: dict[str, Any] = {
        "values": fitted.r.size,
        "evaluations": fitted.evaluations,
        "next_step": fitted.remaining,
    }
    message = f"{len(task.parameters)} parameters from {fitted.r.size} values"
    if not fitted.converged:
        message = f"did not converge in {fitted.evaluations} evaluations"
    if bad:
        message += f"; {bad[0]}"
    if unknown:
        message += "; " + "; ".join(each.words for each in unknown)
    found = judged(message, figures, checks, done=fitted.converged)
    return Outcome(found.ok, found.message, found.figures, found.checks, tuple(names))
