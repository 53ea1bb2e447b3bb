"""Somebody else than a terminal who wants to know how far a long analysis is, and may stop it: a page, a notebook.

    with watching(lambda label, share: bar.set(share)):
        pl.transient(...)

What the watcher raises reaches the analysis where it reports; KeyboardInterrupt is Ctrl-C there: what was computed is
kept.
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
    """Tell the watcher of all analyses within."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def watcher() -> Watcher | None:
    """The present one, if somebody watches."""
    return _watcher.get()
