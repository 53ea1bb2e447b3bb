"""Optimisation: values of parameters that minimise a quantity, within bounds on others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pliant._libraries import xarray as xr
from pliant.design import search
from pliant.design.choices import combined, free
from pliant.design.optimum import KIND, MODEL, PRICE, Active, Optimum, of_record, price_bound, text_of
from pliant.design.problem import FEASIBLE, Problem
from pliant.design.quantities import Asked, Constraint, Quantity, constraint, quantity
from pliant.design.responses import NO_MODEL, Answer, Responses
from pliant.errors import Interrupted, OptionError
from pliant.model import Model
from pliant.results import Provenance, Result
from pliant.results.progress import progress
from pliant.results.records import Check, judged
from pliant.system.compile import refine

if TYPE_CHECKING:
    from pliant.system.capabilities import Compiled

    Subject = Model | Compiled | Callable[..., Model | Compiled]

MESH = 1e-2  # of the goal and of bounds: largest change by a mesh twice as fine
SAME = 1e-6  # of a quantity: largest difference when a design is computed again from the start
NOTHING = 1e-9  # of a quantity, for a change of a parameter by its size: smaller changes are no dependence
LOOKS = 16  # designs that are tried if the model as it is has no solution


def optimise(
    subject: Subject,
    *,
    minimise: Asked | None = None,
    maximise: Asked | None = None,
    subject_to: Sequence[Constraint | str] = (),
    over: Sequence[str] | None = None,
    choices: Mapping[str, Sequence[object]] | None = None,
    starts: int = 1,
    seed: int = 0,
    start: Result | None = None,
    method: str = "SLSQP",
    most_iterations: int = 100,
    seen: Callable[[dict[str, float]], None] | None = None,
) -> Optimum:
    """Find values of parameters that minimise (or maximise) a quantity, with constraints on other quantities.

    subject     a `Model` or a compiled system; with ``choices``, also a function of the choices that returns a model or
                system
    minimise, maximise  one of the two: a quantity ("mass", "frequency_hz:1", "stiffness:stage:x"; `Quantity` for other
                analyses), or a function of system and equilibrium
    subject_to  constraints: "frequency_hz:1 >= 12" in SI units, "mass <= 200 g", ``pl.Quantity(...) <= 0.2``,
                `Constraint`
    over        names of parameters; default: all of the model. They stay within their ``low`` and ``high``, and are
                divided by their ``scale``
    choices     discrete values, ``{"legs": [2, 3, 4]}``, of arguments of the function or of parameters, which are then
                not searched over. Every combination is optimised
    starts      number of starts: the model as it is, and further designs between the bounds (Latin hypercube, by
                ``seed``)
    start       equilibrium of the model as it is; the optimum stays on its branch. Default: the one that `statics`
                finds
    method      "SLSQP" or "trust-constr" of SciPy
    most_iterations  of the solver, from each start
    seen        function that is called with the values of every design that is better than all before, for instance to
                show them

    The result is a local optimum. ``ok`` means that it meets the constraints (to 1e-6 of each bound), that no permitted
    change of the parameters improves it (Karush-Kuhn-Tucker: by less than 1e-3 of the goal for changes by the sizes of
    the parameters), that it is no saddle point, that all its analyses are ok, that its equilibrium lies on the branch
    of the start, and that a mesh twice as fine changes the goal and misses bounds by 1 % at most. Ctrl-C raises
    `pliant.errors.Interrupted`, whose ``result`` is the best so far.

    >>> import pliant as pl
    >>> m = pl.Model("strip")
    >>> h = pl.Parameter("h", 2e-3, low=0.5e-3, high=4e-3, unit="m")
    >>> ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=pl.Section.rectangle(0.02, h, pl.STEEL)))
    >>> weld = m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)))
    >>> system = pl.compile(m, elements=pl.Exact(2, order=3))
    >>> found = pl.optimise(system, minimise="mass", subject_to=["stiffness:beam/tip:y >= 50"], over=["h"])
    >>> found.ok, round(found.values["h"] * 1e3, 4)  # E b h^3 / 4 L^3 = 50 N/m, with shear
    (True, 1.8123)
    >>> [each.text for each in found.active]
    ['stiffness:beam/tip:y >= 50']
    """
    goal, sign = _goal(minimise, maximise)
    limits = [constraint(each) for each in _listed(subject_to)]
    search.check_method(method)
    for name, value in (("starts", starts), ("most_iterations", most_iterations)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise OptionError(f"{name}={value!r}: give a whole number of at least 1.")
    found: list[Optimum] = []
    wrong: list[str] = []
    with progress("optimise", most_iterations * starts) as report:
        for choice, each in combined(subject, choices):
            problem: Problem | None = None
            try:
                responses = _responses(each, free(each, over, choice), _quantities(goal, limits), start)
                problem = Problem(responses, limits, sign, report, seen=seen)
                found.append(_optimum(problem, choice, starts, seed, method, most_iterations))
            except KeyboardInterrupt:
                told = [
                    *found,
                    *([_summed(problem, choice, "", None, done=False)] if problem and problem.best() else []),
                ]
                best = min(told, key=_rank(sign), default=None)
                raise Interrupted("The search was interrupted. The best so far is in .result.", best) from None
            except OptionError as error:
                if not choice or not str(error).startswith(NO_DESIGN):
                    raise
                wrong.append(f"{_design_words(choice)}: {error}")
    if not found:
        raise OptionError("choices: none of them gives a design that can be computed. " + " ".join(wrong))
    best = min(found, key=_rank(sign))
    return best if len(found) + len(wrong) == 1 else _among(best, found, wrong)


NO_DESIGN = "no design"


def _responses(
    subject: Any, over: Sequence[str] | None, quantities: Sequence[Quantity], start: Result | None
) -> Responses:
    try:
        return Responses(subject, over=over, of=quantities, start=start)
    except NO_MODEL as error:
        raise OptionError(
            f"{NO_DESIGN}: the model cannot be computed as it is: {error} Give its parameters other values."
        ) from error


def _listed(given: Any) -> Sequence[Constraint | str]:
    if isinstance(given, str | Constraint):
        raise OptionError(f"subject_to={given!r:.60}: give a list of constraints.")
    return list(given)


def _goal(minimise: Asked | None, maximise: Asked | None) -> tuple[Quantity, float]:
    if (minimise is None) == (maximise is None):
        raise OptionError("optimise: give one of minimise= and maximise=.")
    return (quantity(minimise), 1.0) if minimise is not None else (quantity(maximise), -1.0)  # type: ignore[arg-type]


def _quantities(goal: Quantity, limits: Sequence[Constraint]) -> list[Quantity]:
    """Return goal and constrained quantities, each once."""
    known = {goal.name: goal}
    for each in limits:
        mine: Any = each.quantity
        other = known.setdefault(each.name, mine)
        if other is not mine and (other.of, other.analysis) != (mine.of, mine.analysis):
            raise OptionError(f"two quantities are called {each.name!r}. Give one of them another name=.")
    return list(known.values())


def _optimum(problem: Problem, choice: dict[str, object], starts: int, seed: int, method: str, most: int) -> Optimum:
    """Return the best result of all starts."""
    first = _first(problem)
    _check_dependence(problem, first)
    problem.set_apart(first)
    said, found = [], None
    for number, z in enumerate(_starts(problem, first.x / problem.sizes, starts, seed)):
        problem.start = number
        said.append(search.search(problem, z, method, most))
    for _ in range(2):  # a saddle is left along its descent direction
        best: Any = problem.best()
        if best.violation > FEASIBLE:
            break
        z = best.x / problem.sizes
        found = search.conditions(problem, z, curved=True)
        if found.curvature >= -search.CURVED:
            break
        ways = [np.clip(z + sign * search.AWAY * found.downhill, problem.low, problem.high) for sign in (1.0, -1.0)]
        said.append(search.search(problem, min(ways, key=problem.f), method, most))
        found = None
    return _summed(problem, choice, said[0], found)


def _first(problem: Problem) -> Answer:
    """Return a first design: the model as it is, or another one if the model cannot be computed."""
    responses = problem.responses
    answer = problem.answer(responses.at_start / problem.sizes)
    why = answer.failed or answer.left
    if not why:
        return answer
    if np.all(np.isfinite(problem.high - problem.low)):
        for z in _spread(problem, LOOKS, 0):
            answer = problem.answer(z)
            if not (answer.failed or answer.left):
                return answer
    names = ", ".join(f"{each.name} from {each.low:g} to {each.high:g}" for each in responses.parameters.values())
    raise OptionError(
        f"{NO_DESIGN} of {responses.model.name!r} is within the bounds, as far as was looked "
        f"({len(problem.tried)} tried: {names}). At the start: {why} Give other bounds, or another start."
    )


def _check_dependence(problem: Problem, first: Answer) -> None:
    """Refuse parameters without influence on any quantity."""
    slopes = problem.responses.slopes(first.x).by
    values = {name: abs(float(value)) or 1.0 for name, value in first.values.items()}
    for k, parameter in enumerate(problem.responses.parameters.values()):
        size = problem.sizes[k]
        if max(abs(slopes[name][k]) * size / values[name] for name in values) > NOTHING:
            continue
        x = first.x.copy()
        x[k] = x[k] + 0.1 * size if x[k] + 0.1 * size <= parameter.high else max(x[k] - 0.1 * size, parameter.low)
        other = problem.responses(x)
        moved = [abs(float(other.values[name]) - float(first.values[name])) / values[name] for name in other.values]
        if other.failed or max(moved) > SAME:
            continue  # level here only
        raise OptionError(
            f"over: nothing depends on {parameter.name!r}: {', '.join(values)} stay as they are. Take it out of over=, "
            "or name a quantity that it changes."
        )


def _starts(problem: Problem, z: np.ndarray, count: int, seed: int) -> list[np.ndarray]:
    if count == 1:
        return [z]
    for each in problem.responses.parameters.values():
        if not np.isfinite(each.high - each.low):
            raise OptionError(
                f"starts={count}: {each.owner} has no bounds to spread them between. Give low= and high=."
            )
    return [z, *_spread(problem, count - 1, seed)]


def _spread(problem: Problem, count: int, seed: int) -> np.ndarray:
    from scipy.stats import qmc

    shares = qmc.LatinHypercube(problem.sizes.size, rng=np.random.default_rng(seed)).random(count)
    return np.asarray(problem.low + shares * (problem.high - problem.low))


def _rank(sign: float) -> Callable[[Optimum], tuple[bool, float, float]]:
    def rank(each: Optimum) -> tuple[bool, float, float]:
        missed = float(each.record.outcome.figures["violation"])
        return missed > FEASIBLE, max(missed, FEASIBLE), sign * each.result[each.goal]

    return rank


def _summed(
    problem: Problem, choice: dict[str, object], said: str, found: search.Conditions | None, *, done: bool = True
) -> Optimum:
    """Return the best design that was tried, with its checks; ``found``: its conditions, if known."""
    responses, best = problem.responses, problem.best()
    if best is None:
        raise OptionError(f"{NO_DESIGN} was found from any start.")
    answer = responses(best.x)
    judgement = Assessment()
    if best.violation <= FEASIBLE and done:
        found = found or search.conditions(problem, best.x / problem.sizes, curved=True)
        judgement = _judgement(problem, answer, found)
    checks = [
        Check("constraints", best.violation, FEASIBLE, "of a bound", _missed(problem, best)),
        *judgement.checks,
        Check("analyses", len(answer.doubts), 0, "not ok", " ".join(answer.doubts)),
    ]
    figures = {"evaluations": responses.evaluations, "violation": best.violation, **judgement.figures}
    outcome = judged(_message(problem, best, checks, said, done), figures, checks, done=done)
    names = [each.name for each in responses.quantities]
    before = next((each for each in problem.tried if not each.failed), best)
    kept = {
        "values": dict(zip(responses.names, best.x.tolist(), strict=True)),
        "start": dict(zip(responses.names, responses.at_start.tolist(), strict=True)),
        "result": dict(zip(names, best.values.tolist(), strict=True)),
        "before": dict(zip(names, before.values.tolist(), strict=True)),
        "goal": problem.goal,
        "sign": problem.sign,
        "active": [each._asdict() for each in judgement.active],
        "choice": choice,
        "constraints": {each.name: [bound for _, bound in each.sides] for each in problem.constraints},
        "units": answer.units,
        MODEL: text_of(answer.system.model),
    }
    record = Result(_history(problem), KIND, outcome, Provenance(responses.model.name, "optimise", kept))
    return replace(of_record(record), choice=choice, model=answer.system.model)


class Assessment(NamedTuple):
    """Assessment of a design that meets the constraints: checks, active constraints, figures of the outcome."""

    checks: Sequence[Check] = ()
    active: Sequence[Active] = ()
    figures: Mapping[str, float] = {}


def _judgement(problem: Problem, answer: Answer, found: search.Conditions) -> Assessment:
    hint = 'Try more most_iterations, method="trust-constr", or smoother quantities.'
    active = _active(problem, found.multipliers, answer)
    figures = {"residual": found.residual, "curvature": found.curvature}
    checks = [
        Check("stationarity", found.residual, search.STATIONARY, "of the goal", hint),
        Check("curvature", max(-found.curvature, 0.0), search.CURVED, "of the goal", "It is a saddle."),
        Check("found again", _again(problem, answer), SAME, "of a quantity", "It has other branches."),
    ]
    if (change := _refined(problem, answer)) is not None:
        figures["mesh_change"] = change
        checks.append(Check("mesh", change, MESH, "of goal or bound", "Compile with more elements."))
    return Assessment(checks, active, figures)


def _missed(problem: Problem, best: Any) -> str:
    """Describe the constraints that are not met."""
    names = [each.name for each in problem.responses.quantities]
    values = dict(zip(names, best.values.tolist(), strict=True))
    told = [
        f"{each!r} reaches {values[each.name]:.6g}"
        for each in problem.constraints
        if each.low - values[each.name] > FEASIBLE * abs(each.low)
        or values[each.name] - each.high > FEASIBLE * abs(each.high)
    ]
    hint = "Relax one of them, widen the bounds of the parameters, or try more starts=."
    return f"{'; '.join(told)}. {hint}" if told else ""


def _message(problem: Problem, best: Any, checks: Sequence[Check], said: str, done: bool) -> str:
    if not done:
        return "interrupted: the best so far"
    if best.violation > FEASIBLE:
        return f"no design was found that meets all constraints: {_missed(problem, best)}"
    places: dict[int, float] = {}
    for each in problem.tried:
        if not each.failed and each.violation <= FEASIBLE:
            value = problem.sign * float(each.values[0])
            places[each.start] = min(places.get(each.start, value), value)
    total = 1 + max(each.start for each in problem.tried)
    least = min(places.values())
    same = sum(value - least <= 1e-4 * problem.size for value in places.values())
    starts = f", reached from {same} of {total} starts" if total > 1 else ""
    good = all(check.passed for check in checks)
    return f"a local optimum{starts}" if good else f"the best design that was tried{starts}; the solver says: {said}"


def _again(problem: Problem, answer: Answer) -> float:
    """Return the difference of quantities when the design is computed again, straight from the start."""
    mine = problem.responses
    fresh = Responses(mine.system, over=mine.names, of=mine.quantities, start=mine.start)
    first = fresh(mine.at_start)
    other = fresh(answer.x)
    if other.failed or other.left:
        return float("inf")
    sizes = {
        name: max(abs(float(each)), abs(float(first.values.get(name, 0.0)))) for name, each in answer.values.items()
    }
    return max(abs(float(other.values[n]) - float(v)) / (sizes[n] or 1.0) for n, v in answer.values.items())


def _refined(problem: Problem, answer: Answer) -> float | None:
    """Return the change of the goal, or of missed constraints, on a mesh twice as fine; None without a mesh."""
    try:
        finer = refine(answer.system)
    except OptionError:
        return None
    mine = problem.responses
    other = Responses(finer, over=mine.names, of=mine.quantities, start=answer.rest).anywhere(answer.x)
    if other.failed or other.left:
        return float("inf")
    goal = abs(float(other.values[problem.goal]) - float(answer.values[problem.goal])) / problem.size
    return max(goal, problem.missed(other))


def _active(problem: Problem, multipliers: np.ndarray, answer: Answer) -> list[Active]:
    """Return active constraints and bounds with their prices, the most costly first."""
    m, n = len(problem.sides), problem.sizes.size
    goal = problem.goal, float(answer.values[problem.goal]), answer.units[problem.goal]
    found = []
    for (each, sign, bound), multiplier, size in zip(problem.sides, multipliers[:m], problem.bounds, strict=True):
        if abs(multiplier) > PRICE:
            one = each if each.low == each.high else Constraint(each.quantity, **{"low" if sign > 0 else "high": bound})
            price = problem.sign * sign * multiplier * problem.size / size
            found.append(
                (abs(multiplier), price_bound(repr(one), bound, price, answer.units[each.name], goal, problem.sign))
            )
    for k, parameter in enumerate(problem.responses.parameters.values()):
        for multiplier, bound, text, sign in (
            (multipliers[m + k], parameter.low, ">=", 1.0),
            (multipliers[m + n + k], parameter.high, "<=", -1.0),
        ):
            if multiplier > PRICE:
                price = problem.sign * sign * multiplier * problem.size / problem.sizes[k]
                named = price_bound(
                    f"{parameter.name} {text} {bound:g}", bound, price, parameter.unit, goal, problem.sign
                )
                found.append((multiplier, named))
    return [each for _, each in sorted(found, key=lambda pair: -pair[0])]


def _history(problem: Problem) -> xr.Dataset:
    """Return all designs that were tried."""
    tried = problem.tried
    meaning = {"nan_means": "there is no such design"}
    return xr.Dataset(
        {
            "design": (("evaluation", "parameter"), np.array([each.x for each in tried])),
            "response": (("evaluation", "quantity"), np.array([each.values for each in tried]), meaning),
            "violation": ("evaluation", np.array([each.violation for each in tried]), {"nan_means": "no design"}),
            "begun_from": ("evaluation", np.array([each.start for each in tried])),
        },
        {
            "evaluation": np.arange(len(tried)),
            "parameter": problem.responses.names,
            "quantity": [each.name for each in problem.responses.quantities],
        },
    )


def _design_words(choice: Mapping[str, object]) -> str:
    return ", ".join(f"{name} = {value!r:.40}" for name, value in choice.items())


def _among(best: Optimum, found: Sequence[Optimum], wrong: Sequence[str]) -> Optimum:
    """Return the best of several choices; the message lists all of them."""
    others = [
        f"{_design_words(each.choice)}: {each.result[each.goal]:.6g}{'' if each.ok else ' (not ok)'}" for each in found
    ]
    outcome = best.record.outcome
    told = f"{outcome.message}; the best of {len(found) + len(wrong)} choices ({'; '.join([*others, *wrong])})"
    return replace(best, record=best.record.judged(replace(outcome, message=told)))
