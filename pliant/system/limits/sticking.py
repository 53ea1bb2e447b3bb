"""Sticking contacts: a system whose parts are tied tangentially at the places where they touched.

The springs of a place (forces/stuck) are as stiff as its normal force when it touched. They do not slip; `slips` checks
afterwards whether friction can bear their force.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pliant.forces.stuck import anchor
from pliant.kernels.contact_gaps import FREEDOMS, GAP, OWNER, PLACE, RATES, WIDTH
from pliant.model import rotations
from pliant.system.limits.contact_distances import Gaps
from pliant.system.limits.stuck_places import family, friction, places
from pliant.system.packing import catalogue, fused

if TYPE_CHECKING:
    from pliant.system.system import System


class Slip(NamedTuple):
    """Friction demand and limit of a sticking contact, at its worst place."""

    part: Any
    between: tuple[str, str]
    force: float
    limit: float

    @property
    def share(self) -> float:
        """Ratio of the force to the limit."""
        return self.force / self.limit if self.limit else np.inf if self.force else 0.0


def stick(system: System, q: np.ndarray) -> tuple[dict[str, Any], list[str]]:
    """Return the families of forces that tie rough contacts where they touch in a configuration, and the names of these
    contacts. Places without normal stiffness do not stick.
    """
    gaps = Gaps(system)
    who, out = gaps.near(q, gaps.closeness)
    rough = gaps.friction[who[:, OWNER]] > 0.0
    who, out = who[rough], out[rough]
    stiffness = np.array([gaps.pressed(int(place), q)[1] for place in who[:, PLACE]])
    who, out, stiffness = who[stiffness > 0.0], out[stiffness > 0.0], stiffness[stiffness > 0.0]
    names = list(dict.fromkeys(gaps.parts[k].name for k in who[:, OWNER]))
    if not names:
        return {}, names
    name, axes = family(system), _axes(system, q)
    anchors = [anchor(*rows, system.space.width, axes) for rows in zip(who, out, strict=True)]
    found = catalogue.of(name).anchored(system.layout, anchors, axes)._replace(
        stiffness=stiffness, place=who[:, PLACE].astype(np.uint32), owner=who[:, OWNER].astype(np.uint32)
    )  # fmt: skip
    return {**fused.present(system.equations.parts), name: found}, names


def press_together(system: System, q: np.ndarray) -> np.ndarray:
    """Return the configuration near q in which the sticking places are closed if only rounding opened them: open
    contacts have no stiffness. They close by the tolerance, with the smallest motion of the nodes.
    """
    gaps = Gaps(system)
    who, out = gaps.near(q, gaps.closeness)
    open_ = np.isin(who[:, PLACE], places(system).place) & (out[:, GAP] > -gaps.closeness)
    who, out = who[open_], out[open_]
    if not len(who):
        return q
    rates = np.zeros((len(who), system.size))
    for row, freedoms, rate in zip(rates, who[:, FREEDOMS:], out[:, RATES : RATES + WIDTH], strict=True):
        np.add.at(row, freedoms[freedoms >= 0], rate[freedoms >= 0])
    scaled = rates[:, : system.freedoms] / system.weight
    return system.moved(q, np.linalg.lstsq(scaled, -2.0 * gaps.closeness - out[:, GAP])[0] / system.weight)


def _axes(system: System, q: np.ndarray) -> Any:
    """Return a function from the number of a node to its axes in a configuration, as columns."""
    if system.space.quaternions:
        return lambda node: rotations.matrix(q[system.space.frames(system.layout.ground) + 4 * node :][:4])
    return lambda node: rotations.matrix(rotations.exponential((0.0, 0.0, q[3 * node + 2])))


def slips(system: System, q: np.ndarray) -> list[Slip]:
    """Return, for every sticking contact, the place with the largest ratio of friction demand to limit."""
    part = places(system)
    gaps, (owners, found) = Gaps(system), friction(system, q)
    worst: dict[int, Slip] = {}
    for e, (k, force) in enumerate(zip(owners.tolist(), np.linalg.norm(found, axis=1).tolist(), strict=True)):
        limit = gaps.friction[k] * gaps.pressed(int(part.place[e]), q)[0]
        slip = Slip(gaps.parts[k], _between(system, part, e), force, float(limit))
        if k not in worst or slip.share > worst[k].share:
            worst[k] = slip
    return list(worst.values())


def _nodes(system: System, part: Any, e: int) -> tuple[int, int]:
    """Return the two nodes, in front and behind, with the largest weight of place e."""
    nodes = part.dofs[e, :: system.space.width].astype(int) // system.space.width
    return int(nodes[np.argmin(part.weight[e])]), int(nodes[np.argmax(part.weight[e])])


def _between(system: System, part: Any, e: int) -> tuple[str, str]:
    """Return the names of the parts that touch at place e."""
    names = [*system.node_owners(), "ground"]
    first, second = (names[min(node, len(names) - 1)] for node in _nodes(system, part, e))
    return first, second


def rolling_angles(system: System, q: np.ndarray, then: np.ndarray) -> list[tuple[Any, float]]:
    """Return the contacts with sticking places and their parts' rotation against each other from q to then (rad)."""
    part, gaps, before, now = places(system), Gaps(system), _axes(system, q), _axes(system, then)
    furthest: dict[int, float] = {}
    for e, k in enumerate(part.owner.tolist()):
        a, b = _nodes(system, part, e)
        turn = now(a).T @ now(b) @ (before(a).T @ before(b)).T
        angle = float(np.arccos(np.clip(0.5 * (np.trace(turn) - 1.0), -1.0, 1.0)))
        furthest[k] = max(angle, furthest.get(k, 0.0))
    return [(gaps.parts[k], angle) for k, angle in furthest.items()]


def unstuck_contacts(system: System, q: np.ndarray) -> list[tuple[str, int]]:
    """Return contacts with friction that are closed at places that do not stick, by name, and the number of places."""
    gaps, known = Gaps(system), set(places(system).place.tolist())
    who, _ = gaps.near(q)
    owners = [k for place, k in who[:, [PLACE, OWNER]].tolist() if place not in known and gaps.friction[k]]
    return [(gaps.parts[k].name, owners.count(k)) for k in dict.fromkeys(owners)]
