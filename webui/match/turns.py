"""Turns of the games that go turn by turn: the page of one, and taking the table as it is."""

from __future__ import annotations

from flask import Blueprint, abort, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from webui.cactus import hanging
from webui.cactus.snapshot import MatchCactus
from webui.conex import laying
from webui.conex.snapshot import MatchConex
from webui.inputs import number as whole_number
from webui.match.live import find, respond
from webui.services import services
from webui.table.requests import TakeTable

turns = Blueprint("turns", __name__)


@turns.get("/matches/<match>/turns/<int:number>")
def page(match: str, number: int) -> str:
    """A turn: what was laid or hung, why it is judged so, and what can be changed."""
    view, _ = find(match)
    if isinstance(view, MatchCactus):
        return hanging.turn_page(view, number)
    if not isinstance(view, MatchConex):
        abort(404)
    return laying.turn_page(view, number)


@turns.post("/matches/<match>/take")
def take(match: str) -> BaseResponse:
    """Take the table as it lies: at the beginning, and where table and record have parted.

    Without `sure` a match that the page must ask about first is not begun: the page shows what was seen, and asks.
    """
    asked = TakeTable(match, whole_number(request.form, "seq"), "sure" in request.form)
    return respond(services().runner.submit(asked), url_for("live.page", match=match))
