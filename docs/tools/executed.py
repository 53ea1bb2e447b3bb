"""The gallery: every script of a folder is run; its code, what it printed and its last figure become a page."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import io
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from made import Made, picture

KEPT = Path(__file__).parents[2] / ".gallery"
"""What scripts printed and drew, by the contents of script and package: a change of text runs nothing again."""
FIELDS = {
    "Linkages and walking": ("four_bar", "crank_slider", "walker", "leg", "leg_modes", "flexible_joint"),
    "Flexures, grippers, fingers": ("flexure_stage", "gripper", "cable_finger", "snap_through"),
    "Beams": ("cantilever", "column", "bend_45", "thrown_beam", "reduced_arm"),
    "Robots": ("two_link_arm", "flexible_arm", "delta", "six_rus", "stewart_continuum", "tendon_robot",
               "concentric_tubes", "robot_file"),
    "Space and contact": ("boom", "fed_rod", "docking", "docking_damper", "overhang"),
    "Control, response, design": ("furuta", "frequency_response", "best_strip"),
}  # fmt: skip
INDEX = """# Gallery

Each picture is made by the few lines behind it, while these pages are built. `pliant list` shows the
models behind them, and `pliant studio NAME` opens one.

{fields}
"""
FIELD = """## {field}

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
    cards, version = {}, package()
    for script in sorted(folder.glob("*.py")):
        name, source = script.stem, script.read_text(encoding="utf-8")
        title, _, text = (ast.get_docstring(ast.parse(source)) or name).partition("\n")
        printed, pictures = kept(script, source, version)
        yield Made(f"pliant_gallery/{name}.png", pictures[0])
        yield Made(f"pliant_gallery/{name}-small.png", pictures[1])
        code = source.split('"""', 2)[2].strip()
        page = PAGE.format(title=title, text=text.strip(), code=code, name=name, printed=printed.strip())
        yield Made(f"pliant_gallery/{name}.md", page)
        cards[name] = CARD.format(title=title, name=name)
    yield Made("pliant_gallery/index.md", index(cards))


def index(cards: dict[str, str]) -> str:
    """The page of all cards, by field; every script is in one."""
    listed = [name for names in FIELDS.values() for name in names]
    if sorted(listed) != sorted(cards):
        raise RuntimeError(f"FIELDS of the gallery and its scripts differ: {sorted(set(listed) ^ set(cards))}.")
    fields = (
        FIELD.format(field=field, cards="\n\n".join(cards[name] for name in names)) for field, names in FIELDS.items()
    )
    return INDEX.format(fields="\n".join(fields))


@cache
def package() -> bytes:
    """Digest of all that the package computes with: its code, without comments and docstrings."""
    found = hashlib.sha256()
    for path in sorted((Path(__file__).parents[2] / "pliant").rglob("*.py")):
        found.update(computed(path.read_text(encoding="utf-8")).encode())
    return found.digest()


def computed(source: str) -> str:
    """Code without comments and docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(
            node, clean=False
        ):
            del node.body[0]
    return ast.dump(tree)


def kept(script: Path, source: str, version: bytes) -> tuple[str, list[bytes]]:
    """Return the output of a script and its figure in two sizes; run it only if it or the package has changed."""
    place = KEPT / f"{script.stem}-{hashlib.sha256(version + source.encode()).hexdigest()[:20]}"
    files = [place / "large.png", place / "small.png"]
    if not (place / "printed.json").exists():
        printed, figure = run(script, source)
        place.mkdir(parents=True, exist_ok=True)
        for file, dpi in zip(files, (90, 45), strict=True):
            made = picture(file.name, figure, dpi=dpi).content
            file.write_bytes(made if isinstance(made, bytes) else made.encode())
        plt.close("all")
        (place / "printed.json").write_text(json.dumps(printed), encoding="utf-8")
    return json.loads((place / "printed.json").read_text(encoding="utf-8")), [file.read_bytes() for file in files]


def run(script: Path, source: str) -> tuple[str, plt.Figure]:
    """Run a script: what it printed, and its last figure."""
    plt.close("all")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(source, script.name, "exec"), {"__name__": "__main__"})
    if not plt.get_fignums():
        raise RuntimeError(f"pliant_gallery/{script.name} draws no figure: end it with a plot.")
    return printed.getvalue(), plt.gcf()
