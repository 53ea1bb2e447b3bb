"""Plain technical English: docstrings begin with a verb, and words that are not the field's do not come back."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import pliant

ROOT = Path(pliant.__file__).parents[1]
PACKAGES = sorted(path.name for path in ROOT.glob("pliant*") if path.name.isidentifier())
RIDDLE = re.compile(r"(What|Where|That|Of|Whether|Which|How|The same)\b")
WORDS = {  # what was written -> what the field says
    r"foret\w+": "predict, extrapolate",
    r"sought": "unknown",
    r"told": "reported, given",
    r"peel\w*": "eliminate",
    r"chase[sd]?": "follow",
    r"journey|voyage": "integration, run",
    r"foresight": "prediction",
    r"whereof|thereof|wherefrom": "the noun",
    r"dear(er|est)": "costly",
}
UNKNOWN = re.compile(rf"\b({'|'.join(WORDS)})\b", re.IGNORECASE)


def explanations(package: str) -> list[tuple[str, bool, str]]:
    """Return place, whether it is a function's, and text of every docstring of a package, without examples."""
    found = []
    for path in sorted((ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and (text := ast.get_docstring(node)):
                place = f"{path.relative_to(ROOT)}:{node.body[0].lineno}"
                found.append((place, isinstance(node, ast.FunctionDef), text.partition(">>>")[0]))
    return found


@pytest.mark.parametrize("package", PACKAGES)
def test_docstrings_of_functions_begin_with_a_verb(package: str) -> None:
    assert [place for place, function, text in explanations(package) if function and RIDDLE.match(text)] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_words_are_those_of_the_field(package: str) -> None:
    searched = ((place, UNKNOWN.search(text)) for place, _, text in explanations(package))
    found = {f"{place}: {word[0]}" for place, word in searched if word}
    assert found == set()
