"""Derivatives by parameters against closed forms, and against differences of whole solutions."""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, sin, sqrt

import numpy as np

import pliant as pl
import pliant_gallery as shown
from pliant_evidence.sensitivities import gallery, models, motions
from pliant_gallery import bend_45, leg, princeton
from pliant_testing.validation import Row, absolute, at_most, case, relative

FINE = pl.Exact(4, order=3)
EXACT = 1e-8
ROUNDED = 1e-5  # what rounding in a stiffness matrix may take of a frequency before `modal` turns to forces
FOUND = 1e-5  # how well a path finds the state at a limit point or bifurcation
LEAST = 1e-3  # of a value, as of `found.error`
WHOLE = 1e-6  # of what a whole solution's own tolerance, 1e-10, leaves of its differences


@case("sensitivities", source="closed forms; differences of fourth order of whole solutions")
def sensitivities() -> Iterator[Row]:
    """Derivatives of equilibria, reactions, frequencies, eigenvalues and motions by parameters."""
    for part in (cantilever, modes, geometry, critical, _whole, _gallery, strips, _swings, _adjoint):
        yield from part()


def cantilever() -> Iterator[Row]:
    """Check places and moments at rest in closed form, and by what they depend on together."""
    for plane in ("xy", None):
        where = "in the plane" if plane else "in space"
        system = pl.compile(models.cantilever(plane), elements=FINE)
        found = pl.sensitivity(system, pl.statics(system), of=["position", "reaction"])
        tip = found.derivative.position.sel(marker="beam/tip", axis="y")
        h, length, modulus, force = 2e-3, 0.5, 210e9, -1e-3
        bend = force * length**3 / (3.0 * modulus * 0.02 * h**3 / 12.0)
        shear = force * length / (5.0 / 6.0 * modulus / 2.6 * 0.02 * h)
        closed = {
            "h": -3.0 * bend / h - shear / h,
            "L": 3.0 * bend / length + shear / length,
            "E": -(bend + shear) / modulus,
            "F": (bend + shear) / force,
        }
        for name, value in closed.items():
            text = f"tip of a cantilever {where}, by {name}"
            yield relative(text, "SI", value, tip.sel(parameter=name).item(), tolerance=EXACT, kind="exact")
        moment = found.derivative.reaction.sel(joint="clamp", wrench="M" if plane else "Mz").sel(parameter="L").item()
        yield relative(f"moment of its clamp {where}, by L", "N", -force, moment, tolerance=1e-6, kind="exact")
        system = pl.compile(models.cantilever(plane, load=-20.0), elements=FINE)
        tip = pl.sensitivity(system, pl.statics(system), of=["position"]).derivative.position.sel(marker="beam/tip")
        for axis in ("x", "y"):  # places depend on F / E alone
            by_force = -20.0 * tip.sel(parameter="F", axis=axis).item()
            by_modulus = -210e9 * tip.sel(parameter="E", axis=axis).item()
            text = f"elastica {where}, {axis} of its tip, by E as by F"
            yield relative(text, "m", by_force, by_modulus, tolerance=EXACT, kind="exact")


def modes() -> Iterator[Row]:
    """Check frequencies and damped eigenvalues in closed form."""
    for plane in ("xy", None):
        where = "in the plane" if plane else "in space"
        system = pl.compile(models.cantilever(plane, load=-20.0), elements=FINE)
        free = system.with_signals(dict.fromkeys(system.signal_names, 0.0))
        found = pl.sensitivity(free, pl.statics(free), of=["frequency_hz"], to=["E"], modes=4)
        for number, value in enumerate(found.relative.frequency_hz.values[0], 1):
            yield relative(f"mode {number} {where}, by E", "1", 0.5, value, tolerance=ROUNDED, kind="exact")
        system = pl.compile(models.pendulum(plane))
        found = pl.sensitivity(system, pl.statics(system), of=["frequency_hz"], modes=2)
        for name, value in (("L", -0.5), ("g", 0.5)):
            seen = found.relative.frequency_hz.sel(parameter=name).values
            for number, each in enumerate(seen, 1):
                text = f"pendulum {where}, frequency {number}, by {name}"
                yield relative(text, "1", value, each, tolerance=1e-6, kind="exact")
    system = pl.compile(models.oscillator())
    found = pl.sensitivity(system, pl.statics(system), of=["eigenvalue"], modes=2)
    m, k, c = 2.0, 50.0, 3.0
    value = complex(-c / (2.0 * m), sqrt(k / m - (c / (2.0 * m)) ** 2))
    own = found.value.eigenvalue.values
    seen = found.derivative.eigenvalue.isel(mode=int(np.argmin(np.abs(own - value))))
    for name, by in (("m", value**2), ("c", value), ("k", 1.0)):
        exact, each = -by / (2.0 * m * value + c), complex(seen.sel(parameter=name).item())
        text = f"damped eigenvalue of a slide, by {name}: each / exact, real part"
        yield relative(text, "1", 1.0, (each / exact).real, tolerance=EXACT, kind="exact")
        yield absolute(f"{text[:-9]}imaginary part", "1", 0.0, (each / exact).imag, tolerance=EXACT, kind="exact")


def _adjoint() -> Iterator[Row]:
    for swing in motions.swings():
        if swing.name in (
            "crank-slider by Newmark",
            "crank-slider by Radau",
            "leg, damped, its first step in 64 parts",
        ):
            continue  # velocities that are projected, another method, steps that failed: refused by name
        system, held = motions.compiled(swing)
        given = swing._replace(options={"constraints": "position", **swing.options})
        with motions.to_rounding():
            run, how = motions.moved(given, system, held)
            of = {"energy": pl.Goal(lambda _, run: run.energy.sel(energy_kind="kinetic"), over="mean")}
            back, forth = (pl.sensitivity(system, run, of=of, adjoint=adjoint, **how) for adjoint in (True, False))
        sizes = np.array([each.size for each in forth.parameters.values()])
        exact, seen = (sizes * each.derivative.energy.values for each in (forth, back))
        least = LEAST * abs(
            forth.value.energy.item()
        )  # a smaller change by a parameter times its size is scaled by this
        apart = float(np.max(np.abs(seen - exact)) / max(np.max(np.abs(exact)), least))
        text = f"{swing.name}, mean kinetic energy by all parameters, backwards in time as forwards"
        yield at_most(text, "1", apart, limit=WHOLE, kind="itself")


def geometry() -> Iterator[Row]:
    """Check a slider-crank in closed form."""
    system = pl.compile(models.slider_crank())
    found = pl.sensitivity(system, pl.statics(system), of=["position"]).derivative.position
    r, length, a = 0.1, 0.3, 0.7
    root = sqrt(length**2 - (r * sin(a)) ** 2)
    closed = {
        "r": cos(a) - r * sin(a) ** 2 / root,
        "l": length / root,
        "angle": -r * sin(a) - r**2 * sin(a) * cos(a) / root,
    }
    for name, value in closed.items():
        seen = found.sel(parameter=name, marker="slide(0, 0)", axis="x").item()
        yield relative(f"slide of a slider-crank, by {name}", "SI", value, seen, tolerance=EXACT, kind="exact")


def critical() -> Iterator[Row]:
    """Check loads at which a column buckles, Ziegler's pendulum flutters, a truss snaps."""
    column = pl.compile(models.column(), elements=FINE)
    path = pl.path(column, "load/x", to=-35.0)
    found = pl.sensitivity(column, path, of=["event_parameter"], to=["E"]).relative.event_parameter.values
    yield relative("load at which a column buckles, by E", "1", 1.0, found[0, 0], tolerance=FOUND, kind="exact")
    for c, load in ((0.0, 3.5 - sqrt(2.0)), (0.3, 41.0 / 28.0)):
        pendulum = pl.compile(models.ziegler(c))
        path = pl.path(pendulum, "load/x", to=-3.0)
        found = pl.sensitivity(pendulum, path, of=["event_parameter"]).derivative.event_parameter.isel(event=0)
        text = f"load at which Ziegler's pendulum flutters, {'damped' if c else 'undamped'}, by"
        closed = {"k": -load, "l": load + 1.5 * c**2, "c": -c}
        for name in pendulum.model.parameters:
            seen = found.sel(parameter=name).item()
            yield relative(f"{text} {name}", "SI", closed[name], seen, tolerance=FOUND, kind="exact")
    truss = pl.compile(models.truss())
    path = pl.path(truss, "push/y", to=-20.0)
    found = pl.sensitivity(truss, path, of=["event_parameter"]).relative.event_parameter
    a, height = 1.0, 0.2  # F = 2 k y (1 - l/r), r^2 = a^2 + y^2; at the limit r^3 = l a^2, and F_y = 0
    length = sqrt(a**2 + height**2)
    by_height = -(height**2) / length**2 / ((length * a**2) ** (1.0 / 3.0) / length - 1.0)
    closed = {"k": 1.0, "H": by_height, "a": 1.0 - by_height}  # a force: k times a length
    for name, value in closed.items():
        for k, seen in enumerate(found.sel(parameter=name).values):
            text = f"load at which a truss snaps, limit point {k + 1}, by {name}"
            yield relative(text, "1", value, seen, tolerance=FOUND, kind="exact")


def whole() -> Iterator[tuple[str, pl.Model, int]]:
    """Yield models whose derivatives are compared with differences of whole solutions."""
    yield "leg", models.named(leg.model(hold="q3"), "leaf.length", "leaf.section.bending_stiffness"), 8
    yield "45-degree bend", models.named(bend_45.model(), "bend.length", "load.z"), 4
    strip = models.named(princeton.model(), "strip.length", "strip.section.bending_stiffness", "weight.y")
    yield "Princeton beam", strip, 4


def _whole() -> Iterator[Row]:
    for name, model, elements in whole():
        system = pl.compile(model, elements=elements)
        rest = pl.statics(system)
        exact = pl.sensitivity(system, rest, of=["position"])
        again = pl.sensitivity(system, rest, of={"position": lambda _, found: found.position})
        for parameter in exact.parameters:
            mine, other = (each.derivative.position.sel(parameter=parameter).values for each in (exact, again))
            apart = float(np.max(np.abs(mine - other)) / np.max(np.abs(other)))
            text = f"{name}, places by {parameter}, against whole solutions"
            yield at_most(text, "1", apart, limit=WHOLE, kind="itself")


def _gallery() -> Iterator[Row]:
    for name in shown.names():
        found = list(gallery.agreements(name))
        for quantity in dict.fromkeys(each.quantity for each in found):
            worst = max((each for each in found if each.quantity == quantity), key=lambda each: each.beyond)
            names = ", ".join(each.parameter for each in found if each.quantity == quantity)
            text = (
                f"gallery: {worst.model}, {quantity} by {names}, against whole solutions (known to {worst.known:.0e}; "
                f"told error {worst.stated:.0e})"
            )
            yield at_most(text, "1", worst.beyond, limit=WHOLE, kind="itself")


def strips() -> Iterator[Row]:
    """Check strips that start to swing: places do not change if force, stiffness and density grow alike."""
    for plane in ("xy", None):
        where = "in the plane" if plane else "in space"
        system = pl.compile(models.cantilever(plane, load=-2.0, density=True), elements=4)
        with motions.to_rounding():
            run = pl.transient(system, end_time=0.05, step=1e-3, estimate=False)
            found = pl.sensitivity(system, run, of=["position"], to=["F", "E", "rho"]).derivative.position
        sizes = {name: system.model.parameters[name].value for name in ("F", "E", "rho")}
        terms = [size * found.sel(parameter=name).values for name, size in sizes.items()]
        left = float(np.max(np.abs(sum(terms))) / np.max(np.abs(terms[0])))
        text = f"strip that starts to swing {where}: places by F, E and density, all together"
        yield at_most(text, "1", left, limit=EXACT, kind="exact")


def _swings() -> Iterator[Row]:
    for swing in motions.swings():
        system, held = motions.compiled(swing)
        with motions.to_rounding():
            run, how = motions.moved(swing, system, held)
            found = pl.sensitivity(system, run, of=["position"], **how).derivative.position
        for parameter in swing.model.parameters:
            whole, own = motions.differences(swing, parameter)
            apart = float(np.max(np.abs(found.sel(parameter=parameter).values - whole)) / np.max(np.abs(whole)))
            text = f"{swing.name}, places of all instants by {parameter}, against whole motions (known to {own:.0e})"
            yield at_most(text, "1", apart, limit=swing.limit, kind="itself")
