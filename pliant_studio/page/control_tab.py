"""Tab of the studio that closes a loop: input, output, weights as sliders, the nonlinear motion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.errors import OptionError
from pliant.results.drawing.canvas import COLOURS
from pliant.results.live_view import watching
from pliant_studio.page.busy import Busy
from pliant_studio.session.feedback import Closed, Weights, close, disturbances, inputs
from pliant_studio.viewer.text import paragraph

if TYPE_CHECKING:
    from pliant_studio.page.page import Studio

ABOUT = (
    "The model is linearised about the equilibrium. LQR computes a feedback for its slowest modes, which an observer "
    "estimates from the readings. Then the nonlinear model moves after a disturbance, with and without the controller. "
    "Weights are powers of ten."
)
NOTHING = "This model has no load, motor, tendon or drive that a controller could set."
POINTS = 400
MOST_POLES = 6
ROUNDING = 1e-12  # of a pole: smaller real parts are rounding


class ControlTab:
    """Input, output, weights, push; poles and curves of the closed loop."""

    def __init__(self, studio: Studio) -> None:
        self.studio, self.found = studio, None
        gui, offered, bodies = studio.server.gui, inputs(studio.session), disturbances(studio.session)
        gui.add_html(paragraph(ABOUT if offered else NOTHING))
        self.input = gui.add_dropdown("input", tuple(offered) or ("nothing",), visible=bool(offered))
        self.output = gui.add_dropdown("output", self._readings(), visible=bool(offered))
        self.weights = [
            gui.add_slider(label, -4.0, 4.0, 0.1, 0.0, visible=bool(offered))
            for label in ("weight of the output", "weight of the input")
        ]
        self.body = gui.add_dropdown("disturbance", tuple(bodies) or ("nothing",), visible=bool(offered))
        self.rate = gui.add_number(
            "size [rad/s, or output]", 0.2, min=-100.0, max=100.0, step=0.01, visible=bool(offered)
        )
        self.until = gui.add_number("until [s]", 2.0, min=0.01, max=100.0, step=0.01, visible=bool(offered))
        self.busy = Busy(studio, "close the loop", self._close, icon="circuit-switch-closed", visible=bool(offered))
        for slider in self.weights:
            slider.on_update(lambda _: self.found is not None and self.busy.ask())
        self.said = gui.add_html("")
        self.plot: Any = None
        self.place = gui.add_folder("closed loop", visible=False)

    found: Closed | None

    def offer(self) -> None:
        """Update the choices after the readings have changed."""
        chosen, self.output.options = self.output.value, self._readings()
        if chosen in self.output.options:
            self.output.value = chosen

    def clear(self) -> None:
        """Remove results of the previous equilibrium."""
        self.found, self.said.content, self.place.visible = None, "", False

    def _readings(self) -> tuple[str, ...]:
        return tuple(each.label for each in self.studio.session.reads) or ("nothing",)

    def _close(self) -> None:
        session = self.studio.session
        reading = next((each for each in session.reads if each.label == self.output.value), None)
        if reading is None:
            raise OptionError('Nothing is read: choose something in the tab "set up", folder "readings".')
        weights = Weights(*(float(each.value) for each in self.weights))
        push = (str(self.body.value), float(self.rate.value))
        with watching(self.busy.watch):
            found = close(session, self.input.value, reading, weights, push=push, seconds=float(self.until.value))
        self.found = found
        self.said.content = _poles(found)
        plot = _curves(found, reading)
        if self.plot is not None:
            self.plot.remove()
        with self.place:
            self.plot = self.studio.server.gui.add_uplot(**plot)
        self.place.visible = True
        self.studio.motion = found.motions["closed loop"]
        self.studio.compare(found.motions)


def _poles(found: Closed) -> str:
    """Return the poles without and with control, the slowest first, as HTML."""

    def rows(poles: np.ndarray) -> str:
        upper = sorted((p for p in poles if p.imag >= 0.0), key=lambda p: -p.real)[:MOST_POLES]
        return "<br>".join(_pole(p) for p in upper)

    names = ("without control", "closed loop")
    cells = "".join(
        f'<td style="vertical-align:top; padding-right:1em"><b>{name}</b><br>{rows(poles)}</td>'
        for name, poles in zip(names, (found.open_poles, found.gain.poles), strict=True)
    )
    said = paragraph(f"{found.sample_time:g} s a sample. " + found.motions["closed loop"].outcome.message)
    return f'{said}<div style="margin:.3em .9em; font-size:.9em">poles [1/s]<table><tr>{cells}</tr></table></div>'


def _pole(pole: complex) -> str:
    real = 0.0 if abs(pole.real) <= ROUNDING * abs(pole) else pole.real
    return f"{real:.4g} ± {pole.imag:.4g} i" if pole.imag else f"{real:.4g}"


def _curves(found: Closed, reading: Any) -> dict[str, Any]:
    """Return the output over time, with and without control: arguments of `add_uplot`."""
    closed = found.motions["closed loop"].time.values
    time = np.linspace(closed[0], closed[-1], POINTS)
    lines = {name: (run.time.values, reading.of(run).values) for name, run in found.motions.items()}
    data = [np.interp(time, known, values, right=np.nan) for known, values in lines.values()]
    own = data[0]  # falling motions are cut off, so that the controlled one stays visible
    middle, reach = float(own[-1]), 3.0 * float(np.ptp(own)) or 1.0
    data = [np.clip(each, middle - reach, middle + reach) for each in data]
    series: list[dict[str, Any]] = [{"label": "t, s"}]
    series += [
        {"label": f"{name}, {reading.unit}", "stroke": COLOURS[k], "width": 2, "points": {"show": False}}
        for k, name in enumerate(lines)
    ]
    return {
        "data": (time, *data),
        "series": tuple(series),
        "scales": {"x": {"time": False}},
        "axes": ({"label": "t [s]"}, {"label": f"{reading.label} [{reading.unit}]", "size": 60}),
        "aspect": 1.7,
        "padding": (14, 24, 0, 0),
    }
