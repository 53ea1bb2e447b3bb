"""Mechanism of any model in the studio: sliders for parameters and signals, readings, releases."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import pliant as pl
from pliant.errors import PliantError, PliantWarning
from pliant.joints.motion import Motion
from pliant.model import Model
from pliant.model.copies import with_fields
from pliant.model.files.io import dumps
from pliant.results import Result
from pliant.results.quantities import quantities
from pliant_studio.session.mechanism import Mechanism, Reading, Release, Values, compiled
from pliant_studio.session.ranges import SHOWN, Ranges, sliders

GIVEN = Model("none")
"""The model that the functions below work on: `of_model` gives each mechanism its own, a script writes it down."""

AS_ASSEMBLED, AS_IT_IS = "start as assembled", "go on as it is"
END_TIME = 1.0
MOST_ANGLES, MOST_TENSIONS = 3, 2
WORDS = {
    "angle": "angle of {}",
    "tension": "tension of {}",
    "line_length": "length of {}",
    "position": "{}",
    "joint_angle": "angle of {}",
    "joint_travel": "travel of {}",
    "drive_effort": "effort of {}",
    "reaction": "reaction of {}",
    "force": "force of {}",
    "normal_force": "normal force of {}",
    "gap": "gap of {}",
}


def as_set(values: Values) -> pl.Model:
    """Return the model with the values of its parameters and signals."""
    model = GIVEN.with_parameters(**{name: value for name, value in values.items() if name in GIVEN.parameters})
    return with_fields(model, {name: value for name, value in values.items() if "/" in name})


def at_rest(system: Any, values: Values) -> Result:
    """Find the equilibrium under its loads."""
    return pl.statics(system)


def let_go(system: Any, rest: Result, values: Values, choice: str) -> Release:
    """Release a drive or a load, start from the assembled pose, or release nothing."""
    what = choice.partition(" ")[2]
    if choice.startswith("release "):
        return Release(compiled(with_fields(as_set(values), {}, without=[what]), values), rest)
    if choice.startswith("without "):
        return Release(system.with_signals({what: 0.0}), rest)
    if choice.startswith("start "):
        return Release(system, None)
    return Release(system, rest)


def of_model(model: Model, *, ranges: Ranges | None = None) -> Mechanism:
    """Make a mechanism for the studio.

    >>> from pliant_gallery.examples import two_links
    >>> arm = of_model(two_links())
    >>> [slider.label for slider in arm.sliders]
    ['shoulder, angle', 'elbow, angle']
    >>> list(arm.releases)
    ['release shoulder', 'release elbow', 'start as assembled', 'go on as it is']
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # later computations show them
        system = pl.compile(model)
        found = sliders(model, system, ranges or {})
        if not _takes(model, {slider.name: slider.si(slider.start) for slider in found}):
            found = tuple(slider for slider in found if slider.name != "elements")
        sketch = model.sketch()
    return Mechanism(
        name=model.name,
        about="",
        sliders=found,
        readings=_first(model, offered(sketch)),
        model=_of(as_set, model),
        rest=at_rest,
        release=_of(let_go, model),
        end_time=END_TIME,
        step=None,
        releases=_releases(model, system),
        given=lambda: f"GIVEN = loads({dumps(model)!r})",
    )


def _of(function: Callable[..., Any], model: Model) -> Any:
    """Return the function with `GIVEN` replaced by a model."""
    names: dict[str, Any] = {**globals(), "GIVEN": model}
    names["as_set"] = FunctionType(as_set.__code__, names, "as_set")
    return FunctionType(function.__code__, names, function.__name__)


def _takes(model: Model, values: Values) -> bool:
    """Return whether its beams can have the elements of the studio."""
    try:
        compiled(model, values)
    except PliantError:
        return False
    return True


def _releases(model: Model, system: Any) -> dict[str, str]:
    """Return the possible releases, with their descriptions."""
    drives = [joint for joint in model.joints if isinstance(joint, Motion)]
    found = {f"release {each.name}": f"releases the {each.coordinate} of {each.name}" for each in drives}
    for named in system.layout.signals:
        part = model.part(named.name.rpartition("/")[0]) if "/" in named.name else None
        if isinstance(part, pl.Force | pl.Moment) and named.constant and named.at(None):
            found[f"without {named.name}"] = f"removes {named.name} at once"
    return {
        **found,
        AS_ASSEMBLED: "starts at rest in the pose in which it was assembled, and moves to the equilibrium",
        AS_IT_IS: "releases nothing: only inputs that change in time move it, or an unstable equilibrium falls",
    }


def offered(result: Result) -> list[Reading]:
    """Return all possible readings of a model's equilibrium."""
    return list(_readings(result))


def _readings(result: Result) -> Iterator[Reading]:
    for each in quantities(result, WORDS):
        word, *labels = each.name.split(":")
        name = ", ".join([WORDS[word].format(labels[0]), *labels[1:]]) if labels else word
        unit, per_si = SHOWN.get(each.units, (each.units, 1.0))
        yield Reading(name, unit, each.name, per_si)


def _first(model: Model, all_of_them: list[Reading]) -> tuple[Reading, ...]:
    """Select the first readings: angles, tensions, contact forces, position of the first load or the last body."""
    by_word: dict[str, list[Reading]] = {}
    for each in all_of_them:
        by_word.setdefault(each.output.partition(":")[0], []).append(each)
    loaded = [force.marker.label for force in model.forces if isinstance(force, pl.Force)]
    watched = [marker.label for marker in reversed(model.watched)]
    places, drives = by_word.get("position", []), {each.name for each in model.joints if isinstance(each, Motion)}
    turning = [each for each in by_word.get("joint_angle", []) if each.output.split(":")[1] not in drives]
    last = places[-1].output.split(":")[1] if places else ""
    chosen = next((label for label in (*watched, *loaded) if any(label in each.output for each in places)), last)
    return (
        *(by_word.get("angle") or turning)[:MOST_ANGLES],
        *by_word.get("tension", [])[:MOST_TENSIONS],
        *by_word.get("normal_force", [])[:MOST_TENSIONS],
        *(each for each in places if each.output.split(":")[1] == chosen),
    )
