"""The drivers of time stepping over a method of a few lines: x' = -x, with steps that fail on purpose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from pliant.solvers.stepping.adaptive_steps import AdaptiveSteps
from pliant.solvers.stepping.drivers import COUNTS, Chunk, EqualSteps, Signals, new_record, put_back
from pliant.solvers.stepping.methods import Newmark
from pliant.solvers.stepping.motion import Plan, TimeHistory
from pliant.solvers.stepping.status import CALM, DONE, NOT_CONVERGED


class Record(NamedTuple):
    time: np.ndarray
    x: np.ndarray


class Decay:
    """``fails(time, h)``: whether the step from there is refused."""

    nodes, shortest, longest, most_cuts, sliver = np.zeros(1), 2, 8, 5, 1e-9
    calls_python = steady = dense = False
    ends = np.empty(0)
    fatal: tuple[int, ...] = ()
    jumping: tuple[int, ...] = ()
    reasons = {NOT_CONVERGED: "it was told to fail"}  # noqa: RUF012

    def __init__(self, fails: Callable[[float, float], bool] = lambda time, h: False) -> None:
        self.time, self.x, self.counts, self.fails, self.sizes = 0.0, 1.0, new_record(COUNTS), fails, []

    def signals(self, times: np.ndarray) -> Signals:
        return Signals(times, *(np.zeros((times.size, 1)) for _ in range(3)))

    def records(self, rows: int) -> Record:
        return Record(np.empty(rows), np.empty(rows))

    def keep(self, record: Record) -> None:
        m = self.counts.records
        record.time[m], record.x[m] = self.time, self.x
        self.counts.records += 1

    def resize(self, h: float) -> None:
        self.sizes.append(h)

    def advance(self, chunk: Chunk, record: Record) -> tuple[int, int]:
        for k in range(chunk.steps):
            if self.fails(self.time, chunk.h):
                return NOT_CONVERGED, k
            self.x *= (1.0 - 0.5 * chunk.h) / (1.0 + 0.5 * chunk.h)
            self.time = float(chunk.signals.time[k + 1])
            self.counts.steps += 1
            if (chunk.behind + k + 1) % chunk.every == 0:
                self.keep(record)
        return (CALM if chunk.h < 0.01 else DONE), chunk.steps

    def restart(self) -> None:
        pass

    def arrive(self, time: float) -> None:
        self.time = time

    def snapshot(self) -> Any:
        return self.time, self.x, self.counts.copy()

    def restore(self, snapshot: Any) -> None:
        self.time, self.x, counts = snapshot
        put_back(self.counts, counts)

    def complete(self, record: Record) -> None:
        pass

    def motion(self, record: Record) -> TimeHistory:
        x = record.x[:, None]
        return TimeHistory(record.time, x, x, x, x, x, self.x)

    def first_step(self, plan: Plan) -> float:
        return 1e-3

    def next_step(self, status: int, h: float) -> float:
        if status == NOT_CONVERGED:
            self.counts.cut_backs += 1
            return 0.5 * h
        return 1.5 * h if status == CALM else h

    def smallest(self, plan: Plan, first: float) -> float:
        return 1e-5


def plan(**options: Any) -> Plan:
    return Plan(1.0, Newmark(), **{"step": 0.01, **options})


def test_equal_steps_divide_the_time_and_are_recorded() -> None:
    method = Decay()
    motion = EqualSteps(method, plan(step=0.0101)).run()
    assert (motion.steps, motion.cut_backs, motion.ok, motion.message) == (100, 0, True, "reached the end")
    np.testing.assert_allclose(motion.time, np.linspace(0.0, 1.0, 101), rtol=0.0, atol=1e-15)
    assert motion.q[-1, 0] == motion.last == pytest.approx(np.exp(-1.0), rel=1e-5)
    assert set(method.sizes) == {0.01}


class Mirrored(Decay):
    """A method whose records have the wrong sign until they are completed."""

    def complete(self, record: Record) -> None:
        record.x[:] *= -1.0


def test_records_are_completed_once_before_some_are_chosen() -> None:
    motion, right = (EqualSteps(method, plan(every=50)).run() for method in (Mirrored(), Decay()))
    assert right.time.size == 3 < motion.looks.time.size
    np.testing.assert_array_equal(motion.q, -right.q)
    np.testing.assert_array_equal(motion.looks.q, -right.looks.q)


class Stairs(Decay):
    """A signal that jumps at the end of every step."""

    nodes, jumping = np.zeros(1), (0,)

    def signals(self, times: np.ndarray) -> Signals:
        return Signals(times, *(np.floor(100.0 * times + 1e-12)[:, None] for _ in range(3)))


def test_jumps_end_chunks_and_are_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = []

    class Watched(dict):  # type: ignore[type-arg]
        def __iter__(self):  # type: ignore[no-untyped-def]
            looked.append(len(self))
            return super().__iter__()

    found = EqualSteps.jumps
    monkeypatch.setattr(EqualSteps, "jumps", lambda self, grid, h: Watched(found(self, grid, h)))
    method = Stairs()
    motion = EqualSteps(method, plan()).run()
    assert motion.ok
    assert (motion.steps, len(method.sizes)) == (100, 100)  # a chunk for every step
    assert looked == [100]  # it was before every chunk


@pytest.mark.parametrize("every", [1, 3, 7])
def test_every_nth_step_is_kept(every: int) -> None:
    all_steps, some = (EqualSteps(Decay(), plan(every=n)).run() for n in (1, every))
    kept = sorted({*range(0, 101, every), 100})  # the end always
    np.testing.assert_array_equal(some.time, all_steps.time[kept])
    np.testing.assert_array_equal(some.q, all_steps.q[kept])


@pytest.mark.parametrize(
    ("every", "looks", "between"), [(50, 10, 10), (50, 1, 50), (70, 1, 70), (14, 30, 2), (97, 9, 1)]
)
def test_so_many_instants_are_recorded_as_judge_a_motion(every: int, looks: int, between: int) -> None:
    """A divisor of ``every``, the largest that leaves enough; without such a divisor all steps, thinned out later."""
    driver = EqualSteps(Decay(), plan(every=every, looks=looks))
    motion, all_steps = driver.run(), EqualSteps(Decay(), plan()).run()
    assert driver.interval == between
    np.testing.assert_array_equal(motion.time, all_steps.time[sorted({*range(0, 101, every), 100})])
    if between not in (1, every):
        assert motion.looks is not None
        np.testing.assert_array_equal(motion.looks.q, all_steps.q[::between])


def test_instants_asked_for_keep_every_step_of_a_method_that_cannot_reach_them() -> None:
    assert EqualSteps(Decay(), plan(every=7, times=np.array([0.5]))).run().time.size == 101


def test_step_that_fails_is_taken_in_parts_and_the_grid_stays() -> None:
    """A step of 0.01 s is refused once from 0.32 s on; a quarter of it passes."""
    motion = EqualSteps(Decay(lambda time, h: 0.315 < time < 0.3299 and h > 0.003), plan()).run()
    np.testing.assert_allclose(motion.time, np.linspace(0.0, 1.0, 101), rtol=0.0, atol=1e-12)
    assert motion.ok
    assert (motion.steps, motion.cut_backs) == (99 + 4, 2)


def test_step_that_fails_however_small_ends_the_run_with_what_it_has() -> None:
    motion = EqualSteps(Decay(lambda time, h: time > 0.495), plan()).run()
    assert not motion.ok
    assert motion.message == "stopped at t = 0.5 s: it was told to fail, even with steps of 0.00031 s"
    assert motion.time[-1] == pytest.approx(0.5)
    assert motion.cut_backs == Decay.most_cuts


def test_interruption_goes_back_to_the_last_whole_chunk() -> None:
    def interrupt(time: float, h: float) -> bool:
        if time > 0.255:
            raise KeyboardInterrupt
        return False

    motion = EqualSteps(Decay(interrupt), plan()).run()
    assert motion.interrupted
    assert motion.message.startswith("was interrupted at t = 0.")
    whole = EqualSteps(Decay(), plan()).run()
    count = motion.time.size
    assert 10 < count <= 27  # the last step begins at 0.25 s
    np.testing.assert_array_equal(motion.time, whole.time[:count])
    np.testing.assert_array_equal(motion.q, whole.q[:count])
    assert (motion.last, motion.steps) == (motion.q[-1, 0], count - 1)


def test_run_goes_on_as_if_never_stopped() -> None:
    method = Decay()
    EqualSteps(method, Plan(0.5, Newmark(), step=0.01)).run()
    again = Decay()
    again.time, again.x = method.time, method.x
    rest, whole = EqualSteps(again, plan()).run(), EqualSteps(Decay(), plan()).run()
    np.testing.assert_array_equal(rest.q[-1], whole.q[-1])


def test_reports_how_far_it_has_come() -> None:
    seen: list[float] = []
    EqualSteps(Decay(), plan(report=seen.append)).run()
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


def test_adaptive_steps_grow_where_errors_are_small_and_end_at_the_end() -> None:
    motion = AdaptiveSteps(Decay(), plan(step=None)).run()
    assert motion.ok
    assert motion.time[-1] == pytest.approx(1.0, abs=1e-12)
    assert np.diff(motion.time).max() > 5.0 * np.diff(motion.time).min()
    few = AdaptiveSteps(Decay(), plan(step=None, every=10)).run()
    assert few.time.size < 0.2 * motion.time.size
    assert few.time[-1] == motion.time[-1]  # the end is kept, whatever its number


def test_adaptive_steps_shrink_until_they_pass_or_are_too_small() -> None:
    motion = AdaptiveSteps(Decay(lambda time, h: 0.3 < time < 0.4 and h > 1e-3), plan(step=None)).run()
    assert motion.ok
    assert motion.cut_backs > 0
    stuck = AdaptiveSteps(Decay(lambda time, h: time > 0.3), plan(step=None)).run()
    assert not stuck.ok
    assert "it was told to fail" in stuck.message
