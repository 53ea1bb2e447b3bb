"""Motions that grow under loads without potential: whole spectrum, and the search among the slowest modes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csc_array

import pliant as pl
from pliant.analyses.common import state_of
from pliant.linalg import eigen
from pliant.solvers.nonlinear import stability

PLANE = pl.Section(1e6, 1e6, 1.0, 1.0)
SPACE = pl.Section.general(np.diag([1e6, 1e6, 1e6, 0.8, 1.0, 1.3]), mass_per_length=1.0)


def beck(load: float, *, space: bool = False) -> Any:
    m = pl.Model("column", plane=None) if space else pl.Model("column")
    beam = pl.Beam("beam", length=1.0, section=SPACE if space else PLANE)
    ground, beam = m.add(pl.Ground(), beam)
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), x=-load, follower=True))
    return pl.compile(m, elements=pl.Exact(24, order=2))


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize(("load", "grow"), [(19.9, 0), (20.2, 2)])
def test_search_finds_what_the_whole_spectrum_tells(
    load: float, grow: int, space: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beck 1952: flutter from 20.05 EI / l^2 on."""
    system = beck(load, space=space)
    state = state_of(system, pl.statics(system))
    assert stability.growing(system, state) == (grow, grow)
    assert stability.clearly_growing(system, state) == 0  # small: not searched
    monkeypatch.setattr(eigen, "DENSE_LIMIT", 0)
    assert stability.clearly_growing(system, state) == grow


def test_what_is_searched_is_unstable_in_at_least_so_many_directions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eigen, "DENSE_LIMIT", 0)
    with pytest.warns(pl.errors.UnstableEquilibrium, match="unstable in at least 2 direction"):
        rest = pl.statics(beck(25.0))
    assert rest.outcome.stable is False
    assert "unstable in at least 2 direction(s)" in rest.outcome.message


def test_a_model_too_large_for_its_spectrum_is_never_called_stable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eigen, "DENSE_LIMIT", 0)
    monkeypatch.setattr(stability, "DENSE_LIMIT", 0)
    rest = pl.statics(beck(19.0))
    assert rest.outcome.stable is None
    assert "stability not determined" in rest.outcome.message


@pytest.mark.parametrize("damped", [False, True])
def test_freedoms_without_mass_change_nothing(damped: bool) -> None:
    """A random system has the modes of one with so little mass there that it does not count."""
    rng = np.random.default_rng(3)
    stiffness = np.diag([4.0, 3.0, 2.0, 1.0]) + 1.5 * rng.standard_normal((4, 4))
    damping = (0.1 if damped else 0.0) * np.diag([1.0, 0.5, 0.2, 0.1])
    counts = []
    for light in (0.0, 1e-12):
        mass = np.diag([1.0, light, 2.0, light])
        counts.append(stability.growth(stiffness, damping, mass))
    reduced = stiffness[::2, ::2] - stiffness[::2, 1::2] @ np.linalg.solve(stiffness[1::2, 1::2], stiffness[1::2, ::2])
    if not damped:
        assert counts[0] == stability.growth(reduced, np.zeros((2, 2)), np.diag([1.0, 2.0]))
    assert all(count == counts[0] for count in counts)


@pytest.mark.parametrize(("skew", "grow"), [(0.1, 2), (1e-4, 0)])
def test_only_what_grows_clearly_is_counted(skew: float, grow: int) -> None:
    """Two modes that coincide, coupled by a skew stiffness: lambda = +-sqrt(-1 +- i skew)."""
    stiffness = csc_array(np.array([[1.0, skew, 0.0], [-skew, 1.0, 0.0], [0.0, 0.0, 5.0]]))
    assert stability.clear_growth(stiffness, csc_array(np.eye(3)), csc_array((0, 3))) == grow
    assert stability.growth(stiffness.toarray(), np.zeros((3, 3)), np.eye(3)) == (2, 2)


def test_stability_may_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stability is then neither computed nor reported; the equilibrium is the same."""
    system = beck(25.0)
    with pytest.warns(pl.errors.UnstableEquilibrium):
        judged = pl.statics(system)
    monkeypatch.setattr(stability, "growing", None)
    rest = pl.statics(system, stability=False)
    assert rest.outcome.ok
    assert rest.outcome.stable is None
    assert rest.outcome.message == "equilibrium found, stability was not requested"
    np.testing.assert_allclose(rest.position, judged.position, atol=1e-12)
    for wrong in ({"stability": 0}, {"stability": False, "spin": 1.0}):
        with pytest.raises(pl.errors.OptionError, match="stability="):
            pl.statics(system, **wrong)
