"""Friction of joints: its derivatives, its power, other units and files, the plane in space."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.joints.rows import rubbing
from pliant.linalg import ldl

LAW = {"coefficient": 0.3, "constant": 0.2, "breakaway": 1.4, "stribeck_speed": 0.8, "viscous": 0.1, "speed": 0.5}
KINDS: dict[str, tuple[Any, dict[str, Any]]] = {
    "revolute": (pl.Revolute, {"radius": 0.1}),
    "prismatic": (pl.Prismatic, {"length": 0.3}),
    "slider": (pl.Slider, {}),
    "cylindrical": (pl.Cylindrical, {"radius": 0.1, "length": 0.3}),
    "spherical": (pl.Spherical, {"radius": 0.1}),
    "screw": (lambda a, b, name: pl.Screw(a, b, pitch=0.05, name=name), {"radius": 0.1, "length": 0.3}),
}
CASES = [
    (name, space)
    for name in KINDS
    for space in (False, True)
    if space or KINDS[name][0] in (pl.Revolute, pl.Prismatic, pl.Slider)
]


def rough(name: str, space: bool, **law: Any) -> pl.Model:
    """Build two flying bodies that a rough joint connects."""
    m = pl.Model(name, plane=None if space else "xy")
    first, second = (
        m.add(pl.Body(word, mass=1.0 + k, inertia=(0.02, 0.03, 0.04) if space else 0.04, free=True,
                      position=(0.3 * k, 0.1) + (0.0,) * space))
        for k, word in enumerate(("first", "second"))
    )  # fmt: skip
    kind, surface = KINDS[name]
    joint = m.add(kind(first.at(0.1, 0.05), second.at(-0.2, 0.05), name="joint"))
    if name == "revolute" and space:
        surface = {**surface, "length": 0.2}
    m.add(pl.Friction(joint, **{**LAW, **surface, **law}))
    return m


def force(system: Any, q: np.ndarray, v: np.ndarray, lam: np.ndarray) -> tuple[np.ndarray, Any]:
    scratch, found = system.scratch(), system.equations.rubbing
    rubbing.rub(found, q, v, lam, scratch.rubbed)
    rubbing.push(found, scratch.rubbed, 1.0, scratch.r)
    return scratch.r[: system.freedoms].copy(), scratch


@pytest.mark.parametrize(("name", "space"), CASES)
def test_derivatives_and_power(name: str, space: bool) -> None:
    """Derivatives by velocities and by multipliers are right, and f . v is what is lost."""
    system = pl.compile(rough(name, space))
    n, rng = system.freedoms, np.random.default_rng(3)
    q, v = system.initial, np.zeros(system.size)
    v[:n], lam = rng.standard_normal(n), rng.standard_normal(system.constraints)
    f, scratch = force(system, q, v, lam)
    found = system.equations.rubbing
    rubbing.damp(found, 1.0, scratch.rubbed, scratch.s)
    rubbing.lean(found, scratch.rubbed, scratch.s, scratch.w)
    matrix = ldl.to_csc(system.equations.pattern, scratch.s, scratch.w).toarray()
    step = 1e-6
    by_v = np.array([(force(system, q, v + x, lam)[0] - force(system, q, v - x, lam)[0]) / (2 * step)
                     for x in step * np.eye(system.size)[:n]]).T  # fmt: skip
    by_lam = np.array([(force(system, q, v, lam + x)[0] - force(system, q, v, lam - x)[0]) / (2 * step)
                       for x in step * np.eye(lam.size)]).T  # fmt: skip
    size = np.max(np.abs(by_v))
    np.testing.assert_allclose(matrix[:n, :n], by_v, atol=1e-8 * size)
    np.testing.assert_allclose(matrix[:n, n:], by_lam, atol=1e-8 * np.max(np.abs(by_lam)))
    np.testing.assert_allclose(matrix[n:, :n], 0.0, atol=1e-14)
    assert scratch.rubbed.lost[0] == pytest.approx(f @ v[:n], rel=1e-12)
    assert scratch.rubbed.lost[0] > 0.0


@pytest.mark.parametrize("name", ["revolute", "prismatic", "slider"])
def test_the_plane_is_the_plane_of_space(name: str) -> None:
    law: dict[str, Any] = {"length": inf} if name == "prismatic" else {}
    runs = []
    for space in (False, True):
        m = rough(name, space, **law)
        push = {"second": (0.3, -0.2, 0.0, 0.0, 0.0, 2.0) if space else (0.3, -0.2, 2.0)}
        m.add(pl.Gravity(x=0.5, y=-1.0))
        runs.append(pl.transient(pl.compile(m, formulation="udwadia_kalaba"), end_time=0.2, push=push, accuracy=1e-8))
    places = [run.position.sel(marker="second(0, 0)").values[-1, :2] for run in runs]
    np.testing.assert_allclose(*places, atol=1e-6)


@pytest.mark.parametrize("name", ["revolute", "prismatic"])
def test_units_and_files_change_nothing(name: str, tmp_path: Path) -> None:
    m = rough(name, False)
    m.add(pl.Gravity())
    scales = pl.Scales(length=0.5, time=0.2, mass=3.0)
    push = {"second": (0.3, -0.2, 2.0)}
    plain = pl.transient(pl.compile(m), end_time=0.2, step=0.01, push=push)
    m.save(tmp_path / "rough.yaml")
    again = pl.transient(pl.compile(pl.Model.load(tmp_path / "rough.yaml")), end_time=0.2, step=0.01, push=push)
    np.testing.assert_array_equal(plain.position.values, again.position.values)
    unit = {"second": (0.3 * 0.2 / 0.5, -0.2 * 0.2 / 0.5, 2.0 * 0.2)}
    small = pl.transient(pl.compile(m.scaled(scales)), end_time=1.0, step=0.05, push=unit)
    np.testing.assert_allclose(0.5 * small.position.values[-1], plain.position.values[-1], rtol=1e-8, atol=1e-10)
    back = small.in_units(scales)
    for variable, units in (("slip_speed", ("rad/s", "m/s")), ("joint_friction", ("N m", "N"))):
        assert plain.data[variable].attrs["units"] == units[name == "prismatic"]
        np.testing.assert_allclose(back.data[variable].values[-1], plain.data[variable].values[-1], rtol=1e-7)
