"""The 6-RUS robot: every row of its cases, and its geometry against the numbers of the study."""

from __future__ import annotations

import numpy as np
import pytest

from pliant_gallery.six_rus import LEGS, PUBLISHED
from pliant_testing import validation


@pytest.mark.parametrize("name", ["six-rus", "six-rus-kinetostatics"])
def test_every_row_holds(name: str) -> None:
    report = validation.run(name)
    assert [row for row in report.rows if not row.ok] == []


def test_motors_and_anchors_lie_on_circles_in_pairs() -> None:
    motors = np.array([PUBLISHED.motor(leg) for leg in LEGS])
    anchors = np.array([PUBLISHED.anchor(leg) for leg in LEGS])
    for points, half, side in ((motors, 0.0675, 0.21841), (anchors, 0.05374, 0.29711)):
        radius = np.hypot(half, 2 / 3 * side * np.cos(np.pi / 6))
        np.testing.assert_allclose(np.linalg.norm(points, axis=1), radius, rtol=1e-14)
    np.testing.assert_allclose(motors[:2, 0], [0.0675, -0.0675])
    np.testing.assert_allclose(np.linalg.norm(motors[2] - motors[3]), 2 * 0.0675)
    np.testing.assert_allclose(np.linalg.norm(anchors[3] - anchors[4]), 2 * 0.05374)
