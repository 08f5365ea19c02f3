"""Setting up step by step: camera, lens, table, seats, playing area and light, one after the other."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from scoring.errors import RefereeError
from scoring.games.conex_play import SEATS
from webui.cactus.texts import color as cactus_color
from webui.camera.learning import GRADES, GRID_MM, PROBLEMS, SEEN_ON, TITLES, WHITE_DOUBTS, Lesson
from webui.camera.setting_up import checks, tell, the_teacher
from webui.conex.forms import area_in
from webui.conex.texts import color as conex_color
from webui.inputs import BadInputError, text
from webui.match.common_forms import NAME_MAX
from webui.refusals import refusal
from webui.services import services, words
from webui.shown.snapshot import Snapshot
from webui.table.requests import AgreeArea, Outcome
from webui.texts import HINTS, element, mark

guide = Blueprint("guide", __name__)

STEPS = {
    "rox": ("camera", "lens", "table", "seats", "area", "white", "done"),
    "conex": ("camera", "lens", "table", "seats", "area", "white", "done"),
    "cactus": ("camera", "lens", "cacti", "area", "white", "done"),
}
"""The steps of each game, in their order."""
GOOD_PX, USABLE_PX, OF_WIDTH = 2.0, 5.0, 1920
"""Off by less is good, or usable, in a picture of that width; the limits grow with the picture."""


COLOUR_WORDS = {"rox": element, "conex": conex_color, "cactus": cactus_color}
"""How the deck's colours are called in each game."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the guide: its key, its title, and whether what it asks for is there."""

    key: str
    title: str
    done: bool


@dataclass(frozen=True, slots=True)
class Residual:
    """By how much points are off, the limits of its grades, all in px, and the grade: a key of `GRADES`."""

    px: float
    good_px: float
    usable_px: float
    grade: str

    @classmethod
    def of(cls, px: float, size_px: tuple[int, int]) -> Residual:
        """The plain grade of a misfit in pictures of that size."""
        larger = max(size_px) / OF_WIDTH
        good, usable = GOOD_PX * larger, USABLE_PX * larger
        return cls(px, good, usable, "good" if px < good else "usable" if px < usable else "poor")


def _misfit(lesson: Lesson, size_px: tuple[int, int] | None) -> Residual | None:
    """By how much points were off where nothing was kept for that; None where something else is lacking."""
    if not lesson.error_px or size_px is None:
        return None
    found = Residual.of(lesson.error_px, size_px)
    return found if found.grade == "poor" else None


@guide.get("/camera/guide")
def begin() -> BaseResponse:
    """The first step of which something is missing."""
    steps = _steps(services().runner.board.snapshot)
    first = next((s.key for s in steps if not s.done), "done")
    return redirect(url_for("guide.step", key="camera" if first == "done" else first))


@guide.get("/camera/guide/<key>")
def step(key: str) -> str:
    """One step, with the live picture."""
    teacher, snapshot, runner = the_teacher(), services().runner.board.snapshot, services().runner
    steps = _steps(snapshot)
    keys = [s.key for s in steps]
    if key not in keys:
        abort(404)
    at = keys.index(key)
    known, place = teacher.known(), teacher.place()
    size, proposed = runner.area_of_picture(propose=key == "area")
    lesson = teacher.lesson
    return render_template(
        f"guide/{key}.html",
        step=steps[at],
        steps=steps,
        number=at + 1,
        before=keys[at - 1] if at else None,
        after=keys[at + 1] if at + 1 < len(keys) else None,
        checks=checks(snapshot),
        snapshot=snapshot,
        known=known,
        place=place,
        doubt=words().gettext(HINTS[known.doubt]) if known is not None and known.doubt in HINTS else "",
        seen_on=words().gettext(SEEN_ON.get(place.seen_on, "")) if place.seen_on else "",
        grades={k: words().gettext(v) for k, v in GRADES.items()},
        lens=Residual.of(known.error_px, known.size_px) if known is not None else None,
        table=Residual.of(known.table_px, known.size_px) if known is not None and known.table else None,
        refused=_misfit(lesson, size),
        lesson=tell(lesson),
        about=lesson.what,
        size=size,
        proposed=proposed,
        area=place.area_in(size),
        grid_mm=GRID_MM,
        sides=SEATS,
        shades=[(_colour(s.name), s.known, s.seen, [_colour(name) for name in s.alike]) for s in place.shades],
    )


@guide.post("/camera/guide/seats")
def sit() -> BaseResponse:
    """Keep who sits where, for the matches to come."""
    named = {side: text(request.form, f"player-{side}", NAME_MAX, empty=True) for side in SEATS}
    seats = {side: name for side, name in named.items() if name}
    if len({name.casefold() for name in seats.values()}) < len(seats):
        return _again("seats", words().gettext(mark("Two players have the same name.")))
    try:
        the_teacher().sit(seats)
    except RefereeError as error:
        if error.message != PROBLEMS["held"]:
            return _again("seats", words().gettext(error.message))
        flash(words().gettext(error.message))
    return _on_from("seats")


@guide.post("/camera/guide/area")
def agree() -> BaseResponse:
    """Keep the playing area, and take it for the match at this table."""
    teacher = the_teacher()
    size, _ = services().runner.area_of_picture(propose=False)
    if size is None:
        return _again("area", words().gettext(PROBLEMS["no-picture"]))
    try:
        area = area_in(request.form, size)
        teacher.agree(area, size)
    except BadInputError as error:
        return _again("area", refusal(str(error), words()))
    except RefereeError as error:
        if error.message != PROBLEMS["held"]:
            return _again("area", words().gettext(error.message))
        flash(words().gettext(error.message))
    match = services().runner.board.snapshot.match
    if match is not None and match.phase != "finished":
        reply = services().runner.submit(AgreeArea(match.id, area))
        if reply.outcome is not Outcome.DONE:
            return _again("area", refusal(reply.message, words()))
    return _on_from("area")


@guide.post("/camera/guide/white")
def point() -> BaseResponse:
    """Take as white what somebody tapped on in the picture."""
    try:
        x, y = (float(request.form.get(name, "")) for name in ("x", "y"))
    except ValueError:
        raise BadInputError("The fields x and y must be shares of the picture.") from None
    if not (0 <= x <= 1 and 0 <= y <= 1):
        raise BadInputError("The fields x and y must be shares of the picture.")
    try:
        wrong = the_teacher().point_at_white(x, y)
        if wrong not in PROBLEMS and the_teacher().lesson.what == "white":
            the_teacher().stop()  # what the search before said is over
    except RefereeError as error:
        return _again("white", words().gettext(error.message))
    if wrong:
        return _again("white", words().gettext(PROBLEMS.get(wrong) or WHITE_DOUBTS[wrong]))
    return redirect(url_for("guide.step", key="white"), 303)


def _colour(name: str) -> str:
    return COLOUR_WORDS[services().deck.game](name, words())


def _again(key: str, message: str) -> BaseResponse:
    flash(message)
    return redirect(url_for("guide.step", key=key), 303)


def _on_from(key: str) -> BaseResponse:
    keys = STEPS[services().deck.game]
    return redirect(url_for("guide.step", key=keys[keys.index(key) + 1] if key in keys else keys[0]), 303)


def _steps(snapshot: Snapshot) -> list[Step]:
    teacher = the_teacher()
    known, place = teacher.known(), teacher.place()
    done = {
        "camera": snapshot.camera.live and all(c.call != "violation" for c in checks(snapshot)),
        "lens": known is not None,
        "table": known is not None and known.table and not known.doubt,
        "cacti": snapshot.cactus is not None and bool(snapshot.cactus.cacti),
        "seats": bool(place.seats),
        "area": bool(place.area),
        "white": place.white is not None,
    }
    return [Step(key, words().gettext(TITLES[key]), done.get(key, False)) for key in STEPS[services().deck.game]]
