"""The list of everything a model file may hold, by class name."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, ClassVar

KINDS: dict[str, type[Kind]] = {}
"""Parts, sections, damping and signals by class name. A new one is entered by being defined: no list is edited."""


class Kind:
    """Base of what a model is described with: frozen dataclasses whose fields are what the file holds.

    `in_space` names the fields that only a spatial model uses; a file leaves them out where they hold their default.
    """

    in_space: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, *, abstract: bool = False, **options: Any) -> None:
        super().__init_subclass__(**options)
        if abstract:
            return
        known = KINDS.setdefault(cls.__name__, cls)
        if (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
            raise TypeError(
                f"{cls.__module__}.{cls.__name__}: {known.__module__} has a kind of that name. Choose another."
            )
        KINDS[cls.__name__] = cls

    def has_default(self, key: str) -> bool:
        """Whether a field holds its default, as given or as the constant signal it became."""
        default = next(f.default for f in fields(self) if f.name == key)  # type: ignore[arg-type]
        value = getattr(self, key)
        return bool(value == default or getattr(value, "value", value) == default)

    def _set(self, **values: Any) -> None:
        """Store cleaned values while the object is being made (it is frozen afterwards)."""
        for key, value in values.items():
            object.__setattr__(self, key, value)
