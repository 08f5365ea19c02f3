"""Learning one's own copy of a game, guided: photographs, five names, a few questions, an editor, and a deck folder."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, abort, flash, jsonify, redirect, render_template, request, url_for
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response as BaseResponse

from scoring.deck import Deck
from scoring.errors import RefereeError
from webui.decks.in_use import is_played_with
from webui.decks.page import lay_deck
from webui.inputs import BadInputError, choice, text
from webui.owncopy.copying import COPY_PROBLEMS, FIELDS, GROUPS, SHAPE_WORDS, Copyist, CopyPart, CopyStage, OwnCopy
from webui.owncopy.forms import millimetres, parse_part, parse_signs, whole_count
from webui.owncopy.words import beside, fault_word, game_word, kind_word, part_word, sign_word
from webui.services import services, words
from webui.texts import mark

owncopy = Blueprint("owncopy", __name__)
for word in (sign_word, part_word, game_word, kind_word, fault_word):
    owncopy.add_app_template_filter(word)
owncopy.add_app_template_global(beside)

GAMES = ("rox", "conex", "cactus")
PHOTO_MAX = 32 * 1024 * 1024
"""Bytes of one photo."""
AT_ONCE_MAX = 40
NAME_MAX = 32
CARD_MM = (59.0, 92.0)
READ_ANEW = mark("The photos were read anew since this page was opened. Nothing was changed: look at it again.")
BEGUN_BEFORE = mark("“%(name)s” was begun before and is gone on with. For another copy take another name.")
BEGUN_BEFORE_CARDS = mark(
    "“%(name)s” was begun before and is gone on with; its cards are %(width)s × %(height)s mm."
    " For another copy take another name."
)
DECK_IN_PLAY = mark(
    "A match is being played with this deck as it was, which stays for it. The changed one was saved as “%(deck)s”."
)
OTHER_DECK = mark("There is another deck of this name, which stays as it is. This one was saved as “%(deck)s”.")
HOW_TO_LAY = {
    "rox": mark("Lay the cards apart, about a dozen a photo, any way up, and take photos; the scoring cards too."),
    "conex": mark(
        "Lay the cards apart, about a dozen a photo, and take photos; one more of the board, the stars beside it."
    ),
    "cactus": mark(
        "Lay the pieces flat and apart on a sheet of plain paper, all of it in the picture, about a dozen a photo, and"
        " take photos. The five cacti lie on a photo of their own, with two of the pieces beside them."
    ),
}
"""What is laid before the camera, for each game."""
ASKED_AT_ONCE = 6
"""So many faces or pieces are asked about on one page."""


@owncopy.get("/copies")
def index() -> str:
    """All copies that were begun, and the form of a new one."""
    return render_template(
        "copy/index.html",
        copies=_copyist().copies(),
        games=GAMES,
        card_mm=CARD_MM,
        on_table=services().runner.deck.key,
    )


@owncopy.post("/copies")
def begin() -> BaseResponse:
    """Begin a copy."""
    name = text(request.form, "name", NAME_MAX)
    game = choice(request.form, "game", GAMES)
    size = (millimetres(request.form, "card-width", CARD_MM[0]), millimetres(request.form, "card-height", CARD_MM[1]))
    tallest = millimetres(request.form, "cactus", 0.0) if request.form.get("cactus", "").strip() else None
    try:
        key = _copyist().begin(name, game, size, tallest)
    except RefereeError as error:
        flash(words().gettext(error.message))
        return redirect(url_for("owncopy.index"), 303)
    one = _find(key)
    if one.name != name or (game != "cactus" and one.card_mm != size):
        told = BEGUN_BEFORE if game == "cactus" else BEGUN_BEFORE_CARDS
        flash(words().gettext(told) % _sizes(one))
    return redirect(url_for("owncopy.page", key=key), 303)


@owncopy.get("/copies/<key>")
def page(key: str) -> str:
    """One copy: what is known of it, and what to do next."""
    one = _find(key)
    return render_template(
        "copy/page.html",
        copy=one,
        told=tell(one),
        tap=_tap(one),
        left=_left(one),
        cut_off=sum(p.group == "cacti" for p in one.parts) > sum(c.wanted for c in one.counts if c.group == "cacti"),
        groups=GROUPS,
        fields=FIELDS,
        version=_version(one),
        nameless=_nameless(one),
        asked_at_once=ASKED_AT_ONCE,
        shape_words=SHAPE_WORDS,
        readable=one.stage in (CopyStage.READ, CopyStage.UNREAD) and one.parts,
    )


@owncopy.get("/copies/<key>/state")
def state(key: str) -> Response:
    """How far reading is, for the page's script."""
    return jsonify(tell(_find(key)))


@owncopy.post("/copies/<key>/photos")
def photos(key: str) -> BaseResponse | tuple[Response, int]:
    """Take in photographs; with `read` they are read at once."""
    _find(key)
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
            _copyist().add(key, data, board=file in board)
        except RefereeError as error:
            said.append(f"{(file.filename or '')[-40:]}: {words().gettext(error.message)}")
    if request.form.get("read"):
        _copyist().read(key)
    if request.accept_mimetypes.best == "application/json":
        return jsonify({"refused": said}), 422 if said else 200
    for line in said:
        flash(line)
    return _back(key)


@owncopy.post("/copies/<key>/do")
def do(key: str) -> BaseResponse:
    """One button of the page."""
    one, copyist = _find(key), _copyist()
    what = choice(request.form, "what", ("read", "name", "names", "measure", "drop", "undo", "save", "play", "forget"))
    place = ""
    try:
        if what in ("name", "names"):
            _check_reading(one)
        match what:
            case "read":
                copyist.read(key)
            case "name":
                copyist.name(
                    key, _kind(one, request.form.get("kind", "")), _checked(text(request.form, "name", NAME_MAX))
                )
                place = "names"
            case "names":
                _name_all(one)
            case "measure":
                place = "photos"
                if request.form.get("cactus", "").strip():
                    copyist.measure(key, millimetres(request.form, "cactus", 0.0))
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
    except BadInputError as error:
        if what != "measure":
            raise
        flash(words().gettext(str(error)))
    except RefereeError as error:
        flash(words().gettext(error.message))
    return _back(key, place)


@owncopy.get("/copies/<key>/part/<int:part>")
def edit(key: str, part: int) -> str:
    """The editor of one face or piece."""
    one = _find(key)
    return render_template(
        "copy/edit.html", copy=one, part=_part(one, part), groups=GROUPS, fields=FIELDS, version=_version(one)
    )


@owncopy.post("/copies/<key>/part/<int:part>")
def answer(key: str, part: int) -> BaseResponse:
    """What a person states of a face or piece: an answer to a question, or a correction."""
    one = _find(key)
    try:
        _check_reading(one)
        stated = parse_part(request.form, one, _part(one, part))
        _copyist().answer_all(key, {part: stated})
        fault = _find(key).fault
        if fault is not None and fault[0] == part and not request.form.get("asked"):
            return redirect(url_for("owncopy.edit", key=key, part=part), 303)
    except RefereeError as error:
        flash(words().gettext(error.message))
    return _back(key, "ask" if request.form.get("asked") else f"part-{part}")


@owncopy.post("/copies/<key>/answers")
def answers(key: str) -> BaseResponse:
    """What a person states of several faces or pieces at once; their fields begin with ``p`` and the number."""
    one = _find(key)
    if _is_stale(one):
        return _back(key, "ask")
    stated = {}
    for part in one.parts:
        pre = f"p{part.number}-"
        own = MultiDict([(k.removeprefix(pre), v) for k, v in request.form.items(multi=True) if k.startswith(pre)])
        if own:
            stated[part.number] = parse_part(own, one, part)
    if not stated:
        raise BadInputError("Nothing was stated.")
    _copyist().answer_all(key, stated)
    if _find(key).stage is CopyStage.READING:
        flash(words().gettext(mark("With this height the outlines are measured anew; all answers stay.")))
    return _back(key, "ask")


@owncopy.post("/copies/<key>/signs")
def signs(key: str) -> BaseResponse:
    """What the doubtful symbols of many cards are; a card of which one cannot be told is asked about by itself."""
    one = _find(key)
    if not _is_stale(one):
        _copyist().answer_all(key, parse_signs(request.form, one))
    return _back(key, "ask")


@owncopy.post("/copies/<key>/values")
def values(key: str) -> BaseResponse:
    """The values of several scoring cards at once; what is left empty stays open."""
    one = _find(key)
    if _is_stale(one):
        return _back(key, "ask")
    stated = {}
    for part in one.parts:
        sent = request.form.get(f"value-{part.number}", "").strip()
        if sent and part.group == "scoring":
            stated[part.number] = {"value": whole_count(sent, "value")}
    _copyist().answer_all(key, stated)
    return _back(key, "ask")


@owncopy.get("/copies/<key>/<any(part, kind, photo, star, sign, twins):what>/<int:n>.jpg")
def picture(key: str, what: str, n: int) -> Response:
    """A small picture."""
    data = _copyist().picture(key, what, n) if n < 10_000 else None
    if data is None:
        abort(404)
    return Response(data, mimetype="image/jpeg", headers={"Cache-Control": "private, max-age=3600"})


def tell(one: OwnCopy) -> dict[str, object]:
    """How far a copy is, in the reader's words."""
    t = words()
    sentence = {
        CopyStage.EMPTY: HOW_TO_LAY[one.game],
        CopyStage.UNREAD: mark("There are photos that were not read yet."),
        CopyStage.READING: mark("The photos are being read. You may leave this page; it goes on."),
        CopyStage.FAILED: COPY_PROBLEMS.get(one.problem, COPY_PROBLEMS["error"]),
        CopyStage.READ: mark("All photos are read."),
    }[one.stage]
    return {
        "stage": str(one.stage),
        "running": one.stage is CopyStage.READING,
        "step": one.step,
        "steps": one.steps,
        "sentence": t.gettext(sentence),
    }


def _tap(one: OwnCopy) -> Mapping[str, Any] | None:
    """The next element to be named by a tap: its name, the names and pictures that are left; None where none is."""
    own = [k for k in one.kinds if k.sort == "elements"]
    left = [k for k in own if not k.name]
    names = [n for n in one.suggested.get("elements", ()) if n not in {k.name for k in own}]
    return {"name": names[0], "names": names, "kinds": left} if left and names else None


def _left(one: OwnCopy) -> int:
    """How much a person is still asked: taps for names, questions, and what there is too much of."""
    tap = _tap(one)
    # the last name is the one that is left over, and all other words are given on one page
    names = max(1, len(tap["kinds"]) - 1) if tap else int(_nameless(one))
    return names + len(one.open) + sum(max(0, c.found - c.wanted) for c in one.counts)


def _sizes(one: OwnCopy) -> dict[str, str]:
    width, height = one.card_mm
    return {"name": one.name, "width": f"{width:g}", "height": f"{height:g}"}


def _nameless(one: OwnCopy) -> bool:
    return any(not k.name for k in one.kinds if k.sort != "elements")


def _name_all(one: OwnCopy) -> None:
    named: dict[str, str] = {}
    for kind in one.kinds:
        sent = " ".join(request.form.get(f"name-{kind.number}", "").split())
        usual = (kind.hint, *(SHAPE_WORDS if kind.sort == "shapes" else ()))
        # a usual word is kept as such, so that every reader sees it in their language
        sent = next((word for word in usual if word and sent.casefold() == kind_word(word).casefold()), sent)
        if sent and sent != kind.name:
            named[kind.key] = _checked(sent)
    for sort in {k.sort for k in one.kinds}:
        words_now = [(named.get(k.key, k.name) or k.key).casefold() for k in one.kinds if k.sort == sort]
        if len(set(words_now)) < len(words_now):
            raise BadInputError("Two of them have the same name: give each one of its own.")
    for key, name in named.items():
        _copyist().name(one.key, key, name)


def _checked(name: str) -> str:
    """A name that may be one of a kind's: it goes into the names of cards and pieces."""
    if len(name) > NAME_MAX or not name.isprintable() or set(name) & set(",/\\+"):
        raise BadInputError("A name has at most 32 letters, none of them a comma, slash or plus.")
    return name


def _save(one: OwnCopy) -> str:
    """Write the deck; its folder."""
    used = []

    def in_play(deck: Deck) -> bool:
        used.append(is_played_with(services().store, deck))
        return used[-1]

    deck = _copyist().save(one.key, in_play)
    if deck != one.deck:
        flash(words().gettext(DECK_IN_PLAY if any(used) else OTHER_DECK) % {"deck": deck})
    return deck


def _kind(one: OwnCopy, key: str) -> str:
    if key not in {k.key for k in one.kinds}:
        raise BadInputError("There is no such kind.")
    return key


def _check_reading(one: OwnCopy) -> None:
    """A page of an earlier reading numbers other parts: what it states is of something else."""
    if request.form.get("reading", one.reading) != one.reading:
        raise RefereeError(READ_ANEW)


def _is_stale(one: OwnCopy) -> bool:
    try:
        _check_reading(one)
    except RefereeError as error:
        flash(words().gettext(error.message))
        return True
    return False


def _part(one: OwnCopy, n: int) -> CopyPart:
    if n >= len(one.parts):
        abort(404)
    return one.parts[n]


def _version(one: OwnCopy) -> str:
    """Changes with the pictures, so that a browser keeps no old ones."""
    return hashlib.sha256("/".join((one.reading, *one.photos, *(p.id for p in one.parts))).encode()).hexdigest()[:8]


def _find(key: str) -> OwnCopy:
    one = _copyist().copy(key)
    if one is None:
        abort(404)
    return one


def _back(key: str, place: str = "") -> BaseResponse:
    return redirect(url_for("owncopy.page", key=key) + (f"#{place}" if place else ""), 303)


def _copyist() -> Copyist:
    copyist = services().copyist
    if copyist is None:
        abort(404)
    return copyist
