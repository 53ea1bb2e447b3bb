"""One version everywhere: package, citation, changelog, recipe."""

from __future__ import annotations

import re
from pathlib import Path

import pliant

ROOT = Path(__file__).parents[3]


def first(pattern: str, path: str) -> str:
    found = re.search(pattern, (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
    assert found, path
    return found[1]


def test_all_files_tell_the_version_of_the_package() -> None:
    assert first(r"^version: (\S+)$", "CITATION.cff") == pliant.__version__
    assert first(r'^  version: "(\S+)"$', "recipe/recipe.yaml") == pliant.__version__
    assert first(r"^## (?!Unreleased)(\S+) \(", "CHANGELOG.md") == pliant.__version__


def test_the_citation_has_the_date_of_the_changelog() -> None:
    date = first(r"^## (?!Unreleased)\S+ \((\d{4}-\d\d-\d\d)\)$", "CHANGELOG.md")
    assert first(r'^date-released: "(\S+)"$', "CITATION.cff") == date


def test_the_recipe_needs_what_the_package_needs() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    recipe = (ROOT / "recipe/recipe.yaml").read_text(encoding="utf-8")
    needed = recipe.partition("  run:\n")[2].partition("\n\n")[0]
    lines = needed.replace("matplotlib-base", "matplotlib").splitlines()
    listed = {line.strip(" -").replace(" ", "") for line in lines}
    assert listed == {"python>=${{python_min}}", *project["dependencies"]}
    assert first(r'^  python_min: "(\S+)"$', "recipe/recipe.yaml") == project["requires-python"].removeprefix(">=")
