"""The live match: its page, its news, the picture, and the commands."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import segno
from flask import Blueprint, Response, abort, flash, jsonify, redirect, render_template, request, url_for
from markupsafe import Markup
from werkzeug.wrappers import Response as BaseResponse

from scoring.events import decode
from scoring.match import fold
from webui.inputs import BadInputError, number
from webui.log.store import UnknownMatchError
from webui.match.forms import parse_commands
from webui.refusals import refusal
from webui.rendering import news_of
from webui.services import services, words
from webui.shown.head import Head
from webui.shown.snapshot import Snapshot, as_json
from webui.shown.views import view_match
from webui.table.requests import Do, Look, Outcome, Photo, Reply, Request, TakeOver
from webui.texts import mark

live = Blueprint("live", __name__)

NEWS_WAIT_S = 4.0
PICTURE_WAIT_S = 4.0
WAITERS_MAX = 80
"""So many requests may wait for something new at a time; more get their answer at once."""
PAGES = {"rox": "match.html", "conex": "conex/match.html", "cactus": "cactus/match.html"}
"""The page of a match of each game."""
STATUS = {
    Outcome.DONE: 200,
    Outcome.REPEATED: 200,
    Outcome.STALE: 409,
    Outcome.REFUSED: 422,
    Outcome.UNKNOWN: 404,
    Outcome.BUSY: 503,
    Outcome.FAILED: 500,
}
SENTENCES = {
    Outcome.STALE: mark("The match had already moved on; nothing was changed. Look again, then tap."),
    Outcome.UNKNOWN: mark("There is no such match."),
    Outcome.BUSY: mark("The referee is busy. Nothing was changed; please try again."),
    Outcome.FAILED: mark("That failed because of an error in the program. Nothing was changed."),
}

_places = threading.BoundedSemaphore(WAITERS_MAX)
_COMMAND_ID = re.compile(r"[0-9A-Za-z-]{8,64}")


@contextmanager
def _patience(wanted_s: float) -> Iterator[float]:
    """How long this request may wait: not at all when too many others do."""
    if not _places.acquire(blocking=False):
        yield 0.0
        return
    try:
        yield wanted_s
    finally:
        _places.release()


@live.get("/")
def home() -> BaseResponse:
    """The match at this table, or the list of matches."""
    match = services().runner.board.snapshot.match
    return redirect(url_for("live.page", match=match.id) if match else url_for("matches.index"))


@live.get("/matches/<match>")
def page(match: str) -> str | BaseResponse:
    """A match, live where it is at this table."""
    if go := _replaced(match):
        return redirect(go)
    view, snapshot = find(match)
    return render_template(
        PAGES[view.game], match=view, snapshot=snapshot, here=snapshot is not None, news=news_of(view, snapshot)
    )


@live.get("/matches/<match>/news")
def news(match: str) -> Response:
    """What is new since `after`, waiting a while for it."""
    after = request.args.get("after", -1, type=int)
    here = services().runner.board.snapshot.match
    if here is not None and here.id == match:
        with _patience(NEWS_WAIT_S) as patience:
            services().runner.board.wait(after, patience)
    if go := _replaced(match):
        return jsonify({"go": go})
    view, snapshot = find(match)
    told = news_of(view, snapshot)
    picture = services().runner.picture
    age = picture.age_s
    told["has_picture"] = age is not None
    told["picture_age_s"] = None if age is None or _resting() else round(age, 1)
    told["picture_age"] = words().gettext(mark("The last picture is %(age)d seconds old.")) % {"age": age or 0}
    if request.args.get("stage") == told["stage"]:
        told["parts"] = {}
    return jsonify(told)


@live.get("/picture.jpg")
def picture() -> Response:
    """The newest picture if there is one behind number `after`; 204 where none came in time."""
    after = request.args.get("after", -1, type=int)
    with _patience(PICTURE_WAIT_S) as patience:
        found = services().runner.picture.look(after, patience)
    if found is None:
        return Response(status=204 if services().runner.picture.number else 404)
    response = Response(found.jpeg, mimetype="image/jpeg")
    response.headers["X-Picture"] = str(found.number)
    response.set_etag(f"{services().program}-{found.number}")
    response.make_conditional(request)
    return response


@live.get("/api/snapshot")
def snapshot() -> Response:
    """The snapshot as JSON; see `webui.shown.snapshot.Snapshot`."""
    response = jsonify(as_json(services().runner.board.snapshot))
    response.set_etag(f"{services().program}-{services().runner.board.snapshot.version}")
    return response


@live.get("/cards/<face>")
def card(face: str) -> Response:
    """The picture of a face of this table's deck."""
    found = services().art.card(face)
    if found is None:
        abort(404)
    response = Response(found[0], mimetype=found[1])
    response.headers["Cache-Control"] = "private, max-age=3600"
    return response


@live.post("/matches/<match>/do")
def do(match: str) -> BaseResponse:
    """Carry out the command of one button."""
    shown = services().runner.board.snapshot
    commands = parse_commands(request.form, shown.seen_scoring if shown.match and shown.match.id == match else ())
    command_id = request.form.get("command_id") or None
    if command_id is not None and not _COMMAND_ID.fullmatch(command_id):
        raise BadInputError("The field command_id must be 8 to 64 letters and digits.")
    asked = Do(match, number(request.form, "seq"), commands, command_id)
    back = "laying.counts" if request.form.get("back") == "counts" else "live.page"
    return respond(services().runner.submit(asked), url_for(back, match=match))


@live.post("/matches/<match>/look")
def look(match: str) -> BaseResponse:
    """Judge what the camera shows now."""
    return _answer(match, Look(match, number(request.form, "seq"), "lying" in request.form))


@live.post("/matches/<match>/photo")
def photo(match: str) -> BaseResponse:
    """Judge a photo that was sent."""
    sent = request.files.get("photo")
    data = sent.read() if sent is not None else b""
    if not data:
        raise BadInputError("The field photo must be a picture.")
    return _answer(match, Photo(match, number(request.form, "seq"), data))


@live.post("/matches/<match>/take-over")
def take_over(match: str) -> BaseResponse:
    """Stop the demonstration's director."""
    return _answer(match, TakeOver())


@live.get("/invite")
def invite() -> str:
    """How another device reaches this page: a QR code and an address."""
    table = services()
    door = table.door
    return render_template(
        "invite.html",
        codes=[_coded(address, door.join_code) for address in table.addresses[:2]],
        cameras=[_coded(f"{address}phone", door.join_code) for address in table.secure[:1]],
        join_code=door.join_code,
        recording=table.phone is None,
        lead=table.lead(),
    )


def _coded(address: str, join_code: str | None) -> tuple[str, Markup]:
    """An address, and its QR code with the code word."""
    link = f"{address}?code={join_code}" if join_code else address
    # Black on white whatever the colour scheme: readers of QR codes want it so.
    drawn = segno.make(link, error="m").svg_inline(omitsize=True, dark="#000", border=2)
    return address, Markup(drawn)  # drawn by us, holds no text of others


def find(match: str) -> tuple[Head, Snapshot | None]:
    """A match with the snapshot where it is at this table; aborts with 404 where there is no such match."""
    shown = services().runner.board.snapshot
    store = services().store
    if shown.match is not None and shown.match.id == match:
        return shown.match, shown
    try:
        record = store.record(match)
    except UnknownMatchError:
        abort(404)
    events = [decode(dict(e.body)) for e in store.events(match)]
    return view_match(record, fold(events), len(events)), None


def _replaced(match: str) -> str:
    """Where the demonstration plays now, if this was a turn of it that a later one took the place of; else empty."""
    shown = services().runner.board.snapshot
    if not shown.demo or shown.match is None or shown.match.id == match:
        return ""
    try:
        services().store.record(match)
    except UnknownMatchError:
        return url_for("live.page", match=shown.match.id)
    return ""


def _resting() -> bool:
    """Whether no newer picture is to be expected: a photo, or the end of a recording."""
    return services().runner.board.snapshot.camera.state in ("none", "ended")


def _answer(match: str, request_: Request) -> BaseResponse:
    return respond(services().runner.submit(request_), url_for("live.page", match=match))


def told_of(reply: Reply) -> str:
    """What an answer says, in the reader's words; empty where there is nothing to be said."""
    sentence = SENTENCES.get(reply.outcome)
    return words().gettext(sentence) if sentence else refusal(reply.message, words())


def respond(reply: Reply, go: str) -> BaseResponse:
    """The answer to a command: JSON for the page's script, else a way back to the page with a message."""
    message = told_of(reply)
    if request.accept_mimetypes.best == "application/json":
        body = jsonify({"outcome": reply.outcome.value, "seq": reply.seq, "match": reply.match, "message": message})
        body.status_code = STATUS[reply.outcome]
        return body
    if message:
        flash(message)
    return redirect(go, 303)
