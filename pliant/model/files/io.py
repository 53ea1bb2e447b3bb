"""Model files: readable TOML with a format name and a version. Reading a file runs no code in it.

A file has a head (format, version, name, plane), one table a part, ``[[body]]``, ``[[point_mass]]``, ``[[joint]]``,
``[[force]]`` or ``[[marker]]``, and a last line ``[end]`` that shows that nothing was cut off. ``kind`` names the class
of a part, the other keys are its fields. Markers are ``{body = "crank", s = 1.0}``, parts ``{part = "crank"}``;
sections, damping and signals are tables with their own ``kind``; a constant signal is a number. A missing key takes its
default. The plane of a spatial model is "none".

Parameters come first, ``[[parameter]]`` with name, value, low, high, unit and scale; a number that depends on them is a
formula in text, ``"= 2 * thickness"``. ``made`` names the constructor of an object whose arguments are not its fields:
``{kind = "Section", made = "rectangle", width = 0.02, height = "= thickness", material = ...}``; ``made = "replaced"``
copies the object under ``of`` with other fields.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, asdict, fields
from inspect import Parameter as Argument
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pliant.errors import FileError, PliantError, nearest
from pliant.model.bodies.rigid import Carrier
from pliant.model.copies import arguments
from pliant.model.formulas import SIGN, FieldOf, Formula, read
from pliant.model.kinds import ENTRY_POINTS, KINDS, Kind, find, kinds_of
from pliant.model.markers import Marker
from pliant.model.model import Model
from pliant.model.parameters import Parameter
from pliant.model.parts import Part
from pliant.model.signals.base import Constant
from pliant.whole_files import whole_file

FORMAT = "pliant-model"
VERSION = 1
GROUPS = ("body", "point_mass", "joint", "force")
LINE = 120  # length of a line above which a table is broken up
Table = dict[str, Any]
SPACE = "none"  # plane of a spatial model
HEAD = ("format", "version", "name", "plane", "scales")
DEEPEST = 16  # parts of a dotted key: the reader of TOML needs time and memory with the square of their number
DOTTED = re.compile(rf"""(?m)(?:^|[\[{{,])[ \t]*(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){{{DEEPEST}}}""")
ABROAD = f"A part of another package is known once that is imported, or installed with an entry point {ENTRY_POINTS!r}."


# --- writing


def save(model: Model, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Write a model to `path`, whole or not at all."""
    text = dumps(model)
    target = Path(path)
    if target.exists() and not overwrite:
        raise FileError(f"{target} exists already; give another name or overwrite=True.")
    with whole_file(target) as part:
        part.write_text(text, encoding="utf-8")


def dumps(model: Model) -> str:
    """Return the model as the text of its file."""
    head: dict[str, Any] = {"format": FORMAT, "version": VERSION, "name": model.name, "plane": model.plane or SPACE}
    if model.scales is not None:
        head["scales"] = asdict(model.scales)
    blocks = ["\n".join(f"{key} = {_toml(value)}" for key, value in head.items())]
    blocks += [_block(group, table) for group, table in tables(model)]
    return "\n\n".join([*blocks, "[end]"]) + "\n"


def tables(model: Model) -> list[tuple[str, Table]]:
    """Return groups and tables of a model in the order of its file: parameters, parts, watched markers; plain data.

    >>> from pliant_gallery.examples import column
    >>> tables(column())[-1]
    ('force', {'kind': 'Force', 'marker': {'body': 'beam', 's': 1.0}, 'name': 'load', 'x': -1.0, 'y': 0.0})
    """
    parts = sorted(model, key=lambda part: GROUPS.index(part.group))
    return [
        *(("parameter", _parameter(each)) for each in model.parameters.values()),
        *((part.group, _part(part)) for part in parts),
        *(("marker", _marker(marker)) for marker in model.watched),
    ]


def _block(group: str, table: dict[str, Any]) -> str:
    """Return a part as the text of its table; long values, such as a section, become tables of their own below."""
    long = [key for key, value in table.items() if isinstance(value, dict) and len(_toml(value)) > LINE]
    lines = [f"[[{group}]]", *(f"{key} = {_toml(value)}" for key, value in table.items() if key not in long)]
    for key in long:
        lines += [f"[{group}.{key}]", *(f"{k} = {_toml(v)}" for k, v in table[key].items())]
    return "\n".join(lines)


def _parameter(parameter: Parameter) -> dict[str, Any]:
    """Return the fields of a parameter, without default values."""
    held = {f.name: (getattr(parameter, f.name), f.default) for f in fields(parameter)}
    return {key: value for key, (value, default) in held.items() if value != default}


def _part(part: Part) -> dict[str, Any]:
    table = _object(part, part.owner)
    if part.has_default_name:
        del table["name"]
    return table


def _object(thing: Kind, owner: str) -> dict[str, Any]:
    """Return kind and fields of an object; None and False are defaults and left out."""
    table: dict[str, Any] = {"kind": type(thing).__name__}
    if thing.made is not None:
        table |= {"made": thing.made.by} if thing.made.by else {}
        given = thing.made.arguments if thing.made.by else arguments(thing)
        defaults = {} if thing.made.by else {f.name: f.default for f in fields(thing)}  # type: ignore[arg-type]
        given = {key: value for key, value in given.items() if value is not None and value is not defaults.get(key)}
        return table | {key: _plain(value, f"{owner}: {key}") for key, value in given.items()}
    unused = [key for key in thing.in_space if thing.has_default(key)]
    for f in fields(thing):  # type: ignore[arg-type]
        value = getattr(thing, f.name)
        if f.init and f.name not in unused and value is not None and not (value is False and f.default is False):
            table[f.name] = _plain(value, f"{owner}: {f.name}")
    return table


def _marker(marker: Marker) -> dict[str, Any]:
    address = {key: value for key, value in marker.body.address(marker).items() if value is not None}
    return {"body": marker.body.name} | {key: _plain(value, marker.label) for key, value in address.items()}


def _plain(value: object, owner: str) -> Any:
    """Convert a field to TOML types: text, numbers, lists, tables."""
    match value:
        case Marker():
            return _marker(value)
        case Part():
            return {"part": value.name}
        case FieldOf():
            raise FileError(
                f"{owner} was left out of a part that was then replaced (dataclasses.replace). A file cannot hold its "
                "formula. Give it as a number or as a formula of parameters."
            )
        case Formula():
            return f"{SIGN} {value}"
        case Constant():
            return value.value
        case Kind():
            return _object(value, owner)
        case tuple() | list():
            return [_plain(item, owner) for item in value]
        case np.ndarray() | np.generic():
            return _plain(value.tolist(), owner)
        case bool() | int() | float() | str():
            return value
    raise FileError(
        f"{owner} is a Python {type(value).__name__}, which a file cannot hold; nothing was written. "
        "Use an Expression or a Table for a function of time; Circle, Rectangle, Tube or LinearStiffness for a "
        "section; values at equally spaced places for a load along a beam."
    )


def _toml(value: Any) -> str:
    """Format one TOML value, tables inline, rows of a matrix on lines of their own.

    Floats are written in full: the shortest text from which the same value is read.
    """
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            escaped = value.replace("\\", "\\\\").replace('"', '\\"')
            return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped) + '"'
        case Mapping():
            return "{" + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + "}"
        case list():
            comma = ",\n  " if any(isinstance(item, list) for item in value) else ", "
            return "[" + comma.join(map(_toml, value)) + "]"
    return repr(value)


# --- reading


def load(path: str | os.PathLike[str]) -> Model:
    """Read a model file."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise FileError(f"{path}: not a text file: {error.reason} at byte {error.start}.") from error
    return loads(text, str(path))


def loads(text: str, source: str = "text") -> Model:
    """Read a model from the text of its file; `source` names it in messages."""
    if deep := DOTTED.search(text):
        line = text.count("\n", 0, deep.end()) + 1
        raise FileError(f"{source}: the key in line {line} has more than {DEEPEST} parts; a model needs three at most.")
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise FileError(f"{source}: not valid TOML, perhaps cut short: {error}.") from error
    _check_head(data, source)
    with _located(f"{source}: head"):
        model = Model(data["name"], plane=None if data["plane"] == SPACE else data["plane"])
        if "scales" in data:
            model.scales = _read_scales(data["scales"], source)
    known: dict[str, Parameter] = {}
    for i, table in enumerate(_tables(data, "parameter", source), 1):
        with _located(f"{source}: [[parameter]] number {i}"):
            parameter = read_parameter(table, known)
            known[parameter.name] = parameter
    reader = Reader(model, known)
    for group in (*GROUPS, "marker"):
        for i, table in enumerate(_tables(data, group, source), 1):
            with _located(f"{source}: [[{group}]] number {i}"):
                model.add(reader.marker(table) if group == "marker" else reader.part(table, group))
    if unused := [name for name in known if name not in model.parameters]:
        raise FileError(f"{source}: nothing depends on the parameter {unused[0]!r}. Take it away, or use it.")
    return model


def read_parameter(table: dict[str, Any], known: Mapping[str, Parameter]) -> Parameter:
    """Read a parameter from its table, given the known ones."""
    _check_keys(table, [f.name for f in fields(Parameter)], "parameter")
    _check_complete(table, ("name", "value"), "parameter")
    if table["name"] in known:
        raise FileError(f"the parameter {table['name']!r} is there twice.")
    return Parameter(**table)


def _read_scales(values: Any, source: str) -> Any:
    from pliant.model.scales import Scales

    if not isinstance(values, dict) or set(values) != {"length", "time", "mass"}:
        raise FileError(f"{source}: scales = {values!r:.60}; give length, time and mass.")
    return Scales(**values)


def _check_head(data: dict[str, Any], source: str) -> None:
    if data.get("format") != FORMAT:
        raise FileError(f"{source}: format = {data.get('format')!r} is not a model file; it must be {FORMAT!r}.")
    version = data.get("version")
    if version != VERSION or isinstance(version, bool):
        raise FileError(f"{source}: version = {version!r} is not known; this pliant reads version {VERSION}.")
    _check_complete(data, ("name", "plane"), f"{source}: head")
    _check_keys(data, [*HEAD, "parameter", *GROUPS, "marker", "end"], source)
    if data.get("end") != {}:
        raise FileError(f"{source}: cut short: its last line must be [end]. Add it if nothing is missing.")


def _tables(data: dict[str, Any], group: str, source: str) -> list[dict[str, Any]]:
    tables = data.get(group, [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise FileError(f"{source}: {group} must be a list of tables. Write [[{group}]], with two brackets.")
    return tables


@contextmanager
def _located(where: str) -> Iterator[None]:
    """Turn any refusal inside into a FileError that names the place in the file."""
    try:
        yield
    except PliantError as error:
        raise FileError(f"{where}: {error}") from error


class Reader(NamedTuple):
    """Reader of parts, markers and their contents from tables, with the model so far and the parameters."""

    model: Model
    parameters: Mapping[str, Parameter]

    def part(self, table: dict[str, Any], group: str) -> Part:
        """Read a part from its table."""
        part = self.object(table)
        if not isinstance(part, Part) or part.group != group:
            raise FileError(f"kind = {table['kind']!r} does not belong here; it must be {_kinds(group)}.")
        return part

    def object(self, table: dict[str, Any]) -> Kind:
        """Read the object that a table with a kind describes."""
        keys = dict(table)
        name = _text(keys.pop("kind", None), "kind")
        kind = find(name)
        if kind is None:
            raise FileError(f"kind = {name!r} is not known. {nearest(name, KINDS, most=20)} {ABROAD}")
        if "made" in keys:
            return self.made(kind, keys)
        known = {f.name: f for f in fields(kind) if f.init}  # type: ignore[arg-type]
        _check_keys(keys, known, name)
        _check_complete(keys, [key for key, f in known.items() if f.default is MISSING], name)
        return kind(**{key: self.value(value, key) for key, value in keys.items()})

    def made(self, kind: type[Kind], keys: dict[str, Any]) -> Kind:
        """Call one of the constructors that record their arguments; no other function is called."""
        by = _text(keys.pop("made"), "made")
        known = [key for each in kind.__mro__ for key, item in vars(each).items() if isinstance(item, classmethod)]
        known = [key for key in known if getattr(getattr(kind, key), "makes", False)]
        if by not in known:
            raise FileError(f"made = {by!r} is no constructor of {kind.__name__}. {nearest(by, known)}")
        constructor = getattr(kind, by)
        more = [f.name for f in fields(kind) if f.init] if by == "replaced" else []  # type: ignore[arg-type]
        self._check_call(keys, constructor, f"{kind.__name__}.{by}", more)
        found: Kind = constructor(**{key: self.value(value, key) for key, value in keys.items()})
        return found

    def value(self, value: Any, key: str) -> Any:
        """Convert a field from its TOML value."""
        match value:
            case {"kind": _}:
                return self.object(value)
            case {"body": _}:
                return self.marker(value)
            case {"part": str(name)}:
                _check_keys(value, ("part",), key)
                return self.model.part(name)
            case list():
                return tuple(self.value(item, key) for item in value)
            case str() if value.startswith(SIGN):
                return read(value, self.parameters)
            case bool() | int() | float() | str():
                return value
        raise FileError(f"{key} = {value!r:.80} is not understood; a table needs a kind, body or part.")

    def marker(self, table: dict[str, Any]) -> Marker:
        """Read a marker from its table."""
        place = dict(table)
        body = self.model.part(_text(place.pop("body", None), "body"))
        if not isinstance(body, Carrier):
            raise FileError(f"body = {body.name!r} is a {type(body).__name__}, which carries no markers.")
        self._check_call(place, body.at, f"marker on {body.owner}")
        return body.at(**{key: self.value(value, key) for key, value in place.items()})

    def _check_call(self, keys: dict[str, Any], function: Any, owner: str, more: Iterable[str] = ()) -> None:
        known = {key: p for key, p in signature(function).parameters.items() if p.kind is not Argument.VAR_KEYWORD}
        _check_keys(keys, [*known, *more], owner)
        _check_complete(keys, [key for key, p in known.items() if p.default is Argument.empty], owner)


def _text(value: Any, key: str) -> str:
    if not isinstance(value, str):
        raise FileError(f"{key} = {value!r:.80} must be text.")
    return value


def _check_keys(given: Iterable[str], known: Iterable[str], owner: str) -> None:
    unknown = [key for key in given if key not in known]
    if unknown:
        raise FileError(f"{owner}: key {unknown[0]!r} is not known. {nearest(unknown[0], known)}")


def _check_complete(given: Iterable[str], needed: Iterable[str], owner: str) -> None:
    missing = [key for key in needed if key not in given]
    if missing:
        raise FileError(f"{owner} lacks {', '.join(missing)}.")


def _kinds(group: str) -> str:
    return "one of " + ", ".join(kind.__name__ for kind in kinds_of(Part) if kind.group == group)
