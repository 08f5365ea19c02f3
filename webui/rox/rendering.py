"""What the templates of Rox can call, and what the live page tells of a match of Rox."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flask import Flask

from scoring.deck import RoxDeck
from scoring.verdicts import Call, Verdict
from webui import texts
from webui.decks.here import NAMED
from webui.match.evidence import marks_of, points_of
from webui.rox.chart import chart
from webui.rox.snapshot import AwardView, CardView, MatchRox, QuestionView, RowView, RulingView
from webui.services import services, words
from webui.shown.head import Head
from webui.texts import mark

STONE_SHARE = 0.6
"""The stone's share of a card's shorter side, from the card's middle."""
LOOK = mark("%(player)s: please look")
QUESTIONS = {
    "rox.link": mark("%(player)s: do these two cards fit?"),
    "rox.row-seen": mark("%(player)s: no row was found"),
    "rox.six-cards": mark("%(player)s called: are there six cards?"),
}


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a link fits or not: both cards and a sentence; `index` counts the card before the link from 1."""

    index: int
    left: CardView
    right: CardView
    title: str
    sentence: str
    tone: str
    open: bool


def install_rox(app: Flask) -> None:
    """Give the templates of Rox their functions and filters."""
    app.jinja_env.filters["element"] = lambda name: texts.element(name, words())
    app.jinja_env.globals.update(
        chart=chart,
        card_name=card_name,
        question_title=question_title,
        pair_of=pair_of,
        reasons=reasons,
        notes=notes,
        tie_words=tie_words,
        evidence_of=evidence_of,
        stone=stone,
    )


@dataclass(frozen=True, slots=True)
class Stone:
    """Where the picture of an element is: a card that shows it, its size in mm, and the part that is the stone."""

    face: str
    width: float
    height: float
    box: str


def stone(name: str) -> Stone | None:
    """The picture of an element as a person's own deck shows it; None where its sign is a usual one.

    An own deck may call its elements by the usual names and still show something else.
    """
    here = services().runner.deck
    deck = here.deck
    own = here.key not in ("", NAMED) and not here.key.startswith("/")
    if not isinstance(deck, RoxDeck) or (name in texts.ELEMENTS and not own):
        return None
    faces = (f for f in sorted(deck.faces) if deck.faces[f].center == name and services().art.has(f))
    face = next(faces, None)
    if face is None:
        return None
    width, height = deck.card_mm
    side = STONE_SHARE * min(width, height)
    return Stone(face, width, height, f"{(width - side) / 2:g} {(height - side) / 2:g} {side:g} {side:g}")


def card_name(card: CardView) -> str:
    """A card in words: the element on its stone, and its id."""
    if card.center is None:
        return words().gettext(mark("a card that was not read"))
    return f"{texts.element(card.center, words())} ({card.face})"


def question_title(question: QuestionView, match: MatchRox) -> str:
    """A question in a few words."""
    player = match.name(question.seat) if question.seat else ""
    return words().gettext(QUESTIONS.get(question.rule, LOOK)) % {"player": player}


def pair_of(ruling: RulingView, keys: tuple[str, ...]) -> tuple[CardView | None, CardView | None]:
    """The two cards of a link by their keys."""
    cards = {c.key: c for row in ruling.rows for c in row.cards}
    return cards.get(keys[0]), cards.get(keys[-1])


def reasons(row: RowView, match: MatchRox) -> list[Reason]:
    """Why each judged link of a row is called as it is; the first one that does not fit is open."""
    t = words()
    found = []
    for i, (left, right) in enumerate(zip(row.cards, row.cards[1:], strict=False), start=1):
        if right.part == "after" or right.link is None:
            continue
        call = Call(right.link)
        verdict = Verdict("rox.link", call, (left.key, right.key), row.seat, _facts(left, right))
        titles = {
            Call.LEGAL: mark("Card %(a)d to card %(b)d fits"),
            Call.VIOLATION: mark("Card %(b)d is the first that does not fit"),
            Call.UNCERTAIN: mark("Card %(a)d to card %(b)d: unsure"),
        }
        found.append(
            Reason(
                i,
                left,
                right,
                t.gettext(titles[call]) % {"a": i, "b": i + 1},
                texts.explain(verdict, {}, t),
                {Call.LEGAL: "good", Call.VIOLATION: ""}.get(call, "doubt"),
                right.part == "wrong",
            )
        )
    return found


def _facts(left: CardView, right: CardView) -> dict[str, Any]:
    if right.overruled or not left.counts or right.center is None:
        return {}
    return {"leader": left.counts[0][0], "leader_count": left.counts[0][1], "center": right.center}


def notes(ruling: RulingView, match: MatchRox) -> list[str]:
    """What else the referee noticed: doubtful things that no question asks about."""
    names = {p.seat: p.name for p in match.players}
    asked = {q.rule for q in ruling.questions}
    return [
        texts.explain(Verdict(v.rule, Call(v.call), v.about, v.seat, v.facts), names, words())
        for v in ruling.verdicts
        if v.rule == "rox.one-of-each" or (v.rule == "rox.six-cards" and v.call == "uncertain" and v.rule in asked)
    ]


def tie_words(award: AwardView, ruling: RulingView, match: MatchRox) -> str:
    """Why a player of an equal row comes before or behind the others."""
    t = words()
    others = ", ".join(match.name(s) for s in award.tied_with)
    if award.seat == ruling.caller:
        return t.gettext(mark("as long as %(others)s, but called")) % {"others": others}
    return t.gettext(mark("as long as %(others)s: clockwise from the caller's left")) % {"others": others}


def evidence_of(match: MatchRox, ruling: RulingView) -> dict[str, Any] | None:
    """The evidence picture's outlines: each row card with its place in the row and whether it fits."""
    marks = marks_of(match.id, ruling.evidence)
    if not marks:
        return None
    width, height = marks["size"]
    places = {c.key: (i, c) for row in ruling.rows for i, c in enumerate(row.cards, start=1)}
    cards = []
    for key, quad in marks["quads"].items():
        place = places.get(key)
        classes, label = "pool", ""
        if place is not None:
            index, card = place
            classes = {"wrong": "row wrong", "open": "row unsure", "after": "row back"}.get(card.part, "row")
            label = f"{index} {texts.element(card.center, words()) if card.center else '?'}"
        x, y = (round(sum(p[i] for p in quad) / 4, 1) for i in (0, 1))
        cards.append({"classes": classes, "label": label, "points": points_of(quad), "x": x, "y": y})
    return {"width": width, "height": height, "cards": cards, "font": round(width / 70, 1)}


def outline_rox(card: dict[str, Any]) -> dict[str, Any]:
    """A card over the live picture."""
    label = ""
    if card["kind"] == "row" and card["center"]:
        label = texts.element(card["center"], words())
    elif card["kind"] == "scoring":
        label = str(card["value"])
    if card["kind"] == "row" and not card["sure"]:
        label += " ?"
    return {
        "quad": [[round(x, 1), round(y, 1)] for x, y in card["quad"]],
        "kind": card["kind"],
        "mark": "" if card["sure"] or card["kind"] != "row" else "unsure",
        "label": label,
    }


def announce_rox(match: Head) -> str:
    """What a screen reader says when the step of the match changes."""
    t = words()
    if not isinstance(match, MatchRox):
        return ""
    if match.phase == "verdict" and match.ruling is not None:
        if not match.ruling.settled:
            return t.gettext(mark("Verdict. There are open questions."))
        lines = [
            t.gettext(mark("%(player)s gets %(points)d points.")) % {"player": match.name(a.seat), "points": a.points}
            for a in match.ruling.awards
        ]
        return " ".join([t.gettext(mark("Verdict.")), *(lines or [t.gettext(mark("No row counts."))])])
    if match.phase == "racing":
        return t.gettext(mark("The race is on!"))
    if match.phase == "checking" and match.caller:
        return t.gettext(mark("%(name)s calls “Rox!”")) % {"name": match.name(match.caller)}
    if match.phase == "finished":
        return t.gettext(mark("The match is over"))
    return ""
