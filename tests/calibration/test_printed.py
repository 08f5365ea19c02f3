"""Cards are found and sorted by what is printed alike on them, where edges and light tell nothing."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.capture.cards import LaidCard
from calibration.capture.rox.layouts import two_layouts
from calibration.capture.rox.printed import by_their_print
from vision.cards.quads import overlap

W, H = 60, 90


def element(rng: np.random.Generator) -> NDArray[np.uint8]:
    """A card with symbols of five colours round its edge and a stone in the middle, 120 x 180 px."""
    face = np.full((180, 120, 3), 205, np.uint8)
    for x in (16, 45, 75, 104):
        for y in (16, 46, 76, 104, 134, 164):
            if x in (16, 104) or y in (16, 164):
                cv2.circle(face, (x, y), 8, tuple(int(v) for v in rng.integers(20, 150, 3)), -1, cv2.LINE_AA)
    cv2.circle(face, (60, 90), 24, tuple(int(v) for v in rng.integers(20, 150, 3)), -1, cv2.LINE_AA)
    return face


def scoring(number: int) -> NDArray[np.uint8]:
    """A card with a number, 120 x 180 px."""
    face = np.full((180, 120, 3), 205, np.uint8)
    cv2.putText(face, str(number), (30, 120), cv2.FONT_HERSHEY_SIMPLEX, 3.0, (40, 40, 60), 8, cv2.LINE_AA)
    return face


@pytest.fixture(scope="module")
def table() -> tuple[NDArray[np.uint8], list[LaidCard]]:
    """Twelve cards on a table of their own colour, and where they lie."""
    rng = np.random.default_rng(5)
    photo = np.full((660, 640, 3), 205, np.uint8)
    cards = []
    for n in range(12):
        x, y = 20 + 155 * (n % 4), 30 + 205 * (n // 4)
        photo[y : y + 180, x : x + 120] = element(rng)
        corners = np.array([[x, y], [x + 120, y], [x + 120, y + 180], [x, y + 180]], float) - 0.5
        cards.append(LaidCard(0, corners, (W, H)))
    return photo, cards


def test_a_card_astray_on_a_table_of_its_colour_is_laid_where_its_print_is(
    table: tuple[NDArray[np.uint8], list[LaidCard]],
) -> None:
    """An outline five millimetres beside its card is drawn to what all cards have printed alike."""
    photo, cards = table
    laid = [*cards[:5], LaidCard(0, cards[5].quad_px + [10, 6], (W, H)), *cards[6:]]
    mended = by_their_print([photo], laid, range(12))
    assert overlap(laid[5].quad_px, cards[5].quad_px) < 0.9
    assert all(overlap(m.quad_px, c.quad_px) > 0.97 for m, c in zip(mended, cards, strict=True))


def test_a_card_astray_alone_is_laid_where_its_print_is_though_that_differs_a_little(
    table: tuple[NDArray[np.uint8], list[LaidCard]],
) -> None:
    """A stone larger than others does not keep the outline of the only card astray from being mended."""
    photo, cards = table
    photo = photo.copy()
    x, y = np.round(cards[5].quad_px.mean(0)).astype(int).tolist()
    cv2.ellipse(photo, (x, y), (20, 42), 0, 0, 360, (60, 90, 140), -1, cv2.LINE_AA)
    laid = [*cards[:5], LaidCard(0, cards[5].quad_px + [10, 6], (W, H)), *cards[6:]]
    mended = by_their_print([photo], laid, range(12))
    assert overlap(mended[5].quad_px, cards[5].quad_px) > 0.97


def test_cards_in_their_place_stay(table: tuple[NDArray[np.uint8], list[LaidCard]]) -> None:
    """Outlines that are right are not touched."""
    photo, cards = table
    assert all(m is c for m, c in zip(by_their_print([photo], cards, range(12)), cards, strict=True))


def test_scoring_cards_are_told_in_any_light() -> None:
    """Cards with symbols and cards with a number are two layouts, though the light differs from card to card."""
    rng = np.random.default_rng(9)
    faces = [*(element(rng) for _ in range(14)), *(scoring(n % 9 + 1) for n in range(6))]
    lit = [np.asarray(f * rng.uniform(0.4, 1.2, 3).clip(0, 1.2), float).clip(0, 255).astype(np.uint8) for f in faces]
    told = two_layouts(lit)
    assert told is not None
    assert set(told[:14].tolist()) != set(told[14:].tolist())
    assert len(set(told[:14].tolist())) == len(set(told[14:].tolist())) == 1


def test_cards_of_one_layout_are_not_parted() -> None:
    """Where all cards have symbols there are no two layouts."""
    rng = np.random.default_rng(3)
    assert two_layouts([element(rng) for _ in range(20)]) is None
