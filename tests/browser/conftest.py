"""A headless Chromium with software WebGL, and pages that remember what went wrong in them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

FLAGS = [
    "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--disable-gpu-rasterization", "--disable-gpu-compositing",  # only the scene goes through the slow software GL
]  # fmt: skip
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
WAIT = 180_000  # ms, for a machine that is busy with other things


@pytest.fixture(scope="session")
def browser():
    api = pytest.importorskip("playwright.sync_api", reason="browser tests need playwright: pip install 'pliant[test]'")
    found = next(filter(None, map(shutil.which, NAMES)), None)
    with api.sync_playwright() as playwright:
        own = playwright.chromium.executable_path
        if found is None and not Path(own).exists():
            pytest.skip("browser tests need Chromium, and none is installed: apt install chromium")
        chromium = playwright.chromium.launch(executable_path=found or own, args=FLAGS)
        yield chromium
        chromium.close()


class Tab:
    """A page with its console and its requests."""

    def __init__(self, context) -> None:
        self.page = context.new_page()
        self.page.set_default_timeout(WAIT)
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda said: self.errors.append(said.text) if said.type == "error" else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))


@pytest.fixture(autouse=True)
def plain_light(monkeypatch):
    """Remove surroundings that things reflect: drawn by software they take a third of a processor as long as a page is
    open.
    """
    api = pytest.importorskip("viser").SceneApi
    lights = api.configure_default_lights

    def plain(scene, **options):
        lights(scene, **options)
        scene.configure_environment_map(hdri=None)

    monkeypatch.setattr(api, "configure_default_lights", plain)


@pytest.fixture
def tab(browser):
    window = {"viewport": {"width": 760, "height": 520}, "device_scale_factor": 0.5}  # a quarter of the pixels
    context = browser.new_context(**window, accept_downloads=True, has_touch=True)
    context.set_default_timeout(WAIT)
    tab = Tab(context)
    yield tab
    context.close()
    assert tab.errors == []
