"""Conversion of a model in space: every beam becomes a chain of rigid bodies on ball joints, with bushings."""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant.forces import Dashpot, Drag
from pliant.forces.bushing import Bushing
from pliant.formulations.udwadia_kalaba.lumped import Lumped
from pliant.formulations.udwadia_kalaba.lumping import LumpedMarker, Lumping
from pliant.formulations.udwadia_kalaba.spatial_chain import SpatialChain, cut
from pliant.joints import Spherical
from pliant.model import Beam, Body, Marker, Model, rotations
from pliant.model.bodies.rigid import RigidBody


class SpatialLumping(Lumping):
    """Conversion of a spatial model; its poses are points and quaternions."""

    axes = "xyz"
    chains: dict[str, SpatialChain]  # type: ignore[assignment]

    def _cut(self, beam: Beam, options: Lumped) -> Any:
        return cut(beam, options)

    def _guess(self, body: Any) -> dict[str, Any]:
        return _placed(*self._place[body])

    def _add_chain(self, beam: Beam) -> None:
        """Add links, ball joints and bushings of a beam, in its pose."""
        chain = self.chains[beam.name]
        base, turn = self._place[beam]
        links = []
        for k in range(chain.mass.size):
            place = base + rotations.rotate(turn, chain.centre[k])
            pose = self._points.get(beam, {}).get(k, (place, rotations.product(turn, chain.frame[k])))
            links.append(
                Body(
                    beam.name if k == 0 else f"{beam.name}.{k + 1}",
                    mass=float(chain.mass[k]),
                    inertia=chain.inertia[k],
                    free=k == 0 and (beam.free or self._whole),
                    **_placed(*pose),
                )
            )
        self._links[beam] = links
        for link in links:
            self.model.add(link)
        for k in range(len(links) - 1):
            self._add_bushing(beam, k)
        self._add_damping(beam, links)

    def _centres(self, links: list[Any]) -> list[Marker]:
        return [LumpedMarker(link, shown=f"{link.name}/centre") for link in links]

    def _brake(self, name: str, link: Any, centre: Marker, alpha: float) -> None:
        c = alpha * link.mass
        turn = alpha * float(np.trace(link.inertia_matrix)) / 3.0
        self.model.add(Dashpot(name, centre, c, c, turn, z=c))

    def _add_bushing(self, beam: Beam, k: int) -> None:
        """Add the joint between links k and k + 1."""
        chain, number = self.chains[beam.name], k + 1
        label = f"{beam.name}@{chain.ends[number] / beam.length:.6g}"
        a, b = (self._on_link(beam, link, chain.points[number], chain.turns[number], label) for link in (k, k + 1))
        loose: dict[str, Any] = {}
        if chain.shear is None:
            self.model.add(Spherical(a, b, name=f"{beam.name} pin {number}"))
        else:
            loose = {"stiffness": chain.shear[k], "damping": chain.beta * chain.shear[k]}
        self.model.add(
            Bushing(
                f"{beam.name} bend {number}",
                a,
                b,
                turning_stiffness=chain.stiffness[k],
                turning_damping=chain.damping[k],
                **loose,
            )
        )

    def _on_link(self, beam: Beam, k: int, point: np.ndarray, turn: np.ndarray, label: str) -> LumpedMarker:
        """Return a marker of link k at a point and orientation in the axes of the unstressed beam's base."""
        chain = self.chains[beam.name]
        back = rotations.conjugate(chain.frame[k])
        x, y, z = (float(each) for each in rotations.rotate(back, point - chain.centre[k]))
        orientation = tuple(rotations.logarithm(rotations.product(back, turn)).tolist())
        return LumpedMarker(self._links[beam][k], x, y, z=z, orientation=orientation, shown=label)

    def _on_chain(self, beam: Beam, s: float, marker: Marker | None = None, *, label: str) -> LumpedMarker:
        """Return a marker of a section of the unstressed beam, or of a marker on it, on the link at that place."""
        points, turns = beam.rest_pose_in_space([s])
        point, turn = points[0], turns[0]
        if marker is not None:
            point, turn = point + rotations.rotate(turn, marker.point), rotations.product(turn, marker.turn)
        return self._on_link(beam, self._link_at(beam, s), point, turn, label)

    def _dash(self, drag: Drag, name: str, marker: Marker, length: float) -> None:
        self.model.add(Dashpot(name, marker, drag.x * length, drag.y * length, z=drag.z * length))

    def _bent(self, model: Model, count: int) -> tuple[dict[Any, Any], dict[Any, Any]]:
        """Return poses of the bodies, and of the links, in the shape in which finite elements close the loops."""
        from pliant.solvers.nonlinear.loop_closure import build

        system = build(model, elements=count)
        layout: Any = system.layout
        poses: dict[Any, Any] = {}
        links: dict[Any, dict[int, Any]] = {}
        for body in layout.rigid_bodies:
            point, turn = layout.node_pose(layout.body_node(body), system.initial)
            poses[body] = (point - rotations.rotate(turn, _centre(body)), turn)
        for mesh in layout.beams:
            found = [layout.node_pose(node, system.initial) for node in mesh.nodes]
            poses[mesh.beam] = found[0]
            points, turns = np.array([each[0] for each in found]), np.array([each[1] for each in found])
            chain = self.chains[mesh.beam.name]
            middles = 0.5 * (chain.ends[:-1] + chain.ends[1:]) / mesh.beam.length
            links[mesh.beam] = {k: _between(mesh.s, points, turns, s) for k, s in enumerate(middles)}
        return poses, links


def _between(places: np.ndarray, points: np.ndarray, turns: np.ndarray, s: float) -> tuple[np.ndarray, np.ndarray]:
    """Return point and quaternion at s, between the given ones."""
    k = int(np.clip(np.searchsorted(places, s) - 1, 0, places.size - 2))
    part = (s - places[k]) / (places[k + 1] - places[k])
    turn = rotations.logarithm(rotations.product(rotations.conjugate(turns[k]), turns[k + 1]))
    point = (1.0 - part) * points[k] + part * points[k + 1]
    return point, rotations.product(turns[k], rotations.exponential(part * turn))


def _centre(body: RigidBody) -> np.ndarray:
    return np.array([*body.centre_of_mass, 0.0])


def _placed(point: np.ndarray, turn: np.ndarray) -> dict[str, Any]:
    turned = tuple(rotations.logarithm(turn).tolist())  # the whole rotation, instead of an angle about z
    return {"position": tuple(point.tolist()), "orientation": turned, "angle": None}
