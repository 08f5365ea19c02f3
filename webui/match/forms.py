"""Form fields to commands. Whatever a browser sends is checked here; what is wrong becomes one clear sentence."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.commands import Command, ConfirmRound, CreateMatch, FinishMatch, Undo
from scoring.deck import CactusDeck, ConexDeck, Deck
from webui.cactus.forms import parse_cactus, parse_cactus_match
from webui.conex.forms import parse_conex, parse_conex_match
from webui.inputs import BadInputError, Form, text
from webui.log.store import now
from webui.rox.forms import parse_rox, parse_rox_match
from webui.rox.snapshot import ScoringView


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
    own = parse_cactus(form) or parse_conex(form) or parse_rox(form, seen)
    if own is not None:
        return own
    at = now()
    match text(form, "command"):
        case "confirm":
            return (ConfirmRound(at),)
        case "undo":
            return (Undo(at),)
        case "finish":
            return (FinishMatch(at),)
    raise BadInputError("There is no such command.")


def parse_match(form: Form, deck: Deck) -> tuple[str, CreateMatch]:
    """Title and command of a new match; raises BadInputError."""
    if isinstance(deck, ConexDeck):
        return parse_conex_match(form, deck)
    if isinstance(deck, CactusDeck):
        return parse_cactus_match(form, deck)
    return parse_rox_match(form, deck)
