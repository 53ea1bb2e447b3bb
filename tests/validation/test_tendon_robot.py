"""Tendons in channels: every row of the case holds."""

from __future__ import annotations

import numpy as np
import pytest

from pliant_evidence.tendon_robot import theory
from pliant_testing.validation import run


def test_every_row_holds() -> None:
    report = run("tendon-robot")
    assert [row for row in report.rows if not row.ok] == []
    assert {"exact", "independent code", "published", "conservation law"} == {row.kind for row in report.rows}


def test_the_boundary_value_problem_has_the_arc_of_a_straight_channel() -> None:
    rod = theory.Rod(1.0, (1e5, 1e5, 1e5), (1.0, 2.0, 2.0), [(lambda s: (0.1, 0.0), 10.0)])
    place, section = rod.shape()
    curve, size = 0.5, 1.0 - 1e-4
    assert place == pytest.approx([size * np.sin(curve) / curve, size * (1 - np.cos(curve)) / curve, 0.0], abs=1e-9)
    assert section[:, 0] == pytest.approx([np.cos(curve), np.sin(curve), 0.0], abs=1e-9)
