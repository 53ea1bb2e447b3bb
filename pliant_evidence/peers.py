"""Other programs that jobs are timed beside: MuJoCo, Pinocchio, OpenSees (`pip install pliant[peers]`)."""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
from pathlib import Path

from pliant_testing.benchmarking import Comparison, Peer, find_peer

MISSING = "not installed: pip install 'pliant[peers]'"


def mujoco() -> Peer | None:
    """Return MuJoCo, or None if it is not installed."""
    return find_peer("mujoco")


def pinocchio() -> Peer | None:
    """Return Pinocchio, or None if it is not installed."""
    return find_peer("pinocchio", distribution="pin")


def opensees() -> Peer | None:
    """Return OpenSees, or None if it is not installed, or does not load. Its wheel for Linux does not find the
    libraries that it brings: they are loaded before it.
    """
    linux = importlib.util.find_spec("openseespylinux")
    if linux is not None and linux.origin is not None:
        for name in ("libquadmath.so.0", "libgfortran.so.4", "libblas.so.3"):
            with contextlib.suppress(OSError):
                ctypes.CDLL(str(Path(linux.origin).parent / "lib" / name), mode=ctypes.RTLD_GLOBAL)
    try:
        return find_peer("openseespy.opensees", distribution="openseespy")
    except RuntimeError:  # its word for a library that is missing
        return None


def compared(
    case: str,
    size: int | str,
    seconds: float,
    name: str,
    peer: Peer | None,
    *,
    settings: str = "",
    peer_s: float | None = None,
    error: float | None = None,
    peer_error: float | None = None,
    required_ratio: float | None = None,
) -> Comparison:
    """Return a row beside a peer; one that is missing is named."""
    return Comparison(
        case, size, seconds,
        peer=peer.label if peer else name,
        peer_settings=settings if peer else MISSING,
        peer_s=peer_s, pliant_error=error, peer_error=peer_error, required_ratio=required_ratio,
    )  # fmt: skip
