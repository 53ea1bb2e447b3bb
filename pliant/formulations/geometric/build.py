"""Model -> Reduced: the independent coordinates of a rigid mechanism."""

from __future__ import annotations

from pliant.errors import ModelError
from pliant.formulations.geometric.system import Reduced
from pliant.model import Model
from pliant.solvers.nonlinear.loop_closure import build as assemble
from pliant.system.variants import Variant


def build(model: Model) -> Reduced:
    """Reduce a mechanism of rigid bodies to independent coordinates, chosen as it moves."""
    if model.beams:
        raise ModelError(
            f"Model {model.name!r}: {', '.join(beam.name for beam in model.beams)} can bend; the geometric reduction "
            "takes rigid bodies only. Compile with formulation='dae', or put links in place of the beams."
        )
    reduced = Reduced(assemble(model))
    if not reduced.degrees:
        raise ModelError(
            f"Model {model.name!r}: its joints leave 0 freedoms, so that nothing can move. Remove a joint or a "
            "prescribed motion, or compile with formulation='dae'."
        )
    return reduced


def variants(model: Model) -> list[Variant]:
    """Return its only variant."""
    return [Variant("geometric", in_space=True)]
