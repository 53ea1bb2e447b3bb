"""A drop test: everything hits the ground at once, and goes on by its inertia."""

from __future__ import annotations

from math import sqrt

import numpy as np
import xarray as xr

import pliant as pl
from pliant.extend import HasMotion, declare, require, result

declare("drop", deepest=(("body",), "m"), hardest=(("line",), "N"))


def drop_test(
    system: HasMotion,
    *,
    height: float,
    start: pl.Result | None = None,
    end_time: float = 0.1,
    step: float = 1e-4,
    label: str = "",
) -> pl.Result:
    """Return how far bodies move down, and the largest forces in springs, after a fall.

    height          of the fall (m)
    start           an equilibrium; without it, the model as it is assembled
    end_time, step  of the motion that follows (s)
    label           kept with the result

    All bodies begin with the speed of the fall, downwards.
    """
    require(system, HasMotion, "drop_test")
    fall = 0.0, -sqrt(2.0 * 9.81 * height), 0.0
    bodies = [body.name for body in system.model.bodies if not isinstance(body, pl.Ground)]
    run = pl.transient(system, start=start, push=dict.fromkeys(bodies, fall), end_time=end_time, step=step)
    below = [run.position.sel(marker=f"{name}(0, 0)", axis="y").values for name in bodies]
    data = {
        "deepest": ("body", np.array([np.max(y[0] - y, initial=0.0) for y in below])),
        "hardest": ("line", np.max(np.abs(run.tension.values), axis=0)),
    }
    coords = {"body": bodies, "line": run.tension["line"].values}
    settings = {"height": height, "end_time": end_time, "step": step, "label": label}
    return result(system, "drop", xr.Dataset(data, coords), run.outcome, settings)
