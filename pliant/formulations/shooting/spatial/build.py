"""Build SpatialShooting from a model in space: the nodes of finite elements, with rods instead of the elements."""

from __future__ import annotations

from collections.abc import Mapping

from pliant.elements.beam_exact import Exact
from pliant.elements.rod_ivp import Rod
from pliant.errors import ModelError, OptionError
from pliant.formulations.shooting.spatial.guess import ORDER
from pliant.formulations.shooting.spatial.system import SpatialShooting
from pliant.model import Model
from pliant.solvers.nonlinear.loop_closure import build as assemble
from pliant.solvers.nonlinear.multipliers import Multipliers
from pliant.system.packing.build import remeshed

METHODS = (4, 8, "gauss")
"""Runge-Kutta methods with steps of a given length."""


def build_in_space(model: Model, options: Mapping[str, Rod], jacobian: str) -> SpatialShooting:
    """Build the system with the options of every beam, by its name."""
    _refuse(model, options, jacobian)
    nodes, mesh = (
        assemble(model, elements={name: Exact(rod.subintervals, order=order) for name, rod in options.items()})
        for order in (1, ORDER)
    )
    settings = {"formulation": "shooting", "rods": {name: repr(rod) for name, rod in options.items()}}
    return SpatialShooting.made_from(
        remeshed(nodes, options), formulation="shooting", settings=settings, mesh=Multipliers.made_from(mesh)
    )


def _refuse(model: Model, options: Mapping[str, Rod], jacobian: str) -> None:
    """Refuse options that are not computed in space, and name alternatives."""
    for name, rod in options.items():
        if rod.runge_kutta not in METHODS:
            known = " or ".join(map(str, METHODS))
            raise OptionError(
                f"order={rod.runge_kutta!r} of beam {name!r}: in space steps do not adapt. Give order={known}, and a "
                "step= if the one of every subinterval is too long."
            )
        if rod.linear or not rod.extensible:
            option = "linear=True" if rod.linear else "extensible=False"
            raise OptionError(
                f"{option} of beam {name!r}: in space rods have large rotations and an axis that stretches. Leave it "
                "out; a stiff axis needs no shorter steps."
            )
    if jacobian != "variational":
        raise OptionError(f"jacobian={jacobian!r}: in space derivatives are exact. Leave it out.")
    for beam in (beam for beam in model.beams if beam.section.eccentric):
        raise ModelError(
            f"{beam.owner}: rods of the formulation 'shooting' have their mass on their axis, without products of "
            "inertia. Compile with formulation='dae' or 'udwadia_kalaba'."
        )
