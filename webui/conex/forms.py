"""Form fields to commands of CONEX; see `webui.match.forms`."""

from __future__ import annotations

import math

from scoring.commands import (
    Command,
    ConfirmRound,
    CreateMatch,
    DrawTwo,
    EndTurn,
    FinishMatch,
    Pass,
    RollDie,
    UseLightning,
)
from scoring.deck import ConexDeck
from scoring.deck_conex import STARS
from scoring.events import OptionValue
from scoring.games.conex_play import SEATS
from scoring.moves import (
    Declaration,
    DeclaredCall,
    DeclaredDie,
    DeclaredDouble,
    DeclaredFace,
    DeclaredGround,
    DeclaredHand,
    DeclaredPile,
    DeclaredPoints,
    DeclaredSeat,
    DeclaredStar,
    DieFace,
)
from scoring.table import Point
from scoring.verdicts import Call, Ground
from webui.inputs import BadInputError, Form, choice, number, text, whole
from webui.log.store import now
from webui.match.common_forms import check_starter, declare, new_match, players_in
from webui.table.area import rescaled

AREA_MAX = 96
"""Corners of a playing area: a side that was found in a bent picture has several."""
AREA_LEAST = 0.01
"""Share of the picture below which what was drawn is a slip of the finger."""


def parse_conex(form: Form) -> tuple[Command, ...] | None:
    """The commands of one button of CONEX, or None for a button that is none of its own; raises BadInputError."""
    at = now()
    match form.get("command", ""):
        case "draw":
            return (DrawTwo(at),)
        case "accept_draw":
            return (ConfirmRound(at), DrawTwo(at))
        case "pass":
            return (Pass(at),)
        case "roll":
            return (RollDie(at, _die(form)),)
        case "accept_roll":
            return (ConfirmRound(at), RollDie(at, _die(form)))
        case "lightning":
            return (UseLightning(at, text(form, "key")),)
        case "end_turn":
            return (EndTurn(at),)
        case "agree_end":
            return (FinishMatch(at, early=False),)
    fact = _fact(form)
    if fact is None:
        return None
    return (declare(form, at, fact),)


def _fact(form: Form) -> Declaration | None:
    match form.get("command", ""):
        case "declare_face":
            return DeclaredFace(text(form, "key"), text(form, "face", empty=True) or None)
        case "declare_ground":
            onto, corner = form.get("onto", ""), form.get("corner", "")
            return DeclaredGround(
                text(form, "key"), _ground(onto) if onto else None, whole(corner, "corner") if corner else None
            )
        case "declare_call":
            call = choice(form, "call", (Call.LEGAL.value, Call.VIOLATION.value))
            return DeclaredCall(text(form, "key"), Call(call))
        case "declare_double":
            return DeclaredDouble(choice(form, "doubled", ("yes", "no")) == "yes")
        case "declare_die":
            return DeclaredDie(_die(form))
        case "declare_seat":
            return DeclaredSeat(choice(form, "seat", SEATS))
        case "declare_points":
            return DeclaredPoints(number(form, "points"))
        case "declare_hand":
            return DeclaredHand(choice(form, "seat", SEATS), number(form, "cards"))
        case "declare_pile":
            return DeclaredPile(number(form, "cards"))
        case "declare_star":
            return DeclaredStar(choice(form, "kind", STARS), choice(form, "seat", ("", *SEATS)) or None)
    return None


def parse_conex_match(form: Form, deck: ConexDeck) -> tuple[str, CreateMatch]:
    """Title and command of a new match; raises BadInputError."""
    players = players_in(form, SEATS, lambda side: choice(form, f"pawn-{side}", ("", *deck.pawns)) or None)
    pawns = [p.pawn for p in players if p.pawn]
    if len(set(pawns)) < len(pawns):
        raise BadInputError("Two players have the same pawn.")
    options: dict[str, OptionValue] = {
        "exact": choice(form, "exact", ("on", "off")),
        "contact": choice(form, "contact", ("one", "board-too")),
        "accept": choice(form, "accept", ("next", "tap")),
        "hand": number(form, "hand"),
        "goal": number(form, "goal"),
    }
    start = choice(form, "start", ("", *SEATS))
    if start:
        check_starter(players, start)
        options["start"] = start
    return new_match(form, deck, players, options)


def parse_area(form: Form) -> tuple[Point, ...]:
    """A playing area in pixels: the field `area` of ``x,y x,y ...``; empty is the whole picture. Raises BadInputError.

    The fields `width` and `height` say how large the picture is.
    """
    drawn = form.get("area", "").split()
    if not drawn:
        return ()
    if not 3 <= len(drawn) <= AREA_MAX:
        raise BadInputError(f"The playing area needs 3 to {AREA_MAX} corners.")
    width, height = number(form, "width"), number(form, "height")
    points = []
    for pair in drawn:
        try:
            x, y = (float(v) for v in pair.split(","))
        except ValueError:
            raise BadInputError("The field area must be corners like 10,20 300,20 300,200.") from None
        if not (math.isfinite(x) and math.isfinite(y)):
            raise BadInputError("The field area must be corners like 10,20 300,20 300,200.")
        points.append((min(max(x, 0.0), float(width)), min(max(y, 0.0), float(height))))
    sides = list(zip(points, (*points[1:], points[0]), strict=True))
    size = abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in sides)) / 2
    crossing = any(_cross(*a, *b) for i, a in enumerate(sides) for b in sides[:i])
    if crossing or len(set(points)) < len(points) or size < max(AREA_LEAST * width * height, 1.0):
        raise BadInputError("The playing area is too small or crosses itself: draw it again.")
    return tuple(points)


def area_in(form: Form, size: tuple[int, int] | None) -> tuple[Point, ...]:
    """A playing area as `parse_area`, in pixels of a picture of that size; raises BadInputError.

    The camera may have been turned or exchanged since the page was opened.
    """
    points = parse_area(form)
    if not points or size is None:
        return points
    area = rescaled(points, (number(form, "width"), number(form, "height")), size)
    if area is None:
        raise BadInputError("The picture has another shape than when this page was opened: draw the area again.")
    return area


def _cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    def turn(p: Point, q: Point, r: Point) -> float:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    return turn(a, b, c) * turn(a, b, d) < 0 and turn(c, d, a) * turn(c, d, b) < 0


def _die(form: Form) -> DieFace:
    return DieFace(choice(form, "face", tuple(f.value for f in DieFace)))


def _ground(value: str) -> Ground:
    """``card:K`` for a card of the table, ``space:N`` for a space of the board."""
    kind, _, name = value.partition(":")
    if kind == "card" and name and len(name) <= 64:
        return Ground(key=name)
    if kind == "space":
        return Ground(space=whole(name, "onto"))
    raise BadInputError("The field onto must be card:… or space:….")
