"""Checks of an identification: residuals are noise, bounds do not exclude the best value, rows are dense enough to
distinguish motions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant.results.records import Check
from pliant_fit.identification import doubts
from pliant_fit.identification.fitting import Fitted, inverse, slopes_of
from pliant_fit.identification.forecasts import Moving
from pliant_fit.measurements.measurement import GAP

LOOSE = 0.05  # of the measured range: largest residuals if they are too few to be assessed
BLIND = 0.5  # of a motion's scatter: largest change between rows

HINT = "See plot_residuals; model what is missing, or begin nearer to the truth."


def of_residuals(task: Any, fitted: Fitted, left: np.ndarray, colour: doubts.Coloured, loss: str) -> list[Check]:
    """Check that the residuals are noise: otherwise the model is incomplete, the search ended in a wrong minimum, or
    the noise is coloured; these cannot be distinguished.

    left  residuals less their part from the uncertainty of an earlier identification
    """
    from scipy.stats import chi2

    found = [Check("correlation of residuals, where they are not white", abs(colour.worst) * colour.found, 0, "", HINT)]
    given = np.isfinite(task.noise.given)
    known = given[task.data.group]
    if loss == "linear" and np.any(known):
        freedoms = max(float(known.sum()) * (1.0 - int(fitted.free.sum()) / fitted.r.size), 1.0)
        size = float(np.sqrt(np.sum(left[known] ** 2) / freedoms))
        most = float(np.sqrt(chi2.isf(doubts.RISK, freedoms) / freedoms))
        found.append(Check("residuals", size, most, "of the given noise", HINT))
    if not colour.judged and not np.all(given):
        part = float(np.max((fitted.noise / task.noise.size)[~given]))
        hint = "Give error=, the noise of what was measured, or measure more rows; see plot_residuals."
        found.append(Check("residuals, too few to tell noise from a wrong model", part, LOOSE, "of the range", hint))
    return found


def of_bounds(task: Any, fitted: Fitted, loss: str) -> Check:
    """Check that noise alone drives parameters to their bounds: by the Gauss-Newton step beyond, in standard errors of
    the residuals after this step (Student's t).
    """
    from scipy.stats import t as student

    held = np.flatnonzero(~fitted.free)
    psi, bend = slopes_of(loss, fitted.r)
    mean = max(float(np.mean(bend)), 1e-3)
    steps = np.abs(inverse(fitted.jac) @ fitted.jac.T @ psi) / mean
    errors = np.sqrt(np.diag(inverse(fitted.jac))) / mean
    freedoms = max(fitted.r.size - fitted.u.size, 1)
    beyond = {}
    for k in held.tolist():
        times = float(steps[k] / errors[k])
        left = max(float(np.sum(psi**2)) - times**2, 1e-12 * float(np.sum(psi**2)))
        spread = 1.0 if np.all(np.isfinite(task.noise.given)) else np.sqrt(left / freedoms)
        beyond[task.names[k]] = times / max(float(spread), 1e-300)
    worst = max(beyond, key=lambda name: beyond[name], default="")
    most = float(student.isf(0.5 * doubts.RISK, freedoms))
    hint = f"What was measured wants {worst} beyond its bound: widen it, or model what is missing." if worst else ""
    return Check("beyond a bound", beyond.get(worst, 0.0), most, "standard errors", hint)


def of_rows(task: Any, u: np.ndarray) -> list[Check]:
    """Check that rows distinguish motions: how much of the computed motion straight lines between them miss. With less
    than two rows a period, different vibrations agree at the rows.
    """
    x = u * task.sizes
    here = task.at(x)
    found = []
    for block, each in enumerate(task.forecasts):
        if not isinstance(each, Moving):
            continue
        rows = each.measurement.x - task.shift(block, x)
        at = each.instants[(each.instants >= rows[0]) & (each.instants <= rows[-1])]
        place = np.clip(np.searchsorted(rows, at) - 1, 0, rows.size - 2)
        usual = float(np.median(np.diff(rows)))
        inside = np.diff(rows)[place] <= GAP * usual
        missed = []
        for values in here.courses[block].values():
            course = np.interp(at, each.instants, values)[inside]
            seen = np.interp(at, rows, np.interp(rows, each.instants, values))[inside]
            scatter = float(np.std(course)) if course.size else 0.0
            missed.append(float(np.sqrt(np.mean((course - seen) ** 2))) / scatter if scatter > 0.0 else 0.0)
        words = f'between rows of "{each.measurement.name}"'
        hint = "Other motions have the same rows, so that other values may fit as well: measure at shorter intervals."
        found.append(Check(f"what happens {words}", min(missed), BLIND, "of the motion's scatter", hint))
    return found
