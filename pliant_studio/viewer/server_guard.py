"""Who may open a page of viewer and studio, and what it may send: no strangers, no values beyond a control's limits.

A browser lets any page on the web open a websocket to any machine, also to this one; only the header ``Origin`` says
which page asks (RFC 6455, section 10.2). So it must be ours: the ``Host`` that was asked for. That must be a name of
this machine: a stranger's name may be made to point here (DNS rebinding), and then both headers agree.
"""

from __future__ import annotations

import contextlib
import ipaddress
import math
import socket
import threading
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from pliant.errors import CapabilityError

LOCAL = ("localhost", "127.0.0.1", "::1")
EVERYWHERE = ("0.0.0.0", "::", "")
_OPENING = threading.Lock()

LONGEST = 200
"""Characters of a line of text that a page may send."""


def refusal(host: list[str], origin: list[str], bound: str, *, needs_origin: bool) -> str | None:
    """Why a request with these headers is refused, or None; `bound` is the host that the page was opened with.

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
    """Host and port of an origin: ``https://name:port`` -> ``name:port``."""
    return origin.lower().partition("://")[2]


def _is_ours(asked: str, bound: str) -> bool:
    """Whether a header ``Host`` names this machine. An address cannot be made to point elsewhere, a name can."""
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
    """A viser server that is made inside answers 403 to what `refusal` refuses, before anything else is looked at.

    viser hands no such option on to the library that serves it, so the function that it calls there is wrapped
    meanwhile. If it is never called (another viser), nothing would be guarded, and that is an error.
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
    """Let pages send values of controls, within the limits of these, clicks and drags in the scene, and nothing else.

    viser sets whatever property a message names, limits hold in the browser only, and any client can ask it to publish
    the page on the web: those messages are no longer listened to.
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
    """Whether each is a point or direction of space: three finite numbers.

    >>> are_points((0.0, 1, 2.0)), are_points((0.0, 1.0)), are_points((0.0, 1.0, float("nan"))), are_points(None)
    (True, False, False, False)
    """
    return all(are_numbers(point, 3) for point in points)


def are_numbers(values: Any, count: int) -> bool:
    """Whether these are so many finite numbers."""
    return (
        isinstance(values, tuple | list)
        and len(values) == count
        and all(isinstance(x, int | float) and not isinstance(x, bool) and math.isfinite(x) for x in values)
    )


def can_have(handle: Any, value: Any) -> bool:
    """Whether a control offers a value: one of its options, a finite number within its limits, yes or no, a line."""
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
