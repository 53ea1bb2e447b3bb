"""Cables in Exudyn: ObjectANCFCable2D on the same nodes, its dense solver, one thread, no files."""

from __future__ import annotations

import contextlib
import importlib
import io
from typing import Any

import numpy as np

from pliant.elements.beam_ancf import AncfIntegration
from pliant_evidence.ancf_cable.cables import Cable

RULES: dict[AncfIntegration, int] = {"mixed": 2, "full": 0}
"""What Exudyn calls `useReducedOrderIntegration`."""


class Twin:
    """A cable in Exudyn; Newton stops on its increments (``residualMode = 1``) in motion."""

    def __init__(self, exudyn: Any, cable: Cable, elements: int, integration: AncfIntegration = "mixed") -> None:
        items: Any = importlib.import_module("exudyn.itemInterface")
        self.exudyn = exudyn
        self.container = exudyn.SystemContainer()  # owns the system
        self.system = mbs = self.container.AddSystem()
        places = np.linspace(0.0, 1.0, elements + 1).tolist()
        nodes = [mbs.AddNode(items.NodePoint2DSlope1(referenceCoordinates=[x, 0.0, 1.0, 0.0])) for x in places]
        for pair in zip(nodes[:-1], nodes[1:], strict=True):
            piece = items.ObjectANCFCable2D(
                nodeNumbers=list(pair),
                length=1.0 / elements,
                massPerLength=1.0,
                bendingStiffness=cable.bending,
                axialStiffness=cable.axial,
                useReducedOrderIntegration=RULES[integration],
            )
            body = mbs.AddMarker(items.MarkerBodyMass(bodyNumber=mbs.AddObject(piece)))
            mbs.AddLoad(items.LoadMassProportional(markerNumber=body, loadVector=[0, -cable.gravity, 0]))

        def coordinate(node: int, number: int) -> int:
            return int(mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=node, coordinate=number)))

        ground = coordinate(mbs.AddNode(items.NodePointGround()), 0)
        for number in (0, 1, 3) if cable.clamped else (0, 1):
            mbs.AddObject(items.CoordinateConstraint(markerNumbers=[ground, coordinate(nodes[0], number)]))
        mbs.AddLoad(items.LoadCoordinate(markerNumber=coordinate(nodes[-1], 1), load=cable.load))
        place = exudyn.OutputVariableType.Position
        self.tip = mbs.AddSensor(items.SensorNode(nodeNumber=nodes[-1], storeInternal=True, outputVariableType=place))
        mbs.Assemble()

    def rest(self, steps: int = 10) -> np.ndarray:
        """Return tip (x, y) in equilibrium, in so many load steps."""
        chosen = self._settings()
        solver = chosen.staticSolver
        solver.verboseMode, solver.numberOfLoadSteps = 0, steps
        solver.newton.relativeTolerance = solver.newton.absoluteTolerance = 1e-11
        with contextlib.redirect_stdout(io.StringIO()):
            self.system.SolveStatic(chosen)
        return self._places()[-1]

    def swinging(self, end_time: float, steps: int, *, looks: int, tolerance: float, modified: bool = False) -> Any:
        """Return settings of a motion by generalized-alpha whose tip is recorded at so many equal instants."""
        chosen = self._settings()
        chosen.parallel.numberOfThreads = 1
        chosen.solution.sensors.writePeriod = end_time / looks
        solver = chosen.timeIntegration
        solver.verboseMode, solver.endTime, solver.numberOfSteps = 0, end_time, steps
        solver.adaptiveStep, solver.generalizedAlpha.spectralRadius = False, 0.9
        newton = solver.newton
        newton.residualMode, newton.useModifiedNewton = 1, modified
        newton.relativeTolerance = newton.absoluteTolerance = tolerance
        return chosen

    def move(self, settings: Any) -> np.ndarray:
        """Return tip (x, y) at the start and at the instants recorded."""
        with contextlib.redirect_stdout(io.StringIO()):
            self.system.SolveDynamic(settings)
        return self._places()

    def _settings(self) -> Any:
        chosen = self.exudyn.SimulationSettings()
        chosen.solution.file.write = False
        return chosen

    def _places(self) -> np.ndarray:
        return np.asarray(self.system.GetSensorStoredData(self.tip))[:, 1:3]
