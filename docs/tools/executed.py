"""The gallery: every script of a folder is run; its code, what it printed and its last figure become a page."""

from __future__ import annotations

import ast
import contextlib
import io
from collections.abc import Iterator
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from made import Made, picture

INDEX = """# Gallery

Each picture is made by the few lines behind it, while these pages are built. `pliant list` shows the
models behind them.

<div class="grid cards" markdown>

{cards}

</div>
"""
CARD = "- [![{title}]({name}-small.png)]({name}.md)\n\n    [{title}]({name}.md)"
PAGE = """# {title}

{text}

```python no-run
{code}
```

![{title}]({name}.png)

```text
{printed}
```

[Download the script]({name}.py) · [all of the gallery](index.md)
"""


def gallery_pages(folder: Path) -> Iterator[Made]:
    """Pages and pictures of all scripts, and the index with their thumbnails."""
    cards = []
    for script in sorted(folder.glob("*.py")):
        name, source = script.stem, script.read_text(encoding="utf-8")
        title, _, text = (ast.get_docstring(ast.parse(source)) or name).partition("\n")
        printed, figure = run(script, source)
        yield picture(f"gallery/{name}.png", figure, dpi=90)
        yield picture(f"gallery/{name}-small.png", figure, dpi=45)
        plt.close("all")
        code = source.split('"""', 2)[2].strip()
        page = PAGE.format(title=title, text=text.strip(), code=code, name=name, printed=printed.strip())
        yield Made(f"gallery/{name}.md", page)
        cards.append(CARD.format(title=title, name=name))
    yield Made("gallery/index.md", INDEX.format(cards="\n\n".join(cards)))


def run(script: Path, source: str) -> tuple[str, plt.Figure]:
    """Run a script: what it printed, and its last figure."""
    plt.close("all")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(source, script.name, "exec"), {"__name__": "__main__"})
    if not plt.get_fignums():
        raise RuntimeError(f"gallery/{script.name} draws no figure: end it with a plot.")
    return printed.getvalue(), plt.gcf()
