"""Pages for newcomers."""

from __future__ import annotations

from flask import Blueprint, abort, render_template, request

from scoring.deck import CactusDeck, ConexDeck, RoxDeck, RoxFace
from webui.cactus.lesson import STEPS, lesson
from webui.cactus.stand import set_view
from webui.conex.plan import deck_view, face_view
from webui.rox.snapshot import CardView
from webui.services import services

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


@help_pages.get("/help/cactus")
def cactus() -> str:
    """How to play Cactus, with pieces of this table's set."""
    deck = services().deck
    if not isinstance(deck, CactusDeck):
        abort(404)
    look = set_view(deck)
    first = lesson(deck, STEPS.index("take") + 1)
    same = next((c.piece for c in first.choices if c.answer == "right"), None) if first is not None else None
    pair = (first.last, same) if first is not None and same is not None else ()
    return render_template("cactus/rules.html", look=look, pair=pair)


@help_pages.get("/help/cactus/lesson")
def cactus_lesson() -> str:
    """One step of the lesson; `answer` is what was chosen."""
    deck = services().deck
    number = request.args.get("step", 1, type=int)
    found = lesson(deck, number, request.args.get("answer", "")) if isinstance(deck, CactusDeck) else None
    if found is None or not isinstance(deck, CactusDeck):
        abort(404)
    return render_template("cactus/lesson.html", look=set_view(deck), lesson=found, steps=len(STEPS))


def _view(face: RoxFace) -> CardView:
    counts = tuple(sorted(face.edge.items(), key=lambda item: -item[1]))
    return CardView(face.id, face.id, face.center, counts, None, "", 1.0, False, False)
