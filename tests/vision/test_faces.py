"""Faces: a patch against every face of the deck, and a face laid onto the picture to a fraction of a pixel."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.render.rox_table import DeckArt
from tests.render.staged import Photo, photograph, rows
from vision.cards.face_bank import FaceBank, face_bank
from vision.cards.faces import Freedom, align, compare, lay_flat
from vision.cards.rectify import Pyramid, face_to_px
from vision.deck import DeckAppearance

NAMES = ("R01", "R14", "R27", "R40", "R53", "R60")


@pytest.fixture(scope="module")
def bank(small: DeckAppearance) -> FaceBank:
    return face_bank(small.sets[0])


@pytest.fixture(scope="module")
def photo(small_art: DeckArt) -> Photo:
    """Six cards, large in the picture."""
    return photograph(small_art, rows(NAMES, 3, (60, 75)), region_mm=(240, 150), tilt_deg=20)


def number(bank: FaceBank, name: str) -> int:
    return next(i for i, look in enumerate(bank.looks) if look.id == name)


def lit(picture: np.ndarray, gain: tuple[float, float, float], offset: float, slope: float) -> np.ndarray:
    """The picture under a coloured lamp that stands to one side."""
    ramp = 1 + slope * np.linspace(-1, 1, picture.shape[1])[None, :, None]
    return np.clip(picture * np.array(gain) * ramp + offset, 0, 255).astype(np.float32)


# ---- which face ------------------------------------------------------------------------------------------------------


def test_every_face_is_most_like_itself(bank: FaceBank) -> None:
    """On every grid each look of the deck leaves least of itself unexplained, and next to nothing on the fine one."""
    # the back and cards of equal value aside, all looks differ
    for layer, grid in ((bank.rough, "rough"), (bank.coarse, "coarse"), (bank.fine, "fine")):
        for i in range(0, 60, 7):
            patch = np.asarray(getattr(bank.looks[i], grid), np.float32)
            error = compare(patch, np.ones(layer.grid.shape, np.float32), layer).error
            assert np.argmin(error) == i
            assert error[i] < 0.15
            assert np.partition(error, 1)[1] > 1.3 * error[i]


@given(
    st.sampled_from(range(60)),
    st.tuples(*[st.floats(0.5, 1.2)] * 3),
    st.floats(-15, 15),
    st.floats(-0.3, 0.3),
)
@settings(max_examples=30, deadline=None)
def test_light_does_not_change_the_name(
    bank: FaceBank, i: int, gain: tuple[float, float, float], offset: float, slope: float
) -> None:
    """Warm or cold, dim or bright, from one side: the face is the same."""
    patch = lit(bank.looks[i].fine, gain, offset, slope)
    error = compare(patch, np.ones(bank.fine.grid.shape, np.float32), bank.fine).error
    assert np.argmin(error) == i
    assert error[i] < 0.1


@pytest.mark.parametrize("side", ["left", "right", "top", "bottom"])
def test_half_a_card_is_enough_where_the_rest_is_masked(bank: FaceBank, side: str) -> None:
    """What is covered does not count: half of a face names it, though the other half shows something else."""
    rows_, columns = bank.fine.grid.shape
    mask = np.ones((rows_, columns), np.float32)
    half = {
        "left": np.s_[:, : columns // 2],
        "right": np.s_[:, columns // 2 :],
        "top": np.s_[: rows_ // 2],
        "bottom": np.s_[rows_ // 2 :],
    }
    mask[half[side]] = 0
    for i in (3, 30):
        patch = bank.looks[i].fine.copy()
        patch[half[side]] = bank.looks[i + 1].fine[half[side]]
        result = compare(patch, mask, bank.fine)
        assert np.argmin(result.error) == i
        assert result.samples == pytest.approx(0.5 * bank.fine.rim.sum(), rel=0.06)


@pytest.mark.parametrize("kind", ["noise", "flat", "upside down", "negative"])
def test_what_is_no_face_is_not_explained(bank: FaceBank, kind: str) -> None:
    """Noise, a flat patch, a face upside down and a negative leave most of themselves unexplained."""
    rng = np.random.default_rng(1)
    face = bank.looks[0].fine
    patch = {
        "noise": cv2.GaussianBlur(rng.normal(128, 60, face.shape), (0, 0), 1.5),
        "flat": np.full(face.shape, 128.0),
        "upside down": face[::-1, ::-1],
        "negative": 255 - face,
    }[kind]
    error = compare(np.ascontiguousarray(patch, np.float32), np.ones(face.shape[:2], np.float32), bank.fine).error
    assert error.min() > 0.4


# ---- exactly where ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_displaced_guess_finds_the_card(bank: FaceBank, photo: Photo, name: str) -> None:
    """From three pixels and two degrees off the corners come out to a third of a pixel, with an honest sigma."""
    true = photo.named[name].quad_px
    centre = true.mean(0)
    c, s = np.cos(np.radians(2)), np.sin(np.radians(2))
    guess = (true - centre) @ np.array([[c, s], [-s, c]]) * 1.01 + centre + [2.0, -2.2]
    found = align(Pyramid(photo.rgb), face_to_px(guess, bank.fine.grid), bank.fine, number(bank, name), precise=True)
    assert found is not None
    assert np.linalg.norm(found.quad_px - true, axis=1).max() < 0.35
    sigma = np.sqrt(np.diag(found.covariance))
    assert (np.abs(found.quad_px - true).reshape(-1) < 8 * sigma).all()
    np.testing.assert_allclose(found.covariance, found.covariance.T, atol=1e-9)


def test_the_aligned_map_and_quad_agree(bank: FaceBank, photo: Photo) -> None:
    """The corners are those of the map from samples to pixels."""
    true = photo.named["R27"].quad_px
    found = align(Pyramid(photo.rgb), face_to_px(true, bank.fine.grid), bank.fine, number(bank, "R27"))
    assert found is not None
    np.testing.assert_allclose(face_to_px(found.quad_px, bank.fine.grid), found.H, rtol=1e-3, atol=1e-3)


def test_a_covered_third_does_not_pull(bank: FaceBank, photo: Photo) -> None:
    """A hand over a third of the card: masked, the outline is as exact as ever; unnoticed, it slips by pixels only."""
    card = photo.named["R01"]
    rgb = photo.rgb.copy()
    top, right, bottom, left = card.quad_px
    cover = np.array([top, top + 0.33 * (right - top), left + 0.33 * (bottom - left), left])
    cv2.fillConvexPoly(rgb, np.round(cover).astype(np.int32), (205, 160, 130))
    guess, look = face_to_px(card.quad_px + [1.5, 1.0], bank.fine.grid), number(bank, "R01")
    mask = np.ones(bank.fine.grid.shape, np.float32)
    mask[:, : int(0.36 * mask.shape[1])] = 0
    for seen, within in ((mask, 0.4), (None, 3.0)):
        found = align(Pyramid(rgb), guess, bank.fine, look, seen, freedom=Freedom.AFFINE)
        assert found is not None
        assert np.linalg.norm(found.quad_px - card.quad_px, axis=1).max() < within


def test_little_freedom_keeps_opposite_sides_parallel(bank: FaceBank, photo: Photo) -> None:
    """An affine alignment of a parallelogram is a parallelogram; with all freedom the perspective is followed."""
    true = photo.named["R01"].quad_px
    u, v = (true[1] + true[2] - true[0] - true[3]) / 4, (true[2] + true[3] - true[0] - true[1]) / 4
    start = true.mean(0) + np.array([-u - v, u - v, u + v, v - u])
    H, look = face_to_px(start, bank.fine.grid), number(bank, "R01")
    slant = [
        np.abs(a.quad_px[0] - a.quad_px[1] + a.quad_px[2] - a.quad_px[3]).max()
        for freedom in (Freedom.AFFINE, Freedom.PERSPECTIVE)
        if (a := align(Pyramid(photo.rgb), H, bank.fine, look, freedom=freedom)) is not None
    ]
    true_slant = np.abs(true[0] - true[1] + true[2] - true[3]).max()
    assert slant[0] < 1e-3
    assert slant[1] == pytest.approx(true_slant, abs=0.5)
    assert true_slant > 1


def test_a_curled_card_is_followed(bank: FaceBank, small_art: DeckArt) -> None:
    """With a bend allowed, the corners of a curled card are found where a flat face would miss them by far."""
    photo = photograph(small_art, rows(NAMES[:3], 3, (70, 75)), region_mm=(240, 150), tilt_deg=25, curl_mm=1.5)
    card = photo.named["R14"]
    H, look = face_to_px(card.quad_px + 1.0, bank.fine.grid), number(bank, "R14")
    error = {}
    for freedom in (Freedom.PERSPECTIVE, Freedom.BEND):
        a = align(Pyramid(photo.rgb), H, bank.fine, look, iterations=12, freedom=freedom)
        assert a is not None
        error[freedom] = np.linalg.norm(a.quad_px - card.quad_px, axis=1).max()
        assert a.bend.any() == (freedom is Freedom.BEND)
    assert error[Freedom.BEND] < 1.2
    assert error[Freedom.BEND] < 0.5 * error[Freedom.PERSPECTIVE]


def test_nothing_to_align_to(bank: FaceBank) -> None:
    """A black picture leads nowhere: None instead of a pose."""
    quad = np.array([[300, 100], [460, 100], [460, 340], [300, 340]], float)
    found = align(Pyramid(np.zeros((540, 960, 3), np.uint8)), face_to_px(quad, bank.fine.grid), bank.fine, 0)
    assert found is None


# ---- in the deck's own light -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES[:3])
def test_laid_flat_a_card_looks_like_its_face(bank: FaceBank, photo: Photo, name: str) -> None:
    """After the light is taken off, photograph and face differ by a few grey levels, and most samples agree."""
    layer, look = bank.fine, number(bank, name)
    H = face_to_px(photo.named[name].quad_px, layer.grid)
    rgb = lit(photo.rgb, (0.9, 0.7, 0.5), 10, 0.2).astype(np.uint8)
    laid = lay_flat(Pyramid(rgb).patch(H, layer.grid.shape), layer, look, np.ones(layer.grid.shape, np.float32))
    off = np.abs(laid.flat[layer.rim] - layer.raw[look])
    assert np.median(off) < 6
    assert (laid.weight[layer.rim] > 0.3).mean() > 0.75
    assert not laid.flat[~layer.rim].any()


def test_what_covers_a_card_disagrees(bank: FaceBank, photo: Photo) -> None:
    """The samples under another card weigh little, the others stay."""
    layer, look = bank.fine, number(bank, "R40")
    patch = Pyramid(photo.rgb).patch(face_to_px(photo.named["R40"].quad_px, layer.grid), layer.grid.shape)
    third = layer.grid.shape[0] // 3
    patch[:third] = bank.looks[20].fine[::-1, ::-1][:third]
    laid = lay_flat(patch, layer, look, np.ones(layer.grid.shape, np.float32))
    covered = np.zeros(layer.grid.shape, bool)
    covered[:third] = True
    assert (laid.weight[covered & layer.rim] > 0.3).mean() < 0.5
    assert (laid.weight[~covered & layer.rim] > 0.3).mean() > 0.8
