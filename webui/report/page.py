"""A report of a fault, from the page: what would be in it, chosen part by part, and saved as one zip."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass

from flask import Blueprint, Response, render_template, request

from webui.log.store import Store
from webui.report.bundle import (
    CALIBRATION,
    PAGE,
    PICTURE,
    Part,
    copy_parts,
    in_words,
    match_parts,
    versions,
    write_bundle,
)
from webui.services import services
from webui.shown.snapshot import as_json

reporting = Blueprint("reporting", __name__)


@dataclass(frozen=True, slots=True)
class Group:
    """Parts of one kind.

    Parameters
    ----------
    what, of
        As in `Part`.
    size
        Of all of them, in words.
    files
        The name and size of each.
    folder
        The folder in the zip, where all of them are taken or left together; what nobody asked for is left. Else empty.
    """

    what: str
    of: str
    size: str
    files: tuple[tuple[str, str], ...]
    folder: str = ""


@reporting.get("/report")
def page() -> str:
    """What a report would hold, with sizes."""
    kinds: dict[tuple[str, str], list[Part]] = {}
    for part in _parts():
        kinds.setdefault((part.what, part.of), []).append(part)
    groups = [
        Group(
            what,
            of,
            in_words(sum(p.size for p in own)),
            tuple((p.name, in_words(p.size)) for p in own),
            own[0].name.rpartition("/")[0] + "/" if of else "",
        )
        for (what, of), own in kinds.items()
    ]
    return render_template("report.html", groups=groups)


@reporting.post("/report")
def save() -> Response:
    """The zip with the parts that were chosen by name, or by their folder."""
    chosen = set(request.form.getlist("file"))
    packed = io.BytesIO()
    write_bundle((p for p in _parts() if p.name in chosen or f"{p.name.rpartition('/')[0]}/" in chosen), packed)
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
    copyist = at_hand.copyist
    for copy in copyist.copies() if copyist is not None else ():
        yield from copy_parts(copy.key, copy.name, copy.game, copyist.files(copy.key) if copyist is not None else {})


def _newest(store: Store) -> str | None:
    found = sorted(store.matches(), key=lambda m: m.created_at)
    return found[-1].id if found else None
