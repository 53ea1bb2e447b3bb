"""Hulls that collide keep the contracts of parts, wherever corners, edges, faces, balls and capsules touch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.forces.collisions import planar, spatial
from pliant.forces.collisions.items import BALL, EDGE, END, HULL, PIECE
from pliant.forces.collisions.nearest import meet
from pliant.forces.collisions.sweep import near
from pliant_testing import contracts
from pliant_testing.parameters import check_parameters
from pliant_testing.probe import Probe

LAW = {"stiffness": 30.0, "damping": 0.1, "friction": 0.3, "friction_speed": 1.0}
SHAPES: dict[str, Any] = {
    "box": pl.Box(1.0, 0.8, 0.9, position=(0.1, -0.05)),
    "turned": pl.Box(0.9, 1.0, 0.8, orientation=(0.3, -0.4, 0.8)),
    "tetrahedron": pl.Hull([(0.6, 0.5, -0.4), (-0.7, 0.4, -0.5), (0.0, -0.8, -0.4), (0.1, 0.1, 0.8)]),
    "ball": "round",
}


def crowd(space: bool, kinds: tuple[str, ...], lengths: Any, seed: int) -> tuple[pl.Model, pl.Model]:
    """Return three bodies with shapes that overlap, with and without collisions."""
    models = []
    for _ in range(2):
        m = pl.Model("crowd", plane=None if space else "xy")
        rng = np.random.default_rng(seed)
        places = [(0.0, 0.0, 0.0), (0.7, 0.2, 0.5), (-0.4, 0.7, -0.4)]
        inertia = (0.02, 0.03, 0.04) if space else 0.02
        where = {"mass": 1.0, "inertia": inertia, "free": True}
        turns = rng.uniform(-1.0, 1.0, (3, 3)).tolist()
        bodies = [
            m.add(
                pl.Body(f"b{k}", position=place, orientation=tuple(turn), **where)
                if space
                else pl.Body(f"b{k}", position=place[:2], angle=turn[2], **where)
            )
            for k, (place, turn) in enumerate(zip(places, turns, strict=True))
        ]
        models.append((m, bodies))
    (m, bodies), (without, _) = models
    markers = [body.at(0.02, 0.03) for body in bodies]
    given = {
        "shape": [SHAPES[kind] for kind in kinds],
        "radius": 0.28,
        "length": lengths,
        "floors": [bodies[0].at(0, -0.5)],
    }
    m.add(pl.Collisions("c", markers, **given, **LAW))
    return m, without


HULLS, BALLS = ("box", "turned", "tetrahedron"), ("box", "ball", "ball")


@pytest.mark.parametrize(
    ("space", "kinds", "lengths", "seeds"),  # seeds: far enough from where a nearest point reaches an end or a face
    [
        (False, HULLS, 0.0, (0, 1, 6, 7)),
        (True, HULLS, 0.0, (14, 17, 31, 38)),
        (False, BALLS, (0.0, 0.0, 0.5), (2, 4, 14)),
        (True, BALLS, (0.0, 0.0, 0.5), (2, 5, 8)),
    ],
)
def test_contracts_of_hulls(space: bool, kinds: tuple[str, ...], lengths: Any, seeds: tuple[int, ...]) -> None:
    """Tangents are derivatives, power is accounted for, place, units and files change nothing."""
    met: set[tuple[int, int, bool]] = set()
    for seed in seeds:
        m, without = crowd(space, kinds, lengths, seed)
        probe = Probe("hulls", m, without, 2, 1e-7)
        part = (spatial if space else planar).pack(probe.system.layout)
        rng = np.random.default_rng(seed)
        at = probe.random(rng, 0.05)
        assert np.any(probe.force(at))
        contracts.check_rates(probe, at)
        contracts.check_stiffness(probe, at, np.zeros(0))
        contracts.check_symmetry(probe, at)
        contracts.check_work(probe, at)
        contracts.check_place(probe, at, rng.standard_normal(3), rng.standard_normal(3))
        contracts.check_file(probe, at)
        contracts.check_units(probe, at)
        for a, b in near(part, at.q, 0.0).tolist():
            found = meet(part, a, b, at.q, 0)
            if found.gap < 0.0:
                met.add((int(part.kind[a]), int(part.kind[b]), bool(found.flat)))
    check_parameters("hulls", m.forces[0])
    if kinds[1] == "ball":
        assert {(HULL, BALL, False), (HULL, END, False)} <= met
        assert any(PIECE in pair for pair in met)
    else:
        assert {(HULL, END, True), (HULL, END, False)} <= met
        assert not space or (EDGE, EDGE, False) in met


@pytest.mark.parametrize(("above", "seeds", "ends"), [("box", (1, 2), {2, 4}), ("capsule", (1, 2), {0})])
def test_tangents_where_edges_cross(above: str, seeds: tuple[int, ...], ends: set[int]) -> None:
    """Two boxes that are almost flush, where ends of edges that cross touch too; a capsule across two edges."""
    ended = set()
    for seed in seeds:
        models = []
        for _ in range(2):
            m = pl.Model("flush", plane=None)
            where = {"mass": 1.0, "inertia": (0.02, 0.03, 0.04), "free": True}
            one = m.add(pl.Body("one", position=(0, 0, 0), orientation=(0, 0, 0), **where))
            high, turn = (0.8, (0.05, -0.03, 0.3)) if above == "box" else (0.58, (0.02, -0.03, 0.1))
            two = m.add(pl.Body("two", position=(0.02, 0.01, high), orientation=turn, **where))
            models.append((m, [one.at(), two.at()]))
        (m, markers), (without, _) = models
        block = pl.Box(1.1, 1.0, 0.9)
        shapes = {"shape": block} if above == "box" else {"shape": [block, "round"], "length": (0.0, 2.0)}
        m.add(pl.Collisions("c", markers, radius=0.2, **shapes, **LAW))
        probe = Probe("flush", m, without, 2, 1e-7)
        part = spatial.pack(probe.system.layout)
        at = probe.random(np.random.default_rng(seed), 0.03)
        contracts.check_rates(probe, at)
        contracts.check_stiffness(probe, at, np.zeros(0))
        contracts.check_work(probe, at)
        for a, b in near(part, at.q, 0.0).tolist():
            if EDGE in (part.kind[a], part.kind[b]) and meet(part, a, b, at.q, 0).gap < 0.0:
                ended.add(sum(meet(part, a, b, at.q, end).gap < 0.0 for end in range(1, 5)))
    assert ended == ends
