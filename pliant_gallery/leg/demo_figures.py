"""Pictures of the leg: bifurcation diagram, shapes, modes, and the histories of thesis figures 5.5 to 5.8 and 5.12 to
5.15.

``python -m pliant_gallery.leg.demo_figures docs/images`` draws the pictures of the documentation.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import pliant as pl
from pliant.results import Result
from pliant.results.drawing import canvas
from pliant_gallery.leg import LEG, theory
from pliant_gallery.leg.stages import MIDDLE, settle

if TYPE_CHECKING:
    from pliant_gallery.leg.demo import Leg

QUARTERS = (0.25, 0.5, 0.75)
ELEMENTS = pl.Exact(12, order=2)  # quarter points are nodes


def figures(leg: Leg, out: Path, prefix: str = "") -> dict[str, Path]:
    """Draw everything into a folder; return the files by name."""
    import matplotlib.pyplot as plt

    drawings: dict[str, Callable[[], Any]] = {
        "bifurcation": lambda: bifurcation(leg),
        "shapes": lambda: pl.plots.plot_shape(leg.outward.bent),
        "modes": lambda: pl.plots.plot_modes(leg.modes, modes=(1, 2, 3)),
        "fall": lambda: pl.plots.plot_shape(leg.motion, times=np.linspace(0.0, 0.3, 7).tolist()),
        "settling": lambda: histories(settle(elements=ELEMENTS, damping=LEG.tendon_damping), first=5),
        "release": lambda: histories(leg.motion, first=12),
        "energy": lambda: energies(leg.motion),
    }
    files = {}
    for name, draw in drawings.items():
        draw()
        files[f"{name}.png"] = out / f"{prefix}{name}.png"
        plt.gcf().savefig(files[f"{name}.png"], dpi=90)
        plt.close()
    return files


def bifurcation(leg: Leg) -> None:
    """Draw the position of the leaf's middle over the tendon's rest length, without and with weight, and in theory."""
    import matplotlib.pyplot as plt

    figure, (without, weighed) = plt.subplots(1, 2, figsize=(11.0, 4.6), layout="constrained", sharey=True)
    paths = (leg.outward.straight, leg.outward.bent, leg.inward.bent), (leg.natural, leg.cut_off)
    labels = ("straight", "outward", "inward"), ("from the straight leg", "cut off, outward")
    where: dict[str, Any] = {"quantity": "position", "marker": MIDDLE, "component": "x"}
    for ax, title, lines, names in zip(
        (without, weighed), ("without weight", "with weight"), paths, labels, strict=True
    ):
        pl.plots.plot_path(*lines, labels=names, ax=ax, **where)
        given = LEG if ax is weighed else replace(LEG, gravity=0.0)
        ax.plot(*theory_dots(given), linestyle="", marker=".", color="black", zorder=4, label="elastica")
        ax.set(title=title, xlabel="rest length of the tendon [m]")
        ax.legend(loc="upper left", frameon=False)
        ax.invert_xaxis()
    without.set_ylabel("middle of the leaf, x [m]")
    weighed.set_ylabel("")
    figure.suptitle("pretension of the leg, upper link held")


def theory_dots(given: Any) -> tuple[list[float], list[float]]:
    """Return rest lengths, and the theoretical positions of the leaf's middle, on both sides."""
    lengths, places = [], []
    for side in (1.0, -1.0):
        guess = None
        for length in np.linspace(LEG.tendon_rest_length, 0.27, 6):
            found = theory.equilibrium(replace(given, tendon_rest_length=float(length)), side=side, guess=guess)
            guess = found.unknowns
            lengths.append(float(length))
            places.append(found.middle[0])
    return lengths, places


def histories(motion: Result, *, first: int) -> None:
    """Draw angles, nodes of the leaf, deformation and force of the tendon: four figures of chapter 5 of the thesis,
    from number `first` on.
    """
    angles, nodes, deformation, force = canvas.panels(2, 2, (11.0, 7.0), sharex=True).flat
    time, tendon = motion.time.values, {"line": "tendon"}
    for name, values in thesis_angles(motion).items():
        angles.plot(time, values / pl.DEG, label=name)
    angles.set(title=f"angles (figure 5.{first})", ylabel="[deg]")
    for s, values in zip(QUARTERS, offsets(motion).T, strict=True):
        nodes.plot(time, 1e3 * values, label=f"s = {s:g}")
    nodes.set(title=f"points of the leaf, from its chord (figure 5.{first + 1})", ylabel="[mm]")
    deformation.plot(time, 1e3 * (motion.line_length.sel(tendon) - LEG.leaf_length))
    deformation.set(
        title=f"length of the tendon less that of the leaf (figure 5.{first + 2})", ylabel="[mm]", xlabel="time [s]"
    )
    force.plot(time, motion.tension.sel(tendon))
    force.set(title=f"force of the tendon (figure 5.{first + 3})", ylabel="[N]", xlabel="time [s]")
    for ax in (angles, nodes):
        ax.margins(y=0.2)
        ax.legend(loc="upper center", ncols=3, frameon=False)


def energies(motion: Result) -> None:
    """Draw energies since the release, and the error of their balance, which is dissipation of the integrator."""
    parts, error = canvas.panels(2, 1, (8.0, 5.6), sharex=True, height_ratios=(2, 1)).flat
    energy = motion.energy - motion.energy[0]
    for kind in ("kinetic", "potential", "dissipated"):
        parts.plot(motion.time, energy.sel(energy_kind=kind), label=kind)
    parts.set(title="energy since the release", ylabel="[J]")
    parts.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    error.plot(motion.time, 1e3 * motion.energy.sel(energy_kind="balance"))
    error.set(title="error of the balance", ylabel="[mJ]", xlabel="time [s]")


def thesis_angles(motion: Result) -> dict[str, np.ndarray]:
    """Return q1 and q3 of the links, and q2 = direction of the leaf's chord less q1 (rad)."""
    q1, q3 = (motion.angle.sel(body=body).values for body in ("lower link", "upper link"))
    chord = motion.position.sel(marker="leaf/tip").values - motion.position.sel(marker="leaf/base").values
    return {"q1": q1, "q2": np.unwrap(np.arctan2(chord[:, 1], chord[:, 0])) - q1, "q3": q3}


def offsets(motion: Result) -> np.ndarray:
    """Return the distance of the leaf's quarter points from its chord, outward positive, (time, 3) m."""
    stations = [int(np.flatnonzero((motion.part == "leaf") & (motion.s == s))[0]) for s in (0.0, *QUARTERS, 1.0)]
    base, *points, end = np.moveaxis(motion.shape.values[:, stations], 1, 0)
    along = (end - base) / np.linalg.norm(end - base, axis=1, keepdims=True)
    away = np.array(points) - base
    return (along[:, 1] * away[..., 0] - along[:, 0] * away[..., 1]).T


if __name__ == "__main__":
    from pliant_gallery.leg.demo import compute

    figures(compute(), Path(sys.argv[1]), prefix="leg-")
