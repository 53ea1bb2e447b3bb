"""Names for parts, elements, analyses and formulations of other packages.

    from pliant.extend import Condition, Term, kernel

They are as public as the names of `pliant`, and are loaded at their first use. docs/extending.md explains them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the list of names: type checkers read it, and `_lazy.homes`
    import pliant.elements._beams as beams
    import pliant.elements._spatial_beams as spatial_beams
    import pliant.elements._spatial_pair as spatial_pair
    import pliant.elements._spatial_two_node as spatial_two_node
    import pliant.kernels.dyads as dyads
    import pliant.kernels.lanes as lanes
    import pliant.kernels.scatter as scatter
    import pliant.kernels.tensors as tensors
    import pliant.kernels.triples as triples
    from pliant.analyses.common import require as require
    from pliant.analyses.common import result as result
    from pliant.elements._options import BeamElement as BeamElement
    from pliant.elements._options import check_choice as check_choice
    from pliant.elements._options import check_count as check_count
    from pliant.elements._options import check_finite as check_finite
    from pliant.elements._options import check_flag as check_flag
    from pliant.forces._law import PointLaw as PointLaw
    from pliant.jit import allocating_kernel as allocating_kernel
    from pliant.jit import kernel as kernel
    from pliant.kernels.sums import Instant as Instant
    from pliant.kernels.sums import Into as Into
    from pliant.model.conditions import ASSEMBLED as ASSEMBLED
    from pliant.model.conditions import GUESSED as GUESSED
    from pliant.model.conditions import Condition as Condition
    from pliant.model.conditions import Term as Term
    from pliant.model.kinds import packs_only as packs_only
    from pliant.model.markers import Marker as Marker
    from pliant.model.parts import Between as Between
    from pliant.model.parts import Joint as Joint
    from pliant.model.parts import Load as Load
    from pliant.model.parts import Part as Part
    from pliant.model.signals.base import SignalLike as SignalLike
    from pliant.model.signals.base import as_signal as as_signal
    from pliant.results.records import Check as Check
    from pliant.results.records import Outcome as Outcome
    from pliant.results.records import Provenance as Provenance
    from pliant.results.records import Unchecked as Unchecked
    from pliant.results.result import Result as Result
    from pliant.results.schema import declare as declare
    from pliant.solvers.nonlinear.multipliers import Multipliers as Multipliers
    from pliant.solvers.paths.continuation import Corrected as Corrected
    from pliant.solvers.paths.continuation import Survey as Survey
    from pliant.solvers.stepping.motion import Plan as Plan
    from pliant.solvers.stepping.motion import TimeHistory as TimeHistory
    from pliant.system.capabilities import Compiled as Compiled
    from pliant.system.capabilities import Differentiable as Differentiable
    from pliant.system.capabilities import HasEquations as HasEquations
    from pliant.system.capabilities import HasEquilibrium as HasEquilibrium
    from pliant.system.capabilities import HasInverse as HasInverse
    from pliant.system.capabilities import HasJointDynamics as HasJointDynamics
    from pliant.system.capabilities import HasMotion as HasMotion
    from pliant.system.capabilities import HasMotionSlopes as HasMotionSlopes
    from pliant.system.capabilities import HasPaths as HasPaths
    from pliant.system.capabilities import HasResidual as HasResidual
    from pliant.system.capabilities import HasSpin as HasSpin
    from pliant.system.capabilities import Linearisable as Linearisable
    from pliant.system.capabilities import LinearisableInMotion as LinearisableInMotion
    from pliant.system.capabilities import Observed as Observed
    from pliant.system.capabilities import Observer as Observer
    from pliant.system.limits.offered import HasBeamLimits as HasBeamLimits
    from pliant.system.limits.offered import HasContactDistances as HasContactDistances
    from pliant.system.limits.offered import HasRotationLimits as HasRotationLimits
    from pliant.system.limits.offered import HasSignalFunctions as HasSignalFunctions
    from pliant.system.limits.offered import HasStrainLimits as HasStrainLimits
    from pliant.system.limits.offered import ResolvesWaves as ResolvesWaves
    from pliant.system.numbering.space import PLANE as PLANE
    from pliant.system.numbering.space import SPACE as SPACE
    from pliant.system.observation.labels import ENERGIES as ENERGIES
    from pliant.system.packing.build import build as build
    from pliant.system.samples import Samples as Samples
    from pliant.system.samples import energy_columns as energy_columns
    from pliant.system.state import Equilibrium as Equilibrium
    from pliant.system.state import Matrices as Matrices
    from pliant.system.state import State as State


def __getattr__(name: str) -> Any:
    from pliant._lazy import homes
    from pliant.errors import nearest

    if name == "__all__":
        return list(homes(__name__))
    if name.startswith("_") or name not in homes(__name__):
        raise AttributeError(f"{__name__} has no name {name!r}. {nearest(name, homes(__name__))}")
    module, own = homes(__name__)[name]
    value = globals()[name] = getattr(import_module(module), own) if own else import_module(module)
    return value


def __dir__() -> list[str]:
    return sorted(__getattr__("__all__"))
