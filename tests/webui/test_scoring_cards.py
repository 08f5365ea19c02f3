"""Scoring cards of Rox: what is typed, what lies on the table, and what people say where the two differ."""

from __future__ import annotations

from dataclasses import replace

from tests.webui.conftest import Table
from tests.webui.fakes import FakeFrame, lay


def _with(table: Table, rows: FakeFrame, *values: int, confidence: float = 0.99) -> FakeFrame:
    """The rows with scoring cards beside them, the last of them read with a confidence."""
    ids = {c.value: c.id for c in table.deck.scoring_cards.values()}
    cards = [replace(p, key=f"s{p.key}") for p in lay({}, [ids[v] for v in values]).placements]
    cards[-1] = replace(cards[-1], confidence=confidence)
    return FakeFrame(replace(rows.table, placements=(*rows.table.placements, *cards)))


def _page(table: Table) -> str:
    return " ".join(table.client.get(f"/matches/{table.match.id}").text.split())


def test_points_that_the_picture_contradicts_are_asked_for(table: Table, three_rows: FakeFrame) -> None:
    """Nothing is handed out before people say whether the typed points or those of the picture are right."""
    table.begin()
    table.to_verdict(_with(table, three_rows, 10, 6), values=(9, 5))
    page = _page(table)
    assert "The picture shows 10, 6, but the round was begun for 9, 5." in page
    assert 'id="confirm"' not in page
    assert table.do("deal", value=["9", "5"]).status_code == 200
    page = _page(table)
    assert 'id="deal-pictured"' not in page
    assert 'id="confirm"' in page


def test_reading_of_the_picture_is_taken_in_one_tap(table: Table, three_rows: FakeFrame) -> None:
    """The points that lie there are handed out once they are said to be right."""
    table.begin()
    table.to_verdict(_with(table, three_rows, 10, 6), values=(9, 5))
    assert table.do("deal", value=["10", "6"]).status_code == 200
    ruling = table.match.ruling
    assert ruling is not None
    assert [a.points for a in ruling.awards] == [10, 6]
    assert 'id="confirm"' in _page(table)


def test_unsure_reading_of_points_asks_nothing(table: Table, three_rows: FakeFrame) -> None:
    """Typed points stand where a scoring card was not read for sure."""
    table.begin()
    table.to_verdict(_with(table, three_rows, 10, 6, confidence=0.6), values=(9, 5))
    page = _page(table)
    assert 'id="deal-pictured"' not in page
    assert 'id="confirm"' in page


def test_cards_of_a_judged_table_are_not_read_for_the_next_round(table: Table, three_rows: FakeFrame) -> None:
    """The next round's points stay empty until other scoring cards lie there than in the last verdict."""
    table.begin()
    table.to_verdict(_with(table, three_rows, 10, 6), values=(9, 5))
    assert table.do("deal", value=["9", "5"]).status_code == 200
    assert table.do("confirm").status_code == 200
    assert not table.snapshot.seen_scoring
    assert "Read on the table" not in _page(table)
    table.eye.reset()
    table.runner.see(_with(table, three_rows, 8, 4))
    seen = table.snapshot.seen_scoring
    assert [c.value for c in seen] == [8, 4]
    assert "Read on the table" in _page(table)
