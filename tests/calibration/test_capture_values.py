"""Numbers of scoring cards are read wherever they stand, and asked about where a card may lie either way up."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture.rox.values import read_values

VALUES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)


def card(value: int, bar: bool, turned: bool = False) -> NDArray[np.uint8]:
    """A number in the middle, a round mark at each side of it."""
    face = np.full((300, 200, 3), (226, 214, 180), np.uint8)
    ink = np.zeros((300, 200), np.uint8)
    cv2.putText(ink, str(value), (50, 200), cv2.FONT_HERSHEY_DUPLEX, 2.6, 255, 5, cv2.LINE_AA)
    x, y, w, h = cv2.boundingRect(ink)
    ink = np.roll(ink, (150 - y - h // 2, 100 - x - w // 2), (0, 1))
    face[ink > 127] = (60, 30, 90)
    if bar and value in (6, 9):
        cv2.rectangle(face, (80, 195), (120, 200), (60, 30, 90), -1)
    for x in (28, 172):
        cv2.circle(face, (x, 60), 12, (180, 60, 40), -1, cv2.LINE_AA)
    return np.ascontiguousarray(face[::-1, ::-1]) if turned else face


def test_numbers_are_read_either_way_up() -> None:
    """Every value is read for certain, cards upside down too."""
    read = read_values([card(v, True, v in (3, 6, 9)) for v in VALUES])
    assert [r.value for r in read] == list(VALUES)
    assert all(r.sure for r in read)


def test_a_six_without_a_bar_is_asked_about() -> None:
    """Where nothing tells a 6 from a 9 lying the other way, neither is said for certain; the others are."""
    read = read_values([card(v, False) for v in VALUES])
    assert [v for v, r in zip(VALUES, read, strict=True) if not r.sure] == [6, 9]
    assert all(r.value == v for v, r in zip(VALUES, read, strict=True) if r.sure)


def test_cards_without_a_number_are_asked_about() -> None:
    """Round marks are no noughts, and a card without a number has no value."""
    blank = np.full((300, 200, 3), 200, np.uint8)
    for x in (28, 100, 172):
        cv2.circle(blank, (x, 150), 18, (180, 60, 40), 4, cv2.LINE_AA)
    assert not any(r.sure for r in read_values([blank] * 6))
    assert read_values([]) == []
