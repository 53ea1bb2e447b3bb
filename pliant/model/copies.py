"""Parts of a model once more, on the bodies of another model."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from pliant.model.bodies import Carrier
from pliant.model.markers import Marker
from pliant.model.parts import Part


def copied(part: Part, known: dict[Any, Any], **changed: Any) -> Part:
    """The part with some arguments changed, its markers on the bodies that ``known`` has in place of its own."""
    given = {f.name: getattr(part, f.name) for f in fields(part) if f.init}  # type: ignore[arg-type]
    given = {key: _moved(value, known) for key, value in given.items()}
    if part.has_default_name and not isinstance(part, Carrier):
        given["name"] = ""
    return type(part)(**given | changed)


def marker_on(marker: Marker, known: dict[Any, Any]) -> Marker:
    """The same place on the body that is there instead."""
    return replace(marker, body=known[marker.body])


def _moved(value: Any, known: dict[Any, Any]) -> Any:
    if isinstance(value, Marker):
        return marker_on(value, known)
    if isinstance(value, tuple):
        return tuple(_moved(item, known) for item in value)
    return known.get(value, value) if isinstance(value, Part) else value
