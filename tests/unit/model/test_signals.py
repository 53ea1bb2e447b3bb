"""Signals: values, derivatives against differences, and the formula reader."""

from __future__ import annotations

import math
from itertools import count

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pliant.errors import ModelError, SignalError
from pliant.model import Constant, Expression, Function, Ramp, Sine, Table, as_signal
from pliant.model.signals import expressions
from pliant.model.signals.base import Rescaled, Signal
from pliant.model.signals.cache import cached
from pliant.model.signals.shaping import Shaped
from pliant.model.signals.straight_lines import straight

T = np.linspace(0.1, 2.9, 15)

SMOOTH = [
    Constant(3.0),
    Sine(2.0, 0.7, phase=0.3, offset=-1.0),
    Ramp(1.0, -2.0, t0=0.0, t1=3.0),
    Ramp(1.0, -2.0, t0=0.0, t1=3.0, smooth=False),
    Table([0.0, 3.0], [1.0, 4.0]),
    *map(
        Expression,
        [
            "2*t**3 - t/(1 + t**2) + 4",
            "sin(2*pi*t) * exp(-t) + cos(t)**2",
            "tan(t/4) + tanh(t) + log(1 + t) + sqrt(t)",
            "abs(t - 5) + min(t, 10, 3*t) + max(-t, 0.5*t)",
            "smoothstep(t/4) + step(t) + (t > 0)*t**2",
            "t**t + 2**t + e**(-t) + t**2.5",
            "t**2 if t > -1 and not t > 50 else 0",
            "where(0 < t < 20 or t == 7, -t**2, 1e9)",
        ],
    ),
    Function(lambda t: math.sin(3.0 * t)),
]


@pytest.mark.parametrize("signal", SMOOTH, ids=str)
def test_derivatives_against_central_differences(signal) -> None:
    h = 1e-3
    f = [signal(T + k * h) for k in (-2, -1, 0, 1, 2)]
    rate = (f[0] - 8 * f[1] + 8 * f[3] - f[4]) / (12 * h)
    acceleration = (-f[0] + 16 * f[1] - 30 * f[2] + 16 * f[3] - f[4]) / (12 * h**2)
    assert np.allclose(signal.rate(T), rate, rtol=1e-6, atol=1e-6)
    assert np.allclose(signal.acceleration(T), acceleration, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("signal", SMOOTH, ids=str)
def test_shape_is_that_of_the_times(signal) -> None:
    for shape in ((), (1,), (2, 3)):
        t = np.full(shape, 0.5)
        assert signal(t).shape == signal.rate(t).shape == signal.acceleration(t).shape == shape
    assert float(signal(0.5)) == signal(np.array([0.5]))[0]


@pytest.mark.parametrize("text", ["t", "sin(t) + abs(t) + max(t, 1)", "smoothstep(t)"])
def test_formulas_that_cannot_jump_are_known(text: str) -> None:
    assert not Expression(text).may_jump


@pytest.mark.parametrize(
    "text", ["step(t - 1)", "2 * (t > 1)", "t if t < 1 else 0", "where(t, 1, 2)", "not t", "t and 1"]
)
def test_formulas_that_may_jump_are_known(text: str) -> None:
    assert Expression(text).may_jump


def test_ramp_is_flat_outside_and_smooth_at_its_ends() -> None:
    ramp = Ramp(1.0, 3.0, t0=1.0, t1=2.0)
    assert ramp([0.0, 1.0, 1.5, 2.0, 9.0]) == pytest.approx([1, 1, 2, 3, 3])
    assert ramp.rate([0.0, 1.0, 2.0, 3.0]) == pytest.approx(0.0)
    assert ramp.acceleration([0.0, 1.0, 2.0, 3.0]) == pytest.approx(0.0)


def test_rate_at_a_kink_is_the_one_that_follows() -> None:
    assert Table([0.0, 1.0, 2.0], [0.0, 1.0, 3.0]).rate([-1.0, 0.0, 1.0, 2.0]).tolist() == [0.0, 1.0, 2.0, 0.0]
    assert Ramp(0.0, 2.0, 0.0, 1.0, smooth=False).rate([-1.0, 0.0, 1.0]).tolist() == [0.0, 2.0, 0.0]


def test_published_drive_is_exact_at_its_switch() -> None:
    drive = Expression("where(t < 1.2, 0.01*sin(pi*t/1.2), 0)")
    assert drive([0.6, 1.2, 2.0]) == pytest.approx([0.01, 0.0, 0.0])
    assert drive.rate(np.nextafter(1.2, 0)) == pytest.approx(-0.01 * math.pi / 1.2)
    assert drive.rate(1.2) == 0.0


def test_expression_does_not_stumble_over_the_branch_not_taken() -> None:
    assert Expression("where(t < 1, 0, sqrt(t - 1))")([0.0, 5.0]).tolist() == [0.0, 2.0]
    assert Expression("1/t if t > 0 else 0").rate([0.0, 1.0]).tolist() == [0.0, -1.0]
    assert Expression("t**2 + t**1 + t**0").acceleration([0.0]).tolist() == [2.0]


def test_a_long_series_is_fine() -> None:
    assert Expression(" + ".join(["sin(t)"] * 100))(0.5) == pytest.approx(100 * math.sin(0.5))


def test_function_is_never_asked_about_the_past() -> None:
    asked: list[float] = []

    def causal(t: float) -> float:
        asked.append(t)
        return t * t

    signal = Function(causal)
    assert signal.rate(1.0) == pytest.approx(2.0)
    assert signal.acceleration(1.0) == pytest.approx(2.0, abs=1e-5)
    assert min(asked) >= 1.0


def test_as_signal() -> None:
    sine = Sine(1.0, 1.0)
    assert as_signal(sine) is sine
    assert as_signal(2) == Constant(2.0)
    assert float(as_signal(2)) == 2.0
    assert isinstance(as_signal(math.sin), Function)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "().__class__.__bases__",
        "t.real",
        "[1, 2][0]",
        "(lambda: 1)()",
        "sin(t, 2)",
        "sin()",
        "min()",
        "sin(x=t)",
        "sin(*t)",
        "open('f')",
        "x + 1",
        "sin",
        "t if t",
        "t = 3",
        "t := 3",
        "'text'",
        "True",
        "1j",
        "t & 1",
        "t // 1",
        "t % 1",
        "~t",
        "t in t",
        "f'{t}'",
        "{}",
        "None",
        "",
        "t\nt",
        "\0",
        "9**9999",
        "2**-101",
        "t**" + "1" * 400,
        "t" + ".a" * 450,
        "[" * 90 + "]" * 90,
        "1" * 400,
        "1e999",
        "-" * 500 + "t",
        "(" * 300 + "t" + ")" * 300,
        "t+" * 600 + "t",
        "\ud800",
    ],
)
def test_what_is_not_a_plain_formula_is_refused(text) -> None:
    with pytest.raises(SignalError, match="Expression"):
        Expression(text)


def test_refusal_says_what_is_allowed() -> None:
    with pytest.raises(SignalError, match=r"function 'sine' is not known\. Did you mean sin.*Allowed are numbers"):
        Expression("sine(t)")


@settings(derandomize=True, max_examples=200)
@given(st.text(alphabet="t0123456789.+-*/()<>=,sincoexpahmwr _[]{}'\"@:", max_size=40))
def test_any_text_is_read_or_refused_never_run(text) -> None:
    try:
        signal = Expression(text)
        signal(0.5)
    except SignalError:
        pass


@pytest.mark.parametrize("text", ["1/(t - 1)", "log(t - 1)", "sqrt(0.5 - t)", "exp(800*t)", "9**99**99"])
def test_a_value_that_is_not_finite_names_owner_and_time(text) -> None:
    with pytest.raises(SignalError, match=r'Force "push": x: .*t = 1 s.*finite'):
        Expression(text)([1.0, 1.0], 'Force "push": x')


@pytest.mark.parametrize("function", [lambda t: math.nan, lambda t: 1 / 0, lambda t: "a", lambda t: None, lambda t: 1j])
def test_a_failing_function_names_owner_and_time(function) -> None:
    with pytest.raises(SignalError, match=r'Motor "m": torque: .*lambda.* at t = 0.25 s'):
        as_signal(function)(0.25, 'Motor "m": torque')


@pytest.mark.parametrize("value", [math.nan, math.inf, True, None, "sin(t)", [1.0], np.ones(2), 1j])
def test_as_signal_refuses(value) -> None:
    with pytest.raises(ModelError, match='Force "push": x = '):
        as_signal(value, 'Force "push"', "x")


@pytest.mark.parametrize(
    "text",
    [
        "2",
        "-t**2 + 3*t/7 - e",
        "sin(t) + cos(2*t) - tan(t/9) + tanh(t) + exp(-t) + log(2 + t)",
        "sqrt(3 + t) + abs(t) + step(t) + smoothstep(t)",
        "where(t < 0.5, sin(pi*t), 2) + (t >= 0.2)",
        "t if 0.1 < t <= 0.6 else -t",
        "min(t, 0.3) * max(t, 0.1, 1 - t) + (t > 0.2 and not t > 0.7)",
        "(2 + t) ** t",
    ],
)
def test_values_alone_are_those_with_derivatives(text: str) -> None:
    t = np.linspace(-1.0, 1.0, 41)
    signal = Expression(text)
    with np.errstate(all="raise"):
        np.testing.assert_array_equal(signal(t), signal.jet(t)[0])
    assert signal(0.25).shape == ()


@pytest.mark.parametrize("size", [1, 8, 9, 4096, 4097, 10000])
def test_formulas_are_the_same_however_many_times_they_are_asked_for(size: int) -> None:
    formula, t = Expression("where(t < 0.7, exp(-t)*cos(9*t), 2*t)"), np.linspace(0.0, 1.0, size)
    for each, now in ((formula, t), (formula, t.copy()), (formula, t[::-1])):
        expected = np.where(now < 0.7, np.exp(-now) * np.cos(9 * now), 2 * now)
        np.testing.assert_allclose(each(now), expected, rtol=1e-15)
        np.testing.assert_array_equal(each.jet(now)[0], each(now))
    assert formula(t.reshape(1, -1)).shape == (1, size)


def test_what_a_caller_does_with_values_does_not_come_back() -> None:
    formula, t = Expression("2*t"), np.array([1.0])
    formula(t)[0] = 7.0
    formula.jet(t)[0][0] = 7.0
    assert formula(t) == formula.jet(t)[0] == [2.0]


def test_findings_are_remembered_by_value_and_never_of_functions() -> None:
    asked = []

    @cached(8)
    def find(signal: Signal, end: float) -> float:
        asked.append(signal)
        return float(signal(end))

    for _ in range(2):
        assert find(Expression("2*t"), 1.0) == find(Rescaled(Expression("4*t"), value=2.0), 1.0) == 2.0
    assert len(asked) == 2
    answers = count(1.0)
    for signal in (Function(lambda t: next(answers)), Shaped(Function(lambda t: 0.5 * next(answers)), omega=1.0)):
        assert signal.opaque
        assert find(signal, 1.0) != find(signal, 1.0)


def test_a_signal_that_cannot_be_compared_is_asked_every_time(monkeypatch) -> None:
    monkeypatch.setattr(Table, "__hash__", None)
    asked, table = list[Signal](), Table((0.0, 1.0), (0.0, 1.0))
    find = cached(8)(asked.append)
    for times in (1, 2):
        find(table)
        assert len(asked) == times


FORMULAS = (
    *(signal.text for signal in SMOOTH if isinstance(signal, Expression)),
    *("t**(t > 1)", "(t > 1)**2", "2**(t > 1)", "1/t if t > 0.5 else 0", "not t", "t and 1", "sqrt(t)*0", "3", "-t"),
    "where(t < 1, cos(3*t), cos(3*t) - 1) + smoothstep(2)*t",
)


@pytest.mark.parametrize("slopes", [True, False])
@pytest.mark.parametrize("text", FORMULAS)
def test_straight_lines_give_the_same_bits(text: str, slopes: bool) -> None:
    formula = expressions._made(expressions.parse(text))
    start = (expressions.ONE if slopes else expressions.ZERO), expressions.ZERO
    plain = lambda t: formula((t, *start))  # noqa: E731
    with np.errstate(all="ignore"):
        for t in (T, T[:12].reshape(3, 4), np.array(1.3)):
            for x, y in zip(straight(plain)(t), plain(t), strict=True):
                np.testing.assert_array_equal(x, y, strict=np.ndim(y) > 0)


def test_straight_lines_do_nothing_twice_and_nothing_in_vain() -> None:
    asked = []

    def sine(x):
        asked.append(x)
        return np.sin(x)

    def work(t):
        y = t * 2.0
        np.exp(y)
        return [np.cos(y) + np.cos(y)]

    assert len(straight(work).__code__.co_names) == 4  # what is called, and numbers: mul, 2, cos, add
    assert straight(lambda t: [sine(t)])(0.0) == [0.0]
    assert len(asked) == 1


def test_what_depends_on_values_is_no_straight_line() -> None:
    def branching(t):
        return [t if np.any(t > 1.0) else -t]

    for function in (branching, lambda t: [np.clip(t, 0.0, a_max=1.0)], lambda t: [np.add.reduce(t)]):
        assert straight(function) is function
