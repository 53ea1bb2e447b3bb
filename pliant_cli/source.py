"""The model of a command: a gallery name, a model file, a Python file or a file with a reader; and its settings."""

from __future__ import annotations

import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pliant_gallery as gallery
from pliant._lazy import entries, loaded
from pliant.errors import FileError, OptionError, PliantError, nearest
from pliant.model import Expression, Model
from pliant_cli.console import err

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

WORDS = {"true": True, "false": False, "none": None}


@dataclass(frozen=True)
class Source:
    """A function that makes a model from options, and a function that finds its start, if it has several equilibria."""

    name: str
    function: Callable[..., Model]
    start: Callable[[Any], Any] = lambda system: None

    @property
    def options(self) -> dict[str, inspect.Parameter]:
        """Return the arguments of the function, by name."""
        return dict(inspect.signature(self.function).parameters)

    def fields(self) -> dict[str, tuple[str, Any]]:
        """Return option and default by field, for options that are a set of parameters, such as the leg's."""
        sets = {k: p.default for k, p in self.options.items() if is_dataclass(p.default) and k in ("parameters", "arm")}
        return {field.name: (k, given) for k, given in sets.items() for field in fields(given)}

    def model(self, settings: Mapping[str, Any]) -> Model:
        """Make a model with these options, fields of sets of parameters, and parameters of the model."""
        options = {name: value for name, value in settings.items() if name in self.options}
        known = self.fields()
        for name in [name for name in settings if name in known and name not in options]:
            option, default = known[name]
            options[option] = replace(options.get(option, default), **{name: settings[name]})
        parameters = {name: value for name, value in settings.items() if name not in self.options and name not in known}
        given = {name: self._signal(name, value) for name, value in options.items()}
        try:
            found = self.function(**given)
        except PliantError:
            raise
        except Exception as error:
            said = f"{type(error).__name__}: {str(error).rstrip('.')}."
            raise OptionError(f"{self.name}: model({given or ''}) failed: {said}") from error
        if not isinstance(found, Model):
            raise FileError(f"{self.name}: model() returned a {type(found).__name__}; it must return a pliant Model.")
        return found.with_parameters(**parameters) if parameters else found

    def takes(self, name: str) -> bool:
        """Return whether a name is an option, a field of one, or a parameter of the model."""
        if name in self.options or name in self.fields():
            return True
        return name.isidentifier() and name in self.model({}).parameters

    def _signal(self, name: str, value: Any) -> Any:
        """Return the value of an option; text for a function of time is a formula."""
        wanted = str(self.options[name].annotation)
        return Expression(value) if isinstance(value, str) and "Signal" in wanted else value


def source(text: str) -> Source:
    """Return the source of a command's MODEL. A Python file is executed: it is code, and its user has named it."""
    path = Path(text)
    if path.suffix == ".toml":
        return Source(text, lambda: Model.load(path))
    if path.suffix == ".py":
        return Source(text, _function(path))
    readers = {f".{entry.name}": entry for entry in entries("pliant.readers")}
    if path.suffix.lower() in readers:
        return Source(text, _reading(path, readers[path.suffix.lower()]))
    if path.suffix and path.exists():
        known = ", ".join([".toml", ".py", *sorted(readers)])
        raise FileError(f"{path}: a model is a gallery name, or a file {known}.")
    module = gallery.module(text)
    return Source(text, module.model, getattr(module, "start", Source.start))


def _reading(path: Path, entry: EntryPoint) -> Callable[..., Model]:
    """Return the function that reads a file, by the reader of its suffix, which also takes the options:

    [project.entry-points."pliant.readers"]
    abc = "my_package.abc:read_abc"
    """
    reader = loaded(entry, f"no {path.suffix} is read")
    if reader is None:
        raise FileError(f"{path}: its reader {entry.value} cannot be imported.")

    def read(**options: Any) -> Model:
        return _read(reader, path, **options)

    form = inspect.signature(reader)
    read.__signature__ = form.replace(parameters=list(form.parameters.values())[1:])  # type: ignore[attr-defined]
    return read


@lru_cache
def _read(reader: Callable[..., Any], path: Path, **options: Any) -> Model:
    """Read a file once; print what a description of a robot, or a deck, has beside the model."""
    found = reader(path, **options)
    if isinstance(found, Model):
        return found
    err.print(f"{path}: not taken: {'; '.join(found.left_out) or 'nothing'}", style="yellow", markup=False)
    model: Model = found.model
    return model


def _line(path: Path, error: BaseException) -> str:
    """Return the last line of a file that was run before an error, in words; empty if the error is from elsewhere."""
    lines = [
        each.lineno for each in traceback.extract_tb(error.__traceback__) if Path(each.filename) == path.absolute()
    ]
    return f", line {lines[-1]}" if lines else ""


def _function(path: Path) -> Callable[..., Model]:
    if not path.is_file():
        raise FileError(f"{path}: there is no such file.")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise FileError(f"{path}: cannot be read as Python.")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent.absolute()))  # as Python does for the file it runs
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        said = f"{type(error).__name__}: {str(error).rstrip('.')}."
        raise FileError(f"{path}{_line(path, error)}: failed when run: {said}") from error
    finally:
        sys.path.remove(str(path.parent.absolute()))
    if callable(getattr(module, "model", None)):
        return module.model
    models = {id(each): (name, each) for name, each in vars(module).items() if isinstance(each, Model)}
    if len(models) != 1:
        found = f"several Models, {', '.join(name for name, _ in models.values())}" if models else "no Model"
        raise FileError(
            f"{path}: has no function model(), and {found}. Write def model(): ... return m, or keep one Model in a "
            "variable of the file."
        )
    ((_, only),) = models.values()
    return lambda: only


def settings(pairs: Sequence[str], *, plain: bool = False) -> dict[str, Any]:
    """Read ``NAME=VALUE`` pairs: numbers, true, false, none, or text; ``plain``: all as text.

    >>> settings(["hold=none", "lower_mass=2", "tip/y=0.1*sin(t)"])
    {'hold': None, 'lower_mass': 2, 'tip/y': '0.1*sin(t)'}
    """
    found: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name.strip() or not text.strip():
            raise OptionError(f"{pair}: write NAME=VALUE, such as --set lower_mass=2.")
        if name.strip() in found:
            raise OptionError(f"{name.strip()}: given twice.")
        found[name.strip()] = text.strip() if plain else value_of(text.strip())
    return found


def value_of(text: str) -> Any:
    """Convert text to a number, True, False or None if it is one."""
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def split(given: Source, values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the settings of the model, and the settings of signals, by name."""
    own = {name: value for name, value in values.items() if given.takes(name)}
    return own, {name: value for name, value in values.items() if name not in own}


def with_signals(system: Any, given: Source, signals: Mapping[str, Any]) -> Any:
    """Return the system with other signals; the name of a part with a single signal is enough."""
    if not signals:
        return system
    known, found = list(system.signal_names), {}
    for name, value in signals.items():
        match = [name] if name in known else [each for each in known if each.rpartition("/")[0] == name]
        if len(match) != 1:
            groups = {
                "Options": [*given.options, *given.fields()],
                "Parameters": list(given.model({}).parameters),
                "Signals": known,
            }
            hint = f"Which of {', '.join(match)}?" if match else nearest(name, chain.from_iterable(groups.values()))
            there = " ".join(f"{kind}: {', '.join(each) or 'none'}." for kind, each in groups.items())
            raise OptionError(f"{name}: neither an option, a parameter nor a signal of {given.name}. {hint} {there}")
        found[match[0]] = Expression(value) if isinstance(value, str) else value
    return system.with_signals(found)
