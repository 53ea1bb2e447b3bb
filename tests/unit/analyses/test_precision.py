"""Work and precision: which settings count."""

from __future__ import annotations

import numpy as np
import pytest

from pliant_evidence.precision import compared, front, quickest, tried
from pliant_testing import benchmarking
from pliant_testing.benchmarking import Peer


def test_settings_are_those_that_reach_the_end_with_their_largest_error() -> None:
    exact = np.zeros((3, 2))
    ways = {
        "coarse": lambda: np.array([[0.0, 0.0], [3.0, 4.0], [1.0, 0.0]]),
        "fails": lambda: None,
        "blows up": lambda: np.full((3, 2), np.nan),
        "fine": lambda: np.full((3, 2), 1e-3),
    }
    found = list(tried(ways.items(), exact, size=10.0))
    assert [one.name for one in found] == ["coarse", "fine"]
    np.testing.assert_allclose([one.error for one in found], [0.5, 2e-4**0.5 * 1e-2], rtol=1e-12)
    assert all(one.seconds > 0.0 for one in found)


def test_the_front_is_what_nothing_quicker_is_as_precise_as() -> None:
    base = next(tried([("a", lambda: np.zeros((1, 2)))], np.zeros((1, 2))))
    pairs = [(1.0, 0.1), (2.0, 0.2), (3.0, 0.01), (4.0, 0.01), (5.0, 0.001)]  # seconds, error
    settings = [base._replace(name=f"{s:g}", seconds=s, error=e) for s, e in reversed(pairs)]
    assert [one.name for one in front(settings)] == ["1", "3", "5"]
    best = quickest(settings, 0.05)
    assert best is not None
    assert best.name == "3"
    assert quickest(settings, 1e-9) is None


def test_a_peer_that_is_never_as_precise_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmarking, "SHORTEST_SAMPLE", 1e-5)
    base = next(tried([("a", lambda: np.zeros((1, 2)))], np.zeros((1, 2))))
    rows = list(compared("case", (1e-2, 1e-9), [base], [base._replace(error=1e-3)], Peer(None, "other 1.0")))
    assert rows[0].peer_s is not None
    assert rows[0].peer_error == 1e-3
    assert rows[1].peer_s is None
    assert "as precise" in str(rows[1].peer_settings)
