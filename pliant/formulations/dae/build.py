"""Model -> the multiplier system."""

from __future__ import annotations

from typing import Any

from pliant.formulations.dae.system import Absolute
from pliant.model import Model
from pliant.system.build import build as assemble


def build(model: Model, *, elements: Any = 8) -> Absolute:
    """Absolute coordinates, every joint as multiplier rows.

    elements  number of elements of every beam, or element options such as ``Exact(8)``, or a mapping from beam names
    """
    system = assemble(model, elements=elements)
    return Absolute.made_from(system, formulation="dae", settings={"formulation": "dae", **system.settings})
