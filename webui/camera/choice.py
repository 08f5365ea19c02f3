"""Another camera, on the page: those of this computer with a small picture each, a phone, an address or a video."""

from __future__ import annotations

from flask import Blueprint, Response, abort, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from scoring.errors import RefereeError
from webui.camera.choosing import Chooser
from webui.inputs import text
from webui.refusals import refusal
from webui.security import is_this_computer
from webui.services import services, words
from webui.texts import mark

camera_choice = Blueprint("camera_choice", __name__)

ADDRESS_MAX = 500
ONLY_HERE = mark("An address or a file can be named at the referee's own computer only.")


@camera_choice.get("/camera/choose")
def page() -> str:
    """The cameras that there are."""
    return render_template(
        "choose_camera.html",
        choices=_chooser().choices(),
        by_phone=_by_phone(),
        comes=services().runner.board.snapshot.camera.live,
        may_name=is_this_computer(request.remote_addr),
    )


@camera_choice.post("/camera/choose")
def choose() -> BaseResponse:
    """Take another camera from now on."""
    key, address = request.form.get("key", ""), ""
    if not key:
        address = text(request.form, "address", ADDRESS_MAX)
        if not is_this_computer(request.remote_addr):
            abort(403, words().gettext(ONLY_HERE))
    try:
        if key:
            _chooser().choose(key)
        else:
            _chooser().open(address)
    except RefereeError as error:
        flash(refusal(error.message, words()))
        return redirect(url_for("camera_choice.page"), 303)
    flash(words().gettext(mark("This camera gives the pictures now. The match and all that was set up stay.")))
    return redirect(url_for("calibrate.camera"), 303)


@camera_choice.get("/camera/choose/picture.jpg")
def picture() -> Response:
    """A small picture of one of them."""
    data = _chooser().picture(request.args.get("key", ""))
    if data is None:
        abort(404)
    return Response(data, mimetype="image/jpeg", headers={"Cache-Control": "no-store"})


@camera_choice.app_template_global()
def cameras_here() -> bool:
    """Whether another camera can be chosen at this table."""
    return services().chooser is not None


def _by_phone() -> bool:
    teacher = services().teacher
    return teacher is not None and teacher.place().camera == "phone"


def _chooser() -> Chooser:
    chooser = services().chooser
    if chooser is None:
        abort(404)
    return chooser
