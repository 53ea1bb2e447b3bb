"""Model -> Tree: a spanning tree, from the conditions of the joints (model/conditions.py).

A loop is cut where the fewest conditions remain (J. B. Kruskal, Proc. Amer. Math. Soc. 7, 1956): inside a beam, whose
neighbouring nodes no joint ties; else at the joint that locks least, whose rows stay (loops.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from pliant.formulations.relative.tree import SLIDE, TURN, Tree
from pliant.model import Joint, Marker, rotations
from pliant.model.conditions import Condition
from pliant.system.system import System

AXES = "xyz"
FREE = 1  # order of free edges: after joints and beams


class Locks(NamedTuple):
    """Axes that a joint leaves free, and the thread that couples sliding to turning (a screw: m/rad)."""

    slides: str  # axes
    turns: str
    thread: tuple[str, float] | None = None


class Edge(NamedTuple):
    """Connection of two nodes: a joint, or None between neighbours on a beam and between a free part and the ground."""

    a: int
    b: int
    joint: Joint | None


class Pair(NamedTuple):
    """An edge of the tree: which node hangs on which."""

    node: int
    parent: int
    edge: Edge


class Freedom(NamedTuple):
    """One motion of a pair."""

    kind: int
    axis: str
    on_b: bool
    coordinate: int
    factor: float = 1.0


def locks_of(joint: Joint, spatial: bool) -> Locks | None:
    """Return the axes that a joint leaves free; None if it cannot be a pair (distances, gears, drives)."""
    axes, turns, thread = ("xyz", "xyz", None) if spatial else ("xy", "z", None)
    for condition in joint.conditions(spatial):
        term = condition.terms[0]
        if condition.signal is not None or any(each.a or each.b for each in condition.terms):
            return None
        if len(condition.terms) > 1:
            thread = _thread(condition)
            if thread is None:
                return None
        elif term.measure in ("point", "place"):
            axes = axes.replace(term.axes, "")
        elif term.measure == "turned" or (term.measure == "angle" and not spatial):
            turns = turns.replace(term.axes, "")
        elif term.measure == "aligned":
            turns = turns.replace(term.axes[0], "")
        elif term.measure == "crossed":
            turns = term.axes
        else:
            return None
    return Locks(axes, turns, thread)


def _thread(condition: Condition) -> tuple[str, float] | None:
    """Return axis and travel per radian of a condition that couples travel and angle of one axis; None for others."""
    known = {term.measure: term for term in condition.terms}
    if len(condition.terms) != 2 or set(known) != {"place", "angle"} or known["place"].axes != known["angle"].axes:
        return None
    return known["place"].axes, -known["angle"].factor / known["place"].factor


@dataclass
class Growth:
    """A spanning tree, built from the ground outwards."""

    system: System
    pairs: list[Pair] = field(default_factory=list)
    names: list[str] = field(default_factory=list)  # names of the coordinates
    angular: list[bool] = field(default_factory=list)  # whether each is an angle

    def __post_init__(self) -> None:
        self.spatial = bool(self.system.model.spatial)
        self.locks = {joint: locks_of(joint, self.spatial) for joint in self.system.model.joints}
        self.edges = self._spanning()
        self.at: dict[int, list[int]] = {}
        for number, edge in enumerate(self.edges):
            for end in (edge.a, edge.b):
                self.at.setdefault(end, []).append(number)
        self._grow(self.system.layout.ground)

    def _spanning(self) -> list[Edge]:
        """Return edges that connect all nodes without a loop, in the order of the model."""
        edges = [*self._beams(), *self._joints(), *self._free()]
        group = list(range(self.system.nodes + 1))
        kept = set[int]()
        for number in sorted(range(len(edges)), key=lambda k: edges[k][1]):
            a, b = (group[end] for end in edges[number][0][:2])
            if a != b:
                kept.add(number)
                group = [b if each == a else each for each in group]
        return [edges[number][0] for number in sorted(kept)]

    def _beams(self) -> Iterator[tuple[Edge, Any]]:
        """Yield edges on beams with their order: the middle last, so that halves hang on the beam's ends."""
        for mesh in self.system.layout.beams:
            middle = 0.5 * (mesh.nodes.size - 2)
            for k, (a, b) in enumerate(zip(mesh.nodes[:-1].tolist(), mesh.nodes[1:].tolist(), strict=True)):
                yield Edge(a, b, None), (0, -abs(k - middle))

    def _joints(self) -> Iterator[tuple[Edge, Any]]:
        """Yield joints that are pairs with their order: most locks first; with equal locks, driven joints first."""
        layout = self.system.layout
        driven = {frozenset((layout.node(each.a), layout.node(each.b))) for each in self.locks if each.coordinate}
        for joint, locks in self.locks.items():
            if locks is not None:
                a, b = layout.node(joint.a), layout.node(joint.b)
                free = len(locks.slides) + len(locks.turns) - (locks.thread is not None)
                yield Edge(a, b, joint), (free - layout.space.width, frozenset((a, b)) not in driven)

    def _free(self) -> Iterator[tuple[Edge, Any]]:
        """Yield free edges from all parts to the ground with their order: parts declared free first."""
        layout = self.system.layout
        parts: list[tuple[Any, int]] = [(body, layout.body_node(body)) for body in layout.rigid_bodies]
        parts += [(mesh.beam, int(mesh.nodes[0])) for mesh in layout.beams]
        for part, node in parts:
            yield Edge(layout.ground, node, None), (FREE, not getattr(part, "free", False))

    def _grow(self, root: int) -> None:
        """Append pairs depth first, so that all that hangs on a node follows it."""
        waiting = [(number, root) for number in reversed(self.at.get(root, []))]
        while waiting:
            number, parent = waiting.pop()
            edge = self.edges[number]
            node = edge.b if parent == edge.a else edge.a
            self.pairs.append(Pair(node, parent, edge))
            waiting += [(other, node) for other in reversed(self.at[node]) if other != number]

    def tree(self) -> Tree:
        """Return the tree as flat arrays."""
        order, layout = self.pairs, self.system.layout
        free = [self._left(pair.edge) for pair in order]
        balls = [k for k, locks in enumerate(free) if len(locks.turns) == 3]
        coordinates: dict[int, list[Freedom]] = {k: [] for k in range(len(order))}
        for number, k in enumerate(balls):
            self._name(order[k], "xyz", AXES)
            slides = [Freedom(SLIDE, axis, False, 6 * number + AXES.index(axis)) for axis in free[k].slides]
            coordinates[k] = slides + [Freedom(TURN, axis, True, 6 * number + 3 + n) for n, axis in enumerate(AXES)]
        for k, pair in enumerate(order):
            if k not in balls:
                coordinates[k] = self._scalars(pair, free[k])
        apart = self._apart()
        count, width = len(self.names), layout.space.width
        position = {pair.node: k for k, pair in enumerate(order)}
        ends = np.arange(1, len(order) + 1)
        before = np.array([position.get(pair.parent, -1) for pair in order], np.int64)
        for k in range(len(order) - 1, -1, -1):
            if before[k] >= 0:
                ends[before[k]] = max(ends[before[k]], ends[k])
        sides = [self._sides(pair) for pair in order]
        sense = np.array([1.0 if pair.parent == pair.edge.a else -1.0 for pair in order])
        all_freedoms = [each for k in range(len(order)) for each in coordinates[k]]
        zeros, unit = np.zeros((len(order), 3)), np.tile([1.0, 0.0, 0.0, 0.0], (len(order), 1))
        tree = Tree(
            node=_index([pair.node for pair in order]),
            parent=_index([pair.parent for pair in order]),
            before=before,
            sense=sense,
            inner=np.array([side[0] for side in sides]).reshape(-1, 3),
            outer=np.array([side[1] for side in sides]).reshape(-1, 3),
            inner_turn=np.array([side[2] for side in sides]).reshape(-1, 4),
            outer_turn=np.array([side[3] for side in sides]).reshape(-1, 4),
            rest=zeros,
            kept=unit,
            lean=np.zeros(len(order)),
            ball=_index([count + 4 * balls.index(k) if k in balls and self.spatial else 0 for k in range(len(order))]),
            first=_index(np.cumsum([0, *(len(coordinates[k]) for k in range(len(order)))])),
            end=_index(ends),
            kind=_index([each.kind for each in all_freedoms]),
            axis=np.array([rotations.AXES[each.axis] for each in all_freedoms], float).reshape(-1, 3),
            on_b=_index([each.on_b for each in all_freedoms]),
            coordinate=_index([each.coordinate for each in all_freedoms]),
            factor=np.array([each.factor for each in all_freedoms], float),
            apart=apart,
            entry=_entries(self.system, width),
        )
        return _measured(self.system, tree)

    def _left(self, edge: Edge) -> Locks:
        if edge.joint is None:
            return Locks("xyz", "xyz") if self.spatial else Locks("xy", "z")
        locks = self.locks[edge.joint]
        return locks or Locks("", "")

    def _name(self, pair: Pair, slides: str, turns: str) -> None:
        name = self.label(pair)
        self.names += [f"{name}:{axis}" for axis in slides] + [f"{name}:r{axis}" for axis in turns]
        self.angular += [False] * len(slides) + [True] * len(turns)

    def label(self, pair: Pair) -> str:
        """Return the name for coordinates of a pair: its joint, or a part and the number of its node."""
        if pair.edge.joint is not None:
            return pair.edge.joint.name
        owner = self.system.node_owners()[pair.node]
        nodes = [mesh.nodes for mesh in self.system.layout.beams if mesh.beam.name == owner]
        return f"{owner}:{pair.node - int(nodes[0][0])}" if nodes else owner

    def _scalars(self, pair: Pair, free: Locks) -> list[Freedom]:
        """Return the freedoms of a pair with scalar coordinates, and add the names of these."""
        found, single = [], len(free.slides) + len(free.turns) - (free.thread is not None) == 1
        name = self.label(pair)
        numbers: dict[str, int] = {}
        for axis in free.slides:
            if free.thread and axis == free.thread[0]:
                continue
            numbers[axis] = len(self.names)
            self.names.append(name if single else f"{name}:{axis}")
            self.angular.append(False)
        for axis in free.turns:
            numbers[f"r{axis}"] = len(self.names)
            self.names.append(name if single else f"{name}:r{axis}")
            self.angular.append(True)
        for axis in free.slides:
            turning = free.thread and axis == free.thread[0]
            number, factor = (numbers[f"r{axis}"], free.thread[1]) if turning and free.thread else (numbers[axis], 1.0)
            found.append(Freedom(SLIDE, axis, False, number, factor))
        for n, axis in enumerate(free.turns):
            found.append(Freedom(TURN, axis, n > 0, numbers[f"r{axis}"]))
        return found

    def _apart(self) -> np.ndarray:
        """Name the coordinates that move no node. Return them, and their places among the freedoms of the system."""
        layout, model, first = self.system.layout, self.system.model, len(self.names)
        self.names += [f"{mesh.beam.name}:{k}:stretch" for mesh in layout.beams for k in range(mesh.stretch.size)]
        self.names += [f"{part.name}:{k}" for part in model.forces for k in range(len(part.own_nodes(layout)))]
        self.angular += [True] * layout.stretches  # or, without unit like angles, stretches
        places = np.arange(layout.stretches)
        return np.column_stack([first + places, layout.freedoms - layout.stretches + places])

    def _sides(self, pair: Pair) -> tuple[Any, Any, Any, Any]:
        """Return arms and frames of a pair on the parent and on the node."""
        joint = pair.edge.joint
        if joint is None:
            return np.zeros(3), np.zeros(3), rotations.IDENTITY, rotations.IDENTITY
        a = self._side(joint.a, joint.frame_a)
        b = self._side(joint.b, joint.frame_b)
        inner, outer = (a, b) if pair.parent == pair.edge.a else (b, a)
        return inner[0], outer[0], inner[1], outer[1]

    def _side(self, marker: Marker, frame: Any) -> tuple[Any, Any]:
        layout = self.system.layout
        if self.spatial:
            return layout.arm(marker), rotations.product(layout.turn(marker), frame)
        return np.array([*layout.arm(marker), 0.0]), rotations.exponential((0.0, 0.0, float(layout.turn(marker))))


def _index(values: Any) -> np.ndarray:
    return np.array(values, np.int64)


def _entries(system: System, width: int) -> np.ndarray:
    """Return the entries below the diagonal that parts add to, as place in s, row, column."""
    pattern, n = system.equations.pattern, system.freedoms
    size = int(pattern.order.size)
    used = np.unique(np.concatenate([slots.ravel() for slots in _slots(system)]).astype(np.int64))
    used = used[(used >= size) & (used < pattern.storage - 1)] - size
    rows, columns = pattern.row[used].astype(np.int64), pattern.column[used].astype(np.int64)
    kept = (rows < n) & (columns < n)
    return np.column_stack([used[kept] + size, rows[kept], columns[kept]])


def _slots(system: System) -> Iterator[np.ndarray]:
    """Yield the places in s that the families of a system and the rows of its joints add to."""
    from pliant.system.packing import catalogue, fused

    yield system.equations.rows.slots

    names = catalogue.families()
    for number in system.equations.parts.present[:, fused.NUMBER].tolist():
        yield fused.family(system.equations.parts, names[number]).slots


def _measured(system: System, tree: Tree) -> Tree:
    """Return the tree with constants of its pairs from the assembled pose."""
    from pliant.formulations.relative.reading import kept

    return kept(system, tree)
