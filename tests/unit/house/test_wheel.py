"""`make wheel-test` notices what is missing in a wheel and what does not belong there."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tests.wheel.__main__ import MUST, look_into


def wheel(folder: Path, *names: str) -> Path:
    with zipfile.ZipFile(folder / "pliant-1-py3-none-any.whl", "w") as opened:
        for name in (*names, "pliant-1.dist-info/METADATA"):
            opened.writestr(name, "")
    return folder / "pliant-1-py3-none-any.whl"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    for name in (*MUST, "tests/unit/house/test_wheel.py"):
        (tmp_path / "source" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "source" / name).touch()
    return tmp_path / "source"


def test_a_whole_wheel_passes(source: Path, tmp_path: Path) -> None:
    look_into(wheel(tmp_path, *MUST), source)


def test_a_file_of_the_packages_that_is_missing_is_named(source: Path, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=f"not in the wheel: {MUST[1]} "):
        look_into(wheel(tmp_path, MUST[0], *MUST[2:]), source)
    (source / "pliant" / "table.csv").touch()
    with pytest.raises(SystemExit, match=r"not in the wheel: pliant/table\.csv "):
        look_into(wheel(tmp_path, *MUST), source)


@pytest.mark.parametrize("name", ["tests/unit/house/test_wheel.py", "build/lib.py", "pliant/tests/test_a.py"])
def test_what_does_not_belong_there_is_named(name: str, source: Path, tmp_path: Path) -> None:
    if name.startswith("pliant/"):  # also where it stands in the packages
        (source / name).parent.mkdir(parents=True)
        (source / name).touch()
    with pytest.raises(SystemExit, match=f"does not belong into the wheel: {name} "):
        look_into(wheel(tmp_path, *MUST, name), source)
