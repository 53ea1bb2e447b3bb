"""Rods in Exudyn, in space: geometrically exact 3D beams on nodes with Euler parameters, generic joints.

Settings as in `exudyn_beams`. Nodes with rotation vectors on a Lie group are its other choice; they took 15 % longer.
``ObjectBeamGeometricallyExact`` has the same nodes and stiffness but is not quite our element (its strains are of a Lie
group formulation): in the sway of `rod_platform` the two differ by a thirtieth of what ten elements lack.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

import pliant as pl
from pliant_evidence.exudyn_beams import Beams

LOCKED = [1] * 6


class Rods(Beams):
    """Rods made of nodes (point and Euler parameters), one rigid body, clamps between them."""

    axes = 3
    element = "ObjectBeamGeometricallyExact, NodeRigidBodyEP"

    def __init__(self, exudyn: Any) -> None:
        super().__init__(exudyn)
        self.rotations: Any = importlib.import_module("exudyn.rigidBodyUtilities")
        self.earth = self.system.AddObject(self.items.ObjectGround())

    def node(self, point: np.ndarray, axes: np.ndarray) -> int:
        """Return a node with the given axes (columns)."""
        turn = self.rotations.RotationMatrix2EulerParameters(axes)
        return int(self.system.AddNode(self.items.NodeRigidBodyEP(referenceCoordinates=[*point, *turn])))

    def body(self, point: np.ndarray, mass: float, inertia: tuple[float, float, float]) -> tuple[int, int]:
        """Add a rigid body with global axes; return its node and itself."""
        node = self.node(point, np.eye(3))
        values = [*inertia, 0.0, 0.0, 0.0]
        return node, int(
            self.system.AddObject(self.items.ObjectRigidBody(physicsMass=mass, physicsInertia=values, nodeNumber=node))
        )

    def rod(self, start: np.ndarray, axes: np.ndarray, length: float, section: pl.Section, elements: int) -> list[int]:
        """Add a straight rod along the first of its axes; return its nodes."""
        data = self.exudyn.BeamSection()
        data.stiffnessMatrix, data.massPerLength = np.array(section.stiffness), section.mass_per_length
        data.inertia = section.rotary
        nodes = [self.node(start + length * k / elements * axes[:, 0], axes) for k in range(elements + 1)]
        for pair in zip(nodes[:-1], nodes[1:], strict=True):
            self.system.AddObject(
                self.items.ObjectBeamGeometricallyExact(
                    nodeNumbers=list(pair), length=length / elements, sectionData=data
                )
            )
        return nodes

    def clamp(self, body: int, point: np.ndarray, node: int, axes: np.ndarray) -> None:
        """Clamp a node: its point and axes stay where they are on a body."""
        markers = [
            self.system.AddMarker(self.items.MarkerBodyRigid(bodyNumber=body, localPosition=list(point))),
            self.system.AddMarker(self.items.MarkerNodeRigid(nodeNumber=node)),
        ]
        joint = self.items.GenericJoint(markerNumbers=markers, constrainedAxes=LOCKED, rotationMarker1=axes.T)
        self.system.AddObject(joint)
