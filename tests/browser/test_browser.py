"""Studio, viewer and exported page in a real browser: they load, they answer, nothing goes wrong in their console."""

from __future__ import annotations

import dataclasses
import io
import re
import threading
import tomllib
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version

import numpy as np
import pytest
from PIL import Image

import pliant as pl
from pliant.errors import ConvergenceError
from pliant_gallery import pacoma
from pliant_gallery.examples import two_links
from pliant_gallery.leg import model
from pliant_gallery.leg.demo import ELEMENTS
from pliant_gallery.leg.stages import pretension, release
from pliant_gallery.pacoma.docking import Encounter, dock
from pliant_studio.page.page import studio
from pliant_testing.results.planar import example_motion

SCRIPT = "<iframe srcdoc='<script>parent.taken = true</script>'></iframe>"
TENSION, DISTANCE = "tension of the tendon", "distance of the leaf's ends"


@pytest.fixture(scope="module")
def leg():
    """Return the leg pretensioned, a path, and released: half a second."""
    held, free = (pl.compile(model(hold=hold), elements=ELEMENTS) for hold in ("q3", None))
    stages = pretension(held)
    return stages.bent, release(free, stages.rest, end_time=0.5)


def picture(page) -> np.ndarray:
    """Return what a page shows, (height, width, 3)."""
    return np.asarray(Image.open(io.BytesIO(page.screenshot(scale="css"))).convert("RGB")).astype(int)


def differing(before: np.ndarray, after: np.ndarray) -> int:
    """Return the number of pixels that clearly differ."""
    return int((np.abs(before - after).sum(axis=-1) > 60).sum())


def reading(page, label: str) -> float:
    """Return a number from the tables of the studio."""
    cells = page.locator("tr", has=page.get_by_text(label, exact=True)).locator("td")
    return float(cells.nth(1).inner_text().replace("−", "-"))


def until(page, check) -> None:
    """Wait until something is so."""
    for _ in range(600):
        if check():
            return
        page.wait_for_timeout(100)
    pytest.fail("it never became so")


def test_studio_follows_a_slider_snaps_and_releases(tab):
    page = tab.page
    with_studio = studio("leg", port=0)
    try:
        page.goto(with_studio.url)
        page.get_by_text("equilibrium, stable").wait_for()
        page.get_by_text("mode 4").wait_for()
        assert reading(page, TENSION) == pytest.approx(64.193, abs=1e-3)
        frequency = reading(page, "mode 1")

        rest_length = page.get_by_role("slider").first
        for _ in range(5):
            rest_length.press("ArrowRight")  # 0.01 mm each
        until(page, lambda: reading(page, DISTANCE) > 407.95)
        assert reading(page, TENSION) == pytest.approx(with_studio.session.readings()[TENSION], rel=1e-4)
        rest_length.press("End")  # 480 mm: beyond the fold of the outward branch
        page.get_by_text("the path folds back at 277.673 mm").wait_for()
        until(page, lambda: reading(page, "lower link, q1") < -50.0)
        until(page, lambda: reading(page, "mode 1") != frequency)

        page.get_by_role("button", name="start again").click()
        until(page, lambda: reading(page, TENSION) == pytest.approx(64.193, abs=1e-3))
        page.get_by_role("tab", name="release").click()
        page.get_by_role("button", name="release").click()
        page.get_by_text("reached the end").wait_for()
        page.locator("canvas").nth(3).wait_for(state="attached")  # the scene and three plots
        assert float(with_studio.motion.time[-1]) == 3.0
        files(page, with_studio)
        assert {url.split("/")[2].split(":")[0] for url in tab.requests if url.startswith("http")} == {"127.0.0.1"}
    finally:
        with_studio.stop()


def files(page, with_studio) -> None:
    """Check all three downloads."""
    page.get_by_role("tab", name="files").click()
    got = {}
    for label in ("model (TOML)", "script (Python)", "results (netCDF, zipped)"):
        with page.expect_download() as waiting:
            page.get_by_role("button", name=label).click()
        got[waiting.value.suggested_filename] = waiting.value.path().read_bytes()
    assert tomllib.loads(got["leg.toml"].decode())["name"] == "leg"
    compile(got["leg.py"], "leg.py", "exec")
    assert zipfile.ZipFile(io.BytesIO(got["leg-results.zip"])).namelist() == ["equilibrium.nc", "modes.nc", "motion.nc"]


def test_studio_with_a_model_of_ones_own(tab):
    """Sliders for parameter and load work, a reading is added, a diagram drawn, a motion stopped, a move undone."""
    thickness = pl.Parameter("thickness", "1 mm", low="0.5 mm", high="2 mm", unit="m")
    m = pl.Model("my strip")
    strip = pl.Section.rectangle(0.02, thickness, pl.STEEL)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=strip))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=-0.5, name="load"))
    page, with_studio = tab.page, studio(m, ranges={"load/y": (-2.0, 2.0)}, port=0)
    try:
        page.goto(with_studio.url)
        page.get_by_text("equilibrium, stable").wait_for()
        bent = reading(page, "beam/tip, y")
        assert bent == pytest.approx(-1e3 * 0.5 * 0.5**3 / 3.0 / beam.section.bending_stiffness, rel=0.02)
        page.get_by_text("mode 4").wait_for()
        page.get_by_role("slider").first.press("End")  # 2 mm thick
        until(page, lambda: reading(page, "beam/tip, y") == pytest.approx(bent / 8.0, rel=0.02))
        page.get_by_role("button", name="undo").click()
        until(page, lambda: reading(page, "beam/tip, y") == bent)
        page.get_by_text("readings", exact=True).click()
        page.wait_for_timeout(1000)  # the table is made anew after undo: a click into the old one is not heard
        page.get_by_role("button", name="no longer").click()
        until(page, lambda: len(with_studio.session.reads) == 2)
        page.get_by_role("tab", name="diagram").click()
        page.get_by_role("button", name="draw").click()
        page.get_by_text("Solid: stable.").wait_for()
        assert with_studio.diagram.drawn.curves[0].x[-1] == pytest.approx(2.0)  # mm
        page.get_by_role("tab", name="design").click()
        boxes = page.locator("input:visible")
        condition = next(k for k in range(boxes.count()) if boxes.nth(k).input_value() == "mass") + 1
        boxes.nth(condition).fill("stiffness:beam/tip:y >= 20")
        until(page, lambda: with_studio.design.conditions[0].value != "")
        page.get_by_role("button", name="optimise").click()
        page.get_by_text("ok: a local optimum").wait_for()
        wanted = (20.0 * 4.0 * 0.5**3 / (pl.STEEL.youngs_modulus * 0.02)) ** (1.0 / 3.0)  # E b h^3 / 4 L^3
        until(page, lambda: with_studio.session.values["thickness"] == pytest.approx(wanted, rel=1e-2))
        page.get_by_role("tab", name="study").click()
        with_studio.study.points.value = 5
        page.get_by_role("button", name="study", exact=True).click()
        page.get_by_text("5 equilibria.").wait_for()
        page.get_by_role("tab", name="control").click()
        with_studio.control.until.value = 0.2
        with_studio.control.output.value = "beam/tip, y"
        page.get_by_role("button", name="close the loop").click()
        page.get_by_text("poles [1/s]").wait_for()
        poles = with_studio.control.found.gain.poles
        page.get_by_role("slider").last.press("End")  # what is set is dear: it is computed again by itself
        until(page, lambda: with_studio.control.found.gain.poles.real.max() > poles.real.max())
        page.get_by_role("tab", name="view").click()
        with page.expect_download() as waiting:
            page.get_by_role("button", name="picture (PNG)").click()
        assert Image.open(waiting.value.path()).height == 900
        page.get_by_text("dark", exact=True).click()
        until(page, lambda: picture(page)[:20].mean() < 100.0)
        page.get_by_role("tab", name="release").click()
        page.get_by_label("until [s]").first.fill("900")
        page.get_by_role("button", name="release").click()
        until(page, lambda: with_studio.release.bar.value > 0.0)
        page.get_by_role("button", name="stop").click()
        page.get_by_text("was interrupted").wait_for()
        assert 0.0 < float(with_studio.motion.time[-1]) <= 900.0
    finally:
        with_studio.stop()


def test_studio_tells_errors_and_goes_on(tab, monkeypatch):
    with_studio = studio("four-bar", port=0)
    try:
        tab.page.goto(with_studio.url)
        tab.page.get_by_text("equilibrium, stable").wait_for()

        def refuse(name, value):
            raise ConvergenceError("no equilibrium was found at that angle")

        crank = tab.page.get_by_role("slider").first
        with monkeypatch.context() as patch:
            patch.setattr(with_studio.session, "set", refuse)
            crank.press("ArrowRight")
            tab.page.get_by_text("no equilibrium was found at that angle").wait_for()
        crank.press("End")
        until(tab.page, lambda: reading(tab.page, "rocker") > 28.5)
        assert with_studio.session.values["crank_angle"] > 0.0
    finally:
        with_studio.stop()


def test_another_mechanism_while_a_motion_plays(tab):
    page, with_studio = tab.page, studio("four-bar", port=0)
    try:
        page.goto(with_studio.url)
        page.get_by_text("equilibrium, stable").wait_for()
        for name, shown in (("leg", TENSION), ("four-bar", "rocker")):
            page.get_by_role("tab", name="release").click()
            page.get_by_role("button", name="release").click()
            page.get_by_text("reached the end").wait_for()
            until(page, lambda: with_studio.theatre.time.value > 0.0)  # it plays
            page.get_by_label("mechanism").first.click()
            page.get_by_role("option", name=name, exact=True).click()
            page.get_by_role("cell", name=shown, exact=True).wait_for()
        # viser's page applies late what was sent before a control was removed, and says so; it does no harm
        tab.errors[:] = [error for error in tab.errors if "non-existent component" not in error]
    finally:
        with_studio.stop()


def test_viewer_shows_a_motion_beside_a_path(tab, leg):
    bent, fall = leg
    viewer = pl.view({"bent": bent, "fall": fall}, port=0)
    try:
        viewer.theatre.playing.value = False
        tab.page.goto(viewer.url)
        tab.page.get_by_text("bending moment [N m]").wait_for()
        tab.page.get_by_text("t = 0.000 s").first.wait_for()
        tab.page.get_by_role("slider").first.press("End")
        tab.page.get_by_text("t = 0.500 s").first.wait_for()
        assert re.search(r"tension \[N\]", tab.page.inner_text("body"))
        assert re.search(r"rest length of tendon = 0.1697 m, stable", tab.page.inner_text("body"))
        tab.page.wait_for_timeout(1000)
        after = picture(tab.page)
        tab.page.get_by_role("slider").first.press("Home")
        tab.page.get_by_text("t = 0.000 s").first.wait_for()
        tab.page.wait_for_timeout(1000)
        without = picture(tab.page)
        assert differing(without, after) > 500
        camera = next(iter(viewer.server.get_clients().values())).camera
        before = np.array(camera.position)
        for _ in range(3):
            tab.page.get_by_role("slider").first.press("ArrowRight")  # moves the slider, not the camera
        until(tab.page, lambda: viewer.theatre.time.value > 0.0)
        np.testing.assert_array_equal(camera.position, before)
        tab.page.get_by_role("slider").first.press("Home")
        tab.page.get_by_text("forces of joints", exact=True).click()
        tab.page.get_by_text("longest arrow of forces").wait_for()
        until(tab.page, lambda: differing(picture(tab.page)[:, :370], without[:, :370]) > 20)
        with tab.page.expect_download() as waiting:
            tab.page.get_by_role("button", name="film (GIF)").click()
        film = Image.open(waiting.value.path())
        assert film.format == "GIF"
        assert film.n_frames > 5
    finally:
        viewer.stop()


def test_exported_page_works_offline(tab, leg, tmp_path):
    page, path = tab.page, pl.animate(leg[1], tmp_path / "leg.html")
    page.context.set_offline(True)
    page.emulate_media(reduced_motion="reduce")  # it does not play by itself
    page.goto(path.as_uri())
    start = picture(page)
    page.locator("#scrub").fill("0.6")
    assert differing(start, picture(page)) > 1000
    assert page.locator("#readout").inner_text() == "t = 300.0 ms"
    page.locator("#play").click()
    page.locator("#readout", has_not_text="t = 300.0 ms").wait_for()  # no eval: the page's own rules forbid it
    assert [url for url in tab.requests if not url.startswith("file:")] == []


def test_names_run_no_script(tab, tmp_path):
    run = example_motion()
    data = run.data.assign_coords(part=("station", [f"{SCRIPT}{name}" for name in run.data["part"].values]))
    stranger = pl.Result(data, run.kind, run.outcome, dataclasses.replace(run.provenance, model=SCRIPT))
    viewer = pl.view([stranger, stranger], port=0)
    try:
        tab.page.goto(viewer.url)
        tab.page.get_by_text("t = 0.").first.wait_for()
        assert tab.page.evaluate("window.taken") is None
        assert tab.page.get_by_text(SCRIPT).first.is_visible()
    finally:
        viewer.stop()
    tab.page.goto(pl.animate(stranger, tmp_path / "run.html").as_uri())
    assert tab.page.locator("h1").inner_text() == SCRIPT
    assert tab.page.evaluate("window.taken") is None
    tab.errors[:] = [error for error in tab.errors if "WebSocket" not in error]  # the viewer was stopped


def test_other_pages_cannot_use_the_viewer(tab, tmp_path):
    page, viewer = tab.page, pl.view(example_motion(), port=0)
    # another page of this machine: Chromium itself keeps pages of the web out
    other = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=tmp_path))
    threading.Thread(target=other.serve_forever, daemon=True).start()
    try:
        page.goto(f"http://127.0.0.1:{other.server_port}/")
        call = """url => new Promise(done => {
            const line = new WebSocket(url, "viser-v" + "VERSION");
            line.onopen = () => done("open"); line.onerror = () => done("refused");
        })""".replace("VERSION", version("viser"))
        url = viewer.url.replace("http", "ws")
        assert page.evaluate(call, url) == "refused"
        page.goto(viewer.url)
        assert page.evaluate(call, url) == "open"
    finally:
        viewer.stop()
        other.shutdown()
    # the browser reports the refusal, and that the other page has no icon
    tab.errors[:] = [error for error in tab.errors if "WebSocket" not in error and "404" not in error]


def test_studio_shows_pacoma(tab):
    """Leaves bow outward; motors lift the platform; the push on it is taken away."""
    page, with_studio = tab.page, studio("pacoma", port=0)
    try:
        page.goto(with_studio.url)
        page.get_by_text("equilibrium, stable").wait_for()
        height = reading(page, "platform, z")
        assert height == pytest.approx(400.0 - 5.0 / 1.8265, abs=1.0)  # 1826.5 N/m upward; four coarse elements a leaf
        before = picture(page)
        motors = page.get_by_role("slider").first
        motors.press("End")  # 34.5 degrees
        until(page, lambda: reading(page, "platform, z") > height + 30.0)
        page.wait_for_timeout(500)
        assert differing(picture(page), before) > 500
        page.get_by_role("tab", name="release").click()
        page.get_by_role("button", name="release").click()
        page.get_by_text("reached the end").wait_for()
    finally:
        with_studio.stop()


def test_a_robot_of_two_links_is_moved_in_its_tab(tab):
    """A slider, then a motor moves the tip; beyond its reach it stays, and the reason is shown."""
    page, with_studio = tab.page, studio(two_links(), port=0)
    try:
        page.goto(with_studio.url)
        page.get_by_role("tab", name="robot").click()
        with_studio.robot.platform.value = "lower/tip"
        page.get_by_role("button", name="begin").click()
        page.get_by_text("Motors hold it with").wait_for()
        robot = with_studio.robot.robot

        def angles() -> np.ndarray:
            return np.cumsum(robot.pose.motors)  # of both links, 1 m long

        before = robot.pose.position.copy()
        across, shoulder = (page.get_by_role("slider").nth(k) for k in (-4, -2))
        across.press("ArrowLeft")
        until(page, lambda: robot.pose.position[0] < before[0] - 1e-4)
        assert robot.pose.position[1] == pytest.approx(before[1], abs=1e-3)
        assert np.cos(angles()).sum() == pytest.approx(robot.pose.position[0], abs=1e-9)
        assert np.sin(angles()).sum() == pytest.approx(robot.pose.position[1], abs=1e-9)
        elbow = robot.pose.motors[1]
        shoulder.press("ArrowRight")
        until(page, lambda: not np.allclose(robot.pose.position[1], before[1], atol=1e-3))
        assert robot.pose.motors[1] == pytest.approx(elbow, abs=1e-3)
        across.press("End")  # further than both links reach
        page.get_by_text("not possible").wait_for()
        assert np.linalg.norm(robot.pose.position) <= 2.0
    finally:
        with_studio.stop()


def test_viewer_shows_pacoma_struck(tab):
    """The robot on its chaser, its motors as built and loose, is pushed down by the satellite."""
    run = dock(Encounter(gear=pacoma.GEARED, loose=True), end_time=0.2, step=1e-3, elements=pl.Exact(4, order=2))
    page, viewer = tab.page, pl.view(run, port=0)
    try:
        viewer.theatre.playing.value = False
        page.goto(viewer.url)
        page.get_by_text("t = 0.000 s").first.wait_for()
        assert re.search(r"tension \[N\]", page.inner_text("body"))
        page.wait_for_timeout(1000)
        before = picture(page)[180:, :370]  # the scene, beside the controls
        assert len(np.unique(before.reshape(-1, 3), axis=0)) > 100  # a robot, not an empty scene
        page.get_by_role("slider").first.press("End")
        page.get_by_text("t = 0.200 s").first.wait_for()
        page.wait_for_timeout(1000)
        assert differing(picture(page)[180:, :370], before) > 200
    finally:
        viewer.stop()


def test_a_four_bar_is_drawn_tried_and_edited(tab):
    """A four-bar is drawn on an empty sheet by clicks; mistakes are reported; it is computed; an end is dragged."""
    page, with_studio = tab.page, studio(port=0)
    page.set_viewport_size({"width": 1280, "height": 800})
    try:
        page.goto(with_studio.url)
        page.get_by_text("an empty sheet").wait_for()
        drawn = with_studio.drawn

        def seen_at(x: float, y: float) -> tuple[float, float]:
            """Return pixels of a point of the plane, in a picture of which both panels were cut off."""
            box = page.locator("canvas").first.bounding_box()
            camera = next(iter(with_studio.server.get_clients().values())).camera
            high = 2.0 * camera.position[2] * np.tan(0.5 * camera.fov)
            scale, metre = box["height"] / high, with_studio.drawn.view.scale
            across, up = metre * x - camera.position[0], metre * y - camera.position[1]
            return box["x"] + 0.5 * box["width"] + scale * across, box["y"] + 0.5 * box["height"] - scale * up

        def draw(tool: str, *places: tuple[float, float], press=page.mouse.click) -> None:
            page.get_by_role("button", name=tool, exact=True).click()
            until(page, lambda: drawn.tool == tool)
            for place in places:
                before = (drawn.begun, len(drawn.sheet.entries))
                press(*seen_at(*place))
                until(page, lambda before=before: (drawn.begun, len(drawn.sheet.entries)) != before)

        until(page, lambda: len(with_studio.server.get_clients()) == 1)
        page.locator(".mantine-Notification-root button").first.click()  # rendering by software
        foot, hip, knee, other = (-0.1, -0.1), (-0.1, 0.0), (0.1, 0.05), (0.15, -0.1)
        draw("link", foot, hip)
        draw("beam", hip, knee)
        draw("link", knee, other)
        draw("pin", foot)
        page.get_by_text("it can be computed").wait_for()  # as a chain, though not what was meant
        draw("pin", other)
        draw("drive", foot)
        draw("force", (0.0, 0.025), press=page.touchscreen.tap)  # by a finger
        page.locator("#python", has_text='force = m.add(pl.Force(beam.at(s=0.5), name="force", y=-1.0))').wait_for()
        page.get_by_role("button", name="try it").click()
        page.get_by_text("equilibrium, stable").wait_for()
        assert reading(page, "angle of link") == pytest.approx(90.0)
        page.get_by_role("slider").first.press("ArrowRight")
        until(page, lambda: reading(page, "angle of link") > 90.0)

        page.get_by_role("button", name="edit the model").click()
        page.get_by_text("it can be computed").wait_for()
        drawn = with_studio.drawn
        page.get_by_role("button", name="Link link 2").click()
        boxes, length = page.locator("input:visible"), repr(drawn.sheet.seen().model.part("link 2").length)
        until(page, lambda: length in [boxes.nth(k).input_value() for k in range(boxes.count())])
        box = next(k for k in range(boxes.count()) if boxes.nth(k).input_value() == length)
        boxes.nth(box).fill("-1")
        page.wait_for_timeout(500)  # viser waits a little before it sends what is typed
        page.get_by_role("button", name="apply").click()
        page.get_by_text('Link "link 2": length = -1').wait_for()
        page.get_by_role("button", name="undo").click()
        page.get_by_text("it can be computed").wait_for()
        assert [type(part).__name__ for part in drawn.sheet.seen().model].count("Revolute") == 4

        page.get_by_role("button", name="move", exact=True).click()
        until(page, lambda: drawn.tool == "move")
        page.wait_for_timeout(1500)  # its handles can be dragged now
        longer = drawn.sheet.seen().model.part("link 2").length
        for _ in range(5):  # a busy machine may not hear the first: its handles are not there yet
            page.mouse.move(*seen_at(*other))
            page.mouse.down()
            for share in (0.3, 0.6, 1.0):
                page.mouse.move(*seen_at(other[0], other[1] - 0.05 * share))
                page.wait_for_timeout(200)
            page.mouse.up()
            page.wait_for_timeout(3000)
            if drawn.sheet.seen().model.part("link 2").length != longer:
                break
        until(page, lambda: drawn.sheet.seen().model.part("link 2").length > longer + 0.03)
    finally:
        with_studio.stop()
