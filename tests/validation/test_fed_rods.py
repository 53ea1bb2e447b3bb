"""Rods that are fed: rows of the cases with references from outside."""

from __future__ import annotations

import numpy as np
import pytest

from pliant_evidence.fed_rod import theory, validate
from pliant_evidence.stewart_continuum import theory as shooting
from pliant_gallery.fed_rod import SECTION
from pliant_gallery.robots import ContinuumStewart


@pytest.mark.parametrize("words", ["plane", "space"])
def test_sleeves_and_springs(words: str) -> None:
    rows = [*validate.springs(words, validate.LOADS[words]), *validate.pushes(words, validate.LOADS[words])]
    assert [row for row in rows if not row.ok] == []
    assert len(rows) == 2


@pytest.mark.parametrize("words", ["plane", "space"])
def test_what_the_drive_holds(words: str) -> None:
    rows = list(validate.sleeves(words, validate.LOADS[words]))
    assert [row for row in rows if not row.ok] == []
    assert len(rows) == 24


def test_an_extruded_rod_and_modes() -> None:
    rows = [*validate.extruded(), *validate.modes()]
    assert [row for row in rows if not row.ok] == []
    assert len(rows) == 4


def test_the_galerkin_method_knows_a_cantilever() -> None:
    rod = theory.Extruded(SECTION, 1e-3, lambda t: (1.3, 0.0, 0.0))
    assert rod.tips(np.array([0.0, 0.2])) == pytest.approx(1e-3 * 1.3**3 / 3.0 * np.ones(2), rel=1e-9)


def test_shooting_agrees_with_flat_curves() -> None:
    """Shooting agrees with flat curves to the fourth power of the slope."""
    robot = ContinuumStewart()
    assert shooting.feeds(robot, (0.0, 0.0, 0.48)) == pytest.approx(robot.free_lengths(), abs=2e-5)
