"""Learning one's own copy of a game, guided: photographs, names, a few questions, and a deck folder."""

from __future__ import annotations

from collections.abc import Mapping

from flask import Blueprint, Response, abort, flash, jsonify, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from scoring.deck import Deck
from scoring.errors import RefereeError
from webui.decks.in_use import is_played_with
from webui.decks.page import lay_deck
from webui.inputs import BadInputError, choice, text
from webui.owncopy.about import back, check_reading, copyist_here, find, version
from webui.owncopy.copying import DAMAGES, FIELDS, GROUPS, SHAPE_WORDS
from webui.owncopy.forms import special_names
from webui.owncopy.naming import NAME_MAX, is_nameless, name_stated, names_stated, tap
from webui.owncopy.own_copy import OwnCopy
from webui.owncopy.questions import next_page
from webui.owncopy.remarks import remark_words
from webui.owncopy.sizes import UnlikelySizeError, limits, size_mm
from webui.owncopy.steps import is_readable, left, next_of, steps_of, tell
from webui.owncopy.words import (
    beside,
    fault_word,
    game_word,
    kind_word,
    numbered_word,
    part_word,
    sign_word,
    upright_deg,
)
from webui.services import services, words
from webui.texts import mark

owncopy = Blueprint("owncopy", __name__)
for word in (sign_word, part_word, numbered_word, game_word, kind_word, fault_word, remark_words):
    owncopy.add_app_template_filter(word)
owncopy.add_app_template_global(beside)
owncopy.add_app_template_global(upright_deg)
owncopy.add_app_template_global(limits, "size_limits")

GAMES = ("rox", "conex", "cactus")
PHOTO_MAX = 32 * 1024 * 1024
"""Bytes of one photo."""
AT_ONCE_MAX = 40
CARD_MM = (59.0, 92.0)
BEGUN_BEFORE = mark("“%(name)s” was begun before and is gone on with. For another copy take another name.")
BEGUN_BEFORE_CARDS = mark(
    "“%(name)s” was begun before and is gone on with; its cards are %(width)s × %(height)s mm."
    " For another copy take another name."
)
DECK_IN_PLAY = mark(
    "A match is being played with this deck as it was, which stays for it. The changed one was saved as “%(deck)s”."
)
OTHER_DECK = mark("There is another deck of this name, which stays as it is. This one was saved as “%(deck)s”.")
PUT_ASIDE = mark("It was put aside. All its files, the photos too, are in this folder now: %(folder)s")


@owncopy.get("/copies")
def index() -> str:
    """All copies that were begun, and the form of a new one."""
    return _index({})


def _index(sent: Mapping[str, str]) -> str:
    """All copies, and the form of a new one with what was sent; else with a name that none of them has."""
    copies = copyist_here().copies()
    usual, taken = words().gettext(mark("My copy")), {c.name.casefold() for c in copies} | {c.key for c in copies}
    names = (usual, *(f"{usual} {n}" for n in range(2, len(taken) + 3)))
    return render_template(
        "copy/index.html",
        copies=copies,
        sent=sent,
        free=next(name for name in names if not taken & {name.casefold(), name.casefold().replace(" ", "-")}),
        games=GAMES,
        damages=DAMAGES,
        card_mm=CARD_MM,
        on_table=services().runner.deck.key,
    )


@owncopy.post("/copies")
def begin() -> BaseResponse | tuple[str, int]:
    """Begin a copy; where that cannot be, the form is there again as it was sent."""
    name = text(request.form, "name", NAME_MAX)
    game = choice(request.form, "game", GAMES)
    try:
        width = size_mm(request.form, "card-width", CARD_MM[0])
        # the proportion of cards of Rox is seen on their photos
        usual = round(width * CARD_MM[1] / CARD_MM[0], 1)
        size = (width, size_mm(request.form, "card-height", CARD_MM[1]) if game == "conex" else usual)
        tallest = size_mm(request.form, "cactus") if request.form.get("cactus", "").strip() else None
    except UnlikelySizeError as error:
        flash(error.told)
        return _index(request.form), 400
    try:
        key = copyist_here().begin(name, game, size, tallest)
    except RefereeError as error:
        flash(words().gettext(error.message))
        return _index(request.form), 409
    one = find(key)
    if one.name != name or (game != "cactus" and one.card_mm != size):
        told = BEGUN_BEFORE if game == "cactus" else BEGUN_BEFORE_CARDS
        flash(words().gettext(told) % _sizes(one))
    return redirect(url_for("owncopy.page", key=key), 303)


@owncopy.post("/copies/<key>/aside")
def aside(key: str) -> BaseResponse:
    """Take a damaged copy out of the list; nothing of it is deleted."""
    try:
        flash(words().gettext(PUT_ASIDE) % {"folder": copyist_here().set_aside(key)})
    except RefereeError as error:
        flash(words().gettext(error.message))
    return redirect(url_for("owncopy.index"), 303)


@owncopy.get("/copies/<key>")
def page(key: str) -> str:
    """One copy: what is known of it, and what to do next."""
    one = find(key)
    steps = steps_of(one)
    return render_template(
        "copy/page.html",
        copy=one,
        steps=steps,
        now=next_of(steps),
        told=tell(one),
        tap=tap(one),
        nameless=is_nameless(one),
        left=left(one),
        cut_off=sum(p.group == "cacti" for p in one.parts) > sum(c.wanted for c in one.counts if c.group == "cacti"),
        groups=GROUPS,
        fields=FIELDS,
        version=version(one),
        asking=next_page(one),
        shape_words=SHAPE_WORDS,
        readable=is_readable(one),
    )


@owncopy.get("/copies/<key>/state")
def state(key: str) -> Response:
    """How far reading is, for the page's script."""
    return jsonify(tell(find(key)))


@owncopy.post("/copies/<key>/photos")
def photos(key: str) -> BaseResponse | tuple[Response, int]:
    """Take in photographs; with `read` they are read at once."""
    find(key)
    sent = [f for f in request.files.getlist("photo") if f.filename]
    board = [f for f in request.files.getlist("board") if f.filename]
    if len(sent) + len(board) > AT_ONCE_MAX:
        raise BadInputError("Send fewer photos at once.")
    said = []
    for file in (*sent, *board[:1]):
        with file.stream:
            data = file.stream.read(PHOTO_MAX + 1)
        try:
            if len(data) > PHOTO_MAX:
                abort(413)
            copyist_here().add(key, data, board=file in board)
        except RefereeError as error:
            said.append(f"{(file.filename or '')[-40:]}: {words().gettext(error.message)}")
    if request.form.get("read"):
        copyist_here().read(key)
    if request.accept_mimetypes.best == "application/json":
        return jsonify({"refused": said}), 422 if said else 200
    for line in said:
        flash(line)
    return back(key)


@owncopy.post("/copies/<key>/do")
def do(key: str) -> BaseResponse:
    """One button of the page."""
    one, copyist = find(key), copyist_here()
    what = choice(request.form, "what", ("read", "name", "names", "measure", "drop", "undo", "save", "play", "forget"))
    place = ""
    try:
        if what in ("name", "names"):
            check_reading(one)
        match what:
            case "read":
                copyist.read(key)
            case "name":
                copyist.name(key, *name_stated(request.form, one))
                place = "names"
            case "names":
                named, specials = names_stated(request.form, one), special_names(request.form, one)
                for kind, name in named.items():
                    copyist.name(key, kind, name)
                copyist.answer_all(key, specials)
            case "measure":
                place = "photos"
                if request.form.get("cactus", "").strip():
                    copyist.measure(key, size_mm(request.form, "cactus"))
                    copyist.read(key)
                    place = ""
            case "drop":
                copyist.drop(key, choice(request.form, "photo", one.photos))
                place = "photos"
            case "undo":
                copyist.undo(key)
            case "save":
                _save(one)
                place = "save"
            case "play":
                deck = _save(one)
                if one.game in services().runner.deck.games():
                    return lay_deck(deck)
                place = "save"
            case _:
                copyist.forget(key)
                return redirect(url_for("owncopy.index"), 303)
    except UnlikelySizeError as error:
        flash(error.told)
    except RefereeError as error:
        flash(words().gettext(error.message))
    return back(key, place)


@owncopy.get("/copies/<key>/<any(part, kind, photo, board, star, sign, twins):what>/<int:n>.jpg")
def picture(key: str, what: str, n: int) -> Response:
    """A small picture."""
    data = copyist_here().picture(key, what, n) if n < 10_000 else None
    if data is None:
        abort(404)
    kept = "no-cache" if what == "board" else "private, max-age=3600"  # another photo of the board has the same address
    return Response(data, mimetype="image/jpeg", headers={"Cache-Control": kept})


def _sizes(one: OwnCopy) -> dict[str, str]:
    width, height = one.card_mm
    return {"name": one.name, "width": f"{width:g}", "height": f"{height:g}"}


def _save(one: OwnCopy) -> str:
    """Write the deck; its folder."""
    used = []

    def in_play(deck: Deck) -> bool:
        used.append(is_played_with(services().store, deck))
        return used[-1]

    deck = copyist_here().save(one.key, in_play)
    if deck != one.deck:
        flash(words().gettext(DECK_IN_PLAY if any(used) else OTHER_DECK) % {"deck": deck})
    return deck
