"""A page that was opened before something was answered elsewhere, or is sent twice, changes none of that."""

from __future__ import annotations

import html
import json
import re

from tests.webui.test_copy_signs import chosen, key, now
from tests.webui.test_owncopy import Desk, desk

__all__ = ["desk", "key"]

TOLD = "was answered meanwhile"


def _page(desk: Desk) -> str:
    return desk.table.client.get("/copies/worn").text


def test_what_was_put_right_elsewhere_stays(desk: Desk, key: str) -> None:
    """An answer as read comes too late, whether alone or with others, and that is said; the editor may change it."""
    for path, fields in (("answers", {"p3-center": "air"}), ("part/3", {"center": "air", "asked": "yes"})):
        one = now(desk, key)
        desk.post("/copies/worn/part/3", reading=one.reading, center="fire")
        assert desk.post(f"/copies/worn/{path}", reading=one.reading, **fields).status_code == 303
        assert now(desk, key).parts[3].fields["center"] == "fire"
        assert TOLD in _page(desk)
        desk.post("/copies/worn/do", what="undo")
        assert now(desk, key).parts[3].asks == ("center",), "nothing else was stated"
    desk.post("/copies/worn/part/3", center="fire")
    desk.post("/copies/worn/part/3", center="water")
    assert now(desk, key).parts[3].fields["center"] == "water"


def test_others_on_a_late_page_are_answered(desk: Desk, key: str) -> None:
    """Only what is not asked any more is passed over; a card that was left out stays so."""
    desk.post("/copies/worn/part/0", out="yes")
    desk.post("/copies/worn/answers", **{"p0-edge-0": "6", "p3-center": "air"})
    one = now(desk, key)
    assert (one.parts[0].out, one.parts[3].fields["center"], one.parts[3].asks) == (True, "air", ())
    assert TOLD in _page(desk)


def test_the_same_answer_again_is_not_spoken_of(desk: Desk, key: str) -> None:
    """It is no step that could be taken back, either."""
    for _ in range(2):
        assert desk.post("/copies/worn/answers", **{"p3-center": "air"}).status_code == 303
        assert TOLD not in _page(desk)
    desk.post("/copies/worn/do", what="undo")
    assert now(desk, key).parts[3].asks == ("center",)


def test_a_late_value_changes_none(desk: Desk, key: str) -> None:
    """What is written on a scoring card was put right meanwhile."""
    file = desk.folder / "copies" / "worn" / "read" / "parts.json"
    data = json.loads(file.read_text())
    data["parts"][4] |= {"group": "scoring", "fields": {"id": "S1", "value": 3}, "asks": ["value"]}
    file.write_text(json.dumps(data))
    for value in ("5", "7"):
        desk.post("/copies/worn/values", **{"value-4": value})
    assert now(desk, key).parts[4].fields["value"] == 5
    assert TOLD in _page(desk)


def test_symbols_that_are_sent_twice_lead_back(desk: Desk, key: str) -> None:
    """A second tap, or one after going back, is no wrong form; what was put right since then stays."""
    sent = chosen(_page(desk))
    for _ in range(2):
        answer = desk.post("/copies/worn/signs", **sent)
        assert (answer.status_code, answer.location) == (303, "/copies/worn#ask")
    assert TOLD in _page(desk)
    desk.post("/copies/worn/part/0", **{"edge-0": "9"})
    assert desk.post("/copies/worn/signs", **sent).status_code == 303
    assert now(desk, key).parts[0].fields["edge"] == {"fire": 9}


def _shown(desk: Desk, part: int) -> str:
    """What the form of an editor that is open now brings back of what it shows."""
    page = desk.table.client.get(f"/copies/worn/part/{part}").text
    return html.unescape(re.findall(r'name="shown" value="([^"]*)"', page)[0])


def test_an_editor_that_was_open_meanwhile_changes_what_nobody_else_did(desk: Desk, key: str) -> None:
    """A stone put right elsewhere stays though the editor sends the old one; its own change of the edge is taken."""
    edge = {f"edge-{n}": "0" for n in range(5)} | {"edge-0": "9"}
    late = {"shown": _shown(desk, 3), "reading": now(desk, key).reading}
    desk.post("/copies/worn/part/3", center="fire")
    answer = desk.post("/copies/worn/part/3", center="air", **edge, **late)
    assert answer.location == "/copies/worn/part/3"
    part = now(desk, key).parts[3]
    assert (part.fields["center"], part.fields["edge"]) == ("fire", {"fire": 9})
    assert "changed elsewhere" in desk.table.client.get(answer.location).text
    desk.post("/copies/worn/part/3", center="air", shown=_shown(desk, 3))
    assert now(desk, key).parts[3].fields["center"] == "air"


def test_a_part_left_out_meanwhile_stays_out(desk: Desk, key: str) -> None:
    """A late tap takes nothing in again; rubbish in place of what was shown is no reason to lose an answer."""
    shown = _shown(desk, 3)
    desk.post("/copies/worn/part/3", out="yes")
    desk.post("/copies/worn/part/3", out="no", shown=shown)
    assert now(desk, key).parts[3].out
    for rubbish in ("", "{", "[" * 100_000, "[1]"):
        desk.post("/copies/worn/part/3", out="no", shown=rubbish)
        assert not now(desk, key).parts[3].out
        desk.post("/copies/worn/part/3", out="yes")
