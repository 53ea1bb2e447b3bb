"""pliant: flexible multibody mechanisms, described in words and computed fast.

    import pliant as pl

Names are loaded when first used, so importing the package is quick. Parts that are not listed here, of a new file or of
another package, are found by their class names; functions of other packages by the entry points `pliant.analyses` and
`pliant.names`. SI units and radians everywhere; multiply degrees by `DEG`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pliant import _moved as _moved

if TYPE_CHECKING:  # the list of public names: type checkers read it, and `_lazy`
    import pliant.errors as errors
    import pliant.results.plots as plots
    from pliant.analyses.derivatives.sensitivity import Sensitivity as Sensitivity
    from pliant.analyses.derivatives.sensitivity import sensitivity as sensitivity
    from pliant.analyses.estimate import estimate as estimate
    from pliant.analyses.modes.campbell import campbell as campbell
    from pliant.analyses.modes.frequency_sweep import frequency_sweep as frequency_sweep
    from pliant.analyses.modes.linear_quantities import LinearQuantity as LinearQuantity
    from pliant.analyses.modes.linearise import linearise as linearise
    from pliant.analyses.modes.modal import modal as modal
    from pliant.analyses.modes.nonlinear import NonlinearModel as NonlinearModel
    from pliant.analyses.modes.nonlinear import nonlinear as nonlinear
    from pliant.analyses.motion.goals import Goal as Goal
    from pliant.analyses.motion.joint_dynamics import forward_dynamics as forward_dynamics
    from pliant.analyses.motion.joint_dynamics import inverse_dynamics as inverse_dynamics
    from pliant.analyses.motion.joint_dynamics import jacobian as jacobian
    from pliant.analyses.motion.monte_carlo import monte_carlo as monte_carlo
    from pliant.analyses.motion.transient import transient as transient
    from pliant.analyses.poses import Kinetostatics as Kinetostatics
    from pliant.analyses.poses import Pose as Pose
    from pliant.analyses.poses import PoseStepper as PoseStepper
    from pliant.analyses.poses import Room as Room
    from pliant.analyses.statics.basins import basins as basins
    from pliant.analyses.statics.inverse_statics import inverse_statics as inverse_statics
    from pliant.analyses.statics.path import branch as branch
    from pliant.analyses.statics.path import imperfect as imperfect
    from pliant.analyses.statics.path import path as path
    from pliant.analyses.statics.rest_band import RestBand as RestBand
    from pliant.analyses.statics.rest_band import rest_band as rest_band
    from pliant.analyses.statics.shoot import shoot as shoot
    from pliant.analyses.statics.statics import statics as statics
    from pliant.analyses.statics.stiffness import Stiffness as Stiffness
    from pliant.analyses.statics.stiffness import stiffness as stiffness
    from pliant.control.comparison import predict as predict
    from pliant.control.controllers.allocated import allocated as allocated
    from pliant.control.controllers.combined import scheduled as scheduled
    from pliant.control.controllers.combined import switched as switched
    from pliant.control.controllers.controller import Controller as Controller
    from pliant.control.controllers.function import FunctionController as FunctionController
    from pliant.control.controllers.sampled import SampledController as SampledController
    from pliant.control.design.allocation import WrenchMap as WrenchMap
    from pliant.control.design.allocation import allocate as allocate
    from pliant.control.design.blocks import lead as lead
    from pliant.control.design.blocks import low_pass as low_pass
    from pliant.control.design.blocks import notch as notch
    from pliant.control.design.blocks import pid as pid
    from pliant.control.design.decentralised import decentralised as decentralised
    from pliant.control.design.extended_kalman import ekf as ekf
    from pliant.control.design.hinf import hinf as hinf
    from pliant.control.design.lqg import lqg as lqg
    from pliant.control.design.lqg import state_feedback as state_feedback
    from pliant.control.design.observer import kalman as kalman
    from pliant.control.design.observer import luenberger as luenberger
    from pliant.control.design.predictive import PredictiveController as PredictiveController
    from pliant.control.design.predictive import mpc as mpc
    from pliant.control.design.regulator import lqr as lqr
    from pliant.control.design.tracking import track as track
    from pliant.control.design.trajectory import Trajectory as Trajectory
    from pliant.control.design.trajectory import follow as follow
    from pliant.control.models.linear_model import LinearModel as LinearModel
    from pliant.control.models.margins import margins as margins
    from pliant.control.models.open_loop import open_loop as open_loop
    from pliant.control.models.platform import platform_model as platform_model
    from pliant.control.models.reduction import reduce as reduce
    from pliant.control.models.spillover import spillover as spillover
    from pliant.design.optimise import optimise as optimise
    from pliant.design.optimum import Optimum as Optimum
    from pliant.design.optimum import load_optimum as load_optimum
    from pliant.design.quantities import Constraint as Constraint
    from pliant.design.quantities import Quantity as Quantity
    from pliant.design.spread import Uncertainty as Uncertainty
    from pliant.design.spread import load_uncertainty as load_uncertainty
    from pliant.design.uncertainty import uncertainty as uncertainty
    from pliant.elements._options import BeamElement as BeamElement
    from pliant.elements.auto import Auto as Auto
    from pliant.elements.beam_ancf import Ancf as Ancf
    from pliant.elements.beam_corotational import Corotational as Corotational
    from pliant.elements.beam_exact import Exact as Exact
    from pliant.elements.beam_fed import Feed as Feed
    from pliant.elements.beam_linear import Linear as Linear
    from pliant.elements.rod_ivp import Rod as Rod
    from pliant.elements.sleeve import Sleeve as Sleeve
    from pliant.elements.superelement import Superelement as Superelement
    from pliant.elements.superelement.reduction import ReducedBody as ReducedBody
    from pliant.elements.superelement.reduction import craig_bampton as craig_bampton
    from pliant.elements.superelement.reduction import reduced_body as reduced_body
    from pliant.forces import ChannelTendon as ChannelTendon
    from pliant.forces import Collisions as Collisions
    from pliant.forces import Contact as Contact
    from pliant.forces import Dashpot as Dashpot
    from pliant.forces import DistributedLoad as DistributedLoad
    from pliant.forces import Drag as Drag
    from pliant.forces import Force as Force
    from pliant.forces import Friction as Friction
    from pliant.forces import Gravity as Gravity
    from pliant.forces import Moment as Moment
    from pliant.forces import Motor as Motor
    from pliant.forces import RelativeDamping as RelativeDamping
    from pliant.forces import Spring as Spring
    from pliant.forces import StateForce as StateForce
    from pliant.forces import Stop as Stop
    from pliant.forces import Tendon as Tendon
    from pliant.forces import TorsionSpring as TorsionSpring
    from pliant.forces._law import PointLaw as PointLaw
    from pliant.formulations.udwadia_kalaba.chain import identify_stiffness as identify_stiffness
    from pliant.formulations.udwadia_kalaba.lumped import Lumped as Lumped
    from pliant.formulations.udwadia_kalaba.lumping import lump as lump
    from pliant.joints import Cylindrical as Cylindrical
    from pliant.joints import Distance as Distance
    from pliant.joints import Motion as Motion
    from pliant.joints import Perpendicular as Perpendicular
    from pliant.joints import Planar as Planar
    from pliant.joints import Prismatic as Prismatic
    from pliant.joints import Revolute as Revolute
    from pliant.joints import Slider as Slider
    from pliant.joints import Spherical as Spherical
    from pliant.joints import Support as Support
    from pliant.joints import Universal as Universal
    from pliant.joints import Weld as Weld
    from pliant.model import ALUMINIUM as ALUMINIUM
    from pliant.model import STEEL as STEEL
    from pliant.model import TITANIUM as TITANIUM
    from pliant.model import Beam as Beam
    from pliant.model import Between as Between
    from pliant.model import Body as Body
    from pliant.model import Box as Box
    from pliant.model import Circle as Circle
    from pliant.model import Constant as Constant
    from pliant.model import Cylinder as Cylinder
    from pliant.model import Expression as Expression
    from pliant.model import FibreLaw as FibreLaw
    from pliant.model import Function as Function
    from pliant.model import Ground as Ground
    from pliant.model import Hull as Hull
    from pliant.model import Hyperelastic as Hyperelastic
    from pliant.model import Joint as Joint
    from pliant.model import Limited as Limited
    from pliant.model import LinearStiffness as LinearStiffness
    from pliant.model import Link as Link
    from pliant.model import Load as Load
    from pliant.model import Marker as Marker
    from pliant.model import Material as Material
    from pliant.model import Mesh as Mesh
    from pliant.model import Model as Model
    from pliant.model import Outline as Outline
    from pliant.model import Parameter as Parameter
    from pliant.model import Part as Part
    from pliant.model import PointMass as PointMass
    from pliant.model import Polygon as Polygon
    from pliant.model import Profile as Profile
    from pliant.model import Ramp as Ramp
    from pliant.model import Rayleigh as Rayleigh
    from pliant.model import Rectangle as Rectangle
    from pliant.model import Rescaled as Rescaled
    from pliant.model import Scales as Scales
    from pliant.model import Section as Section
    from pliant.model import Shaped as Shaped
    from pliant.model import Signal as Signal
    from pliant.model import SignalLike as SignalLike
    from pliant.model import Sine as Sine
    from pliant.model import Sphere as Sphere
    from pliant.model import Spin as Spin
    from pliant.model import Table as Table
    from pliant.model import Tube as Tube
    from pliant.model import WhiteNoise as WhiteNoise
    from pliant.model import axial_velocity as axial_velocity
    from pliant.model import flexural_velocity as flexural_velocity
    from pliant.model import rotation as rotation
    from pliant.results import Result as Result
    from pliant.results import animate as animate
    from pliant.results import load_result as load_result
    from pliant.results.drawing.animation import show as show
    from pliant.results.efforts import reaction_of as reaction_of
    from pliant.results.efforts import work_of as work_of
    from pliant.results.plots.closed_loops import plot_comparison as plot_comparison
    from pliant.results.plots.compliance import plot_compliance as plot_compliance
    from pliant.results.plots.designs import plot_optimum as plot_optimum
    from pliant.results.plots.designs import plot_uncertainty as plot_uncertainty
    from pliant.results.plots.maps import plot_basins as plot_basins
    from pliant.results.plots.maps import plot_campbell as plot_campbell
    from pliant.results.plots.maps import plot_sweep as plot_sweep
    from pliant.results.plots.maps import plot_workspace as plot_workspace
    from pliant.results.plots.margins import plot_bode as plot_bode
    from pliant.results.plots.margins import plot_nyquist as plot_nyquist
    from pliant.results.plots.margins import plot_root_locus as plot_root_locus
    from pliant.results.plots.sensitivities import plot_sensitivity as plot_sensitivity
    from pliant.results.plots.studies import plot_map as plot_map
    from pliant.results.plots.studies import plot_parallel as plot_parallel
    from pliant.results.plots.studies import plot_response as plot_response
    from pliant.solvers.stepping.methods import BDF as BDF
    from pliant.solvers.stepping.methods import DOP853 as DOP853
    from pliant.solvers.stepping.methods import LSODA as LSODA
    from pliant.solvers.stepping.methods import RK23 as RK23
    from pliant.solvers.stepping.methods import RK45 as RK45
    from pliant.solvers.stepping.methods import SDIRK4 as SDIRK4
    from pliant.solvers.stepping.methods import TRBDF2 as TRBDF2
    from pliant.solvers.stepping.methods import GeneralizedAlpha as GeneralizedAlpha
    from pliant.solvers.stepping.methods import Momentum as Momentum
    from pliant.solvers.stepping.methods import Moreau as Moreau
    from pliant.solvers.stepping.methods import Newmark as Newmark
    from pliant.solvers.stepping.methods import Radau as Radau
    from pliant.solvers.stepping.methods import Radau5 as Radau5
    from pliant.studies.designs import Grid as Grid
    from pliant.studies.designs import LatinHypercube as LatinHypercube
    from pliant.studies.designs import Listed as Listed
    from pliant.studies.designs import MonteCarlo as MonteCarlo
    from pliant.studies.designs import Random as Random
    from pliant.studies.designs import Sobol as Sobol
    from pliant.studies.page import StudyPage as StudyPage
    from pliant.studies.refinement import Refined as Refined
    from pliant.studies.study import study as study
    from pliant.studies.table import open_study as open_study
    from pliant.system.compile import compile as compile
    from pliant.system.compile import refine as refine

if TYPE_CHECKING:  # names of the other packages of this distribution, for type checkers; `_elsewhere` finds them
    from pliant_compare.compare import compare as compare
    from pliant_compare.compare import compare_results as compare_results
    from pliant_compare.comparison import Comparison as Comparison
    from pliant_compare.other_programs import read_other as read_other
    from pliant_fit.identification.identification import Estimate as Estimate
    from pliant_fit.identification.identification import Identification as Identification
    from pliant_fit.identification.identify import identify as identify
    from pliant_fit.identification.plots import plot_correlation as plot_correlation
    from pliant_fit.identification.plots import plot_fit as plot_fit
    from pliant_fit.identification.plots import plot_measurement as plot_measurement
    from pliant_fit.identification.plots import plot_residuals as plot_residuals
    from pliant_fit.measurements.agreement import Agreement as Agreement
    from pliant_fit.measurements.measurement import Measurement as Measurement
    from pliant_io.decks.load import load_deck as load_deck
    from pliant_io.export import export as export
    from pliant_io.fmu.realtime import RealTime as RealTime
    from pliant_io.fmu.realtime import realtime as realtime
    from pliant_io.reduced import load_reduced as load_reduced
    from pliant_io.robots.flexible import with_beams as with_beams
    from pliant_io.robots.mjcf import load_mjcf as load_mjcf
    from pliant_io.robots.sdf import load_sdf as load_sdf
    from pliant_io.robots.urdf import load_urdf as load_urdf
    from pliant_studio.page.page import studio as studio
    from pliant_studio.viewer.player import view as view

__version__ = "1.0.0rc1"

DEG = math.pi / 180.0
"""One degree in radians: `60 * pl.DEG`."""


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return ["DEG", "__version__", *_names()]
    value = globals()[name] = _load(name)
    return value


def _names() -> list[str]:
    from pliant._lazy import elsewhere, homes

    return [*homes(__name__), *elsewhere()]


def _load(name: str) -> Any:
    """Return the object of a public name, or a part."""
    from pliant._lazy import elsewhere, homes, load

    if name in homes(__name__):
        return load(__name__, name)
    if name.startswith("_"):  # inspect, doctest and pytest ask for many
        raise AttributeError(f"pliant has no name {name!r}.")
    if name in elsewhere():
        return load(__name__, name)
    from pliant._words import meant
    from pliant.errors import nearest
    from pliant.model.kinds import find

    part = find(name) if name[0].isupper() else None
    if part is None:
        raise AttributeError(f"pliant has no name {name!r}. {meant(name) or nearest(name, __dir__())}")
    return part


def __dir__() -> list[str]:
    return sorted(__getattr__("__all__"))
