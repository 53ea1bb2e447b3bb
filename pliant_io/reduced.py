"""Files with the matrices of reduced finite-element bodies: .npz, .mat, and Nastran's .op2 and .op4 by pyyeti."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from pliant.elements.superelement.reduction import ReducedBody, reduced_body
from pliant.errors import FileError, PliantError
from pliant.model.rotations import Orientation
from pliant_io.decks.records import Units

NAMES = {
    "mass": ("mass", "M", "Mr", "MAA", "m", "MAAX", "MXX"),
    "stiffness": ("stiffness", "K", "Kr", "KAA", "k", "KAAX", "KXX"),
}
SUFFIXES = (".npz", ".mat", ".op2", ".op4")


def load_reduced(
    path: str | PathLike[str],
    name: str,
    nodes: Mapping[str, Sequence[float]] | None = None,
    *,
    length: str = "m",
    mass: str = "kg",
    damping: float = 0.0,
    position: Sequence[float] | None = None,
    orientation: float | Orientation | None = None,
) -> ReducedBody:
    """Read a reduced body from a file .npz (NumPy), .mat (MATLAB, up to version 7.2), .op2 or .op4 (Nastran).

    nodes         places of the interface by name, in the order of the matrices, in the file's unit of length
    length, mass  units of the file: "mm" and "t" for a file in N and mm; time is in seconds
    others        as in `reduced_body`, in SI units

    The file holds the matrices as ``mass`` and ``stiffness`` (or M and K; KAAX and MAAX, or KXX and MXX, of Nastran's
    EXTSEOUT) and, unless `nodes` are given, the places of the interface as rows of ``nodes``, whose names are 1, 2, ...
    Nastran orders nodes by their numbers, and its files do not contain positions in the axes of the matrices: give
    `nodes`. .op2 and .op4 need ``pip install 'pliant[nastran]'``.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "bar.npz"
    >>> K = 100.0 * np.outer([1, 0, 0, -1, 0, 0], [1, 0, 0, -1, 0, 0])
    >>> np.savez(path, mass=np.diag([0.5, 0.5, 0.01] * 2), stiffness=K, nodes=[(0, 0), (1, 0)])
    >>> list(load_reduced(path, "bar").bodies)
    ['1', '2']
    """
    file, units = Path(path), Units.of(length, mass)
    found = _arrays(file)
    matrices: dict[str, Any] = {}
    for wanted, names in NAMES.items():
        known = [each for each in names if each in found]
        if not known:
            raise FileError(f"{file} has no {wanted} matrix, called {' or '.join(names)}; it has {', '.join(found)}.")
        matrices[wanted] = found[known[0]]
    if nodes is None:
        if "nodes" not in found:
            raise FileError(f"{file} does not contain the places of its nodes: give nodes={{'base': (x, y, z), ...}}.")
        nodes = {str(k + 1): tuple(row) for k, row in enumerate(np.atleast_2d(found["nodes"]).tolist())}
    if units != Units():
        nodes = {node: tuple(units.length * float(each) for each in place) for node, place in nodes.items()}
        matrices = {kind: _in_si(each, nodes, units) for kind, each in matrices.items()}
    return reduced_body(name, nodes, **matrices, damping=damping, position=position, orientation=orientation)


def _in_si(matrix: Any, nodes: Mapping[str, Sequence[float]], units: Units) -> np.ndarray:
    """Convert a matrix to SI: energies and displacements are scaled; rotations and modes keep their numbers."""
    dense = np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix, float)
    axes = max((len(place) for place in nodes.values()), default=0)
    width = 6 if axes == 3 else 3
    scale = np.ones(len(dense))
    moved = np.arange(len(dense))
    scale[(moved % width < axes) & (moved < width * len(nodes))] = 1.0 / units.length
    return units.mass * units.length**2 * scale[:, None] * dense * scale


def _arrays(file: Path) -> dict[str, Any]:
    """Return all arrays of a file; pickled objects are refused."""
    suffix = file.suffix.lower()
    if suffix not in SUFFIXES:
        raise FileError(f"{file}: matrices are read from {', '.join(SUFFIXES)}; write them so.")
    if suffix in (".op2", ".op4"):
        return _of_nastran(file)
    try:
        if suffix == ".npz":
            with np.load(file, allow_pickle=False) as opened:
                return {name: opened[name] for name in opened.files}
        from scipy.io import loadmat

        return {name: each for name, each in loadmat(file).items() if not name.startswith("__")}
    except (OSError, ValueError, NotImplementedError, EOFError, KeyError) as error:
        raise FileError(f"{file}: not read as matrices: {error}") from error


def _of_nastran(file: Path) -> dict[str, Any]:
    """Return the matrices of an output file of Nastran, by their names in capitals."""
    try:
        with np.printoptions():  # the import changes these
            from pyyeti.nastran import op2, op4
    except ImportError as error:
        raise PliantError(f"{file}: files of Nastran need pyyeti: pip install 'pliant[nastran]'.") from error
    try:
        if file.suffix.lower() == ".op4":
            return {name.upper(): each for name, each in op4.read(str(file)).items()}
        with op2.OP2(str(file)) as opened:
            return dict(opened.rdop2mats())
    except Exception as error:  # of any kind: the reader checks nothing
        raise FileError(f"{file}: not read as matrices of Nastran: {error!r}") from error
