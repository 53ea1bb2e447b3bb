"""Modes of a planar model in space: those that leave the plane, or twist, are no counterpart of planar ones."""

from __future__ import annotations

import numpy as np

import pliant as pl
from pliant_compare.courses import courses


def test_a_strip_that_twists_has_the_frequencies_of_the_plane() -> None:
    """Edges of its section, by which it is drawn, turn far in a mode that twists; only its axis counts."""
    m = pl.Model("strip")
    ground, leaf = m.add(pl.Ground(), pl.Beam("leaf", length=0.3, section=pl.Section.rectangle(0.05, 2e-3, pl.STEEL)))
    m.add(pl.Weld(ground.at(0, 0), leaf.at(s=0)))
    mesh, count = pl.Exact(4, order=3), 5
    plane = pl.modal(pl.compile(m, elements=mesh), modes=count).frequency_hz.values
    spatial = pl.modal(pl.compile(m.promoted(), elements=mesh), modes=4 * count)
    assert spatial.frequency_hz.values[count - 1] < 0.9 * plane[count - 1]  # some in between leave the plane
    found = courses(spatial, in_plane=True)
    np.testing.assert_allclose([found[f"frequency_hz:{k + 1}"].values[0] for k in range(count)], plane, rtol=1e-6)
