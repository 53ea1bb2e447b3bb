"""Labels of jobs, equal in every process: they identify the study of a store.

Values are written as they are, arrays and results by a digest of their numbers, dataclasses by their fields, functions
by name, other objects by their class.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import partial
from pathlib import PurePath
from typing import Any

import numpy as np

from pliant.errors import FileError
from pliant.model import Model
from pliant.results import Result

SHORT = 12  # letters of a digest


def words(thing: Any) -> str:
    """
    >>> import pliant as pl
    >>> words(partial(pl.statics, time=1.0)), words(pl.Sine(1.0, 2.0)), words(None)
    ('statics(time=1.0)', 'Sine(amplitude=1.0, frequency_hz=2.0, phase=0.0, offset=0.0)', '')
    """
    if thing is None:
        return ""
    if isinstance(thing, bool | int | float | complex | str | np.generic):
        return repr(thing.item() if isinstance(thing, np.generic) else thing)
    if isinstance(thing, PurePath):
        return str(thing)
    if isinstance(thing, partial):
        given = {**{str(k): each for k, each in enumerate(thing.args)}, **thing.keywords}
        return f"{words(thing.func)}({_pairs(given)})"
    if isinstance(thing, Model):
        return f"{thing.name} {of_model(thing)}".strip()
    if isinstance(thing, Result):
        return f"{thing.kind} {_digest(*(thing.state or {}).values())}"
    if isinstance(thing, np.ndarray):
        return f"array{thing.shape} {_digest(thing)}"
    if isinstance(thing, Mapping):
        return f"{{{_pairs(thing)}}}"
    if isinstance(thing, list | tuple):
        return f"[{', '.join(map(words, thing))}]"
    if isinstance(thing, set | frozenset):
        return f"[{', '.join(sorted(map(words, thing)))}]"
    if not isinstance(thing, type) and hasattr(thing, "with_signals") and hasattr(thing, "observed"):
        return f"{words(thing.model)} {of_system(thing)}"
    if is_dataclass(thing) and not isinstance(thing, type):
        shown = {field.name: getattr(thing, field.name) for field in fields(thing) if field.repr}
        return f"{type(thing).__qualname__}({_pairs(shown)})"
    return str(getattr(thing, "__qualname__", type(thing).__qualname__))


def of_model(model: Model) -> str:
    """Return the digest of a model; empty if it holds functions, which have no label."""
    from pliant.model.files.io import dumps

    with suppress(FileError):
        return hashlib.sha256(dumps(model).encode()).hexdigest()
    return ""


def of_system(system: Any, without: frozenset[str] = frozenset()) -> str:
    """Return the label of a compiled system and its signals, without some of these."""
    observed = system.observed
    signals = {each.name: each.signal for each in observed.layout.named_signals if each.name not in without}
    settings = {name: value for name, value in system.settings.items() if name != "signals"}
    return f"{words(settings)}, {words(signals)}"


def apart(one: str, other: str, most: int = 60) -> tuple[str, str]:
    """Return excerpts of two texts from shortly before their first difference.

    >>> apart("leg(load=1.0, time=2.0, elements=4)", "leg(load=1.0, time=2.0, elements=8)", most=12)
    ('... elements=4)', '... elements=8)')
    """
    if max(len(one), len(other)) <= most:
        return one, other
    same = next((k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    begin = max(one.rfind(" ", 0, same), 0)
    return tuple(f"{'...' * (begin > 0)}{text[begin : begin + most]}" for text in (one, other))  # type: ignore[return-value]


def _pairs(given: Mapping[Any, Any]) -> str:
    return ", ".join(f"{name}={words(value)}" for name, value in given.items())


def _digest(*arrays: Any) -> str:
    said = hashlib.sha256()
    for array in map(np.asarray, arrays):
        said.update(f"{array.dtype} {array.shape}".encode() + array.tobytes())
    return said.hexdigest()[:SHORT]
