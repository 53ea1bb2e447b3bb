"""Files that are whole or not there: written under a hidden name beside their place, and moved there when complete.

The hidden name says which process writes it, ``.run.<machine>.<process>.part.nc``. What one that was killed has left is
removed when the same file is written again.
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
def written_whole(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` that takes its place when the block ends well and vanishes when it does not."""
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
    """Where this process writes a file or folder until it is whole; what dead processes left there is removed."""
    before, behind = f".{path.stem}.{_machine()}.", f".part{path.suffix}"
    with suppress(OSError):
        for left in path.parent.iterdir():
            process = left.name.removeprefix(before).removesuffix(behind)
            if left.name == f"{before}{process}{behind}" and process.isdecimal() and not is_alive(int(process)):
                shutil.rmtree(left) if left.is_dir() else left.unlink(missing_ok=True)
    return path.with_name(f"{before}{os.getpid()}{behind}")


def is_alive(process: int) -> bool:
    """Whether a process of this machine runs; on Windows, where asking would interrupt it, always."""
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
    """This machine in few letters: a folder may be seen by several."""
    import hashlib
    import socket

    return hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]
