"""Monte Carlo: the same trial many times, each with random numbers of its own that a seed repeats."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from pliant._libraries import xarray as xr
from pliant.analyses.common import whole
from pliant.errors import ConvergenceError, Interrupted, OptionError, SingularError
from pliant.results import Check, Outcome, Provenance, Result
from pliant.studies.designs import MonteCarlo
from pliant.studies.job import Job
from pliant.studies.rows import OK
from pliant.studies.study import carried_out

NO_SOLUTION = {"nan_means": "the trial found no solution"}
Trial = Callable[[np.random.Generator], Mapping[str, float]]


def monte_carlo(trial: Trial, *, runs: int, seed: int = 0, workers: int | None = None) -> Result:
    """Run a trial many times with random starts, loads or parameters, in parallel threads.

    trial    function of a random generator that returns a mapping from names to numbers, with the same names in every
             run: what it drew, and what it computed
    runs     how many; every run has its own generator, so a longer series begins with the same runs
    seed     makes the runs repeatable, for any number of threads
    workers  number of threads; default: one per processor. Give 1 if the model calls a Python function of state

    Result over ``run``: the numbers, and ``computed``, False where the trial found no solution (its numbers are NaN).

    >>> found = monte_carlo(lambda random: {"x": random.normal()}, runs=1000)
    >>> abs(float(found.x.mean())) < 0.1, bool(found.computed.all())
    (True, True)
    """
    whole("runs", runs)
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise OptionError(f"seed={seed!r}: give a whole number of at least 0.")
    if workers is not None:
        whole("workers", workers)
    job = Job(trial, seed=int(seed), passing=(ConvergenceError, SingularError))
    try:
        found = carried_out(job, MonteCarlo(runs, int(seed)), on="threads", workers=workers, label="runs")
    except Interrupted as stop:
        message = "The runs were interrupted. What was computed is in this exception's .result."
        raise Interrupted(message, _trials(stop.result, trial, finished=False)) from None  # type: ignore[arg-type]
    return _trials(found, trial, finished=True)


def _trials(found: Result, trial: Trial, *, finished: bool) -> Result:
    """Return the result of a study of the trials, with the runs without solution marked."""
    variables = {name: found.data[name] for name in found.data if found.data[name].attrs.get("nan_means")}
    data = xr.Dataset({name: ("run", np.asarray(values), NO_SOLUTION) for name, values in variables.items()})
    data = data.assign(computed=("run", found.data["status"].values == OK)).assign_coords(run=found.data["run"].values)
    computed, runs = int(data["computed"].sum()), data.sizes["run"]
    failed = Check("runs failed", runs - computed, 0)
    outcome = Outcome(finished, f"{computed} of {runs} runs computed", {"computed": computed}, (failed,))
    seed = found.provenance.settings["design"]["seed"]
    origin = Provenance(getattr(trial, "__name__", "trial"), "monte_carlo", {"runs": runs, "seed": seed})
    return Result(data, "trials", outcome, origin)
