"""`Measurement`: one experiment, as numbers with the names that results have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import FileError, OptionError
from pliant_fit.measurements import columns
from pliant_fit.measurements.tables import read_columns

if TYPE_CHECKING:
    from pliant.results import Result
    from pliant_fit.measurements.agreement import Agreement

MODAL = ("frequency_hz", "damping_ratio")
PARTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "magnitude": np.abs, "phase": np.angle, "real": np.real, "imag": np.imag,
}  # fmt: skip
"""What of a frequency response was measured, before the name of its output: "magnitude:position:beam/tip:y"."""
FIND: Literal["find"] = "find"
RELATIVE = "relative"
GAP = 3.0  # times the median step: a longer one is a gap

Source = str | Path | Mapping[str, ArrayLike]


@dataclass(frozen=True, eq=False, repr=False)
class Measurement:
    """One experiment: measured numbers, by the names of result variables, and how they were obtained.

    source      file (.csv .tab .txt .dat .mat .nc .htm .trc .c3d .xyz .xlsx, see `pliant_fit.measurements.formats`),
    or a
                mapping from headings to numbers
    quantities  mapping from names of result variables to columns: ``{"position:leaf/tip:y": "tip y [mm]"}``; a column
                is a heading, with or without its units, its number, or "heading*factor". Default: columns whose
                headings are names of result variables
    time        column of the time: the rows are instants of a motion
    frequency   column of the frequency (Hz): the rows are a frequency response to ``drive``, a signal of the model, of
                quantities "magnitude:...", "phase:...", "real:...", "imag:..."
    signals     mapping from signals of the model to columns or numbers: their values in every row, such as the load of
                a deflection. Without time or frequency every row is an equilibrium; with a time the signals are tables
                over time
    begin       of a motion: signals before it begins; the motion starts from their equilibrium (a load that is
                released). {}: from the equilibrium with the signals of the model; None: from the assembled model
    push        of a motion: initial velocities, as of `transient`
    release     of a motion: joints that are released when it begins
    step        of a motion (s); default: as its accuracy requires
    experiment  instead of all these: a function of the system that returns the result to compare with, such as ``lambda
                system: pl.path(system, "load/y", to=-5.0)``, along whose time or parameter, the column ``time``, the
                rows are
    units       of columns without units in their heading: {"tip y": "mm"}; default: SI, with a warning if the size of
                the values is implausible
    error       standard deviation of the noise in SI units, one for all or by quantity, or "2 %" of every value;
                default: estimated from the residuals of the fit, if "relative" as a fraction of every value
    offset      quantities with unknown zero
    shift       s: time on the measurement's clock at which the motion begins; "find": it is estimated
    frame       homogeneous matrix from the axes of the measurement to the model's; "find": it is estimated from
                all positions
    rows        rows to use; default: all
    name        in tables and plots; default: the file's name

    Missing values (empty cells, NaN) are skipped. `kind` is "statics", "modes", "motion" or "response".

    >>> hung = {"F [N]": [1.0, 2.0, 3.0], "tip [mm]": [-4.1, -8.0, -12.2]}
    >>> Measurement(hung, {"position:beam/tip:y": "tip"}, signals={"load/y": "F*-1"}, name="weights")
    <Measurement "weights": statics, 3 rows of position:beam/tip:y>
    """

    source: Source
    quantities: Mapping[str, str] | str | None = None
    time: str | None = field(default=None, kw_only=True)
    frequency: str | None = field(default=None, kw_only=True)
    drive: str = field(default="", kw_only=True)
    signals: Mapping[str, str | float] = field(default_factory=dict, kw_only=True)
    begin: Mapping[str, float] | None = field(default=None, kw_only=True)
    push: Mapping[str, float | Sequence[float]] = field(default_factory=dict, kw_only=True)
    release: Sequence[str] = field(default=(), kw_only=True)
    step: float | None = field(default=None, kw_only=True)
    experiment: Callable[[object], Result] | None = field(default=None, kw_only=True)
    units: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    error: float | str | Mapping[str, float | str] | None = field(default=None, kw_only=True)
    offset: Sequence[str] = field(default=(), kw_only=True)
    shift: float | Literal["find"] = field(default=0.0, kw_only=True)
    frame: ArrayLike | Literal["find"] | None = field(default=None, kw_only=True)
    rows: slice | Sequence[int] | None = field(default=None, kw_only=True)
    name: str = field(default="", kw_only=True)

    x: np.ndarray = field(init=False)
    values: dict[str, np.ndarray] = field(init=False)
    settings: dict[str, np.ndarray] = field(init=False)
    told: dict[str, str] = field(init=False)
    notes: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        name = self.name or (Path(self.source).name if isinstance(self.source, str | Path) else "measurement")
        self._set(name=name)
        table = _Table(f'Measurement "{name}"', self.source, self.units, self.rows)
        self._check_words(table)
        along = self.time or self.frequency
        taken = {along, *(each for each in self.signals.values() if isinstance(each, str))}
        wanted = self._wanted(table, taken)
        found = {ours: table.read(theirs) for ours, theirs in wanted.items()}
        settings = {ours: table.read(given) for ours, given in self.signals.items()}
        x, units = table.read(along) if along is not None else (np.arange(float(table.count)), "")
        expected = "s" if self.time else "Hz"
        if along is not None and units and self.experiment is None and not columns.same_kind(units, expected):
            raise OptionError(f"{table.owner}: the column {along!r} is in {units}, not in {expected}.")
        told = {ours: units for ours, (_, units) in {**found, **settings}.items()}
        self._set(x=x, told=told | ({"time": units} if self.time and units else {}))
        self._set(settings={ours: values for ours, (values, _) in settings.items()})
        self._set(values={ours: values for ours, (values, _) in found.items()})
        notes = [*self._check_along(table.owner), *self._check_values(table.owner)]
        self._set(notes=tuple(notes))

    def _set(self, **values: Any) -> None:
        for key, value in values.items():
            object.__setattr__(self, key, value)

    def _wanted(self, table: _Table, taken: set[str | None]) -> dict[str, str]:
        if self.quantities is not None:
            wanted = columns.wanted_columns(self.quantities)
        else:
            wanted = {
                columns.plain(each): each
                for each in table.columns
                if ":" in each and {each, columns.plain(each)}.isdisjoint(taken)
            }
        if not wanted:
            hint = 'Say which is which: quantities={"position:beam/tip:y": "tip y"}.'
            raise OptionError(
                f"{table.owner}: none of its columns ({', '.join(table.columns)}) is a quantity of ours. {hint}"
            )
        return wanted

    def _check_words(self, table: _Table) -> None:
        if self.time is not None and self.frequency is not None:
            raise OptionError(f"{table.owner}: give time= or frequency=, not both.")
        moving = {"begin": self.begin, "push": self.push, "release": self.release, "step": self.step}
        for word, value in moving.items():
            if value and self.time is None:
                raise OptionError(f"{table.owner}: {word} is of a motion: say which column is its time=.")
        if bool(self.drive) != (self.frequency is not None):
            raise OptionError(f"{table.owner}: a frequency response has frequency=, a column, and drive=, a signal.")
        if not (self.shift == FIND or isinstance(self.shift, int | float) and np.isfinite(self.shift)):
            raise OptionError(f'{table.owner}: shift={self.shift!r}: give seconds, or "find".')
        if self.step is not None and not (isinstance(self.step, int | float) and 0.0 < self.step < np.inf):
            raise OptionError(f"{table.owner}: step={self.step!r}: give seconds, a positive number.")
        if self.shift != 0.0 and self.time is None:
            raise OptionError(f"{table.owner}: shift is of a motion: say which column is its time=.")
        if self.experiment is not None and (self.signals or self.frequency or any(moving.values())):
            raise OptionError(
                f"{table.owner}: experiment= replaces the other arguments of an experiment: leave them out."
            )

    def _check_along(self, owner: str) -> list[str]:
        """Check that time and settings are known, and that the time increases."""
        for word, values in {"time": self.x if self.kind != "statics" else np.zeros(0), **self.settings}.items():
            if np.any(~np.isfinite(values)):
                row = int(np.flatnonzero(~np.isfinite(values))[0]) + 1
                raise OptionError(
                    f"{owner}: {word} is missing in row {row}. Leave that row out with rows=, or fill it."
                )
        if self.kind not in ("motion", "response"):
            return []
        steps = np.diff(self.x)
        if self.experiment is not None and np.all(steps < 0.0):  # of a path to a load below its start
            return []
        if np.any(steps <= 0.0):
            row = int(np.argmax(steps <= 0.0))
            again = int(np.sum(steps < 0.0))
            hint = (
                "It runs backwards: turn the rows around, rows=slice(None, None, -1)."
                if np.all(steps < 0.0)
                else f"It begins again {again} times: several recordings? Take one, rows=slice(0, {row + 1})."
                if again and self.x[row + 1] <= self.x[0] + 1e-9 * abs(self.x[-1] - self.x[0])
                else "Sort the rows, or leave some out with rows=; of instants that come twice keep one."
            )
            word = "time" if self.time else "frequency"
            raise OptionError(
                f"{owner}: the {word} does not increase from {self.x[row]:g} to {self.x[row + 1]:g}, rows {row + 1} "
                f"and {row + 2}. {hint}"
            )
        usual = float(np.median(steps)) if steps.size else 0.0
        long = np.flatnonzero(steps > GAP * usual)
        if not long.size or self.kind != "motion":
            return []
        k = int(long[np.argmax(steps[long])])
        return [f"{long.size} gaps in time, the longest from {self.x[k]:g} to {self.x[k + 1]:g} s"]

    def _check_values(self, owner: str) -> list[str]:
        notes = []
        for ours, values in self.values.items():
            missing = int(np.sum(~np.isfinite(values)))
            if missing == values.size:
                raise OptionError(f"{owner}: {ours} has no value: all {missing} are missing.")
            if missing:
                notes.append(f"{ours}: {missing} of {values.size} values are missing, and left out")
        for ours in (*self.offset, *(self.error if isinstance(self.error, Mapping) else ())):
            if ours not in self.values:
                raise OptionError(f"{owner}: {ours!r} is not one of its quantities: {', '.join(self.values)}.")
        for ours, values in self.values.items():
            given = self._given(ours)
            try:
                size = None if given is None or given == RELATIVE else self.noise(ours)
                fine = size is None or bool(np.isfinite(size) and size > 0.0)
            except (TypeError, ValueError):
                fine = False
            if not fine:
                hint = 'the noise is a positive number in SI units, "2 %" of every value, or "relative".'
                raise OptionError(f"{owner}: error={given!r} of {ours}: {hint}")
            if self.relative(ours) and np.any(values == 0.0):
                row = int(np.flatnonzero(values == 0.0)[0]) + 1
                raise OptionError(f"{owner}: {ours} is 0 in row {row}, of which no part can be the noise.")
        return notes

    @property
    def kind(self) -> str:
        """Return the kind of the rows."""
        if self.time is not None:
            return "motion"
        if self.frequency is not None:
            return "response"
        return "modes" if all(name.partition(":")[0] in MODAL for name in self.values) else "statics"

    def _given(self, quantity: str) -> float | str | None:
        return self.error.get(quantity) if isinstance(self.error, Mapping) else self.error

    def relative(self, quantity: str) -> bool:
        """Return whether the noise of a quantity is given relative to its value."""
        return isinstance(self._given(quantity), str)

    def noise(self, quantity: str) -> float | None:
        """Return the standard deviation of a quantity, absolute or relative, if given."""
        given = self._given(quantity)
        if given is None or given == RELATIVE:
            return None
        return float(given.removesuffix("%")) / 100.0 if isinstance(given, str) else float(given)

    def unit(self, quantity: str) -> np.ndarray:
        """Return the reference of the noise in every row."""
        values = self.values[quantity]
        return np.abs(values) if self.relative(quantity) else np.ones(values.size)

    def against(self, result: Result) -> Agreement:
        """Compare with a result: RMS, largest difference, delay and coherence of every quantity.

        >>> import pliant as pl
        >>> from pliant_gallery import pendulum
        >>> run = pl.transient(pl.compile(pendulum.model(angle=0.0)), end_time=0.5, step=1e-3)
        >>> seen = {"t": run.time.values + 0.02, "q [deg]": np.degrees(run.angle.values[:, 0]) + 1.0}
        >>> found = Measurement(seen, {"angle:bob 1": "q"}, time="t").against(run)
        >>> round(found.row("angle:bob 1").delay, 3)
        0.02
        """
        from pliant_fit.measurements.agreement import against

        return against(self, result)

    def __repr__(self) -> str:
        names = list(self.values)
        told = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        return f'<Measurement "{self.name}": {self.kind}, {self.x.size} rows of {told}>'


class _Table:
    """Columns of a source, in SI units."""

    def __init__(
        self, owner: str, source: Source, units: Mapping[str, str], rows: slice | Sequence[int] | None
    ) -> None:
        self.owner = owner
        if isinstance(source, str | Path):
            self.columns = read_columns(source, gaps=True)
        elif isinstance(source, Mapping):
            self.columns = {str(key): _vector(owner, str(key), each) for key, each in source.items()}
        else:
            raise OptionError(f"{owner}: {source!r:.60} is neither a file nor a mapping from headings to numbers.")
        self.units = {columns.column(owner, label, list(self.columns)): each for label, each in units.items()}
        sizes = {values.size for values in self.columns.values()}
        if len(sizes) > 1:
            told = ", ".join(f"{label}: {values.size}" for label, values in self.columns.items())
            raise FileError(f"{owner}: its columns are not equally long ({told}).")
        if rows is not None:
            chosen = rows if isinstance(rows, slice) else np.asarray(rows)
            try:
                self.columns = {label: values[chosen] for label, values in self.columns.items()}
            except IndexError as error:
                raise OptionError(f"{owner}: rows={rows!r:.60}: it has {max(sizes)} rows. ({error})") from None
        self.count = next(iter(self.columns.values())).size if self.columns else 0
        if not self.count:
            raise FileError(f"{owner}: it has no rows.")

    def read(self, given: str | float) -> tuple[np.ndarray, str]:
        """Return values in SI units of a column, with the units found for it; or of a number."""
        if not isinstance(given, str):
            return np.full(self.count, float(given)), ""
        label, times = columns.factor(given, [*self.columns, *(columns.plain(each) for each in self.columns)])
        heading = columns.column(self.owner, label, list(self.columns))
        units = self.units.get(heading, columns.told_units(heading))
        if not units:
            return times * self.columns[heading], "" if times == 1.0 else "given"
        known = columns.understood(units)
        if known is None:
            hint = f"Tell ours: units={{{label!r}: 'mm'}}; mm, N, deg, kN, MPa, rpm and the like are known."
            raise OptionError(f"{self.owner}: the column {heading!r} is in {units!r}, which is not known. {hint}")
        return times * float(known.factor) * self.columns[heading], units


def _vector(owner: str, label: str, values: ArrayLike) -> np.ndarray:
    try:
        found = np.asarray(values, float)
    except (TypeError, ValueError):
        raise OptionError(f"{owner}: {label!r} is no list of numbers: {values!r:.60}.") from None
    if np.any(np.isinf(found)):
        row = int(np.flatnonzero(np.isinf(np.ravel(found)))[0]) + 1
        raise OptionError(f"{owner}: {label!r} is infinite in row {row}. What is missing is NaN.")
    if found.ndim != 1:
        raise OptionError(f"{owner}: {label!r} has the shape {found.shape}: give a list of numbers.")
    return found
