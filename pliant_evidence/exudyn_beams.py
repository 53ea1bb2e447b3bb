"""Beams in Exudyn, the peer of the benchmarks, with the settings that are its best and correct.

Geometrically exact 2D beams on the same nodes, conditions on nodal coordinates, generalized-alpha with position
constraints (index 3) and the same spectral radius, sparse LU with its pattern kept, one thread, analytic Jacobians, no
files, functions of time as symbolic ones (no Python inside the loop). Newton stops on its increments
(``residualMode = 1``): by default it stops on a residual that metal beams cannot reach, and quietly cuts the steps (a
thousandfold in the first second of the spinning beam) or fails (the aluminium slider-crank). ``EXUDYN_MODULE=fast`` in
the environment makes Exudyn load its module without range checks.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import pliant as pl
from pliant_testing.benchmarking import Comparison, Contender, Peer, find_peer, race

SPECTRAL_RADIUS = 0.9
TOLERANCES = (1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10)
SAME = 1.05  # errors within 5 % are the same accuracy
RIVAL = 1.5  # variants that took longer than this times the quickest are not raced
X, Y, ANGLE = 0, 1, 2
CLOCK = time.process_time  # both sides run on one thread; what shares the machine does not count


class Newton(NamedTuple):
    """A variant of the peer's Newton method."""

    name: str
    modified: bool
    update_each_step: bool


VARIANTS = (
    Newton("full Newton", False, False),
    Newton("modified Newton", True, False),
    Newton("modified Newton, Jacobian every step", True, True),
)


def peer() -> Peer | None:
    """Return Exudyn, or None if it is not installed."""
    with contextlib.redirect_stdout(io.StringIO()):
        return find_peer("exudyn")


class Beams:
    """Beams made of nodes (x, y, angle), conditions and forces on nodal coordinates, one point that is watched.

    Rigid links, pins between points, springs and weight (along -y, m/s^2) complete it.
    """

    axes = 2
    element = "ObjectBeamGeometricallyExact2D"

    def __init__(self, exudyn: Any, *, gravity: float = 0.0) -> None:
        self.exudyn: Any = exudyn
        self.gravity = gravity
        self.items: Any = importlib.import_module("exudyn.itemInterface")
        self.container = exudyn.SystemContainer()  # owns the system
        self.system = self.container.AddSystem()
        ground = self.system.AddNode(self.items.NodePointGround())
        self.ground = self.marker(ground, X)
        self.functions: list[Any] = []  # kept alive: the system only refers to them

    def beam(
        self, start: tuple[float, float], end: tuple[float, float], section: pl.Section, elements: int
    ) -> list[int]:
        """Add a straight beam; return its nodes."""
        add, items = self.system, self.items
        places = np.linspace(start, end, elements + 1)
        nodes = [add.AddNode(items.NodeRigidBody2D(referenceCoordinates=[x, y, 0.0])) for x, y in places.tolist()]
        for pair in zip(nodes[:-1], nodes[1:], strict=True):
            self._add_weight(
                add.AddObject(
                    items.ObjectBeamGeometricallyExact2D(
                        nodeNumbers=list(pair),
                        length=float(np.hypot(end[0] - start[0], end[1] - start[1])) / elements,
                        massPerLength=section.mass_per_length,
                        crossSectionInertia=section.rotary_inertia,
                        bendingStiffness=section.bending_stiffness,
                        axialStiffness=section.axial_stiffness,
                        shearStiffness=section.shear_stiffness,
                    )
                )
            )
        return nodes

    def link(self, base: tuple[float, float], end: tuple[float, float], mass: float) -> tuple[int, int]:
        """Add a slender rigid bar pinned to the ground at its base; return its node and the marker of its far end."""
        length = float(np.hypot(end[0] - base[0], end[1] - base[1]))
        angle = float(np.arctan2(end[1] - base[1], end[0] - base[0]))
        centre = [0.5 * (base[0] + end[0]), 0.5 * (base[1] + end[1])]
        node = self.system.AddNode(self.items.NodeRigidBody2D(referenceCoordinates=[*centre, angle]))
        inertia = mass * length**2 / 12.0
        body = self.system.AddObject(self.items.ObjectRigidBody2D(mass=mass, inertia=inertia, nodeNumber=node))
        self._add_weight(body)
        ground = self.system.AddObject(self.items.ObjectGround())
        places = ((ground, [*base, 0.0]), (body, [-0.5 * length, 0.0, 0.0]), (body, [0.5 * length, 0.0, 0.0]))
        pivot, foot, tip = (
            self.system.AddMarker(self.items.MarkerBodyPosition(bodyNumber=each, localPosition=place))
            for each, place in places
        )
        self.pin(pivot, foot)
        return node, tip

    def point(self, node: int) -> int:
        """Return a handle for the place of a node."""
        return int(self.system.AddMarker(self.items.MarkerNodePosition(nodeNumber=node)))

    def pin(self, a: int, b: int) -> None:
        """Add a pin that keeps two markers together."""
        self.system.AddObject(self.items.ObjectJointRevolute2D(markerNumbers=[a, b]))

    def spring(self, a: int, b: int, *, stiffness: float, rest_length: float, damping: float) -> None:
        """Add a spring and a damper along the line between two places."""
        self.system.AddObject(
            self.items.ObjectConnectorSpringDamper(
                markerNumbers=[a, b], stiffness=stiffness, referenceLength=rest_length, damping=damping
            )
        )

    def _add_weight(self, body: int) -> None:
        if self.gravity:
            marker = self.system.AddMarker(self.items.MarkerBodyMass(bodyNumber=body))
            self.system.AddLoad(self.items.LoadMassProportional(markerNumber=marker, loadVector=[0, -self.gravity, 0]))

    def marker(self, node: int, coordinate: int) -> int:
        """Return a handle for one coordinate of a node."""
        return int(self.system.AddMarker(self.items.MarkerNodeCoordinate(nodeNumber=node, coordinate=coordinate)))

    def prescribe(
        self, node: int, coordinate: int, *, to: int | None = None, drive: Callable[..., Any] | None = None
    ) -> int:
        """Prescribe a coordinate: another node's displacement, or a function of time, or zero; return the condition."""
        other = self.ground if to is None else self.marker(to, coordinate)
        follow = {} if drive is None else {"offsetUserFunction": self.symbolic(drive, "ObjectConnectorCoordinate")}
        markers = [other, self.marker(node, coordinate)]
        return int(self.system.AddObject(self.items.CoordinateConstraint(markerNumbers=markers, **follow)))

    def push(self, node: int, coordinate: int, load: Callable[..., Any]) -> None:
        """Add a force (or moment) on a coordinate, as a function of time."""
        function = self.symbolic(load, "LoadCoordinate")
        marker = self.marker(node, coordinate)
        self.system.AddLoad(self.items.LoadCoordinate(markerNumber=marker, load=1.0, loadUserFunction=function))

    def watch(self, node: int) -> None:
        """Record the position of a node at the instants of the report; completes the model."""
        self.watched = node
        kind = self.exudyn.OutputVariableType.Position
        sensor = self.items.SensorNode(nodeNumber=node, storeInternal=True, outputVariableType=kind)
        self.sensor = self.system.AddSensor(sensor)
        self.system.Assemble()

    def symbolic(self, function: Callable[..., Any], item: str) -> Any:
        """Return a function of (time, Exudyn's symbolic functions) in the form that runs without Python."""
        utilities: Any = importlib.import_module("exudyn.advancedUtilities")
        mathematics, constraint = self.exudyn.symbolic, item == "ObjectConnectorCoordinate"

        def of_offset(mbs: Any, t: Any, itemNumber: Any, lOffset: Any) -> Any:
            return function(t, mathematics)

        def of_load(mbs: Any, t: Any, load: Any) -> Any:
            return function(t, mathematics)

        made = utilities.CreateSymbolicUserFunction(
            self.system,
            of_offset if constraint else of_load,
            "offsetUserFunction" if constraint else "loadUserFunction",
            itemTypeName=item,
        )
        self.functions.append(made)
        return made

    def settings(self, plan: Plan, newton: Newton, tolerance: float) -> Any:
        """Return simulation settings; see the module's description."""
        chosen = self.exudyn.SimulationSettings()
        chosen.linearSolver.solverType = self.exudyn.LinearSolverType.EigenSparse
        chosen.linearSolver.reuseAnalyzedPattern = True
        chosen.parallel.numberOfThreads = 1
        chosen.solution.file.write = False
        chosen.solution.sensors.writePeriod = plan.report
        motion = chosen.timeIntegration
        motion.endTime, motion.numberOfSteps = plan.end_time, plan.steps
        motion.verboseMode, motion.adaptiveStep = 0, False
        motion.generalizedAlpha.spectralRadius = SPECTRAL_RADIUS
        motion.newton.residualMode = 1
        motion.newton.relativeTolerance = motion.newton.absoluteTolerance = tolerance
        motion.newton.useModifiedNewton = newton.modified
        motion.newton.modifiedNewtonJacUpdatePerStep = newton.update_each_step
        return chosen

    def rest(self, start: np.ndarray, *, tolerance: float = 1e-8) -> np.ndarray | None:
        """Return coordinates at an equilibrium, by Newton's method in one step from displaced ones, or None."""
        chosen = self.exudyn.SimulationSettings()
        chosen.linearSolver.solverType = self.exudyn.LinearSolverType.EigenSparse
        chosen.parallel.numberOfThreads = 1
        chosen.solution.file.write = False
        chosen.staticSolver.verboseMode, chosen.staticSolver.numberOfLoadSteps = 0, 1
        newton = chosen.staticSolver.newton
        newton.relativeTolerance = newton.absoluteTolerance = tolerance
        self.displace(start)
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                ok = self.system.SolveStatic(chosen)
            except Exception:  # whatever its solver raises, it did not do the job
                return None
        return np.asarray(self.system.systemData.GetODE2Coordinates()) if ok else None

    def bow(self, nodes: list[int], height: float, length: float) -> np.ndarray:
        """Return coordinates with a beam's nodes along y displaced by a half sine along x, all others where built."""
        coordinates = np.zeros(len(self.system.systemData.GetODE2Coordinates()))
        for s, node in zip(np.linspace(0.0, np.pi, len(nodes)), nodes, strict=True):
            first = self.system.GetNodeODE2Index(node)
            coordinates[first + X] = height * np.sin(s)
            coordinates[first + ANGLE] = -height * np.pi / length * np.cos(s)
        return coordinates

    def place(self) -> np.ndarray:
        """Return the present place of the watched node."""
        kind = self.exudyn.OutputVariableType.Position
        return np.asarray(self.system.GetNodeOutput(self.watched, kind))[:2]

    def displace(self, coordinates: np.ndarray) -> None:
        """Store where motion and equilibrium start from: displacements from the model as it was built."""
        self.system.systemData.SetODE2Coordinates(coordinates, self.exudyn.ConfigurationType.Initial)

    def release(self, condition: int) -> None:
        """Take a condition away."""
        self.system.SetObjectParameter(condition, "activeConnector", False)

    def solve(self, settings: Any) -> np.ndarray | None:
        """Return positions of the watched node (instants, axes); None if it fails."""
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                ok = self.system.SolveDynamic(settings)
            except Exception:  # whatever its solver raises, it did not do the job
                return None
        return np.asarray(self.system.GetSensorStoredData(self.sensor))[:, 1 : self.axes + 1] if ok else None


@dataclass(frozen=True)
class Plan:
    """A motion that both sides compute, and the point and instants at which they are compared."""

    end_time: float
    steps: int
    report: float  # s, between the instants that are compared
    marker: str
    size: float  # m; errors are given as a part of it
    every_step: bool = False  # pliant keeps every step; else the compared instants, as the peer does
    start: Any = None  # state from which pliant starts; the assembled one unless given

    @property
    def step(self) -> float:
        """s"""
        return self.end_time / self.steps

    def pliant(self, system: Any, *, refine: int = 1) -> pl.Result:
        """Return the motion with the step divided by ``refine``."""
        every = 1 if self.every_step and refine == 1 else refine * round(self.report / self.step)
        step = self.step / refine
        return pl.transient(
            system,
            start=self.start,
            end_time=self.end_time,
            step=step,
            spectral_radius=SPECTRAL_RADIUS,
            every=every,
            constraints="position",  # as the peer, which keeps no velocities on the joints,
            estimate=False,  # and does not estimate its error, which is measured against the reference
        )

    def positions(self, run: pl.Result) -> np.ndarray:
        """Return positions of the marker at the instants that are compared."""
        instants = np.arange(round(self.end_time / self.report) + 1) * self.report
        places = run.position.sel(marker=self.marker)
        times = places.coords["time"].values
        return np.asarray(places.values)[np.searchsorted(times, instants - 0.5 * self.step)]

    def error(self, positions: np.ndarray, reference: np.ndarray) -> float:
        """Return the largest distance from the reference, as a part of the size."""
        return float(np.linalg.norm(positions - reference, axis=1).max() / self.size)


@dataclass(frozen=True)
class Trial:
    """A variant of the peer's Newton method, with the loosest tolerance that gives the required accuracy."""

    name: str
    settings: Any
    error: float
    seconds: float


def compare(
    case: str,
    size: int | str,
    system: Any,
    build: Callable[[Any], Beams],
    plan: Plan,
    *,
    required_ratio: float | None = None,
    rounds: int = 5,
) -> Comparison:
    """Race pliant's whole ``transient`` call, and the positions that the peer records too, against the peer's quickest
    Newton variant of the same accuracy.
    """
    reference = plan.positions(plan.pliant(system, refine=8))
    error = plan.error(plan.positions(plan.pliant(system)), reference)
    contenders = {"pliant": Contender(lambda: plan.positions(plan.pliant(system)))}
    found = peer()
    if found is None:
        return Comparison(case, size, race(contenders, rounds=rounds, by=CLOCK)["pliant"].seconds, pliant_error=error)
    beams = build(found.module)
    tried = list(trials(beams, plan, reference, error))
    for trial in tried:
        if trial.seconds < RIVAL * min(other.seconds for other in tried):
            contenders[trial.name] = Contender(lambda settings=trial.settings: beams.solve(settings))
    laps = race(contenders, rounds=rounds, by=CLOCK)
    best = min((trial for trial in tried if trial.name in laps), key=lambda trial: laps[trial.name].seconds)
    return Comparison(
        case, size, laps["pliant"].seconds, found.label, description(found.module, beams.element, tried, best),
        laps[best.name].seconds, error, best.error, required_ratio,
    )  # fmt: skip


def trials(beams: Beams, plan: Plan, reference: np.ndarray, pliant_error: float) -> Iterator[Trial]:
    """Yield each Newton variant, as accurate as pliant, or as the method is when Newton converges fully."""
    allowed = SAME * max(pliant_error, attempt(beams, plan, reference, VARIANTS[0], TOLERANCES[-1]).error)
    for newton in VARIANTS:
        made: list[Trial] = []
        for tolerance in TOLERANCES:
            made.append(attempt(beams, plan, reference, newton, tolerance))
            if made[-1].error <= allowed:
                break
        best = min(made, key=lambda trial: trial.error)
        if np.isfinite(best.error):
            yield best


def attempt(beams: Beams, plan: Plan, reference: np.ndarray, newton: Newton, tolerance: float) -> Trial:
    """Run once; the error is infinite if the run fails."""
    settings = beams.settings(plan, newton, tolerance)
    start = CLOCK()
    positions = beams.solve(settings)
    seconds = CLOCK() - start
    error = np.inf if positions is None else plan.error(positions, reference)
    return Trial(f"{newton.name}, tolerance {tolerance:g}", settings, error, seconds)


def description(exudyn: Any, element: str, tried: list[Trial], best: Trial) -> str:
    """Describe what the peer ran with, and how the other variants did."""
    module = getattr(exudyn, "_compiledModuleName", "exudynCPP")
    others = "; ".join(f"{trial.name}: {trial.seconds:.3g} s" for trial in tried if trial is not best)
    return (
        f"{module}, {element}, generalized-alpha index 3, spectral radius {SPECTRAL_RADIUS:g}, "
        f"EigenSparse, residualMode 1, single thread, {best.name} (also tried: {others or 'nothing else'})"
    )
