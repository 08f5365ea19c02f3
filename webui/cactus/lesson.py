"""One minute of Cactus by doing: small steps with pieces of this table's set, each asked before it is told."""

from __future__ import annotations

from dataclasses import dataclass

from scoring.deck_cactus import CactusDeck
from webui.cactus.snapshot_stand import CactusView, HungView, PieceView, SetView
from webui.cactus.stand import set_view
from webui.texts import mark

STEPS = ("roll", "take", "hang", "count", "fall", "special", "done")
REST_MM = 2.5
"""So deep a piece of the lesson rests on the head of its cactus: as a notch does."""

SAID = {
    ("take", "right"): mark("Right: it has the colour of the piece before. The shape does not matter."),
    ("take", "color"): mark("Not this one: COLOUR means the colour of the piece that was hung last."),
    ("take", "special"): mark("Not this one: special pieces are taken with !! only."),
    ("count", "1"): mark(
        "Right: whoever brings a colour to three on all cacti together gets one flower. For five it is two."
    ),
    ("count", "0"): mark("Look again: three of one colour hang on all cacti together, and yours is the third."),
    ("count", "2"): mark(
        "Two flowers are for the fifth of a colour or a shape, or for all five colours on one cactus."
    ),
    ("fall", "pay"): mark(
        "Right: one flower for each piece that fell, and nothing earned in this turn. If your own piece falls, "
        "that costs nothing: just hang it again."
    ),
    ("fall", "nothing"): mark("Pieces that hung and fall cost one flower each, and nothing is earned in this turn."),
    ("fall", "end"): mark("The match goes on. A fallen piece costs one flower, and nothing is earned in this turn."),
    ("special", "right"): mark(
        "Right: with !! you take the leftmost special piece of the row. Its shape is like no other."
    ),
    ("special", "wrong"): mark("Not this one: it must be the leftmost of the row."),
}
"""What is said to an answer."""
RIGHT = {("take", "right"), ("count", "1"), ("fall", "pay"), ("special", "right")}


@dataclass(frozen=True, slots=True)
class Choice:
    """Something to choose: its answer, and the piece that it shows, or None."""

    answer: str
    piece: PieceView | None = None


@dataclass(frozen=True, slots=True)
class Trial:
    """A cactus with a piece of one colour, and another piece of it that must not touch it.

    Parameters
    ----------
    cactus, hung, piece
        What stands there, what hangs there already, and what is to be hung.
    box
        Left, top, width and height of what is shown.
    start
        Where the piece waits.
    """

    cactus: CactusView
    hung: HungView
    piece: PieceView
    box: tuple[float, float, float, float]
    start: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Lesson:
    """One step of the lesson.

    Parameters
    ----------
    step, number
        Its name, and which one it is, from 1.
    last
        The piece that was hung before.
    choices
        What can be answered.
    trial
        What can be tried, in the step ``hang``.
    said, right
        What is said to the answer, and whether it was the right one.
    """

    step: str
    number: int
    last: PieceView
    choices: tuple[Choice, ...] = ()
    trial: Trial | None = None
    said: str = ""
    right: bool = False


def lesson(deck: CactusDeck, number: int, answer: str = "") -> Lesson | None:
    """A step of the lesson with what is said to an answer; None where there is none, or the set is too small."""
    look = set_view(deck)
    basic = [p for p in look.pieces.values() if not p.special]
    if not 1 <= number <= len(STEPS) or len(basic) < 2 or not look.cacti:
        return None
    step = STEPS[number - 1]
    last, same = _pair(basic)
    said = SAID.get((step, answer), "")
    return Lesson(
        step,
        number,
        last,
        tuple(_choices(step, look, last, same)),
        _trial(look, last, same) if step == "hang" else None,
        said,
        (step, answer) in RIGHT,
    )


def _pair(basic: list[PieceView]) -> tuple[PieceView, PieceView]:
    """A piece, and another one of its colour."""
    for last in basic:
        for other in basic:
            if other.color == last.color and other.shape != last.shape:
                return last, other
    return basic[0], basic[1]


def _choices(step: str, look: SetView, last: PieceView, same: PieceView) -> list[Choice]:
    specials = look.specials
    if step == "take":
        other = next((p for p in look.pieces.values() if p.shape == last.shape and p.color != last.color), None)
        # The same shape first: the tempting one.
        offered = [Choice("color", other)] if other is not None else []
        offered.append(Choice("right", same))
        return [*offered, *([Choice("special", specials[-1])] if specials else [])]
    if step == "count":
        return [Choice(n) for n in ("0", "1", "2")]
    if step == "fall":
        return [Choice(a) for a in ("nothing", "pay", "end")]
    if step == "special":
        return [Choice("right" if n == 0 else "wrong", p) for n, p in enumerate(specials[:5])]
    return []


def _trial(look: SetView, last: PieceView, piece: PieceView) -> Trial:
    cactus = next(iter(look.cacti.values()))
    head = min(cactus.outline, key=lambda p: p[1])
    low = max(last.outline, key=lambda p: p[1])
    dx, dy = head[0] - low[0], head[1] - low[1] + REST_MM
    outline = tuple((round(x + dx, 1), round(y + dy, 1)) for x, y in last.outline)
    hung = HungView("first", last, outline, (0.0, 0.0))
    points = [*cactus.outline, *outline]
    left, right = min(x for x, _ in points) - 30, max(x for x, _ in points) + 62
    top = min(y for _, y in points) - 22
    box = (round(left, 1), round(top, 1), round(right - left, 1), round(look.base[1] + 12 - top, 1))
    return Trial(cactus, hung, piece, box, (round(right - 26, 1), round(top + box[3] * 0.45, 1)))
