"""The verification manual shows all cases there are, as they are now; `make manual` makes its numbers anew."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from pliant_testing import validation

DOCS = Path(__file__).parents[2] / "docs"
KEPT = {
    case["case"]: case
    for line in (DOCS / "verification" / "rows.jsonl").read_text(encoding="utf-8").splitlines()
    for case in [json.loads(line)]
}


def test_every_case_is_in_the_manual() -> None:
    assert sorted(KEPT) == validation.CASES.names(), "run `make manual`"


@pytest.mark.parametrize("name", KEPT)
def test_kept_rows_hold(name: str) -> None:
    assert KEPT[name]["source"] == validation.CASES.get(name).source, "run `make manual`"
    assert KEPT[name]["rows"]
    assert all(row["ok"] and row["error"] <= row["tolerance"] for row in KEPT[name]["rows"])
    assert {row["kind"] for row in KEPT[name]["rows"]} <= set(validation.KINDS)


@pytest.mark.parametrize("name", ["beam-modes", "lqr-theory"])
def test_kept_rows_are_those_of_today(name: str) -> None:
    kept = [{key: row[key] for key in ("quantity", "unit", "kind", "tolerance", "ok")} for row in KEPT[name]["rows"]]
    today = [row.as_dict() for row in validation.run(name).rows]
    assert kept == [{key: row[key] for key in ("quantity", "unit", "kind", "tolerance", "ok")} for row in today]


def test_pictures_exist() -> None:
    pictures = tomllib.loads((DOCS / "verification" / "pictures.toml").read_text(encoding="utf-8"))
    assert set(pictures) <= set(KEPT)
    for images in pictures.values():
        assert all((DOCS / "images" / image).is_file() for image in images)
