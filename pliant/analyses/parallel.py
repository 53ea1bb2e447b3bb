"""Independent tasks in threads (compiled kernels let others run), with one progress bar and an orderly end."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextvars import copy_context
from typing import Any

from pliant.results.progress import progress

GLANCE = 0.1  # s between two looks at the clock

Tick = Callable[[], None]
Task = Callable[[Tick], None]


class Stopped(Exception):
    """Raised within a task when the others end: it is to leave what it has and return."""


def in_parallel(label: str, tasks: Sequence[Task], *, total: int, workers: int) -> bool:
    """Run all tasks; each calls its argument once for every one of the ``total`` pieces of work.

    False if Ctrl-C ended them early. What a task raises ends the others and is raised here.
    """
    stop, lock, done = threading.Event(), threading.Lock(), [0]

    def tick() -> None:
        with lock:
            done[0] += 1
        if stop.is_set():
            raise Stopped

    finished = True
    with progress(label, total) as report, ThreadPoolExecutor(workers) as pool:
        running = [pool.submit(copy_context().run, task, tick) for task in tasks]
        try:
            waiting: Any = running
            while waiting and not stop.is_set():
                ended, waiting = wait(waiting, timeout=GLANCE, return_when=FIRST_EXCEPTION)
                report(done[0])
                if any(future.exception() for future in ended):
                    break
        except KeyboardInterrupt:
            finished = False
        finally:
            stop.set()
            for future in running:
                future.cancel()
    for future in running:
        error = None if future.cancelled() else future.exception()
        if error is not None and not isinstance(error, Stopped):
            raise error
    return finished


def processors() -> int:
    """Return the number of threads that can work at the same time."""
    return os.cpu_count() or 1
