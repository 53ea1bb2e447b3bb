"""Models whose floor is measured."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pliant as pl
from pliant_evidence.frames.bench import FINE, STOREYS, loaded
from pliant_gallery import leg, rod_platform, spinning_beam

STEP = 1e-3  # s
MODELS: dict[str, Callable[[], Any]] = {
    "spinning beam": lambda: pl.compile(spinning_beam.model(case=1), elements=20),
    "leg": lambda: pl.compile(leg.model(hold=None), elements=10),
    "six rods": lambda: pl.compile(rod_platform.model(), elements=10),
    "frame": lambda: pl.compile(loaded(STOREYS[0]), elements=FINE),  # the smallest: it grows in proportion
}
