"""What templates can call, whatever the game, and the news that the live page asks for."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from flask import Flask, g, render_template, request, url_for
from markupsafe import Markup

from scoring.verdicts import Call
from webui import texts
from webui.cactus.rendering import announce_cactus, install_cactus, outlines_cactus
from webui.cactus.snapshot import MatchCactus
from webui.conex.rendering import announce_conex, install_conex, outlines_conex
from webui.conex.snapshot import MatchConex
from webui.match.evidence import closeup
from webui.rox.rendering import announce_rox, install_rox, outline_rox
from webui.services import services, words
from webui.shown.head import Head
from webui.shown.snapshot import Snapshot, as_json
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
    "TableAccepted": mark("Take back: the table as it lay"),
    "Withdrawn": mark("Take back: the withdrawal"),
    "Drew": mark("Take back: the drawing"),
    "Passed": mark("Take back: the pass"),
    "Rolled": mark("Take back: the die"),
    "LightningUsed": mark("Take back: the lightning star"),
    "TurnEnded": mark("Take back: the end of the turn"),
}
UNDO_OF: Mapping[str, Mapping[str, str]] = {
    "cactus": {
        "TableAccepted": mark("Take back: the cacti as they were"),
        "FactDeclared": mark("Take back: what was told"),
        "DeclaredHung": mark("Take back: what was hung"),
        "RoundConfirmed": mark("Take back: the passing of the die"),
    }
}
"""What a game says otherwise."""
LAST_STEP = mark("Take back the last step")
ICONS = {
    "no-camera": "eye-shut",
    "looking": "eye-half",
    "moving": "eye-half",
    "settled": "eye-open",
    "checking": "eye-open",
    "verdict": "check",
    "judged": "check",
    "by-hand": "pencil",
    "out-of-step": "cross",
}


PARTS: Mapping[str, Mapping[str, str]] = {
    "rox": {"stage": "stage.html", "score": "score.html"},
    "conex": {"stage": "conex/stage.html", "plan": "conex/plan.html", "score": "conex/score.html"},
    "cactus": {
        "stage": "cactus/stage.html",
        "plan": "cactus/plan.html",
        "tally": "cactus/tally.html",
        "score": "cactus/score.html",
    },
}
"""Parts of the match page that are drawn anew when something changes: their places on it, and their templates."""

ANNOUNCED: Mapping[str, Callable[[Any], str]] = {
    "rox": announce_rox,
    "conex": announce_conex,
    "cactus": announce_cactus,
}
"""What a screen reader says of a match of each game when its step changes."""


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
    app.jinja_env.filters["call_word"] = lambda call: words().gettext(texts.CALLS[Call(call)])
    app.jinja_env.filters["local_time"] = local_time
    app.jinja_env.filters["player_name"] = lambda seat, match: match.name(seat)
    app.jinja_env.globals.update(
        has_art=lambda face: services().art.has(face),
        is_by_photo=is_by_photo,
        kept_words=kept_words,
        table_game=lambda: services().deck.game,
        copies_here=lambda: services().copyist is not None,
        undo_words=lambda match: words().gettext({**UNDO, **UNDO_OF.get(match.game, {})}.get(match.undo, LAST_STEP)),
        closeup=closeup,
        languages=texts.LANGUAGES,
        sides={side: side for side in texts.SIDES},
        side_words=lambda side: words().gettext(texts.SIDES[side]),
    )

    install_rox(app)
    install_conex(app)
    install_cactus(app)

    @app.context_processor
    def _language() -> dict[str, Any]:
        return {"language": g.get("language", "en")}

    @app.before_request
    def _choose_language() -> None:
        chosen = request.cookies.get("referee-language", "")
        if chosen not in texts.LANGUAGES:
            chosen = request.accept_languages.best_match(list(texts.LANGUAGES)) or "en"
        g.language = chosen


def local_time(at: str) -> str:
    """A stored time as the clock of this computer shows it, to the minute; what is none stays as it is."""
    try:
        return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError, OSError):
        return at[:16]


def news_of(match: Head, snapshot: Snapshot | None) -> dict[str, Any]:
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
    parts = {place: Markup(render_template(part, **context)) for place, part in PARTS[match.game].items()}
    stage = hashlib.sha256("".join(parts.values()).encode()).hexdigest()[:16]
    t = words()
    if snapshot is None:
        word, hint, icon = mark("Elsewhere"), texts.HINTS["not-here"], "eye-shut"
    else:
        word, usual = texts.STATES[snapshot.state]
        hint = texts.HINTS.get(snapshot.hint, usual)
        if snapshot.hint == "by-photo":
            hint = texts.BY_PHOTO.get(match.game, hint)
        if snapshot.hint in texts.WAITS:
            word = texts.WAITING
        icon = ICONS[snapshot.state]
        if snapshot.hint == "photo-read":
            word, icon = texts.STATES["looking"][0], ICONS["looking"]
        elif snapshot.strangers:
            word, hint, icon = mark("Another deck?"), texts.HINTS["another-deck"], "doubt"
    return {
        "version": snapshot.version if snapshot else 0,
        "seq": match.seq,
        "state": "no-camera" if snapshot is None else "out-of-step" if snapshot.strangers else snapshot.state,
        "word": t.gettext(word),
        "hint": t.gettext(hint),
        "icon": f"{url_for('static', filename='icons.svg')}#{icon}",
        "stage": stage,
        "parts": parts,
        "layout": _layout(match, snapshot),
        "announce": ANNOUNCED[match.game](match),
        "picture_size": snapshot.picture_size if snapshot else None,
        "cards": _drawn(match, snapshot) if snapshot and not _outdated(snapshot) else [],
        "here": here,
        "go": _demo_elsewhere(match),
        "program": services().program,
        "pause_ms": 0 if here else 2000,
    }


def _outdated(snapshot: Snapshot) -> bool:
    """Whether the picture that is shown is a photo that was not read yet: its outlines are still those before it."""
    return snapshot.hint == "photo-read" and not snapshot.camera.live


def _demo_elsewhere(match: Head) -> str:
    """Where the demonstration plays now, if this is one of its earlier matches; else empty."""
    shown = services().runner.board.snapshot
    if not shown.demo or shown.match is None or shown.match.id == match.id:
        return ""
    return url_for("live.page", match=shown.match.id)


def _drawn(match: Head, snapshot: Snapshot) -> list[dict[str, Any]]:
    """What is drawn over the live picture."""
    if isinstance(match, MatchConex):
        return outlines_conex(snapshot.cards, snapshot.conex)
    if isinstance(match, MatchCactus):
        return outlines_cactus(match, snapshot.cactus)
    return [outline_rox(c) for c in as_json(snapshot.cards)]


def is_by_photo(snapshot: Snapshot | None) -> bool:
    """Whether only a photo that is sent can be judged now: no camera gives pictures, or none any more."""
    return snapshot is not None and (snapshot.camera.state == "none" or snapshot.state == "no-camera")


def kept_words(snapshot: Snapshot | None) -> str:
    """That a photo is kept until something is told, or empty."""
    kept = snapshot is not None and snapshot.hint.startswith("kept-")
    return words().gettext(texts.HINTS[snapshot.hint]) if snapshot is not None and kept else ""


def _layout(match: Head, snapshot: Snapshot | None) -> str:
    """Classes of the page: what is at this table, and whether there is any picture to show."""
    blind = snapshot is not None and is_by_photo(snapshot) and snapshot.picture_size is None
    tail = " alone" if snapshot is None else " blind" if blind else ""
    if isinstance(match, MatchConex | MatchCactus):
        return f"match {match.game}{tail}"
    if snapshot is None:
        return "match alone"
    first = {"verdict": "match verdict-first", "finished": "match verdict-first finish"}.get(match.phase, "match")
    return f"{first}{tail}"
