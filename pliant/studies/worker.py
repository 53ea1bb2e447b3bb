"""Worker: a process that computes the batches of a study from its standard input, until that ends.

Messages are pickles after their length, between processes of one user, of which one started the other: first the job,
then batches (`Batch`), each answered with the result of `compute`. Output of the job goes to standard error.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import sys
import warnings
from typing import Any, BinaryIO

LENGTH = struct.Struct("<Q")


def send(pipe: BinaryIO, thing: Any) -> None:
    """Write one message."""
    content = pickle.dumps(thing)
    pipe.write(LENGTH.pack(len(content)) + content)
    pipe.flush()


def receive(pipe: BinaryIO) -> Any:
    """Read one message; raise EOFError when the other end is gone."""
    return pickle.loads(_exactly(pipe, LENGTH.unpack(_exactly(pipe, LENGTH.size))[0]))


def _exactly(pipe: BinaryIO, count: int) -> bytes:
    found = pipe.read(count)
    if len(found) < count:
        raise EOFError
    return found


def main() -> None:
    """Serve until standard input ends."""
    from pliant.errors import PliantWarning
    from pliant.studies.batches import compute
    from pliant.studies.shipping import unpack

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the study, which then ends its workers
    warnings.simplefilter("ignore", PliantWarning)  # their names are in the rows
    asked, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        job: Any = receive(asked)
        try:
            job = unpack(job)
        except Exception as error:  # from any content of the job
            send(answers, error if _travels(error) else RuntimeError(f"{type(error).__name__}: {error}"))
            return
        while True:
            found = compute(job, receive(asked))
            send(answers, found._replace(memory=largest_memory()))
    except (EOFError, BrokenPipeError):
        return


def _travels(error: Exception) -> bool:
    try:
        return isinstance(pickle.loads(pickle.dumps(error)), Exception)
    except Exception:
        return False


def largest_memory() -> int:
    """Return the peak memory of this process in bytes; 0 if unknown."""
    if sys.platform == "win32":
        return 0
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    main()
