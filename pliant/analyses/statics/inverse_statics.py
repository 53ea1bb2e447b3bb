"""Inverse statics: which motor angles, tendon lengths or loads hold a mechanism at a given place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from pliant._libraries import xarray as xr
from pliant.analyses.common import Start, require, state_of, values_at
from pliant.analyses.statics.statics import resting
from pliant.errors import ConvergenceError, OptionError, nearest
from pliant.forces.state_force.callbacks import watched
from pliant.joints import Joint, Revolute, Spherical, Weld
from pliant.model import Ground, Marker
from pliant.model.rotations import Orientation, orientation
from pliant.results import Result
from pliant.solvers.nonlinear.inverse_step import Conditions, Reached
from pliant.system.capabilities import HasInverse
from pliant.system.state import Equilibrium

Place: TypeAlias = ArrayLike | tuple[ArrayLike, Orientation]
"""A point, or a pair of a point and an orientation."""


@watched()
def inverse_statics(
    system: HasInverse,
    places: Mapping[Marker | str, Place],
    *,
    signals: Sequence[str],
    idle: Sequence[str] = (),
    start: Start = None,
    time: float = 0.0,
) -> Result:
    """Find the signals that hold markers at given places, and the equilibrium with these signals.

    places   from a marker, its label, or the name of a rigid body (its base or centre), to its point; or to a pair of
             its point and its orientation (an angle in the plane; a rotation vector, a matrix or pl.rotation(...) in
             space)
    signals  names of the unknown signals (``system.signal_names``), as many as there are conditions: two for a point of
             the plane, three with an angle; three for a point of space, six with an orientation
    idle     names of joints that carry no force because the signals replace them
    start    state to start from; the assembled configuration unless given

    The result is the result of `statics` with these signals; ``signal_value`` holds them.

    >>> import pliant as pl
    >>> from pliant_gallery.examples import two_links
    >>> system = pl.compile(two_links())
    >>> held = pl.inverse_statics(system, {"lower/tip": (0.0, 1.0)}, signals=["shoulder/angle", "elbow/angle"])
    >>> held.signal_value.values.round(4)
    array([0.5236, 2.0944])
    """
    require(system, HasInverse, "inverse_statics")
    begin = state_of(system, start)
    names = [signals] if isinstance(signals, str) else [str(name) for name in signals]
    for name in names:
        if name not in system.signal_names:
            raise OptionError(f"signals: there is no signal {name!r}. {nearest(name, system.signal_names)}")
    conditions = system.conditions([_pose(system, marker, place) for marker, place in places.items()], idle)
    if conditions.number != len(names) or not names:
        raise OptionError(
            f"inverse_statics: there are {conditions.number} conditions, but {len(names)} unknown signals. There must "
            "be as many of both: name other signals, or leave orientations free."
        )
    u = system.signals(np.array([time]))[0]
    unknowns = [system.signal_number(name) for name in names]
    u[unknowns] = values_at(system, start, begin, names)
    inverse = system.inverse(unknowns)

    def judged(found: Reached) -> tuple[dict[str, float], HasInverse, Equilibrium]:
        values = {name: float(found.signals[k]) for name, k in zip(names, unknowns, strict=True)}
        held = system.with_signals(values)
        return values, held, held.assess(found.state, found.signals, found.iterations, found.steps)

    found = inverse.toward(conditions, begin, u)
    answer = judged(found) if found.share == 1.0 else None
    if answer is None or answer[2].unstable_directions:
        followed = inverse.followed(conditions, begin, u)
        other = judged(followed) if followed.share == 1.0 else None
        answer = other if other and not (answer and other[2].unstable_directions) else answer
    if answer is None:
        raise ConvergenceError(
            f"No equilibrium of {system.model.name!r} satisfies the targets: Newton stopped "
            f"at {100.0 * found.share:.3g} % of the way. The target may be out of reach, or beyond a singular pose. "
            "Ask for a nearer one, start from a nearer state (start=), or hold fewer coordinates."
        )
    values, held, equilibrium = answer
    found_signals = xr.DataArray(list(values.values()), {"signal": names}, attrs={"long_name": "signals found"})
    wanted = {system.observer().find(marker, "places").label: _words(place) for marker, place in places.items()}
    settings = {"signals": values, "time": time, "places": wanted, "idle": list(idle)}
    return resting(held, equilibrium, settings, signal_value=found_signals)


def conditions_of(system: HasInverse, settings: Mapping[str, Any]) -> Conditions:
    """Return the conditions on signals in a result of inverse statics, from its settings, for a similar system."""
    places = [_pose(system, label, place) for label, place in settings["places"].items()]
    return system.conditions(places, settings["idle"])


def _words(place: Any) -> list[Any]:
    """Return a place as numbers: its point, and in a pair with an orientation also these."""
    if not (len(place) == 2 and np.ndim(place[0]) == 1):
        return np.asarray(place, float).tolist()
    point, turn = np.asarray(place[0], float).tolist(), place[1]
    return [point, float(turn) if len(point) == 2 else list(orientation("places", "orientation", turn))]


def _pose(system: HasInverse, marker: Marker | str, place: Any) -> Joint:
    """Return the joint with the ground that holds a marker at a place, and in an orientation if one is given."""
    held = system.observer().find(marker, "places")
    axes, spatial = len(system.space.axes), system.space.quaternions
    pair = len(place) == 2 and np.ndim(place[0]) == 1
    point, turn = (place[0], place[1]) if pair else (place, None)
    try:
        point = np.asarray(point, float)
    except (TypeError, ValueError):
        point = np.empty(0)
    if point.shape != (axes,) or not np.all(np.isfinite(point)):
        form = "(x, y, z), or ((x, y, z), orientation)" if spatial else "(x, y), or ((x, y), angle)"
        raise OptionError(f"places: {held.label!r} is to be at {place!r}; give {form}.")
    if turn is None:
        return (Spherical if spatial else Revolute)(Ground().at(*point), held)
    if spatial:
        return Weld(Ground().at(*point, orientation=turn), held, orientation=(0.0, 0.0, 0.0))
    return Weld(Ground().at(*point, angle=float(turn)), held, angle=0.0)
