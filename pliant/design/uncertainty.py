"""Uncertainty of quantities for uncertain parameters: first order from sensitivities, and samples.

    first order   mean = Q(mean),  variance = g^T C g,  g = dQ/dp, C the covariance of the parameters;  Q nearly linear
    samples       quasi-Monte Carlo (scrambled Sobol points), each followed from the equilibrium at the means
    indices       shares of the variance: S of a parameter alone, S_T with all its interactions

I. M. Sobol', Global sensitivity indices for nonlinear mathematical models, Math. Comput. Simul. 55 (2001);
A. Saltelli et al., Comput. Phys. Commun. 181 (2010) 259, as `scipy.stats.sobol_indices` computes them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from pliant.design import correlations
from pliant.design.quantities import Asked, Constraint, constraint
from pliant.design.responses import Answer, Responses
from pliant.design.sampling import LEFT, OfFunction, OfModel, Samples, named_values, sampled
from pliant.design.spread import NOTHING, Uncertainty, of_samples
from pliant.errors import OptionError
from pliant.model import Model
from pliant.model.parameters import Parameter
from pliant.model.quantities import si_of
from pliant.results import Result
from pliant.studies.designs import Distribution, Listed, Sobol
from pliant.studies.job import LEFT_BRANCH
from pliant.system.compile import recipe_of


class Fitted(Protocol):
    """Parameters from measurements, such as `pliant_fit.identification.Identification`."""

    @property
    def ok(self) -> bool:
        """Return whether every check of the fit passed."""

    @property
    def outcome(self) -> Any:
        """Return the outcome of the fit."""

    @property
    def estimates(self) -> Mapping[str, Any]:
        """Return value, standard error and note of each parameter."""

    @property
    def correlation(self) -> Any:
        """Return correlations of the parameters."""


if TYPE_CHECKING:
    from pliant.studies.executors import On
    from pliant.system.capabilities import Compiled

    Subject = Model | Compiled | Callable[..., object]
    Spread = float | str | tuple[float | str, float | str] | Distribution
    Scatter = Mapping[str, Spread] | Fitted

STEP = 1e-3  # step of differences of a function, in standard deviations


def uncertainty(
    subject: Subject,
    *,
    to: Scatter,
    of: Sequence[Asked] = (),
    limits: Sequence[Constraint | str] = (),
    correlation: Mapping[tuple[str, str], float] | None = None,
    samples: int = 256,
    indices: bool = False,
    seed: int = 0,
    start: Result | None = None,
    on: On = "threads",
    workers: int | None = None,
) -> Uncertainty:
    """Compute how quantities scatter if parameters scatter.

    subject  a `Model` or a compiled system; or a function of the parameters that returns a number, or a mapping from
             names to numbers
    to       parameters: a standard deviation (normal, about the parameter's value), ``"0.02 mm"``, a range (low, high),
             or a frozen distribution of `scipy.stats`. Or what `identify` found, with its covariance
    of       quantities, as of `optimise`; they may be arrays: ``lambda system, rest: rest.shape``
    limits   constraints; the probability that each is met is computed
    correlation  of pairs of parameters, ``{("E", "thickness"): 0.8}``; the others are independent
    samples  of quasi-Monte Carlo, a power of 2; 0: first order only
    indices  True: compute Sobol indices too, with (parameters + 2) times as many runs
    start    equilibrium of the model as it is; samples count if they are on its branch
    on, workers  as of `study`: "threads", "processes", ...

    Bounds of parameters are ignored here. A sample without equilibrium, or on another branch than the means, is a
    snapped one (`Uncertainty.snaps`) and is left out of means and intervals.

    >>> import pliant as pl
    >>> m = pl.Model("strip")
    >>> h = pl.Parameter("h", 2e-3, unit="m")
    >>> ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=pl.Section.rectangle(0.02, h, pl.STEEL)))
    >>> parts = m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=-1e-3))
    >>> found = pl.uncertainty(pl.compile(m, elements=2), to={"h": 2e-5}, of=["frequency_hz:1"], samples=16)
    >>> round(found.first_order["frequency_hz:1"].std / found.first_order["frequency_hz:1"].mean, 4)  # as that of h
    0.01
    """
    scatter, correlation = _of_identification(to, correlation)
    spreads = _spreads(subject, scatter)
    _check_samples(samples, indices)
    together = correlations.matrix(list(spreads), correlation)
    if indices and correlation:
        raise OptionError("indices=True: shares of the variance have a meaning for independent parameters only.")
    bounds = [constraint(each) for each in limits]
    means = {name: _number(name, each.mean()) for name, each in spreads.items()}
    sigmas = {name: _number(name, each.std()) for name, each in spreads.items()}
    for name, sigma in sigmas.items():
        if sigma == 0.0:
            raise OptionError(f"to: {name} does not scatter (its standard deviation is 0). Take it out of to=.")
    job: OfModel | OfFunction
    doubts: list[str] = []
    if callable(subject) and not hasattr(subject, "observed"):
        names, here, slopes, job = _of_function(subject, means, sigmas, bounds)
        units = dict.fromkeys(names, "")
    else:
        wanted = [*of, *(each.quantity for each in bounds)]
        responses = Responses(subject, over=list(means), of=_once(wanted), start=start)
        x = np.array(list(means.values()))
        answer = responses.anywhere(x)
        if answer.failed or answer.left:
            raise OptionError(f"uncertainty: at the means of the parameters: {answer.failed or answer.left}")
        names, units = [each.name for each in responses.quantities], answer.units
        doubts = [*answer.doubts, *_another_branch(answer, start)]
        here = {name: np.asarray(answer.values[name], float) for name in names}
        slopes = responses.slopes_anywhere(answer).by
        shapes = [here[name].shape for name in names]
        job = OfModel(answer.system, list(means), responses.quantities, answer.rest, shapes)
    for each in bounds:
        each.check_units(units[each.name])
    _check_dependence(job, names, (means, sigmas), here, slopes)
    drawn = None
    if samples:
        points = correlations.drawn(spreads, together, samples, seed) if correlation else None
        drawn = sampled(job, names, points or Sobol(spreads, runs=samples, seed=seed), on, workers)
    shares = _indices(job, names, spreads, samples, seed, on, workers) if indices else None
    name = (
        subject.name if isinstance(subject, Model) else getattr(getattr(subject, "model", subject), "name", "function")
    )
    return of_samples(str(name), (means, sigmas, together), (here, slopes, units), drawn, shares, bounds, doubts)


def _another_branch(at_means: Answer, start: Result | None) -> list[str]:
    """Return the message if the model has snapped or buckled at the means, and no start was given."""
    if start is not None or at_means.rest is None:
        return []
    hint = "Give start= the equilibrium that is meant, or other means."
    return [
        f"the model has left the branch it begins on ({name}): {at_means.rest.outcome.message}. {hint}"
        for name in LEFT_BRANCH
        if name in at_means.rest.outcome.warnings
    ]


def _of_identification(
    to: Any, correlation: Mapping[tuple[str, str], float] | None
) -> tuple[Any, Mapping[tuple[str, str], float]]:
    """Return distributions and correlations, given or from an identification."""
    from scipy import stats

    if not hasattr(to, "estimates"):
        return to, correlation or {}
    if correlation is not None:
        raise OptionError("correlation: an identification has its own. Leave it out.")
    if not to.ok:
        raise OptionError(
            f"to: that identification is not ok, so that its covariance is not reliable: {to.outcome.message}"
        )
    known = {name: each for name, each in to.estimates.items() if each.of_model}
    for name, each in known.items():
        if not np.isfinite(each.error):
            raise OptionError(f"to: {name} is {each.note}: its uncertainty is not known. Give to={{...}} by hand.")
    names, rho = list(known), to.correlation
    pairs = {
        (one, other): float(rho.sel(parameter=one, other=other))
        for k, one in enumerate(names)
        for other in names[k + 1 :]
    }
    return {name: stats.norm(each.value, each.error) for name, each in known.items()}, pairs


def _spreads(subject: Any, to: Mapping[str, Any]) -> dict[str, Any]:
    """Return the distributions of the parameters."""
    from scipy import stats

    if not isinstance(to, Mapping) or not to:
        raise OptionError(f"to={to!r:.60}: give a mapping from parameters to how they scatter.")
    known: Mapping[str, Parameter] | None = None
    if isinstance(subject, Model):
        known = subject.parameters
    elif not callable(subject) or hasattr(subject, "observed"):
        known = recipe_of(subject, "uncertainty").model.parameters
    found: dict[str, Any] = {}
    for name, given in to.items():
        spread = si_of(known[name], "to", given) if known and name in known else given
        if isinstance(spread, Distribution):
            found[name] = spread
        elif _is_range(spread):
            found[name] = stats.uniform(spread[0], spread[1] - spread[0])
        elif isinstance(spread, int | float) and not isinstance(spread, bool) and 0.0 < spread < np.inf:
            if known is None or name not in known:
                hint = "Only a parameter of a model has a value: give a distribution, such as stats.norm(1.0, 0.1)."
                raise OptionError(f"to: {name}={spread!r} is a standard deviation about which value? {hint}")
            found[name] = stats.norm(known[name].value, spread)
        else:
            hint = "Give a standard deviation above 0, a range (low, high), or a distribution of scipy.stats."
            raise OptionError(f"to: {name}={given!r:.60}. {hint}")
    return found


def _is_range(spread: Any) -> bool:
    numbers = isinstance(spread, tuple) and len(spread) == 2 and all(isinstance(each, Real) for each in spread)
    return numbers and bool(spread[0] < spread[1])


def _check_dependence(
    job: OfModel | OfFunction,
    names: Sequence[str],
    spreads: tuple[Mapping[str, float], Mapping[str, float]],
    here: Mapping[str, np.ndarray],
    slopes: Mapping[str, np.ndarray],
) -> None:
    """Refuse a parameter that has no influence: zero slope, and no change one deviation away, neither at the means nor
    with the others a deviation away too, as it may matter only together with them.
    """
    means, sigmas = spreads
    for k, (name, sigma) in enumerate(sigmas.items()):
        sizes = {each: float(np.max(np.abs(here[each]), initial=0.0)) or 1.0 for each in names}
        if any(np.max(np.abs(slopes[each][..., k])) * sigma > NOTHING * sizes[each] for each in names):
            continue
        moved = {other: means[other] + s for other, s in sigmas.items()}
        if all(_same(job, {**base, name: means[name]}, name, sigma, list(sizes.values())) for base in (means, moved)):
            raise OptionError(
                f"to: nothing depends on {name!r}: {', '.join(names)} stay as they are. Take it out of to=, or name a "
                "quantity that it changes."
            )


def _same(
    job: OfModel | OfFunction, base: Mapping[str, float], name: str, change: float, sizes: Sequence[float]
) -> bool:
    """Return whether a change of one parameter leaves all quantities unchanged."""
    here, beside = job(**base), job(**{**base, name: base[name] + change})
    if here[LEFT] or beside[LEFT]:
        return False
    return all(np.max(np.abs(beside[f"q{i}"] - here[f"q{i}"])) <= NOTHING * size for i, size in enumerate(sizes))


def _check_samples(samples: int, indices: bool) -> None:
    whole = isinstance(samples, int) and not isinstance(samples, bool) and samples >= 0
    if not whole or samples & (samples - 1):
        raise OptionError(f"samples={samples!r}: give a power of 2, such as 256, or 0 for first order only.")
    if indices and samples < 2:
        raise OptionError("indices=True needs samples: give a power of 2, such as 512.")


def _number(name: str, value: Any) -> float:
    found = float(value)
    if not np.isfinite(found):
        raise OptionError(f"to: the distribution of {name} has no finite mean and standard deviation. Truncate it.")
    return found


def _once(wanted: Sequence[Any]) -> list[Any]:
    """Return quantities, each name once."""
    from pliant.design.quantities import quantity

    known: dict[str, Any] = {}
    for each in wanted:
        known.setdefault(quantity(each).name, quantity(each))
    return list(known.values())


def _of_function(
    function: Callable[..., Any], means: Mapping[str, float], sigmas: Mapping[str, float], bounds: Sequence[Constraint]
) -> tuple[list[str], dict[str, np.ndarray], dict[str, np.ndarray], OfFunction]:
    """Return names and values of a function's results, their derivatives by differences, and the study's job."""
    _check_call(function, means)
    here = named_values(function(**means))
    slopes: dict[str, list[np.ndarray]] = {name: [] for name in here}
    for name, sigma in sigmas.items():
        sides = [named_values(function(**{**means, name: means[name] + sign * STEP * sigma})) for sign in (1.0, -1.0)]
        for key, column in slopes.items():
            column.append((sides[0][key] - sides[1][key]) / (2.0 * STEP * sigma))
    for each in bounds:
        if each.name not in here:
            raise OptionError(f"limits: the function gives {', '.join(here)}, not {each.name!r}.")
    job = OfFunction(function, list(here), [each.shape for each in here.values()])
    return list(here), here, {name: np.stack(column, axis=-1) for name, column in slopes.items()}, job


def _check_call(function: Callable[..., Any], means: Mapping[str, float]) -> None:
    """Refuse a function whose arguments differ from the parameters."""
    try:
        arguments = inspect.signature(function)
    except ValueError:  # some compiled functions have no signature
        return
    try:
        arguments.bind(**means)
    except TypeError as error:
        raise OptionError(
            f"uncertainty: the function, with the arguments {arguments}, cannot be called with "
            f"{', '.join(f'{name}=' for name in means)} ({error}). Name its arguments as in to=."
        ) from None


def _indices(
    job: OfModel | OfFunction,
    names: Sequence[str],
    spreads: Mapping[str, Any],
    samples: int,
    seed: int,
    on: Any,
    workers: int | None,
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Compute Sobol indices of every scalar quantity: first order and total, by parameter."""
    from scipy import stats

    parameters = list(spreads)
    scalar: list[str] = []

    def rows(x: np.ndarray) -> np.ndarray:
        columns = np.reshape(x, (len(parameters), -1))
        points = [dict(zip(parameters, point.tolist(), strict=True)) for point in columns.T]
        found: Samples = sampled(job, names, Listed(points), on, workers)
        if any(found.left):
            why = next(each for each in found.left if each)
            raise OptionError(
                f"indices=True: {sum(map(bool, found.left))} of {len(points)} samples have left the branch of the "
                f"means or have no equilibrium ({why}): a share of the variance has no meaning. Narrow the spreads."
            )
        scalar[:] = [name for name in names if found.values[name].ndim == 1]
        return np.array([found.values[name] for name in scalar]).reshape(len(scalar), *x.shape[1:])

    found = stats.sobol_indices(func=rows, n=samples, dists=list(spreads.values()), rng=np.random.default_rng(seed))
    first, total = np.atleast_2d(found.first_order), np.atleast_2d(found.total_order)
    return {name: (first[k], total[k]) for k, name in enumerate(scalar)}
