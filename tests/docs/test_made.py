"""Texts made while the pages are built: code stays code, and shares of tolerances are numbers."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import pytest

pytest.importorskip("mkdocs")
markdown = pytest.importorskip("markdown")
pytest.importorskip("pymdownx")
sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "tools"))

import docstrings  # noqa: E402
import executed  # noqa: E402
import hooks  # noqa: E402
from executed import PAGE  # noqa: E402
from manual import kinds, share  # noqa: E402

from pliant_testing.validation import KINDS  # noqa: E402


def test_code_of_a_gallery_page_is_code() -> None:
    page = PAGE.format(title="Title", text="Text.", code="print(1)", name="name", printed="1")
    made = markdown.markdown(hooks.on_page_markdown(page), extensions=["pymdownx.highlight", "pymdownx.superfences"])
    assert "```" not in made
    assert made.count('class="highlight"') == 2
    assert '<img alt="Title" src="name.png"' in made


def test_the_gallery_is_listed_by_field() -> None:
    scripts = [script.stem for script in (Path(hooks.DOCS) / "gallery").glob("*.py")]
    assert len(scripts) >= 30
    page = executed.index(dict.fromkeys(scripts, "card"))
    assert page.count("## ") == len(executed.FIELDS)
    assert page.count("card") - page.count("cards") == len(scripts)
    with pytest.raises(RuntimeError, match="new"):
        executed.index(dict.fromkeys([*scripts, "new"], "card"))


def test_a_change_of_text_runs_nothing_again() -> None:
    one, other = (executed.computed(f'"""{text}"""\nx = 1  # {text}\n') for text in ("a", "b"))
    assert one == other != executed.computed("x = 2")


def test_a_notebook_is_a_page_with_what_it_printed_and_drew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat = pytest.importorskip("nbformat")
    import notebooks

    cell = nbformat.v4.new_code_cell("1 + 1")
    drawn = nbformat.v4.new_output("display_data", {"image/png": "AAAA"})
    cell.outputs = [nbformat.v4.new_output("execute_result", {"text/plain": "2"}), drawn]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# Title"), cell])
    made = {each.place: each.content for each in notebooks.page("book", book)}
    assert made["notebooks/book-1.png"] == b"\0\0\0"
    assert (
        "# Title\n\n```python no-run\n1 + 1\n```\n\n```text\n2\n```\n\n![picture 1](book-1.png)"
        in (made["notebooks/book.md"])
    )


def test_a_script_is_run_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executed, "KEPT", tmp_path / "kept")
    script, counted = tmp_path / "some.py", tmp_path / "runs"
    source = f"import matplotlib.pyplot as plt\nopen({str(counted)!r}, 'a').write('x')\nplt.plot([0, 1])\nprint(3)"
    first = executed.kept(script, source, b"1")
    assert executed.kept(script, source, b"1") == first
    assert first[0] == "3\n"
    assert counted.read_text() == "x"
    executed.kept(script, source, b"2")  # another package
    executed.kept(script, source + "\n", b"2")  # another script
    assert counted.read_text() == "xxx"


def test_share_of_a_tolerance() -> None:
    assert share({"error": 0.5, "tolerance": 1.0}) == 0.5
    assert share({"error": 0.0, "tolerance": 0.0}) == 0.0  # counts of things, which must agree
    assert share({"error": 1.0, "tolerance": 0.0}) == math.inf


def test_rows_are_counted_by_where_their_references_come_from() -> None:
    lines = kinds([{"kind": "exact"}, {"kind": "itself"}, {"kind": "exact"}]).splitlines()
    assert [line.split("|")[1].strip() for line in lines] == list(KINDS)
    assert [int(line.split("|")[-2]) for line in lines] == [0, 2, 0, 0, 0, 1]


def test_arguments_in_docstrings_are_tables() -> None:
    listed = "length  m, from |a| to b\norder   of the elements,\n        1 to 4"
    assert docstrings.readable(listed).splitlines()[2:] == [
        "| `length` | m, from \\|a\\| to b |",
        "| `order` | of the elements, 1 to 4 |",
    ]
    assert docstrings.readable("Plain text: it stays\nas it is.") == "Plain text: it stays\nas it is."
    assert docstrings.readable(">>> 1 + 1\n2").startswith("```pycon")
