"""A robot whose loads change along a trajectory snapped over to another branch, 0.3 m away, and the trajectory was ok:
the poses before and after were compared only where nothing but the motors had changed.
"""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

import pliant as pl

LENGTH, SECTION = 0.3, pl.Section.circle(1e-3, pl.STEEL)
EULER = pi**2 * SECTION.bending_stiffness / (4.0 * LENGTH**2)


def robot(push: float) -> pl.Kinetostatics:
    """Return a column on a carriage, under a dead load in parts of Euler's and a force from the side."""
    m = pl.Model("column")
    ground, carriage = m.add(pl.Ground(), pl.Body("carriage", mass=1.0, inertia=0.1))
    beam = m.add(pl.Beam("beam", length=LENGTH, section=SECTION))
    m.add(pl.Weld(carriage.at(), beam.at(s=0)))
    for name in ("x", "y", "angle"):
        m.add(pl.Motion(ground.at(0, 0), carriage.at(), name=name, **{name: 0.0}))  # type: ignore[arg-type]
    m.add(pl.Force(beam.at(s=1), x=-push * EULER, y=0.02 * EULER, name="load"))
    return pl.Kinetostatics(
        pl.compile(m, elements=pl.Exact(4, order=3)), platform="beam/tip", motors=["x/x", "y/y", "angle/angle"]
    )


@pytest.mark.parametrize("moving", [0.0, 1e-3])
@pytest.mark.parametrize("count", [3, 12, 40])
def test_a_column_that_snaps_over_is_not_ok(count: int, moving: float) -> None:
    """Beyond Euler's load there are two branches, and the bent column leaves its side where the push from the other
    side is as large as at the limit point.
    """
    column = robot(1.15)
    start = pl.statics(column.system)
    assert float(start.position.sel(marker="beam/tip", axis="y")) > 0.1
    load = {"load/y": np.linspace(0.02, -0.06, count) * EULER}
    motors = np.linspace(0.0, moving, count)[:, None] * (0.0, 1.0, 0.0)
    assert not column.drive(motors, load=load, start=start).outcome.ok


def test_a_load_that_bends_it_is_followed() -> None:
    """Far below Euler's load: the tip's deflection with a dead load P, ``(F / P) (tan(kL) / k - L)``, ``k^2 = P / EI``
    (S. Timoshenko, J. Gere, Theory of elastic stability, 1961, 1.11); and the same tip held by the carriage.
    """
    column, loads = robot(0.3), np.linspace(0.0, 1e-3, 7) * EULER
    k, load = pi / (2.0 * LENGTH) * np.sqrt(0.3), {"load/y": loads}
    begin = column.forward([0.0, 0.0, 0.0], load={"load/y": 0.0})
    found = column.drive(np.zeros((7, 3)), load=load, start=begin)
    assert found.outcome.ok
    sways = loads / (0.3 * EULER) * (np.tan(k * LENGTH) / k - LENGTH)
    np.testing.assert_allclose(found.position.values[:, 1], sways, rtol=1e-3, atol=1e-9)
    pose = {"x": np.full(7, begin.position[0]), "y": 0.0, "angle": 0.0}
    held = column.follow(pose, load=load, start=begin)
    assert held.outcome.ok
