"""Reports of `pliant compare` for the documentation: `make reports` runs these commands and keeps their pages.

Each takes a minute or so; `--patience` leaves out runs that would take longer.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PLACE = Path(__file__).parents[1] / "reports"
PATIENCE = "4"
REPORTS = {
    "leg": "leg statics simulate --release hold --time 0.1",
    "slider-crank": "slider-crank simulate --time 0.2",
    "four-bar": "four-bar simulate --time 1",
    "crank-slider": "crank-slider statics modes --set flexible=true",
    "6-rus": "six-rus statics",
    "docking": "docking simulate --push satellite=0,0,-0.05,0,0,0 --time 0.03",
}
"""Name of the page, and what is compared."""


def main(names: list[str]) -> None:
    """Make some reports, or all, and print exit codes: a report may contain an unexplained difference."""
    PLACE.mkdir(exist_ok=True)
    for name in names or REPORTS:
        with tempfile.TemporaryDirectory() as folder:
            words = [*REPORTS[name].split(), "--patience", PATIENCE, "--out", f"{folder}/report"]
            code = subprocess.run(
                [sys.executable, "-m", "pliant", "compare", *words], stdout=subprocess.DEVNULL
            ).returncode
            if code > 1:
                sys.exit(f"{name}: pliant compare {' '.join(words)} ended with {code}")
            page = Path(shutil.copy(f"{folder}/report/report.html", PLACE / f"{name}.html"))
        sys.stdout.write(f"{name}: {'ok' if code == 0 else 'not ok'}, {page.stat().st_size / 1e3:.0f} kB\n")


if __name__ == "__main__":
    main(sys.argv[1:])
