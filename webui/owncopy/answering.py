"""What a person states of faces and pieces: answers to questions, and corrections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response as BaseResponse

from scoring.errors import RefereeError
from webui.inputs import BadInputError
from webui.owncopy.about import (
    ANSWERED,
    CHANGED,
    back,
    changed_since,
    check_reading,
    copyist_here,
    find,
    is_stale,
    part_of,
    said_now,
    shown_fields,
    version,
)
from webui.owncopy.changing import changed
from webui.owncopy.copying import FIELDS, GROUPS
from webui.owncopy.forms import parse_part, parse_signs, pawns_offered, whole_count
from webui.owncopy.own_copy import CopyPart, CopyStage
from webui.owncopy.sizes import UnlikelySizeError
from webui.services import words

answering = Blueprint("answering", __name__)


@answering.get("/copies/<key>/part/<int:part>")
def edit(key: str, part: int) -> str | BaseResponse:
    """The editor of one face or piece; while the photos are read anew it is not known which part that will be."""
    one = find(key)
    if one.stage is CopyStage.READING:
        return back(key)
    shown = part_of(one, part)
    return render_template(
        "copy/edit.html",
        copy=one,
        part=shown,
        shown=shown_fields(shown),
        pawns=pawns_offered(shown),
        groups=GROUPS,
        fields=FIELDS,
        version=version(one),
    )


@answering.post("/copies/<key>/part/<int:part>")
def answer(key: str, part: int) -> BaseResponse:
    """What a person states of a face or piece: an answer to a question, or a correction."""
    one = find(key)
    try:
        check_reading(one)
        sent = parse_part(request.form, one, part_of(one, part))
        asked = bool(request.form.get("asked"))
        own = one.parts[part]
        stated = _wanted(own, sent) if asked else _of_what_was_shown(own, sent)
        now = stated if asked else changed(own, stated)
        copyist_here().answer_all(key, {part: now} if now else {})
        fault = find(key).fault
        if not asked and (stated != sent or (fault is not None and fault[0] == part)):
            return redirect(url_for("answering.edit", key=key, part=part), 303)
    except UnlikelySizeError as error:
        flash(error.told)
        if not request.form.get("asked"):
            return redirect(url_for("answering.edit", key=key, part=part), 303)
    except RefereeError as error:
        flash(words().gettext(error.message))
    return back(key, "ask" if request.form.get("asked") else f"part-{part}")


@answering.post("/copies/<key>/answers")
def answers(key: str) -> BaseResponse:
    """What a person states of several faces or pieces at once; their fields begin with ``p`` and the number."""
    one = find(key)
    if is_stale(one):
        return back(key, "ask")
    stated, sent = {}, False
    for part in one.parts:
        pre = f"p{part.number}-"
        own = MultiDict([(k.removeprefix(pre), v) for k, v in request.form.items(multi=True) if k.startswith(pre)])
        if own:
            sent = True
            try:
                if wanted := _wanted(part, parse_part(own, one, part)):
                    stated[part.number] = wanted
            except UnlikelySizeError as error:
                flash(error.told)
                return back(key, "ask")
            except RefereeError as error:
                flash(words().gettext(error.message))
                return back(key, "ask")
    if not sent:
        raise BadInputError("Nothing was stated.")
    copyist_here().answer_all(key, stated)
    return back(key, "ask")


@answering.post("/copies/<key>/signs")
def signs(key: str) -> BaseResponse:
    """What doubtful symbols and stones of many cards are; a card with one that cannot be told is asked by itself."""
    one = find(key)
    if not is_stale(one):
        copyist_here().answer_all(key, parse_signs(request.form, one))
        shown = {f"sign-{s.number}" for p in one.parts for s in p.signs}
        if any(k.startswith("sign-") and k not in shown for k in request.form):
            flash(words().gettext(ANSWERED))
    return back(key, "ask")


@answering.post("/copies/<key>/values")
def values(key: str) -> BaseResponse:
    """The values of several scoring cards at once; what is left empty stays open."""
    one = find(key)
    if is_stale(one):
        return back(key, "ask")
    stated = {}
    for part in one.parts:
        sent = request.form.get(f"value-{part.number}", "").strip()
        if sent and part.group == "scoring" and (wanted := _wanted(part, {"value": whole_count(sent, "value")})):
            stated[part.number] = wanted
    copyist_here().answer_all(key, stated)
    return back(key, "ask")


def _of_what_was_shown(part: CopyPart, stated: Mapping[str, Any]) -> dict[str, Any]:
    """What is stated of fields that are as the editor showed them; others were changed elsewhere, which is told."""
    shown = request.form.get("shown", "")
    late = {k: v for k, v in stated.items() if changed_since(part, k, shown)}
    if any(v != said_now(part, k) for k, v in late.items()):
        flash(words().gettext(CHANGED))
    return {k: v for k, v in stated.items() if k not in late}


def _wanted(part: CopyPart, stated: Mapping[str, Any]) -> dict[str, Any]:
    """What is still asked of a part, of the answers to a page's questions.

    What a person said of it since that page was opened stays, which is told where it was something else.
    """
    if not part.corrected:
        return dict(stated)
    asks = () if part.out else part.asks
    wanted = {k: v for k, v in stated.items() if k in asks or (k == "out" and asks)}
    if any(v != said_now(part, k) for k, v in stated.items() if k not in wanted):
        flash(words().gettext(ANSWERED))
    return wanted
