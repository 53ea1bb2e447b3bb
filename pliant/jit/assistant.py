"""A second process that helps to compile: numba compiles one kernel at a time in a process.

The first kernel that is missing in the cache says so on standard error and starts the assistant (an empty cache does it
before the rest of pliant is imported), which computes a small
mechanism of the kind at hand (pliant/warm_up.py) from the other end: motion first. Claims in the cache keep the two
from compiling the same kernel.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress

from pliant._threads import python_command
from pliant.errors import OptionError

QUIET = "PLIANT_NO_ASSISTANT"  # set in the assistant itself
_job: list[str] = []  # what to help with; emptied when the assistant has been started
_expected: set[tuple[str, str]] = set()  # jobs that were announced in this process
_helped: set[tuple[str, ...]] = set()  # jobs for which there was an assistant


def expect(formulation: str, space: str, *, all_missing: Callable[[], bool]) -> None:
    """What is going to be compiled, should anything be missing; whether all is, is asked once for a job."""
    _job[:] = [formulation, space]
    if (formulation, space) not in _expected:
        _expected.add((formulation, space))
        if all_missing():
            call()


def call() -> None:
    """Start the assistant, once for a job."""
    job, _job[:] = tuple(_job), []
    if not job or job in _helped or QUIET in os.environ:
        return
    _helped.add(job)
    print("pliant: compiling kernels, once; this takes some seconds.", file=sys.stderr, flush=True)  # noqa: T201
    with suppress(OSError, OptionError):  # it only helps; inside of another program there is no Python to start
        subprocess.Popen(
            python_command("pliant.warm_up", *job),
            env={**os.environ, QUIET: "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
