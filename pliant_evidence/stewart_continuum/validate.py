"""The continuum Stewart-Gough robot: feeds of its rods at poses of the published path, against shooting."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import pliant as pl
from pliant.model import rotations
from pliant_evidence.stewart_continuum import theory
from pliant_gallery.robots import ContinuumStewart
from pliant_testing.validation import Row, at_most, case

POSES = (
    ((0.0, 0.02, 0.48), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
    ((0.0, 0.12, 0.58), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
    ((0.03, -0.04, 0.5), (0.15, -0.1, 0.2), (0.0, 0.0, 0.0)),
    ((0.0, 0.05, 0.5), (0.1, 0.0, 0.0), (0.3, -0.2, -1.0)),
)
FINE, LIMIT = pl.Exact(10, order=3), 1e-6  # of the height


@case("stewart-continuum", source="robot of Till and Rucker; shooting along its rods, written separately")
def stewart_continuum() -> Iterator[Row]:
    """Free lengths of six fed rods that hold a platform, and back."""
    robot = ContinuumStewart()
    system = pl.compile(robot.model(), elements=FINE)
    legs = pl.Kinetostatics(system, platform="platform", motors=robot.motors)
    for point, turn, force in POSES:
        load = dict(zip(("load/x", "load/y", "load/z"), force, strict=True))
        pose = legs.inverse(point, turn, load=load)
        axes = rotations.matrix(rotations.exponential(turn))
        expected = theory.feeds(robot, point, axes, force=force)
        off = float(np.max(np.abs(robot.free_lengths() + pose.motors - expected))) / robot.height
        words = f"at {point} m, turned by {turn}, load {force} N"
        yield at_most(f"lengths of the rods {words}", "height", off, limit=LIMIT, kind="independent code")
        back = legs.forward(pose.motors, load=load)
        missed = float(np.linalg.norm(np.asarray(back.position) - point)) / robot.height
        yield at_most(f"forward again {words}", "height", missed, limit=1e-9, kind="itself")
