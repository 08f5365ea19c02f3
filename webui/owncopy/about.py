"""Of which copy and which part a request speaks, and where it leads back to."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from flask import abort, flash, redirect, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from scoring.errors import RefereeError
from webui.owncopy.copying import Copyist
from webui.owncopy.own_copy import CopyPart, OwnCopy
from webui.services import services, words
from webui.texts import mark

READ_ANEW = mark("The photos were read anew since this page was opened. Nothing was changed: look at it again.")
CHANGED = mark("It was changed elsewhere since this page was opened. That change stays: look at it again.")
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


def shown_fields(part: CopyPart) -> str:
    """What a page shows of a part, so short that its form can bring it back."""
    return json.dumps({k: _sum_of(v) for k, v in {**part.fields, "out": part.out}.items()}, separators=(",", ":"))


def changed_since(part: CopyPart, field: str, shown: str) -> bool:
    """Whether a field is another one now than on a page that showed `shown`; not, where nobody knows what it showed."""
    try:
        sums = json.loads(shown)
    except (ValueError, RecursionError):
        return False
    return isinstance(sums, dict) and sums.get(field, _sum_of(None)) != _sum_of(said_now(part, field))


def said_now(part: CopyPart, field: str) -> Any:
    """What a field of a part is now, also whether it is left out."""
    return part.out if field == "out" else part.fields.get(field)


def _sum_of(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:8]


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
