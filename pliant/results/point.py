"""One point of a path of equilibria as an equilibrium."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pliant.errors import OptionError
from pliant.results.drawing.scene import need
from pliant.results.lazy_arrays import Pending
from pliant.results.records import Outcome
from pliant.results.result import Result
from pliant.results.schema import format_value, parameter_words


def equilibrium(path: Result, point: int) -> Result:
    """Return point number `point` (from the end if negative) as a result of statics, at rest or in its spin."""
    if path.kind != "path":
        raise OptionError(
            f"equilibrium({point!r}): this is a {path.kind} result; only a path has points to choose from"
        )
    data: Pending = path.__dict__.get("_pending") or Pending.of(path.data)
    count = len(data.values("point"))
    if isinstance(point, bool) or not isinstance(point, int | np.integer) or not -count <= point < count:
        raise OptionError(f"equilibrium({point!r}): the points of this path are 0 to {count - 1}; -1 is the last")
    for name in ("path_q", "path_lam"):
        if name not in data:
            need(path, name, "point")
    number, attributes = int(point) % count, data.attributes("parameter")
    value, directions, stable = (
        data.values(name)[number].item() for name in ("parameter", "unstable_directions", "stable")
    )
    words, units = parameter_words(attributes)
    message = f"point {number} of a path, {words} {format_value(value, units)}"
    figures = {"stable": stable, "unstable_directions": directions}
    if directions < 0:
        message, figures = f"{message}, stability not determined", dict.fromkeys(figures)
    elif not stable:
        message += f", unstable in {directions} direction(s)"
    settings = {"parameter": attributes.get("name"), "time": 0.0, **path.provenance.settings}
    q, lam = data.values("path_q")[number], data.values("path_lam")[number]
    still = np.zeros(q.size)
    v = data.values("path_v")[number] if "path_v" in data else still  # of a spin
    state = {"q": q, "v": v, "a": still, "lam": lam, "time": settings["time"]}
    state |= {"contraction": 0.0, "contraction_age": 0.0}
    state |= {name: data.values(f"path_{name}") for name in ("part", "s") if f"path_{name}" in data}
    others = [name for name in data if name.startswith(("path_", "event"))]
    here = data.taken("point", number, without=["event", *others])
    raw = {f"state_{name}": (f"state_{name}_index", np.atleast_1d(x)) for name, x in state.items()}
    return Result(
        here.assign(raw),  # type: ignore[arg-type]
        "statics",
        Outcome(True, message, figures),
        replace(path.provenance, analysis="statics", settings={**settings, "value": value, "point": number}),
    )
