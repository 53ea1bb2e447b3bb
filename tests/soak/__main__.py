"""``python -m tests.soak [--mechanisms 2000] [--files 100000] [--out soak]``: go on where the logs end, and sum up.

A worker appends one line a case to ``mechanisms.jsonl`` and ``files.jsonl``. One that is silent for two minutes is
ended; its case is a fault, and the next worker begins behind it. Ends with 1 where there is a fault.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

SILENT = 120.0  # s
LOGS = {"mechanisms": "mechanisms.jsonl", "files": "files.jsonl"}


def work(what: str, log: Path, first: int, count: int) -> None:
    """Run cases from one seed on, each a line of the log."""
    warnings.simplefilter("ignore")
    from tests.soak import files, mechanisms

    with tempfile.TemporaryDirectory() as folder, log.open("a", encoding="utf-8") as out:
        for seed in range(first, count):
            try:
                found = mechanisms.soak(seed) if what == "mechanisms" else files.soak(seed, Path(folder))
            except Exception as error:  # whatever it is, it is a fault
                found = {"seed": seed, "fault": f"{type(error).__name__}: {error}"[:200]}
            print(json.dumps(found), file=out, flush=True)


def lines(log: Path) -> list[dict[str, Any]]:
    """Return the records of a log; a last line that was cut off is dropped from it."""
    text = log.read_text(encoding="utf-8") if log.exists() else ""
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        log.write_text(whole, encoding="utf-8")
    return [json.loads(line) for line in whole.splitlines()]


def watch(what: str, log: Path, count: int, until: float) -> None:
    """Start workers, one after another, until all cases are in the log or the time is over."""
    while (done := len(lines(log))) < count and time.monotonic() < until:
        worker = subprocess.Popen([sys.executable, "-m", "tests.soak", "--work", what, str(log), str(done), str(count)])
        size, heard = -1, time.monotonic()
        while worker.poll() is None and time.monotonic() < until:
            time.sleep(1.0)
            if log.exists() and log.stat().st_size != size:
                size, heard = log.stat().st_size, time.monotonic()
            if time.monotonic() - heard > SILENT:
                break
        ended = worker.poll()
        if ended is None:
            worker.kill()
            worker.wait()
        if (ended is None and time.monotonic() < until) or ended:
            seed = len(lines(log))
            with log.open("a", encoding="utf-8") as out:
                print(json.dumps({"seed": seed, "fault": f"silent for {SILENT:g} s, or died ({ended})"}), file=out)


def summary(found: dict[str, list[dict[str, Any]]]) -> tuple[str, int]:
    """Return the page's tables, and the number of faults."""
    mechanisms, files = found["mechanisms"], found["files"]
    kinds = Counter(kind for case in mechanisms for kind in case.get("kinds", ()))
    done = Counter(name for case in mechanisms for name in case.get("done", ()))
    refused = Counter(name for case in mechanisms for name in case.get("refused", ()))
    explained = Counter(name for case in mechanisms for name in case.get("explained", ()))
    ends = Counter((case["kind"], case["end"]) for case in files if "kind" in case)
    text = [f"{len(mechanisms)} mechanisms: " + ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())]
    text += ["", "| Check | compared | of these explained | refused by name |", "|---|---|---|---|"]
    text += [f"| {name} | {done[name]} | {explained[name]} | {refused[name]} |" for name in sorted({*done, *refused})]
    text += [
        "",
        f"{len(files)} damaged files",
        "",
        "| Kind | refused by name | still read | faults |",
        "|---|---|---|---|",
    ]
    text += [
        f"| {kind} | {ends[kind, 'refused']} | {ends[kind, 'read']} | {ends[kind, 'fault']} |"
        for kind in sorted({kind for kind, _ in ends})
    ]
    faults = [case for case in (*mechanisms, *files) if case.get("fault") or case.get("faults")]
    text += ["", f"{len(faults)} faults", *(json.dumps(case) for case in faults[:50])]
    return "\n".join(text), len(faults)


def main() -> int:
    """Run the command described above."""
    if sys.argv[1:2] == ["--work"]:
        what, log, first, count = sys.argv[2:]
        work(what, Path(log), int(first), int(count))
        return 0
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--mechanisms", type=int, default=2000)
    reader.add_argument("--files", type=int, default=100_000)
    reader.add_argument("--minutes", type=float, default=600.0, help="when to stop; the next call goes on")
    reader.add_argument("--out", type=Path, default=Path("soak"))
    given = reader.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + 60.0 * given.minutes
    for what, name in LOGS.items():
        watch(what, given.out / name, getattr(given, what), until)
    text, faults = summary({what: lines(given.out / name) for what, name in LOGS.items()})
    (given.out / "summary.md").write_text(text + "\n", encoding="utf-8")
    sys.stdout.write(text + "\n")
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
