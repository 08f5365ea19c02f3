"""Of which copy and which part a request speaks, and where it leads back to."""

from __future__ import annotations

import hashlib

from flask import abort, flash, redirect, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from scoring.errors import RefereeError
from webui.owncopy.copying import Copyist, CopyPart, OwnCopy
from webui.services import services, words
from webui.texts import mark

READ_ANEW = mark("The photos were read anew since this page was opened. Nothing was changed: look at it again.")
ANSWERED = mark("What was asked there was answered meanwhile. That answer stays: put it right below where it is wrong.")


def copyist_here() -> Copyist:
    """Whoever learns copies; no page is there without."""
    copyist = services().copyist
    if copyist is None:
        abort(404)
    return copyist


def find(key: str) -> OwnCopy:
    """A copy by its key."""
    one = copyist_here().copy(key)
    if one is None:
        abort(404)
    return one


def part_of(one: OwnCopy, n: int) -> CopyPart:
    """A part by its number."""
    if n >= len(one.parts):
        abort(404)
    return one.parts[n]


def check_reading(one: OwnCopy) -> None:
    """A page of an earlier reading numbers other parts: what it states is of something else."""
    if request.form.get("reading", one.reading) != one.reading:
        raise RefereeError(READ_ANEW)


def is_stale(one: OwnCopy) -> bool:
    """Whether a form is of an earlier reading, which is then told."""
    try:
        check_reading(one)
    except RefereeError as error:
        flash(words().gettext(error.message))
        return True
    return False


def version(one: OwnCopy) -> str:
    """Changes with the pictures, so that a browser keeps no old ones."""
    return hashlib.sha256("/".join((one.reading, *one.photos, *(p.id for p in one.parts))).encode()).hexdigest()[:8]


def back(key: str, place: str = "") -> BaseResponse:
    """To the copy's page, and a place on it."""
    return redirect(url_for("owncopy.page", key=key) + (f"#{place}" if place else ""), 303)
