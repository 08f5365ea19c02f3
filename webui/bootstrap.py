"""The composition root: store, camera, eye, runner and page are made and wired here, and only here."""

from __future__ import annotations

import argparse
import contextlib
import logging
import secrets
import signal
import socket
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

from werkzeug.serving import BaseWSGIServer

from scoring.deck import GAMES
from scoring.errors import RefereeError
from vision.sources.either import EitherSource
from vision.sources.newest import PushedSource
from vision.sources.recorded import FileSource
from vision.sources.source import Source
from vision.types import Frame
from webui import create_app
from webui.camera.choosing import Chooser
from webui.camera.learning import Teacher
from webui.camera.phone_camera import PhoneCamera
from webui.commands.again import with_phones
from webui.commands.scene import Scene, observer
from webui.log.bookmark import Bookmark
from webui.log.database import StoreError
from webui.log.store import Store
from webui.owncopy.copying import Copyist
from webui.owncopy.words import game_word
from webui.paths import data_folder, decks_of, default_database
from webui.security import Door, is_this_computer, new_code
from webui.server import PageServer
from webui.services import Art, Services
from webui.sight.cameras.camera import TableEye
from webui.sight.cameras.certificate import secure_context
from webui.sight.cameras.chooser import CameraChooser
from webui.sight.cameras.known_camera import colour_names
from webui.sight.cameras.played import Played
from webui.sight.cameras.teacher import CameraTeacher
from webui.sight.cameras.tidy import tidy
from webui.sight.copies.keeper import CopyKeeper
from webui.sight.decks.art import DeckArt
from webui.sight.decks.folders import bundled_deck, model_of, read_deck
from webui.sight.decks.shelf import DeckShelf, TableArt
from webui.table.desk import Desk
from webui.table.director import Director, Pace, load_script
from webui.table.requests import NewCamera
from webui.table.runner import Runner
from webui.table.source_watch import SILENT_S

log = logging.getLogger(__name__)

FILM_STEP = 25
"""Pictures of a film between two notes of how far it was looked at."""
LAST_LOOK_S = 15.0
"""So long the end of the program waits for a look of a lesson: one that is cut off ends the program with a fault."""
CHOSEN = f"camera at {socket.gethostname()}"[:100]
"""Name of the setting that holds the camera that was chosen last at this computer."""
FIRST_CAMERA = "0"
DEMO = Path(__file__).parent / "demo"


def serve(scene: Scene, source: Source | None, args: argparse.Namespace) -> int:
    """Keep a match on a page until the keyboard stops it; for `referee play`.

    Parameters
    ----------
    scene
        The deck on the table, and what the eye knows.
    source
        Where the frames come from; None judges photos only.
    args
        `deck`, `host`, `port`, `database` of the command line, and the command line itself as `argv`.
    """
    tidy()
    deck = scene.deck
    stills = source is not None and source.stills
    played = None
    if source is not None and not source.live:
        opened = source
        source = played = Played(lambda: opened)
    phone = either = None
    if source is not None and source.live:
        pushed = PushedSource("phone")
        phone = PhoneCamera(pushed.push)
        source = either = EitherSource(source, pushed)
    store = open_store(args.database or default_database())
    try:
        eye = TableEye(scene.model, observer(), stills=stills, cameras=scene.cameras)
        table = socket.gethostname()
        bookmark = None
        if played is not None:
            name = str(Path(played.name).resolve())
            bookmark = Bookmark(store, name, lambda: played.place, 1 if stills else FILM_STEP)
        shelf = DeckShelf(deck.game, args.deck, others=GAMES)
        runner = Runner(store, eye, deck, source, table=table, bookmark=bookmark, decks=shelf, deck_key=shelf.first)
        runner.resume(keep_deck=args.deck is not None)
        resumed = runner.board.snapshot.match
        if played is not None and bookmark is not None and resumed is not None:
            played.skip_to(bookmark.resume(resumed.id) or 0)
        teacher = None
        if phone is not None:
            newest = cast(Callable[[], Frame | None], lambda: runner.picture.newest)
            teacher = CameraTeacher(
                newest,
                scene.cameras,
                lambda: eye.model,
                observer(),
                lambda: eye.standing,
                names=lambda: colour_names(runner.deck.deck),
                seen=lambda: eye.looked_at,
                fresh=lambda: (runner.picture.age_s or 0.0) <= SILENT_S,
            )
        chooser = None
        if phone is not None and either is not None:
            chooser = _chooser(either, phone, runner, store)
        _tell_own_decks(args, runner)
        art = TableArt(shelf, lambda: (runner.deck.key, runner.deck.version, runner.deck.deck))
        return _run(store, runner, art, args, phone=phone, teacher=teacher, copyist=CopyKeeper(), chooser=chooser)
    finally:
        store.close()


def _chooser(source: EitherSource, phone: PhoneCamera, runner: Runner, store: Store) -> CameraChooser:
    def changed() -> None:
        phone.send_away()
        runner.submit(NewCamera())

    def note(spec: str) -> None:
        try:
            store.remember(CHOSEN, spec)
        except StoreError as error:
            log.warning("the camera that was chosen is not noted for the next start: %s", error)

    newest = cast(Callable[[], Frame | None], lambda: runner.picture.newest)
    return CameraChooser(source, newest, changed, note)


def chosen_camera(database: str | None) -> str:
    """The camera that was chosen last on a page; the first one where none was, or where nobody can tell."""
    try:
        store = open_store(database or default_database())
    except RefereeError:
        return FIRST_CAMERA  # told when the page is opened
    try:
        return store.recall(CHOSEN) or FIRST_CAMERA
    finally:
        store.close()


def chosen_deck(game: str) -> Path:
    """The folder of the deck with which `referee play` of this game goes on: the one chosen last, else the bundled."""
    shelf = DeckShelf(game)
    try:
        store = open_store(default_database())
    except RefereeError:
        return bundled_deck(game)  # told when the page is opened
    try:
        key = Desk(store, socket.gethostname(), game).noted_deck()
        return shelf.folder(key if any(c.key == key and c.game == game for c in shelf.choices()) else "")
    finally:
        store.close()


def serve_demo(args: argparse.Namespace) -> int:
    """Play the bundled recording with its script; for `referee demo`."""
    script = load_script(DEMO / f"{args.game}.json")
    folder = bundled_deck(args.game)
    deck = read_deck(folder)
    video = str(DEMO / f"{args.game}.mp4")
    with tempfile.TemporaryDirectory(prefix="referee-demo-") as own:
        store = open_store(args.database or f"sqlite:///{Path(own) / 'demo.sqlite'}")
        try:
            pace = Pace()
            source = Played(lambda: FileSource(video), period_s=script.period_s, pace=pace)
            eye = TableEye(model_of(folder, deck.game), observer())
            director = Director(script, lambda at: script.create(deck, at), pace)
            runner = Runner(store, eye, deck, source, director)
            return _run(store, runner, DeckArt(folder, deck), args, goes_on=False)
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
    store: Store,
    runner: Runner,
    art: Art,
    args: argparse.Namespace,
    *,
    goes_on: bool = True,
    phone: PhoneCamera | None = None,
    teacher: Teacher | None = None,
    copyist: Copyist | None = None,
    chooser: Chooser | None = None,
) -> int:
    server = secure = None
    try:

        def lead() -> str:
            return with_phones(args.argv, runner.deck.deck.game, runner.deck.key)

        server = open_server(store, runner, art, args.host, args.port, phone, teacher, copyist, chooser, lead)
        secure = open_secure(server, args.host, args.secure_port) if phone is not None else None
        runner.start()
        if threading.current_thread() is threading.main_thread():
            # A system that shuts down ends the match as the keyboard does: the log is closed, the camera let go.
            signal.signal(signal.SIGTERM, signal.default_int_handler)
        _announce(server, args.host, goes_on=goes_on)
        server.serve_forever()
    finally:
        runner.stop()
        if teacher is not None:
            teacher.stop(LAST_LOOK_S)
        if copyist is not None:
            copyist.stop()
        if secure is not None:
            secure.shutdown()
            secure.server_close()
        if server is not None:
            server.server_close()
    return 0


def open_server(
    store: Store,
    runner: Runner,
    art: Art,
    host: str,
    port: int,
    phone: PhoneCamera | None = None,
    teacher: Teacher | None = None,
    copyist: Copyist | None = None,
    chooser: Chooser | None = None,
    lead: Callable[[], str] = str,
) -> BaseWSGIServer:
    """The page's server, bound but not yet serving; raises RefereeError where the address cannot be used."""
    addresses: list[str] = []
    secure: list[str] = []
    guests = not is_this_computer(host) and host != "localhost"
    door = Door(store.secret(), new_code() if guests else None)
    program = secrets.token_hex(4)
    services = Services(store, runner, art, door, addresses, program, phone, secure, teacher, copyist, chooser, lead)
    try:
        server = PageServer(host, port, create_app(services))
    except (OSError, SystemExit) as error:
        why = error if isinstance(error, OSError) else "another program has it"
        raise RefereeError(f"{host}:{port}: cannot be used for the page ({why}); try another --port") from error
    if guests:
        addresses += [f"http://{name}:{server.port}/" for name in own_addresses(host)]
    return server


def open_secure(server: BaseWSGIServer, host: str, port: int) -> BaseWSGIServer | None:
    """The same page by https, serving already, for phones that are to be the camera; None where no phone can come.

    A browser gives its camera to a safe address only. Where this second door cannot be opened the first one is enough
    for everything else, so that is a line of warning and no error.
    """
    if is_this_computer(host) or host == "localhost":
        return None
    names = own_addresses(host)
    try:
        context = secure_context(data_folder(), names)
        secure = PageServer(host, port, server.app)
    except (OSError, SystemExit) as error:
        why = error if isinstance(error, OSError) else "another program has the port"
        log.warning("%s:%s: no phone can be the camera (%s); try another --secure-port", host, port, why)
        return None
    # The handshake is left to each visitor's own thread: a silent one would hold up all others here.
    secure.socket = context.wrap_socket(secure.socket, server_side=True, do_handshake_on_connect=False)
    secure.ssl_context = context
    services = cast(Services, server.app.extensions["referee"])  # type: ignore[attr-defined]
    cast(list[str], services.secure).extend(f"https://{name}:{secure.port}/" for name in names)
    threading.Thread(target=secure.serve_forever, name="secure page", daemon=True).start()
    return secure


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


def _tell_own_decks(args: argparse.Namespace, runner: Runner) -> None:
    names = [] if args.deck else decks_of(args.game)
    if names:
        here = f"Plays with {runner.deck.deck.name}. " if runner.deck.key else ""
        own = f"Your own decks of {game_word(args.game)}, on the page or by --deck: {', '.join(names)}"
        print(f"{here}{own}", flush=True)  # noqa: T201 - as below


def _announce(server: BaseWSGIServer, host: str, *, goes_on: bool = True) -> None:
    shown = "127.0.0.1" if host in ("0.0.0.0", "::", "") else host
    lines = [f"The referee is at the table: http://{shown}:{server.port}/"]
    services = cast(Services, server.app.extensions["referee"])  # type: ignore[attr-defined]
    for address in services.addresses:
        lines.append(f"In the same network: {address}?code={services.door.join_code}")
    lines.append("Stop with Ctrl+C; the match goes on where it was." if goes_on else "Stop with Ctrl+C.")
    print("\n".join(lines), flush=True)  # noqa: T201 - the address is what the command says
