"""Threads of linear algebra, one where several processes share the processors; the command line of a second Python."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable

from pliant.errors import OptionError

ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
_PYTHON = re.compile(r"(python|pypy)w?[\d.]*[a-z]{0,2}(-\w+)?(\.exe)?", re.IGNORECASE)  # python3.13t, python3-dbg


def use_one_thread() -> None:
    """Use one thread in this process unless the environment says otherwise; call it before numpy is imported."""
    for name, count in ONE_THREAD.items():
        os.environ.setdefault(name, count)


def python_command(module: str, *arguments: str, path: Iterable[str] | None = None) -> list[str]:
    """Build the command that runs a module in a new Python, which imports from the folders of `path`.

    By default these are the folders of this process and of its pliant, without the working folder: it may have
    untrusted files.
    """
    program = sys.executable or ""
    if not (os.path.isabs(program) and os.path.isfile(program) and _PYTHON.fullmatch(os.path.basename(program))):
        raise OptionError(
            f"A second Python cannot be started: sys.executable is {sys.executable!r}, not a Python of its own. "
            'A study computes in this process with on="threads".'
        )
    folders = _trusted_folders() if path is None else [*map(str, path)]
    code = f"import runpy, sys; sys.path[:] = {folders!r}; runpy.run_module({module!r}, run_name='__main__')"
    return [program, "-P", "-c", code, *arguments]


def _trusted_folders() -> list[str]:
    home, working = os.path.dirname(os.path.dirname(os.path.abspath(__file__))), os.path.realpath(os.curdir)
    others = [each for each in map(str, sys.path) if os.path.isabs(each) and os.path.realpath(each) != working]
    return others if home in others else [home, *others]
