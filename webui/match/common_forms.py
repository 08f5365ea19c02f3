"""Fields that the forms of every game have: who plays, who starts, and of which round something is stated."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from scoring.commands import CreateMatch, Declare
from scoring.deck import Deck
from scoring.events import OptionValue, Player
from scoring.moves import Declaration
from webui.inputs import TEXT_MAX, BadInputError, Form, number, text
from webui.log.store import now

NAME_MAX = 24

Pawn = Callable[[str], str | None]


def no_pawn(seat: str) -> str | None:
    """Most games have no pawns."""
    return None


def players_in(form: Form, seats: Sequence[str], pawn: Pawn = no_pawn) -> tuple[Player, ...]:
    """The players of a new match, in the order of the seats; raises BadInputError.

    Parameters
    ----------
    form
        Fields: ``player-`` and the seat, empty where nobody sits.
    seats
        Possible seats.
    pawn
        Colour of the pawn of a seat that is taken.
    """
    players = tuple(
        Player(name, seat, pawn(seat)) for seat in seats if (name := text(form, f"player-{seat}", NAME_MAX, empty=True))
    )
    if len(players) < 2:
        raise BadInputError("Name at least two players.")
    return players


def check_starter(players: Sequence[Player], start: str) -> None:
    """Raises BadInputError where nobody sits there."""
    if all(p.seat != start for p in players):
        raise BadInputError("Nobody sits where the start player should sit.")


def new_match(
    form: Form, deck: Deck, players: tuple[Player, ...], options: dict[str, OptionValue]
) -> tuple[str, CreateMatch]:
    """Title and command of a new match; raises BadInputError."""
    title = text(form, "title", TEXT_MAX, empty=True) or ", ".join(p.name for p in players)
    return title, CreateMatch(now(), deck.game, players, deck, options)


def declare(form: Form, at: str, what: Declaration) -> Declare:
    """The statement, about the round (or turn) of the field `round`, else about the running one."""
    return Declare(at, what, number(form, "round") if form.get("round") else None)
