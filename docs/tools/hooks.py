"""Pages that are made while the documentation is built: the gallery, by running it, and the verification manual.

mkdocs calls `on_files`, `on_page_markdown` and `on_page_content`. A script of the gallery that fails stops the build.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

DOCS = Path(__file__).parents[1]
sys.path.insert(0, str(Path(__file__).parent))

from executed import gallery_pages  # noqa: E402
from formulations import with_formulations  # noqa: E402
from manual import manual_pages  # noqa: E402
from mathematics import with_mathematics  # noqa: E402
from parts import with_parts  # noqa: E402


def on_files(files: Files, *, config: Any) -> Files:
    """Add the made pages and pictures to those that lie in the folder."""
    for page in (*gallery_pages(DOCS / "gallery"), *manual_pages(DOCS / "verification")):
        files.append(File.generated(config, page.place, content=page.content))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Fill in the tables of parts and formulations. Code that the tests do not run is code all the same: Markdown knows
    no word after the language.
    """
    return with_formulations(with_parts(markdown)).replace("```python no-run", "```python")


def on_page_content(html: str, **_: Any) -> str:
    """Equations as mathematics."""
    return with_mathematics(html)
