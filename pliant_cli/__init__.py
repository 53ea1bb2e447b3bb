"""The command `pliant`."""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Sequence
from typing import Any, cast


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line. An error prints its message, `--debug` shows its traceback; exit codes as in `console`."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given

    from pliant_cli.app import add_commands, app, own_commands

    warnings.showwarning = cast(Any, _note)
    _replace_unwritable()
    try:
        if next((word for word in given if not word.startswith("-")), "") not in own_commands():
            add_commands()
        app([word for word in given if word != "--debug"], prog_name="pliant")
    except SystemExit as end:
        if end.code == 130:
            sys.stderr.write("\nStopped.\n")
        raise
    except Exception as error:
        if debug:
            raise
        raise SystemExit(_explain(error)) from None


def _replace_unwritable() -> None:
    """Write question marks for signs that the terminal or file lacks (✓ in cp1252, the code page of Windows)."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _note(message: Any, *_: Any, **__: Any) -> None:
    """Write a warning as one line."""
    sys.stderr.write(f"Note: {message}\n")


def _explain(error: Any) -> int:
    """Write the message of an error, and return the exit code."""
    from pliant.errors import AssemblyError, ConvergenceError, PliantError, SingularError
    from pliant_cli.console import BAD_INPUT, BUG, NOT_OK

    if not isinstance(error, PliantError):
        sys.stderr.write(f"Error: {type(error).__name__}: {error}\nA fault of pliant: --debug shows where.\n")
        return BUG
    sys.stderr.write(f"Error: {error}\n")
    return NOT_OK if isinstance(error, ConvergenceError | SingularError | AssemblyError) else BAD_INPUT
