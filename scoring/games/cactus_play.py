"""The state of a match of Cactus: its turns, and what follows from them.

Only what happened is kept. Flowers, the supply, the row of specials, what the next player must do and the end are
worked out anew from the turns, so a turn that is corrected later corrects all that came of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from scoring.deck_cactus import CactusDeck
from scoring.events import Player
from scoring.games.cactus_count import Totals, hung, totals
from scoring.games.cactus_flowers import Bank
from scoring.games.cactus_options import SEATS, CactusOptions
from scoring.games.cactus_stand import stand_of
from scoring.games.cactus_turn import Setting, TurnRecord
from scoring.games.turns import TurnByTurn
from scoring.moves import CactusDie, DeclaredFlowers
from scoring.seats import beginning_with, taken
from scoring.table import TableState

__all__ = ["SEATS", "CactusPlay", "Ending", "Ledger", "TurnRecord", "allowed", "ending_of", "ledger_of"]


@dataclass(frozen=True, slots=True)
class Ledger:
    """What the turns add up to.

    Parameters
    ----------
    bank
        Everybody's flowers and the reserve.
    changes
        What each turn that counts changed, in flowers, by seat and in order.
    hung
        Cactus of each piece that hangs, by ids, with the piece that is being judged.
    totals
        How many hang on all cacti, by colour and by shape.
    supply
        Basic pieces that can be taken, in the order of the set.
    discarded
        Basic pieces that are out of the game, in the order of their falls.
    row
        The row of special pieces, the leftmost first.
    last, last_basic
        The piece placed last, and the basic one placed last; None before the first. A piece that has fallen meanwhile
        is still the one placed last.
    cactus
        The cactus of the turn before; None before the first.
    """

    bank: Bank
    changes: Mapping[str, tuple[int, ...]]
    hung: Mapping[str, str]
    totals: Totals
    supply: tuple[str, ...]
    discarded: tuple[str, ...]
    row: tuple[str, ...]
    last: str | None = None
    last_basic: str | None = None
    cactus: str | None = None


class Ending(StrEnum):
    """Why a match is over: three printed reasons, or the players said so."""

    FLOWERS = "flowers"
    BASICS = "basics"
    SPECIALS = "specials"
    AGREED = "agreed"
    EARLY = "early"


@dataclass(frozen=True, slots=True)
class CactusPlay(TurnByTurn[TurnRecord]):
    """A match of Cactus as it stands.

    Parameters
    ----------
    players, options, deck
        As the match began.
    start
        The table at the beginning, or None before it was seen.
    turns
        All turns so far; the running one last, unless the match is over.
    stopped
        Why the players ended it, or None.
    """

    players: tuple[Player, ...]
    options: CactusOptions
    deck: CactusDeck
    start: TableState | None = None
    turns: tuple[TurnRecord, ...] = ()
    stopped: Ending | None = None

    @property
    def seats(self) -> tuple[str, ...]:
        """Taken seats in the order of play: clockwise from the first player."""
        sitting = taken(SEATS, self.players)
        return beginning_with(sitting, self.options.start or sitting[0])

    @property
    def order(self) -> tuple[str, ...]:
        """The cacti clockwise as seen from above."""
        seen = self.start.cacti if self.start is not None else ()
        complete = sorted(seen) == sorted(self.deck.cacti)
        return self.options.cacti or (seen if complete else tuple(self.deck.cacti))

    @property
    def ledger(self) -> Ledger:
        """Flowers, supply, row and totals now."""
        return ledger_of(self, self.turns)

    @property
    def ending(self) -> Ending | None:
        """Why the match is over, or None while it runs."""
        return self.stopped or ending_of(self, self.turns)

    @property
    def can_reroll(self) -> bool:
        """Whether the match is over by a roll that could be repeated: basic pieces are left, but none that it asks for.

        What was rolled is in the last turn.
        """
        last = self.turns[-1] if self.turns else None
        if self.stopped is not None or last is None or not last.closed or last.confirmed or last.rolled is None:
            return False
        return bool(self.ledger.supply)

    @property
    def early(self) -> bool:
        """Whether the players stopped before the end."""
        return self.stopped is Ending.EARLY

    @property
    def table(self) -> TableState | None:
        """What hangs as the match knows it."""
        return self.turns[-1].known if self.turns else self.start

    def after(self, cactus: str | None) -> str | None:
        """The next cactus clockwise; None after none."""
        if cactus not in self.order:
            return None
        return self.order[(self.order.index(cactus) + 1) % len(self.order)]


def ledger_of(play: CactusPlay, turns: tuple[TurnRecord, ...]) -> Ledger:
    """What these turns add up to; a turn that does not count yet shows in what hangs, not in the flowers."""
    deck = play.deck
    bank = Bank.of(play.seats)
    changes: dict[str, tuple[int, ...]] = dict.fromkeys(play.seats, ())
    row = list(_row(play))
    where = {} if play.start is None else hung(play.start, deck)
    discarded: list[str] = []
    last, last_basic, cactus = None, None, None
    for turn in turns:
        bank, row = _set(turn.settings, bank, row)
        gone = turn.gone
        if turn is turns[-1]:
            gone, where = _state(play, turn)
        for piece in gone:
            if deck.pieces[piece].special:
                row = [*(p for p in row if p != piece), piece]
            elif play.options.fallen == "discard":
                discarded.append(piece)
        if turn.confirmed:
            bank, changes[turn.seat] = _counted(turn, bank, changes[turn.seat])
            there = turn.hung_on
            if turn.own is not None and there is not None:
                last, cactus = turn.own, there
                last_basic = last_basic if deck.pieces[turn.own].special else turn.own
                row = [p for p in row if p != turn.own]
            else:
                cactus = play.after(cactus)
        bank, row = _set(turn.afterwards, bank, row)
    row = [p for p in row if p not in where]
    away = {*where, *discarded}
    supply = tuple(p.id for p in deck.pieces.values() if not p.special and p.id not in away)
    hanging = totals(deck, where, play.options.specials_count)
    return Ledger(bank, changes, where, hanging, supply, tuple(discarded), tuple(row), last, last_basic, cactus)


def allowed(play: CactusPlay, ledger: Ledger, die: CactusDie | None) -> tuple[str, ...]:
    """Pieces that may be taken after that roll (None: no roll, the first piece), in the order of the set."""
    pieces = play.deck.pieces
    if die is CactusDie.SPECIAL:
        return ledger.row[:1]
    if die is CactusDie.COLOR and ledger.last is not None:
        return tuple(p for p in ledger.supply if pieces[p].color == pieces[ledger.last or ""].color)
    if die is CactusDie.SHAPE and ledger.last_basic is not None:
        return tuple(p for p in ledger.supply if pieces[p].shape == pieces[ledger.last_basic or ""].shape)
    return ledger.supply


def ending_of(play: CactusPlay, turns: tuple[TurnRecord, ...]) -> Ending | None:
    """Why the match is over after these turns, or None.

    A roll for which no basic piece is left ends it at once; the flowers and the special pieces end it when the turn in
    which they ran out is done.
    """
    if not turns:
        return None
    last = turns[-1]
    if last.closed and not last.confirmed:
        return Ending.BASICS
    if not last.closed:
        return None
    ledger = ledger_of(play, turns)
    if ledger.bank.run_out:
        return Ending.FLOWERS
    return Ending.SPECIALS if play.deck.specials and not ledger.row else None


def _state(play: CactusPlay, turn: TurnRecord) -> tuple[tuple[str, ...], dict[str, str]]:
    """What hangs no more after a turn (so far), and what hangs."""
    if turn.left is not None:
        return turn.gone, hung(turn.left, play.deck)
    stand = stand_of(play.deck, turn, play.options.sure)
    return stand.gone, dict(stand.hung)


def _row(play: CactusPlay) -> tuple[str, ...]:
    """The row of specials at the beginning: stated, else as they lie if all are seen, else as the set has them."""
    deck, sure = play.deck, play.options.sure
    specials = deck.specials
    if play.options.row or play.start is None:
        return play.options.specials_row or specials
    hanging = hung(play.start, deck)
    lying = {
        p.face: p.pose.x_mm
        for p in play.start.placements
        if p.face in specials and p.pose.plane not in deck.cacti and p.confidence >= sure
    }
    seen = sorted((p for p in specials if p in lying), key=lambda p: lying[p])
    return tuple(seen) if len(seen) == len([p for p in specials if p not in hanging]) else specials


def _counted(turn: TurnRecord, bank: Bank, changes: tuple[int, ...]) -> tuple[Bank, tuple[int, ...]]:
    """The bank after what a turn cost and then brought, and the changes of its seat with that turn."""
    before = bank.purses[turn.seat].value
    if turn.ruling is not None:
        bank = bank.take(turn.seat, sum(p.points for p in turn.ruling.penalties))
        bank = bank.give(turn.seat, sum(a.points for a in turn.ruling.awards))
    return bank, (*changes, bank.purses[turn.seat].value - before)


def _set(settings: tuple[Setting, ...], bank: Bank, row: list[str]) -> tuple[Bank, list[str]]:
    for what in settings:
        if isinstance(what, DeclaredFlowers):
            bank = bank.hold(what.seat, what.flowers)
        else:
            # The special piece of this turn is in nobody's row any more, and was the leftmost.
            row = [*(p for p in row if p not in what.pieces), *what.pieces]
    return bank, row
