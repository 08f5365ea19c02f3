"""A report of a fault, from the page: what would be in it, chosen part by part, and saved as one zip."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass

from flask import Blueprint, Response, render_template, request

from webui.log.store import Store
from webui.report.bundle import CALIBRATION, PAGE, PICTURE, Part, in_words, match_parts, versions, write_bundle
from webui.services import services
from webui.shown.snapshot import as_json

reporting = Blueprint("reporting", __name__)


@dataclass(frozen=True, slots=True)
class Group:
    """Parts of one kind: chosen or left out together."""

    number: int
    what: str
    size: str
    files: tuple[tuple[str, str], ...]


@reporting.get("/report")
def page() -> str:
    """What a report would hold, with sizes."""
    found = list(_parts())
    kinds = list(dict.fromkeys(part.what for part in found))
    groups = [
        Group(
            number,
            what,
            in_words(sum(p.size for p in found if p.what == what)),
            tuple((p.name, in_words(p.size)) for p in found if p.what == what),
        )
        for number, what in enumerate(kinds)
    ]
    return render_template("report.html", groups=groups)


@reporting.post("/report")
def save() -> Response:
    """The zip with the parts that were chosen by name."""
    chosen = set(request.form.getlist("file"))
    packed = io.BytesIO()
    write_bundle((part for part in _parts() if part.name in chosen), packed)
    response = Response(packed.getvalue(), mimetype="application/zip")
    response.headers["Content-Disposition"] = 'attachment; filename="referee-report.zip"'
    return response


def _parts() -> Iterator[Part]:
    at_hand = services()
    yield versions()
    snapshot = at_hand.runner.board.snapshot
    yield Part("page.json", PAGE, json.dumps(as_json(snapshot), indent=1).encode())
    if at_hand.teacher is not None:
        described = at_hand.teacher.described()
        if described:
            yield Part("calibration/camera.json", CALIBRATION, described)
    shown = at_hand.runner.picture.look()
    if shown is not None:
        yield Part("now.jpg", PICTURE, shown.jpeg)
    match = snapshot.match.id if snapshot.match is not None else _newest(at_hand.store)
    if match is not None:
        yield from match_parts(at_hand.store, match)


def _newest(store: Store) -> str | None:
    found = sorted(store.matches(), key=lambda m: m.created_at)
    return found[-1].id if found else None
