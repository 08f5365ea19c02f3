"""Faces of a deck of any game: what was photographed twice is one face, and near twins are two."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture.deck_any import pattern_of, same_faces

Floats = NDArray[np.float32]
RED, GREEN = (200, 40, 40), (30, 130, 60)


def _card(colour: tuple[int, int, int], shape: int, filled: bool) -> NDArray[np.uint8]:
    """A white card with one printed shape, in outline or filled."""
    face = np.full((276, 177, 3), 235, np.uint8)
    wide = -1 if filled else 4
    if shape == 0:
        cv2.ellipse(face, (88, 130), (60, 28), 0, 0, 360, colour, wide, cv2.LINE_AA)
    elif shape == 1:
        rhombus = np.array([[88, 100], [150, 130], [88, 160], [26, 130]], np.int32)
        if filled:
            cv2.fillPoly(face, [rhombus], colour, cv2.LINE_AA)
        else:
            cv2.polylines(face, [rhombus], True, colour, wide, cv2.LINE_AA)
    else:
        cv2.rectangle(face, (30, 100), (146, 160), colour, wide, cv2.LINE_AA)
    return face


def _seen(face: NDArray[np.uint8], seed: int) -> Floats:
    """The same photographed under some lamp, a little astray."""
    rng = np.random.default_rng(seed)
    h, w = face.shape[:2]
    light = np.linspace(0.7, 1.0, w)[None, :, None] * np.array([1.0, 0.88, 0.7] if seed % 2 else [0.8, 0.9, 1.0])
    moved = cv2.warpAffine(
        face,
        np.array([[1, 0, rng.uniform(-2, 2)], [0, 1, rng.uniform(-2, 2)]]),
        (w, h),
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(np.clip(moved * light + rng.normal(0, 2, face.shape), 0, 255), np.float32)


def test_a_card_seen_under_two_lamps_is_one_face() -> None:
    """Each card meets itself on the other photo, also on its head, though its light has another colour and a slope."""
    cards = [_card(c, s, f) for c in (RED, GREEN) for s in range(3) for f in (False, True)]
    patterns = [pattern_of(_seen(c, 2 * n)) for n, c in enumerate(cards)]
    again = [pattern_of(_seen(np.ascontiguousarray(c[::-1, ::-1]), 2 * n + 1)) for n, c in enumerate(cards)]
    groups = same_faces([*patterns, *again], [0] * 12 + [1] * 12)
    assert groups == [[(n, False), (n + 12, True)] for n in range(12)]


def test_prints_of_another_colour_or_shape_are_other_faces() -> None:
    """Photos of cards that share no face give every card a face of its own."""
    one = [pattern_of(_seen(_card(RED, s, f), n)) for n, (s, f) in enumerate([(0, False), (1, True), (2, False)])]
    other = [pattern_of(_seen(_card(GREEN, s, f), n)) for n, (s, f) in enumerate([(0, False), (1, True), (2, False)])]
    filled = [pattern_of(_seen(_card(RED, s, f), n)) for n, (s, f) in enumerate([(0, True), (1, False), (2, True)])]
    assert len(same_faces([*one, *other, *filled], [0] * 3 + [1] * 3 + [2] * 3)) == 9
