"""ANCF cables: the case's rows, and that the peer's elements are asked with the same rules."""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl
from pliant_evidence.ancf_cable.cables import Cable
from pliant_evidence.ancf_cable.twin import RULES, Twin
from pliant_testing import validation


def test_every_row_holds() -> None:
    rows = validation.run("ancf-cable").rows
    assert [row for row in rows if not row.ok and not row.skipped] == []
    assert sum(row.kind == "exact" for row in rows) == 9


def test_rules_of_integration_differ_and_the_peer_has_them_too() -> None:
    exudyn = pytest.importorskip("exudyn")
    cable = Cable(load=4.0)
    ours = {rule: cable.rest(pl.Ancf(2, integration=rule))[:2] for rule in RULES}
    assert np.linalg.norm(ours["mixed"] - ours["full"]) > 1e-2
    for rule, place in ours.items():
        np.testing.assert_allclose(place, Twin(exudyn, cable, 2, rule).rest(), atol=1e-9)
