"""Kinked-beam elements in relative coordinates: against a direct derivation, closed forms and the exact formulation."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, pi, sin
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ConvergenceError, ModelError, OptionError, PliantWarning, SingularError
from tests.models import tree

MASS, AXIAL, BENDING = 0.1, 2.3e4, 250.0
SECTION = pl.Section(AXIAL, AXIAL, BENDING, MASS)
TIGHT = {"formulation": "kinked"}


def arm(
    joint: str = "pin", *, kink: float = 0.0, torque: Any = 0.0, lengths: tuple[float, float] = (1.0, 0.7)
) -> pl.Model:
    """Build two beams, one after the other, with a kink or a second joint between them."""
    m = pl.Model("arm")
    ground = m.add(pl.Ground())
    one = m.add(pl.Beam("one", length=lengths[0], section=SECTION, angle=0.0))
    two = m.add(pl.Beam("two", length=lengths[1], section=SECTION, angle=kink))
    m.add(pl.Revolute(ground.at(0, 0), one.at(s=0), name="shoulder"))
    if joint == "pin":
        m.add(pl.Revolute(one.at(s=1), two.at(s=0), name="elbow"))
    else:
        m.add(pl.Weld(one.at(s=1), two.at(s=0), angle=kink, name="kink"))
    m.add(pl.Motor("drive", ground.at(0, 0), one.at(s=0), torque))
    return m


def cantilever(*, held: str = "weld", angle: float = 0.0) -> pl.Model:
    """Build one beam of 2 m, clamped or pinned to the ground, with a load at its tip."""
    m = pl.Model("cantilever")
    ground, beam = m.add(
        pl.Ground(), pl.Beam("beam", length=2.0, section=pl.Section(2.3e6, 2.3e6, 250.0, 0.1), angle=angle)
    )
    hold = pl.Weld if held == "weld" else pl.Revolute
    m.add(hold(ground.at(0, 0), beam.at(s=0), name="hold"))
    m.add(pl.Force(beam.at(s=1), y=0.0, name="tip"), pl.Moment(beam.at(s=1), 0.0, name="bend"))
    return m


class Direct:
    """Eqs. 5 to 7, 18, 19 and 23 written out for the beams of `arm`: positions only, all else by differentiation."""

    def __init__(
        self, *, count: int, frames: str, modes: str, joint: str, kink: float, lengths: tuple[float, float]
    ) -> None:
        self.count, self.frames, self.modes, self.joint, self.kink = count, frames, modes, joint, kink
        self.lengths = [length / count for length in lengths]

    def points(self, q: np.ndarray, delta: complex) -> np.ndarray:
        """Return places (points, 2) of 7 Gauss points an element; ``delta`` is the locked angle of system modes."""
        places = 0.5 * (np.polynomial.legendre.leggauss(7)[0] + 1.0)
        origin, psi, beta, at, found = np.zeros(2, complex), q[0], q[0], 1, []
        for link in range(2):
            length = self.lengths[link]
            if link == 1:
                turn = self.kink
                if self.joint == "pin":
                    turn, at = q[at], at + 1
                beta = beta + turn
                psi = psi + (delta if self.modes == "system" else turn)
            before, start = np.zeros(3, complex), 0.0
            for _ in range(self.count):
                after = q[at : at + 3]
                at += 3
                for xi in places:
                    found.append(origin + self.place(before, after, start, xi, length, beta, psi))
                if self.frames == "element":
                    origin = origin + self.place(before, after, start, 1.0, length, beta, psi)
                    beta, psi = beta + after[2], psi + after[2]
                else:
                    before, start = after, start + length
            if self.frames == "link":
                origin = origin + self.place(before, before, start - length, 1.0, length, beta, psi)
                beta, psi = beta + before[2], psi + before[2]
        return np.array(found)

    def place(self, a: Any, b: Any, start: float, xi: float, length: float, beta: Any, psi: Any) -> np.ndarray:
        u = (1.0 - xi) * a[0] + xi * b[0]
        w = (1 - 3 * xi**2 + 2 * xi**3) * a[1] + (xi - 2 * xi**2 + xi**3) * length * a[2]
        w = w + (3 * xi**2 - 2 * xi**3) * b[1] + (xi**3 - xi**2) * length * b[2]
        rigid = (start + xi * length) * np.array([np.cos(beta), np.sin(beta)])
        return rigid + np.array([np.cos(psi) * u - np.sin(psi) * w, np.sin(psi) * u + np.cos(psi) * w])

    def jacobian(self, q: np.ndarray, delta: float) -> np.ndarray:
        columns = [self.points(q + 1e-30j * unit, delta).imag / 1e-30 for unit in np.eye(q.size)]
        return np.stack(columns, axis=-1)

    def weights(self) -> np.ndarray:
        one = 0.5 * np.polynomial.legendre.leggauss(7)[1] * MASS
        return np.concatenate([one * length for length in self.lengths for _ in range(self.count)])

    def mass_and_bias(self, q: np.ndarray, v: np.ndarray, delta: float) -> tuple[np.ndarray, np.ndarray]:
        """Return M and h = int rho A P_Q . (P_QQ v v), the second derivative by differences of fourth order."""
        j, step, w = self.jacobian(q, delta), 1e-3, self.weights()
        f = {s: self.jacobian(q + s * step * v, delta) @ v for s in (-2, -1, 1, 2)}
        second = (8.0 * (f[1] - f[-1]) - (f[2] - f[-2])) / (12.0 * step)
        return np.einsum("p,pxi,pxj->ij", w, j, j), np.einsum("p,pxi,px->i", w, j, second)


@pytest.mark.parametrize(
    ("count", "frames", "modes", "joint"),
    [
        (1, "element", "component", "kink"),
        (3, "element", "component", "pin"),
        (2, "link", "component", "pin"),
        (2, "link", "component", "kink"),
        (1, "element", "system", "pin"),
        (2, "element", "system", "pin"),
    ],
)
def test_mass_and_bias_are_those_of_the_positions(count: int, frames: str, modes: str, joint: str) -> None:
    kink = 0.6 if joint == "kink" else 0.0
    system = pl.compile(arm(joint, kink=kink), elements=count, frames=frames, modes=modes, **TIGHT)
    rng, n = np.random.default_rng(7), system.freedoms
    direct = Direct(count=count, frames=frames, modes=modes, joint=joint, kink=kink, lengths=(1.0, 0.7))
    for _ in range(3):
        q, v, a = 0.3 * rng.standard_normal(n), rng.standard_normal(n), rng.standard_normal(n)
        delta = q[system.turning["elbow"]] if joint == "pin" else 0.0
        mass, bias = direct.mass_and_bias(q, v, delta)
        assert np.allclose(system.mass_matrix(q), mass, rtol=0.0, atol=1e-14)
        assert np.allclose(system.bias(q, v), bias, rtol=0.0, atol=1e-9)  # differences
        assert np.allclose(system.residual(q, v, a, strained=False), mass @ a + system.bias(q, v), atol=1e-13)


@pytest.mark.parametrize("strain", ["linear", "third", "fourth", "nonlinear", "mean"])
@pytest.mark.parametrize("frames", ["element", "link"])
def test_strain_energy_and_its_derivatives(strain: str, frames: str) -> None:
    """Energy by fine quadrature of eq. 4; gradient and Hessian by differences of it; the three forms of Delta K."""
    system = pl.compile(arm(), elements=2, strain=strain, frames=frames, **TIGHT)
    q = 0.1 * np.random.default_rng(3).standard_normal(system.freedoms)
    assert system.potential(q) == pytest.approx(_energy(q, strain, frames), rel=1e-12)
    step = 1e-5
    units = np.eye(q.size)
    slope = [(system.potential(q + step * x) - system.potential(q - step * x)) / (2.0 * step) for x in units]
    curve = [(system.gradient(q + step * x) - system.gradient(q - step * x)) / (2.0 * step) for x in units]
    scale = np.max(np.abs(curve))
    assert np.allclose(system.gradient(q), slope, rtol=0.0, atol=1e-8 * scale)
    assert np.allclose(system.hessian(q), curve, rtol=0.0, atol=1e-8 * scale)
    force, energy, tangent = (system.geometric_stiffness(q, form) for form in ("force", "energy", "tangent"))
    assert np.allclose((system.stiffness + force) @ q, system.gradient(q), rtol=0.0, atol=1e-13 * scale)
    assert 0.5 * q @ (system.stiffness + energy) @ q == pytest.approx(system.potential(q), rel=1e-13)
    assert np.allclose(system.stiffness + tangent, system.hessian(q), rtol=0.0, atol=1e-13 * scale)
    assert bool(np.max(np.abs(force)) == 0.0) is (strain == "linear")


def _energy(q: np.ndarray, strain: str, frames: str) -> float:
    """Return the energy of eq. 4 term by term, of `arm` with two elements a beam."""
    xi, weight = np.polynomial.legendre.leggauss(12)
    xi, weight, total = 0.5 * (xi + 1.0), 0.5 * weight, 0.0
    for first, length in ((1, 0.5), (8, 0.35)):
        before = np.zeros(3)
        for e in range(2):
            a, b = before, q[first + 3 * e : first + 3 * e + 3]
            before = b if frames == "link" else np.zeros(3)
            stretch = (b[0] - a[0]) / length
            slope = ((6 * xi**2 - 6 * xi) * (a[1] - b[1])) / length
            slope += (1 - 4 * xi + 3 * xi**2) * a[2] + (3 * xi**2 - 2 * xi) * b[2]
            bend = (12 * xi - 6) * (a[1] - b[1]) / length**2 + ((6 * xi - 4) * a[2] + (6 * xi - 2) * b[2]) / length
            terms = AXIAL * stretch**2 + BENDING * bend**2
            if strain in ("third", "nonlinear", "mean"):
                terms = terms + AXIAL * stretch * slope**2
            if strain in ("fourth", "nonlinear"):
                terms = terms + 0.25 * AXIAL * slope**4
            if strain == "mean":
                terms = terms + 0.25 * AXIAL * np.sum(weight * slope**2) ** 2
            total += 0.5 * length * float(np.sum(weight * terms))
    return total


def test_coordinates_and_nodes_are_two_views_of_the_same() -> None:
    system = pl.compile(arm("kink", kink=0.4), elements=2, **TIGHT)
    rng = np.random.default_rng(1)
    q, v, a = 0.2 * rng.standard_normal((3, system.freedoms))
    place, speed, push = system.observe(q, v, a)
    assert np.allclose(system.coordinates(place), q, atol=1e-14)
    step = 1e-4
    moved = [system.observe(q + s * v + 0.5 * s * s * a)[0] for s in (step, 0.0, -step)]
    assert np.allclose(speed, (moved[0] - moved[2]) / (2.0 * step), atol=1e-8)
    assert np.allclose(push, (moved[0] - 2.0 * moved[1] + moved[2]) / step**2, atol=1e-6)
    assert np.allclose(
        system.accelerations(q, v), np.linalg.solve(system.mass_matrix(q), -system.residual(q, v, 0 * a))
    )


TIMES = np.linspace(0.0, 0.3, 7)


@pytest.fixture(scope="module")
def accurate() -> tuple[Any, pl.Result]:
    """Return an arm under a torque that changes, and its motion far more accurate than required."""
    system = pl.compile(arm(torque=pl.Expression("3*sin(8*t)")), elements=1, **TIGHT)
    return system, pl.transient(system, end_time=0.3, times=TIMES, accuracy=1e-11, estimate=False)


@pytest.mark.parametrize("method", ["DOP853", "RK45", "SDIRK4", "BDF"])
def test_methods_agree_and_keep_the_energy(method: str, accurate: tuple[Any, pl.Result]) -> None:
    system, exact = accurate
    accuracy = 1e-7 if method == "BDF" else 1e-8
    run = pl.transient(system, end_time=0.3, times=TIMES, accuracy=accuracy, method=method, estimate=False)
    assert np.max(np.abs(run.coordinates - exact.coordinates)) < 1e3 * accuracy  # it adds up over hundreds of steps
    assert run.outcome.energy_error < 1e-4 * run.outcome.energy_range
    assert exact.outcome.energy_error < 1e-9 * exact.outcome.energy_range
    assert np.allclose(run.position.sel(marker="two/tip")[-1], system.observe(run.coordinates[-1])[0][-6:-4])


def test_a_run_goes_on_from_its_end() -> None:
    system = pl.compile(arm(torque=1.0), elements=1, **TIGHT)
    whole = pl.transient(system, end_time=0.2, times=[0.0, 0.1, 0.2], accuracy=1e-10, estimate=False)
    first = pl.transient(system, end_time=0.1, accuracy=1e-10, estimate=False)
    second = pl.transient(system, end_time=0.2, start=first, times=[0.2], accuracy=1e-10, estimate=False)
    assert np.allclose(second.coordinates[-1], whole.coordinates[-1], atol=1e-8)


def test_a_push_moves_beams_as_rigid_bodies() -> None:
    system = pl.compile(arm(), elements=2, **TIGHT)
    run = pl.transient(system, end_time=1e-4, push={"one": 2.0, "two": -1.0})
    rates = dict(zip(system.names, run.coordinate_rates.values[0], strict=True))
    assert rates.pop("shoulder") == pytest.approx(2.0, abs=1e-6)
    assert rates.pop("elbow") == pytest.approx(-3.0, abs=1e-6)
    assert max(map(abs, rates.values())) < 1e-6
    inertia = MASS / 3.0
    momentum = inertia * 2.0 + MASS * 0.7 * (2.0 - 0.35) * 1.35 - MASS * 0.7**3 / 12.0
    assert float(run.momentum.sel(momentum_kind="angular")[0]) == pytest.approx(momentum, rel=1e-6)


def test_rigid_links_move_as_in_the_multiplier_form() -> None:
    """Links, a branch, an off-centre body, a spring, gravity and a follower: no beam, so nothing is approximated."""
    times = np.linspace(0.0, 0.5, 6)
    exact = pl.transient(pl.compile(tree()), end_time=0.5, times=times, accuracy=1e-9)
    run = pl.transient(pl.compile(tree(), **TIGHT), end_time=0.5, times=times, accuracy=1e-11, estimate=False)
    for name, share in (("position", 1e-5), ("velocity", 1e-4), ("energy", 1e-4), ("reaction", 1e-3)):
        one, two = exact.data[name].values, run.data[name].values
        assert np.max(np.abs(one - two)) < share * np.max(np.abs(one)), name  # what the second-order method leaves


def test_five_joints_against_the_exact_formulation() -> None:
    """Thin beams without rotary inertia, so that both theories are the same within what two elements leave."""
    m = pl.Model("5R")
    ground = m.add(pl.Ground())
    section = pl.Section(1.6e6, 1e8, 57.6, 0.1)
    before = ground.at(0, 0)
    for k in range(5):
        beam = m.add(pl.Beam(f"b{k}", length=0.4, section=section, angle=0.2 * k))
        m.add(pl.Revolute(before, beam.at(s=0), name=f"j{k}"))
        before = beam.at(s=1)
    m.add(pl.Gravity())
    times = np.linspace(0.0, 0.3, 4)
    run = pl.transient(
        pl.compile(m, elements=2, strain="mean", **TIGHT), end_time=0.3, times=times, accuracy=1e-7, estimate=False
    )
    exact = pl.transient(pl.compile(m, elements=4), end_time=0.3, times=times, step=2e-4)
    assert np.max(np.abs(run.position.values - exact.position.values)) < 2e-4  # of 2 m
    assert run.outcome.energy_error < 1e-5 * run.outcome.energy_range


def test_cantilevers_bend_as_they_should() -> None:
    load = {"tip/y": 5.0}
    exact = pl.statics(pl.compile(cantilever(), elements=40).with_signals(load)).position.sel(marker="beam/tip")
    tips = {}
    for strain in ("linear", "mean", "nonlinear", "third"):
        found = pl.statics(pl.compile(cantilever(), elements=4, strain=strain, **TIGHT).with_signals(load))
        assert found.outcome.stable
        assert found.outcome.residual < 1e-9
        tips[strain] = float(found.deflection[0, 1])
        assert np.allclose(
            found.reaction[0], [0.0, -5.0, -5.0 * float(found.position.sel(marker="beam/tip")[0])], atol=1e-9
        )
    one = pl.compile(cantilever(), elements=1, strain="linear", **TIGHT).with_signals(load)
    assert float(pl.statics(one).deflection[0, 1]) == pytest.approx(5.0 * 8.0 / 3.0 / 250.0, rel=1e-12)  # P L^3 / 3 EI
    assert tips["mean"] == pytest.approx(float(exact[1]), rel=3e-4)
    assert tips["nonlinear"] < 0.99 * tips["mean"]  # membrane locking of von Karman's strain with a linear u
    assert tips["third"] > 1.01 * tips["mean"]  # and without the fourth order it is too soft


@pytest.mark.parametrize("torque", [1.0, 1e-3])
def test_a_free_joint_does_not_carry_a_torque(torque: float) -> None:
    """However stiff the beams are: 4.6 MN here, beside which a torque looks small."""
    stiff = pl.Section(4.6e6, 4.6e6, 250.0, 0.1)
    m = pl.Model("free")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=2.0, section=stiff, angle=0.0))
    m.add(pl.Revolute(ground.at(0, 0), beam.at(s=0), name="pin"), pl.Motor("drive", ground.at(0, 0), beam.at(s=0), 0.0))
    system = pl.compile(m, **TIGHT)
    assert "neutral: pin" in pl.statics(system).outcome.message
    with pytest.raises(ConvergenceError, match="nothing to hold it"):
        pl.statics(system.with_signals({"drive/torque": torque}))


@pytest.mark.parametrize(("angle", "unstable"), [(-0.5 * pi, 0), (0.5 * pi, 1)])
def test_what_weight_holds_is_not_neutral(angle: float, unstable: int) -> None:
    """omega^2 of the pendulum, 3 g / 2 L, is 1e-11 of the fastest of 30 elements, and still a stiffness."""
    m = cantilever(held="pin", angle=angle)
    m.add(pl.Gravity())
    system = pl.compile(m, elements=30, **TIGHT)
    if unstable:
        with pytest.warns(PliantWarning, match="unstable"):
            found = pl.statics(system)
    else:
        found = pl.statics(system)
    assert found.outcome.unstable_directions == unstable


def test_a_moment_rolls_a_beam_up() -> None:
    """Elements turn with the beam, so that large rotations come from small ones: the tip turns by M L / EI."""
    moment = 0.5 * pi * 250.0 / 2.0
    system = pl.compile(cantilever(), elements=16, strain="mean", **TIGHT).with_signals({"bend/value": moment})
    found = pl.statics(system, load_steps=4)
    x, y = found.position.sel(marker="beam/tip").values
    radius = 2.0 / (0.5 * pi)
    assert (x, y) == pytest.approx((radius * sin(0.5 * pi), radius * (1.0 - cos(0.5 * pi))), rel=2e-3)
    assert np.allclose(found.resultant[:, 2], moment, rtol=1e-3)


def test_modes_of_pinned_and_clamped_beams() -> None:
    """omega = (beta L)^2 sqrt(EI / rho A) / L^2, Blevins 1979; finite elements lie above."""
    unit = (250.0 / 0.1) ** 0.5 / 4.0
    for held, roots in (("weld", (1.875104, 4.694091)), ("pin", (3.926602, 7.068583))):
        system = pl.compile(cantilever(held=held), elements=6, **TIGHT)
        found = 2.0 * pi * pl.modal(system, modes=3).frequency_hz.values[-3 if held == "weld" else 1 :]
        for omega, root in zip(found, roots, strict=False):
            assert 0.0 <= omega / (root**2 * unit) - 1.0 < 3e-3
        rest = pl.statics(system)
        along = 2.0 * pi * system.natural_frequencies(rest, modes=2, stiffness="linear").values
        assert np.allclose(along, found[:2], rtol=1e-8)


def test_a_hanging_arm_linearised_is_that_of_the_exact_formulation() -> None:
    m = cantilever(held="pin", angle=-0.5 * pi)
    m.add(pl.Gravity())
    ask = {"inputs": ["tip/x"], "outputs": ["angle:beam", "position:beam/tip:x"]}
    mine, exact = (pl.linearise(pl.compile(m, elements=4, **o), **ask) for o in ({**TIGHT, "strain": "mean"}, {}))
    omega = 2.0 * pi * np.array([0.0, 0.2, 0.6, 5.0])
    one, two = mine.frequency_response(omega).values, exact.frequency_response(omega).values
    assert np.max(np.abs(one - two)) < 2e-3 * np.max(np.abs(two))


def spin_up() -> pl.Model:
    """Build a beam of 10 m whose base is turned from rest to 6 rad/s in 15 s."""
    m = pl.Model("spin-up")
    ground = m.add(pl.Ground())
    beam = m.add(pl.Beam("beam", length=10.0, section=pl.Section(2.8e7, 1e7, 1.4e4, 1.2, 6e-4), angle=0.0))
    m.add(pl.Revolute(ground.at(0, 0), beam.at(s=0), name="hub"))
    spin = "0.4*(t**2/2 + (7.5/pi)**2*(cos(2*pi*t/15) - 1))"
    m.add(
        pl.Motion(ground.at(0, 0), beam.at(s=0), angle=pl.Expression(f"where(t < 15, {spin}, 6*t - 45)"), name="spin")
    )
    return m


def test_spin_up_stiffens_the_beam() -> None:
    """Simo and Vu-Quoc, J. Appl. Mech. 53 (1986) 855: at 6 rad/s the tip settles at an extension of
    rho A Omega^2 L^3 / 3 EA = 5.14e-4 after a largest deflection of about 0.58; a linear beam in one frame loses its
    stiffness and diverges.
    """
    m = spin_up()
    tight = {"times": np.linspace(0.0, 16.0, 161), "accuracy": 1e-6}
    run = pl.transient(pl.compile(m, elements=3, strain="mean", **TIGHT), end_time=16.0, **tight)
    tip = run.deflection.sel(tip_of="beam")
    assert 0.56 < float(np.max(np.abs(tip.sel(axis="y")))) < 0.60
    assert float(tip.sel(axis="x")[-1]) == pytest.approx(1.2 * 36.0 * 1000.0 / 3.0 / 2.8e7, rel=2e-3)
    assert float(run.energy.sel(energy_kind="balance")[-1]) == pytest.approx(0.0, abs=1e-6 * run.outcome.energy_range)
    linear = pl.compile(m, elements=3, strain="linear", frames="link", **TIGHT)
    with pytest.warns(PliantWarning, match="strain"):
        lost = pl.transient(linear, end_time=12.0, accuracy=1e-5)
    assert float(np.max(np.abs(lost.deflection.sel(axis="y")))) > 10.0  # the length of the beam


def test_without_the_fourth_order_an_arm_collapses_and_says_why() -> None:
    """The energy -EA w'^4 / 8 that is left when u' = -w'^2 / 2 outweighs bending once the beam bends far enough."""
    with pytest.raises(ConvergenceError, match=r"strain='mean'"):
        pl.transient(pl.compile(spin_up(), elements=3, strain="third", **TIGHT), end_time=5.0, accuracy=1e-5)


def test_frequencies_along_a_motion() -> None:
    system = pl.compile(arm(torque=pl.Expression("3*sin(8*t)")), elements=1, **TIGHT)
    run = pl.transient(system, end_time=0.2, times=np.linspace(0.0, 0.2, 5))
    found = system.natural_frequencies(run, modes=3, stiffness="force")
    assert found.dims == ("time", "mode")
    for k in (0, 3):
        q = run.coordinates.values[k]
        stiffness = system.stiffness + system.geometric_stiffness(q)
        squares = np.linalg.eigvals(np.linalg.solve(system.mass_matrix(q), stiffness))
        omega = np.sqrt(np.sort(np.abs(squares.real)))[2:5]  # two joints turn freely
        assert np.allclose(found[k], omega / (2.0 * pi), rtol=1e-6)


def closed(m: pl.Model) -> Any:
    return m.add(pl.Revolute(m.part("two").at(s=1), m.part("ground").at(1.7, 0)))


def slid(m: pl.Model) -> Any:
    return m.add(pl.Slider(m.part("ground").at(1.7, 0), m.part("two").at(s=1)))


def pulled(m: pl.Model) -> Any:
    return m.add(pl.Tendon("cord", m.part("two").at(s=1), m.part("ground").at(0, 1), stiffness=10.0, force=1.0))


def turned(m: pl.Model) -> Any:
    third = m.add(pl.Beam("three", length=1.0, section=SECTION))
    return m.add(pl.Revolute(m.part("two").at(s=1), third.at(s=1)))


def curved(m: pl.Model) -> Any:
    third = m.add(pl.Beam("three", length=1.0, section=SECTION, curvature=1.0))
    return m.add(pl.Revolute(m.part("two").at(s=1), third.at(s=0)))


def damped(m: pl.Model) -> Any:
    third = m.add(pl.Beam("three", length=1.0, section=SECTION, damping=pl.Rayleigh(stiffness=1e-4)))
    return m.add(pl.Revolute(m.part("two").at(s=1), third.at(s=0)))


def free(m: pl.Model) -> Any:
    return m.add(pl.Link("kite", length=1.0, mass=1.0, free=True))


def test_a_part_without_mass_is_named() -> None:
    m = pl.Model("light")
    ground, link = m.add(pl.Ground(), pl.Link("link", length=1.0, mass=0.0, angle=0.0))
    m.add(pl.Revolute(ground.at(0, 0), link.at(s=0)))
    with pytest.raises(SingularError, match="no mass"):
        pl.transient(pl.compile(m, **TIGHT), end_time=0.1)


@pytest.mark.parametrize(
    ("add", "message"),
    [
        (closed, r"closes a loop.*'relative'"),
        (free, r"kite.*no joint leads"),
        (slid, r"Slider.*takes Revolute"),
        (pulled, r"cord.*takes Motor"),
        (turned, r"three.*at its base"),
        (curved, r"three.*curved"),
        (damped, r"three.*damping.*'relative'"),
    ],
)
def test_what_an_arm_cannot_hold_is_refused_by_name(add: Callable[[pl.Model], Any], message: str) -> None:
    m = arm()
    add(m)
    with pytest.raises(ModelError, match=message):
        pl.compile(m, **TIGHT)


def test_wrong_options_are_refused() -> None:
    with pytest.raises(OptionError, match="strain='cubic'"):
        pl.compile(arm(), strain="cubic", **TIGHT)
    with pytest.raises(OptionError, match=r"frames='pinned'.*not offered.*'relative'"):
        pl.compile(arm(), frames="pinned", **TIGHT)
    with pytest.raises(OptionError, match="elements of beam 'one'"):
        pl.compile(arm(), elements=0, **TIGHT)
    with pytest.raises(OptionError, match="no beam 'three'"):
        pl.compile(arm(), elements={"three": 2}, **TIGHT)
    system = pl.compile(arm(), **TIGHT)
    with pytest.raises(OptionError, match="step"):
        pl.transient(system, end_time=0.1, step=1e-3)
    with pytest.raises(OptionError, match="form='twisted'"):
        system.geometric_stiffness(system.initial, "twisted")
    for other in (3, pl.transient(pl.compile(arm(), elements=1, **TIGHT), end_time=1e-3)):
        with pytest.raises(OptionError, match="of this arm"):
            system.natural_frequencies(other)
    with pytest.raises(OptionError, match="modes=99"):
        system.natural_frequencies(pl.statics(system), modes=99)
    with pytest.raises(ConvergenceError, match="nothing to hold it"):
        pl.statics(pl.compile(arm(torque=1.0), **TIGHT))
    with pytest.raises(OptionError, match="reaction"):
        pl.linearise(system, inputs=["drive/torque"], outputs=["reaction:shoulder:Fx"])


def test_modes_show_the_resultants_of_the_arm() -> None:
    """Modes showed the resultants of the elements that observe the arm: 3,600 N for a strip that weighs 3 N."""
    m = pl.Model("strip")
    ground, beam = m.add(pl.Ground(), pl.Beam("b", length=1.0, section=pl.Section.rectangle(0.02, 0.002, pl.STEEL)))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Gravity())
    system = pl.compile(m, formulation="kinked", elements=4)
    rest = pl.statics(system)
    modes = pl.modal(system, at=rest, modes=2)
    weight = 9.81 * beam.section.mass_per_length
    assert float(np.max(np.abs(modes.resultant.values[:, 1]))) < weight
    for name in ("resultant", "reaction", "energy"):
        np.testing.assert_allclose(modes.data[name], rest.data[name], rtol=1e-9, atol=1e-9 * weight)
