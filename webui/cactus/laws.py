"""The rules of Cactus in words: title and text of each, and one sentence per rule id and call; see `webui.texts`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.verdicts import Call
from webui.texts import Translations, mark

RULES: Mapping[str, tuple[str, str]] = {
    "cactus.piece": (
        mark("The right piece"),
        mark(
            "COLOUR: a basic piece of the colour of the piece hung last. SHAPE: a basic piece of the shape of the "
            "basic piece hung last. !!: the leftmost special piece. The very first piece is free."
        ),
    ),
    "cactus.cactus": (
        mark("The right cactus"),
        mark("Every piece is hung on the next cactus, clockwise as seen from above. The very first one may be any."),
    ),
    "cactus.same-color": (
        mark("Equal colours never touch"),
        mark(
            "If two pieces of one colour touch on the cactus of this turn, whoever hung them, the player puts it right "
            "with the own piece before the turn ends. Special pieces have a colour too."
        ),
    ),
    "cactus.same-shape": (
        mark("Equal shapes never touch"),
        mark(
            "If two pieces of one shape touch on the cactus of this turn, the player puts it right with the own piece "
            "before the turn ends. Special pieces are like no other."
        ),
    ),
    "cactus.touches-base": (
        mark("Not on the base"),
        mark("The piece of this turn must not touch the base of the cactus; else it is hung again. The hand may."),
    ),
    "cactus.touches-table": (
        mark("Not on the table"),
        mark("The piece of this turn must not touch the table; else it is hung again."),
    ),
    "cactus.impossible": (
        mark("When it cannot be put right"),
        mark(
            "House rule: where all agree that a contact cannot be put right, the piece is taken out of the match, and "
            "the turn ends without a reward."
        ),
    ),
    "cactus.fallen": (
        mark("Fallen pieces"),
        mark(
            "Each piece that hung and falls in this turn costs a flower, and the turn brings none. The own "
            "piece costs nothing. What falls after the die was passed costs nobody anything."
        ),
    ),
    "cactus.hand": (
        mark("Hands off"),
        mark("A hand that touches a cactus or a hung piece costs a flower, each time. The base may be held."),
    ),
    "cactus.color-count": (
        mark("Three or five of a colour"),
        mark("One flower if the piece makes it three of its colour on all cacti together, two if it makes it five."),
    ),
    "cactus.shape-count": (
        mark("Three or five of a shape"),
        mark("One flower if the piece makes it three of its shape on all cacti together, two if it makes it five."),
    ),
    "cactus.all-colors": (
        mark("All five colours on one cactus"),
        mark("Two flowers if the piece completes all five colours on its cactus."),
    ),
    "cactus.claim": (
        mark("Claims"),
        mark(
            "What is claimed before the die is passed counts; what is forgotten is lost. A wrong claim costs nothing."
        ),
    ),
}
"""Title and text of each rule, in the order in which the page lists them."""

SENTENCES: Mapping[tuple[str, Call], str] = {
    ("cactus.piece", Call.LEGAL): mark("%(piece)s may be taken: %(asked)s."),
    ("cactus.piece", Call.VIOLATION): mark("%(piece)s was hung. What may be taken: %(asked)s."),
    ("cactus.piece", Call.UNCERTAIN): mark("The piece cannot be named for certain. Which one is it?"),
    ("cactus.cactus", Call.LEGAL): mark("It hangs on %(cactus)s, as it should."),
    ("cactus.cactus", Call.VIOLATION): mark(
        "It hangs on %(cactus)s. It belongs on %(expected)s, the next one clockwise."
    ),
    ("cactus.cactus", Call.UNCERTAIN): mark("It cannot be told on which cactus it hangs."),
    ("cactus.same-color", Call.LEGAL): mark("%(a)s and %(b)s are %(gap)s apart."),
    ("cactus.same-color", Call.VIOLATION): mark(
        "%(a)s and %(b)s touch, and both are %(color)s. Put it right with your piece."
    ),
    ("cactus.same-color", Call.UNCERTAIN): mark(
        "%(a)s and %(b)s, both %(color)s, may touch: %(gap)s, give or take %(doubt)s."
    ),
    ("cactus.same-shape", Call.LEGAL): mark("%(a)s and %(b)s are %(gap)s apart."),
    ("cactus.same-shape", Call.VIOLATION): mark(
        "%(a)s and %(b)s touch, and have one shape. Put it right with your piece."
    ),
    ("cactus.same-shape", Call.UNCERTAIN): mark(
        "%(a)s and %(b)s, of one shape, may touch: %(gap)s, give or take %(doubt)s."
    ),
    ("cactus.touches-base", Call.LEGAL): mark("It hangs %(gap)s above the base."),
    ("cactus.touches-base", Call.VIOLATION): mark("It touches the base: hang it again."),
    ("cactus.touches-base", Call.UNCERTAIN): mark("It may touch the base: %(gap)s, give or take %(doubt)s."),
    ("cactus.touches-table", Call.LEGAL): mark("It hangs %(gap)s above the table."),
    ("cactus.touches-table", Call.VIOLATION): mark("It touches the table: hang it again."),
    ("cactus.touches-table", Call.UNCERTAIN): mark("It may touch the table: %(gap)s, give or take %(doubt)s."),
    ("cactus.impossible", Call.LEGAL): mark(
        "All agreed that it cannot be put right: %(piece)s is out, without a reward."
    ),
    ("cactus.impossible", Call.VIOLATION): mark("It is put right, or hung elsewhere on this cactus."),
    ("cactus.impossible", Call.UNCERTAIN): mark("Do all agree that it cannot be put right?"),
    ("cactus.fallen", Call.LEGAL): mark("%(piece)s fell, and nobody pays for it."),
    ("cactus.fallen", Call.VIOLATION): mark("%(piece)s fell: one flower, and none earned in this turn."),
    ("cactus.fallen", Call.UNCERTAIN): mark("%(piece)s is not to be seen. Did it fall?"),
    ("cactus.hand", Call.LEGAL): mark("No hand touched a cactus or a hung piece."),
    ("cactus.hand", Call.VIOLATION): mark("Touched by hand, %(times)d ×: that costs %(flowers)s."),
    ("cactus.hand", Call.UNCERTAIN): mark("Did a hand touch a cactus or a hung piece?"),
    ("cactus.color-count", Call.LEGAL): mark("It makes %(total)d %(color)s pieces on all cacti: %(flowers)s."),
    ("cactus.color-count", Call.VIOLATION): mark("It does not make three or five of a colour."),
    ("cactus.color-count", Call.UNCERTAIN): mark("It seems to make %(total)d %(color)s pieces on all cacti."),
    ("cactus.shape-count", Call.LEGAL): mark(
        "It makes %(total)d pieces of its shape (%(shape)s) on all cacti: %(flowers)s."
    ),
    ("cactus.shape-count", Call.VIOLATION): mark("It does not make three or five of a shape."),
    ("cactus.shape-count", Call.UNCERTAIN): mark(
        "It seems to make %(total)d pieces of its shape (%(shape)s) on all cacti."
    ),
    ("cactus.all-colors", Call.LEGAL): mark("It completes all five colours on %(cactus)s: %(flowers)s."),
    ("cactus.all-colors", Call.VIOLATION): mark("It does not complete the five colours on a cactus."),
    ("cactus.all-colors", Call.UNCERTAIN): mark("It seems to complete all five colours on %(cactus)s."),
    ("cactus.claim", Call.LEGAL): mark("Claimed rightly: %(why)s."),
    ("cactus.claim", Call.VIOLATION): mark("Claimed, but not earned: %(why)s. That costs nothing."),
    ("cactus.claim", Call.UNCERTAIN): mark("Claimed: %(why)s."),
}
"""The sentence of each rule id and call."""

FREE_PIECE = mark("%(piece)s may be taken: the first piece is free.")
NOT_HELD = mark("%(piece)s was hung, but the piece of this turn is %(held)s.")
ANY_CACTUS = mark("It hangs on %(cactus)s: the first piece may hang on any.")
STATED_APART = mark("%(a)s and %(b)s: the players looked, they do not touch.")
STATED_TOUCH = mark("%(a)s and %(b)s touch: the players looked. Put it right with your piece.")
STATED_RIGHT = mark("The players say that it is right.")
FALLEN_HOW: Mapping[tuple[str, Call], str] = {
    ("lies", Call.VIOLATION): mark("%(piece)s lies on the table: it fell. One flower, and none earned in this turn."),
    ("low", Call.VIOLATION): mark("%(piece)s was pushed down onto base or table: that counts as fallen. One flower."),
    ("stated", Call.VIOLATION): mark("%(piece)s fell, as the players say: one flower, and none earned in this turn."),
    ("late", Call.LEGAL): mark("%(piece)s fell before the die was rolled: nobody pays for it."),
    ("low", Call.UNCERTAIN): mark("%(piece)s may touch base or table: then it counts as fallen. Please look."),
    ("back", Call.UNCERTAIN): mark("%(piece)s lay on the table and hangs again. Did it fall?"),
}
"""Sentences by what tells of the fall."""
CANCELLED: Mapping[str, str] = {
    "cactus.color-count": mark(
        "It makes %(total)d %(color)s pieces on all cacti, but no flowers: a piece fell in this turn."
    ),
    "cactus.shape-count": mark(
        "It makes %(total)d pieces of its shape (%(shape)s) on all cacti, but no flowers: a piece fell in this turn."
    ),
    "cactus.all-colors": mark(
        "It completes all five colours on %(cactus)s, but no flowers: a piece fell in this turn."
    ),
}
"""Rewards that a fall takes away."""

WHYS = {
    "color-3": mark("third of its colour"),
    "color-5": mark("fifth of its colour"),
    "shape-3": mark("third of its shape"),
    "shape-5": mark("fifth of its shape"),
    "all-colors": mark("all five colours on one cactus"),
}
"""What flowers are earned for."""

CALLS: Mapping[tuple[str, Call], str] = {
    ("cactus.fallen", Call.LEGAL): mark("costs nothing"),
    ("cactus.fallen", Call.VIOLATION): mark("costs flowers"),
    ("cactus.hand", Call.VIOLATION): mark("costs flowers"),
    ("cactus.color-count", Call.LEGAL): mark("earned"),
    ("cactus.shape-count", Call.LEGAL): mark("earned"),
    ("cactus.all-colors", Call.LEGAL): mark("earned"),
    ("cactus.claim", Call.LEGAL): mark("earned"),
    ("cactus.claim", Call.VIOLATION): mark("not earned"),
}
"""The word of a call where a rule is neither kept nor broken, but brings or costs something."""
NOT_EARNED = mark("not earned")

DICE = {
    "color": mark("COLOUR"),
    "shape": mark("SHAPE"),
    "special": "!!",
}
DICE_DO = {
    "color": mark("a basic piece of the same colour"),
    "shape": mark("a basic piece of the same shape"),
    "special": mark("the leftmost special piece"),
}

ASTRAY = {
    "several": mark("More than one new piece hangs. Leave only the piece of the player whose turn it is."),
    "roll": mark("A piece hangs before the die was rolled. Tell what the die shows, or take the piece back."),
    "elsewhere": mark("A piece hangs on another cactus than before. Hang it back where it was."),
    "fallen": mark("A piece that fell or was given up hangs there. Take it away."),
    "empty": mark("No cactus can be seen. Put all five into the picture."),
}
"""What is wrong with a table that does not follow from the record, and what to do."""

ENDINGS = {
    "flowers": mark("All flowers lie with the dot up, and the reserve is empty."),
    "basics": mark("No basic piece is left in the supply."),
    "specials": mark("The last special piece was hung."),
    "agreed": mark("All agreed to end it."),
    "early": mark("Stopped before the end."),
}
LACKING = {
    "color": mark("COLOUR was rolled, and no basic piece in %(name)s is left in the supply."),
    "shape": mark("SHAPE was rolled, and no basic piece of the shape “%(name)s” is left in the supply."),
}
"""Why a roll ended the match."""


def sentence(rule: str, call: Call, facts: Mapping[str, Any], names: Mapping[str, Any], t: Translations) -> str:
    """A verdict in words.

    Parameters
    ----------
    rule, call, facts
        What the rules said.
    names
        Words for what a sentence may name, already in the reader's language.
    t
        The reader's catalogue.
    """
    text = _text(rule, call, facts)
    if text is None:
        return f"{rule}: {call}"
    told = t.gettext(text) % names
    return told[:1].upper() + told[1:]


def _text(rule: str, call: Call, facts: Mapping[str, Any]) -> str | None:
    if rule == "cactus.piece":
        if call is Call.VIOLATION and facts.get("held"):
            return NOT_HELD
        if call is Call.LEGAL and facts.get("declared"):
            return STATED_RIGHT
        if call is Call.LEGAL and facts.get("die") is None:
            return FREE_PIECE
    if rule == "cactus.cactus" and call is Call.LEGAL:
        if facts.get("declared"):
            return STATED_RIGHT
        if facts.get("expected") is None:
            return ANY_CACTUS
    if rule in ("cactus.same-color", "cactus.same-shape") and facts.get("declared"):
        return STATED_APART if call is Call.LEGAL else STATED_TOUCH
    if facts.get("cancelled") and rule in CANCELLED:
        return CANCELLED[rule]
    if rule == "cactus.fallen":
        return FALLEN_HOW.get((str(facts.get("how")), call), SENTENCES[rule, call])
    return SENTENCES.get((rule, call))
