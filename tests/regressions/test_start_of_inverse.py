"""An inverse that starts from a result begins with the values that its signals have there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pliant as pl

TENSIONS = [f"tendon {k}/tension" for k in (1, 2, 3)]


@pytest.fixture(scope="module")
def tendon_robot() -> Any:
    """Return a rod in space with three tendons along it; straight, and so singular, without their tensions."""
    steel = pl.Material("spring steel", youngs_modulus=207e9, poisson_ratio=0.3, density=7800.0)
    m = pl.Model("tendon robot", plane=None)
    ground, rod = m.add(pl.Ground(), pl.Beam("rod", length=0.24, section=pl.Section.circle(0.6e-3, steel)))
    m.add(pl.Weld(ground.at(0, 0, 0), rod.at(s=0)))
    for n, phi in enumerate((0.0, np.pi / 2, np.pi), 1):
        y, z = 8e-3 * np.cos(phi), 8e-3 * np.sin(phi)
        eyes = [ground.at(0, y, z)] + [rod.at(s=k / 4, y=y, z=z) for k in range(1, 5)]
        m.add(pl.Tendon(f"tendon {n}", eyes[0], eyes[-1], guides=eyes[1:-1], tension=0.0))
    return pl.compile(m, elements=pl.Exact(4, order=2))


def test_kinetostatics_begins_with_the_motors_of_the_result(tendon_robot: Any) -> None:
    robot = pl.Kinetostatics(tendon_robot, platform="rod/tip", motors=TENSIONS)
    start = pl.statics(tendon_robot.with_signals(dict(zip(TENSIONS, (8.0, 5.0, 2.0), strict=True))))
    goal = robot.forward((8.2, 5.1, 2.1), start=start).position
    found = robot.inverse(tuple(goal), start=start)
    np.testing.assert_allclose(found.motors, (8.2, 5.1, 2.1), rtol=1e-6)
    np.testing.assert_allclose(robot.inverse(tuple(goal), start=robot.result(found)).motors, found.motors, rtol=1e-6)


def test_inverse_statics_begins_with_the_signals_of_the_result(tendon_robot: Any) -> None:
    held = tendon_robot.with_signals(dict(zip(TENSIONS, (8.0, 5.0, 2.0), strict=True)))
    goal = pl.statics(tendon_robot.with_signals(dict(zip(TENSIONS, (8.2, 5.1, 2.1), strict=True))))
    place = tuple(goal.position.sel(marker="rod/tip").values)
    found = pl.inverse_statics(tendon_robot, {"rod/tip": place}, signals=TENSIONS, start=pl.statics(held))
    np.testing.assert_allclose(found.signal_value, (8.2, 5.1, 2.1), rtol=1e-6)
