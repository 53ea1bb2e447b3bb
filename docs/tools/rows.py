"""Numbers of the verification manual: `make manual` runs all cases again, `make manual CASES="leg-lqr pacoma"` some,
and keeps what they print. If a row is off nothing is kept.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PLACE = Path(__file__).parents[1] / "verification" / "rows.jsonl"


def main(names: list[str]) -> None:
    """Run some cases, or all, and replace their lines."""
    command = [sys.executable, "-m", "pliant", "validate", *names, "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"pliant validate ended with {done.returncode}: {PLACE.name} is as it was")
    kept = PLACE.read_text(encoding="utf-8") if names else ""
    lines = {json.loads(line)["case"]: line for line in (kept + done.stdout).splitlines()}
    PLACE.write_text("".join(f"{line}\n" for line in lines.values()), encoding="utf-8")
    sys.stdout.write(f"{len(done.stdout.splitlines())} of {len(lines)} cases are new\n")


if __name__ == "__main__":
    main(sys.argv[1:])
