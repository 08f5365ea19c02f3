"""Faces of a deck of any game: what was photographed twice is one face, and near twins are two."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.capture.deck_any import likely_face, pattern_of, same_faces
from calibration.capture.ink import named_by_ink
from scoring.table import Placement, Pose, TableState
from vision.deck import load_appearance
from vision.scene import Observation
from vision.types import Detection

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


def test_a_card_is_named_by_its_pattern_and_its_ink() -> None:
    """Also on its head; one whose pattern is there in another colour only, or in none, has no name."""
    red = {f"R{s}": pattern_of(_seen(_card(RED, s, True), s)) for s in range(3)}
    green = {f"G{s}": pattern_of(_seen(_card(GREEN, s, True), s)) for s in range(3)}
    for n, (name, shape, colour) in enumerate((("R1", 1, RED), ("G2", 2, GREEN), ("G0", 0, GREEN))):
        shown = pattern_of(_seen(np.ascontiguousarray(_card(colour, shape, True)[::-1, ::-1]), 20 + n))
        found = likely_face(shown, red | green)
        assert found is not None
        assert found[0] == name
    shown = pattern_of(_seen(_card(GREEN, 1, True), 31))
    assert likely_face(shown, red) is None
    assert likely_face(shown, {name: green[name] for name in ("G0", "G2")}) is None
    assert likely_face(shown, {}) is None


@pytest.mark.parametrize(
    ("said", "known", "right"), [("red", ["red", "green"], "green"), ("red", ["red"], None), (None, ["green"], "green")]
)
def test_no_card_has_the_name_of_a_face_of_another_ink(
    said: str | None, known: list[str], right: str | None, tmp_path: Path
) -> None:
    """It has the name of the face of its own ink where there is one, and its corners begin at that face's top."""
    inks = {"red": RED, "green": GREEN}
    for name in known:
        cv2.imwrite(str(tmp_path / f"{name}.png"), _card(inks[name], 2, True)[..., ::-1])
    faces = [{"id": name, "image": f"{name}.png"} for name in known]
    deck = {"format": 1, "game": "any", "name": "a", "card_mm": [59, 92], "corner_radius_mm": 3, "faces": faces}
    (tmp_path / "deck.json").write_text(json.dumps(deck))
    card = np.ascontiguousarray(_card(GREEN, 2, True)[::-1, ::-1])
    h, w = card.shape[:2]
    table = np.full((h + 80, w + 80, 3), 40, np.uint8)
    table[40 : 40 + h, 40 : 40 + w] = _seen(card, 3).astype(np.uint8)
    quad = np.array([[39.5, 39.5], [39.5 + w, 39.5], [39.5 + w, 39.5 + h], [39.5, 39.5 + h]])
    placement = Placement("0", said, Pose(0, 0, 0), (59.0, 92.0), 0.2, 0.99)
    view = ((0.0, 0.0), (99.0, 0.0), (99.0, 99.0), (0.0, 99.0))
    seen = Observation((Detection(quad, said, 0.99),), TableState((placement,), view))
    named = named_by_ink(seen, table, load_appearance(tmp_path))
    assert named.detections[0].face == named.table.placements[0].face == right
    np.testing.assert_allclose(named.detections[0].quad_px[0], quad[2] if right else quad[0])
