"""A page in the browser, served on this machine only unless told otherwise."""

from __future__ import annotations

import contextlib
import io
import logging
import socket
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pliant.errors import CapabilityError, OptionError
from pliant_studio.viewer.camera import welcome
from pliant_studio.viewer.server_guard import guarded, only_own_values

if TYPE_CHECKING:
    from pliant_studio.viewer.scene import Theatre

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
    """A viser server with our look, for its own page only (`door`).

    Without `port` the first free one from 8080 on; 0: any free one.
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
    logging.getLogger("websockets").setLevel(logging.CRITICAL)  # a browser that goes away is no error
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
    """Our look; also after everything on the page was removed. Dark as it was unless told."""
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
    """Arrow keys that move a slider move no camera: viser listens to all that reach the document. Taps of a finger are
    clicks in the scene: a browser captures them at once (Pointer Events, 9.4), and viser takes that for a drag. A press
    on what can be dragged is not prevented from what it does else: viser tries that where it cannot be, which a browser
    answers with an error in its console.
    """
    from viser import _messages

    server._websock_server.queue_message(_messages.RunJavascriptMessage(source=HABITS))


def address(server: Any) -> str:
    """Where the page is."""
    host = server.get_host()
    return f"http://{'localhost' if host in ('0.0.0.0', '::') else host}:{server.get_port()}"


def close_page(server: Any) -> None:
    """Stop serving."""
    with quiet():
        server.stop()


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Without viser's own messages: what we print is ours."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield


class Page:
    """A page that shows something; `url` is where."""

    server: Any
    theatre: Theatre | None

    @property
    def url(self) -> str:
        """Where the page is."""
        return address(self.server)

    def stop(self) -> None:
        """Close the page."""
        if self.theatre is not None:
            self.theatre.stop()
        close_page(self.server)

    def wait(self, seconds: float | None = None) -> None:
        """Keep the page open until Ctrl-C, or for so many seconds; then close it."""
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait(seconds)
        self.stop()


def _check_free(host: str, port: int) -> None:
    """Refuse a port that was asked for and is taken: viser would silently go to the next."""
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
