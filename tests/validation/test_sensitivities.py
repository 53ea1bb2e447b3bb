"""Derivatives by parameters: the rows in closed form. Those against differences of whole solutions, and backwards in
time against forwards, are left to `pliant validate sensitivities`: tests/contract/test_derivatives.py,
tests/unit/analyses/test_motion_sensitivity.py and tests/unit/solvers/test_adjoint.py ask the same of smaller models.
"""

from __future__ import annotations

from pliant_evidence.sensitivities import validate


def test_rows_in_closed_form_hold() -> None:
    parts = (validate.cantilever, validate.modes, validate.geometry, validate.critical, validate.strips)
    rows = [row for part in parts for row in part()]
    assert [row for row in rows if not row.ok] == []
    assert {row.kind for row in rows} == {"exact"}
