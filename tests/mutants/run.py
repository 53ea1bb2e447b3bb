"""Try faults two at a time, each in a process of its own and within a budget; what is done is remembered."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.mutants.candidates import ERROR, Finding, run_candidates
from tests.mutants.fault import ROOT, Fault, copy_with

BUDGET = 600.0  # s of wall time for one fault, compilation of what it changes included
BATCH = 12  # candidates that one process runs without a fault
MEMORY = ROOT / "build" / "mutants.jsonl"
PRELOADED = ["pytest", "hypothesis", "numba", "xarray", "scipy.integrate", "scipy.optimize", "matplotlib.pyplot"]


@dataclass(frozen=True)
class Trial:
    """Result of one fault, or of a candidate in the copy without a fault."""

    name: str
    findings: tuple[Finding, ...]
    seconds: float  # of one processor; of the clock if time ran out
    ended: bool  # False if time ran out

    @property
    def caught(self) -> Finding | None:
        """Return who noticed it: a reference from outside before one of pliant's own, and an error last."""
        ranked = sorted(self.findings, key=lambda each: (not each.is_outside, each.kind == ERROR))
        return ranked[0] if ranked else None


RUNNING: set[Any] = set()  # processes, which an interruption ends


def trial(name: str, fault: Fault | None, candidates: tuple[str, ...], budget: float = BUDGET) -> Trial:
    """Run candidates in a copy: with a fault until it is caught, without one to their ends."""
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="mutant-") as place:
        folder = Path(place).resolve()
        copy_with(fault, folder)
        process = _context().Process(target=run_candidates, args=(folder, candidates, fault is None))
        process.start()
        RUNNING.add(process)
        process.join(budget)
        alive = process.is_alive()
        process.kill()
        process.join()
        RUNNING.discard(process)
        file, clock = folder / "findings.jsonl", folder / "seconds"
        findings = [Finding(**json.loads(line)) for line in file.read_text().splitlines()] if file.exists() else []
        seconds = float(clock.read_text()) if clock.exists() else time.perf_counter() - began
    if not alive and process.exitcode != 0:
        findings.append(Finding(f"the process ended with code {process.exitcode}", ERROR))
    return Trial(name, tuple(findings), seconds, not alive)


def _context() -> Any:
    """Return processes that start with the libraries, without pliant, in memory."""
    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))  # where they find this package
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    return context


def trials(
    faults: Iterable[Fault], *, baseline: bool, tell: Callable[[Trial, int, int], None], budget: float = BUDGET
) -> dict[str, Trial]:
    """Return all faults and, with `baseline`, after them all their candidates in the unchanged packages."""
    memory = Memory()
    faults = list(faults)
    jobs: list[tuple[str, Fault | None, tuple[str, ...]]] = [(each.name, each, each.candidates) for each in faults]
    if baseline:
        jobs += [(name, None, batch) for name, batch in batches(faults)]
    done: dict[str, Trial] = {}
    with ThreadPoolExecutor(2) as pool:
        try:
            asked = {}
            for name, fault, candidates in jobs:
                key = memory.key(name, fault, candidates)
                if (known := memory.known.get(key)) is not None:
                    done[name] = known
                else:
                    asked[pool.submit(trial, name, fault, candidates, budget)] = key
            for each in as_completed(asked):
                done[each.result().name] = each.result()
                memory.add(asked[each], each.result())
                tell(each.result(), len(done), len(jobs))
        except BaseException:  # Ctrl-C: the others do not begin
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list(RUNNING):
                process.kill()
            raise
    return done


def batches(faults: Iterable[Fault]) -> list[tuple[str, tuple[str, ...]]]:
    """Return all candidates of some faults, to be run without one, in batches that have names."""
    names = sorted({name for fault in faults for name in fault.candidates})
    pieces = (tuple(names[k : k + BATCH]) for k in range(0, len(names), BATCH))
    return [(f"without a fault: {piece[0]} ...", piece) for piece in pieces]


class Memory:
    """Trials, in ``build/mutants.jsonl``: an interrupted run goes on where it was, and a later one tries anew
    what has changed: the fault, its file, the cases and tests that detect it. Without a fault all sources count. Delete
    the file to try everything.
    """

    def __init__(self, file: Path = MEMORY) -> None:
        self.file = file
        self.known = dict(self._read()) if file.exists() else {}

    def key(self, name: str, fault: Fault | None, candidates: tuple[str, ...]) -> str:
        """Return the key of a trial."""
        files = [ROOT / "tests" / each.partition("::")[0] for each in candidates if ".py" in each]
        if any(".py" not in each for each in candidates):
            files += _files("pliant_evidence")
        files += _files("pliant") if fault is None else [ROOT / fault.file]
        return hashlib.sha256(f"{_digest(files)} {name} {fault}".encode()).hexdigest()

    def add(self, key: str, done: Trial) -> None:
        """Store a trial."""
        self.known[key] = done
        self.file.parent.mkdir(exist_ok=True)
        with self.file.open("a") as file:
            file.write(json.dumps({"key": key, **asdict(done)}) + "\n")

    def _read(self) -> Iterator[tuple[str, Trial]]:
        for line in self.file.read_text().splitlines():
            data = json.loads(line)
            findings = tuple(Finding(**each) for each in data.pop("findings"))
            yield data.pop("key"), Trial(findings=findings, **data)


def _files(package: str) -> list[Path]:
    return sorted(path for path in (ROOT / package).rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def _digest(paths: Iterable[Path]) -> str:
    found = hashlib.sha256()
    for path in paths:
        found.update(path.read_bytes())
    return found.hexdigest()
