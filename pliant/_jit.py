"""The one way pliant compiles: the `kernel` decorator and its cache folder.

A compiled caller does not notice an edited callee in another file and would give the old answer. The cache folder is
therefore keyed by a hash of the sources, the numba version and the processor. See docs/decisions.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import llvmlite.binding as llvm
import numba

F = TypeVar("F", bound=Callable[..., Any])

FLAGS: dict[str, Any] = {"error_model": "numpy", "fastmath": {"contract"}, "nogil": True, "no_cfunc_wrapper": True}
KEPT_FOLDERS = 6


def kernel(function: F) -> F:
    """Compile a module-level function with numba, cached between runs; NUMBA_DISABLE_JIT=1 leaves it plain Python.

    Floating point follows numpy (no ZeroDivisionError); only fused multiply-add is allowed to change rounding. A kernel
    makes no arrays (it is compiled without reference counting, which halves the code); see `allocating_kernel`.
    """
    return _compile(function, _nrt=False)


def allocating_kernel(function: F) -> F:
    """A kernel that makes arrays."""
    return _compile(function, _nrt=True)


def python_kernel(function: F) -> F:
    """A kernel that calls back into Python and so holds its lock."""
    return _compile(function, _nrt=True, nogil=False)


def inlined_kernel(function: F) -> F:
    """A kernel that is called from one or two places only and becomes part of its callers: not compiled by itself."""
    return _compile(function, _nrt=False, inline="always")


def _compile(function: F, **flags: Any) -> F:
    flags = FLAGS | flags
    folder = cache_folder()
    if folder is None or not os.path.isfile(function.__code__.co_filename):
        return numba.njit(**flags)(function)
    config: Any = numba.config
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder)  # read at decoration only: other users of numba keep their own folder
    try:
        return numba.njit(cache=True, **flags)(function)
    finally:
        config.CACHE_DIR = before


@lru_cache(maxsize=1)
def cache_folder() -> Path | None:
    """Folder of this version's compiled kernels, created when missing; None where it cannot be written."""
    root = cache_root()
    folder = root / source_hash()
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            _prune(root, keep=KEPT_FOLDERS)
        with tempfile.TemporaryFile(dir=folder):
            os.utime(folder)
    except OSError:
        return None
    return folder


def cache_root() -> Path:
    """$PLIANT_CACHE_DIR, or the platform's folder for caches."""
    if chosen := os.environ.get("PLIANT_CACHE_DIR"):
        return Path(chosen).expanduser().absolute()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", tempfile.gettempdir())) / "pliant" / "cache"
    if sys.platform == "darwin":
        return Path(os.path.expanduser("~/Library/Caches")) / "pliant"
    return Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "pliant"


def source_hash(package: Path = Path(__file__).parent) -> str:
    """Hash of everything a compiled kernel depends on: sources and where they lie, numba and its flags, Python,
    processor.
    """
    digest = hashlib.sha256(str(package.resolve()).encode())  # numba finds nothing that was compiled elsewhere
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).parts
        text = path.read_bytes()
        if b"_jit import" in text:  # a kernel may use what another such file defines, and nothing else of ours
            digest.update("/".join(parts).encode() + b"\0" + text + b"\0")
    digest.update(f"{numba.__version__} {sys.version} {llvm.get_host_cpu_name()}".encode())
    return digest.hexdigest()[:16]


def _prune(root: Path, *, keep: int) -> None:
    """Remove all but the newest cache folders (a process still using an old one only compiles again)."""
    folders = [path for path in root.iterdir() if path.is_dir() and _is_hash(path.name)]
    for old in sorted(folders, key=lambda path: path.stat().st_mtime, reverse=True)[keep:]:
        shutil.rmtree(old, ignore_errors=True)


def _is_hash(name: str) -> bool:
    return len(name) == 16 and set(name) <= set("0123456789abcdef")
