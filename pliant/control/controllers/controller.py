"""Sampled linear controller: plain arrays and names, run alike by the compiled time loop and `loop.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pliant.control import checks
from pliant.control.controllers.sampled import SHAPES, Sample, SampledController, none
from pliant.errors import OptionError

if TYPE_CHECKING:
    import control

    from pliant.control.models.linear_model import LinearModel


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Controller(SampledController):
    """A sampled linear controller: every `sample_time` it reads outputs y and sets inputs u, held until the next time.

        d       = quantised(y + noise) - y0          s = r(t) - r0
        wanted  = u0 + C x + Dy d + Dr s
        issued  = wanted, between low and high, at most rate * sample_time away from what was issued last (first: u0)
        applied = what was issued `delay` samples ago (u0 before the first)
        x      <- A x + Bu (applied - u0) + By d + Br s + Bw (issued - wanted)

    Names, limits, delay, noise and references are explained in `SampledController`. Arrays that are not given are zero,
    and x starts at zero. An observer inside x is driven by the applied inputs, so limits and delay do not mislead it;
    Bw keeps integrals from winding up.

    >>> gains = {"motor/torque": {"angle:arm": 5.0, "angular_velocity:arm": 1.0}}
    >>> Controller.proportional(gains, sample_time=1e-3).limited(low=-2.0, high=2.0).delayed(1)  # doctest: +ELLIPSIS
    Controller(angle:arm, angular_velocity:arm -> motor/torque every 0.001 s; tracks ...; motor/torque in [-2, 2])
    """

    SHAPES: ClassVar[Mapping[str, str]] = {
        **SHAPES,
        **{"A": "xx", "Bu": "xu", "By": "xy", "Br": "xr", "Bw": "xu", "C": "ux", "Dy": "uy", "Dr": "ur", "y0": "y"},
    }

    state_names: tuple[str, ...] = ()
    A: np.ndarray = field(default_factory=none)
    Bu: np.ndarray = field(default_factory=none)
    By: np.ndarray = field(default_factory=none)
    Br: np.ndarray = field(default_factory=none)
    Bw: np.ndarray = field(default_factory=none)
    C: np.ndarray = field(default_factory=none)
    Dy: np.ndarray = field(default_factory=none)
    Dr: np.ndarray = field(default_factory=none)
    y0: np.ndarray = field(default_factory=none)

    def __post_init__(self) -> None:
        super().__post_init__()
        states = len(self.A)
        if not self.state_names:
            self._set(state_names=tuple(f"state {i + 1}" for i in range(states)))
        if len(self.state_names) != states:
            raise OptionError(f"Controller: {len(self.state_names)} state_names were given, {states} are needed.")

    def _sizes(self) -> dict[str, int]:
        return {"x": np.shape(self.A)[0]}

    def begin(self) -> np.ndarray:
        """Return the states x at the start."""
        return np.zeros(len(self.A))

    def decide(self, time: float, y: np.ndarray, r: np.ndarray, memory: np.ndarray) -> np.ndarray:
        """Return ``u0 + C x + Dy d + Dr s``."""
        return np.asarray(self.u0 + self.C @ memory + self.Dy @ (y - self.y0) + self.Dr @ (r - self.r0))

    def proceed(self, sample: Sample, memory: np.ndarray) -> None:
        """Compute ``A x + Bu (applied - u0) + By d + Br s + Bw (issued - wanted)``."""
        d, s = sample.readings - self.y0, sample.references - self.r0
        moved = self.A @ memory + self.Bu @ (sample.applied - self.u0) + self.By @ d + self.Br @ s
        memory[:] = moved + self.Bw @ (sample.issued - sample.wanted)

    def states(self, memory: np.ndarray) -> np.ndarray:
        """Return the states x."""
        return memory

    @classmethod
    def proportional(
        cls,
        gains: Mapping[str, Mapping[str, float]],
        *,
        sample_time: float,
        input_values: Mapping[str, float] | None = None,
        output_values: Mapping[str, float] | None = None,
    ) -> Controller:
        """Make ``u = input_value - sum of gain (y - r)``, from named outputs: a PD controller reads angle and rate.

        gains           {input: {output: gain}}
        input_values    inputs at the operating point; zero where not given
        output_values   outputs there, which are the references unless `following` sets others

        >>> Controller.proportional({"motor/torque": {"angle:arm": 5.0}}, sample_time=1e-3).Dy
        array([[-5.]])
        """
        owner = "Controller.proportional"
        if not (isinstance(gains, Mapping) and gains and all(isinstance(row, Mapping) for row in gains.values())):
            raise OptionError(f"{owner}: gains={gains!r}: give {{input: {{output: gain}}}}.")
        inputs, outputs = tuple(gains), tuple(dict.fromkeys(name for row in gains.values() for name in row))
        K = np.zeros((len(inputs), len(outputs)))
        for i, (name, row) in enumerate(gains.items()):
            K[i] = checks.per_name(owner, f"gains of {name!r}", row, outputs, K[i])
        u0 = checks.per_name(owner, "input_values", input_values, inputs, np.zeros(len(inputs)))
        y0 = checks.per_name(owner, "output_values", output_values, outputs, np.zeros(len(outputs)))
        common: dict[str, Any] = {"inputs": inputs, "outputs": outputs, "tracked": outputs}
        return cls(**common, sample_time=sample_time, Dy=-K, Dr=K, u0=u0, y0=y0, r0=y0)

    @classmethod
    def of(
        cls,
        system: LinearModel | control.StateSpace | control.TransferFunction,
        *,
        inputs: Sequence[str],
        outputs: Sequence[str],
        sample_time: float | None = None,
        acts_on: str = "error",
        input_values: Mapping[str, float] | None = None,
        output_values: Mapping[str, float] | None = None,
    ) -> Controller:
        """Make any linear controller: a `StateSpace` or `TransferFunction` of python-control, or a `LinearModel`.

        inputs, outputs   pliant's names of the signals it sets and the outputs it reads, in its order
        sample_time       s; a continuous controller is sampled by Tustin's rule. Not needed for a sampled one
        acts_on           "error": its input is r - y, and all outputs are tracked; "outputs": its input is y
        input_values      inputs at the operating point; zero where not given. `output_values`: outputs there

        Its integrals wind up while inputs are limited; the integrals of `pid` do not.

        >>> import pliant as pl
        >>> lead = pl.LinearModel([[-50.0]], [[1.0]], [[-2000.0]], [[50.0]])  # 50 (s + 10) / (s + 50)
        >>> Controller.of(lead, inputs=["motor/torque"], outputs=["angle:arm"], sample_time=1e-3)
        Controller(angle:arm -> motor/torque every 0.001 s, 1 states; tracks angle:arm)
        """
        from pliant.control.design.blocks import sampled_block

        owner, u, y = "Controller.of", checks.names("Controller.of", "inputs", inputs), tuple(outputs)
        block = sampled_block(owner, system, sample_time)
        if block.D.shape != (len(u), len(y)):
            raise OptionError(
                f"{owner}: the system has {block.D.shape[1]} inputs and {block.D.shape[0]} outputs; it reads {len(y)} "
                f"({', '.join(y)}) and sets {len(u)} ({', '.join(u)})."
            )
        if acts_on not in ("error", "outputs"):
            raise OptionError(f"{owner}: acts_on={acts_on!r}: choose 'error' or 'outputs'.")
        sign, r = (-1.0, len(y)) if acts_on == "error" else (1.0, 0)
        y0 = checks.per_name(owner, "output_values", output_values, y, np.zeros(len(y)))
        return cls(
            inputs=u,
            outputs=y,
            sample_time=float(block.sample_time or 0.0),
            tracked=y[:r],
            A=block.A,
            By=sign * block.B,
            Br=block.B[:, :r],
            C=block.C,
            Dy=sign * block.D,
            Dr=block.D[:, :r],
            u0=checks.per_name(owner, "input_values", input_values, u, np.zeros(len(u))),
            y0=y0,
            r0=y0[:r],
        )

    def through(
        self,
        block: LinearModel | control.StateSpace | control.TransferFunction,
        *,
        inputs: Sequence[str] | None = None,
    ) -> Controller:
        """Return a copy whose inputs (all, or some by name) pass through a block with one input and one output, such as
        `notch`; the output of the block is applied. See `blocks`.

        >>> hold = Controller.proportional({"motor/torque": {"angle:arm": 5.0}}, sample_time=1e-3)
        >>> import pliant as pl
        >>> len(hold.through(pl.notch(200.0, sample_time=1e-3)).A)
        2
        """
        from pliant.control.design.blocks import behind

        return behind(self, block, inputs)

    def to_control(self) -> control.StateSpace:
        """Return this controller as a ``control.StateSpace``: from outputs and references to inputs, all in deviations
        from the operating point, sampled, with its delay; limits, noise and quantisation are left out.

        >>> hold = Controller.proportional({"motor/torque": {"angle:arm": 5.0}}, sample_time=1e-3)
        >>> hold.to_control().D.tolist()
        [[-5.0, 5.0]]
        """
        from pliant.control.models.open_loop import compensator

        return compensator(self).to_control()
