"""The command line: what it prints, its exit codes, its answers to mistakes."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import pliant
from pliant._threads import ONE_THREAD
from pliant.errors import ConvergenceError, OptionError
from pliant_cli import main
from pliant_testing import benchmarking, discovery, validation
from pliant_testing.benchmarking import Comparison, Contender, Scaling, race
from pliant_testing.validation import Row, absolute, at_most, order, printed, relative, skipped

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command line on a few made-up cases; gives exit code, standard output and standard error."""
    cases: discovery.Registry[validation.Case] = discovery.Registry("validation case", "validate.py")
    benchmarks: discovery.Registry[benchmarking.Benchmark] = discovery.Registry("benchmark", "bench.py")
    for registry in (cases, benchmarks):
        registry._complete = True
    monkeypatch.setattr(validation, "CASES", cases)
    monkeypatch.setattr(benchmarking, "BENCHMARKS", benchmarks)

    @validation.case("good", source="a book, table 1")
    def good() -> Iterator[Row]:
        """A case that holds."""
        yield printed("frequency", "Hz", "186.5", 186.53)
        yield relative("length", "m", 2.0, 2.0001, tolerance=1e-3, kind="exact")

    @validation.case("bad", source="a book, table 2")
    def bad() -> Iterator[Row]:
        yield absolute("deflection", "m", 1.0, math.nan, tolerance=1.0, kind="exact")

    @validation.case("broken", source="a book, table 3")
    def broken() -> Iterator[Row]:
        raise ConvergenceError("no equilibrium found: try smaller load steps")
        yield

    @validation.case("interrupted", source="a book, table 4")
    def interrupted() -> Iterator[Row]:
        raise KeyboardInterrupt
        yield

    @benchmarking.benchmark("fast")
    def fast() -> Iterator[Comparison | Scaling]:
        yield Comparison("fast", 20, 0.1, "tortoise 1.0", "full Newton", 0.9, required_ratio=8.0)
        yield Comparison("fast", 100, 0.1)
        yield Scaling("fast", [10, 100], [1e-6, 1e-5], limit=1.1)

    @benchmarking.benchmark("slow")
    def slow() -> Iterator[Comparison | Scaling]:
        yield Comparison("slow", 20, 0.1, "hare 1.0", "full Newton", 0.3, required_ratio=4.0)

    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            main(arguments)
        return end.value.code or 0, *capsys.readouterr()  # type: ignore[return-value]

    return call


def test_version(run: Run) -> None:
    assert run("--version")[:2] == (0, f"pliant {pliant.__version__}\n")


def test_validate_prints_a_table(run: Run) -> None:
    code, text, _ = run("validate", "good")
    assert code == 0
    assert "186.5 P" in text
    assert "2 E" in text
    assert "P published; E exact;" in text
    assert "ok" in text


def test_validate_prints_json_as_specified(run: Run) -> None:
    code, text, _ = run("validate", "good", "--json")
    report = json.loads(text)
    assert code == 0
    assert set(report) == {"case", "source", "rows", "seconds"}
    published, exact = report["rows"]
    for row in (published, exact):
        assert set(row) == {"quantity", "unit", "kind", "reference", "computed", "error", "tolerance", "ok"}
    assert (published["kind"], exact["kind"]) == ("published", "exact")
    assert published["tolerance"] == pytest.approx(0.05)
    assert published["ok"]


def test_not_a_number_never_passes_and_is_valid_json(run: Run) -> None:
    code, text, _ = run("validate", "bad", "--json")
    row = json.loads(text)["rows"][0]
    assert code == 1
    assert row["ok"] is False
    assert row["computed"] is None


def test_a_failing_case_does_not_hide_the_others(run: Run) -> None:
    code, text, errors = run("validate", "broken", "good", "--json")
    assert code == 1
    assert [json.loads(line)["case"] for line in text.splitlines()] == ["good"]
    assert "smaller load steps" in errors


def test_error_is_a_message_and_debug_a_traceback(run: Run) -> None:
    code, _, errors = run("validate", "broken")
    assert code == 1
    assert "Error: no equilibrium found: try smaller load steps" in errors
    assert "Traceback" not in errors
    with pytest.raises(ConvergenceError):
        main(["validate", "broken", "--debug"])


def test_unknown_case_names_the_nearest(run: Run) -> None:
    code, text, errors = run("validate", "godd")
    assert (code, text) == (2, "")
    assert "Did you mean good?" in errors


def test_interruption_is_130(run: Run) -> None:
    code, _, errors = run("validate", "interrupted")
    assert code == 130
    assert "Stopped" in errors


def test_bench_prints_json_as_specified(run: Run) -> None:
    code, text, _ = run("bench", "fast", "--json")
    first, alone, scaling = (json.loads(line) for line in text.splitlines())
    keys = {"case", "size", "pliant_s", "peer", "peer_settings", "peer_s", "ratio", "pliant_error", "peer_error"}
    assert code == 0
    assert set(first) == keys | {"required_ratio", "ok"}
    assert first["ratio"] == pytest.approx(9.0)
    assert first["ok"] is True
    assert alone["peer"] is None
    assert alone["ok"] is None
    assert scaling["exponent"] == pytest.approx(1.0)


def test_bench_fails_below_the_required_ratio(run: Run) -> None:
    code, text, _ = run("bench")
    assert code == 1
    assert "fast" in text
    assert "NO" in text


def test_bench_takes_one_thread_before_numpy_is_there() -> None:
    watched = """
import os, sys
from pliant import _threads
from pliant_cli import main
use_one_thread = _threads.use_one_thread
_threads.use_one_thread = lambda: (print("numpy" in sys.modules), use_one_thread())
try:
    main(["bench", "no such benchmark"])
except SystemExit:
    print(os.environ["OPENBLAS_NUM_THREADS"])
"""
    given = {name: value for name, value in os.environ.items() if name not in ONE_THREAD}
    found = subprocess.run([sys.executable, "-c", watched], env=given, capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["False", "1"]


def test_list_of_parts(run: Run) -> None:
    code, text, _ = run("list", "parts", "--json")
    told = {record["kind"]: record for record in map(json.loads, text.splitlines())}
    assert code == 0
    assert told["Revolute"]["usage"] == "Revolute(a, b, axis='z')"
    assert told["Spherical"]["space"] == "space"
    assert told["Gravity"]["group"] == "force"
    assert "Link(name, length=, mass=" in run("list", "parts")[1]


def test_list_of_formulations_says_what_they_offer(run: Run) -> None:
    code, text, _ = run("list", "formulations", "--json")
    told = {record["formulation"]: record for record in map(json.loads, text.splitlines())}
    assert code == 0
    assert told["dae"]["paths"]
    assert told["relative"]["motion"]
    assert told["relative"]["equilibria"]
    assert told["relative"]["sensitivities"]
    assert "geometric" not in told
    assert "udwadia_kalaba" in run("list", "formulations")[1]


def test_list_names_everything(run: Run) -> None:
    code, text, _ = run("list")
    assert code == 0
    assert "good" in text
    assert "slow" in text


def test_demo_keeps_an_existing_folder(run: Run, tmp_path: Path) -> None:
    code, _, errors = run("demo", "--out", str(tmp_path))
    assert code == 2
    assert "--force" in errors
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("computed, ok", [(186.45, True), (186.55, True), (186.449, False), (math.nan, False)])
def test_printed_means_half_a_unit_of_the_last_digit(computed: float, ok: bool) -> None:
    assert printed("frequency", "Hz", "186.5", computed).ok is ok


def test_printed_understands_exponents() -> None:
    row = printed("extension", "m", "2.7393e-5", 2.73925e-5)
    assert row.tolerance == pytest.approx(0.5e-9)
    assert row.ok
    with pytest.raises(OptionError, match="not a printed number"):
        printed("extension", "m", "NaN", 0.0)


def test_rows_refuse_what_has_no_meaning() -> None:
    with pytest.raises(OptionError, match="use `absolute`"):
        relative("tip", "m", 0.0, 1.0, tolerance=1.0, kind="exact")


def test_order_of_convergence() -> None:
    steps = [0.1, 0.05, 0.025]
    assert order("motion", steps, [3.0 * h**2 for h in steps], kind="itself").computed == pytest.approx(2.0)
    assert not order("motion", steps, [1.0, 0.5, math.nan], kind="itself").ok
    assert not order("motion", steps, [1.0, 0.5, 0.25], kind="itself").ok


def test_at_most() -> None:
    assert at_most("energy drift", "1", -1e-4, limit=1e-3, kind="conservation law").ok
    assert not at_most("energy drift", "1", -1e-2, limit=1e-3, kind="conservation law").ok


def test_a_skipped_row_is_not_ok_and_does_not_fail_its_case() -> None:
    left = skipped("tip", "m", "no peer", kind="independent code")
    right = at_most("energy drift", "1", 0.0, limit=1e-3, kind="conservation law")
    assert not left.ok
    assert left.as_dict()["skipped"] == "no peer"
    assert "skipped" not in right.as_dict()
    assert validation.Report("case", "source", [left, right], 0.0).ok
    assert not validation.Report("case", "source", [left], 0.0).ok


def test_race_times_the_run_and_not_its_preparation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmarking, "SHORTEST_SAMPLE", 1e-5)
    prepared = []

    def prepare() -> int:
        prepared.append(sum(range(1000)))
        return len(prepared)

    laps = race({"a": Contender(lambda n: n, prepare), "b": Contender(lambda: "done")}, rounds=2)
    assert laps["a"].value == len(prepared)
    assert laps["b"].value == "done"
    assert laps["a"].seconds > 0.0


def test_a_name_is_registered_once() -> None:
    registry: discovery.Registry[int] = discovery.Registry("validation case", "validate.py")
    registry.add("fourbar", 1, home=main)
    with pytest.raises(OptionError, match="exists already"):
        registry.add("fourbar", 2, home=main)
