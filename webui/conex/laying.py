"""Turns of CONEX: the pages on which people see and correct them, the coach, and the playing area."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from flask import Blueprint, abort, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from scoring.deck import ConexDeck
from scoring.games.conex_coach import NoPlace, advise
from scoring.games.conex_options import ConexOptions
from scoring.table import Placement, TableState
from webui.conex.forms import area_in
from webui.conex.plan import card_at, plan_of
from webui.conex.rendering import ground_words
from webui.conex.snapshot import GroundView, MatchConex, TurnConex
from webui.conex.snapshot_plan import FaceView, PlanCard, PlanSpot, PlanView
from webui.conex.texts import NO_PLACE, RULES, SYMBOLS
from webui.match.live import find, respond
from webui.services import services, words
from webui.shown.snapshot import Snapshot
from webui.table.requests import AgreeArea

laying = Blueprint("laying", __name__)

SPOTS_MAX = 6
NEAR_MAX = 9
LESSONS = ("conex.not-attached", "conex.color", "conex.single-contact", "conex.corner-covered")
"""What a newcomer learns with the first cards; the border is explained where it stands in the way."""


def turn_page(view: MatchConex, number: int) -> str:
    """A turn: what was laid, why it is judged so, and what can be changed."""
    return render_template("conex/turn.html", match=view, turn=_turn(view, number))


@laying.get("/matches/<match>/turns/<int:number>/cards/<key>")
def card(match: str, number: int, key: str) -> str:
    """A choice of what a card of that turn really is: the likeliest first, then all cards of the deck."""
    view, _ = _match(match)
    turn = _turn(view, number)
    found = next((c for c in turn.plan.cards if c.key == key), None) if turn.plan is not None else None
    if found is None:
        abort(404)
    names = turn.laid.faces if turn.laid is not None and turn.laid.key == key else ()
    likely = [view.faces[f] for f in names if f in view.faces]
    return render_template(
        "conex/card.html", match=view, turn=turn, card=found, likely=likely, groups=_by_color(view.faces.values())
    )


@laying.get("/matches/<match>/turns/<int:number>/ground")
def ground(match: str, number: int) -> str:
    """A choice of the corner that was laid and of what it lies on."""
    view, _ = _match(match)
    turn = _turn(view, number)
    if turn.laid is None:
        abort(404)
    return render_template("conex/ground.html", match=view, turn=turn, near=_near(turn))


@laying.get("/matches/<match>/turns/<int:number>/points")
def points(match: str, number: int) -> str:
    """The players settle a turn themselves."""
    view, _ = _match(match)
    return render_template("conex/points.html", match=view, turn=_turn(view, number))


@laying.get("/matches/<match>/counts")
def counts(match: str) -> str:
    """Hands, pile and stars, to be put right."""
    view, _ = _match(match)
    return render_template("conex/counts.html", match=view)


@laying.get("/matches/<match>/area")
def area(match: str) -> str:
    """The playing area, drawn over the live picture."""
    view, shown = _match(match)
    if shown is None:
        abort(404)
    runner = services().runner
    size, proposed = runner.area_of_picture()
    now = next((m.points for m in shown.conex.marks if m.kind == "area"), ()) if shown.conex is not None else ()
    teacher = services().teacher
    drawn = teacher.place().area_in(size) if teacher is not None and not now else ()
    return render_template("conex/area.html", match=view, size=size, area=now or drawn, proposed=proposed)


@laying.post("/matches/<match>/area")
def agree(match: str) -> BaseResponse:
    """From now on this is the playing area."""
    size, _ = services().runner.area_of_picture(propose=False)
    asked = AgreeArea(match, area_in(request.form, size))
    return respond(services().runner.submit(asked), url_for("live.page", match=match))


@laying.get("/matches/<match>/coach")
def coach(match: str) -> str:
    """Where a card could be laid on today's table, best first."""
    view, shown = _match(match)
    live = shown.conex if shown is not None else None
    asked = request.args.get("face", "")
    face = view.faces.get(asked)
    if asked and face is None:
        abort(404)
    loose = [view.faces[f] for f in (live.loose if live is not None else ()) if f in view.faces]
    table, deck = (live.table, live.deck) if live is not None else (None, None)
    if face is None or table is None or deck is None:
        lying = {c.face.id for c in view.plan.cards if c.face is not None and c.mark != "down"}
        groups = _by_color(f for f in view.faces.values() if f.id not in lying)
        return render_template("conex/coach.html", match=view, face=None, loose=loose, groups=groups)
    spots, never, plan = _advice(view, table, deck, face)
    lessons = [[words().gettext(text) for text in lesson] for lesson in _lessons(table, face, never)]
    told = [(w.corner, _why(w), words().gettext(RULES[w.rule][0]) if w.rule else "") for w in never]
    return render_template(
        "conex/coach.html", match=view, face=face, spots=spots, never=told, plan=plan, lessons=lessons, loose=loose
    )


def _lessons(table: TableState, face: FaceView, never: tuple[NoPlace, ...]) -> list[tuple[str, str]]:
    """What matters for this card on this table: its symbol, and one rule.

    The rule is the one that stands in a corner's way; else the next one to learn as the table grows.
    """
    lying = sum(p.face != face.id for p in table.placements)
    hindering = [w.rule for w in never if w.rule in RULES]
    rule = hindering[0] if hindering else LESSONS[min(lying, len(LESSONS) - 1)]
    symbol = SYMBOLS.get(face.symbol or "")
    return [*([symbol] if symbol else []), RULES[rule or LESSONS[0]]]


def _why(lost: NoPlace) -> str:
    return words().gettext(NO_PLACE.get(lost.why, lost.why))


def _advice(
    view: MatchConex, table: TableState, deck: ConexDeck, face: FaceView
) -> tuple[tuple[PlanSpot, ...], tuple[NoPlace, ...], PlanView]:
    """Places, corners without a place, and the plan with the places drawn in."""
    found, never = advise(table, face.id, deck, ConexOptions.of(view.options), SPOTS_MAX)
    pieces = {p.key: view.faces.get(p.face or "") for p in table.placements}
    spots = []
    for n, s in enumerate(found, start=1):
        onto = GroundView(s.ground.key, pieces.get(s.ground.key or ""), s.ground.space, _space(deck, s.ground.space))
        lying = card_at(Placement(f"+{n}", face.id, s.pose, deck.card_mm), face, "spot")
        spots.append(PlanSpot(n, s.points, s.corner, ground_words(onto), s.bonus, lying))
    rest = TableState(
        tuple(p for p in table.placements if p.face != face.id),
        table.view,
        table.covers,
        table.board,
        table.tokens,
        table.area,
    )
    return tuple(spots), never, plan_of(rest, deck, view.faces, spots=spots)


def _space(deck: ConexDeck, space: int | None) -> str | None:
    return deck.board.spaces[space].color if space is not None and space < len(deck.board.spaces) else None


def _match(match: str) -> tuple[MatchConex, Snapshot | None]:
    view, shown = find(match)
    if not isinstance(view, MatchConex):
        abort(404)
    return view, shown


def _turn(view: MatchConex, number: int) -> TurnConex:
    turn = view.turn_of(number)
    if turn is None:
        abort(404)
    return turn


def _by_color(faces: Iterable[FaceView]) -> dict[str, list[FaceView]]:
    groups: dict[str, list[FaceView]] = {}
    for face in faces:
        groups.setdefault(face.color, []).append(face)
    return groups


def _near(turn: TurnConex) -> list[PlanCard]:
    """Cards that the laid one might lie on, the nearest first."""
    cards: Mapping[str, PlanCard] = {c.key: c for c in turn.plan.cards} if turn.plan is not None else {}
    laid = cards.get(turn.laid.key) if turn.laid is not None else None
    if laid is None:
        return []
    others = [c for c in cards.values() if c.key != laid.key and c.mark != "down"]
    return sorted(others, key=lambda c: (c.x - laid.x) ** 2 + (c.y - laid.y) ** 2)[:NEAR_MAX]
