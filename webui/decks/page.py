"""The deck on this table, on the page: which there are, and laying another one."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from scoring.play import Phase
from webui.decks.here import IN_PROGRESS, NAMED, DeckChoice
from webui.inputs import choice
from webui.match.live import respond
from webui.services import services, words
from webui.table.requests import LayDeck, Outcome
from webui.texts import mark

table_deck = Blueprint("table_deck", __name__)

PATIENCE_S = 60.0
"""Reading a deck's pictures takes a while on a slow computer."""


@table_deck.get("/deck")
def page() -> str:
    """The decks that there are; with `ask` the question what becomes of the match that is being played."""
    here = services().runner.deck
    match = services().runner.board.snapshot.match
    asked = next((c for c in here.choices() if c.key == request.args.get("ask")), None)
    return render_template(
        "deck.html",
        choices=here.choices(),
        games=here.games(),
        here=here.key,
        deck=here.deck,
        asked=asked if match is not None and match.phase != Phase.FINISHED else None,
        match=match,
    )


@table_deck.post("/deck")
def lay() -> BaseResponse:
    """Play with another deck from now on."""
    key = choice(request.form, "key", [c.key for c in services().runner.deck.choices()])
    return lay_deck(key, aside="aside" in request.form)


def lay_deck(key: str, *, aside: bool = False) -> BaseResponse:
    """Lay a deck, and go on to a new match, to the one that goes on, or to the question what becomes of it."""
    reply = services().runner.submit(LayDeck(key, aside), PATIENCE_S)
    if reply.outcome is Outcome.REFUSED and reply.message == IN_PROGRESS:
        return redirect(url_for("table_deck.page", ask=key), 303)
    if reply.outcome is not Outcome.DONE:
        return respond(reply, url_for("table_deck.page"))
    match = services().runner.board.snapshot.match
    if match is not None and match.phase != Phase.FINISHED:
        flash(words().gettext(mark("The referee knows the deck anew. This match is judged by it as it began.")))
        return redirect(url_for("live.page", match=match.id), 303)
    return redirect(url_for("matches.new"), 303)


@table_deck.app_template_global()
def deck_name() -> str:
    """What the deck on this table is called."""
    here = services().runner.deck
    known = next((c for c in here.choices() if c.key == here.key), None)
    return here.deck.name if known is None else deck_word(known)


@table_deck.app_template_global()
def is_own_deck() -> bool:
    """Whether the deck on this table was learned from this user's copy."""
    here = services().runner.deck
    return any(c.own and c.key == here.key for c in here.choices())


@table_deck.app_template_global()
def decks_here() -> int:
    """How many decks this table can be played with; 0 where it keeps its own."""
    return len(services().runner.deck.choices())


@table_deck.app_template_global()
def games_here() -> set[str]:
    """The games that can be played at this table without a new start."""
    return services().runner.deck.games()


@table_deck.app_template_global()
def deck_version() -> str:
    """Changes when another deck is laid, so that a browser keeps no pictures of the one before."""
    return f"{services().program}-{services().runner.deck.version}"


@table_deck.app_template_global()
def deck_word(known: DeckChoice) -> str:
    """What a deck is called in the reader's language."""
    own = known.key and (known.own or known.key == NAMED)
    return known.name if own else words().gettext(mark("The printed deck of this program"))
