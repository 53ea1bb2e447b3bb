"""Files of triangles: STL, text and binary, and the corners and faces of OBJ. Binary STL is also written.

Formats: 3D Systems, StereoLithography Interface Specification, 1989; Wavefront, Advanced Visualizer, appendix B.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pliant.errors import FileError
from pliant.whole_files import whole_file

Array = npt.NDArray[np.float64]
Triangles = npt.NDArray[np.int64]

MOST = 100_000
"""Triangles of one mesh."""
LARGEST_FILE = 64_000_000  # bytes
HEAD, RECORD = 84, 50  # bytes of a binary STL file: its head, and each triangle
LAYOUT = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
BEGUN = re.compile(rb"^\s*vertex\b", re.MULTILINE | re.IGNORECASE)
VERTEX = re.compile(rb"^\s*vertex\s+(\S+)\s+(\S+)\s+(\S+)\s*$", re.MULTILINE | re.IGNORECASE)


def read_mesh(path: str | os.PathLike[str]) -> tuple[Array, Triangles]:
    """Return points (n, 3) and triangles (m, 3) of a file; FileError describes a defect."""
    path = Path(path)
    readers = {".stl": _stl, ".obj": _obj}
    if path.suffix.lower() not in readers:
        raise FileError(f"{path}: a mesh is read from .stl or .obj. Export it as one of these.")
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise FileError(
                f"{path}: has {path.stat().st_size} bytes; at most {LARGEST_FILE} are read. Simplify it first."
            )
        content = path.read_bytes()
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror or error}.") from error
    points, triangles = readers[path.suffix.lower()](path, content)
    if not len(triangles):
        raise FileError(f"{path}: has no triangles.")
    if len(triangles) > MOST:
        raise FileError(f"{path}: has {len(triangles)} triangles; at most {MOST} are drawn. Simplify it first.")
    if not np.isfinite(points).all():
        raise FileError(f"{path}: has a corner that is not a finite number.")
    return points, triangles


def _stl(path: Path, content: bytes) -> tuple[Array, Triangles]:
    count = int.from_bytes(content[80:HEAD], "little") if len(content) >= HEAD else -1
    if len(content) == HEAD + RECORD * count:
        found = np.frombuffer(content, LAYOUT, offset=HEAD)["corners"].reshape(-1, 3).astype(float)
    elif content.lstrip()[:5].lower() == b"solid":
        words = VERTEX.findall(content)
        if len(words) != len(BEGUN.findall(content)) or len(words) % 3:
            raise FileError(f"{path}: is damaged: three lines 'vertex x y z' a triangle are needed.")
        found = _numbers(path, words)
    else:
        said = f"says {count} triangles, which need {HEAD + RECORD * count} bytes" if count >= 0 else "has no head"
        raise FileError(f"{path}: is no STL file, or cut short: it {said}; it has {len(content)}.")
    points, numbers = np.unique(found, axis=0, return_inverse=True)
    return points, numbers.reshape(-1, 3).astype(np.int64)


def _obj(path: Path, content: bytes) -> tuple[Array, Triangles]:
    corners: list[tuple[bytes, ...]] = []
    faces: list[tuple[int, int, int]] = []
    for number, line in enumerate(content.splitlines(), 1):
        words = line.split()
        if not words or words[0] not in (b"v", b"f"):
            continue
        if words[0] == b"v":
            corners.append(tuple(words[1:4]))
            if len(words) < 4:
                raise FileError(f"{path}: line {number}: a corner needs three numbers.")
            continue
        try:
            around = [int(word.split(b"/")[0]) for word in words[1:]]
        except ValueError:
            around = []
        around = [k - 1 if k > 0 else len(corners) + k if k < 0 else -1 for k in around]
        if len(around) < 3 or min(around) < 0 or max(around) > LARGEST_FILE:
            raise FileError(f"{path}: line {number}: a face needs three numbers of corners, counted from 1.")
        faces += [(around[0], b, c) for b, c in zip(around[1:], around[2:], strict=False)]
        if len(faces) > MOST:
            raise FileError(f"{path}: has more than {MOST} triangles. Simplify it first.")
    triangles = np.array(faces, np.int64).reshape(-1, 3)
    if triangles.size and triangles.max() >= len(corners):
        raise FileError(f"{path}: a face names the corner {triangles.max() + 1}; there are {len(corners)}.")
    return _numbers(path, corners), triangles


def _numbers(path: Path, words: list[tuple[bytes, ...]]) -> Array:
    try:
        return np.array([[float(word) for word in row] for row in words], float).reshape(-1, 3)
    except ValueError as error:
        raise FileError(f"{path}: a corner is no number: {error}.") from error


def write_stl(path: Path, points: Array, triangles: Triangles) -> None:
    """Write a binary STL file, whole or not at all."""
    corners = points[triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    records = np.zeros(len(triangles), LAYOUT)
    records["corners"], length = corners, np.linalg.norm(normal, axis=1, keepdims=True)
    records["normal"] = normal / np.where(length > 0.0, length, 1.0)
    with whole_file(path) as part:
        part.write_bytes(b"pliant".ljust(80) + len(triangles).to_bytes(4, "little") + records.tobytes())
