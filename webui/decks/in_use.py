"""Which decks matches are still being played with."""

from __future__ import annotations

from scoring.deck import Deck
from scoring.errors import RefereeError
from scoring.events import decode
from scoring.match import fold
from scoring.play import Phase
from webui.decks.here import alike
from webui.log.database import StoreError
from webui.log.store import Store

LOOKED_AT_MAX = 50
"""So many of the latest matches with a deck of that name are looked at."""


def is_played_with(store: Store, deck: Deck) -> bool:
    """Whether a match that is not over is played with a deck."""
    try:
        known = [r for r in store.matches() if r.game == deck.game and r.deck == deck.name[:200]]
        return any(_needs(store, r.id, deck) for r in known[:LOOKED_AT_MAX])
    except StoreError:
        return True  # nobody can tell


def _needs(store: Store, match: str, deck: Deck) -> bool:
    try:
        state = fold(tuple(decode(dict(e.body)) for e in store.events(match)))
    except RefereeError:
        return False
    return state.phase is not Phase.FINISHED and state.deck is not None and alike(state.deck, deck)
