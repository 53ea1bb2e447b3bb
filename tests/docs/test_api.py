"""Every public name is in the API reference, and says by an example how it is used."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path

import pytest

import pliant as pl
from pliant.model.kinds import kinds_of, load_all
from pliant.model.parts import Part

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS / "tools"))

from parts import with_parts  # noqa: E402

REFERENCE = with_parts(
    "\n".join(page.read_text(encoding="utf-8") for page in sorted((DOCS / "reference").glob("*.md")))
)
NAMES = [name for name in pl.__all__ if name not in ("DEG", "__version__", "errors", "plots")]


@pytest.mark.parametrize("name", NAMES)
def test_in_reference_with_example(name: str) -> None:
    thing = getattr(pl, name)
    assert re.search(rf"[.`]{name}(`|$)", REFERENCE, re.MULTILINE), f"add {name} to a page of docs/reference"
    if callable(thing):
        members = [getattr(thing, member, None) for member in dir(thing) if not member.startswith("_")]
        assert any(">>>" in (inspect.getdoc(each) or "") for each in (thing, *members))


def test_every_part_is_in_the_page_about_the_model_and_has_an_example() -> None:
    page = with_parts((DOCS / "model.md").read_text(encoding="utf-8"))
    load_all()
    parts = [kind for kind in kinds_of(Part) if kind.__module__.startswith("pliant.")]
    assert [kind for kind in parts if ">>>" not in (kind.__doc__ or "")] == []
    assert [kind for kind in parts if f"| `{kind.__name__}(" not in page] == []
    assert "<!-- parts" not in page


def test_modules_load_by_themselves() -> None:
    """`pl.errors` is the first name that a fresh interpreter uses."""
    import subprocess
    import sys

    code = "import pliant as pl; print(pl.errors.__name__, pl.plots.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["pliant.errors", "pliant.results.plots"]
