"""Elements of an own copy are shown as its cards show them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.webui.conftest import Table
from tests.webui.fakes import FakeFrame


def _verdict(table: Table, rows: FakeFrame) -> str:
    table.begin()
    table.to_verdict(rows)
    return table.client.get(f"/matches/{table.match.id}").text


def _renamed(table: Table) -> None:
    """The deck on the table with an element that nobody knows."""
    here = table.runner.deck
    assert here.deck == table.deck
    word = {"fire": "bow"}
    faces = {
        f.id: replace(
            f,
            center=word.get(f.center, f.center),
            edge={word.get(e, e): n for e, n in f.edge.items()},
            leaders=tuple(word.get(e, e) for e in f.leaders),
        )
        for f in table.deck.faces.values()
    }
    table.deck = replace(table.deck, faces=faces, elements=tuple(word.get(e, e) for e in table.deck.elements))
    here.deck = table.deck


def test_an_element_with_a_name_of_its_own_is_shown_as_on_its_card(table: Table, three_rows: FakeFrame) -> None:
    """The verdict shows the stone of a card, not the sign of an unknown thing; usual elements keep their signs."""
    _renamed(table)
    page = _verdict(table, three_rows)
    first = next(f for f in sorted(table.deck.faces) if table.deck.faces[f].center == "bow")
    assert f'<image href="/cards/{first}?v=' in page
    assert "#el-other" not in page
    assert "#el-water" in page


@pytest.mark.parametrize(("key", "drawn"), [("mine", False), ("", True)])
def test_usual_names_of_an_own_copy_do_not_hide_its_stones(
    table: Table, three_rows: FakeFrame, key: str, drawn: bool
) -> None:
    """What an own copy calls fire is shown as its own cards show it; the printed deck has its signs."""
    table.runner.deck.key = key
    page = _verdict(table, three_rows)
    assert ("#el-fire" in page) is drawn
    assert ('class="el el-own"' in page) is not drawn
