"""Model -> the multiplier system."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pliant.formulations.dae.system import Absolute
from pliant.model import Model
from pliant.system.build import build as assemble
from pliant.system.build import element_options


def build(model: Model, *, elements: Any = 8) -> Absolute:
    """Absolute coordinates, every joint as multiplier rows.

    elements  number of elements of every beam, or element options such as ``Exact(8)``, or a mapping from beam names
    """
    system = assemble(model, elements=elements)
    return Absolute.made_from(system, formulation="dae", settings={"formulation": "dae", **system.settings})


def finer(model: Model, factor: int, *, elements: Any = 8) -> dict[str, Any]:
    """Options of a mesh with so many times as many elements."""
    options = element_options(model, elements)
    return {"elements": {name: replace(each, elements=factor * each.elements) for name, each in options.items()}}
