"""One report a game: who tells the tables of which game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from scoring.deck import CactusDeck, ConexDeck, Deck, RoxDeck
from scoring.errors import RefereeError
from scoring.events import OptionValue
from webui.cactus.report import CactusReport
from webui.conex.report import ConexReport
from webui.reports import Report
from webui.rox.report import RoxReport

Options = Mapping[str, OptionValue]
D = TypeVar("D")


def _rox(deck: Deck, options: Options, turns: bool) -> Report:
    return RoxReport(_of(RoxDeck, deck, "rox"), options)


def _conex(deck: Deck, options: Options, turns: bool) -> Report:
    return ConexReport(_of(ConexDeck, deck, "conex"), options)


def _cactus(deck: Deck, options: Options, turns: bool) -> Report:
    return CactusReport(_of(CactusDeck, deck, "cactus"), turns=turns)


def _of(kind: type[D], deck: Deck, game: str) -> D:
    """The deck, which must be of that game."""
    if not isinstance(deck, kind):
        raise RefereeError(f"{deck.name}: a deck of {deck.game}; give one of {game}")
    return deck


REPORTS: Mapping[str, Callable[[Deck, Options, bool], Report]] = {"rox": _rox, "conex": _conex, "cactus": _cactus}
"""One entry a game of `scoring.rules.GAMES`."""


def check_told(game: str) -> None:
    """Raises RefereeError where this version cannot tell that game."""
    if game not in REPORTS:
        raise RefereeError(f"{game}: not yet in this version of table-referee, which plays {', '.join(REPORTS)}")


def report_of(deck: Deck, options: Options | None = None, *, turns: bool = False) -> Report:
    """A new report on a table of that deck; raises RefereeError where this version cannot tell its game.

    `turns` says that each table is one turn later than the one before, where the game has turns.
    """
    check_told(deck.game)
    return REPORTS[deck.game](deck, options or {}, turns)
