"""Compute all scenarios, or those whose names hold a word, or every n-th from the k-th on, and write their numbers to a
file:

[NUMBA_DISABLE_JIT=1] python -m tests.plain.run <file> [word [k n]]
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numba
import numpy as np

from pliant.errors import PliantWarning
from tests.plain import scenarios

SLOWEST = 3  # scenarios that are named with their times
Numbers = dict[str, list[Any]]


def chosen(word: str) -> Iterator[tuple[str, Callable[[], dict[str, Any]]]]:
    """Yield scenarios whose names hold a word."""
    for module in pkgutil.iter_modules(scenarios.__path__):
        for what, compute in importlib.import_module(f"{scenarios.__name__}.{module.name}").scenarios():
            if word in (name := f"{module.name}: {what}"):
                yield name, compute


def computed(word: str, first: int, every: int) -> tuple[dict[str, Numbers], dict[str, float], list[str]]:
    """Return numbers of the scenarios, their times in s of CPU, and the names of those that failed."""
    found: dict[str, Numbers] = {}
    times: dict[str, float] = {}
    failed = []
    for name, compute in islice(chosen(word), first, None, every):
        began = time.process_time()
        try:
            found[name] = {key: np.asarray(value, float).tolist() for key, value in compute().items()}
        except Exception:  # the others are computed all the same
            traceback.print_exc()
            failed.append(name)
        times[name] = time.process_time() - began
    return found, times, failed


def main(file: str, word: str = "", first: str = "0", every: str = "1") -> str | int:
    """Return the exit code, or what has failed."""
    warnings.simplefilter("ignore", PliantWarning)
    found, times, failed = computed(word, int(first), int(every))
    Path(file).write_text(json.dumps(found))
    how = "plain Python" if numba.config.DISABLE_JIT else "compiled"
    print(f"{how}: {len(times)} scenarios in {time.process_time():.0f} s of CPU; the slowest:")
    for name in sorted(times, key=lambda name: -times[name])[:SLOWEST]:
        print(f"{times[name]:7.1f} s  {name}")
    return f"{how}: failed: {', '.join(failed)}" if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
