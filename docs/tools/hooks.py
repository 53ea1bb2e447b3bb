"""Pages made while the documentation is built: gallery and notebooks, by running them, and the verification manual.

mkdocs calls `on_files`, `on_page_markdown` and `on_page_content`. A script of the gallery that fails stops the build.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

LAST = ("decisions/", "verification/", "reports/")  # what a search finds after everything else
DOCS = Path(__file__).parents[1]
sys.path.insert(0, str(Path(__file__).parent))

from executed import gallery_pages  # noqa: E402
from formulations import with_formulations  # noqa: E402
from manual import manual_pages  # noqa: E402
from mathematics import with_mathematics  # noqa: E402
from notebooks import notebook_pages  # noqa: E402
from parts import with_parts  # noqa: E402


def on_files(files: Files, *, config: Any) -> Files:
    """Add the made pages and pictures to those that lie in the folder."""
    made = gallery_pages(DOCS / "gallery"), notebook_pages(DOCS / "notebooks"), manual_pages(DOCS / "verification")
    for page in (each for pages in made for each in pages):
        if (stored := files.get_file_from_path(page.place)) is not None:
            files.remove(stored)  # a notebook without its outputs
        files.append(File.generated(config, page.place, content=page.content))
    return files


def on_page_markdown(markdown: str, page: Any = None, **_: Any) -> str:
    """Fill in the tables of parts and formulations. Code that the tests do not run is code all the same: Markdown knows
    no word after the language.
    """
    if page is not None and page.file.src_uri.startswith(LAST):
        page.meta.setdefault("search", {})["boost"] = 0.2
    return with_formulations(with_parts(markdown)).replace("```python no-run", "```python")


def on_page_content(html: str, **_: Any) -> str:
    """Equations as mathematics."""
    return with_mathematics(html)
