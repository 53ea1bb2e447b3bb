"""Motion capture in C3D files: places of markers at every frame (the C3D File Format, c3d.org, 2021).

    block 1      header: number of points, frames, scale, where the data begin, frames a second
    parameters   groups of named values: POINT:LABELS, POINT:UNITS, POINT:RATE
    data         of every frame x, y, z and a fourth word of every point, then analog samples, which are left out

The fourth word is negative where a point was not seen.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np

from pliant.errors import FileError

BLOCK = 512  # bytes
KEY = 0x50
ORDERS = {84: "<", 86: ">"}  # processors: Intel, MIPS
TYPES = {1: "i1", 2: "i2", 4: "f4"}


def columns_of(path: Path) -> dict[str, np.ndarray]:
    """``Time [s]``, then ``<marker>:x [mm]``, ``:y``, ``:z``; NaN where a marker was not seen."""
    content = path.read_bytes()
    try:
        return _read(path, content)
    except (struct.error, IndexError, ValueError, UnicodeDecodeError) as error:
        raise FileError(f"{path} is truncated or damaged: {error}") from error


def _read(path: Path, content: bytes) -> dict[str, np.ndarray]:
    if len(content) < 2 * BLOCK or content[1] != KEY:
        raise FileError(f"{path}: it is no C3D file. Export .trc or .csv from the program that wrote it.")
    begin = BLOCK * (content[0] - 1)
    order = ORDERS.get(content[begin + 3])
    if order is None:
        raise FileError(f"{path}: its numbers are those of a DEC computer, which are not read. Export .trc or .csv.")
    points, analog, first, last, _, scale, data, _, rate = struct.unpack_from(f"{order}HHHHHfHHf", content, 2)
    known = _parameters(content, begin + 4, order)
    rate = float(known.get("POINT:RATE", [rate])[0])
    start = BLOCK * (int(known.get("POINT:DATA_START", [data])[0]) - 1)
    kind = np.dtype(f"{order}{'f4' if scale < 0.0 else 'i2'}")
    wide = 4 * points + analog
    frames = (len(content) - start) // (kind.itemsize * wide)
    if last >= first and last < 65535:  # longer recordings do not fit into the header
        if frames < last - first + 1:
            raise ValueError(f"{last - first + 1} frames are announced, {frames} are there")
        frames = last - first + 1
    if not (points and frames > 0 and rate > 0.0):
        raise FileError(f"{path}: it has {points} points, {frames} frames and {rate:g} frames a second.")
    table = np.frombuffer(content, kind, frames * wide, start).reshape(frames, wide)[:, : 4 * points].astype(float)
    places = table.reshape(frames, points, 4)
    seen = places[:, :, 3] >= 0.0
    places = np.where(seen[:, :, None], places[:, :, :3] * (1.0 if scale < 0.0 else scale), np.nan)
    units = str(known.get("POINT:UNITS", [""])[0])
    labels = [str(each) for each in known.get("POINT:LABELS", [])][:points]
    labels += [f"point {k + 1}" for k in range(len(labels), points)]
    if repeated := sorted({label for label in labels if labels.count(label) > 1}):
        raise FileError(f"{path}: several points are called {repeated[0]!r}.")
    found = {"Time [s]": (first - 1 + np.arange(frames)) / rate}
    for k, label in enumerate(labels):
        found |= {f"{label}:{a} [{units}]" if units else f"{label}:{a}": places[:, k, i] for i, a in enumerate("xyz")}
    return found


def _parameters(content: bytes, place: int, order: str) -> dict[str, list[Any]]:
    """Values by "GROUP:NAME"."""
    groups: dict[int, str] = {}
    found: list[tuple[int, str, list[Any]]] = []
    while True:
        size, number = struct.unpack_from("bb", content, place)
        if size == 0 or number == 0:
            break
        name = content[place + 2 : place + 2 + abs(size)].decode("ascii").strip().upper()
        after = place + 2 + abs(size)
        offset = struct.unpack_from(f"{order}H", content, after)[0]
        if number < 0:
            groups[-number] = name
        else:
            found.append((number, name, _values(content, after + 2, order)))
        if offset == 0:
            break
        place = after + offset
    return {f"{groups.get(number, '')}:{name}": values for number, name, values in found}


def _values(content: bytes, place: int, order: str) -> list[Any]:
    kind, count = struct.unpack_from("bB", content, place)
    sizes = list(content[place + 2 : place + 2 + count])
    begin, total = place + 2 + count, int(np.prod(sizes, initial=1))
    if kind != -1:
        kinds = np.dtype(f"{order}{TYPES[kind]}") if kind in TYPES else None
        if kinds is None:
            raise ValueError(f"a parameter is of the type {kind}")
        unsigned = np.frombuffer(content, kinds, total, begin)
        return list((unsigned.view(f"{order}u2") if kind == 2 else unsigned).tolist())
    text = content[begin : begin + total].decode("latin-1")
    width = sizes[0] if sizes else total
    return [text[k : k + width].strip("\0 ") for k in range(0, total, width or 1)]
