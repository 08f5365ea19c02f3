"""What the rules need to know of a copy of a game: colours, values and sizes. No picture is opened here.

A deck folder's ``deck.json`` is read by the loader and passed to `parse_deck` as plain data. Each game's part of the
format stands in a module of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scoring.deck_cactus import Cactus, CactusBase, CactusDeck, CactusPiece, parse_cactus
from scoring.deck_check import Check, show
from scoring.deck_conex import (
    MOST_CORNERS,
    PAWN_COLOURS,
    ConexBoard,
    ConexDeck,
    ConexFace,
    Corner,
    Space,
    Star,
    is_face,
    parse_conex,
)
from scoring.deck_rox import RoxDeck, RoxFace, ScoringCard, parse_rox

__all__ = [
    "FORMAT",
    "GAMES",
    "MOST_CORNERS",
    "PAWN_COLOURS",
    "Cactus",
    "CactusBase",
    "CactusDeck",
    "CactusPiece",
    "ConexBoard",
    "ConexDeck",
    "ConexFace",
    "Corner",
    "Deck",
    "RoxDeck",
    "RoxFace",
    "ScoringCard",
    "Space",
    "Star",
    "is_face",
    "parse_deck",
]

FORMAT = 1
GAMES = ("rox", "conex", "cactus")
_PARSERS: Mapping[str, Callable[[Check, Mapping[str, Any]], RoxDeck | ConexDeck | CactusDeck]] = {
    "rox": parse_rox,
    "conex": parse_conex,
    "cactus": parse_cactus,
}

# RoxDeck stays first: a log of the time when it was the only deck holds decks that do not say their type.
Deck = RoxDeck | ConexDeck | CactusDeck
"""Any deck."""


def parse_deck(data: object, where: str) -> Deck:
    """Check the content of a ``deck.json`` and give it its type.

    Parameters
    ----------
    data
        The parsed JSON.
    where
        Name of the file, for messages.

    Raises
    ------
    DeckError
        With the file, the key and the mend, for the first thing that is wrong.
    """
    check = Check(where)
    top = check.mapping("", data)
    if top.get("format") != FORMAT:
        check.fail("format", f"must be {FORMAT}, this deck says {show(top.get('format'))}")
    game = top.get("game")
    if game not in GAMES:
        check.fail("game", f"must be one of {', '.join(GAMES)}, this deck says {show(game)}")
    return _PARSERS[game](check, top)
