"""Plots of an open loop: Bode, Nyquist and root locus, with the margins found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pliant.errors import OptionError
from pliant.results.drawing import canvas
from pliant.results.drawing.canvas import COLOURS, GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pliant.control.models.linear_model import LinearModel
    from pliant.control.models.margins import Margins

POINTS = 800
FAR = 3.0  # distance from the origin that a Nyquist diagram shows
GAINS = np.geomspace(1e-3, 1e3, 1201)


def plot_bode(loop: LinearModel, *, margins: Margins | None = None) -> list[Axes]:
    """Plot magnitude and phase of a loop, from each opened input to itself; margins are marked if given.

    >>> import pliant as pl
    >>> cart = pl.LinearModel([[0, 1], [0, 0]], [[0], [1]], [[1, 0], [0, 1]], [[0], [0]])
    >>> gain = pl.lqr(cart, Q=[1, 1], R=1)
    >>> len(plot_bode(pl.open_loop(gain), margins=pl.margins(gain)))
    2
    """
    omega = _frequencies(loop)
    response = loop.frequency_response(omega)
    size, phase = canvas.pair()
    for name, colour in zip(loop.input_names, canvas.colours(len(loop.input_names)), strict=True):
        values = response.sel(input=name, output=name).values
        size.loglog(omega / (2.0 * np.pi), np.maximum(np.abs(values), 1e-300), color=colour, label=name)
        phase.semilogx(omega / (2.0 * np.pi), np.degrees(np.unwrap(np.angle(values))), color=colour)
    size.axhline(1.0, color=GREY, linewidth=0.8)
    phase.axhline(-180.0, color=GREY, linewidth=0.8)
    for one in margins.loops if margins is not None else ():
        for ax in (size, phase):
            if one.crossover > 0.0:
                ax.axvline(one.crossover / (2.0 * np.pi), color=GREY, linestyle=":", linewidth=0.8)
    size.set_ylabel("loop gain")
    phase.set(xlabel="frequency [Hz]", ylabel="phase [degrees]")
    canvas.title(size, "open loop" if margins is None else _words(margins))
    canvas.legend(size, True)
    return [size, phase]


def plot_nyquist(loop: LinearModel, *, margins: Margins | None = None, ax: Axes | None = None) -> Axes:
    """Plot det(1 + L) - 1 over frequency, which is L for a single loop. It must encircle -1 as often as the loop has
    growing poles; the disk of a single loop is drawn if its margins are given.

    >>> import pliant as pl
    >>> cart = pl.LinearModel([[0, 1], [0, 0]], [[0], [1]], [[1, 0], [0, 1]], [[0], [0]])
    >>> gain = pl.lqr(cart, Q=[1, 1], R=1)
    >>> plot_nyquist(pl.open_loop(gain), margins=pl.margins(gain)).get_xlabel()
    'real part'
    """
    values = loop.frequency_response(_frequencies(loop)).values
    curve = np.linalg.det(np.eye(len(values)) + np.moveaxis(values, -1, 0)) - 1.0
    ax = canvas.axes(ax, (8.0, 5.5))
    ax.plot(curve.real, curve.imag, color=COLOURS[0], label="L" if len(values) == 1 else "det(1 + L) - 1")
    ax.plot(curve.real, -curve.imag, color=COLOURS[0], linestyle="--", linewidth=0.8)
    ax.plot([-1.0], [0.0], "+", color=COLOURS[1], markersize=12)
    if margins is not None and len(margins.loops) == 1 and 0.0 < margins.disk < 2.0:
        low, high = (2.0 - margins.disk) / (2.0 + margins.disk), (2.0 + margins.disk) / (2.0 - margins.disk)
        turn, centre, radius = np.linspace(0.0, 2.0 * np.pi, 200), -0.5 * (low + high), 0.5 * (high - low)
        label = f"disk margin {margins.disk:.3g}"
        ax.fill(centre + radius * np.cos(turn), radius * np.sin(turn), color=COLOURS[1], alpha=0.2, label=label)
    ax.set(xlabel="real part", ylabel="imaginary part", xlim=(-FAR, FAR), ylim=(-FAR, FAR), aspect="equal")
    canvas.title(ax, "Nyquist diagram")
    canvas.legend(ax, True)
    return ax


def plot_root_locus(loop: LinearModel, *, ax: Axes | None = None) -> Axes:
    """Plot poles of the closed loop with 0.001 to 1000 times the gain of all loops; sampled loops in the plane of z,
    with the circle inside which motions decay. Crosses are poles of the open loop, dots poles of the loop as designed.

    >>> import pliant as pl
    >>> cart = pl.LinearModel([[0, 1], [0, 0]], [[0], [1]], [[1, 0], [0, 1]], [[0], [0]])
    >>> plot_root_locus(pl.open_loop(pl.lqr(cart, Q=[1, 1], R=1))).get_title()
    'root locus'
    """
    _checked(loop)
    ax = canvas.axes(ax, (8.0, 5.5))
    paths = np.array([np.linalg.eigvals(loop.A - k * loop.B @ loop.C) for k in GAINS])
    ax.plot(paths.real.ravel(), paths.imag.ravel(), ".", color=GREY, markersize=1.5, label="0.001 to 1000 times")
    for word, mark, poles in (
        ("open loop", "x", np.linalg.eigvals(loop.A)),
        ("as designed", "o", np.linalg.eigvals(loop.A - loop.B @ loop.C)),
    ):
        colour = COLOURS[0 if mark == "x" else 1]
        ax.plot(poles.real, poles.imag, mark, color=colour, fillstyle="none", markersize=7, label=word)
    if loop.sample_time is None:
        ax.axvline(0.0, color=GREY, linewidth=0.8)
        ax.set(xlabel="real part [1/s]", ylabel="imaginary part [rad/s]")
        wide = 3.0 * float(np.max(np.abs(np.linalg.eigvals(loop.A - loop.B @ loop.C)), initial=1e-3))
        ax.set(xlim=(-wide, 0.4 * wide), ylim=(-wide, wide))
    else:
        turn = np.linspace(0.0, 2.0 * np.pi, 200)
        ax.plot(np.cos(turn), np.sin(turn), color=GREY, linewidth=0.8)
        ax.set(
            xlabel="real part of z", ylabel="imaginary part of z", xlim=(-1.6, 1.6), ylim=(-1.6, 1.6), aspect="equal"
        )
    canvas.title(ax, "root locus")
    canvas.legend(ax, True)
    return ax


def _checked(loop: LinearModel) -> None:
    if not hasattr(loop, "frequency_response") or loop.input_names != loop.output_names:
        raise OptionError("Give what pl.open_loop returned: what enters the loop must be what returns.")


def _frequencies(loop: LinearModel) -> np.ndarray:
    """Return frequencies (rad/s) from slowest pole / 100 to ten times the fastest, or half the sampling rate."""
    _checked(loop)
    closed = np.linalg.eigvals(loop.A - loop.B @ loop.C)
    if loop.sample_time is not None:
        high = np.pi / loop.sample_time
        slow = np.abs(np.log(np.where(closed == 0.0, 1e-300, closed))) / loop.sample_time
        return np.geomspace(min(1e-2 * high, 0.01 * np.min(slow, initial=high)), high, POINTS)
    return np.geomspace(0.01 * np.min(np.abs(closed)), 10.0 * np.max(np.abs(closed)), POINTS)


def _words(margins: Margins) -> str:
    gain = "any gain" if np.isinf(margins.gain) else f"gain margin {margins.gain:.3g}"
    phase = "" if np.isinf(margins.phase) else f", phase {np.degrees(margins.phase):.3g}°"
    return f"open loop: {gain}{phase}, disk {margins.disk:.3g}"
