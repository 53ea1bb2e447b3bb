"""Falls that `make bench-check` reports: scaled by the pace of both days, with numbers that are made up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pliant_testing import benchmarking
from pliant_testing.benchmarking import Benchmark, Comparison, Scaling
from tests.speed import __main__ as speed
from tests.speed import kept


def row(seconds: float, *, case: str = "beam", size: Any = 20, pace: float = 1.0) -> dict[str, Any]:
    return {**Comparison(case, size, seconds).as_dict(), "pace": pace}


def test_a_tenth_is_no_fall_and_more_is() -> None:
    assert kept.fallen([row(0.90)], [row(1.0)]) == []
    (fall,) = kept.fallen([row(0.88)], [row(1.0)])
    assert fall.lost == pytest.approx(0.12)
    assert str(fall) == "beam, 20: 880 ms, now 1000 ms, 12 % slower"


def test_a_machine_that_is_slow_today_makes_nothing_fall() -> None:
    assert kept.fallen([row(1.0, pace=1.0)], [row(2.0, pace=2.0)]) == []
    assert len(kept.fallen([row(1.0, pace=1.0)], [row(1.0, pace=0.5)])) == 1


def test_rows_are_told_apart_and_those_of_one_side_only_are_not_compared() -> None:
    before = [row(1.0), row(1.0, size=100), row(1.0, case="gone")]
    now = [row(1.0), row(3.0, size=100), row(9.0, case="new")]
    assert [fall.name for fall in kept.fallen(before, now)] == ["beam, 100"]


def test_growth_is_judged_by_its_largest_size() -> None:
    one, other = ({**Scaling("beam", [10, 100], [1.0, last], 1.1).as_dict(), "pace": 1.0} for last in (10.0, 20.0))
    assert [fall.name for fall in kept.fallen([one], [other])] == ["beam, 100, growth"]


def test_the_better_of_two_runs_counts() -> None:
    (found,) = kept.better([row(2.0, pace=1.0)], [row(3.0, pace=2.0)])
    assert found["pliant_s"] == 3.0


def test_it_keeps_compares_and_ends_with_1_where_something_fell(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    times = iter([1.0, 1.05, 2.0, 1.9, 2.0, 1.0])
    stub = Benchmark("stub", lambda: [Comparison("beam", 20, next(times))])
    monkeypatch.setattr(benchmarking.BENCHMARKS, "chosen", lambda _: ["stub"])
    monkeypatch.setattr(benchmarking.BENCHMARKS, "get", lambda _: stub)
    monkeypatch.setattr(speed, "pace", lambda: 1.0)
    monkeypatch.setattr(speed, "PLACE", tmp_path)
    monkeypatch.setattr(speed, "newest", lambda: kept.newest(tmp_path))
    with pytest.raises(SystemExit):
        speed.main([])
    assert speed.main(["--keep"]) == 0
    assert speed.main([]) == 0
    assert speed.main([]) == 1
    assert "beam, 20: 1000 ms, now 1900 ms, 47 % slower" in capsys.readouterr().out
    assert speed.main([]) == 0  # the second run was as quick as ever


def test_keeping_some_leaves_the_others_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "1.0.jsonl"
    kept.save(path, {"version": "1.0", "date": "2026-01-01"}, [row(1.0), row(2.0, size=100)])
    kept.save(path, {"version": "1.0", "date": "2026-01-02"}, [row(3.0)])
    assert [each["pliant_s"] for each in kept.load(path)] == [3.0, 2.0]
    assert kept.newest(tmp_path) == path
