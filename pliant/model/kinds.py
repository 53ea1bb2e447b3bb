"""Base of all classes that describe a model: each declares its units, and registers itself when it is defined.

    @dataclass(frozen=True, eq=False)
    class Magnet(Between, Load):
        units = {"strength": "N m^2"}
        ...

A class of another package is known once its module is imported. `load_all` imports the others: the modules in
pliant.joints, pliant.forces and pliant.elements, and the modules that packages name in the entry point group
`pliant.parts`:

    [project.entry-points."pliant.parts"]
    magnets = "magnets.parts"
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, replace
from functools import cache
from inspect import Parameter, Signature, get_annotations, signature
from typing import Any, ClassVar, Self, TypeVar

from pliant._lazy import entries, loaded
from pliant.errors import nearest
from pliant.model import checks
from pliant.model.formulas import Made, Replaceable, parameters_of
from pliant.model.quantities import first_in_si, remember
from pliant.units import exponents

ENTRY_POINTS = "pliant.parts"
HOMES = ("pliant.model", "pliant.joints", "pliant.forces", "pliant.elements")
SIGNALS = {"Signal", "SignalLike"}  # words of annotations
USAGE = 80  # longest list of arguments that is shown, in characters

KINDS: dict[str, type[Kind]] = {}
"""Parts, sections, damping, signals and elements by class name. One is entered by being defined: no list is edited."""

K = TypeVar("K", bound="Kind")
Pack = TypeVar("Pack", bound=Callable[..., Any])


class _Signature:
    """Signature of a class without the argument that `dataclasses.replace` gives."""

    def __get__(self, kind: object, of: type) -> Signature:
        if kind is not None:
            raise AttributeError("__signature__")
        whole = signature(of.__init__)  # type: ignore[misc]
        return whole.replace(parameters=[p for p in whole.parameters.values() if p.name not in ("self", "_source")])


class Kind(Replaceable):
    """Base of all classes that describe a model: frozen dataclasses whose fields are stored in the model file.

    units         SI units of the fields that are numbers or functions of time, in addition to the bases' units. A
                  value with units of its own, "300 mm", is turned into these before ``__post_init__`` sees it
    has_units     False if the object takes the units of the field it is used for (signals)
    in_space      fields that only a spatial model uses; a file leaves them out if they hold their default
    planar_only   True if it is for planar models only
    spatial_only  True if it is for spatial models only
    made          constructor and arguments, if these depend on parameters
    """

    units: ClassVar[Mapping[str, str]] = {}
    has_units: ClassVar[bool] = True
    in_space: ClassVar[tuple[str, ...]] = ()
    planar_only: ClassVar[bool] = False
    spatial_only: ClassVar[bool] = False
    made: ClassVar[Made | None] = None  # of an instance that depends on parameters
    __signature__: ClassVar = _Signature()

    @property
    def own_units(self) -> Mapping[str, str]:
        """Return the units of the fields: the class's units, unless they depend on arguments."""
        return self.units

    def __post_init__(self, source: Any = None) -> None:
        if type(self).__post_init__ is Kind.__post_init__:
            remember(self, source)

    def __init_subclass__(cls, *, abstract: bool = False, **options: Any) -> None:
        super().__init_subclass__(**options)
        own = cls.units if "units" in vars(cls) else {}
        cls.units = {key: text for base in reversed(cls.__mro__[1:]) for key, text in _units(base).items()} | dict(own)
        if "__post_init__" in vars(cls):
            cls.__post_init__ = first_in_si(cls.__post_init__)  # type: ignore[method-assign, assignment]
        if abstract:
            return
        _check_fields(cls)
        known = KINDS.get(cls.__name__, cls)
        if (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
            raise TypeError(
                f"{cls.__module__}.{cls.__qualname__}: the name {cls.__name__} is taken by "
                f"{known.__module__}.{known.__qualname__}, and model files know kinds by their names. Choose another."
            )
        KINDS[cls.__name__] = cls

    def __new__(cls, *arguments: Any, **named: Any) -> Self:
        """Make an instance; the error for an unknown argument suggests the nearest, and missing ones are listed."""
        if not arguments and not named:  # a copy
            return super().__new__(cls)
        known, in_order, needed = _arguments(cls)  # type: ignore[arg-type]
        if known and not known.keys() >= named.keys() - {"_source"}:
            unknown = next(key for key in named if key not in known)
            raise TypeError(
                f"{cls.__name__} got an unexpected keyword argument {unknown!r}. {nearest(unknown, known)} "
                f"It is written {cls.usage()}."
            )
        if len(arguments) > max(len(in_order), 1) or not needed <= named.keys() | set(in_order[: len(arguments)]):
            missing = [key for key in known if key in needed and key not in (*in_order[: len(arguments)], *named)]
            what = f"is missing {' and '.join(missing)}" if missing else f"got {len(arguments)} arguments in a row"
            if missing and len(arguments) > max(len(in_order), 1):
                what = f"takes {' and '.join(missing)} by keyword"
            first = arguments[0] if arguments and "name" in known and in_order[:1] != ("name",) else None
            hint = f" Its name comes last: name={first!r}." if isinstance(first, str) else ""
            raise TypeError(f"{cls.__name__} {what}. It is written {cls.usage()}.{hint}")
        return super().__new__(cls)

    @classmethod
    def usage(cls) -> str:
        """Return the call with its arguments: ``Spring(name, a, b, stiffness, rest_length, damping=0.0)``."""
        words = []
        for p in signature(cls).parameters.values():
            if p.default is not Parameter.empty:
                words += [] if p.name == "name" else [f"{p.name}={p.default!r}"]
            else:
                words.append(f"{p.name}=" if p.kind is Parameter.KEYWORD_ONLY else p.name)
        while len(", ".join(words)) > USAGE:
            words[-2:] = ["..."]
        return f"{cls.__name__}({', '.join(words)})"

    def unscalable(self) -> str:
        """Return why it cannot be given in other units (see `Scales`); empty if it can."""
        return ""

    def has_default(self, key: str) -> bool:
        """Return whether a field holds its default, as given or as the constant signal made from it."""
        default, value = self.__dataclass_fields__[key].default, getattr(self, key)  # type: ignore[attr-defined]
        return bool(value == default or getattr(value, "value", value) == default)

    @classmethod
    def spaces(cls) -> tuple[str, ...]:
        """Return the spaces that it is for: "planar", "spatial" or both."""
        return ("planar",) * (not cls.spatial_only) + ("spatial",) * (not cls.planar_only)

    @classmethod
    def decorated(cls) -> bool:
        """Report whether the class, or a kind that it derives from, is a dataclass."""
        return cls.__dataclass_params__ is not Kind.__dataclass_params__  # type: ignore[attr-defined]

    def _as_given(self, key: str) -> Any:
        """Return the argument given for a field, with its parameters if any; else the value of the field."""
        given = self.made.arguments.get(key) if self.made and not self.made.by else None
        return given if parameters_of(given) else getattr(self, key)

    @classmethod
    def replaced(cls, of: Self, **fields: object) -> Self:
        """Make a copy with other fields, as `dataclasses.replace` does."""
        checks.instance(f"{cls.__name__}.replaced", "of", of, cls)
        return replace(of, **fields)  # type: ignore[type-var]

    replaced.__func__.makes = True  # type: ignore[attr-defined]  # a file may call it

    def _set(self, **values: Any) -> None:
        """Store cleaned values while the object is being made (it is frozen afterwards)."""
        for key, value in values.items():
            object.__setattr__(self, key, value)


@cache
def _arguments(kind: type) -> tuple[dict[str, None], tuple[str, ...], frozenset[str]]:
    """Return the names of allowed, of positional and of required arguments."""
    every = [each for key, each in getattr(kind, "__dataclass_fields__", {}).items() if each.init and key != "_source"]
    needed = [each.name for each in every if each.default is MISSING and each.default_factory is MISSING]
    in_order = tuple(each.name for each in every if not each.kw_only)
    return dict.fromkeys(each.name for each in every), in_order, frozenset(needed)


def find(name: str) -> type[Kind] | None:
    """Return the kind with that name, or None; modules that have not been imported are searched too."""
    if name not in KINDS:
        for home in HOMES:
            importlib.import_module(home)
    if name not in KINDS:
        load_all()
    return KINDS.get(name)


def kinds_of(base: type[K]) -> list[type[K]]:
    """Return all known kinds derived from `base`, in the order in which they were defined."""
    return [kind for kind in KINDS.values() if issubclass(kind, base)]


def load_all() -> None:
    """Import every file in which parts of pliant are defined, and the modules of other packages that offer parts.

    A module of another package that fails is named in a warning and left out.
    """
    for home in HOMES:
        folder = importlib.import_module(home).__path__
        for module in pkgutil.iter_modules(folder, f"{home}."):
            if not module.name.rpartition(".")[2].startswith("_"):
                importlib.import_module(module.name)
    for entry in entries(ENTRY_POINTS):
        loaded(entry, "its parts are not known")


def packs_only(*kinds: type[Kind]) -> Callable[[Pack], Pack]:
    """Declare that the function `pack` of a family (elements/_family.py) reads forces of these kinds only: a model
    without them has no elements of the family, and `pack` is not called.
    """

    def said(pack: Pack) -> Pack:
        vars(pack)["only"] = kinds
        return pack

    return said


def own_fields(cls: type) -> Iterator[tuple[str, set[str]]]:
    """Yield the names of the fields that a class itself annotates, and the words of their annotations."""
    for name, annotation in get_annotations(cls).items():
        words = set(re.findall(r"\w+", annotation if isinstance(annotation, str) else repr(annotation)))
        if "ClassVar" not in words and not name.startswith("_"):
            yield name, words


def _units(base: type) -> Mapping[str, str]:
    return base.units if issubclass(base, Kind) else {}


def _check_fields(cls: type[Kind]) -> None:
    """Check that no field hides an attribute, and that numbers, and only these, have units that are understood."""
    if not cls.has_units:
        return
    owner, base = f"{cls.__module__}.{cls.__qualname__}", cls.__mro__[1]
    inherited = {name for each in cls.__mro__[1:] for name, _ in own_fields(each)}
    for name, _ in own_fields(cls):
        if name not in inherited and hasattr(base, name):
            raise TypeError(
                f"{owner}: the field {name} would hide what every {base.__name__} has. Choose another name."
            )
    annotated = {name: words for base in reversed(cls.__mro__) for name, words in own_fields(base)}
    for name, words in annotated.items():
        is_number = "float" in words and not words & {"str", "Callable"}
        if name not in cls.units and (is_number or words & SIGNALS):
            raise TypeError(
                f"{owner}: the field {name} is a number without units. State them in the class, such as "
                f'units = {{"{name}": "N/m"}}, or "1" for a pure number.'
            )
    for name, text in cls.units.items():
        if name not in annotated:
            raise TypeError(f"{owner}: units are given for {name}, which is no field of it.")
        try:
            exponents(text)
        except ValueError as error:
            raise TypeError(f"{owner}: units of {name}: {error}.") from error
