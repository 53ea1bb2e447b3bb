"""One point of a path of equilibria, as the equilibrium it is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pliant.errors import OptionError
from pliant.results.records import Outcome
from pliant.results.result import Result
from pliant.results.scene import need
from pliant.results.schema import parameter_label, written


def equilibrium(path: Result, point: int) -> Result:
    """Point number `point` (from the end if negative) as a result of statics, at rest, or in its spin."""
    if path.kind != "path":
        raise OptionError(
            f"equilibrium({point!r}): this is a {path.kind} result; only a path has points to choose from"
        )
    count = path.data.sizes["point"]
    if isinstance(point, bool) or not isinstance(point, int | np.integer) or not -count <= point < count:
        raise OptionError(f"equilibrium({point!r}): the points of this path are 0 to {count - 1}; -1 is the last")
    need(path, "path_q", "point")
    need(path, "path_lam", "point")
    here, number = path.data.isel(point=point), int(point) % count
    value, directions, stable = (here[name].item() for name in ("parameter", "unstable_directions", "stable"))
    words, units = parameter_label(path.data)
    message = f"point {number} of a path, {words} {written(value, units)}"
    figures = {"stable": stable, "unstable_directions": directions}
    if directions < 0:
        message, figures = f"{message}, stability not determined", dict.fromkeys(figures)
    elif not stable:
        message += f", unstable in {directions} direction(s)"
    settings = {"parameter": here["parameter"].attrs.get("name"), "time": 0.0, **path.provenance.settings}
    q, lam, still = here["path_q"].values, here["path_lam"].values, np.zeros(here["path_q"].size)
    v = here["path_v"].values if "path_v" in here else still  # of a spin
    state = {"q": q, "v": v, "a": still, "lam": lam, "time": settings["time"]}
    state |= {"contraction": 0.0, "contraction_age": 0.0}
    state |= {name: here[f"path_{name}"].values for name in ("part", "s") if f"path_{name}" in here}
    along = [str(name) for name, array in here.coords.items() if array.ndim == 0]
    data = here.drop_dims("event", errors="ignore").drop_vars(["path_q", "path_lam", *along])
    data = data.drop_vars(["path_v", "path_part", "path_s"], errors="ignore")
    return Result(
        data.assign({f"state_{name}": (f"state_{name}_index", np.atleast_1d(x)) for name, x in state.items()}),
        "statics",
        Outcome(True, message, figures),
        replace(path.provenance, analysis="statics", settings={**settings, "value": value, "point": number}),
    )
