"""Run candidates in a copy of the packages and say which rows and tests fail."""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.mutants.references import OUTSIDE, REFERENCES

ERROR = "error"  # instead of a kind of reference: pliant stopped by itself


@dataclass(frozen=True)
class Finding:
    """A row or a test that failed.

    by    "case: quantity" or the test
    kind  of its reference, or "error" if an exception ended it before it compared anything
    """

    by: str
    kind: str

    @property
    def is_outside(self) -> bool:
        """Return whether pliant did not compute what was expected."""
        return self.kind in OUTSIDE


def run_candidates(folder: Path, candidates: tuple[str, ...], whole: bool) -> None:
    """Write findings to ``findings.jsonl`` in the folder of the copy; stop at one from outside, unless `whole`.

    To be called in a process that has not imported pliant yet.
    """
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode = True
    os.environ |= {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "PLIANT_NO_ASSISTANT": "1"}
    with open("log.txt", "w") as log, open("findings.jsonl", "w", buffering=1) as file:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
        for finding in (each for candidate in candidates for each in failures(candidate)):
            file.write(json.dumps(asdict(finding)) + "\n")
            if finding.is_outside and not whole:
                break
    Path("seconds").write_text(str(time.process_time()))


def failures(candidate: str) -> Iterator[Finding]:
    """Yield the findings of a validation case or a test against the copy."""
    return failed_tests(candidate) if ".py" in candidate else failed_rows(candidate)


def failed_rows(name: str) -> Iterator[Finding]:
    """Yield rows of a case that do not hold, as they come."""
    from pliant_testing import validation

    assert Path(validation.__file__).is_relative_to(Path.cwd()), "pliant is not that of the copy"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for row in validation.CASES.get(name).rows():
                if not row.ok:
                    yield Finding(f"{name}: {row.quantity}", row.kind)
    except Exception as error:
        yield Finding(f"{name}: {type(error).__name__}: {str(error)[:100]}", ERROR)


class Watch:
    """A plugin of pytest that remembers failures."""

    def __init__(self) -> None:
        self.found: list[Finding] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Iterator[None]:
        """Record the end of one phase of a test."""
        report = yield
        if report.failed:
            name = item.nodeid.removeprefix("tests/")
            kind = REFERENCES[without_parameters(name)] if has_compared(call.excinfo.value) else ERROR
            self.found.append(Finding(name, kind))
        return report


def failed_tests(test: str) -> list[Finding]:
    """Return the first failure of a test with all its parameters."""
    watch = Watch()
    code = pytest.main(["-x", "-q", "--tb=short", "-p", "no:cacheprovider", f"tests/{test}"], plugins=[watch])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        return [Finding(f"{test}: not run ({code})", ERROR)]
    return watch.found


def has_compared(error: BaseException) -> bool:
    """Return whether a test failed by what it found, not by an error; Hypothesis may find several."""
    if isinstance(error, BaseExceptionGroup):
        return all(map(has_compared, error.exceptions))
    return isinstance(error, AssertionError | pytest.fail.Exception)


def without_parameters(name: str) -> str:
    """Return a test without its parameters.

    >>> without_parameters("unit/analyses/test_modal.py::test_bending_frequencies[pinned-pinned]")
    'unit/analyses/test_modal.py::test_bending_frequencies'
    """
    return name.partition("[")[0]
