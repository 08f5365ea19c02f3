"""Visitors who mean no good: who trickle, send half, send too much, or open as many connections as they can."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.webui.conftest import Table
from tests.webui.test_phone import picture, with_phone
from vision.sources.newest import PushedSource
from webui import server as guarded
from webui.camera.phone_camera import PhoneCamera
from webui.server import PageServer


@dataclass(frozen=True, slots=True)
class Site:
    """A running page that takes a phone's pictures."""

    server: PageServer
    pushed: PushedSource
    headers: str

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.server.port), 5)

    def head(self, length: str) -> bytes:
        return f"POST /phone/frame?start=1 HTTP/1.1\r\n{self.headers}{length}\r\n\r\n".encode()

    def ask(self, sent: bytes) -> bytes:
        """The first line of the answer to what is sent; empty where the connection is cut."""
        with self.connect() as to:
            with contextlib.suppress(OSError):
                to.sendall(sent)
            with contextlib.suppress(OSError):
                return to.recv(4096).split(b"\r\n")[0]
        return b""

    def page(self) -> bytes:
        return self.ask(b"GET /phone HTTP/1.1\r\nHost: localhost\r\n\r\n")


@pytest.fixture
def site(table: Table) -> Iterator[Site]:
    pushed = PushedSource("phone")
    at = with_phone(table, PhoneCamera(pushed.push))
    browser = "0" * 32
    at.client.set_cookie("referee", browser)
    headers = (
        f"Host: localhost\r\nCookie: referee={browser}\r\nX-Referee-Token: {at.token()}\r\n"
        "X-Phone: abcdef0123456789\r\nContent-Type: image/jpeg\r\n"
    )
    server = PageServer("127.0.0.1", 0, at.app)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield Site(server, pushed, headers)
    server.shutdown()
    server.server_close()


def test_a_picture_comes_through(site: Site) -> None:
    """Whole and with its length, and in pieces without one."""
    data = picture(80)
    assert site.ask(site.head(f"Content-Length: {len(data)}") + data).endswith(b"200 OK")
    pieces = f"{len(data):x}\r\n".encode() + data + b"\r\n0\r\n\r\n"
    assert site.ask(site.head("Transfer-Encoding: chunked") + pieces).endswith(b"200 OK")
    assert site.pushed.read(0.1) is not None


@pytest.mark.parametrize(
    "what", [b"GET /phone HT", b"POST /phone/frame HTTP/1.1\r\nContent-Length: 90000\r\n\r\n", b""]
)
def test_who_trickles_is_cut(site: Site, monkeypatch: pytest.MonkeyPatch, what: bytes) -> None:
    """In the first line, in the picture, or before any word; the page is there for others meanwhile."""
    monkeypatch.setattr(guarded, "PATIENCE_S", 0.6)
    begun_s = time.monotonic()
    with site.connect() as to:
        if what.startswith(b"POST"):
            to.sendall(site.head("Content-Length: 90000"))
        else:
            to.sendall(what)
        to.settimeout(0.05)
        cut = False
        while not cut and time.monotonic() - begun_s < 8:
            try:
                to.sendall(b"x")
                cut = to.recv(4096) == b""
            except TimeoutError:
                continue
            except OSError:
                cut = True
        assert cut
        assert site.page().endswith(b"200 OK")
    assert site.pushed.read(0.05) is None


def test_half_a_picture_is_none(site: Site) -> None:
    """A connection that ends in the middle, and a picture that does: nobody's place is taken, and no picture comes."""
    data = picture(80)
    with site.connect() as to:
        to.sendall(site.head(f"Content-Length: {len(data)}") + data[: len(data) // 2])
    half = data[: len(data) // 2]
    assert site.ask(site.head(f"Content-Length: {len(half)}") + half).endswith(b"422 UNPROCESSABLE ENTITY")
    assert site.pushed.read(0.05) is None
    assert site.page().endswith(b"200 OK")


@pytest.mark.parametrize("length", ["Content-Length: 9000000", "Transfer-Encoding: chunked"])
def test_too_much_is_refused(site: Site, length: str) -> None:
    """Whether it says how much it is or not."""
    piece = b"x" * 1_000_000
    body = piece * 9
    if "chunked" in length:
        body = b"".join([b"f4240\r\n" + piece + b"\r\n"] * 9) + b"0\r\n\r\n"
    assert b" 413 " in site.ask(site.head(length) + body)
    assert site.pushed.read(0.05) is None


def test_many_connections_leave_room(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than there is room for are closed at once; when some have gone the next one is served."""
    monkeypatch.setattr(guarded, "CONNECTIONS_MAX", 6)
    threads = threading.active_count()
    with contextlib.ExitStack() as open_:
        for _ in range(40):
            open_.enter_context(site.connect())
        until = time.monotonic() + 5
        while threading.active_count() < threads + 6 and time.monotonic() < until:
            time.sleep(0.02)
        assert site.page() == b""
        assert threading.active_count() <= threads + 6
    until = time.monotonic() + 5
    while not site.page().endswith(b"200 OK"):
        assert time.monotonic() < until
        time.sleep(0.05)


def test_one_device_does_not_take_all_places(site: Site) -> None:
    """Another device than this computer has a share of the connections only."""
    here = site.server._here
    here["192.0.2.7"] = guarded.GUEST_MAX
    left, right = socket.socketpair()
    site.server.process_request(left, ("192.0.2.7", 5))
    assert right.recv(10) == b""
    assert here["192.0.2.7"] == guarded.GUEST_MAX
    right.close()
    assert site.page().endswith(b"200 OK")


def test_who_gets_no_thread_takes_no_place(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system gives no more threads, the visitor is not counted as one who is there."""

    def none(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    left, right = socket.socketpair()
    with monkeypatch.context() as few:
        few.setattr(threading.Thread, "start", none)
        with pytest.raises(RuntimeError):
            site.server.process_request(left, ("192.0.2.9", 5))
    left.close()
    right.close()
    assert "192.0.2.9" not in site.server._here


def test_only_so_many_pictures_come_in_at_once(site: Site) -> None:
    """Who comes while others are still sending is told to try again, and fills no memory."""
    from webui.camera.phone import AT_ONCE

    with contextlib.ExitStack() as open_:
        for _ in range(AT_ONCE):
            to = open_.enter_context(site.connect())
            to.sendall(site.head("Content-Length: 8000000") + b"x" * 1000)
        until, data = time.monotonic() + 5, picture(80)
        told = b""
        while b" 503 " not in told and time.monotonic() < until:
            told = site.ask(site.head(f"Content-Length: {len(data)}") + data)
        assert b" 503 " in told
    until = time.monotonic() + 5
    while not site.ask(site.head(f"Content-Length: {len(data)}") + data).endswith(b"200 OK"):
        assert time.monotonic() < until
