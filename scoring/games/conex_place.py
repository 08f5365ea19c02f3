"""Where a card of CONEX was laid, and whether the four rules of laying are kept. Pure geometry in millimetres."""

from __future__ import annotations

from dataclasses import dataclass

from scoring.deck import ConexDeck
from scoring.games.conex_options import ConexOptions
from scoring.table import TableState
from scoring.verdicts import Call, Ground, PlacementRuling, Verdict

COLOR = "conex.color"
SINGLE_CONTACT = "conex.single-contact"
CORNER_COVERED = "conex.corner-covered"
OUT_OF_BOUNDS = "conex.out-of-bounds"
NOT_ATTACHED = "conex.not-attached"
EXACT = "conex.exact"
CONEX_RULES = (COLOR, SINGLE_CONTACT, CORNER_COVERED, OUT_OF_BOUNDS, NOT_ATTACHED, EXACT)


@dataclass(frozen=True, slots=True)
class Stated:
    """What a person says of a laid card; None leaves it to the camera.

    Parameters
    ----------
    face
        Face id of the card.
    onto
        What it was laid onto.
    corner
        Index of the corner that was laid.
    call
        Whether it is allowed, whatever the geometry says.
    """

    face: str | None = None
    onto: Ground | None = None
    corner: int | None = None
    call: Call | None = None


def judge_placement(
    table: TableState,
    key: str,
    deck: ConexDeck,
    options: ConexOptions | None = None,
    declared: Stated | None = None,
) -> tuple[PlacementRuling, tuple[Verdict, ...]]:
    """Judge the card of that key as the last one laid.

    Parameters
    ----------
    table
        The settled table with the card on it.
    key
        Key of the laid card; KeyError where the table has none of it.
    deck
        The deck that lies on the table.
    options
        House rules; None plays the defaults.
    declared
        What a person stated about this card.

    Returns
    -------
    PlacementRuling, tuple of Verdict
        The card's ruling, and every rule that was held against it, the kept ones too. A wrong or unclear move is a
        value, never an exception.
    """
    piece = table.placement(key)
    return PlacementRuling(key, piece.face, None, None, Call.UNCERTAIN), ()
