"""A second process that helps to compile: numba compiles only one kernel at a time per process.

The first kernel that is missing in the cache writes a line to standard error and starts the assistant (an empty cache
starts it before the rest of pliant is imported). The assistant computes a small mechanism of the same kind
(pliant/warm_up.py) in the opposite order: motion first. Claims in the cache prevent both from compiling the same
kernel.
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
_job: list[str] = []  # the present job; emptied when the assistant has started
_expected: set[tuple[str, str]] = set()  # jobs announced in this process
_helped: set[tuple[str, ...]] = set()  # jobs that had an assistant


def expect(formulation: str, space: str, *, all_missing: Callable[[], bool]) -> None:
    """Announce what may have to be compiled; start the assistant now if nothing is compiled yet (once per job)."""
    _job[:] = [formulation, space]
    if (formulation, space) not in _expected:
        _expected.add((formulation, space))
        if all_missing():
            call()


def call() -> None:
    """Start the assistant, once per job."""
    job, _job[:] = tuple(_job), []
    if not job or job in _helped or QUIET in os.environ:
        return
    _helped.add(job)
    print("pliant: compiling kernels, once; this takes some seconds.", file=sys.stderr, flush=True)  # noqa: T201
    with suppress(OSError, OptionError):  # optional; an embedded Python cannot start another one
        subprocess.Popen(
            python_command("pliant.warm_up", *job),
            env={**os.environ, QUIET: "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
