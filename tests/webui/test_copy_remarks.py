"""What whoever read the photos of a copy remarked on is told on its page, in the reader's language."""

from __future__ import annotations

import json

import pytest

from tests.webui.test_copy_editor import boarded, key, now
from tests.webui.test_owncopy import Desk, desk, grainy
from webui.owncopy.remarks import REMARKS

__all__ = ["boarded", "desk", "key"]


def page(desk: Desk, copy: str, *remarks: object, language: str = "en") -> str:
    file = desk.folder / "copies" / copy / "read" / "parts.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"remarks": list(remarks)}))
    return desk.table.client.get(f"/copies/{copy}", headers={"Accept-Language": language}).text


def test_a_board_that_could_not_be_read_is_told(desk: Desk, boarded: str) -> None:
    """Until another photo of it is there, which is yet to be read."""
    unread = "board.jpg: no square board with four coloured spaces found"
    assert "The board could not be read" not in page(desk, boarded)
    assert "The board could not be read on its photo" in page(desk, boarded, unread)
    assert "Das Brett konnte auf seinem Foto nicht gelesen werden" in page(desk, boarded, unread, language="de")
    desk.keeper.add(boarded, grainy(90), board=True)
    assert "The board could not be read" not in page(desk, boarded, unread)


@pytest.mark.parametrize(
    ("remark", "told"),
    [
        ("00.jpg, 07.jpg: in its light some elements look alike: take it again in softer light", "Photo 1, 07.jpg: in"),
        ("the photos tell 80 mm for the tallest cactus, 92.5 mm were stated", "The photos tell 80 mm for the tallest"),
        (
            "without a photo of the board no match can be played: give one with --board",
            "There is no photo of the board",
        ),
        (
            "stones and edge symbols could not be paired: give an example of each edge symbol, too",
            "Which symbol belongs",
        ),
        (
            "the heights stated of K1 and K3 contradict each other by 1.7%: measure again",
            "The heights stated of cactus 1 and cactus 3 contradict each other by 1.7%",
        ),
        (
            "80 mm were stated for the tallest cactus, and 82.5 mm for K2, which is: measure again",
            "80 mm were stated for the tallest cactus, but 82.5 mm for cactus 2",
        ),
        ("the lengths stated of a and b contradict each other by 9.0%: measure again", "The lengths of pieces that"),
        ("that is much: measure the tallest cactus again, and lay all flat", "What tells the sizes disagrees"),
    ],
)
def test_a_remark_is_told_in_words_of_the_page(desk: Desk, key: str, remark: str, told: str) -> None:
    """Photos as the page numbers them; the names of options are no words of it."""
    text = page(desk, key, remark)
    assert told in text
    assert "--board" not in text


def test_what_the_page_tells_anyway_is_not_told_twice(desk: Desk, key: str) -> None:
    """Counts stand among the checks; what is no remark at all does no harm."""
    assert page(desk, key, "52 cards found, the game has 52", 7, None).count('class="notice"') == page(desk, key).count(
        'class="notice"'
    )
    assert now(desk, key).remarks == ()
    assert len({known.text for known in REMARKS}) == len(REMARKS)
