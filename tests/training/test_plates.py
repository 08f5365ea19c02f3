"""What the plate network is trained on: which face each pixel shows, and pictures whose paints change."""

from __future__ import annotations

import cv2
import numpy as np

from tests.decks.cactus_sets import ensure_set
from tests.render.cactus_truth import camera_of
from tests.training.plate_data import Sample, drawn, faces_of
from tests.training.plate_looks import repainted
from tests.vision.hung_scene import At, photograph


def test_each_pixel_is_given_to_the_nearest_face(tmp_path_factory) -> None:  # type: ignore[no-untyped-def]
    """Of two pieces the front one has all of its outline, the other what that and its own rim leave of it."""
    folder = ensure_set(tmp_path_factory.mktemp("sets"), "tune-agave")
    photo = photograph(folder, (At("house", "K1", -20, 70), At("wheel", "K1", -5, 70, z=4.0)))
    plates = [photo.game.plate(n) for n in ("house", "wheel")]
    size = photo.view.size_px
    shown = faces_of(camera_of(photo.view), size, [(p.form.outline, p.pose) for p in plates], plates[0].thickness)
    masks = []
    for name in ("house", "wheel"):
        masks.append(np.zeros(size[::-1], np.uint8))
        cv2.fillPoly(masks[-1], [np.round(photo.outline_px(name) * 16).astype(np.int32)], 1, shift=4)
    behind, before = (m > 0 for m in masks)
    assert np.count_nonzero((shown == 2) ^ before) < 0.02 * np.count_nonzero(before)
    assert not (shown[before & behind] == 1).any()
    left = behind & ~(cv2.dilate(masks[1], np.ones((15, 15), np.uint8)) > 0)
    assert (shown[left] == 1).mean() > 0.98


def test_other_paints_change_faces_only() -> None:
    """The ground keeps its colour, a face does not keep its own."""
    rng = np.random.default_rng(5)
    faces = np.zeros((64, 64), np.uint8)
    faces[20:44, 20:44] = 1
    picture = np.full((64, 64, 3), 0.2, np.float32)
    picture[faces > 0] = (0.5, 0.1, 0.1)
    pictures = [repainted(rng, picture, faces, np.array([0, 0]), np.array([[0.5, 0.1, 0.1]])) for _ in range(8)]
    assert max(np.abs(p[:12] - picture[:12]).max() for p in pictures) < 1e-3
    assert max(np.abs(p[24:40, 24:40] - picture[24:40, 24:40]).max() for p in pictures) > 0.1


def test_a_training_picture_shows_what_its_answer_says() -> None:
    """A bright face on dark ground stays where the answer has it, with its edge about it."""
    faces = np.zeros((300, 300), np.uint8)
    faces[100:200, 100:200] = 1
    rgb = np.where(faces[..., None] > 0, 230, 30).repeat(3, axis=2).astype(np.uint8)
    sample = Sample(rgb, faces, np.array([0, 0]), np.array([[0.8, 0.8, 0.8]]))
    rgb, (face, edge) = drawn(np.random.default_rng(2), sample, 128, (0.9, 1.0))
    assert rgb.shape == (128, 128, 3)
    assert 0 < np.count_nonzero(face) < face.size
    assert edge[
        (cv2.dilate(face, np.ones((3, 3), np.uint8)) > 0) & (cv2.erode(face, np.ones((3, 3), np.uint8)) == 0)
    ].all()
