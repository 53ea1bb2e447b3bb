"""Server of a page in the browser, by default on this machine only.

It decides who may open a page of viewer and studio, and what it may send: no strangers, no values beyond limits.

A browser lets any page on the web open a websocket to any machine, also to this one; only the header ``Origin`` names
the page (RFC 6455, section 10.2). So it must equal the header ``Host``, which must be a name of this machine: another
name may be made to point here (DNS rebinding), and then both headers agree.
"""

from __future__ import annotations

import contextlib
import io
import ipaddress
import logging
import math
import socket
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pliant.errors import CapabilityError, OptionError
from pliant_studio.viewer.camera import welcome

if TYPE_CHECKING:
    from pliant_studio.viewer.scene import Theatre

LOCAL = ("localhost", "127.0.0.1", "::1")
EVERYWHERE = ("0.0.0.0", "::", "")
_OPENING = threading.Lock()

LONGEST = 200
"""Characters of a line of text that a page may send."""


def refusal(host: list[str], origin: list[str], bound: str, *, needs_origin: bool) -> str | None:
    """Return why a request with these headers is refused, or None; `bound` is the host that the page was opened with.

    >>> refusal(["localhost:8080"], ["http://localhost:8080"], "127.0.0.1", needs_origin=True)
    >>> refusal(["localhost:8080"], ["http://news.example"], "127.0.0.1", needs_origin=True)
    "The page 'http://news.example' may not use this server: it is open to its own page 'localhost:8080' only."
    >>> refusal(["news.example:8080"], [], "127.0.0.1", needs_origin=False)
    "This server is not called 'news.example:8080': open the printed address, or give host= that name."
    """
    asked = host[0].lower() if len(host) == 1 else ""
    if not _is_ours(asked, bound):
        return f"This server is not called {', '.join(host)!r}: open the printed address, or give host= that name."
    if (origin or needs_origin) and [_place(each) for each in origin] != [asked]:
        return (
            f"The page {', '.join(origin) or 'without a name'!r} may not use this server: it is open to its own page "
            f"{asked!r} only."
        )
    return None


def _place(origin: str) -> str:
    """Return host and port of an origin: ``https://name:port`` -> ``name:port``."""
    return origin.lower().partition("://")[2]


def _is_ours(asked: str, bound: str) -> bool:
    """Return whether a header ``Host`` names this machine. An address cannot be made to point elsewhere, a name can."""
    try:
        name = urlsplit(f"//{asked}").hostname or ""
    except ValueError:
        return False
    if name in (*LOCAL, bound.lower()) and name:
        return True
    return bound in EVERYWHERE and (name == socket.gethostname().lower() or _is_address(name))


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


@contextlib.contextmanager
def guarded(bound: str) -> Iterator[None]:
    """Make viser servers inside answer 403 to requests that `refusal` refuses, before anything else is handled.

    viser passes no such option on to the library that serves it, so the function that it calls there is wrapped
    meanwhile. If it is never called (another viser), nothing would be guarded, and that raises an error.
    """
    from websockets.asyncio import server

    serve, opened = server.serve, []

    def with_door(*arguments: Any, process_request: Any, **options: Any) -> Any:
        def answer(connection: Any, request: Any) -> Any:
            headers = request.headers
            needs_origin = "Upgrade" in headers  # a websocket
            why = refusal(headers.get_all("Host"), headers.get_all("Origin"), bound, needs_origin=needs_origin)
            return process_request(connection, request) if why is None else connection.respond(403, f"{why}\n")

        opened.append(answer)
        return serve(*arguments, process_request=answer, **options)

    with _OPENING:
        server.serve = with_door  # type: ignore[assignment, misc]
        try:
            yield
        finally:
            server.serve = serve  # type: ignore[misc]
    if not opened:
        raise CapabilityError("This viser cannot be guarded against other pages: pip install 'viser==1.1.1'.")


def only_own_values(server: Any) -> None:
    """Accept values of controls within their limits, clicks and drags in the scene, and no other messages from pages.

    viser sets whatever property a message names, limits hold in the browser only, and any client can request to publish
    the page on the web: those messages are ignored.
    """
    from viser import _messages

    async def update(client: Any, message: Any) -> None:
        handle = server.gui._gui_input_handle_from_uuid.get(message.uuid)
        if handle is not None and set(message.updates) == {"value"} and can_have(handle, message.updates["value"]):
            await server.gui._handle_gui_updates(client, message)

    connection = server._websock_server
    for kind in tuple(connection._incoming_handlers):
        connection.unregister_handler(kind)
    connection.register_handler(_messages.GuiUpdateMessage, update)

    async def click(client: Any, message: Any) -> None:
        place = message.screen_pos
        seen = isinstance(place, tuple | list) and len(place) == 1 and are_numbers(place[0], 2)
        if message.event_type == "click" and seen and are_points(message.ray_origin, message.ray_direction):
            await server.scene._handle_scene_pointer_updates(client, message)

    async def drag(client: Any, message: Any) -> None:
        if are_points(message.start_position, message.end_position):
            await server.scene._handle_node_drag(client, message)

    async def handle(client: Any, message: Any) -> None:
        if are_points(message.position) and are_numbers(message.wxyz, 4):
            await server.scene._handle_transform_controls_updates(client, message)

    connection.register_handler(_messages.TransformControlsUpdateMessage, handle)
    connection.register_handler(_messages.ScenePointerMessage, click)
    connection.register_handler(_messages.SceneNodeDragMessage, drag)


def are_points(*points: Any) -> bool:
    """Return whether each is a point or direction of space: three finite numbers.

    >>> are_points((0.0, 1, 2.0)), are_points((0.0, 1.0)), are_points((0.0, 1.0, float("nan"))), are_points(None)
    (True, False, False, False)
    """
    return all(are_numbers(point, 3) for point in points)


def are_numbers(values: Any, count: int) -> bool:
    """Return whether these are `count` finite numbers."""
    return (
        isinstance(values, tuple | list)
        and len(values) == count
        and all(isinstance(x, int | float) and not isinstance(x, bool) and math.isfinite(x) for x in values)
    )


def can_have(handle: Any, value: Any) -> bool:
    """Return whether a control allows a value: an option, a finite number within its limits, yes or no, a line."""
    import viser

    if isinstance(handle, viser.GuiDropdownHandle | viser.GuiButtonGroupHandle):
        return value in handle.options
    if isinstance(handle, viser.GuiCheckboxHandle | viser.GuiButtonHandle):
        return isinstance(value, bool)
    if isinstance(handle, viser.GuiSliderHandle | viser.GuiNumberHandle):
        little = 1e-6 * handle.step  # rounding
        low, high = (-math.inf if handle.min is None else handle.min), (math.inf if handle.max is None else handle.max)
        number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        return number and low - little <= value <= high + little
    if isinstance(handle, viser.GuiTextHandle):
        return isinstance(value, str) and len(value) <= LONGEST and (value.isprintable() or not value)
    return False


LOOPBACK = "127.0.0.1"
PORT = 8080
HABITS = """document.body.addEventListener("keydown", (event) => {
  if (event.target.closest && event.target.closest('[role="slider"]')) event.stopPropagation();
});
document.addEventListener("pointerdown", (event) => {
  const canvas = event.target;
  if (canvas.tagName !== "CANVAS") return;
  event.preventDefault = () => {};
  if (event.pointerType !== "mouse" && canvas.hasPointerCapture(event.pointerId))
    canvas.releasePointerCapture(event.pointerId);
}, true);"""


def open_page(label: str, *, host: str = LOOPBACK, port: int | None = None) -> Any:
    """Open a viser server with our style, for its own page only (`guarded`).

    Without `port` it uses the first free one from 8080 on; 0: any free one.
    """
    try:
        import viser
    except ImportError as error:
        raise CapabilityError(
            "The viewer and the studio need the library viser, which is not installed: pip install 'pliant[studio]'. "
            "Without it, pl.animate(result, 'run.html') writes a page of its own."
        ) from error
    if port is not None and not (isinstance(port, int) and 0 <= port <= 65535):
        raise OptionError(f"port={port!r}: give a whole number from 0 (any free one) to 65535.")
    if port:
        _check_free(host, port)
    logging.getLogger("websockets").setLevel(logging.CRITICAL)  # a browser that disconnects is no error
    chosen = _any_port(host) if port == 0 else port or PORT
    with contextlib.ExitStack() as undo:
        with quiet(), guarded(host):
            server = viser.ViserServer(host=host, port=chosen, label=label, verbose=False)
            undo.callback(close_page, server)
        only_own_values(server)
        undo.pop_all()
    dress(server)
    habits(server)
    server.on_client_connect(lambda client: welcome(server, client))
    return server


def dress(server: Any, *, dark: bool | None = None) -> None:
    """Apply our style; also needed after removing everything from the page. The dark mode stays unless given."""
    server.dark = getattr(server, "dark", False) if dark is None else dark
    server.gui.configure_theme(
        control_width="large",
        show_logo=False,
        show_share_button=False,
        brand_color=(0, 114, 178),
        dark_mode=server.dark,
    )
    server.gui.main_panel.dock_right()
    server.scene.configure_default_lights(cast_shadow=False)


def habits(server: Any) -> None:
    """Adapt viser's input: arrow keys that move a slider move no camera (viser listens to the whole document), and taps
    are clicks in the scene (browsers capture them at once, Pointer Events, 9.4, which viser treats as a drag). A press
    on a draggable object keeps its other effects: viser tries to prevent them where it cannot, which browsers report as
    an error in the console.
    """
    from viser import _messages

    server._websock_server.queue_message(_messages.RunJavascriptMessage(source=HABITS))


def address(server: Any) -> str:
    """Return the address of the page."""
    host = server.get_host()
    return f"http://{'localhost' if host in ('0.0.0.0', '::') else host}:{server.get_port()}"


def close_page(server: Any) -> None:
    """Stop serving."""
    with quiet():
        server.stop()


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Suppress viser's own messages."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield


class Page:
    """A page that shows something; `url` is its address."""

    server: Any
    theatre: Theatre | None

    @property
    def url(self) -> str:
        """Return the address of the page."""
        return address(self.server)

    def stop(self) -> None:
        """Close the page."""
        if self.theatre is not None:
            self.theatre.stop()
        close_page(self.server)

    def wait(self, seconds: float | None = None) -> None:
        """Keep the page open until Ctrl-C, or for the given seconds; then close it."""
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait(seconds)
        self.stop()


def _check_free(host: str, port: int) -> None:
    """Refuse an occupied port: viser would silently use the next one."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise OptionError(
                f"host {host!r}, port {port}: cannot be opened ({error.strerror}). Choose another, or leave it out."
            ) from error


def _any_port(host: str) -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])
