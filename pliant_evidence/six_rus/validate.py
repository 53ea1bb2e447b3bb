"""The 6-RUS robot: published motor angles; shooting along the rods at other poses, loads and for the stiffness."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import pliant as pl
from pliant.model import rotations
from pliant_evidence.six_rus import theory
from pliant_gallery.six_rus import LEGS, Robot
from pliant_gallery.six_rus.kinetostatics import inverse_as_published, kinetostatics
from pliant_testing.validation import Row, absolute, at_most, case

PUBLISHED = (0.48785652, 0.48785652, 0.42037453, 0.28121425, 0.28121425, 0.42037453)
POINT, TURN = (0.0, 0.0, 0.5), (10.0 * pl.DEG, 0.0, 0.0)

FINE = pl.Exact(8, order=3)
LOAD, LOAD_AT = (1.0, 3.0, -8.0), (0.05, 0.02, 0.03)
PULL = 1e-3  # N, for derivatives by load
POSES = {
    "raised, turned about all axes": ((0.03, -0.02, 0.52), pl.rotation(z=12 * pl.DEG, y=-8 * pl.DEG, x=5 * pl.DEG)),
    "lowered, yaw -20 degrees": ((0.0, 0.0, 0.45), pl.rotation(z=-20 * pl.DEG)),
    "aside, roll and pitch": ((0.02, 0.05, 0.5), pl.rotation(y=4 * pl.DEG, x=-6 * pl.DEG)),
}


@case("six-rus", source="Rodrigues, Yu, Stoeffler, Kumar, ARK 2024, arXiv 2403.19784")
def six_rus() -> Iterator[Row]:
    """Motor angles at the published pose, with their joints and with ideal ones; forward and back."""
    robot, axes = Robot(), axes_of(TURN)
    as_published = inverse_as_published(robot, POINT, TURN)
    for leg, published, angle in zip(LEGS, PUBLISHED, as_published, strict=True):
        yield absolute(f"motor {leg}", "rad", published, float(angle), tolerance=1e-5, kind="published")
    solver = kinetostatics(robot)
    held = solver.inverse(POINT, TURN)
    for name, found, ideal in (("joints of the study", as_published, False), ("ideal joints", held.motors, True)):
        exact = theory.motor_angles(robot, np.array(POINT), axes, ideal=ideal)
        yield at_most(
            f"{name}: largest difference from shooting",
            "rad",
            np.max(np.abs(found - exact)),
            limit=1e-6,
            kind="independent code",
        )
    yield at_most(
        "ideal joints: how far from the published angles",
        "rad",
        np.max(np.abs(held.motors - PUBLISHED)),
        limit=3e-5,
        kind="published",
    )
    back = solver.forward(held.motors)
    yield at_most("forward: missed point", "m", np.max(np.abs(back.position - POINT)), limit=1e-10, kind="itself")
    yield at_most(
        "forward: missed orientation",
        "rad",
        np.max(np.abs(np.subtract(back.orientation, TURN))),
        limit=1e-10,
        kind="itself",
    )
    yield at_most("unstable directions", "1", float(held.unstable_directions or 0), limit=0.0, kind="itself")


@case("six-rus-kinetostatics", source="shooting along the rods (six_rus/theory.py); reciprocity (Betti)")
def six_rus_kinetostatics() -> Iterator[Row]:
    """Other poses and loads, stiffness at the platform and reciprocity, of the 6-RUS with ideal joints."""
    robot, load = Robot(), dict(zip(("load/x", "load/y", "load/z"), LOAD, strict=True))
    free, loaded = kinetostatics(elements=FINE), kinetostatics(elements=FINE, load_at=LOAD_AT)
    for name, (point, turn) in POSES.items():
        axes = axes_of(turn)
        for what, solver, given, force in (
            ("unloaded", free, {}, (0.0, 0.0, 0.0)),
            ("load beside the middle", loaded, load, LOAD),
        ):
            pose = solver.inverse(point, turn, load=given)
            exact = theory.motor_angles(robot, np.array(point), axes, ideal=True, force=force, offset=LOAD_AT)
            off = float(np.max(np.abs(pose.motors - exact)))
            yield at_most(f"{name}, {what}: motors against shooting", "rad", off, limit=1e-6, kind="independent code")
            held = theory.stiffness(robot, pose.motors, np.array(point), axes) - _turning_load(axes, force)
            off = float(np.max(np.abs(pose.stiffness - held)) / np.max(np.abs(held)))
            yield at_most(f"{name}, {what}: stiffness against shooting", "1", off, limit=1e-5, kind="independent code")
            back = solver.forward(pose.motors, load=given)
            yield at_most(
                f"{name}, {what}: missed by forward",
                "m",
                np.max(np.abs(back.position - point)),
                limit=1e-10,
                kind="itself",
            )
    yield from reciprocity(loaded, load)
    yield from weight()


def reciprocity(solver: pl.Kinetostatics, load: dict[str, float]) -> Iterator[Row]:
    """Check reciprocity: a load moves the motors as the motors move the place of the load."""
    point, turn = POSES["aside, roll and pitch"]
    pose = solver.inverse(point, turn, load=load)
    asymmetry = np.max(np.abs(pose.compliance - pose.compliance.T)) / np.max(np.abs(pose.compliance))
    yield at_most("compliance: asymmetry", "1", float(asymmetry), limit=1e-12, kind="conservation law")
    pulled = [
        [solver.forward(pose.motors, load=load | {name: load[name] + way}, start=pose) for way in (PULL, -PULL)]
        for name in load
    ]
    torques = np.array([(up.torques - down.torques) / (2.0 * PULL) for up, down in pulled])
    arm = axes_of(turn) @ LOAD_AT
    by_motor = pose.jacobian[:3] + np.cross(pose.jacobian[3:], arm, axisa=0, axisc=0)  # of the point of the load
    off = np.max(np.abs(torques + by_motor)) / np.max(np.abs(by_motor))
    yield at_most(
        "d(torque)/d(load) = -d(place of the load)/d(motor)", "1", float(off), limit=1e-6, kind="conservation law"
    )
    moved = np.array([(up.position - down.position) / (2.0 * PULL) for up, down in pulled])
    lever = np.cross(arm, np.eye(3))  # moments of unit loads
    foretold = (pose.compliance[:3, :3] + pose.compliance[:3, 3:] @ lever.T).T
    off = np.max(np.abs(moved - foretold)) / np.max(np.abs(foretold))
    yield at_most("compliance against differences of forward solutions", "1", float(off), limit=1e-6, kind="itself")


def weight() -> Iterator[Row]:
    """Check that a platform of 0.8 kg equals a weightless one with its weight as a load."""
    point, turn = POSES["aside, roll and pitch"]
    heavy = kinetostatics(platform_mass=0.8).inverse(point, turn)
    carried = kinetostatics().inverse(point, turn, load={"load/z": -0.8 * 9.81})
    off = np.max(np.abs(heavy.motors - carried.motors))
    yield at_most("heavy platform against a load of its weight: motors", "rad", float(off), limit=1e-10, kind="itself")


def axes_of(turn: tuple[float, float, float]) -> np.ndarray:
    """Return axes, as columns, of a frame turned by a rotation vector."""
    return rotations.matrix(rotations.exponential(turn))


def _turning_load(axes: np.ndarray, force: tuple[float, float, float]) -> np.ndarray:
    """Return (6, 6) change of a dead load's moment about the platform's point when the platform turns."""
    change = np.zeros((6, 6))
    change[3:, 3:] = np.cross(np.cross(np.eye(3), axes @ LOAD_AT), force).T
    return change
