"""Model -> Relative: rigid bodies and beams in relative coordinates."""

from __future__ import annotations

from typing import Any

from pliant.formulations.relative.system import Relative
from pliant.formulations.relative.tree_builder import Growth
from pliant.model import Model
from pliant.solvers.nonlinear.loop_closure import build as assemble
from pliant.system.packing.build import finer_elements as finer
from pliant.system.variants import Variant

__all__ = ["build", "finer", "variants"]


def build(model: Model, *, elements: Any = None) -> Relative:
    """Build rigid bodies and beams in the relative coordinates of a spanning tree.

    elements  of every beam, as in `dae`: a number (of `Exact`), an element such as Exact(4, order=2), or a mapping from
              names of beams to these
    """
    system = assemble(model, elements=elements)
    growth = Growth(system)
    tree = growth.tree()
    return Relative.made_from(
        system,
        formulation="relative",
        settings={"formulation": "relative", **system.settings},
        tree=tree,
        names=tuple(growth.names),
        angles=tuple(growth.angular),
        ties=tuple(pair.edge.joint for pair in growth.pairs),
    )


def variants(model: Model) -> list[Variant]:
    """Return the only variant, with the elements of `dae`."""
    if not model.beams:
        return [Variant("relative", in_space=True)]
    return [Variant("relative", "", lambda pieces: {"elements": pieces}, 4, 2.0, in_space=True)]
