"""Cantilevers and swinging cables, in pliant and in Exudyn (ObjectANCFCable2D on the same nodes)."""

from __future__ import annotations

import contextlib
import importlib
import io
from dataclasses import dataclass
from typing import Any

import numpy as np

import pliant as pl
from pliant.elements.beam_ancf import AncfIntegration

RULES: dict[AncfIntegration, int] = {"mixed": 2, "full": 0}
"""What Exudyn calls `useReducedOrderIntegration`."""


@dataclass(frozen=True)
class Cable:
    """A straight cable of unit length and mass; ``load`` at the tip of a clamped one, ``gravity`` on a pinned one."""

    axial: float = 1e4
    bending: float = 1.0
    load: float = 0.0
    moment: float = 0.0
    gravity: float = 0.0

    @property
    def clamped(self) -> bool:
        """Whether its base does not turn."""
        return not self.gravity

    def model(self) -> pl.Model:
        """In pliant; shear, where an element has it, is 1e-6 of the bending or less."""
        model = pl.Model("cable")
        section = pl.Section(
            axial_stiffness=self.axial,
            shear_stiffness=1e6 * self.bending,
            bending_stiffness=self.bending,
            mass_per_length=1.0,
            rotary_inertia=0.0,
        )
        ground, cable = model.add(pl.Ground()), model.add(pl.Beam("cable", length=1.0, section=section))
        model.add((pl.Weld if self.clamped else pl.Revolute)(ground.at(0, 0), cable.at(s=0)))
        model.add(pl.Force(cable.at(s=1, name="tip"), y=self.load), pl.Moment(cable.at(s=1, name="tip"), self.moment))
        if self.gravity:
            model.add(pl.Gravity(y=-self.gravity))
        return model

    def rest(self, elements: Any) -> np.ndarray:
        """Tip (x, y, angle) in equilibrium."""
        found = pl.statics(pl.compile(self.model(), elements=elements))
        place = found.position.sel(marker="cable/tip").values.ravel()
        return np.append(place, found.marker_angle.sel(marker="cable/tip").values.ravel())

    def motion(self, elements: Any, *, end_time: float, steps: int) -> np.ndarray:
        """Tip (x, y) at the end of a motion from rest."""
        system = pl.compile(self.model(), elements=elements)
        run = pl.transient(system, end_time=end_time, step=end_time / steps, spectral_radius=0.9, estimate=False)
        return np.asarray(run.position.sel(marker="cable/tip").values[-1])

    def in_exudyn(
        self, exudyn: Any, elements: int, integration: AncfIntegration, *, end_time: float = 0.0, steps: int = 10
    ) -> Any:
        """Tip (x, y) by Exudyn: at rest, or at the end of a motion."""
        items: Any = importlib.import_module("exudyn.itemInterface")
        container = exudyn.SystemContainer()  # owns the system
        mbs = container.AddSystem()
        places = np.linspace(0.0, 1.0, elements + 1).tolist()
        nodes = [mbs.AddNode(items.NodePoint2DSlope1(referenceCoordinates=[x, 0.0, 1.0, 0.0])) for x in places]
        for pair in zip(nodes[:-1], nodes[1:], strict=True):
            cable = items.ObjectANCFCable2D(
                nodeNumbers=list(pair),
                length=1.0 / elements,
                massPerLength=1.0,
                bendingStiffness=self.bending,
                axialStiffness=self.axial,
                useReducedOrderIntegration=RULES[integration],
            )
            body = mbs.AddMarker(items.MarkerBodyMass(bodyNumber=mbs.AddObject(cable)))
            mbs.AddLoad(items.LoadMassProportional(markerNumber=body, loadVector=[0, -self.gravity, 0]))

        def coordinate(node: int, number: int) -> int:
            return int(mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=node, coordinate=number)))

        ground = coordinate(mbs.AddNode(items.NodePointGround()), 0)
        for number in (0, 1, 3) if self.clamped else (0, 1):
            mbs.AddObject(items.CoordinateConstraint(markerNumbers=[ground, coordinate(nodes[0], number)]))
        mbs.AddLoad(items.LoadCoordinate(markerNumber=coordinate(nodes[-1], 1), load=self.load))
        mbs.Assemble()
        chosen = exudyn.SimulationSettings()
        chosen.solution.file.write = False
        solver = chosen.timeIntegration if end_time else chosen.staticSolver
        solver.verboseMode = 0
        solver.newton.relativeTolerance = solver.newton.absoluteTolerance = 1e-11
        with contextlib.redirect_stdout(io.StringIO()):
            if end_time:
                solver.endTime, solver.numberOfSteps, solver.adaptiveStep = end_time, steps, False
                solver.generalizedAlpha.spectralRadius, solver.newton.residualMode = 0.9, 1
                mbs.SolveDynamic(chosen)
            else:
                solver.numberOfLoadSteps = steps
                mbs.SolveStatic(chosen)
        return np.asarray(mbs.GetNodeOutput(nodes[-1], exudyn.OutputVariableType.Position))[:2]
