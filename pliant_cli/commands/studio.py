"""`pliant studio`: a mechanism drawn, or set up with sliders, in the browser."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pliant.errors import OptionError
from pliant_cli.pages import serve
from pliant_cli.source import settings, source
from pliant_studio.page.page import studio


def run(
    name: str | None, *, set_: Sequence[str], ranges: Sequence[str], host: str, port: int | None, seconds: float | None
) -> None:
    """Serve the page until Ctrl-C, or for so many seconds."""
    page = studio(_given(name, set_), ranges=ranges_of(ranges), host=host, port=port)
    serve(page, name or "an empty sheet", seconds)


def _given(name: str | None, set_: Sequence[str]) -> Any:
    """Return the name of a gallery mechanism without settings, the model of a file or of settings, or None."""
    if name is None:
        if set_:
            raise OptionError("--set needs a model: pliant studio MODEL --set NAME=VALUE.")
        return None
    return source(name).model(settings(set_)) if Path(name).suffix or set_ else name


def ranges_of(texts: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Read ranges of sliders, in SI units.

    >>> ranges_of(["push/x=-5:5"])
    {'push/x': (-5.0, 5.0)}
    """
    found = {}
    for text in texts:
        name, _, between = text.rpartition("=")
        low, _, high = between.partition(":")
        try:
            found[name] = (float(low), float(high))
        except ValueError:
            raise OptionError(
                f"--range {text}: write NAME=LOW:HIGH in SI units, such as --range push/x=-5:5."
            ) from None
    return found
