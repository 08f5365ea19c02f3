"""The editor of a part states what was changed there, and nothing else that its form sends."""

from __future__ import annotations

import html
import json
import re

import pytest

from tests.webui.test_copy_editor import boarded, hung, key, now, saved
from tests.webui.test_owncopy import Desk, desk

__all__ = ["boarded", "desk", "hung", "key"]


def form(desk: Desk, copy: str, part: int) -> dict[str, str]:
    """What the editor sends where nothing was touched."""
    page = desk.table.client.get(f"/copies/{copy}/part/{part}").text
    main = page.split('name="shown"', 1)[1].split("</form>", 1)[0]
    sent = {}
    for tag in re.findall(r"<(?:input|option)[^>]*>", main):
        name, value = (re.search(rf'{n}="([^"]*)"', tag) for n in ("name", "value"))
        if name and 'type="checkbox"' in tag and " checked" in tag:
            sent[html.unescape(name[1])] = "on"
        elif name and value and 'type="checkbox"' not in tag and ('type="radio"' not in tag or " checked" in tag):
            sent[html.unescape(name[1])] = html.unescape(value[1])
    for name_, options in re.findall(r'<select name="([^"]*)"[^>]*>(.*?)</select>', main, re.DOTALL):
        chosen = re.findall(r'value="([^"]*)" selected', options) or re.findall(r'value="([^"]*)"', options)
        sent[name_] = html.unescape(chosen[0])
    return sent


def answers(desk: Desk, copy: str) -> list[dict[str, object]]:
    said = json.loads((desk.folder / "copies" / copy / "copy.json").read_text())["answers"]
    return [a["fields"] for a in said]


def test_what_is_left_as_it_was_is_not_stated(desk: Desk, boarded: str) -> None:
    """Of cards and of the board; what is asked is confirmed by leaving it."""
    for part in (0, 3):
        desk.post(f"/copies/{boarded}/part/{part}", **form(desk, boarded, part))
    assert answers(desk, boarded) == []
    desk.post(f"/copies/{boarded}/part/0", **form(desk, boarded, 0) | {"corner-0-value": "7"})
    (said,) = answers(desk, boarded)
    assert set(said) == {"corners"}
    desk.post(f"/copies/{boarded}/part/4", **form(desk, boarded, 4))
    assert set(answers(desk, boarded)[1]) == {"track", "size_mm", "stars"}, "all of it was asked"
    desk.post(f"/copies/{boarded}/do", what="undo")
    desk.post(f"/copies/{boarded}/part/4", size="105", stars="so", track="60,60 40,60 40,40 60,20")
    before = answers(desk, boarded)
    desk.post(f"/copies/{boarded}/part/4", **form(desk, boarded, 4))
    assert answers(desk, boarded) == before


def test_a_colour_put_right_before_a_length_is_told_keeps_no_size(desk: Desk, hung: str) -> None:
    """The piece grows with the others when the ruler tells how long one of them is."""
    file = desk.folder / "copies" / hung / "read" / "deck.json"
    deck = json.loads(file.read_text())
    file.write_text(json.dumps(deck | {"colors": {"kind-1": "#d02020", "kind-2": "#2020d0"}}))
    data = json.loads(file.with_name("parts.json").read_text())
    data["kinds"] = [{"sort": "colors", "key": f"kind-{n}", "part": 0} for n in (1, 2)]
    file.with_name("parts.json").write_text(json.dumps(data))
    desk.post(f"/copies/{hung}/part/1", **form(desk, hung, 1) | {"color": "kind-2"})
    desk.keeper.answer_all(hung, {0: {"length_mm": 60.0}})
    part = now(desk, hung).parts[1]
    assert (part.fields["color"], part.fields["outline"][2]) == ("kind-2", [36, 48])


@pytest.mark.parametrize("first", ["outline", "length"])
def test_an_outline_put_right_has_the_size_that_a_ruler_tells(desk: Desk, hung: str, first: str) -> None:
    """Whether its form was corrected before the length was known or after it; a later length changes it with all."""
    by_length = {"outline": 1.0, "length": 1.2}[first]
    spike = [[0.0, 0.0], [30.0, 0.0], [30.0, 40.0], [0.0, 50.0]]
    told = " ".join(f"{round(x * by_length, 2)},{round(y * by_length, 2)}" for x, y in spike)
    for step in (first, "length" if first == "outline" else "outline"):
        if step == "outline":
            desk.post(f"/copies/{hung}/part/1", **form(desk, hung, 1) | {"outline": told})
        else:
            desk.keeper.answer_all(hung, {0: {"length_mm": 60.0}})
    assert now(desk, hung).parts[1].fields["outline"] == [[round(v * 1.2, 2) for v in p] for p in spike]
    desk.keeper.answer_all(hung, {0: {"length_mm": 100.0}})
    assert now(desk, hung).parts[1].fields["outline"] == [[round(v * 2, 2) for v in p] for p in spike]
    base = {"base": {"width_mm": 50, "height_mm": 9, "depth_mm": 20}, "thickness_mm": 3}
    desk.keeper.answer_all(hung, {2: base})
    assert set(saved(desk, hung)["pieces"][1]) == {"id", "color", "outline", "shape", "special"}


def test_an_outline_that_an_earlier_release_kept_in_mm_keeps_its_size(desk: Desk, hung: str) -> None:
    """Until it is put right again."""
    file = desk.folder / "copies" / hung / "copy.json"
    copy = json.loads(file.read_text())
    mine = [[0.0, 0.0], [31.0, 0.0], [31.0, 44.0]]
    said = {"photo": "00.jpg", "at": [130.0, 26.7], "fields": {"outline": mine}}
    file.write_text(json.dumps(copy | {"answers": [said]}))
    desk.keeper.answer_all(hung, {0: {"length_mm": 60.0}})
    assert now(desk, hung).parts[1].fields["outline"] == mine
    desk.keeper.answer_all(hung, {1: {"outline": [[0.0, 0.0], [36.0, 0.0], [36.0, 48.0]]}})
    desk.keeper.answer_all(hung, {0: {"length_mm": 100.0}})
    assert now(desk, hung).parts[1].fields["outline"] == [[0, 0], [60, 0], [60, 80]]


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        ({"corner-0-value": ""}, "A corner has a number"),
        ({"corner-1-value": "4"}, "One more corner needs its outline, too"),
    ],
)
def test_half_a_corner_is_said_to_be_one(desk: Desk, boarded: str, sent: dict[str, str], why: str) -> None:
    """It is neither lost without a word nor an error page; nothing else of the form is taken."""
    answer = desk.post(f"/copies/{boarded}/part/0", **form(desk, boarded, 0) | {"color": "blue"} | sent)
    assert answer.status_code == 303
    assert why in desk.table.client.get(f"/copies/{boarded}/part/0").text
    assert answers(desk, boarded) == []
    asked = {f"p0-{k}": v for k, v in (form(desk, boarded, 0) | sent).items() if k.startswith("corner")}
    assert desk.post(f"/copies/{boarded}/answers", **asked).status_code == 303
    assert why in desk.table.client.get(f"/copies/{boarded}").text
    assert answers(desk, boarded) == []
