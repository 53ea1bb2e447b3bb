"""Strangers at the pages of viewer and studio: script in names, other origins and hosts, values beyond limits."""

from __future__ import annotations

import dataclasses
import socket
import time

import msgspec
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

import pliant as pl
from pliant.errors import CapabilityError
from pliant_studio.page.page import studio
from pliant_studio.viewer import server as door
from pliant_studio.viewer.server import close_page, open_page
from pliant_testing.results.planar import example_motion, example_path

viser = pytest.importorskip("viser", reason="the viewer needs viser: pip install 'pliant[studio]'")

SCRIPT = "<img src=x onerror=\"document.title='taken'\">"
EVIL = "http://news.example"


def named(result, name):
    """Return a result as if from a stranger's file: a script names its model, parts, markers, joints and units."""
    data = result.data
    words = {c: data[c].dims for c in data.coords if data[c].dtype.kind in "UO" and c in ("part", "marker", "joint")}
    data = data.assign_coords({c: (dims, [f"{SCRIPT}{each}" for each in data[c].values]) for c, dims in words.items()})
    data["resultant"].attrs["units"] = SCRIPT
    if "parameter" in data:
        data["parameter"].attrs |= {"name": SCRIPT, "units": SCRIPT}
    return pl.Result(data, result.kind, result.outcome, dataclasses.replace(result.provenance, model=name))


@pytest.fixture(scope="module")
def viewer():
    page = pl.view([named(example_motion(), SCRIPT), named(example_path(), SCRIPT)], port=0)
    page.theatre.playing.value = False
    yield page
    page.stop()


def test_names_are_text_in_the_viewer(viewer):
    assert viewer.theatre.caption.content.count("&lt;img") >= 3  # two models, a parameter
    sent = viewer.server._websock_server._broadcast_buffer.message_from_id.values()
    assert not [each for each in sent if type(each).__name__ == "GuiMarkdownMessage"]  # it takes HTML as it comes
    assert not [each for each in sent if "Html" in type(each).__name__ and "<img" in each.props.content]


def test_names_are_text_in_pages_and_notebooks():
    hostile = named(example_motion(), f"</title></script>{SCRIPT}")
    for page in (pl.show(hostile).page, hostile._repr_html_()):
        assert "<img" not in page
        assert page.count("</script>") == page.count("<script")


# --- who may come in ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("origin", [EVIL, "http://localhost:1", "null", None])
def test_other_pages_are_refused(viewer, origin):
    with pytest.raises(InvalidStatus) as refused, connect(websocket(viewer), origin=origin):
        pass
    assert refused.value.response.status_code == 403
    assert b"may not use this server" in refused.value.response.body


def test_own_page_is_let_in(viewer):
    with client(viewer) as own:
        assert own.recv(timeout=10)


@pytest.mark.parametrize("upgrade", ["", "Upgrade: websocket\r\nConnection: Upgrade\r\n"])
@pytest.mark.parametrize("host", ["news.example", "127.0.0.1.news.example:80", "localhost@news.example", "[", ""])
def test_other_names_of_this_machine_are_refused(viewer, host, upgrade):
    answer = request(viewer, f"Host: {host}\r\nOrigin: http://{host}\r\n{upgrade}")
    assert answer.startswith("HTTP/1.1 403")
    assert "is not called" in answer


def test_two_hosts_or_origins_are_refused(viewer):
    port = viewer.server.get_port()
    ours = f"Host: 127.0.0.1:{port}\r\n"
    assert request(viewer, ours).startswith("HTTP/1.1 200")
    assert request(viewer, f"{ours}Host: news.example\r\n").startswith("HTTP/1.1 403")
    assert request(viewer, f"{ours}Origin: http://127.0.0.1:{port}\r\nOrigin: {EVIL}\r\n").startswith("HTTP/1.1 403")


@pytest.mark.parametrize(
    ("bound", "host", "allowed"),
    [
        ("127.0.0.1", "127.0.0.1:8080", True),
        ("127.0.0.1", "LocalHost:9000", True),  # a tunnel
        ("127.0.0.1", "[::1]:8080", True),
        ("127.0.0.1", "192.168.1.7:8080", False),
        ("lab.example", "lab.example:8080", True),
        ("lab.example", "news.example:8080", False),
        ("0.0.0.0", "192.168.1.7:8080", True),
        ("0.0.0.0", f"{socket.gethostname()}:8080", True),
        ("0.0.0.0", "news.example:8080", False),
        ("", "", False),
    ],
)
def test_names_that_a_page_answers_to(bound, host, allowed):
    refused = door.refusal([host], [f"http://{host}"], bound, needs_origin=True)
    assert (refused is None) is allowed


def test_a_viser_that_cannot_be_guarded_opens_no_page(monkeypatch):
    with pytest.raises(CapabilityError, match="cannot be guarded"), door.guarded("127.0.0.1"):
        pass  # nothing was served
    closed = []

    class Unguarded:
        def __init__(self, **options) -> None: ...

        def stop(self) -> None:
            closed.append(True)

    monkeypatch.setattr(viser, "ViserServer", Unguarded)
    with pytest.raises(CapabilityError, match="cannot be guarded"):
        open_page("test", port=0)
    assert closed


# --- what may come in --------------------------------------------------------------------------------------------


@pytest.fixture
def page():
    server = open_page("test", port=0)
    yield server
    close_page(server)


def test_values_beyond_the_limits_of_a_control_are_not_taken(page):
    slider = page.gui.add_slider("angle", 0.0, 1.0, 0.1, 0.5)
    number = page.gui.add_number("until", 3.0, min=0.01, max=30.0, step=0.01)
    choice, tick = page.gui.add_dropdown("speed", ("1", "2")), page.gui.add_checkbox("play", True)
    wrong = (
        (slider, [1.5, -1e300, float("nan"), float("inf"), "0.7", [0.7], True, None]),
        (number, [1e9, 0.0, float("nan")]),
        (choice, ["3", 1, ["1"], {}]),
        (tick, ["no", 0, 2.0]),
    )
    with client(page) as hostile:
        for handle, values in wrong:
            for value in values:
                send(hostile, handle, value=value)
        for handle, _ in wrong:
            send(hostile, handle, value=handle.value, label="other")
            send(hostile, handle, removed=True)
        for handle, value in ((slider, 1.0), (number, 30), (choice, "2"), (tick, False)):  # the connection still lives
            send(hostile, handle, value=value)
        until(lambda: tick.value is False)
    assert (slider.value, number.value, choice.value, tick.value) == (1.0, 30.0, "2", False)
    assert not any(handle._impl.removed for handle, _ in wrong)


def test_a_client_cannot_publish_the_page(page, monkeypatch):
    asked = []
    monkeypatch.setattr(page, "request_share_url", lambda *_, **__: asked.append(True))
    tick = page.gui.add_checkbox("play", True)
    with client(page) as hostile:
        hostile.send(msgspec.msgpack.encode({"type": "ShareUrlRequest"}))
        send(hostile, tick, value=False)
        until(lambda: tick.value is False)
    time.sleep(0.2)
    assert not asked


def test_studio_keeps_to_its_own_limits():
    with_studio = studio("four-bar", port=0)
    try:
        for origin in (EVIL, "null"):
            with pytest.raises(InvalidStatus, match="403"), connect(websocket(with_studio), origin=origin):
                pass
        assert request(with_studio, "Host: news.example\r\nOrigin: http://news.example\r\n").startswith("HTTP/1.1 403")
        before = dict(with_studio.session.values)
        crank = next(iter(with_studio.sliders.values()))
        with client(with_studio.server) as hostile:
            for value in (1e9, float("nan"), "x"):
                send(hostile, crank, value=value)
            send(hostile, with_studio.release.until, value=1e9)
            send(hostile, with_studio.release.what, value="rm")
            send(hostile, with_studio.diagram.along, value="nothing of the kind")
            for value in (7, "x" * 201, "two\nlines", "\x1b[2J"):
                send(hostile, with_studio.design.goal, value=value)
            send(hostile, with_studio.theatre.speed, value="1000000")
            send(hostile, with_studio.shown, value="nothing of the kind")
            send(hostile, with_studio.theatre.arrows, value=True)
            until(lambda: with_studio.theatre.arrows.value)
        assert with_studio.session.values == before
        assert with_studio.design.goal.value == "mass"
        assert with_studio.release.seconds == with_studio.session.mechanism.end_time
        assert with_studio.theatre._thread.is_alive()  # it plays on
    finally:
        with_studio.stop()


def test_clicks_and_drags_of_strangers_are_numbers(monkeypatch):
    """Invalid points are ignored; a valid click is accepted; the sheet takes text as text."""
    with_studio = studio(port=0)
    good = {"event_type": "click", "ray_origin": (0.0, 0.0, 1.0), "ray_direction": (0.0, 0.0, -1.0)}
    good |= {"type": "ScenePointerMessage", "screen_pos": ((0.5, 0.5),), "modifier": None}
    place = {"type": "TransformControlsUpdateMessage", "name": "/platform", "owner": ""}
    drag = {"type": "SceneNodeDragMessage", "phase": "end", "name": "/sheet/handles/0", "instance_index": None}
    drag |= {"start_position": (0, 0, 0), "start_screen_pos": (0, 0), "end_screen_pos": (0, 0), "button": "left"}
    hostile = [
        good | {"ray_origin": (0.0, 0.0, float("nan"))},
        good | {"ray_direction": "up"},
        good | {"ray_direction": None},
        good | {"screen_pos": ()},
        good | {"event_type": "rect-select"},
        place | {"position": (0.0, 0.0), "wxyz": (1.0, 0.0, 0.0, 0.0)},
        place | {"position": (0.0, 0.0, 0.0), "wxyz": None},
        drag | {"end_position": (float("inf"), 0.0, 0.0), "modifier": None},
    ]
    heard = []

    async def hear(client, message):
        heard.append(message)

    for name in ("_handle_scene_pointer_updates", "_handle_node_drag", "_handle_transform_controls_updates"):
        monkeypatch.setattr(with_studio.server.scene, name, hear)
    try:
        for message in [*hostile, good]:  # viser hangs up on some
            with client(with_studio.server) as stranger:
                stranger.send(msgspec.msgpack.encode(message))
                time.sleep(0.1)
        until(lambda: heard)
        assert [tuple(message.ray_origin) for message in heard] == [(0.0, 0.0, 1.0)]  # the last
        page = with_studio.drawn
        page.click((0.0, 0.0))
        page.click((0.1, 0.0))
        page._apply(0, {"name": "link", "length": SCRIPT, "mass": "1e999"})
        assert len(page.sheet.seen().errors) == 1
        sent = with_studio.server._websock_server._broadcast_buffer.message_from_id.values()
        assert not [each for each in sent if "Html" in type(each).__name__ and "<img" in each.props.content]
        assert "<img" not in page.text.content
    finally:
        with_studio.stop()


def websocket(page) -> str:
    server = getattr(page, "server", page)
    return f"ws://127.0.0.1:{server.get_port()}"


def client(page):
    """Return a client that says it is the page itself."""
    url = websocket(page)
    return connect(
        url, origin=url.replace("ws", "http", 1), subprotocols=[f"viser-v{viser.__version__}"], max_size=None
    )


def request(page, headers: str) -> str:
    """Return the answer to ``GET /`` with these headers."""
    with socket.create_connection(("127.0.0.1", page.server.get_port()), timeout=10) as line:
        line.sendall(f"GET / HTTP/1.1\r\n{headers}\r\n".encode())
        return line.recv(4000).decode(errors="replace")


def send(connection, handle, **updates) -> None:
    message = {"type": "GuiUpdateMessage", "uuid": handle._impl.uuid, "updates": updates}
    connection.send(msgspec.msgpack.encode(message))


def until(check) -> None:
    end = time.monotonic() + 20.0
    while not check():
        assert time.monotonic() < end, "it never became so"
        time.sleep(0.02)
