"""Damaged files: bits turned, pieces lost, doubled and moved, numbers put out of range. Whoever reads them answers, or
refuses by name, soon.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import pliant as pl
from pliant.errors import PliantError
from pliant.model.files import io as model_io
from pliant.results.io import load_result
from pliant_gallery import four_bar, leg, pendulum, six_rus, slider_crank
from tests.faults.test_hostile_files import ROBOT
from tests.soak.mechanisms import Varied

SLOW = 10.0  # s that a file of a few kilobytes may take
NUMBERS = (b"nan", b"inf", b"-1", b"0", b"1e308", b"-1e308", b"1e-320", b"9" * 40, b"1" + b"0" * 4500, b"true", b'"x"')
WORDS = (b"[", b"]", b"{", b"}", b'"', b"=", b"\n", b"<", b">", b"&", b"\x00", b"\xff\xfe", b"../", b"[[body]]\n")


@cache
def originals() -> dict[str, tuple[tuple[str, bytes], ...]]:
    """Return good files by kind: names of what they hold, and contents."""
    models = [pendulum.model(), four_bar.model(), leg.model(), slider_crank.model(), six_rus.model()]
    models += [Varied(seed, spatial=bool(seed % 2)).model for seed in range(12)]
    folder = Path(_scratch())
    results = []
    for name, result in (
        ("rest", pl.statics(pl.compile(pendulum.model()))),
        ("motion", pl.transient(pl.compile(four_bar.model()), end_time=0.01, step=1e-3, estimate=False)),
        ("modes", pl.modal(pl.compile(Varied(3, spatial=True).model, elements=2), modes=2)),
    ):
        path = result.save(folder / f"{name}.nc", overwrite=True)
        results.append((name, path.read_bytes()))
    more = ROBOT.replace("</robot>", '<link name="tool"/><joint name="k" type="fixed"><parent link="arm"/>')
    robots = [
        ROBOT.encode(),
        (more + '<child link="tool"/><origin xyz="0 0 1" rpy="0 0.1 0"/></joint></robot>').encode(),
    ]
    return {
        "model": tuple((model.name, model_io.dumps(model).encode()) for model in models),
        "result": tuple(results),
        "urdf": tuple((f"robot {k}", robot) for k, robot in enumerate(robots)),
    }


def _scratch() -> str:
    import tempfile

    return tempfile.mkdtemp(prefix="pliant-soak-")


READERS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "model": (".toml", pl.Model.load),
    "result": (".nc", lambda path: load_result(path).data.load()),
    "urdf": (".urdf", pl.load_urdf),
}


def flipped(content: bytearray, rng: np.random.Generator) -> None:
    """Turn a few bits."""
    for k in rng.integers(0, len(content), rng.integers(1, 6)):
        content[k] ^= 1 << int(rng.integers(8))


def cut(content: bytearray, rng: np.random.Generator) -> None:
    """Cut the end off."""
    del content[int(rng.integers(0, len(content))) :]


def lost(content: bytearray, rng: np.random.Generator) -> None:
    """Drop a piece."""
    a, b = sorted(rng.integers(0, len(content), 2))
    del content[a : min(b, a + 200)]


def doubled(content: bytearray, rng: np.random.Generator) -> None:
    """Repeat a piece elsewhere."""
    a, at = rng.integers(0, len(content), 2)
    content[at:at] = content[a : a + int(rng.integers(1, 200))]


def written_over(content: bytearray, rng: np.random.Generator) -> None:
    """Write random bytes."""
    a, n = int(rng.integers(0, len(content))), int(rng.integers(1, 40))
    content[a : a + n] = rng.integers(0, 256, n, dtype=np.uint8).tobytes()


def misnumbered(content: bytearray, rng: np.random.Generator) -> None:
    """Replace a number by another one."""
    found = list(re.finditer(rb"-?\d+\.?\d*(?:e[-+]?\d+)?", bytes(content)))
    if found:
        one = found[int(rng.integers(len(found)))]
        content[one.start() : one.end()] = NUMBERS[int(rng.integers(len(NUMBERS)))]


def misspelt(content: bytearray, rng: np.random.Generator) -> None:
    """Insert marks that mean something, anywhere."""
    at = int(rng.integers(0, len(content)))
    content[at:at] = WORDS[int(rng.integers(len(WORDS)))]


def mixed(content: bytearray, rng: np.random.Generator) -> None:
    """Swap two lines."""
    lines = bytes(content).split(b"\n")
    a, b = rng.integers(0, len(lines), 2)
    lines[a], lines[b] = lines[b], lines[a]
    content[:] = b"\n".join(lines)


DAMAGES = (flipped, cut, lost, doubled, written_over, misnumbered, misspelt, mixed)


def soak(seed: int, folder: Path) -> dict[str, Any]:
    """Return what one damaged file gives: read, refused by name, or a fault."""
    rng = np.random.default_rng([seed, 6])
    kind = str(rng.choice(list(READERS), p=[0.5, 0.25, 0.25]))
    name, good = originals()[kind][int(rng.integers(len(originals()[kind])))]
    content, damages = bytearray(good), []
    for _ in range(int(rng.integers(1, 4))):
        damage = DAMAGES[int(rng.integers(len(DAMAGES)))]
        if content:
            damage(content, rng)
            damages.append(damage.__name__)
    suffix, read = READERS[kind]
    path = folder / f"damaged{suffix}"
    path.write_bytes(content)
    found: dict[str, Any] = {"seed": seed, "kind": kind, "of": name, "damage": damages, "end": "read"}
    begin = time.perf_counter()
    try:
        read(path)
    except PliantError:
        found["end"] = "refused"
    except Exception as error:  # any other is a fault of pliant
        found |= {"end": "fault", "fault": f"{type(error).__name__}: {error}"[:200]}
    if time.perf_counter() - begin > SLOW:
        found |= {"end": "fault", "fault": f"took {time.perf_counter() - begin:.0f} s"}
    path.unlink()
    return found
