"""Result: what every analysis returns. Labelled arrays with units, how it went, where it came from.

Variables, by name. A motion has `time` as a first dimension before the dimensions given here, a path of equilibria
`point`; an equilibrium has none, modes include their equilibrium. All are optional; others may be added freely, as by
studies ("study", "sweep", "campbell", "basins", "trials", "workspace", "trajectory", "optimisation", "uncertainty"),
whose functions document them.

| variable         | dimensions              | units     | meaning                                                     |
|------------------|-------------------------|-----------|-------------------------------------------------------------|
| position         | marker, axis            | m         | of markers, global axes                                     |
| velocity         | marker, axis            | m/s       |                                                             |
| acceleration     | marker, axis            | m/s²      |                                                             |
| angle            | body                    | rad       | of link, body, or the base of a beam; not in space          |
| orientation      | body, quaternion        | 1         | in space: body axes to global axes, of length 1             |
| rotation         | body, axis              | rad       | in space: the same as a rotation vector                     |
| marker_angle     | marker                  | rad       | of markers, as on a beam; not in space                      |
| marker_orientation | marker, quaternion    | 1         | in space: axes of markers to global axes                    |
| angular_velocity | body                    | rad/s     | in space (body, axis), global axes                          |
| shape            | station, axis           | m         | polylines of all drawn parts, one after another             |
| resultant        | section, component      | N, N, N m | in the sections of beams, in their axes                     |
| channel_tension  | channel_place           | N         | along tendons in channels, from entry to end                |
| sleeve_angle     | sleeve_place            | rad       | of sections of sleeves relative to the beam inside          |
| reaction         | joint, wrench           | N, N, N m | joint on its marker b, global axes, at b                    |
| joint_reaction   | joint, wrench           | N, N, N m | the same in the axes of the joint, as its marker a has them |
| joint_angle      | joint                   | rad       | of pins and driven angles: b from a; NaN for other joints   |
| joint_rate       | joint                   | rad/s     | of a motion                                                 |
| joint_travel     | joint                   | m         | of slides and driven places: b along the axis on a          |
| joint_speed      | joint                   | m/s       | of a motion                                                 |
| drive_effort     | joint                   | N         | of drives on b, along or (N m) about their axes             |
| drive_power      | joint                   | W         | of a motion: what drives put into the mechanism             |
| motor_torque     | motor                   | N m       | of motors, on their marker b                                |
| motor_power      | motor                   | W         | of a motion: what motors put into the mechanism             |
| energy           | energy_kind             | J         | kinetic, potential, supplied, dissipated, balance           |
| ground_position  | ground, axis            | m         | points of the ground that carry joints (never with time)    |
| frequency_hz     | mode                    | Hz        | of the undamped mode, or |eigenvalue| / 2π                  |
| damping_ratio    | mode                    | 1         | of damped modes only                                        |
| eigenvalue       | mode                    | 1/s       | complex                                                     |
| modal_mass       | mode                    | kg        |                                                             |
| mode_shape       | mode, station, axis     | m         | displacement of the stations of `shape`; may be complex     |
| mode_position    | mode, marker, axis      | m         | displacement of markers; may be complex                     |
| event_shape      | event, station, axis    | m         | displacement in which a path branches or turns, at an event |
| open_ends        | open_joint, end, axis   | m         | of a sketch: both ends of joints that cannot be closed      |
| state_q, ...     | free                    |           | raw arrays to restart from: `result.state["q"]`, ...        |
| path_q, ...      | point, free             |           | raw arrays of a path, for `result.equilibrium(point)`       |

| dimension   | coordinates along it                                                                              |
|-------------|---------------------------------------------------------------------------------------------------|
| time        | time (s, strictly increasing)                                                                     |
| point       | point (0, 1, ...), parameter (attribute `name`: of a signal), arclength, stable,                  |
|             | unstable_directions (-1 where not determined)                                                     |
| event       | event_kind ("limit point", "bifurcation" or "flutter"), event_parameter, event_point              |
| mode        | mode (1, 2, ...)                                                                                  |
| marker, body, joint, motor, line, contact, ground | the name itself, unique                                     |
| joint       | may have joint_kind ("weld", "revolute", ...), joint_body_a, joint_body_b, and for pictures       |
|             | joint_drawing ("pin", "clamp", "slide" or "none") and joint_marker (label of marker b)            |
| ground      | may have ground_drawing, as joint_drawing                                                         |
| axis        | axis: x, y; in space x, y, z                                                                      |
| quaternion  | quaternion: w, x, y, z                                                                            |
| component   | component: N, V, M; in space N, Vy, Vz, T, My, Mz                                                 |
| wrench      | wrench: Fx, Fy, M; in space Fx, Fy, Fz, Mx, My, Mz (one dataset cannot label `component` twice)   |
| energy_kind | energy_kind                                                                                       |
| station     | part (name of the part), part_kind ("beam", "rigid" or "line"), s (0 to 1 along the part). The    |
|             | last ones only complete pictures: sides of sections ("edge", "rod", "tube"), corners of the boxes |
|             | around shapes ("outline"), frames of a "rail" or "wall" and what moves along it, a "stroke"; they |
|             | are in `data` and in files, not in the attributes: `run.shape` is of the parts themselves         |
| outline_point | outline (number of the shape), outline_place (of the sides of its box)                          |
| outline_face | outline_triangle (three numbers of points)                                                       |
| section     | beam (name of the beam), section_s (0 to 1 along it)                                              |
| channel_place | channel (name of the tendon), channel_s (0 to 1 along its beam)                                 |
| sleeve_place | sleeve (name of the sleeve), sleeve_s (0 to 1 along its beam)                                    |

Forces bring variables of their own (`Load.results`), along the dimension of their names (the attribute `listed_along`):
springs and tendons `tension`, `line_length` and `line_rate` (line), contacts and stops `gap`, `normal_force` and
`friction_force` (contact), joints that rub `slip_speed`, `joint_friction` and `friction_limit` (friction; rad/s and N m
where a joint only turns). Motions of mechanisms have `joint_rank`, `joint_margin` and `joint_projection` (time; see
`system.loop_watch`), which are computed when requested by name and are no part of the dataset. Beams have
`strain_per_resultant` (station, component; never with time): the strain at the surface that a unit resultant makes
there. NaN and infinity are refused, unless the variable's attribute `nan_means` says what they stand for.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant._frozen import replace
from pliant._libraries import xarray as xr
from pliant._spelling import direction
from pliant.errors import nearest
from pliant.results.lazy_arrays import Pending
from pliant.results.records import Outcome, Provenance
from pliant.results.schema import (
    KINDS,
    LINE_KINDS,
    ResultError,
    analysis_of,
    checked,
    completed,
    events,
    format_value,
    parameter_label,
)

if TYPE_CHECKING:
    from pandas import DataFrame  # type: ignore[import-untyped]

    from pliant.results.scaling import HasScales

SHOWN_EVENTS = 6
Label = str | float


MADE = ("_pending", "_aside")  # computes variables at first use: not kept in copies and files


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """Labelled arrays of one analysis; each variable is an attribute: `run.position.sel(marker="crank/tip")`.

    data        the xarray.Dataset with all variables (listed in this module). With `Pending` data each variable is
                computed at first use, and the whole dataset when `data` is first used
    kind        "sketch", "statics", "modes", "motion", "path", or of a study: "study", "sweep", "campbell", "basins",
                "trials", "workspace", "trajectory", "optimisation", "uncertainty"
    outcome     how the analysis ended, with its checks
    provenance  model, analysis, settings, version of pliant and date

    >>> import pliant as pl
    >>> m = pl.Model("pendulum")
    >>> ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=0.0))
    >>> parts = m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0), name="pin"), pl.Gravity())
    >>> run = pl.transient(pl.compile(m), end_time=0.1, step=1e-2)
    >>> run.kind, run.outcome.ok, run.position.dims
    ('motion', True, ('time', 'marker', 'axis'))
    >>> run.reaction.sel(joint="pin", wrench="Fy").values[0].round(4).item()  # a quarter of the weight
    2.4525
    """

    data: xr.Dataset
    kind: str
    outcome: Outcome
    provenance: Provenance

    def __post_init__(self) -> None:
        given: xr.Dataset | Pending = self.data
        taken = _own_names()
        for name in given if isinstance(given, Pending) else given.variables:
            if name in taken:
                raise ResultError(f"a variable cannot be called {name!r}: a Result has an attribute of that name")
        if isinstance(given, Pending):
            object.__delattr__(self, "data")
            self.__dict__["_pending"] = given
            self.__dict__["_aside"] = replace(given, variables=given.aside)
        else:
            object.__setattr__(self, "data", checked(given, self.kind))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        pending: Pending | None = self.__dict__.get("_pending")
        if pending is not None and name in pending:
            return _labelled(completed(pending.only(name), self.kind, whole=False)[name])
        if (aside := self.__dict__.get("_aside")) is not None and name in aside.variables:
            return _labelled(completed(aside.only(name), self.kind, whole=False)[name])
        if name == "data":
            if pending is None:
                raise AttributeError(name)
            object.__setattr__(self, "data", completed(pending.whole(), self.kind))
            del self.__dict__["_pending"]
            return self.data
        if name not in self.data.variables:
            raise AttributeError(f"this {self.kind} result has no variable {name!r}. {self._instead(name)}")
        return _labelled(self.data[name])

    def _instead(self, name: str) -> str:
        """Return the message for a variable that is missing."""
        if home := analysis_of(name):
            return f"{name} is a variable of {home}{'(damped=True)' if name == 'damping_ratio' else ''}."
        known = [str(known) for known in self.data.variables if not str(known).startswith("state_")]
        if name == "resultant" and (why := no_resultants(self)):
            return why
        close = direction(name, known) or nearest(name, known)
        return close + (f" It has {', '.join(known)}." if not close.startswith("Known") else "")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(str(name) for name in self.data.variables)]

    def __getstate__(self) -> dict[str, Any]:
        return {"data": self.data} | {name: value for name, value in self.__dict__.items() if name not in MADE}

    def judged(self, outcome: Outcome) -> Result:
        """Return the result with another outcome."""
        pending: Any = self.__dict__.get("_pending")
        found = Result(pending or self.data, self.kind, outcome, self.provenance)
        found.__dict__.setdefault("_aside", self.__dict__.get("_aside"))
        return found

    def raw(self, name: str) -> np.ndarray | None:
        """Return the values of a variable or coordinate without labels; None for an unknown name."""
        pending: Pending | None = self.__dict__.get("_pending")
        if pending is not None:
            return pending.values(name) if name in pending else None
        return np.asarray(self.data.variables[name].values) if name in self.data.variables else None

    @property
    def sizes(self) -> dict[str, int]:
        """Return the length of every dimension."""
        return {str(name): size for name, size in self.data.sizes.items()}

    def sel(self, **labels: Label | Sequence[Label] | slice) -> xr.Dataset:
        """Select all variables at some labels, as an xarray.Dataset: ``run.sel(marker="crank/tip")``."""
        from pliant.results.labelled import select

        return select(self.data, dict(labels))

    def isel(self, **places: int | Sequence[int] | slice) -> xr.Dataset:
        """Select all variables at some places of dimensions, as an xarray.Dataset: ``run.isel(time=-1)``."""
        return self.data.isel(places)

    def to_dataframe(self, *names: str) -> DataFrame:
        """Return variables as a pandas.DataFrame, one column each: ``run.to_dataframe("energy")``. Without names all
        quantities are columns, "angle:crank", "position:crank/tip:x", ..., with a row for each instant, point or mode.
        """
        if not names:
            from pliant.results.quantities import frame

            return frame(self)
        return xr.Dataset({name: getattr(self, name) for name in names}).to_dataframe()

    @property
    def state(self) -> dict[str, np.ndarray] | None:
        """Return the raw final state to restart from, by symbol (q, v, a, lam, ...), or None if none was kept."""
        prefix, pending = "state_", self.__dict__.get("_pending")
        source: Any = self.data.variables if pending is None else pending.variables
        values = (lambda name: source[name].values) if pending is None else pending.values
        return {str(name)[len(prefix) :]: values(name) for name in source if str(name).startswith(prefix)} or None

    def equilibrium(self, point: int = -1) -> Result:
        """Return one point of a path, by default the last, as a result of statics: to start from, to take modes about.

        It belongs to the value of the parameter at that point: use it with ``system.with_signals({name: value})``.
        """
        from pliant.results.point import equilibrium

        return equilibrium(self, point)

    def in_units(self, scales: HasScales) -> Result:
        """Return a result of a scaled model in SI units: every variable times its scale."""
        from pliant.results.scaling import times_scales

        return times_scales(self, scales, 1)

    def scaled(self, scales: HasScales) -> Result:
        """Divide every variable by its scale (a `Scales`); its ``units`` then name the scale."""
        from pliant.results.scaling import times_scales

        return times_scales(self, scales, -1)

    def save(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write a netCDF file, completely or not at all; read it with `load_result`."""
        from pliant.results.io import save_result

        return save_result(self, path, overwrite=overwrite)

    def __repr__(self) -> str:
        lines = [f"Result, {self.kind}: {self.provenance!r}", f"  {self.outcome!r}"]
        if (span := self._span()) is not None:
            lines.append(f"  {span}")
        rows = self._rows()
        width = max((len(name) for name, _ in rows), default=0) + 2
        return "\n".join([*lines, *(f"  {name:<{width}}{units}".rstrip() for name, units in rows)])

    def _repr_html_(self) -> str:
        cells = "".join(f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in self._rows())
        heading = f"<b>Result, {self.kind}</b>: {html.escape(repr(self.provenance))}"
        span = self._span()
        notes = [html.escape(note) for note in (repr(self.outcome), span) if note]
        return f"<div>{heading}<br>{'<br>'.join(notes)}<table>{cells}</table></div>"

    def _rows(self) -> list[tuple[str, str]]:
        """Return signature and units of every variable, raw arrays left out."""
        return [
            (f"{name}({', '.join(map(str, array.dims))})", _units_in_short(str(array.attrs.get("units", ""))))
            for name, array in self.data.data_vars.items()
            if not str(name).startswith(("state_", "path_", "event_direction", "event_tangent"))
        ]

    def _span(self) -> str | None:
        dimension = KINDS[self.kind]
        if dimension is None or self.data.sizes[dimension] == 0:
            return None
        if self.kind == "path":
            return self._path_span()
        values = self.data[dimension].values
        units = self.data[dimension].attrs.get("units", "")
        return f"{dimension} {values[0]:g} to {values[-1]:g} {units}".rstrip() + f" ({len(values)} values)"

    def _path_span(self) -> str:
        """Describe the parameter from first to last point, its range between, and the events."""
        words, units = parameter_label(self.data)
        values = self.data["parameter"].values
        span = f"{words} {values[0]:.6g} to {format_value(values[-1], units)}"
        if min(values) < min(values[[0, -1]]) or max(values) > max(values[[0, -1]]):
            span += f", between {min(values):.6g} and {max(values):.6g}"
        met = [f"{kind} at {value:.6g}" for kind, value, _ in events(self.data)]
        more = [f"{len(met) - SHOWN_EVENTS} more"] if len(met) > SHOWN_EVENTS else []
        return f"{span} ({len(values)} points); {', '.join([*met[:SHOWN_EVENTS], *more]) or 'no events'}"


@cache
def _own_names() -> frozenset[str]:
    """Return the attributes that every result has."""
    return frozenset([*dir(Result), *Result.__dataclass_fields__])


def no_resultants(result: Result) -> str:
    """Explain why a result has no resultants and which analysis has them; empty if unknown."""
    if result.provenance.settings.get("of_the_mesh"):
        others = "formulation='dae' or 'kinked' or 'relative' or 'shooting'"
        return f"Chains of links, which 'udwadia_kalaba' makes of beams, have none. Compile the model with {others}."
    kinds = result.raw("part_kind")
    return "" if kinds is None or "beam" in kinds else "Resultants are those of beams, and the model has none."


def _units_in_short(units: str) -> str:
    """Return the units of components, each once: ``N, N m`` for ``1, 1, N, N m``."""
    several = dict.fromkeys(units.split(", "))
    return ", ".join(each for each in several if each != "1" or len(several) == 1)


def _labelled(array: xr.DataArray) -> xr.DataArray:
    """Return an array with named errors, without stations that only complete pictures (corners of shapes, edges of
    beams); xarray is already imported here.
    """
    from pliant.results.labelled import labelled

    if "part_kind" in array.coords:
        drawn = np.isin(array.coords["part_kind"].values, LINE_KINDS)
        array = array if drawn.all() else array.isel(station=drawn)
    return labelled(array)
