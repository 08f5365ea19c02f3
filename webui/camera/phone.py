"""A phone as the table's camera: its browser sends pictures, one after the other."""

from __future__ import annotations

import threading

from flask import Blueprint, Response, jsonify, render_template, request

from scoring.errors import RefereeError
from webui.inputs import BadInputError
from webui.services import services, words
from webui.texts import mark

phone = Blueprint("phone", __name__)

FRAME_MAX = 8 * 1024 * 1024
"""Bytes of one picture of a moving picture."""
ANOTHER = mark("Another phone is the camera now.")
CHOSEN = mark("Another camera was chosen. Tap here to take its place.")
NO_PLACE = mark("This table takes no pictures of a phone: it plays a recording.")
UNREADABLE = mark("That picture could not be read.")
BUSY = mark("The referee is busy. Nothing was changed; please try again.")
AT_ONCE = 8
"""So many pictures of phones may come in at a time; all of them are in memory until they are read."""

_places = threading.BoundedSemaphore(AT_ONCE)


@phone.get("/phone")
def page() -> str:
    """The page that a phone opens to become the camera."""
    return render_template("phone.html", possible=services().phone is not None)


@phone.post("/phone/frame")
def frame() -> tuple[Response, int]:
    """One picture of a phone's camera."""
    camera = services().phone
    if camera is None:
        return _told(NO_PLACE, 409)
    sender = request.headers.get("X-Phone", "")
    if not (8 <= len(sender) <= 40 and sender.isascii() and sender.replace("-", "").isalnum()):
        raise BadInputError("The header X-Phone must be 8 to 40 letters and digits.")
    start = request.args.get("start") == "1"
    if not camera.may(sender, start=start):
        return _told(CHOSEN if camera.was_sent_away(sender) else ANOTHER, 409)
    if (request.content_length or 0) > FRAME_MAX:
        return _told(UNREADABLE, 413)
    if not _places.acquire(blocking=False):
        return _told(BUSY, 503)
    try:
        # What does not say how long it is ends there.
        request.max_content_length = FRAME_MAX + 1
        data = request.get_data(cache=False)
        if len(data) > FRAME_MAX:
            return _told(UNREADABLE, 413)
        taken = camera.take(sender, data, start=start)
    except RefereeError:
        return _told(UNREADABLE, 422)
    finally:
        _places.release()
    return _told("", 200) if taken else _told(ANOTHER, 409)


def _told(message: str, status: int) -> tuple[Response, int]:
    return jsonify({"message": words().gettext(message) if message else ""}), status
