"""Model -> Reduced: one angle for a rigid mechanism with one freedom."""

from __future__ import annotations

import numpy as np

from pliant.errors import ModelError, OptionError, nearest
from pliant.formulations.geometric.reduction import Reduced
from pliant.joints import rows
from pliant.model import Model
from pliant.solvers import eigen
from pliant.system.build import build as assemble
from pliant.system.system import System
from pliant.system.ways import Way


def build(model: Model, *, coordinate: str | None = None) -> Reduced:
    """Reduce a planar mechanism of rigid bodies to the angle of the body called ``coordinate``."""
    if model.beams:
        raise ModelError(
            f"Model {model.name!r}: {', '.join(beam.name for beam in model.beams)} can bend; the geometric reduction "
            "takes rigid bodies only. Compile with formulation='dae', or put links in place of the beams."
        )
    names = [body.name for body in model.bodies]
    if coordinate is None:
        raise OptionError(f"coordinate: name the body whose angle describes the motion: {', '.join(names)}.")
    if coordinate not in names:
        raise OptionError(f"coordinate: there is no rigid body {coordinate!r}. {nearest(coordinate, names)}")
    observed = assemble(model)
    freedoms = count_freedoms(observed)
    if freedoms != 1:
        more = "Add joints or a prescribed motion" if freedoms else "Remove a joint"
        raise ModelError(
            f"Model {model.name!r}: its joints leave {freedoms} freedoms; the geometric reduction needs exactly 1. "
            f"{more}, or compile with formulation='dae'."
        )
    reduced = Reduced(observed, model.part(coordinate))
    reduced.tangent(observed.initial)  # refuses a start at a dead centre
    return reduced


def count_freedoms(observed: System) -> int:
    """Motions that the joints allow in the assembled pose."""
    jacobian = np.zeros((observed.constraints, observed.size))
    rows.jacobian_dense(observed.equations.rows, observed.initial, observed.signals(np.zeros(1))[0], jacobian)
    return eigen.freedoms(jacobian[:, : observed.freedoms], observed.weight)


def ways(model: Model) -> list[Way]:
    """In the angle of the first rigid body, which serves as well as any other."""
    names = [body.name for body in model.bodies]
    return [Way("geometric", "", lambda _: {"coordinate": names[0] if names else None})]
