"""Text on a page, as HTML in which every name is escaped. viser's markdown passes HTML through, so it is not used."""

from __future__ import annotations

import html


def paragraph(text: str, title: str = "") -> str:
    """Return a paragraph, with a title above it if there is one.

    >>> paragraph("t = 0 s, <b>", "leg")
    '<div style="margin:.4em .9em .6em; font-size:.9em"><b>leg</b><br>t = 0 s, &lt;b&gt;</div>'
    """
    above = f"<b>{html.escape(title)}</b><br>" if title else ""
    return f'<div style="margin:.4em .9em .6em; font-size:.9em">{above}{html.escape(text)}</div>'
