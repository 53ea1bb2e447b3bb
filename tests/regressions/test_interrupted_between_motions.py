"""A motion to an accuracy is computed several times; interrupted just as the next began, it had only its start,
though a whole one was there."""

from __future__ import annotations

from typing import Any

import pytest

import pliant as pl
from pliant._frozen import replace
from pliant.analyses.motion import time_error
from pliant.errors import Interrupted
from pliant_gallery import pendulum


def test_a_whole_motion_is_kept_where_the_next_had_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    system, moves = pl.compile(pendulum.model(angle=0.3)), list[Any]()
    told = time_error._never_empty

    def stopped_in_the_second(move: Any) -> Any:
        def moved(**options: Any) -> Any:
            moves.append(move(**options))
            first = moves[0]
            nothing = {"time": first.time[:1], "steps": 0, "ok": False, "interrupted": True}
            return first if len(moves) == 1 else replace(first, last=replace(first.last, time=0.0), **nothing)

        return told(moved)

    monkeypatch.setattr(time_error, "_never_empty", stopped_in_the_second)
    with pytest.raises(Interrupted, match="while its error was estimated") as stop:
        pl.transient(system, end_time=0.5)
    assert len(moves) == 2
    assert float(stop.value.result.time[-1]) == pytest.approx(0.5)
    assert not stop.value.result.outcome.ok
