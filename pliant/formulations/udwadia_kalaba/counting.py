"""How many links "auto" means: as few as give the modes of the mechanism itself, as it is assembled.

Chains with n and 2 n links have frequencies that are d apart. As errors fall at least with the square of the length of
a link, those of the first are off by up to 4/3 d (Richardson): n is raised until that is allowed. The limit so known
tells the smallest number that will do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import ceil

import numpy as np

from pliant.errors import OptionError
from pliant.formulations.udwadia_kalaba.lumped import AUTO, FEWEST, Lumped
from pliant.model import Model
from pliant.solvers import eigen

FIRST, MOST = 4, 400  # links to begin with, and the most that are tried
OTHERS = 20  # modes besides, of which some may cost nothing
RIGID = 1e-6  # of the highest of these frequencies: below, parts move as a whole


def counted(options: dict[str, Lumped], lumped: Callable[[dict[str, Lumped]], Model]) -> dict[str, Lumped]:
    """Options of all beams, with a number where there was "auto"; ``lumped`` makes a model of links with numbers."""
    auto = {name: each for name, each in options.items() if each.elements == AUTO}
    if not auto:
        return options
    for name, each in auto.items():
        if each.by_link:
            raise OptionError(f'elements of beam {name!r}: {each.by_link} has a list, which "auto" has no number for.')
    modes, accuracy = max(each.modes for each in auto.values()), min(each.accuracy for each in auto.values())

    def chosen(count: int) -> dict[str, Lumped]:
        return options | {name: replace(each, elements=count) for name, each in auto.items()}

    def found(count: int) -> np.ndarray:
        return frequencies(lumped(chosen(count)), modes)

    def off(count: int, limit: np.ndarray) -> float:
        here = found(count)
        return float(np.max(np.abs(here / limit - 1.0))) if here.size == limit.size == modes else np.inf

    count = FIRST
    while True:
        here, finer = found(count), found(2 * count)
        error = 4.0 / 3.0 * np.max(np.abs(here / finer - 1.0)) if here.size == finer.size == modes else np.inf
        if error <= accuracy:
            break
        if 2 * count >= MOST:
            raise OptionError(
                f'"auto": {MOST} links do not give the first {modes} modes within {accuracy:g}. Ask for a larger '
                "accuracy= or fewer modes=, or give numbers."
            )
        count = min(2 * count, MOST // 2, max(count + 1, ceil(count * min((error / accuracy) ** 0.5, 2.0))))
    limit, low = finer + (finer - here) / 3.0, FEWEST - 1
    while count - low > 1:
        middle = (low + count) // 2
        low, count = (low, middle) if off(middle, limit) <= accuracy else (middle, count)
    return chosen(count)


def frequencies(model: Model, modes: int) -> np.ndarray:
    """The lowest (rad/s) of a model as it is assembled and under no load, those that cost nothing left out."""
    from pliant.system.build import build

    system = build(model)
    matrices = system.matrices(system.start())
    squares, _ = eigen.undamped(matrices.stiffness, matrices.mass, matrices.ties, modes + OTHERS, symmetric=True)
    return np.asarray(np.sqrt(squares[squares > RIGID**2 * np.max(squares, initial=0.0)])[:modes])
