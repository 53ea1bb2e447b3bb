"""Derivatives of motions whose steps fail and are taken in parts belonged to other steps: reactions of a leaf that
falls were off by 4e-3 of the largest, beside an error of 5e-12. Motions by equal steps were differentiated at states
that Newton had not finished: off by 1e-5 of places and 1e-4 of reactions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.solvers.derivatives.implicit import PLACES, slope
from pliant.solvers.stepping.alpha_stepping import to_rounding

HEIGHT = 1e-3


def leaf(height: float = HEIGHT) -> Any:
    """Return a curved leaf in space, clamped askew, of which gravity takes hold at once."""
    m = pl.Model("leaf", plane=None)
    section = pl.Section.rectangle(0.01, pl.Parameter("h", height), pl.STEEL)
    how: dict[str, Any] = {"curvature": (0.2, 0.5, 0.5), "damping": pl.Rayleigh(0.1, 1e-4), "position": (0, 0, 0)}
    ground, beam = m.add(pl.Ground(), pl.Beam("leaf", length=0.3, section=section, **how))
    clamp = pl.Weld(
        ground.at(0, 0, 0, orientation=(pl.Parameter("turn", 0.3), 0.1, 0.0)), beam.at(s=0), orientation=(0, 0, 0)
    )
    m.add(clamp, pl.Gravity(), pl.Force(beam.at(s=1, y=0.004), z=pl.Ramp(0.0, 0.5, 0.0, 0.01)))
    return pl.compile(m, elements=pl.Exact(2, order=2))


def strip(height: float = HEIGHT) -> Any:
    """Return a strip in the plane that is let go, whose steps do not fail."""
    m = pl.Model("strip")
    section = pl.Section.rectangle(0.01, pl.Parameter("h", height), pl.STEEL)
    ground, beam = m.add(pl.Ground(), pl.Beam("leaf", length=0.3, section=section, damping=pl.Rayleigh(0.1, 1e-4)))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=pl.Ramp(0.0, 0.5, 0.0, 0.01)))
    return pl.compile(m, elements=pl.Exact(2, order=2))


def run_motion(system: Any) -> pl.Result:
    return pl.transient(system, end_time=0.005, step=5e-4, estimate=False)


@pytest.mark.parametrize(("make", "fails"), [(leaf, True), (strip, False)])
@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")  # of steps that are large
def test_as_whole_motions(make: Any, fails: bool) -> None:
    system = make()
    run = run_motion(system)
    assert (run.outcome.figures["cut_backs"] > 0) == fails
    found = pl.sensitivity(system, run, of=["position", "reaction"])
    assert not found.notes  # rounding of stiff axes is no kink
    with to_rounding():
        beside = [run_motion(make(HEIGHT * (1.0 + 1e-3 * k))) for k in PLACES]
    for name, within in (("position", 1e-7), ("reaction", 1e-5)):
        whole = np.asarray(slope([getattr(each, name).values for each in beside], 1e-3 * HEIGHT))
        np.testing.assert_allclose(found.derivative[name].values[0], whole, atol=within * np.max(np.abs(whole)))
