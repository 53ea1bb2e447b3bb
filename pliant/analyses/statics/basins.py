"""Basins: near which of several stable rests a motion ends, over a grid of starts or of anything else."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from math import inf

import numpy as np

from pliant._libraries import xarray as xr
from pliant.analyses.common import numbers, whole
from pliant.errors import ConvergenceError, Interrupted, OptionError, SingularError
from pliant.results import Check, Outcome, Provenance, Result
from pliant.studies.designs import Grid
from pliant.studies.job import Job
from pliant.studies.rows import OK
from pliant.studies.study import carried_out

NOWHERE = "none"
"""Name of the well of a motion that could not be computed to its end."""
ELSEWHERE = "elsewhere"
"""Name of the well of a motion that ends near none of the rests."""


def basins(
    trial: Callable[..., Result],
    axes: Mapping[str, Sequence[float] | np.ndarray],
    *,
    wells: Mapping[str, Result],
    within: float | None = None,
    last: float = 0.25,
    workers: int | None = None,
) -> Result:
    """Find the equilibrium in which each of many motions ends: the one nearest to the mean marker positions of the
    motion's last part.

    trial    function of one value of every axis, by name, that returns the motion: a Result of transient
    axes     {"angle": angles, "rate": rates}: the grid, of any dimension; amplitudes or phases of a load will do
    wells    {"up": pl.statics(...), "down": ...}: the equilibria to choose from; all have the same markers
    within   m: largest distance of any marker from its place in the equilibrium at the end; default: half the distance
             to the nearest other equilibrium. A motion that ends near none of them is "elsewhere"
    last     fraction of the motion, at its end, that is averaged: an oscillation about an equilibrium is near it on
             average
    workers  number of threads; default: one per processor. Give 1 if the model calls a Python function of state

    Result over the axes: ``well``, its name ("elsewhere"; "none" where the motion could not be computed), and
    ``distance`` of the farthest marker from its place in the nearest equilibrium (m). `plot_basins` draws it.

    >>> import pliant as pl
    >>> from pliant_gallery.examples import lever
    >>> wells = {"right": pl.statics(pl.compile(lever(0.5))), "left": pl.statics(pl.compile(lever(2.6)))}
    >>> released = lambda angle: pl.transient(pl.compile(lever(angle)), end_time=9.0)
    >>> pl.basins(released, {"angle": [0.1, 1.5, 1.7]}, wells=wells).well.values.tolist()
    ['right', 'right', 'left']
    """
    numbers("last", last, 1, "a part of the motion, above 0 and at most 1")
    if not 0.0 < last <= 1.0:
        raise OptionError(f"last={last!r}: give a fraction of the motion, above 0 and at most 1.")
    if not axes or len(wells) < 2:
        raise OptionError("axes, wells: give at least one axis, and two equilibria.")
    if within is not None:
        numbers("within", within, 1, "a positive distance in metres")
        if not within > 0.0:
            raise OptionError(f"within={within!r}: give a positive distance in metres.")
    if workers is not None:
        whole("workers", workers)
    _check_names(trial, axes)
    reach = {name: within or 0.5 * _apart(wells, name) for name in wells}
    grid = {name: np.atleast_1d(np.asarray(values, float)) for name, values in axes.items()}

    def end(**point: float) -> dict[str, float | str]:
        name, distance = _nearest(trial(**point), wells, reach, last)
        return {"well": name, "distance": distance}

    job = Job(end, passing=(ConvergenceError, SingularError))
    settings = {"wells": list(wells), "within": reach, "last": last}
    origin = Provenance(next(iter(wells.values())).provenance.model, "basins", settings)
    try:
        found = carried_out(job, Grid(grid), on="threads", workers=workers, label="basins")
    except Interrupted as stop:
        message = "The map was interrupted. What was computed is in this exception's .result."
        raise Interrupted(message, _map(stop.result, list(wells), origin, finished=False)) from None  # type: ignore[arg-type]
    return _map(found, list(wells), origin, finished=True)


def _map(found: Result, wells: list[str], origin: Provenance, *, finished: bool) -> Result:
    """Return the map from the result of a study of the motions."""
    dims, shape = found.data["status"].dims, found.data["status"].shape
    computed = found.data["status"].values == OK
    some = computed.any()
    well = np.where(computed, found.data["well"].values if some else NOWHERE, NOWHERE).astype(str)
    distance = found.data["distance"].values if some else np.full(shape, np.nan)
    data = xr.Dataset(
        {
            "well": (dims, well),
            "distance": (dims, distance, {"units": "m", "nan_means": "the motion could not be computed"}),
        },
        coords={name: found.data[name] for name in dims},
    )
    ends = {name: int(np.sum(well == name)) for name in (*wells, ELSEWHERE, NOWHERE)}
    ends = {name: count for name, count in ends.items() if count or name in wells}
    message = "motions ended: " + ", ".join(f"{count} {name}" for name, count in ends.items())
    failed = Check("motions failed", ends.get(NOWHERE, 0), 0)
    outcome = Outcome(finished, message, {"motions": int(computed.sum())}, (failed,))
    return Result(data, "basins", outcome, origin)


def _check_names(trial: Callable[..., Result], axes: Mapping[str, object]) -> None:
    """Refuse axes that the function does not take, before anything is computed."""
    try:
        inspect.signature(trial).bind(**dict.fromkeys(axes))
    except TypeError as error:
        known = ", ".join(inspect.signature(trial).parameters)
        raise OptionError(f"axes {', '.join(axes)}: the trial takes ({known}): {error}.") from error


def _apart(wells: Mapping[str, Result], name: str) -> float:
    """Return the distance of a rest to the nearest other one, by the marker that is farthest."""
    here, others = wells[name], [rest for other, rest in wells.items() if other != name]
    return min((_distance(here.position.values, rest) for rest in others), default=inf)


def _distance(places: np.ndarray, rest: Result) -> float:
    """Return the distance of the farthest marker from its place in a rest."""
    return float(np.max(np.linalg.norm(places - rest.position.values, axis=-1)))


def _nearest(motion: Result, wells: Mapping[str, Result], reach: Mapping[str, float], last: float) -> tuple[str, float]:
    """Return the rest whose farthest marker is nearest, or ELSEWHERE if it is beyond reach, and its distance."""
    times = motion.time.values
    late = motion.position.values[times >= times[-1] - last * (times[-1] - times[0])].mean(axis=0)
    apart = {name: _distance(late, rest) for name, rest in wells.items()}
    name = min(apart, key=lambda name: apart[name])
    return (name if apart[name] <= reach[name] else ELSEWHERE), apart[name]
