"""Setting up the camera: what it sees, and what would make it see better."""

from __future__ import annotations

import math
from dataclasses import dataclass

from flask import Blueprint, Response, abort, flash, jsonify, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from scoring.deck import CactusDeck
from scoring.errors import RefereeError
from webui.camera.learning import GRADES, LESSONS, PROBLEMS, TITLES, Lesson, Stage, Teacher
from webui.inputs import BadInputError
from webui.services import services, words
from webui.shown.snapshot import CardSeen, Snapshot
from webui.texts import HINTS, mark

calibrate = Blueprint("calibrate", __name__)

SIDE_LEAST_PX = 50.0
"""Shorter side of a card below which it is read no more for sure."""
ENLARGED = 25
"""So many times as long as they are, misses are drawn."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that the referee needs, whether it is given (``legal``, ``uncertain``, ``violation``), and in words."""

    call: str
    text: str


@calibrate.get("/camera")
def camera() -> str:
    """The live picture with checks and hints, and what is known of the camera."""
    snapshot = services().runner.board.snapshot
    teacher = services().teacher
    known = teacher.known() if teacher is not None else None
    return render_template(
        "camera.html",
        checks=checks(snapshot),
        source=snapshot.camera.state,
        snapshot=snapshot,
        teachable=teacher is not None,
        known=known,
        place=teacher.place() if teacher is not None else None,
        grade=words().gettext(GRADES.get(known.grade, "")) if known is not None else "",
        doubt=words().gettext(HINTS[known.doubt]) if known is not None and known.doubt in HINTS else "",
        lesson=tell(teacher.lesson) if teacher is not None else None,
        enlarged=ENLARGED,
    )


@calibrate.get("/camera/lesson")
def lesson() -> Response:
    """How far the lesson is, for the page's script."""
    return jsonify(tell(the_teacher().lesson))


@calibrate.post("/camera/lesson")
def learn() -> BaseResponse:
    """Begin a lesson, end it, or forget what is kept."""
    what = request.form.get("what", "")
    teacher = the_teacher()
    match what:
        case "target" | "table" | "plane" | "white":
            try:
                teacher.begin(what)
            except RefereeError as error:
                flash(words().gettext(error.message))
        case "stop":
            teacher.stop()
        case "forget":
            teacher.forget()
        case _:
            raise BadInputError(f"What is to be learned: {', '.join(LESSONS)}.")
    key = request.form.get("step", "")
    if key in TITLES:
        return redirect(url_for("guide.step", key=key), 303)
    return redirect(url_for("calibrate.camera") + "#learn", 303)


@calibrate.get("/camera/target.pdf")
def target() -> Response:
    """The target to print."""
    paper = "Letter" if request.args.get("paper") == "Letter" else "A4"
    response = Response(the_teacher().target(paper), mimetype="application/pdf")
    response.headers["Content-Disposition"] = 'inline; filename="target.pdf"'
    return response


def tell(lesson: Lesson) -> dict[str, object]:
    """A lesson in the reader's words."""
    t = words()
    sentence = {
        Stage.SHOW: mark("Show the target from all sides and in all corners of the picture, and hold it still often."),
        Stage.LAY: mark("Enough. Now lay the target flat on the table and take your hands away."),
        Stage.LOOK: mark("Hands off the table: it is being looked at."),
        Stage.DONE: mark("The light was measured.")
        if lesson.what == "white"
        else mark("Learned and kept for this camera."),
        Stage.FAILED: PROBLEMS.get(lesson.problem, PROBLEMS["error"]),
    }.get(lesson.stage, "")
    running = lesson.stage in (Stage.SHOW, Stage.LAY, Stage.LOOK)
    counted = lesson.stage in (Stage.SHOW, Stage.LAY)
    seen = mark("The target is seen.") if lesson.found else mark("The target is not seen now.")
    return {
        "stage": str(lesson.stage),
        "running": running,
        "views": lesson.views,
        "wanted": lesson.wanted,
        "sentence": t.gettext(sentence) if sentence else "",
        "count": t.gettext(mark("%(views)d of %(wanted)d good views"))
        % {"views": min(lesson.views, lesson.wanted), "wanted": lesson.wanted}
        if counted
        else "",
        "seen": t.gettext(seen) if counted else "",
        "advice": [t.gettext(line) for line in lesson.advice],
    }


def the_teacher() -> Teacher:
    """Who learns the camera; 404 where nobody does."""
    teacher = services().teacher
    if teacher is None:
        abort(404)
    return teacher


def checks(snapshot: Snapshot) -> list[Check]:
    """What can be said of the camera's place and light from what it sees now."""
    t = words()
    if snapshot.state == "no-camera":
        return [
            Check(
                "violation",
                t.gettext(mark("No picture comes. Is the camera plugged in and not used by another program?")),
            )
        ]
    if snapshot.camera.state == "none":
        found = [Check("uncertain", t.gettext(mark("This is a photo that was sent: no camera gives pictures.")))]
    else:
        found = [Check("legal", t.gettext(mark("A picture comes.")))]
    trouble = {
        "dark": mark("It is too dark. Switch on a lamp that does not shine into the lens."),
        "bright": mark("It is too bright. Turn the lamp away."),
        "blurred": mark("The picture is out of focus. Clean the lens, or move the camera."),
    }.get(snapshot.hint)
    found.append(
        Check("violation", t.gettext(trouble))
        if trouble
        else Check("legal", t.gettext(mark("Light and focus will do.")))
    )
    if services().deck.game == "cactus":
        return [*found, _cacti(snapshot)]
    known = [c for c in snapshot.cards if c.face is not None and c.kind != "board"]
    if not known:
        found.append(
            Check("uncertain", t.gettext(mark("No card is read yet. Lay some cards face up and take your hands away.")))
        )
        return found
    text = t.ngettext("%(num)d card is read.", "%(num)d cards are read.", len(known)) % {"num": len(known)}
    found.append(Check("legal", text))
    least = min(_short_side(c) for c in known)
    size = mark("The smallest card is %(px)d pixels wide.")
    call = "legal" if least >= SIDE_LEAST_PX else "violation"
    advice = "" if call == "legal" else " " + t.gettext(mark("Bring the camera nearer, or set it to a finer picture."))
    found.append(Check(call, t.gettext(size) % {"px": round(least)} + advice))
    return found


def _cacti(snapshot: Snapshot) -> Check:
    """How many of the set's cacti stand in the picture."""
    t, deck = words(), services().deck
    assert isinstance(deck, CactusDeck)
    seen = len(snapshot.cactus.cacti) if snapshot.cactus is not None else 0
    if seen == len(deck.cacti):
        return Check("legal", t.gettext(mark("All cacti are found.")))
    if not seen:
        return Check("uncertain", t.gettext(mark("No cactus is found yet. Put them in front of the camera, upright.")))
    text = mark("%(n)d of %(all)d cacti are found. Turn their faces to the camera, a little apart, in an arc.")
    return Check("uncertain", t.gettext(text) % {"n": seen, "all": len(deck.cacti)})


def _short_side(card: CardSeen) -> float:
    return min(math.dist(card.quad[i], card.quad[i - 1]) for i in range(4))
