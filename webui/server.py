"""The page's server: quiet, and held up by nobody who sends slowly, sends too much, or opens many connections.

Werkzeug's threaded server: viewers wait for news in a thread each, and a table has a handful of viewers.
"""

from __future__ import annotations

import io
import logging
import socket
import ssl
import threading
import time
from collections import Counter
from typing import Any

from werkzeug.serving import ThreadedWSGIServer, WSGIRequestHandler

SILENT_S = 30
"""A visitor who neither sends nor takes anything for so long is let go."""
PATIENCE_S = 20.0
LEAST_RATE = 20_000.0
"""A visitor may take so many seconds to send a request, and a second more for every so many bytes that came."""
CONNECTIONS_MAX = 250
GUEST_MAX = 60
"""Connections at a time, of all visitors and of one other device. A browser keeps about six."""
_PIECE = 64 * 1024
_UNTRUSTED = ("UNKNOWN_CA", "CERTIFICATE_UNKNOWN", "BAD_CERTIFICATE")
"""Ends the reason that a browser gives for leaving while nobody told it to take the referee's own certificate."""
UNTRUSTED = (
    "a browser does not know the referee's own certificate yet; on that device choose “Advanced”, then “Continue”"
)

log = logging.getLogger(__name__)


class _Patient(io.RawIOBase):
    """What a connection sends, as long as it sends fast enough."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._until_s = time.monotonic() + PATIENCE_S

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        left_s = self._until_s - time.monotonic()
        if left_s <= 0:
            raise TimeoutError("the request comes too slowly")
        self._connection.settimeout(min(left_s, SILENT_S))
        try:
            got = self._connection.recv_into(buffer)
        finally:
            self._connection.settimeout(SILENT_S)
        self._until_s += got / LEAST_RATE
        return got


class Handler(WSGIRequestHandler):
    """Quiet, and waits for no slow visitor for ever."""

    protocol_version = "HTTP/1.1"
    timeout = SILENT_S
    server_version = "table-referee"
    sys_version = ""

    def setup(self) -> None:
        """Read what comes within its time."""
        super().setup()
        self.rfile = io.BufferedReader(_Patient(self.connection), _PIECE)

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Say nothing of ordinary requests."""

    def log_error(self, format: str, *args: Any) -> None:  # noqa: A002 - so it is called there
        """Say nothing of visitors who leave or speak another language; once what a person at a phone can do."""
        log.debug(format, *args)
        if any(isinstance(a, ssl.SSLError) and str(a.reason).endswith(_UNTRUSTED) for a in args):
            self.server.tell_untrusted()  # type: ignore[attr-defined]


class PageServer(ThreadedWSGIServer):
    """A thread for each visitor, and not for more than there is room for."""

    def __init__(self, host: str, port: int, app: Any) -> None:
        self._here: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._told_untrusted = False
        super().__init__(host, port, app, Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Give the visitor a thread, or close the connection where too many are open."""
        name = str(client_address[0])
        with self._lock:
            full = self._here.total() >= CONNECTIONS_MAX or (
                not name.startswith("127.") and name != "::1" and self._here[name] >= GUEST_MAX
            )
            if not full:
                self._here[name] += 1
        if full:
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except RuntimeError:  # no thread can be had
            self._leave(name)
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve the visitor, and make room for the next one."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._leave(str(client_address[0]))

    def tell_untrusted(self) -> None:
        """Tell once that a browser does not take the certificate, and what to do."""
        with self._lock:
            told, self._told_untrusted = self._told_untrusted, True
        if not told:
            log.warning(UNTRUSTED)

    def _leave(self, name: str) -> None:
        with self._lock:
            self._here[name] -= 1
            if not self._here[name]:
                del self._here[name]
