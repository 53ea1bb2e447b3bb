"""Equations of the pages, `$$ ... $$` in LaTeX, as MathML: browsers draw it without a script, a font or the network."""

from __future__ import annotations

import html
import re

from latex2mathml.converter import convert

_MARKED = re.compile(r'<(div|span) class="arithmatex">\\[\[(](.*?)\\[\])]</\1>', re.DOTALL)  # by pymdownx.arithmatex


def with_mathematics(page: str) -> str:
    """A page of HTML with its equations as MathML."""
    return _MARKED.sub(_equation, page)


def _equation(found: re.Match[str]) -> str:
    latex = html.unescape(found[2]).strip().replace("{aligned}", "{align*}")  # the converter's word for it
    display = "block" if found[1] == "div" else "inline"
    mathml = convert(latex, display=display)
    if "\\" in mathml:
        raise ValueError(f"latex2mathml does not know a command of this equation: {latex}")
    return f'<{found[1]} class="equation">{mathml}</{found[1]}>'
