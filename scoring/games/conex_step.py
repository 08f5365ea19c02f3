"""What happened on a table of CONEX between two settled pictures: a card laid, cards taken off, a push, or nothing."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scoring.moves import Placed, Removed, Shifted, diff
from scoring.table import Placement, Side, TableState

RELAID_MM = 6.0
"""A free card that lies farther than this from where it lay was taken up and laid anew; less is a push."""
STILL_MM = 4.0
"""A card that is gone and one that appeared within this distance of it are one card, read differently."""
CARD_SURE = 0.5
"""What has no name is a laid card only where it is rather a card than not."""


@dataclass(frozen=True, slots=True)
class Step:
    """The difference of two settled tables, as the game sees it.

    Parameters
    ----------
    placed
        The card that was laid, as it lies now, or None.
    removed
        Cards that were taken off, as they lay; a card that was taken up and laid anew is here too.
    shifted
        Cards that were pushed and stay what they are.
    others
        Further cards that were laid in the same step; empty as long as no move was missed.
    """

    placed: Placement | None = None
    removed: tuple[Placement, ...] = ()
    shifted: tuple[Shifted, ...] = ()
    others: tuple[Placement, ...] = ()

    @property
    def relaid(self) -> bool:
        """Whether the laid card is one that lay elsewhere before."""
        return self.placed is not None and any(_same_card(r, self.placed) for r in self.removed)

    @property
    def quiet(self) -> bool:
        """Whether nothing happened that the rules speak of."""
        return self.placed is None and not self.removed


def read_step(before: TableState, after: TableState) -> Step:
    """What happened between two settled tables.

    Parameters
    ----------
    before, after
        Two tables in the order of time, with the keys of one tracker.

    Notes
    -----
    A card is free where no other card lies on it. Only a free card can be taken up, so one that moved together with a
    card on top of it was pushed. Nobody lays two cards: where several moved far at once somebody bumped the table, and
    what moved while a new card was laid was pushed by the hand that laid it.
    """
    moves = diff(before, after)
    gone = [m.piece for m in moves if isinstance(m, Removed) and m.piece.side is not Side.BACK]
    laid = [m.piece for m in moves if isinstance(m, Placed) and _is_card(m.piece)]
    for new in list(laid):
        old = next((g for g in gone if _apart_mm(g, new) <= STILL_MM and _may_be_same(g, new)), None)
        if old is not None:
            laid.remove(new)
            gone.remove(old)
    moved = [m for m in moves if isinstance(m, Shifted)]
    below = {lower for _, lower in before.covers} & {lower for _, lower in after.covers}
    far = [m for m in moved if m.after.key not in below and _lifted(m)]
    if len(far) == 1 and not laid:
        laid.append(far[0].after)
        gone.append(far[0].before)
        moved.remove(far[0])
    # The likeliest first: a card with a name, then the surer one.
    laid.sort(key=lambda p: (p.face is None, -p.confidence, p.key))
    return Step(laid[0] if laid else None, tuple(gone), tuple(moved), tuple(laid[1:]))


def _is_card(piece: Placement) -> bool:
    return piece.side is not Side.BACK and (piece.face is not None or piece.confidence >= CARD_SURE)


def _apart_mm(a: Placement, b: Placement) -> float:
    return max(math.dist(p, q) for p, q in zip(a.corners(), b.corners(), strict=True))


def _may_be_same(a: Placement, b: Placement) -> bool:
    return a.face is None or b.face is None or a.face == b.face or min(a.confidence, b.confidence) < CARD_SURE


def _same_card(a: Placement, b: Placement) -> bool:
    return a.key == b.key or (a.face is not None and a.face == b.face)


def _lifted(move: Shifted) -> bool:
    sigma = math.hypot(move.before.sigma_mm, move.after.sigma_mm)
    return _apart_mm(move.before, move.after) > max(RELAID_MM, 4 * sigma)
