"""Copies of a model's parts: on the bodies of another model, with other values of parameters or of single fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.model.bodies.rigid import Carrier
from pliant.model.formulas import PLAIN, Formula, parameters_of
from pliant.model.kinds import Kind
from pliant.model.markers import Marker
from pliant.model.parameters import Parameter
from pliant.model.parts import Part

if TYPE_CHECKING:
    from pliant.model.model import Model


def copy_part(part: Part, known: dict[Any, Any], **changed: Any) -> Part:
    """Copy a part with some arguments changed, its markers on the bodies that replace its own in ``known``."""
    given = {key: _moved(value, known) for key, value in arguments(part).items()}
    if part.has_default_name and not isinstance(part, Carrier):
        given["name"] = ""
    return type(part)(**given | changed)


def arguments(kind: Kind) -> dict[str, Any]:
    """Return the arguments that make an equal object, with their parameters."""
    if kind.made is not None and not kind.made.by:
        return dict(kind.made.arguments) | ({"name": kind.name} if isinstance(kind, Part) else {})
    return {f.name: getattr(kind, f.name) for f in fields(kind) if f.init}  # type: ignore[arg-type]


def marker_on(marker: Marker, known: dict[Any, Any]) -> Marker:
    """Return the marker at the same place of the replacing body."""
    body = known[marker.body]
    return replace(marker, body=body) if marker.made is None else body.at(**marker.made.arguments)


def _moved(value: Any, known: dict[Any, Any]) -> Any:
    if isinstance(value, Marker):
        return marker_on(value, known)
    if isinstance(value, tuple | list):
        return type(value)(_moved(item, known) for item in value)
    return known.get(value, value) if isinstance(value, Part) else value


def with_parameters(model: Model, parameters: Mapping[str, Parameter]) -> Model:
    """Return the model with other parameters, by name: parts that depend on them are made again, others are shared."""
    from pliant.model.model import Model

    twin, known = Model(model.name, plane=model.plane), dict[Any, Any]()
    twin.scales = model.scales
    for part in model:
        again = _again(part, parameters, known, whole=True)
        if again is part:
            twin._share(part)
        else:
            known[part] = twin.add(again)
    for marker in model.watched:
        twin.add(_again(marker, parameters, known))
    return twin


def with_fields(model: Model, values: Mapping[str, Any], *, without: Iterable[str] = ()) -> Model:
    """Return the model with other values of fields, by "part/field" like signals, and without some parts.

    >>> from pliant_gallery.examples import column
    >>> pushed = with_fields(column(), {"load/x": -2.0})
    >>> pushed.part("load").x.value
    -2.0
    >>> with_fields(pushed, {}, without=["load"])
    <Model "column": 0 rigid bodies, 1 beam, 1 joint, 0 forces>
    """
    from pliant.model.model import Model

    twin, known, left_out = Model(model.name, plane=model.plane), dict[Any, Any](), set(without)
    twin.scales = model.scales
    changed: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        owner, _, key = name.rpartition("/")
        changed.setdefault(owner, {})[key] = value
    for part in model:
        if part.name not in left_out:
            again = _again(part, {}, known, whole=True)
            new = changed.get(part.name)
            instead = dict.fromkeys(part.one_of) if new and not set(part.one_of).isdisjoint(new) else {}
            known[part] = _made(again, arguments(again) | instead | new) if new else again
            twin.add(known[part])
    for marker in model.watched:
        twin.add(_again(marker, {}, known))
    return twin


def of_parameters(part: Part, parameters: Mapping[str, Parameter]) -> Part:
    """Return a part with other parameters, on the same bodies."""
    found: Part = _again(part, parameters, {}, whole=True)
    return found


class Numbers(dict[str, Parameter]):
    """Parameters replaced by their values: parts made with them have no formulas, which is quicker."""


def in_numbers(parts: Iterable[Part], parameter: Parameter) -> dict[Part, Part]:
    """Make parts with another value of a parameter, in a model's order, without its formulas: for a difference. Parts
    on bodies that changed are put on the new bodies.
    """
    found: dict[Any, Any] = {}
    for part in parts:
        found[part] = _again(part, Numbers({parameter.name: parameter}), found, whole=True)
    return found


def depends(thing: Any, names: Iterable[str]) -> bool:
    """Return whether an object was made with one of these parameters; the body it is on does not matter."""
    return thing.made is not None and not parameters_of(thing).keys().isdisjoint(names)


def _again(value: Any, parameters: Mapping[str, Parameter], known: dict[Any, Any], *, whole: bool = False) -> Any:
    """Make a value again with other parameters; unchanged values are returned. ``whole``: a part itself, not its
    replacement in the other model.
    """
    if value is None or type(value) in PLAIN:
        return value  # the common case
    match value:
        case tuple() | list():
            found = [_again(item, parameters, known) for item in value]
            same = all(new is old for new, old in zip(found, value, strict=True))
            return value if same else type(value)(found)
        case np.ndarray() if value.dtype == object:
            return _again(value.tolist(), parameters, known)
        case Part() if not whole:
            return known.get(value, value)
        case Marker():
            body = known.get(value.body, value.body)
            if value.made is None:
                return value if body is value.body else replace(value, body=body)
            given = value.made.arguments
            new = {key: _again(each, parameters, known) for key, each in given.items()}
            same = body is value.body and all(new[key] is given[key] for key in given)
            return value if same else body.at(**new)
        case Kind() if value.made is None and not known:
            return value
        case Kind() if isinstance(parameters, Numbers) and not (whole and known) and not depends(value, parameters):
            return value
        case Kind():
            given = arguments(value) if value.made is None or not value.made.by else value.made.arguments
            new = {key: _again(each, parameters, known) for key, each in given.items()}
            if all(new[key] is given[key] for key in given):
                return value
            return _made(value, new)
        case Formula():
            formula = value.changed(parameters)
            return formula.value if isinstance(parameters, Numbers) else formula
    return value


def _made(kind: Kind, given: dict[str, Any]) -> Any:
    """Make an object with the same constructor; a part keeps its name, even a default name that contains a place."""
    if kind.made is not None and kind.made.by:
        return getattr(type(kind), kind.made.by)(**given)
    if not isinstance(kind, Part):
        return type(kind)(**given)
    found = type(kind)(**given | ({"name": ""} if kind.has_default_name and not isinstance(kind, Carrier) else {}))
    found._set(name=kind.name)
    return found
