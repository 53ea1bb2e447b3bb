"""Python programs that make a model, written from the tables of its file (`io`)."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from inspect import Parameter, signature
from typing import Any

from pliant.model.files.io import Table, tables
from pliant.model.formulas import FUNCTIONS, SIGN
from pliant.model.kinds import find
from pliant.model.model import Model
from pliant.model.sections.materials import ALUMINIUM, STEEL, TITANIUM

FIRST = ("name", "a", "b", "marker", "joint")
"""Arguments that are written without their names, where the class takes them so."""

MATERIALS = {each.name: word for each, word in ((STEEL, "STEEL"), (ALUMINIUM, "ALUMINIUM"), (TITANIUM, "TITANIUM"))}
LINE = 100  # longer lines are broken into one argument a line


def as_python(model: Model) -> str:
    """Return the program that makes a model, with the variable ``m`` for it.

    >>> from pliant_gallery.examples import two_links
    >>> print(as_python(two_links()))
    import pliant as pl
    <BLANKLINE>
    m = pl.Model("arm")
    ground = m.add(pl.Ground())
    upper = m.add(pl.Link("upper", length=1.0, mass=1.0, inertia=0.08333333333333333))
    lower = m.add(pl.Link("lower", length=1.0, mass=1.0, inertia=0.08333333333333333))
    m.add(pl.Revolute(ground.at(x=0.0, y=0.0), upper.at(s=0.0)))
    m.add(pl.Revolute(upper.at(s=1.0), lower.at(s=0.0)))
    shoulder = m.add(pl.Motion(ground.at(x=0.0, y=0.0), upper.at(s=0.0), name="shoulder", angle=0.5))
    elbow = m.add(pl.Motion(upper.at(s=1.0), lower.at(s=0.0), name="elbow", angle=0.5))
    <BLANKLINE>
    """
    scales = [] if model.scales is None else [f"m.scales = pl.Scales({_arguments(asdict(model.scales), _Names())})"]
    return program(tables(model), [head(model.name, spatial=model.spatial), *scales])


def head(name: str, *, spatial: bool) -> str:
    """Return the line that makes an empty model ``m``."""
    return f"m = pl.Model({_quoted(name)}{', plane=None' if spatial else ''})"


def program(written: Iterable[tuple[str, Table]], begin: Iterable[str]) -> str:
    """Return the program of groups and tables (see `io.tables`); `begin`: the lines that make the model ``m``."""
    names = _Names()
    parameters, lines = list[str](), list(begin)
    for group, table in written:
        if group == "parameter":
            said = {"": table["name"]} | {key: value for key, value in table.items() if key != "name"}
            parameters.append(f"{names.new(table['name'])} = pl.Parameter({_arguments(said, names)})")
        elif group == "marker":
            lines.append(f"m.add({_value(table, names)})")
        else:
            begin = f"{names.new(table['name'])} = " if "name" in table else ""
            lines.append(_statement(begin, table, names))
    imports = ["import numpy as np"] if names.functions else []
    return "\n".join([*imports, *sorted(names.imports), "import pliant as pl", "", *parameters, *lines, ""])


class _Names:
    """Variables of parts and parameters, and additional imports."""

    def __init__(self) -> None:
        self.of: dict[str, str] = {}
        self.imports: set[str] = set()
        self.functions = False

    def new(self, name: str) -> str:
        """Return a variable for a name: "left pin 2" -> left_pin_2."""
        word = re.sub(r"\W+", "_", name).strip("_") or "part"
        word = f"_{word}" if word[0].isdigit() else word
        word = f"{word}_" if keyword.iskeyword(word) or word in ("m", "pl", "np", *FUNCTIONS) else word
        while word in self.of.values():
            word += "_"
        self.of[name] = word
        return word

    def kind(self, name: str) -> str:
        """Return the name of a class in the program."""
        import pliant

        kind = find(name)
        if kind is None or getattr(pliant, name, None) is kind:
            return f"pl.{name}"
        self.imports.add(f"from {kind.__module__} import {name}")
        return name

    def formula(self, text: str) -> str:
        """Translate a formula of a file to Python: parameters become variables, functions come from numpy."""
        found = re.sub(rf"\b({'|'.join(FUNCTIONS)})\(", r"np.\1(", text.removeprefix(SIGN).strip())
        self.functions |= "np." in found
        return found


def _value(value: Any, names: _Names) -> str:
    """Return one value of a table as Python."""
    match value:
        case {"kind": "Material", **rest} if _material(rest):
            return f"pl.{MATERIALS[value['name']]}"
        case {"kind": str()}:
            function, given = _call(value, names)
            return f"{function}({_arguments(given, names)})"
        case {"body": str(body), **rest}:
            return f"{_part(body, names)}.at({_arguments(rest, names)})"
        case {"part": str(part)}:
            return _part(part, names)
        case Mapping():
            return f"dict({_arguments(value, names)})"
        case list() | tuple():
            inside = ", ".join(_value(item, names) for item in value)
            return f"({inside}{',' if len(value) == 1 else ''})"
        case str() if value.startswith(SIGN):
            return names.formula(value)
        case str():
            return _quoted(value)
    return repr(value)


def _part(name: str, names: _Names) -> str:
    """Return an earlier part: its variable, or a lookup in the model if it has no name of its own."""
    return names.of.get(name) or f"m.part({_quoted(name)})"


def _material(rest: Mapping[Any, Any]) -> bool:
    """Return whether a table is one of pliant's own materials."""
    known = {each.name: each for each in (STEEL, ALUMINIUM, TITANIUM)}.get(rest.get("name", ""))
    return known is not None and all(getattr(known, key, None) == value for key, value in rest.items())


def _ordered(kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments that differ from the default; positional ones (`FIRST`) have blank keys."""
    found = find(kind)
    takes = [] if found is None else list(signature(found).parameters.values())
    defaults = {each.name: each.default for each in takes}
    given = {key: value for key, value in given.items() if key not in defaults or not _same(value, defaults[key])}
    front = list[str]()
    for each in takes:
        if each.kind is not Parameter.POSITIONAL_OR_KEYWORD or each.name not in FIRST or each.name not in given:
            break
        front.append(each.name)
    spaces = {name: " " * k for k, name in enumerate(front)}
    return {spaces.get(key, key): given[key] for key in [*front, *(key for key in given if key not in front)]}


def _call(table: Mapping[str, Any], names: _Names) -> tuple[str, dict[str, Any]]:
    """Return function and arguments that make the object of a table with a kind."""
    given = {key: value for key, value in table.items() if key not in ("kind", "made")}
    function = names.kind(table["kind"])
    return (f"{function}.{table['made']}", given) if "made" in table else (function, _ordered(table["kind"], given))


def _arguments(given: Mapping[Any, Any], names: _Names) -> str:
    return ", ".join(
        f"{key}={_value(value, names)}" if key.strip() else _value(value, names) for key, value in given.items()
    )


def _same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and repr(value) == repr(default)  # -0.0 is not 0.0


def _quoted(text: str) -> str:
    """Return text with double quotes, as formatted Python has."""
    found = repr(text)
    return f'"{found[1:-1]}"' if found[0] == "'" and '"' not in found else found


def _statement(begin: str, table: Table, names: _Names) -> str:
    """Return the statement that adds a part; one argument a line if it is long."""
    line = f"{begin}m.add({_value(table, names)})"
    return line if len(line) <= LINE else "\n".join([f"{begin}m.add(", *_spread("", table, names, 4), ")"])


def _spread(key: str, value: Any, names: _Names, indent: int) -> list[str]:
    """Return one argument, on lines of its own if it is long."""
    begin = " " * indent + (f"{key}=" if key.strip() else "")
    line, comma = begin + _value(value, names), "," if indent > 4 else ""
    if len(line) <= LINE or not isinstance(value, Mapping) or "kind" not in value:
        return [f"{line}{comma}"]
    function, given = _call(value, names)
    inside = [line for each in given for line in _spread(each, given[each], names, indent + 4)]
    return [f"{begin}{function}(", *inside, f"{' ' * indent}){comma}"]
