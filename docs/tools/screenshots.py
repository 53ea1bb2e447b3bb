"""Pictures of viewer and studio in a browser: ``python docs/tools/screenshots.py docs/images`` (needs Chromium)."""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Page, sync_playwright

import pliant as pl
from pliant_gallery.leg.demo import compute
from pliant_studio.page.page import studio
from pliant_studio.session.mechanism import mechanism
from pliant_studio.session.session import Session

FLAGS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
SETTLED = 25_000  # ms, for the scene to fade in where it is drawn by software


def shoot(page: Page, path: Path) -> None:
    """A small picture of what is shown."""
    while (note := page.locator(".mantine-Notification-root button")).count():
        note.first.click()
        page.wait_for_timeout(500)
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    picture.quantize(256, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(path, optimize=True)
    sys.stdout.write(f"{path} {path.stat().st_size}\n")


def viewer(page: Page, path: Path, results: Any, prepare: Callable[[Any], None]) -> None:
    """The viewer with some results."""
    shown = pl.view(results, port=0)
    shown.theatre.playing.value = False
    prepare(shown.theatre)
    page.goto(shown.url)
    page.wait_for_timeout(SETTLED)
    shoot(page, path)
    shown.stop()


def at(share: float, colour: str, arrows: bool = False) -> Callable[[Any], None]:
    """A place on the timeline and a colour."""

    def prepare(theatre: Any) -> None:
        theatre.time.value = share * theatre.time.max
        theatre.colour.value = colour
        theatre.arrows.value = arrows

    return prepare


def studio_pictures(page: Page, folder: Path) -> None:
    """The leg set up, and released."""
    shown = studio("leg", port=0)
    page.goto(shown.url)
    page.wait_for_timeout(SETTLED)
    shoot(page, folder / "studio-leg.png")
    page.get_by_role("tab", name="release").click()
    page.get_by_role("button", name="release").click()
    page.get_by_text("reached the end").wait_for()
    shown.theatre.playing.value = False
    shown.theatre.time.value = 0.4
    page.wait_for_timeout(8000)
    shoot(page, folder / "studio-release.png")
    shown.stop()


def own_picture(page: Page, folder: Path) -> None:
    """An arch that is in no gallery, and its diagram."""
    thickness = pl.Parameter("thickness", "1.2 mm", low="0.8 mm", high="2 mm", unit="m")
    arch = pl.Model("arch")
    ground, leaf, block = arch.add(
        pl.Ground(),
        pl.Beam("leaf", length=0.3, section=pl.Section.rectangle(0.02, thickness, pl.STEEL)),
        pl.Body("block", mass=0.1, inertia=1e-5, position=(0.3, 0.0), angle=0.0),
    )
    arch.add(pl.Revolute(ground.at(0, 0), leaf.at(s=0)), pl.Revolute(leaf.at(s=1), block.at()))
    arch.add(pl.Prismatic(ground.at(0.3, 0), block.at(), name="rail"))
    arch.add(pl.Motion(ground.at(0, 0), block.at(), x=0.295, name="press"))
    arch.add(pl.Force(leaf.at(s=0.5), y=0.5, name="push"))
    shown = studio(arch, ranges={"push/y": (-120.0, 20.0)}, port=0)
    page.goto(shown.url)
    page.get_by_text("mode 4").wait_for()
    page.get_by_role("tab", name="diagram").click()
    shown.diagram.along.value, shown.diagram.reading.value = "push, y", "leaf@0.5, y"
    page.get_by_role("button", name="draw").click()
    page.get_by_text("Solid: stable.").wait_for()
    page.wait_for_timeout(SETTLED)
    shoot(page, folder / "studio-own.png")
    shown.stop()


def drawn_picture(page: Page, folder: Path) -> None:
    """A four-bar with a flexible coupler on the sheet, then under control."""
    shown = studio(port=0)
    page.goto(shown.url)
    page.get_by_text("an empty sheet").wait_for()
    drawing = shown.drawn.drawing

    def spot(x: float, y: float) -> Any:
        return drawing.spot((x, y))

    drawing.bar("Link", spot(-0.15, -0.1), spot(-0.15, 0.0))
    drawing.bar("Beam", spot(-0.15, 0.0), spot(0.1, 0.06))
    drawing.bar("Link", spot(0.1, 0.06), spot(0.16, -0.1))
    drawing.support(spot(-0.15, -0.1), "pin")
    drawing.support(spot(0.16, -0.1), "pin")
    drawing.drive(spot(-0.15, -0.1))
    shown.drawn.chosen = drawing.load("Force", spot(-0.025, 0.03))
    shown.drawn.refresh()
    page.wait_for_timeout(SETTLED)
    shoot(page, folder / "studio-draw.png")
    page.get_by_role("button", name="try it").click()
    page.get_by_text("mode 4").wait_for()
    page.get_by_role("tab", name="control").click()
    page.get_by_role("button", name="close the loop").click()
    page.get_by_text("poles [1/s]").wait_for()
    shown.theatre.playing.value = False
    shown.theatre.time.value = 0.1
    page.wait_for_timeout(SETTLED)
    page.mouse.move(1200, 600)
    page.mouse.wheel(0, 1000)
    page.wait_for_timeout(2000)
    shoot(page, folder / "studio-control.png")
    shown.stop()


def main(folder: Path) -> None:
    """All pictures."""
    leg = compute()
    robot = Session(mechanism("six-rus"))
    robot.set("push_x", 8.0)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = chromium.new_page(viewport={"width": 1100, "height": 640})
        page.set_default_timeout(120_000)
        runs = {"pretension": leg.outward.bent, "modes": leg.modes, "release": leg.motion}
        viewer(page, folder / "viewer-leg.png", runs, at(0.12, "bending moment"))
        viewer(page, folder / "viewer-six-rus.png", {"6-RUS": robot.rest}, at(0.0, "strain", True))
        page.set_viewport_size({"width": 1100, "height": 760})
        studio_pictures(page, folder)
        own_picture(page, folder)
        page.set_viewport_size({"width": 1280, "height": 800})
        drawn_picture(page, folder)
        chromium.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
