"""LinearModel: small motion about an operating point, with names; poles, responses, sampling."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pliant.errors import OptionError, PliantError, SingularError

if TYPE_CHECKING:
    import control
    import xarray as xr

    from pliant.control.models.reduction import Reduction
    from pliant.control.models.second_order import SecondOrder
    from pliant.results import Result

Array = NDArray[np.float64]

LATE = ("A", "B", "C", "D", "state_names", "basis", "velocity_basis")
EAGER = 900  # largest number of freedoms for which A, B, C, D are made at once
STEPS, MOST_STEPS = 500, 20_000  # of a default response in time; twenty for the slowest oscillation


def _names() -> tuple[str, ...]:
    return ()


def _none() -> Any:
    return None


@dataclass(frozen=True, eq=False, repr=False)
class LinearModel:
    """``z' = A z + B u``, ``y = C z + D u`` (sampled: ``z+ = A z + B u``), in deviations from an operating point.

    state_names, input_names, output_names  as many as z, u, y have entries
    input_values, output_values             u and y at the operating point
    operating_point                         the Result it was linearised about
    basis, velocity_basis                   (freedoms, states) coordinates ``q - q0 = basis z``, velocities likewise
    second_order                            the model in redundant coordinates, sparse; None for other models
    sample_time                             s; None: continuous
    reduction                               record of `reduce` with its error; None unless reduced
    frozen                                  True if linearised about an instant of a motion, with its coefficients

    For a large model A, B, C, D are computed at first use; `frequency_response` and `reduce` do not need them.

    >>> oscillator = LinearModel([[0.0, 1.0], [-4.0, -0.4]], [[0.0], [1.0]], [[1.0, 0.0]], [[0.0]])
    >>> oscillator.poles().round(3), oscillator.output_names
    (array([-0.2+1.99j, -0.2-1.99j]), ('y1',))
    """

    A: Array
    B: Array
    C: Array
    D: Array
    state_names: tuple[str, ...] = field(default_factory=_names)
    input_names: tuple[str, ...] = field(default_factory=_names)
    output_names: tuple[str, ...] = field(default_factory=_names)
    input_values: Array = field(default_factory=lambda: np.empty(0))
    output_values: Array = field(default_factory=lambda: np.empty(0))
    operating_point: Result | None = None
    basis: Array | None = field(default_factory=_none)
    velocity_basis: Array | None = field(default_factory=_none)
    second_order: SecondOrder | None = None
    sample_time: float | None = None
    reduction: Reduction | None = None
    frozen: bool = False

    def __post_init__(self) -> None:
        for key in "ABCD":
            object.__setattr__(self, key, np.array(getattr(self, key), float))
        states, inputs, outputs = len(self.A), self.B.shape[-1], len(self.C)
        shapes = {"A": (states, states), "B": (states, inputs), "C": (outputs, states), "D": (outputs, inputs)}
        for key, shape in shapes.items():
            if getattr(self, key).shape != shape:
                raise OptionError(
                    f"LinearModel: {key} has the shape {getattr(self, key).shape}; with {states} states, {inputs} "
                    f"inputs and {outputs} outputs it must be {shape}."
                )
            if not np.all(np.isfinite(getattr(self, key))):
                raise OptionError(f"LinearModel: {key} holds a number that is not finite.")
        for letter, what, count in (("x", "state", states), ("u", "input", inputs), ("y", "output", outputs)):
            names = tuple(getattr(self, f"{what}_names")) or tuple(f"{letter}{i + 1}" for i in range(count))
            if len(names) != count or len(set(names)) < count:
                raise OptionError(f"LinearModel: {what}_names={names!r}: give {count} different names.")
            object.__setattr__(self, f"{what}_names", names)
        for what, count in (("input", inputs), ("output", outputs)):
            values = np.array(getattr(self, f"{what}_values"), float).reshape(-1)
            object.__setattr__(self, f"{what}_values", values if values.size else np.zeros(count))
        if self.sample_time is not None and not self.sample_time > 0.0:
            raise OptionError(f"LinearModel: sample_time={self.sample_time!r}: give seconds above zero, or None.")

    @classmethod
    def from_second_order(cls, form: SecondOrder, input_names: tuple[str, ...], **known: Any) -> LinearModel:
        """Make the model of a second-order form, with its other fields in ``known``; a large model computes its
        matrices at first use.
        """
        if form.freedoms <= EAGER or form.turning is not None:
            found = _state_space(form, input_names)
            kept = None if form.turning is not None else form
            return cls(**found, input_names=input_names, second_order=kept, frozen=form.turning is not None, **known)
        model = object.__new__(cls)
        fields = {"sample_time": None, "reduction": None, "frozen": False, "operating_point": None, **known}
        for key, value in {**fields, "input_names": input_names, "second_order": form}.items():
            object.__setattr__(model, key, value)
        return model

    def __getattr__(self, name: str) -> Any:
        form = self.__dict__.get("second_order")
        if name not in LATE or form is None:
            raise AttributeError(f"LinearModel has no attribute {name!r}")
        for key, value in _state_space(form, self.input_names).items():
            object.__setattr__(self, key, value)
        return self.__dict__[name]

    def __repr__(self) -> str:
        kind = "" if self.sample_time is None else f", sampled every {self.sample_time:g} s"
        kind += ", coefficients frozen at a point of a motion" if self.frozen else ""
        made = f"{len(self.A)} states" if "A" in self.__dict__ else "states not yet counted"
        lines = [
            f"LinearModel: {made}, {len(self.input_names)} inputs, {len(self.output_names)} outputs{kind}",
            f"  inputs   {', '.join(self.input_names)}",
            f"  outputs  {', '.join(self.output_names)}",
        ]
        return "\n".join(lines if self.reduction is None else [*lines, f"  {self.reduction}"])

    def poles(self, count: int | None = None) -> NDArray[np.complex128]:
        """Return eigenvalues of A (rad/s; sampled: multipliers of a step), smallest first; at most ``count``.

        Slow poles are accurate even if others are very fast: they are computed from the inverse of A.
        """
        if count is not None and "A" not in self.__dict__:
            from pliant.control.models.reduction import slowest_poles

            return slowest_poles(self, count)
        values = np.linalg.eigvals(self.A).astype(complex) if self.sample_time else slow_first(self.A)
        order = np.lexsort((-values.imag, np.abs(values)))
        return values[order][:count]

    def rates(self, count: int | None = None) -> NDArray[np.complex128]:
        """Return poles in 1/s, for a sampled model by the logarithm."""
        values = self.poles(count)
        if self.sample_time is None:
            return values
        return np.asarray(np.log(np.where(values == 0.0, 1e-300, values)) / self.sample_time, complex)

    def damping_table(self, count: int | None = None) -> xr.Dataset:
        """Return poles with frequency_hz, damping_ratio, time_constant (s, infinite without damping) and moving parts.

        A complex pair is one row. ``parts`` names the parts with most of the moving mass, if the model knows them.
        """
        import xarray as xr

        values, continuous = self.poles(count), self.rates(count)
        values, continuous = values[values.imag >= 0.0], continuous[values.imag >= 0.0]
        size = np.abs(continuous)
        coords = {"pole": np.arange(1, values.size + 1)}
        data = {
            "eigenvalue": ("pole", values, {"units": "1/s" if self.sample_time is None else "1"}),
            "frequency_hz": ("pole", size / (2.0 * np.pi), {"units": "Hz"}),
            "damping_ratio": ("pole", -continuous.real / np.maximum(size, 1e-300), {"units": "1"}),
            "time_constant": ("pole", 1.0 / np.maximum(np.abs(continuous.real), 1e-300), {"units": "s"}),
            "parts": ("pole", [self._parts(value) for value in values]),
        }
        return xr.Dataset(data, coords)

    def _parts(self, pole: complex) -> str:
        """Return the parts that move in a mode."""
        whole = self if self.reduction is None else self.reduction.plant
        if whole.second_order is None or self.basis is None:
            return ""
        shifted = self.A - pole * (1.0 + 1e-10) * np.eye(len(self.A))
        vector = np.linalg.lstsq(shifted, np.ones(len(self.A)), rcond=None)[0]  # one step of inverse iteration
        return whole.second_order.parts_in((self.basis @ vector)[:, None])[0]

    def frequency_response(self, omega: ArrayLike) -> xr.DataArray:
        """Return the response (output, input, omega) to ``u exp(i omega t)``, complex; omega in rad/s.

        A model that comes from `linearise` solves its sparse second-order equations at every frequency.
        """
        import xarray as xr

        w = np.atleast_1d(np.asarray(omega, float))
        if w.ndim != 1 or not np.all(np.isfinite(w)) or np.any(w < 0.0):
            raise OptionError(f"frequency_response: omega={omega!r:.60}: give frequencies in rad/s, zero or above.")
        if self.second_order is not None and self.sample_time is None:
            found = self.second_order.frequency_response(w)
        else:
            found = self._response(1j * w if self.sample_time is None else np.exp(1j * w * self.sample_time), w)
        coords = {"output": list(self.output_names), "input": list(self.input_names), "omega": w}
        array = xr.DataArray(found, coords, ("output", "input", "omega"), name="response")
        array["omega"].attrs["units"] = "rad/s"
        return array

    def _response(self, s: np.ndarray, omega: np.ndarray) -> np.ndarray:
        out = np.empty((*self.D.shape, s.size), complex)
        one = np.eye(len(self.A))
        for k, point in enumerate(s):
            try:
                out[:, :, k] = self.C @ np.linalg.solve(point * one - self.A, self.B) + self.D
            except np.linalg.LinAlgError as error:
                raise SingularError(
                    f"frequency_response: at omega = {omega[k]:g} rad/s the response is infinite, for the model has "
                    "a pole there. Take another frequency."
                ) from error
        return out

    def step_response(self, times: ArrayLike | None = None) -> xr.DataArray:
        """Return outputs (output, input, time) after each input alone is raised by 1 at t = 0, from rest.

        times  s, equally spaced from 0; default: until the slowest pole has settled
        """
        return self._in_time(times, impulse=False)

    def impulse_response(self, times: ArrayLike | None = None) -> xr.DataArray:
        """Return outputs after an impulse of 1 (N s, N m s) at t = 0 in each input alone, without D's own impulse.

        A sampled model is given a pulse of one sample.
        """
        return self._in_time(times, impulse=True)

    def _in_time(self, times: ArrayLike | None, *, impulse: bool) -> xr.DataArray:
        import xarray as xr

        t = self._times(times)
        sampled = self if self.sample_time is not None else self.discretise(t[1])
        held = np.zeros(t.size) if impulse else np.ones(t.size)
        z = np.zeros_like(self.B)
        if impulse and self.sample_time is None:
            z = self.B
        elif impulse:
            held[0] = 1.0 / t[1]
        found = np.empty((*self.D.shape, t.size))
        with np.errstate(all="ignore"):  # non-finite values are refused below
            for k, u in enumerate(held):
                found[:, :, k] = self.C @ z + self.D * u
                z = sampled.A @ z + sampled.B * u
        if not np.all(np.isfinite(found)):
            raise SingularError(f"The response grows beyond all numbers before t = {t[-1]:g} s. Ask for less time.")
        coords = {"output": list(self.output_names), "input": list(self.input_names), "time": t}
        array = xr.DataArray(found, coords, ("output", "input", "time"), name="response")
        array["time"].attrs["units"] = "s"
        return array

    def _times(self, times: ArrayLike | None) -> Array:
        if times is not None:
            t = np.atleast_1d(np.asarray(times, float))
            even = t.size > 1 and t[0] == 0.0 and np.allclose(np.diff(t), t[1], rtol=1e-6) and t[1] > 0.0
            if even and self.sample_time is not None:
                even = np.isclose(t[1], self.sample_time, rtol=1e-6)
            if not even:
                apart = "" if self.sample_time is None else f", {self.sample_time:g} s apart"
                raise OptionError(f"times={times!r:.60}: give instants from 0 on, equally spaced{apart}.")
            return t
        values = self.rates()
        moving = values[np.abs(values) > 0.0]
        damped = np.abs(moving.real)[np.abs(moving.real) > 1e-6 * np.abs(moving)]
        end = 5.0 / np.min(damped) if damped.size else 20.0 / np.min(np.abs(moving), initial=20.0)
        if self.sample_time is not None:
            return np.asarray(np.arange(max(2, int(end / self.sample_time) + 1)) * self.sample_time, float)
        swing = np.min(values.imag, where=values.imag > 0.0, initial=np.inf)
        steps = STEPS if np.isinf(swing) else int(np.clip(20.0 * end * swing / (2.0 * np.pi), STEPS, MOST_STEPS))
        return np.asarray(np.linspace(0.0, end, steps + 1), float)

    def discretise(self, sample_time: float) -> LinearModel:
        """Return the model sampled every ``sample_time`` (s), inputs held: exact (matrix exponential)."""
        from scipy.linalg import expm, matrix_balance

        if self.sample_time is not None:
            raise OptionError(f"discretise: the model is sampled already, every {self.sample_time:g} s.")
        if isinstance(sample_time, bool) or not isinstance(sample_time, int | float | np.number) or not (
            np.isfinite(sample_time) and sample_time > 0.0
        ):  # fmt: skip
            raise OptionError(f"discretise: sample_time={sample_time!r}: give seconds above zero.")
        n, inputs = self.B.shape
        whole = np.zeros((n + inputs, n + inputs))
        whole[:n, :n], whole[:n, n:] = self.A * sample_time, self.B * sample_time
        balanced, (scale, _) = matrix_balance(whole, permute=False, separate=True)
        moved = expm(balanced) * (scale[:, None] / scale)
        if not np.all(np.isfinite(moved)):
            raise SingularError(
                f"discretise: in {sample_time:g} s an unstable pole grows beyond all numbers. Sample faster."
            )
        return replace(self, A=moved[:n, :n], B=moved[:n, n:], sample_time=float(sample_time), second_order=None)

    def to_control(self) -> control.StateSpace:
        """Return the model as a ``control.StateSpace`` with its names (needs ``pip install pliant[control]``).

        It gives access to the Bode and Nyquist diagrams, margins and design methods of python-control.
        """
        try:
            import control
        except ImportError as error:
            raise PliantError("to_control needs python-control: pip install 'pliant[control]'.") from error
        return control.ss(
            *(self.A, self.B, self.C, self.D),
            0 if self.sample_time is None else self.sample_time,
            **{"inputs": list(self.input_names), "outputs": list(self.output_names), "states": list(self.state_names)},
        )

    def state(self, displacement: ArrayLike, velocity: ArrayLike | None = None) -> Array:
        """Return states z of small deviations of the coordinates and velocities: (freedoms) each, q - q0 and v - v0."""
        if self.reduction is not None and self.reduction.projection is not None:
            return np.asarray(self.reduction.projection @ self.reduction.plant.state(displacement, velocity))
        if self.basis is None or self.velocity_basis is None:
            raise OptionError(
                "state: this model does not come from linearise, so that its states are not coordinates of a mechanism."
            )
        rows = len(self.basis)
        q = np.asarray(displacement, float).reshape(-1)
        v = np.zeros(rows) if velocity is None else np.asarray(velocity, float).reshape(-1)
        if q.size != rows or v.size != rows:
            raise OptionError(f"state: give {rows} coordinates and as many velocities; got {q.size} and {v.size}.")
        stack = np.vstack([self.basis, self.velocity_basis])
        return np.asarray(np.linalg.lstsq(stack, np.concatenate([q, v]), rcond=1e-14)[0])


def _state_space(form: SecondOrder, input_names: tuple[str, ...]) -> dict[str, Any]:
    from pliant.control.models.state_space import keeps_digits, state_space
    from pliant.linalg import rounding as digits

    found = state_space(form, input_names)
    share = 0.0 if form.turning is not None or keeps_digits(form, found) else form.lost_digits()
    message = f"rounding may change the slowest poles by {share:.1g} of their size."
    digits.warn("linearise", share, message)
    return found._asdict()


def slow_first(matrix: np.ndarray) -> np.ndarray:
    """Return all eigenvalues from the inverse of ``A - shift``: ``l = shift + 1 / mu``, slow ones most accurately."""
    import scipy.linalg as dense

    if not matrix.size:
        return np.empty(0, complex)
    shift, inverse, _ = shifted_inverse(matrix)
    return np.asarray(shift + 1.0 / dense.eigvals(inverse))


def shifted_inverse(matrix: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Return a shift to the right of zero, near the slowest pole; the inverse of ``S^-1 A S - shift``; the scales S."""
    import scipy.linalg as dense

    balanced, (scale, _) = dense.matrix_balance(matrix, permute=False, separate=True)
    size = np.abs(dense.eigvals(balanced))
    real = size[size > 1e-12 * np.max(size)]
    shift = 0.1 * float(np.min(real)) if real.size else 1.0
    return shift, np.asarray(np.linalg.inv(balanced - shift * np.eye(len(matrix)))), scale
