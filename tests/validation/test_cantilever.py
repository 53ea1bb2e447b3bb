"""The thesis's cantilever: every row of both cases holds, and the rows cover what they promise."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import pliant as pl
from pliant_evidence.cantilever import theory
from pliant_gallery.cantilever import model
from pliant_testing.validation import run


def test_static_rows_hold_and_cover_the_table() -> None:
    rows = run("beam-static").rows
    assert [row for row in rows if not row.ok] == []
    published = {row.reference for row in rows if row.kind == "published"}
    assert published == {3.0807, 3.0857, 3.0875, 3.0918, 3.0968, 3.0986}
    timoshenko = [row for row in rows if "Timoshenko" in row.quantity]
    assert len(timoshenko) == 2
    assert all(row.tolerance <= 1e-8 for row in timoshenko)
    assert any("settles" in row.quantity for row in rows)


def test_modal_rows_hold_and_cover_both_tables() -> None:
    rows = run("beam-modes").rows
    assert [row for row in rows if not row.ok] == []
    matlab = [row.reference for row in rows if "MATLAB" in row.quantity]
    assert matlab == [51.1, 322.4, 913.3, 186.5, 1177.6, 3337.8, 6659.7, 8656.8]
    described = [row.reference for row in rows if "element as described" in row.quantity]
    np.testing.assert_allclose(described[:3], [51.025, 325.220, 943.217], atol=5e-4)  # ERRATA 8
    assert len(described) == 8
    exact = [row for row in rows if "Timoshenko" in row.quantity]
    assert len(exact) == 8
    assert all(row.tolerance <= 1e-7 for row in exact)
    assert sum("Adams" in row.quantity for row in rows) == 8


def test_references_agree_with_each_other() -> None:
    """A small load: the elastica becomes Timoshenko's beam; a slender beam: Timoshenko's becomes Euler's."""
    beam = model().beams[0]
    linear = theory.bending_deflection(beam, 1e-3, 0.0) + theory.shear_deflection(beam, 1e-3, 0.0)
    assert theory.large_deflection(beam, 1e-3, 0.0) == pytest.approx(linear, rel=1e-7)
    slender = model(length=1.0, height=1e-4, width=1e-2).beams[0]
    unit = (slender.section.bending_stiffness / slender.section.mass_per_length) ** 0.5
    expected = [k**2 * unit / (2.0 * 3.141592653589793) for k in (1.875104068711961, 4.694091132974175)]
    assert theory.frequencies(slender, 2) == pytest.approx(expected, rel=1e-6)


def under(load: float) -> pl.Model:
    """Build the unit cantilever, straight, with a dead force of ``load`` EI/L^2 across its tip."""
    m = pl.Model("cantilever under a high load", plane="xy")
    section = pl.Section(1e9, 1e9, 1.0, mass_per_length=1.0)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=section, angle=0.0))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=load))
    return m


def tip(load: float, *, subintervals: int, load_steps: int) -> np.ndarray:
    system = pl.compile(under(load), formulation="shooting", subintervals=subintervals, extensible=False, shear=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of unstable equilibria, which is what single shooting ends at
        return pl.statics(system, load_steps=load_steps).position.sel(marker="beam/tip").values


@pytest.mark.parametrize("load_steps", [1, 20])
def test_multiple_shooting_solves_what_single_shooting_cannot(load_steps: int) -> None:
    """Solutions along the beam grow as exp(sqrt(1000) s), 5e13: from one end the other cannot be aimed at."""
    exact = theory.elastica_tip(1000.0)
    np.testing.assert_allclose(tip(1000.0, subintervals=20, load_steps=load_steps), exact, atol=1e-6)
    try:
        single = tip(1000.0, subintervals=1, load_steps=load_steps)
    except pl.errors.ConvergenceError:
        return
    assert np.abs(single - exact).max() > 0.1


def test_single_shooting_does_for_a_mild_load() -> None:
    np.testing.assert_allclose(tip(2.0, subintervals=1, load_steps=1), theory.elastica_tip(2.0), atol=1e-9)


def test_elliptic_integrals_have_their_limits() -> None:
    x, y = theory.elastica_tip(1e-4)
    assert (1.0 - x, y) == pytest.approx((0.0, 1e-4 / 3.0), abs=1e-9)
    x, y = theory.elastica_tip(1e4)  # bent at once, then straight: both ends sqrt(2)/sqrt(load) from there
    assert (x, 1.0 - y) == pytest.approx((2**0.5 / 100.0, (2.0 - 2**0.5) / 100.0), rel=1e-9)
