"""All matches of this database: the list, a new one, export and import."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from flask import Blueprint, Response, abort, redirect, render_template, request, stream_with_context, url_for
from werkzeug.wrappers import Response as BaseResponse

from scoring.deck import ConexDeck
from scoring.events import MatchCreated, decode
from scoring.games.cactus_options import SEATS as CACTUS_SEATS
from scoring.games.cactus_options import CactusOptions
from scoring.games.conex_options import ConexOptions
from scoring.games.conex_play import SEATS
from scoring.table import Point
from webui import texts
from webui.cactus.forms import listed
from webui.camera.learning import Place
from webui.inputs import TEXT_MAX, BadInputError
from webui.log.archive import write_archive
from webui.log.store import UnknownMatchError
from webui.match.forms import parse_match
from webui.match.live import STATUS, find, respond, told_of
from webui.refusals import refusal
from webui.services import services, words
from webui.table.requests import AgreeArea, Attend, Begin, Import, Outcome

matches = Blueprint("matches", __name__)

LISTED_MAX = 200
FORMS = {"rox": "new.html", "conex": "conex/new.html", "cactus": "cactus/new.html"}
"""The form of a new match of each game, and what it says at first."""
DEFAULTS: Mapping[str, Mapping[str, object]] = {
    "rox": {"min_row": 3, "rounds": 5},
    "conex": ConexOptions().as_mapping(),
    "cactus": CactusOptions().as_mapping(),
}


@matches.get("/matches")
def index() -> str:
    """The list of matches, the latest played first."""
    here = services().runner.board.snapshot.match
    known = services().store.matches()
    return render_template("matches.html", matches=known[:LISTED_MAX], more=len(known) - LISTED_MAX, current=here)


@dataclass(frozen=True, slots=True)
class _Typed:
    """What the form of a new match is filled in with."""

    names: Mapping[str, str]
    pawns: Mapping[str, str]
    options: Mapping[str, object]
    title: str = ""
    places: Mapping[str, str] = field(default_factory=dict)
    """Numbers of cacti in the order of play, where they were given."""


@matches.get("/matches/new")
def new() -> str:
    """The form of a new match; with `again` filled in as that match was."""
    deck = services().deck
    names: dict[str, str] = {}
    pawns: dict[str, str] = dict(zip(SEATS, deck.pawns, strict=False)) if isinstance(deck, ConexDeck) else {}
    options: dict[str, object] = dict(DEFAULTS[deck.game])
    again = request.args.get("again", "")
    if again:
        try:
            first = services().store.events(again)[:1]
        except UnknownMatchError:
            first = ()
        created = decode(dict(first[0].body)) if first else None
        if isinstance(created, MatchCreated) and created.game == deck.game:
            names = {p.seat: p.name for p in created.players}
            pawns |= {p.seat: p.pawn or "" for p in created.players}
            options |= created.options
    elif deck.game != "cactus":
        names = dict(_place().seats)
    places = {c: str(n) for n, c in enumerate(listed(options.get("order")), start=1)}
    return _form(_Typed(names, pawns, options, places=places))


@matches.post("/matches/new")
def create() -> BaseResponse | tuple[str, int]:
    """Start a match at this table; a form that is refused comes back as it was filled in."""
    try:
        title, command = parse_match(request.form, services().deck)
    except BadInputError as e:
        if request.accept_mimetypes.best == "application/json":
            raise
        return _form(_typed(), refusal(str(e), words())), 400
    reply = services().runner.submit(Begin(title, command))
    if reply.outcome is not Outcome.DONE and request.accept_mimetypes.best != "application/json":
        return _form(_typed(), told_of(reply)), STATUS[reply.outcome]
    if reply.outcome is not Outcome.DONE:
        return respond(reply, url_for("matches.new"))
    if request.form.get("drawn") == "on" and (area := _drawn()):
        services().runner.submit(AgreeArea(reply.match, area))
    return redirect(url_for("live.page", match=reply.match), 303)


def _place() -> Place:
    """What was set up before the camera of this table."""
    teacher = services().teacher
    return teacher.place() if teacher is not None else Place()


def _drawn() -> tuple[Point, ...]:
    """The playing area that was drawn for this camera, in pixels of now; none where the camera may have been moved."""
    place = _place()
    return place.area_in(services().runner.area_of_picture(propose=False)[0]) if place.stands else ()


def _form(typed: _Typed, wrong: str = "") -> str:
    deck, picture = services().deck, services().runner.picture.number > 0
    return render_template(
        FORMS[deck.game],
        names=typed.names,
        pawns=typed.pawns,
        options=typed.options,
        title=typed.title,
        places=typed.places,
        deck=deck,
        picture=picture,
        drawn=bool(_drawn()),
        wrong=wrong,
    )


def _typed() -> _Typed:
    """What was sent, as it goes back into the form; the form itself bounds its numbers."""
    sent = {k: v[:TEXT_MAX] for k, v in request.form.items()}
    options: dict[str, object] = dict(DEFAULTS[services().deck.game])
    for name, usual in options.items():
        value = sent.get(name, str(usual))
        options[name] = int(value) if isinstance(usual, int) and value.isascii() and value.isdigit() else value
    return _Typed(
        {side: sent.get(f"player-{side}", "") for side in (*SEATS, *CACTUS_SEATS)},
        {side: sent.get(f"pawn-{side}", "") for side in SEATS},
        options,
        sent.get("title", ""),
        {k.removeprefix("order-"): v for k, v in sent.items() if k.startswith("order-")},
    )


@matches.post("/matches/<match>/attend")
def attend(match: str) -> BaseResponse:
    """Bring a match to this table's camera."""
    return respond(services().runner.submit(Attend(match)), url_for("live.page", match=match))


@matches.get("/matches/<match>/export")
def export(match: str) -> Response:
    """The match as JSON Lines."""
    view, _ = find(match)
    lines = stream_with_context(write_archive(services().store, view.id))
    response = Response(lines, mimetype="application/jsonl")
    response.headers["Content-Disposition"] = f'attachment; filename="{view.game}-{view.id}.jsonl"'
    return response


@matches.post("/matches/import")
def import_() -> BaseResponse:
    """Take in an exported match."""
    sent = request.files.get("file")
    data = sent.read() if sent is not None else b""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as e:
        raise BadInputError("The file is no exported match: it is no UTF-8 text.") from e
    reply = services().runner.submit(Import(text), 60.0)
    done = reply.outcome is Outcome.DONE
    return respond(reply, url_for("live.page", match=reply.match) if done else url_for("matches.index"))


@matches.get("/language/<code>")
def language(code: str) -> BaseResponse:
    """Switch the language of the page."""
    if code not in texts.LANGUAGES:
        abort(404)
    try:
        back = urlsplit(request.args.get("back", "/"))
    except ValueError:
        back = urlsplit("/")
    # A path of this program only: never a way to somebody else's page.
    path = back.path if back.path.startswith("/") and not back.path.startswith(("//", "/\\")) else "/"
    response = redirect(path if not back.netloc else "/", 303)
    response.set_cookie("referee-language", code, max_age=365 * 86400, samesite="Lax", httponly=True)
    return response
