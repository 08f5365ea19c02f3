"""Drawing: what is marked is seen on any ground, without colour too, and the picture itself stays as it was."""

from __future__ import annotations

import numpy as np
import pytest

from vision.overlay import Label, Mark, draw_labels, draw_link_evidence, rectify

QUAD = np.array([[100, 60], [200, 60], [200, 210], [100, 210]], float)
SPOKEN = (Mark.RIGHT, Mark.WRONG, Mark.UNSURE)


def ground(grey: int) -> np.ndarray:
    return np.full((300, 400, 3), grey, np.uint8)


@pytest.mark.parametrize("grey", [0, 128, 255])
@pytest.mark.parametrize("mark", list(Mark))
def test_outline_shows_on_any_ground(grey: int, mark: Mark) -> None:
    """An outline stands out from black, grey and white; the middle of the picture's rest is untouched."""
    picture = ground(grey)
    drawn = draw_labels(picture, [Label(QUAD, "", mark)])
    assert (picture == grey).all()
    along_edge = np.abs(drawn[130:150, 96:105].astype(int) - grey).max(axis=(1, 2))
    assert (along_edge > 60).mean() > 0.3
    assert (drawn[:, 260:] == grey).all()


def test_marks_differ_without_colour() -> None:
    """Right, wrong and unsure are told apart in grey by sign and line, not by hue."""
    drawn = {m: draw_labels(ground(128), [Label(QUAD, "R17", m)]).astype(float).mean(axis=2) for m in SPOKEN}
    shapes = {m: np.abs(d - 128) > 40 for m, d in drawn.items()}
    for one in SPOKEN:
        for other in SPOKEN:
            if one is not other:
                assert (shapes[one] != shapes[other]).sum() > 30, (one, other)


def test_printed_top_is_marked() -> None:
    """The bar lies at the printed top, so a card upside down looks different."""
    upright = draw_labels(ground(128), [Label(QUAD)])
    turned = draw_labels(ground(128), [Label(np.roll(QUAD, -2, axis=0))])
    assert (upright[66:72, 130:170] != 128).any()
    assert (turned[66:72, 130:170] == 128).all()
    assert (turned[198:204, 130:170] != 128).any()


def test_outline_far_outside_is_no_error() -> None:
    """Corners far outside the picture, as a wrong plane gives them, draw what is inside and nothing else."""
    drawn = draw_labels(ground(128), [Label(QUAD * 1e5, "R1", Mark.WRONG), Label(QUAD, "ü R2")])
    assert drawn.shape == (300, 400, 3)


def test_rectify_turns_a_card_upright() -> None:
    """A card lying on its side comes out with its printed top above."""
    picture = ground(50)
    picture[60:210, 100:150] = (200, 30, 30)
    lying = np.array([[100, 210], [100, 60], [200, 60], [200, 210]], float)
    card = rectify(picture, lying, (150, 100))
    assert card.shape == (100, 150, 3)
    np.testing.assert_allclose(card[10, 75], (200, 30, 30), atol=3)
    np.testing.assert_allclose(card[90, 75], (50, 50, 50), atol=3)


@pytest.mark.parametrize("mark", SPOKEN)
def test_link_evidence_shows_both_cards_and_the_sign(mark: Mark) -> None:
    """Above the place in the picture, below both cards upright side by side with the call between them."""
    picture = ground(90)
    picture[60:210, 100:200] = (180, 40, 40)
    picture[60:210, 220:320] = (40, 60, 180)
    shown = draw_link_evidence(picture, Label(QUAD, "R1"), Label(QUAD + [120, 0], "R2", mark), mark, height_px=240)
    below = shown[-240:]
    row = below[30].astype(int)
    red = np.flatnonzero(np.abs(row - (180, 40, 40)).max(axis=1) < 12)
    blue = np.flatnonzero(np.abs(row - (40, 60, 180)).max(axis=1) < 12)
    assert len(red) == pytest.approx(160, abs=4)
    assert len(blue) == pytest.approx(160, abs=4)
    assert red.max() < blue.min()
    between = below[:, red.max() + 3 : blue.min() - 3]
    assert (np.abs(between.astype(int) - 245) > 60).sum() > 100
    plain = draw_link_evidence(picture, Label(QUAD), Label(QUAD + [120, 0]), Mark.PLAIN, height_px=240)
    assert (plain[-240:][:, red.max() + 3 : blue.min() - 3] == 245).all()


def test_link_evidence_at_the_picture_edge() -> None:
    """Cards that leave the picture still have their evidence."""
    shown = draw_link_evidence(ground(90), Label(QUAD - [120, 80]), Label(QUAD + [250, 150]), Mark.UNSURE)
    assert shown.shape[0] == 2 * 320 + 6
