"""The command `pliant`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; a PliantError prints its message and exits with 2, `--debug` shows the traceback."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given

    from pliant.cli.app import app
    from pliant.errors import PliantError

    try:
        app([word for word in given if word != "--debug"], prog_name="pliant")
    except PliantError as error:
        if debug:
            raise
        sys.stderr.write(f"Error: {error}\n")
        raise SystemExit(2) from None
    except SystemExit as end:
        if end.code == INTERRUPTED:
            sys.stderr.write("\nStopped.\n")
        raise
