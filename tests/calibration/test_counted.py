"""Values of scoring cards that cannot all be right are asked about."""

from __future__ import annotations

from calibration.capture.deck import Part
from calibration.capture.rox.counted import counted_values


def _asked(values: list[int | None], most: int = 12) -> list[bool]:
    parts = [Part(f"P{n}", "scoring", {"value": v}, (), () if v else ("value",)) for n, v in enumerate(values)]
    return [bool(p.asks) for p in counted_values(parts, most)]


def test_values_that_are_all_there_are_believed() -> None:
    """And those of a copy of which not all were photographed; an unread one may be the value that is missing."""
    assert not any(_asked([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 4]))
    assert not any(_asked([1, 2, 2, 2]))
    assert sum(_asked([1, 2, 3, 4, 5, 6, 7, 8, 9, None, 1, 4])) == 1


def test_a_missing_value_was_read_as_one_that_several_show() -> None:
    """Those alone are asked about."""
    assert _asked([1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 9, 9]) == [True, *[False] * 7, True, True, True, True]


def test_a_hand_that_is_not_understood_is_asked_about_as_a_whole() -> None:
    """Two missing values: any other may be wrong, too."""
    assert all(_asked([1, 1, 3, 8, 7, 7, 6, 5, 6, 5, 9, 9]))
