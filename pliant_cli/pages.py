"""Page of `pliant view` and `pliant studio`: print its address, keep it open, stop cleanly."""

from __future__ import annotations

import contextlib
from typing import Any

from pliant_cli.console import out


def serve(page: Any, title: str, seconds: float | None) -> None:
    """Serve the page until Ctrl-C, or for so many seconds."""
    with contextlib.suppress(KeyboardInterrupt):
        out.print(f"{title}: open {page.url} in a browser. Ctrl-C stops.", highlight=False, soft_wrap=True)
        page.wait(seconds)
    page.stop()
