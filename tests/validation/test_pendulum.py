"""Pendulums against closed forms."""

from __future__ import annotations

import pytest

from pliant.errors import OptionError
from pliant_gallery import pendulum
from pliant_testing import validation


def test_case_holds() -> None:
    report = validation.run("pendulum-modes")
    assert [row for row in report.rows if not row.ok] == []


def test_unknown_kinds_are_refused() -> None:
    with pytest.raises(OptionError, match="choose one of bob, link, rod"):
        pendulum.model(kind="rope")
    with pytest.raises(OptionError, match="at least 1"):
        pendulum.model(count=0)
