"""Run all scenarios compiled and, under `coverage`, as plain Python; compare their numbers; count the lines run.

python -m tests.plain
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from pliant.jit.assistant import QUIET
from tests.plain.compare import differences
from tests.plain.cover import ROOT, SOURCES, covered

RUN = ["-m", "tests.plain.run"]
PARTS = 2  # processes in which scenarios are computed as plain Python, which takes longest
COVERAGE = ["-m", "coverage", "run", "--include=" + ",".join(f"{source}/*" for source in SOURCES)]


def start(*words: str, plain: bool) -> subprocess.Popen[bytes]:
    """Start a run in a process of its own: whether kernels are compiled is settled when numba is imported."""
    given = {**os.environ, "NUMBA_DISABLE_JIT": str(int(plain)), "OPENBLAS_NUM_THREADS": "1", QUIET: "1"}
    return subprocess.Popen([sys.executable, *words], cwd=ROOT, env=given)


def main() -> int:
    """Compare both runs; return 0 if they agree and enough lines were run."""
    with tempfile.TemporaryDirectory() as folder:
        data = [f"{folder}/coverage.{k}" for k in range(PARTS)]
        plain, compiled = [Path(folder, f"plain.{k}.json") for k in range(PARTS)], Path(folder, "compiled.json")
        runs = [
            start(*COVERAGE, f"--data-file={data[k]}", *RUN, str(plain[k]), "", str(k), str(PARTS), plain=True)
            for k in range(PARTS)
        ]
        runs.append(start(*RUN, str(compiled), plain=False))
        for each in runs:
            each.wait()
        if any(each.returncode for each in runs):
            return 1
        numbers = {name: found for each in plain for name, found in json.loads(each.read_text()).items()}
        different = list(differences(numbers, json.loads(compiled.read_text())))
        print("\n".join(different or ["Plain Python and compiled code agree."]))
        return int(not covered(data) or bool(different))


if __name__ == "__main__":
    sys.exit(main())
