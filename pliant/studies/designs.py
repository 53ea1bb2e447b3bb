"""Designs: the points of a study. Each has columns, one value a run, by the names of the varied quantities."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from pliant.errors import OptionError
from pliant.results import Result

MOST = 100_000_000  # runs of a study


@runtime_checkable
class Distribution(Protocol):
    """Distribution of a random quantity: a frozen distribution of `scipy.stats` has a quantile function."""

    def ppf(self, q: np.ndarray) -> np.ndarray:
        """Return the value that is not exceeded with probability q."""
        ...


Value: TypeAlias = float | int | bool | str
Axis: TypeAlias = Sequence[Value] | np.ndarray
Spread: TypeAlias = tuple[float, float] | Distribution


class Design(ABC):
    """Base of all designs: points in columns; run k is at entry k of every column."""

    seed: int | None = None
    """Of the runs themselves, where each draws random numbers of its own (`MonteCarlo`)."""

    @abstractmethod
    def points(self) -> dict[str, np.ndarray]:
        """Return the columns of values, by name."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Return the number of runs; for a design that grows, their largest number."""

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """Return the names of the varied quantities."""

    @property
    def axes(self) -> dict[str, np.ndarray]:
        """Return axes over which the runs are a grid, the last one running fastest; empty for a list."""
        return {}

    def describe(self) -> dict[str, object]:
        """Return the description for the store."""
        shape = [values.size for values in self.axes.values()]
        return {"kind": type(self).__name__, "axes": list(self.axes), "shape": shape}

    def more(self, told: Mapping[str, np.ndarray], points: Mapping[str, np.ndarray]) -> dict[str, np.ndarray] | None:
        """Return further points, chosen from the results at all points so far; None: there are no more."""
        return None


class Grid(Design):
    """Every combination of the values of some axes: ``Grid({"length": [0.1, 0.2], "load/y": [-1.0, 0.0, 1.0]})``.

    `study` also takes the mapping itself as ``over=``.

    >>> Grid({"a": [1.0, 2.0], "b": ["soft", "stiff"]}).points()["b"].tolist()
    ['soft', 'stiff', 'soft', 'stiff']
    """

    def __init__(self, axes: Mapping[str, Axis]) -> None:
        if not isinstance(axes, Mapping) or not axes:
            raise OptionError(f"Grid({axes!r:.60}): give a mapping from names to values, at least one.")
        self.values = {_named(name): column(name, values) for name, values in axes.items()}
        for name, values in self.values.items():
            if twice := [value for value, count in Counter(values.tolist()).items() if count > 1]:
                raise OptionError(f"Grid: {name}: {twice[0]!r} is there twice; values of an axis differ.")
        _within_limit(self.size)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the axes."""
        return tuple(self.values)

    @property
    def size(self) -> int:
        """Return the product of the lengths of all axes."""
        return math.prod(values.size for values in self.values.values())

    @property
    def axes(self) -> dict[str, np.ndarray]:
        """Return the values of all axes, by name."""
        return self.values

    def points(self) -> dict[str, np.ndarray]:
        """Return all combinations."""
        places = np.unravel_index(np.arange(self.size), [values.size for values in self.axes.values()])
        return {name: values[place] for (name, values), place in zip(self.axes.items(), places, strict=True)}


class Listed(Design):
    """A list of points: ``Listed([{"length": 0.1, "mass": 2.0}, {"length": 0.3, "mass": 1.0}])``.

    `study` also takes the list itself as ``over=``.

    >>> Listed([{"a": 1.0}, {"a": 3.0}]).size
    2
    """

    def __init__(self, rows: Sequence[Mapping[str, Value]]) -> None:
        if isinstance(rows, str) or not rows or not all(isinstance(row, Mapping) and row for row in rows):
            raise OptionError(f"Listed({rows!r:.60}): give a sequence of mappings from names to values.")
        names = list(rows[0])
        for k, row in enumerate(rows):
            if set(row) != set(names):
                raise OptionError(f"Listed: point {k} has {', '.join(row)}; the first has {', '.join(names)}.")
        self.columns = {_named(name): column(name, [row[name] for row in rows]) for name in names}

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the columns."""
        return tuple(self.columns)

    @property
    def size(self) -> int:
        """Return the number of points."""
        return next(iter(self.columns.values())).size

    def points(self) -> dict[str, np.ndarray]:
        """Return the points as given."""
        return self.columns


class Sampled(Design):
    """Points in a box, or from given distributions; base of random designs.

    over  from names to (least, most), or to a frozen distribution of `scipy.stats`
    runs  number of points
    seed  repeats them
    """

    needs = "(least, most), or a frozen distribution of scipy.stats"

    def __init__(self, over: Mapping[str, Spread], *, runs: int, seed: int = 0) -> None:
        kind = type(self).__name__
        if not isinstance(over, Mapping) or not over:
            raise OptionError(f"{kind}({over!r:.60}): give a mapping from names to {self.needs}.")
        for name, spread in over.items():
            _named(name)
            if not isinstance(spread, Distribution) and not _is_range(spread):
                raise OptionError(f"{kind}: {name}={spread!r:.60}: give {self.needs}.")
        self.over, self.runs, self.drawn_with = dict(over), _whole(kind, "runs", runs, 1), _whole(kind, "seed", seed, 0)
        _within_limit(self.runs)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the varied quantities."""
        return tuple(self.over)

    @property
    def size(self) -> int:
        """Return the number of points."""
        return self.runs

    def points(self) -> dict[str, np.ndarray]:
        """Map the unit cube's points, each coordinate by its range or quantile function."""
        unit = self.unit(len(self.over))
        found = {}
        for k, (name, spread) in enumerate(self.over.items()):
            if isinstance(spread, Distribution):
                found[name] = np.asarray(spread.ppf(unit[:, k]), float)
            else:
                found[name] = spread[0] + (spread[1] - spread[0]) * unit[:, k]
        return found

    @abstractmethod
    def unit(self, dimensions: int) -> np.ndarray:
        """Return points of the unit cube, (runs, dimensions)."""

    def describe(self) -> dict[str, object]:
        """Return the description with the seed."""
        return {**super().describe(), "seed": self.drawn_with}


class Random(Sampled):
    """Independent random points; with the same seed, a longer series begins with the same points.

    >>> Random({"mass": (1.0, 2.0)}, runs=3, seed=1).points()["mass"].round(2).tolist()
    [1.51, 1.95, 1.14]
    """

    def unit(self, dimensions: int) -> np.ndarray:
        """Draw uniform, independent points."""
        return np.random.default_rng(self.drawn_with).random((self.runs, dimensions))


class LatinHypercube(Sampled):
    """Latin hypercube: the range of every quantity is divided into ``runs`` equally likely intervals, and each interval
    has one point.

    M. D. McKay, R. J. Beckman, W. J. Conover, Technometrics 21 (1979) 239, by `scipy.stats.qmc`.

    >>> sorted((4.0 * LatinHypercube({"mass": (0.0, 1.0)}, runs=4).points()["mass"]).astype(int).tolist())
    [0, 1, 2, 3]
    """

    def unit(self, dimensions: int) -> np.ndarray:
        """Draw points by scipy."""
        from scipy.stats import qmc

        return np.asarray(qmc.LatinHypercube(dimensions, seed=self.drawn_with).random(self.runs))


class Sobol(Sampled):
    """A scrambled Sobol sequence: points that fill the box evenly; take a power of two of them.

    I. M. Sobol', USSR Comput. Math. Math. Phys. 7 (1967) 86; A. B. Owen, J. Complexity 14 (1998) 466; by
    `scipy.stats.qmc`. With the same seed, a longer series begins with the same points.

    >>> from scipy import stats
    >>> found = Sobol({"mass": (1.0, 2.0), "height": stats.norm(1e-3, 2e-5)}, runs=256, seed=1).points()
    >>> round(float(found["mass"].mean()), 3), round(float(1e3 * found["height"].mean()), 3)
    (1.5, 1.0)
    """

    def unit(self, dimensions: int) -> np.ndarray:
        """Draw points by scipy: the next power of two, truncated to the requested number."""
        from scipy.stats import qmc

        exponent = max(0, math.ceil(math.log2(self.runs)))
        return np.asarray(qmc.Sobol(dimensions, seed=self.drawn_with).random_base2(exponent))[: self.runs]


@dataclass(frozen=True)
class MonteCarlo(Design):
    """Many runs of a function of a random generator. Every run has its own generator, so a longer series begins with
    the same runs.

    >>> import pliant as pl
    >>> found = pl.study(lambda random: {"x": random.normal()}, over=MonteCarlo(runs=1000), on="threads")
    >>> abs(float(found.x.mean())) < 0.1
    True
    """

    runs: int
    seed: int = 0

    def __post_init__(self) -> None:
        _whole("MonteCarlo", "runs", self.runs, 1)
        _whole("MonteCarlo", "seed", self.seed, 0)
        _within_limit(self.runs)

    @property
    def names(self) -> tuple[str, ...]:
        """Return no names: each run draws its own numbers."""
        return ()

    @property
    def size(self) -> int:
        """Return the number of runs."""
        return self.runs

    def points(self) -> dict[str, np.ndarray]:
        """Return no columns."""
        return {}

    def describe(self) -> dict[str, object]:
        """Return the description with the seed."""
        return {**super().describe(), "seed": self.seed}


def generator(seed: int, run: int) -> np.random.Generator:
    """Return the generator of one run: the ``run``-th child of a seed, as `numpy.random.SeedSequence.spawn` counts."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(run,)))


Over: TypeAlias = Design | Mapping[str, Axis] | Sequence[Mapping[str, Value]]
"""What a study is over: a design, a mapping from names to values (a grid), or a sequence of points."""


def design(over: Over) -> Design:
    """Return the design described by ``over``."""
    if isinstance(over, Design):
        return over
    if isinstance(over, Mapping):
        return Grid(over)
    if isinstance(over, Sequence) and not isinstance(over, str):
        return Listed(over)
    raise OptionError(
        f"over={over!r:.60}: give a mapping from names to values (a grid), a list of points, or a design: Grid, "
        "Listed, Random, LatinHypercube, Sobol, MonteCarlo, Refined."
    )


def column(name: str, values: Any) -> np.ndarray:
    """Return values of one quantity as an array: numbers, or text."""
    try:
        found = np.asarray(values)
    except ValueError:
        found = np.empty(0)
    if found.ndim != 1 or not found.size or found.dtype.kind not in "fiubU":
        raise OptionError(f"{name}: {values!r:.60}: give a row of numbers or of words.")
    if found.dtype.kind == "f" and not np.all(np.isfinite(found)):
        raise OptionError(f"{name}: {values!r:.60}: give finite numbers.")
    return found.astype(object) if found.dtype.kind == "U" else found


def _named(name: Any) -> str:
    if not isinstance(name, str) or not name or is_taken(name):
        raise OptionError(f"{name!r}: what is varied needs a name, other than {', '.join(RESERVED)} or of a Result.")
    return name


RESERVED = ("run", "status", "stable", "other_branch", "warnings", "reason")
"""Names that every study has."""


def is_taken(name: str) -> bool:
    """Return whether every study has another variable of that name."""
    return name in RESERVED or hasattr(Result, name) or name in Result.__dataclass_fields__


def _is_range(spread: Any) -> bool:
    try:
        low, high = spread
        return math.isfinite(low) and math.isfinite(high) and low < high
    except (TypeError, ValueError):
        return False


def _whole(kind: str, name: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise OptionError(f"{kind}: {name}={value!r}: give a whole number of at least {least}.")
    return int(value)


def _within_limit(size: int) -> None:
    if size > MOST:
        raise OptionError(f"a study of {size:,} runs: at most {MOST:,} are kept. Take fewer values.")
