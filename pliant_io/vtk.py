"""Results for ParaView: a .pvd file that lists a .vtu file for each instant, point of a path, or mode.

Beams are lines with the point data ``bending_moment`` and ``axial_force`` (interpolated between sections), springs and
tendons lines with ``tension``, rigid bodies lines between their markers; all have ``speed`` (from differences of the
positions in time) and, for modes, the ``displacement`` at its largest. Numbers are 64-bit, in base64.
"""

from __future__ import annotations

import base64
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

import numpy as np

from pliant.errors import FileError
from pliant.results import Result
from pliant.results.drawing import scene
from pliant.results.quantities import along
from pliant.whole_files import draft_of, whole_file

OURS = re.compile(r"(beams|bodies|lines)_\d+\.vtu")
LINE = 3  # VTK's code of a straight cell
BLOCKS = {"beam": "beams", "rigid": "bodies", "line": "lines"}


class Frame(NamedTuple):
    """One picture: its place on the time axis, and positions and data of the stations."""

    time: float
    points: np.ndarray
    data: Mapping[str, np.ndarray]


def write_vtk(result: Result, path: Path) -> None:
    """Write `path` (.pvd) and a folder of frames beside it, "run.pvd" and "run_frames", whole or not at all."""
    scene.need(result, "shape")
    kinds = result.data["part_kind"].values
    blocks = {name: np.flatnonzero(kinds == kind) for kind, name in BLOCKS.items() if np.any(kinds == kind)}
    cells = {name: _cells(result, stations) for name, stations in blocks.items()}
    folder = path.with_name(f"{path.stem}_frames")
    draft, before = draft_of(folder), draft_of(path.with_name(f"{path.stem}_frames_before"))
    if folder.exists() and not (folder.is_dir() and all(OURS.fullmatch(file.name) for file in folder.iterdir())):
        raise FileError(f"cannot write {path}: {folder} is there and holds other things; choose another name")
    entries = []
    with whole_file(path) as part:
        try:
            draft.mkdir()
            for number, frame in enumerate(_frames(result)):
                for block, (name, stations) in enumerate(blocks.items()):
                    file = f"{name}_{number:05d}.vtu"
                    known = {key: values[stations] for key, values in frame.data.items() if _belongs(key, name)}
                    _write_vtu(draft / file, frame.points[stations], cells[name], known)
                    place = quoteattr(f"{folder.name}/{file}")
                    entries.append(f'<DataSet timestep="{frame.time!r}" part="{block}" name="{name}" file={place}/>')
            part.write_text(_collection(entries), encoding="utf-8")
            if folder.is_dir():
                folder.rename(before)
            draft.rename(folder)
        finally:
            for rest in (draft, before):
                shutil.rmtree(rest, ignore_errors=True)


def _belongs(key: str, block: str) -> bool:
    """Return whether a block has this point data: bending moments exist in beams only."""
    return {"bending_moment": "beams", "axial_force": "beams", "tension": "lines"}.get(key, block) == block


def _collection(entries: list[str]) -> str:
    head, end = '<VTKFile type="Collection" version="0.1">\n  <Collection>', "  </Collection>\n</VTKFile>\n"
    return "\n".join(['<?xml version="1.0"?>', head, *(f"    {entry}" for entry in entries), end])


def _frames(result: Result) -> Iterator[Frame]:
    """Yield the pictures; modes are the equilibrium, each with its displacement."""
    main, shape, loads = along(result), result.data["shape"].values, _loads(result)
    if result.kind == "modes":
        for number in result.data["mode"].values.tolist():
            field = scene.mode_displacement(result, number, None).real
            yield Frame(float(number), _xyz(shape), {"displacement": _xyz(field), **loads})
    elif main is None:
        yield Frame(0.0, _xyz(shape), loads)
    else:
        places = result.data[main].values.astype(float)
        if main == "time":
            velocity = np.gradient(shape, places, axis=0) if len(places) > 1 else np.zeros_like(shape)
            loads["speed"] = np.linalg.norm(velocity, axis=-1)
        for number, place in enumerate(places):
            yield Frame(float(place), _xyz(shape[number]), {key: values[number] for key, values in loads.items()})


def _loads(result: Result) -> dict[str, np.ndarray]:
    """Return bending moment and axial force of beams, tension of lines, at every station; zero elsewhere."""
    found = {}
    for key, component in (("bending_moment", "M"), ("axial_force", "N")):
        values = scene.along_beams(result, component)
        if values is not None:
            found[key] = np.nan_to_num(values)
    if "tension" in result.data and result.data.sizes.get("line"):
        lines = result.data["line"].values.tolist()
        owner = np.array([lines.index(part) if part in lines else -1 for part in result.data["part"].values])
        found["tension"] = np.where(owner >= 0, result.data["tension"].values[..., owner], 0.0)
    return found


def _cells(result: Result, stations: np.ndarray) -> np.ndarray:
    """Return (lines, 2) neighbouring stations of each part, numbered within the block."""
    part = result.data["part"].values[stations]
    first = np.flatnonzero(part[1:] == part[:-1])
    return np.column_stack([first, first + 1])


def _xyz(points: np.ndarray) -> np.ndarray:
    """Return points with z = 0 for planar ones."""
    return np.pad(points, ((0, 0), (0, 3 - points.shape[-1])))


def _write_vtu(path: Path, points: np.ndarray, cells: np.ndarray, data: Mapping[str, np.ndarray]) -> None:
    ends = 2 * np.arange(1, len(cells) + 1)
    lines = [
        '<?xml version="1.0"?>',
        '<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64">',
        f'<UnstructuredGrid><Piece NumberOfPoints="{len(points)}" NumberOfCells="{len(cells)}">',
        "<Points>",
        _data_array("points", points),
        "</Points><Cells>",
        *(_data_array(name, each) for name, each in (("connectivity", cells.reshape(-1)), ("offsets", ends))),
        _data_array("types", np.full(len(cells), LINE, np.uint8)),
        "</Cells><PointData>",
        *(_data_array(name, each) for name, each in data.items()),
        "</PointData></Piece></UnstructuredGrid></VTKFile>",
    ]
    path.write_text("\n".join(lines), encoding="ascii")


def _data_array(name: str, values: np.ndarray) -> str:
    """Return an array as VTK's XML: its length and bytes."""
    kind = {"f": "Float64", "i": "Int64", "u": "UInt8"}[values.dtype.kind]
    raw = np.ascontiguousarray(values, values.dtype.newbyteorder("<")).tobytes()
    text = base64.b64encode(np.array([len(raw)], "<u8").tobytes() + raw).decode("ascii")
    components = f' NumberOfComponents="{values.shape[1]}"' if values.ndim > 1 else ""
    return f'<DataArray type="{kind}" Name="{name}"{components} format="binary">{text}</DataArray>'
