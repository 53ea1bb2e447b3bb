"""Entry point of studies: one analysis at many points, on any number of workers, into one store.

The loop of a study submits batches to an executor and enters rows in the ledger, until no run waits.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from pliant.errors import Interrupted, ModelError, OptionError, nearest
from pliant.model import Model
from pliant.model.parameters import Parameter
from pliant.model.quantities import si
from pliant.model.signals import sizes
from pliant.results import Result
from pliant.results.progress import progress
from pliant.studies import batches, rows, table
from pliant.studies.batches import Batch, Computed
from pliant.studies.designs import Design, Over, design
from pliant.studies.executors import Executor, On, WorkerDied, executor
from pliant.studies.job import Job, Keep
from pliant.studies.journal import Ledger
from pliant.studies.labels import of_model, of_system, words
from pliant.studies.rows import FAILED, Row
from pliant.studies.store import Store

if TYPE_CHECKING:
    from pliant.system.capabilities import Compiled

SHARE = 0.5  # s, duration of a batch
LARGEST = 4096  # runs of a batch
GLANCE = 0.2  # s between two updates of the progress
AHEAD = 2  # batches submitted per worker
DEATHS = 3  # dead workers after which a run fails

Report = Callable[[int], None]
Show = Callable[[], None]


class Loop:
    """A running study."""

    def __init__(self, ledger: Ledger, way: Executor, report: Report, show: Show | None = None) -> None:
        self.ledger, self.way, self.report, self.show = ledger, way, report, show
        self.seconds_per_run = SHARE
        self.flushed = monotonic()
        self.deaths: dict[int, int] = {}

    def run(self, end: int) -> None:
        """Compute all waiting runs below a number; the first ones alone, until one of them has values."""
        first = 1
        while self.ledger.columns is None and first < end:
            self._compute(np.flatnonzero(~self.ledger.done[:first]), settled=False)
            self._check_first()
            self._flush()
            first = 4 * first + 1
        self._compute(np.flatnonzero(~self.ledger.done[:end]), settled=self.ledger.columns is not None)
        self._check_first()
        self._flush()

    def _flush(self) -> None:
        self.ledger.flush()
        self.flushed = monotonic()
        if self.show is not None:
            self.show()

    def _check_first(self) -> None:
        """Raise a mistake in the first run, since all runs have it."""
        row = next((row for row in self.ledger.buffer if row.run == 0), None)
        if row is not None and row.status == FAILED and row.mistake:
            raise OptionError(f"study: the first run failed: {row.reason}")

    def _compute(self, runs: np.ndarray, *, settled: bool) -> None:
        """Compute some runs on all workers; ``settled``: rows may be written at any time."""
        waiting = self._batches(runs)
        under_way: dict[Future[Computed], Batch] = {}
        again: list[Batch] = []
        try:
            while True:
                while len(under_way) < AHEAD * self.way.slots:
                    batch = again.pop() if again else next(waiting, None)
                    if batch is None:
                        break
                    under_way[self.way.submit(batch)] = batch
                if not under_way:
                    return
                ended, _ = wait(under_way, timeout=GLANCE, return_when=FIRST_COMPLETED)
                for future in ended:
                    again += self._take(future, under_way.pop(future))
                if settled and monotonic() - self.flushed > self.ledger.interval:
                    self._flush()
                self.report(int(np.count_nonzero(self.ledger.done)))
        except KeyboardInterrupt:  # finished runs not yet entered are kept
            for future, batch in under_way.items():
                if future.done() and not future.cancelled() and future.exception() is None:
                    self._take(future, batch)
            raise
        finally:
            for future in under_way:
                future.cancel()

    def _take(self, future: Future[Computed], batch: Batch) -> list[Batch]:
        """Enter a batch's rows; if the worker died, the finished ones, and return the remaining runs one by one."""
        try:
            found = future.result()
        except (WorkerDied, CancelledError) as died:
            return self._bury(batch, str(died))
        except Exception as error:
            if type(error).__name__ != "KilledWorker":  # of distributed, which may not be installed
                raise
            return self._bury(batch, "several workers died of it")
        if batch.journal is not None and not found.kept:
            batches.write(batch.journal, found.lines)
        self.seconds_per_run = 0.5 * (self.seconds_per_run + found.seconds / len(batch.runs))
        self.ledger.enter(rows.read(found.lines))
        return []

    def _bury(self, batch: Batch, reason: str) -> list[Batch]:
        self.ledger.enter(batches.journal_rows(batch.journal))
        left = [run for run in batch.runs if not self.ledger.done[run]]
        if left:  # the run that was in progress
            self.deaths[left[0]] = self.deaths.get(left[0], 0) + 1
            if self.deaths[left[0]] >= DEATHS:
                row = Row(left.pop(0), FAILED, reason=f"the worker died: {reason}", mistake=True)
                self.ledger.enter([row])
                if batch.journal is not None:
                    batches.write(batch.journal, rows.line(row))
        return [self._batch(np.array([run])) for run in reversed(left)]

    def _batches(self, runs: np.ndarray) -> Iterator[Batch]:
        """Yield batches of runs of the wanted duration, shorter near the end, so that all workers end together."""
        k = 0
        while k < runs.size:
            share = int(SHARE / max(self.seconds_per_run, 1e-9))
            fair = (runs.size - k) // (2 * AHEAD * self.way.slots)
            count = max(1, min(share, fair, LARGEST))
            yield self._batch(runs[k : k + count])
            k += count

    def _batch(self, runs: np.ndarray) -> Batch:
        columns = {name: values[runs].tolist() for name, values in self.ledger.points.items()}
        folder = self.ledger.journal
        journal = None if folder is None else str(Path(folder) / f"{runs[0]}-{runs[-1]}.jsonl")
        return Batch(runs.tolist(), columns, journal)


QUIET = "PLIANT_QUIET"  # environment variable that hides progress bars
Subject: TypeAlias = "Model | Compiled | Callable[..., object]"
Watch: TypeAlias = Callable[[Result], None]


def study(
    subject: Subject,
    *,
    over: Over,
    analysis: Callable[..., Result] | None = None,
    keep: Keep = (),
    out: str | Path | None = None,
    resume: bool = False,
    on: On = "processes",
    workers: int | None = None,
    watch: Watch | None = None,
) -> Result:
    """Run the same analysis at many points, in parallel.

    subject   a `Model` or a compiled system, whose signals and parameters are varied (only what depends on these is
              compiled again); or a function of the values of a point, by name, that returns a model, a system, a
              Result, or a mapping from names to numbers
    over      ``{"load/y": [-2.0, -1.0], "height": ["1 mm", "2 mm"]}`` (a grid), a list of points, or a design:
              `Random`, `LatinHypercube`, `Sobol`, `MonteCarlo`, `Refined`. Values are in SI units, or strings with
              units
    analysis  of the model or system: ``pl.statics``, or a function of a system that returns a Result (with options:
              ``functools.partial(pl.statics, start=rest)``). Not needed if the function returns a Result or numbers
    keep      quantities of every Result to store: names, ``["tension:rope", "max:angle:crank"]``, or a mapping from
              names to functions of the Result, which may return arrays; default: a few quantities of its kind
    out       folder of the store, ``"leg.zarr"``: results stream into it. None: they stay in memory
    resume    True: continue an existing store; runs in it are not computed again
    on        "processes" of this machine; "threads" of this process; or the address of a dask scheduler or its Client
    workers   number of processes or threads; default: one per processor
    watch     called now and then with the runs computed so far, to draw the study as it grows; if it raises
              `KeyboardInterrupt`, the study ends as by Ctrl-C: computed runs are in `Interrupted.result`

    Return a Result over the axes of a grid, otherwise over ``run``: the quantities; ``status`` (0 waiting, 1 ok, 2 a
    check failed, 3 failed), ``reason``, ``stable`` (-1: not known), ``other_branch`` and ``warnings`` of every run.
    Results are bit-identical for any number of workers. `plot_map`, `plot_response` and `plot_parallel` draw it;
    `open_study` reads a store.

    >>> import pliant as pl
    >>> m = pl.Model("strip")
    >>> strip = pl.Section.rectangle(20e-3, 1e-3, pl.STEEL)
    >>> ground, beam = m.add(pl.Ground(), pl.Beam("strip", length=0.5, section=strip))
    >>> parts = m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), name="load"))
    >>> loads = {"load/y": [-2.0, -1.0, 0.0]}
    >>> found = pl.study(m, over=loads, analysis=pl.statics, keep=["position:strip/tip:y"], on="threads")
    >>> found.data["position:strip/tip:y"].values.round(4).tolist()
    [-0.1986, -0.1128, 0.0]
    """
    known = _parameters(subject)
    plan = design(_in_si(over, subject))
    varied = frozenset(known) & {*plan.names}
    job = Job(subject, analysis, keep if isinstance(keep, Mapping) else tuple(keep), plan.seed, varied=varied)
    _check(subject, analysis, plan, known)
    store = None if out is None else Path(out)
    return carried_out(job, plan, out=store, resume=resume, on=on, workers=workers, watch=watch)


def carried_out(
    job: Job,
    plan: Design,
    *,
    on: On,
    workers: int | None,
    out: Path | None = None,
    resume: bool = False,
    label: str = "study",
    watch: Watch | None = None,
) -> Result:
    """Compute all runs of a design and return their Result."""
    points = plan.points()
    said = {"design": plan.describe(), **_description(job, points)}
    ledger = Ledger(plan.size) if out is None else Store(out, plan.size, resume=resume)
    ledger.units = _units(job.subject, points)
    finished = False

    def so_far() -> Result:
        return table.open_study(out) if out is not None else table.result(table.of_ledger(ledger), said, ledger.names)

    try:
        if isinstance(ledger, Store):
            ledger.begin_or_resume(said, points)
        else:
            ledger.begin(points)
        with executor(on, job, workers) as doing, progress(label, plan.size, unit="runs") as report, _quiet():
            show = None if watch is None else lambda: watch(so_far())
            loop, count = Loop(ledger, doing, report, show), len(next(iter(points.values()), range(plan.size)))
            while count:
                loop.run(count)
                count = _next(plan, ledger)
        finished = True
    except KeyboardInterrupt:
        if ledger.columns is not None:  # otherwise they stay in journals: the first run with values is not known
            ledger.flush()
    except OptionError:
        if ledger.columns is None:
            ledger.remove()
        raise
    finally:
        ledger.close()
    found = so_far()
    if not finished:
        raise Interrupted("The study was interrupted. What was computed is in this exception's .result.", found)
    return found


@contextmanager
def _quiet() -> Iterator[None]:
    """Hide the progress bars of analyses."""
    before = os.environ.get(QUIET)
    os.environ[QUIET] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[QUIET]


def _next(plan: Design, ledger: Ledger) -> int:
    """Add the design's next points; return the number of all runs, 0 without new ones."""
    known = ledger.points
    more = plan.more({name: np.asarray(ledger.arrays[name]) for name in (*ledger.names, "status", "stable")}, known)
    if more is None:
        return 0
    ledger.plan(more)
    return next(iter(ledger.points.values())).size


def _description(job: Job, names: Iterable[str]) -> dict[str, Any]:
    """Describe a job that varies these names, for the store: only an equal study may continue it."""
    import pliant

    subject, model = job.subject, _model(job.subject)
    said = {
        "version": pliant.__version__,
        "subject": words(subject) if model is None else model.name,
        "analysis": words(job.analysis),
        "keep": list(job.keep),
    }
    if isinstance(title := getattr(subject, "title", None), str):
        said["title"] = title
    if isinstance(model, Model):
        said["model"] = of_model(model)
        if model is not subject:
            said["system"] = of_system(subject, frozenset(names))
    return said


def _model(subject: Any) -> Model | None:
    """Return the model whose signals are varied; None for a function."""
    return subject if isinstance(subject, Model) else getattr(subject, "model", None)


def _units(subject: Any, names: Iterable[str]) -> dict[str, str]:
    """Return the units of the varied parameters and signals, as far as known."""
    model, found = _model(subject), dict[str, str | None]()
    if model is None:
        return {}
    for name in names:
        if (parameter := _parameters(subject).get(name)) is not None:
            found[name] = parameter.unit
        else:
            with suppress(ModelError):  # not a signal
                found[name] = sizes.units(model, name)
    return {name: units for name, units in found.items() if units}


def _parameters(subject: Any) -> dict[str, Parameter]:
    """Return the parameters of a model or system; none for a function."""
    if isinstance(subject, Model):
        return subject.parameters
    if not hasattr(subject, "with_signals"):
        return {}
    from pliant.system.compile import parameters_of

    return parameters_of(subject)


def _in_si(over: Any, subject: Any) -> Any:
    """Convert values with units to SI numbers."""
    if isinstance(over, Mapping):
        units = _units(subject, over)
        return {name: si("over", name, each, units[name]) if name in units else each for name, each in over.items()}
    if isinstance(over, Sequence) and all(isinstance(row, Mapping) for row in over):
        return [_in_si(row, subject) for row in over]
    return over


def _check(subject: Any, analysis: Any, plan: Design, parameters: Mapping[str, Parameter]) -> None:
    """Refuse an impossible study before anything is computed."""
    names = list(plan.names)
    if isinstance(subject, Model) or hasattr(subject, "with_signals"):
        if not callable(analysis):
            raise OptionError("study of a model: give an analysis, such as analysis=pl.statics.")
        if plan.seed is not None:
            raise OptionError("over=MonteCarlo(...): give a function of a random generator, not a model or system.")
        signals = subject.signal_names if hasattr(subject, "signal_names") else _signals(subject)
        known = [*parameters, *signals]
        for name in names:
            if name not in known:
                raise OptionError(
                    f"over: {name!r} is no signal and no parameter of the model. {nearest(name, known)} To vary "
                    "anything else, make it a pl.Parameter, or give a function that makes the model."
                )
    elif callable(subject):
        try:
            inspect.signature(subject).bind(*([None] if plan.seed is not None else []), **dict.fromkeys(names))
        except TypeError as error:
            takes = ", ".join(inspect.signature(subject).parameters)
            raise OptionError(f"over: {', '.join(names)}: the function takes ({takes}): {error}.") from error
        except ValueError:  # without signature
            return
    else:
        raise OptionError(f"study: {subject!r:.60}: give a model, a compiled system, or a function.")


def _signals(model: Model) -> list[str]:
    from pliant.system.compile import compile

    return list(compile(model).observed.signal_names)
