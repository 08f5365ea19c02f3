"""Pages for newcomers."""

from __future__ import annotations

from flask import Blueprint, abort, render_template

from scoring.deck import ConexDeck, RoxDeck, RoxFace
from webui.plan import deck_view, face_view
from webui.services import services
from webui.snapshot import CardView

help_pages = Blueprint("help", __name__)


@help_pages.get("/help/rox")
def rox() -> str:
    """How to play Rox, with cards of this table's deck."""
    deck = services().deck
    if not isinstance(deck, RoxDeck):
        abort(404)
    faces = list(deck.faces.values())
    first = faces[0]
    fits = next((f for f in faces if f.center == first.leader and f.id != first.id), None)
    fails = next((f for f in faces if f.center not in (first.leader, first.center)), None)
    return render_template(
        "rox.html", first=_view(first), fits=_view(fits) if fits else None, fails=_view(fails) if fails else None
    )


@help_pages.get("/help/conex")
def conex() -> str:
    """How to play CONEX, with a card of this table's deck."""
    deck = services().deck
    if not isinstance(deck, ConexDeck):
        abort(404)
    example = next((face_view(f) for f in deck.faces.values() if f.symbol is None), None)
    return render_template("conex/rules.html", look=deck_view(deck), example=example)


def _view(face: RoxFace) -> CardView:
    counts = tuple(sorted(face.edge.items(), key=lambda item: -item[1]))
    return CardView(face.id, face.id, face.center, counts, None, "", 1.0, False, False)
