"""Build the multiplier system of a model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pliant.elements._options import BeamElement
from pliant.elements.beam_corotational import Corotational
from pliant.elements.beam_exact import Exact
from pliant.elements.beam_linear import Linear
from pliant.formulations.dae.system import Absolute
from pliant.model import Model
from pliant.model.kinds import kinds_of
from pliant.solvers.nonlinear.loop_closure import build as assemble
from pliant.system.packing.build import finer_elements as finer
from pliant.system.packing.dependencies import dependents_of
from pliant.system.packing.perturbed import twins
from pliant.system.packing.repack import again
from pliant.system.variants import Variant

__all__ = ["again", "build", "finer", "dependents_of", "twins", "variants"]

COARSE = 4  # elements


def build(model: Model, *, elements: Any = None) -> Absolute:
    """Build the system in absolute coordinates, with every joint as multiplier rows.

    elements  number of two-node elements of every beam, or element options such as ``Exact(8)``, or a mapping from beam
              names; other beams have three elements of order 3, or as many as their markers need
    """
    system = assemble(model, elements=elements, rubs=True, bordered=True)
    return Absolute.made_from(system, formulation="dae", settings={"formulation": "dae", **system.settings})


def variants(model: Model) -> list[Variant]:
    """Return a variant for every kind of element, pliant's own kinds first; rigid bodies need none."""
    if not model.beams:
        return [Variant("dae", in_space=True)]
    ours = Exact(), Exact(order=2), Corotational(), Linear()
    others = [kind() for kind in kinds_of(BeamElement) if kind not in map(type, ours)]
    return [_way(kind) for kind in (*ours, *others)]


def _way(kind: Any) -> Variant:
    """Return the way whose mesh has one kind of element."""
    return Variant(
        "dae",
        type(kind).__name__ + (f" of order {kind.order}" if kind.order > 1 else ""),
        lambda pieces: {"elements": replace(kind, elements=pieces)},
        COARSE,
        kind.convergence or 2.0 * kind.order,
        kind.neglects if kind.finite_rotation else (*kind.neglects, "large rotations"),
        in_space=not kind.planar_only,
    )
