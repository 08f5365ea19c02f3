"""What templates can call: names, reasons, outlines of evidence, and the news that the live page asks for."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from flask import Flask, g, render_template, request, url_for
from markupsafe import Markup

from scoring.verdicts import Call, Verdict
from webui import texts
from webui.chart import chart
from webui.services import services, words
from webui.snapshot import AwardView, CardView, MatchView, QuestionView, RowView, RulingView, Snapshot, as_json
from webui.store import Json
from webui.texts import mark

UNDO = {
    "ScoringDealt": mark("Take back: the scoring cards"),
    "RaceStarted": mark("Take back: the start"),
    "Called": mark("Take back: the call"),
    "TableRecorded": mark("Take back: the judged picture"),
    "FactDeclared": mark("Take back: the correction"),
    "RoundConfirmed": mark("Take back: the agreement"),
    "RoundEdited": mark("Take back: the change of an earlier round"),
    "MatchFinished": mark("Take back: the end of the match"),
}
LAST_STEP = mark("Take back the last step")
LOOK = mark("%(player)s: please look")
QUESTIONS = {
    "rox.link": mark("%(player)s: do these two cards fit?"),
    "rox.row-seen": mark("%(player)s: no row was found"),
    "rox.six-cards": mark("%(player)s called: are there six cards?"),
}
ICONS = {
    "no-camera": "eye-shut",
    "looking": "eye-half",
    "moving": "eye-half",
    "settled": "eye-open",
    "checking": "eye-open",
    "verdict": "check",
    "out-of-step": "cross",
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


@dataclass(frozen=True, slots=True)
class Closeup:
    """A part of the evidence picture: SVG view box, the whole picture's size, the cards' outlines, turn in degrees."""

    view: str
    width: int
    height: int
    outlines: tuple[str, ...]
    turn: int


def install(app: Flask) -> None:
    """Give the templates their functions and filters."""
    app.jinja_env.add_extension("jinja2.ext.i18n")
    app.jinja_env.install_gettext_callables(  # type: ignore[attr-defined]
        lambda text: words().gettext(text),
        lambda one, many, n: words().ngettext(one, many, n),
        newstyle=True,
    )
    app.jinja_env.trim_blocks = True
    app.jinja_env.lstrip_blocks = True
    app.jinja_env.filters["element"] = lambda name: texts.element(name, words())
    app.jinja_env.filters["call_word"] = lambda call: words().gettext(texts.CALLS[Call(call)])
    app.jinja_env.filters["player_name"] = lambda seat, match: match.name(seat)
    app.jinja_env.globals.update(
        chart=chart,
        has_art=lambda face: services().art.has(face),
        card_name=card_name,
        question_title=question_title,
        pair_of=pair_of,
        reasons=reasons,
        notes=notes,
        tie_words=tie_words,
        undo_words=lambda match: words().gettext(UNDO.get(match.undo, LAST_STEP)),
        closeup=closeup,
        evidence_of=evidence_of,
        languages=texts.LANGUAGES,
        sides={side: side for side in texts.SIDES},
        side_words=lambda side: words().gettext(texts.SIDES[side]),
    )

    @app.context_processor
    def _language() -> dict[str, Any]:
        return {"language": g.get("language", "en")}

    @app.before_request
    def _choose_language() -> None:
        chosen = request.cookies.get("referee-language", "")
        if chosen not in texts.LANGUAGES:
            chosen = request.accept_languages.best_match(list(texts.LANGUAGES)) or "en"
        g.language = chosen


def card_name(card: CardView) -> str:
    """A card in words: the element on its stone, and its id."""
    if card.center is None:
        return words().gettext(mark("a card that was not read"))
    return f"{texts.element(card.center, words())} ({card.face})"


def question_title(question: QuestionView, match: MatchView) -> str:
    """A question in a few words."""
    player = match.name(question.seat) if question.seat else ""
    return words().gettext(QUESTIONS.get(question.rule, LOOK)) % {"player": player}


def pair_of(ruling: RulingView, keys: tuple[str, ...]) -> tuple[CardView | None, CardView | None]:
    """The two cards of a link by their keys."""
    cards = {c.key: c for row in ruling.rows for c in row.cards}
    return cards.get(keys[0]), cards.get(keys[-1])


def reasons(row: RowView, match: MatchView) -> list[Reason]:
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


def notes(ruling: RulingView, match: MatchView) -> list[str]:
    """What else the referee noticed: doubtful things that no question asks about."""
    names = {p.seat: p.name for p in match.players}
    asked = {q.rule for q in ruling.questions}
    return [
        texts.explain(Verdict(v.rule, Call(v.call), v.about, v.seat, v.facts), names, words())
        for v in ruling.verdicts
        if v.rule == "rox.one-of-each" or (v.rule == "rox.six-cards" and v.call == "uncertain" and v.rule in asked)
    ]


def tie_words(award: AwardView, ruling: RulingView, match: MatchView) -> str:
    """Why a player of an equal row comes before or behind the others."""
    t = words()
    others = ", ".join(match.name(s) for s in award.tied_with)
    if award.seat == ruling.caller:
        return t.gettext(mark("as long as %(others)s, but called")) % {"others": others}
    return t.gettext(mark("as long as %(others)s: clockwise from the caller's left")) % {"others": others}


def closeup(match: MatchView, picture: str, keys: tuple[str, ...], seat: str | None = None) -> Closeup | None:
    """The place in the evidence picture where these cards lie, with some room around, as the row's owner sees it."""
    marks = _marks(match.id, picture)
    quads = [marks["quads"][k] for k in keys if k in marks["quads"]] if marks else []
    if not marks or not quads:
        return None
    turn = {"north": 180, "west": -90, "east": 90}.get(seat or "", 0)
    cos, sin = {0: (1, 0), 180: (-1, 0), -90: (0, -1), 90: (0, 1)}[turn]
    # Turned round the picture's corner: (x, y) becomes (x cos - y sin, x sin + y cos), as SVG's rotate does.
    points = [(x * cos - y * sin, x * sin + y * cos) for q in quads for x, y in q]
    left, right = min(p[0] for p in points), max(p[0] for p in points)
    top, bottom = min(p[1] for p in points), max(p[1] for p in points)
    room = 0.12 * max(right - left, bottom - top)
    view = (left - room, top - room, right - left + 2 * room, bottom - top + 2 * room)
    outlines = tuple(_points(q) for q in quads)
    return Closeup(" ".join(f"{v:.1f}" for v in view), marks["size"][0], marks["size"][1], outlines, turn)


def evidence_of(match: MatchView, ruling: RulingView) -> dict[str, Any] | None:
    """The evidence picture's outlines: each row card with its place in the row and whether it fits."""
    marks = _marks(match.id, ruling.evidence)
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
        cards.append({"classes": classes, "label": label, "points": _points(quad), "x": x, "y": y})
    return {"width": width, "height": height, "cards": cards, "font": round(width / 70, 1)}


def _marks(match: str, picture: str) -> Json | None:
    """The outlines stored with a picture, if they have their form: an import may carry anything."""
    if not picture:
        return None
    marks = services().store.marks(match, picture)
    try:
        width, height = marks["size"]
        if not (0 < float(width) < 1e5 and 0 < float(height) < 1e5):
            return None
        quads = {str(k): [(float(x), float(y)) for x, y in q] for k, q in marks["quads"].items()}
    except (KeyError, TypeError, ValueError, AttributeError):
        return None
    return {"size": (int(width), int(height)), "quads": {k: q for k, q in quads.items() if len(q) == 4}}


def _points(quad: list[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in quad)


def news_of(match: MatchView, snapshot: Snapshot | None) -> dict[str, Any]:
    """All that the live page shows of a match now.

    Parameters
    ----------
    match
        The match, of the snapshot or read from the log.
    snapshot
        The snapshot, where the match is at this table; else None.
    """
    here = snapshot is not None
    context = {"match": match, "snapshot": snapshot, "here": here}
    html, score = (Markup(render_template(part, **context)) for part in ("stage.html", "score.html"))
    stage = hashlib.sha256(f"{html}{score}".encode()).hexdigest()[:16]
    t = words()
    if snapshot is None:
        word, hint, icon = mark("Elsewhere"), texts.HINTS["not-here"], "eye-shut"
    else:
        word, usual = texts.STATES[snapshot.state]
        hint = texts.HINTS.get(snapshot.hint, usual)
        icon = ICONS[snapshot.state]
    return {
        "version": snapshot.version if snapshot else 0,
        "seq": match.seq,
        "state": snapshot.state if snapshot else "no-camera",
        "word": t.gettext(word),
        "hint": t.gettext(hint),
        "icon": f"{url_for('static', filename='icons.svg')}#{icon}",
        "stage": stage,
        "html": html,
        "score": score,
        "layout": _layout(match, here),
        "announce": _announcement(match),
        "picture_size": snapshot.picture_size if snapshot else None,
        "cards": [_outline(c) for c in as_json(snapshot.cards)] if snapshot else [],
        "here": here,
        "go": _demo_elsewhere(match),
        "program": services().program,
        "pause_ms": 0 if here else 2000,
    }


def _demo_elsewhere(match: MatchView) -> str:
    """Where the demonstration plays now, if this is one of its earlier matches; else empty."""
    shown = services().runner.board.snapshot
    if not shown.demo or shown.match is None or shown.match.id == match.id:
        return ""
    return url_for("live.page", match=shown.match.id)


def _layout(match: MatchView, here: bool) -> str:
    if not here:
        return "match alone"
    return {"verdict": "match verdict-first", "finished": "match verdict-first finish"}.get(match.phase, "match")


def _outline(card: dict[str, Any]) -> dict[str, Any]:
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


def _announcement(match: MatchView) -> str:
    """What a screen reader says when the step of the match changes."""
    t = words()
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
