"""Words of CONEX: names of colours and things, the rules, and one sentence per rule id and call; see `webui.texts`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.verdicts import Call
from webui.texts import Translations, mark, name_in

COLORS = {
    "yellow": mark("yellow"),
    "red": mark("red"),
    "turquoise": mark("turquoise"),
    "purple": mark("purple"),
    "white": mark("white"),
    "black": mark("black"),
    "green": mark("green"),
    "blue": mark("blue"),
    "orange": mark("orange"),
    "pink": mark("pink"),
    "brown": mark("brown"),
    "grey": mark("grey"),
}
"""Names of grounds and pawns; a deck's own names stay as they are."""

STARS = {"2x": mark("2x star"), "lightning": mark("lightning star")}

DICE = {
    "card": mark("One card"),
    "two-cards": mark("Two cards"),
    "2x": mark("2x star"),
    "lightning": mark("Lightning star"),
}
DICE_DO = {
    "card": mark("draw one card"),
    "two-cards": mark("draw two cards"),
    "2x": mark("take the star, even from another player"),
    "lightning": mark("take the star, even from another player"),
}

CALLS = {
    Call.LEGAL: mark("Allowed"),
    Call.VIOLATION: mark("Not allowed"),
    Call.UNCERTAIN: mark("Please look"),
}
"""The word for a whole placement."""

RULE_CALLS = {
    Call.LEGAL: mark("kept"),
    Call.VIOLATION: mark("broken"),
    Call.UNCERTAIN: mark("unclear"),
}

NOT_COUNTED = mark("not counted")
"""The word for a star that lies on a card in vain: the card is allowed all the same."""

RULES: Mapping[str, tuple[str, str]] = {
    "conex.not-attached": (
        mark("Attached by a corner"),
        mark(
            "A new card is attached with one of its CONEX corners: that corner lies on the board or on a card, and "
            "nothing else of the card does. The number on that corner counts, the other numbers do not."
        ),
    ),
    "conex.color": (
        mark("Colour on its own colour"),
        mark(
            "The corner lies on a ground of its own colour: on a coloured space of the board, or on the ground of a "
            "card that lies there already. Any free place of that colour will do, not only the newest card."
        ),
    ),
    "conex.single-contact": (
        mark("Touches one thing only"),
        mark(
            "The card touches only what it is laid on. Laid on a card, it touches neither another card nor the board; "
            "laid on the board, it touches no card. Touching means that the outlines meet. What is too close to tell "
            "is left to the players."
        ),
    ),
    "conex.corner-covered": (
        mark("Other corners stay free"),
        mark(
            "No other CONEX corner is touched or covered, neither of the card below nor of any other. Symbols in the "
            "middle may be covered; the referee remembers them."
        ),
    ),
    "conex.out-of-bounds": (
        mark("Inside the playing area"),
        mark("No part of the card may reach beyond the agreed playing area, for example the edge of the table."),
    ),
    "conex.exact": (
        mark("Exactly the corner"),
        mark(
            "House rule: card and ground overlap in exactly the shape of the corner, as far as hands can lay it. "
            "Without this rule it is enough that the corner lies on its colour and nothing else overlaps."
        ),
    ),
    "conex.star": (
        mark("The 2x star"),
        mark(
            "The 2x star on the card just laid doubles its points, the two of a +2 card included. A star that was won "
            "in this turn waits until its owner's next turn."
        ),
    ),
    "conex.lightning": (
        mark("The lightning star"),
        mark(
            "At the start or the end of a turn the lightning star takes one card off the table, if no other card lies "
            "on it. It goes under the pile, and so does a card of every other player's own choice."
        ),
    ),
    "conex.pawn": (
        mark("Pawns and points"),
        mark(
            "The points in this record count. A pawn that stands elsewhere is told and never copied: pawns slip. "
            "Behind the goal the squares are counted from 1 again, and no lap is lost."
        ),
    ),
}
"""Title and text of each rule, in the order in which the page lists them."""

SENTENCES: Mapping[tuple[str, Call], str] = {
    ("conex.not-attached", Call.LEGAL): mark("One of its corners lies on something, as it should."),
    ("conex.not-attached", Call.VIOLATION): mark("It touches nothing: %(gap)s to %(nearest)s, the nearest thing."),
    ("conex.not-attached", Call.UNCERTAIN): mark(
        "It cannot be told whether one of its corners lies on something. What was it laid on, and with which corner?"
    ),
    ("conex.color", Call.LEGAL): mark("The %(color)s corner lies on %(ground)s."),
    ("conex.color", Call.VIOLATION): mark("The corner is %(color)s, and what it lies on is %(ground)s."),
    ("conex.color", Call.UNCERTAIN): mark("It cannot be told whether the corner lies on its own colour."),
    ("conex.single-contact", Call.LEGAL): mark("%(gap)s free of %(other)s; it needs more than 0."),
    ("conex.single-contact", Call.VIOLATION): mark("It lies on %(other)s too, %(gap)s deep; it needs to be free."),
    ("conex.single-contact", Call.UNCERTAIN): mark(
        "%(signed)s to %(other)s, give or take %(doubt)s: too close to tell. Do they touch?"
    ),
    ("conex.corner-covered", Call.LEGAL): mark("%(gap)s free of the %(corner)s of %(other)s; it needs more than 0."),
    ("conex.corner-covered", Call.VIOLATION): mark("It covers the %(corner)s of %(other)s, %(gap)s deep."),
    ("conex.corner-covered", Call.UNCERTAIN): mark(
        "%(signed)s to the %(corner)s of %(other)s, give or take %(doubt)s: too close to tell."
    ),
    ("conex.out-of-bounds", Call.LEGAL): mark("%(gap)s inside the border; it needs more than 0."),
    ("conex.out-of-bounds", Call.VIOLATION): mark("It reaches %(gap)s beyond the border."),
    ("conex.out-of-bounds", Call.UNCERTAIN): mark(
        "%(signed)s to the border, give or take %(doubt)s: too close to tell. Does it reach beyond?"
    ),
    ("conex.exact", Call.LEGAL): mark("The overlap is the corner's shape within %(off)s; %(tolerance)s are allowed."),
    ("conex.exact", Call.VIOLATION): mark(
        "The overlap is not the corner's shape: %(off)s off, and %(tolerance)s are allowed."
    ),
    ("conex.exact", Call.UNCERTAIN): mark(
        "The overlap is about %(off)s off the corner's shape, and %(tolerance)s are allowed: too close to tell."
    ),
    ("conex.star", Call.LEGAL): mark("The 2x star lies on it: the points are doubled."),
    ("conex.star", Call.VIOLATION): mark(
        "The 2x star lies on it, but %(player)s may not use it in this turn: the points are not doubled."
    ),
    ("conex.star", Call.UNCERTAIN): mark("Does the 2x star lie on this card?"),
    ("conex.lightning", Call.LEGAL): mark("The lightning star took a free card."),
    ("conex.lightning", Call.VIOLATION): mark("The lightning star is not %(player)s's to use in this turn."),
    ("conex.lightning", Call.UNCERTAIN): mark("It cannot be told whether another card lay on the card that was taken."),
    ("conex.pawn", Call.LEGAL): mark("The %(pawn)s pawn stands on square %(square)d, where it belongs."),
    ("conex.pawn", Call.VIOLATION): mark(
        "The %(pawn)s pawn stands on square %(square)d. By the points it belongs on square %(expected)d."
    ),
    ("conex.pawn", Call.UNCERTAIN): mark(
        "The %(pawn)s pawn seems to stand on square %(square)d. By the points it belongs on square %(expected)d."
    ),
}
"""The sentence of each rule id and call."""

NOTHING_NEAR = {
    "conex.single-contact": mark("Nothing else lies near enough to be touched."),
    "conex.corner-covered": mark("No other corner lies near enough to be covered."),
}
"""Rules that say nothing where nothing lies near: they are kept all the same."""

STATED = mark("The players said what it was laid on.")
NEAREST_UNKNOWN = mark("It touches nothing.")
NO_CORNER = mark("It touches %(nearest)s, but none of its corners lies on it: the nearest one is %(gap)s away.")
FIT = mark(
    "The overlap is not the shape of one corner: %(off)s off, and %(tolerance)s are allowed. "
    "Was it laid with that corner?"
)
BESIDE = mark("The %(color)s corner lies %(stray)s beside the space of its colour.")
ABOVE = mark("A card lies on the one that was taken: only a free card may be taken.")
BOARD = mark("the board")
CARD = mark("the %(color)s card %(id)s")
UNREAD = mark("a card that was not read")
CORNER = mark("%(color)s corner %(value)d")
SOME_CORNER = mark("corner")
SPACE = mark("the %(color)s space of the board")
ON_SPACE = mark("the %(color)s space")
ON_CARD = mark("the %(color)s ground of card %(id)s")

SYMBOLS: Mapping[str, tuple[str, str]] = {
    "plus2": (
        mark("A +2 card"),
        mark(
            "Whoever lays a card on it gets two points more, each time. You who lay it get only your corner's number, "
            "so think of who comes next."
        ),
    ),
    "die": (
        mark("A card with a die"),
        mark("First its points count, then you roll the die: for one or two cards, or for a star."),
    ),
}
"""What the symbol of a card means."""

ASTRAY = {
    "several": mark("More than one card was laid. Leave only the card of the player whose turn it is."),
    "gone": mark("A card is gone. Put it back; only the lightning star takes a card, and only a free one."),
    "moved": mark("A card that counts lies elsewhere. Put it back where it lay."),
    "wrong": mark("The last card is not put right yet. Take it back, lay it anew, or say that it is allowed."),
    "open": mark("First decide about the last card, or agree to it. Then the next one counts."),
    "roll": mark("The die comes first: tell what it shows."),
    "still-lies": mark("The card that the lightning star took lies there still. Take it off, or take the step back."),
}
"""What is wrong with a table that does not follow from the record, and what to do."""

ENDINGS = {
    "goal": mark("The goal was reached, and the round is played to its end."),
    "passes": mark("Nobody could lay or draw any more."),
    "agreed": mark("All agreed that no card can be laid any more."),
    "early": mark("Stopped before the end."),
}

DEEDS = {
    "drew": mark("drew two cards"),
    "passed": mark("passed"),
}

NO_PLACE = {
    "ground": mark("Nothing of its colour lies there today."),
    "shape": mark("No edge or corner of its colour fits its outline."),
    "room": mark("Wherever it fits, the card would come too close to something."),
}
"""Why a corner cannot be laid."""


def color(name: str | None, t: Translations) -> str:
    """The name of a ground or a pawn."""
    return name_in(COLORS, name, t)


def millimetres(value: float, t: Translations) -> str:
    """A length for people: one decimal, in the way of the language."""
    shown = f"{abs(value):.1f}"
    return t.gettext(mark("%(n)s mm")) % {"n": shown.replace(".", t.gettext(mark(".")))}


def explain(rule: str, call: Call, facts: Mapping[str, Any], names: Mapping[str, str], t: Translations) -> str:
    """A verdict in words.

    Parameters
    ----------
    rule, call, facts
        What the rules said.
    names
        Words for ``other``, ``nearest``, ``corner``, ``ground`` and ``player``, already in the reader's language.
    t
        The reader's catalogue.
    """
    text = _text(rule, call, facts)
    if text is None:
        return f"{rule}: {call}"
    words: dict[str, Any] = {
        "other": "?",
        "nearest": "?",
        "corner": t.gettext(SOME_CORNER),
        "ground": "?",
        "player": "?",
    }
    words |= names
    gap, sigma = facts.get("gap_mm"), facts.get("sigma_mm")
    if isinstance(gap, int | float):
        words["gap"] = millimetres(gap, t)
        words["signed"] = ("−" if gap < 0 else "") + words["gap"]
    else:
        words["gap"] = words["signed"] = "?"
    words["doubt"] = millimetres(max(2 * float(sigma), 0.1), t) if isinstance(sigma, int | float) else "?"
    off = [float(facts[k]) for k in ("reach_mm", "miss_mm") if isinstance(facts.get(k), int | float)]
    words["off"] = millimetres(max(off), t) if off else "?"
    tolerance = facts.get("tolerance_mm")
    words["tolerance"] = millimetres(float(tolerance), t) if isinstance(tolerance, int | float) else "?"
    words["stray"] = millimetres(float(facts.get("stray_mm") or 0.0), t)
    words["color"] = color(facts.get("color"), t)
    words["pawn"] = color(facts.get("pawn"), t)
    for key in ("square", "expected"):
        words[key] = facts.get(key) if isinstance(facts.get(key), int) else 0
    return t.gettext(text) % words


def _text(rule: str, call: Call, facts: Mapping[str, Any]) -> str | None:
    why = facts.get("why")
    if rule == "conex.not-attached":
        if why == "stated":
            return STATED
        if call is Call.VIOLATION and why == "no-corner":
            return NO_CORNER
        if call is Call.VIOLATION and "nearest" not in facts:
            return NEAREST_UNKNOWN
        if call is Call.UNCERTAIN and why == "fit" and "tolerance_mm" in facts:
            return FIT
    if rule == "conex.color" and call is Call.VIOLATION and facts.get("color") == facts.get("ground"):
        return BESIDE
    if rule == "conex.lightning" and call is Call.VIOLATION and facts.get("covered_by"):
        return ABOVE
    return SENTENCES.get((rule, call))
