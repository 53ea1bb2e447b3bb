"""pliant: flexible multibody mechanisms, described in words and computed fast.

    import pliant as pl

Names are loaded when first used, so importing the package is quick. Parts that are not listed here, of a new file or of
another package, are found by their class names. SI units and radians everywhere; multiply degrees by `DEG`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the list of public names: type checkers read it, and `_lazy`
    import pliant.errors as errors
    import pliant.results.plots as plots
    from pliant.analyses.basins import basins as basins
    from pliant.analyses.campbell import campbell as campbell
    from pliant.analyses.estimate import estimate as estimate
    from pliant.analyses.frequency_sweep import frequency_sweep as frequency_sweep
    from pliant.analyses.goals import Goal as Goal
    from pliant.analyses.inverse_statics import inverse_statics as inverse_statics
    from pliant.analyses.joint_dynamics import forward_dynamics as forward_dynamics
    from pliant.analyses.joint_dynamics import inverse_dynamics as inverse_dynamics
    from pliant.analyses.joint_dynamics import jacobian as jacobian
    from pliant.analyses.kinetostatics import Kinetostatics as Kinetostatics
    from pliant.analyses.kinetostatics import Pose as Pose
    from pliant.analyses.kinetostatics import PoseStepper as PoseStepper
    from pliant.analyses.kinetostatics import Room as Room
    from pliant.analyses.linear_quantities import LinearQuantity as LinearQuantity
    from pliant.analyses.linearise import linearise as linearise
    from pliant.analyses.modal import modal as modal
    from pliant.analyses.monte_carlo import monte_carlo as monte_carlo
    from pliant.analyses.nonlinear import NonlinearModel as NonlinearModel
    from pliant.analyses.nonlinear import nonlinear as nonlinear
    from pliant.analyses.path import branch as branch
    from pliant.analyses.path import imperfect as imperfect
    from pliant.analyses.path import path as path
    from pliant.analyses.rest_band import RestBand as RestBand
    from pliant.analyses.rest_band import rest_band as rest_band
    from pliant.analyses.sensitivity import Sensitivity as Sensitivity
    from pliant.analyses.sensitivity import sensitivity as sensitivity
    from pliant.analyses.shoot import shoot as shoot
    from pliant.analyses.statics import statics as statics
    from pliant.analyses.stiffness import Stiffness as Stiffness
    from pliant.analyses.stiffness import stiffness as stiffness
    from pliant.analyses.transient import transient as transient
    from pliant.comparison.compare import compare as compare
    from pliant.comparison.compare import compare_results as compare_results
    from pliant.comparison.comparison import Comparison as Comparison
    from pliant.comparison.others import read_other as read_other
    from pliant.control.allocated import allocated as allocated
    from pliant.control.allocation import WrenchMap as WrenchMap
    from pliant.control.allocation import allocate as allocate
    from pliant.control.blocks import lead as lead
    from pliant.control.blocks import low_pass as low_pass
    from pliant.control.blocks import notch as notch
    from pliant.control.blocks import pid as pid
    from pliant.control.combined import scheduled as scheduled
    from pliant.control.combined import switched as switched
    from pliant.control.comparison import predict as predict
    from pliant.control.controller import Controller as Controller
    from pliant.control.decentralised import decentralised as decentralised
    from pliant.control.extended_kalman import ekf as ekf
    from pliant.control.function import FunctionController as FunctionController
    from pliant.control.hinf import hinf as hinf
    from pliant.control.linear_model import LinearModel as LinearModel
    from pliant.control.lqg import lqg as lqg
    from pliant.control.lqg import state_feedback as state_feedback
    from pliant.control.margins import margins as margins
    from pliant.control.observer import kalman as kalman
    from pliant.control.observer import luenberger as luenberger
    from pliant.control.open_loop import open_loop as open_loop
    from pliant.control.platform import platform_model as platform_model
    from pliant.control.predictive import PredictiveController as PredictiveController
    from pliant.control.predictive import mpc as mpc
    from pliant.control.reduction import reduce as reduce
    from pliant.control.regulator import lqr as lqr
    from pliant.control.sampled import SampledController as SampledController
    from pliant.control.spillover import spillover as spillover
    from pliant.control.tracking import track as track
    from pliant.control.trajectory import Trajectory as Trajectory
    from pliant.control.trajectory import follow as follow
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
    from pliant.identification.identification import Estimate as Estimate
    from pliant.identification.identification import Identification as Identification
    from pliant.identification.identify import identify as identify
    from pliant.identification.plots import plot_correlation as plot_correlation
    from pliant.identification.plots import plot_fit as plot_fit
    from pliant.identification.plots import plot_measurement as plot_measurement
    from pliant.identification.plots import plot_residuals as plot_residuals
    from pliant.interchange.decks.load import load_deck as load_deck
    from pliant.interchange.export import export as export
    from pliant.interchange.flexible import with_beams as with_beams
    from pliant.interchange.mjcf import load_mjcf as load_mjcf
    from pliant.interchange.realtime import RealTime as RealTime
    from pliant.interchange.realtime import realtime as realtime
    from pliant.interchange.reduced import load_reduced as load_reduced
    from pliant.interchange.sdf import load_sdf as load_sdf
    from pliant.interchange.urdf import load_urdf as load_urdf
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
    from pliant.measurements.agreement import Agreement as Agreement
    from pliant.measurements.measurement import Measurement as Measurement
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
    from pliant.results.animation import show as show
    from pliant.results.compliance_plots import plot_compliance as plot_compliance
    from pliant.results.design_plots import plot_optimum as plot_optimum
    from pliant.results.design_plots import plot_uncertainty as plot_uncertainty
    from pliant.results.efforts import reaction_of as reaction_of
    from pliant.results.efforts import work_of as work_of
    from pliant.results.loop_plots import plot_comparison as plot_comparison
    from pliant.results.many_plots import plot_map as plot_map
    from pliant.results.many_plots import plot_parallel as plot_parallel
    from pliant.results.many_plots import plot_response as plot_response
    from pliant.results.margin_plots import plot_bode as plot_bode
    from pliant.results.margin_plots import plot_nyquist as plot_nyquist
    from pliant.results.margin_plots import plot_root_locus as plot_root_locus
    from pliant.results.sensitivity_plots import plot_sensitivity as plot_sensitivity
    from pliant.results.study_plots import plot_basins as plot_basins
    from pliant.results.study_plots import plot_campbell as plot_campbell
    from pliant.results.study_plots import plot_sweep as plot_sweep
    from pliant.results.study_plots import plot_workspace as plot_workspace
    from pliant.solvers.methods import BDF as BDF
    from pliant.solvers.methods import DOP853 as DOP853
    from pliant.solvers.methods import LSODA as LSODA
    from pliant.solvers.methods import RK23 as RK23
    from pliant.solvers.methods import RK45 as RK45
    from pliant.solvers.methods import SDIRK4 as SDIRK4
    from pliant.solvers.methods import TRBDF2 as TRBDF2
    from pliant.solvers.methods import GeneralizedAlpha as GeneralizedAlpha
    from pliant.solvers.methods import Momentum as Momentum
    from pliant.solvers.methods import Moreau as Moreau
    from pliant.solvers.methods import Newmark as Newmark
    from pliant.solvers.methods import Radau as Radau
    from pliant.solvers.methods import Radau5 as Radau5
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
    from pliant.viewer.player import view as view
    from pliant.workbench.page import studio as studio

__version__ = "1.0.0rc1"

DEG = math.pi / 180.0
"""One degree in radians: `60 * pl.DEG`."""


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return ["DEG", "__version__", *_names()]
    value = globals()[name] = _load(name)
    return value


def _names() -> list[str]:
    from pliant._lazy import homes

    return list(homes(__name__))


def _load(name: str) -> Any:
    """What a name of the list stands for, or a part."""
    if name in _names():
        from pliant._lazy import load

        return load(__name__, name)
    if name.startswith("_"):  # inspect, doctest and pytest ask for many
        raise AttributeError(f"pliant has no name {name!r}.")
    from pliant._words import meant
    from pliant.errors import nearest
    from pliant.model.kinds import find

    part = find(name) if name[0].isupper() else None
    if part is None:
        raise AttributeError(f"pliant has no name {name!r}. {meant(name) or nearest(name, __dir__())}")
    return part


def __dir__() -> list[str]:
    return sorted(__getattr__("__all__"))
