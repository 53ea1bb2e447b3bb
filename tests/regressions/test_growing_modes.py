"""A mode that grows fast was not among the modes nearest to zero: in large models, and in all that are damped."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

import pliant as pl
from pliant.errors import UnstableEquilibrium

STRIP = pl.Section.rectangle(0.02, 0.002, pl.STEEL)


def beams(elements: int, *, upright: bool) -> pl.System:
    """Compile two equal clamped strips, and beside them a short bar that 100 N press upon its pin from above."""
    m = pl.Model("beams")
    ground = m.add(pl.Ground())
    for k in range(2):
        strip = m.add(pl.Beam(f"strip {k}", length=1.0, section=STRIP))
        m.add(pl.Weld(ground.at(2.0 * k, 0.0), strip.at(s=0)))
    if upright:
        bar = m.add(pl.Link("bar", length=0.02, mass=1.0, angle=90 * pl.DEG))
        m.add(pl.Revolute(ground.at(0, 1), bar.at(s=0)), pl.Force(bar.at(s=1), y=-100.0))
    return pl.compile(m, elements=elements)


@pytest.mark.parametrize("damped", [False, True])
@pytest.mark.parametrize("elements", [10, 120], ids=["dense", "sparse"])
def test_a_mode_that_grows_is_among_those_asked_for(elements: int, damped: bool) -> None:
    """The bar falls at the rate sqrt(F l / (m l^2 / 3)), faster than three strips' modes vibrate."""
    system = beams(elements, upright=True)
    with pytest.warns(UnstableEquilibrium):
        rest = pl.statics(system)
    with pytest.warns(UnstableEquilibrium):
        found = pl.modal(system, at=rest, modes=3, damped=damped)
    assert np.max(found.eigenvalue.values.real) == pytest.approx(sqrt(3.0 * 100.0 / 0.02), rel=1e-6)
    assert found.outcome.figures["unstable_modes"] == 1


def test_rounding_does_not_grow() -> None:
    """Rounding gives no growing modes to a large model with damping set to zero."""
    found = pl.modal(beams(140, upright=False), modes=4, damped=True)
    assert found.outcome.warnings == ()
    assert found.outcome.figures["unstable_modes"] == 0
