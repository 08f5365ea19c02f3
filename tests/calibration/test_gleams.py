"""A lamp's gleam on the table hides no piece that lies beside it."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.capture.cactus.pieces import find_pieces

H, W = 360, 640


def _photo(gleam: float) -> np.ndarray:
    y, x = np.mgrid[:H, :W]
    rgb = np.full((H, W, 3), (60, 62, 70), float)
    for left in (80, 240, 400):
        cv2.rectangle(rgb, (left, 60), (left + 60, 130), (70, 130, 60), -1)
    cv2.rectangle(rgb, (250, 230), (330, 300), (70, 130, 60), -1)
    rgb += gleam * np.exp(-(((x - 300) / 70) ** 2) - ((y - H) / 60) ** 2)[..., None]
    rgb += np.random.default_rng(2).normal(0, 1.0, rgb.shape)
    return np.asarray(np.clip(cv2.GaussianBlur(rgb, (0, 0), 0.8), 0, 255), np.uint8)


def test_a_piece_that_a_gleam_reaches_is_found_like_the_others() -> None:
    """Though the gleam goes on beyond the picture."""
    assert len(find_pieces(_photo(0.0))) == 4
    assert len(find_pieces(_photo(110.0))) == 4
