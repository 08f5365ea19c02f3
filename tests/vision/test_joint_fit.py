"""Two pictures laid on each other: where plates hang in space, how well that is known, and what it says of contacts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import cv2
import numpy as np
import pytest

from scoring.table import Contact
from tests.vision.flat_hung import SIZE_PX, cactus_set, hang, stage
from vision.cactus.joint_fit import Fitted
from vision.cactus.joint_start import Sighted, fit_both
from vision.cactus.second_view import settle
from vision.cactus.upright import HungPiece, Rigid, Stage
from vision.types import Rgb

FIRST, ASIDE = stage(), stage(turn=0.45, far_mm=560.0)
T = cactus_set().thickness_mm
WOOD = (150.0, 110.0, 70.0)


def photo(hung: Sequence[HungPiece], view: Stage, *, wood: tuple[float, float, float] = WOOD) -> Rgb:
    """Plates with their cut sides, the nearer over the farther."""
    known = cactus_set()
    canvas = np.full((2 * SIZE_PX[1], 2 * SIZE_PX[0], 3), 190, np.uint8)
    plates = []
    for u in view.cacti:
        look = next(c for c in known.cacti if c.id == u.id)
        plates.append((0.0, look.outline_mm, u.to_camera, look.rgb))
        for h in hung:
            if h.cactus == u.id:
                flat = known.piece(h.id).outline_mm * ([-1.0, 1.0] if h.flipped else [1.0, 1.0])
                color = known.colors[known.piece(h.id).color]
                plates.append((float(h.to_cactus.t[2]), flat, u.to_camera.after(h.to_cactus), color))
    for _, flat, there, color in sorted(plates, key=lambda p: p[0]):
        for z in np.linspace(-T / 2, T / 2, 7):
            px = view.project(np.column_stack([flat, np.full(len(flat), z)]), there)
            tone = color if z == T / 2 else wood
            cv2.fillPoly(canvas, [np.round((2 * px + 0.5) * 16).astype(np.int32)], tone, cv2.LINE_AA, 4)
    small = cv2.resize(canvas, SIZE_PX, interpolation=cv2.INTER_AREA)
    soft = cv2.GaussianBlur(small, (0, 0), 0.6)
    return np.asarray(np.clip(soft + np.random.default_rng(3).normal(0, 2, soft.shape), 0, 255), np.uint8)


def astray(piece: HungPiece, by_mm: tuple[float, float, float]) -> HungPiece:
    """A piece as an eye has it that is wrong by so much."""
    return replace(piece, to_cactus=Rigid(piece.to_cactus.R, piece.to_cactus.t + np.array(by_mm)))


def crossing(gap_mm: float) -> tuple[HungPiece, HungPiece]:
    """Two red pieces, one before the other with that much air between them."""
    return hang("bar-red", "K3", (0, 70), z=T), hang("gate-red", "K3", (2, 72), z=2 * T + gap_mm)


@lru_cache(maxsize=8)
def both(gap_mm: float) -> tuple[Sighted, Sighted]:
    """Both pictures of such pieces, with depths that the eye has wrong."""
    low, high = crossing(gap_mm)
    other = hang("wedge-blue", "K2", (0, 90), z=T)
    pieces = (low, high, other)
    first = tuple(astray(p, (0.2, 0.1, 1.5)) for p in pieces)
    second = tuple(astray(p, (-0.2, 0.0, -1.0)) for p in pieces)
    return Sighted(FIRST, first, photo(pieces, FIRST)), Sighted(ASIDE, second, photo(pieces, ASIDE))


def fitted(gap_mm: float) -> Fitted:
    first, second = both(gap_mm)
    found = fit_both(cactus_set(), first, second, ())
    assert found is not None
    return found


def contact(gap_mm: float) -> Contact:
    (found,) = settle(cactus_set(), *both(gap_mm))[0]
    return found


@pytest.mark.parametrize("gap_mm", [0.0, 2.0])
def test_depth_between_plates_is_found_to_half_a_millimetre(gap_mm: float) -> None:
    """However the eye erred, the edges of both pictures say how far one plate hangs before the other."""
    found = fitted(gap_mm)
    places = {s.id: s.pose.t for s in found.pieces if s.pose is not None}
    assert places["gate-red"][2] - places["bar-red"][2] == pytest.approx(T + gap_mm, abs=0.5)
    sigmas = np.sqrt(np.diag(found.covariance)).reshape(-1, 6)
    assert (sigmas[1:, 2] < 0.5).all()
    assert (sigmas[:, 2] > sigmas[:, 0]).all()
    assert min(s.share for s in found.support) > 0.7


def test_crossing_plates_with_air_between_them_are_clear() -> None:
    """Two millimetres of air settle it."""
    found = contact(2.0)
    assert found.touching < 0.1
    assert found.gap_mm == pytest.approx(2.0, abs=0.5)


def test_crossing_plates_on_each_other_touch() -> None:
    """Faces that lie on each other are told where both pictures are sharp."""
    assert contact(0.0).touching > 0.6


def test_second_camera_is_found_where_it_stands() -> None:
    """A second stage that is a little off is put right by the cacti in both pictures."""
    first, second = both(2.0)
    lean, _ = cv2.Rodrigues(np.array([0.0, 0.04, 0.0]))
    cacti = [replace(u, to_camera=Rigid(u.to_camera.R @ lean, u.to_camera.t + 2.0)) for u in second.stage.cacti]
    found = fit_both(cactus_set(), first, replace(second, stage=Stage(second.stage.camera, tuple(cacti))), ())
    assert found is not None
    middle = found.cameras.second.after(found.cameras.cacti["K3"]).inverse().t
    true = ASIDE.cacti[2].to_camera.inverse().t
    off = middle / np.linalg.norm(middle) - true / np.linalg.norm(true)
    assert np.degrees(np.linalg.norm(off)) < 1.0


def test_cactus_turned_the_wrong_way_is_put_right() -> None:
    """A plate that one view has turned to the other side stands as the other view has it."""
    first, second = both(2.0)
    cacti = list(first.stage.cacti)
    half, _ = cv2.Rodrigues(np.array([0.0, 0.5, 0.0]))
    cacti[0] = replace(cacti[0], to_camera=Rigid(cacti[0].to_camera.R @ half, cacti[0].to_camera.t))
    found = fit_both(cactus_set(), replace(first, stage=Stage(first.stage.camera, tuple(cacti))), second, ())
    assert found is not None
    turned = found.cameras.cacti[cacti[0].id].R.T @ FIRST.cacti[0].to_camera.R
    assert np.degrees(np.arccos(np.clip(turned[2, 2], -1, 1))) < 3.0


def test_without_pictures_nothing_is_fitted() -> None:
    """Outlines alone, or pictures that share no cactus, are left to the rougher way."""
    first, second = both(2.0)
    assert fit_both(cactus_set(), replace(first, rgb=None), second, ()) is None
    nowhere = Stage(second.stage.camera, ())
    assert fit_both(cactus_set(), first, replace(second, stage=nowhere), ()) is None


@pytest.mark.parametrize("level", [None, 120])
def test_pictures_of_something_else_settle_nothing(level: int | None) -> None:
    """Noise or a grey wall where the cacti should be bears out no piece, and nothing breaks."""
    first, second = both(2.0)
    shape = (SIZE_PX[1], SIZE_PX[0], 3)
    wall = np.random.default_rng(5).integers(0, 255, shape).astype(np.uint8) if level is None else None
    blank = np.full(shape, level or 0, np.uint8) if wall is None else wall
    contacts, _ = settle(cactus_set(), replace(first, rgb=blank), replace(second, rgb=blank))
    rough, _ = settle(cactus_set(), replace(first, rgb=None), replace(second, rgb=None))
    assert [c.touching > 0.9 for c in contacts] == [c.touching > 0.9 for c in rough]
