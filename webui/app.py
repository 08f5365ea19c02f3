"""Puts the application together: limits, door, blueprints, and what a person reads when something is wrong."""

from __future__ import annotations

from flask import Flask, Response, jsonify, render_template, request
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as BaseResponse

from scoring.errors import RefereeError
from webui.cactus.hanging import hanging
from webui.camera.choice import camera_choice
from webui.camera.guide import guide
from webui.camera.phone import phone
from webui.camera.setting_up import calibrate
from webui.conex.laying import laying
from webui.decks.page import table_deck
from webui.help import help_pages
from webui.inputs import BadInputError
from webui.match.live import live
from webui.match.matches import matches
from webui.match.turns import turns
from webui.owncopy.answering import answering
from webui.owncopy.pages import owncopy
from webui.refusals import refusal
from webui.rendering import install
from webui.report.page import reporting
from webui.rox.rulings import rulings
from webui.security import FOREIGN, guard, host_is_ours
from webui.services import Services, words
from webui.texts import mark

BODY_MAX = 64 * 1024 * 1024
"""Bytes of a request: a phone's largest photo, or an exported match."""
FORM_MAX = 1024 * 1024
"""Bytes of a form's text. Werkzeug reads in pieces of 64 kB and counts a piece of a file as text while it looks for its
end: a limit of one piece turns away every larger photo."""

MESSAGES = {
    400: mark("This request cannot be understood."),
    403: mark("This is not allowed."),
    404: mark("There is no such page."),
    405: mark("This address takes no such request."),
    413: mark("This file is too large."),
    429: mark("Too many wrong codes. Wait a minute."),
}
BLUEPRINTS = (
    live,
    rulings,
    turns,
    hanging,
    laying,
    matches,
    calibrate,
    camera_choice,
    guide,
    help_pages,
    phone,
    reporting,
    owncopy,
    answering,
    table_deck,
)


def build(services: Services) -> Flask:
    """See `webui.create_app`."""
    app = Flask("webui")
    app.config.update(
        MAX_CONTENT_LENGTH=BODY_MAX,
        MAX_FORM_MEMORY_SIZE=FORM_MAX,
        MAX_FORM_PARTS=64,
        SECRET_KEY=services.door.secret,
        SESSION_COOKIE_NAME="referee-session",
        SESSION_COOKIE_SAMESITE="Lax",
        TRAP_BAD_REQUEST_ERRORS=False,
    )
    app.extensions["referee"] = services
    install(app)
    guard(app, services.door, lambda: render_template("join.html"))
    for blueprint in BLUEPRINTS:
        app.register_blueprint(blueprint)

    def tell(status: int, message: str, detail: str = "") -> tuple[BaseResponse | str, int]:
        if request.accept_mimetypes.best == "application/json" or request.path.startswith("/api/"):
            return jsonify({"outcome": "refused", "message": f"{message} {detail}".strip()}), status
        return render_template("error.html", status=status, message=message, detail=detail), status

    @app.errorhandler(HTTPException)
    def wrong(error: HTTPException) -> tuple[BaseResponse | str, int]:
        status = error.code or 500
        if status < 400 or error.response is not None:
            return error.get_response(), status
        if not host_is_ours(request.host):  # no page can be drawn for it: its addresses begin with that name
            return Response(f"{FOREIGN}\n", status, mimetype="text/plain"), status
        message = MESSAGES.get(status, mark("Something went wrong in the program."))
        return tell(status, words().gettext(message), (error.description or "") if status in (400, 403) else "")

    @app.errorhandler(BadInputError)
    def bad_input(error: BadInputError) -> tuple[BaseResponse | str, int]:
        return tell(400, refusal(str(error), words()))

    @app.errorhandler(RefereeError)
    def refused(error: RefereeError) -> tuple[BaseResponse | str, int]:
        return tell(422, refusal(error.message, words()))

    return app
