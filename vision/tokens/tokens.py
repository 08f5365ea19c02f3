"""The small things on a table that are no cards: pawns on the board's track and stars.

A die's face is not read here: no deck says what the faces of its die look like, so it is declared on the page.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from scoring.table import BOARD, TokenKind
from vision.cards.rectify import apply
from vision.plane import Plane
from vision.tokens.flat_card import CardInView
from vision.tokens.pawns import find_pawns
from vision.tokens.stars import StarReader
from vision.tokens.token_looks import TokenLooks
from vision.types import Rgb

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TokenReading:
    """A small thing as read in one picture.

    Parameters
    ----------
    kind
        Pawn or star.
    name
        Colour of the pawn or kind of the star.
    at_px
        Where its base stands, or its middle lies.
    on
        `BOARD` for a pawn on it, the card's key for a star on a card, None elsewhere (a star on the board as well).
    square
        Index on the track that the pawn stands on, or None where that could not be told.
    confidence
        Probability that name, `on` and `square` are right.
    """

    kind: TokenKind
    name: str
    at_px: tuple[float, float]
    on: str | None
    square: int | None
    confidence: float


def read_tokens(
    rgb: Rgb,
    board_to_px: Array | Callable[[Array], Array] | None,
    plane: Plane,
    cards: Sequence[CardInView],
    deck: TokenLooks,
) -> tuple[TokenReading, ...]:
    """Pawns and stars of one picture; what cannot be read is left out, not guessed.

    Parameters
    ----------
    rgb
        (H, W, 3) picture.
    board_to_px
        (3, 3) homography, or function (n, 2) -> (n, 2), from mm on the board's face to px; None where no board was
        found, and then no pawn is read.
    plane
        The table's plane.
    cards
        The cards that were found.
    deck
        What the small things look like, see `vision.tokens.token_looks.load_token_looks`.

    Returns
    -------
    tuple of TokenReading
        Pawns first; at most one a colour and one a kind of star.
    """
    readings: list[TokenReading] = []
    boards = []
    if board_to_px is not None and deck.board is not None:
        to_px = board_to_px if callable(board_to_px) else _mapping(board_to_px)
        side = deck.board.size_mm
        boards.append(to_px(np.array([[0, 0], [side, 0], [side, side], [0, side]], float)))
        for pawn in find_pawns(rgb, to_px, plane, [np.asarray(c.quad_px, float) for c in cards], deck):
            below = BOARD if min(pawn.at_mm) >= 0 and max(pawn.at_mm) <= side else None
            readings.append(TokenReading(TokenKind.PAWN, pawn.name, pawn.at_px, below, pawn.square, pawn.confidence))
    for star in _reader(deck).find(rgb, plane, cards, boards):
        readings.append(TokenReading(TokenKind.STAR, star.kind, star.at_px, star.on, None, star.confidence))
    return tuple(readings)


def _mapping(H: Array) -> Callable[[Array], Array]:
    return lambda points: apply(H, points)


@lru_cache(maxsize=8)
def _reader(deck: TokenLooks) -> StarReader:
    return StarReader(deck)
