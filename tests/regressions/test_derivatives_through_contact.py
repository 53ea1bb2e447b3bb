"""Derivatives of a ball that bounces were off by ten times at steps whose places are known to 2 mm: with an error of
1e-16 told. Twice the step tells how far they are known.
"""

from __future__ import annotations

import pytest

import pliant as pl
from pliant_evidence.sensitivities import motions


@pytest.mark.parametrize("how", [{"step": 5e-4}, {"step": 1e-3, "method": "radau"}])
def test_few_steps_in_contact_are_told(how: dict[str, float | str]) -> None:
    system = pl.compile(motions.ball())
    run = pl.transient(system, end_time=0.5, estimate=False, **how)  # type: ignore[arg-type]
    found = pl.sensitivity(system, run, of=["position"], to=["H"])
    exact = 0.23  # to a tenth, by steps of 1e-5 s
    mine = float(found.derivative.position.isel(time=-1).sel(axis="y").item())
    assert abs(mine - exact) > 0.5
    assert found.error["H"] > 0.3
    assert "with twice the step derivatives differ" in found.notes[0]


def test_before_it_touches_nothing_is_told() -> None:
    system = pl.compile(motions.ball())
    found = pl.sensitivity(system, pl.transient(system, end_time=0.2, step=1e-3), of=["position"], to=["H"])
    assert not found.notes
    assert found.error["H"] < 1e-9
