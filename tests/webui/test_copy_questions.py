"""Which questions of a copy come when, and how they are asked."""

from __future__ import annotations

from webui.owncopy.own_copy import CopyPart, Kind, OwnCopy, Sign
from webui.owncopy.questions import AT_ONCE, PageSort, next_page

KINDS = (Kind(0, "elements", "kind-1", "fire"), Kind(1, "elements", "kind-2", "water"))


def _copy(*parts: CopyPart) -> OwnCopy:
    return OwnCopy("ours", "Ours", "cactus", parts=parts, kinds=KINDS)


def _part(n: int, *asks: str, group: str = "pieces", **more: object) -> CopyPart:
    fields = {"color": "red", "shape": None, "special": True, **more}
    return CopyPart(n, f"part-{n}", group, fields, asks)


def test_what_is_uncertain_comes_before_what_is_measured() -> None:
    """A piece of which both are asked comes twice, each time with its own fields; what is written comes last."""
    both = _part(0, "color", "length_mm")
    value = _part(2, "value", group="scoring")
    page = next_page(_copy(both, _part(1, "shape"), value))
    assert (page.sort, [q.fields for q in page.asked]) == (PageSort.PARTS, [("color",), ("shape",)])
    cactus = _part(1, "height_mm", "base", "thickness_mm", group="cacti")
    page = next_page(_copy(_part(0, "length_mm"), cactus, value))
    assert page.sort is PageSort.RULER
    assert [q.fields for q in page.asked] == [("length_mm",), ("height_mm",), ("base", "thickness_mm")]
    assert [q.of_all for q in page.asked] == [False, False, True]
    assert next_page(_copy(value)).sort is PageSort.VALUES
    assert next_page(_copy(_part(0))).sort is PageSort.NONE


def test_one_field_of_the_only_part_is_one_tap() -> None:
    """Where anything else is asked besides, it is a field among others."""
    assert next_page(_copy(_part(0, "shape"))).sort is PageSort.CHOICE
    assert next_page(_copy(_part(0, "shape", "length_mm"))).sort is PageSort.PARTS
    assert next_page(_copy(_part(0, "corners"))).sort is PageSort.PARTS


def test_so_many_are_asked_at_once() -> None:
    """The next ones come on the next page."""
    page = next_page(_copy(*(_part(n, "color") for n in range(AT_ONCE + 2))))
    assert len(page.asked) == AT_ONCE


def test_doubtful_signs_of_many_come_first() -> None:
    """Before anything that is asked card by card."""
    cards = [
        CopyPart(n, f"R{n}", "faces", {"edge": {"fire": 2}}, ("edge",), signs=(Sign(n, "fire"),)) for n in range(3)
    ]
    page = next_page(_copy(*cards))
    assert (page.sort, page.asked, len(page.sheets)) == (PageSort.SIGNS, (), 1)


def test_what_was_read_is_confirmed_and_what_was_not_is_stated() -> None:
    """A corner without its number is no reading; no sign and no basic shape are."""

    def told(field: str, **fields: object) -> bool:
        question, _ = next_page(_copy(_part(0, field, **fields), _part(1, "color"))).asked
        return question.told

    assert told("shape")
    assert told("symbol", symbol=None)
    assert not told("color", color="")
    assert not told("edge", edge={})
    corner = {"color": "red", "value": 3, "region": []}
    assert told("corners", corners=[corner])
    assert not told("corners", corners=[corner, {**corner, "value": None}])
    assert not told("corners", corners=[])
    assert not told("track", group="board", track=[[1, 2]])
