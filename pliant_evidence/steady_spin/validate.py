"""Relative equilibria, their modes, paths and Campbell diagrams against closed forms and published tables."""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, pi, sin, sqrt

import numpy as np

import pliant as pl
from pliant_evidence.steady_spin import theory
from pliant_gallery import spinning_beam
from pliant_testing.validation import Row, absolute, at_most, case, printed, relative

SLENDER = pl.Section(
    1e8, 1e8, 1.0, 1.0, 1e-9,
    bending_stiffness_y=1.0, torsional_stiffness=1e4, shear_stiffness_z=1e8, rotary_inertia_y=1e-9,
)  # fmt: skip
"""Unit bending stiffness and mass per length; as good as inextensible, without shear."""

FLAP = {3: ("4.7973", "23.3203"), 6: ("7.3604", "26.8091"), 12: ("13.1702", "37.6031")}
"""Wright, Smith, Thresher, Wang 1982, table 1: uniform beam, clamped at the axis."""

DISC = (1.0, 1.0, 1.6)  # kg m^2
BODY = (1.0, 1.7, 2.3)  # kg m^2


@case(
    "steady-spin",
    source="Wright et al. 1982, J. Appl. Mech. 49; Jeffcott 1919; Euler's equations; closed forms (theory/spin.md)",
)
def steady_spin() -> Iterator[Row]:
    """Steady spins: places, frequencies, stability and critical speeds."""
    yield from _rods()
    yield from _blades()
    yield from _rotors()
    yield from _bodies()
    yield from _pendulum()
    yield from _in_time()


def _rods() -> Iterator[Row]:
    for number in (1, 2):
        given = spinning_beam.data(number)
        system = pl.compile(spinning_beam.model(case=number), elements=pl.Exact(4, order=4))
        held = system.with_signals(dict.fromkeys(system.signal_names, 0.0))
        tip = pl.statics(held, spin=given.speed).position.sel(marker="arm/tip", axis="x").item()
        exact = theory.stretched(given.length, given.speed * sqrt(given.density / given.youngs_modulus))
        name = f"spinning rod, case {number}, extension"
        yield relative(name, "m", exact - given.length, tip - given.length, tolerance=1e-8, kind="exact")


def blade(*, spatial: bool, hub: float = 0.0) -> pl.Model:
    """Build a slender blade along x, held on its hub by a drive that may also turn it."""
    m = pl.Model("blade", plane=None if spatial else "xy")
    ground, beam = m.add(pl.Ground(), pl.Beam("blade", length=1.0, section=SLENDER))
    root = ground.at(hub, 0, 0) if spatial else ground.at(hub, 0)
    m.add(pl.Weld(root, beam.at(s=0)))
    return m


def _blades() -> Iterator[Row]:
    fine = pl.Exact(4, order=4)
    system = pl.compile(blade(spatial=True), elements=fine)
    for rate, flaps in FLAP.items():
        modes = pl.modal(system, at=pl.statics(system, spin=pl.Spin(float(rate))), modes=4)
        along_z = np.argmax(np.abs(modes.mode_position.sel(marker="blade/tip").values), axis=1) == 2
        seen = np.abs(modes.eigenvalue.values)
        for k, printed_flap in enumerate(flaps):
            yield printed(f"blade at {rate}, flap {k + 1}", "1/s", printed_flap, seen[along_z][k])
            names = ("flap", "lag")
            for name, exact, found in zip(names, (theory.flap, theory.lag), (along_z, ~along_z), strict=True):
                text = f"blade at {rate}, {name} {k + 1}, Ritz"
                reference = exact(float(rate))[k]
                yield relative(text, "1/s", reference, seen[found][k], tolerance=2e-6, kind="independent code")
        apart = seen[along_z][0] ** 2 - seen[~along_z][0] ** 2
        yield relative(f"blade at {rate}, flap^2 - lag^2", "1/s^2", rate**2, apart, tolerance=1e-5, kind="exact")
    planar = pl.compile(blade(spatial=False, hub=1.0), elements=fine)
    modes = pl.modal(planar, at=pl.statics(planar, spin=6.0), modes=2)
    for k, reference in enumerate(theory.lag(6.0, hub=1.0, count=2)):
        seen = np.abs(modes.eigenvalue.values[k])
        name = f"blade on a hub of its length, in the plane, lag {k + 1}"
        yield relative(name, "1/s", reference, seen, tolerance=2e-6, kind="independent code")


def jeffcott(*, inner: float = 0.0, outer: float = 0.0, eccentricity: float = 0.0) -> pl.Model:
    """Build a disc of 2 kg on 100 N/m in every direction, with dampers (N s/m) that turn with it and that do not."""
    m = pl.Model("Jeffcott rotor")
    ground, disc = m.add(pl.Ground(), pl.Body("disc", mass=2.0, inertia=1.0, position=(eccentricity, 0.0)))
    middle = disc.at(-eccentricity, 0.0)
    m.add(pl.TorsionSpring("shaft", ground.at(0, 0), middle, stiffness=1e4))
    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        spring = {"stiffness": 50.0, "rest_length": 1.0, "damping": 0.5 * inner}
        m.add(pl.Spring(f"spring {x} {y}", ground.at(x, y), middle, **spring))
    if outer:
        m.add(pl.Dashpot("bearing", disc.at(), x=outer, y=outer))
    return m


def _rotors() -> Iterator[Row]:
    critical = sqrt(50.0)
    system = pl.compile(jeffcott())
    found = pl.campbell(system, rates=[2.0, 4.0, 6.0, 8.0, 10.0], modes=2)
    yield relative(
        "Jeffcott rotor, critical speed",
        "rad/s",
        critical,
        found.outcome.critical_rates[0],
        tolerance=1e-8,
        kind="exact",
    )
    for rate in (4.0, 10.0):
        seen = np.sort(2.0 * pi * found.frequency_hz.sel(rate=rate).values)
        for name, reference, value in zip(
            ("forward", "backward"), (abs(critical - rate), critical + rate), seen, strict=True
        ):
            text = f"Jeffcott rotor at {rate:g}, {name} whirl in turning axes"
            yield relative(text, "1/s", reference, value, tolerance=1e-8, kind="exact")
        text, fixed = f"Jeffcott rotor at {rate:g}, both whirls in fixed axes", found.fixed_frequency_hz.sel(rate=rate)
        yield relative(text, "1/s", critical, 2.0 * pi * float(fixed.max()), tolerance=1e-8, kind="exact")
    light = pl.statics(pl.compile(jeffcott(eccentricity=1e-5)), spin=5.0)
    bent = light.position.sel(marker="disc(-1e-05, 0)", axis="x").item()
    reference = 1e-5 * 25.0 / (50.0 - 25.0)
    yield relative("Jeffcott rotor out of balance at 5 rad/s", "m", reference, bent, tolerance=1e-6, kind="exact")
    losing = pl.compile(jeffcott(inner=0.4, outer=0.8))
    onset = pl.path(losing, "spin rate", spin=4.0, to=30.0)
    yield relative(
        "Jeffcott rotor, dampers inside and outside, onset of whirling", "rad/s",
        critical * (1.0 + 0.8 / 0.4), onset.event_parameter.values[0], tolerance=1e-6, kind="exact",
    )  # fmt: skip
    seen = pl.modal(losing, at=pl.statics(losing, spin=25.0), modes=2, damped=True).eigenvalue.values
    exact = theory.damped_jeffcott(25.0, critical, 0.2, 0.4)
    reference, value = (float(np.max(values.real)) for values in (exact, seen))
    yield relative("the same at 25 rad/s, growth", "1/s", reference, value, tolerance=1e-7, kind="exact")
    tilting = pl.campbell(pl.compile(disc()), rates=[1.0, 5.0, 10.0], spin=pl.Spin(0.0), modes=2)
    seen = np.sort(2.0 * pi * tilting.fixed_frequency_hz.sel(rate=10.0).values)[::-1]
    for name, reference, value in zip(
        ("forward", "backward"), theory.whirl(10.0, 50.0, DISC[0], DISC[2]), seen, strict=True
    ):
        text = f"gyroscope at 10 rad/s, {name} precession in fixed axes"
        yield relative(text, "1/s", reference, value, tolerance=1e-8, kind="exact")
    slender = pl.compile(shaft(), elements=pl.Exact(4, order=4))
    passed = pl.campbell(slender, rates=[5.0, 15.0, 30.0, 45.0], spin=pl.Spin(0.0, axis="x"), modes=4)
    for k, value in enumerate(passed.outcome.critical_rates):  # each in two planes
        name = f"slender shaft on bearings, critical speed {k // 2 + 1}, {('first', 'second')[k % 2]} plane"
        yield relative(name, "rad/s", ((k // 2 + 1) * pi) ** 2, value, tolerance=5e-6, kind="exact")


def shaft() -> pl.Model:
    """Build a slender shaft along x on two bearings that let it tilt; the first keeps it from turning in its axes."""
    m = pl.Model("shaft", plane=None)
    ground, beam = m.add(pl.Ground(), pl.Beam("shaft", length=1.0, section=SLENDER))
    across = pl.rotation(y=90 * pl.DEG)  # the arms of the cross
    m.add(pl.Universal(ground.at(0, 0, 0, orientation=across), beam.at(s=0, orientation=across)))
    m.add(pl.Slider(ground.at(1, 0, 0), beam.at(s=1), axis="x"))
    return m


def disc() -> pl.Model:
    """Build a disc that tilts about its centre on springs of 50 N m/rad in every direction."""
    m = pl.Model("gyroscope", plane=None)
    ground, body = m.add(pl.Ground(), pl.Body("disc", mass=1.0, inertia=DISC))
    m.add(pl.Universal(ground.at(0, 0, 0), body.at(0, 0, 0)))
    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        ends = ground.at(x, y, 0.5), body.at(0, 0, 0.5)
        m.add(pl.Spring(f"spring {x} {y}", *ends, stiffness=100.0, rest_length=1.0))
    return m


def _bodies() -> Iterator[Row]:
    m = pl.Model("free body", plane=None)
    ground, body = m.add(pl.Ground(), pl.Body("body", mass=1.0, inertia=BODY))
    m.add(pl.Spherical(ground.at(0, 0, 0), body.at(0, 0, 0)))
    system = pl.compile(m)
    for k, axis in enumerate("xyz"):
        about, other, third = BODY[k], BODY[k - 1], BODY[k - 2]
        exact, rest = theory.euler(5.0, about, other, third), _quiet(system, pl.Spin(5.0, axis=axis))
        values = pl.modal(system, at=rest, modes=4).eigenvalue.values
        seen = values[np.argmin(np.abs(np.abs(values) - abs(exact)))]
        name = f"body that spins about its {('least', 'middle', 'largest')[k]} inertia"
        word = "growth" if exact.real else "nutation in its axes"
        reference, value = (exact.real, seen.real) if exact.real else (exact.imag, seen.imag)
        yield relative(f"{name}, {word}", "1/s", reference, value, tolerance=1e-8, kind="exact")
        grows = float(k == 1)
        yield absolute(
            f"{name}, motions that grow", "1", grows, rest.outcome.unstable_directions, tolerance=0, kind="exact"
        )


def _quiet(system: object, spin: pl.Spin) -> pl.Result:
    """Return a relative equilibrium, unstable or not."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pl.errors.PliantWarning)
        return pl.statics(system, spin=spin)  # type: ignore[arg-type]


def hub_pendulum(length: float = 2.0) -> pl.Model:
    """Build a pendulum on a hinge across the vertical axis of a hub: a bead on a hoop that turns about its diameter."""
    m = pl.Model("pendulum on a hub", plane=None)
    ground, bob = m.add(pl.Ground(), pl.Body("bob", mass=1.0, inertia=(0, 0, 0), position=(0, 0, -length)))
    m.add(pl.Revolute(ground.at(0, 0, 0), bob.at(0, 0, length), axis="y"), pl.Gravity())
    return m


def _pendulum() -> Iterator[Row]:
    length, gravity, rate = 2.0, 9.81, 4.0
    system = pl.compile(hub_pendulum(length))
    down = pl.path(system, "spin rate", spin=pl.Spin(1.0), to=rate)
    name = "pendulum on a hub"
    yield relative(
        f"{name}, where it leaves the vertical", "rad/s",
        sqrt(gravity / length), down.event_parameter.values[0], tolerance=1e-8, kind="exact",
    )  # fmt: skip
    out = pl.branch(system, down).equilibrium()
    angle = theory.pendulum_angle(rate, length, gravity)
    z = out.position.sel(marker="bob(0, 0)", axis="z").item()
    yield relative(f"{name} at 4 rad/s, height", "m", -length * cos(angle), z, tolerance=1e-9, kind="exact")
    value = pl.modal(system, at=out, modes=1).eigenvalue.values[0].imag
    yield relative(f"{name} at 4 rad/s, frequency", "1/s", rate * sin(angle), value, tolerance=1e-8, kind="exact")
    upright = _quiet(system, pl.Spin(rate))
    grows = pl.modal(system, at=upright, modes=1).eigenvalue.values[0].real
    exact = sqrt(rate**2 - gravity / length)
    yield relative(f"{name} at 4 rad/s, growth from the vertical", "1/s", exact, grows, tolerance=1e-8, kind="exact")


def swept_blade() -> pl.Model:
    """Build a blade that leaves its hub across the radius, with a tip mass: the spin bends it outwards."""
    m = pl.Model("swept blade")
    strip = pl.Section.rectangle(0.02, 0.002, pl.STEEL)
    ground, beam = m.add(pl.Ground(), pl.Beam("blade", length=0.4, section=strip))
    hub = m.add(pl.Body("hub", mass=1.0, inertia=0.01))
    m.add(pl.Revolute(ground.at(0, 0), hub.at()), pl.Motion(ground.at(0, 0), hub.at(), angle=0.0, name="hub drive"))
    m.add(pl.Weld(hub.at(0.1, 0.0, angle=60 * pl.DEG), beam.at(s=0)), pl.PointMass("tip mass", beam.at(s=1), mass=0.05))
    return m


def _in_time() -> Iterator[Row]:
    rate = 30.0
    system = pl.compile(swept_blade(), elements=pl.Exact(3, order=3))
    rest = pl.statics(system, spin=rate)
    turning = system.with_signals({"hub drive/angle": pl.Expression(f"{rate}*t")})
    kept = pl.transient(turning, start=rest, end_time=0.2, step=5e-5, spectral_radius=0.9)
    along = _turned_back(kept, rate)
    drift = float(np.max(np.abs(along - along[0]))) / 0.4
    name = "swept blade at 30 rad/s"
    yield at_most(f"{name}, drift of its tip in a motion from there", "of its length", drift, limit=1e-6, kind="itself")
    frequency = pl.modal(system, at=rest, modes=1).eigenvalue.values[0].imag
    slower = pl.statics(system, start=rest, spin=0.98 * rate)  # a little less bent: it vibrates from there
    pushed = pl.transient(turning, start=slower, end_time=0.6, step=1e-4, spectral_radius=0.95)
    swing = np.imag(_turned_back(pushed, rate) / along[0])
    yield relative(
        f"{name}, frequency of its vibration in time", "1/s",
        frequency, _frequency(pushed.time.values, swing), tolerance=1e-3, kind="itself",
    )  # fmt: skip


def _turned_back(run: pl.Result, rate: float) -> np.ndarray:
    """Return the x + i y of the tip in turning axes."""
    x, y = run.position.sel(marker="blade/tip").values.T
    return np.asarray((x + 1j * y) * np.exp(-1j * rate * run.time.values))


def _frequency(time: np.ndarray, values: np.ndarray) -> float:
    """Return the angular frequency of the largest line, by least squares of sine and cosine about the peak."""
    from scipy.optimize import minimize_scalar

    values = values - values.mean()
    step = time[1] - time[0]
    peak = 2.0 * pi * np.argmax(np.abs(np.fft.rfft(values))) / (step * values.size)

    def left(omega: float) -> float:
        base = np.stack([np.cos(omega * time), np.sin(omega * time), np.ones_like(time)], axis=1)
        return float(np.sum((values - base @ np.linalg.lstsq(base, values, rcond=None)[0]) ** 2))

    width = 2.0 * pi / time[-1]
    return float(minimize_scalar(left, bounds=(peak - width, peak + width), method="bounded").x)
