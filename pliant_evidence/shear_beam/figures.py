"""Figure 5 of the shooting paper: errors along a thick cantilever, by shooting and by reduced elements.

``python -m pliant_evidence.shear_beam.figures docs/images`` draws it for the documentation.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from pliant_evidence.drawing import panels, save
from pliant_evidence.shear_beam import theory
from pliant_evidence.shear_beam.validate import ELEMENTS, STEPS, TIP, element_error, shooting_error
from pliant_gallery.shear_beam import LENGTH


def errors() -> None:
    """Draw the errors: lines are theory, dots are computed."""
    along, growth = panels(1, 2, (11.0, 4.4))
    x = np.linspace(0.0, LENGTH, 201)
    for elements in ELEMENTS:
        (line,) = along.plot(x, theory.reduced_element_error(x, elements) / TIP, label=f"{elements} reduced elements")
        places, error = element_error(elements)
        along.plot(places, error / TIP, linestyle="", marker=".", color=line.get_color())
    places, error = shooting_error("2/3")
    (line,) = along.plot(x, theory.third_order_error(x, STEPS) / TIP, label=f"orders 2/3, {STEPS} steps")
    along.plot(places, error / TIP, linestyle="", marker=".", color=line.get_color())
    along.set(yscale="log", xlabel="x / L", ylabel="error / deflection of the tip", ylim=(1e-7, 4e-3))
    along.set_title("along the beam (figure 5)")
    along.legend(loc="lower right", frameon=False)
    counts = np.array([5, 10, 20, 50, 100, 200])
    worst = [np.abs(element_error(int(n))[1]).max() / TIP for n in counts]
    growth.loglog(counts, worst, marker=".", label="reduced elements")
    for pair, name in (("2/3", "shooting, orders 2/3"), ("4/5", "shooting, orders 4/5")):
        worst = [max(np.abs(shooting_error(pair, int(n))[1]).max() / TIP, 1e-17) for n in counts]
        growth.loglog(counts, worst, marker=".", label=name)
    growth.set(xlabel="elements, or steps of Runge-Kutta", ylabel="largest error / deflection of the tip")
    growth.set_title("with the number of steps")
    growth.legend(loc="center left", frameon=False)


if __name__ == "__main__":
    save({"shooting-timoshenko": errors}, Path(sys.argv[1]))
