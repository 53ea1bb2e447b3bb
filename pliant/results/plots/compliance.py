"""Compliance of a point as an ellipse or an ellipsoid: its displacements under a force in any direction."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from pliant.errors import SingularError
from pliant.results.drawing import canvas
from pliant.results.drawing.view import PLANES, SLANTWISE, View

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHARE = 0.25  # of the length of the model: the longest half axis as drawn
AROUND, ALONG = 73, 37  # points of an ellipse, of a meridian


class HasCompliance(Protocol):
    """The attributes that are drawn, as `stiffness` returns them."""

    marker: str
    length: float

    @property
    def point(self) -> np.ndarray: ...
    @property
    def compliance(self) -> np.ndarray: ...
    @property
    def centre(self) -> np.ndarray: ...


def plot_compliance(found: HasCompliance, *, ax: Axes | None = None) -> Axes:
    """Plot an ellipse about the point, in space an ellipsoid: all its displacements under forces of one newton. Its
    half axes are principal compliances (m/N), listed with their directions. A cross marks the centre of compliance, if
    there is one.

    found  a result of `stiffness`
    ax     axes to draw into, such as the axes of `plot_shape`; in space with ``projection="3d"``

    >>> from pliant.analyses.statics.stiffness import Stiffness
    >>> axes = plot_compliance(Stiffness("stage", np.zeros(2), np.diag([1e-3, 5e-4, 1e-2]), 0.4))
    >>> x, y = axes.lines[0].get_data()
    >>> round(float(np.ptp(x)), 6), round(float(np.ptp(y)), 6)  # longest half axis: a quarter of length
    (0.2, 0.1)
    """
    point, axes = found.point, found.point.size
    moved = found.compliance[:axes, :axes]
    values, directions = np.linalg.eigh(0.5 * (moved + moved.T))
    if not values[-1] > 0.0:
        raise SingularError(f"plot_compliance: {found.marker!r} does not move under any force.")
    scale = SHARE * found.length / values[-1]
    seen = View(PLANES["xy"]) if axes == 2 else View((0, 1, 2), SLANTWISE)
    ax = _new(seen) if ax is None else ax
    target: Any = ax
    if axes == 2:
        turn = np.linspace(0.0, 2.0 * np.pi, AROUND)
        target.plot(*(point[:, None] + scale * moved @ [np.cos(turn), np.sin(turn)]), color=canvas.COLOURS[0])
    else:
        turn, rise = np.meshgrid(np.linspace(0.0, 2.0 * np.pi, AROUND), np.linspace(0.0, np.pi, ALONG))
        ball = np.stack([np.cos(turn) * np.sin(rise), np.sin(turn) * np.sin(rise), np.cos(rise)])
        surface = point[:, None, None] + scale * np.tensordot(moved, ball, 1)
        target.plot_surface(*surface, color=canvas.COLOURS[0], alpha=0.3, linewidth=0.0)
    target.plot(*point[:, None], "o", color=canvas.COLOURS[0], label=found.marker)
    for value, direction, colour in zip(values[::-1], directions.T[::-1], canvas.COLOURS[1:], strict=False):
        ends = np.stack([point, point + scale * value * direction], axis=1)
        target.plot(*ends, color=colour, linewidth=1.5, label=f"{value:.3g} m/N along {_written(direction)}")
    with suppress(SingularError):  # no centre if the body cannot turn
        target.plot(*found.centre[:, None], "x", color=canvas.COLOURS[1], label="centre of compliance")
    seen.frame(ax)
    canvas.title(ax, f"compliance at {found.marker}")
    canvas.legend(ax, True)
    return ax


def _written(direction: np.ndarray) -> str:
    """Format a direction with its largest component positive."""
    upright = direction * np.sign(direction[np.argmax(np.abs(direction))])
    return f"({', '.join(f'{value + 0.0:.2g}' for value in np.round(upright, 3))})"


def _new(seen: View) -> Axes:
    import matplotlib.pyplot as plt

    ax: Axes = seen.panels(plt.figure(figsize=(8.0, 4.5), layout="constrained"))[0, 0]
    return ax
