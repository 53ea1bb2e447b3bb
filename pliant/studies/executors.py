"""Executors of batches: threads of this process, processes of this machine, or a dask cluster.

An executor takes a batch and returns a future of its rows. If the worker was killed, the future raises `WorkerDied`.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
from abc import ABC, abstractmethod
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from pliant._threads import ONE_THREAD, python_command
from pliant.errors import OptionError, PliantError
from pliant.studies.batches import Batch, Computed, compute
from pliant.studies.job import Job
from pliant.studies.shipping import pack, unpack
from pliant.studies.worker import receive, send

if TYPE_CHECKING:
    from distributed import Client

On: TypeAlias = "str | Client"
MEMORY = 2e9  # bytes; a worker with more is replaced


class WorkerDied(Exception):
    """A worker ended before it had answered."""


class Executor(ABC):
    """Base of executors; a context that ends their workers."""

    @property
    @abstractmethod
    def slots(self) -> int:
        """Return how many batches are computed at once, at present."""

    @abstractmethod
    def submit(self, batch: Batch) -> Future[Computed]:
        """Submit a batch."""

    @abstractmethod
    def close(self) -> None:
        """End the executor and abandon running batches."""

    def __enter__(self) -> Executor:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class Threads(Executor):
    """Threads of this process."""

    def __init__(self, job: Job, count: int) -> None:
        self.job, self.count, self.pool = job, count, ThreadPoolExecutor(count)

    @property
    def slots(self) -> int:
        """Return the number of threads."""
        return self.count

    def submit(self, batch: Batch) -> Future[Computed]:
        """Submit a batch to the pool."""
        return self.pool.submit(compute, self.job, batch)

    def close(self) -> None:
        """Wait for running batches, since nothing can end a thread."""
        self.pool.shutdown(cancel_futures=True)


class Processes(Executor):
    """Processes of this machine, each with a thread that waits for its answers."""

    def __init__(self, job: Job, count: int) -> None:
        self.command = python_command("pliant.studies.worker", path=sys.path)  # its functions may come from any folder
        self.content, self.count = pack(job), count
        self.pool, self.mine = ThreadPoolExecutor(count), threading.local()
        self.all: set[subprocess.Popen[bytes]] = set()
        self.closed = False

    @property
    def slots(self) -> int:
        """Return the number of processes."""
        return self.count

    def submit(self, batch: Batch) -> Future[Computed]:
        """Submit a batch to a thread, which passes it to its process."""
        return self.pool.submit(self._compute, batch)

    def _compute(self, batch: Batch) -> Computed:
        worker = self._worker()
        try:
            send(worker.stdin, batch)  # type: ignore[arg-type]
            found = receive(worker.stdout)  # type: ignore[arg-type]
        except (EOFError, OSError) as error:
            self._end(worker)
            raise WorkerDied(f"its worker ended with {worker.returncode}") from error
        if isinstance(found, Exception):
            self._end(worker)
            raise OptionError(f"study: the function did not arrive at a worker: {type(found).__name__}: {found}")
        if found.memory > MEMORY:
            self._end(worker)
        return found

    def _worker(self) -> subprocess.Popen[bytes]:
        worker: subprocess.Popen[bytes] | None = getattr(self.mine, "worker", None)
        if worker is None or worker not in self.all:
            if self.closed:
                raise WorkerDied("the study has ended")
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
            worker = subprocess.Popen(self.command, env={**os.environ, **ONE_THREAD}, **pipes)  # type: ignore[call-overload]
            self.mine.worker = worker
            self.all.add(worker)
            try:
                send(worker.stdin, self.content)  # type: ignore[arg-type]
            except OSError as error:
                self._end(worker)
                raise WorkerDied(f"its worker ended with {worker.returncode} when it began") from error
        return worker

    def _end(self, worker: subprocess.Popen[bytes]) -> None:
        self.all.discard(worker)
        worker.kill()
        worker.wait()
        for pipe in (worker.stdin, worker.stdout):
            try:
                pipe.close()  # type: ignore[union-attr]
            except OSError:
                continue

    def close(self) -> None:
        """End the processes at once."""
        self.closed = True
        for worker in list(self.all):
            worker.kill()
        self.pool.shutdown(cancel_futures=True)
        for worker in list(self.all):
            self._end(worker)


class Cluster(Executor):
    """Workers of dask.distributed, by the address of a scheduler or by a client."""

    def __init__(self, job: Job, on: Any) -> None:
        try:
            from distributed import Client
        except ImportError as error:
            raise OptionError(
                "study: dask.distributed is not installed. Install it with: pip install pliant[study]"
            ) from error
        self.own = isinstance(on, str)
        try:
            self.client = Client(on, set_as_default=False) if self.own else on  # type: ignore[no-untyped-call]
        except OSError as error:
            raise OptionError(f"on={on!r}: no scheduler answers there ({error}).") from error
        content = pack(job)
        self.key = hashlib.sha256(content).hexdigest()
        self.content = self.client.submit(bytes, content, key=f"pliant-job-{self.key}")
        self.tasks: set[Any] = set()

    @property
    def slots(self) -> int:
        """Return the number of threads of all present workers."""
        if self.client.status != "running":
            raise PliantError(
                f"study: the scheduler is gone ({self.client.status}). What was finished is kept: resume=True goes on."
            )
        return max(1, sum(self.client.nthreads().values()))

    def submit(self, batch: Batch) -> Future[Computed]:
        """Submit a batch to the scheduler.

        Answers are released at once: dask would compute them again if the worker that holds them dies, and would find
        no journal of them once their rows are in the store.
        """
        task, answer = self.client.submit(compute_packed, self.key, self.content, batch, pure=False), Future[Computed]()
        self.tasks.add(task)
        answer.set_running_or_notify_cancel()
        task.add_done_callback(lambda task: self._answer(task, answer))
        return answer

    def _answer(self, task: Any, answer: Future[Computed]) -> None:
        try:
            found, error = task.result(), None
        except BaseException as raised:  # CancelledError among them
            found, error = None, raised
        self.tasks.discard(task)
        task.release()
        if error is None:
            answer.set_result(found)
        else:
            answer.set_exception(WorkerDied(str(error)) if isinstance(error, CancelledError) else error)

    def close(self) -> None:
        """Cancel submitted batches."""
        if self.client.status == "running":
            self.client.cancel(list(self.tasks))
        if self.own:
            self.client.close()


@lru_cache(maxsize=4)
def _job(key: str, thread: int, content: bytes) -> Job:
    return unpack(content)


def compute_packed(key: str, content: bytes, batch: Batch) -> Computed:
    """Compute a batch on a worker of a cluster: the job is unpacked once per thread."""
    return compute(_job(key, threading.get_ident(), content), batch)


def executor(on: On, job: Job, workers: int | None) -> Executor:
    """Return the executor for ``on``."""
    count = workers or os.cpu_count() or 1
    if on == "threads":
        return Threads(job, count)
    if on == "processes":
        return Processes(job, count)
    if isinstance(on, str) and "://" not in on:
        raise OptionError(
            f'on={on!r}: choose "processes", "threads", the address of a dask scheduler such as "tcp://host:8786", or '
            "its Client."
        )
    return Cluster(job, on)
