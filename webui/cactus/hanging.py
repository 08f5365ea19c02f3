"""Turns of Cactus: the pages on which people see and correct them, and what no camera sees."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from flask import Blueprint, abort, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from webui.cactus.snapshot import MatchCactus, TurnCactus
from webui.cactus.snapshot_stand import HungView, PieceView
from webui.inputs import BadInputError
from webui.inputs import number as whole_number
from webui.match.live import find, respond
from webui.services import services
from webui.table.requests import SecondPhoto

hanging = Blueprint("hanging", __name__)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two things that must not touch: what makes it so, the hung pieces, and what is said of them now, or empty."""

    kind: str
    a: HungView
    b: HungView | None
    call: str
    gap_mm: float | None = None


def turn_page(view: MatchCactus, number: int) -> str:
    """A turn: what was hung, why it is judged so, and what can be changed."""
    return render_template("cactus/turn.html", match=view, turn=_turn(view, number))


@hanging.get("/matches/<match>/hangs/<int:number>/pieces/<path:key>")
def piece(match: str, number: int, key: str) -> str:
    """A choice of what a hung piece really is: those that may be taken first, then all of the set."""
    view = _match(match)
    turn = _turn(view, number)
    found = turn.scene.hung(key) if turn.scene is not None else None
    if found is None:
        abort(404)
    job = view.job("take")
    likely = job.pieces if job is not None and turn is view.turn else ()
    return render_template("cactus/piece.html", match=view, turn=turn, hung=found, likely=likely)


@hanging.get("/matches/<match>/where/<path:piece>")
def where(match: str, piece: str) -> str:
    """A choice of the cactus on which a piece hangs."""
    view = _match(match)
    found = view.look.pieces.get(piece)
    if found is None or view.turn is None:
        abort(404)
    return render_template("cactus/where.html", match=view, piece=found, due=_due(view))


@hanging.get("/matches/<match>/hangs/<int:number>/die")
def die(match: str, number: int) -> str:
    """What the die of the running turn showed."""
    view = _match(match)
    turn = _turn(view, number)
    if turn is not view.turn or turn.rolled is None:
        abort(404)
    return render_template("cactus/die.html", match=view, turn=turn)


@hanging.get("/matches/<match>/hangs/<int:number>/falls")
def falls(match: str, number: int) -> str:
    """What fell in a turn."""
    view = _match(match)
    turn = _turn(view, number)
    before = _before(view, turn)
    return render_template("cactus/falls.html", match=view, turn=turn, pieces=before, own=turn.piece)


@hanging.get("/matches/<match>/hangs/<int:number>/contacts")
def contacts(match: str, number: int) -> str:
    """What touches what on the cactus of a turn."""
    view = _match(match)
    turn = _turn(view, number)
    return render_template("cactus/contacts.html", match=view, turn=turn, pairs=_pairs(view, turn))


@hanging.get("/matches/<match>/stock")
def stock(match: str) -> str:
    """Flowers and the row of special pieces, to be put right."""
    return render_template("cactus/stock.html", match=_match(match))


@hanging.post("/matches/<match>/second")
def second(match: str) -> BaseResponse:
    """Hold a photo from another place against the picture that was judged."""
    sent = request.files.get("photo")
    data = sent.read() if sent is not None else b""
    if not data:
        raise BadInputError("The field photo must be a picture.")
    asked = SecondPhoto(match, whole_number(request.form, "seq"), data)
    return respond(services().runner.submit(asked), url_for("live.page", match=match))


def _match(match: str) -> MatchCactus:
    view, _ = find(match)
    if not isinstance(view, MatchCactus):
        abort(404)
    return view


def _turn(view: MatchCactus, number: int) -> TurnCactus:
    turn = view.turn_of(number)
    if turn is None:
        abort(404)
    return turn


def _due(view: MatchCactus) -> tuple[str, ...]:
    job = view.job("hang")
    return tuple(c.id for c in job.cacti) if job is not None else ()


def _before(view: MatchCactus, turn: TurnCactus) -> list[tuple[PieceView, str, str]]:
    """Pieces that hung when the turn began, with the cactus and what became of them."""
    shown: list[tuple[PieceView, str, str]] = []
    down = {p.id: "fell" for p in turn.fallen} | {p.id: "late" for p in turn.late}
    for stand in turn.scene.stands if turn.scene is not None else ():
        for h in stand.hung:
            if h.piece is not None and h.key != turn.key:
                shown.append((h.piece, stand.cactus.id, down.pop(h.piece.id, "hangs")))
    return [*((view.look.pieces[p], "", what) for p, what in down.items()), *shown]


def _pairs(view: MatchCactus, turn: TurnCactus) -> list[Pair]:
    """Every pair of one colour or one shape on the cactus of the turn; and the piece with base and table."""
    stand = turn.scene.stand(turn.cactus.id) if turn.scene is not None and turn.cactus is not None else None
    if stand is None:
        return []
    known = {(t.kind, frozenset((t.a, t.b))): t for t in stand.touches}
    found = []

    def add(kind: str, a: HungView, b: HungView | None) -> None:
        touch = known.get((kind, frozenset((a.key, b.key if b is not None else None))))
        found.append(Pair(kind, a, b, touch.call if touch else "", touch.gap_mm if touch else None))

    specials = view.options.get("specials") != "none"
    for a, b in combinations([h for h in stand.hung if h.piece is not None], 2):
        assert a.piece is not None
        assert b.piece is not None
        if a.piece.color == b.piece.color and (specials or not (a.piece.special or b.piece.special)):
            add("same-color", a, b)
        if a.piece.shape is not None and a.piece.shape == b.piece.shape:
            add("same-shape", a, b)
    own = next((h for h in stand.hung if h.key == turn.key), None)
    if own is not None:
        add("base", own, None)
        add("table", own, None)
    return found
