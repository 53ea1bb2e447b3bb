"""Page with the progress of a study: a file that a browser loads again every few seconds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime
from html import escape
from pathlib import Path
from time import monotonic

import numpy as np

from pliant.errors import OptionError
from pliant.results import Result
from pliant.whole_files import whole_file

REASONS = 5  # reasons of failed runs shown, the most frequent ones
STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}"
    "progress{width:100%;height:1.5rem}table{border-collapse:collapse}td,th{padding:.2rem .8rem;text-align:right}"
    "td:first-child,th:first-child{text-align:left;padding-left:0}tr+tr{border-top:1px solid #8884}"
    ":root{color-scheme:light dark}"
)


@dataclass
class StudyPage:
    """Writer of a page with the progress of a study, its rate, the time left, and failures. Give it as ``watch=``.

    path   of the file, "progress.html"
    every  s between two versions of the page, at least

    >>> import tempfile
    >>> import pliant as pl
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = pl.StudyPage(f"{folder}/progress.html")
    ...     found = pl.study(lambda x: {"square": x * x}, over={"x": [1.0, 2.0]}, on="threads", watch=page)
    ...     "2 of 2 runs" in page.path.read_text()
    True
    """

    path: str | Path
    _: KW_ONLY
    every: float = 2.0
    first: tuple[float, int] | None = field(default=None, init=False, repr=False)  # time, and number of runs then
    written: float = field(default=-np.inf, init=False, repr=False)

    def __post_init__(self) -> None:
        self.path = Path(self.path)
        if not self.every >= 0.0:
            raise OptionError(f"StudyPage: every = {self.every!r}: give a number of seconds, zero or above.")
        if not self.path.parent.is_dir():
            raise OptionError(f"StudyPage: path = {str(self.path)!r}: the folder {self.path.parent} does not exist.")

    def __call__(self, so_far: Result) -> None:
        """Write the page, unless the last one is recent and runs are still waiting."""
        now, waiting = monotonic(), int(so_far.outcome.waiting)
        done = int(so_far.outcome.runs) - waiting
        self.first = self.first or (now, done)
        if waiting and now - self.written < self.every:
            return
        with whole_file(Path(self.path)) as draft:
            draft.write_text("\n".join(self._lines(so_far, done, waiting, now)), encoding="utf8")
        self.written = now

    def _lines(self, so_far: Result, done: int, waiting: int, now: float) -> Iterator[str]:
        title = escape(f"Study of {so_far.provenance.model}")
        again = f"<meta http-equiv='refresh' content='{max(1.0, self.every):g}'>" if waiting else ""
        yield f"<!doctype html><html lang='en'><head><meta charset='utf-8'>{again}<title>{title}</title>"
        yield f"<meta name='viewport' content='width=device-width'><style>{STYLE}</style></head><body><h1>{title}</h1>"
        yield f"<progress max='{done + waiting}' value='{done}'></progress>"
        yield f"<p><b>{done:,} of {done + waiting:,} runs</b>{self._speed(done, waiting, now)}</p>"
        yield f"<p>{escape(so_far.outcome.message)}</p>"
        yield from _reasons(so_far)
        yield from _numbers(so_far)
        until = "the study is done" if not waiting else "if that is long ago, the study has stopped"
        yield f"<p><small>written at {datetime.now():%H:%M:%S}; {until}</small></p></body></html>"

    def _speed(self, done: int, waiting: int, now: float) -> str:
        """Describe the runs per second since the first page, and the time left."""
        began, before = self.first or (now, done)
        if done <= before or now <= began:
            return ""
        rate = (done - before) / (now - began)
        left = f", {_duration(waiting / rate)} left" if waiting else f", in {_duration(now - began)}"
        return f", {rate:.3g} a second{left}"


def _reasons(so_far: Result) -> Iterator[str]:
    """Yield reasons of runs that failed, or are not ok."""
    found = Counter(str(text) for text in so_far.data["reason"].values.ravel() if text)
    if found:
        yield "<h2>Reasons</h2><table><tr><th>reason</th><th>runs</th></tr>"
        for text, count in found.most_common(REASONS):
            yield f"<tr><td>{escape(text)}</td><td>{count:,}</td></tr>"
        yield "</table>"


def _numbers(so_far: Result) -> Iterator[str]:
    """Yield least, median and largest value of every number so far."""
    kept = [variable for variable in so_far.data.data_vars.values() if variable.dtype.kind == "f"]
    known = [variable for variable in kept if np.isfinite(variable.values).any()]
    if known:
        yield "<h2>Numbers</h2><table><tr><th>quantity</th><th>least</th><th>median</th><th>most</th><th>unit</th></tr>"
        for each in known:
            cells = (f"<td>{float(pick(each.values)):.5g}</td>" for pick in (np.nanmin, np.nanmedian, np.nanmax))
            unit = escape(str(each.attrs.get("units", "1")))
            yield f"<tr><td>{escape(str(each.name))}</td>{''.join(cells)}<td>{unit}</td></tr>"
        yield "</table>"


def _duration(seconds: float) -> str:
    """
    >>> _duration(0.4), _duration(75.0), _duration(7300.0)
    ('1 s', '1 min 15 s', '2 h 01 min')
    """
    whole = max(1, round(seconds))
    minutes, hours = whole // 60, whole // 3600
    if hours:
        return f"{hours} h {minutes % 60:02d} min"
    return f"{minutes} min {whole % 60:02d} s" if minutes else f"{whole} s"
