"""Try all faults, or those whose names hold one of some words, and write the table if all were tried:

python -m tests.mutants [word ...]
"""

from __future__ import annotations

import sys

from tests.mutants.faults import FAULTS
from tests.mutants.page import verdict, write
from tests.mutants.run import Trial, trials


def tell(trial: Trial, done: int, of: int) -> None:
    """Print the progress, a line a trial."""
    caught = trial.caught
    by = f"{caught.kind}: {caught.by}" if caught else "nothing failed"
    print(
        f"{done:3d}/{of}  {trial.seconds:5.0f} s  {trial.name}  -  {by}{'' if trial.ended else ' (out of time)'}",
        flush=True,
    )


def main(*words: str) -> int:
    """Return 0 if every fault is caught from outside, or has its reason, and without faults nothing fails."""
    chosen = [fault for fault in FAULTS if not words or any(word in fault.name for word in words)]
    for fault in chosen:
        if stale := fault.check():
            sys.exit(stale)
    done = trials(chosen, baseline=not words, tell=tell)
    failing = [name for name, each in done.items() if name not in {f.name for f in chosen} and each.findings]
    survivors = [fault.name for fault in chosen if verdict(fault, done[fault.name]) == "survives"]
    print(f"{len(chosen)} faults, {len(survivors)} of them not caught: {', '.join(survivors) or '-'}")
    print(f"fail without a fault: {', '.join(failing) or '-'}")
    if not words:
        write(chosen, done)
    return int(bool(survivors or failing))


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("interrupted; what was tried is remembered")
