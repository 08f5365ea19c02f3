"""Who may talk to the page: known hosts only, commands from the page itself only, guests with the join code only.

The page is meant for one household's or club's network. It is bound to this computer unless the user opens it, and
then a code that only people at the table see lets others in.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from flask import Flask, Response, abort, current_app, g, redirect, request
from werkzeug.wrappers import Response as BaseResponse

COOKIE = "referee"
"""Names a browser; the command token is made of it."""
JOINED = "referee-joined"
CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}
HOME = ("", ".local", ".lan", ".home", ".home.arpa", ".internal", ".fritz.box")
"""Endings that home routers give to the names of their computers; nobody can register a page under them."""
FOREIGN = "This address is not one of this program's."
WRONG_CODES_A_MINUTE = 20


def new_code() -> str:
    """A join code that can be read out: no letters that look alike."""
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(6))


@dataclass(slots=True)
class Door:
    """The rules of entry.

    Parameters
    ----------
    secret
        Key of the tokens; the same after a restart, so that open pages go on.
    join_code
        What a guest from another device must know, or None where nobody else can come.
    clock
        Seconds, monotonic.
    """

    secret: bytes
    join_code: str | None = None
    clock: Callable[[], float] = time.monotonic
    _wrong: list[float] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def token(self, browser: str) -> str:
        """The token that commands of that browser must carry."""
        return self._sign("token", browser)

    def ticket(self, browser: str) -> str:
        """Proof that the browser gave this code; another code makes it worthless."""
        return self._sign("joined", f"{browser}/{self.join_code}")

    def try_code(self, code: str) -> bool | None:
        """Whether the code is right; None where too many wrong ones came lately to tell."""
        with self._lock:
            since = self.clock() - 60
            self._wrong = [at for at in self._wrong if at > since]
            if len(self._wrong) >= WRONG_CODES_A_MINUTE:
                return None
            right = self.join_code is not None and hmac.compare_digest(
                code.strip().upper().encode(), self.join_code.encode()
            )
            if not right:
                self._wrong.append(self.clock())
            return right

    def _sign(self, purpose: str, text: str) -> str:
        return hmac.new(self.secret, f"{purpose}:{text}".encode(), hashlib.sha256).hexdigest()


def guard(app: Flask, door: Door, ask_code: Callable[[], str]) -> None:
    """Put the door in front of every route of the app.

    Parameters
    ----------
    app
        The application.
    door
        The rules of entry.
    ask_code
        Renders the page that asks a guest for the code.
    """

    @app.before_request
    def enter() -> BaseResponse | tuple[str, int] | None:
        if not host_is_ours(request.host):
            abort(400, FOREIGN)
        browser = request.cookies.get(COOKIE, "")
        known = len(browser) == 32 and browser.isascii() and browser.isalnum()
        g.browser = browser if known else secrets.token_hex(16)
        g.token = door.token(g.browser)
        if request.endpoint == "static":
            return None
        if not is_this_computer(request.remote_addr) and door.join_code is not None:
            answer = _admit(door, ask_code)
            if answer is not None:
                return answer
        if request.method not in ("GET", "HEAD", "OPTIONS"):
            _check_command()
        return None

    @app.after_request
    def leave(response: Response) -> Response:
        response.headers.update(HEADERS)
        if hasattr(g, "browser") and request.cookies.get(COOKIE) != g.browser:
            response.set_cookie(COOKIE, g.browser, max_age=30 * 86400, httponly=True, samesite="Lax")
        if "Cache-Control" not in response.headers:
            response.headers["Cache-Control"] = "no-store"
        return response


def _admit(door: Door, ask_code: Callable[[], str]) -> BaseResponse | tuple[str, int] | None:
    if hmac.compare_digest(request.cookies.get(JOINED, "").encode(), door.ticket(g.browser).encode()):
        return None
    code = request.args.get("code", "")
    if request.method == "POST" and (request.content_length or 0) < 1000:
        code = code or request.form.get("code", "")
    if code:
        right = door.try_code(code)
        if right is None:
            abort(429, "Too many wrong codes. Wait a minute.")
        if right:
            # The code does not stay in the address: it would be passed on with a shared link.
            answer = redirect(_asked_for(), 303)
            answer.set_cookie(JOINED, door.ticket(g.browser), max_age=86400, httponly=True, samesite="Lax")
            return answer
    return ask_code(), 403


def _asked_for() -> str:
    """The page that a guest wanted when the code was asked for; the first one where that is none."""
    routes = current_app.create_url_adapter(request)
    return request.path if routes is not None and "GET" in routes.allowed_methods() else "/"


def _check_command() -> None:
    """A command must come from a page of this program, in a browser that got the page from it."""
    if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
        abort(403, "Commands are taken from the program's own page only.")
    origin = request.headers.get("Origin")
    if origin is not None and origin.partition("://")[2] != request.host:
        abort(403, "Commands are taken from the program's own page only.")
    token = request.headers.get("X-Referee-Token") or request.form.get("token", "")
    if not hmac.compare_digest(token.encode(), g.token.encode()):
        abort(403, "This page is too old or not the program's own. Load it again.")


def host_is_ours(host: str) -> bool:
    """Whether a Host header names this computer; a page elsewhere could point its own name here, and is refused."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    try:
        ipaddress.ip_address(name)
    except ValueError:
        own = socket.gethostname().lower().split(".")[0]
        return name in ("localhost", socket.gethostname().lower(), *(f"{own}{suffix}" for suffix in HOME))
    return True


def is_this_computer(address: str | None) -> bool:
    """Whether a request came from the computer that runs the program."""
    try:
        parsed = ipaddress.ip_address(address or "")
    except ValueError:
        return False
    mapped = getattr(parsed, "ipv4_mapped", None)
    return (mapped or parsed).is_loopback
