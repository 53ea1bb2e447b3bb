"""Examples in the docstrings of what the user writes are run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import pliant.forces
import pliant.joints
import pliant.model
from pliant.model.kinds import kinds_of, load_all
from pliant.model.parts import Part


def light_modules() -> list[str]:
    """Modules with specs; kernels (numba) are left to their own tests."""
    names = ["pliant.errors"]
    for package in (pliant.model, pliant.joints, pliant.forces):
        names.append(package.__name__)
        names += [f"{package.__name__}.{m.name}" for m in pkgutil.iter_modules(package.__path__)]
    return [name for name in names if name != "pliant.joints.rows" and "._" not in name]


@pytest.mark.parametrize("name", light_modules())
def test_examples_in_docstrings_run(name: str) -> None:
    results = doctest.testmod(importlib.import_module(name))
    assert results.failed == 0


def test_every_part_has_an_example() -> None:
    """A part that a user can add documents itself with an example."""
    load_all()
    parts = [kind for kind in kinds_of(Part) if kind.__module__.startswith("pliant.")]
    assert [kind.__name__ for kind in parts if ">>>" not in (kind.__doc__ or "")] == []
