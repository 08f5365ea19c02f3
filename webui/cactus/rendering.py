"""What the templates of Cactus can call, and what the live page tells of a match of Cactus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Flask

from scoring.verdicts import Call
from webui.cactus import laws, texts
from webui.cactus.snapshot import LiveCactus, MatchCactus, RewardView, TodoView, TurnCactus
from webui.cactus.snapshot_stand import CactusView, PieceView, StandView
from webui.cactus.stand import set_view
from webui.conex.rendering import RuleGroup, RuleLine
from webui.conex.texts import RULE_CALLS, millimetres
from webui.match.evidence import marks_of, points_of
from webui.services import words
from webui.shown.head import Head, RuleView
from webui.texts import mark

LINES_SHOWN = 2
"""So many lines of a kept rule are shown at once; the others are behind a tap."""
CONTACTS = {
    "cactus.same-color": "same-color",
    "cactus.same-shape": "same-shape",
    "cactus.touches-base": "base",
    "cactus.touches-table": "table",
}
"""Kind of the contact that each rule speaks of."""
REWARDS = ("cactus.color-count", "cactus.shape-count", "cactus.all-colors", "cactus.claim")
"""Rules that bring flowers or do not, and that nobody can break."""


def install_cactus(app: Flask) -> None:
    """Give the templates of Cactus their functions and filters."""
    app.jinja_env.filters["hue"] = lambda name: texts.color(name, words())
    app.jinja_env.filters["shape"] = lambda name: texts.shape(name, words())
    app.jinja_env.filters["piece"] = piece_words
    app.jinja_env.filters["why"] = lambda why: _said(laws.WHYS, why)
    app.jinja_env.filters["cactus"] = cactus_words
    app.jinja_env.globals.update(
        set_view=set_view,
        stand_words=stand_words,
        flower_words=flower_words,
        asked_words=asked_words,
        why_words=lambda why: _said(laws.WHYS, why),
        whys=lambda: [(why, words().gettext(text)) for why, text in laws.WHYS.items()],
        roll_words=lambda face: _said(laws.DICE, face),
        rolls=lambda: [(face, _said(laws.DICE, face), _said(laws.DICE_DO, face)) for face in laws.DICE],
        reward_words=reward_words,
        rule_sentence=rule_sentence,
        cactus_rules=cactus_rules,
        contact_kind=lambda rule: CONTACTS.get(rule, ""),
        stray_words=lambda reason: _said(laws.ASTRAY, reason),
        over_words=over_words,
        hang_words=hang_words,
        signed=signed,
        cactus_evidence=cactus_evidence,
    )


def _said(table: Mapping[str, str], key: str) -> str:
    """The words for a key; one that has none stands for itself."""
    return words().gettext(table[key]) if key in table else key


def piece_words(piece: PieceView | None) -> str:
    """A piece in a few words."""
    t = words()
    if piece is None:
        return t.gettext(texts.UNREAD)
    color = texts.color(piece.color, t)
    if piece.shape is None:
        return t.gettext(texts.SPECIAL) % {"shape": texts.shape(piece.id, t), "color": color}
    return t.gettext(texts.BASIC) % {"shape": texts.shape(piece.shape, t), "color": color}


def cactus_words(cactus: CactusView | None) -> str:
    """A cactus by its number."""
    return words().gettext(texts.CACTUS) % {"n": cactus.number} if cactus is not None else "?"


def stand_words(stand: StandView) -> str:
    """A cactus with all that hangs on it, in one sentence."""
    t = words()
    told = {"cactus": cactus_words(stand.cactus), "pieces": ", ".join(piece_words(h.piece) for h in stand.hung)}
    return t.gettext(texts.STAND if stand.hung else texts.STAND_EMPTY) % told


def flower_words(threes: int, ones: int) -> str:
    """Flowers for who does not see them."""
    return words().gettext(texts.FLOWERS) % {"threes": threes, "ones": ones}


def flowers_in_words(number: int) -> str:
    """A number of flowers."""
    return words().ngettext("%(num)d flower", "%(num)d flowers", number) % {"num": number}


def signed(number: int) -> str:
    """A change: a loss has a minus."""
    return f"−{-number}" if number < 0 else f"+{number}" if number else "0"


def asked_words(match: MatchCactus, facts: Mapping[str, Any]) -> str:
    """What a roll asks for, in a few words."""
    t = words()
    held = match.look.pieces.get(str(facts.get("held")))
    if held is not None:
        return t.gettext(mark("%(piece)s, which is hung again")) % {"piece": piece_words(held)}
    if facts.get("color") and facts.get("die") == "color":
        return t.gettext(mark("a basic piece in %(color)s")) % {"color": texts.color(str(facts["color"]), t)}
    if facts.get("shape") and facts.get("die") == "shape":
        return t.gettext(mark("a basic piece of the shape “%(shape)s”")) % {
            "shape": texts.shape(str(facts["shape"]), t)
        }
    if facts.get("die") == "special":
        piece = match.look.pieces.get(str(facts.get("special")))
        return t.gettext(mark("the leftmost special piece: %(piece)s")) % {"piece": piece_words(piece)}
    return t.gettext(mark("any basic piece"))


def over_words(match: MatchCactus) -> str:
    """Why the match is over."""
    t, why = words(), match.lacking
    if why is None or why.name is None:
        return _said(laws.ENDINGS, match.ending)
    name = texts.color(why.name, t) if why.rolled == "color" else texts.shape(why.name, t)
    return t.gettext(laws.LACKING[why.rolled]) % {"name": name}


def reward_words(reward: RewardView) -> str:
    """What brings how many flowers."""
    return f"{_said(laws.WHYS, reward.why)}: {flowers_in_words(reward.flowers)}"


def rule_sentence(match: MatchCactus, rule: RuleView) -> str:
    """A verdict in words."""
    t, facts, look = words(), rule.facts, match.look

    def piece(key: str) -> str:
        found = look.pieces.get(str(facts.get(key)))
        return piece_words(found) if found is not None or facts.get(key) is None else str(facts[key])

    gap, sigma = facts.get("gap_mm"), facts.get("sigma_mm")
    names = {
        "piece": piece("piece"),
        "held": piece("held"),
        "a": piece("a"),
        "b": piece("b"),
        "asked": asked_words(match, {k: v for k, v in facts.items() if k != "held"}),
        "cactus": cactus_words(look.cacti.get(str(facts.get("cactus")))),
        "expected": cactus_words(look.cacti.get(str(facts.get("expected")))),
        "color": texts.color(str(facts.get("color")), t),
        "shape": texts.shape(str(facts.get("shape")), t),
        "gap": millimetres(float(gap), t) if isinstance(gap, int | float) else "?",
        "doubt": millimetres(max(2 * float(sigma), 0.1), t) if isinstance(sigma, int | float) else "?",
        "times": _number(facts.get("times")),
        "total": _number(facts.get("count")),
        "flowers": flowers_in_words(_number(facts.get("flowers", facts.get("times")))),
        "why": _said(laws.WHYS, str(facts.get("why"))),
    }
    return laws.sentence(rule.rule, Call(rule.call), facts, names, t)


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def cactus_rules(match: MatchCactus, turn: TurnCactus) -> list[RuleGroup]:
    """Every judged rule of a turn: what is wrong or open first, else in the order of the rules."""
    t = words()
    groups = []
    for rule, (title, text) in laws.RULES.items():
        found = sorted((v for v in turn.rules if v.rule == rule), key=_urgency)
        if not found:
            continue
        lines = tuple(RuleLine(v.call, rule_sentence(match, v)) for v in found)
        shown = max(LINES_SHOWN, sum(v.call != Call.LEGAL for v in found))
        call = found[0].call
        word = t.gettext(laws.CALLS.get((rule, Call(call)), RULE_CALLS[Call(call)]))
        if rule in REWARDS and call != Call.UNCERTAIN and (call == Call.VIOLATION or found[0].facts.get("cancelled")):
            # Nothing is broken by it, so it is not shown as a broken rule.
            word, call = t.gettext(laws.NOT_EARNED), Call.UNCERTAIN.value
            lines = tuple(
                RuleLine(call if _lost(v) else v.call, line.sentence) for v, line in zip(found, lines, strict=True)
            )
        groups.append(RuleGroup(rule, t.gettext(title), t.gettext(text), call, word, lines[:shown], lines[shown:]))
    return sorted(groups, key=lambda g: ("violation", "uncertain", "legal").index(g.call))


def _lost(rule: RuleView) -> bool:
    """Whether flowers were hoped for in vain."""
    return rule.call == Call.VIOLATION or bool(rule.facts.get("cancelled"))


def _urgency(rule: RuleView) -> tuple[int, float]:
    worst = {Call.VIOLATION: 0, Call.UNCERTAIN: 1, Call.LEGAL: 2}[Call(rule.call)]
    gap = rule.facts.get("gap_mm")
    return (worst, float(gap) if isinstance(gap, int | float) else 0.0)


def hang_words(turn: TurnCactus) -> str:
    """A turn in a few words, for the list of turns."""
    t = words()
    if turn.impossible:
        return t.gettext(mark("taken out by agreement"))
    if turn.piece is None:
        return "–"
    told = f"{piece_words(turn.piece)} → {cactus_words(turn.cactus)}"
    if turn.fallen:
        told += " · " + t.ngettext("%(num)d piece fell", "%(num)d pieces fell", len(turn.fallen)) % {
            "num": len(turn.fallen)
        }
    return told


def announce_cactus(match: Head) -> str:
    """What a screen reader says when the step of the match changes."""
    t = words()
    assert isinstance(match, MatchCactus)
    if match.phase == "finished":
        return t.gettext(mark("The match is over"))
    now = next((step for step in match.todo if step.state == "now"), None)
    if now is None or match.to_play is None:
        return ""
    who = t.gettext(mark("%(player)s's turn")) % {"player": match.name(match.to_play)}
    return f"{who}. {_step(match, now)}"


def _step(match: MatchCactus, step: TodoView) -> str:
    t = words()
    if step.job == "roll":
        return t.gettext(mark("Roll the die and tell what it shows."))
    if step.job == "take":
        return t.gettext(mark("Take %(asked)s.")) % {"asked": asked_words(match, step.facts)}
    if step.job in ("fix", "answer") and step.rule is not None:
        return rule_sentence(match, step.rule)
    return t.gettext(mark("Pass the die.")) if step.job == "pass" else ""


def outlines_cactus(match: Head, live: LiveCactus | None) -> list[dict[str, Any]]:
    """What is drawn over the live picture: the pieces by name, and the playing area."""
    assert isinstance(match, MatchCactus)
    drawn = []
    for loop in live.loops if live is not None else ():
        piece = match.look.pieces.get(loop.piece or "")
        # A name would cover the piece, which is small in the picture: the drawing has the names.
        label = (piece_words(piece) if piece is not None else "?") if loop.kind == "guess" else ""
        drawn.append(
            {
                "quad": [list(p) for p in loop.points],
                "kind": f"cactus {loop.kind}",
                "mark": "unsure" if loop.kind == "guess" else "",
                "label": f"{label} ?" if loop.kind == "guess" and piece is not None else label,
            }
        )
    return drawn


def cactus_evidence(match: MatchCactus, turn: TurnCactus) -> dict[str, Any] | None:
    """The evidence picture of a turn with its outlines."""
    marks = marks_of(match.id, turn.evidence)
    if not marks:
        return None
    width, height = marks["size"]
    cards = []
    for key, outline in {**marks["quads"], **marks["outlines"]}.items():
        hung = turn.scene.hung(key) if turn.scene is not None else None
        x = sum(p[0] for p in outline) / len(outline)
        y = min(p[1] for p in outline) - width / 70  # above it, so that it is not covered
        cards.append(
            {
                "classes": "cactus placed" if key == turn.key else "cactus hung",
                "label": piece_words(hung.piece) if hung is not None and key == turn.key else "",
                "points": points_of(outline),
                "x": round(x, 1),
                "y": round(y, 1),
            }
        )
    return {"width": width, "height": height, "cards": cards, "font": round(width / 60, 1)}
