"""Tab of the studio for a mechanism as a robot: its platform can be dragged, each motor has a slider."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.errors import PliantError, PliantWarning
from pliant.results.drawing.scene import extent
from pliant_studio.session.ranges import SHOWN
from pliant_studio.session.robot import Robot, motors, platforms
from pliant_studio.viewer.film import films
from pliant_studio.viewer.stage import solid
from pliant_studio.viewer.text import paragraph

if TYPE_CHECKING:
    from pliant_studio.page.page import Studio

ABOUT = "Motors hold the platform where it is dragged, in equilibrium with the loads."
NO_MOTORS = (
    "This model has nothing that could be a motor: a drive, a winch, or a tendon that is given its rest length or "
    "shortening."
)
GIZMO = "/platform"
TURN = 0.5 * np.pi
STEPS = 1000


class RobotTab:
    """Sliders of platform and motors, and a handle in the scene."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        self.robot: Robot | None = None
        self.gizmo: Any = None
        gui, known = studio.server.gui, motors(studio.session)
        gui.add_html(paragraph(ABOUT if known else NO_MOTORS))
        few = {2: 3, 3: 6}[studio.session.rest.data.sizes["axis"]]
        chosen = known[:few] if len(known) >= few else known[: {3: 2, 6: 3}[few]]
        self.platform = gui.add_dropdown("platform", tuple(platforms(studio.session)), visible=bool(known))
        self.motors = gui.add_text("motors", ", ".join(chosen), visible=bool(known))
        begin = gui.add_button("begin", icon="robot", visible=bool(known))
        begin.on_click(lambda _: studio.worker.ask("robot", self._begin))
        self.said = gui.add_html("")
        self.places: list[Any] = []
        self.driven: list[Any] = []
        self.folder = gui.add_folder("pose", visible=False)

    def clear(self) -> None:
        """Remove the robot of the previous equilibrium."""
        self.robot, self.folder.visible, self.said.content = None, False, ""
        if self.gizmo is not None:
            self.gizmo.remove()
            self.gizmo = None

    def _begin(self) -> None:
        self.clear()
        names = [name.strip() for name in self.motors.value.split(",") if name.strip()]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PliantWarning)  # singular poses can be left
            self.robot = Robot.of(self.studio.session, self.platform.value, names)
        for child in tuple(self.folder._children.values()):
            child.remove()
        size = extent(self.studio.session.rest.shape.values)
        with self.folder:
            self.places = [
                self._slider(f"{axis} [mm]", 1e3 * now, 500.0 * size, self._to_place)
                for axis, now in zip("xyz", self.robot.pose.position, strict=False)
            ]
            self.driven = []
            for name, now in zip(names, self.robot.pose.motors, strict=True):
                unit, per_si = SHOWN["rad" if name.endswith("/angle") else "m"]
                reach = TURN if unit == "deg" else 0.5 * size
                slider = self._slider(f"{name} [{unit}]", per_si * now, per_si * reach, self._to_motors)
                self.driven.append((slider, per_si))
        self.folder.visible = True
        flat = len(self.robot.pose.position) == 2
        gizmo = self.studio.server.scene.add_transform_controls(
            GIZMO, scale=0.12, disable_rotations=True, active_axes=(True, True, not flat), position=self._in_scene(),
            depth_test=False,
        )  # fmt: skip
        gizmo.on_update(
            lambda event: self.studio.worker.ask(
                "robot", lambda: self._to(np.asarray(event.target.position) / self._scale())
            )
        )
        self.gizmo = gizmo
        self._show()

    def _slider(self, label: str, now: float, reach: float, does: Any) -> Any:
        step = float(10.0 ** np.floor(np.log10(2.0 * reach / STEPS)))
        low, middle, high = (_round(value, step) for value in (now - reach, now, now + reach))
        handle = self.studio.server.gui.add_slider(label, low, high, step, middle)
        handle.on_update(lambda _: self.studio.worker.ask("robot", does))
        return handle

    # --- on the worker's thread ------------------------------------------------------------------------------------

    def _to_place(self) -> None:
        if self.robot is not None:
            self._to([1e-3 * float(each.value) for each in self.places])

    def _to(self, place: Any) -> None:
        robot = self.robot
        if robot is None:
            return
        wanted = np.asarray(place, float)[: len(robot.pose.position)]
        nearest = 0.51e-3 * np.array([each.step for each in self.places])
        if not np.all(np.abs(wanted - robot.pose.position) <= nearest):
            self._try(lambda: robot.reach(wanted))

    def _to_motors(self) -> None:
        robot = self.robot
        if robot is None:
            return
        wanted = np.array([float(slider.value) / per_si for slider, per_si in self.driven])
        nearest = np.array([0.51 * slider.step / per_si for slider, per_si in self.driven])
        if not np.all(np.abs(wanted - robot.pose.motors) <= nearest):
            self._try(lambda: robot.drive(wanted))

    def _try(self, move: Any) -> None:
        """Try a move; on failure reset the controls and show the reason."""
        try:
            with warnings.catch_warnings(record=True) as heard:
                warnings.simplefilter("always", PliantWarning)
                move()
        except PliantError as error:
            self.said.content = paragraph(str(error), "not possible")
            self._put_back()
            return
        self._show(" ".join(str(each.message) for each in heard))

    def _show(self, doubts: str = "") -> None:
        robot = self.robot
        if robot is None:
            return
        self._put_back()
        torques = ", ".join(f"{value:.4g}" for value in robot.pose.torques)
        strain = max(robot.pose.strains.values(), default=0.0)
        self.said.content = paragraph(
            f"Motors hold it with {torques} (N m or N); largest strain {strain:.3g}. {doubts}"
        )
        self.studio.show_film(films(robot.shown))

    def _put_back(self) -> None:
        """Reset sliders and handle to the robot's pose."""
        robot = self.robot
        if robot is None:
            return
        for slider, value in zip(self.places, 1e3 * np.asarray(robot.pose.position), strict=True):
            slider.value = _within(slider, value)
        for (slider, per_si), value in zip(self.driven, robot.pose.motors, strict=True):
            slider.value = _within(slider, per_si * value)
        if self.gizmo is not None:
            self.gizmo.position = self._in_scene()

    def _scale(self) -> float:
        """Return the scale of the scene (per metre)."""
        return 1.0 if self.studio.theatre is None else self.studio.theatre.scale

    def _in_scene(self) -> tuple[float, ...]:
        """Return the position of the platform in the scene."""
        place = np.zeros(3) if self.robot is None else solid(np.asarray(self.robot.pose.position))
        return tuple(float(x) for x in self._scale() * place)


def _within(slider: Any, value: float) -> float:
    """Return the nearest value that a slider can show."""
    return min(max(_round(value, slider.step), slider.min), slider.max)


def _round(value: float, step: float) -> float:
    """Return a multiple of a step, without rounding noise."""
    return float(f"{step * round(value / step):.10g}")
