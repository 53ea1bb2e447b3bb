"""Reduced bodies of Nastran: NX Nastran's own matrices and frequencies, from OP4 and OP2."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import FileError, ModelError

with np.printoptions():  # which it changes when imported
    pyyeti = pytest.importorskip("pyyeti")
    op4 = pytest.importorskip("pyyeti.nastran.op4")

NASTRAN = Path(pyyeti.__file__).parent / "tests" / "nas2cam_extseout"  # written by NX Nastran 9, EXTSEOUT; mm, kg
NODES = {"3": (600, 0, 300), "11": (600, 300, 300), "19": (600, 300, 0), "27": (600, 0, 0)}
FREQUENCIES = [6.129345, 6.130134, 23.63188, 70.47544, 70.78510, 104.6654, 188.0354, 208.5971]  # inboard.out, held


@pytest.fixture(scope="module")
def matrices() -> dict[str, np.ndarray]:
    """Return the matrices of inboard.op4, node 11 in the others' axes: its own are y, z, x of these (CORD2R 10)."""
    turn = np.eye(32)
    turn[6:9, 6:9] = turn[9:12, 9:12] = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    found = op4.read(str(NASTRAN / "inboard.op4"))
    return {name: turn @ found[name] @ turn.T for name in ("kxx", "mxx")}


def op2(matrices: dict[str, np.ndarray]) -> bytes:
    """Return real matrices as OUTPUT2 writes them: records between their lengths, columns as strings of numbers."""

    def record(content: bytes) -> bytes:
        return struct.pack("<i", len(content)) + content + struct.pack("<i", len(content))

    def keys(*values: int) -> bytes:
        return b"".join(record(struct.pack("<i", value)) for value in values)

    blocks = b""
    for name, matrix in matrices.items():
        called, size = name.upper().ljust(8).encode(), len(matrix)
        blocks += keys(2) + record(called) + keys(-1, 7) + record(struct.pack("<7i", 101, size, size, 6, 2, size, 0))
        blocks += keys(-2, 1, 0, 2) + record(called) + keys(-3, 1, 1)
        for number, column in enumerate(matrix.T):
            blocks += keys(1 + 2 * size) + record(struct.pack(f"<i{size}d", 1, *column))
            blocks += keys(-4 - number, 1, 1 if number + 1 < size else 0)
        blocks += keys(0)
    return blocks + keys(0)


@pytest.mark.parametrize("suffix", [".op4", ".op2"])
def test_frequencies_are_those_of_nastran(matrices: dict[str, np.ndarray], tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"inboard{suffix}"
    if suffix == ".op4":
        op4.write(str(file), matrices)
    else:
        file.write_bytes(op2({"kaax": matrices["kxx"], "maax": matrices["mxx"]}))
    body = pl.load_reduced(file, "inboard", NODES, length="mm")
    assert body.superelement.total_mass == pytest.approx(1.755052, rel=1e-6)  # of Nastran's weight check
    model = pl.Model("held", plane=None)
    ground = model.add(pl.Ground())
    model.add(*body)
    for name, place in NODES.items():
        there = ground.at(*(1e-3 * each for each in place))
        model.add(pl.Weld(there, body.at(name), orientation=(0.0, 0.0, 0.0)))
    found = pl.modal(pl.compile(model), modes=8).frequency_hz.values
    np.testing.assert_allclose(found, FREQUENCIES, rtol=5e-7)  # half of the last digit printed


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    given: dict[str, Any] = {"nodes": NODES, "length": "mm"}
    with pytest.raises(ModelError, match="axes of the structure, not of the node"):  # of node 11
        pl.load_reduced(NASTRAN / "inboard.op4", "inboard", **given)
    with pytest.raises(FileError, match="does not contain the places of its nodes"):
        pl.load_reduced(NASTRAN / "inboard.op4", "inboard")
    with pytest.raises(FileError, match=r"no mass matrix.*it has KHH"):
        pl.load_reduced(NASTRAN / "assemble.op2", "inboard", **given)
    for name, content in (("a.op2", b""), ("b.op2", b"nothing of the kind"), ("c.op4", b"\0" * 40)):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(FileError, match=r"not read as matrices|no mass matrix"):
            pl.load_reduced(tmp_path / name, "inboard", **given)


def test_reading_leaves_the_printing_of_numbers_alone() -> None:
    assert repr(np.array([1.0, 2.0])) == "array([1., 2.])"
