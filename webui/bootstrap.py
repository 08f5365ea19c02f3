"""The composition root: store, camera, eye, runner and page are made and wired here, and only here."""

from __future__ import annotations

import argparse
import contextlib
import logging
import secrets
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import cv2
import numpy as np
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from scoring.deck import Deck, RoxDeck
from scoring.errors import RefereeError
from vision.live import Eye as LiveEye
from vision.live import Look as LiveLook
from vision.live import Observe
from vision.photos import load_bytes
from vision.sources import FileSource, Source, SourceState
from vision.types import Frame, Rgb, SceneModel
from webui import create_app
from webui.commands.scene import bundled_deck, observer, read_deck
from webui.director import Director, load_script
from webui.paths import default_database
from webui.picture import Frame as AnyFrame
from webui.runner import Runner
from webui.security import Door, is_this_computer, new_code
from webui.seeing import Reading, Sight
from webui.services import Services
from webui.snapshot import Quad
from webui.store import Store, StoreError

log = logging.getLogger(__name__)

DEMO = Path(__file__).parent / "demo"
LIVE_WIDTH = 1280
EVIDENCE_SIDE = 2600
"""Longer side of a stored picture: enough to count the symbols of a card."""
PHOTO_SIDE = 4096
"""A larger photo is scaled down before it is looked at."""


class TableEye:
    """The pipeline of `vision.live` as the runner wants it; see `webui.seeing.Eye`."""

    def __init__(self, model: SceneModel, observe: Observe, *, stills: bool = False) -> None:
        self._model = model
        self._observe = observe
        self._stills = stills
        self._eye = LiveEye(model, observe)
        self._reading: Reading | None = None
        self._index = 0

    def look(self, frame: AnyFrame) -> Sight:
        """The next frame of a moving picture."""
        if self._stills:
            return self.read(frame)
        if _ours(frame).index < self._index:
            # A recording that began anew shows another table.
            self._eye = LiveEye(self._model, self._observe)
        self._index = _ours(frame).index
        told = self._eye.look(_ours(frame))
        if told.settled is None:
            self._reading = None
        elif told.fresh or self._reading is None:
            self._reading = _reading(told)
        return Sight(str(told.word), _hint(told), self._reading)

    def read(self, frame: AnyFrame) -> Sight:
        """A picture taken for itself: it may show another side of the table, so nothing is remembered of it."""
        told = LiveEye(self._model, self._observe).read(_ours(frame))
        return Sight(str(told.word), _hint(told), _reading(told))

    def open(self, data: bytes) -> Frame:
        """Decode a photo."""
        rgb = _shrunk(load_bytes(data, "the photo"), PHOTO_SIDE)
        return Frame(rgb, 0.0, 0, "photo")

    def encode(self, frame: AnyFrame) -> bytes:
        """A JPEG for the live view."""
        return _jpeg(_ours(frame).rgb, LIVE_WIDTH, 80)

    def evidence(self, frame: AnyFrame) -> bytes:
        """A JPEG to be stored."""
        return _jpeg(_ours(frame).rgb, EVIDENCE_SIDE, 90)

    def reset(self) -> None:
        """Forget what the picture was like."""
        self._eye.reset()
        self._reading = None


def _hint(told: LiveLook) -> str:
    return str(told.trouble or told.disturbance or ("unread" if told.failure is not None else ""))


def _reading(told: LiveLook) -> Reading | None:
    if told.settled is None:
        return None
    height, width = told.frame.rgb.shape[:2]
    quads = {key: cast(Quad, tuple((float(x), float(y)) for x, y in q)) for key, q in told.settled.quads_px.items()}
    unseen = frozenset(quads) - told.settled.seen
    return Reading(told.settled.table, quads, (width, height), told.frame, told.final, unseen)


class Played(Source):
    """A recording or a folder shown in its own time; behind its end its last picture stays, or it begins anew.

    Parameters
    ----------
    reopen
        Opens the recording; called again for each turn.
    period_s
        Time from one beginning to the next, at least as long as the recording; None plays it once.
    clock
        Seconds, monotonic.
    """

    REST_S = 0.2

    def __init__(
        self,
        reopen: Callable[[], Source],
        *,
        period_s: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._reopen = reopen
        self._period_s = period_s
        self._clock = clock
        self._inner = reopen()
        super().__init__(self._inner.name)
        self.stills = self._inner.stills
        self._begun_s = clock()
        self._turn = 0
        self._last: Frame | None = None
        self._stop = threading.Event()

    @property
    def state(self) -> SourceState:
        """Ended when it was closed, and behind the last of several stills; a recording's last picture stays."""
        over = self.stills and self._inner.state is SourceState.ENDED
        return SourceState.ENDED if over or self._stop.is_set() else SourceState.CONNECTED

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        """The next frame when its time has come."""
        frame = self._inner.read(timeout_s)
        if frame is not None:
            frame = replace(frame, at_s=frame.at_s + self._turn * (self._period_s or 0.0))
        elif self._last is None or self.stills:
            self._stop.wait(timeout_s)
            return None
        elif self._period_s is not None and self._last.at_s + self.REST_S >= (self._turn + 1) * self._period_s:
            self._inner.close()
            self._inner = self._reopen()
            self._turn += 1
            return self.read(timeout_s)
        else:
            frame = replace(self._last, at_s=self._last.at_s + self.REST_S, index=self._last.index + 1)
        self._stop.wait(max(0.0, self._begun_s + frame.at_s - self._clock()))
        self._last = frame
        return None if self._stop.is_set() else frame

    def close(self) -> None:
        """Stop."""
        self._stop.set()
        self._inner.close()


class DeckArt:
    """Small pictures of a deck's faces, made when they are first asked for. Only known ids have a file."""

    def __init__(self, folder: Path, deck: Deck, height_px: int = 368) -> None:
        self._files = {f.id: folder / f.image for f in deck.faces.values()}
        if isinstance(deck, RoxDeck):
            self._files |= {c.id: folder / c.image for c in deck.scoring_cards.values()}
        self._height_px = height_px
        self._made: dict[str, tuple[bytes, str] | None] = {}

    def has(self, face: str) -> bool:
        """Whether the deck has that face."""
        return face in self._files

    def card(self, face: str) -> tuple[bytes, str] | None:
        """A face's picture and its MIME type."""
        if face not in self._files:
            return None
        if face not in self._made:
            try:
                rgb = load_bytes(self._files[face].read_bytes(), face)
            except (OSError, RefereeError):
                self._made[face] = None
            else:
                width = round(rgb.shape[1] * self._height_px / rgb.shape[0])
                small = cv2.resize(rgb, (max(1, width), self._height_px), interpolation=cv2.INTER_AREA)
                self._made[face] = (_jpeg(cast(Rgb, small), 10_000, 85), "image/jpeg")
        return self._made[face]


def serve(deck: Deck, model: SceneModel, source: Source | None, args: argparse.Namespace) -> int:
    """Keep a match on a page until the keyboard stops it; for `referee play`.

    Parameters
    ----------
    deck
        The deck on the table.
    model
        What the eye knows.
    source
        Where the frames come from; None judges photos only.
    args
        `deck`, `host`, `port`, `database` of the command line.
    """
    folder = args.deck or bundled_deck(deck.game)
    stills = source is not None and source.stills
    if source is not None and not source.live:
        opened = source
        source = Played(lambda: opened)
    store = open_store(args.database or default_database())
    try:
        eye = TableEye(model, observer(), stills=stills)
        runner = Runner(store, eye, deck, source, table=socket.gethostname())
        runner.resume()
        return _run(store, runner, deck, folder, args)
    finally:
        store.close()


def serve_demo(args: argparse.Namespace) -> int:
    """Play the bundled recording with its script; for `referee demo`."""
    from vision.deck import load_appearance

    script = load_script(DEMO / "rox.json")
    folder = bundled_deck("rox")
    deck = read_deck(folder)
    video = str(DEMO / "rox.mp4")
    with tempfile.TemporaryDirectory(prefix="referee-demo-") as own:
        store = open_store(args.database or f"sqlite:///{Path(own) / 'demo.sqlite'}")
        try:
            source = Played(lambda: FileSource(video), period_s=script.period_s)
            eye = TableEye(SceneModel(load_appearance(folder)), observer())
            director = Director(script, lambda at: script.create(deck, at))
            runner = Runner(store, eye, deck, source, director)
            return _run(store, runner, deck, folder, args, goes_on=False)
        finally:
            store.close()


def open_store(url: str) -> Store:
    """The database; raises RefereeError with one clear line."""
    if url in ("sqlite://", "sqlite:///:memory:"):
        raise RefereeError(f"{url}: keeps nothing; name a file, for example sqlite:///matches.sqlite")
    try:
        return Store(url)
    except StoreError as error:
        raise RefereeError(str(error)) from error


def _run(
    store: Store, runner: Runner, deck: Deck, folder: Path, args: argparse.Namespace, *, goes_on: bool = True
) -> int:
    server = None
    try:
        server = open_server(store, runner, deck, folder, args.host, args.port)
        runner.start()
        _announce(server, args.host, goes_on=goes_on)
        server.serve_forever()
    finally:
        runner.stop()
        if server is not None:
            server.server_close()
    return 0


def open_server(store: Store, runner: Runner, deck: Deck, folder: Path, host: str, port: int) -> BaseWSGIServer:
    """The page's server, bound but not yet serving; raises RefereeError where the address cannot be used.

    Werkzeug's threaded server: viewers wait for news in a thread each, and a table has a handful of viewers.
    """
    addresses: list[str] = []
    guests = not is_this_computer(host) and host != "localhost"
    door = Door(store.secret(), new_code() if guests else None)
    services = Services(store, runner, deck, DeckArt(folder, deck), door, addresses, secrets.token_hex(4))
    try:
        server = make_server(host, port, create_app(services), threaded=True, request_handler=_Handler)
    except (OSError, SystemExit) as error:
        why = error if isinstance(error, OSError) else "another program has it"
        raise RefereeError(f"{host}:{port}: cannot be used for the page ({why}); try another --port") from error
    if guests:
        addresses += [f"http://{name}:{server.port}/" for name in own_addresses(host)]
    return server


class _Handler(WSGIRequestHandler):
    """Quiet, keeps connections open, and lets no silent client hold its thread for ever."""

    protocol_version = "HTTP/1.1"
    timeout = 30
    server_version = "table-referee"
    sys_version = ""

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Say nothing of ordinary requests."""


def own_addresses(host: str) -> Sequence[str]:
    """Addresses under which other devices reach this computer, the likeliest first."""
    if host not in ("0.0.0.0", "::", ""):
        return [host]
    found: list[str] = []
    # No packet is sent: this only asks which of the own addresses leads out.
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        found.append(str(probe.getsockname()[0]))
    with contextlib.suppress(OSError):
        found += [str(a[4][0]) for a in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
    return [a for a in dict.fromkeys(found) if not a.startswith("127.")]


def _announce(server: BaseWSGIServer, host: str, *, goes_on: bool = True) -> None:
    shown = "127.0.0.1" if host in ("0.0.0.0", "::", "") else host
    lines = [f"The referee is at the table: http://{shown}:{server.port}/"]
    services = cast(Services, server.app.extensions["referee"])  # type: ignore[attr-defined]
    for address in services.addresses:
        lines.append(f"In the same network: {address}?code={services.door.join_code}")
    lines.append("Stop with Ctrl+C; the match goes on where it was." if goes_on else "Stop with Ctrl+C.")
    print("\n".join(lines), flush=True)  # noqa: T201 - the address is what the command says


def _ours(frame: AnyFrame) -> Frame:
    return cast(Frame, frame)


def _shrunk(rgb: Rgb, side: int) -> Rgb:
    height, width = rgb.shape[:2]
    scale = side / max(height, width)
    if scale >= 1:
        return rgb
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    return cast(Rgb, cv2.resize(rgb, size, interpolation=cv2.INTER_AREA))


def _jpeg(rgb: Rgb, side: int, quality: int) -> bytes:
    small = _shrunk(rgb, side)
    ok, data = cv2.imencode(".jpg", cv2.cvtColor(small, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not ok:
        raise RuntimeError("a picture could not be encoded")
    return np.asarray(data).tobytes()
