"""Monte Carlo: the same trial many times, each with random numbers of its own that a seed repeats."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import xarray as xr

from pliant.analyses._common import whole
from pliant.analyses._parallel import Stopped, Tick, in_parallel, processors
from pliant.errors import ConvergenceError, Interrupted, OptionError, SingularError
from pliant.results import Check, Outcome, Provenance, Result

NO_SOLUTION = {"nan_means": "the trial found no solution, or does not tell this number"}
Trial = Callable[[np.random.Generator], Mapping[str, float]]


def monte_carlo(trial: Trial, *, runs: int, seed: int = 0, workers: int | None = None) -> Result:
    """Many runs of a trial from random starts, loads or parameters; threads share them.

    trial    function of a random generator that returns named numbers: what it drew, and what came of it
    runs     how many; every one has a generator of its own, so more runs begin with the same ones
    seed     makes them repeatable, whatever the number of threads
    workers  threads; one a processor unless given. Give 1 if the model calls a Python function of state

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
    streams = np.random.SeedSequence(int(seed)).spawn(runs)
    threads = min(workers or processors(), runs)
    found: list[Mapping[str, float] | None] = [None] * runs

    def share(first: int, tick: Tick) -> None:
        for k in range(first, runs, threads):
            try:
                tick()
                found[k] = dict(trial(np.random.default_rng(streams[k])))
            except Stopped:
                return
            except (ConvergenceError, SingularError):
                continue

    tasks = [lambda tick, k=k: share(k, tick) for k in range(threads)]
    finished = in_parallel("runs", tasks, total=runs, workers=threads)
    names = list(dict.fromkeys(name for row in found if row is not None for name in row))
    columns = {name: [np.nan if row is None else float(row.get(name, np.nan)) for row in found] for name in names}
    data = xr.Dataset(
        {name: ("run", np.array(values), NO_SOLUTION) for name, values in columns.items()},
        coords={"run": np.arange(runs)},
    )
    data["computed"] = ("run", np.array([row is not None for row in found]))
    computed = int(data["computed"].sum())
    outcome = Outcome(
        finished,
        f"{computed} of {runs} runs computed",
        {"computed": computed},
        (Check("runs failed", runs - computed, 0),),
    )
    origin = Provenance(getattr(trial, "__name__", "trial"), "monte_carlo", {"runs": runs, "seed": int(seed)})
    result = Result(data, "trials", outcome, origin)
    if not finished:
        raise Interrupted("The runs were interrupted. What was computed is in this exception's .result.", result)
    return result
