"""Progress of a long analysis for another program than a terminal, which may also stop it: a page, a notebook.

    with watching(lambda label, share: bar.set(share)):
        pl.transient(...)

An exception of the watcher reaches the analysis where it reports; KeyboardInterrupt acts like Ctrl-C: computed results
are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Watcher = Callable[[str, float], None]
"""Called with the label of the analysis and the share of it that is done, 0 to 1."""

_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Report the progress of all analyses within to the watcher."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def watcher() -> Watcher | None:
    """Return the present watcher, or None."""
    return _watcher.get()
