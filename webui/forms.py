"""Form fields to commands. Whatever a browser sends is checked here; what is wrong becomes one clear sentence."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.commands import (
    CallEnd,
    Command,
    ConfirmRound,
    CreateMatch,
    DealScoring,
    Declare,
    FinishMatch,
    StartRace,
    Undo,
)
from scoring.deck import CactusDeck, ConexDeck, Deck
from scoring.events import DealtCard, OptionValue, Player
from scoring.games.rox import SEATS
from scoring.moves import (
    Declaration,
    DeclaredAwards,
    DeclaredCaller,
    DeclaredLink,
    DeclaredRow,
    RowCard,
    Source,
)
from scoring.verdicts import Award, Call
from webui.cactus.forms import parse_cactus, parse_cactus_match
from webui.conex.forms import parse_conex, parse_conex_match
from webui.inputs import TEXT_MAX, BadInputError, Form, choice, number, text, whole
from webui.snapshot import ScoringView
from webui.store import now

NAME_MAX = 24
CARDS_MAX = 12


def parse_commands(form: Form, seen: Sequence[ScoringView]) -> tuple[Command, ...]:
    """The commands of one button.

    Parameters
    ----------
    form
        Fields: `command` and what it needs.
    seen
        Scoring cards that are read on the table now: a typed value that is among them is that very card.

    Raises
    ------
    BadInputError
        Naming the field.
    """
    own = parse_cactus(form) or parse_conex(form)
    if own is not None:
        return own
    at = now()
    match text(form, "command"):
        case "start":
            return (_deal(form, seen, at), StartRace(at))
        case "deal":
            return (_deal(form, seen, at),)
        case "call":
            return (CallEnd(at, seat(form, "seat")),)
        case "confirm":
            return (ConfirmRound(at),)
        case "undo":
            return (Undo(at),)
        case "finish":
            return (FinishMatch(at),)
        case "declare_link":
            call = choice(form, "call", (Call.LEGAL.value, Call.VIOLATION.value))
            return (_declare(form, at, DeclaredLink(text(form, "key"), Call(call))),)
        case "declare_row":
            return (_declare(form, at, _row(form)),)
        case "insert_card":
            return (_declare(form, at, _inserted(form)),)
        case "declare_caller":
            return (_declare(form, at, DeclaredCaller(seat(form, "seat"))),)
        case "declare_awards":
            return (_declare(form, at, _awards(form)),)
    raise BadInputError("There is no such command.")


def parse_match(form: Form, deck: Deck) -> tuple[str, CreateMatch]:
    """Title and command of a new match; raises BadInputError."""
    if isinstance(deck, ConexDeck):
        return parse_conex_match(form, deck)
    if isinstance(deck, CactusDeck):
        return parse_cactus_match(form, deck)
    players = tuple(
        Player(name, side) for side in SEATS if (name := text(form, f"player-{side}", NAME_MAX, empty=True))
    )
    if len(players) < 2:
        raise BadInputError("Name at least two players.")
    options: dict[str, OptionValue] = {
        "min_row": int(choice(form, "min_row", ("2", "3"))),
        "rounds": int(choice(form, "rounds", ("1", "2", "3", "4", "5"))),
    }
    title = text(form, "title", TEXT_MAX, empty=True) or ", ".join(p.name for p in players)
    return title, CreateMatch(now(), deck.game, players, deck, options)


def seat(form: Form, field: str) -> str:
    """A side of the picture; raises BadInputError."""
    return choice(form, field, SEATS)


def _declare(form: Form, at: str, what: Declaration) -> Declare:
    return Declare(at, what, number(form, "round") if form.get("round") else None)


def _deal(form: Form, seen: Sequence[ScoringView], at: str) -> DealScoring:
    values = [whole(v, "value") for v in form.getlist("value")[:CARDS_MAX]]
    if not values:
        raise BadInputError("Type the points of the scoring cards.")
    free = list(seen)
    cards = []
    for value in values:
        card = next((c for c in free if c.value == value), None)
        if card is not None:
            free.remove(card)
        cards.append(DealtCard(value, card.id if card else None))
    read = all(c.id is not None for c in cards)
    return DealScoring(at, tuple(cards), Source.CAMERA if read else Source.HUMAN)


def _row(form: Form) -> DeclaredRow:
    """Fields `card`, from the owner's left: ``key:K`` for a card of the picture, ``face:F`` for one that it lacks."""
    return DeclaredRow(seat(form, "seat"), tuple(_row_card(item) for item in form.getlist("card")[:CARDS_MAX]))


def _inserted(form: Form) -> DeclaredRow:
    """The row of the fields `card` with the card `added` at number `place`."""
    row = _row(form)
    place = number(form, "place")
    return DeclaredRow(row.seat, (*row.cards[:place], _row_card(form.get("added", "")), *row.cards[place:]))


def _row_card(item: str) -> RowCard:
    kind, _, name = item.partition(":")
    if not name or len(name) > TEXT_MAX or kind not in ("key", "face"):
        raise BadInputError("A card of a row must be key:… or face:….")
    return RowCard(name) if kind == "key" else RowCard(None, name)


def _awards(form: Form) -> DeclaredAwards:
    awards = []
    for side in SEATS:
        if value := form.get(f"points-{side}", ""):
            awards.append(Award(side, whole(value, f"points-{side}")))
    return DeclaredAwards(tuple(sorted(awards, key=lambda a: -a.points)))
