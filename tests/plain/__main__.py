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

from tests.plain.compare import differences
from tests.plain.cover import SOURCE, covered

RUN = ["-m", "tests.plain.run"]
COVERAGE = ["-m", "coverage", "run", f"--include={SOURCE}/*"]


def started(*words: str, plain: bool) -> subprocess.Popen[bytes]:
    """A run in a process of its own: whether kernels are compiled is settled when numba is imported."""
    given = {**os.environ, "NUMBA_DISABLE_JIT": str(int(plain)), "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.Popen([sys.executable, *words], cwd=SOURCE.parent, env=given)


def main() -> int:
    """0 if both runs agree and enough lines were run."""
    with tempfile.TemporaryDirectory() as folder:
        data, files = Path(folder, "coverage"), [Path(folder, name) for name in ("plain.json", "compiled.json")]
        runs = [
            started(*COVERAGE, f"--data-file={data}", *RUN, str(files[0]), plain=True),
            started(*RUN, str(files[1]), plain=False),
        ]
        for each in runs:
            each.wait()
        if any(each.returncode for each in runs):
            return 1
        different = list(differences(*(json.loads(each.read_text()) for each in files)))
        print("\n".join(different or ["Plain Python and compiled code agree."]))
        return int(not covered(str(data)) or bool(different))


if __name__ == "__main__":
    sys.exit(main())
