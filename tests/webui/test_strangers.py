"""Cards of another deck than the one that is played with are told, and what to do about them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from scoring.table import Placement, Side, TableState
from tests import colour_eye
from tests.told import told_by
from tests.webui.conftest import Table
from tests.webui.fakes import FakeFrame
from vision.scene import Observation, SceneModel
from vision.types import Failure, Frame
from webui.table.strangers import strangers


def _unnamed(piece: Placement) -> Placement:
    return replace(piece, face=None, side=Side.UNKNOWN, candidates=())


def _of_another_deck(table: TableState, known: int = 0) -> TableState:
    pieces = table.placements
    return replace(table, placements=(*pieces[:known], *map(_unnamed, pieces[known:])))


def test_strangers_are_counted_where_hardly_a_card_is_known(three_rows: FakeFrame) -> None:
    """One chance name among many cards changes nothing; a few names do, and so do cards that lie face down."""
    table = three_rows.table
    lying = len(table.placements)
    assert strangers(_of_another_deck(table)) == lying
    assert strangers(_of_another_deck(table, 1)) == lying
    assert strangers(_of_another_deck(table, 5)) == 0
    assert strangers(table) == 0
    backs = tuple(replace(p, face=None, side=Side.BACK) for p in table.placements)
    assert strangers(replace(table, placements=backs)) == 0
    doubtful = tuple(replace(_unnamed(p), confidence=0.3) for p in table.placements)
    assert strangers(replace(table, placements=doubtful)) == 0


def test_two_strangers_count_where_the_board_is_missing_too(three_rows: FakeFrame) -> None:
    """In a game with a board the first two cards are enough if its board is not known either."""
    two = replace(three_rows.table, placements=tuple(map(_unnamed, three_rows.table.placements[:2])))
    assert strangers(two, board=True) == 2
    assert strangers(two) == 0
    assert strangers(replace(two, board=three_rows.table.placements[3]), board=True) == 0


def test_page_asks_whether_another_deck_lies_there(table: Table, three_rows: FakeFrame) -> None:
    """Where no card is of the deck the page says so above the verdict, and its state is no tick."""
    table.begin()
    table.to_verdict(FakeFrame(_of_another_deck(three_rows.table)))
    match = table.match.id
    page = " ".join(table.client.get(f"/matches/{match}").text.split())
    lying = len(three_rows.table.placements)
    assert f"{lying} cards lie there, none (or hardly one) of “" in page
    news = table.client.get(f"/matches/{match}/news").json
    assert news is not None
    assert (news["state"], news["word"]) == ("out-of-step", "Another deck?")
    table.eye.reset()
    table.runner.see(three_rows)
    assert 'id="strangers"' not in table.client.get(f"/matches/{match}").text


def test_judge_says_that_another_deck_lies_there(
    tmp_path: Path, colour_deck: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line on standard error names the deck; what is printed and the status stay as they are."""

    def observe(frame: Frame, model: SceneModel) -> Observation | Failure:
        seen = colour_eye.observe(frame, model)
        return seen if isinstance(seen, Failure) else replace(seen, table=_of_another_deck(seen.table))

    photo = tmp_path / "a.png"
    Image.fromarray(colour_eye.table(colour_eye.south_row(["F0", "F1", "F2", "F3"]))).save(photo, compress_level=0)
    status, lines, err = told_by(observe, ["judge", "rox", str(photo), "--deck", str(colour_deck)], capsys)
    assert status == 0
    assert len(lines) == 1
    assert err.count("\n") == 1
    assert "4 cards lie there, none (or hardly one) of 'colours': is it another deck?" in err
