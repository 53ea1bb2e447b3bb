"""Build sdist and wheel, install the wheel into an empty environment outside the source tree, and use it there.

``python -m tests.wheel [folder]`` with the Python to be tested; needs git and pip, nothing of pliant. Distributions are
left in the folder if one is named. Any command that fails, and anything in the wheel that is missing or does not belong
there, ends it with an error.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = tuple(sorted(path.name for path in ROOT.glob("pliant*") if path.name.isidentifier()))
MUST = (
    "pliant/py.typed",
    "pliant/results/drawing/player.html",
    "pliant_evidence/py.typed",
    "pliant_gallery/leg/__init__.py",
)
MUST_NOT = re.compile(r"(^|/)(tests?|seeds?|docs|conftest\.py|test_[^/]*\.py|__pycache__|\.git[^/]*)(/|$)")
OF_EXTRAS = {
    "viser",
    "zarr",
    "distributed",
    "control",
    "pythonfmu",
    "pythonfmu3",
    "pyyeti",
    "exudyn",
    "mkdocs",
    "pytest",
    "ruff",
    "mypy",
}
MOST = 10e6  # bytes of a wheel

README_BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
JUDGED = """
for name, found in (("rest", rest), ("modes", modes), ("run", run)):
    if not found.outcome.ok:
        raise SystemExit(f"{name} is not ok: {found.outcome}")
import pathlib, pliant
if pathlib.Path(pliant.__file__).is_relative_to(FORBIDDEN):
    raise SystemExit(f"the source tree was imported: {pliant.__file__}")
print(f"README: {float(modes.frequency_hz[0]):.6f} Hz, {run.outcome}")
"""


def main(folder: Path, kept: Path | None) -> None:
    """Check all of it, in an empty folder."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    source = copy_files(folder / "source")
    sdist, wheel = built(source, folder, project["build-system"]["requires"])
    say(f"{sdist.name} {sdist.stat().st_size / 1e6:.1f} MB, {wheel.name} {wheel.stat().st_size / 1e6:.1f} MB")
    look_into(wheel, source)
    use(installed(wheel, folder), folder, wheel.name.split("-")[1])
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        for made in (sdist, wheel):
            shutil.copy2(made, kept)


def copy_files(to: Path) -> Path:
    """Return the files of the working tree that git knows or would take, and nothing that lies beside them."""
    listed = run("git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, to / name)
    return to


def built(source: Path, folder: Path, tools: list[str]) -> tuple[Path, Path]:
    """Return an sdist, and a wheel made of that alone."""
    python, made = empty_environment(folder / "build"), folder / "dist"
    run(python, "-m", "pip", "install", "--quiet", *tools)
    code = f"from setuptools import build_meta; build_meta.build_sdist({str(made)!r})"
    made.mkdir()
    run(python, "-c", code, cwd=source)
    (sdist,) = made.iterdir()
    run(python, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", made, sdist)
    (wheel,) = made.glob("*.whl")
    return sdist, wheel


def look_into(wheel: Path, source: Path) -> None:
    """Check that it holds every file of the packages, and no other."""
    with zipfile.ZipFile(wheel) as opened:
        there = {name for name in opened.namelist() if ".dist-info/" not in name}
    wanted = {path.relative_to(source).as_posix() for name in PACKAGES for path in (source / name).rglob("*")}
    wanted = {name for name in wanted if (source / name).is_file()}
    refuse("not in the wheel", wanted - there | set(MUST) - there)
    refuse("does not belong into the wheel", there - wanted | {name for name in there if MUST_NOT.search(name)})
    if wheel.stat().st_size > MOST:
        raise SystemExit(f"{wheel.name} has {wheel.stat().st_size / 1e6:.1f} MB")


def refuse(why: str, names: set[str]) -> None:
    """Stop if there are any."""
    if names:
        raise SystemExit(f"{why}: {', '.join(sorted(names)[:10])} ({len(names)} files)")


def installed(wheel: Path, folder: Path) -> Path:
    """Return the Python of an empty environment that has got the wheel, with pinned versions of what that needs."""
    python = empty_environment(folder / "empty")
    run(python, "-m", "pip", "install", "--quiet", "--no-compile", "--constraint", ROOT / "constraints.txt", wheel)
    run(python, "-m", "pip", "check")
    names = {each["name"].lower() for each in json.loads(run(python, "-m", "pip", "list", "--format", "json"))}
    refuse("an extra was installed with the core", names & OF_EXTRAS)
    return python


def use(python: Path, folder: Path, version: str) -> None:
    """Use it as a user does first: version, README, doctor, a validation case, the studio, which is an extra."""
    place = folder / "elsewhere"
    place.mkdir()
    pliant = python.with_name("pliant")
    if (told := run(pliant, "--version", cwd=place).strip()) != f"pliant {version}":
        raise SystemExit(f"the wheel is of {version}, and says {told}")
    (example,) = README_BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    began = time.perf_counter()
    say(run(python, "-c", f"FORBIDDEN = {str(ROOT)!r}\n{example}{JUDGED}", cwd=place).strip())
    say(f"compiled and computed in {time.perf_counter() - began:.0f} s")
    if "<script" not in (place / "four-bar.html").read_text(encoding="utf-8"):
        raise SystemExit("the animation has no player")
    for line in run(pliant, "doctor", "--json", cwd=place).splitlines():
        found = json.loads(line)
        if found["what"].startswith("self-test") or found["ok"] is False:
            say(f"{found['what']}: {found['found']}")
    say(run(pliant, "validate", "pendulum-modes", cwd=place).strip().splitlines()[-1])
    refused = subprocess.run([pliant, "studio"], cwd=place, capture_output=True, text=True, env=environment(folder))
    if refused.returncode != 2 or "pliant[studio]" not in refused.stderr:
        raise SystemExit(f"without viser the studio should say what to install: {refused.stderr}")


def empty_environment(folder: Path) -> Path:
    """Return the Python of a new virtual environment."""
    venv.create(folder, with_pip=True, symlinks=os.name != "nt")
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def environment(folder: Path) -> dict[str, str]:
    """Return the environment without what would lead back to the source tree; kernels are compiled again."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    return {**kept, "PLIANT_CACHE_DIR": str(folder / "cache"), "MPLBACKEND": "Agg"}


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """Return the standard output of a command that ends well."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd or WORK, capture_output=True, encoding="utf-8", env=environment(WORK))
    if done.returncode != 0:
        said = (done.stdout + done.stderr)[-3000:]
        raise SystemExit(f"{' '.join(words)[:200]} ended with {done.returncode}:\n{said}")
    return done.stdout


def say(line: str) -> None:
    """Print a line to the terminal, at once."""
    print(line, flush=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="pliant-wheel-") as temporary:
        WORK = Path(temporary).resolve()
        main(WORK, Path(sys.argv[1]).resolve() if sys.argv[1:] else None)
