"""Every Python example of the documentation runs, a page's blocks in order, in an empty folder, and its results are ok.

A block that begins with ```` ```python no-run ```` is shown only. A result that is meant not to be ok is asserted so by
the page: ``assert not truss.ok``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from pliant.design.optimum import Optimum
from pliant.design.spread import Uncertainty
from pliant.results import Result
from pliant_fit.identification.identification import Identification

KINDS = (Result, Identification, Optimum, Uncertainty)
ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGES = {
    str(path.relative_to(ROOT)): found
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if (found := list(BLOCK.finditer(path.read_text())))
}


@pytest.mark.parametrize("page", PAGES)
def test_page(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if page.endswith("exudyn.md"):
        pytest.importorskip("exudyn")
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": page}
    for block in PAGES[page]:
        line = block.string.count("\n", 0, block.start(1))
        text = "\n" * line + block[1]  # tracebacks show the line of the page
        code = compile(text, str(ROOT / page), "exec", dont_inherit=True)
        exec(code, namespace)
    failed = [name for name, value in namespace.items() if isinstance(value, KINDS) and not value.outcome.ok]
    assert failed == [name for name in failed if f"assert not {name}.ok" in block.string]
