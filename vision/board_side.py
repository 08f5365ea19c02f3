"""How large a board is that nobody has measured: cards of known size that lie on its plane tell it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.deck import COLOUR_PX_PER_MM, PRINT_PX_PER_MM, DeckAppearance, Look
from vision.plane import Plane
from vision.tokens.token_looks import TokenLooks
from vision.types import Quad

Array = NDArray[np.float64]

_SHAPE = 0.12
"""By how much the shape of an outline may differ from a card's, as a logarithm."""
_AGREE = 0.06
"""Share by which what the cards tell may differ."""
_ONE_CARD = 0.012
"""How far a single card may be off, as a share of its size: how it is cut, and how exactly its edges are found."""
_ALL_CARDS = 0.006
"""How far all of them may be off together: where the picture's blur puts an edge."""
_LIKELY = (0.6, 1.7)
"""Between these parts of what was taken a board's side lies."""


@dataclass(frozen=True, slots=True)
class BoardSide:
    """Side of a board in mm, and its standard deviation."""

    mm: float
    sigma_mm: float


def board_side(plane: Plane, board_px: Quad, cards: Sequence[tuple[Quad, tuple[float, float]]]) -> BoardSide | None:
    """The side of a square board as the cards on its plane tell; None where none does.

    Parameters
    ----------
    plane
        Any plane on which the board is square; its scale may be wrong.
    board_px
        (4, 2) the board's outline.
    cards
        Outline (4, 2) in px and size in mm of what may be cards.
    """
    side = _extent(plane, board_px)
    told = []
    for quad, size in cards:
        across = np.hypot(*(np.roll(laid := plane.unproject(quad), -1, 0) - laid).T)
        width, height = float(across[0] + across[2]) / 2, float(across[1] + across[3]) / 2
        slender = abs(np.log(max(width, height) / max(min(width, height), 1e-6)))
        if abs(slender - abs(np.log(size[1] / size[0]))) < _SHAPE:
            told.append(side * float(np.sqrt(size[0] * size[1] / max(width * height, 1e-6))))
    told = [t for t in told if _LIKELY[0] * side < t < _LIKELY[1] * side]
    if not told:
        return None
    # outlines that are no cards tell any size; cards tell one
    near = max(([u for u in told if abs(np.log(u / t)) < _AGREE] for t in told), key=len)
    if 2 * len(near) <= len(told):
        return None
    spread = float(np.std(near)) if len(near) > 2 else 0.0
    mm = float(np.median(near))
    one = max(_ONE_CARD * mm, 1.25 * spread) / float(np.sqrt(len(near)))
    return BoardSide(mm, float(np.hypot(one, _ALL_CARDS * mm)))


def with_board_side(deck: DeckAppearance, side: BoardSide) -> DeckAppearance:
    """The same deck with a board of another size, which counts as measured."""
    assert deck.board is not None
    own = deck.board
    scale = side.mm / own.size_mm[0]
    look = own.looks[0]
    board = replace(own, size_mm=(side.mm, side.mm), looks=(_of_side(look, side.mm),))
    spaces = tuple(replace(s, region_mm=s.region_mm * scale) for s in deck.spaces)
    tokens = None if deck.tokens is None else _tokens(deck.tokens, scale)
    return replace(deck, board=board, spaces=spaces, tokens=tokens, board_taken=False, board_sigma_mm=side.sigma_mm)


def _of_side(look: Look, side_mm: float) -> Look:
    """The same print on a square of another size."""

    def at_scale(picture: NDArray[np.uint8], px_per_mm: float) -> NDArray[np.uint8]:
        side = round(side_mm * px_per_mm)
        return np.asarray(cv2.resize(picture, (side, side), interpolation=cv2.INTER_AREA), np.uint8)

    return replace(
        look,
        size_mm=(side_mm, side_mm),
        print=at_scale(look.print, PRINT_PX_PER_MM),
        colour=at_scale(look.colour, COLOUR_PX_PER_MM),
    )


def _tokens(tokens: TokenLooks, scale: float) -> TokenLooks:
    board = tokens.board
    if board is None:
        return tokens
    larger = replace(board, size_mm=board.size_mm * scale, track=board.track * scale)
    return replace(tokens, board=larger)


def _extent(plane: Plane, quad: Quad) -> float:
    area = cv2.contourArea(plane.unproject(quad).astype(np.float32))
    return float(np.sqrt(area))
