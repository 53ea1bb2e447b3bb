"""Classical buckling loads: every row of the case holds, the rows cover what they promise, references agree."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

from pliant.model import Section
from pliant_evidence.buckling import chain, theory
from pliant_gallery.buckling import SLENDER
from pliant_testing.validation import run


def test_every_row_holds_and_all_problems_are_there() -> None:
    rows = run("buckling").rows
    assert [row for row in rows if not row.ok] == []
    names = " ".join(row.quantity for row in rows)
    for problem in (
        *("pinned-pinned column", "clamped-free column", "clamped-clamped column", "clamped-pinned column"),
        *("under its weight", "Lee frame", "Williams toggle", "215 degrees", "106 degrees", "low pinned-pinned arch"),
        *("low clamped-clamped arch", "sine arch", "bistable", "truss under a soft spring", "ring under pressure"),
        *("ring, dead", "Beck", "Leipholz", "Pflueger", "Ziegler", "dead load", "across its tip"),
    ):
        assert problem in names
    assert {row.reference for row in rows if row.kind == "published"} == {18.552, 8.97}


def test_collocation_has_the_right_derivatives() -> None:
    frame = chain.lee_frame(Section(100.0, 70.0, 1.0, mass_per_length=1.0))
    z = frame.at_rest + 0.1 * np.random.default_rng(0).standard_normal(frame.at_rest.size)
    _, matrix = frame.equations(z)
    step = 1e-6
    numeric = [
        (frame.equations(z + step * e)[0] - frame.equations(z - step * e)[0]) / (2 * step) for e in np.eye(z.size)
    ]
    assert matrix == pytest.approx(np.array(numeric).T, abs=1e-7 * np.max(np.abs(matrix)))


def test_collocation_has_converged() -> None:
    """Two thirds of the points change the first limit load by 1e-7, so that it is far better with all of them."""
    fine = chain.lee_frame(SLENDER)
    coarse = chain.Chain(fine.pieces, fine.base, fine.tip, fine.clamped, fine.section, degree=16)
    loads = [next(beam.events(to=19.5, step=0.3))[1] for beam in (fine, coarse)]
    assert loads[0] == pytest.approx(loads[1], rel=1e-6)


@pytest.mark.parametrize("supports", ["pinned-pinned", "clamped-clamped"])
def test_collocation_agrees_with_elliptic_integrals(supports: str) -> None:
    """A squeezed beam without load is a buckled column: its thrust gives the distance of the supports."""
    beam, bowed = chain.bistable(0.3, supports, SLENDER)
    thrust = next(beam.path(bowed, to=1.0)).z[-3]
    assert theory.buckled_column(supports, thrust, axial_stiffness=1e6).distance == pytest.approx(0.7, abs=1e-9)


def test_shooting_starts_at_the_bifurcation() -> None:
    load = theory.column_loads("clamped-pinned", 1)[0]
    assert load == pytest.approx(20.190728556, rel=1e-9)
    barely = theory.buckled_clamped_pinned(1.001 * load, axial_stiffness=np.inf)
    assert 0.0 < 1.0 - barely.distance < 0.01
    assert 0.01 < barely.deflection < 0.05


def test_bistable_beam_of_small_shortening() -> None:
    """Linear theory: it tips over where the thrust is 4 pi^2, at F = 16 pi^2 sqrt(d / 3)."""
    inextensible = Section(1e9, 1e9, 1.0, mass_per_length=1.0)
    beam, bowed = chain.bistable(1e-3, "pinned-pinned", inextensible)
    kind, load = next(beam.events(bowed, step=0.05, to=10.0))
    assert kind == "bifurcation"
    assert load == pytest.approx(16.0 * pi**2 * np.sqrt(1e-3 / 3.0), rel=2e-3)


def test_flutter_loads_are_the_known_ones() -> None:
    assert theory.follower_flutter() == pytest.approx(20.0509536, abs=1e-6)
    assert theory.follower_flutter(distributed=True) == pytest.approx(40.05, abs=0.01)
    assert theory.heavy_column() == pytest.approx(7.8373, abs=1e-4)
    assert theory.pflueger_column() == pytest.approx(18.956, abs=1e-3)
