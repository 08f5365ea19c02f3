"""What the templates of CONEX can call, and what the live page tells of a match of CONEX."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import Flask

from scoring.verdicts import Call
from webui.conex import texts
from webui.conex.snapshot import GroundView, LaidView, LiveConex, MatchConex, TurnConex
from webui.conex.snapshot_plan import FaceView
from webui.match.evidence import marks_of, points_of
from webui.services import words
from webui.shown.head import RuleView
from webui.shown.snapshot import CardSeen
from webui.texts import mark

VOID = "void"
"""Call of a rule that the card may break: what was done just does not count."""
LINES_SHOWN = 2
"""So many lines of a kept rule are shown at once; the others are behind a tap."""


@dataclass(frozen=True, slots=True)
class RuleLine:
    """One verdict in words; `call` is ``legal``, ``violation`` or ``uncertain``."""

    call: str
    sentence: str


@dataclass(frozen=True, slots=True)
class RuleGroup:
    """A rule with all that was held against it, the worst first."""

    rule: str
    title: str
    text: str
    call: str
    word: str
    lines: tuple[RuleLine, ...]
    more: tuple[RuleLine, ...]


def install_conex(app: Flask) -> None:
    """Give the templates of CONEX their functions and filters."""
    app.jinja_env.filters["color"] = lambda name: texts.color(name, words())
    app.jinja_env.filters["mm"] = lambda value: texts.millimetres(value, words())
    app.jinja_env.globals.update(
        ink=ink,
        signed_mm=signed_mm,
        corner_words=corner_words,
        face_words=face_words,
        ground_words=ground_words,
        rule_groups=rule_groups,
        reason=reason,
        pawns_astray=pawns_astray,
        places_of=places_of,
        arithmetic=arithmetic,
        laid_words=laid_words,
        turn_words=turn_words,
        conex_evidence=conex_evidence,
        call_words=lambda call: words().gettext(texts.CALLS[Call(call)]),
        star_words=lambda kind: _said(texts.STARS, kind),
        dice=lambda: [(k, _said(texts.DICE, k), _said(texts.DICE_DO, k)) for k in texts.DICE],
        die_words=lambda face: _said(texts.DICE, face),
        astray_words=lambda reason: _said(texts.ASTRAY, reason),
        ending_words=lambda ending: _said(texts.ENDINGS, ending),
        no_place_words=lambda why: _said(texts.NO_PLACE, why),
        all_rules=lambda: [
            (rule, words().gettext(title), words().gettext(text)) for rule, (title, text) in texts.RULES.items()
        ],
    )


def _said(table: Mapping[str, str], key: str) -> str:
    """The words for a key; one that has none stands for itself."""
    return words().gettext(table[key]) if key in table else key


def ink(color: str) -> str:
    """Class of what is written on that colour: ``dark`` or ``light``, whichever is read better."""
    try:
        parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    except ValueError:
        return "dark"
    red, green, blue = ((c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4) for c in parts)
    return "dark" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 else "light"


def face_words(face: FaceView | None) -> str:
    """A card in a few words."""
    if face is None:
        return words().gettext(texts.UNREAD)
    return words().gettext(texts.CARD) % {"color": texts.color(face.color, words()), "id": face.id}


def corner_words(face: FaceView | None, corner: int | None) -> str:
    """A corner in a few words."""
    if face is None or corner is None or not 0 <= corner < len(face.corners):
        return words().gettext(texts.SOME_CORNER)
    found = face.corners[corner]
    return words().gettext(texts.CORNER) % {"color": texts.color(found.color, words()), "value": found.value}


def ground_words(onto: GroundView | None) -> str:
    """What a card lies on, in a few words."""
    if onto is None:
        return "?"
    if onto.space is not None:
        return words().gettext(texts.SPACE) % {"color": texts.color(onto.color, words())}
    return face_words(onto.face)


def rule_groups(match: MatchConex, turn: TurnConex) -> list[RuleGroup]:
    """Every judged rule of a turn, in the order of the rules; pawns stand with the points."""
    t = words()
    groups = []
    for rule, (title, text) in texts.RULES.items():
        found = sorted((v for v in turn.rules if v.rule == rule), key=_urgency)
        if not found and rule in texts.NOTHING_NEAR and turn.laid is not None and turn.laid.onto is not None:
            word, sentence = t.gettext(texts.RULE_CALLS[Call.LEGAL]), t.gettext(texts.NOTHING_NEAR[rule])
            line = RuleLine(Call.LEGAL, sentence)
            groups.append(RuleGroup(rule, t.gettext(title), t.gettext(text), Call.LEGAL, word, (line,), ()))
            continue
        if not found or rule == "conex.pawn":
            continue
        call = found[0].call
        lines = tuple(RuleLine(v.call, _sentence(match, turn, v)) for v in found)
        shown = max(LINES_SHOWN, sum(v.call != Call.LEGAL for v in found))
        word = t.gettext(texts.RULE_CALLS[Call(call)])
        if _is_void(found[0]):
            call, word = VOID, t.gettext(texts.NOT_COUNTED)
        groups.append(RuleGroup(rule, t.gettext(title), t.gettext(text), call, word, lines[:shown], lines[shown:]))
    # What is wrong or open comes first; the order of the rules is kept otherwise.
    return sorted(groups, key=lambda g: ("violation", "uncertain", VOID, "legal").index(g.call))


def reason(match: MatchConex, turn: TurnConex) -> str:
    """The first thing that is not kept, or open, in one sentence; empty where all is well."""
    found = [v for v in turn.rules if v.call != Call.LEGAL and v.rule != "conex.pawn" and not _is_void(v)]
    return _sentence(match, turn, min(found, key=_urgency)) if found else ""


def _is_void(rule: RuleView) -> bool:
    """Whether this costs the star and not the card: what was done just does not count."""
    return rule.rule == "conex.star" and rule.call == Call.VIOLATION


def pawns_astray(match: MatchConex) -> list[str]:
    """Pawns that stand elsewhere than the points say, in words."""
    t = words()
    text = texts.SENTENCES["conex.pawn", Call.VIOLATION]
    return [
        t.gettext(text) % {"pawn": texts.color(p.pawn, t), "square": p.shown, "expected": p.square}
        for p in match.players
        if p.shown is not None
    ]


def places_of(turn: TurnConex) -> tuple[str, ...]:
    """Keys of the cards that an open question is about: the laid one, and what it may touch."""
    keys = [k for i in turn.open for k in turn.rules[i].about]
    return tuple(dict.fromkeys([*([turn.laid.key] if turn.laid is not None else []), *keys]))


def _urgency(rule: RuleView) -> tuple[int, float]:
    worst = {Call.VIOLATION: 0, Call.UNCERTAIN: 1, Call.LEGAL: 2}[Call(rule.call)]
    gap = rule.facts.get("gap_mm")
    return (worst, float(gap) if isinstance(gap, int | float) else 0.0)


def _sentence(match: MatchConex, turn: TurnConex, rule: RuleView) -> str:
    t = words()
    faces = {c.key: c.face for c in turn.plan.cards} if turn.plan is not None else {}

    def thing(key: Any) -> str:
        if key == "board":
            return t.gettext(texts.BOARD)
        return face_words(faces.get(str(key)))

    other = rule.about[1] if len(rule.about) > 1 else None
    names = {
        "other": thing(other),
        "nearest": thing(rule.facts.get("nearest")),
        "corner": corner_words(faces.get(str(other)), rule.facts.get("corner")),
        "player": match.name(turn.seat),
    }
    names["ground"] = _ground(rule, faces, other)
    return texts.explain(rule.rule, Call(rule.call), rule.facts, names, t)


def _ground(rule: RuleView, faces: Mapping[str, FaceView | None], other: str | None) -> str:
    """What the corner lies on: by its colour where that is what is wrong, else as a thing."""
    t = words()
    color = texts.color(rule.facts.get("ground"), t)
    if rule.call == Call.VIOLATION:
        return color
    if "space" in rule.facts:
        return t.gettext(texts.ON_SPACE) % {"color": color}
    face = faces.get(str(other))
    return t.gettext(texts.ON_CARD) % {"color": color, "id": face.id if face is not None else "?"}


def signed_mm(value: float) -> str:
    """A gap for people: a depth has a minus."""
    return ("−" if value < 0 else "") + texts.millimetres(value, words())


def arithmetic(laid: LaidView) -> str:
    """How the points come about: ``(4 + 2) × 2 = 12``; a single number needs none."""
    text = str(laid.value)
    if laid.bonus:
        text += f" + {laid.bonus}"
    if laid.doubled:
        text = f"({text}) × 2" if laid.bonus else f"{text} × 2"
    return f"{text} = {laid.points}" if laid.bonus or laid.doubled else text


def laid_words(laid: LaidView) -> str:
    """What was laid where, in one sentence."""
    t = words()
    facts = {
        "card": face_words(laid.face),
        "corner": corner_words(laid.face, laid.corner),
        "ground": ground_words(laid.onto),
    }
    if laid.onto is None:
        return t.gettext(mark("Laid: %(card)s, on nothing.")) % facts
    return t.gettext(mark("Laid: %(card)s, with its %(corner)s on %(ground)s.")) % facts


def turn_words(turn: TurnConex) -> str:
    """A turn in a few words, for the list of turns."""
    t = words()
    told = [_deed_words(turn)]
    if turn.rolled is not None:
        told.append(t.gettext(mark("die: %(face)s")) % {"face": t.gettext(texts.DICE[turn.rolled])})
    if turn.took:
        card = turn.taken.id if turn.taken is not None else "?"
        told.append(t.gettext(mark("lightning star: %(card)s under the pile")) % {"card": card})
    return " · ".join(told)


def _deed_words(turn: TurnConex) -> str:
    t = words()
    if turn.stated is not None:
        return t.gettext(mark("settled by the players: %(points)d")) % {"points": turn.stated}
    if turn.deed in texts.DEEDS:
        return t.gettext(texts.DEEDS[turn.deed])
    if turn.laid is None:
        return "–"
    return f"{turn.laid.face.id if turn.laid.face else '?'}: {arithmetic(turn.laid)}"


def announce_conex(match: MatchConex) -> str:
    """What a screen reader says when the step of the match changes."""
    t = words()
    turn = match.turn
    if match.phase == "finished":
        return t.gettext(mark("The match is over"))
    if match.phase == "verdict" and turn is not None and turn.stated is not None:
        said = t.ngettext("%(player)s: %(num)d point by hand", "%(player)s: %(num)d points by hand", turn.stated)
        return said % {"player": match.name(turn.seat), "num": turn.stated}
    if match.phase == "verdict" and turn is not None and turn.laid is not None:
        word = t.gettext(texts.CALLS[Call(turn.laid.call)])
        points = t.ngettext("point", "points", turn.laid.points)
        return f"{word}. {laid_words(turn.laid)} {arithmetic(turn.laid)} {points}."
    if match.phase == "rolling":
        return t.gettext(mark("Roll the die and tell what it shows."))
    if match.to_play is not None:
        return t.gettext(mark("%(player)s's turn")) % {"player": match.name(match.to_play)}
    return ""


def outlines_conex(cards: tuple[CardSeen, ...], live: LiveConex | None) -> list[dict[str, Any]]:
    """What is drawn over the live picture: the cards, the area, and the places that a rule speaks of."""
    drawn: list[dict[str, Any]] = []
    for card in cards:
        label = card.face or "?"
        if card.kind in ("back", "board"):
            label = ""
        unsure = not card.sure and card.kind in ("card", "last")
        drawn.append(
            {
                "quad": [[round(x, 1), round(y, 1)] for x, y in card.quad],
                "kind": f"conex {card.kind}",
                "mark": "unsure" if unsure else "",
                "label": f"{label} ?" if unsure else label,
            }
        )
    for place in live.marks if live is not None else ():
        sign = {"violation": "✕", "uncertain": "?"}.get(place.kind, "")
        gap = (
            "" if place.gap_mm is None else ("−" if place.gap_mm < 0 else "") + texts.millimetres(place.gap_mm, words())
        )
        drawn.append(
            {
                "quad": [list(p) for p in place.points],
                "kind": f"conex place {place.kind}",
                "mark": "",
                "label": f"{sign} {gap}".strip() if sign else "",
            }
        )
    return drawn


def conex_evidence(match: MatchConex, turn: TurnConex) -> dict[str, Any] | None:
    """The evidence picture of a turn with its outlines."""
    marks = marks_of(match.id, turn.evidence)
    if not marks:
        return None
    width, height = marks["size"]
    faces = {c.key: c.face for c in turn.plan.cards} if turn.plan is not None else {}
    cards = []
    for key, quad in marks["quads"].items():
        last = turn.laid is not None and key == turn.laid.key
        face = faces.get(key)
        x, y = (round(sum(p[i] for p in quad) / 4, 1) for i in (0, 1))
        cards.append(
            {
                "classes": "conex last" if last else "conex card",
                "label": face.id if face is not None else "",
                "points": points_of(quad),
                "x": x,
                "y": y,
            }
        )
    return {"width": width, "height": height, "cards": cards, "font": round(width / 60, 1)}
