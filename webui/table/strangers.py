"""Whether another deck lies on the table than the one that is played with."""

from __future__ import annotations

from scoring.table import Side, TableState

CARD_SURE = 0.5
"""An outline counts where it is rather a card than not."""
STRANGERS_MIN = 3
"""So many unknown cards are no accident; fewer are, unless even the board is missing."""
KNOWN_SHARE_MAX = 0.125
"""Share of the cards with a name up to which hardly one is of the deck."""


def strangers(table: TableState, *, board: bool = False) -> int:
    """How many cards lie open on a table where none, or hardly one, is of the deck; 0 where that is not so.

    Parameters
    ----------
    table
        What lies there, as it was read with that deck.
    board
        Whether the deck has a board.
    """
    open_ = [p for p in table.placements if p.side is not Side.BACK and p.confidence >= CARD_SURE]
    known = sum(p.face is not None for p in open_)
    least = STRANGERS_MIN - 1 if board and table.board is None else STRANGERS_MIN
    return len(open_) if len(open_) - known >= least and known <= KNOWN_SHARE_MAX * len(open_) else 0
