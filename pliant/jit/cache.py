"""Compiled kernels on disk, each under the hash of its sources: see fingerprint.py.

A file has the hash of its contents and the contents; a damaged file is deleted and the kernel compiled again. Processes
share the work: a process claims a kernel before compiling it, and others wait for the file (calls of kernels have no
cycles, so there is no deadlock). Files that no process has loaded for a while are removed.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import io
import os
import pickle
import socket
import sys
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import numba
from numba.core.caching import _Cache

from pliant.jit import assistant
from pliant.jit.compiling import library_from
from pliant.jit.fingerprint import fingerprint, signature_words
from pliant.jit.machine_code import FORM, Loaded, defined_names
from pliant.whole_files import is_alive

compiler: Any = importlib.import_module("numba.core.compiler")
environment: Any = importlib.import_module("numba.core.environment")
runtime: Any = importlib.import_module("numba.core.runtime").rtsys
serialize: Any = importlib.import_module("numba.core.serialize")

DAYS = 30.0  # an unused kernel is deleted after this time
PATIENCE = 600.0  # s; no kernel takes longer to compile
_DIGEST = 32  # bytes of a hash


class KernelCache(_Cache):
    """Numba's cache interface for one kernel."""

    def __init__(self, function: Any, flags: Any, folder: Path) -> None:
        self._function, self._flags, self.folder = function, flags, folder
        self._stem: str | None = None

    @property
    def cache_path(self) -> str:
        """Folder of all kernels."""
        return str(self.folder)

    def path(self, signature: Any) -> Path:
        """Return the path of the compiled code for arguments of these types."""
        if self._stem is None:
            self._stem = fingerprint(self._function)
        arguments = getattr(signature, "args", signature)
        words = (self._stem, str(self._flags), machine(), *(signature_words(each) for each in arguments))
        key = hashlib.sha256("\n".join(words).encode()).hexdigest()[:32]
        return self.folder / f"{self._function.__name__}-{key}.kernel"

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Return the compiled kernel; None if the caller has to compile it, claimed against other processes."""
        path = self.path(signature)
        while True:
            if (made := _read(path, target)) is not None:
                return made
            if _claim(path):
                assistant.call()
                return None
            time.sleep(0.02)

    def save_overload(self, signature: Any, made: Any) -> None:
        """Store a compiled kernel; on a full or read-only disk it is only compiled again next time."""
        if any(not each.can_cache for each in made.lifted) or made.library.has_dynamic_globals:
            return
        text = serialize.dumps(made._replace(type_annotation="\n".join(defined_names(made.library)))._reduce())
        try:
            handle, name = tempfile.mkstemp(dir=self.folder, suffix=".part")
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(text).digest() + text)
            os.replace(name, self.path(signature))
        except OSError:
            return

    def release(self, signature: Any) -> None:
        """Release a claim, whether or not the kernel was compiled."""
        path = self.path(signature)
        if _claimant(path) == _myself():
            _lock(path).unlink(missing_ok=True)

    def enable(self) -> None:
        """Do nothing: the cache is always on."""

    def disable(self) -> None:
        """Do nothing: the cache is always on."""

    def flush(self) -> None:
        """Do nothing: files are only removed by age."""


def _read(path: Path, target: Any) -> Any:
    """Read a kernel from its file; None if the file is missing, damaged or does not fit other kernels."""
    try:
        text = path.read_bytes()
    except OSError:
        return None
    if not _whole(text):
        path.unlink(missing_ok=True)
        return None
    runtime.initialize(target)
    try:
        made = _rebuild(target, _Stored(*_Reader(io.BytesIO(text[_DIGEST:])).load()))
        os.utime(path)
    except Exception:  # a callee has other types now, or a class is gone
        return None
    return made


def _whole(text: bytes) -> bool:
    return hashlib.sha256(text[_DIGEST:]).digest() == text[:_DIGEST]


class Health(NamedTuple):
    """Statistics of a folder of compiled kernels."""

    kernels: int
    size: int  # bytes
    damaged: int  # compiled again at the next use
    claimed: int  # being compiled now
    abandoned: int  # claims of dead processes, which block no other


def health(folder: Path) -> Health:
    """Read all kernels of a folder and compare each with its hash."""
    size = damaged = count = 0
    for path in folder.glob("*.kernel"):
        with suppress(FileNotFoundError):  # another process removed it
            text = path.read_bytes()
            count, size, damaged = count + 1, size + len(text), damaged + (not _whole(text))
    claims = [_is_valid_claim(who, path) for path in folder.glob("*.claim") if (who := _claimant(path)) is not None]
    return Health(count, size, damaged, sum(claims), len(claims) - sum(claims))


class _Stored(NamedTuple):
    """Numba's data of a compiled kernel, in its order."""

    code: Any
    description: Any
    constants: Any
    signature: Any
    objectmode: bool
    lifted: Any
    names: str  # defined by the code, one per line; numba has annotations here
    links: Any
    other_constants: Any


def _rebuild(target: Any, kept: _Stored) -> Any:
    """Rebuild a compiled kernel from stored data; the kernels that it calls are loaded first."""
    for link in kept.links:
        link()
    if kept.names and kept.code[1] == FORM:
        library = Loaded(target.codegen(), kept.code, kept.names.split("\n"))
    else:
        library = library_from(target, kept.code)
    library._reload_init.update(kept.links)
    entry = target.get_executable(library, kept.description, kept.constants)
    for each in kept.other_constants:
        library.codegen.set_env(each.env_name, each)
    return compiler.compile_result(
        target_context=target,
        typing_context=target.typing_context,
        library=library,
        environment=kept.constants,
        entry_point=entry,
        fndesc=kept.description,
        type_annotation="",
        signature=kept.signature,
        objectmode=kept.objectmode,
        lifted=kept.lifted,
        reload_init=kept.links,
        referenced_envs=kept.other_constants,
    )


class _Reader(pickle.Unpickler):
    """Unpickler of kernels whose module cannot be imported, such as a notebook or a script."""

    def find_class(self, module: str, name: str) -> Any:
        """Replace the module of a kernel's globals if it cannot be imported: compiled code does not use them."""
        return _environment if name == "_rebuild_env" else super().find_class(module, name)


def _environment(module: str, constants: Any, name: str) -> Any:
    importable = module in sys.modules or importlib.util.find_spec(module.partition(".")[0]) is not None
    return environment._rebuild_env(module if importable else __name__, constants, name)


def _claim(path: Path) -> bool:
    """Return whether this process may compile a kernel: no other process claims it, or the claimant is dead."""
    try:
        handle, part = tempfile.mkstemp(dir=path.parent, suffix=".part")
        try:
            with os.fdopen(handle, "w") as file:
                file.write(_myself())
            os.link(part, _lock(path))  # atomic, even if a process is killed
        finally:
            os.unlink(part)
        return True
    except FileExistsError:
        claimant = _claimant(path)
    except OSError:
        return True
    if claimant == _myself():
        return True
    if claimant is not None and not _is_valid_claim(claimant, _lock(path)):
        _lock(path).unlink(missing_ok=True)
    return False


def _lock(path: Path) -> Path:
    return path.with_suffix(".claim")


def _myself() -> str:
    return f"{socket.gethostname()} {os.getpid()}"


def _claimant(path: Path) -> str | None:
    """Return the process that claims a kernel."""
    try:
        return _lock(path).read_text()
    except OSError:
        return None


def _is_valid_claim(claimant: str, lock: Path) -> bool:
    """Return whether a claimant is alive and within its time; False for a claim without a process."""
    host, _, number = claimant.rpartition(" ")
    try:
        if not number.isdecimal() or time.time() - lock.stat().st_mtime > PATIENCE:
            return False
        return host != socket.gethostname() or is_alive(int(number))
    except FileNotFoundError:
        return False
    except OSError:
        return True


@cache
def machine() -> str:
    """Return all that machine code depends on besides its source, including how numba is modified (two files)."""
    features = ",".join(f"{name}{int(on)}" for name, on in sorted(llvm.get_host_cpu_features().items()))
    ways = b"".join((Path(__file__).parent / name).read_bytes() for name in ("arrays.py", "compiling.py"))
    made = hashlib.sha256(ways).hexdigest()
    return f"{numba.__version__} {sys.version} {llvm.get_host_cpu_name()} {features} {made}"


@cache
def cache_folder() -> Path | None:
    """Return the folder of compiled kernels, created if missing; None if it cannot be written."""
    folder = cache_root() / "kernels"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            _remove_old(folder)
    except OSError:
        return None
    return folder


def nothing_compiled() -> bool:
    """Return whether kernels are compiled and stored, and none is stored yet."""
    folder = None if numba.config.DISABLE_JIT else cache_folder()  # type: ignore[attr-defined]
    if folder is None:
        return False
    with os.scandir(folder) as found:
        return not any(each.name.endswith(".kernel") for each in found)


def cache_root() -> Path:
    """Return $PLIANT_CACHE_DIR, or the platform's folder for caches."""
    if chosen := os.environ.get("PLIANT_CACHE_DIR"):
        return Path(chosen).expanduser().absolute()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", tempfile.gettempdir())) / "pliant" / "cache"
    if sys.platform == "darwin":
        return Path(os.path.expanduser("~/Library/Caches")) / "pliant"
    return Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "pliant"


def _remove_old(folder: Path) -> None:
    """Remove files that have not been used for long; check once a day."""
    mark, now = folder / "swept", time.time()
    if mark.exists() and now - mark.stat().st_mtime < 86400.0:
        return
    mark.touch()
    for path in folder.iterdir():
        longest = PATIENCE if path.suffix in (".part", ".claim") else DAYS * 86400.0  # leftovers of killed processes
        with suppress(FileNotFoundError):  # other processes remove and rename files too
            if path != mark and now - path.stat().st_mtime > longest:
                path.unlink()
