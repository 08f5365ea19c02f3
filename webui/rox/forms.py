"""Form fields to commands of Rox; see `webui.match.forms`."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.commands import CallEnd, Command, CreateMatch, DealScoring, StartRace
from scoring.deck import RoxDeck
from scoring.events import DealtCard, OptionValue
from scoring.games.rox import SEATS
from scoring.moves import Declaration, DeclaredAwards, DeclaredCaller, DeclaredLink, DeclaredRow, RowCard, Source
from scoring.verdicts import Award, Call
from webui.inputs import TEXT_MAX, BadInputError, Form, choice, number, text, whole
from webui.log.store import now
from webui.match.common_forms import declare, new_match, players_in
from webui.rox.snapshot import ScoringView

CARDS_MAX = 12


def parse_rox(form: Form, seen: Sequence[ScoringView]) -> tuple[Command, ...] | None:
    """The commands of one button of Rox, or None for a button that is none of its own; raises BadInputError.

    Parameters
    ----------
    form
        Fields: `command` and what it needs.
    seen
        Scoring cards that are read on the table now: a typed value that is among them is that very card.
    """
    at = now()
    match form.get("command", ""):
        case "start":
            return (_deal(form, seen, at), StartRace(at))
        case "deal":
            return (_deal(form, seen, at),)
        case "call":
            return (CallEnd(at, seat(form, "seat")),)
    fact = _fact(form)
    return None if fact is None else (declare(form, at, fact),)


def _fact(form: Form) -> Declaration | None:
    match form.get("command", ""):
        case "declare_link":
            call = choice(form, "call", (Call.LEGAL.value, Call.VIOLATION.value))
            return DeclaredLink(text(form, "key"), Call(call))
        case "declare_row":
            return _row(form)
        case "insert_card":
            return _inserted(form)
        case "declare_caller":
            return DeclaredCaller(seat(form, "seat"))
        case "declare_awards":
            return _awards(form)
    return None


def parse_rox_match(form: Form, deck: RoxDeck) -> tuple[str, CreateMatch]:
    """Title and command of a new match; raises BadInputError."""
    players = players_in(form, SEATS)
    options: dict[str, OptionValue] = {
        "min_row": int(choice(form, "min_row", ("2", "3"))),
        "rounds": int(choice(form, "rounds", ("1", "2", "3", "4", "5"))),
    }
    return new_match(form, deck, players, options)


def seat(form: Form, field: str) -> str:
    """A side of the picture; raises BadInputError."""
    return choice(form, field, SEATS)


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
