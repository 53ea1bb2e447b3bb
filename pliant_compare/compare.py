"""`compare`: one model, one analysis, every formulation, element and space that applies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean

import numpy as np

from pliant.analyses.workflow import Question
from pliant.errors import OptionError, PliantError, nearest
from pliant.model import Model, SignalLike
from pliant.results.progress import progress
from pliant.results.result import Result
from pliant.system.compile import formulation_names, variants_of
from pliant.system.variants import Variant
from pliant_compare import neglect
from pliant_compare.causes import Causes
from pliant_compare.comparison import Answer, Comparison, Refusal, Row
from pliant_compare.courses import apart, courses, scales
from pliant_compare.other_programs import Other
from pliant_compare.refinement import Ask, Refined, refined, step_of
from pliant_compare.verdicts import REFERENCE, Verdict, verdict

INSTANTS = 201  # of a motion, at which courses are compared
OTHERS = 0.01  # of the scale: allowed difference of another program, unless a tolerance is given
TURNED = 0.1  # rad: linear methods do not apply beyond


def compare(
    model: Model,
    *steps: str,
    time: float = 1.0,
    step: float | None = None,
    modes: int = 6,
    damped: bool = False,
    friction: str | None = None,
    follow: str | None = None,
    to: float | None = None,
    release: Sequence[str] = (),
    push: Mapping[str, float | Sequence[float]] | None = None,
    signals: Mapping[str, SignalLike] | None = None,
    formulations: Sequence[str | Variant] | None = None,
    elements: int | None = None,
    levels: int = 3,
    in_space: bool = True,
    others: Sequence[Other] = (),
    tolerance: float | None = None,
    everything: bool = False,
    patience: float = 10.0,
) -> Comparison:
    """Run the same analysis by every formulation and element that applies, and assess the differences.

    steps         "statics", "path", "modes", "simulate", run one after another as by `pliant run`; the last result is
                  compared
    time, step, push, release     of "simulate" (see `transient`); ``step``: on the coarsest level, by default the step
                                  that `transient` chooses
    modes, damped, follow, to     of "modes" and "path"
    friction                      of "modes" where parts rub: "stuck" or "free"
    signals       replace signals of the model
    formulations  names of formulations, or variants (see the glossary); default: all
    elements      of a beam, on the coarsest mesh; default: 4. Numbers of links and subintervals are in proportion
    levels        number of refinement levels, each with mesh and steps twice as fine as the one before; 1: no
                  refinement
    in_space      whether a planar model is also computed as a spatial one
    others        results of other programs, from `read_other`
    tolerance     fraction of the range up to which results agree; default: they agree if they differ by no more than
                  the estimated errors
    everything    True: compare velocities, forces, accelerations and energies too
    patience      s, largest processor time of one run

    The values compared are extrapolated (Richardson 1911), with an uncertainty. See docs/compare.md.

    >>> import pliant as pl
    >>> m = pl.Model("pendulum")
    >>> ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=-1.0))
    >>> parts = m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
    >>> found = pl.compare(m, "modes", formulations=["dae", "udwadia_kalaba"])
    >>> found.ok, found.names
    (True, ('dae', 'udwadia_kalaba', 'dae in space', 'udwadia_kalaba in space'))
    """
    _check(steps, levels)
    question = Question(
        steps, time=time, step=step, modes=modes, damped=damped, friction=friction, follow=follow, to=to,
        release=release, push=push or {}, instants=INSTANTS,
    )  # fmt: skip
    ask = Ask(model, question, signals or {}, everything)
    factor = 1.0 if elements is None else elements / _coarse(model)
    if ask.moves and step is None:
        step = _own_step(ask, factor)

    def run(ask: Ask, way: Variant, name: str) -> Refined:
        return refined(ask, way, name=name, factor=factor, levels=levels, step=step, patience=patience)

    found, refused = list[Refined](), list[Refusal]()
    wanted = list(_ways(ask, formulations, in_space, refused))
    with progress(f"compare {model.name}", float(len(wanted))) as report:
        for number, (each, way, name) in enumerate(wanted):
            try:
                if neglect.SMALL_ROTATIONS in way.neglects and found:
                    _refuse_turned(ask, found[0], way)
                found.append(run(each, way, name))
            except PliantError as error:
                refused.append(Refusal(name, str(error)))
            report(float(number + 1))
    if not found:
        why = f" {refused[0].name}: {refused[0].why}" if refused else " Give formulations=None for all."
        raise OptionError(f"compare: no way applies to {model.name!r}.{why}")
    best = _reference(found)
    causes = Causes(ask, found[best], lambda other: run(other, found[best].way, found[best].name))
    answers = [*(_answer(each, levels) for each in found), *(_of_other(each, found[best]) for each in others)]
    rows = _rows(answers, best, tolerance, causes)
    settings = {"step": step, "levels": levels, "tolerance": tolerance, "signals": dict(signals or {})}
    kind = found[best].finest.result.kind
    return Comparison(model.name, _words(question), kind, tuple(answers), best, rows, tuple(refused), settings)


def compare_results(
    results: Mapping[str, Result | Other], *, tolerance: float | None = None, everything: bool = False
) -> Comparison:
    """Compare given results; the first is the reference.

    tolerance  fraction of the range up to which results agree; default: no verdicts

    >>> from pliant_gallery import pendulum
    >>> import pliant as pl
    >>> system = pl.compile(pendulum.model(angle=0.0))
    >>> runs = {f"step {h}": pl.transient(system, end_time=0.1, step=h) for h in (1e-3, 2e-3)}
    >>> pl.compare_results(runs, tolerance=1e-3).ok
    True
    """
    if len(results) < 2:
        raise OptionError("compare: give two or more results, or a model and its steps.")
    ours = {name: each for name, each in results.items() if isinstance(each, Result)}
    kinds = {each.kind for each in ours.values()}
    if len(kinds) != 1:
        raise OptionError(f"compare: results of one kind can be compared; these are {', '.join(sorted(kinds))}.")
    if next(iter(results)) not in ours:
        raise OptionError("compare: give a result of pliant first; what other programs found is compared with it.")
    answers = []
    for name, each in results.items():
        read = each.courses if isinstance(each, Other) else courses(each, everything=everything)
        outcome = None if isinstance(each, Other) else each.outcome
        answers.append(Answer(name, read, dict.fromkeys(read), outcome))
    rows = _rows(answers, 0, tolerance, None)
    first = next(iter(ours.values()))
    settings = {"tolerance": tolerance}
    return Comparison(
        first.provenance.model, first.provenance.analysis, first.kind, tuple(answers), 0, rows, (), settings
    )


def _check(steps: Sequence[str], levels: int) -> None:
    if not steps or steps[-1] in ("linearise", "campbell"):
        raise OptionError("compare: say what to compute: statics, path, modes or simulate, or several.")
    if isinstance(levels, bool) or not isinstance(levels, int) or not 1 <= levels <= 6:
        raise OptionError(f"levels={levels!r}: give a whole number from 1 to 6.")


def _words(question: Question) -> str:
    named = {"simulate": f"motion of {question.time:g} s", "path": f"path of {question.follow} to {question.to}"}
    return ", ".join(named.get(step, step) for step in question.steps)


def _coarse(model: Model) -> int:
    """Return the number of elements of the coarsest mesh."""
    return variants_of(formulation_names()[0], model)[0].pieces or 1


def _own_step(ask: Ask, factor: float) -> float:
    """Return the motion's own step, in the first formulation."""
    free = replace(ask, question=replace(ask.question, step=None))
    return step_of(free, variants_of(formulation_names()[0], ask.model)[0], factor)


def _ways(
    ask: Ask, formulations: Sequence[str | Variant] | None, in_space: bool, refused: list[Refusal]
) -> Iterator[tuple[Ask, Variant, str]]:
    """Return the methods to run, linear ones last; and the reason if a model cannot be promoted."""
    known = formulation_names()
    asked = known if formulations is None else [formulations] if isinstance(formulations, str) else formulations
    for each in asked:
        if not isinstance(each, Variant) and each not in known:
            raise OptionError(f"formulations: {each!r} is not known. {nearest(each, known)}")
    ways = [way for each in asked for way in ([each] if isinstance(each, Variant) else variants_of(each, ask.model))]
    ways.sort(key=lambda way: neglect.SMALL_ROTATIONS in way.neglects)
    yield from ((ask, way, way.name) for way in ways)
    spatial = [way for way in ways if way.in_space]
    if ask.model.spatial or not in_space or not spatial:
        return
    try:
        twin = ask.model.promoted()
    except PliantError as error:
        refused.append(Refusal("in space", str(error)))
        return
    there = replace(ask, model=twin, in_plane=True)
    yield from ((there, way, f"{way.name} in space") for way in spatial)


def _refuse_turned(ask: Ask, first: Refined, way: Variant) -> None:
    rotation, _ = neglect.smallness(ask.model, first.finest.result)
    if rotation > TURNED:
        raise OptionError(f"{way.name} takes rotations as small; beams turn by {rotation:.2g} rad.")


def _reference(found: Sequence[Refined]) -> int:
    """Return the most certain answer that neglects nothing, in the space of the model."""
    own = [each for each in found if not each.way.neglects and not each.name.endswith(" in space")]
    shares = {
        each.name: fmean([each.estimate(name)[1] / each.scales[name] for name in each.names] or [np.inf])
        for each in own or found
    }
    best = min(shares, key=lambda name: shares[name])
    return [each.name for each in found].index(best)


def _answer(each: Refined, levels: int) -> Answer:
    pairs = {name: each.estimate(name) for name in each.names}
    read = {name: course for name, (course, _) in pairs.items()}
    uncertain: dict[str, float | None] = {name: off if levels > 1 else None for name, (_, off) in pairs.items()}
    return Answer(each.name, read, uncertain, each.finest.outcome, each, each.notes)


def _of_other(other: Other, reference: Refined) -> Answer:
    """Make the answer of another program, with names of the reference."""
    read = other.matched(reference.finest.courses)
    return Answer(other.name, read, dict.fromkeys(read), notes=other.notes)


def _rows(answers: Sequence[Answer], reference: int, tolerance: float | None, causes: Causes | None) -> tuple[Row, ...]:
    """Return verdicts on all quantities that the reference and another answer have."""
    first = answers[reference]
    sizes = scales(first.courses)
    rows = []
    for name, course in first.courses.items():
        if sum(name in answer.courses for answer in answers) < 2:
            continue
        judged = [
            REFERENCE if answer is first else _verdict(first, answer, name, sizes[name], tolerance, causes)
            for answer in answers
        ]
        last = [answer.courses[name].last if name in answer.courses else None for answer in answers]
        rows.append(Row(name, course.units, sizes[name], tuple(judged), tuple(last)))
    if not rows:
        names = ", ".join(answer.name for answer in answers)
        known = ", ".join([*first.courses][:4]) or "none"
        hint = 'Of a file, say which column is which: --columns "time=t,QUANTITY=HEADING", in Python columns={...}.'
        raise OptionError(f"compare: {names}: no quantity in common. {first.name} has {known}, ... {hint}")
    return tuple(sorted(rows, key=lambda row: -row.relative))


def _verdict(
    first: Answer, other: Answer, name: str, scale: float, tolerance: float | None, causes: Causes | None
) -> Verdict | None:
    if name not in other.courses:
        return None
    _, between = apart(first.courses[name], other.courses[name])
    difference = float(np.max(np.abs(between)))
    own, theirs = first.uncertainty[name], other.uncertainty[name]
    if other.refined is None and causes is not None and tolerance is None:
        tolerance = OTHERS
    together = None if own is None or theirs is None else own + theirs
    evidence = causes.of(other.refined, name, difference) if causes and other.refined else ()
    return verdict(difference, scale, together, tolerance=tolerance, evidence=evidence)


__all__ = ["compare", "compare_results"]
