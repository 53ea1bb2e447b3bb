"""Processes that are killed while they write: what was there stays whole, and what they left goes away."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import pliant as pl
from pliant.jit import cache
from pliant_testing.results.planar import example_motion

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no kill -9")

SLOW = """
import sys, time
import pliant as pl
from pliant_gallery import pendulum
from pliant_testing.results.planar import example_motion

{slow}
print("begun", flush=True)
{write}
"""
STUCK = """
from pathlib import Path
write_text, write_bytes = Path.write_text, Path.write_bytes

def stuck(self, text, **options):
    write_text(self, text[:len(text) // 2], **options)
    print("half", flush=True)
    time.sleep(600.0)

Path.write_text = stuck
"""
STUCK_NETCDF = """
import xarray as xr
write = xr.Dataset.to_netcdf

def stuck(self, path, **options):
    content = bytes(write(self, **options))
    open(path, "wb").write(content[:len(content) // 2])
    print("half", flush=True)
    time.sleep(600.0)

xr.Dataset.to_netcdf = stuck
"""
WRITERS = {
    "result": ("run.nc", STUCK_NETCDF, "example_motion().save('run.nc', overwrite=True)"),
    "model": ("model.toml", STUCK, "pendulum.model().save('model.toml', overwrite=True)"),
    "page": ("run.html", STUCK, "pl.animate(example_motion(), 'run.html')"),
    "frames": ("run.pvd", STUCK, "pl.export(example_motion(), 'run.pvd', overwrite=True)"),
}


def write_here(folder: Path, name: str) -> None:
    if name == "model.toml":
        from pliant_gallery import pendulum

        pendulum.model().save(folder / name, overwrite=True)
    elif name == "run.html":
        pl.animate(example_motion(), folder / name)
    else:
        pl.export(example_motion(), folder / name, overwrite=True)


@pytest.mark.parametrize("kind", WRITERS)
def test_a_killed_writer_leaves_the_old_file_and_no_rest(kind, tmp_path):
    name, slow, write = WRITERS[kind]
    write_here(tmp_path, name)
    before = contents(tmp_path)
    program = SLOW.format(slow=slow, write=write)
    writer = subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    try:
        while "half" not in writer.stdout.readline():
            assert writer.poll() is None
    finally:
        writer.kill()
        writer.wait()
    left = contents(tmp_path).keys() - before.keys()
    assert left  # it was in the middle of it
    assert {key: value for key, value in contents(tmp_path).items() if key in before} == before
    write_here(tmp_path, name)  # the next takes its rest away
    assert contents(tmp_path).keys() == before.keys()


def test_drafts_of_living_processes_and_other_files_stay(tmp_path):
    living = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        from pliant.whole_files import draft_of

        mine = draft_of(tmp_path / "run.nc")
        other = Path(str(mine).replace(str(os.getpid()), str(living.pid)))
        dead = Path(str(mine).replace(str(os.getpid()), "999999999"))
        kept = [other, tmp_path / ".run.part.nc", tmp_path / ".run.x.12.part.nc", tmp_path / "run.999999999.part.nc"]
        for path in (*kept, dead):
            path.write_text("x")
        example_motion().save(tmp_path / "run.nc")
        assert sorted(tmp_path.iterdir()) == sorted([*kept, tmp_path / "run.nc"])
    finally:
        living.kill()
        living.wait()


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# --- kernels -----------------------------------------------------------------------------------------------------


def test_what_killed_processes_left_among_kernels_is_swept(tmp_path):
    old, now = time.time() - 2.0 * cache.PATIENCE, time.time()
    ages = {"a.part": old, "a.claim": old, "b.part": now, "b.claim": now, "c.kernel": old, "d.kernel": 0.0}
    for name, age in ages.items():
        (tmp_path / name).write_text("x")
        os.utime(tmp_path / name, (age, age))
    cache._remove_old(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"b.part", "b.claim", "c.kernel", "swept"}


def test_a_sweep_beside_another_is_safe(tmp_path, monkeypatch):
    """A file that vanished meanwhile made the cache unusable."""
    (tmp_path / "a.kernel").write_text("x")
    monkeypatch.setattr(Path, "iterdir", lambda self: iter([self / "gone.part", self / "a.kernel"]))
    cache._remove_old(tmp_path)
    assert (tmp_path / "a.kernel").exists()


def test_a_process_killed_while_it_compiles_holds_nobody_up(tmp_path):
    program = "import pliant as pl; from pliant_gallery import pendulum; pl.statics(pl.compile(pendulum.model()))"
    environment = {**os.environ, "PLIANT_CACHE_DIR": str(tmp_path), "PLIANT_NO_ASSISTANT": "1"}
    compiling = subprocess.Popen([sys.executable, "-c", program], env=environment)
    claims: list[Path] = []
    try:
        end = time.monotonic() + 60.0
        while not claims and time.monotonic() < end:
            time.sleep(0.02)
            claims = list((tmp_path / "kernels").glob("*.claim"))
        assert claims
        os.kill(compiling.pid, signal.SIGKILL)
    finally:
        compiling.kill()
        compiling.wait()
    kernel = claims[0].with_suffix(".kernel")
    assert claims[0].exists()
    assert not cache._claim(kernel)  # its claimant is gone: the claim is taken away,
    assert cache._claim(kernel)  # and the next may compile


def test_a_process_killed_while_it_claims_a_kernel_holds_nobody_up(tmp_path, monkeypatch):
    """An empty claim stayed, as long as anything may take to compile."""

    def killed() -> str:
        raise KeyboardInterrupt

    kernel = tmp_path / "a.kernel"
    with monkeypatch.context() as patch:
        patch.setattr(cache, "_myself", killed)
        with pytest.raises(KeyboardInterrupt):
            cache._claim(kernel)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "a.claim").touch()  # as an older pliant left it
    assert cache.health(tmp_path).abandoned == 1
    assert not cache._claim(kernel)
    assert cache._claim(kernel)
