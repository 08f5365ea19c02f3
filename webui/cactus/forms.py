"""Form fields to commands of Cactus; see `webui.match.forms`."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from scoring.commands import AcceptTable, Command, CreateMatch, RollDie
from scoring.deck import CactusDeck
from scoring.events import OptionValue
from scoring.games.cactus_count import Why
from scoring.games.cactus_options import SEATS
from scoring.moves import (
    CactusDie,
    Declaration,
    DeclaredClaim,
    DeclaredContact,
    DeclaredDie,
    DeclaredFall,
    DeclaredFlowers,
    DeclaredHung,
    DeclaredImpossible,
    DeclaredReroll,
    DeclaredSpecials,
    DeclaredTouches,
    Fall,
)
from scoring.table import ContactKind, TableState
from webui.inputs import TEXT_MAX, BadInputError, Form, choice, number, text
from webui.log.store import now
from webui.match.common_forms import check_starter, declare, new_match, players_in

LOTS = "lots"
"""Stands for whoever is drawn by lot to start."""
PIECES_MAX = 40
NAMES_MAX = 400


def listed(value: object) -> tuple[str, ...]:
    """Names that are parted by commas; empty for anything else than text."""
    return tuple(n for part in value.split(",") if (n := part.strip())) if isinstance(value, str) else ()


def parse_cactus(form: Form) -> tuple[Command, ...] | None:
    """The commands of one button of Cactus, or None for a button that is none of its own; raises BadInputError."""
    at = now()
    match form.get("command"):
        case "cactus_roll":
            return (RollDie(at, _die(form)),)
        case "begin_by_hand":
            # What stands there is taken from the set, and nothing hangs yet.
            corners = ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0))
            table = TableState((), corners, cacti=listed(text(form, "cacti", NAMES_MAX)))
            return (AcceptTable(at, table, opening=True),)
    fact = _fact(form)
    if fact is None:
        return None
    return (declare(form, at, fact),)


def _fact(form: Form) -> Declaration | None:
    match form.get("command", ""):
        case "hang":
            return DeclaredHung(text(form, "piece"), text(form, "cactus"))
        case "declare_contact":
            return _contact(form)
        case "declare_fall":
            return DeclaredFall(text(form, "piece"), Fall(choice(form, "what", tuple(f.value for f in Fall))))
        case "touched":
            return DeclaredTouches(number(form, "times"))
        case "claim":
            whys = tuple(dict.fromkeys(form.getlist("why")))
            known = tuple(w.value for w in Why)
            if not whys or any(w not in known for w in whys):
                raise BadInputError(f"The field why must be one of {', '.join(known)}.")
            return DeclaredClaim(whys)
        case "impossible":
            return DeclaredImpossible()
        case "reroll":
            return DeclaredReroll()
        case "declare_flowers":
            return DeclaredFlowers(choice(form, "seat", SEATS), number(form, "flowers"))
        case "declare_specials":
            pieces = tuple(p for p in form.getlist("piece")[:PIECES_MAX] if p)
            if any(len(p) > TEXT_MAX for p in pieces):
                raise BadInputError("The field piece is too long.")
            return DeclaredSpecials(pieces)
        case "cactus_die":
            return DeclaredDie(_die(form))
    return None


def _contact(form: Form) -> DeclaredContact:
    kind = ContactKind(choice(form, "kind", tuple(k.value for k in ContactKind)))
    touching = choice(form, "touching", ("yes", "no")) == "yes"
    return DeclaredContact(kind, text(form, "a"), text(form, "b", empty=True) or None, touching)


def _die(form: Form) -> CactusDie:
    return CactusDie(choice(form, "face", tuple(f.value for f in CactusDie)))


def parse_cactus_match(form: Form, deck: CactusDeck) -> tuple[str, CreateMatch]:
    """Title and command of a new match; raises BadInputError."""
    players = players_in(form, SEATS)
    options: dict[str, OptionValue] = {
        "claims": choice(form, "claims", ("coach", "strict")),
        "wrong_claims": choice(form, "wrong_claims", ("free", "counted")) if "wrong_claims" in form else "free",
        "fallen": choice(form, "fallen", ("discard", "return")),
        "specials": choice(form, "specials", ("color", "none")),
        "no_piece": choice(form, "no_piece", ("end", "reroll")),
        "impossible": choice(form, "impossible", ("discard", "off")),
        "order": ",".join(_order(form, tuple(deck.cacti))),
    }
    start = choice(form, "start", ("", LOTS, *SEATS))
    if start == LOTS:
        start = secrets.choice([p.seat for p in players])
    if start:
        check_starter(players, start)
        options["start"] = start
    return new_match(form, deck, players, options)


def _order(form: Form, cacti: Sequence[str]) -> tuple[str, ...]:
    """The cacti by the numbers that they were given; empty where none has one."""
    numbers = {c: form.get(f"order-{c}", "") for c in cacti}
    if not any(numbers.values()):
        return ()
    if sorted(numbers.values()) != sorted(str(n) for n in range(1, len(cacti) + 1)):
        raise BadInputError("Give every cactus a number of its own, or none of them.")
    return tuple(sorted(cacti, key=lambda c: int(numbers[c])))
