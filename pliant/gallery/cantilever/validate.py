"""Thesis, chapter 3: tables 3.2, 3.4 and 3.5, the transient of section 3.9, and exact beam theory beside them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.optimize import brentq

from pliant.analyses.modal import modal
from pliant.analyses.statics import statics
from pliant.analyses.transient import transient
from pliant.elements.beam_corotational import Corotational
from pliant.elements.beam_exact import Exact
from pliant.elements.beam_linear import Linear
from pliant.gallery.cantilever import ALLOY, TEST_STEEL, model
from pliant.model import Beam, Rayleigh
from pliant.system.compile import compile
from pliant.validation import Row, absolute, case, printed, relative

FORCE, GRAVITY = 5.0, 9.81  # N, m/s^2
MATLAB = Linear(10, integration="reduced", mass="hermite")
AS_DESCRIBED = Linear(10, integration="reduced")
BEST = Exact(40, order=3)
WEIGHT = {False: "", True: ", with gravity"}

STEEL_BEAM = {"length": 1.0, "width": 0.04, "height": 0.04, "material": TEST_STEEL, "tip_force": 0.0}
ALLOY_BEAM = {"material": ALLOY, "tip_force": 0.0}


@case("beam-static", source="thesis, table 3.4 and section 3.9; ERRATA 9")
def beam_static() -> Iterator[Row]:
    """Tip deflection of a cantilever under 5 N, with and without its weight, at rest and after a transient."""
    for gravity, matlab, analytic, adams in (
        (False, "3.0807", "3.0857", "3.0875"),
        (True, "3.0918", "3.0968", "3.0986"),
    ):
        beam, note = model().beams[0], WEIGHT[gravity]
        bending, timoshenko = closed_forms(beam, gravity)
        yield printed(f"10 reduced elements{note}", "mm", matlab, tip(AS_DESCRIBED, gravity))
        yield printed(f"Euler-Bernoulli closed form{note}", "mm", analytic, bending)
        # loads per length go to the nodes they lie between (as int N ds): with weight, the error falls as 1/elements^2
        phi = Linear(400 if gravity else 10, integration="exact")
        yield relative(
            f"{phi.elements} exact elements, Timoshenko{note}", "mm", timoshenko, tip(phi, gravity), tolerance=1e-8
        )
        large = large_deflection(beam, gravity)
        yield relative(f"40 cubic exact elements, elastica{note}", "mm", large, tip(BEST, gravity), tolerance=1e-6)
        yield relative(
            f"80 co-rotational elements, elastica{note}", "mm", large, tip(Corotational(80), gravity), tolerance=1e-6
        )
        # Adams rotates its elements too; its mesh is not published
        yield relative(f"Adams column{note}", "mm", float(adams), tip(BEST, gravity), tolerance=2e-4, kind="published")
    yield from settling()


@case("beam-modes", source="thesis, tables 3.2 and 3.5; ERRATA 8")
def beam_modes() -> Iterator[Row]:
    """Frequencies of two cantilevers: the thesis's element, the one it describes, and exact Timoshenko theory."""
    matlab = {"3.2": ("51.1", "322.4", "913.3"), "3.5": ("186.5", "1177.6", "3337.8", "6659.7", "8656.8")}
    described = {
        "3.2": ("51.025", "325.220", "943.217"),
        "3.5": ("186.321", "1188.662", "3452.886", "7171.210", "8656.8"),
    }
    adams = {"3.2": (50.97, 317.7, 881.97), "3.5": (186.1, 1160.9, 3227.4, 6261.9, 8647.9)}
    ansys = (50.97, 317.5, 880.6)
    for table, data in (("3.2", STEEL_BEAM), ("3.5", ALLOY_BEAM)):
        for n, (text, ours) in enumerate(zip(matlab[table], frequencies(data, MATLAB, table), strict=True), 1):
            yield printed(f"table {table}, mode {n}, Hermite mass without rotary inertia", "Hz", text, ours)
        for n, (text, ours) in enumerate(zip(described[table], frequencies(data, AS_DESCRIBED, table), strict=True), 1):
            yield printed(f"table {table}, mode {n}, element as the text describes it (ERRATA 8)", "Hz", text, ours)
        best = frequencies(data, BEST, table)
        for n, (exact, ours) in enumerate(
            zip(exact_frequencies(model(**data).beams[0], len(best)), best, strict=True), 1
        ):
            yield relative(
                f"table {table}, mode {n}, 40 cubic exact elements, Timoshenko", "Hz", exact, ours, tolerance=1e-4
            )
        # Adams has a shear factor near 1 (ERRATA 8) and a mesh that is not published: its third and fourth modes are stiffer
        near = frequencies({**data, "shear_factor": 1.0}, BEST, table)
        for n, (theirs, ours) in enumerate(zip(adams[table], near, strict=True), 1):
            yield relative(
                f"table {table}, mode {n}, Adams, shear factor 1", "Hz", theirs, ours, tolerance=1e-3, kind="published"
            )
        for n, (theirs, ours) in enumerate(zip(ansys if table == "3.2" else (), best, strict=table == "3.2"), 1):
            yield relative(f"table {table}, mode {n}, Ansys", "Hz", theirs, ours, tolerance=1e-3, kind="published")


def tip(elements: object, gravity: bool) -> float:
    """Downward tip deflection (mm) at equilibrium."""
    rest = statics(compile(model(tip_force=-FORCE, gravity=gravity), elements=elements))
    return -1e3 * float(rest.position.sel(marker="beam/tip", axis="y"))


def closed_forms(beam: Beam, gravity: bool) -> tuple[float, float]:
    """Tip deflection (mm) by Euler-Bernoulli (thesis 3.20) and with shear."""
    section, L = beam.section, beam.length
    q = section.mass_per_length * GRAVITY if gravity else 0.0
    bending = FORCE * L**3 / (3.0 * section.bending_stiffness) + q * L**4 / (8.0 * section.bending_stiffness)
    shear = (FORCE * L + 0.5 * q * L**2) / section.shear_stiffness
    return 1e3 * bending, 1e3 * (bending + shear)


def large_deflection(beam: Beam, gravity: bool) -> float:
    """Tip deflection (mm) of Reissner's beam by shooting: the clamp's moment is found such that the tip has none.

    ``theta' = M / EI``, ``r' = R(theta) (1 + N / EA, V / GA)``, ``M' = -(r' x F)``, F(s) the force beyond s.
    """
    section, L = beam.section, beam.length
    q = section.mass_per_length * GRAVITY if gravity else 0.0

    def slope(s: float, state: np.ndarray) -> list[float]:
        theta, moment = state[2:]
        down = -FORCE - q * (L - s)
        stretch = 1.0 + down * np.sin(theta) / section.axial_stiffness
        shear = down * np.cos(theta) / section.shear_stiffness
        x = stretch * np.cos(theta) - shear * np.sin(theta)
        y = stretch * np.sin(theta) + shear * np.cos(theta)
        return [x, y, moment / section.bending_stiffness, -x * down]

    def shot(moment: float) -> np.ndarray:
        way = solve_ivp(slope, (0.0, L), [0.0, 0.0, 0.0, moment], method="DOP853", rtol=1e-12, atol=1e-14)
        return np.asarray(way.y[:, -1])

    largest = (FORCE + q * L) * L
    clamp = brentq(lambda moment: shot(moment)[3], -largest, -0.5 * largest, xtol=1e-14 * largest, rtol=1e-14)
    return -1e3 * float(shot(clamp)[1])


def settling() -> Iterator[Row]:
    """Section 3.9: 5 N suddenly applied, steps of 1e-4 s. The thesis does not print its damping ratio: 2 % here."""
    ratio, step = 0.02, 1e-4
    damping = Rayleigh.of_modes(ratio, supports="clamped-free")
    system = compile(model(tip_force=-FORCE, damping=damping), elements=AS_DESCRIBED)
    run = transient(system, end_time=1.5, step=step)
    deflection = -1e3 * run.position.sel(marker="beam/tip", axis="y").values
    rest = tip(AS_DESCRIBED, False)
    yield printed("transient with Rayleigh damping settles", "mm", "3.0807", deflection[-1])
    yield relative("transient, end against statics", "mm", rest, deflection[-1], tolerance=1e-8)
    peaks = deflection[1:-1][(deflection[1:-1] > deflection[:-2]) & (deflection[1:-1] >= deflection[2:])][:20] - rest
    decrement = -np.polyfit(np.arange(peaks.size), np.log(peaks), 1)[0]
    found = decrement / np.hypot(2.0 * np.pi, decrement)
    yield absolute("transient, damping ratio from the decrement", "1", ratio, found, tolerance=0.02 * ratio)


def frequencies(data: dict[str, object], elements: object, table: str) -> np.ndarray:
    """As many of the lowest frequencies (Hz) as the table has."""
    count = 3 if table == "3.2" else 5
    system = compile(model(**data), elements=elements)  # type: ignore[arg-type]
    return np.asarray(modal(system, modes=count).frequency_hz.values)


def exact_frequencies(beam: Beam, count: int) -> list[float]:
    """Lowest frequencies (Hz) of a clamped-free Timoshenko beam, bending and axial, from its transfer matrix.

    State (v, psi, M, Q): ``v' = psi + Q / GA``, ``psi' = M / EI``, ``M' = -Q - rhoI w^2 psi``, ``Q' = -rhoA w^2 v``; the tip's
    M and Q vanish for some M and Q at the clamp where the determinant of that block does.
    """
    section, L = beam.section, beam.length

    def determinant(w: float) -> float:
        slope = np.zeros((4, 4))
        slope[0, 1], slope[0, 3] = 1.0, 1.0 / section.shear_stiffness
        slope[1, 2] = 1.0 / section.bending_stiffness
        slope[2, 1], slope[2, 3] = -section.rotary_inertia * w**2, -1.0
        slope[3, 0] = -section.mass_per_length * w**2
        return float(np.linalg.det(expm(L * slope)[2:, 2:]))

    unit = np.sqrt(section.bending_stiffness / section.mass_per_length) / L**2
    grid = unit * np.linspace(0.1, (np.pi * (count + 1)) ** 2, 60 * count**2)
    signs = np.sign([determinant(w) for w in grid])
    bending = [brentq(determinant, grid[i], grid[i + 1], rtol=1e-14) for i in np.flatnonzero(np.diff(signs))]
    speed = np.sqrt(section.axial_stiffness / section.mass_per_length)
    axial = [(n - 0.5) * np.pi * speed / L for n in range(1, count + 1)]
    return [float(w) / (2.0 * np.pi) for w in sorted([*bending, *axial])[:count]]
