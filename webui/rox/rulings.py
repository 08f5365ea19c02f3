"""Rulings of Rox: a round with its evidence, and the pages on which people correct it."""

from __future__ import annotations

from flask import Blueprint, Response, abort, render_template

from webui.match.live import find
from webui.rox.snapshot import CardView, MatchRox, RowView, RulingView
from webui.services import services

rulings = Blueprint("rulings", __name__)


def _round(match: str, number: int) -> tuple[MatchRox, RulingView]:
    view, _ = find(match)
    if not isinstance(view, MatchRox):
        abort(404)
    ruling = view.round_ruling(number)
    if ruling is None:
        abort(404)
    return view, ruling


def _row(ruling: RulingView, seat: str) -> RowView:
    empty = RowView(seat, (), "uncertain", 0, None, False, (0,))
    return next((row for row in ruling.rows if row.seat == seat), empty)


@rulings.get("/matches/<match>/rounds/<int:number>")
def round_page(match: str, number: int) -> str:
    """A judged round: rows, reasons, evidence, and what can be changed."""
    view, ruling = _round(match, number)
    return render_template("round.html", match=view, ruling=ruling, open_evidence=True, here=False)


@rulings.get("/matches/<match>/rounds/<int:number>/cards/<key>")
def card(match: str, number: int, key: str) -> str:
    """A choice of what a card really is: the likeliest first, then all cards of the deck."""
    view, ruling = _round(match, number)
    found = next(((row, c) for row in ruling.rows for c in row.cards if c.key == key), None)
    if found is None:
        abort(404)
    row, chosen = found
    deck = _faces(view)
    likely = [deck[f] for f in chosen.candidates if f in deck]
    return render_template(
        "card.html", match=view, ruling=ruling, row=row, card=chosen, likely=likely, groups=_groups(deck)
    )


@rulings.get("/matches/<match>/rounds/<int:number>/rows/<seat>")
def row(match: str, number: int, seat: str) -> str:
    """Add, remove or move cards of a row."""
    view, ruling = _round(match, number)
    if view.player(seat) is None:
        abort(404)
    return render_template(
        "row.html", match=view, ruling=ruling, row=_row(ruling, seat), groups=_groups(_faces(view)), here=False
    )


@rulings.get("/matches/<match>/rounds/<int:number>/rows/<seat>/add/<int:place>")
def add(match: str, number: int, seat: str, place: int) -> str:
    """A choice of all cards, for one that is missing at this place of the row."""
    view, ruling = _round(match, number)
    found = _row(ruling, seat)
    if view.player(seat) is None or not 0 <= place <= len(found.cards):
        abort(404)
    return render_template("add.html", match=view, ruling=ruling, row=found, place=place, groups=_groups(_faces(view)))


@rulings.get("/matches/<match>/rounds/<int:number>/awards")
def awards(match: str, number: int) -> str:
    """The players settle a round themselves."""
    view, ruling = _round(match, number)
    return render_template("awards_form.html", match=view, ruling=ruling)


@rulings.get("/matches/<match>/pictures/<picture>")
def picture(match: str, picture: str) -> Response:
    """An evidence picture."""
    found = services().store.picture(match, picture)
    if found is None:
        abort(404)
    response = Response(found.data, mimetype=found.mime)
    response.headers["Cache-Control"] = "private, max-age=86400, immutable"
    return response


def _faces(match: MatchRox) -> dict[str, CardView]:
    """Every element card of the match's deck, as a card that can be shown."""
    return {
        face: CardView(face, face, center, counts, None, "", 1.0, False, False) for face, center, counts in match.faces
    }


def _groups(deck: dict[str, CardView]) -> dict[str, list[CardView]]:
    """The cards by the element on their stone."""
    groups: dict[str, list[CardView]] = {}
    for found in deck.values():
        groups.setdefault(found.center or "", []).append(found)
    return groups
