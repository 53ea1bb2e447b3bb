"""Atomic writing of files: written under a hidden name beside their place, and moved there when complete.

The hidden name states the process, ``.run.<machine>.<process>.part.nc``. Leftovers of a killed process are removed when
the same file is written again.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from pliant.errors import FileError


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path` that replaces it if the block succeeds and is deleted if it fails."""
    if path.is_dir():
        raise FileError(f"cannot write {path}: it is a directory; give the name of a file")
    if not path.parent.is_dir():
        raise FileError(f"cannot write {path}: the directory {path.parent} does not exist; create it first")
    part = draft_of(path)
    try:
        yield part
        os.replace(part, path)
    except OSError as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def draft_of(path: Path) -> Path:
    """Return this process's temporary path for a file or folder; remove temporary files of dead processes."""
    before, behind = f".{path.stem}.{_machine()}.", f".part{path.suffix}"
    with suppress(OSError):
        for left in path.parent.iterdir():
            process = left.name.removeprefix(before).removesuffix(behind)
            if left.name == f"{before}{process}{behind}" and process.isdecimal() and not is_alive(int(process)):
                shutil.rmtree(left) if left.is_dir() else left.unlink(missing_ok=True)
    return path.with_name(f"{before}{os.getpid()}{behind}")


def is_alive(process: int) -> bool:
    """Return whether a process of this machine runs; always True on Windows, where a check would interrupt it."""
    if sys.platform == "win32":
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # another user's
        return True
    return True


@cache
def _machine() -> str:
    """Return a short hash of this machine's name: several machines may share a folder."""
    import hashlib
    import socket

    return hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]
