"""Studies whose processes are killed: every finished run is in the store once, with the same bytes."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("zarr")
pytest.importorskip("distributed")

from tests.faults import kills

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no kill -9")


def test_random_kills_of_a_study(tmp_path: Path) -> None:
    kills.torment(tmp_path, 3, seed=1)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """Yield a scheduler and two workers, started by command."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    tool = [sys.executable, "-m", "dask"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": kills.ROOT}
    lonely = ["--no-dashboard"]
    commands = [
        [*tool, "scheduler", "--host", "127.0.0.1", "--port", address.rpartition(":")[2], *lonely],
        *2 * [[*tool, "worker", address, "--no-nanny", "--nthreads", "1", *lonely, "--local-directory", str(tmp_path)]],
    ]
    running = [subprocess.Popen(command, **quiet) for command in commands]
    try:
        yield address, running
    finally:
        for process in running:
            process.kill()
            process.wait()


def test_a_worker_of_a_cluster_is_killed(cluster: tuple[str, list[subprocess.Popen[bytes]]], tmp_path: Path) -> None:
    address, (scheduler, first, second) = cluster
    study = kills.begun(tmp_path, address)
    end = time.monotonic() + 100.0
    while kills.done(tmp_path) < kills.RUNS // 4:
        assert study.poll() is None
        assert time.monotonic() < end
        time.sleep(0.01)
    os.kill(first.pid, signal.SIGKILL)
    while kills.done(tmp_path) < kills.RUNS // 2:
        assert study.poll() is None
        time.sleep(0.01)
    os.kill(scheduler.pid, signal.SIGKILL)
    os.kill(second.pid, signal.SIGKILL)  # alone it would finish its batch while the study goes on elsewhere
    assert study.wait(timeout=60.0) != 0  # what it has is kept
    kills.finish(tmp_path, again=2)
