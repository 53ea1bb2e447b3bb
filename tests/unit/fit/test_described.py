"""Measurements that files describe."""

from pathlib import Path

import numpy as np
import pytest

from pliant.errors import FileError, OptionError
from pliant_fit.measurements.described import described

SIGNALS = ("load/y",)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "weights.csv"
    path.write_text("load/y [N],position:beam/tip:y [mm]\n-1,-4.0\n-2,-8.1\n", encoding="utf-8")
    return path


def test_a_table_with_names_of_ours(table: Path) -> None:
    found = described(table, SIGNALS)
    assert found.kind == "statics"
    np.testing.assert_allclose(found.settings["load/y"], [-1.0, -2.0])
    assert list(found.values) == ["position:beam/tip:y"]


def test_a_table_whose_columns_are_told(tmp_path: Path) -> None:
    path = tmp_path / "swing.csv"
    path.write_text("t,F,tip\n0,1,-4.0\n1,2,-8.1\n2,3,-8.2\n", encoding="utf-8")
    found = described(path, SIGNALS, "time=t,load/y=F*-1,position:beam/tip:y=tip*0.001")
    assert found.kind == "motion"
    np.testing.assert_allclose(found.settings["load/y"], [-1.0, -2.0, -3.0])
    np.testing.assert_allclose(found.values["position:beam/tip:y"], [-0.004, -0.0081, -0.0082])


def test_a_file_that_tells_of_a_table(table: Path) -> None:
    path = table.with_suffix(".toml")
    path.write_text(
        'source = "weights.csv"\nquantities = { "position:beam/tip:y" = "position:beam/tip:y" }\nerror = "2 %"\n'
        '[signals]\n"load/y" = "load/y*2"\n',
        encoding="utf-8",
    )
    found = described(path, SIGNALS)
    assert (found.name, found.error) == ("weights", "2 %")
    np.testing.assert_allclose(found.settings["load/y"], [-2.0, -4.0])


@pytest.mark.parametrize(
    ("text", "error", "told"),
    [
        ("source = 3", FileError, "say which table was measured"),
        ('source = "weights.csv"\nquantitys = {}', FileError, "'quantitys' is no argument of a measurement. Did you"),
        ('source = "other.csv"', FileError, "other.csv: there is no such file"),
        ("source = ", FileError, "cannot be read"),
        ('source = "weights.csv"\nquantities = 3', OptionError, "quantities|do not describe a measurement"),
    ],
)
def test_what_is_wrong_is_refused_by_name(table: Path, text: str, error: type[Exception], told: str) -> None:
    path = table.with_suffix(".toml")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(error, match=told):
        described(path, SIGNALS)
