"""Compute all scenarios, or those whose names hold a word, and write their numbers to a file.

    python tests/plain/run.py <file> [word]
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import sys
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import scenarios

from pliant.errors import PliantWarning

Numbers = dict[str, list[Any]]


def computed(word: str = "") -> tuple[dict[str, Numbers], list[str]]:
    """Numbers of the scenarios, and the names of those that failed."""
    found: dict[str, Numbers] = {}
    failed = []
    for module in pkgutil.iter_modules(scenarios.__path__):
        for what, compute in importlib.import_module(f"scenarios.{module.name}").scenarios():
            name, began = f"{module.name}: {what}", time.process_time()
            if word not in name:
                continue
            try:
                found[name] = {key: np.asarray(value, float).tolist() for key, value in compute().items()}
            except Exception:  # the others are computed all the same
                traceback.print_exc()
                failed.append(name)
            print(f"{time.process_time() - began:6.2f} s  {name}", flush=True)
    return found, failed


if __name__ == "__main__":
    warnings.simplefilter("ignore", PliantWarning)
    numbers, failed = computed(*sys.argv[2:])
    Path(sys.argv[1]).write_text(json.dumps(numbers))
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)
