"""Buckling of strips over their stiffness, and the full turn of the hinged frame.

``python -m pliant_evidence.lateral_buckling.figures docs/images`` draws them for the documentation.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from pliant_evidence.drawing import panels, save
from pliant_evidence.lateral_buckling import theory
from pliant_evidence.lateral_buckling.validate import critical, turned_over
from pliant_gallery import lateral_buckling as strips


def strips_and_frame() -> None:
    """Draw critical loads of bent strips; moment and apex of the frame; its apex seen along x."""
    bent, moments, apex = panels(1, 3, (13.0, 4.2))
    ratios = np.linspace(0.0, 0.3, 31)[1:]
    loads = [theory.cantilever(strong=1.0 / ratio, weak=1.0, torsion=1.0) for ratio in ratios]
    bent.plot(ratios, np.array(loads) / theory.PRANDTL, label="clamped, tip load")
    forks = [theory.between_forks(strong=1.0 / ratio, weak=1.0, torsion=1.0) / np.pi for ratio in ratios]
    bent.plot(ratios, forks, label="between forks, end moments")
    for ratio in (0.1, 0.2, 0.3):
        given = {"strong": 1.0 / ratio, "weak": 1.0, "torsion": 1.0}
        found = -critical(strips.cantilever(**given), "load/y", to=-14.0) / theory.PRANDTL
        held = critical(strips.between_forks(**given), strips.ENDS, to=6.0) / np.pi
        bent.plot([ratio, ratio], [found, held], linestyle="", marker="o", color="black", markersize=4)
    bent.set(xlabel="EI_w / EI_s = GJ / EI_s", ylabel="load over that of a stiff strip", title="dots: finite elements")
    bent.legend(frameon=False)
    _, turn = turned_over()
    place = turn.position.sel(marker="leg/tip")
    y, z = (place.sel(axis=axis).values for axis in "yz")
    moments.plot(z, turn.parameter.values)
    moments.set(xlabel="apex across its plane [mm]", ylabel="moment at the feet [N mm]", title="hinged frame")
    apex.plot(y, z)
    apex.plot(y[0], z[0], marker="o", color="black", markersize=4)
    apex.set(xlabel="apex, y [mm]", ylabel="z [mm]", aspect="equal", title="apex, seen along the feet")


if __name__ == "__main__":
    save({"lateral-buckling": strips_and_frame}, Path(sys.argv[1]))
