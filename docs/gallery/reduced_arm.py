"""An arm from a finite-element program

A tapered arm of 40 elements, reduced to its two ends and eight inner modes (Craig and Bampton), swings down from a pin.
The matrices could come from a file, `pl.load_reduced("arm.mat", ...)`. Its tip moves like
the tip of the same arm as a beam.
"""

import numpy as np

import pliant as pl

LENGTH, ELEMENTS = 0.6, 40
section = pl.Rectangle(width=20e-3, height=(6e-3, 2e-3), material=pl.STEEL)
size = 3 * (ELEMENTS + 1)
M, K = np.zeros((2, size, size))
for e in range(ELEMENTS):  # cubic elements with the section of their middle
    l, at = LENGTH / ELEMENTS, section.at((e + 0.5) / ELEMENTS)
    k = np.array([[12, 6 * l, -12, 6 * l], [6 * l, 4 * l**2, -6 * l, 2 * l**2],
                  [-12, -6 * l, 12, -6 * l], [6 * l, 2 * l**2, -6 * l, 4 * l**2]]) / l**3  # fmt: skip
    m = np.array([[156, 22 * l, 54, -13 * l], [22 * l, 4 * l**2, 13 * l, -3 * l**2],
                  [54, 13 * l, 156, -22 * l], [-13 * l, -3 * l**2, -22 * l, 4 * l**2]]) * l / 420  # fmt: skip
    across, along = (
        np.ix_([3 * e + i for i in (1, 2, 4, 5)], [3 * e + i for i in (1, 2, 4, 5)]),
        np.ix_(*[[3 * e, 3 * e + 3]] * 2),
    )
    K[across] += at.bending_stiffness * k
    M[across] += at.mass_per_length * m
    K[along] += at.axial_stiffness / l * np.array([[1, -1], [-1, 1]])
    M[along] += at.mass_per_length * l / 6 * np.array([[2, 1], [1, 2]])

ends = [0, 1, 2, size - 3, size - 2, size - 1]
mass, stiffness = pl.craig_bampton(M, K, ends, modes=8)
arm = pl.reduced_body("arm", {"base": (0, 0), "tip": (LENGTH, 0)}, mass=mass, stiffness=stiffness)

model = pl.Model("reduced arm")
ground = model.add(pl.Ground())
model.add(*arm)
model.add(pl.Revolute(ground.at(0, 0), arm.at("base")), pl.Gravity())
run = pl.transient(pl.compile(model), end_time=0.5, step=2e-3)

twin = pl.Model("the same arm as a beam")
ground, beam = twin.add(pl.Ground(), pl.Beam("beam", length=LENGTH, section=section, angle=0.0))
twin.add(pl.Revolute(ground.at(0, 0), beam.at(s=0)), pl.Gravity())
other = pl.transient(pl.compile(twin, elements=10), end_time=0.5, step=2e-3)

tip = arm.at("tip").label
apart = run.position.sel(marker=tip).values - other.position.sel(marker="beam/tip").values
print(
    f"{size} coordinates became {len(mass)}; the tips are never further apart than {1e3 * np.max(np.abs(apart)):.2f} mm"
)
pl.plots.plot_shape(run, times=[0.1, 0.3, 0.5], traces=tip, arrows="velocity")
