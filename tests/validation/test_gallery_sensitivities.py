"""Derivatives of gallery models as differences of whole solutions have them; all: `pliant validate sensitivities`."""

from __future__ import annotations

import pytest

from pliant_evidence.sensitivities.gallery import agreements


@pytest.mark.parametrize("name", ["cable_finger", "furuta", "lateral_buckling"])
def test_agreement(name: str) -> None:
    for each in agreements(name):
        assert each.beyond <= 1e-6, each
