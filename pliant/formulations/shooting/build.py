"""Build Shooting from a model: nodes, joints and forces in absolute coordinates, rods in place of finite elements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from pliant.elements.beam_exact import Exact
from pliant.elements.beam_fed import Feed
from pliant.elements.rod_ivp import Rod
from pliant.elements.rod_ivp.fed import feeds, with_pairs
from pliant.errors import ModelError, OptionError, nearest
from pliant.formulations.shooting.condense import DIFFERENCES, VARIATIONAL
from pliant.formulations.shooting.rods import STEP, first_grid, pack
from pliant.formulations.shooting.spatial.build import build_in_space
from pliant.formulations.shooting.spatial.system import SpatialShooting
from pliant.formulations.shooting.system import Shooting
from pliant.kernels.runge_kutta import table
from pliant.linalg.ldl import triangles
from pliant.model import Model
from pliant.solvers.nonlinear.loop_closure import build as assemble
from pliant.solvers.nonlinear.multipliers import Multipliers
from pliant.system.numbering.planar_layout import Layout
from pliant.system.packing import fused
from pliant.system.packing.build import pack_families
from pliant.system.system import System
from pliant.system.variants import Variant

IN_SPACE = SpatialShooting
"""System of spatial models."""
_USUAL = {False: Rod(20, runge_kutta=4), True: Rod(10, runge_kutta=8)}
JACOBIANS = {"variational": VARIATIONAL, "differences": DIFFERENCES}


def build(
    model: Model,
    *,
    subintervals: int | None = None,
    order: int | str | None = None,
    step: float | None = None,
    tolerance: float = 1e-8,
    extensible: bool = True,
    shear: bool = True,
    linear: bool = False,
    rods: Mapping[str, Rod] | None = None,
    jacobian: str = "variational",
) -> Shooting:
    """Build generalized multiple shooting; for a spatial model a ``SpatialShooting``.

    subintervals  of every beam; 20 in the plane, 10 in space
    step, tolerance, extensible, shear, linear   of every beam; see ``Rod``
    order      of space marching: 4, "2/3", "4/5" or 8, the same for all beams; 4 in the plane, 8 in space; in space
               also "gauss", of order 4, which all motion in space uses
    rods       ``Rod(...)`` of some beams, by their names
    jacobian   "variational": exact; "differences": by finite differences, once a solution (the paper's quasi-Newton)
    """
    if jacobian not in JACOBIANS:
        raise OptionError(f"jacobian={jacobian!r} is not known. {nearest(str(jacobian), JACOBIANS)}")
    usual = _USUAL[model.spatial]
    common = Rod(
        usual.subintervals if subintervals is None else subintervals,
        runge_kutta=usual.runge_kutta if order is None else order,
        step=step, tolerance=tolerance, extensible=extensible, shear=shear, linear=linear,
    )  # fmt: skip
    options = _options(model, common, rods or {})
    if model.spatial:
        return build_in_space(model, options, jacobian)  # type: ignore[return-value]  # see IN_SPACE
    if common.runge_kutta == "gauss":
        raise OptionError("order='gauss' is for rods in space. In the plane give order=4, '2/3', '4/5' or 8.")
    elements = {name: Exact(rod.subintervals) for name, rod in options.items()}
    mesh = Multipliers.made_from(assemble(model, elements=elements))
    layout = mesh.layout.with_options(options)
    method, grid = table(common.runge_kutta), first_grid(layout)
    settings = {
        "formulation": "shooting",
        "rods": {name: repr(rod) for name, rod in options.items()},
        "jacobian": jacobian,
    }
    arrays, stress = pack_families(layout)
    pattern, n = mesh.equations.pattern, mesh.freedoms
    placed = {name: part._replace(slots=triangles(pattern, n, part.dofs)) for name, part in arrays.items()}
    return Shooting.made_from(
        mesh,
        layout=layout,
        equations=mesh.equations._replace(parts=fused.pack(placed)),
        stress_size=stress,
        settings=settings,
        formulation="shooting",
        notes={},  # not the notes of the mesh, whose observer has other sections
        mesh=mesh,
        table=method,
        grid=grid,
        rods=pack(layout, method, grid, *_slots(mesh, layout)),
        way=JACOBIANS[jacobian],
    )


def _options(model: Model, common: Rod, given: Mapping[str, Rod]) -> dict[str, Rod]:
    names = [beam.name for beam in model.beams]
    if not names:
        raise ModelError(
            f"Model {model.name!r} has no beams: there is nothing to shoot along. Compile with formulation='dae'."
        )
    for beam in model.beams:
        beam.section.check_linear(beam.owner, "the formulation 'shooting'")
        if beam.straight and np.any(beam.curvature):
            raise ModelError(
                f"{beam.owner}: its curvature jumps at straight = {beam.straight:g} m, which the formulation "
                "'shooting' does not support. Weld a straight to a curved beam, or compile with formulation='dae'."
            )
    fed = {part.beam.name: part for part in model.forces if isinstance(part, Feed)}
    if not isinstance(given, Mapping):
        raise OptionError(f'rods={given!r:.60}: give Rods by the names of beams, such as {{"{names[0]}": pl.Rod(20)}}.')
    for name, rod in given.items():
        if name not in names:
            raise OptionError(f"rods: there is no beam {name!r} in the model. {nearest(name, names)}")
        if not isinstance(rod, Rod):
            raise OptionError(f"rods: {name!r} is given {rod!r:.60}; give it a Rod(...).")
        if rod.runge_kutta != common.runge_kutta:
            raise OptionError(
                f"rods: {name!r} is integrated with {rod.runge_kutta!r}, the others with {common.runge_kutta!r}; the "
                "method must be the same for all. Give order= to compile, and the same to every Rod."
            )
    for feed in (part for part in fed.values() if part.beam.damping is not None):
        raise ModelError(
            f"{feed.owner}: {feed.beam.owner} has damping, which the formulation 'shooting' does not support for fed "
            "rods. Leave damping= out, or compile with formulation='dae' or 'relative'."
        )
    found = {name: given.get(name, common) for name in names}
    for name in (name for name in fed if found[name].linear):
        raise OptionError(
            f"linear=True of beam {name!r}: {fed[name].owner} feeds it, and a rod of small displacements has no force "
            "on its length. Leave linear= out."
        )
    return found


def _slots(mesh: System, layout: Layout) -> tuple[np.ndarray, np.ndarray]:
    """Return places of the subintervals' matrices, equal to the places of the elements that they replace, and places of
    the entries with guides and carriages.
    """
    dofs = np.concatenate([layout.dofs(each.connectivity.ravel(), 2) for each in layout.beams])
    feed, feeding = feeds(layout, layout.beams)
    found = triangles(mesh.equations.pattern, mesh.freedoms, with_pairs(layout, dofs, feed, feeding["pair"]))
    own = 21  # of the lower triangle of 6 x 6
    return np.ascontiguousarray(found[:, :own]), np.ascontiguousarray(found[:, own:])


def variants(model: Model) -> list[Variant]:
    """Return its only variant; errors come from marching, which adapts to a tolerance."""
    return [Variant("shooting", "", lambda pieces: {"subintervals": pieces}, 10, in_space=True)]


def finer(
    model: Model,
    factor: int,
    *,
    order: int | str | None = None,
    rods: Mapping[str, Rod] | None = None,
    jacobian: str = "variational",
    **common: Any,
) -> dict[str, Any]:
    """Return options of rods with ``factor`` times as many subintervals and steps, or an equivalent tolerance."""
    usual = _USUAL[model.spatial]
    order = usual.runge_kutta if order is None else order
    options = _options(model, replace(usual, runge_kutta=order, **common), rods or {})
    marched = {name: _finer_rod(rod, factor, model.spatial) for name, rod in options.items()}
    return {"order": order, "rods": marched, "jacobian": jacobian}


def _finer_rod(rod: Rod, factor: int, spatial: bool) -> Rod:
    """Return a finer rod. In space the tolerance holds for the whole, and a subinterval is one step unless given."""
    step = rod.step if spatial else None if rod.adapts else rod.step or STEP
    return replace(
        rod,
        subintervals=factor * rod.subintervals,
        step=None if step is None else step / factor,
        tolerance=rod.tolerance if spatial else rod.tolerance / factor ** (int(str(rod.runge_kutta)[0]) + 1),
    )
