"""The notebooks with what they print and draw: each is run in a fresh kernel and becomes a page and a download."""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from executed import KEPT, package
from made import Made
from nbclient import NotebookClient

PLACE = re.compile(r"^\S*ipykernel_\S+: ", re.MULTILINE)  # where a warning came from, in a file of the kernel
PICTURE, TEXT = "image/png", "text/plain"
LEAST = 2  # pictures of a notebook
FOOT = "\n[Download this notebook, with its outputs]({name}.ipynb) · [all notebooks](index.md)\n"


def notebook_pages(folder: Path) -> Iterator[Made]:
    """Yield the page of every notebook, its pictures, and the notebook with its outputs."""
    for path in sorted(folder.glob("*.ipynb")):
        notebook = ran(path)
        if len(list(pictures(notebook))) < LEAST:
            raise RuntimeError(f"notebooks/{path.name} draws fewer than {LEAST} pictures.")
        yield Made(f"notebooks/{path.stem}.ipynb", nbformat.writes(notebook))
        yield from page(path.stem, notebook)


def ran(path: Path) -> Any:
    """A notebook with its outputs; run only if it or the package has changed since."""
    source = path.read_text(encoding="utf-8")
    place = KEPT / f"{path.stem}-{hashlib.sha256(package() + source.encode()).hexdigest()[:20]}.ipynb"
    if not place.exists():
        notebook = nbformat.reads(source, as_version=4)
        shown = os.environ.pop("MPLBACKEND", None)  # the kernel draws inline
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(place.parent)}}).execute()
        finally:
            if shown is not None:
                os.environ["MPLBACKEND"] = shown
        place.write_text(nbformat.writes(notebook), encoding="utf-8")
    return nbformat.read(place, as_version=4)


def pictures(notebook: Any) -> Iterator[str]:
    """Yield the pictures of its cells, in base 64."""
    for cell in notebook.cells:
        yield from (each.data[PICTURE] for each in cell.get("outputs", ()) if PICTURE in each.get("data", {}))


def page(name: str, notebook: Any) -> Iterator[Made]:
    """Markdown of a notebook, and its pictures."""
    pieces: list[str] = []
    drawn = 0
    for cell in notebook.cells:
        if cell.cell_type != "code":
            pieces.append(cell.source)
            continue
        pieces.append(f"```python no-run\n{cell.source}\n```")
        for output in cell.outputs:
            data = output.get("data", {})
            if PICTURE in data:
                drawn += 1
                yield Made(f"notebooks/{name}-{drawn}.png", base64.b64decode(data[PICTURE]))
                pieces.append(f"![picture {drawn}]({name}-{drawn}.png)")
            elif printed := output.get("text") or data.get(TEXT):
                pieces.append(f"```text\n{PLACE.sub('', printed).rstrip()}\n```")
    yield Made(f"notebooks/{name}.md", "\n\n".join(pieces) + "\n" + FOOT.format(name=name))
