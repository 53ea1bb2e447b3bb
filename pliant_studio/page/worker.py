"""Worker: one thread for the page's jobs, one at a time; a newer job replaces an older one of its name."""

from __future__ import annotations

import threading
from collections.abc import Callable

Job = Callable[[], None]


class Worker:
    """Queue of jobs; `ask` returns at once. Jobs marked `late` wait until no other is left.

    >>> done = []
    >>> worker = Worker(done.append)
    >>> worker.ask("a", lambda: done.append(1))
    >>> worker.stop()
    >>> done
    [1]
    """

    def __init__(self, failed: Callable[[Exception], None]) -> None:
        self._failed = failed
        self._wishes: dict[str, tuple[bool, Job]] = {}
        self._changed = threading.Condition()
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="pliant studio", daemon=True)
        self._thread.start()

    def ask(self, name: str, job: Job, *, late: bool = False) -> None:
        """Queue a job under a name."""
        with self._changed:
            self._wishes[name] = (late, job)
            self._changed.notify()

    def stop(self) -> None:
        """Finish the queued jobs, then end."""
        self._end(10.0)

    def abandon(self) -> None:
        """Drop the queued jobs, and hardly wait for the running one: its result is no longer needed."""
        with self._changed:
            self._wishes.clear()
            self._failed = lambda error: None
        self._end(0.5)

    def _end(self, seconds: float) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify()
        self._thread.join(timeout=seconds)

    def _run(self) -> None:
        while (job := self._next()) is not None:
            try:
                job()
            except Exception as error:  # the page shows it; the server continues
                self._failed(error)

    def _next(self) -> Job | None:
        with self._changed:
            while not self._wishes and not self._stopped:
                self._changed.wait()
            if not self._wishes:
                return None
            soonest = min(self._wishes, key=lambda name: self._wishes[name][0])  # False before True, then the oldest
            return self._wishes.pop(soonest)[1]
