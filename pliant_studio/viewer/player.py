"""Viewer page: results side by side, a timeline to play and scrub, colours by quantity, forces of joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pliant._spelling import known_as
from pliant.errors import OptionError, nearest
from pliant.results.drawing.pictured import Pictured, result_to_draw
from pliant.results.result import Result
from pliant_studio.viewer.film import films
from pliant_studio.viewer.scene import Theatre
from pliant_studio.viewer.server import LOOPBACK, Page, close_page, open_page

Results = Pictured | Sequence[Pictured] | Mapping[str, Pictured]


def view(
    results: Results, *, traces: Sequence[str] | str = (), port: int | None = None, host: str = LOOPBACK
) -> Viewer:
    """Show a result, or several side by side, in a browser; return at once.

    results  one, several, or a mapping from labels: motions are played, paths walked along with their stability, modes
             swing, equilibria stand; a model or a compiled system is shown as assembled
    traces   markers whose lines are drawn: coupler curves, the path of a foot; one can be chosen on the page too
    port     of the page; default: the first free one from 8080 on; 0: any
    host     address that may open it; default: this machine only

    Beams are coloured by bending moment, axial force, strain or speed, tendons by their tension; arrows show the forces
    of joints. Needs ``pip install 'pliant[studio]'``. In a script, ``pl.view(run).wait()`` keeps the page open.

    >>> import pliant as pl
    >>> m = pl.Model("pendulum")
    >>> ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=0.0))
    >>> parts = m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
    >>> page = pl.view(pl.transient(pl.compile(m), end_time=1.0, step=1e-2), port=0)
    >>> page.url.startswith("http://127.0.0.1:")
    True
    >>> page.stop()
    """
    labelled = _labelled(results)
    known = {str(name) for each in labelled.values() for name in each.data["marker"].values}
    named = tuple(known_as(name, known) for name in ([traces] if isinstance(traces, str) else traces))
    for name in named:
        if name not in known:
            raise OptionError(f"view: traces: there is no marker {name!r}. {nearest(name, sorted(known))}")
    return Viewer(labelled, open_page("pliant viewer", host=host, port=port), named)


def _labelled(results: Any) -> dict[str, Result]:
    alone = isinstance(results, Result) or hasattr(results, "sketch") or hasattr(results, "model")
    given = [results] if alone else results
    if not isinstance(given, Mapping | Sequence) or not given:
        raise OptionError(f"view: give a Result, several, or a mapping from labels; got {given!r:.60}.")
    if isinstance(given, Mapping):
        return {str(name): result_to_draw(each) for name, each in given.items()}
    found = [result_to_draw(each) for each in given]
    names = [each.provenance.model for each in found]
    return {
        name if names.count(name) == 1 else f"{name} ({names[:k].count(name) + 1})": each
        for k, (name, each) in enumerate(zip(names, found, strict=True))
    }


class Viewer(Page):
    """A page that shows results; `url` is its address."""

    theatre: Theatre

    def __init__(self, results: Mapping[str, Result], server: Any, traced: tuple[str, ...] = ()) -> None:
        self.server = server
        try:
            self.choices = [films(result, label) for label, result in results.items()]
            most = max(self.choices, key=len)
            server.gui.set_panel_label("pliant viewer")
            labels = tuple(film.captions[0] for film in most)
            self.mode = server.gui.add_dropdown("mode", labels, visible=len(most) > 1)
            self.mode.on_update(lambda _: self._choose())
            self.theatre = Theatre(server)
            self.theatre.traced = traced
            self.theatre.show([each[0] for each in self.choices])
        except BaseException:
            close_page(server)
            raise

    def _choose(self) -> None:
        """Show another mode."""
        number = self.mode.options.index(self.mode.value)
        self.theatre.show([each[min(number, len(each) - 1)] for each in self.choices], keep_stage=True)
