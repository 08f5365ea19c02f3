"""Which way up cards of a copy lie, and what is said of those on which nothing tells it."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture.conex.corners import PX_PER_MM
from calibration.capture.conex.sign import Sign, heads_alike
from calibration.capture.conex.ways import Way, ways_of
from calibration.capture.deck import ALL, AS_LAID, AS_READ, CENTER, EDGE, TOP, Part
from calibration.capture.deck import Sign as Symbol
from tests.calibration.signs import cube, square


def _faces(draw: object, heads: list[bool]) -> list[NDArray[np.uint8]]:
    assert callable(draw)
    rng = np.random.default_rng(3)
    out = []
    for head in heads:
        face = draw((round(59 * PX_PER_MM), round(92 * PX_PER_MM)), rng.integers(-2, 3, 2))
        face = face[::-1, ::-1] if head else face
        slope = np.linspace(0.8, 1.1, face.shape[1])[None, :, None]
        seen = cv2.GaussianBlur(face * slope, (0, 0), 1.0) + rng.normal(0, 2, face.shape)
        out.append(np.asarray(np.clip(seen, 0, 255), np.uint8))
    return out


def test_a_die_seen_over_its_corner_tells_how_its_card_lies() -> None:
    """Of cards with a die that is not the same on its head, those that lie unlike most are on their heads."""
    assert heads_alike(_faces(cube, [False, False, True, False, True])) == [1, 1, -1, 1, -1]


def test_a_die_that_is_the_same_on_its_head_tells_nothing() -> None:
    """Neither light that falls from one side nor a die beside the middle makes a top."""
    assert heads_alike(_faces(square, [False, True, False, False])) == [0, 0, 0, 0]


def test_cards_without_a_top_lie_as_most_of_their_photo() -> None:
    """A photo that was taken from the other side of the table is known by its cards with a top."""
    plus = [Sign("plus2", True, True)] * 3 + [Sign("plus2", False, True)]
    signs = [*plus, Sign(None, False, True), Sign(None, False, True)]
    blank = [np.full((460, 295, 3), 128, np.uint8)] * 6
    ways = ways_of(signs, blank, [0] * 6, [0, 0, 0, 0, 0, 1])
    assert ways == [*[Way(True, True)] * 3, Way(False, True), Way(True, False), Way(False, False)]


def test_upright_numbers_tell_how_a_card_without_a_sign_lies() -> None:
    """Numbers are asked where the sign does not tell."""
    blank = [np.full((460, 295, 3), 128, np.uint8)] * 2
    assert ways_of([Sign(None, False, True)] * 2, blank, [1, -1], [0, 0]) == [Way(False, True), Way(True, True)]


def test_what_nobody_can_see_is_answered_for_all_together() -> None:
    """Fields that hold as laid are told among what is asked, and one answer confirms them for every part."""
    part = Part("C01", "faces", {"corners": []}, (), ("symbol",), taken=("corners",))
    assert part.told()["asks"] == ["corners", "symbol"]
    said = part.answered({ALL: {TOP: AS_LAID}})
    assert (said.told()["asks"], said.told()["sure"]) == (["symbol"], False)
    assert part.answered({"C01": {"corners": []}}).told()["asks"] == ["symbol"]


def test_doubtful_symbols_are_confirmed_for_all_cards_together() -> None:
    """One answer settles the edge of a card whose doubtful symbols are why it is asked about, and of no other."""
    sign = Symbol("fire", np.zeros((9, 9, 3), np.uint8))
    doubtful = Part("R01", "faces", {"edge": {"fire": 16}}, (), ("center", "edge"), signs=(sign,))
    said = {ALL: {EDGE: AS_READ}}
    assert doubtful.answered(said).told()["asks"] == ["center"]
    assert replace(doubtful, signs=()).answered(said).told()["asks"] == ["center", "edge"]
    assert doubtful.answered({ALL: {TOP: AS_LAID}}).told()["asks"] == ["center", "edge"]
    stone = replace(sign, field=CENTER)
    assert replace(doubtful, signs=(stone,)).answered({ALL: {CENTER: AS_READ}}).told()["asks"] == ["edge"]
    assert replace(doubtful, signs=(stone,)).answered(said).told()["asks"] == ["center", "edge"]
