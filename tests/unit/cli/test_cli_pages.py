"""`pliant view` and `pliant studio`: examples of their help, refusals, Ctrl-C."""

from __future__ import annotations

import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer import rich_utils

from pliant_cli import main
from pliant_testing.results.planar import example_motion, example_path


@pytest.fixture
def call(capsys, tmp_path: Path, monkeypatch):
    """Run a command line in a folder with two results."""
    monkeypatch.chdir(tmp_path)
    Path("demo").mkdir()
    example_motion().save("demo/motion.nc")
    example_path().save("demo/path.nc")

    def run(line: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            main(shlex.split(line))
        return end.value.code or 0, *capsys.readouterr()

    return run


@pytest.mark.parametrize("command", ["view", "studio"])
def test_examples_of_the_help_run(command, call, monkeypatch):
    monkeypatch.setattr(rich_utils, "MAX_WIDTH", 300)
    lines = re.findall(rf"pliant ({command}.*?)[ │]*\n", call(f"{command} --help")[1].split("Examples:")[1] + "\n")
    assert len(lines) >= 2
    Path("my_model.py").write_text("from pliant_gallery.examples import column as model\n", encoding="utf-8")
    for line in lines:
        code, said, errors = call(re.sub(r" --port \d+", "", line) + " --port 0 --seconds 0.1")
        assert (code, errors) == (0, "")
        assert re.search(r"open http://127\.0\.0\.1:\d+ in a browser", said)


def test_what_is_wrong_is_told_before_a_page_opens(call):
    code, _, errors = call("view nothing.nc")
    assert code != 0
    assert "nothing.nc" in errors
    code, _, errors = call("studio legg")
    assert code != 0
    assert "The studio has no mechanism 'legg'. Did you mean leg" in errors


def test_ctrl_c_stops_cleanly(call):
    program = "from pliant_cli import main; main(['view', 'demo/motion.nc', '--port', '0'])"
    with subprocess.Popen(
        [sys.executable, "-u", "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert "Ctrl-C stops" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "")
