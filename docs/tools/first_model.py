"""The picture of README's first model, made by README's own lines: python docs/tools/first_model.py docs/images"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pliant as pl

README = Path(__file__).parents[2] / "README.md"


def main(folder: Path) -> None:
    """Run the first Python block of README and draw the shapes of its motion."""
    lines = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)[0]
    names: dict[str, Any] = {}
    here = Path.cwd()
    with TemporaryDirectory() as scratch:
        os.chdir(scratch)
        exec(lines, names)
        os.chdir(here)
    axes = pl.plots.plot_shape(names["run"], times=[0.0, 0.05, 0.1, 0.15, 0.2])
    axes.figure.savefig(folder / "first-model.png", dpi=110, bbox_inches="tight")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
