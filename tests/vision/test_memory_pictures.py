"""Pictures of the table as it was: what changed since, and whether a card's place is bare again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.vision.laid_table import ARM, Card, Table, mug
from vision.tracking.album import Album
from vision.tracking.drift import STILL, Motion

A, B = Card("C01", -120, -40, 20), Card("C02", 100, 30, -30)
EMPTY, TABLE = Table((B,)), Table((B, A))


def quad(card: Card, table: Table = TABLE) -> np.ndarray:
    return table.px(card.corners)


def test_same_table_shows_no_change() -> None:
    """Neither noise, nor half a pixel of drift, nor a lamp that dims and warms is a change of the table."""
    album = Album()
    first = album.add(TABLE.picture(1), STILL)
    for n, (drift, light) in enumerate([((0.0, 0.0), 1.0), ((1.4, -0.8), 1.0), ((1.4, -0.8), 0.7)]):
        picture = replace(TABLE, drift_px=drift).picture(n + 2, light).astype(float) * (
            [1.0, 0.95, 0.85] if n == 2 else 1
        )
        moved = np.subtract(drift, (0.0, 0.0) if n < 2 else (1.4, -0.8))
        album.add(picture.astype(np.uint8), Motion(np.array([[1, 0, moved[0]], [0, 1, moved[1]], [0, 0, 1.0]])))
        change = album.change(first)
        assert change is not None
        assert change.share(quad(A)) < 0.02
        assert change.share(quad(B)) < 0.02


def test_laid_card_is_a_change_of_its_outline() -> None:
    """What changed is the card, all of it and hardly more, and nothing of its neighbour."""
    album = Album()
    first = album.add(EMPTY.picture(1), STILL)
    album.add(TABLE.picture(2), STILL)
    change = album.change(first)
    assert change is not None
    assert change.share(quad(A)) > 0.9
    assert change.explained(quad(A)) > 0.85
    assert change.share(quad(B)) == 0.0


@pytest.mark.parametrize("before_known", [True, False], ids=["its place before it was laid", "the table around it"])
def test_bare_place_is_told_from_a_covered_one(before_known: bool) -> None:
    """A taken card's place is bare; under a mug or an arm, or with another card on it, it is not."""
    for things, cards, bare in (
        ((), (B,), True),
        ((mug(-120, -40, 60),), (B,), False),
        ((replace(ARM, outline=((-170.0, -100.0), (-70.0, -100.0), (-70.0, 400.0), (-170.0, 400.0))),), (B,), False),
        ((), (B, replace(A, face="C03", x=A.x + 6)), False),
    ):
        album = Album()
        before = album.add(EMPTY.picture(1), STILL)
        seen = album.add(TABLE.picture(2), STILL)
        album.add(Table(cards, things=things).picture(3, 0.9), STILL)
        share = album.bare(quad(A), seen, before if before_known else None, [])
        assert share is not None
        assert share > 0.9 if bare else share < 0.35


def test_card_that_lies_still_is_not_bare() -> None:
    """Its place looks as it did with it."""
    album = Album()
    before = album.add(EMPTY.picture(1), STILL)
    seen = album.add(TABLE.picture(2), STILL)
    album.add(TABLE.picture(3), STILL)
    assert album.bare(quad(A), seen, before, []) == pytest.approx(0.0, abs=0.02)


def test_nothing_is_told_where_pictures_do_not_differ() -> None:
    """A place that always looked the same, a picture that was never taken or was forgotten: no answer."""
    album = Album()
    first = album.add(TABLE.picture(1), STILL)
    second = album.add(TABLE.picture(2), STILL)
    album.add(TABLE.picture(3), STILL)
    assert album.bare(quad(A), second, first, []) is None
    assert album.bare(quad(A), None, first, []) is None
    assert album.change(None) is None
    album.keep([second, None])
    assert album.change(first) is None
    assert album.change(second) is not None


def test_picture_of_another_size_begins_a_new_album() -> None:
    """Pictures of two cameras are not compared."""
    album = Album()
    first = album.add(TABLE.picture(1), STILL)
    album.add(np.zeros((200, 300, 3), np.uint8), STILL)
    assert album.change(first) is None
